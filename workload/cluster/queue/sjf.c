/* sjf: the job that is expected to be over first goes first: iterations times
 * what one takes alone, or its duration. Jobs of which that is not known go
 * last. By `gpu-time` it is times GPUs: what others must do without. */
#include "workload/cluster/queue/expect.h"

static const struct orr_param params[] = {
    ORR_EXPECT_BY("length of a job: its time alone, or that times its GPUs"),
    ORR_PARAM_END,
};

static int64_t key_of(const struct orr_cluster *c, const void *given,
                      const struct orr_cluster_job *j)
{
    return orr__expect_by(given, j, orr__expect_total(j));
}

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return orr__queue_order_by(c, given, key_of, job, n, why);
}

extern const struct orr_queue_policy_ops orr__queue_policy_sjf;
const struct orr_queue_policy_ops orr__queue_policy_sjf = {
    .name = "sjf",
    .doc = "the shortest job first",
    .params = params,
    .params_size = sizeof(struct orr_expect_params),
    .order = order,
};
