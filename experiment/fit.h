/* Can packets pass at all? */
#ifndef ORR_EXPERIMENT_FIT_H
#define ORR_EXPERIMENT_FIT_H

#include "core/error.h"
#include "workload/world.h"

/* ECONFIG at the capacity of queues where some packet of the workload is larger
 * than that, and so never arrives. When the workload was read. */
ORR_CHECK_RESULT orr_err orr__packets_fit(const struct orr_world *w,
                                          struct orr_report *why);

#endif
