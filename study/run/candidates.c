/* From the paper: candidates come from a scheduler of hosts, each is planned,
 * those whose affinity graph has a loop count for less than all others, and the
 * mean score of the links decides. Ours: the scheduler of hosts, which is one
 * of the placements of a cluster; of equal scores the shorter iterations. */
#include "study/run/candidates.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "experiment/experiment.h"
#include "workload/cluster/placement/placement.h"
#include "workload/job/job.h"
#include "workload/schedule/planner.h"
#include "workload/schedule/schedule.h"

/* The map `schedule.candidates`. */
struct keys {
    const struct orr_yaml *generate;
    int64_t count;
};

static const struct orr_param params[] = {
    {.key = "generate",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct keys, generate),
     .fallback = "",
     .help = "a placement, by name or as a map with kind (`orrery list "
             "cluster-placements`); jobs take hosts in their order"},
    {.key = "count",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct keys, count),
     .fallback = "10",
     .min = "1",
     .max = "1000",
     .help = "number of placements; duplicates are left out"},
    ORR_PARAM_END,
};

const struct orr_param *orr__candidates_params(void)
{
    return params;
}

/* Where all jobs are. */
struct placed {
    const char *name;
    const struct orr_yaml *given; /* map from jobs to placements, or */
    uint32_t *hosts; /* of all jobs, one after another; both NULL: as written */
};

/* The choosing of a placement; all but `jobs` is in the document's arena. */
struct choice {
    struct orr_config *c;
    const struct orr_yaml *node; /* `candidates` */
    const struct orr_options *options;
    orr_experiment *jobs; /* its jobs are those of all candidates */
    const struct orr_world *world;
    struct placed *placed; /* room for all */
    uint32_t n, ranks;
    struct orr_candidates *out;
    bool hasty, cut; /* an interruption may end it; it did */
    struct orr_report *why;
};

static void *make_room(struct choice *x, size_t n, size_t size)
{
    return orr__arena_alloc(orr__config_arena(x->c), n, size);
}

/* ---- which there are ----------------------------------------------------- */

/* Each job that a candidate places must be there. */
static orr_err check_given(struct choice *x, const struct orr_yaml *map)
{
    if (!orr__yaml_is_map(map))
        return orr__yaml_fail(x->c, map, x->why,
                              "schedule.candidates: a map "
                              "from jobs to placements is expected");
    for (size_t i = 0; i < orr__yaml_count(map); i++) {
        const struct orr_yaml *key = orr__yaml_key(map, i);
        const char *name = orr__yaml_text(x->c, key);
        bool found = false;
        for (uint32_t j = 0; name && j < x->world->n_jobs && !found; j++)
            found = strcmp(x->world->jobs[j].name, name) == 0;
        if (!found)
            return orr__yaml_fail(x->c, key, x->why,
                                  "schedule.candidates: no "
                                  "job is called \"%s\"",
                                  name ? name : "?");
    }
    return ORR_OK;
}

/* Candidates as listed, called 1, 2, ... */
static orr_err list_given(struct choice *x)
{
    size_t n = orr__yaml_count(x->node);
    orr_err err = ORR_OK;
    if (n == 0)
        return orr__yaml_fail(x->c, x->node, x->why,
                              "schedule.candidates: the list is empty");
    x->placed = make_room(x, n, sizeof *x->placed);
    if (!x->placed)
        return orr__no_memory(x->why);
    for (size_t i = 0; i < n && !err; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu", i + 1);
        struct placed *p = &x->placed[x->n++];
        p->given = orr__yaml_item(x->node, i);
        p->name = orr__arena_strdup(orr__config_arena(x->c), name);
        err = p->name ? check_given(x, p->given) : orr__no_memory(x->why);
    }
    return err;
}

