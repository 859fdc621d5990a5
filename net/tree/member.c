/* A member of a group on one of its trees: a connection to the tree. It sends
 * what is to be added, or, of a multicast, what is to be copied; the result of
 * a packet, or the ACK of all members, is its ACK. */
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/ring.h"
#include "net/host/segment.h"
#include "net/tree/stream.h"

#define PATIENT_TRIES 100 /* after so many timeouts double */

/* ---- lists --------------------------------------------------------------- */

static uint32_t seqs_pop(struct orr_seqs *q)
{
    ORR_ASSERT(q->head != q->tail);
    return q->seq[q->head++ & (q->capacity - 1)];
}

__attribute__((noinline)) bool orr__stream_grow(struct orr_tree_stream *s,
                                                uint32_t seq)
{
    while (seq - s->una >= s->capacity) {
        uint32_t room = s->capacity, end = s->una + room;

        if (!orr__ring_grow(s->part, s->capacity, s->una, end, 16))
            return false;
        for (uint32_t i = end; i != s->una + s->capacity; i++)
            *part_at(s, i) = (struct orr_tree_part){.message = ORR_NONE};
    }
    return true;
}

void orr__stream_free(struct orr_tree_stream *s)
{
    if (!s)
        return;
    orr__free(s->part);
    orr__free(s->ready.seq);
    orr__free(s->to_resend.seq);
    orr__free(s->errand);
    orr__free(s);
}

/* ---- what may be sent ---------------------------------------------------- */

uint64_t orr__errand_payload(const struct orr_tree_group *g,
                             const struct orr_errand *e, uint32_t seq)
{
    uint32_t i = seq - e->first;
    uint64_t from, bytes = e->bytes;

    if (g->kind == ORR_GROUP_SCATTER) {
        bytes = orr__scatter_bytes(g, e->bytes, i / g->each);
        i %= g->each;
    }
    from = i * g->payload;
    if (from >= bytes)
        return 0;
    return bytes - from < g->payload ? bytes - from : g->payload;
}

uint64_t orr__scatter_bytes(const struct orr_tree_group *g, uint64_t bytes,
                            uint32_t member)
{
    uint64_t whole = bytes / g->members, rest = bytes % g->members;

    return whole
           + (rest * (member + 1) / g->members - rest * member / g->members);
}

static uint32_t packets_of(const struct orr_tree_group *g, uint64_t bytes)
{
    if (g->kind == ORR_GROUP_SCATTER)
        return g->each * g->members;
    return bytes <= g->payload
               ? 1
               : (uint32_t)((bytes + g->payload - 1) / g->payload);
}

/* Those of new packets whose slot is free: the slot of a packet was that of the
 * one `window` before it. False: no memory. */
static bool enter_ready(struct orr_tree_stream *s, uint32_t from)
{
    uint32_t window = s->tree->window, end = from + window;

    if (is_before(s->end, end))
        end = s->end;
    for (uint32_t i = from; i != end; i++) {
        uint32_t before = i - window;
        bool done =
            is_before(before, s->una) || part_at(s, before)->state == PART_HERE;

        if (!reach_packet(s, i) || (done && !seqs_push(&s->ready, i)))
            return false;
    }
    return true;
}

/* Packets get their numbers here, behind those of all messages before, also of
 * those that are under way. Without memory the run fails. */
