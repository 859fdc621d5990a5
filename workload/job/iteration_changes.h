/* `paths`, and `changes` of class, weight and paths between iterations. */
#ifndef ORR_WORKLOAD_JOB_ITERATION_CHANGES_H
#define ORR_WORKLOAD_JOB_ITERATION_CHANGES_H

#include "workload/job/job.h"
#include "workload/job/path_override.h"
#include "workload/rank/rank.h"

/* Unread, as ranks must have their hosts first. */
struct orr_iteration_change_keys {
    const struct orr_yaml *paths, *changes; /* NULL: left out */
    const struct orr_job_facts *facts;      /* as they will be (idle.h) */
};
extern const struct orr_param orr__stage_keys[]; /* beside a job's others */
extern const struct orr_param orr__change_params[];

/* Makes t->stage, of which the first has the service that t has. */
ORR_CHECK_RESULT orr_err orr__iteration_changes_read(
    struct orr_world *w, const struct orr_iteration_change_keys *k,
    const struct orr_job *j, struct orr_team *t, struct orr_report *why);
/* Needs world->routes: looks up which ways `choice` means, of a job, which need
 * not be the world's. */
ORR_CHECK_RESULT orr_err orr__iteration_changes_choose_of(
    struct orr_world *w, const struct orr_job *j, struct orr_report *why);
void orr__iteration_changes_free(struct orr_team *t);

#endif
