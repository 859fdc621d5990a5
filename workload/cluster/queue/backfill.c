/* backfill: first come, first served, but a job may pass the first one that
 * does not fit if it does not delay it. This is EASY (Lifka, "The ANL/IBM SP
 * scheduling system", JSSPP 1995): one reservation, for the first. It begins
 * when enough of those that run are expected to have ended; a job passes if it
 * is expected to be over by then, or if its GPUs are not needed then either.
 *
 * Ours is what is expected: what is left at the present pace for those that
 * run, and the time alone for the one that passes. If neighbours slow it down
 * it may end too late. What is not known never ends. */
#include "core/memory.h"
#include "workload/cluster/queue/expect.h"

static const struct orr_param params[] = {ORR_PARAM_END};

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return ORR_OK;
}

static uint32_t free_places(const struct orr_inventory *v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->gpus; i++)
        n += orr__gpu_free(v, i);
    return n;
}

/* When a running job is expected to be over, from now on. */
static int64_t end_of(const struct orr_cluster *c,
                      const struct orr_cluster_job *j)
{
    int64_t left = orr__expect_left(j), pays = j->ready_ns - c->now_ns;
    if (left == ORR_QUEUE_UNKNOWN)
        return left;
    left += pays > 0 ? pays : 0;
    return left;
}

/* The next end after `after`, and how many GPUs it gives back. */
static int64_t next_end(const struct orr_cluster *c, int64_t after,
                        uint32_t *gpus)
{
    int64_t next = ORR_QUEUE_UNKNOWN;
    for (uint32_t i = 0; i < c->n_running; i++) {
        const struct orr_cluster_job *j = &c->job[c->running[i]];
        int64_t end = end_of(c, j);
        if (end > after && end < next) {
            next = end;
            *gpus = 0;
        }
        if (end > after && end == next)
            *gpus += j->is.gpus;
    }
    return next;
}

static bool passes(const struct orr_cluster *c, const void *given,
                   uint32_t first, uint32_t j)
{
    uint32_t wants = c->job[first].is.gpus, given_back = 0;
    uint32_t room = free_places(&c->inventory);
    int64_t at = -1;
    while (room < wants) {
        at = next_end(c, at, &given_back);
        if (at == ORR_QUEUE_UNKNOWN)
            return false;
        room += given_back;
    }
    int64_t mine = orr__expect_left(&c->job[j]);
    return mine <= at || room - wants >= c->job[j].is.gpus;
}

extern const struct orr_queue_policy_ops orr__queue_policy_backfill;
const struct orr_queue_policy_ops orr__queue_policy_backfill = {
    .name = "backfill",
    .doc = "fifo, but jobs may pass the first one if they do not delay it",
    .params = params,
    .order = order,
    .passes = passes,
};
