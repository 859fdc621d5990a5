/* What a configuration may ask for that is made of experiments itself, and so
 * stands above them: whoever opens an experiment hands it down. */
#ifndef ORR_EXPERIMENT_EXTENSIONS_H
#define ORR_EXPERIMENT_EXTENSIONS_H

#include "core/config/config.h"
#include "experiment/multi_run.h"
#include "orrery/orrery.h"

/* A member is NULL where nothing stands for it: `cluster` is then refused,
 * candidates are left as they are, and baselines are not run. */
struct orr_extensions {
    const struct orr_multi_run_ops *cluster; /* `cluster` */
    /* `schedule.candidates`, before the document is understood: puts the best
     * placements into it. hasty: an interruption ends it early, *cut says so.
     */
    orr_err (*choose_candidates)(struct orr_config *c,
                                 const struct orr_options *o, bool hasty,
                                 bool *cut, struct orr_report *why);
    /* `alone: true`, after a run: sets baseline_ps of its jobs. folder: what
     * names of files in the configuration are relative to. */
    orr_err (*run_baseline)(orr_experiment *x, const char *folder,
                            unsigned threads, const volatile int *interrupt,
                            struct orr_report *why);
};

#endif
