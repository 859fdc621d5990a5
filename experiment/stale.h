/* What is left open in jobs until their network is there. */
#ifndef ORR_EXPERIMENT_STALE_H
#define ORR_EXPERIMENT_STALE_H

#include "core/error.h"
#include "workload/job/job.h"
#include "workload/world.h"

/* Jobs before they run: the paths of their first iteration, and with
 * `stale_layers: auto` as few stale layers as take no more time by formulas
 * than if all were. */
ORR_CHECK_RESULT orr_err orr__settle_jobs(struct orr_world *w,
                                          struct orr_report *why);
/* The same of one that joins. */
ORR_CHECK_RESULT orr_err orr__settle_job(struct orr_world *w,
                                         struct orr_job *job,
                                         struct orr_report *why);

#endif
