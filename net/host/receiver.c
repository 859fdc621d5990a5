/* The receiving side: order, ACKs, delivery. */
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "net/host/host.h"

static bool has_packet(const struct orr_receiver *r, uint32_t seq)
{
    uint32_t i = seq & (r->bit_capacity - 1);

    return r->bits[i / 64] >> i % 64 & 1;
}

static void flip_packet(struct orr_receiver *r, uint32_t seq)
{
    uint32_t i = seq & (r->bit_capacity - 1);

    r->bits[i / 64] ^= UINT64_C(1) << i % 64;
}

/* Room for packet number seq beyond the gap at next. */
static inline __attribute__((always_inline)) bool bits_reach(
    struct orr_receiver *r, uint32_t seq)
{
    uint32_t capacity = r->bit_capacity ? r->bit_capacity : 64;
    struct orr_receiver bigger = *r;

    while (seq - r->next >= capacity)
        capacity *= 2;
    if (capacity == r->bit_capacity)
        return true;
    bigger.bits = orr__alloc(capacity / 64, sizeof *bigger.bits);
    if (!bigger.bits)
        return false;
    bigger.bit_capacity = capacity;
    for (uint32_t i = 0; i < r->bit_capacity; i++)
        if (has_packet(r, r->next + i))
            flip_packet(&bigger, r->next + i);
    orr__free(r->bits);
    r->bits = bigger.bits;
    r->bit_capacity = capacity;
    return true;
}

/* Remembers that a message ends at seq, beyond a gap; kept in order. */
static inline __attribute__((always_inline)) bool add_boundary(
    struct orr_receiver *r, uint32_t seq, uint32_t message)
{
    uint32_t i;

    if (!orr__array_more(r->boundary, r->cap_boundary, r->n_boundary))
        return false;
    for (i = r->n_boundary++; i > 0; i--) {
        if ((int32_t)(r->boundary[i - 1].seq - seq) < 0)
            break;
        r->boundary[i] = r->boundary[i - 1];
    }
    /* a packet ends one message, and is taken in once */
    ORR_ASSERT(i + 1 == r->n_boundary || r->boundary[i + 1].seq != seq);
    r->boundary[i].seq = seq;
    r->boundary[i].message = message;
    return true;
}

static inline __attribute__((always_inline)) uint32_t selective(
    const struct orr_receiver *r, uint32_t seq)
{
    uint32_t run = 1, offset = seq - r->next;

    if ((int32_t)offset <= 0 || offset >> (32 - ORR_PACKET_RUN_BITS))
        return 0;
    while (run < ORR_PACKET_MAX_RUN && run < offset && has_packet(r, seq - run))
        run++;
    return offset << ORR_PACKET_RUN_BITS | run;
}

/* An ACK, or what else goes back to the sender. */
static inline __attribute__((always_inline)) struct orr_packet answer(
    const struct orr_net *n, const struct orr_receiver *r, uint32_t connection,
    uint32_t flags)
{
    flags |= ORR_PACKET_ACK | (r->ce ? ORR_PACKET_ECHO : 0);
    return (struct orr_packet){
        .connection = connection,
        .dst_kind = orr__packet_to(r->src, r->class | n->routed),
        .hash = r->path_hash,
        .seq = r->next,
        .size_flags = (uint32_t)n->config->ack << ORR_PACKET_FLAG_BITS | flags,
    };
}

/* At once, of this packet, whose telemetry goes back. beyond: what the aux of
 * the ACK tells of; duplicate: 0 or ORR_PACKET_DUPLICATE. */
static inline void acknowledge(struct orr_net *n, struct orr_lane *lane,
                               struct orr_receiver *r,
                               const struct orr_packet *data, uint32_t beyond,
                               uint32_t duplicate, int64_t now)
{
    struct orr_packet p =
        answer(n, r, data->connection, duplicate | orr__packet_copy(data));

    p.aux = beyond;
    if (data->dst_kind & ORR_PACKET_TELEMETRY) {
        p.aux = data->aux;
        p.dst_kind |= ORR_PACKET_TELEMETRY;
        orr__telemetry(n, p.aux)->message = beyond;
    }
    r->pending = 0;
    r->held.due = ORR_NEVER;
    orr__nic_ack(n, lane, r->dst, &p, now);
}

