/* How soon all packets of a flow can be there at the earliest, alone, if they
 * need not keep to one path. Ideal times are made from it. */
#ifndef ORR_NET_IDEAL_MULTIPATH_H
#define ORR_NET_IDEAL_MULTIPATH_H

#include "net/fabric/fabric.h"

/* What a flow puts on the wire: full packets, then one more. */
struct orr_packet_train {
    uint64_t full;                   /* packets; may be 0 */
    uint32_t full_bytes, last_bytes; /* > 0; the last is not the larger */
};

/* Room for the search, if anything in this run may take several ways. */
bool orr__multipath_new(struct orr_net *n);
void orr__multipath_free(struct orr_net *n);

/* No train can be there in full before this, ps after it set out. anywhere:
 * routes may lead over any links. For one thread at a time, and only where
 * packets may take several ways. */
int64_t orr__multipath_arrival(const struct orr_net *n,
                               const uint64_t *rate_bps, uint32_t src,
                               uint32_t dst, const struct orr_packet_train *t,
                               bool anywhere);

#endif
