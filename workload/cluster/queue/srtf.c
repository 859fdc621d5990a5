/* srtf: the job with the least left goes first, and takes GPUs from those that
 * have more. By `gpu-time` what is left counts times GPUs (as SRSF in Tiresias:
 * Gu et al., NSDI 2019). Of those that run it is as things are now, of those
 * that wait alone; jobs of which nothing is known go last. */
#include "workload/cluster/queue/expect.h"

static const struct orr_param params[] = {
    ORR_EXPECT_BY("remaining time, or that times GPUs"),
    ORR_PARAM_END,
};

static int64_t key_of(const struct orr_cluster *c, const void *given,
                      const struct orr_cluster_job *j)
{
    return orr__expect_by(given, j, orr__expect_left(j));
}

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return orr__queue_order_by(c, given, key_of, job, n, why);
}

extern const struct orr_queue_policy_ops orr__queue_policy_srtf;
const struct orr_queue_policy_ops orr__queue_policy_srtf = {
    .name = "srtf",
    .doc = "the least remaining time first; preemptive",
    .params = params,
    .params_size = sizeof(struct orr_expect_params),
    .preempts = true,
    .order = order,
};
