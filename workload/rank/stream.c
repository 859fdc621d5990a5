/* Turns on a rank's streams: what waits for one, in which order, and who is
 * next.
 *
 * Operations that are `together` take their turns the same way at every rank,
 * or two ranks would wait for one another, each with its only slot given to
 * something that the other has not begun. So what happens to them at one
 * instant, in whatever order messages brought it about, is gathered and
 * worked off at its end in an order that is the same everywhere. Where times
 * differ from rank to rank that is not enough: there an operation that one of
 * its peers has begun goes ahead, whether there is a slot for it or not. */
#include "workload/rank/rank.h"

#include <stdlib.h>

/* ---- the queue ---------------------------------------------------------- */

static const struct orr_op *op_of(const struct orr_rank *r, uint32_t slot)
{
    const struct orr_later *x = &r->later[slot];
    return x->kind == ORR_LATER_POST ? NULL : &r->team->program->op[x->arg];
}

static int32_t priority(const struct orr_rank *r, uint32_t slot)
{
    const struct orr_op *op = op_of(r, slot);
    return op ? op->priority : 0;
}

static uint64_t weight(const struct orr_rank *r, uint32_t slot)
{
    const struct orr_op *op = op_of(r, slot);
    return op && op->holds ? op->bytes : 0;
}

/* Whether x, which waits before `slot` could, stays before it. */
static bool goes_before(const struct orr_rank *r, uint32_t x, uint32_t slot,
                        enum orr_order order)
{
    return order == ORR_SMALLEST_FIRST
               ? weight(r, x) < weight(r, slot)
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
    if (s->busy && *at != ORR_NO_LATER) {
        last = weight(r, *at);
        at = &r->later[*at].next;
    }
    while (*at != ORR_NO_LATER) {
        before = last;
        last = weight(r, *at);
        if (priority(r, *at) <= priority(r, slot) &&
            (!before || !last || before == last))
            break;
        at = &r->later[*at].next;
    }
    return at;
}

static void insert(struct orr_rank *r, struct orr_stream *s, uint32_t *at,
                   uint32_t slot)
{
    r->later[slot].next = *at;
    if (*at == ORR_NO_LATER)
        s->tail = slot;
    *at = slot;
}

/* Most are the last or the first. */
static void queue_up(struct orr_rank *r, struct orr_stream *s, uint32_t slot)
{
    const struct orr_op *op = op_of(r, slot);
    enum orr_order order = op ? op->order : ORR_BY_PRIORITY;
    uint32_t *at = &s->head;
    if (order == ORR_ALTERNATELY)
        at = alternately(r, s, slot);
    else if (*at != ORR_NO_LATER && order == ORR_BY_PRIORITY &&
             goes_before(r, s->tail, slot, order))
        at = &r->later[s->tail].next;
    else
        while (*at != ORR_NO_LATER && goes_before(r, *at, slot, order))
            at = &r->later[*at].next;
    insert(r, s, at, slot);
}

static uint32_t take_first(struct orr_rank *r, struct orr_stream *s)
{
    uint32_t slot = s->head;
    s->head = r->later[slot].next;
    if (s->head == ORR_NO_LATER)
        s->tail = ORR_NO_LATER;
    return slot;
}

/* ---- giving streams away ------------------------------------------------ */

static void open_stream(struct orr_rank *r, uint32_t stream)
{
    struct orr_stream *s = &r->stream[stream];
    if (!s->open)
        r->open[r->n_open++] = (uint16_t)stream;
    s->open = true;
}

void orr__rank_enqueue(struct orr_rank *r, const struct orr_later *what)
{
    uint32_t slot = orr__rank_keep(r, what);
    if (slot == ORR_NO_LATER)
        return;
    queue_up(r, &r->stream[what->stream], slot);
    open_stream(r, what->stream);
}

/* The next one's turn comes when all that this makes ready has asked for the
 * stream as well. */
void orr__turn_over(struct orr_rank *r, uint32_t stream)
{
    struct orr_stream *s = &r->stream[stream];
    s->busy--;
    if (s->head != ORR_NO_LATER)
        open_stream(r, stream);
}

static void give(struct orr_rank *r, int64_t now, uint32_t stream)
{
    const struct orr_program *p = r->team->program;
    struct orr_stream *s = &r->stream[stream];
    uint32_t slots = stream < p->n_slots ? p->slots[stream] : 1;
    while (s->busy < slots && s->head != ORR_NO_LATER)
        orr__rank_occupy(r, now, take_first(r, s));
}

bool orr__turn_give(struct orr_rank *r, int64_t now)
{
    bool any = r->n_open > 0;
    for (uint32_t i = 0; i < r->n_open; i++) {
        r->stream[r->open[i]].open = false;
        give(r, now, r->open[i]);
    }
    r->n_open = 0;
    return any;
}

/* ---- together ----------------------------------------------------------- */

/* Adds to what happened at this instant; its end comes when everything else at
 * this time is over. */
static void gather(struct orr_rank *r, int64_t now,
                   const struct orr_turn_event *event)
{
    if (r->n_instant == r->instant_room) {
        uint32_t more = r->instant_room * 2 + 8;
        struct orr_turn_event *p = orr__resize(r->instant, more, sizeof *p);
        if (!p) {
            orr__rank_fail(r);
            return;
        }
        r->instant = p;
        r->instant_room = more;
    }
    if (r->team->joint) {
        orr__joint_later(r->team, now);
    } else if (r->n_instant == 0) {
        const struct orr_later end = {.kind = ORR_LATER_SETTLE};
        orr__rank_later(r, now, &end);
    }
    r->instant[r->n_instant++] = *event;
    r->n_over += event->over;
}

