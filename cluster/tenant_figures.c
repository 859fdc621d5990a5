#include "cluster/tenant_figures.h"
#include "core/assert.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/none.h"
#include "workload/cluster/tenants.h"

#define HOUR 3600e9 /* ns */

enum { QUEUEING, COMPLETION, SLOWDOWN, RHO, LISTS };

/* Values by kind of figure, with room for all jobs each. */
struct lists {
    double *of[LISTS];
    size_t n[LISTS];
};

static void enter_value(struct lists *l, int which, double value)
{
    if (isfinite(value))
        l->of[which][l->n[which]++] = value;
}

/* Jain's index of what each has: 1 is fair. */
static double jain_index(const double *x, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    return squares > 0 ? sum * sum / ((double)n * squares) : NAN;
}

/* Jobs by state; a deadline counts as missed while the job is not done. */
static void count_job(struct orr_tenant_result *t,
                      const struct orr_cluster_job *j)
{
    int64_t due = j->is.deadline_ns;
    bool done = j->state == ORR_CLUSTER_DONE;
    t->jobs++;
    t->done += done;
    t->failed += j->state == ORR_CLUSTER_FAILED;
    t->waiting += j->state == ORR_CLUSTER_WAITING;
    t->running += j->state == ORR_CLUSTER_RUNNING;
    t->preempted += j->preempted;
    if (due < INT64_MAX && j->state != ORR_CLUSTER_COMING) {
        t->met += done && j->finish_ns <= due;
        t->missed += !(done && j->finish_ns <= due);
    }
}

/* All sums over one tenant's jobs. Goodput: GPU hours that iterations done
 * would take at the baseline, an hour. */
static void over_jobs(const struct orr_engine *e,
                      const struct orr_job_result *jobs, uint32_t tenant,
                      struct lists *l, struct orr_tenant_result *t)
{
    const struct orr_cluster *c = &e->cluster;
    double hours = (double)c->now_ns / HOUR;
    ORR_ASSERT(hours >= 0);
    for (uint32_t i = 0; i < c->jobs; i++) {
        const struct orr_cluster_job *j = &c->job[i];
        if (j->is.tenant != tenant)
            continue;
        count_job(t, j);
        t->gpu_hours += jobs[i].gpu_hours;
        t->goodput += j->done * j->baseline_ns / HOUR * orr__cluster_asked(j);
        enter_value(l, QUEUEING, jobs[i].queueing);
        enter_value(l, COMPLETION, jobs[i].completion);
        enter_value(l, SLOWDOWN, jobs[i].slowdown);
        enter_value(l, RHO, jobs[i].rho);
    }
    t->goodput /= hours > 0 ? hours : 1;
    t->done_per_hour = hours > 0 ? t->done / hours : 0;
}

static void summarize(struct lists *l, struct orr_tenant_result *t)
{
    struct orr_statistics *const out[] = {&t->queueing, &t->completion,
                                          &t->slowdown, &t->rho};
    double *inverse = l->of[RHO];
    for (int i = 0; i < LISTS; i++)
        *out[i] = orr__statistics(l->of[i], l->n[i]);
    for (size_t i = 0; i < l->n[RHO]; i++)
        inverse[i] = 1 / inverse[i];
    t->jain = jain_index(inverse, l->n[RHO]);
}

/* ---- over time ----------------------------------------------------------- */

/* When a tenant's number of GPUs changes, and by how many. */
struct change {
    int64_t at_ns, gpus;
    uint32_t tenant;
};

