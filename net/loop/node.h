/* What a process does in a window: what its parts share. Private to
 * net/loop/. */
#ifndef ORR_NET_LOOP_NODE_H
#define ORR_NET_LOOP_NODE_H

#include "core/fingerprint.h"
#include "net/fabric/fabric.h"
#include "net/host/host.h"

/* Arrivals at one time are in order of a seeded hash instead of the link id, so
 * that low ports have no lasting advantage. */
static inline uint64_t orr__tie_of(const struct orr_net *n, uint32_t link,
                                   int64_t now)
{
    uint64_t key[2] = {(uint64_t)now,
                       (uint64_t)n->graph->to[link] << 32 | link};

    return XXH3_64bits_withSeed(key, sizeof key, n->seed);
}

/* The same where ties are counted: the net may be a part of another one, which
 * knows the link by another name (net/watch/bench.h). */
uint64_t orr__tie_counted(const struct orr_net *n, uint32_t link, int64_t now);

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
 * is still to come. It may catch up no longer when that returns: then there is
 * more to do in this window. */
int64_t orr__switch_catch_up(struct orr_net *n, struct orr_lane *lane,
                             struct orr_process *p, int64_t end);

/* A switch that may_connect: from now on it catches up with departures; or they
 * are events again. */
void orr__process_part(struct orr_net *n, struct orr_process *p);
void orr__process_connect(struct orr_net *n, struct orr_process *p);

#endif
