/* Counter-based random numbers: a stream is named by (seed, entity, purpose),
 * not by the order in which it was made, so adding an entity disturbs no
 * other. Philox4x32-10 (Salmon et al., SC'11), also as a gsl_rng_type. */
#ifndef ORR_CORE_RANDOM_H
#define ORR_CORE_RANDOM_H

#include <stdint.h>

struct orr_random {   /* 48 bytes, plain data, may be copied */
    uint64_t key;     /* of the seed and the purpose */
    uint64_t entity;  /* whose it is: a link, a rank, a host ... */
    uint64_t counter; /* blocks drawn so far */
    uint32_t out[4];  /* the last block, of which `left` are unused */
    uint32_t left;    /* 0 to 4 */
};

/* What a stream is for; part of its name. Never renumber: that would change
 * every fingerprint in which chance has a part. */
enum orr_purpose {
    ORR_PURPOSE_LOSS = 1,
    ORR_PURPOSE_ECMP,
    ORR_PURPOSE_SPRAY,
    ORR_PURPOSE_JITTER,
    ORR_PURPOSE_PLACEMENT,
    ORR_PURPOSE_FLOWS,
    ORR_PURPOSE_TIES,
    ORR_PURPOSE_MARK,
    ORR_PURPOSE_TEST,
    ORR_PURPOSE_SAMPLE,
    ORR_PURPOSE_TOPOLOGY,
    ORR_PURPOSE_PLAN,
    ORR_PURPOSE_CLUSTER,
    ORR_PURPOSE_REPLICATION,
    ORR_PURPOSE_SIZES,
    ORR_PURPOSE_REQUESTS,
    ORR_PURPOSE_ENTROPY,
    ORR_PURPOSE_FAILURES = 32,
};

/* The stream of that name, from its beginning. Two with different names have
 * nothing to do with one another. */
void orr__random_init(struct orr_random *r, uint64_t seed, uint64_t entity,
                      enum orr_purpose purpose);
/* 32 and 64 random bits. */
uint32_t orr__random_u32(struct orr_random *r);
uint64_t orr__random_u64(struct orr_random *r);
/* Uniform in [0, n), without bias; n > 0. */
uint64_t orr__random_below(struct orr_random *r, uint64_t n);
/* Uniform in [0, 1) with 53 bits. */
double orr__random_unit(struct orr_random *r);

/* GSL's view of a stream; declared void so that only users of GSL include it:
 *     gsl_rng *g = gsl_rng_alloc(orr__random_gsl_type());
 *     orr__random_init(gsl_rng_state(g), seed, entity, purpose); */
const void *orr__random_gsl_type(void);

#endif