/* Those held back. It says since when, as QUIC's ACKs do (RFC 9000, section
 * 13.2.5): what is left of the round trip is the network's. */
static void acknowledge_held(struct orr_net *n, struct orr_lane *lane,
                             struct orr_receiver *r, uint32_t connection,
                             int64_t now)
{
    struct orr_packet p = answer(n, r, connection, r->newest_copy);

    ORR_ASSERT(r->pending > 0 && now >= r->newest_at);
    p.aux = orr__packet_hold((now - r->newest_at) / ORR_NS);
    r->pending = 0;
    r->held.due = ORR_NEVER;
    orr__nic_ack(n, lane, r->dst, &p, now);
}

/* Marked data has arrived: DCQCN (SIGCOMM'15), section 3.1, the notification
 * point. */
static void notify(struct orr_net *n, struct orr_lane *lane,
                   struct orr_receiver *r, uint32_t connection, int64_t now)
{
    struct orr_packet p = answer(n, r, connection, 0);

    if (now < r->cnp_at)
        return;
    r->cnp_at = orr__time_add(now, r->cnp_interval);
    p.dst_kind |= ORR_PACKET_CNP;
    orr__nic_ack(n, lane, r->dst, &p, now);
}

/* Tells the sender that packet seq is missing. */
static void refuse(struct orr_net *n, struct orr_lane *lane,
                   struct orr_receiver *r, const struct orr_packet *data,
                   uint32_t seq, int64_t now)
{
    struct orr_packet p = answer(n, r, data->connection, ORR_PACKET_NACK);

    orr__telemetry_release(n, lane, data);
    p.aux = seq;
    r->pending = 0;
    r->held.due = ORR_NEVER;
    orr__nic_ack(n, lane, r->dst, &p, now);
}

static void set_timer(struct orr_net *n, const struct orr_receiver *r,
                      uint32_t connection)
{
    orr__fabric_timer(n, r->dst, r->held.due,
                      ORR_RANK_NET(ORR_WHAT_ACK, r->hash), ORR_WHAT_ACK,
                      connection);
}

static void hold_back(struct orr_net *n, struct orr_lane *lane,
                      struct orr_receiver *r, const struct orr_packet *p,
                      int64_t now)
{
    orr__telemetry_release(n, lane, p);
    r->newest_at = now;
    r->newest_copy = orr__packet_copy(p);
    if (r->pending == 1
        && orr__alarm_move(&r->held,
                           orr__time_add(now, n->config->ack_delay_ps)))
        set_timer(n, r, p->connection);
}

void orr__receiver_timer(struct orr_net *n, uint32_t id, int64_t now)
{
    struct orr_receiver *r = orr__receiver(n, id);

    switch (orr__alarm_fired(&r->held, now)) {
    case ORR_ALARM_STALE: break;
    case ORR_ALARM_EARLY: /* that ACK went, another is held back since */
        set_timer(n, r, id);
        break;
    case ORR_ALARM_DUE:
        acknowledge_held(n, orr__lane_of(n, r->dst), r, id, now);
    }
}

/* The message that a data packet is part of. */
static inline __attribute__((always_inline)) uint32_t message_of(
    const struct orr_net *n, const struct orr_packet *p)
{
    return p->dst_kind & ORR_PACKET_TELEMETRY
               ? orr__telemetry(n, p->aux)->message
               : p->aux;
}

static inline __attribute__((always_inline)) void deliver(
    struct orr_net *n, struct orr_receiver *r, uint32_t message, int64_t now)
{
    orr__call_received(n, r->dst, now, orr__message(n, message));
}

