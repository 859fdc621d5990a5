/* What members of a collective hold before it and must hold after it: vectors
 * of small integers, one for each "byte". */
#ifndef ORR_TESTS_WORKLOAD_COLLECTIVE_VECTORS_H
#define ORR_TESTS_WORKLOAD_COLLECTIVE_VECTORS_H

#include "workload/collective/collective.h"

/* Positions of a member's buffer. */
static uint64_t vector_span(const struct orr_collective *c, uint64_t bytes)
{
    enum orr_collective_kind k = c->ops->kind;
    bool blocks = k == ORR_ALL_GATHER || k == ORR_GATHER || k == ORR_SCATTER
                  || k == ORR_ALL_TO_ALL;
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
    switch (c->ops->kind) {
    case ORR_ALL_GATHER:
    case ORR_GATHER:
    case ORR_ALL_TO_ALL: /* p / bytes == i, without a division for each p */
        return p >= i * bytes && p < (i + 1) * bytes;
    case ORR_SCATTER:
    case ORR_BROADCAST: return i == c->root;
    default: return i < c->n;
    }
}

static int64_t vector_sum(const struct orr_collective *c, uint64_t p)
{
    /* the values of members 0 and n - 1 lie as far below and above the mean */
    return (vector_value(0, p) + vector_value(c->n - 1, p)) * c->n / 2;
}

/* Is position p in member i's piece of the block that p lies in? */
static bool vector_in_piece(const struct orr_collective *c, uint64_t bytes,
                            uint32_t i, uint64_t p)
{
    return i < c->n && /* servers have none */
           p % bytes >= orr__piece_start(bytes, c->n, i)
           && p % bytes < orr__piece_start(bytes, c->n, i + 1);
}

/* What member i must hold at position p, or false: it does not matter. */
static bool vector_wanted(const struct orr_collective *c, uint64_t bytes,
                          uint32_t i, uint64_t p, int64_t *v)
{
    switch (c->ops->kind) {
    case ORR_ALL_REDUCE: return *v = vector_sum(c, p), i < c->n;
    case ORR_REDUCE_SCATTER:
        return *v = vector_sum(c, p), vector_in_piece(c, bytes, i, p);
    case ORR_ALL_GATHER:
        return *v = vector_value((uint32_t)(p / bytes), p), true;
    case ORR_ALL_TO_ALL:
        return *v = vector_value((uint32_t)(p / bytes), p),
               vector_in_piece(c, bytes, i, p);
    case ORR_BROADCAST: return *v = vector_value(c->root, p), true;
    case ORR_REDUCE: return *v = vector_sum(c, p), i == c->root;
    case ORR_GATHER:
        return *v = vector_value((uint32_t)(p / bytes), p), i == c->root;
    case ORR_SCATTER:
        return *v = vector_value(c->root, p),
               p >= i * bytes && p < (i + 1) * bytes;
    default: return false;
    }
}

#endif
