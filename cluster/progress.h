/* How far a job is, over time: its iterations as they were simulated, one after
 * another from where the set of jobs that it is in began, and then at their
 * mean. */
#ifndef ORR_CLUSTER_PROGRESS_H
#define ORR_CLUSTER_PROGRESS_H

#include "cluster/measure.h"

/* Iterations are those of its size as it is, times are ns. */
struct orr_iteration_progress {
    int64_t from_ns;  /* the set began */
    double from;      /* where the job was then, in iterations, parts of them
                       * included */
    double first_ns;  /* after from_ns: it begins an iteration, the first one
                       * that was simulated */
    double first;     /* its number: from, or what ends the iteration that it
                       * was in the middle of */
    double pace_ns;   /* of an iteration, once they are steady */
    uint32_t each, n; /* end_ns[i]: iteration first + (i + 1) each has ended,
                       * ascending, after first_ns */
    double end_ns[ORR_ENDS];
};

/* It begins an iteration first_ns from now_ns on, the first one that o has;
 * NULL: from there on it goes at its pace. */
struct orr_iteration_progress orr__progress(int64_t now_ns, double done,
                                            double first_ns, double pace_ns,
                                            const struct orr_outcome *o);
/* Iterations at that time, which is not before from_ns. */
double orr__progress_done(const struct orr_iteration_progress *c,
                          int64_t now_ns);
/* ns after from_ns at which it has done so many. */
double orr__progress_when(const struct orr_iteration_progress *c, double done);
/* ns from now on until it begins an iteration; 0: just now. */
double orr__progress_until_next(const struct orr_iteration_progress *c,
                                int64_t now_ns);

#endif
