/* What a run would take, from sizes and paths alone. */
#ifndef ORR_EXPERIMENT_ESTIMATE_H
#define ORR_EXPERIMENT_ESTIMATE_H

#include <stdint.h>

#include "core/error.h"
#include "workload/world.h"

/* CPU seconds of a process that loads its libraries and ends, measured. No part
 * of an estimate: who asks for one runs already. */
#define ORR_PROCESS_S 0.006

/* CPU seconds of a file of records, and of the bins of a link in it. */
#define ORR_RECORDS_S      0.02
#define ORR_LINK_RECORDS_S 0.00002

/* Needs graph, routes, network configuration, jobs and flows. Losses and what
 * they cost are left out. *cut (NULL: not asked): the world was interrupted,
 * and *e is of what was looked at by then. */
ORR_CHECK_RESULT orr_err orr__estimate(const struct orr_world *w,
                                       struct orr_estimate *e, bool *cut,
                                       struct orr_report *why);
/* CPU seconds of these that go into making the network. */
double orr__estimate_network(const struct orr_world *w);
/* weight[node]: how much of the run's work happens at each node, at least 1;
 * their sum fits into 31 bits. */
ORR_CHECK_RESULT orr_err orr__estimate_weights(const struct orr_world *w,
                                               uint32_t *weight,
                                               struct orr_report *why);

#endif
