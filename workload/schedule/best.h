/* What a job would take alone if its messages went by the best of the equal
 * paths that the routes offer: the bound on what a schedule can give it. */
#ifndef ORR_WORKLOAD_SCHEDULE_BEST_H
#define ORR_WORKLOAD_SCHEDULE_BEST_H

#include "workload/schedule/path_choice.h"

/* Of a job, without packets. */
struct orr_best {
    double own_ps, best_ps; /* iterations alone, by its own paths and by the
                             * best found; best_ps <= own_ps. 0: the
                             * program cannot be worked out */
    struct orr_path_table paths; /* these; n 0: its own, none are better */
};

/* Each pair takes what is least busy, and chooses again until nobody gains
 * (orr__path_choice_choose, orr__path_choice_improve); there may be better ones
 * yet. Where packets are not bound to one path the job's own are the best.
 * Needs world->net. *out is to be given to orr__best_fini, however this ends.
 */
ORR_CHECK_RESULT orr_err orr__best_paths(const struct orr_world *w,
                                         const struct orr_job *j,
                                         struct orr_best *out,
                                         struct orr_report *why);
void orr__best_fini(struct orr_best *b);

#endif
