#include "workload/cluster/gpu_kinds.h"
#include "core/config/module.h"

#include <math.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "workload/world.h"

/* An item of `topology.servers.groups`. */
struct group_keys {
    int64_t count;
    const char *gpu;
};

const struct orr_param orr__server_group_params[] = {
    {.key = "count",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct group_keys, count),
     .min = "1",
     .max = "16000000",
     .help = "number of servers, after those of earlier groups"},
    {.key = "gpu",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct group_keys, gpu),
     .help = "name of their kind of GPU"},
    ORR_PARAM_END,
};

enum { MOST_KINDS = 255 };

/* ---- groups -------------------------------------------------------------- */

/* The reading of groups, which fill servers in order. */
struct groups {
    struct orr_inventory *v;
    struct orr_config *config;
    struct orr_report *why;
    uint32_t next; /* the first server of the next group */
};

/* The number of a kind by its name; a new one is added. */
static orr_err kind_of(struct groups *g, const char *name,
                       const struct orr_yaml *at, uint8_t *kind)
{
    struct orr_inventory *v = g->v;
    uint32_t k = 0;
    while (k < v->n_kinds && strcmp(v->kinds[k], name) != 0)
        k++;
    if (k == MOST_KINDS)
        return orr__yaml_fail(g->config, at, g->why,
                              "more than %d kinds of GPU", MOST_KINDS);
    if (k == v->n_kinds)
        v->kinds[v->n_kinds++] = name;
    *kind = (uint8_t)k;
    return ORR_OK;
}

/* The next `count` servers, and all of their GPUs, are of one kind. */
static orr_err read_group(struct groups *g, const struct orr_yaml *node)
{
    struct orr_inventory *v = g->v;
    struct group_keys k = {0};
    const struct orr_param_set set = {orr__server_group_params, &k, NULL};
    uint8_t kind = 0;
    orr_err err = orr__param_read(g->config, node, "topology.servers.groups",
                                  &set, 1, g->why);
    if (!err)
        err = kind_of(g, k.gpu, orr__yaml_get(node, "gpu"), &kind);
    if (err)
        return err;
    if (k.count > v->servers - g->next)
        return orr__yaml_fail(g->config, orr__yaml_get(node, "count"), g->why,
                              "topology.servers.groups: there are %u servers, "
                              "and groups up to here have %lld",
                              v->servers, g->next + (long long)k.count);
    uint32_t each = v->gpus / v->servers;
    memset(v->kind + (size_t)g->next * each, kind, (size_t)k.count * each);
    g->next += (uint32_t)k.count;
    return ORR_OK;
}

orr_err orr__gpu_kinds_read(struct orr_inventory *v, struct orr_config *c,
                            struct orr_report *why)
{
    const struct orr_yaml *topology =
        orr__yaml_get(orr__config_root(c), "topology");
    const struct orr_yaml *list =
        orr__yaml_get(orr__yaml_get(topology, "servers"), "groups");
    struct groups g = {.v = v, .config = c, .why = why};
    if (!list || orr__yaml_is_null(list))
        return ORR_OK;
    if (!orr__yaml_is_list(list) || orr__yaml_count(list) == 0)
        return orr__yaml_fail(c, list, why,
                              "topology.servers.groups: a list of {count, gpu} "
                              "is expected");
    v->kind = orr__alloc(v->gpus, sizeof *v->kind);
    v->kinds =
        orr__arena_alloc(orr__config_arena(c), MOST_KINDS, sizeof *v->kinds);
    if (!v->kind || !v->kinds)
        return orr__no_memory(why);
    v->n_kinds = 0;
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < orr__yaml_count(list); i++)
        err = read_group(&g, orr__yaml_item(list, i));
    if (!err && g.next < v->servers)
        err = orr__yaml_fail(c, list, why,
                             "topology.servers.groups: groups have %u servers, "
                             "of which there are %u",
                             g.next, v->servers);
    return err;
}

/* ---- throughput ---------------------------------------------------------- */

static orr_err read_rate(struct orr_config *c, const struct orr_yaml *node,
                         double *rate, struct orr_report *why)
{
    const char *text = orr__yaml_text(c, node);
    if (text && !orr__parse_real(text, rate) && *rate >= 0 && *rate <= 1e12
        && (!(*rate > 0) || *rate >= 1e-9))
        return ORR_OK;
    return orr__yaml_fail(c, node, why,
                          "cluster.jobs.throughput: iterations a second are "
                          "expected, or {number of GPUs: iterations a second}; "
                          "0: it does not run there");
}

