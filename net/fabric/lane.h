/* What one worker writes while it runs its processes. */
#ifndef ORR_NET_FABRIC_LANE_H
#define ORR_NET_FABRIC_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/timer.h"
#include "net/fabric/slab.h"

/* Links that were sent on in this window. There is room for all that may be. */
struct orr_link_list {
    uint32_t *link; /* each once: `dirty` of its port says so */
    uint32_t count;
};

struct orr_post_list { /* padded: no two workers write one line */
    _Alignas(64) struct orr_timer *timer;
    uint32_t count, capacity; /* it grows by its own worker alone */
};

struct orr_lane {                 /* a worker's own */
    _Alignas(64) uint64_t events; /* that its nodes' digests have taken up */
    /* packets: that hosts sent, ACKs included; that ended at a host; that were
     * lost; marked; sent again; cut to their header; and senders' timeouts */
    uint64_t sent, delivered, dropped, marks, repeats, trimmed, timeouts;
    /* On trees: that nodes made of others, and that ended in a sum or in copies
     */
    uint64_t made, absorbed;
    uint64_t frames, frames_received,
        pauses;                     /* PFC: sent, arrived; that pause */
    int64_t longest_timeout;        /* of those of its senders, ps */
    int64_t last_event, last_timer; /* ps: arrival at a node; that found work */
    uint32_t ingress; /* link of the packet that is being forwarded */
    struct orr_link_list *dirty; /* by the worker of the receiving end */
    struct orr_post_list *posts; /* the same of timers for other hosts */
    uint64_t *active; /* bit per link: taken over since it was last asked */
    struct orr_slab_supply connections, messages,
        telemetry;         /* to make and
                            * give back, in its thread */
    struct orr_tied *tied; /* arrivals at one time (node.c) */
    uint32_t tied_room;
    unsigned worker; /* its number: n->lane[worker] is this */
};

/* A timer found something to do. */
static inline void orr__lane_timed(struct orr_lane *lane, int64_t now)
{
    if (now > lane->last_timer)
        lane->last_timer = now;
}

#endif
