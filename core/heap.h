/* A heap of arity A, whoever owns its places: ORR_HEAP(NAME, OWNER, ITEM, A)
 * makes NAME_rise and NAME_sink out of four small functions of the owner, which
 * are inlined. An owner writes, before it,
 *
 *     uint32_t NAME_count(OWNER);              items there are
 *     ITEM NAME_at(OWNER, uint32_t place);     who is there
 *     void NAME_settle(OWNER, ITEM, uint32_t place);   puts an item there, and
 *                                              notes it if places are asked for
 *     bool NAME_sooner(OWNER, ITEM a, ITEM b); whether a is before b
 *
 * The first stands in place 0. What is passed to rise or sink is written into
 * places while they go on: where items are pointers to what lies in the places,
 * it is a copy. */
#ifndef ORR_CORE_HEAP_H
#define ORR_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* rise: puts x where it belongs, at `place`, which is free, or before it. sink:
 * there or behind it. */
#define ORR_HEAP(name, owner, item, arity)                                     \
    static inline void name##_rise(owner h, item x, uint32_t place)            \
    {                                                                          \
        for (uint32_t up; place > 0; place = up) {                             \
            up = (place - 1) / (arity);                                        \
            if (!name##_sooner(h, x, name##_at(h, up)))                        \
                break;                                                         \
            name##_settle(h, name##_at(h, up), place);                         \
        }                                                                      \
        name##_settle(h, x, place);                                            \
    }                                                                          \
    static inline void name##_sink(owner h, item x, uint32_t place)            \
    {                                                                          \
        const uint32_t n = name##_count(h);                                    \
        for (;;) {                                                             \
            uint32_t child = (arity)*place + 1, best = child;                  \
            const uint32_t end = child + (arity) < n ? child + (arity) : n;    \
            if (child >= n)                                                    \
                break;                                                         \
            while (++child < end)                                              \
                if (name##_sooner(h, name##_at(h, child), name##_at(h, best))) \
                    best = child;                                              \
            if (!name##_sooner(h, name##_at(h, best), x))                      \
                break;                                                         \
            name##_settle(h, name##_at(h, best), place);                       \
            place = best;                                                      \
        }                                                                      \
        name##_settle(h, x, place);                                            \
    }

#endif
