/* Entropies: the sender gives each packet a number by which hashes choose its
 * path, and the ACK brings it back with what it met (UE Specification 1.0,
 * section 3.6.16; as in uet-htsim, uec_mp.cpp). A kind of routing of this sort
 * has an ops table here; at nodes it is ECMP. */
#ifndef ORR_NET_PATH_ENTROPY_H
#define ORR_NET_PATH_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/random.h"
#include "net/path/path.h"

#define ORR_ENTROPY_BITS 16

/* What the packet with an entropy met. */
enum orr_entropy_news {
    ORR_ENTROPY_GOOD,
    ORR_ENTROPY_MARK,
    ORR_ENTROPY_CUT,     /* not on its last link, which all paths share */
    ORR_ENTROPY_TIMEOUT, /* which entropy that was of is not known */
};

/* A kind's. */
struct orr_entropy_ops {
    /* Bytes of a connection's state, zeroed. */
    size_t (*bytes)(const struct orr_path_params *p);
    /* NULL: nothing to be begun, or to be given back. */
    void (*init)(void *state, const struct orr_path_params *p,
                 struct orr_random *draw);
    void (*fini)(void *state);
    /* For the next packet: below 2^ORR_ENTROPY_BITS. */
    uint32_t (*next)(void *state, const struct orr_path_params *p,
                     struct orr_random *draw);
    /* False: out of memory. NULL: it does not listen. */
    bool (*hear)(void *state, const struct orr_path_params *p, uint32_t entropy,
                 enum orr_entropy_news news, int64_t now);
};

extern const struct orr_entropy_ops orr__entropy_oblivious, orr__entropy_bitmap,
    orr__entropy_reps, orr__entropy_mixed;

/* NULL: not of this sort. */
const struct orr_entropy_ops *orr__entropy_of(enum orr_path_kind kind);

/* All numbers below `entropies` once, in the order of a counter with some bits
 * turned, and again with others. */
struct orr_entropy_turn {
    uint32_t at, mask; /* turned bits */
    uint32_t above;    /* bits above the count, the connection's own */
};
void orr__entropy_begin(struct orr_entropy_turn *t,
                        const struct orr_path_params *p,
                        struct orr_random *draw);
static inline uint32_t orr__entropy_at(const struct orr_entropy_turn *t)
{
    return t->at ^ t->mask;
}
void orr__entropy_step(struct orr_entropy_turn *t,
                       const struct orr_path_params *p,
                       struct orr_random *draw);

#endif
