/* The ports of a host with several, for the packets that it sends itself. They
 * wait with their connections, and a port holds one at a time: what would be
 * good among the queues of a switch may leave ports idle here. */
#ifndef ORR_NET_PATH_OWN_H
#define ORR_NET_PATH_OWN_H

#include "net/fabric/fabric.h"

/* Where routing is by packet: the link by which a host's own packet is to leave
 * at the time in `at`. What is ROUTED goes as everywhere.
 * spray: each connection's data, and the ACKs of each, take the next hops in
 *   turn, in proportion to their rates; connections begin one after the other.
 * adaptive, per packet: the next hop whose port is free soonest, to the
 *   picosecond; ports that are paused only if all are.
 * Else as at a switch. */
uint32_t orr__path_own(struct orr_net *n, uint32_t host, struct orr_packet *p);

/* Which of n > 0 things comes at place `turn` of an order in which each comes
 * in proportion to its rate, as evenly as can be: after any number of turns the
 * first has had its share, rounded up or down, and so has the second of the
 * others' turns, and so on. rate_bps: by w.link. */
uint32_t orr__path_in_round(const uint64_t *rate_bps, struct orr_path_hops w,
                            uint32_t turn);

#endif
