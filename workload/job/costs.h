/* What messages cost the ranks of a job beside the network, and when its ranks
 * start. */
#ifndef ORR_WORKLOAD_JOB_COSTS_H
#define ORR_WORKLOAD_JOB_COSTS_H

#include "core/config/param.h"
#include "core/error.h"
#include "workload/program/jitter.h"

/* What they say. */
struct orr_costs {
    struct orr_jitter jitter, overhead_jitter; /* of computations, messages */
    int64_t overhead_ps, local_delay_ps;
    uint64_t overhead_bps, local_bps; /* overhead 0: none */
    int overhead_on;                  /* enum orr_overhead */
};

/* Of a job's map; NULL: left out. */
struct orr_cost_nodes {
    const struct orr_yaml *jitter, *overhead, *local;
    uint32_t job;
};

/* `jitter`, `message_overhead` and `local`. */
ORR_CHECK_RESULT orr_err orr__costs_read(struct orr_config *c,
                                         const struct orr_cost_nodes *n,
                                         struct orr_costs *t,
                                         struct orr_report *why);
/* `start`: a time, or a map; *at: of the job, ps. */
ORR_CHECK_RESULT orr_err orr__start_read(struct orr_config *c,
                                         const struct orr_yaml *node,
                                         int64_t *at, struct orr_jitter *skew,
                                         struct orr_report *why);
/* How much later than its job a rank starts, ps. */
int64_t orr__start_skew(const struct orr_jitter *skew, uint64_t seed,
                        uint32_t job, uint32_t rank);

extern const struct orr_param orr__start_params[], orr__overhead_params[],
    orr__local_params[];

#endif
