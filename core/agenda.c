#include "core/agenda.h"
#include "core/none.h"

#include <assert.h>
#include <string.h>

#include "core/assert.h"
#include "core/heap.h"
#include "core/memory.h"
#include "core/units.h"

#define SLOT(window) ((uint32_t)((window) & (ORR_AGENDA_WHEEL - 1)))

bool orr__agenda_init(struct orr_agenda *a, uint32_t entries, int64_t lookahead)
{
    uint32_t words = entries / 64 + 1;

    assert(lookahead > 0);
    *a = (struct orr_agenda){.entries = entries, .lookahead = lookahead};
    a->entry = orr__alloc(entries, sizeof *a->entry);
    a->heap = orr__alloc(entries, sizeof *a->heap);
    a->taken = orr__alloc(entries, sizeof *a->taken);
    a->soon = orr__alloc(words, sizeof *a->soon);
    a->some = orr__alloc(words / 64 + 1, sizeof *a->some);
    if (!a->entry || !a->heap || !a->taken || !a->soon || !a->some) {
        orr__agenda_fini(a);
        return false;
    }
    for (uint32_t e = 0; e < entries; e++) {
        a->entry[e].at = ORR_NEVER;
        a->entry[e].far = ORR_NEVER;
    }
    memset(a->bucket, 0xff, sizeof a->bucket);
    return true;
}

void orr__agenda_fini(struct orr_agenda *a)
{
    orr__free(a->entry);
    orr__free(a->heap);
    orr__free(a->taken);
    orr__free(a->soon);
    orr__free(a->some);
    a->entry = NULL;
    a->heap = a->taken = NULL;
    a->soon = a->some = NULL;
}

/* ---- the heap of those that are far: entries by time -------------------- */

static inline uint32_t heap_count(const struct orr_agenda *a)
{
    return a->heap_count;
}

static inline uint32_t heap_at(const struct orr_agenda *a, uint32_t place)
{
    ORR_ASSERT(a->entry[a->heap[place]].far != ORR_NEVER);
    return a->heap[place];
}

static inline void heap_settle(struct orr_agenda *a, uint32_t e, uint32_t place)
{
    a->heap[place] = e;
    a->entry[e].place = place;
}

static inline bool heap_sooner(const struct orr_agenda *a, uint32_t e,
                               uint32_t than)
{
    return a->entry[e].far < a->entry[than].far;
}

ORR_HEAP(heap, struct orr_agenda *, uint32_t, 2)

/* The one in place i goes; the last one takes its place, and rises or sinks. */
static void heap_remove(struct orr_agenda *a, uint32_t i)
{
    ORR_ASSERT(i < a->heap_count && a->entry[a->heap[i]].place == i);
    uint32_t last = a->heap[--a->heap_count];

    if (i == a->heap_count)
        return;
    if (i > 0 && a->entry[last].far < a->entry[a->heap[(i - 1) / 2]].far)
        heap_rise(a, last, i);
    else
        heap_sink(a, last, i);
}

/* The wheel has a slot for each of the next ORR_AGENDA_WHEEL windows, a list of
 * those that stand there in any order: orr__agenda_take sorts them by setting
 * bits. */
