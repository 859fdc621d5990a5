/* Timers of a process: entered by all parts of the net, fired by the loop. */
#ifndef ORR_NET_FABRIC_TIMER_H
#define ORR_NET_FABRIC_TIMER_H

#include "net/fabric/fabric.h"

/* One timer more or (UINT32_MAX) less that is set for this. */
static inline void orr__timer_count(struct orr_process *p, uint32_t what,
                                    uint32_t more)
{
    if (what == ORR_WHAT_ACK)
        p->held += more;
    else if (what > ORR_WHAT_PROBE) /* of no alarm */
        p->live += more;
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
