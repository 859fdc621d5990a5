/* A worker's agenda: which of its processes have something to do in which
 * window. Near windows are a wheel of lists, far ones a heap, so that asking
 * for the next busy window costs a look at a bitmap. Every process stands in
 * at most one place, with the time of its next event. */
#ifndef ORR_CORE_AGENDA_H
#define ORR_CORE_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

#define ORR_AGENDA_WHEEL 1024 /* windows on the wheel, a power of two */
#define ORR_AGENDA_NONE UINT32_MAX
#define ORR_WINDOW_NONE INT64_MAX

struct orr_agenda_entry {
    int64_t at; /* ORR_NEVER: nowhere */
    uint32_t next, prev;
    uint32_t place; /* index in the heap, or ORR_AGENDA_NONE: on the wheel */
    uint32_t slot;  /* of the wheel */
};

struct orr_agenda {
    struct orr_agenda_entry *entry;
    uint32_t *heap;
    uint32_t entries, heap_count;
    int64_t lookahead;
    int64_t base; /* first window of the wheel; nothing stands before it */
    int64_t from; /* when that begins */
    uint32_t bucket[ORR_AGENDA_WHEEL];
    uint64_t busy[ORR_AGENDA_WHEEL / 64];
    uint32_t bucket_size[ORR_AGENDA_WHEEL];
};

/* False when out of memory. */
bool orr__agenda_init(struct orr_agenda *a, uint32_t entries,
                      int64_t lookahead);
void orr__agenda_fini(struct orr_agenda *a);
/* Enters e at time at (>= the start of window base), earlier than it stands. */
void orr__agenda_move(struct orr_agenda *a, uint32_t e, int64_t at);
/* The same, unless it stands as early already. */
static inline void orr__agenda_wake(struct orr_agenda *a, uint32_t e,
                                    int64_t at)
{
    if (at < a->entry[e].at)
        orr__agenda_move(a, e, at);
}
/* The next window with an entry, or ORR_WINDOW_NONE. */
int64_t orr__agenda_next(const struct orr_agenda *a);
/* Nothing stands anywhere: the wheel starts at this window, whatever came
 * before.
 */
void orr__agenda_settle(struct orr_agenda *a, int64_t window);
/* How many entries stand in a window of the wheel. */
uint32_t orr__agenda_count(const struct orr_agenda *a, int64_t window);
/* Moves the wheel to start at `window` (>= base; nothing stands before it) and
 * takes that window's list out. Follow it with entry[e].next; an entry may be
 * entered again as soon as its successor was read. */
uint32_t orr__agenda_take(struct orr_agenda *a, int64_t window);

#endif
