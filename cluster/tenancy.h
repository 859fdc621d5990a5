/* Quotas of tenants where GPUs are given away (workload/cluster/tenants.h). A
 * job that runs within its tenant's quota has GPUs of its own; what a tenant
 * has beyond is borrowed: by its jobs that began last. A tenant without a quota
 * has all of it borrowed. */
#ifndef ORR_CLUSTER_TENANCY_H
#define ORR_CLUSTER_TENANCY_H

#include "cluster/engine.h"

/* How many more GPUs the tenant of a job may have at all; UINT32_MAX: as many
 * as there are. */
uint32_t orr__tenant_room(const struct orr_cluster *c, uint32_t job);
/* Whether so many more for a job are within its tenant's quota. */
bool orr__tenant_owns(const struct orr_cluster *c, uint32_t job, uint32_t gpus);
/* Puts jobs of tenants with a higher priority first; else they stay as they
 * are. */
void orr__tenants_order(const struct orr_cluster *c, uint32_t *job, uint32_t n);
/* A job that waits and is within its tenant's quota, which reclaims: jobs of
 * others that have borrowed lose their GPUs until `gpus` of one kind on which
 * it runs are free. None does if that is not enough. */
ORR_CHECK_RESULT orr_err orr__tenant_reclaim(struct orr_engine *e, uint32_t job,
                                             uint32_t gpus, bool *changed,
                                             struct orr_report *why);

#endif
