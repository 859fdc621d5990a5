/* What a process does in a window: what its parts share. Private to
 * net/run/. */
#ifndef ORR_NET_LOOP_NODE_H
#define ORR_NET_LOOP_NODE_H

#include "core/fingerprint.h"
#include "net/fabric/fabric.h"
#include "net/host/host.h"

/* Arrivals at one time are in order of a seeded hash instead of the link id, so
 * that low ports have no lasting advantage. */
static inline uint64_t orr__tie(const struct orr_net *n, uint32_t link,
                                int64_t now)
{
    uint64_t key[2] = {(uint64_t)now,
                       (uint64_t)n->graph->to[link] << 32 | link};

    return XXH3_64bits_withSeed(key, sizeof key, n->seed);
}

/* A node's digest with this arrival. */
static inline uint64_t orr__node_digest(uint64_t d, const struct orr_packet *p)
{
    return orr__digest(d, (uint64_t)p->at ^ p->size_flags,
                       (uint64_t)p->hash << 32 | p->seq);
}

/* One timer more or (UINT32_MAX) less that is set for this. */
static inline void orr__timer_counts(struct orr_process *p, uint32_t what,
                                     uint32_t more)
{
    if (what == ORR_WHAT_ACK)
        p->held += more;
    else if (what > ORR_WHAT_PROBE) /* of no alarm */
        p->live += more;
}

/* What a timer of a connection is set for; NULL: it is none of these. */
static inline struct orr_alarm *orr__alarm_of(const struct orr_net *n,
                                              const struct orr_timer *t)
{
    uint32_t id = (uint32_t)t->arg;

    switch (t->what) {
    case ORR_WHAT_RTO: return &orr__sender(n, id)->timeout;
    case ORR_WHAT_REORDER: return &orr__sender(n, id)->reorder;
    case ORR_WHAT_PROBE: return &orr__sender(n, id)->tail;
    case ORR_WHAT_ACK: return &orr__receiver(n, id)->held;
    default: return NULL;
    }
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

/* The smallest of all blocks of a process anew, where its sources were changed
 * behind their back. */
void orr__process_reblock(struct orr_process *p);

#endif
