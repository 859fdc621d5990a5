/* The choice among n > 1 next hops, one function for each line of list.h.
 * Each returns an index below n. Packets carry the present time in `at`. */
#ifndef ORR_NET_PATH_PICK_H
#define ORR_NET_PATH_PICK_H

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/assert.h"
#include "net/packet.h"
#include "net/path/path.h"

struct orr_net;
struct orr_flowlet;

struct orr_path_state { /* a node's own */
    uint64_t seed;      /* of its hashes and draws */
    uint32_t node;      /* that it is of */
    uint32_t count;     /* choices made here so far, where they are counted */
    struct orr_flowlet *flowlet; /* NULL until the first choice needs it */
};

/* The next hops of one packet: link ids, ascending. */
struct orr_path_hops {
    const uint32_t *link; /* the routes' own */
    uint32_t n;           /* > 0 */
};

/* ECMP takes XXH3 of {hash of the packet, node} under the seed, little endian:
 * XXH3_64bits_withSeed. What of it is the node's, and then the rest. */
static inline uint64_t orr__ecmp_of_node(uint64_t seed, uint32_t node)
{
    uint64_t turned = __builtin_bswap32((uint32_t)seed);

    seed ^= turned << 32;
    return (UINT64_C(0xC73AB174C5ECD5A2) - seed) ^ node;
}

/* Which of n ways packets of this hash take. */
static inline uint32_t orr__ecmp_choose(uint64_t of_node, uint32_t hash,
                                        uint32_t n)
{
    uint64_t h = of_node ^ (uint64_t)hash << 32;

    h ^= (h << 49 | h >> 15) ^ (h << 24 | h >> 40);
    h *= UINT64_C(0x9FB21C651E98DF25);
    h ^= (h >> 35) + 8;
    h *= UINT64_C(0x9FB21C651E98DF25);
    h ^= h >> 28;
    return (uint32_t)(n & (n - 1) ? h % n : h & (n - 1));
}

/* The same at a node. */
static inline uint32_t orr__ecmp_index(const struct orr_path_state *s,
                                       const struct orr_packet *p, uint32_t n)
{
    return orr__ecmp_choose(orr__ecmp_of_node(s->seed, s->node), p->hash, n);
}

/* By hash: packets of a connection keep to one way. */
static inline uint32_t orr__path_ecmp(struct orr_net *net,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p,
                                      struct orr_path_hops w)
{
    return orr__ecmp_index(s, p, w.n);
}

/* The lowest link. */
static inline uint32_t orr__path_first(struct orr_net *net,
                                       struct orr_path_state *s,
                                       const struct orr_packet *p,
                                       struct orr_path_hops w)
{
    return 0;
}

/* In turn, whoever they belong to. */
static inline uint32_t orr__path_spray(struct orr_net *net,
                                       struct orr_path_state *s,
                                       const struct orr_packet *p,
                                       struct orr_path_hops w)
{
    return s->count++ % w.n;
}

/* A draw of its own for each packet. */
static inline uint32_t orr__path_spray_random(struct orr_net *net,
                                              struct orr_path_state *s,
                                              const struct orr_packet *p,
                                              struct orr_path_hops w)
{
    uint32_t key[2] = {s->count++, s->node};

    return (uint32_t)(XXH3_64bits_withSeed(key, sizeof key, s->seed ^ 1) % w.n);
}

/* Only hosts know where a message begins: own.c. */
static inline uint32_t orr__path_message(struct orr_net *net,
                                         struct orr_path_state *s,
                                         const struct orr_packet *p,
                                         struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

/* flowlet.c, adaptive.c: too long to stand in every loop. */
uint32_t orr__path_flowlet(struct orr_net *net, struct orr_path_state *s,
                           const struct orr_packet *p, struct orr_path_hops w);
uint32_t orr__path_adaptive(struct orr_net *net, struct orr_path_state *s,
                            const struct orr_packet *p, struct orr_path_hops w);

/* On the way to a stop, and from there, or with no detour: as ECMP. */
static inline uint32_t orr__path_valiant(struct orr_net *net,
                                         struct orr_path_state *s,
                                         const struct orr_packet *p,
                                         struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

static inline uint32_t orr__path_ugal(struct orr_net *net,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p,
                                      struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

/* ACKs, and what has no path of its own. */
static inline uint32_t orr__path_k_shortest(struct orr_net *net,
                                            struct orr_path_state *s,
                                            const struct orr_packet *p,
                                            struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

/* Entropies of packets (entropy.h) are part of their hash. */
static inline uint32_t orr__path_oblivious(struct orr_net *net,
                                           struct orr_path_state *s,
                                           const struct orr_packet *p,
                                           struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

static inline uint32_t orr__path_bitmap(struct orr_net *net,
                                        struct orr_path_state *s,
                                        const struct orr_packet *p,
                                        struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

static inline uint32_t orr__path_reps(struct orr_net *net,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p,
                                      struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

static inline uint32_t orr__path_mixed(struct orr_net *net,
                                       struct orr_path_state *s,
                                       const struct orr_packet *p,
                                       struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

/* Packets that have a path of their own do not come here. */
static inline uint32_t orr__path_explicit(struct orr_net *net,
                                          struct orr_path_state *s,
                                          const struct orr_packet *p,
                                          struct orr_path_hops w)
{
    return orr__path_ecmp(net, s, p, w);
}

/* By the tier of the next hops: own.c. */
uint32_t orr__path_by_tier(struct orr_net *net, struct orr_path_state *s,
                           const struct orr_packet *p, struct orr_path_hops w);

/* The one that the kind names. */
static inline __attribute__((always_inline)) uint32_t orr__path_pick(
    enum orr_path_kind kind, struct orr_net *net, struct orr_path_state *s,
    const struct orr_packet *p, struct orr_path_hops w)
{
    ORR_ASSERT(w.n > 0);
#define PICK(symbol, name, reorders, params, doc)                              \
    case ORR_PATH_##symbol: return orr__path_##symbol(net, s, p, w);
    switch (kind) {
        ORR_PATH_LIST(PICK)
    case ORR_PATH_BY_TIER: return orr__path_by_tier(net, s, p, w);
    }
#undef PICK
    return 0;
}

#endif
