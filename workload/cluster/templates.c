/* `cluster.jobs`: what jobs are made of. */
#include <string.h>

#include "core/memory.h"
#include "core/names.h"
#include "core/none.h"
#include "core/units.h"
#include "workload/cluster/arrival_list.h"
#include "workload/cluster/draw.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/tenants.h"
#include "workload/world.h"

/* What an entry of cluster.jobs has beside the keys of a job. */
struct keys {
    const char *name, *tenant;
    const struct orr_yaml *gpus, *iterations, *duration, *throughput, *deadline;
    double weight;
};
#define OF(field) offsetof(struct keys, field)

const struct orr_param orr__template_params[] = {
    {"name", ORR_PARAM_TEXT, OF(name), NULL, NULL, NULL, NULL,
     "name of the template"},
    {"gpus", ORR_PARAM_NODE, OF(gpus), NULL, NULL, NULL, NULL,
     "GPUs of a job, or a list to draw from uniformly; or {min, max, ...}: "
     "elastic"},
    {"iterations", ORR_PARAM_NODE, OF(iterations), "", NULL, NULL, NULL,
     "number of iterations: a number, {lognormal: {mean, sd}}, {exponential: "
     "{mean}} or {uniform: {min, max}}"},
    {"duration", ORR_PARAM_NODE, OF(duration), "", NULL, NULL, NULL,
     "or: its time alone, a time or one of the same"},
    {"weight", ORR_PARAM_REAL, OF(weight), "1", "0", NULL, NULL,
     "relative frequency"},
    {"throughput", ORR_PARAM_NODE, OF(throughput), "", NULL, NULL, NULL,
     "iterations a second alone by kind of GPU, {a100: 3.2, h100: {1: 6, 8: "
     "40}}, of any number of GPUs or by number; 0: it does not run there. A "
     "job without program or model has only this; otherwise the program is for "
     "the first kind, and computations scale on others"},
    {"tenant", ORR_PARAM_TEXT, OF(tenant), "", NULL, NULL, NULL,
     "tenant of these jobs, of `cluster.tenants`; default: drawn"},
    {"deadline", ORR_PARAM_NODE, OF(deadline), "", NULL, NULL, NULL,
     "time from arrival to deadline, a time or one of the same"},
    ORR_PARAM_END,
};

/* The keys above. */
static const char *const own_keys[] = {"name",     "gpus",     "iterations",
                                       "duration", "weight",   "throughput",
                                       "tenant",   "deadline", NULL};

/* What a job of `jobs` may say and one of a cluster may not. */
static orr_err check_keys(struct orr_config *c, const struct orr_yaml *map,
                          struct orr_report *why)
{
    static const char *const refused[][2] = {
        {"ranks", "`gpus` says how many it has"},
        {"placement", "`cluster.placement` says which GPUs a job gets"},
        {"start", "`cluster.arrivals` says when it comes"},
        {"warmup", "iterations of a cluster's jobs all count"},
    };
    for (size_t i = 0; i < orr__yaml_count(map); i++) {
        const struct orr_yaml *key = orr__yaml_key(map, i);
        for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
            if (strcmp(orr__yaml_text(c, key), refused[k][0]) == 0)
                return orr__yaml_fail(c, key, why,
                                      "a job of a cluster has no `%s`: %s",
                                      refused[k][0], refused[k][1]);
    }
    return ORR_OK;
}

/* A number of GPUs that the cluster has. */
static orr_err read_size(struct orr_cluster *c, const struct orr_yaml *node,
                         uint32_t *out, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    uint32_t all = c->world->graph->hosts;
    const char *text = orr__yaml_text(config, node);
    int64_t n;
    if (!text || orr__parse_int(text, &n) || n < 1)
        return orr__yaml_fail(config, node, why,
                              "cluster.jobs.gpus: a number of GPUs, 1 or "
                              "more, or a list of such is expected");
    if (n > all)
        return orr__yaml_fail(config, node, why,
                              "a job of %lld GPUs is larger than the cluster, "
                              "which has %u",
                              (long long)n, all);
    *out = (uint32_t)n;
    return ORR_OK;
}

/* One size, a list to draw from, or a map with those that it may change
 * between. */
static orr_err read_sizes(struct orr_cluster *c, const struct orr_yaml *node,
                          struct orr_template *t, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    bool list = orr__yaml_is_list(node);
    if (orr__yaml_is_map(node))
        return orr__elastic_read(c, node, t, why);
    size_t n = list ? orr__yaml_count(node) : 1;
    if (n == 0)
        return orr__yaml_fail(config, node, why,
                              "cluster.jobs.gpus: the list is empty");
    t->gpus = orr__arena_alloc(orr__config_arena(config), n, sizeof *t->gpus);
    if (!t->gpus)
        return orr__no_memory(why);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++)
        err = read_size(c, list ? orr__yaml_item(node, i) : node, &t->gpus[i],
                        why);
    t->n_gpus = (uint32_t)n;
    return err;
}

