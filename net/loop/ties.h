/* Packets that arrive at one node at one time: how often their order, which a
 * hash decides, mattered. Counted while somebody asked for it
 * (orr__net_random_ties_begin): such a stretch need not come again. */
#ifndef ORR_NET_LOOP_TIES_H
#define ORR_NET_LOOP_TIES_H

#include "net/fabric/fabric.h"

/* Arrivals of this process are due at the time of that source, and
 * lots are to be drawn. */
void orr__random_ties_snapshot(struct orr_net *n, const struct orr_process *p,
                               uint32_t best);
/* These packets arrive at once, and lots are drawn. */
void orr__random_ties_used(struct orr_net *n, const uint32_t *link,
                           const struct orr_packet *const *packet,
                           uint32_t count);

#endif
