/* Whether a plan comes true: what its configuration takes with packets, beside
 * what it takes without a schedule. */
#ifndef ORR_STUDY_PLAN_VERDICT_H
#define ORR_STUDY_PLAN_VERDICT_H

#include <stdbool.h>

#include "core/config/config.h"
#include "orrery/orrery.h"
#include "workload/schedule/plan.h"

/* One job's iterations, ps. */
struct orr_verdict_job {
    double planned_ps, none_ps; /* mean iterations with packets, of the plan and
                                   without a schedule; 0: not known */
    double expected_ps; /* of the plan, by packets where they say otherwise */
};

/* What came of trying the plan. */
struct orr_verdict {
    uint32_t n;
    struct orr_verdict_job *job; /* as the plan's; owned */
    double packet_hops;          /* that were simulated; 0: nothing was */
    bool cut;                    /* ... of the first iterations alone */
    bool refuses; /* turns of some jobs would not hold, or are no gain, and they
                     have none */
    bool holds;   /* what was planned comes true */
    bool gains;   /* iterations are shorter than without a schedule */
    uint32_t worst;    /* the job that gains least */
    double none_worst; /* its iterations over those without a schedule */
    char *says;        /* that in a sentence; owned */
};

/* A run is cheap up to so many packet-hops: seconds. */
#define ORR_VERDICT_HOPS 2e7

/* The plan is that of the configuration with these options; `own`: of turns
 * that its schedule did not ask for. Runs the configuration, or its first
 * iterations, with and without the schedule where that is cheap. ENOMEM,
 * EINTERRUPTED. *out is to be given to orr__verdict_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__verdict(const struct orr_config_file *file,
                                      const struct orr_options *o,
                                      const orr_experiment *x,
                                      const struct orr_plan *s, bool own,
                                      struct orr_verdict *out,
                                      struct orr_report *why);
void orr__verdict_fini(struct orr_verdict *v);

#endif
