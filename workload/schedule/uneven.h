/* Turns that need not be evenly apart: a cycle of several iterations of each
 * job, at times at which nobody exceeds a link. Where periods are 1 to 3, the
 * one with long messages lengthens every third pause of the other, not all. */
#ifndef ORR_WORKLOAD_SCHEDULE_UNEVEN_H
#define ORR_WORKLOAD_SCHEDULE_UNEVEN_H

#include "workload/job/gate.h"
#include "workload/schedule/affinity.h"

/* What is known of a job when one is sought. */
struct orr_uneven_job {
    double baseline_ps;
    int64_t first_ps;     /* its first byte, within an iteration */
    int64_t iteration_ps; /* no shorter in turns */
    double longer;   /* what its messages may take, of what they are said to */
    int64_t late_ps; /* ... and how much later they may end */
};

/* Of the jobs of a part; owned by who asked for room for all jobs. */
struct orr_uneven {
    int64_t period_ps; /* of all; 0: none was found */
    double cost;       /* iterations over alone, the mean over jobs */
    uint32_t *times;   /* per job: iterations in it, up to ORR_MOST_TIMES */
    int64_t (*time_ps)[ORR_MOST_TIMES]; /* per job: of its first bytes,
                                         * ascending, < period_ps */
};

/* The cycle that costs least, in the mean over jobs relative to alone, of
 * `tries` orders in which jobs take their turns; work bounds what is done. */
ORR_CHECK_RESULT orr_err orr__uneven_find(
    const struct orr_circles *c, const struct orr_affinity *a, uint32_t part,
    const struct orr_uneven_job *job, uint32_t tries, uint64_t work,
    struct orr_uneven *out, struct orr_report *why);

#endif
