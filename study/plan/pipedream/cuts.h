/* Where a model can be cut: sets of layers that lack nothing which comes before
 * one of theirs. Of layers in a row these are the beginnings of the row. */
#ifndef ORR_STUDY_PLAN_PIPEDREAM_CUTS_H
#define ORR_STUDY_PLAN_PIPEDREAM_CUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "workload/model/train.h"

/* What stands before a cut. */
struct orr_cut {
    uint64_t *set;      /* a bit per layer */
    uint32_t layers;    /* in it */
    int64_t compute_ps; /* forward and backward of a minibatch, all of them */
    uint64_t activations, parameters; /* bytes, of all of them */
    uint64_t across;      /* bytes of a minibatch that go over the cut ... */
    uint64_t across_code; /* ... and as PipeDream's code counts them: also of
                           * layers that only some of these layers need */
    uint32_t first, n;    /* cuts[].before: cuts before it, ascending */
};

struct orr_cuts {        /* owns all that it points to */
    uint32_t n, words;   /* cuts; words of a set */
    struct orr_cut *cut; /* by layers, so that none stands before one that it
                          * contains; the last has all of them */
    uint32_t *before;
};

/* All cuts that PipeDream looks at. Of layers in a row: between units of the
 * model. Else: from the first source on, a layer that takes an output is added
 * with all that it needs. Fails with ECONFIG at the
 * question's place `at` if they are too many. */
ORR_CHECK_RESULT orr_err orr__cuts_find(const struct orr_model *m,
                                        const struct orr_layer_costs *costs,
                                        struct orr_config *c,
                                        const struct orr_yaml *at,
                                        struct orr_cuts *out,
                                        struct orr_report *why);
void orr__cuts_fini(struct orr_cuts *x);

static inline bool orr__cut_holds(const struct orr_cut *x, uint32_t layer)
{
    return x->set[layer / 64] >> layer % 64 & 1;
}

#endif
