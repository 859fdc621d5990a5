/* What the iterations of a job say of those to come. Between windows. */
#ifndef ORR_WORKLOAD_REPEAT_SAMPLE_H
#define ORR_WORKLOAD_REPEAT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "workload/job/job.h"

/* Of n iterations in a row. */
struct orr_sample {
    uint32_t n;
    double mean_ps;
    double deviation_ps; /* standard, of one iteration */
    double half_ps;      /* of the 95 % confidence interval of the mean */
    double drift_ps;     /* of the mean from the first to the last of them */
    bool stationary;     /* no drift is to be seen */
    double apart_ps;     /* by how much more its first rank is ahead of its last
                          * with each of them; 0: that may be chance */
};

/* How many iterations all ranks of a job have ended. */
uint32_t orr__job_ended(const struct orr_job *j);
/* When all of them had ended an iteration, which they have; -1 before the
 * first: the job's start. */
int64_t orr__job_end_of(const struct orr_job *j, unsigned workers, int64_t i);
/* Of the durations of iterations first to first + n - 1. tolerance: share of
 * the mean that does not matter. ENOMEM. */
orr_err orr__sample(const struct orr_job *j, unsigned workers, uint32_t first,
                    uint32_t n, double tolerance, struct orr_sample *s);

#endif
