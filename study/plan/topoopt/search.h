/* Which division of a model, on which network, takes the least time: random
 * chains over divisions, as FlexFlow's, with a network of TopologyFinder's for
 * each one that is accepted (Wang et al., NSDI 2023). */
#ifndef ORR_STUDY_PLAN_TOPOOPT_SEARCH_H
#define ORR_STUDY_PLAN_TOPOOPT_SEARCH_H

#include "orrery/orrery.h"
#include "study/plan/topoopt/parallel.h"

/* Chains of steps that know nothing of one another; each takes its share of the
 * budget, so that what is found does not depend on threads. */
#define ORR_DESIGN_CHAINS 4

/* Rings for all-reduces and matchings for the rest, by TopologyFinder. *net:
 * zeroed; to be given to orr__direct_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__design_network(const struct orr_design *d,
                                             const struct orr_choice *c,
                                             struct orr_direct *net,
                                             struct orr_report *why);

/* One division on its network. Owns both. */
struct orr_designed {
    struct orr_choice *choice; /* per layer */
    struct orr_direct net;
    struct orr_design_time time;
    uint32_t step; /* of its chain, at which it was found; 0: where it began */
};

/* What was found; to be given to orr__search_fini. */
struct orr_search {
    struct orr_designed
        best[ORR_DESIGN_CHAINS]; /* of each chain, best first; no
                                  * two divisions are the same */
    uint32_t found;
    struct orr_designed first; /* all by data, on the network for that */
    uint64_t steps, accepted;  /* of all chains */
    bool stopped;              /* before the budget was used up */
};

/* budget: steps of all chains together, at least one of each. An interrupt of
 * the options ends it with what was found. */
ORR_CHECK_RESULT orr_err orr__search(const struct orr_design *d,
                                     uint64_t budget, uint64_t seed,
                                     const struct orr_options *o,
                                     struct orr_search *out,
                                     struct orr_report *why);
void orr__search_fini(struct orr_search *s);

#endif
