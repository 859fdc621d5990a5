/* What is known of jobs before packets move: what each asks of links, and what
 * it takes alone. */
#ifndef ORR_CLUSTER_KNOWN_JOBS_H
#define ORR_CLUSTER_KNOWN_JOBS_H

#include "cluster/engine.h"

/* What a job asks of links on these GPUs (by rank); no packets move. Lives
 * until others have taken its place, or as long as it has users. */
ORR_CHECK_RESULT orr_err orr__engine_facts(struct orr_engine *e, uint32_t job,
                                           const uint32_t *gpu,
                                           struct orr_demand_item **out,
                                           struct orr_report *why);
/* The running jobs that are past what their start costs, ascending, with what
 * they ask of links; the pace has met those that are new on their GPUs.
 * member: room for all that run. */
ORR_CHECK_RESULT orr_err orr__engine_members(struct orr_engine *e,
                                             struct orr_member *member,
                                             uint32_t *n,
                                             struct orr_report *why);
/* What a job of the cluster is known to take alone, on GPUs as near to one
 * another as they are: for arrivals. An orr_baseline_fn, arg: the engine. */
orr_err orr__engine_baseline(void *engine, uint32_t template, uint32_t gpus,
                             double *iteration_ns, struct orr_report *why);

#endif
