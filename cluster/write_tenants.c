/* /cluster_tenants: a row a tenant. */
#include <math.h>

#include "cluster/show.h"
#include "core/assert.h"
#include "core/none.h"
#include "record/rows.h"

/* A row of /cluster_tenants; seconds and hours. */
struct tenant_row {
    uint32_t tenant;
    const char *name;
    uint32_t quota, jobs, done, failed, waiting, running;
    double queueing, queueing_p99, completion, slowdown, rho, jain;
    double gpu_hours, share, of_quota, borrowed, goodput, done_per_hour;
    uint32_t preempted, met, missed;
};

static const struct orr_row_field fields[] = {
    ORR_FIELD(tenant_row, tenant, U32, "1", "number of the tenant", NULL),
    ORR_FIELD(tenant_row, name, TEXT, "1", "name of the tenant", NULL),
    ORR_FIELD(tenant_row, quota, U32, "1",
              "GPUs that are its own; 4294967295: it has no quota", NULL),
    ORR_FIELD(tenant_row, jobs, U32, "1", "jobs that are its", NULL),
    ORR_FIELD(tenant_row, done, U32, "1", "of these, done", NULL),
    ORR_FIELD(tenant_row, failed, U32, "1", "of these, given up", NULL),
    ORR_FIELD(tenant_row, waiting, U32, "1", "of these, waiting at the end",
              NULL),
    ORR_FIELD(tenant_row, running, U32, "1", "of these, running at the end",
              NULL),
    ORR_FIELD(tenant_row, queueing, F64, "s", "its jobs waited, mean", NULL),
    ORR_FIELD(tenant_row, queueing_p99, F64, "s", "the same, 99th percentile",
              NULL),
    ORR_FIELD(tenant_row, completion, F64, "s",
              "from arrival to end of its jobs, mean", NULL),
    ORR_FIELD(tenant_row, slowdown, F64, "1", "of its jobs, mean", NULL),
    ORR_FIELD(tenant_row, rho, F64, "1", "of its jobs, mean", NULL),
    ORR_FIELD(tenant_row, jain, F64, "1", "Jain's index of 1/rho of its jobs",
              NULL),
    ORR_FIELD(tenant_row, gpu_hours, F64, "h", "GPU time that its jobs had",
              NULL),
    ORR_FIELD(tenant_row, share, F64, "1", "of all GPU time given", NULL),
    ORR_FIELD(tenant_row, of_quota, F64, "1",
              "GPU time given over that of its quota", NULL),
    ORR_FIELD(tenant_row, borrowed, F64, "h", "GPU time beyond its quota",
              NULL),
    ORR_FIELD(tenant_row, goodput, F64, "1",
              "GPU hours, in an hour, that its iterations take alone", NULL),
    ORR_FIELD(tenant_row, done_per_hour, F64, "1", "jobs done in an hour",
              NULL),
    ORR_FIELD(tenant_row, preempted, U32, "1",
              "times that its jobs lost their GPUs to others", NULL),
    ORR_FIELD(tenant_row, met, U32, "1", "jobs done by their deadline", NULL),
    ORR_FIELD(tenant_row, missed, U32, "1", "jobs that were not", NULL),
};

/* Seconds from ns. */
static void tenant_row(void *from, uint64_t i, void *row)
{
    const struct orr_tenant_results *r = from;
    ORR_ASSERT(i < r->n);
    const struct orr_tenant_result *t = &r->of[i];
    *(struct tenant_row *)row = (struct tenant_row){
        .tenant = (uint32_t)i,
        .name = t->name,
        .quota = t->quota,
        .jobs = t->jobs,
        .done = t->done,
        .failed = t->failed,
        .waiting = t->waiting,
        .running = t->running,
        .queueing = t->queueing.mean / 1e9,
        .queueing_p99 = t->queueing.p99 / 1e9,
        .completion = t->completion.mean / 1e9,
        .slowdown = t->slowdown.mean,
        .rho = t->rho.mean,
        .jain = t->jain,
        .gpu_hours = t->gpu_hours,
        .share = t->share,
        .of_quota = t->of_quota,
        .borrowed = t->borrowed_h,
        .goodput = t->goodput,
        .done_per_hour = t->done_per_hour,
        .preempted = (uint32_t)t->preempted,
        .met = t->met,
        .missed = t->missed,
    };
}

orr_err orr__tenants_write(struct orr_record *r, const struct orr_engine *e,
                           const struct orr_job_result *jobs)
{
    static const struct orr_rows rows =
        ORR_ROWS(fields, tenant_row, tenant_row);
    struct orr_tenant_results t;
    if (!e->cluster.tenants)
        return ORR_OK;
    orr_err err = orr__tenant_results(e, jobs, &t);
    if (!err)
        err = orr__rows_write(r, orr__record_group(r, "cluster_tenants"), &rows,
                              &t, t.n);
    orr__tenant_results_fini(&t);
    return err;
}
