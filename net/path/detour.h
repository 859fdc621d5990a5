/* Ways of two parts: to some other switch, the stop, and from there to the
 * destination, each by a shortest path. Where a packet's stop is needs no room
 * in it: it is a hash of what the packet carries anyway. */
#ifndef ORR_NET_PATH_DETOUR_H
#define ORR_NET_PATH_DETOUR_H

#include "net/fabric/fabric.h"

/* The next link, from a node, of a packet that is ROUTED, by these routes. At
 * the first node that has a choice it decides whether to make a detour; its
 * DETOUR says so; at the stop, or where it takes the shortest path, ROUTED and
 * DETOUR are taken off. decides: n itself, whose flowlets are remembered; NULL:
 * no queue is looked at and nothing remembered. */
uint32_t orr__detour(const struct orr_net *n, const struct orr_routing *r,
                     uint32_t node, struct orr_packet *p,
                     struct orr_net *decides);

/* May packets between these hosts make detours, while all links are alive? */
bool orr__detoured(const struct orr_net *n, uint32_t src, uint32_t dst);

/* The path of a connection that keeps to one of the k shortest: its links, and
 * how many; 0: it goes by the tables. */
uint32_t orr__path_of_k(const struct orr_net *n, uint32_t src, uint32_t dst,
                        uint32_t hash, uint32_t *links);

#endif
