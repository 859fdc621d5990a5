/* The choice among n > 1 next hops, one function for each line of list.h.
 * Each returns an index below n. Packets carry the present time in `at`. */
#ifndef ORR_NET_PATH_PICK_H
#define ORR_NET_PATH_PICK_H

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "net/packet.h"
#include "net/path/path.h"

struct orr_net;
struct orr_flowlet;

struct orr_path_state { /* a node's own */
    uint64_t seed;
    uint32_t node;
    uint32_t count; /* choices made here so far, where they are counted */
    struct orr_flowlet *flowlet; /* NULL until the first choice needs it */
};

/* The next hops of one packet: link ids, ascending. */
struct orr_path_ways {
    const uint32_t *link;
    uint32_t n;
};

static inline uint32_t orr__path_ecmp(struct orr_net *net,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p,
                                      struct orr_path_ways w)
{
    uint32_t key[2] = {p->hash, s->node};
    uint64_t hash = XXH3_64bits_withSeed(key, sizeof key, s->seed);

    return (uint32_t)(w.n & (w.n - 1) ? hash % w.n : hash & (w.n - 1));
}

static inline uint32_t orr__path_first(struct orr_net *net,
                                       struct orr_path_state *s,
                                       const struct orr_packet *p,
                                       struct orr_path_ways w)
{
    return 0;
}

static inline uint32_t orr__path_spray(struct orr_net *net,
                                       struct orr_path_state *s,
                                       const struct orr_packet *p,
                                       struct orr_path_ways w)
{
    return s->count++ % w.n;
}

static inline uint32_t orr__path_spray_random(struct orr_net *net,
                                              struct orr_path_state *s,
                                              const struct orr_packet *p,
                                              struct orr_path_ways w)
{
    uint32_t key[2] = {s->count++, s->node};

    return (uint32_t)(XXH3_64bits_withSeed(key, sizeof key, s->seed ^ 1)
                      % w.n);
}

/* flowlet.c, adaptive.c: too long to stand in every loop. */
uint32_t orr__path_flowlet(struct orr_net *net, struct orr_path_state *s,
                           const struct orr_packet *p,
                           struct orr_path_ways w);
uint32_t orr__path_adaptive(struct orr_net *net, struct orr_path_state *s,
                            const struct orr_packet *p,
                            struct orr_path_ways w);

/* On the way to a stop, and from there, or with no detour: as ECMP. */
static inline uint32_t orr__path_valiant(struct orr_net *net,
                                         struct orr_path_state *s,
                                         const struct orr_packet *p,
                                         struct orr_path_ways w)
{
    return orr__path_ecmp(net, s, p, w);
}

static inline uint32_t orr__path_ugal(struct orr_net *net,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p,
                                      struct orr_path_ways w)
{
    return orr__path_ecmp(net, s, p, w);
}

/* ACKs, and what has no path of its own. */
static inline uint32_t orr__path_k_shortest(struct orr_net *net,
                                            struct orr_path_state *s,
                                            const struct orr_packet *p,
                                            struct orr_path_ways w)
{
    return orr__path_ecmp(net, s, p, w);
}

/* Packets that have a path of their own do not come here. */
static inline uint32_t orr__path_explicit(struct orr_net *net,
                                          struct orr_path_state *s,
                                          const struct orr_packet *p,
                                          struct orr_path_ways w)
{
    return orr__path_ecmp(net, s, p, w);
}

static inline __attribute__((always_inline)) uint32_t
orr__path_pick(enum orr_path_kind kind, struct orr_net *net,
               struct orr_path_state *s, const struct orr_packet *p,
               struct orr_path_ways w)
{
#define PICK(symbol, name, reorders, params, doc) \
    case ORR_PATH_##symbol:                       \
        return orr__path_##symbol(net, s, p, w);
    switch (kind) {
        ORR_PATH_LIST(PICK)
    case ORR_PATH_KINDS:
        break;
    }
#undef PICK
    return 0;
}

#endif
