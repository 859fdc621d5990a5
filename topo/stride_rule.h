/* Which strides make rings of n places, and which of them to take: TotientPerms
 * and SelectPermutations of TopoOpt (NSDI 2023). Whole numbers only: what is
 * chosen does not depend on rounding. */
#ifndef ORR_TOPO_STRIDE_RULE_H
#define ORR_TOPO_STRIDE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#define ORR_MOST_STRIDES 256

/* The greatest common divisor; of 0 and n it is n. */
uint64_t orr__common_factor(uint64_t a, uint64_t b);

/* How many of 1 .. n - 1 share no factor with n, exact where that may be less
 * than `enough` <= ORR_MOST_STRIDES. n >= 2. */
uint64_t orr__strides_count(uint64_t n, uint32_t enough);

/* The k of them that are nearest to a geometric progression from 1 on,
 * ascending; there are so many. Its last member is n - 1, or with both
 * directions, where n - 1 is what 1 is, would be the one before that. */
void orr__strides_choose(uint32_t n, uint32_t k, bool both, uint32_t *stride);

#endif
