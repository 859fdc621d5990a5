/* Jobs on a part of a cluster, packet by packet, until it is known what their
 * iterations take. */
#ifndef ORR_CLUSTER_MEASURE_H
#define ORR_CLUSTER_MEASURE_H

#include "experiment/experiment.h"

enum { ORR_ENDS = 64 };

/* Of one job. */
struct orr_outcome {
    double iteration_ps; /* mean, once it is steady */
    double half;         /* of its 95 % confidence interval, a share of it */
    double compute_ps;   /* of an iteration: a rank computes, mean over ranks */
    double marks, resent; /* packets of an iteration, all ranks */
    double bytes;         /* payload of an iteration, all ranks */
    uint32_t iterations;  /* that were simulated */
    bool settled;         /* it is known as well as was asked */
    bool exact;           /* the last iterations are equal to the picosecond */
    uint32_t each, ends;  /* every so many iterations one that says when it
                           * ended, from where the job began on */
    int64_t end_ps[ORR_ENDS]; /* ascending, from the job's start */
};

/* How well iterations are to be known. */
struct orr_measure {
    double error;                  /* share of the mean that may be missed */
    uint32_t most;                 /* iterations of the slowest job, at most */
    double *expected_ps;           /* per job, of an iteration */
    const volatile int *interrupt; /* NULL: not wanted */
};
/* Iterations that a job of a part must be able to do, so that none ends before
 * all are known. */
uint64_t orr__subset_iterations(const struct orr_measure *m, uint32_t jobs,
                                uint32_t job);
/* Runs an experiment that has not begun; out: per job. *hops: packet-hops that
 * this took. EINTERRUPTED. */
ORR_CHECK_RESULT orr_err orr__subset_measure(orr_experiment *x,
                                             const struct orr_measure *m,
                                             struct orr_outcome *out,
                                             uint64_t *hops,
                                             struct orr_report *why);

#endif
