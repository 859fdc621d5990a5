/* Explicit ports: queues by class, and departures that are events. */
#ifndef ORR_NET_PORT_EGRESS_H
#define ORR_NET_PORT_EGRESS_H

#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"

/* orr__port_send of an explicit port. */
bool orr__egress_send(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, const struct orr_packet *p,
                      int64_t now, bool own);
/* Starts the port if it is idle and has something that it may send. */
void orr__egress_start(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port, int64_t now);
/* What ports of a single queue need of it. The port has stood still since
 * blocked_from: enters that for all that waits. To be called before
 * `waiting_bytes` changes. */
void orr__egress_settle(struct orr_net *n, struct orr_port *port,
                        struct orr_queue *q, int64_t now);
/* May the head of what goes first do so although others are ready? Takes note
 * of it. */
bool orr__egress_go_ahead(const struct orr_net *n, struct orr_queue *q);
/* Cuts a data packet down to its header, if the queue does that. */
bool orr__egress_cut(const struct orr_net *n, const struct orr_port *port,
                     const struct orr_queue *q, struct orr_packet *p);
/* Puts a pause frame into service. */
void orr__egress_frame(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port, struct orr_queue *q, int64_t now);
/* In-band telemetry, as a packet is taken out to be sent. */
void orr__egress_stamp(const struct orr_net *n, const struct orr_port *port,
                       struct orr_queue *q, const struct orr_packet *p,
                       int64_t now);
/* What a hop tells of itself; t has room. unseen: of the bytes that wait, those
 * that came after `now`. */
static inline void orr__egress_stamp_hop(const struct orr_net *n,
                                         const struct orr_port *port,
                                         const struct orr_queue *q,
                                         const struct orr_packet *p,
                                         int64_t now, uint64_t unseen,
                                         struct orr_cc_telemetry *t)
{
    t->path = (t->path ^ port->id) * 0x9e3779b1u; /* odd: nothing is lost */
    t->hop[t->hops++] = (struct orr_cc_hop){
        .at_ps = now,
        .sent_bytes = port->bytes - q->waiting_bytes - orr__packet_size(p),
        .queue_bytes = q->waiting_bytes - unseen,
        .rate_bps = n->rate_bps[port->id],
    };
}
/* A packet that comes by the lane's `ingress` takes room in the node's memory,
 * if there is enough; one that leaves, the host's own apart, gives it back. Of
 * ports that are `counted`. */
bool orr__egress_admit(struct orr_net *n, struct orr_lane *lane,
                       const struct orr_port *port, struct orr_queue *q,
                       uint32_t fifo, const struct orr_packet *p, int64_t now);
void orr__egress_release(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         const struct orr_packet *p, int64_t now);
void orr__egress_drop(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, const struct orr_packet *p,
                      int64_t now);

/* Whether nothing goes into service from now on. */
void orr__egress_darken(struct orr_net *n, struct orr_lane *lane,
                        struct orr_port *port, bool dark, int64_t now);
/* What `paused` holds from now on. */
void orr__egress_pause(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port, uint8_t paused, int64_t now);
/* Packets that wait or are being sent. */
static inline uint32_t orr__egress_packets(const struct orr_queue *q)
{
    return q->waiting + q->busy;
}

/* How long those take from `now` on, ps. */
static inline int64_t orr__egress_backlog(const struct orr_queue *q,
                                          int64_t now)
{
    int64_t left = q->waiting_ps + (q->busy ? q->busy_until - now : 0);

    /* A port that is caught up with may not know of departures before now. */
    return left > 0 ? left : 0;
}

#endif
