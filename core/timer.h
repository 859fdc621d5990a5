/* A heap of timers, one for each process. Order: (time, rank); the caller
 * chooses ranks so that equal times fire in one fixed order. Timers are not
 * cancelled: see struct orr_alarm. */
#ifndef ORR_CORE_TIMER_H
#define ORR_CORE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/assert.h"
#include "core/units.h"

/* A timer that was set; a copy, the heap owns it. */
struct orr_timer {
    int64_t at;    /* ps */
    uint64_t rank; /* among those of one time: lower ones first */
    uint64_t arg;  /* what and arg are for whoever entered it */
    uint32_t what;
    uint32_t node; /* on which it fires */
};

struct orr_timers {           /* zeroed: none */
    struct orr_timer *item;   /* the heap; item[0] is the first */
    uint32_t count, capacity; /* of `item`, which is owned */
};

/* False when out of memory; nothing was inserted then. */
bool orr__timers_add(struct orr_timers *t, const struct orr_timer *new);
/* Takes out the first; the heap is not empty. */
struct orr_timer orr__timers_pop(struct orr_timers *t);
void orr__timers_fini(struct orr_timers *t);

/* Time of the first, or ORR_NEVER. */
static inline int64_t orr__timers_next(const struct orr_timers *t)
{
    return t->count ? t->item[0].at : ORR_NEVER;
}

/* A deadline that moves often (a retransmission timeout is put off by every
 * ACK) without touching the heap each time: `due` is when something must
 * happen, `set` the time of the one timer in the heap that counts for it.
 * Always set <= due while armed, so nothing ever happens late. */
struct orr_alarm {
    int64_t due, set; /* ORR_NEVER: not armed, none */
};
#define ORR_ALARM_OFF ((struct orr_alarm){ORR_NEVER, ORR_NEVER})

/* Moves the deadline. True: enter a timer at `due` (its `set` is now that). */
static inline bool orr__alarm_move(struct orr_alarm *a, int64_t due)
{
    ORR_ASSERT(due >= 0);
    a->due = due;
    if (due >= a->set)
        return false;
    a->set = due;
    return true;
}

enum orr_alarm_is { ORR_ALARM_STALE, ORR_ALARM_EARLY, ORR_ALARM_DUE };

/* A timer entered for it fires at `now`. EARLY: enter one again at `due`. */
static inline enum orr_alarm_is orr__alarm_fired(struct orr_alarm *a,
                                                 int64_t now)
{
    ORR_ASSERT(a->set <= a->due);
    if (now != a->set)
        return ORR_ALARM_STALE;
    a->set = ORR_NEVER;
    if (a->due == ORR_NEVER)
        return ORR_ALARM_STALE;
    if (now >= a->due) {
        a->due = ORR_NEVER;
        return ORR_ALARM_DUE;
    }
    a->set = a->due;
    return ORR_ALARM_EARLY;
}

#endif