/* Either iterations or a duration; the other one follows from the job's
 * pace. */
static orr_err read_amount(struct orr_cluster *c, const struct keys *k,
                           struct orr_template *t, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    if (!k->iterations == !k->duration)
        return orr__yaml_fail(config, k->duration ? k->duration : t->node, why,
                              "a job has either `iterations` or "
                              "`duration`");
    if (k->duration)
        return orr__draw_read(config, k->duration, true,
                              "cluster.jobs.duration", &t->duration, why);
    return orr__draw_read(config, k->iterations, false,
                          "cluster.jobs.iterations", &t->iterations, why);
}

/* Without a program of any kind an iteration is what `throughput` says. */
static bool is_bare(const struct orr_template *t)
{
    static const char *const programs[] = {"program", "model", "trace", NULL};
    for (size_t i = 0; programs[i]; i++)
        if (orr__yaml_get(t->body, programs[i]))
            return false;
    return true;
}

/* Whose it is, when it is to be done, and what it may run on. */
static orr_err read_terms(struct orr_cluster *c, const struct keys *k,
                          struct orr_template *t, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    orr_err err = ORR_OK;
    t->tenant = ORR_NONE;
    if (k->tenant)
        err = orr__tenant_find(c, orr__yaml_get(t->node, "tenant"), k->tenant,
                               &t->tenant, why);
    if (!err && k->deadline)
        err = orr__draw_read(config, k->deadline, true, "cluster.jobs.deadline",
                             &t->deadline, why);
    if (!err)
        err = orr__throughput_read(c, k->throughput, t, why);
    t->bare = !err && t->throughput && is_bare(t);
    return err;
}

/* The keys of templates are taken out; what is left (t->body) is read as a
 * job's when one comes. */
static orr_err read_template(struct orr_cluster *c, struct orr_template *t,
                             struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    struct keys k = {.name = NULL};
    const struct orr_param_set set = {orr__template_params, &k};
    if (!orr__yaml_is_map(t->node))
        return orr__yaml_fail(config, t->node, why,
                              "an entry of cluster.jobs is a map: {name, gpus, "
                              "iterations, model, ...}");
    orr_err err = check_keys(config, t->node, why);
    if (err)
        return err;
    const struct orr_yaml *own =
        orr__yaml_pick(config, t->node, own_keys, true);
    t->body = orr__yaml_pick(config, t->node, own_keys, false);
    if (!own || !t->body)
        return orr__no_memory(why);
    err = orr__param_read(config, own, "cluster.jobs", &set, 1, why);
    if (err)
        return err;
    t->name = k.name;
    t->weight = k.weight;
    err = read_sizes(c, k.gpus, t, why);
    if (!err)
        err = read_amount(c, &k, t, why);
    return err ? err : read_terms(c, &k, t, why);
}

/* Names differ, and one of them comes at all. */
static orr_err check_all(struct orr_cluster *c, const struct orr_yaml *list,
                         struct orr_report *why)
{
    struct orr_names names = {.slot = NULL};
    double sum = 0;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < c->templates && !err; i++) {
        const struct orr_template *t = &c->template[i];
        sum += t->weight;
        if (orr__names_find(&names, t->name) != ORR_NONE)
            err = orr__yaml_fail(c->world->config,
                                 orr__yaml_get(t->node, "name"), why,
                                 "two entries of cluster.jobs are called "
                                 "\"%s\"",
                                 t->name);
        else if (!orr__names_add(&names, t->name, i))
            err = orr__no_memory(why);
    }
    if (!err && !(sum > 0))
        err = orr__yaml_fail(c->world->config, list, why,
                             "cluster.jobs: all weights are 0");
    orr__names_fini(&names);
    return err;
}

orr_err orr__templates_read(struct orr_cluster *c, const struct orr_yaml *list,
                            struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    size_t n = orr__yaml_count(list);
    if (!orr__yaml_is_list(list) || n == 0)
        return orr__yaml_fail(config, list ? list : c->node, why,
                              "cluster.jobs: a list of what jobs are made of "
                              "is expected: [{name, gpus, iterations, model, "
                              "...}]");
    c->template =
        orr__arena_alloc(orr__config_arena(config), n, sizeof *c->template);
    if (!c->template)
        return orr__no_memory(why);
    c->templates = (uint32_t)n;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n && !err; i++) {
        c->template[i].node = orr__yaml_item(list, i);
        err = read_template(c, &c->template[i], why);
    }
    return err ? err : check_all(c, list, why);
}
