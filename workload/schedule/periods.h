/* Periods that divide one another: whole multiples of one base time, so that
 * jobs which take turns once do so for ever. */
#ifndef ORR_WORKLOAD_SCHEDULE_PERIODS_H
#define ORR_WORKLOAD_SCHEDULE_PERIODS_H

#include "workload/schedule/circle.h"

/* One way to choose the periods of some jobs: the multiples of the base that
 * are no shorter than their iterations. */
struct orr_multiples {
    int64_t base_ps;
    int64_t made_ps; /* a job's period is as often the base as this goes into
                        its iteration, rounded up, over `divisor` */
    uint32_t divisor;
    uint32_t turns; /* a circle is so many of its longest period, at most */
    double stretch; /* by how much periods are longer than iterations, a share,
                       the mean over jobs */
    double most;    /* ... the largest */
};

/* Ways to give jobs periods; owned by who asked. */
struct orr_periods {
    uint32_t n, room;
    struct orr_multiples *choice; /* those that stretch least first */
};

/* Lists ways for the jobs `in` (per job of the circles): every base that goes
 * into some job's iteration once, twice, and up to 64 times, if no circle
 * becomes longer than ORR_CIRCLE_TURNS of its longest period or
 * ORR_CIRCLE_ROUNDS of its shortest. *out is to be given to orr__periods_fini,
 * however this ends. */
ORR_CHECK_RESULT orr_err orr__periods_list(const struct orr_circles *c,
                                           const bool *in,
                                           struct orr_periods *out,
                                           struct orr_report *why);
void orr__periods_fini(struct orr_periods *p);

/* How often a job's period is the base. */
uint32_t orr__periods_times(const struct orr_circles *c,
                            const struct orr_multiples *choice, uint32_t job);
/* A base, ps, below which no rotation keeps the jobs `in` from exceeding a
 * link, by their volumes and by pairs of them. */
double orr__periods_room(const struct orr_circles *c, const bool *in,
                         const struct orr_multiples *choice);
/* Sets the periods of the jobs `in` by a base that need not be the way's own,
 * and perimeters; false: some leave the clock. */
bool orr__periods_set(struct orr_circles *c, const bool *in,
                      const struct orr_multiples *choice, int64_t base_ps);

#endif
