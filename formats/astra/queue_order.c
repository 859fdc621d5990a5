/* ASTRA-sim's chunks wait in the queues of a dimension in an order of their own
 * (intra-dimension-scheduling), and all ranks take turns alike.
 *
 * They have to, or two ranks would wait for one another, each with its only
 * slot given to something that the other has not begun. So what happens to them
 * at one instant, in whatever order messages brought it about, is gathered and
 * worked off at its end in an order that is the same everywhere. Where times
 * differ from rank to rank that is not enough: there an operation that one of
 * its peers has begun goes ahead, whether there is a slot for it or not. */
#include "formats/astra/queue_order.h"
#include "core/none.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/assert.h"

/* ---- the queue ---------------------------------------------------------- */

static const struct orr_op *op_in_slot(const struct orr_rank *r, uint32_t slot)
{
    const struct orr_later *x = &r->later[slot];
    return x->kind == ORR_LATER_POST ? NULL : &r->team->program->op[x->arg];
}

static int32_t priority(const struct orr_rank *r, uint32_t slot)
{
    const struct orr_op *op = op_in_slot(r, slot);
    return op ? op->priority : 0;
}

static uint64_t weight(const struct orr_rank *r, uint32_t slot)
{
    const struct orr_op *op = op_in_slot(r, slot);
    return op && op->holds ? op->bytes : 0;
}

/* Whether x, which waits before `slot` could, stays before it. */
static bool goes_before(const struct orr_rank *r, uint32_t x, uint32_t slot,
                        enum orr_astra_queue_order order)
{
    return order == ORR_SMALLEST_FIRST ? weight(r, x) < weight(r, slot)
                                       : priority(r, slot) <= priority(r, x);
}

/* Where an operation goes that is to alternate with those of the other weight:
 * never before the one that is next while something is at work; then behind
 * those of higher priority, and behind pairs of different weights. */
static uint32_t *alternately(struct orr_rank *r, struct orr_stream *s,
                             uint32_t slot)
{
    uint32_t *at = &s->head;
    uint64_t before = 0, last = 0;
    if (s->busy && *at != ORR_NONE) {
        last = weight(r, *at);
        at = &r->later[*at].next;
    }
    while (*at != ORR_NONE) {
        before = last;
        last = weight(r, *at);
        if (priority(r, *at) <= priority(r, slot)
            && (!before || !last || before == last))
            break;
        at = &r->later[*at].next;
    }
    return at;
}

/* By priority the tail is tried first: chunks mostly come in that order. */
static uint32_t *place(struct orr_rank *r, struct orr_stream *s, uint32_t slot)
{
    enum orr_astra_queue_order order =
        op_in_slot(r, slot)->rule & ORR_ASTRA_QUEUE_ORDERS;
    uint32_t *at = &s->head;
    if (order == ORR_ALTERNATELY)
        return alternately(r, s, slot);
    if (*at != ORR_NONE && order == ORR_BY_PRIORITY
        && goes_before(r, s->tail, slot, order))
        return &r->later[s->tail].next;
    while (*at != ORR_NONE && goes_before(r, *at, slot, order))
        at = &r->later[*at].next;
    return at;
}

/* ---- together ----------------------------------------------------------- */

/* Adds to what happened at this instant; its end comes when everything else at
 * this time is over. */
static void gather(struct orr_rank *r, int64_t now,
                   const struct orr_astra_queue_event *event)
{
    struct orr_astra_queues *x = orr__astra_queues_of(r);
    if (!orr__array_more(x->instant, x->room, x->n)) {
        orr__rank_fail(r);
        return;
    }
    if (orr__astra_queue_team(r->team)->joint) {
        orr__joint_end_later(r->team, now);
    } else if (x->n == 0) {
        const struct orr_later end = {.kind = ORR_LATER_POLICY};
        orr__rank_later(r, now, &end);
    }
    x->instant[x->n++] = *event;
    x->n_over += event->over;
    ORR_ASSERT(x->n_over <= x->n);
}

/* One that gets ready as the one before it in the program is over goes along
 * with that; others come last, in the order of the program. */
static void ask(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_astra_queues *t = orr__astra_queues_of(r);
    struct orr_astra_queue_event event = {INT64_MAX, op, op, false};
    for (uint32_t i = 0, left = t->n_over; left; i++) {
        const struct orr_astra_queue_event *x = &t->instant[i];
        left -= x->over;
        if (!x->over || x->op + 1 != op)
            continue;
        event.step_ps = x->step_ps;
        event.number = x->number;
        break;
    }
    gather(r, now, &event);
}

static void over(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_call_end *end = &orr__astra_queues_of(r)->ended;
    const struct orr_astra_queue_event event = {end->step_ps, end->number, op,
                                                true};
    gather(r, now, &event);
}

static void ended(struct orr_rank *r, int64_t now, uint32_t op,
                  const struct orr_call_end *end)
{
    if (orr__joint_end_end(r, now, op, end))
        return;
    orr__astra_queues_of(r)->ended = *end;
    orr__rank_complete(r, now, op);
}

/* In the order in which their last steps began, then in that of their turns:
 * both are the same at all ranks that do the same. What follows an operation
 * queues up before its stream goes to another. */
static int in_order(const void *a, const void *b)
{
    const struct orr_astra_queue_event *x = a, *y = b;
    if (x->step_ps != y->step_ps)
        return x->step_ps < y->step_ps ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (int)x->over - (int)y->over;
}

