/* A binary tree that lies in order over the labels 1..n: odd labels are
 * leaves, and what divides by a higher power of two stands higher. */
#ifndef ORR_WORKLOAD_COLLECTIVE_LABELS_H
#define ORR_WORKLOAD_COLLECTIVE_LABELS_H

#include "core/none.h"
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

/* Where a member of an all-reduce is in a tree: in step 0 it hears its
 * children, in step 1 it asks its parent, in step 2 it tells its children. */
struct orr_tree_place {
    uint32_t parent, child[3], children; /* members; parent ORR_NONE: none */
};

static inline uint32_t orr__tree_steps(const struct orr_collective *c,
                                       uint32_t lane)
{
    (void)lane;
    return c->n > 1 ? 3 : 0;
}

static inline void orr__tree_count(const struct orr_tree_place *x,
                                   struct orr_spot at, uint32_t *sends,
                                   uint32_t *receives)
{
    uint32_t up = x->parent != ORR_NONE;
    *sends = at.step == 0 ? 0 : at.step == 1 ? up : x->children;
    *receives = at.step == 0 ? x->children : at.step == 1 ? up : 0;
}

/* The i-th send at a spot, of a range. */
static inline void orr__tree_send(const struct orr_tree_place *x,
                                  struct orr_spot at, uint32_t i,
                                  struct orr_range range,
                                  struct orr_transfer *t)
{
    bool up = at.step == 1;
    orr__transfer_set(t, up ? x->parent : x->child[i], up ? 0 : 1, up,
                      range.first, range.bytes);
}

/* The i-th receive. */
static inline void orr__tree_receive(const struct orr_tree_place *x,
                                     struct orr_spot at, uint32_t i,
                                     struct orr_range range,
                                     struct orr_transfer *t)
{
    bool up = at.step == 0;
    orr__transfer_set(t, up ? x->child[i] : x->parent, at.step, up, range.first,
                      range.bytes);
}

/* The functions count, send and receive of an algorithm over trees: find_place
 * says where a member is in its lane's, range_of what of a message travels
 * there. */
#define ORR_TREE_TRANSFERS(find_place, range_of)                               \
    static void count(const struct orr_collective *c, struct orr_spot at,      \
                      uint32_t *sends, uint32_t *receives)                     \
    {                                                                          \
        struct orr_tree_place x = find_place(c, at);                           \
        orr__tree_count(&x, at, sends, receives);                              \
    }                                                                          \
    static void send(const struct orr_collective *c, uint64_t bytes,           \
                     struct orr_spot at, uint32_t i, struct orr_transfer *t)   \
    {                                                                          \
        struct orr_tree_place x = find_place(c, at);                           \
        orr__tree_send(&x, at, i, range_of(c, bytes, at), t);                  \
    }                                                                          \
    static void receive(const struct orr_collective *c, uint64_t bytes,        \
                        struct orr_spot at, uint32_t i,                        \
                        struct orr_transfer *t)                                \
    {                                                                          \
        struct orr_tree_place x = find_place(c, at);                           \
        orr__tree_receive(&x, at, i, range_of(c, bytes, at), t);               \
    }

#endif