/* Messages whose last packet waited beyond the gap that just closed. */
static inline __attribute__((always_inline)) void deliver_waiting(
    struct orr_net *n, struct orr_receiver *r, int64_t now)
{
    uint32_t done = 0;

    while (done < r->n_boundary
           && (int32_t)(r->boundary[done].seq - r->next) < 0)
        deliver(n, r, r->boundary[done++].message, now);
    ORR_ASSERT(r->n_boundary - done <= r->beyond);
    if (done == 0)
        return;
    r->n_boundary -= done;
    memmove(r->boundary, r->boundary + done,
            r->n_boundary * sizeof *r->boundary);
}

/* In order: moves next over it and over what waited behind it. */
static inline __attribute__((always_inline)) void accept(struct orr_receiver *r)
{
    r->next++;
    r->pending++;
    while (r->beyond && has_packet(r, r->next)) {
        flip_packet(r, r->next);
        r->beyond--;
        r->next++;
        r->pending++;
    }
    /* a gap is left before what still waits */
    ORR_ASSERT(!r->beyond || !has_packet(r, r->next));
}

/* Beyond a gap: it waits there. *again: it was here already. False: out of
 * memory. */
static inline __attribute__((always_inline)) bool keep_beyond(
    struct orr_net *n, struct orr_receiver *r, const struct orr_packet *p,
    bool *again)
{
    bool kept = bits_reach(r, p->seq);

    *again = kept && has_packet(r, p->seq);
    if (kept && !*again) {
        flip_packet(r, p->seq);
        r->beyond++;
        if (p->size_flags & ORR_PACKET_LAST)
            kept = add_boundary(r, p->seq, message_of(n, p));
    }
    /* each message that waits has its last packet among what does */
    ORR_ASSERT(!kept || r->n_boundary <= r->beyond);
    if (!kept)
        orr__fabric_out_of_memory(n);
    return kept;
}

/* Beyond a gap, or a repeat of what is here. */
static void receive_out_of_order(struct orr_net *n, struct orr_lane *lane,
                                 struct orr_receiver *r,
                                 const struct orr_packet *p, int64_t now)
{
    uint32_t beyond = 0;
    bool again = true;

    if ((int32_t)(p->seq - r->next) > 0) {
        if (!keep_beyond(n, r, p, &again))
            return;
        beyond = selective(r, p->seq);
    }
    acknowledge(n, lane, r, p, beyond, again ? ORR_PACKET_DUPLICATE : 0, now);
}

/* Go-back-N keeps nothing beyond a gap and tells of it once, and again when
 * nack_interval has passed without the gap being filled. */
static void receive_nothing_beyond(struct orr_net *n, struct orr_lane *lane,
                                   struct orr_receiver *r,
                                   const struct orr_packet *p, int64_t now)
{
    if ((int32_t)(p->seq - r->next) < 0) {
        acknowledge(n, lane, r, p, 0, ORR_PACKET_DUPLICATE, now);
        return;
    }
    if (r->refused == r->next + 1 && now < r->refuse_at) {
        orr__telemetry_release(n, lane, p);
        return;
    }
    r->refused = r->next + 1;
    r->refuse_at = orr__time_add(now, n->config->nack_interval_ps);
    refuse(n, lane, r, p, r->next, now);
}

/* Not the packet expected next, or none that could be used. */
static void receive_other(struct orr_net *n, struct orr_lane *lane,
                          struct orr_receiver *r, const struct orr_packet *p,
                          int64_t now)
{
    if (n->config->recovery == ORR_RECOVERY_GO_BACK_N)
        receive_nothing_beyond(n, lane, r, p, now);
    else if (p->size_flags & ORR_PACKET_TRIMMED)
        refuse(n, lane, r, p, p->seq, now);
    else
        receive_out_of_order(n, lane, r, p, now);
}

/* ---- for uec.c ---- */

bool orr__receiver_has(const struct orr_receiver *r, uint32_t seq)
{
    uint32_t offset = seq - r->next;

    return (int32_t)offset < 0
           || (offset < r->bit_capacity && has_packet(r, seq));
}

