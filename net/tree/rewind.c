/* What members of a tree do when it was made anew: its switches know nothing of
 * what was under way, and what of it comes there is thrown away. Every packet
 * whose result some member lacks is sent again by all, also by those that have
 * the result, so that its sum is whole on the new tree. */
#include "core/assert.h"
#include "core/memory.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/queue.h"
#include "net/tree/stream.h"

/* Packets from `base` to before `top`: from the first that some member lacks
 * the result of, to the last that any has sent. */
struct rewind {
    struct orr_net *n;
    struct orr_tree *t;
    uint32_t base, top;
    bool *done;      /* per packet: its result is with all members */
    uint32_t *bytes; /* per packet that is not: its payload */
};

static struct orr_sender *sender_of(const struct rewind *r, uint32_t member)
{
    return orr__sender(r->n, r->t->connection[member]);
}

static bool is_here(const struct orr_tree_stream *s, uint32_t seq)
{
    return is_before(seq, s->una)
           || (seq - s->una < s->capacity
               && part_at(s, seq)->state == PART_HERE);
}

/* Of all members. */
static void find_range(struct rewind *r)
{
    for (uint32_t m = 0; m < r->t->group->members; m++) {
        const struct orr_sender *x = sender_of(r, m);

        if (m == 0 || is_before(x->stream->una, r->base))
            r->base = x->stream->una;
        if (m == 0 || is_before(r->top, x->next))
            r->top = x->next;
    }
}

/* Who lacks a result has its message still. */
static void find_missing(struct rewind *r)
{
    const struct orr_tree_group *g = r->t->group;

    for (uint32_t i = 0; i < r->top - r->base; i++)
        r->done[i] = true;
    for (uint32_t m = 0; m < g->members; m++) {
        const struct orr_tree_stream *s = sender_of(r, m)->stream;

        for (uint32_t seq = r->base; seq != r->top; seq++) {
            const struct orr_errand *e;

            if (is_here(s, seq))
                continue;
            r->done[seq - r->base] = false;
            e = errand_of(s, seq);
            if (e)
                r->bytes[seq - r->base] =
                    (uint32_t)orr__errand_payload(g, e, seq);
        }
    }
}

/* Room for the packets before `una` too, which are here. False: no memory. */
static bool go_back(struct orr_tree_stream *s, uint32_t base)
{
    uint32_t end = s->una + s->capacity, room = 16;
    struct orr_tree_part *part;

    while (room < end - base)
        room *= 2;
    part = orr__alloc(room, sizeof *part);
    if (!part)
        return false;
    for (uint32_t i = 0; i < room; i++)
        part[i] = (struct orr_tree_part){.message = ORR_NONE};
    for (uint32_t seq = base; seq != end; seq++) {
        struct orr_tree_part *to = &part[seq & (room - 1)];

        if (is_before(seq, s->una))
            to->state = PART_HERE;
        else
            *to = *part_at(s, seq);
    }
    orr__free(s->part);
    s->part = part;
    s->capacity = room;
    s->una = base;
    return true;
}

/* Whether the slot of a packet is free: the one before it there is done. */
static bool has_slot(const struct rewind *r, const struct orr_tree_stream *s,
                     uint32_t seq)
{
    uint32_t before = seq - s->tree->window;

    return !is_clocked(s) || is_before(before, r->base)
           || (is_before(before, r->top) && r->done[before - r->base]);
}

/* A packet that was sent, or is here without being done. */
static bool send_copy(const struct rewind *r, struct orr_sender *x,
                      uint32_t seq)
{
    struct orr_tree_stream *s = x->stream;
    struct orr_tree_part *p = part_at(s, seq);

    if (p->state == PART_HERE) {
        p->had = true;
        p->bytes = r->bytes[seq - r->base];
    }
    p->state = PART_WAITS;
    if (!has_slot(r, s, seq))
        return true;
    p->state = PART_LOST;
    x->lost++;
    return seqs_push(&s->to_resend, seq);
}

/* Those that were never sent and may go now. */
static bool enter_new(const struct rewind *r, struct orr_sender *x)
{
    struct orr_tree_stream *s = x->stream;
    uint32_t end = r->top + s->tree->window;

    if (is_before(s->end, end))
        end = s->end;
    for (uint32_t seq = r->base; is_before(seq, end); seq++) {
        if (!reach_packet(s, seq))
            return false;
        if (part_at(s, seq)->state == PART_NEW && has_slot(r, s, seq)
            && !seqs_push(&s->ready, seq))
            return false;
    }
    return true;
}

/* Behind what is with all members. */
static void advance(struct orr_sender *x)
{
    struct orr_tree_stream *s = x->stream;

    while (is_before(s->una, x->next) && part_at(s, s->una)->state == PART_HERE)
        *part_at(s, s->una++) = (struct orr_tree_part){.message = ORR_NONE};
    x->una = s->una;
}

