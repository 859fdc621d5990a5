/* Composite ports: one queue of data, or of all, and before it one of what
 * always goes first (cut packets and ACKs), as CompositeQueue of htsim is; data
 * is judged when it is taken out to be sent. What egress.c comes to for them
 * where nothing is shared, paused, lost or looked at, and the rate stays. */
#ifndef ORR_NET_PORT_COMPOSITE_H
#define ORR_NET_PORT_COMPOSITE_H

#include "net/fabric/fabric.h"

/* orr__egress_send. */
bool orr__composite_send(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         const struct orr_packet *p, int64_t now, bool own);
/* The packet in service leaves now, and the next one goes into service;
 * orr__port_departed is to enter when the port has to be looked at next. */
void orr__composite_departed(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, struct orr_queue *q,
                             int64_t now);
/* Of a port that is caught up with: what has left by now; then a packet of
 * another node's, which arrives by this link, comes in. */
void orr__composite_drain(struct orr_net *n, struct orr_lane *lane,
                          struct orr_port *port, struct orr_queue *q,
                          int64_t now);
void orr__composite_pass(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         uint32_t link, const struct orr_packet *p);

#endif
