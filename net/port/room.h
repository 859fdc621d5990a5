/* Limits of a port's queue beside its backlog: how many packets it holds
 * (`limit`), and the packet in service counted whole against the capacity
 * (`in_service: whole`). Only ports that are `limited` ask. */
#ifndef ORR_NET_PORT_ROOM_H
#define ORR_NET_PORT_ROOM_H

#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"

/* What follows from the rate in force, in a queue that is made. */
void orr__room_tune(const struct orr_net *n, const struct orr_port *port,
                    struct orr_queue *q);

/* Is there room for one more at `now`? done: the backlog and the time of this
 * one, which the capacity has room for. Of a computed port. */
bool orr__room_computed(const struct orr_net *n, const struct orr_port *port,
                        const struct orr_queue *q, int64_t now, int64_t done);
/* The same of one queue of an explicit port; left: of the packet in service, as
 * time at the rate in force. */
bool orr__room_explicit(const struct orr_net *n, const struct orr_port *port,
                        const struct orr_queue *q, uint32_t fifo, int64_t left,
                        int64_t done);

#endif