/* Whether all jobs say where they are. */
static bool is_written(const struct choice *x)
{
    const struct orr_yaml *jobs = orr__yaml_get(orr__config_root(x->c), "jobs");
    for (size_t i = 0; i < orr__yaml_count(jobs); i++)
        if (!orr__yaml_get(orr__yaml_item(jobs, i), "placement"))
            return false;
    return true;
}

static bool is_new(const struct choice *x, const uint32_t *hosts)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (memcmp(x->placed[i].hosts, hosts, x->ranks * sizeof *hosts) == 0)
            return false;
    return true;
}

/* Of all jobs, in their order. *found false: one of them would rather wait. */
static orr_err place_all(struct choice *x, struct orr_cluster *c,
                         uint32_t variant, uint32_t *hosts, bool *found)
{
    struct orr_inventory *v = &c->inventory;
    memset(v->taken, 0, v->gpus * sizeof *v->taken);
    *found = true;
    for (uint32_t j = 0; j < c->jobs && *found; j++) {
        uint32_t n = c->job[j].is.gpus;
        orr_err err = c->placement->choose(c, c->placement_params, j, variant,
                                           hosts, found, x->why);
        if (err)
            return err;
        for (uint32_t r = 0; r < n && *found; r++)
            v->taken[hosts[r]]++;
        hosts += n;
    }
    return ORR_OK;
}

static orr_err name_made(struct choice *x, const struct orr_cluster *c,
                         uint32_t variant, struct placed *p)
{
    char name[64];
    snprintf(name, sizeof name, "%s %u", c->placement->name, variant + 1);
    p->name = orr__arena_strdup(orr__config_arena(x->c), name);
    return p->name ? ORR_OK : orr__no_memory(x->why);
}

/* The first is that of the file, if it has one. */
static orr_err make_all(struct choice *x, struct orr_cluster *c, uint32_t count)
{
    uint32_t *hosts = NULL;
    orr_err err = ORR_OK;
    x->placed = make_room(x, count + (size_t)1, sizeof *x->placed);
    if (!x->placed || !(hosts = make_room(x, x->ranks, sizeof *hosts)))
        return orr__no_memory(x->why);
    if (is_written(x)) {
        uint32_t at = 0;
        for (uint32_t j = 0; j < x->world->n_jobs; j++) {
            const struct orr_job *job = &x->world->jobs[j];
            memcpy(hosts + at, job->hosts, job->ranks * sizeof *hosts);
            at += job->ranks;
        }
        x->placed[x->n++] =
            (struct placed){.name = "as written", .hosts = hosts};
        hosts = NULL;
    }
    for (uint32_t v = 0; v < count && !err; v++) {
        bool found = false;
        if (!hosts && !(hosts = make_room(x, x->ranks, sizeof *hosts)))
            return orr__no_memory(x->why);
        err = place_all(x, c, v, hosts, &found);
        if (err || !found || !is_new(x, hosts))
            continue;
        x->placed[x->n].hosts = hosts;
        err = name_made(x, c, v, &x->placed[x->n]);
        x->n++;
        hosts = NULL;
    }
    if (!err && x->n == 0)
        err = orr__yaml_fail(x->c, x->node, x->why,
                             "schedule.candidates: "
                             "`%s` finds no place for all jobs",
                             c->placement->name);
    return err;
}

/* Parameter servers of the topology serve, they do not train. */
static orr_err take_stock(struct choice *x, struct orr_cluster *c)
{
    const struct orr_graph *g = x->world->graph;
    orr_err err = orr__inventory_init(&c->inventory, g, 1, x->why);
    c->job = orr__alloc(c->jobs, sizeof *c->job);
    if (!err && !c->job)
        err = orr__no_memory(x->why);
    for (uint32_t i = 0; !err && i < g->n_servers; i++)
        c->inventory.out[g->servers[i]] = true;
    for (uint32_t j = 0; !err && j < c->jobs; j++) {
        c->job[j].index = j;
        c->job[j].is.name = x->world->jobs[j].name;
        c->job[j].is.gpus = x->world->jobs[j].ranks;
    }
    if (!err && x->ranks > g->hosts - g->n_servers)
        err = orr__yaml_fail(x->c, x->node, x->why,
                             "schedule.candidates: the "
                             "jobs have %u ranks, and there are %u hosts for "
                             "them",
                             x->ranks, g->hosts - g->n_servers);
    return err;
}

