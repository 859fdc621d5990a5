/* edf: who is to be done first goes first (`deadline` of jobs); those without a
 * deadline come last, by arrival. It takes GPUs from others. */
#include "workload/cluster/queue/expect.h"

static const struct orr_param params[] = {ORR_PARAM_END};

static int64_t key_of(const struct orr_cluster *c, const void *given,
                      const struct orr_cluster_job *j)
{
    return j->is.deadline_ns;
}

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return orr__queue_order_by(c, given, key_of, job, n, why);
}

extern const struct orr_queue_policy_ops orr__queue_policy_edf;
const struct orr_queue_policy_ops orr__queue_policy_edf = {
    .name = "edf",
    .doc = "the earliest deadline first; preemptive",
    .params = params,
    .params_size = 0,
    .preempts = true,
    .order = order,
};
