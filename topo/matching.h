/* Matchings of most weight in any graph, by Edmonds' blossoms with dual
 * variables, O(n^3) (Galil, ACM Computing Surveys 1986). Whole numbers only. */
#ifndef ORR_TOPO_MATCHING_H
#define ORR_TOPO_MATCHING_H

#include <stdint.h>

#include "core/error.h"
#include "core/none.h"

#define ORR_MATCHING_NODES  2048
#define ORR_MATCHING_WEIGHT (INT64_C(1) << 40)

/* Pairs all of n <= ORR_MATCHING_NODES nodes, but for one where n is odd, so
 * that the pairs weigh most. weight: n * n, symmetrical, each 0 to
 * ORR_MATCHING_WEIGHT; the diagonal does not count. mate: per node, or
 * ORR_NONE. Of several matchings of that weight it is always the same one. */
ORR_CHECK_RESULT orr_err orr__matching_perfect(uint32_t n,
                                               const uint64_t *weight,
                                               uint32_t *mate,
                                               struct orr_report *why);

#endif
