/* Plain ports: what explicit ports come to that have one queue, see plain.c. */
#ifndef ORR_NET_PORT_PLAIN_H
#define ORR_NET_PORT_PLAIN_H

#include "net/run/fabric.h"

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
 * are counted. smooth.h has a shorter way for most. */
void orr__plain_pass(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q,
                     struct orr_memory *m, const struct orr_packet *p);

#endif