/* {1: 3.2, 2: 6}: numbers of GPUs go up. */
static orr_err read_numbers(struct orr_config *c, const struct orr_yaml *map,
                            struct orr_throughput *t, struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (orr__yaml_count(map) == 0)
        return orr__yaml_fail(c, map, why,
                              "cluster.jobs.throughput: the map is empty");
    for (uint32_t i = 0; !err && i < t->n; i++) {
        const struct orr_yaml *key = orr__yaml_key(map, i);
        const char *text = orr__yaml_text(c, key);
        int64_t n;
        if (!text || orr__parse_int(text, &n) || n < 1 || n > UINT32_MAX
            || (i > 0 && n <= t->gpus[i - 1]))
            return orr__yaml_fail(c, key, why,
                                  "cluster.jobs.throughput: numbers of GPUs "
                                  "are expected, from 1 on, each above the one "
                                  "before");
        t->gpus[i] = (uint32_t)n;
        err = read_rate(c, orr__yaml_value(map, i), &t->rate[i], why);
    }
    return err;
}

/* A throughput for all kinds (any), or a map by kind and number of GPUs; in the
 * document's arena. */
static orr_err read_kind(struct orr_config *c, const struct orr_yaml *node,
                         struct orr_throughput *t, struct orr_report *why)
{
    struct orr_arena *arena = orr__config_arena(c);
    bool map = orr__yaml_is_map(node);
    uint32_t n = map ? (uint32_t)orr__yaml_count(node) : 1;
    *t = (struct orr_throughput){
        .node = node,
        .any = !map,
        .n = n,
        .gpus = orr__arena_alloc(arena, n + (size_t)1, sizeof *t->gpus),
        .rate = orr__arena_alloc(arena, n + (size_t)1, sizeof *t->rate),
    };
    if (!t->gpus || !t->rate)
        return orr__no_memory(why);
    return map ? read_numbers(c, node, t, why)
               : read_rate(c, node, &t->rate[0], why);
}

/* With the nearest kind that there is. */
static orr_err no_such_kind(const struct orr_inventory *v, struct orr_config *c,
                            const struct orr_yaml *key, const char *name,
                            struct orr_report *why)
{
    const char *names[MOST_KINDS + 1] = {NULL};
    orr_err err = orr__yaml_fail(
        c, key, why, "cluster.jobs.throughput: no GPU is of a kind \"%s\"%s",
        name,
        v->kinds ? "" : ": `servers.groups` says of what kinds there are");
    for (uint32_t k = 0; v->kinds && k < v->n_kinds; k++)
        names[k] = v->kinds[k];
    orr__hint_nearest(why, names, name);
    return err;
}

/* One of each kind that there is, and one that runs at all. */
static orr_err check_kinds(const struct orr_cluster *c,
                           const struct orr_yaml *at,
                           const struct orr_template *t, struct orr_report *why)
{
    const struct orr_inventory *v = &c->inventory;
    struct orr_config *config = c->world->config;
    bool runs = false;
    for (uint32_t k = 0; k < v->n_kinds; k++) {
        if (!t->throughput || !t->throughput[k].node)
            return orr__yaml_fail(
                config, at, why,
                "cluster.jobs: \"%s\" has no throughput on %s: `throughput: "
                "{%s: iterations a second, ...}`, 0 where it does not run",
                t->name, v->kinds[k], v->kinds[k]);
        for (uint32_t i = 0; i < t->throughput[k].n; i++)
            runs = runs || t->throughput[k].rate[i] > 0;
    }
    return runs ? ORR_OK
                : orr__yaml_fail(config, at, why,
                                 "cluster.jobs: \"%s\" runs on no kind of GPU",
                                 t->name);
}

