/* Who goes first: GPU intensity and priorities, and as few classes as there are
 * queues (Crux, SIGCOMM 2024, sections 3 and 4). Pure functions.
 *
 * From the paper: intensity I = W / t (its Eq. 2), t the time that a job's
 * bytes take on the busiest of its links; priorities P = k I (Eq. 3) with k = 1
 * for the job with most traffic; compression as a cut of the contention DAG
 * into K levels, by sampled topological orders and dynamic programming. Ours,
 * because the paper's text was not to be had: the formula of k, and the weight
 * of an edge. */
#ifndef ORR_WORKLOAD_SCHEDULE_INTENSITY_H
#define ORR_WORKLOAD_SCHEDULE_INTENSITY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* A job, by what its priority depends on. */
struct orr_contender {
    double work; /* W: of an iteration, all ranks; any unit, the same for
                    all jobs */
    double iteration_s, compute_s; /* alone */
    double busy_s;                 /* t; 0: it does not communicate */
    uint64_t bytes;                /* of an iteration, over all links */
    /* out: */
    double intensity; /* W / t; 0: it does not communicate */
    double factor;    /* k */
    double priority;  /* k I */
};

/* Fills what is out. k compares a job with the reference, the one with most
 * bytes, on one link that both use all of: P_j / P_r is what is lost in W per
 * second if j goes second over what is lost if r does. Who goes second has what
 * the other leaves of the link, (1 - t / T), so its t grows; of what it grows
 * by, its computations hide as large a part as they do of t alone. */
void orr__intensities(struct orr_contender *job, uint32_t n);

/* The jobs that share links, by index; who of two has the higher priority is
 * above, and of two with the same nobody is. */
struct orr_contention_graph {
    uint32_t n;             /* jobs */
    const double *priority; /* per job */
    const bool *shares;     /* n * n, symmetric */
};

/* How a compression was found. */
enum orr_cut_proof { ORR_CUT_EXACT, ORR_CUT_SAMPLED };
/* Gives each job one of `classes` > 0, the higher the more urgent, so that
 * nobody is in a class above one that he shares a link with and that is above
 * him, and so that the priorities of those that are above another one of their
 * own class, each such pair counted once, add up to least: *lost. Exact for up
 * to 12 jobs; beyond, the best over `orders` random topological orders. Fewer
 * classes are used where more gain nothing. */
ORR_CHECK_RESULT orr_err orr__compress(const struct orr_contention_graph *c,
                                       uint32_t classes, uint32_t orders,
                                       uint64_t seed, uint32_t *class,
                                       double *lost, enum orr_cut_proof *proof,
                                       struct orr_report *why);
/* The pairs' sum for classes as they are; -1: someone is above one that is
 * above him. */
double orr__contention_lost(const struct orr_contention_graph *c,
                            const uint32_t *class);

#endif
