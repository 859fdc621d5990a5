/* Sending on a port. */
#ifndef ORR_NET_PORT_PORT_H
#define ORR_NET_PORT_PORT_H

#include "core/units.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/fabric/queue.h"
#include "net/port/egress.h"

/* Time to send so many bytes where one takes a whole number of ps; else 0. */
static inline int64_t orr__port_quick_time(const struct orr_port *port,
                                           uint32_t bytes)
{
    return (int64_t)((uint64_t)bytes * port->ps_per_byte);
}

/* The same at any rate. Rates that do not give a whole number of ps a
 * byte remember the last size. */
static inline int64_t orr__port_time(const struct orr_net *n,
                                     struct orr_port *port, uint32_t bytes)
{
    if (__builtin_expect(port->ps_per_byte != 0, 1))
        return orr__port_quick_time(port, bytes);
    if (port->memo_bytes != bytes) {
        port->memo_ps = orr__serialisation(bytes, n->rate_bps[port->id]);
        port->memo_bytes = bytes;
    }
    return port->memo_ps;
}

#define ORR_PORT_LONGEST (INT64_C(1) << 60) /* ps: 13 days */

/* What follows from the rate of its link: limits, time for a byte. */
void orr__port_tune(struct orr_net *n, struct orr_port *port);
/* Rare: the ring is full; it has packets up to `end`. False when out of
 * memory. */
bool orr__port_grow(struct orr_net *n, struct orr_port *port, uint32_t end);

/* The first packet in this window. */
static inline void orr__port_changed(struct orr_net *n, struct orr_lane *lane,
                                     struct orr_port *port)
{
    struct orr_link_list *list = &lane->dirty[port->to_worker];

    if (port->local) {
        orr__fabric_local(n, lane, port);
        return;
    }
    port->dirty = true;
    list->link[list->count++] = (uint32_t)(port - n->port);
}

/* Puts a packet on the link, to arrive at `at`. *p may lie on another link: a
 * slot keeps its contents until the exchange. */
static inline __attribute__((always_inline)) void orr__port_push(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    const struct orr_packet *p, uint32_t size_flags, int64_t at)
{
    struct orr_packet *slot;

    if (__builtin_expect(port->tail == port->limit, 0)
        && !orr__port_grow(n, port, port->tail)) {
        lane->dropped++;
        return;
    }
    slot = orr__port_slot(port, port->tail++);
    *slot = *p;
    slot->at = at;
    slot->size_flags = size_flags;
    if (!port->dirty)
        orr__port_changed(n, lane, port);
}

/* Time until a port of this node has sent what it has: the same for computed
 * and explicit ports. */
static inline int64_t orr__port_backlog(const struct orr_net *n, uint32_t link,
                                        int64_t now)
{
    const struct orr_port *port = &n->port[link];

    if (n->explicit)
        return orr__egress_backlog(n->queue[link], now);
    return port->free_at > now ? port->free_at - now : 0;
}

/* By the queue: explicit ports, random marks and random loss, ports that an
 * observer watches (port.c). */
bool orr__port_send_by_queue(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, const struct orr_packet *p,
                             int64_t now, bool own);
/* Enters when an explicit port has to be looked at next: the packet in service
 * leaves, or its NIC has something to send again. Not of ports that are caught
 * up with. */
void orr__port_schedule(struct orr_net *n, uint32_t link);
/* The packet in service of an explicit port leaves now (egress.c). True: it was
 * of this host's NIC, which may send the next one at once; if the port is idle
 * it is entered when it has to be looked at next only after that, by the NIC.
 */
bool orr__port_departed(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                        int64_t now);
/* Deals with the departures before `end` of a port that is caught up with; q:
 * of this link. */
static inline void orr__port_catch_up(struct orr_net *n, struct orr_lane *lane,
                                      const struct orr_queue *q, uint32_t link,
                                      int64_t end)
{
    while (q->busy && q->busy_until < end)
        orr__port_departed(n, lane, link, q->busy_until);
}

/* Does the link lose a packet that was queued at `queued` and leaves at `left`?
 * If so, that is counted. Only where a link can lose any. */
bool orr__port_loses(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q,
                     const struct orr_packet *p, int64_t queued, int64_t left);
/* Puts a packet that has left on the link, unless the link loses it; lead: so
 * much earlier than its tail it is noticed at the end. */
static inline void orr__port_launch(struct orr_net *n, struct orr_lane *lane,
                                    struct orr_port *port, struct orr_queue *q,
                                    const struct orr_packet *p,
                                    uint32_t size_flags, int64_t queued,
                                    int64_t lead, int64_t left)
{
    if (__builtin_expect(q->lossy, 0)
        && orr__port_loses(n, lane, port, q, p, queued, left))
        return;
    orr__port_push(n, lane, port, p, size_flags, left + port->delay_ps - lead);
}

/* Rare: what orr__port_area does where 64 bits are too few for it. */
__attribute__((cold)) void orr__port_area_over(struct orr_net *n,
                                               struct orr_port *port,
                                               uint64_t bytes,
                                               uint64_t twice_ps);
/* So many bytes are in the queue for a while. The area is twice the integral of
 * the queue over time, byte * ps: a packet that takes `time` to leave is there
 * for its wait and, in the mean, half of that. In whole numbers, so that it is
 * the same in whatever order ports come to it, however long the run is. */
