/* A heap of timers, one for each process. Order: (time, rank), where rank is
 * the kind first and the order of insertion second, so that equal times fire
 * in one fixed order. Timers are not cancelled: whoever re-arms keeps its own
 * deadline and looks at it when an old timer fires. */
#ifndef ORR_CORE_TIMER_H
#define ORR_CORE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/units.h"

struct orr_timer {
    int64_t at;
    uint64_t rank; /* kind << 56 | insertion counter */
    uint64_t arg;
    uint32_t what;
    uint32_t node;
};

struct orr_timers {
    struct orr_timer *item;
    uint32_t count, capacity;
    uint64_t inserted;
};

/* False when out of memory; nothing was inserted then. */
bool orr__timers_add(struct orr_timers *t, uint64_t kind, int64_t at,
                     uint32_t what, uint32_t node, uint64_t arg);
/* Takes out the first; the heap is not empty. */
struct orr_timer orr__timers_pop(struct orr_timers *t);
void orr__timers_fini(struct orr_timers *t);

/* Time of the first, or ORR_NEVER. */
static inline int64_t orr__timers_next(const struct orr_timers *t)
{
    return t->count ? t->item[0].at : ORR_NEVER;
}

#endif
