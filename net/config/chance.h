/* When things fail by chance and are whole again: entries of `failures` with
 * `of`. Times up and down are exponential, in whole nanoseconds. */
#ifndef ORR_NET_CONFIG_CHANCE_H
#define ORR_NET_CONFIG_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Of one entry; times in ps. */
struct orr_chance {
    uint64_t seed;
    uint32_t stream;    /* tells apart entries that share a seed */
    int64_t mtbf, mttr; /* means; mttr ORR_NEVER: nothing is repaired */
    int64_t until;      /* no failure begins from here on */
};

/* Calls fn for each failure of a thing, in order of time; they are apart. Stops
 * where fn says false, which it returns. Things do not disturb one another. */
bool orr__chance_draw(const struct orr_chance *c, uint32_t thing,
                      bool (*fn)(void *arg, int64_t down, int64_t up),
                      void *arg);

#endif
