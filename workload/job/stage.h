/* `paths`, and `changes` of class, weight and paths between iterations. */
#ifndef ORR_WORKLOAD_JOB_STAGE_H
#define ORR_WORKLOAD_JOB_STAGE_H

#include "workload/job/course.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

struct orr_stage_keys {
    const struct orr_yaml *paths, *changes; /* NULL: left out */
};
extern const struct orr_param orr__stage_keys[]; /* beside a job's others */
extern const struct orr_param orr__change_params[];

/* Makes t->stage, of which the first has the service that t has. */
ORR_CHECK_RESULT orr_err orr__stages_read(struct orr_world *w,
                                          const struct orr_stage_keys *k,
                                          const struct orr_job *j,
                                          struct orr_team *t,
                                          struct orr_report *why);
/* Needs world->routes: looks up which ways `choice` means, of all jobs. */
ORR_CHECK_RESULT orr_err orr__stages_choose(struct orr_world *w,
                                            struct orr_report *why);
/* The same of one job, which need not be the world's. */
ORR_CHECK_RESULT orr_err orr__stages_choose_of(struct orr_world *w,
                                               const struct orr_job *j,
                                               struct orr_report *why);
void orr__stages_free(struct orr_team *t);

#endif
