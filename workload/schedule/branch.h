/* The best rotations of a few jobs by branch and bound. */
#ifndef ORR_WORKLOAD_SCHEDULE_BRANCH_H
#define ORR_WORKLOAD_SCHEDULE_BRANCH_H

#include "workload/schedule/circle.h"

/* Jobs to be turned against one another, and what is known of them. */
struct orr_branch {
    const struct orr_circles *circles;
    const uint32_t *which; /* links */
    uint32_t links;
    const uint32_t *job; /* `jobs` of them; the first stays at 0 */
    uint32_t jobs;
    bool grid;     /* only rotations of the 5-degree grid are tried */
    uint64_t work; /* in: edges gone along at most, about */
    /* in and out: the least that is known to be lost, a sum over links of
     * shares of what a circle can carry, and the shifts with which it is, per
     * job of the circles */
    double loss;
    int64_t *shift;
    double least; /* out: no rotation loses less; of the grid, where only that
                   * is tried. = loss: the search came to its end */
};

/* Finds shifts that lose less, if there are any. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__branch(struct orr_branch *b,
                                     struct orr_report *why);

#endif
