#include "core/agenda.h"

#include <assert.h>
#include <string.h>

#include "core/assert.h"
#include "core/heap.h"
#include "core/memory.h"
#include "core/units.h"

#define SLOT(window) ((uint32_t)((window) & (ORR_AGENDA_WHEEL - 1)))

bool orr__agenda_init(struct orr_agenda *a, uint32_t entries,
                      int64_t lookahead)
{
    assert(lookahead > 0);
    *a = (struct orr_agenda){.entries = entries, .lookahead = lookahead};
    a->entry = orr__alloc(entries, sizeof *a->entry);
    a->heap = orr__alloc(entries, sizeof *a->heap);
    if (!a->entry || !a->heap) {
        orr__agenda_fini(a);
        return false;
    }
    for (uint32_t e = 0; e < entries; e++)
        a->entry[e].at = ORR_NEVER;
    memset(a->bucket, 0xff, sizeof a->bucket);
    return true;
}

void orr__agenda_fini(struct orr_agenda *a)
{
    orr__free(a->entry);
    orr__free(a->heap);
    a->entry = NULL;
    a->heap = NULL;
}

/* ---- the heap of those that are far: entries by time -------------------- */

static inline uint32_t heap_count(const struct orr_agenda *a)
{
    return a->heap_count;
}

static inline uint32_t heap_at(const struct orr_agenda *a, uint32_t place)
{
    ORR_ASSERT(a->entry[a->heap[place]].at != ORR_NEVER);
    return a->heap[place];
}

static inline void heap_settle(struct orr_agenda *a, uint32_t e,
                               uint32_t place)
{
    a->heap[place] = e;
    a->entry[e].place = place;
}

static inline bool heap_sooner(const struct orr_agenda *a, uint32_t e,
                               uint32_t than)
{
    return a->entry[e].at < a->entry[than].at;
}

ORR_HEAP(heap, struct orr_agenda *, uint32_t, 2)

static void heap_remove(struct orr_agenda *a, uint32_t i)
{
    ORR_ASSERT(i < a->heap_count && a->entry[a->heap[i]].place == i);
    uint32_t last = a->heap[--a->heap_count];

    if (i == a->heap_count)
        return;
    if (i > 0 && a->entry[last].at < a->entry[a->heap[(i - 1) / 2]].at)
        heap_rise(a, last, i);
    else
        heap_sink(a, last, i);
}

static inline void wheel_add(struct orr_agenda *a, uint32_t e, int64_t window)
{
    uint32_t slot = SLOT(window), first = a->bucket[slot];
    struct orr_agenda_entry *x = &a->entry[e];

    ORR_ASSERT(window >= a->base && window - a->base < ORR_AGENDA_WHEEL);
    ORR_ASSERT((a->bucket_size[slot] == 0) == (first == ORR_AGENDA_NONE));
    x->place = ORR_AGENDA_NONE;
    x->prev = ORR_AGENDA_NONE;
    x->next = first;
    x->slot = slot;
    if (first != ORR_AGENDA_NONE)
        a->entry[first].prev = e;
    a->bucket[slot] = e;
    a->bucket_size[slot]++;
    a->busy[slot / 64] |= UINT64_C(1) << slot % 64;
}

