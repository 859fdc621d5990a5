/* Timers of a process: entered by all parts of the net, fired by the loop. */
#ifndef ORR_NET_FABRIC_TIMER_H
#define ORR_NET_FABRIC_TIMER_H

#include "net/fabric/fabric.h"

/* Order of timers at one instant: the net's own by what they are for, then by
 * the hash of their connection (not its number: that depends on threads), and
 * after them the workload's in the order they were set. */
#define ORR_RANK_NET(what, hash) ((uint64_t)(what) << 32 | (hash))
#define ORR_RANK_USER            (UINT64_C(1) << 63)
/* Before those, what does not depend on when it was set: _timer_first. */
#define ORR_RANK_FIRST (UINT64_C(1) << 62)
#define ORR_RANK_LAST  UINT64_MAX
/* Behind those, what other hosts set: by host, then by its count. */
#define ORR_RANK_POST(host, count)                                             \
    (UINT64_C(3) << 62 | (uint64_t)(host) << 30 | ((count)&0x3fffffff))

/* `what` of the net's own timers; those of its users start at ORR_WHAT_USER. */
enum {
    ORR_WHAT_RTO,     /* arg: connection */
    ORR_WHAT_REORDER, /* arg: connection */
    ORR_WHAT_ACK,     /* arg: connection */
    ORR_WHAT_PROBE,   /* arg: connection */
    ORR_WHAT_GONE,    /* arg: message (analytical.h) */
    ORR_WHAT_HERE,    /* the same at its destination */
    ORR_WHAT_HOP,     /* and at a node on the way */
    ORR_WHAT_SUM,     /* a switch: a packet leaves its aggregator (net/tree/) */
    ORR_WHAT_PULL,    /* a host: the next credit (net/host/pull.c) */
    ORR_WHAT_USER
};

/* Enters a timer of this node; at >= now. */
void orr__fabric_timer(struct orr_net *n, uint32_t node, int64_t at,
                       uint64_t rank, uint32_t what, uint64_t arg);

/* Enters a timer of another host; see orr__net_post. */
void orr__fabric_post(struct orr_net *n, uint32_t host, int64_t now,
                      uint32_t to, int64_t at, uint32_t what, uint64_t arg);
/* Takes over what `from` posted to hosts of `worker`; between windows. */
void orr__posts_take(struct orr_net *n, struct orr_lane *from, unsigned worker);

/* One timer more or (UINT32_MAX) less that is set for this. */
static inline void orr__timer_count(struct orr_process *p, uint32_t what,
                                    uint32_t more)
{
    if (what == ORR_WHAT_ACK)
        p->held += more;
    else if (what > ORR_WHAT_PROBE) /* of no alarm */
        p->armed += more;
}

/* The first timer has changed: when it is due, among the process's sources. */
static inline void orr__timer_enter_first(struct orr_process *p)
{
    orr__source_set(p, orr__process_timer(p), orr__timers_next(&p->timers));
}

/* Enters a copy of *t. Without memory the run fails. */
static inline void orr__timer_add(struct orr_net *n, struct orr_process *p,
                                  const struct orr_timer *t)
{
    if (!orr__timers_add(&p->timers, t)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    orr__timer_count(p, t->what, 1);
    orr__timer_enter_first(p);
}

#endif