static inline void orr__port_area(struct orr_net *n, struct orr_port *port,
                                  uint64_t bytes, uint64_t twice_ps)
{
    uint64_t more, sum;

    if (__builtin_expect(__builtin_mul_overflow(bytes, twice_ps, &more), 0)
        || __builtin_expect(__builtin_add_overflow(port->area, more, &sum), 0))
        orr__port_area_over(n, port, bytes, twice_ps);
    else
        port->area = sum;
}

/* Of all that was accepted, entered in advance: what is still held will take
 * its part of it. */
static inline unsigned __int128 orr__port_area_of(const struct orr_net *n,
                                                  const struct orr_port *port)
{
    return (unsigned __int128)n->area_over[port->id] << 64 | port->area;
}

/* It is that from now on: another rate, or a walk, says so. */
static inline void orr__port_area_set(const struct orr_net *n,
                                      struct orr_port *port,
                                      unsigned __int128 area)
{
    port->area = (uint64_t)area;
    n->area_over[port->id] = (uint64_t)(area >> 64);
}

/* Packets that were accepted. Between windows. Those of computed ports are on
 * the ring, and counted there; `packets` are the others. */
static inline uint64_t orr__port_packets(const struct orr_net *n,
                                         const struct orr_port *port)
{
    uint32_t visible;

    if (n->explicit)
        return port->packets;
    visible = orr__inlet_of(n, port->id)->visible;
    return port->packets + ((uint64_t)n->rounds[port->id] << 32 | visible)
           + (port->tail - visible);
}

/* Counts a packet that is sent after `wait` and finds this backlog: the time
 * that what is before it takes at the rate in force. */
static inline void orr__port_account(struct orr_net *n, struct orr_port *port,
                                     uint32_t bytes, int64_t wait,
                                     int64_t backlog)
{
    int64_t time = orr__port_time(n, port, bytes);

    port->bytes += bytes;
    port->packets += n->explicit;
    orr__port_area(n, port, bytes, 2 * (uint64_t)wait + (uint64_t)time);
    if (backlog + time > port->max_ps)
        port->max_ps = backlog + time;
}
/* What the queue's judge says of a data packet. */
enum orr_verdict orr__port_judge(struct orr_net *n, struct orr_port *port,
                                 struct orr_queue *q, struct orr_fifo *f,
                                 const struct orr_packet *p, int64_t backlog,
                                 int64_t idle);

/* What becomes of a packet that has to be checked at a port (port.c): it was
 * dropped, or sent by the queue; or its size_flags, with which it goes on. */
enum { ORR_PORT_DROPPED, ORR_PORT_SENT };
uint32_t orr__port_send_checked(struct orr_net *n, struct orr_lane *lane,
                                struct orr_port *port,
                                const struct orr_packet *p, int64_t now,
                                bool own);

/* A port takes in a packet that need not be checked: what is counted. done: the
 * backlog and the time of the packet. */
static inline __attribute__((always_inline)) void orr__port_take_in(
    struct orr_net *n, struct orr_port *port, uint32_t bytes, int64_t now,
    int64_t backlog, int64_t done)
{
    ORR_ASSERT(done <= port->max_ps);
    port->bytes += bytes;
    orr__port_area(n, port, bytes, (uint64_t)done + (uint64_t)backlog);
    port->free_at = now + done;
}

/* Queues a packet at `now`. own: it comes from this host's NIC, which holds
 * back until there is room, so it is never dropped for lack of it. False: it
 * was dropped. The computed port: its departure is known at once. */
static inline __attribute__((always_inline)) bool orr__port_send(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    const struct orr_packet *p, int64_t now, bool own)
{
    uint32_t size_flags = p->size_flags, bytes = orr__packet_size(p);
    int64_t backlog = port->free_at > now ? port->free_at - now : 0;
    int64_t done = backlog + orr__port_quick_time(port, bytes);

    if (__builtin_expect((uint64_t)done >= port->unchecked_below, 0)) {
        size_flags = orr__port_send_checked(n, lane, port, p, now, own);
        if (size_flags <= ORR_PORT_SENT)
            return size_flags;
    } else {
        ORR_ASSERT(backlog <= port->mark_ps && done <= port->drop_ps);
    }
    orr__port_take_in(n, port, bytes, now, backlog, done);
    orr__port_push(n, lane, port, p, size_flags,
                   port->free_at + port->delay_ps);
    return true;
}

/* A packet of so many bytes is sent at `now` that is made where it lies, all of
 * it but its time. NULL: it has to be checked, or there is no slot. */
static inline __attribute__((always_inline)) struct orr_packet *orr__port_make(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    uint32_t bytes, int64_t now)
{
    int64_t backlog = port->free_at > now ? port->free_at - now : 0;
    int64_t done = backlog + orr__port_quick_time(port, bytes);
    struct orr_packet *slot;

    if (__builtin_expect((uint64_t)done >= port->unchecked_below
                             || port->tail == port->limit,
                         0))
        return NULL;
    orr__port_take_in(n, port, bytes, now, backlog, done);
    slot = orr__port_slot(port, port->tail++);
    slot->at = port->free_at + port->delay_ps;
    if (!port->dirty)
        orr__port_changed(n, lane, port);
    return slot;
}

/* The same, as a call: for all but the shortest paths. */
bool orr__port_pass(struct orr_net *n, struct orr_lane *lane,
                    struct orr_port *port, const struct orr_packet *p,
                    int64_t now, bool own);

#endif