static inline void wheel_remove(struct orr_agenda *a,
                                const struct orr_agenda_entry *x)
{
    uint32_t slot = x->slot;

    ORR_ASSERT(slot == SLOT(x->at / a->lookahead));
    ORR_ASSERT(a->bucket_size[slot] > 0);
    if (x->next != ORR_AGENDA_NONE)
        a->entry[x->next].prev = x->prev;
    if (x->prev != ORR_AGENDA_NONE)
        a->entry[x->prev].next = x->next;
    else
        a->bucket[slot] = x->next;
    if (--a->bucket_size[slot] == 0)
        a->busy[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

/* Which window a time is in that is not before the first: most are in that or
 * the next, and cost no division. */
static inline int64_t window_of(const struct orr_agenda *a, int64_t at)
{
    int64_t ahead = at - a->from;

    ORR_ASSERT(ahead >= 0);
    if (ahead < a->lookahead)
        return a->base;
    if (ahead - a->lookahead < a->lookahead)
        return a->base + 1;
    return at / a->lookahead;
}

/* From the heap, or to it. */
static __attribute__((noinline)) void move_far(struct orr_agenda *a,
                                               uint32_t e, int64_t at)
{
    struct orr_agenda_entry *x = &a->entry[e];
    int64_t window = at / a->lookahead;

    if (x->at != ORR_NEVER) {
        if (x->place != ORR_AGENDA_NONE)
            heap_remove(a, x->place);
        else
            wheel_remove(a, x);
    }
    x->at = at;
    if (window - a->base < ORR_AGENDA_WHEEL)
        wheel_add(a, e, window);
    else
        heap_rise(a, e, a->heap_count++);
}

void orr__agenda_move(struct orr_agenda *a, uint32_t e, int64_t at)
{
    struct orr_agenda_entry *x = &a->entry[e];
    int64_t window = window_of(a, at);

    assert(at >= a->from);
    ORR_ASSERT(e < a->entries && at < x->at);
    if (window - a->base >= ORR_AGENDA_WHEEL
        || (x->at != ORR_NEVER && x->place != ORR_AGENDA_NONE)) {
        move_far(a, e, at);
        return;
    }
    if (x->at != ORR_NEVER)
        wheel_remove(a, x);
    x->at = at;
    wheel_add(a, e, window);
}

/* The wheel begins with this window. */
static void begin_with(struct orr_agenda *a, int64_t window)
{
    ORR_ASSERT(window >= 0 && window <= ORR_NEVER / a->lookahead);
    a->base = window;
    a->from = window * a->lookahead;
}

/* First busy slot at or after `from`, going round once. */
static int64_t wheel_next(const struct orr_agenda *a)
{
    uint32_t start = SLOT(a->base), word = start / 64;
    uint64_t bits = a->busy[word] & ~UINT64_C(0) << start % 64;

    for (uint32_t i = 0; i <= ORR_AGENDA_WHEEL / 64; i++) {
        if (bits) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);

            return a->base + SLOT(slot - start);
        }
        word = (word + 1) % (ORR_AGENDA_WHEEL / 64);
        bits = a->busy[word];
    }
    return ORR_WINDOW_NONE;
}

int64_t orr__agenda_next(const struct orr_agenda *a)
{
    int64_t window = wheel_next(a);

    if (window == ORR_WINDOW_NONE && a->heap_count)
        window = a->entry[a->heap[0]].at / a->lookahead;
    return window;
}

void orr__agenda_settle(struct orr_agenda *a, int64_t window)
{
    assert(orr__agenda_next(a) == ORR_WINDOW_NONE);
    begin_with(a, window);
}

uint32_t orr__agenda_count(const struct orr_agenda *a, int64_t window)
{
    if (window - a->base >= ORR_AGENDA_WHEEL)
        return 1; /* on the heap: at least that */
    return a->bucket_size[SLOT(window)];
}

/* A window with more than one in DENSE entries is handled in order of number,
 * because what belongs to neighbours lies side by side in memory. */
#define DENSE 16

static uint32_t sort_dense(struct orr_agenda *a, int64_t window)
{
    int64_t end = orr__time_add(window * a->lookahead, a->lookahead);
    uint32_t first = ORR_AGENDA_NONE;

    for (uint32_t e = a->entries; e-- > 0;)
        if (a->entry[e].at < end) {
            a->entry[e].next = first;
            first = e;
        }
    return first;
}

uint32_t orr__agenda_take(struct orr_agenda *a, int64_t window)
{
    uint32_t slot = SLOT(window), first;

    assert(window >= a->base);
    begin_with(a, window);
    while (a->heap_count) {
        uint32_t e = a->heap[0];
        int64_t due = a->entry[e].at / a->lookahead;

        if (due - window >= ORR_AGENDA_WHEEL)
            break;
        heap_remove(a, 0);
        wheel_add(a, e, due);
    }
    first = a->bucket[slot];
    if (a->bucket_size[slot] > a->entries / DENSE)
        first = sort_dense(a, window);
    for (uint32_t e = first; e != ORR_AGENDA_NONE; e = a->entry[e].next)
        a->entry[e].at = ORR_NEVER;
    a->bucket[slot] = ORR_AGENDA_NONE;
    a->bucket_size[slot] = 0;
    a->busy[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    return first;
}
