/* Kinds of GPU: which one each GPU of a cluster is (`servers.groups`), and how
 * fast jobs are on them (`throughput` of an entry of `cluster.jobs`). A job has
 * GPUs of one kind. */
#ifndef ORR_WORKLOAD_CLUSTER_GPU_KINDS_H
#define ORR_WORKLOAD_CLUSTER_GPU_KINDS_H

#include "workload/cluster/cluster.h"

/* Iterations a second of jobs on so many GPUs of one kind. */
struct orr_throughput {
    const struct orr_yaml *node; /* where it stands; NULL: it is not said */
    bool any;                    /* of any number of GPUs: rate[0] */
    uint32_t *gpus; /* else: of these numbers; the configuration's */
    double *rate;   /* of each; > 0, or 0: none runs there */
    uint32_t n;     /* numbers */
};

/* Reads `topology.servers.groups` into v, which has its servers. Without groups
 * there is one kind, which has no name. */
ORR_CHECK_RESULT orr_err orr__gpu_kinds_read(struct orr_inventory *v,
                                             struct orr_config *c,
                                             struct orr_report *why);
/* Reads `throughput` (NULL: not said) of a template, which has its sizes. With
 * several kinds it has to say one of each. */
ORR_CHECK_RESULT orr_err orr__throughput_read(const struct orr_cluster *c,
                                              const struct orr_yaml *node,
                                              struct orr_template *t,
                                              struct orr_report *why);
/* Iterations a second; 0: it does not run on those; 1 where nothing is said. */
double orr__throughput(const struct orr_template *t, uint32_t kind,
                       uint32_t gpus);
/* By what computations of its program are longer on this kind than they stand
 * there, which is of the first kind that it has; 1: nothing is said. */
double orr__compute_scale(const struct orr_cluster *c,
                          const struct orr_template *t, uint32_t kind,
                          uint32_t gpus);
/* ns of an iteration that is nothing but computation, where its template has
 * neither program nor model; 0: it has. */
double orr__bare_iteration(const struct orr_template *t, uint32_t kind,
                           uint32_t gpus);
/* GPUs of a kind; places of them where jobs share them do not count. */
uint32_t orr__kind_gpus(const struct orr_inventory *v, uint32_t kind);
/* GPUs of a kind that may be given away. */
uint32_t orr__kind_free(const struct orr_inventory *v, uint32_t kind);
/* Kinds of a template for a job of so many GPUs, the fastest first; of equal
 * ones the first. kind: room for v->kinds. Returns how many. */
uint32_t orr__kinds_of(const struct orr_cluster *c,
                       const struct orr_template *t, uint32_t gpus,
                       uint32_t *kind);

uint32_t orr__fastest_kind(const struct orr_cluster *c,
                           const struct orr_template *t, uint32_t gpus);

extern const struct orr_param orr__server_group_params[];

#endif