/* Candidates of a placement of a cluster, on a cluster with these jobs
 * alone. */
static orr_err list_made(struct choice *x)
{
    struct orr_world world = *x->world; /* but for whose the keys are */
    struct orr_cluster c = {.world = &world, .jobs = world.n_jobs};
    struct keys k = {0};
    const struct orr_param_set set = {params, &k};
    world.config = x->c;
    orr_err err =
        orr__param_read(x->c, x->node, "schedule.candidates", &set, 1, x->why);
    if (!err)
        err = orr__cluster_placement_read(
            &c, k.generate, "schedule.candidates.generate", "cassini", x->why);
    if (!err)
        err = take_stock(x, &c);
    if (!err)
        err = make_all(x, &c, (uint32_t)k.count);
    orr__free(c.job);
    orr__inventory_fini(&c.inventory);
    return err;
}

/* ---- each of them -------------------------------------------------------- */

/* Into a document: the placements of a candidate. */
static orr_err place_jobs(const struct choice *x, const struct placed *p,
                          struct orr_config *into)
{
    const uint32_t *host = p->hosts;
    orr_err err = ORR_OK;
    for (uint32_t j = 0; j < x->world->n_jobs && !err; j++) {
        const struct orr_job *job = &x->world->jobs[j];
        char path[48];
        snprintf(path, sizeof path, "jobs[%u].placement", j);
        if (p->given) {
            const struct orr_yaml *v = orr__yaml_get(p->given, job->name);
            if (v)
                err = orr__config_lay(into, path, v, v, x->why);
            continue;
        }
        struct orr_text t = {0};
        orr__text_add(&t, "%s=[", path);
        for (uint32_t r = 0; r < job->ranks; r++)
            orr__text_add(&t, "%s%u", r ? ", " : "", *host++);
        orr__text_add(&t, "]");
        char *set = orr__text_done(&t);
        err = set ? orr__config_set_named(into, set, p->name, x->why)
                  : orr__no_memory(x->why);
        orr__free(set);
    }
    return err;
}

/* A document without candidates, and with nothing that only a run needs. */
static orr_err copy_config(const struct choice *x, struct orr_config **out)
{
    orr_err err = orr__config_copy(x->c, "compare", out, x->why);
    if (!err)
        err = orr__config_set(*out, "schedule.candidates=null", x->why);
    if (!err)
        err = orr__config_set(*out, "record=none", x->why);
    return err;
}

static void measure_plan(const orr_experiment *e, struct orr_candidate *c)
{
    const struct orr_plan *s = orr__planner_plan_all(orr__experiment_world(e));
    c->score = s->affinity.score;
    for (uint32_t p = 0; p < s->affinity.parts; p++)
        c->loop |= s->affinity.part[p].loop;
    for (uint32_t j = 0; j < s->n; j++) {
        c->fair_s += s->job[j].fair_ps * 1e-12;
        c->planned_s += s->job[j].planned_ps * 1e-12;
    }
}

/* Opens the experiment with this placement, which plans it. */
static orr_err try_one(struct choice *x, uint32_t i)
{
    const struct orr_options options = {.no_output = true,
                                        .interrupt = x->options->interrupt};
    struct orr_config *config = NULL;
    orr_experiment *e = NULL;
    x->out->item[i].name = x->placed[i].name;
    orr_err err = copy_config(x, &config);
    if (!err)
        err = place_jobs(x, &x->placed[i], config);
    if (err) {
        orr__config_free(config);
        return err;
    }
    err = orr__experiment_open_config(config, &options, NULL, &e, x->why);
    if (!err)
        measure_plan(e, &x->out->item[i]);
    orr_experiment_free(e);
    return err;
}

