#include "core/timer.h"

#include <assert.h>

#include "core/assert.h"
#include "core/heap.h"
#include "core/ring.h"

/* The heap holds the timers themselves; four children lie together. */

static inline uint32_t heap_count(const struct orr_timers *t)
{
    return t->count;
}

static inline const struct orr_timer *heap_at(const struct orr_timers *t,
                                              uint32_t place)
{
    return &t->item[place];
}

static inline void heap_settle(struct orr_timers *t, const struct orr_timer *x,
                               uint32_t place)
{
    t->item[place] = *x;
}

static inline bool heap_sooner(const struct orr_timers *t,
                               const struct orr_timer *a,
                               const struct orr_timer *b)
{
    return a->at != b->at ? a->at < b->at : a->rank < b->rank;
}

ORR_HEAP(heap, struct orr_timers *, const struct orr_timer *, 4)

bool orr__timers_add(struct orr_timers *t, const struct orr_timer *new)
{
    if (t->count == t->capacity /* two of them are a line of the cache */
        && !orr__ring_grow(t->item, t->capacity, 0, t->count, 4))
        return false;
    heap_rise(t, new, t->count++);
    ORR_ASSERT(!heap_sooner(t, new, &t->item[0]));
    return true;
}

struct orr_timer orr__timers_pop(struct orr_timers *t)
{
    assert(t->count > 0);
    struct orr_timer first = t->item[0], last = t->item[--t->count];
    heap_sink(t, &last, 0);
    ORR_ASSERT(t->count == 0 || !heap_sooner(t, &t->item[0], &first));
    return first;
}

void orr__timers_fini(struct orr_timers *t)
{
    orr__free(t->item);
    *t = (struct orr_timers){0};
}
