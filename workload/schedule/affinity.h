/* From rotations on each link to one start time a job: the affinity graph and
 * its breadth-first search (CASSINI, NSDI 2024, section 4, Algorithm 1). */
#ifndef ORR_WORKLOAD_SCHEDULE_AFFINITY_H
#define ORR_WORKLOAD_SCHEDULE_AFFINITY_H

#include "core/none.h"
#include "workload/schedule/circle.h"

/* Links on which the same jobs meet. They are one vertex of the graph and are
 * rotated together, or any two links of one path would be a loop. */
struct orr_affinity_group {
    uint32_t *shared, n;          /* of the circles */
    uint32_t jobs;                /* that meet there */
    struct orr_rotation rotation; /* not of a part with a loop */
};

/* Jobs that are joined by links. */
struct orr_affinity_part {
    uint32_t jobs, groups; /* how many are in it */
    bool loop; /* the graph has one: no shifts need to suit every link, and the
                * jobs were rotated all at once for the largest sum of scores */
    struct orr_rotation rotation; /* the worst of its groups' */
    struct orr_grid grid;         /* of its jobs' iterations */
};

/* The graph, and what came of it; freed with orr__affinity_fini. */
struct orr_affinity {
    uint32_t groups, parts; /* of the arrays, which are owned */
    struct orr_affinity_group *group;
    struct orr_affinity_part *part;
    uint32_t *part_of; /* per job; ORR_NONE */
    int64_t *shift;    /* per job: its start, 0 <= shift < period */
    double score;      /* mean over the links; 1: there are none */
};

/* Sets the periods (grid_ps as for orr__circles_round, but 0: those that suit
 * best, by workload/schedule/fit.h), rotates the jobs of
 * every vertex and carries the shifts through the graph; the first job of each
 * part starts at 0. ECONFIG when the iteration times find no circle on that
 * grid. *out is to be given to orr__affinity_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__affinity_solve(struct orr_circles *c,
                                             int64_t grid_ps, uint64_t seed,
                                             struct orr_affinity *out,
                                             struct orr_report *why);
/* Rotates the jobs of one part anew for the periods that are set, which have
 * perimeters; shift: per job, of those of the part. */
ORR_CHECK_RESULT orr_err orr__affinity_turn(struct orr_circles *c,
                                            const struct orr_affinity *a,
                                            uint32_t part, uint64_t seed,
                                            int64_t *shift,
                                            struct orr_report *why);
void orr__affinity_fini(struct orr_affinity *a);

#endif