static bool is_better(const struct orr_candidate *a,
                      const struct orr_candidate *b)
{
    if (a->loop != b->loop)
        return b->loop;
    if (a->score > b->score + 1e-9 || a->score < b->score - 1e-9)
        return a->score > b->score;
    return a->planned_s < b->planned_s * (1 - 1e-9);
}

/* Errors of a candidate count, but for an interrupt of a hasty search. */
static orr_err try_all(struct choice *x)
{
    orr_err err = ORR_OK;
    x->out = make_room(x, 1, sizeof *x->out);
    if (!x->out || !(x->out->item = make_room(x, x->n, sizeof *x->out->item)))
        return orr__no_memory(x->why);
    for (; x->out->n < x->n && !err; x->out->n++) {
        uint32_t i = x->out->n;
        struct orr_report late = {.code = ORR_OK};
        struct orr_report *why = x->why;
        x->why = &late;
        err = try_one(x, i);
        x->why = why;
        if (x->hasty && err == ORR_EINTERRUPTED) {
            x->cut = true; /* the best so far, or the first */
            x->out->n += i == 0;
            return ORR_OK;
        }
        if (err && why && !why->code)
            *why = late;
        if (is_better(&x->out->item[i], &x->out->item[x->out->chosen]))
            x->out->chosen = i;
    }
    return err;
}

static orr_err fail_without_jobs(struct choice *x)
{
    bool cluster = orr__yaml_get(orr__config_root(x->c), "cluster") != NULL;
    return orr__yaml_fail(x->c, x->node, x->why,
                          "schedule.candidates: there "
                          "are no `jobs` to place%s",
                          cluster ? "; of a cluster, `cluster.placement` does"
                                  : "");
}

/* The chosen placement goes into the configuration. */
static orr_err choose_best(struct choice *x)
{
    struct orr_config *config = NULL;
    orr_err err = copy_config(x, &config);
    if (err) {
        orr__config_free(config);
        return err;
    }
    err = orr__experiment_prepare(orr__config_name(x->c), config, NULL,
                                  &x->jobs, x->why);
    if (err)
        return err;
    x->world = orr__experiment_world(x->jobs);
    if (x->world->n_jobs == 0)
        return fail_without_jobs(x);
    for (uint32_t j = 0; j < x->world->n_jobs; j++)
        x->ranks += x->world->jobs[j].ranks;
    err = orr__yaml_is_list(x->node) ? list_given(x) : list_made(x);
    if (!err)
        err = try_all(x);
    if (!err)
        err = place_jobs(x, &x->placed[x->out->chosen], x->c);
    return err;
}

orr_err orr__candidates_choose(struct orr_config *c,
                               const struct orr_options *o, bool hasty,
                               bool *cut, struct orr_report *why)
{
    const struct orr_yaml *root = orr__config_root(c);
    const struct orr_yaml *schedule = orr__yaml_get(root, "schedule");
    const struct orr_yaml *kind = orr__yaml_get(schedule, "kind");
    const char *name = kind ? orr__yaml_text(c, kind) : NULL;
    const struct orr_scheduler_ops *ops =
        name ? orr__scheduler_named(name) : NULL;
    struct choice x = {.c = c,
                       .options = o,
                       .hasty = hasty,
                       .why = why,
                       .node = orr__yaml_get(schedule, "candidates")};
    /* of another kind: whoever reads it says that it has no such key */
    if (!x.node || orr__yaml_is_null(x.node) || !ops || !ops->candidates)
        return ORR_OK;
    if (!orr__yaml_get(root, "jobs"))
        return fail_without_jobs(&x);
    orr_err err = choose_best(&x);
    if (!err)
        err = orr__config_set(c, "schedule.candidates=null", why);
    if (!err)
        err = orr__candidates_keep(c, x.out, why);
    *cut |= x.cut;
    orr_experiment_free(x.jobs);
    return err;
}
