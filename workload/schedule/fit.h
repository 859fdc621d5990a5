/* Periods of a part of the affinity graph, by what they come to: those with
 * which its jobs exceed links least for what they are longer, and those with
 * which they do not exceed any. */
#ifndef ORR_WORKLOAD_SCHEDULE_FIT_H
#define ORR_WORKLOAD_SCHEDULE_FIT_H

#include "workload/schedule/affinity.h"

/* Sets the periods of a part's jobs and its grid: as they are, if they have a
 * circle; if not, whole multiples of one base, which are longer by a share that
 * is least together with the share of a link that is exceeded then. Groups of
 * *a are there. */
ORR_CHECK_RESULT orr_err orr__fit_periods(struct orr_circles *c,
                                          struct orr_affinity *a, uint32_t part,
                                          struct orr_report *why);

/* What periods that are longer may cost. */
struct orr_fit_limits {
    const double *baseline_ps; /* per job: an iteration by itself */
    double mean, worst; /* of the periods, shares of alone; none as long */
    double slack;       /* they are longer by it than would just do */
};
/* Sets the periods of a part's jobs to the shortest, in the mean, with which
 * they take turns without exceeding a link, if there are any below the limits:
 * *found. Otherwise they are not to be relied on. */
ORR_CHECK_RESULT orr_err orr__fit_turns(struct orr_circles *c,
                                        const struct orr_affinity *a,
                                        uint32_t part,
                                        const struct orr_fit_limits *limits,
                                        bool *found, struct orr_report *why);

#endif
