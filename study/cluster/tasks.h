/* Measures that do not depend on one another, several at a time. */
#ifndef ORR_STUDY_CLUSTER_TASKS_H
#define ORR_STUDY_CLUSTER_TASKS_H

#include "study/cluster/measure.h"
#include "study/cluster/part.h"

struct orr_plannings; /* planned.h */
enum { ORR_TASKS = 64 }; /* that wait, at most */

/* A constellation that is to be simulated. */
struct orr_task {
    uint64_t key;
    const struct orr_cluster *cluster;
    struct orr_part_job *part; /* jobs of them; the task's */
    uint32_t jobs;
    bool alone;
    const struct orr_plannings *planned; /* or NULL: the schedule plans */
    uint32_t *place;          /* per job, in `planned`; the task's, or NULL */
    struct orr_measure measure;
    double *expected_ps;      /* the task's, of `measure` */
    struct orr_outcome *out;  /* jobs of them; the task's */
    uint64_t hops;
    orr_experiment *x;
    orr_err err;
    struct orr_report why;
};

/* Runs n tasks on so many threads; what came of each stands in it. If there
 * are fewer tasks than threads, each has several; that changes no result. */
void orr__tasks_run(struct orr_task *task, uint32_t n, unsigned threads);
void orr__task_fini(struct orr_task *task);

#endif
