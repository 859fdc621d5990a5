/* Turns on a rank's streams: what waits for one, in which order, and who is
 * next. */
#include "core/assert.h"
#include "core/none.h"
#include "workload/rank/policy.h"

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

static void insert(struct orr_rank *r, struct orr_stream *s, uint32_t *at,
                   uint32_t slot)
{
    r->later[slot].next = *at;
    if (*at == ORR_NONE)
        s->tail = slot;
    *at = slot;
}

/* Behind those of its priority and higher; most are the last or the first. */
static uint32_t *place_in_stream(struct orr_rank *r, struct orr_stream *s,
                                 uint32_t slot)
{
    int32_t own = priority(r, slot);
    uint32_t *at = &s->head;
    if (*at != ORR_NONE && priority(r, s->tail) >= own)
        return &r->later[s->tail].next;
    while (*at != ORR_NONE && priority(r, *at) >= own)
        at = &r->later[*at].next;
    return at;
}

static void queue_up(struct orr_rank *r, struct orr_stream *s, uint32_t slot)
{
    const struct orr_op *op = op_in_slot(r, slot);
    insert(r, s,
           op && op->rule ? r->team->program->policy->place(r, s, slot)
                          : place_in_stream(r, s, slot),
           slot);
}

static uint32_t take_first(struct orr_rank *r, struct orr_stream *s)
{
    uint32_t slot = s->head;
    ORR_ASSERT(slot != ORR_NONE && slot < r->later_room);
    s->head = r->later[slot].next;
    if (s->head == ORR_NONE)
        s->tail = ORR_NONE;
    return slot;
}

/* ---- giving streams away ------------------------------------------------ */

static void open_stream(struct orr_rank *r, uint32_t stream)
{
    struct orr_stream *s = &r->stream[stream];
    ORR_ASSERT(s->open || r->n_open < r->team->program->streams);
    if (!s->open)
        r->open[r->n_open++] = (uint16_t)stream;
    s->open = true;
}

void orr__rank_enqueue(struct orr_rank *r, const struct orr_later *what)
{
    uint32_t slot = orr__rank_keep(r, what);
    if (slot == ORR_NONE)
        return;
    queue_up(r, &r->stream[what->stream], slot);
    open_stream(r, what->stream);
}

/* The next one's turn comes when all that this makes ready has asked for the
 * stream as well. */
void orr__stream_release(struct orr_rank *r, uint32_t stream)
{
    struct orr_stream *s = &r->stream[stream];
    ORR_ASSERT(s->busy > 0);
    s->busy--;
    if (s->head != ORR_NONE)
        open_stream(r, stream);
}

void orr__stream_serve(struct orr_rank *r, int64_t now, uint32_t stream)
{
    const struct orr_program *p = r->team->program;
    struct orr_stream *s = &r->stream[stream];
    uint32_t slots = stream < p->n_slots ? p->slots[stream] : 1;
    while (s->busy < slots && s->head != ORR_NONE)
        orr__rank_occupy(r, now, take_first(r, s));
}

bool orr__stream_give(struct orr_rank *r, int64_t now)
{
    bool any = r->n_open > 0;
    for (uint32_t i = 0; i < r->n_open; i++) {
        r->stream[r->open[i]].open = false;
        orr__stream_serve(r, now, r->open[i]);
    }
    r->n_open = 0;
    return any;
}

/* ---- operations --------------------------------------------------------- */

void orr__stream_ask(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_program *p = r->team->program;
    const struct orr_later turn = {
        .kind = ORR_LATER_HOLD, .arg = op, .stream = p->op[op].stream};
    if (p->op[op].rule)
        p->policy->ask(r, now, op);
    else
        orr__rank_enqueue(r, &turn);
}

void orr__stream_end(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_program *p = r->team->program;
    if (p->op[op].rule)
        p->policy->over(r, now, op);
    else
        orr__stream_release(r, p->op[op].stream);
}
