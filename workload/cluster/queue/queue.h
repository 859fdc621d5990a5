/* The family of queueing policies: who gets GPUs when there are not enough for
 * all, `cluster.queue`. One member a file, one line in list.h. */
#ifndef ORR_WORKLOAD_CLUSTER_QUEUE_QUEUE_H
#define ORR_WORKLOAD_CLUSTER_QUEUE_QUEUE_H

#include "workload/cluster/cluster.h"

/* A member of the family. */
struct orr_queue_policy_ops {
    const char *name, *doc;
    const struct orr_param *params; /* beside kind; may be an empty table */
    size_t params_size;
    bool preempts; /* it orders running jobs as well, and those that are not
                    * among the first lose their GPUs */
    /* Puts n jobs (indices into c->job, ascending as given: all that wait, and
     * if it preempts all that run) into the order in which they get GPUs. A
     * total order: what it does not tell apart stays in order of index. */
    orr_err (*order)(const struct orr_cluster *c, const void *params,
                     uint32_t *job, uint32_t n, struct orr_report *why);
    /* May job `j`, which fits, start although `first`, which is before it in
     * the order and does not fit, has to wait for GPUs? NULL: never. For jobs
     * that do not preempt. */
    orr_err (*passes)(const struct orr_cluster *c, const void *params,
                      uint32_t first, uint32_t j, bool *may,
                      struct orr_report *why);
    /* When the order is to be looked at again though nothing arrives, ends or
     * fails: a lease is over. After c->now_ns; INT64_MAX: never.
     * NULL: never. */
    int64_t (*recheck_ns)(const struct orr_cluster *c, const void *params);
};

/* The members in the order of list.h; NULL ends. The first is the default. */
const struct orr_queue_policy_ops *const *orr__queue_policies(void);
/* Reads `queue` (a name or a map with kind) into c->queue, c->queue_params. */
ORR_CHECK_RESULT orr_err orr__queue_policy_read(struct orr_cluster *c,
                                                const struct orr_yaml *node,
                                                struct orr_report *why);

#endif
