/* A part of a cluster as an experiment of its own: some jobs on their GPUs, on
 * the cluster's network, and nothing else. */
#ifndef ORR_CLUSTER_SUBSET_H
#define ORR_CLUSTER_SUBSET_H

#include "experiment/experiment.h"
#include "workload/cluster/cluster.h"

/* A job of the subset; borrowed from the cluster. */
struct orr_subset_job {
    const struct orr_template *template; /* what it is made of */
    const char *name;                    /* as the cluster calls it */
    const uint32_t *gpu;                 /* by rank */
    uint32_t gpus;
    uint64_t batch;      /* of a replica; 0: as the template says */
    uint64_t iterations; /* at most; at least 1 */
    int64_t start_ps;    /* of the part's time */
    uint32_t number;     /* what names its connections and random streams */
    uint32_t kind; /* 1 + that of its GPUs; 0: the fastest on which it runs */
};

/* Names what a job is, wherever and whenever it is met: its template and its
 * GPUs. Connections of equal jobs on equal GPUs take equal paths. */
uint32_t orr__subset_number(uint32_t template, const uint32_t *gpu,
                            uint32_t gpus);
/* A job of the cluster on these GPUs, by itself: one iteration from 0 on. */
struct orr_subset_job orr__subset_job(const struct orr_cluster *c, uint32_t job,
                                      const uint32_t *gpu);
/* Puts what its template says of a job into the map at `path` of a document,
 * and what follows from its size and its kind of GPU. */
ORR_CHECK_RESULT orr_err orr__subset_lay(const struct orr_cluster *c,
                                         struct orr_config *out,
                                         const char *path,
                                         const struct orr_subset_job *job,
                                         struct orr_report *why);
/* Its document, to be given to orr__config_free. */
ORR_CHECK_RESULT orr_err orr__subset_config(const struct orr_cluster *c,
                                            const struct orr_subset_job *job,
                                            uint32_t n, bool alone,
                                            struct orr_config **out,
                                            struct orr_report *why);
/* How a subset is run. */
struct orr_subset_options {
    bool alone;                    /* nothing is scheduled */
    struct orr_steerer steerer;    /* in place of the schedule */
    unsigned threads;              /* 0: one; results do not depend on it */
    const volatile int *interrupt; /* as for any experiment, or NULL */
};
/* Makes the experiment, which has not begun. Messages about what stands in a
 * template have its place. */
ORR_CHECK_RESULT orr_err orr__subset_open(const struct orr_cluster *c,
                                          const struct orr_subset_job *job,
                                          uint32_t n,
                                          const struct orr_subset_options *how,
                                          orr_experiment **out,
                                          struct orr_report *why);

#endif
