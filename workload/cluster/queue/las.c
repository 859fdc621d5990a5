/* las: least attained service, in the discrete form of Tiresias (Gu et al.,
 * NSDI 2019): queues by the GPU time that jobs have had, in each of them first
 * come, first served. A job moves down when it has had its queue's threshold;
 * the paper's two queues are the default, its thresholds are the user's. A job
 * that has waited `promote` times as long as it ran, since it last did, is in
 * the first queue again (the paper's knob against starvation).
 *
 * Ours: thresholds above the first are multiples of it, and jobs change their
 * queue at multiples of `quantum`, not at the moment at which they cross a
 * threshold. */
#include <math.h>

#include "core/assert.h"
#include "core/units.h"
#include "workload/cluster/queue/expect.h"

/* As configured; times are read as ps. */
struct params {
    int64_t queues, threshold, quantum; /* ps */
    double factor, promote;
};

static const struct orr_param params[] = {
    {"queues", ORR_PARAM_INT, offsetof(struct params, queues), "2", "1", "64",
     NULL, "how many there are"},
    {"threshold", ORR_PARAM_TIME, offsetof(struct params, threshold), "1h",
     "1ns", NULL, NULL,
     "GPU time (time times GPUs) that a job may have in "
     "the first queue"},
    {"factor", ORR_PARAM_REAL, offsetof(struct params, factor), "10", "1",
     "1e6", NULL, "ratio of the thresholds of successive queues"},
    {"quantum", ORR_PARAM_TIME, offsetof(struct params, quantum), "1min", "1ms",
     NULL, NULL, "interval of evaluation while jobs wait"},
    {"promote", ORR_PARAM_REAL, offsetof(struct params, promote), "0", "0",
     "1e9", NULL,
     "a job returns to the first queue after waiting this many times its "
     "running time; 0: never"},
    ORR_PARAM_END,
};

static bool promoted(const struct orr_cluster *c, const struct params *p,
                     const struct orr_cluster_job *j)
{
    if (p->promote <= 0 || j->state != ORR_CLUSTER_WAITING || j->ran_ns == 0)
        return false;
    return (double)(c->now_ns - j->since_ns) >= p->promote * (double)j->ran_ns;
}

/* The queue by the GPU time that it has had. *limit: what that queue ends at,
 * ns times GPUs; INFINITY: the last one has no end. */
static int64_t queue_of(const struct orr_cluster *c, const struct params *p,
                        const struct orr_cluster_job *j, double *limit)
{
    double service = orr__cluster_service(c, j);
    int64_t queue = 0;
    *limit = (double)p->threshold / (double)ORR_NS;
    for (; queue + 1 < p->queues && service >= *limit; queue++)
        *limit *= p->factor;
    *limit = queue + 1 < p->queues ? *limit : INFINITY;
    return queue;
}

static int64_t key_of(const struct orr_cluster *c, const void *given,
                      const struct orr_cluster_job *j)
{
    const struct params *p = given;
    double ignored;
    return promoted(c, p, j) ? 0 : queue_of(c, p, j, &ignored);
}

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return orr__queue_order_by(c, given, key_of, job, n, why);
}

/* ns from now on after which time alone moves a job to another queue, or less;
 * INFINITY: it never does. */
static double change_of(const struct orr_cluster *c, const struct params *p,
                        const struct orr_cluster_job *j)
{
    double limit;
    int64_t queue = queue_of(c, p, j, &limit);
    if (j->state == ORR_CLUSTER_RUNNING)
        return (limit - orr__cluster_service(c, j)) / j->is.gpus;
    if (p->promote <= 0 || queue == 0 || j->ran_ns == 0 || promoted(c, p, j))
        return INFINITY;
    return p->promote * (double)j->ran_ns - (double)(c->now_ns - j->since_ns);
}

/* The first multiple of the quantum by which a job may be in another queue:
 * where none ever is, nobody needs to look again. A double may be a little too
 * early, and is looked at once more then. */
static int64_t recheck_ns(const struct orr_cluster *c, const void *given)
{
    const struct params *p = given;
    int64_t quantum = p->quantum / ORR_NS;
    double soonest = INFINITY;
    if (!orr__somebody_waits(c))
        return INT64_MAX;
    for (uint32_t i = 0; i < c->n_running; i++)
        soonest = fmin(soonest, change_of(c, p, &c->job[c->running[i]]));
    for (uint32_t i = 0; i < c->n_waiting; i++)
        soonest = fmin(soonest, change_of(c, p, &c->job[c->waiting[i]]));
    if (soonest >= (double)(INT64_MAX - c->now_ns) - 2 * (double)quantum)
        return INT64_MAX;
    int64_t at = c->now_ns + (soonest > 1 ? (int64_t)soonest - 1 : 0);
    ORR_ASSERT(at >= c->now_ns);
    return (at / quantum + 1) * quantum;
}

extern const struct orr_queue_policy_ops orr__queue_policy_las;
const struct orr_queue_policy_ops orr__queue_policy_las = {
    .name = "las",
    .doc =
        "the least GPU time received first, in queues (Tiresias); preemptive",
    .params = params,
    .params_size = sizeof(struct params),
    .preempts = true,
    .order = order,
    .recheck_ns = recheck_ns,
};
