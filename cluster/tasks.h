/* Measures that do not depend on one another, several at a time. */
#ifndef ORR_CLUSTER_TASKS_H
#define ORR_CLUSTER_TASKS_H

#include "cluster/measure.h"
#include "cluster/subset.h"

struct orr_joint_plans;  /* joint_plan.h */
enum { ORR_TASKS = 64 }; /* that wait, at most */

/* A constellation that is to be simulated. */
struct orr_task {
    uint64_t key; /* of the memo: what it comes to is kept under it */
    const struct orr_cluster *cluster;     /* whose network it is on */
    struct orr_subset_job *part;           /* jobs of them; the task's */
    uint32_t jobs;                         /* at least one */
    bool alone;                            /* one job, that nothing schedules */
    const struct orr_joint_plans *planned; /* or NULL: the schedule plans */
    uint32_t *place;            /* per job, in `planned`; the task's, or NULL */
    struct orr_measure measure; /* how well it is to be known */
    double *expected_ps;        /* the task's, of `measure` */
    struct orr_outcome *out;    /* jobs of them; the task's */
    uint64_t hops;              /* out: packet-hops that it took */
    orr_experiment *x;          /* while it runs; NULL before and after */
    orr_err err; /* out: not ORR_OK: `out` means nothing, `why` says */
    struct orr_report why;
};

/* Runs n tasks on so many threads; what came of each stands in it. If there
 * are fewer tasks than threads, each has several; that changes no result. */
void orr__tasks_run(struct orr_task *task, uint32_t n, unsigned threads);
void orr__task_fini(struct orr_task *task);

#endif
