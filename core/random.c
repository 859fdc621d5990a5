/* Philox4x32-10. The counter's words are (entity, counter), the key is mixed
 * from seed and purpose: nothing else names a block of four numbers. */
#include "core/random.h"

#include <gsl/gsl_rng.h>

#include "core/assert.h"

_Static_assert(sizeof(struct orr_random) == 48, "as its header promises");

enum { ROUNDS = 10 };

/* Mixes all bits of x into all bits; one to one (the finaliser of SplitMix64,
 * Steele et al., OOPSLA'14). */
static uint64_t mix_bits(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Ten rounds; constants of Salmon et al., "Parallel random numbers: as easy as
 * 1, 2, 3" (SC'11). */
static void philox(uint64_t key, uint64_t hi, uint64_t lo, uint32_t out[4])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)hi, c1 = (uint32_t)(hi >> 32);
    uint32_t c2 = (uint32_t)lo, c3 = (uint32_t)(lo >> 32);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = (uint64_t)c0 * UINT32_C(0xd2511f53);
        uint64_t b = (uint64_t)c2 * UINT32_C(0xcd9e8d57);
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += UINT32_C(0x9e3779b9);
        k1 += UINT32_C(0xbb67ae85);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void orr__random_init(struct orr_random *r, uint64_t seed, uint64_t entity,
                      enum orr_purpose purpose)
{
    /* For one purpose the key is one to one in the seed, and the other way
     * round: streams of one experiment never coincide. */
    *r = (struct orr_random){
        .key = mix_bits(mix_bits(seed + UINT64_C(0x9e3779b97f4a7c15))
                        + (uint64_t)purpose),
        .entity = entity,
    };
}

uint32_t orr__random_u32(struct orr_random *r)
{
    if (r->left == 0) {
        philox(r->key, r->entity, r->counter++, r->out);
        r->left = 4;
    }
    ORR_ASSERT(r->left <= 4);
    return r->out[4 - r->left--];
}

uint64_t orr__random_u64(struct orr_random *r)
{
    uint64_t low = orr__random_u32(r);
    return low | (uint64_t)orr__random_u32(r) << 32;
}

/* The high word of a product with n is uniform but for the first 2^64 mod n
 * low words of each value; those are drawn again (Lemire, TOMACS'19). */
uint64_t orr__random_below(struct orr_random *r, uint64_t n)
{
    ORR_ASSERT(n > 0);
    unsigned __int128 product = (unsigned __int128)orr__random_u64(r) * n;
    if ((uint64_t)product < n) {
        uint64_t surplus = (0 - n) % n;
        while ((uint64_t)product < surplus)
            product = (unsigned __int128)orr__random_u64(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double orr__random_unit(struct orr_random *r)
{
    return (double)(orr__random_u64(r) >> 11) * 0x1p-53;
}

/* ---- GSL ---- */

static void gsl_set(void *state, unsigned long seed)
{
    orr__random_init(state, seed, 0, ORR_PURPOSE_TEST);
}

static unsigned long gsl_get(void *state)
{
    return orr__random_u32(state);
}

static double gsl_get_double(void *state)
{
    return orr__random_unit(state);
}

const void *orr__random_gsl_type(void)
{
    static const gsl_rng_type type = {
        .name = "orrery-philox",
        .max = UINT32_MAX,
        .min = 0,
        .size = sizeof(struct orr_random),
        .set = gsl_set,
        .get = gsl_get,
        .get_double = gsl_get_double,
    };
    return &type;
}
