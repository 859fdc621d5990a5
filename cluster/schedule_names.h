/* What the schedule of a cluster calls by name. */
#ifndef ORR_CLUSTER_SCHEDULE_NAMES_H
#define ORR_CLUSTER_SCHEDULE_NAMES_H

#include "workload/cluster/cluster.h"

/* All of it are entries of `cluster.jobs`, or jobs, which are `named` then.
 * ECONFIG at the name. */
ORR_CHECK_RESULT orr_err orr__cluster_names(struct orr_cluster *c,
                                            struct orr_report *why);

#endif
