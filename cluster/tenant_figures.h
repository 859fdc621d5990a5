/* Figures by tenant: what each waited and had, against its quota. */
#ifndef ORR_CLUSTER_TENANT_FIGURES_H
#define ORR_CLUSTER_TENANT_FIGURES_H

#include "cluster/engine.h"
#include "cluster/figures.h"
#include "core/statistics.h"

/* One tenant's figures; name is the cluster's. */
struct orr_tenant_result {
    const char *name;
    uint32_t quota; /* GPUs; ORR_NONE: none */
    uint32_t jobs, done, failed, waiting, running;
    struct orr_statistics queueing, completion, slowdown, rho; /* ns; 1 */
    double jain;       /* over 1/rho of its jobs; NAN: none is done */
    double gpu_hours;  /* given to its jobs */
    double share;      /* of all GPU time given */
    double of_quota;   /* GPU time given over that of its quota; NAN: none */
    double borrowed_h; /* GPU hours beyond its quota */
    double goodput;    /* GPU hours, in an hour, that its iterations would have
                        * taken alone */
    double done_per_hour; /* jobs that are done */
    uint64_t preempted;   /* times */
    uint32_t met, missed; /* jobs with a deadline: done by then, or not */
};

/* To be freed with orr__tenant_results_fini. */
struct orr_tenant_results {
    struct orr_tenant_result *of; /* per tenant; owned */
    uint32_t n;
    double jain_share; /* over tenants: GPU time given for each GPU of quota (of
                        * those without one: GPU time) */
    double jain_rho;   /* over tenants: 1 / mean rho */
};

/* n 0: the cluster has no tenants. *out is to be given to
 * orr__tenant_results_fini. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__tenant_results(const struct orr_engine *e,
                                             const struct orr_job_result *jobs,
                                             struct orr_tenant_results *out);
void orr__tenant_results_fini(struct orr_tenant_results *r);

#endif