/* Whether a peer has begun op; it is then no longer noted. */
static bool was_begun(struct orr_rank *r, uint32_t op)
{
    return orr__mailbox_take(&orr__astra_queues_of(r)->begun, 0, op);
}

/* Waits for its turn, unless another rank has begun it before: then it has its
 * turn at once. */
static void ready_now(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_later turn = {.kind = ORR_LATER_HOLD,
                                   .arg = op,
                                   .stream = r->team->program->op[op].stream};
    if (!was_begun(r, op)) {
        orr__rank_enqueue(r, &turn);
        return;
    }
    uint32_t slot = orr__rank_keep(r, &turn);
    if (slot != ORR_NONE)
        orr__rank_occupy(r, now, slot);
}

static uint32_t stream_of(const struct orr_rank *r, uint32_t event)
{
    return r->team->program->op[orr__astra_queues_of(r)->instant[event].op]
        .stream;
}

/* Where the events end that belong together, as events[from] does: an operation
 * that is over and those that get ready by it. */
static uint32_t group_end(const struct orr_rank *r, uint32_t from, uint32_t n)
{
    const struct orr_astra_queue_event *x = orr__astra_queues_of(r)->instant;
    uint32_t end = from + 1;
    ORR_ASSERT(from < n);
    while (x[from].step_ps != INT64_MAX && end < n
           && x[end].step_ps == x[from].step_ps
           && x[end].number == x[from].number)
        end++;
    return end;
}

/* First all queue up; then the stream that is left goes to the next; then those
 * that are asked for. */
static void settle_group(struct orr_rank *r, int64_t now, uint32_t from,
                         uint32_t end)
{
    const struct orr_astra_queues *t = orr__astra_queues_of(r);
    for (uint32_t i = from; i < end; i++)
        if (!t->instant[i].over)
            ready_now(r, now, t->instant[i].op);
    for (int over = 1; over >= 0; over--)
        for (uint32_t i = from; i < end; i++) {
            if (t->instant[i].over != over)
                continue;
            if (over)
                orr__stream_release(r, stream_of(r, i));
            orr__stream_serve(r, now, stream_of(r, i));
        }
}

void orr__astra_queue_settle(struct orr_rank *r, int64_t now)
{
    struct orr_astra_queues *t = orr__astra_queues_of(r);
    uint32_t n = t->n;
    if (n > 1)
        qsort(t->instant, n, sizeof *t->instant, in_order);
    t->n = t->n_over = 0; /* what follows only starts operations */
    for (uint32_t i = 0; i < n;) {
        uint32_t end = group_end(r, i, n);
        settle_group(r, now, i, end);
        i = end;
    }
}

/* ---- what peers have begun ----------------------------------------------- */

/* Takes op out of what waits for its stream; ORR_NONE: it does not. */
static uint32_t take_out(struct orr_rank *r, uint32_t op)
{
    struct orr_stream *s = &r->stream[r->team->program->op[op].stream];
    uint32_t last = ORR_NONE;
    for (uint32_t *at = &s->head; *at != ORR_NONE; at = &r->later[*at].next) {
        uint32_t slot = *at;
        if (r->later[slot].kind != ORR_LATER_HOLD || r->later[slot].arg != op) {
            last = slot;
            continue;
        }
        *at = r->later[slot].next;
        if (s->tail == slot)
            s->tail = last;
        return slot;
    }
    return ORR_NONE;
}

/* Another rank has begun it: if it waits here, it goes first, else it will when
 * it comes. */
static void begun(struct orr_rank *r, int64_t now, uint32_t op)
{
    int32_t count;
    if (r->team->program->part_of)
        return;
    uint32_t slot = take_out(r, op);
    if (slot != ORR_NONE) {
        orr__rank_occupy(r, now, slot);
        return;
    }
    (void)was_begun(r, op); /* noted once */
    if (!orr__mailbox_add(&orr__astra_queues_of(r)->begun, 0, op, 1, &count))
        orr__rank_fail(r);
}

/* ---- the policy ---------------------------------------------------------- */

static void timer(struct orr_rank *r, int64_t now, const struct orr_later *x)
{
    if (orr__astra_queue_team(r->team)->joint)
        orr__joint_end_settle(r->team, now);
    else
        orr__astra_queue_settle(r, now);
}

static bool make(struct orr_team *t)
{
    struct orr_astra_queue_team *x = orr__alloc(1, sizeof *x);
    t->policy = x;
    if (!x)
        return false;
    x->rank = orr__alloc_lines(t->members, sizeof *x->rank);
    return x->rank && orr__joint_end_make(t);
}

/* Of a team whose policy may be half made. */
static void free_all(struct orr_team *t)
{
    struct orr_astra_queue_team *x = t->policy;
    for (uint32_t i = 0; x && x->rank && i < t->members; i++) {
        orr__free(x->rank[i].instant);
        orr__free(x->rank[i].begun.slot);
    }
    if (x) {
        orr__joint_end_free(x->joint);
        orr__free(x->rank);
    }
    orr__free(x);
}

const struct orr_policy orr__astra_policy = {
    .make = make,
    .free = free_all,
    .place = place,
    .ask = ask,
    .over = over,
    .ended = ended,
    .begun = begun,
    .timer = timer,
};
