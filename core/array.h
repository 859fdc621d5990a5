/* Arrays that grow: a pointer to elements and a count of those it has room for,
 * of any unsigned type, both kept by the owner, NULL and 0 at first. Release
 * with orr__free. New elements are not zeroed. */
#ifndef ORR_CORE_ARRAY_H
#define ORR_CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/assert.h"
#include "core/memory.h"

/* Room for `want` elements, or a few, or twice as many as before, whichever is
 * most; at most `most`. Sets *room. NULL: `want` is more than that, or out of
 * memory; then p and *room are as they were. */
void *orr__array_grow(void *p, size_t *room, size_t want, size_t most,
                      size_t size);

/* Whether `array` has, or now has, room for `want` elements. False: out of
 * memory, or `want` is more than `room` can count; then nothing changed. */
#define orr__array_room(array, room, want)                                     \
    ({                                                                         \
        _Static_assert((__typeof__(room))-1 > 0, "room has a sign");           \
        const size_t orr_want = (want);                                        \
        size_t orr_free_gpus = (room);                                         \
        bool orr_ok = orr_want <= orr_free_gpus;                               \
        if (!orr_ok) {                                                         \
            void *orr_more =                                                   \
                orr__array_grow((array), &orr_free_gpus, orr_want,             \
                                (__typeof__(room))-1, sizeof *(array));        \
            orr_ok = orr_more != NULL;                                         \
            if (orr_ok) {                                                      \
                (array) = orr_more;                                            \
                (room) = (__typeof__(room))orr_free_gpus;                      \
            }                                                                  \
        }                                                                      \
        ORR_ASSERT(!orr_ok || (array) != NULL || orr_want == 0);               \
        orr_ok;                                                                \
    })

/* Room for one element behind the `used` that are there. */
#define orr__array_more(array, room, used)                                     \
    orr__array_room(array, room, (size_t)(used) + 1)

/* Room for one element behind the `used` of an array that grows by this alone,
 * one at a time, and keeps no count of its room: that is `used`, rounded up to
 * a power of two. */
#define orr__array_one_more(array, used)                                       \
    ({                                                                         \
        const size_t orr_used = (used);                                        \
        bool orr_full = (orr_used & (orr_used - 1)) == 0;                      \
        void *orr_wider = (array);                                             \
        if (orr_full)                                                          \
            orr_wider = orr__resize((array), orr_used ? 2 * orr_used : 1,      \
                                    sizeof *(array));                          \
        if (orr_wider)                                                         \
            (array) = orr_wider;                                               \
        orr_wider != NULL;                                                     \
    })

#endif
