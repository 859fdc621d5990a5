/* `cluster.resize` and `cluster.migrate`: when GPUs of jobs that run change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/cluster/draw.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/item_list.h"
#include "workload/cluster/read.h"
#include "workload/world.h"

/* The map `cluster.resize`. */
struct resize_keys {
    const struct orr_yaml *cost, *every, *request;
    bool grow, shrink;
    int by;
};

/* What is known of the templates; owned by the document. */
struct facts {
    bool fixed; /* no elastic one has two sizes */
};

static const char *idle_fixed(const void *set, const void *around)
{
    const struct facts *f = around;
    return f->fixed ? "no entry of `cluster.jobs` has two sizes" : NULL;
}

static const struct orr_param resize_params[] = {
    {.key = "cost",
     .type = ORR_PARAM_NODE,
     .fallback = "",
     .offset = offsetof(struct resize_keys, cost),
     .help = "time without computation after a change of size; default: none",
     .idle = idle_fixed},
    {.key = "every",
     .type = ORR_PARAM_NODE,
     .fallback = "",
     .offset = offsetof(struct resize_keys, every),
     .help = "least time between two changes of a job, except requested ones; "
             "default: until the next event",
     .idle = idle_fixed},
    {.key = "grow",
     .type = ORR_PARAM_BOOL,
     .fallback = "true",
     .offset = offsetof(struct resize_keys, grow),
     .help = "elastic jobs take free GPUs while no job waits",
     .idle = idle_fixed},
    {.key = "shrink",
     .type = ORR_PARAM_BOOL,
     .fallback = "true",
     .offset = offsetof(struct resize_keys, shrink),
     .help = "elastic jobs give GPUs back for a waiting job",
     .idle = idle_fixed},
    {.key = "by",
     .type = ORR_PARAM_CHOICE,
     .fallback = "share",
     .choices = (const char *const[]){"share", "gain", NULL},
     .offset = offsetof(struct resize_keys, by),
     .help = "order: least share of what it asked for; or most time saved per "
             "GPU (Optimus, EuroSys 2018)",
     .idle = idle_fixed},
    {.key = "told",
     .type = ORR_PARAM_NODE,
     .fallback = "",
     .offset = offsetof(struct resize_keys, request),
     .help = "requested sizes of jobs, a list of {job, at, gpus}"},
    ORR_PARAM_END,
};

/* An item of `cluster.resize.told`. */
struct request_keys {
    const char *job;
    const struct orr_yaml *at;
    int64_t gpus;
};
static const struct orr_param request_params[] = {
    {.key = "job",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct request_keys, job),
     .help = "its name"},
    {.key = "at",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct request_keys, at),
     .help = "time of the request"},
    {.key = "gpus",
     .type = ORR_PARAM_INT,
     .min = "1",
     .offset = offsetof(struct request_keys, gpus),
     .help = "requested size; if there are not enough free GPUs, as soon as "
             "there are"},
    ORR_PARAM_END,
};

/* The map `cluster.migrate`. */
struct migrate_keys {
    const struct orr_yaml *cost, *every;
};
static const struct orr_param migrate_params[] = {
    {.key = "cost",
     .type = ORR_PARAM_NODE,
     .fallback = "",
     .offset = offsetof(struct migrate_keys, cost),
     .help = "time without computation after a move; default: none"},
    {.key = "every",
     .type = ORR_PARAM_NODE,
     .fallback = "",
     .offset = offsetof(struct migrate_keys, every),
     .help = "least time between two moves of a job; default: until the next "
             "event"},
    ORR_PARAM_END,
};

const struct orr_param *orr__resize_params(void)
{
    return resize_params;
}

const struct orr_param *orr__requested_params(void)
{
    return request_params;
}

const struct orr_param *orr__migrate_params(void)
{
    return migrate_params;
}

/* ---- jobs that are told -------------------------------------------------- */

/* One request; which job it is can only be found once jobs are named. */
static orr_err read_request(const struct orr_cluster *c,
                            const struct orr_yaml *node, void *item,
                            struct orr_report *why)
{
    struct orr_resize_request *t = item;
    struct orr_config *config = c->world->config;
    struct request_keys k = {.job = NULL};
    const struct orr_param_set set = {request_params, &k};
    orr_err err =
        orr__param_read(config, node, "cluster.resize.told", &set, 1, why);
    if (!err)
        err = orr__long_time_read(config, k.at, "cluster.resize.told.at",
                                  &t->at_ns, why);
    t->name = k.job;
    t->node = node;
    t->gpus = k.gpus < UINT32_MAX ? (uint32_t)k.gpus : UINT32_MAX;
    return err;
}

