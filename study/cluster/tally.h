/* What a run by packets rests on, for its summary. */
#ifndef ORR_STUDY_CLUSTER_TALLY_H
#define ORR_STUDY_CLUSTER_TALLY_H

#include "study/cluster/engine.h"
#include "study/cluster/memo.h"
#include "study/cluster/tasks.h"

/* Constellations by their keys; zeroed: none. */
struct orr_set_tally {
    struct orr_table known; /* those that counted once already */
};

/* One that was simulated. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__tally_task(struct orr_set_tally *t,
                                         struct orr_engine *e,
                                         const struct orr_task *task,
                                         struct orr_report *why);
/* One of n jobs that the memo has, from this run or from one before. How well
 * it is known counts once, whoever simulated it, so that a run that was killed
 * says in the end what one says that was not. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__tally_known(struct orr_set_tally *t,
                                          struct orr_engine *e,
                                          const struct orr_memo *memo,
                                          uint64_t key, uint32_t n,
                                          struct orr_report *why);
void orr__tally_fini(struct orr_set_tally *t);

#endif
