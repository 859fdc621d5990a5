/* Sending at a switch that catches up with departures of its explicit ports: a
 * port knows of them when a packet comes to it, or a window ends. */
#ifndef ORR_NET_LOOP_CAUGHT_UP_H
#define ORR_NET_LOOP_CAUGHT_UP_H

#include "net/fabric/due.h"
#include "net/fabric/queue.h"
#include "net/fabric/routing.h"
#include "net/port/buffer.h"
#include "net/port/composite.h"
#include "net/port/pfc.h"
#include "net/port/single_queue.h"

/* Departures before `end` of all ports of a node. Returns the next one, no
 * later than `next`. */
int64_t orr__departures(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_process *p, int64_t end, int64_t next);

/* A pause frame has come, for the port that leads back. */
static inline void orr__caught_up_pause(struct orr_net *n,
                                        struct orr_lane *lane, uint32_t link,
                                        const struct orr_packet *p)
{
    uint32_t back = orr__reverse(n, link);

    orr__port_catch_up(n, lane, n->queue[back], back, p->at + 1);
    orr__pfc_arrival(n, lane, link, p);
}

/* May this one be sent although departures of other ports were not dealt with
 * up to its time? They are if in doubt. m: the node's memory. */
static inline bool orr__stays_calm(struct orr_net *n, struct orr_lane *lane,
                                   const struct orr_process *p,
                                   const struct orr_memory *m, uint32_t link,
                                   const struct orr_packet *packet)
{
    if (__builtin_expect(orr__memory_has(n, m, link, packet), 1))
        return true;
    orr__departures(n, lane, p, packet->at + 1, ORR_NEVER);
    return orr__memory_rests(n, p->node) && orr__memory_has(n, m, link, packet);
}

/* A packet goes to a port of another kind, which is brought up to its
 * time. */
static __attribute__((noinline, unused)) void orr__caught_up_send_other(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *out,
    struct orr_queue *q, const struct orr_packet *packet)
{
    orr__port_catch_up(n, lane, q, out->id, packet->at + 1);
    orr__port_send_by_queue(n, lane, out, packet, packet->at, false);
}

/* Ports are brought up to a packet's time before it is sent, or know as much
 * of it as has to be known (single_queue.h). q: of `out`, or NULL: it is not
 * decided yet where the packet goes. m: the node's memory; NULL: none is
 * shared, and nobody is told to pause. */
static inline __attribute__((always_inline)) void orr__caught_up_send(
    struct orr_net *n, struct orr_lane *lane, struct orr_node *node,
    struct orr_memory *m, uint32_t in, const struct orr_packet *packet,
    struct orr_port *out, struct orr_queue *q)
{
    struct orr_packet own;

    lane->ingress = in;
    if (!q) {
        if (packet->dst_kind & ORR_PACKET_PAUSE) {
            orr__caught_up_pause(n, lane, in, packet);
            return;
        }
        out = &n->port[orr__route_taken(n, node, &packet, &own)];
        q = n->queue[out->id];
    }
    if (q->composite)
        orr__composite_pass(n, lane, out, q, in, packet);
    else if (!q->single)
        orr__caught_up_send_other(n, lane, out, q, packet);
    else if (q->bare)
        orr__unhindered_pass((struct orr_single_queue){n, lane, out, q, NULL},
                             in, packet, true, n->telemetry_room);
    else if (m && orr__is_unhindered(q))
        orr__unhindered_pass((struct orr_single_queue){n, lane, out, q, m}, in,
                             packet, false, n->telemetry_room);
    else
        orr__single_queue_pass(n, lane, out, q, m, packet);
}

#endif
