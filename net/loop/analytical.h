/* The network of `transport: analytical`: no packets. A message takes the
 * delays of its path and its time on the path's slowest link, whatever else is
 * under way; ASTRA-sim calls this congestion-unaware. With `contention: links`
 * it is stored whole at each node and waits for its turn on each link, without
 * limit: ASTRA-sim's congestion-aware network. */
#ifndef ORR_NET_LOOP_ANALYTICAL_H
#define ORR_NET_LOOP_ANALYTICAL_H

#include "net/host/host.h"

/* Sends message `id`, which the caller has filled in. */
void orr__analytical_send(struct orr_net *n, struct orr_sender *s, uint32_t id,
                          int64_t now);
/* Its end at the source (what: ORR_WHAT_GONE) or the destination
 * (ORR_WHAT_HERE); the message dies. */
void orr__analytical_end(struct orr_net *n, uint32_t what, uint32_t id,
                         int64_t now);
/* It has been stored at this node, on its way (ORR_WHAT_HOP). */
void orr__analytical_hop(struct orr_net *n, uint32_t node, uint32_t id,
                         int64_t now);
/* ECONFIG if something is asked for that such a network has not. */
ORR_CHECK_RESULT orr_err orr__analytical_check(const struct orr_net *n,
                                               struct orr_report *why);

#endif
