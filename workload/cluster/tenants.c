#include "workload/cluster/tenants.h"

#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/random.h"
#include "core/units.h"
#include "workload/world.h"

/* An item of `cluster.tenants`. */
struct keys {
    const char *name, *quota;
    int64_t priority;
    double weight;
    bool borrow, reclaim;
};

static const char *idle_reclaim(const void *set, const void *around)
{
    const struct keys *k = set;
    return k->quota ? NULL : "without a `quota` it has no GPUs of its own";
}

static const char *idle_borrow(const void *set, const void *around)
{
    const struct keys *k = set;
    return k->quota ? NULL : "without a `quota` it borrows all its GPUs";
}

/* What is known when all tenants are read; owned by the document. */
struct facts {
    bool equal; /* all have the same priority */
};

static const char *idle_priority(const void *set, const void *around)
{
    const struct facts *f = around;
    return f->equal ? "all tenants have the same" : NULL;
}

static const struct orr_param params[] = {
    {.key = "name",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct keys, name),
     .help = "its name"},
    {.key = "quota",
     .type = ORR_PARAM_TEXT,
     .fallback = "",
     .offset = offsetof(struct keys, quota),
     .help = "its own GPUs, a number or a share like 25%; default: none, it "
             "borrows all"},
    {.key = "borrow",
     .type = ORR_PARAM_BOOL,
     .fallback = "true",
     .offset = offsetof(struct keys, borrow),
     .help = "may borrow GPUs that no quota waits for",
     .idle = idle_borrow},
    {.key = "reclaim",
     .type = ORR_PARAM_BOOL,
     .fallback = "true",
     .offset = offsetof(struct keys, reclaim),
     .help = "jobs within its quota preempt jobs of tenants beyond theirs, the "
             "latest first; false: they wait",
     .idle = idle_reclaim},
    {.key = "priority",
     .type = ORR_PARAM_INT,
     .fallback = "0",
     .min = "-1000000",
     .max = "1000000",
     .offset = offsetof(struct keys, priority),
     .help = "jobs of tenants with a higher one go first",
     .idle = idle_priority},
    {.key = "weight",
     .type = ORR_PARAM_REAL,
     .fallback = "1",
     .min = "0",
     .offset = offsetof(struct keys, weight),
     .help = "relative number of the jobs without a tenant that it gets"},
    ORR_PARAM_END,
};

const struct orr_param *orr__tenant_params(void)
{
    return params;
}

/* "16", or "25%" of all, rounded down. */
static orr_err read_quota(const struct orr_cluster *c, struct orr_tenant *t,
                          const char *text, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    const struct orr_yaml *at = orr__yaml_get(t->node, "quota");
    uint32_t all = c->inventory.gpus * c->inventory.share;
    size_t n = strlen(text);
    char number[32];
    double share;
    int64_t gpus;
    if (n > 1 && n < sizeof number && text[n - 1] == '%') {
        memcpy(number, text, n - 1);
        number[n - 1] = '\0';
        if (!orr__parse_real(number, &share) && share >= 0 && share <= 100) {
            t->quota = (uint32_t)(share * all / 100 + 1e-9);
            return ORR_OK;
        }
    } else if (!orr__parse_int(text, &gpus) && gpus >= 0) {
        if (gpus > all)
            return orr__yaml_fail(config, at, why,
                                  "cluster.tenants.quota: %lld GPUs are more "
                                  "than the cluster has, which are %u",
                                  (long long)gpus, all);
        t->quota = (uint32_t)gpus;
        return ORR_OK;
    }
    return orr__yaml_fail(config, at, why,
                          "cluster.tenants.quota: a number of GPUs, or a share "
                          "like 25%%, is expected");
}

/* Without a quota it may have all GPUs. */
static orr_err read_tenant(const struct orr_cluster *c, struct orr_tenant *t,
                           const struct facts *f, struct orr_report *why)
{
    struct keys k = {.name = NULL};
    const struct orr_param_set set = {params, &k, f};
    orr_err err = orr__param_read(c->world->config, t->node, "cluster.tenants",
                                  &set, 1, why);
    if (err)
        return err;
    t->name = k.name;
    t->quota = ORR_NONE;
    t->priority = k.priority;
    t->weight = k.weight;
    t->borrows = k.borrow;
    t->reclaims = k.reclaim;
    return k.quota ? read_quota(c, t, k.quota, why) : ORR_OK;
}