/* From its lists to `una`, which may go back. False: no memory. */
static bool rewind_member(const struct rewind *r, struct orr_sender *x)
{
    struct orr_tree_stream *s = x->stream;

    s->to_resend.head = s->to_resend.tail = 0;
    s->ready.head = s->ready.tail = 0;
    s->beyond = 0;
    x->lost = 0;
    x->in_flight = 0;
    if (!go_back(s, r->base))
        return false;
    for (uint32_t seq = r->base; is_before(seq, x->next); seq++)
        if (!r->done[seq - r->base] && part_at(s, seq)->state != PART_NEW
            && !send_copy(r, x, seq))
            return false;
    if (is_clocked(s) && !enter_new(r, x))
        return false;
    advance(x);
    return true;
}

/* ---- multicast ----------------------------------------------------------- */

/* Only the source sends; who has a packet says so when it comes again. */
static bool rewind_source(struct orr_sender *x)
{
    struct orr_tree_stream *s = x->stream;

    s->to_resend.head = s->to_resend.tail = 0;
    x->lost = 0;
    x->in_flight = 0;
    for (uint32_t seq = s->una; seq != x->next; seq++) {
        part_at(s, seq)->state = PART_LOST;
        x->lost++;
        if (!seqs_push(&s->to_resend, seq))
            return false;
    }
    return true;
}

/* False: no memory. */
static bool rewind_multicast(const struct rewind *r)
{
    const struct orr_tree_group *g = r->t->group;
    struct orr_sender *source = sender_of(r, g->root);

    for (uint32_t i = 0; i < r->t->places; i++) {
        struct orr_tree_node *p = &r->t->place[i];

        p->announced = source->una;
        for (uint32_t k = 0; k < p->children; k++)
            p->acked[k] = source->una;
    }
    for (uint32_t m = 0; m < g->members; m++)
        sender_of(r, m)->stream->refused = 0;
    return rewind_source(source);
}

/* ---- all of them --------------------------------------------------------- */

/* False: no memory. The arrays of *r do not outlive it. */
static bool rewind_all(struct rewind *r)
{
    bool ok;

    if (r->t->group->kind == ORR_GROUP_MULTICAST)
        return rewind_multicast(r);
    find_range(r);
    r->done = orr__alloc(r->top - r->base + (size_t)1, sizeof *r->done);
    r->bytes = orr__alloc(r->top - r->base + (size_t)1, sizeof *r->bytes);
    ok = r->done && r->bytes;
    if (ok)
        find_missing(r);
    for (uint32_t m = 0; m < r->t->group->members && ok; m++)
        ok = rewind_member(r, sender_of(r, m));
    orr__free(r->done);
    orr__free(r->bytes);
    return ok;
}

/* Between windows nobody notices that a host has something to do. */
static void wake_host(const struct orr_net *n, const struct orr_sender *x,
                      int64_t now)
{
    const struct orr_nic_port *np = &n->nic_port[n->nic_port_of[x->path[0]]];
    const struct orr_queue *q = n->queue[x->path[0]];
    const struct orr_process *p = np->process;
    int64_t timer = p->at[orr__process_timer(p)], due = p->at[np->slot];

    if (np->explicit && q->caught_up)
        due = q->busy ? q->busy_until : ORR_NEVER;
    due = timer < due ? timer : due;
    if (due != ORR_NEVER)
        orr__windows_wake(n->windows, n->node[x->src].process,
                          due > now ? due : now);
}

bool orr__tree_rewind(struct orr_net *n, struct orr_tree *t, int64_t now)
{
    struct rewind r = {.n = n, .t = t};

    if (!rewind_all(&r))
        return false;
    for (uint32_t m = 0; m < t->group->members; m++) {
        struct orr_sender *x = sender_of(&r, m);

        if (x->vain == ORR_MOST_VAIN
            || (is_multicast(x->stream) && m != t->group->root))
            continue;
        show_work(x);
        orr__stream_alarm(n, x, ORR_NEVER);
        if (x->list != ORR_LIST_NONE) /* at a port that it may leave */
            orr__nic_withdraw(n, x);
        orr__nic_activate(n, orr__sender_lane(n, x), x, now);
        wake_host(n, x, now);
    }
    return true;
}

void orr__tree_give_up(struct orr_net *n, const struct orr_tree *t)
{
    for (uint32_t m = 0; m < t->group->members; m++) {
        struct orr_sender *x = orr__sender(n, t->connection[m]);

        x->vain = ORR_MOST_VAIN;
        x->cut = true;
        x->window.cwnd = 0;
        show_work(x);
        orr__stream_alarm(n, x, ORR_NEVER);
    }
}
