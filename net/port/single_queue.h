/* Explicit ports of a single queue: see single_queue.c. */
#ifndef ORR_NET_PORT_SINGLE_QUEUE_H
#define ORR_NET_PORT_SINGLE_QUEUE_H

#include "net/fabric/fabric.h"
#include "net/port/pfc.h"
#include "net/port/port.h"

/* A port of a single queue, and what is needed with it. By value to what is
 * inlined, where it is taken apart. */
struct orr_single_queue {
    struct orr_net *net;
    struct orr_lane *lane; /* of the worker that runs the port's node */
    struct orr_port *port;
    struct orr_queue *queue;   /* the port's */
    struct orr_memory *memory; /* its node's, where packets are counted */
};

/* orr__egress_send. */
bool orr__single_queue_send(struct orr_net *n, struct orr_lane *lane,
                            struct orr_port *port, struct orr_queue *q,
                            const struct orr_packet *p, int64_t now, bool own);
/* orr__egress_start. */
void orr__single_queue_start(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, struct orr_queue *q,
                             int64_t now);
/* The packet in service leaves now: orr__port_departed, which is to enter when
 * the port has to be looked at next. */
void orr__single_queue_departed(struct orr_net *n, struct orr_lane *lane,
                                struct orr_port *port, struct orr_queue *q,
                                int64_t now);
/* Of a port that is caught up with and not bare: what has left by now, then a
 * packet of another node's, which arrives now. m: this node's memory, if ports
 * are counted. Unhindered ones have a shorter one. */
void orr__single_queue_pass(struct orr_net *n, struct orr_lane *lane,
                            struct orr_port *port, struct orr_queue *q,
                            struct orr_memory *m, const struct orr_packet *p);

/* ---- unhindered ports -----------------------------------------------------
 *
 * Ports that are caught up with, as long as nothing holds them up and
 * nothing is lost behind them: the way of most packets.
 *
 * When all that a port has will have left is known, and that is all that a
 * packet has to be told that comes in; departures are dealt with many at a
 * time, when the port has run dry, or when a window ends. Whoever has to know
 * of each in time, catches up before. */

/* What has left by `now` of a port that is unhindered. m: what its node has, if
 * packets are counted. */
void orr__single_queue_drain(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, struct orr_queue *q,
                             struct orr_memory *m, int64_t now);

/* A packet that came to an idle port went into service. Not of bare ones. */
void orr__single_queue_begun(const struct orr_net *n,
                             const struct orr_port *port, struct orr_queue *q,
                             const struct orr_packet *p, int64_t now);

/* Of ports whose packets are counted; bare ones always are. */
static inline bool orr__is_unhindered(const struct orr_queue *q)
{
    return q->counted && !q->stamps && !q->lossy
           && !(q->paused | (q->announced ^ q->wanted))
           && !(q->gap | q->serving_fifo);
}

/* The packet in service leaves, and nothing waits. */
static inline __attribute__((always_inline)) void orr__unhindered_send_last(
    struct orr_single_queue at, bool bare)
{
    struct orr_port *port = at.port;
    struct orr_queue *q = at.queue;
    struct orr_packet *p = orr__port_slot(port, port->tail++);

    if (!bare)
        orr__calm_leaves(at.net, at.memory, q->fifo, p);
    ORR_ASSERT(!(p->size_flags & ORR_PACKET_OWN) && !q->waiting);
    p->at = q->busy_until + port->delay_ps;
    q->busy = false;
    if (!port->dirty)
        orr__port_changed(at.net, at.lane, port);
}

/* What was decided of a packet that a port takes. */
struct orr_accepted {
    uint32_t size_flags; /* with which it goes on */
    int64_t ticket;      /* its `at` while it waits */
    int64_t wait, time;  /* until it goes into service; then to send it; ps */
};

/* The packet is the port's, after `wait`: it goes into service, or waits.
 * bare: the port's flag; looks: packets have telemetry. */
