/* backfill: first come, first served, but a job may pass the first one that
 * does not fit if it does not delay it. This is EASY (Lifka, "The ANL/IBM SP
 * scheduling system", JSSPP 1995): one reservation, for the first. It begins
 * when enough of those that run are expected to have ended; a job passes if it
 * is expected to be over by then, or if its GPUs are not needed then either.
 *
 * Ours is what is expected: what is left at the present pace for those that
 * run, and the time alone for the one that passes. If neighbours slow it down
 * it may end too late. What is not known never ends.
 *
 * Where GPUs rest after a job (control_delay), those of the one that passes do
 * too: it is over in time if it ends when those do that the first waits for,
 * rest or no rest. GPUs that rest now count as the first's, at once: whoever
 * begins now ends, and rests, later than they have. */
#include "core/memory.h"
#include "workload/cluster/queue/expect.h"

static const struct orr_param params[] = {ORR_PARAM_END};

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return ORR_OK;
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

/* The first end after `after`. */
static int64_t next_end(const struct orr_cluster *c, int64_t after)
{
    int64_t next = ORR_QUEUE_UNKNOWN;
    for (uint32_t i = 0; i < c->n_running; i++) {
        int64_t end = end_of(c, &c->job[c->running[i]]);
        if (end > after && end < next)
            next = end;
    }
    return next;
}

static bool names_gpu(const struct orr_arrival *a, uint32_t gpu)
{
    for (uint32_t r = 0; r < a->gpus; r++)
        if (a->hosts[r] == gpu)
            return true;
    return false;
}

/* How many more GPUs a job needs where they have so many places. */
static uint32_t lacking_gpus(const struct orr_cluster *c, uint32_t job,
                             const uint32_t *places)
{
    const struct orr_arrival *a = &c->job[job].is;
    uint32_t lacking = orr__least_gpus(c, &c->job[job]);
    uint32_t of = a->hosts ? a->gpus : c->inventory.gpus;
    for (uint32_t i = 0; lacking && i < of; i++)
        lacking -= places[a->hosts ? a->hosts[i] : i] > 0;
    return lacking;
}

/* When there is room for the first, from now on; -1: now. places: those of each
 * GPU then, who begins in the meantime left out. */
static int64_t room_for(const struct orr_cluster *c, uint32_t first,
                        uint32_t *places)
{
    const struct orr_inventory *v = &c->inventory;
    const struct orr_arrival *a = &c->job[first].is;
    int64_t at = -1;
    for (uint32_t g = 0; g < v->gpus; g++)
        places[g] = v->out[g] ? 0 : v->share - v->taken[g];
    uint32_t lacking = lacking_gpus(c, first, places);
    while (lacking && at != ORR_QUEUE_UNKNOWN) {
        at = next_end(c, at);
        for (uint32_t i = 0; at != ORR_QUEUE_UNKNOWN && i < c->n_running; i++) {
            const struct orr_cluster_job *j = &c->job[c->running[i]];
            bool over = end_of(c, j) == at;
            for (uint32_t r = 0; over && r < j->is.gpus; r++)
                if (places[j->gpu[r]]++ == 0 && lacking
                    && (!a->hosts || names_gpu(a, j->gpu[r])))
                    lacking--;
        }
    }
    return at;
}

/* Whether there is room for the first even if the other one still runs, which
 * takes the last places of GPUs if it can. */
static bool both_fit(const struct orr_cluster *c, uint32_t first,
                     uint32_t other, uint32_t *places)
{
    const struct orr_inventory *v = &c->inventory;
    const struct orr_arrival *a = &c->job[first].is, *b = &c->job[other].is;
    uint32_t takes = b->gpus;
    for (uint32_t g = 0; takes && g < v->gpus; g++) {
        if (places[g] != 1 || !orr__gpu_free(v, g)
            || (b->hosts && !names_gpu(b, g)) || (a->hosts && !names_gpu(a, g)))
            continue;
        places[g] = 0;
        takes--;
    }
    return lacking_gpus(c, first, places) == 0;
}

/* j would end before the first job can start, or leaves enough for it; a job of
 * unknown length does so only by its GPUs. */
static orr_err passes(const struct orr_cluster *c, const void *given,
                      uint32_t first, uint32_t j, bool *may,
                      struct orr_report *why)
{
    uint32_t *places = orr__alloc(c->inventory.gpus, sizeof *places);
    if (!places)
        return orr__no_memory(why);
    int64_t at = room_for(c, first, places);
    *may = at != ORR_QUEUE_UNKNOWN
           && (orr__expect_left(&c->job[j]) <= at
               || both_fit(c, first, j, places));
    orr__free(places);
    return ORR_OK;
}

extern const struct orr_queue_policy_ops orr__queue_policy_backfill;
const struct orr_queue_policy_ops orr__queue_policy_backfill = {
    .name = "backfill",
    .doc = "fifo, but jobs may pass the first if they do not delay it",
    .params = params,
    .order = order,
    .passes = passes,
};
