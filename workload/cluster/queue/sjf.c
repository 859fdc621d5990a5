/* sjf: the job that is expected to be over first goes first: iterations times
 * what one takes alone, or its duration. Jobs of which that is not known go
 * last. By `gpu-time` it is times GPUs: what others must do without. */
#include "workload/cluster/queue/expect.h"

enum { BY_TIME, BY_GPU_TIME };

struct params {
    int by;
};

static const struct orr_param params[] = {
    {
        .key = "by",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct params, by),
        .fallback = "time",
        .choices = (const char *const[]){"time", "gpu-time", NULL},
        .help = "length of a job: its time alone, or that times its GPUs",
    },
    ORR_PARAM_END,
};

static int64_t key_of(const struct orr_cluster *c, const void *given,
                      const struct orr_cluster_job *j)
{
    const struct params *p = given;
    int64_t t = orr__expect_total(j);
    return p->by == BY_TIME ? t : orr__times_gpus(j, t);
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
    .params_size = sizeof(struct params),
    .order = order,
};
