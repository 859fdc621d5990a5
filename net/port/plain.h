/* Plain ports: what explicit ports come to that have one queue, see plain.c. */
#ifndef ORR_NET_PORT_PLAIN_H
#define ORR_NET_PORT_PLAIN_H

#include "net/fabric/fabric.h"
#include "net/port/pfc.h"
#include "net/port/port.h"

/* orr__egress_send. */
bool orr__plain_send(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q,
                     const struct orr_packet *p, int64_t now, bool own);
/* orr__egress_start. */
void orr__plain_start(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, struct orr_queue *q, int64_t now);
/* The packet in service leaves now: orr__port_departed, which is to enter when
 * the port has to be looked at next. */
void orr__plain_departed(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         int64_t now);
/* Of a port that is caught up with and not simple: what has left by now, then a
 * packet of another node's, which arrives now. m: this node's memory, if ports
 * are counted. Smooth ones have a shorter way. */
void orr__plain_pass(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q,
                     struct orr_memory *m, const struct orr_packet *p);

/* ---- smooth ones ----------------------------------------------------------
 *
 * Plain ports that are caught up with, as long as nothing holds them up and
 * nothing is lost behind them: the way of most packets.
 *
 * When all that a port has will have left is known, and that is all that a
 * packet has to be told that comes in; departures are dealt with many at a
 * time, when the port has run dry, or when a window ends. Whoever has to know
 * of each in time, catches up before. */

/* What has left by `now` of a port that is smooth. m: what its node has, if
 * packets are counted. */
void orr__plain_drain(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, struct orr_queue *q,
                      struct orr_memory *m, int64_t now);

/* A packet that came to an idle port went into service. Not of simple ones. */
void orr__plain_begun(const struct orr_net *n, const struct orr_port *port,
                      struct orr_queue *q, const struct orr_packet *p,
                      int64_t now);

/* Of ports whose packets are counted; those of simple ports always go
 * smoothly. */
static inline bool orr__is_smooth(const struct orr_queue *q)
{
    return q->counted && !q->stamps && !q->lossy
           && !(q->paused | (q->told ^ q->wanted))
           && !(q->gap | q->serving_fifo);
}

/* The packet in service leaves, and nothing waits. */
static inline __attribute__((always_inline)) void orr__smooth_last(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    struct orr_queue *q, struct orr_memory *m, bool simple)
{
    struct orr_packet *p = orr__port_slot(port, port->tail++);

    if (!simple)
        orr__calm_leaves(n, m, q->fifo, p);
    ORR_ASSERT(!(p->size_flags & ORR_PACKET_OWN) && !q->waiting);
    p->at = q->busy_until + port->delay_ps;
    q->busy = false;
    if (!port->dirty)
        orr__port_changed(n, lane, port);
}

/* The packet is the port's, after `wait`: it goes into service, or waits.
 * simple: the port's flag; looks: packets have telemetry. */
static inline __attribute__((always_inline)) void orr__smooth_push(
    struct orr_net *n, struct orr_port *port, struct orr_queue *q,
    const struct orr_packet *p, uint32_t size_flags, int64_t ticket,
    int64_t wait, int64_t time, bool simple, bool looks)
{
    uint32_t end = wait ? port->tail + 1 + q->waiting : port->tail;
    struct orr_packet *slot;

    if (__builtin_expect(orr__port_full(port, end), 0)
        && !orr__port_grow(n, port, end))
        return;
    slot = orr__port_slot(port, end);
    *slot = *p;
    slot->at = ticket;
    slot->size_flags = size_flags;
    if (wait) {
        q->waiting++;
        q->waiting_ps += time;
        q->waiting_bytes += size_flags >> ORR_PACKET_FLAG_BITS;
        return;
    }
    q->busy = true;
    q->busy_until = port->free_at = p->at + time;
    if (!looks)
        return;
    if (!simple) {
        orr__plain_begun(n, port, q, slot, p->at);
        return;
    }
    if (p->dst_kind & ORR_PACKET_TELEMETRY && !(size_flags & ORR_PACKET_ACK)) {
        struct orr_cc_telemetry *t = orr__telemetry(n, p->aux);

        if (t->hops < n->telemetry_room)
            orr__egress_stamp_hop(n, port, q, p, p->at, 0, t);
    }
    q->seen = port->tail + 1;
}

/* A packet of another node's arrives, by this link; where packets are counted
 * that has to be known. simple: the port's flag; else it is smooth. looks:
 * packets have telemetry. A record of that knows what waits when a packet goes
 * into service, which of packets that are counted is not known afterwards: they
 * name the link that they came by, and not the time. */
static inline __attribute__((always_inline)) void orr__smooth_pass(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    struct orr_queue *q, struct orr_memory *m, uint32_t link,
    const struct orr_packet *p, bool simple, bool looks)
{
    uint32_t size_flags = p->size_flags, bytes = orr__packet_size(p);
    int64_t now = p->at, time = orr__port_time(n, port, bytes), wait = 0;
    enum orr_verdict verdict = ORR_VERDICT_PASS;

    ORR_ASSERT(q->busy || !q->waiting);
    if (q->busy) {
        wait = q->busy_until + q->waiting_ps - now;
        if (wait <= 0 && !q->waiting)
            orr__smooth_last(n, lane, port, q, m, simple);
        else if (wait <= 0 || (!simple && looks))
            orr__plain_drain(n, lane, port, q, m, now);
        wait = wait > 0 ? wait : 0;
    }
    if (!(size_flags & ORR_PACKET_ACK)) {
        if (wait > port->mark_ps)
            verdict = ORR_VERDICT_MARK;
        else if (wait > q->judged_ps)
            verdict = orr__port_judge(n, port, q, q->fifo, p, wait,
                                      wait ? 0 : now - q->busy_until);
        if (verdict == ORR_VERDICT_DROP) {
            orr__egress_drop(n, lane, port, p, now);
            return;
        }
    }
    if (!simple) {
        orr__calm_enters(n, m, q->fifo, link, p);
    } else if (__builtin_expect(wait + time > port->drop_ps, 0)) {
        orr__egress_drop(n, lane, port, p, now);
        return;
    }
    if (verdict == ORR_VERDICT_MARK) {
        size_flags |= ORR_PACKET_CE;
        port->marks++;
        lane->marks++;
    }
    port->bytes += bytes;
    port->packets++;
    orr__port_area(n, port, bytes, 2 * (uint64_t)wait + (uint64_t)time);
    if (wait + time > port->max_ps)
        port->max_ps = wait + time;
    orr__smooth_push(n, port, q, p, size_flags,
                     simple ? now : orr__ticket(link, q->order++), wait, time,
                     simple, looks);
}

#endif
