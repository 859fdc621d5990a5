/* How far jobs are, of a pace that knows when their iterations end: time goes
 * on from event to event, and each job goes by its progress (progress.h). */
#ifndef ORR_CLUSTER_JOB_PROGRESS_H
#define ORR_CLUSTER_JOB_PROGRESS_H

#include "cluster/engine.h"
#include "cluster/progress.h"

struct orr_job_progress {                  /* zeroed: none */
    struct orr_iteration_progress **of;    /* per job; NULL: it has no speed */
    struct orr_iteration_progress **spare; /* of jobs that have lost theirs */
    uint32_t spares, jobs;
    uint32_t *stretch; /* per job: what e->open was when `since` was noted */
    double *since;     /* per job: iterations as its stretch began */
};

ORR_CHECK_RESULT bool orr__job_progress_init(struct orr_job_progress *c,
                                             uint32_t jobs);
void orr__job_progress_fini(struct orr_job_progress *c);
/* The job goes by this from now on; it is copied. */
ORR_CHECK_RESULT orr_err orr__job_progress_set(
    struct orr_job_progress *c, uint32_t job,
    const struct orr_iteration_progress *progress, struct orr_report *why);
/* It has lost its GPUs. */
void orr__job_progress_drop(struct orr_job_progress *c, uint32_t job);
/* `advance` of a pace: to until_ns, or to the first end of a job. */
void orr__job_progress_advance(struct orr_engine *e, struct orr_job_progress *c,
                               int64_t until_ns);

#endif
