/* Sums of packets at a place: a ring by sequence number. Each knows who is in
 * it, so that nobody is twice. */
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "net/tree/tree.h"

#define LEAST 16 /* sums that there is room for */

static bool is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

bool orr__sums_init(struct orr_sums *s, uint32_t members, uint32_t window,
                    bool fixed)
{
    uint32_t capacity = LEAST;

    while (fixed && capacity < 2 * (uint64_t)window)
        capacity *= 2;
    s->words = (members + 63) / 64;
    s->capacity = capacity;
    s->fixed = fixed;
    s->ring = orr__alloc(capacity, sizeof *s->ring);
    s->bits = orr__alloc((size_t)capacity * s->words, sizeof *s->bits);
    return s->ring && s->bits;
}

void orr__sums_free(struct orr_sums *s)
{
    orr__free(s->ring);
    orr__free(s->bits);
}

struct orr_sum *orr__sum_find(struct orr_sums *s, uint32_t seq, bool *old)
{
    struct orr_sum *x = &s->ring[seq & (s->capacity - 1)];

    *old = false;
    if (x->state != ORR_SUM_FREE && x->seq == seq)
        return x;
    *old = (x->state != ORR_SUM_FREE && is_before(seq, x->seq))
           || (!s->fixed && is_before(seq, s->kept));
    return NULL;
}

/* Twice the room. False: no memory. */
static bool grow_sums(struct orr_sums *s)
{
    struct orr_sums more = *s;

    more.capacity = 2 * s->capacity;
    more.ring = orr__alloc(more.capacity, sizeof *more.ring);
    more.bits = orr__alloc((size_t)more.capacity * s->words, sizeof *more.bits);
    if (!more.ring || !more.bits) {
        orr__sums_free(&more);
        return false;
    }
    for (uint32_t i = 0; i < s->capacity; i++) {
        const struct orr_sum *x = &s->ring[i];
        struct orr_sum *to = &more.ring[x->seq & (more.capacity - 1)];

        if (x->state == ORR_SUM_FREE)
            continue;
        *to = *x;
        memcpy(orr__sum_bits(&more, to), orr__sum_bits(s, x),
               s->words * sizeof *s->bits);
    }
    orr__sums_free(s);
    *s = more;
    return true;
}

/* Whether it will not be needed any more. */
static bool is_over(const struct orr_sums *s, const struct orr_sum *x)
{
    return x->state == ORR_SUM_FREE || s->fixed || is_before(x->seq, s->kept);
}

struct orr_sum *orr__sum_place(struct orr_sums *s, uint32_t seq)
{
    struct orr_sum *x = &s->ring[seq & (s->capacity - 1)];

    while (!is_over(s, x)) {
        if (!grow_sums(s))
            return NULL;
        x = &s->ring[seq & (s->capacity - 1)];
    }
    return x;
}

struct orr_sum *orr__sum_open(struct orr_sums *s, uint32_t seq)
{
    struct orr_sum *x = orr__sum_place(s, seq);

    if (!x)
        return NULL;
    *x = (struct orr_sum){.seq = seq, .state = ORR_SUM_OPEN};
    memset(orr__sum_bits(s, x), 0, s->words * sizeof *s->bits);
    return x;
}

/* Bits of word w that [lo, hi) has. */
static uint64_t part_of(uint32_t w, uint32_t lo, uint32_t hi)
{
    uint32_t from = lo > 64 * w ? lo - 64 * w : 0;
    uint32_t to = hi - 64 * w < 64 ? hi - 64 * w : 64;
    uint64_t below = to < 64 ? (UINT64_C(1) << to) - 1 : UINT64_MAX;

    return below & ~((UINT64_C(1) << from) - 1);
}

enum orr_overlap orr__sum_overlap(const struct orr_sums *s,
                                  const struct orr_sum *x, uint32_t lo,
                                  uint32_t hi)
{
    const uint64_t *bits = orr__sum_bits(s, x);
    bool some = false, all = true;

    ORR_ASSERT(lo < hi && hi <= 64 * s->words);
    for (uint32_t w = lo / 64; 64 * w < hi; w++) {
        uint64_t part = part_of(w, lo, hi), had = bits[w] & part;

        some |= had != 0;
        all &= had == part;
    }
    return all ? ORR_OVERLAP_ALL : some ? ORR_OVERLAP_SOME : ORR_OVERLAP_NONE;
}

void orr__sum_add(const struct orr_sums *s, struct orr_sum *x, uint32_t lo,
                  uint32_t hi)
{
    uint64_t *bits = orr__sum_bits(s, x);

    for (uint32_t w = lo / 64; 64 * w < hi; w++)
        bits[w] |= part_of(w, lo, hi);
    x->count += hi - lo;
}
