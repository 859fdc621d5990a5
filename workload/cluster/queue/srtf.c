/* srtf: the job with the least left goes first, and takes GPUs from those that
 * have more. By `gpu-time` what is left counts times GPUs (as SRSF in Tiresias:
 * Gu et al., NSDI 2019). Of those that run it is as things are now, of those
 * that wait alone; jobs of which nothing is known go last. */
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
        .help = "remaining time, or that times GPUs",
    },
    ORR_PARAM_END,
};

static int64_t key_of(const struct orr_cluster *c, const void *given,
                      const struct orr_cluster_job *j)
{
    const struct params *p = given;
    int64_t t = orr__expect_left(j);
    return p->by == BY_TIME ? t : orr__times_gpus(j, t);
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
    .params_size = sizeof(struct params),
    .preempts = true,
    .order = order,
};
