/* Who shares a cluster: `cluster.tenants`. Each has a quota of GPUs, which is
 * its own virtual cluster; what others do not need of theirs it may borrow,
 * until they do. */
#ifndef ORR_WORKLOAD_CLUSTER_TENANTS_H
#define ORR_WORKLOAD_CLUSTER_TENANTS_H

#include "workload/cluster/cluster.h"

/* A tenant, as configured; in the document's arena. */
struct orr_tenant {
    const char *name;            /* no other tenant has it */
    const struct orr_yaml *node; /* where it stands */
    uint32_t quota;              /* GPUs; ORR_NONE: as many as there are */
    int64_t priority;            /* whose jobs go first: the highest */
    double weight;               /* of jobs that name none, beside others' */
    bool borrows;                /* it may have more than its quota */
    bool reclaims; /* those that have more than theirs lose it for its own */
};

/* Reads `tenants` (NULL: there are none) into c->tenant; c has its inventory.
 * Quotas do not add up to more than the cluster. */
ORR_CHECK_RESULT orr_err orr__tenants_read(struct orr_cluster *c,
                                           const struct orr_yaml *list,
                                           struct orr_report *why);
/* The tenant of this name, which stands at `at`. */
ORR_CHECK_RESULT orr_err orr__tenant_find(const struct orr_cluster *c,
                                          const struct orr_yaml *at,
                                          const char *name, uint32_t *out,
                                          struct orr_report *why);
/* Its number, or ORR_NONE. */
uint32_t orr__tenant_of(const struct orr_cluster *c, const char *name);
/* Of the i-th job, which names none: by weight. */
uint32_t orr__tenant_draw(const struct orr_cluster *c, uint32_t i);
/* GPUs that its running jobs have. */
uint32_t orr__tenant_has(const struct orr_cluster *c, uint32_t tenant);

const struct orr_param *orr__tenant_params(void);

#endif