orr_err orr__throughput_read(const struct orr_cluster *c,
                             const struct orr_yaml *node,
                             struct orr_template *t, struct orr_report *why)
{
    const struct orr_inventory *v = &c->inventory;
    struct orr_config *config = c->world->config;
    bool said = node && !orr__yaml_is_null(node);
    if (t->sizes && v->n_kinds > 1)
        return orr__yaml_fail(config, orr__yaml_get(t->node, "gpus"), why,
                              "cluster.jobs.gpus: a job that changes its size "
                              "is for clusters of one kind of GPU, this one "
                              "has %u",
                              v->n_kinds);
    orr_err err = ORR_OK;
    if (!said)
        return v->n_kinds > 1 ? check_kinds(c, t->node, t, why) : ORR_OK;
    if (!orr__yaml_is_map(node))
        return orr__yaml_fail(config, node, why,
                              "cluster.jobs.throughput: a map {kind of GPU: "
                              "iterations a second} is expected");
    t->throughput = orr__arena_alloc(orr__config_arena(config), v->n_kinds,
                                     sizeof *t->throughput);
    if (!t->throughput)
        return orr__no_memory(why);
    t->first_kind = ORR_NONE;
    for (size_t i = 0; !err && i < orr__yaml_count(node); i++) {
        const struct orr_yaml *key = orr__yaml_key(node, i);
        const char *name = orr__yaml_text(config, key);
        uint32_t k = 0;
        while (v->kinds && k < v->n_kinds && strcmp(v->kinds[k], name) != 0)
            k++;
        if (!v->kinds || k == v->n_kinds)
            return no_such_kind(v, config, key, name, why);
        t->first_kind = t->first_kind == ORR_NONE ? k : t->first_kind;
        err =
            read_kind(config, orr__yaml_value(node, i), &t->throughput[k], why);
    }
    return err ? err : check_kinds(c, node, t, why);
}

/* ---- what follows -------------------------------------------------------- */

/* Between two numbers that are said, on the line between them; below the first
 * and above the last, as much for each GPU as there. */
static double rate_of(const struct orr_throughput *t, uint32_t gpus)
{
    uint32_t i = 0;
    if (t->any)
        return t->rate[0];
    while (i < t->n && t->gpus[i] < gpus)
        i++;
    if (i < t->n && t->gpus[i] == gpus)
        return t->rate[i];
    if (i == 0 || i == t->n) {
        uint32_t end = i ? i - 1 : 0;
        return t->rate[end] * gpus / t->gpus[end];
    }
    if (!(t->rate[i] > 0) || !(t->rate[i - 1] > 0))
        return 0;
    double part =
        (double)(gpus - t->gpus[i - 1]) / (double)(t->gpus[i] - t->gpus[i - 1]);
    return t->rate[i - 1] + part * (t->rate[i] - t->rate[i - 1]);
}

double orr__throughput(const struct orr_template *t, uint32_t kind,
                       uint32_t gpus)
{
    return t->throughput ? rate_of(&t->throughput[kind], gpus) : 1;
}

/* The first kind that it has, if it runs there with so many GPUs; else the
 * first of all on which it does. */
static double reference(const struct orr_cluster *c,
                        const struct orr_template *t, uint32_t gpus)
{
    double rate = orr__throughput(t, t->first_kind, gpus);
    for (uint32_t k = 0; k < c->inventory.n_kinds && !(rate > 0); k++)
        rate = orr__throughput(t, k, gpus);
    return rate;
}

double orr__compute_scale(const struct orr_cluster *c,
                          const struct orr_template *t, uint32_t kind,
                          uint32_t gpus)
{
    if (!t->throughput || t->bare)
        return 1;
    double rate = orr__throughput(t, kind, gpus);
    ORR_ASSERT(rate > 0);
    return reference(c, t, gpus) / rate;
}

double orr__bare_iteration(const struct orr_template *t, uint32_t kind,
                           uint32_t gpus)
{
    if (!t->bare)
        return 0;
    double rate = orr__throughput(t, kind, gpus);
    ORR_ASSERT(rate > 0);
    return 1e9 / rate;
}

uint32_t orr__kind_gpus(const struct orr_inventory *v, uint32_t kind)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < v->gpus && v->kind; g++)
        n += v->kind[g] == kind;
    return v->kind ? n : v->gpus;
}

uint32_t orr__kind_free(const struct orr_inventory *v, uint32_t kind)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < v->gpus; g++)
        n += orr__gpu_kind(v, g) == kind && orr__gpu_free(v, g);
    return n;
}

uint32_t orr__kinds_of(const struct orr_cluster *c,
                       const struct orr_template *t, uint32_t gpus,
                       uint32_t *kind)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->inventory.n_kinds; k++) {
        double rate = orr__throughput(t, k, gpus);
        uint32_t at = n;
        if (!(rate > 0))
            continue;
        for (; at > 0 && orr__throughput(t, kind[at - 1], gpus) < rate; at--)
            kind[at] = kind[at - 1];
        kind[at] = k;
        n++;
    }
    return n;
}

uint32_t orr__fastest_kind(const struct orr_cluster *c,
                           const struct orr_template *t, uint32_t gpus)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < c->inventory.n_kinds; k++)
        if (orr__throughput(t, k, gpus) > orr__throughput(t, best, gpus))
            best = k;
    return best;
}
