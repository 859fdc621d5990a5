/* When jobs meet on links: the unified circle of a link (CASSINI, NSDI 2024,
 * section 3). Each job repeats what it asks of a link with its own period; a
 * circle as long as the least common multiple of the periods holds all of them,
 * and to rotate a job's part is to delay the job. Pure functions: no world, no
 * packets. All times are integers, and what exceeds a capacity is added up
 * exactly, not at samples. */
#ifndef ORR_WORKLOAD_SCHEDULE_CIRCLE_H
#define ORR_WORKLOAD_SCHEDULE_CIRCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "workload/schedule/profile.h"

/* The samples of a circle in the paper, 5 degrees apart (its Fig. 18). */
enum { ORR_CIRCLE_SAMPLES = 72 };

/* A circle is no longer than so many times the longest period in it, and no
 * more jobs are on one. */
enum { ORR_CIRCLE_TURNS = 64, ORR_CIRCLE_JOBS = 256 };
/* No job goes round more often on one circle. */
enum { ORR_CIRCLE_ROUNDS = 100000 };

/* What one job asks of one link. */
struct orr_turn {
    uint32_t job;  /* index into the circles' jobs */
    uint32_t n;    /* phases */
    int64_t *edge; /* 2 n, ascending: starts and ends, within an iteration */
    uint64_t *rate_bps; /* n */
};

/* A link on which jobs meet. */
struct orr_shared_link {
    uint32_t link;         /* directed, of the graph */
    uint64_t capacity_bps; /* > 0 */
    int64_t perimeter_ps;  /* after orr__circles_round */
    uint32_t n;            /* turns, ascending by job */
    struct orr_turn *turn;
};

/* What a proof may take where plans are made for every job that comes. */
#define ORR_CIRCLE_WORK_OFTEN UINT64_C(50000)

/* Links on which jobs contend; freed with orr__circles_fini. */
struct orr_circles {
    uint32_t jobs;         /* of the next two arrays; all are owned */
    int64_t *iteration_ps; /* per job, as its profile says */
    int64_t *period_ps;    /* the same on the grid, never shorter */
    uint64_t work;    /* that a proof of a rotation may take: edges gone along,
                         some 20 ns each; 0: as much as a plan may */
    uint32_t n, room; /* of `shared` */
    struct orr_shared_link *shared; /* of a link one at most */
};

/* jobs > 0; iteration_ps is copied. */
ORR_CHECK_RESULT orr_err orr__circles_init(struct orr_circles *c, uint32_t jobs,
                                           const int64_t *iteration_ps,
                                           struct orr_report *why);
/* Adds a link; job: n of them, ascending, with what each asks of it (copied).
 * ECONFIG: they are more than ORR_CIRCLE_JOBS. */
ORR_CHECK_RESULT orr_err orr__circles_contend(
    struct orr_circles *c, uint32_t link, uint64_t capacity_bps, uint32_t n,
    const uint32_t *job, const struct orr_link_demand *const *demand,
    struct orr_report *why);
void orr__circles_fini(struct orr_circles *c);

/* What iteration times were rounded up to multiples of. */
struct orr_grid {
    int64_t step_ps; /* 1: they are as they were */
    double error;    /* by how much the job with the largest share is longer */
};
/* Rounds the iteration times of some jobs (in: per job; NULL: all) up to
 * multiples of step_ps; 0: of the finest step of 1, 2 or 5 times a power of ten
 * with which no circle is longer than ORR_CIRCLE_TURNS of its longest period,
 * or ORR_CIRCLE_ROUNDS of its shortest.
 * false: with that step one is, or a time would not fit. Sets the perimeters of
 * the links on which these jobs meet. */
bool orr__circles_round(struct orr_circles *c, const bool *in, int64_t step_ps,
                        struct orr_grid *out);

/* Sets the perimeters of the links on which these jobs meet, of the periods
 * that are set; false: one is too long. */
bool orr__circles_measure(struct orr_circles *c, const bool *in);

/* What exceeds the capacity over one circle, bits times 1e12, when the jobs are
 * delayed by shift (per job, 0 <= shift < period); stops counting beyond
 * `most`. */
unsigned __int128 orr__circle_excess(const struct orr_circles *c,
                                     const struct orr_shared_link *m,
                                     const int64_t *shift,
                                     unsigned __int128 most);
/* 1 - excess / (capacity * perimeter): 1 is fully compatible; it may be below
 * 0. */
double orr__circle_score(const struct orr_circles *c,
                         const struct orr_shared_link *m, const int64_t *shift);
/* What a turn asks for at a time of the circle, bit/s. */
uint64_t orr__turn_rate(const struct orr_turn *t, int64_t period_ps,
                        int64_t shift_ps, int64_t at_ps);

/* The published way, to compare with: the best rotation by the demand at the
 * paper's 72 samples, rotations in steps of 5 degrees, all of them tried, the
 * first of the best. Up to three turns; false: there are more. shift: per job
 * of the circles. */
bool orr__circle_published(const struct orr_circles *c,
                           const struct orr_shared_link *m, int64_t *shift,
                           double *score);

/* ---- rotate.c: the best rotations --------------------------------------- */

enum orr_rotation_proof {
    ORR_ROTATION_EXACT,  /* no rotation is better */
    ORR_ROTATION_GRID,   /* none on the 5-degree grid is */
    ORR_ROTATION_SEARCH, /* coordinate ascent from many starts */
};

/* How good a rotation is, and how sure. */
struct orr_rotation {
    enum orr_rotation_proof proof;
    double gap; /* by how much the best mean score of the links may be higher,
                   at most; 0: exact */
};
/* Shifts of the jobs that meet on the links `which` (n of them), delayed
 * together, so that the sum of the links' scores is largest; the others' are
 * left alone. Of the jobs in question the first stays at 0; each of the others
 * is put into the middle of the stretch in which it could be without loss. Up
 * to six jobs the answer is exact, also off any grid, where the profiles have
 * few enough phases; beyond, a search whose gap is told. */
ORR_CHECK_RESULT orr_err orr__circles_rotate(const struct orr_circles *c,
                                             const uint32_t *which, uint32_t n,
                                             uint64_t seed, int64_t *shift,
                                             struct orr_rotation *out,
                                             struct orr_report *why);

#endif
