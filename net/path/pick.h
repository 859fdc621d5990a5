/* The choice among n > 1 next hops, one function for each line of list.h.
 * Each returns an index below n. */
#ifndef ORR_NET_PATH_PICK_H
#define ORR_NET_PATH_PICK_H

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "net/packet.h"
#include "net/path/path.h"

struct orr_path_state { /* a node's own */
    uint64_t seed;
    uint32_t node;
    uint32_t count; /* packets that had a choice here so far */
};

static inline uint32_t orr__path_ecmp(struct orr_path_state *s,
                                      const struct orr_packet *p, uint32_t n)
{
    uint32_t key[2] = {p->hash, s->node};
    uint64_t hash = XXH3_64bits_withSeed(key, sizeof key, s->seed);

    return (uint32_t)(n & (n - 1) ? hash % n : hash & (n - 1));
}

static inline uint32_t orr__path_first(struct orr_path_state *s,
                                       const struct orr_packet *p, uint32_t n)
{
    return 0;
}

static inline uint32_t orr__path_spray(struct orr_path_state *s,
                                       const struct orr_packet *p, uint32_t n)
{
    return s->count++ % n;
}

static inline uint32_t orr__path_spray_random(struct orr_path_state *s,
                                              const struct orr_packet *p,
                                              uint32_t n)
{
    uint32_t key[2] = {s->count++, s->node};

    return (uint32_t)(XXH3_64bits_withSeed(key, sizeof key, s->seed ^ 1) % n);
}

static inline uint32_t orr__path_pick(enum orr_path_kind kind,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p, uint32_t n)
{
#define PICK(symbol, name, reorders, doc) \
    case ORR_PATH_##symbol:               \
        return orr__path_##symbol(s, p, n);
    switch (kind) {
        ORR_PATH_LIST(PICK)
    case ORR_PATH_KINDS:
        break;
    }
#undef PICK
    return 0;
}

#endif
