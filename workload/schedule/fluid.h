/* What iterations take when jobs share links, without packets: each job goes
 * through the phases of its profile, at a speed of at most 1, and what it asks
 * of each of its links shrinks with its speed. Links are shared out max-min
 * fairly by rate among the jobs of the highest class, then among those of the
 * next. Exact for jobs that either compute or communicate; one that does both
 * at once is slowed down in both. */
#ifndef ORR_WORKLOAD_SCHEDULE_FLUID_H
#define ORR_WORKLOAD_SCHEDULE_FLUID_H

#include <stdbool.h>

#include "workload/schedule/profile.h"

/* A job, borrowed; `out` members are filled. */
struct orr_fluid_job {
    const struct orr_profile *profile;
    int64_t start_ps; /* of its first iteration */
    int64_t done_ps;  /* of that it has done so much by then, of its profile */
    uint32_t class;   /* the highest goes first */
    double weight;    /* > 0: of its share */
    int64_t period_ps, offset_ps; /* of its gate, as struct orr_gate; period 0:
                                     none */
    uint32_t times;               /* ... openings in a period, 0: one */
    const int64_t *time_ps;       /* ... with more than one, borrowed */
    bool first_only;              /* the gate holds the first iteration alone */
    double longer_ps, deviation_ps; /* of its computations by jitter: the mean,
                                     * and standard deviation */
    uint32_t draw;                  /* another one is another example of it */
    double iteration_ps;            /* out: the mean, once it has settled */
    double *end_ps;      /* out: when its first iterations end; NULL: not asked
                          * for */
    uint32_t room, ends; /* of these at most; out: how many */
};

/* rate_bps: per link of the graph; links: how many there are. *work (NULL: it
 * is not asked for) grows by what this took, in parts of some ORR_FLUID_WORK_S
 * of CPU time. interrupt: non-zero, it gives up with EINTERRUPTED; NULL: it
 * does not. */
ORR_CHECK_RESULT orr_err orr__solve_fluid(struct orr_fluid_job *job, uint32_t n,
                                          const uint64_t *rate_bps,
                                          uint32_t links, uint64_t *work,
                                          const volatile int *interrupt,
                                          struct orr_report *why);
#define ORR_FLUID_WORK_S 16e-9

#endif
