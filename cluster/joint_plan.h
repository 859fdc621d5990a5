/* One plan for all jobs that run, of a schedule that chooses ways or classes:
 * by the ways that it chose they share links, and are sets, each simulated by
 * itself with what the plan has for its jobs. */
#ifndef ORR_CLUSTER_JOINT_PLAN_H
#define ORR_CLUSTER_JOINT_PLAN_H

#include "cluster/engine.h"
#include "cluster/job_sets.h"

struct orr_joint_plans;

/* Plans for n members, which are given the facts of their ways and their
 * classes. *out: NULL if the schedule holds jobs at gates as well; then they
 * are left as they are. Else to be given to orr__joint_plan_free, after which
 * the facts are gone. */
ORR_CHECK_RESULT orr_err orr__joint_plan_new(struct orr_engine *e,
                                             struct orr_member *member,
                                             uint32_t n,
                                             struct orr_joint_plans **out,
                                             struct orr_report *why);
/* The same of any schedule, for those that go by terms: member[i].facts are the
 * plan's, with its classes, weights and gates. */
ORR_CHECK_RESULT orr_err orr__joint_plan_terms(struct orr_engine *e,
                                               struct orr_member *member,
                                               uint32_t n,
                                               struct orr_joint_plans **out,
                                               struct orr_report *why);
/* The classes alone, of a schedule that plans no paths: facts stay. */
ORR_CHECK_RESULT orr_err orr__joint_plan_classes(struct orr_engine *e,
                                                 struct orr_member *member,
                                                 uint32_t n,
                                                 struct orr_report *why);
void orr__joint_plan_free(struct orr_joint_plans *p); /* NULL is fine */
/* Of struct orr_steerer: the jobs of a task get what its plan has for them. */
orr_err orr__joint_plan_apply(const void *task, struct orr_world *w,
                              struct orr_report *why);

#endif
