/* The clock of formulas: a job's program without packets. Operations, streams
 * and dependencies go as they do in a run, for the interpreter is the same
 * (workload/rank/rank.c); a collective begins when all of its ranks are there,
 * and what messages take is worked out. */
#ifndef ORR_WORKLOAD_SCHEDULE_FORMULAS_H
#define ORR_WORKLOAD_SCHEDULE_FORMULAS_H

#include "workload/schedule/outline.h"

/* What is asked. */
struct orr_formulas {
    const struct orr_world *w;
    const struct orr_job *job;
    const struct orr_message_paths *paths; /* NULL: the job's own */
    uint32_t iterations;                   /* gone through */
    uint32_t counts; /* the one whose departures and computations are
                        told */
    bool varied;     /* computations take what jitter makes of them */
};

/* What they say, all of which is owned. */
struct orr_formulas_result {
    struct orr_outline *out; /* shipments, and departures of the iteration that
                                counts, at the time of the run */
    int64_t *end;            /* per iteration: the last rank has ended it */
    int64_t start_ps;        /* of the iteration that counts */
    __int128 computed_ps;    /* in it, over all ranks */
    int64_t busiest_ps;      /* with `overlap`: what its departures keep the
                                busiest link busy; else 0 */
};

/* Operations of all ranks in an iteration; more than so many, over the
 * iterations, are not gone through. */
#define ORR_FORMULAS_MOST UINT64_C(20000000)
uint64_t orr__formulas_steps(const struct orr_job *j);

/* out: empty; orr__outline_fini, and *end is to be freed, also when it fails.
 * ERUN: the program does not come to an end, or is too large. */
ORR_CHECK_RESULT orr_err orr__formulas_run(const struct orr_formulas *f,
                                           struct orr_formulas_result *result,
                                           struct orr_report *why);

#endif
