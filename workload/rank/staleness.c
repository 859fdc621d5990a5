/* Bounded staleness: a rank that has ended iteration i may go on when all ranks
 * have ended iteration i - s (Ho et al., NIPS 2013, "stale synchronous
 * parallel"). Who has ended what is known to a server: each rank tells it with
 * a byte, and when all have reported an iteration, it tells all. So the bound
 * travels through the network like everything else. */
#include "core/memory.h"
#include "workload/rank/rank.h"

static bool may_go_on(const struct orr_rank *r)
{
    const struct orr_op *op = &r->team->program->op[r->clock_op];
    return r->clock_answers + op->bytes
           >= (uint64_t)orr__rank_iteration(r, r->clock_op) + 1;
}

void orr__staleness_start(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_program *p = r->team->program;
    uint32_t call = p->op[op].index;
    const struct orr_call *x = &p->call[call];
    r->clock_op = op;
    r->clock_waits = true;
    orr__post_message(r, now, orr__call_rank(p, x, x->c.n, r->rank), 1,
                      orr__tag_of(orr__rank_iteration(r, op), 0, 0, 0), call);
    if (!may_go_on(r))
        return;
    r->clock_waits = false;
    orr__rank_complete(r, now, op);
}

void orr__staleness_answer(struct orr_rank *r, int64_t now)
{
    r->clock_answers++;
    if (!r->clock_waits || !may_go_on(r))
        return;
    r->clock_waits = false;
    orr__rank_complete(r, now, r->clock_op);
}

/* Updates of others since this worker's last answer. An answer leaves when its
 * push is there, so both are counted here. */
void orr__staleness_push(struct orr_rank *r, uint32_t call)
{
    struct orr_tally *y = r->tally;
    if (!r->answered)
        r->answered = orr__alloc(r->team->program->calls, sizeof *r->answered);
    if (!r->answered) {
        orr__rank_fail(r);
        return;
    }
    uint64_t stale = r->updates++ - r->answered[call];
    r->answered[call] = r->updates;
    r->counted.pushes++;
    r->counted.stale += stale;
    if (stale > y->stalest)
        y->stalest = stale;
}
