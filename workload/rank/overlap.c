/* Iterations of a rank that are open at once. */
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "workload/rank/rank.h"

bool orr__overlap_init(struct orr_rank *r)
{
    const struct orr_team *t = r->team;
    const struct orr_part *part = orr__part_of(t->program, r->rank);
    struct orr_overlap *o = r->overlap = orr__alloc(1, sizeof *o);
    if (!o)
        return false;
    o->first_op = part->op;
    o->passed = orr__alloc(part->ops, sizeof *o->passed);
    o->left = orr__alloc(t->overlap, sizeof *o->left);
    return o->passed && o->left;
}

void orr__overlap_fini(struct orr_rank *r)
{
    if (r->overlap) {
        orr__free(r->overlap->passed);
        orr__free(r->overlap->left);
    }
    orr__free(r->overlap);
}

/* What an operation waits for in an iteration: its own dependencies (or, if it
 * has none, that the iteration is open), those of earlier iterations, and
 * itself in the one before. */
static uint32_t count_needs(const struct orr_program *p, uint32_t op,
                            uint32_t iteration)
{
    return (p->waits[op] ? p->waits[op] : 1)
           + (p->across_waits ? p->across_waits[op] : 0) + (iteration > 0);
}

/* One of the things that an operation waits for in an iteration has come. */
static void signal(struct orr_rank *r, uint32_t op, uint32_t iteration)
{
    int32_t satisfied = 1,
            all = (int32_t)count_needs(r->team->program, op, iteration);
    uint64_t key = (uint64_t)iteration << 32 | op;
    if (iteration >= r->team->iterations)
        return;
    bool ok =
        all == 1 || orr__mailbox_add(&r->satisfied, 0, key, 1, &satisfied);
    if (ok && satisfied < all)
        return;
    ORR_ASSERT(!ok || satisfied == all); /* none comes twice */
    if (ok && all > 1)
        ok = orr__mailbox_add(&r->satisfied, 0, key, -all, &satisfied);
    if (ok)
        orr__rank_ready(r, op);
    else
        orr__rank_fail(r);
}

/* Whether an iteration so far before another one, or behind it, is none. */
static bool is_beyond(const struct orr_rank *r, uint32_t iteration,
                      int32_t distance)
{
    int64_t other = (int64_t)iteration - distance;
    return other < 0 || other >= r->team->iterations;
}

/* Nothing is waited for that would lie before the first iteration, or behind
 * the last. */
static void signal_beyond(struct orr_rank *r, const struct orr_part *part,
                          uint32_t iteration)
{
    const struct orr_program *p = r->team->program;
    uint32_t i = p->across_off[part->op];
    uint32_t end = p->across_off[part->op + part->ops];
    for (; i < end; i++)
        if (is_beyond(r, iteration, p->across_next[i].distance))
            signal(r, p->across_next[i].op, iteration);
}

void orr__overlap_open(struct orr_rank *r)
{
    const struct orr_team *t = r->team;
    const struct orr_program *p = t->program;
    const struct orr_part *part = orr__part_of(p, r->rank);
    struct orr_overlap *o = r->overlap;
    uint32_t most = t->overlap < t->iterations - r->iteration
                        ? r->iteration + t->overlap
                        : t->iterations;
    while (o->opened < most) {
        uint32_t iteration = o->opened++;
        o->left[iteration - r->iteration] = part->ops;
        if (iteration < p->farthest || t->iterations - iteration <= p->latest)
            signal_beyond(r, part, iteration);
        for (uint32_t i = 0; i < part->n_first; i++)
            signal(r, p->first[part->first + i], iteration);
    }
    r->left = o->left[0];
}

void orr__overlap_next(struct orr_rank *r)
{
    struct orr_overlap *o = r->overlap;
    ORR_ASSERT(o->left[0] == 0 && o->opened > r->iteration);
    memmove(o->left, o->left + 1, (r->team->overlap - 1) * sizeof *o->left);
    r->iteration++;
    r->left = o->opened > r->iteration ? o->left[0] : 0;
}

void orr__overlap_release(struct orr_rank *r, uint32_t op)
{
    const struct orr_program *p = r->team->program;
    struct orr_overlap *o = r->overlap;
    uint32_t iteration = o->passed[op - o->first_op]++;
    ORR_ASSERT(iteration >= r->iteration && iteration < o->opened);
    ORR_ASSERT(o->left[iteration - r->iteration] > 0);
    o->left[iteration - r->iteration]--;
    r->left = o->left[0];
    for (uint32_t e = p->next_off[op]; e < p->next_off[op + 1]; e++)
        signal(r, p->next[e], iteration);
    if (p->across_off)
        for (uint32_t e = p->across_off[op]; e < p->across_off[op + 1]; e++) {
            int64_t of = (int64_t)iteration + p->across_next[e].distance;
            if (of >= 0)
                signal(r, p->across_next[e].op, (uint32_t)of);
        }
    signal(r, op, iteration + 1);
}

uint32_t orr__overlap_begin(struct orr_rank *r, uint32_t iteration)
{
    struct orr_overlap *o = r->overlap;
    if (iteration < o->begun)
        return 0;
    uint32_t new = iteration + 1 - o->begun;
    ORR_ASSERT(iteration < o->opened);
    o->begun += new;
    return new;
}