static inline __attribute__((always_inline)) void orr__unhindered_push(
    struct orr_single_queue at, const struct orr_packet *p,
    struct orr_accepted a, bool bare, bool observed)
{
    struct orr_net *n = at.net;
    struct orr_port *port = at.port;
    struct orr_queue *q = at.queue;
    uint32_t end = a.wait ? port->tail + 1 + q->waiting : port->tail;
    struct orr_packet *slot;

    if (__builtin_expect(orr__port_full(port, end), 0)
        && !orr__port_grow(n, port, end))
        return;
    slot = orr__port_slot(port, end);
    *slot = *p;
    slot->at = a.ticket;
    slot->size_flags = a.size_flags;
    if (a.wait) {
        q->waiting++;
        q->waiting_ps += a.time;
        q->waiting_bytes += a.size_flags >> ORR_PACKET_FLAG_BITS;
        return;
    }
    q->busy = true;
    q->busy_until = port->free_at = p->at + a.time;
    if (!observed)
        return;
    if (!bare) {
        orr__single_queue_begun(n, port, q, slot, p->at);
        return;
    }
    if (p->dst_kind & ORR_PACKET_TELEMETRY
        && !(a.size_flags & ORR_PACKET_ACK)) {
        struct orr_cc_telemetry *t = orr__telemetry(n, p->aux);

        if (t->hops < n->telemetry_room)
            orr__egress_stamp_hop(n, port, q, p, p->at, 0, t);
    }
    q->seen = port->tail + 1;
}

/* The verdict on a packet that would wait so long, ps. */
static inline __attribute__((always_inline)) enum orr_verdict
orr__unhindered_judge(struct orr_single_queue at, const struct orr_packet *p,
                      int64_t wait)
{
    if (p->size_flags & ORR_PACKET_ACK)
        return ORR_VERDICT_PASS;
    if (wait > at.port->mark_ps)
        return ORR_VERDICT_MARK;
    if (wait <= at.queue->judged_ps)
        return ORR_VERDICT_PASS;
    return orr__port_judge(at.net, at.port, at.queue, at.queue->fifo, p, wait,
                           wait ? 0 : p->at - at.queue->busy_until);
}

/* A packet of another node's arrives, by this link; where packets are counted
 * that has to be known. bare: the port's flag; else it is unhindered. looks:
 * packets have telemetry. A record of that knows what waits when a packet goes
 * into service, which of packets that are counted is not known afterwards: they
 * name the link that they came by, and not the time. */
static inline __attribute__((always_inline)) void orr__unhindered_pass(
    struct orr_single_queue at, uint32_t link, const struct orr_packet *p,
    bool bare, bool observed)
{
    struct orr_net *n = at.net;
    struct orr_lane *lane = at.lane;
    struct orr_port *port = at.port;
    struct orr_queue *q = at.queue;
    uint32_t size_flags = p->size_flags, bytes = orr__packet_size(p);
    int64_t now = p->at, time = orr__port_time(n, port, bytes), wait = 0;
    enum orr_verdict verdict;

    ORR_ASSERT(q->busy || !q->waiting);
    if (q->busy) {
        wait = q->busy_until + q->waiting_ps - now;
        if (wait <= 0 && !q->waiting)
            orr__unhindered_send_last(at, bare);
        else if (wait <= 0 || (!bare && observed))
            orr__single_queue_drain(n, lane, port, q, at.memory, now);
        wait = wait > 0 ? wait : 0;
    }
    verdict = orr__unhindered_judge(at, p, wait);
    if (verdict == ORR_VERDICT_DROP) {
        orr__egress_drop(n, lane, port, p, now);
        return;
    }
    if (!bare) {
        orr__calm_enters(n, at.memory, q->fifo, link, p);
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
    orr__unhindered_push(
        at, p,
        (struct orr_accepted){.size_flags = size_flags,
                              .ticket =
                                  bare ? now : orr__ticket(link, q->order++),
                              .wait = wait,
                              .time = time},
        bare, observed);
}

#endif
