/* Figures by tenant, in the summary and in its JSON. */
#include <math.h>
#include <stdio.h>

#include "cluster/show.h"
#include "core/json.h"
#include "core/none.h"
#include "core/units.h"

/* Times in ns; GPU time in hours. NAN becomes null. */
static void json_tenant(struct orr_json *j, const struct orr_tenant_result *t)
{
    orr__json_object(j, NULL);
    orr__json_text(j, "name", t->name);
    if (t->quota != ORR_NONE)
        orr__json_count(j, "quota", t->quota);
    orr__json_count(j, "jobs", t->jobs);
    orr__json_count(j, "done", t->done);
    orr__json_count(j, "failed", t->failed);
    orr__json_count(j, "running", t->running);
    orr__json_count(j, "waiting", t->waiting);
    orr__json_statistics(j, "completion_ns", &t->completion,
                         orr__json_long_time);
    orr__json_statistics(j, "queueing_ns", &t->queueing, orr__json_long_time);
    orr__json_statistics(j, "slowdown", &t->slowdown, orr__json_real);
    orr__json_statistics(j, "rho", &t->rho, orr__json_real);
    orr__json_real(j, "jain", t->jain);
    orr__json_real(j, "gpu_hours", t->gpu_hours);
    orr__json_real(j, "share", t->share);
    orr__json_real(j, "of_quota", t->of_quota);
    orr__json_real(j, "borrowed_gpu_hours", t->borrowed_h);
    orr__json_real(j, "goodput_per_hour", t->goodput);
    orr__json_real(j, "done_per_hour", t->done_per_hour);
    orr__json_count(j, "preempted", t->preempted);
    orr__json_count(j, "deadlines_met", t->met);
    orr__json_count(j, "deadlines_missed", t->missed);
    orr__json_end(j);
}

void orr__tenants_json(struct orr_json *j, const struct orr_engine *e,
                       const struct orr_job_result *jobs)
{
    struct orr_tenant_results r;
    if (!e->cluster.tenants)
        return;
    if (orr__tenant_results(e, jobs, &r) != ORR_OK) {
        j->text.failed = true;
        return;
    }
    orr__json_real(j, "tenants_jain_share", r.jain_share);
    orr__json_real(j, "tenants_jain_rho", r.jain_rho);
    orr__json_list(j, "tenants");
    for (uint32_t t = 0; t < r.n; t++)
        json_tenant(j, &r.of[t]);
    orr__json_end(j);
    orr__tenant_results_fini(&r);
}

/* A line each, under one of names. */
void orr__tenants_text(struct orr_text *text, const struct orr_engine *e,
                       const struct orr_job_result *jobs)
{
    struct orr_tenant_results r;
    if (!e->cluster.tenants)
        return;
    if (orr__tenant_results(e, jobs, &r) != ORR_OK) {
        text->failed = true;
        return;
    }
    orr__text_add(text, "\n%-16s %6s %6s %11s %6s %8s %9s %9s\n", "tenants",
                  "jobs", "done", "mean wait", "rho", "GPU h", "of quota",
                  "borrowed");
    for (uint32_t t = 0; t < r.n; t++) {
        const struct orr_tenant_result *x = &r.of[t];
        char wait[32] = "-", quota[32] = "-", rho[32] = "-";
        if (x->queueing.n)
            orr__human_long_time((int64_t)(x->queueing.mean + 0.5), wait,
                                 sizeof wait);
        if (!isnan(x->of_quota))
            snprintf(quota, sizeof quota, "%.1f %%", 100 * x->of_quota);
        if (x->rho.n)
            snprintf(rho, sizeof rho, "%.3g", x->rho.mean);
        orr__text_add(text, "%-16.40s %6u %6u %11s %6s %8.4g %9s %7.4g h\n",
                      x->name, x->jobs, x->done, wait, rho, x->gpu_hours, quota,
                      x->borrowed_h);
    }
    orr__text_add(text,
                  "%-16s Jain's index %.3f of GPU time for quota, %.3f of "
                  "1/rho\n\n",
                  "", r.jain_share, r.jain_rho);
    orr__tenant_results_fini(&r);
}
