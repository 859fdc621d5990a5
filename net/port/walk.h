/* What of a port decides its future (core/walk.h): what is on its link, what
 * waits, and what its scheduler, its queue and its pause frames remember. */
#ifndef ORR_NET_PORT_WALK_H
#define ORR_NET_PORT_WALK_H

#include "core/walk.h"
#include "net/host/host.h"

/* When it is free, if that is to come. */
void orr__free_walk(int64_t *free_at, struct orr_walk *w);
/* What a packet is; not when it comes, nor its record. */
void orr__packet_walk(const struct orr_net *n, const struct orr_packet *p,
                      struct orr_walk *w);
/* What hops told of themselves to a packet of this connection, which keeps to
 * one way. Their ports have been walked. */
void orr__hops_walk(const struct orr_net *n, const struct orr_sender *s,
                    struct orr_cc_hop *hop, uint32_t hops, struct orr_walk *w);
/* The record that a packet carries, if any; likewise. */
void orr__record_walk(const struct orr_net *n, const struct orr_packet *p,
                      struct orr_walk *w);

/* All but the packets. */
void orr__port_walk(struct orr_net *n, struct orr_port *port,
                    struct orr_walk *w);
/* Those on the link and in the queue, with their records: after all ports. */
void orr__port_walk_packets(struct orr_net *n, struct orr_port *port,
                            struct orr_walk *w);
/* What nodes that hold packets for several ports have of them: shared memory,
 * pause frames. */
void orr__memories_walk(struct orr_net *n, struct orr_walk *w);

#endif