/* Names differ, and quotas are to be had all at once. */
static orr_err check_tenant(const struct orr_cluster *c, uint32_t i,
                            uint64_t *sum, struct orr_report *why)
{
    const struct orr_tenant *t = &c->tenant[i];
    uint32_t all = c->inventory.gpus * c->inventory.share;
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(c->tenant[k].name, t->name) == 0)
            return orr__yaml_fail(c->world->config,
                                  orr__yaml_get(t->node, "name"), why,
                                  "two tenants are called \"%s\"", t->name);
    *sum += t->quota == ORR_NONE ? 0 : t->quota;
    if (*sum <= all)
        return ORR_OK;
    return orr__yaml_fail(c->world->config, orr__yaml_get(t->node, "quota"),
                          why,
                          "cluster.tenants: quotas up to here are %llu GPUs, "
                          "the cluster has %u",
                          (unsigned long long)*sum, all);
}

orr_err orr__tenants_read(struct orr_cluster *c, const struct orr_yaml *list,
                          struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    size_t n = list && orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    uint64_t sum = 0;
    double weights = 0;
    struct facts *f;
    orr_err err = ORR_OK;
    if (!list || orr__yaml_is_null(list))
        return ORR_OK;
    if (n == 0)
        return orr__yaml_fail(config, list, why,
                              "cluster.tenants: a list of {name, quota, ...} "
                              "is expected");
    c->tenant =
        orr__arena_alloc(orr__config_arena(config), n, sizeof *c->tenant);
    f = orr__arena_alloc(orr__config_arena(config), 1, sizeof *f);
    if (!c->tenant || !f)
        return orr__no_memory(why);
    f->equal = true;
    for (uint32_t i = 0; !err && i < n; i++) {
        c->tenant[i].node = orr__yaml_item(list, i);
        err = read_tenant(c, &c->tenant[i], f, why);
        f->equal &= c->tenant[i].priority == c->tenant[0].priority;
        if (!err)
            err = check_tenant(c, i, &sum, why);
        weights += c->tenant[i].weight;
    }
    c->tenants = err ? 0 : (uint32_t)n;
    if (!err && !(weights > 0))
        err = orr__yaml_fail(config, list, why,
                             "cluster.tenants: all weights are 0");
    return err;
}

uint32_t orr__tenant_of(const struct orr_cluster *c, const char *name)
{
    for (uint32_t i = 0; i < c->tenants; i++)
        if (strcmp(c->tenant[i].name, name) == 0)
            return i;
    return ORR_NONE;
}

orr_err orr__tenant_find(const struct orr_cluster *c, const struct orr_yaml *at,
                         const char *name, uint32_t *out,
                         struct orr_report *why)
{
    const char *pair[2] = {NULL}, *near = NULL;
    *out = orr__tenant_of(c, name);
    if (*out != ORR_NONE)
        return ORR_OK;
    orr_err err = orr__yaml_fail(
        c->world->config, at, why, "no tenant is called \"%s\"%s", name,
        c->tenants ? "" : ": `cluster.tenants` says who they are");
    for (uint32_t i = 0; i < c->tenants && !near; i++) {
        pair[0] = c->tenant[i].name;
        near = orr__param_nearest(pair, name);
    }
    if (near)
        orr__hint(why, "did you mean \"%s\"?", near);
    return err;
}

/* A stream of its own: what is drawn of a job besides stays as it is. */
uint32_t orr__tenant_draw(const struct orr_cluster *c, uint32_t i)
{
    struct orr_random r;
    double all = 0;
    uint32_t last = 0;
    for (uint32_t t = 0; t < c->tenants; t++)
        all += c->tenant[t].weight;
    orr__random_init(&r, c->world->seed, UINT64_C(1) << 33 | i,
                     ORR_PURPOSE_CLUSTER);
    double u = orr__random_unit(&r) * all;
    for (uint32_t t = 0; t < c->tenants; t++) {
        double weight = c->tenant[t].weight;
        if (weight <= 0)
            continue;
        if (u < weight)
            return t;
        u -= weight;
        last = t;
    }
    return last;
}

uint32_t orr__tenant_has(const struct orr_cluster *c, uint32_t tenant)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_running; i++) {
        const struct orr_arrival *a = &c->job[c->running[i]].is;
        n += a->tenant == tenant ? a->gpus : 0;
    }
    return n;
}
