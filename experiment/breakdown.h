/* Where a job's time went, after its run. */
#ifndef ORR_EXPERIMENT_BREAKDOWN_H
#define ORR_EXPERIMENT_BREAKDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/job/job.h"

/* Means over ranks and the iterations that they ended, in ps. A time counts as
 * communication while at least one send, receive (also one that only waits) or
 * collective is under way; what is not hidden by a computation is exposed. */
struct orr_breakdown {
    double compute, communication, exposed, overlap;
    uint64_t sent_least, sent_most; /* by a rank, in an iteration */
    /* The rank that computes longest; among equals the one that waits least
     * for others, then the lowest. */
    uint32_t slowest;
    double slowest_compute; /* of it, in an iteration */
    double slower;          /* that over the mean */
};
/* false: no rank ended an iteration. */
bool orr__breakdown(const struct orr_job *j, struct orr_breakdown *b);
/* How well ranks are used, as Crux counts GPUs (SIGCOMM 2024, Eq. 1: what they
 * compute): the share of an iteration, mean_ps long, in which a rank of the job
 * computes. NaN: no iteration ended. */
double orr__computing(const struct orr_job *j, double mean_ps);

#endif