static int by_time(const void *a, const void *b)
{
    const struct orr_resize_request *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* The requests, in the document's arena. */
static orr_err read_requests(const struct orr_cluster *c,
                             const struct orr_yaml *list,
                             struct orr_resize_settings *s,
                             struct orr_report *why)
{
    void *request = NULL;
    orr_err err = orr__item_list_read(
        c, list, "cluster.resize.told: a list of {job, at, gpus}",
        sizeof *s->request, read_request, &request, &s->requests, why);
    s->request = request;
    return err;
}

/* The job by name. ORR_ECONFIG: no such job, one of fixed size, or a size that
 * it cannot have. */
static orr_err find_requested_job(const struct orr_cluster *c,
                                  struct orr_resize_request *t,
                                  struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    const struct orr_yaml *at = orr__yaml_get(t->node, "job");
    for (t->job = 0; t->job < c->jobs; t->job++)
        if (strcmp(c->job[t->job].is.name, t->name) == 0)
            break;
    if (t->job == c->jobs)
        return orr__yaml_fail(config, at, why,
                              "cluster.resize.told: no job "
                              "is called \"%s\"",
                              t->name);
    const struct orr_arrival *is = &c->job[t->job].is;
    const struct orr_template *of = &c->template[is->template];
    if (!of->sizes || is->hosts)
        return orr__yaml_fail(config, at, why,
                              "cluster.resize.told: %s "
                              "cannot change its size: %s",
                              t->name,
                              is->hosts ? "it has GPUs of its own"
                                        : "its entry of `cluster.jobs` has no "
                                          "`gpus: {min, max}`");
    if (!orr__elastic_allows(of, t->gpus))
        return orr__yaml_fail(
            config, orr__yaml_get(t->node, "gpus"), why,
            "a job of %s has %u to %u GPUs; %u is not one of its sizes",
            of->name, of->size[0], of->size[of->sizes - 1], t->gpus);
    return ORR_OK;
}

orr_err orr__changes_requested(const struct orr_cluster *c,
                               struct orr_cluster_settings *s,
                               struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < s->resize.requests; i++)
        err = find_requested_job(c, &s->resize.request[i], why);
    if (!err && s->resize.requests)
        qsort(s->resize.request, s->resize.requests, sizeof *s->resize.request,
              by_time);
    return err;
}

/* ---- the maps ------------------------------------------------------------ */

/* Both times in ns; those left out keep their defaults. */
static orr_err read_times(const struct orr_cluster *c, const char *what,
                          const struct orr_yaml *cost,
                          const struct orr_yaml *every, int64_t *cost_ns,
                          int64_t *every_ns, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    char name[40];
    orr_err err = ORR_OK;
    snprintf(name, sizeof name, "cluster.%s.cost", what);
    if (cost)
        err = orr__long_time_read(config, cost, name, cost_ns, why);
    snprintf(name, sizeof name, "cluster.%s.every", what);
    if (!err && every)
        err = orr__long_time_read(config, every, name, every_ns, why);
    return err;
}

/* Without the map nothing grows or shrinks. */
static orr_err read_resize(const struct orr_cluster *c,
                           const struct orr_yaml *map,
                           struct orr_resize_settings *s,
                           struct orr_report *why)
{
    struct resize_keys k = {.cost = NULL};
    struct facts *f =
        orr__arena_alloc(orr__config_arena(c->world->config), 1, sizeof *f);
    const struct orr_param_set set = {resize_params, &k, f};
    if (!f)
        return orr__no_memory(why);
    f->fixed = true;
    for (uint32_t t = 0; t < c->templates; t++)
        f->fixed &= c->template[t].sizes < 2;
    orr_err err =
        orr__param_read(c->world->config, map, "cluster.resize", &set, 1, why);
    if (!err)
        err = read_times(c, "resize", k.cost, k.every, &s->cost_ns,
                         &s->every_ns, why);
    s->grow = k.grow;
    s->shrink = k.shrink;
    s->by = k.by;
    return err ? err : read_requests(c, k.request, s, why);
}

static orr_err read_migrate(const struct orr_cluster *c,
                            const struct orr_yaml *map,
                            struct orr_migrate_settings *s,
                            struct orr_report *why)
{
    struct migrate_keys k = {.cost = NULL};
    const struct orr_param_set set = {migrate_params, &k};
    orr_err err =
        orr__param_read(c->world->config, map, "cluster.migrate", &set, 1, why);
    s->on = true;
    return err ? err
               : read_times(c, "migrate", k.cost, k.every, &s->cost_ns,
                            &s->every_ns, why);
}

orr_err orr__changes_read(struct orr_cluster *c, const struct orr_yaml *resize,
                          const struct orr_yaml *migrate,
                          struct orr_cluster_settings *s,
                          struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    bool elastic = false;
    for (uint32_t t = 0; t < c->templates; t++)
        elastic |= c->template[t].sizes > 0;
    s->resize.grow = s->resize.shrink = true;
    if (resize && !orr__yaml_is_null(resize) && !elastic)
        return orr__yaml_fail(config, resize, why,
                              "cluster.resize: no entry "
                              "of `cluster.jobs` has `gpus: {min, max}`, so no "
                              "job can change its size");
    orr_err err = resize && !orr__yaml_is_null(resize)
                      ? read_resize(c, resize, &s->resize, why)
                      : ORR_OK;
    if (!err && migrate && !orr__yaml_is_null(migrate))
        err = read_migrate(c, migrate, &s->migrate, why);
    return err;
}
