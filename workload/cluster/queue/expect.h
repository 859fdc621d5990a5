/* What jobs have had and what they are expected to take, for the members of the
 * family, and orders by it. Numbers are of nanoseconds, or those times GPUs,
 * and stop at ORR_QUEUE_UNKNOWN. */
#ifndef ORR_WORKLOAD_CLUSTER_QUEUE_EXPECT_H
#define ORR_WORKLOAD_CLUSTER_QUEUE_EXPECT_H

#include "workload/cluster/queue/queue.h"

#define ORR_QUEUE_UNKNOWN INT64_MAX /* after all that is known */

/* All of a job, alone. */
int64_t orr__expect_total(const struct orr_cluster_job *j);
/* What is left of it: at its present pace if it runs, else alone. */
int64_t orr__expect_left(const struct orr_cluster_job *j);
/* Has run, has waited, by now. */
int64_t orr__has_run(const struct orr_cluster *c,
                     const struct orr_cluster_job *j);
int64_t orr__has_waited(const struct orr_cluster *c,
                        const struct orr_cluster_job *j);
/* t times the job's GPUs. */
int64_t orr__times_gpus(const struct orr_cluster_job *j, int64_t t);

/* A key `by` of a member, which orders by time or by that times GPUs. */
struct orr_expect_params {
    int by;
};
#define ORR_EXPECT_BY(help_)                                                   \
    {                                                                          \
        .key = "by", .type = ORR_PARAM_CHOICE,                                 \
        .offset = offsetof(struct orr_expect_params, by), .fallback = "time",  \
        .choices = (const char *const[]){"time", "gpu-time", NULL},            \
        .help = help_                                                          \
    }
/* t of a job as `by` has it. */
int64_t orr__expect_by(const struct orr_expect_params *p,
                       const struct orr_cluster_job *j, int64_t t);

/* The fewest GPUs that a job can do with. */
uint32_t orr__least_gpus(const struct orr_cluster *c,
                         const struct orr_cluster_job *j);
/* Whether there would be room for a job if no other had GPUs: as servers are
 * now, some of which may be out. */
bool orr__could_have_room(const struct orr_cluster *c,
                          const struct orr_cluster_job *j);
/* Does any job wait for GPUs that others could give it? */
bool orr__somebody_waits(const struct orr_cluster *c);

/* Orders n jobs by key, the lowest first; equal ones by index. key: as many as
 * jobs, in their order; it is sorted as well. */
struct orr_queue_key {
    int64_t key;  /* the lower goes first */
    uint32_t job; /* index in c->job */
};
void orr__queue_sort(struct orr_queue_key *key, uint32_t *job, uint32_t n);
/* The same by what `of` says of each job. */
typedef int64_t orr_queue_key_fn(const struct orr_cluster *c,
                                 const void *params,
                                 const struct orr_cluster_job *j);
ORR_CHECK_RESULT orr_err orr__queue_order_by(const struct orr_cluster *c,
                                             const void *params,
                                             orr_queue_key_fn *of,
                                             uint32_t *job, uint32_t n,
                                             struct orr_report *why);

#endif
