/* Placement: which host each rank of a job lives on. A family: one member a
 * file, one line in list.h. */
#ifndef ORR_WORKLOAD_PLACE_PLACE_H
#define ORR_WORKLOAD_PLACE_PLACE_H

#include <stdint.h>

#include "core/config.h"
#include "core/error.h"
#include "workload/world.h"

/* Reads a job's `placement` (NULL: linear; a name; a map with kind and its
 * parameters; or a list of hosts, one a rank, repeats allowed) and fills
 * *hosts with `ranks` host ids (free with orr__free). job is the job's index:
 * part of the random stream's name. More ranks than hosts, hosts that do not
 * exist, a list of another length: ECONFIG at the place. */
ORR_CHECK_RESULT orr_err orr__place(const struct orr_world *w,
                                    const struct orr_yaml *placement,
                                    const struct orr_yaml *ranks_node,
                                    uint32_t ranks, uint32_t job,
                                    uint32_t **hosts, struct orr_report *why);

#endif
