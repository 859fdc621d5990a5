/* What of a port decides its future (core/snapshot.h): what is on its link,
 * what waits, and what its scheduler, its queue and its pause frames remember.
 */
#ifndef ORR_NET_WATCH_PORT_SNAPSHOT_H
#define ORR_NET_WATCH_PORT_SNAPSHOT_H

#include "core/snapshot.h"
#include "net/host/host.h"

/* When it is free, if that is to come. */
void orr__free_snapshot(int64_t *free_at, struct orr_snapshot *w);
/* What a packet is; not when it comes, nor its record. */
void orr__packet_snapshot(const struct orr_net *n, const struct orr_packet *p,
                          struct orr_snapshot *w);
/* Telemetry of hops in packets of this connection, which keeps to
 * one way. Their ports have been walked. */
void orr__hops_snapshot(const struct orr_net *n, const struct orr_sender *s,
                        struct orr_cc_hop *hop, uint32_t hops,
                        struct orr_snapshot *w);
/* The record that a packet carries, if any; likewise. */
void orr__record_snapshot(const struct orr_net *n, const struct orr_packet *p,
                          struct orr_snapshot *w);

/* All but the packets. */
void orr__port_snapshot(struct orr_net *n, struct orr_port *port,
                        struct orr_snapshot *w);
/* Those on the link and in the queue, with their records: after all ports. */
void orr__port_snapshot_packets(struct orr_net *n, struct orr_port *port,
                                struct orr_snapshot *w);
/* What nodes that hold packets for several ports have of them: shared memory,
 * pause frames. */
void orr__memories_snapshot(struct orr_net *n, struct orr_snapshot *w);

#endif
