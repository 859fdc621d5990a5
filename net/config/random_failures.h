/* When things fail by chance and are whole again: entries of `failures` with
 * `of`. Times up and down are exponential, in whole nanoseconds. */
#ifndef ORR_NET_CONFIG_RANDOM_FAILURES_H
#define ORR_NET_CONFIG_RANDOM_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

/* Of one entry; times in ps. */
struct orr_random_failures {
    uint64_t seed;
    uint32_t stream;    /* tells apart entries that share a seed */
    int64_t mtbf, mttr; /* means; mttr ORR_NEVER: nothing is repaired */
    int64_t until;      /* no failure begins from here on */
};

/* Calls fn for each failure of a thing, in order of time; they are apart. Stops
 * where fn says false, which it returns. Things do not disturb one another. */
bool orr__random_failures_draw(const struct orr_random_failures *c,
                               uint32_t thing,
                               bool (*fn)(void *arg, int64_t down, int64_t up),
                               void *arg);

#endif