bool orr__receiver_take(struct orr_net *n, struct orr_receiver *r,
                        const struct orr_packet *p)
{
    bool again;

    if (p->seq != r->next)
        return keep_beyond(n, r, p, &again);
    accept(r);
    return true;
}

void orr__receiver_deliver(struct orr_net *n, struct orr_receiver *r,
                           uint32_t message, int64_t now)
{
    if (message != ORR_NONE)
        deliver(n, r, message, now);
    deliver_waiting(n, r, now);
}

struct orr_packet orr__receiver_answer(const struct orr_net *n,
                                       const struct orr_receiver *r,
                                       const struct orr_packet *data)
{
    struct orr_packet p =
        answer(n, r, data->connection, orr__packet_copy(data));

    if (n->config->entropy)
        p.hash = data->hash;
    p.size_flags &= ~(uint32_t)ORR_PACKET_ECHO;
    if (data->size_flags & ORR_PACKET_CE)
        p.size_flags |= ORR_PACKET_ECHO;
    return p;
}

uint32_t orr__receiver_message(const struct orr_net *n,
                               const struct orr_packet *data)
{
    return data->size_flags & ORR_PACKET_LAST ? message_of(n, data) : ORR_NONE;
}

/* Closed, or uec.c's. */
static __attribute__((cold, noinline)) void receive_apart(
    struct orr_net *n, struct orr_lane *lane, struct orr_receiver *r,
    const struct orr_packet *p, int64_t now)
{
    if (r->apart & ORR_APART_CLOSED) {
        orr__telemetry_release(n, lane, p);
        return;
    }
    if (p->size_flags & ORR_PACKET_CE) {
        r->marks++;
        if (r->cnp_interval)
            notify(n, lane, r, p->connection, now);
    }
    orr__uec_receive(n, lane, r, p, now);
}

void orr__receiver_data(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_packet *p, int64_t now)
{
    struct orr_receiver *r = orr__receiver(n, p->connection);
    bool ce = p->size_flags & ORR_PACKET_CE;
    bool last = p->size_flags & ORR_PACKET_LAST;
    uint32_t message;
    bool gap;

    if (r->apart) {
        receive_apart(n, lane, r, p, now);
        return;
    }
    r->marks += ce;
    if (ce && r->cnp_interval)
        notify(n, lane, r, p->connection, now);
    if (ce != r->ce) { /* RFC 8257, section 3.2 */
        if (r->pending)
            acknowledge_held(n, lane, r, p->connection, now);
        r->ce = ce;
    }
    if (p->seq != r->next || p->size_flags & ORR_PACKET_TRIMMED) {
        receive_other(n, lane, r, p, now);
        return;
    }
    gap = r->beyond > 0;
    message = message_of(n, p); /* before its record is given back */
    accept(r);
    ORR_ASSERT(r->pending > 0 && (int32_t)(r->next - p->seq) > 0);
    if (last || gap || r->pending >= n->config->ack_every)
        acknowledge(n, lane, r, p, 0, 0, now);
    else
        hold_back(n, lane, r, p, now);
    if (last)
        deliver(n, r, message, now);
    if (gap)
        deliver_waiting(n, r, now);
}

void orr__receiver_datagram(struct orr_net *n, struct orr_lane *lane,
                            const struct orr_packet *p, int64_t now)
{
    struct orr_receiver *r = orr__receiver(n, p->connection);
    uint32_t id = message_of(n, p);
    struct orr_message *m;

    orr__telemetry_release(n, lane, p);
    if (r->apart & ORR_APART_CLOSED)
        return;
    m = orr__message(n, id);
    r->marks += (p->size_flags & ORR_PACKET_CE) != 0;
    ORR_ASSERT(m->received < m->packets);
    if (++m->received < m->packets)
        return;
    deliver(n, r, id, now);
    orr__message_release(n, lane, id);
}
