#include "topo/stride_rule.h"

#include <string.h>

#include "core/assert.h"

uint64_t orr__common_factor(uint64_t a, uint64_t b)
{
    while (a) {
        uint64_t rest = b % a;
        b = a;
        a = rest;
    }
    return b;
}

/* At least the square root of n / 2 numbers share no factor with n. */
uint64_t orr__strides_count(uint64_t n, uint32_t enough)
{
    const uint64_t certain = 2 * (uint64_t)ORR_MOST_STRIDES * ORR_MOST_STRIDES;
    uint64_t count = 0;
    ORR_ASSERT(enough <= ORR_MOST_STRIDES);
    if (n > certain)
        return enough;
    for (uint64_t s = 1; s < n; s++)
        count += orr__common_factor(s, n) == 1;
    return count;
}

/* A natural number of up to ORR_MOST_STRIDES factors of 32 bits, lowest limb
 * first. */
struct large {
    uint32_t limb[ORR_MOST_STRIDES + 1], n;
};

/* Into *x, exponent at most ORR_MOST_STRIDES. */
static void power_of(struct large *x, uint32_t base, uint32_t exponent)
{
    *x = (struct large){.limb = {1}, .n = 1};
    ORR_ASSERT(exponent <= ORR_MOST_STRIDES);
    for (uint32_t e = 0; e < exponent; e++) {
        uint64_t carry = 0;
        for (uint32_t i = 0; i < x->n; i++) {
            carry += (uint64_t)x->limb[i] * base;
            x->limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry)
            x->limb[x->n++] = (uint32_t)carry;
    }
}

static bool is_less(const struct large *a, const struct large *b)
{
    if (a->n != b->n)
        return a->n < b->n;
    for (uint32_t i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    return false;
}

/* The least whole number that is not below last^(i / steps). */
static uint32_t member(uint32_t last, uint32_t i, uint32_t steps)
{
    struct large goal, x;
    uint32_t low = 1, high = last;
    power_of(&goal, last, i);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        power_of(&x, middle, steps);
        if (is_less(&x, &goal))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Each takes the first free one that is not below its member of the
 * progression; where there is none, the last free one. */
void orr__strides_choose(uint32_t n, uint32_t k, bool both, uint32_t *stride)
{
    uint32_t steps = both ? k : k > 1 ? k - 1 : 1;
    for (uint32_t i = 0; i < k; i++) {
        uint32_t s = member(n - 1, i, steps), at = i;
        if (i && s <= stride[i - 1])
            s = stride[i - 1] + 1;
        while (s < n && orr__common_factor(s, n) != 1)
            s++;
        if (s >= n)
            for (s = n - 1; at > 0 && stride[at - 1] == s; at--)
                do
                    s--;
                while (orr__common_factor(s, n) != 1);
        memmove(stride + at + 1, stride + at, (i - at) * sizeof *stride);
        stride[at] = s;
    }
}
