/* What each job takes alone, on the same hosts: `alone: true`. */
#ifndef ORR_STUDY_RUN_BASELINE_H
#define ORR_STUDY_RUN_BASELINE_H

#include "experiment/experiment.h"

/* Sets baseline_ps of the jobs of an experiment: from a run of the same
 * configuration with `schedule: ideal`, or from what an earlier one left in the
 * cache. That is a folder, ORRERY_CACHE or orrery/ in the user's own for such
 * things; a file for each hash of what matters: the configuration without
 * schedule, gates, flows and records, and the version of this program. Where
 * the configuration names other files nothing is cached. */
ORR_CHECK_RESULT orr_err orr__baseline(orr_experiment *x, const char *folder,
                                       unsigned threads,
                                       const volatile int *interrupt,
                                       struct orr_report *why);

#endif
