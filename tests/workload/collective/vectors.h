/* What members of a collective hold before it and must hold after it: vectors
 * of small integers, one for each "byte". */
#ifndef ORR_TESTS_WORKLOAD_COLLECTIVE_VECTORS_H
#define ORR_TESTS_WORKLOAD_COLLECTIVE_VECTORS_H

#include "workload/collective/collective.h"

/* Positions of a member's buffer. */
static uint64_t vector_span(const struct orr_collective *c, uint64_t bytes)
{
    enum orr_collective_kind k = c->ops->kind;
    bool blocks = k == ORR_ALL_GATHER || k == ORR_GATHER || k == ORR_SCATTER ||
                  k == ORR_ALL_TO_ALL;
    return blocks ? bytes * c->n : bytes;
}

/* What member i puts at position p at the start: distinct, so that a piece in
 * the wrong place cannot go unseen. */
static int64_t vector_value(uint32_t i, uint64_t p)
{
    return 1 + (int64_t)i * 1000003 + (int64_t)p * 17;
}

static bool vector_given(const struct orr_collective *c, uint64_t bytes,
                         uint32_t i, uint64_t p)
{
    uint32_t owner = (uint32_t)(bytes ? p / bytes : 0);
    switch (c->ops->kind) {
    case ORR_ALL_GATHER:
    case ORR_GATHER:
    case ORR_ALL_TO_ALL:
        return owner == i;
    case ORR_SCATTER:
    case ORR_BROADCAST:
        return i == c->root;
    default:
        return i < c->n;
    }
}

static int64_t vector_sum(const struct orr_collective *c, uint64_t p)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < c->n; i++)
        sum += vector_value(i, p);
    return sum;
}

/* What member i must hold at position p, or false: it does not matter. */
static bool vector_wanted(const struct orr_collective *c, uint64_t bytes,
                          uint32_t i, uint64_t p, int64_t *v)
{
    uint32_t n = c->n, owner = (uint32_t)(p / bytes);
    bool in_piece = i < n && /* servers have none */
                    p % bytes >= orr__piece_start(bytes, n, i) &&
                    p % bytes < orr__piece_start(bytes, n, i + 1);
    switch (c->ops->kind) {
    case ORR_ALL_REDUCE:
        return *v = vector_sum(c, p), i < n;
    case ORR_REDUCE_SCATTER:
        return *v = vector_sum(c, p), in_piece;
    case ORR_ALL_GATHER:
        return *v = vector_value(owner, p), true;
    case ORR_ALL_TO_ALL:
        return *v = vector_value(owner, p), in_piece;
    case ORR_BROADCAST:
        return *v = vector_value(c->root, p), true;
    case ORR_REDUCE:
        return *v = vector_sum(c, p), i == c->root;
    case ORR_GATHER:
        return *v = vector_value(owner, p), i == c->root;
    case ORR_SCATTER:
        return *v = vector_value(c->root, p), owner == i;
    default:
        return false;
    }
}

#endif
