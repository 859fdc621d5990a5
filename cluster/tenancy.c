#include "cluster/tenancy.h"

#include <stdlib.h>

#include "core/memory.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/tenants.h"

static const struct orr_tenant *tenant_of(const struct orr_cluster *c,
                                          uint32_t job)
{
    return c->tenants ? &c->tenant[c->job[job].is.tenant] : NULL;
}

uint32_t orr__tenant_room(const struct orr_cluster *c, uint32_t job)
{
    const struct orr_tenant *t = tenant_of(c, job);
    if (!t || t->quota == ORR_NONE || t->borrows)
        return UINT32_MAX;
    uint32_t has = orr__tenant_has(c, c->job[job].is.tenant);
    return has < t->quota ? t->quota - has : 0;
}

bool orr__tenant_owns(const struct orr_cluster *c, uint32_t job, uint32_t gpus)
{
    const struct orr_tenant *t = tenant_of(c, job);
    if (!t || t->quota == ORR_NONE)
        return false;
    return (uint64_t)orr__tenant_has(c, c->job[job].is.tenant) + gpus
           <= t->quota;
}

/* Stable, and lists are short: by insertion. */
void orr__tenants_order(const struct orr_cluster *c, uint32_t *job, uint32_t n)
{
    for (uint32_t i = 1; c->tenants && i < n; i++) {
        uint32_t one = job[i], at = i;
        int64_t priority = tenant_of(c, one)->priority;
        for (; at && tenant_of(c, job[at - 1])->priority < priority; at--)
            job[at] = job[at - 1];
        job[at] = one;
    }
}

/* ---- what is borrowed ---------------------------------------------------- */

/* A running job beyond its tenant's quota, and what it is taken back by. */
struct loan {
    const struct orr_cluster_job *job;
    int64_t priority;
};

/* Those that give way first: of the lowest priority, that began last. */
static int goes_first(const void *pa, const void *pb)
{
    const struct loan *a = pa, *b = pb;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->job->since_ns != b->job->since_ns)
        return a->job->since_ns > b->job->since_ns ? -1 : 1;
    return a->job->index > b->job->index ? -1 : 1;
}

/* GPUs that a tenant has beyond its quota. */
static uint32_t borrowed(const struct orr_cluster *c, uint32_t tenant)
{
    const struct orr_tenant *t = &c->tenant[tenant];
    uint32_t has = orr__tenant_has(c, tenant);
    uint32_t own = t->quota == ORR_NONE ? 0 : t->quota;
    return has > own ? has - own : 0;
}

/* Running jobs of others whose GPUs are borrowed, in the order in which they
 * give way. *n: how many. A job that began within the quota and is partly
 * beyond it gives way whole. */
static orr_err list_loans(const struct orr_cluster *c, uint32_t job,
                          struct loan **out, uint32_t *n,
                          struct orr_report *why)
{
    struct loan *list = *out = orr__alloc(c->n_running + 1, sizeof *list);
    uint32_t *left = orr__alloc(c->tenants, sizeof *left), all = 0;
    *n = 0;
    if (!list || !left) {
        orr__free(left);
        return orr__no_memory(why);
    }
    for (uint32_t t = 0; t < c->tenants; t++)
        left[t] = t == c->job[job].is.tenant ? 0 : borrowed(c, t);
    for (uint32_t i = 0; i < c->n_running; i++) {
        const struct orr_cluster_job *j = &c->job[c->running[i]];
        list[all++] = (struct loan){j, c->tenant[j->is.tenant].priority};
    }
    qsort(list, all, sizeof *list, goes_first);
    for (uint32_t i = 0; i < all; i++) {
        const struct orr_arrival *a = &list[i].job->is;
        if (!left[a->tenant])
            continue;
        left[a->tenant] -=
            a->gpus < left[a->tenant] ? a->gpus : left[a->tenant];
        list[(*n)++] = list[i];
    }
    orr__free(left);
    return ORR_OK;
}

/* How many of the first loans free enough of a kind; n + 1: all do not. */
static uint32_t enough(const struct orr_cluster *c, const struct loan *list,
                       uint32_t n, uint32_t kind, uint32_t gpus)
{
    uint32_t room = orr__kind_free(&c->inventory, kind), i = 0;
    for (; i < n && room < gpus; i++)
        if (orr__gpu_kind(&c->inventory, list[i].job->gpu[0]) == kind)
            room += list[i].job->is.gpus;
    return room < gpus ? n + 1 : i;
}

orr_err orr__tenant_reclaim(struct orr_engine *e, uint32_t job, uint32_t gpus,
                            bool *changed, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    const struct orr_arrival *a = &c->job[job].is;
    const struct orr_template *t = &c->template[a->template];
    uint32_t kinds = 0, n = 0, take = 0, i = 0;
    struct loan *list = NULL;
    uint32_t *kind = orr__alloc(c->inventory.n_kinds, sizeof *kind);
    orr_err err =
        kind ? list_loans(c, job, &list, &n, why) : orr__no_memory(why);
    if (!err)
        kinds = orr__kinds_of(c, t, gpus, kind);
    for (take = n + 1; i < kinds && take > n; i += take > n)
        take = enough(c, list, n, kind[i], gpus);
    for (uint32_t l = 0; !err && take <= n && l < take; l++) {
        uint32_t who = list[l].job->index;
        if (orr__gpu_kind(&c->inventory, c->job[who].gpu[0]) != kind[i])
            continue;
        err = orr__engine_take(e, who, ORR_CLUSTER_WAITING, why);
        c->job[who].preempted++;
        c->job[who].restarted = 0;
        *changed = true;
    }
    orr__free(list);
    orr__free(kind);
    return err;
}
