#include "core/timer.h"

#include <assert.h>

#include "core/array.h"
#include "core/memory.h"

/* A 4-ary heap: children of i are 4i + 1 .. 4i + 4. */

static bool before(const struct orr_timer *a, const struct orr_timer *b)
{
    return a->at != b->at ? a->at < b->at : a->rank < b->rank;
}

bool orr__timers_add(struct orr_timers *t, const struct orr_timer *new)
{
    uint32_t i;

    if (!orr__array_more(t->item, t->capacity, t->count))
        return false;
    for (i = t->count++; i > 0; i = (i - 1) / 4) {
        if (!before(new, &t->item[(i - 1) / 4]))
            break;
        t->item[i] = t->item[(i - 1) / 4];
    }
    t->item[i] = *new;
    return true;
}

struct orr_timer orr__timers_pop(struct orr_timers *t)
{
    struct orr_timer first = t->item[0], last;
    uint32_t i = 0;

    assert(t->count > 0);
    last = t->item[--t->count];
    for (;;) {
        uint32_t child = 4 * i + 1, end = child + 4, best = child;

        if (child >= t->count)
            break;
        if (end > t->count)
            end = t->count;
        while (++child < end)
            if (before(&t->item[child], &t->item[best]))
                best = child;
        if (!before(&t->item[best], &last))
            break;
        t->item[i] = t->item[best];
        i = best;
    }
    t->item[i] = last;
    return first;
}

void orr__timers_fini(struct orr_timers *t)
{
    orr__free(t->item);
    *t = (struct orr_timers){0};
}
