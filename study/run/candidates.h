/* `schedule: {kind: cassini, candidates: ...}`: of several placements of all
 * jobs the one whose jobs get along best (CASSINI, NSDI 2024, Algorithm 2). */
#ifndef ORR_STUDY_RUN_CANDIDATES_H
#define ORR_STUDY_RUN_CANDIDATES_H

#include "core/config/param.h"
#include "orrery/orrery.h"
#include "workload/schedule/candidates.h"

/* Of a document that was read, and is not understood yet: plans each candidate,
 * without packets, puts the placements of the best into `jobs` and takes
 * `schedule.candidates` away. Does nothing where there is no such key. What was
 * found is kept: orr__candidates_of. */
ORR_CHECK_RESULT orr_err orr__candidates_choose(struct orr_config *c,
                                                const struct orr_options *o,
                                                bool hasty, bool *cut,
                                                struct orr_report *why);
const struct orr_param *orr__candidates_params(void); /* where it is a map */

#endif
