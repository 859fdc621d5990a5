/* A binary tree that lies in order over the labels 1..n: odd labels are
 * leaves, and what divides by a higher power of two stands higher. */
#ifndef ORR_WORKLOAD_COLLECTIVE_LABELS_H
#define ORR_WORKLOAD_COLLECTIVE_LABELS_H

#include "workload/collective/collective.h"

#define ORR_LABEL_OUTSIDE 0u /* labels start at 1 */

/* Labels of the complete tree beyond n do not exist: the way up and the way
 * down right pass over them. */
static inline uint32_t orr__label_parent(uint32_t n, uint32_t label)
{
    uint64_t x = label;
    do {
        uint64_t low = x & -x;
        if (low > n)
            return ORR_LABEL_OUTSIDE;
        x = (x ^ low) | low << 1;
    } while (x > n);
    return (uint32_t)x;
}

/* Left is label - (lowest bit of label) / 2, if that is not 0. */
static inline uint32_t orr__label_right(uint32_t n, uint32_t label)
{
    uint32_t half = (label & -label) / 2;
    while (half && (uint64_t)label + half > n)
        half /= 2;
    return half ? label + half : ORR_LABEL_OUTSIDE;
}

#endif
