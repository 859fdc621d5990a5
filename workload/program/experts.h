/* Mixtures of experts: how many bytes ranks send one another when tokens go to
 * the experts that a router chose for them. Expectations, not draws: bytes are
 * exact to one, tokens are not whole.
 *
 * Experts differ in popularity; the k-th most popular one is on member k mod n.
 * A token chooses `top_k` different ones. */
#ifndef ORR_WORKLOAD_PROGRAM_EXPERTS_H
#define ORR_WORKLOAD_PROGRAM_EXPERTS_H

#include <stdint.h>

#include "core/error.h"
#include "workload/collective/pair_sizes.h"

/* Who sends what. Bounds: tokens * top_k * row * n^2 is at most
 * ORR_PAIR_SIZES_MAX. */
struct orr_experts {
    uint32_t n;       /* members, >= 1; each has `tokens` of its own */
    uint32_t experts; /* >= top_k */
    uint32_t top_k;   /* >= 1 */
    uint32_t nodes;   /* that a token goes to at most; 0: any number, and each
                         copy goes straight to its expert */
    uint32_t local;   /* members of a node, divides n; with nodes only */
    uint64_t tokens, row; /* row: bytes of a token */
    double skew;     /* popularity of the k-th expert is 1 / k^skew, as far as
                        no token chooses one twice */
    double capacity; /* an expert takes so many times its equal share, and what
                        is beyond is dropped; 0: everything */
};

/* Copies of one member's token that each member's experts are to get and do
 * get: arrays of n, owned. */
struct orr_expert_copies {
    double *chosen, *taken;
    double dropped; /* share of all copies */
};
ORR_CHECK_RESULT orr_err orr__experts_copies(const struct orr_experts *e,
                                             struct orr_expert_copies *out,
                                             struct orr_report *why);
void orr__expert_copies_fini(struct orr_expert_copies *c);

/* What goes straight to the experts; n members. NULL: no memory. */
struct orr_pair_sizes *orr__experts_direct(const struct orr_experts *e,
                                           const struct orr_expert_copies *c);
/* By nodes: a token goes once to each of its nodes, to the member there that
 * has its own's place in the node; n / local members. NULL: no memory. */
struct orr_pair_sizes *orr__experts_across(const struct orr_experts *e,
                                           const struct orr_expert_copies *c);
/* Then from that member to its experts: of one node, `local` members, where all
 * experts are equally popular; else all n members. */
struct orr_pair_sizes *orr__experts_within(const struct orr_experts *e,
                                           const struct orr_expert_copies *c);

#endif
