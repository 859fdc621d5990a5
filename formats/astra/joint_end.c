/* Operations that end for all ranks together: as ASTRA-sim 1.0 has it, a phase
 * of a chunk is over for everyone when it is for the last NPU. That takes no
 * time, so no two processes could agree on it: it is done where all ranks are
 * in one.
 *
 * What happens at one instant is worked off at its end, as in queue_order.c,
 * for all ranks by one timer: each then ends the same operations in the same
 * order. */
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/none.h"
#include "formats/astra/queue_order.h"

/* Operations of one team that end together; its only process uses it. */
struct orr_joint_end {
    bool settles; /* the timer for this instant's end is set */
    struct ended {
        struct orr_call_end end; /* of the rank whose last step began last */
        uint32_t op;
        uint32_t ranks; /* that have ended it */
    } * over;           /* by all ranks, at this instant */
    uint32_t n, room;
    struct ended *begun; /* per operation */
};

static bool wanted(const struct orr_team *t)
{
    const struct orr_program *p = t->program;
    if (!orr__net_single(t->net) || p->part_of || t->members != t->ranks)
        return false;
    for (uint32_t i = 0; i < p->ops; i++)
        if (p->op[i].rule & ORR_TURN_JOINT)
            return true;
    return false;
}

static struct orr_joint_end *joint_of(const struct orr_team *t)
{
    return orr__astra_queue_team(t)->joint;
}

bool orr__joint_end_make(struct orr_team *t)
{
    if (!wanted(t))
        return true;
    struct orr_joint_end *x = orr__astra_queue_team(t)->joint =
        orr__alloc(1, sizeof *x);
    if (!x)
        return false;
    x->begun = orr__alloc(t->program->ops, sizeof *x->begun);
    return x->begun;
}

void orr__joint_end_free(struct orr_joint_end *x)
{
    if (!x)
        return;
    orr__free(x->over);
    orr__free(x->begun);
    orr__free(x);
}

void orr__joint_end_later(struct orr_team *t, int64_t now)
{
    struct orr_rank *first = &t->rank[0];
    const struct orr_later end = {.kind = ORR_LATER_POLICY};
    if (joint_of(t)->settles)
        return;
    uint32_t slot = orr__rank_keep(first, &end);
    if (slot == ORR_NONE)
        return;
    joint_of(t)->settles = true;
    orr__rank_timer_last(first, now, slot);
}

static void keep_ended(struct orr_rank *r, const struct ended *e)
{
    struct orr_joint_end *x = joint_of(r->team);
    if (!orr__array_more(x->over, x->room, x->n)) {
        orr__rank_fail(r);
        return;
    }
    x->over[x->n++] = *e;
}

bool orr__joint_end_end(struct orr_rank *r, int64_t now, uint32_t op,
                        const struct orr_call_end *end)
{
    const struct orr_team *t = r->team;
    if (!joint_of(t) || !(t->program->op[op].rule & ORR_TURN_JOINT))
        return false;
    struct ended *e = &joint_of(t)->begun[op];
    if (e->ranks == 0 || end->step_ps > e->end.step_ps)
        e->end = *end;
    e->op = op;
    r->held++;
    if (++e->ranks < t->ranks)
        return true;
    keep_ended(r, e);
    *e = (struct ended){0};
    orr__joint_end_later(r->team, now);
    return true;
}

/* Of the n operations that all ranks have ended. */
static void complete(struct orr_rank *r, int64_t now, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct ended *e = &joint_of(r->team)->over[i];
        orr__astra_queues_of(r)->ended = e->end;
        r->held--;
        orr__rank_complete(r, now, e->op);
    }
    orr__rank_advance(r, now);
    orr__astra_queue_settle(r, now);
    orr__rank_advance(r, now);
}

void orr__joint_end_settle(struct orr_team *t, int64_t now)
{
    struct orr_joint_end *x = joint_of(t);
    uint32_t n = x->n;
    /* what happens because of this and at this instant is worked off here too,
     * or by another timer that is again the last */
    for (uint32_t i = 0; i < t->ranks; i++)
        complete(&t->rank[i], now, n);
    x->settles = false;
    x->n -= n;
    if (x->n)
        memmove(x->over, x->over + n, x->n * sizeof *x->over);
    bool more = x->n;
    for (uint32_t i = 0; i < t->ranks && !more; i++)
        more = orr__astra_queues_of(&t->rank[i])->n > 0;
    if (more)
        orr__joint_end_later(t, now);
}
