/* Placement: which host each rank of a job lives on. A family: one member a
 * file, one line in list.h. */
#ifndef ORR_WORKLOAD_PLACEMENT_PLACEMENT_H
#define ORR_WORKLOAD_PLACEMENT_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"
#include "workload/world.h"

/* Reads a job's `placement` (NULL: linear; a name; a map with kind and its
 * parameters; or a list of hosts, one a rank, repeats allowed) and fills
 * *hosts with `ranks` host ids (free with orr__free). job is the job's index:
 * part of the random stream's name. More ranks than hosts, hosts that do not
 * exist, a list of another length: ECONFIG at the place. */
ORR_CHECK_RESULT orr_err orr__place_ranks(const struct orr_world *w,
                                          const struct orr_yaml *placement,
                                          const struct orr_yaml *ranks_node,
                                          uint32_t ranks, uint32_t job,
                                          uint32_t **hosts,
                                          struct orr_report *why);

/* What a member is asked. */
struct orr_placement_request {
    const struct orr_world *world;
    const struct orr_yaml *node; /* the `placement`, for messages; not NULL */
    uint32_t ranks;              /* 1 .. number of hosts, unless `repeats` */
    uint32_t job;                /* its number: names what is drawn */
};

/* A member of the family. */
struct orr_placement_ops {
    const char *name, *doc;
    const struct orr_param *params; /* beside kind; may be an empty table */
    size_t params_size;             /* of the struct that params fill */
    bool repeats;                   /* may put several ranks on one host */
    /* Fills hosts[0 .. ranks-1]. Every host must be one of the graph's; they
     * are distinct unless `repeats`. Must depend on the request, the seed and
     * the parameters alone. Fails through orr__yaml_fail at q->node. */
    orr_err (*place)(const struct orr_placement_request *q, const void *params,
                     uint32_t *hosts, struct orr_report *why);
};

/* The members in the order of list.h; NULL ends. */
const struct orr_placement_ops *const *orr__placements(void);

#endif
