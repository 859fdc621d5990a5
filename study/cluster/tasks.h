/* Measures that do not depend on one another, several at a time. */
#ifndef ORR_STUDY_CLUSTER_TASKS_H
#define ORR_STUDY_CLUSTER_TASKS_H

#include "study/cluster/measure.h"

enum { ORR_TASKS = 64 }; /* at a time, at most */

/* A constellation that is to be simulated. */
struct orr_task {
    uint64_t key;
    orr_experiment *x; /* has not begun; the task's */
    uint32_t jobs;
    struct orr_measure measure;
    double *expected_ps;      /* the task's, of `measure` */
    struct orr_outcome *out;  /* jobs of them; the task's */
    uint64_t hops;
    orr_err err;
    struct orr_report why;
};

/* Runs n tasks on as many threads; what came of each stands in it. */
void orr__tasks_run(struct orr_task *task, uint32_t n);
void orr__task_fini(struct orr_task *task);

#endif