static void send_message(struct orr_net *n, struct orr_sender *x,
                         struct orr_message *m, int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    const struct orr_tree_group *g = s->tree->group;
    uint32_t packets = packets_of(g, m->bytes), from = s->end;

    if (!orr__array_more(s->errand, s->errand_room, s->errands)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    m->first_seq = from;
    m->packets = packets;
    s->errand[s->errands++] =
        (struct orr_errand){m->id, from, packets, packets, packets, m->bytes};
    s->end = x->queued = from + packets;
    if (is_clocked(s) && !enter_ready(s, from)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    show_work(x);
    orr__nic_activate(n, orr__sender_lane(n, x), x, now);
}

/* ---- sending ------------------------------------------------------------- */

/* How long the result of a packet is waited for. */
static int64_t patience(const struct orr_net *n,
                        const struct orr_tree_stream *s,
                        const struct orr_tree_part *p)
{
    const struct orr_in_network *in = s->tree->group->in;
    int64_t t = in ? in->timeout_ps : 10 * ORR_MS;

    return t << (p->tries / PATIENT_TRIES);
}

/* When the first packet of a multicast has been waited for long enough, since
 * it was sent or the last ACK came. ACKs are cumulative and say nothing of
 * those behind it, which are not waited for. NEVER: it is still to be sent. */
static int64_t first_due(const struct orr_net *n, const struct orr_sender *x)
{
    const struct orr_tree_stream *s = x->stream;
    const struct orr_tree_part *p;

    if (s->una == x->next)
        return ORR_NEVER;
    p = part_at(s, s->una);
    if (p->state != PART_OUT)
        return ORR_NEVER;
    return orr__time_add(p->at > x->active_at ? p->at : x->active_at,
                         patience(n, s, p));
}

/* When the first packet under way has been waited for long enough. */
static int64_t next_due(const struct orr_net *n, const struct orr_sender *x)
{
    const struct orr_tree_stream *s = x->stream;
    int64_t due = ORR_NEVER;

    if (is_multicast(s))
        return first_due(n, x);
    for (uint32_t i = s->una; i != x->next; i++) {
        const struct orr_tree_part *p = part_at(s, i);
        int64_t at;

        if (p->state != PART_OUT)
            continue;
        at = orr__time_add(p->at, patience(n, s, p));
        due = at < due ? at : due;
    }
    return due;
}

void orr__stream_alarm(struct orr_net *n, struct orr_sender *x, int64_t due)
{
    if (due == ORR_NEVER)
        x->timeout.due = ORR_NEVER;
    else if (orr__alarm_move(&x->timeout, due))
        orr__sender_set(n, x, ORR_WHAT_RTO, due);
    orr__sender_counts(n, x);
}

/* A packet goes out: those before it are waited for no longer than it. */
static inline void alarm_on(struct orr_net *n, struct orr_sender *x,
                            const struct orr_tree_part *p)
{
    if (x->timeout.due == ORR_NEVER)
        orr__stream_alarm(n, x,
                          orr__time_add(p->at, patience(n, x->stream, p)));
}

/* Nothing is under way: nothing is waited for. */
static inline void alarm_off(struct orr_net *n, struct orr_sender *x)
{
    if (x->in_flight == 0)
        orr__stream_alarm(n, x, ORR_NEVER);
}

/* The number of the packet that goes next. */
static uint32_t choose_seq(struct orr_sender *x, bool *again)
{
    struct orr_tree_stream *s = x->stream;

    *again = x->lost > 0;
    while (*again) {
        uint32_t seq = seqs_pop(&s->to_resend);

        if (!is_before(seq, s->una) && part_at(s, seq)->state == PART_LOST) {
            x->lost--;
            return seq;
        }
    }
    return is_clocked(s) ? seqs_pop(&s->ready) : x->next;
}

/* e: NULL for one whose result was here before the tree was made anew. At least
 * one byte on the wire, also of an empty message without a header: a
 * link must take time for it. `aux` is what switches may forget, or, of a
 * multicast, the message that receivers are told of. */
static void make_packet(const struct orr_net *n, const struct orr_sender *x,
                        const struct orr_errand *e, uint32_t seq, bool again,
                        struct orr_packet *p)
{
    const struct orr_tree_stream *s = x->stream;
    const struct orr_tree *t = s->tree;
    bool multicast = t->group->kind == ORR_GROUP_MULTICAST;
    uint64_t bytes =
        n->config->header
        + (e ? orr__errand_payload(t->group, e, seq) : part_at(s, seq)->bytes);

    ORR_ASSERT(e || !multicast); /* whose packets are never had before */
    *p = (struct orr_packet){
        .connection = x->id,
        .dst_kind = x->to,
        .hash = t->era
                | (multicast ? ORR_PACKET_DOWN | t->place[s->place].child
                             : s->place),
        .seq = seq,
        .size_flags = (uint32_t)(bytes ? bytes : 1) << ORR_PACKET_FLAG_BITS
                      | (again ? ORR_PACKET_REPEAT : 0),
        .aux = multicast ? e->message : s->una,
    };
    if (multicast && seq + 1 == e->first + e->packets)
        p->size_flags |= ORR_PACKET_LAST;
}

/* See orr__sender_take; the NIC asks only while there is something to send. A
 * packet that is sent again does not count as unsent: its message left when the
 * last of them went out for the first time. False: no memory. */
static bool take(struct orr_net *n, struct orr_sender *x, int64_t now,
                 struct orr_packet *p, uint32_t *departing)
{
    struct orr_tree_stream *s = x->stream;
    bool again;
    uint32_t seq = choose_seq(x, &again);
    struct orr_errand *e = NULL;
    struct orr_tree_part *part;

    if (!reach_packet(s, seq)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    part = part_at(s, seq);
    if (!part->had)
        e = errand_of(s, seq);
    ORR_ASSERT(e || (part->had && again));
    make_packet(n, x, e, seq, again, p);
    part->at = now;
    part->state = PART_OUT;
    if (again) {
        x->stats.retransmissions++;
        orr__sender_lane(n, x)->repeats++;
        part->tries += part->tries < UINT16_MAX;
    } else {
        e->unsent--;
        if (e->unsent == 0)
            *departing = e->message;
    }
    x->in_flight++;
    if (!is_before(seq, x->next))
        x->next = seq + 1;
    starts(x, p, now);
    note_peak(x);
    show_work(x);
    alarm_on(n, x, part);
    return true;
}

/* ---- results ------------------------------------------------------------- */

/* One more packet is done with. */
static void is_here(struct orr_sender *x, uint32_t seq)
{
    struct orr_tree_part *p = part_at(x->stream, seq);

    x->in_flight -= p->state == PART_OUT;
    x->lost -= p->state == PART_LOST;
    p->state = PART_HERE;
}

static void advance(struct orr_tree_stream *s, struct orr_sender *x)
{
    while (s->una != s->end && is_before(s->una, x->next)
           && part_at(s, s->una)->state == PART_HERE) {
        *part_at(s, s->una) = (struct orr_tree_part){.message = ORR_NONE};
        s->una++;
        s->beyond = 0;
    }
    x->una = s->una;
}

static bool gets_result(const struct orr_tree_stream *s)
{
    const struct orr_tree_group *g = s->tree->group;

    return g->kind == ORR_GROUP_SUM || g->kind == ORR_GROUP_SCATTER
           || (g->kind == ORR_GROUP_REDUCE && s->member == g->root);
}

/* All packets of a message are done with. */
static void finish(struct orr_net *n, struct orr_lane *lane,
                   struct orr_sender *x, struct orr_errand *e, int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    struct orr_message *m = orr__message(n, e->message);
    uint32_t i = (uint32_t)(e - s->errand);

    memmove(e, e + 1, (--s->errands - i) * sizeof *e);
    orr__nic_overtaken(n, m, now);
    if (gets_result(s))
        orr__call_received(n, x->src, now, m);
    orr__call_acked(n, x->src, now, m);
    orr__message_release(n, lane, m->id);
}

/* rtt: ps, or -1 for none. `echo`: the result, or the ACK, was marked. What the
 * control allows beyond the slots of the tree is cut: nobody would add it. */
static void tell_control(struct orr_sender *x, int64_t now, int64_t rtt,
                         uint32_t acked, bool echo)
{
    struct orr_cc_ack a = {
        .now_ps = now,
        .rtt_ps = rtt,
        .acked = acked,
        .delivered = acked,
        .una = x->una,
        .next = x->next,
        .in_flight = x->in_flight,
        .peak = x->peak.now,
        .echo = echo,
        .sent = x->packets,
    };

    if ((int32_t)(x->una - x->peak.end) > 0) {
        x->peak.before = x->peak.now;
        x->peak.now = x->in_flight;
        x->peak.end = x->next;
    }
    a.peak = x->peak.now > x->peak.before ? x->peak.now : x->peak.before;
    x->stats.marks += echo;
    x->control->ops->on_ack(x->cc, x->control->params, &x->window, &a);
    if (x->window.cwnd > x->stream->tree->window)
        x->window.cwnd = x->stream->tree->window;
}

/* A packet is lost, as far as one can tell. */
static void is_lost(struct orr_net *n, struct orr_sender *x, uint32_t seq)
{
    struct orr_tree_part *p = part_at(x->stream, seq);

    ORR_ASSERT(p->state == PART_OUT && x->in_flight > 0);
    if (!seqs_push(&x->stream->to_resend, seq)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    p->state = PART_LOST;
    x->in_flight--;
    x->lost++;
}

/* timeouts: 0 for a gap. Several losses that are found at one time are one to
 * the control. */
static void tell_loss(struct orr_sender *x, int64_t now, uint32_t timeouts)
{
    const struct orr_cc_ops *ops = x->control->ops;
    const struct orr_cc_ack a = {
        .now_ps = now,
        .rtt_ps = -1,
        .una = x->una,
        .next = x->next,
        .in_flight = x->in_flight,
        .recovering = true,
        .lost = true,
        .timeouts = timeouts,
        .sent = x->packets,
    };

    if (timeouts && ops->on_timeout)
        ops->on_timeout(x->cc, x->control->params, &x->window, &a);
    else if (!timeouts && ops->on_loss)
        ops->on_loss(x->cc, x->control->params, &x->window, &a);
}

/* A result beyond the first that is missing. */
static void note_gap(struct orr_net *n, struct orr_sender *x, int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    const struct orr_in_network *in = s->tree->group->in;

    if (!in || !in->ops->gap || ++s->beyond < in->ops->gap
        || part_at(s, s->una)->state != PART_OUT)
        return;
    s->beyond = 0;
    is_lost(n, x, s->una);
    tell_loss(x, now, 0);
}

/* Of packets that were sent once: how long their results took. */
static int64_t round_trip(struct orr_sender *x, uint32_t seq, int64_t now)
{
    const struct orr_tree_part *p = part_at(x->stream, seq);

    if (p->tries)
        return -1;
    orr__sender_measured(x, now - p->at);
    return now - p->at;
}

/* The next packet of this one's slot. */
static void clock_slot(struct orr_net *n, struct orr_sender *x, uint32_t seq)
{
    struct orr_tree_stream *s = x->stream;
    uint32_t next = seq + s->tree->window;
    struct orr_tree_part *p;
    bool ok;

    if (!is_before(next, s->end))
        return;
    if (!reach_packet(s, next)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    p = part_at(s, next);
    if (p->state == PART_WAITS) {
        p->state = PART_LOST;
        x->lost++;
        ok = seqs_push(&s->to_resend, next);
    } else {
        ok = seqs_push(&s->ready, next);
    }
    if (!ok)
        orr__fabric_out_of_memory(n);
}

/* One that came before is thrown away and tells the control nothing. The
 * message may be released in here, so that it is touched last. */
static void take_result(struct orr_net *n, struct orr_lane *lane,
                        struct orr_sender *x, const struct orr_packet *p,
                        int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    struct orr_tree_part *part = part_at(s, p->seq);
    struct orr_errand *e = NULL;
    int64_t rtt;

    if (is_before(p->seq, s->una) || !is_before(p->seq, x->next)
        || part->state == PART_HERE)
        return; /* again, for nothing */
    if (!part->had)
        e = errand_of(s, p->seq);
    ORR_ASSERT((e || part->had) && part->state != PART_NEW);
    rtt = x->hears ? round_trip(x, p->seq, now) : -1;
    is_here(x, p->seq);
    x->vain = 0;
    x->active_at = now;
    if (is_clocked(s))
        clock_slot(n, x, p->seq);
    if (p->seq == s->una)
        advance(s, x);
    else
        note_gap(n, x, now);
    if (p->size_flags & ORR_PACKET_CE)
        orr__receiver(n, x->id)->marks++;
    if (x->hears)
        tell_control(x, now, rtt, 1, p->size_flags & ORR_PACKET_CE);
    if (e && --e->undone == 0)
        finish(n, lane, x, e, now);
    show_work(x);
    alarm_off(n, x);
    orr__nic_activate(n, lane, x, now);
}

/* No result has come of a packet. */
static void expire(struct orr_net *n, struct orr_sender *x, uint32_t seq)
{
    struct orr_tree_stream *s = x->stream;
    struct orr_lane *lane = orr__sender_lane(n, x);
    struct orr_tree_part *p = part_at(s, seq);
    int64_t waited = patience(n, s, p);

    if (waited > lane->longest_timeout)
        lane->longest_timeout = waited;
    lane->timeouts++;
    x->stats.timeouts++;
    if (is_multicast(s))
        x->vain++;
    else if (p->tries >= ORR_MOST_VAIN)
        x->vain = ORR_MOST_VAIN; /* nothing is sent again from now on */
    is_lost(n, x, seq);
}

/* All that have waited too long, not only the first: each was lost, or added
 * up, by itself. */
static void expire_all(struct orr_net *n, struct orr_sender *x, int64_t now)
{
    struct orr_tree_stream *s = x->stream;

    for (uint32_t i = s->una; i != x->next; i++) {
        const struct orr_tree_part *p = part_at(s, i);

        if (p->state == PART_OUT
            && orr__time_add(p->at, patience(n, s, p)) <= now)
            expire(n, x, i);
    }
}

/* A member that tried in vain too often sends nothing more, and its message
 * stays unfinished. */
static void timeout(struct orr_net *n, struct orr_sender *x, int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    uint32_t lost = x->lost;

    if (x->vain == ORR_MOST_VAIN)
        return;
    if (!is_multicast(s))
        expire_all(n, x, now);
    else if (first_due(n, x) <= now)
        expire(n, x, s->una);
    if (x->lost > lost)
        tell_loss(x, now, is_multicast(s) ? x->vain : 1);
    if (x->vain == ORR_MOST_VAIN)
        x->window.cwnd = 0;
    show_work(x);
    orr__stream_alarm(n, x, next_due(n, x));
    orr__nic_activate(n, orr__sender_lane(n, x), x, now);
}

const struct orr_sender_ops orr__tree_sender = {
    .send = send_message,
    .take = take,
    .timeout = timeout,
};

/* ---- multicast: the source ----------------------------------------------- */

/* All members have what is before p->seq: the only ACKs that a source gets are
 * cumulative, and an old one changes nothing. One that waited until a packet
 * was sent again measures no round trip. */
static void take_ack(struct orr_net *n, struct orr_lane *lane,
                     struct orr_sender *x, const struct orr_packet *p,
                     int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    uint32_t acked = p->seq - s->una;
    int64_t rtt = -1;
    bool once = true;

    if (!is_before(s->una, p->seq))
        return;
    for (uint32_t i = s->una; i != p->seq; i++) {
        once = once && part_at(s, i)->tries == 0;
        is_here(x, i);
        errand_of(s, i)->undone--;
    }
    if (once)
        rtt = round_trip(x, p->seq - 1, now);
    advance(s, x);
    x->vain = 0;
    x->active_at = now;
    if (x->hears)
        tell_control(x, now, rtt, acked, p->size_flags & ORR_PACKET_ECHO);
    while (s->errands && s->errand[0].undone == 0)
        finish(n, lane, x, &s->errand[0], now);
    show_work(x);
}

/* A member lacks a packet. Others may have said so. */
static void take_nack(struct orr_net *n, struct orr_sender *x, uint32_t seq,
                      int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    const struct orr_tree_part *p;

    if (is_before(seq, s->una) || !is_before(seq, x->next))
        return;
    p = part_at(s, seq);
    if (p->state != PART_OUT || (p->tries && now - p->at < x->srtt))
        return;
    is_lost(n, x, seq);
    show_work(x);
    tell_loss(x, now, 0);
}

/* The connection is looked up by the tree: the one in the packet is of the
 * member that said so. */
static void at_source(struct orr_net *n, struct orr_lane *lane,
                      const struct orr_tree *t, const struct orr_packet *p,
                      int64_t now)
{
    struct orr_sender *x = orr__sender(n, t->connection[t->group->root]);

    if (x->closed || x->cut || x->vain == ORR_MOST_VAIN)
        return;
    if (p->size_flags & ORR_PACKET_NACK)
        take_nack(n, x, p->aux, now);
    else
        take_ack(n, lane, x, p, now);
    alarm_off(n, x);
    orr__nic_activate(n, lane, x, now);
}

/* ---- multicast: a receiver ----------------------------------------------- */

/* `flags` beside ACK. A NACK leaves marks and the count of what is unanswered
 * for the next ACK: switches pass it on without reading these. */
static void acknowledge(struct orr_net *n, struct orr_lane *lane,
                        struct orr_sender *x, uint32_t flags, uint32_t aux,
                        int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    struct orr_packet p = {
        .connection = x->id,
        .dst_kind = x->to,
        .hash = s->place | s->tree->era,
        .seq = s->una,
        .size_flags = (uint32_t)n->config->ack << ORR_PACKET_FLAG_BITS
                      | ORR_PACKET_ACK | flags | (s->ce ? ORR_PACKET_ECHO : 0),
        .aux = aux,
    };

    if (!(flags & ORR_PACKET_NACK)) {
        s->unanswered = 0;
        s->ce = false;
    }
    orr__nic_ack(n, lane, x->src, &p, now);
}

/* Messages whose packets are all here now. */
static void deliver(struct orr_net *n, struct orr_sender *x, int64_t now)
{
    struct orr_tree_stream *s = x->stream;

    while (part_at(s, s->una)->state == PART_HERE) {
        struct orr_tree_part *p = part_at(s, s->una);
        uint32_t message = p->message;

        *p = (struct orr_tree_part){.message = ORR_NONE};
        s->una++;
        s->unanswered++;
        s->beyond--;
        if (message != ORR_NONE) {
            struct orr_message m = *orr__message(n, message);

            m.dst = s->tree->group->ranks[s->member];
            orr__call_received(n, x->src, now, &m);
        }
    }
    x->una = x->next = x->queued = s->una;
}

/* Each gap is reported once, by its first packet; if that is lost again, the
 * source's timeout mends it. A packet that fills a gap, or ends a message, is
 * acknowledged at once. */
static void at_receiver(struct orr_net *n, struct orr_lane *lane,
                        struct orr_sender *x, const struct orr_packet *p,
                        int64_t now)
{
    struct orr_tree_stream *s = x->stream;
    bool last = p->size_flags & ORR_PACKET_LAST, gap = s->beyond > 0;

    s->ce |= (p->size_flags & ORR_PACKET_CE) != 0;
    orr__receiver(n, x->id)->marks += (p->size_flags & ORR_PACKET_CE) != 0;
    if (is_before(p->seq, s->una)
        || (p->seq - s->una < s->capacity
            && part_at(s, p->seq)->state == PART_HERE)) {
        acknowledge(n, lane, x, ORR_PACKET_DUPLICATE, 0, now);
        return;
    }
    if (!reach_packet(s, p->seq)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    part_at(s, p->seq)->state = PART_HERE;
    part_at(s, p->seq)->message = last ? p->aux : ORR_NONE;
    s->beyond++;
    deliver(n, x, now);
    if (s->beyond > 0 && s->refused != s->una + 1) {
        s->refused = s->una + 1;
        acknowledge(n, lane, x, ORR_PACKET_NACK, s->una, now);
    }
    if (s->unanswered && (last || gap || s->unanswered >= n->config->ack_every))
        acknowledge(n, lane, x, 0, 0, now);
}

/* ---- whoever it is for -----------------------------------------------------
 */

void orr__tree_host(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                    const struct orr_packet *p, int64_t now)
{
    struct orr_sender *x = orr__sender(n, p->connection);
    const struct orr_tree *t = x->stream->tree;

    if ((p->hash & ORR_PACKET_ERA) != t->era)
        return; /* its tree was made anew */
    if (!(p->hash & ORR_PACKET_DOWN)) {
        if (t->group->kind == ORR_GROUP_MULTICAST)
            at_source(n, lane, t, p, now);
        else
            orr__tree_server(n, lane, t, p, now);
    } else if (!x->closed && !x->cut) {
        if (t->group->kind == ORR_GROUP_MULTICAST)
            at_receiver(n, lane, x, p, now);
        else
            take_result(n, lane, x, p, now);
    }
}