/* One that gets ready as the one before it in the program is over goes along
 * with that; others come last, in the order of the program. */
static void ready_at(struct orr_rank *r, int64_t now, uint32_t op)
{
    struct orr_turn_event event = {INT64_MAX, op, op, false};
    for (uint32_t i = 0, left = r->n_over; left; i++) {
        const struct orr_turn_event *x = &r->instant[i];
        left -= x->over;
        if (!x->over || x->op + 1 != op)
            continue;
        event.step_ps = x->step_ps;
        event.turn = x->turn;
        break;
    }
    gather(r, now, &event);
}

void orr__turn_ask(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_op *x = &r->team->program->op[op];
    const struct orr_later turn = {.kind = ORR_LATER_HOLD, .arg = op,
                                   .stream = x->stream};
    if (x->together)
        ready_at(r, now, op);
    else
        orr__rank_enqueue(r, &turn);
}

void orr__turn_end(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_op *x = &r->team->program->op[op];
    const struct orr_turn_event event = {r->ended_step_ps, r->ended_turn, op,
                                         true};
    if (x->together)
        gather(r, now, &event);
    else
        orr__turn_over(r, x->stream);
}

/* In the order in which their last steps began, then in that of their turns:
 * both are the same at all ranks that do the same. What follows an operation
 * queues up before its stream goes to another. */
static int in_order(const void *a, const void *b)
{
    const struct orr_turn_event *x = a, *y = b;
    if (x->step_ps != y->step_ps)
        return x->step_ps < y->step_ps ? -1 : 1;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return (int)x->over - (int)y->over;
}

/* The notes about operations that peers have begun are kept among those of
 * operations that wait for several others, under another key. */
enum { BEGUN = 1 };

/* Whether a peer has begun op; it is then no longer noted. */
static bool begun(struct orr_rank *r, uint32_t op)
{
    if (!r->met.slot)
        return false;
    uint32_t i = orr__mail_find(&r->met, BEGUN, op);
    if (!r->met.slot[i].count)
        return false;
    orr__mail_remove(&r->met, i);
    return true;
}

static void ready_now(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_later turn = {
        .kind = ORR_LATER_HOLD, .arg = op,
        .stream = r->team->program->op[op].stream};
    if (!begun(r, op)) {
        orr__rank_enqueue(r, &turn);
        return;
    }
    uint32_t slot = orr__rank_keep(r, &turn);
    if (slot != ORR_NO_LATER)
        orr__rank_occupy(r, now, slot);
}

static uint32_t stream_of(const struct orr_rank *r, uint32_t event)
{
    return r->team->program->op[r->instant[event].op].stream;
}

/* Where the events end that belong together, as events[from] does: an operation
 * that is over and those that get ready by it. */
static uint32_t group_end(const struct orr_rank *r, uint32_t from, uint32_t n)
{
    const struct orr_turn_event *x = &r->instant[from];
    uint32_t end = from + 1;
    while (x->step_ps != INT64_MAX && end < n &&
           r->instant[end].step_ps == x->step_ps &&
           r->instant[end].turn == x->turn)
        end++;
    return end;
}

/* First all queue up; then the stream that is left goes to the next; then those
 * that are asked for. */
static void settle_group(struct orr_rank *r, int64_t now, uint32_t from,
                         uint32_t end)
{
    for (uint32_t i = from; i < end; i++)
        if (!r->instant[i].over)
            ready_now(r, now, r->instant[i].op);
    for (int over = 1; over >= 0; over--)
        for (uint32_t i = from; i < end; i++) {
            if (r->instant[i].over != over)
                continue;
            if (over)
                orr__turn_over(r, stream_of(r, i));
            give(r, now, stream_of(r, i));
        }
}

void orr__turn_settle(struct orr_rank *r, int64_t now)
{
    uint32_t n = r->n_instant;
    if (n > 1)
        qsort(r->instant, n, sizeof *r->instant, in_order);
    r->n_instant = r->n_over = 0; /* what follows only starts operations */
    for (uint32_t i = 0; i < n;) {
        uint32_t end = group_end(r, i, n);
        settle_group(r, now, i, end);
        i = end;
    }
}

void orr__turn_begun(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_op *x = &r->team->program->op[op];
    struct orr_stream *s = &r->stream[x->stream];
    int32_t count;
    if (!x->together || r->team->program->part_of)
        return;
    uint32_t last = ORR_NO_LATER;
    for (uint32_t *at = &s->head; *at != ORR_NO_LATER;
         at = &r->later[*at].next) {
        uint32_t slot = *at;
        if (r->later[slot].kind != ORR_LATER_HOLD ||
            r->later[slot].arg != op) {
            last = slot;
            continue;
        }
        *at = r->later[slot].next;
        if (s->tail == slot)
            s->tail = last;
        orr__rank_occupy(r, now, slot);
        return;
    }
    if (begun(r, op)) /* noted already */
        count = 0;
    if (!orr__mailbox_add(&r->met, BEGUN, op, 1, &count))
        orr__rank_fail(r);
}
