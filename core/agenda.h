/* A worker's agenda: which of its processes have something to do in which
 * window. Most have it in the next one, which is a bit each, so that they are
 * entered by a store and come in order of number. Near windows are a wheel of
 * lists, far ones a heap, and asking for the next busy window costs a look at
 * a bitmap. A process that is to wake before it wanted to stays in its far
 * place, because most, with a timer that runs, soon want to be there again:
 * what is found in such a place is not due before it says so itself. */
#ifndef ORR_CORE_AGENDA_H
#define ORR_CORE_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

#include "core/none.h"

#define ORR_AGENDA_WHEEL 1024 /* windows on the wheel, a power of two */
#define ORR_WINDOW_NONE  INT64_MAX

/* One process of a lane: when it is due, and where it stands (soon, wheel or
 * heap). */
struct orr_agenda_entry {
    int64_t at; /* ORR_NEVER: has nothing to do */
    /* For when it stands on the wheel or in the heap, ORR_NEVER: nowhere. Not
     * after `at`, unless that is soon, or never. */
    int64_t far;
    uint32_t next, prev; /* in the list of its slot; ORR_NONE: ends it */
    uint32_t place;      /* index in the heap, or ORR_NONE: on the wheel */
    uint32_t slot;       /* of the wheel */
};

/* Owned by one lane and used by its thread alone; times are ps. */
struct orr_agenda {
    struct orr_agenda_entry *entry; /* by number of the process in its lane */
    uint32_t *heap;  /* entries by `far`, arity 2; room for all of them */
    uint32_t *taken; /* by orr__agenda_take */
    uint32_t entries, heap_count; /* of `entry`; of `heap` */
    int64_t lookahead;            /* ps: length of a window */
    int64_t base; /* first window of the wheel; nothing stands before it */
    int64_t from; /* when that begins */
    /* A bit each: due in window base + 1. some: a bit for each word of `soon`
     * that has one. */
    uint64_t *soon, *some;
    /* The wheel: window w has slot w % ORR_AGENDA_WHEEL. Per slot: the first of
     * its list, or ORR_NONE; a bit, whether there is one; how many. */
    uint32_t bucket[ORR_AGENDA_WHEEL];
    uint64_t busy[ORR_AGENDA_WHEEL / 64];
    uint32_t bucket_size[ORR_AGENDA_WHEEL];
};

/* False when out of memory. */
bool orr__agenda_init(struct orr_agenda *a, uint32_t entries,
                      int64_t lookahead);
void orr__agenda_fini(struct orr_agenda *a);
/* e has to be woken at `at`, sooner than it had to be, and not soon. Out of
 * the way of most. */
void orr__agenda_move(struct orr_agenda *a, uint32_t e, int64_t at);
/* Is due in window base + 1. */
static inline void orr__agenda_enter_soon(struct orr_agenda *a, uint32_t e,
                                          int64_t at)
{
    uint32_t word = e / 64;

    a->entry[e].at = at;
    a->soon[word] |= UINT64_C(1) << e % 64;
    a->some[word / 64] |= UINT64_C(1) << word % 64;
}

/* Enters e at time `at` (>= the start of window base), unless it is to be woken
 * as early already. */
static inline void orr__agenda_wake(struct orr_agenda *a, uint32_t e,
                                    int64_t at)
{
    int64_t ahead = at - a->from - a->lookahead;

    if (at >= a->entry[e].at)
        return;
    if (ahead >= 0 && ahead < a->lookahead)
        orr__agenda_enter_soon(a, e, at);
    else
        orr__agenda_move(a, e, at);
}
/* The next window in which one has something to do, or ORR_WINDOW_NONE. */
int64_t orr__agenda_next(struct orr_agenda *a);
/* Nothing stands anywhere: the wheel starts at this window, whatever came
 * before. */
void orr__agenda_settle(struct orr_agenda *a, int64_t window);
/* How many have something to do in this window, at most; not 0 in the next. */
uint32_t orr__agenda_count(const struct orr_agenda *a, int64_t window);
/* Moves the wheel to start at `window` (>= base; nothing is to be done before
 * it) and takes what has something to do there: into a->taken. Returns how many
 * they are. Each may be entered again at once. */
uint32_t orr__agenda_take(struct orr_agenda *a, int64_t window);

#endif