static int by_time(const void *pa, const void *pb)
{
    const struct change *a = pa, *b = pb;
    return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

/* What each has beyond its quota, for how long. */
static orr_err over_time(const struct orr_engine *e,
                         struct orr_tenant_result *t)
{
    const struct orr_cluster *c = &e->cluster;
    size_t n = 0;
    struct change *list = orr__alloc(2 * (size_t)e->holdings + 1, sizeof *list);
    int64_t *has = orr__alloc(c->tenants, sizeof *has), last = 0;
    if (!list || !has) {
        orr__free(list);
        orr__free(has);
        return ORR_ENOMEM;
    }
    for (uint32_t i = 0; i < e->holdings; i++) {
        const struct orr_holding *h = &e->holding[i];
        uint32_t of = c->job[h->job].is.tenant;
        int64_t to = h->to_ns < 0 ? c->now_ns : h->to_ns;
        list[n++] = (struct change){h->from_ns, h->gpus, of};
        list[n++] = (struct change){to, -(int64_t)h->gpus, of};
    }
    qsort(list, n, sizeof *list, by_time);
    for (size_t i = 0; i < n; i++) {
        double lasted = (double)(list[i].at_ns - last) / HOUR;
        for (uint32_t k = 0; lasted > 0 && k < c->tenants; k++) {
            int64_t own =
                c->tenant[k].quota == ORR_NONE ? 0 : c->tenant[k].quota;
            t[k].borrowed_h +=
                has[k] > own ? lasted * (double)(has[k] - own) : 0;
        }
        has[list[i].tenant] += list[i].gpus;
        last = list[i].at_ns;
    }
    orr__free(list);
    orr__free(has);
    return ORR_OK;
}

/* ---- all of them --------------------------------------------------------- */

/* What needs all tenants: shares, and Jain's index over GPU time by quota and
 * over slowness. */
static void relate(const struct orr_engine *e, struct orr_tenant_results *r,
                   double *scratch)
{
    double all = 0, hours = (double)e->cluster.now_ns / HOUR;
    uint32_t n = 0;
    for (uint32_t t = 0; t < r->n; t++)
        all += r->of[t].gpu_hours;
    for (uint32_t t = 0; t < r->n; t++) {
        struct orr_tenant_result *x = &r->of[t];
        bool owns = x->quota != ORR_NONE && x->quota > 0;
        x->share = all > 0 ? x->gpu_hours / all : NAN;
        x->of_quota =
            owns && hours > 0 ? x->gpu_hours / (x->quota * hours) : NAN;
        scratch[t] = x->gpu_hours / (owns ? x->quota : 1);
    }
    r->jain_share = jain_index(scratch, r->n);
    for (uint32_t t = 0; t < r->n; t++)
        if (r->of[t].rho.n)
            scratch[n++] = 1 / r->of[t].rho.mean;
    r->jain_rho = jain_index(scratch, n);
}

orr_err orr__tenant_results(const struct orr_engine *e,
                            const struct orr_job_result *jobs,
                            struct orr_tenant_results *out)
{
    const struct orr_cluster *c = &e->cluster;
    struct lists l = {.n = {0}};
    bool ok = true;
    *out = (struct orr_tenant_results){.n = c->tenants};
    if (!c->tenants)
        return ORR_OK;
    for (int i = 0; i < LISTS; i++) {
        l.of[i] = orr__alloc(c->jobs + c->tenants, sizeof *l.of[i]);
        ok = ok && l.of[i];
    }
    out->of = orr__alloc(c->tenants, sizeof *out->of);
    orr_err err = ok && out->of ? over_time(e, out->of) : ORR_ENOMEM;
    for (uint32_t t = 0; !err && t < c->tenants; t++) {
        struct orr_tenant_result *x = &out->of[t];
        x->name = c->tenant[t].name;
        x->quota = c->tenant[t].quota;
        for (int i = 0; i < LISTS; i++)
            l.n[i] = 0;
        over_jobs(e, jobs, t, &l, x);
        summarize(&l, x);
    }
    if (!err)
        relate(e, out, l.of[0]);
    for (int i = 0; i < LISTS; i++)
        orr__free(l.of[i]);
    if (err)
        orr__tenant_results_fini(out);
    return err;
}

void orr__tenant_results_fini(struct orr_tenant_results *r)
{
    orr__free(r->of);
    *r = (struct orr_tenant_results){.n = 0};
}
