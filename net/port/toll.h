/* What each outage of a link takes: packets, one by one, so that those of all
 * outages, of full queues, of chance and of lost routes add up to all that were
 * dropped. */
#ifndef ORR_NET_PORT_TOLL_H
#define ORR_NET_PORT_TOLL_H

#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"

struct orr_toll {           /* one an outage of the link, in their order */
    uint64_t packets;       /* that it takes */
    struct orr_spans ahead; /* of these, at a computed port: when they leave */
    uint32_t order; /* explicit: those numbered below it were queued before the
                     * link came back; set as it does */
};

#define ORR_NO_OUTAGE UINT32_MAX

/* Zeroed tolls of q->outages; false: out of memory. */
bool orr__toll_init(struct orr_queue *q);
void orr__toll_fini(struct orr_queue *q);
/* The outage that takes a packet that was queued at `queued`, -1: before the
 * link came back last, and would be at the link's end at `arrives`;
 * ORR_NO_OUTAGE: none does. */
uint32_t orr__toll_taker(const struct orr_queue *q, const struct orr_packet *p,
                         int64_t queued, int64_t arrives);
/* It took one, which begins to leave at `from`. */
void orr__toll_count(struct orr_net *n, struct orr_queue *q, uint32_t outage,
                     int64_t now, int64_t from, int64_t left);

#endif
