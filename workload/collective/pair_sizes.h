/* How many bytes each member of an all-to-all sends to each other one, where
 * these differ. */
#ifndef ORR_WORKLOAD_COLLECTIVE_PAIR_SIZES_H
#define ORR_WORKLOAD_COLLECTIVE_PAIR_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* All bytes of an all-to-all together, at most. */
#define ORR_PAIR_SIZES_MAX (UINT64_C(1) << 62)

/* Either a matrix, or weights: then all send as much, and a member's part of
 * it goes by its weight among those who are not the sender, or among `all`.
 *
 * Sizes are of places. In the first turn, and in all of them unless they are
 * drawn, member i is at place i. */
struct orr_pair_sizes {
    uint32_t n;      /* members, >= 1 */
    uint64_t *bytes; /* owned: [sender * n + receiver], 0 from a place to
                      * itself; NULL: weights */
    uint64_t *upto;  /* owned, n + 1: weights of the places before; at most
                      * 2^60. NULL: a matrix */
    uint64_t each;   /* bytes that each sends, by weights */
    uint64_t all;    /* not 0: weights are parts of this; what is a member's own
                      * stays there, what is nobody's is dropped */
    bool back;       /* what goes from a to b is what these say from b to a */
    /* not 0: who is at which place is drawn anew after so many turns, by `key`;
     * `block` members, which divides n, stay together */
    uint32_t drawn, block;
    uint64_t key;
    /* the most that a member sends or receives, and the place that does */
    uint64_t most;
    uint32_t sender, receiver; /* the busiest one of either kind */
};

/* Turns are counted in so many bits; then the first drawing comes again. */
#define ORR_DRAWING_BITS 16

/* A matrix of zeros, or weights of zero; NULL: no memory. */
struct orr_pair_sizes *orr__pair_sizes_matrix(uint32_t n);
/* Place k of n has a weight of 1 / (k + 1)^exponent. */
struct orr_pair_sizes *orr__pair_sizes_zipf(uint32_t n, double exponent,
                                            uint64_t each);
/* Member `hot` gets this share, 0 to 1, of what each other one sends; the rest
 * get equal parts, and so do all from `hot`. */
struct orr_pair_sizes *orr__pair_sizes_hot(uint32_t n, uint32_t hot,
                                           double share, uint64_t each);
/* Weights as parts of `all`, which is not less than their sum; NULL: no
 * memory. */
struct orr_pair_sizes *orr__pair_sizes_parts(uint32_t n, const uint64_t *weight,
                                             uint64_t all, uint64_t each);
/* Sets most, sender and receiver of a matrix when it is filled, or of sizes
 * that go back. */
void orr__pair_sizes_finish(struct orr_pair_sizes *s);
/* NULL is fine. */
void orr__pair_sizes_free(struct orr_pair_sizes *s);

/* The place of a member in a turn, and the member at a place. */
uint32_t orr__place_of(const struct orr_pair_sizes *s, uint32_t turn,
                       uint32_t member);
uint32_t orr__member_at(const struct orr_pair_sizes *s, uint32_t turn,
                        uint32_t place);
/* turn: below 2^ORR_DRAWING_BITS. */
uint64_t orr__bytes_between(const struct orr_pair_sizes *s, uint32_t turn,
                            uint32_t from, uint32_t to);

#endif
