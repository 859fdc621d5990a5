/* Rings: first in, first out, in an array whose size is a power of two. What is
 * in one has numbers that count on for ever, from `head` up to but not with
 * `tail`, and wrap at 2^32; the one numbered i lies at i & (room - 1). The
 * owner keeps all of it, NULL and 0 at first, and moves head and tail itself;
 * here is only how a full one grows. */
#ifndef ORR_CORE_RING_H
#define ORR_CORE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/memory.h"

/* A copy with twice the room, or `least` (a power of two) if that is more; sets
 * *room. On lines of the cache, to be released with orr__free, as the old one
 * is: somebody may still read that. What lies outside of head to tail is not
 * zeroed. NULL: out of memory; nothing changed. */
void *orr__ring_larger(const void *ring, uint32_t *room, uint32_t head,
                       uint32_t tail, uint32_t least, size_t size);

/* The same in place: `ring` and `room`, which are fields of its owner, are the
 * new ones, and the old one is released. False: out of memory. */
#define orr__ring_grow(ring, room, head, tail, least)                          \
    ({                                                                         \
        void *orr_larger = orr__ring_larger((ring), &(room), (head), (tail),   \
                                            (least), sizeof *(ring));          \
        if (orr_larger) {                                                      \
            orr__free(ring);                                                   \
            (ring) = orr_larger;                                               \
        }                                                                      \
        orr_larger != NULL;                                                    \
    })

#endif
