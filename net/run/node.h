/* What a process does in a window: what its parts share. Private to
 * net/run/. */
#ifndef ORR_NET_RUN_NODE_H
#define ORR_NET_RUN_NODE_H

#include "core/fingerprint.h"
#include "net/run/fabric.h"

/* Arrivals at one time are in order of a seeded hash instead of the link id, so
 * that low ports have no lasting advantage. */
static inline uint64_t orr__tie(const struct orr_net *n, uint32_t link,
                                int64_t now)
{
    uint64_t key[2] = {(uint64_t)now, (uint64_t)n->port[link].to << 32 | link};

    return XXH3_64bits_withSeed(key, sizeof key, n->seed);
}

/* A node's digest with this arrival. */
static inline uint64_t orr__node_digest(uint64_t d, const struct orr_packet *p)
{
    return orr__digest(d, (uint64_t)p->at ^ p->size_flags,
                       (uint64_t)p->hash << 32 | p->seq);
}

/* A process with only_arrivals, up to `end`; returns its next event. */
int64_t orr__switch_run(struct orr_net *n, struct orr_lane *lane,
                        struct orr_process *p, int64_t end);
/* The same of one that catches_up. Next event: an arrival, or a departure that
 * is still to come. */
int64_t orr__switch_catch_up(struct orr_net *n, struct orr_lane *lane,
                             struct orr_process *p, int64_t end);

#endif