static inline void wheel_add(struct orr_agenda *a, uint32_t e, int64_t window)
{
    uint32_t slot = SLOT(window), first = a->bucket[slot];
    struct orr_agenda_entry *x = &a->entry[e];

    ORR_ASSERT(window >= a->base && window - a->base < ORR_AGENDA_WHEEL);
    ORR_ASSERT((a->bucket_size[slot] == 0) == (first == ORR_NONE));
    x->place = ORR_NONE;
    x->prev = ORR_NONE;
    x->next = first;
    x->slot = slot;
    if (first != ORR_NONE)
        a->entry[first].prev = e;
    a->bucket[slot] = e;
    a->bucket_size[slot]++;
    a->busy[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* Takes an entry out of the list of its slot; `far` and `slot` must say where
 * it stands. The entry's own members stay as they are: the caller sets them. */
static inline void wheel_remove(struct orr_agenda *a,
                                const struct orr_agenda_entry *x)
{
    uint32_t slot = x->slot;

    ORR_ASSERT(slot == SLOT(x->far / a->lookahead));
    ORR_ASSERT(a->bucket_size[slot] > 0);
    if (x->next != ORR_NONE)
        a->entry[x->next].prev = x->prev;
    if (x->prev != ORR_NONE)
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

static inline bool is_soon(const struct orr_agenda *a, uint32_t e)
{
    return a->soon[e / 64] >> e % 64 & 1;
}

/* Enters e, which stands nowhere, on the wheel or in the heap. */
static inline __attribute__((always_inline)) void enter_entry(
    struct orr_agenda *a, uint32_t e, int64_t at)
{
    int64_t window = window_of(a, at);

    a->entry[e].far = at;
    if (window - a->base < ORR_AGENDA_WHEEL)
        wheel_add(a, e, window);
    else
        heap_rise(a, e, a->heap_count++);
}

void orr__agenda_move(struct orr_agenda *a, uint32_t e, int64_t at)
{
    struct orr_agenda_entry *x = &a->entry[e];

    assert(at >= a->from);
    ORR_ASSERT(e < a->entries && at < x->at);
    /* soon: a control event cut the window, and it is still now */
    if (x->at != ORR_NEVER && is_soon(a, e)) {
        uint32_t word = e / 64;

        a->soon[word] &= ~(UINT64_C(1) << e % 64);
        if (a->soon[word] == 0)
            a->some[word / 64] &= ~(UINT64_C(1) << word % 64);
    }
    x->at = at;
    if (x->far <= at)
        return;
    if (x->far != ORR_NEVER && x->place != ORR_NONE)
        heap_remove(a, x->place);
    else if (x->far != ORR_NEVER)
        wheel_remove(a, x);
    enter_entry(a, e, at);
}

/* e stands nowhere now, and its time has come: true if it has something to do
 * in this window. soon: anybody may be. */
static inline bool is_due(struct orr_agenda *a, uint32_t e, int64_t window,
                          bool soon)
{
    struct orr_agenda_entry *x = &a->entry[e];

    x->far = ORR_NEVER;
    if (x->at == ORR_NEVER || (soon && is_soon(a, e)))
        return false;
    if (window_of(a, x->at) == window)
        return true;
    enter_entry(a, e, x->at);
    return false;
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

static uint32_t empty_slot(struct orr_agenda *a, uint32_t slot)
{
    uint32_t first = a->bucket[slot];

    a->bucket[slot] = ORR_NONE;
    a->bucket_size[slot] = 0;
    a->busy[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    return first;
}

/* Is anybody of this window of the wheel due? Those before the first who is go
 * where they belong. */
static bool tidy_slot(struct orr_agenda *a, int64_t window)
{
    uint32_t e;

    while ((e = a->bucket[SLOT(window)]) != ORR_NONE) {
        wheel_remove(a, &a->entry[e]);
        if (is_due(a, e, window, true)) {
            enter_entry(a, e, a->entry[e].at);
            return true;
        }
    }
    return false;
}

/* The same of the heap's first. */
static bool tidy_heap(struct orr_agenda *a, int64_t window)
{
    uint32_t e = a->heap[0];

    heap_remove(a, 0);
    if (!is_due(a, e, window, true))
        return false;
    enter_entry(a, e, a->entry[e].at);
    return true;
}

static inline uint32_t last_some(const struct orr_agenda *a)
{
    return a->entries / 64 / 64;
}

static bool any_soon(const struct orr_agenda *a)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i <= last_some(a); i++)
        any |= a->some[i];
    return any;
}

static uint32_t count_soon(const struct orr_agenda *a)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i <= last_some(a); i++)
        for (uint64_t some = a->some[i]; some; some &= some - 1)
            count += (uint32_t)__builtin_popcountll(
                a->soon[64 * i + (uint32_t)__builtin_ctzll(some)]);
    return count;
}

int64_t orr__agenda_next(struct orr_agenda *a)
{
    bool soon = any_soon(a);

    for (;;) {
        int64_t window = wheel_next(a);

        if (soon && window > a->base)
            return a->base + 1;
        if (window != ORR_WINDOW_NONE) {
            if (tidy_slot(a, window))
                return window;
        } else if (a->heap_count) {
            window = a->entry[a->heap[0]].far / a->lookahead;
            if (tidy_heap(a, window))
                return window;
        } else {
            return ORR_WINDOW_NONE;
        }
    }
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
    return a->bucket_size[SLOT(window)]
           + (window == a->base + 1 ? count_soon(a) : 0);
}

/* Takes those that are a bit, behind `count` that were taken before. Returns
 * how many there are then. */
static uint32_t take_soon(struct orr_agenda *a, uint32_t count)
{
    uint32_t *taken = a->taken + count;

    for (uint32_t i = 0; i <= last_some(a); i++) {
        for (uint64_t some = a->some[i]; some; some &= some - 1) {
            uint32_t word = 64 * i + (uint32_t)__builtin_ctzll(some);

            for (uint64_t bits = a->soon[word]; bits; bits &= bits - 1) {
                uint32_t e = 64 * word + (uint32_t)__builtin_ctzll(bits);

                a->entry[e].at = ORR_NEVER;
                *taken++ = e;
            }
            a->soon[word] = 0;
        }
        a->some[i] = 0;
    }
    return (uint32_t)(taken - a->taken);
}

/* Those in the heap that the wheel has come near to. */
static void fetch_far(struct orr_agenda *a)
{
    while (a->heap_count) {
        uint32_t e = a->heap[0];
        int64_t due = a->entry[e].far / a->lookahead;

        if (due - a->base >= ORR_AGENDA_WHEEL)
            break;
        heap_remove(a, 0);
        wheel_add(a, e, due);
    }
}

/* What belongs to neighbours lies side by side in memory: that is why it goes
 * by number, and those of the wheel become a bit each, unless they are so few
 * that it does not matter. Not where a window that a control event cut is taken
 * again, while bits are of the one behind it. */
uint32_t orr__agenda_take(struct orr_agenda *a, int64_t window)
{
    enum { LEAST_SORTED = 16 };
    bool soon = any_soon(a), again = soon && window == a->base, sorted;
    uint32_t e, next, count = 0;

    assert(window >= a->base);
    begin_with(a, window);
    fetch_far(a);
    sorted = !again && a->bucket_size[SLOT(window)] > LEAST_SORTED;
    for (e = empty_slot(a, SLOT(window)); e != ORR_NONE; e = next) {
        struct orr_agenda_entry *x = &a->entry[e];

        next = x->next;
        if (!is_due(a, e, window, soon))
            continue;
        if (sorted) {
            orr__agenda_enter_soon(a, e, x->at);
            continue;
        }
        x->at = ORR_NEVER;
        a->taken[count++] = e;
    }
    return again || !(soon || sorted) ? count : take_soon(a, count);
}
