/* las: least attained service, in the discrete form of Tiresias (Gu et al.,
 * NSDI 2019): queues by the GPU time that jobs have had, in each of them first
 * come, first served. A job moves down when it has had its queue's threshold;
 * the paper's two queues are the default, its thresholds are the user's. A job
 * that has waited `promote` times as long as it ran, since it last did, is in
 * the first queue again (the paper's knob against starvation).
 *
 * Ours: thresholds above the first are multiples of it, and queues are looked
 * at again every `quantum`, not when somebody crosses a threshold. */
#include "core/units.h"
#include "workload/cluster/queue/expect.h"

struct params {
    int64_t queues, threshold, quantum; /* ps */
    double factor, promote;
};

static const struct orr_param params[] = {
    { "queues", ORR_PARAM_INT, offsetof(struct params, queues), "2", "1", "64",
      NULL, "how many there are" },
    { "threshold", ORR_PARAM_TIME, offsetof(struct params, threshold), "1h",
      "1ns", NULL, NULL, "GPU time (time times GPUs) that a job may have in "
      "the first queue" },
    { "factor", ORR_PARAM_REAL, offsetof(struct params, factor), "10", "1",
      "1e6", NULL, "each further queue ends at so many times the one before" },
    { "quantum", ORR_PARAM_TIME, offsetof(struct params, quantum), "1min",
      "1ms", NULL, NULL, "how often queues are looked at again while jobs "
      "wait" },
    { "promote", ORR_PARAM_REAL, offsetof(struct params, promote), "0", "0",
      "1e9", NULL, "a job that has waited so many times as long as it has run "
      "goes back to the first queue; 0: never" },
    ORR_PARAM_END,
};

static bool promoted(const struct orr_cluster *c, const struct params *p,
                     const struct orr_cluster_job *j)
{
    if (p->promote <= 0 || j->state != ORR_CLUSTER_WAITING || j->ran_ns == 0)
        return false;
    return (double)(c->now_ns - j->since_ns) >= p->promote * (double)j->ran_ns;
}

static int64_t key_of(const struct orr_cluster *c, const void *given,
                      const struct orr_cluster_job *j)
{
    const struct params *p = given;
    double service = orr__cluster_service(c, j);
    double limit = (double)p->threshold / (double)ORR_NS;
    int64_t queue = 0;
    if (promoted(c, p, j))
        return queue;
    for (; queue + 1 < p->queues && service >= limit; queue++)
        limit *= p->factor;
    return queue;
}

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return orr__queue_order_by(c, given, key_of, job, n, why);
}

static int64_t again(const struct orr_cluster *c, const void *given)
{
    const struct params *p = given;
    int64_t quantum = p->quantum / ORR_NS;
    if (!orr__somebody_waits(c) || c->now_ns > INT64_MAX - quantum)
        return INT64_MAX;
    return (c->now_ns / quantum + 1) * quantum;
}

extern const struct orr_queue_policy_ops orr__queue_policy_las;
const struct orr_queue_policy_ops orr__queue_policy_las = {
    .name = "las",
    .doc = "who has had the least GPU time first, in queues (Tiresias); it "
           "takes GPUs from others",
    .params = params,
    .params_size = sizeof(struct params),
    .preempts = true,
    .order = order,
    .again = again,
};
