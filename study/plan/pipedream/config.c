/* A plan of stages into the configuration: the job with its stages on the
 * machines that they were planned for, and a network of these levels where the
 * document has none. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "study/plan/pipedream/show.h"

/* Borrowed while one plan goes into one configuration; the plan is only read.
 */
struct writer {
    const struct orr_stage_plan *p;
    struct orr_config *c;
    struct orr_report *why;
};

/* PATH=VALUE, a text that is done with then. */
static orr_err set_key(struct writer *w, struct orr_text *t)
{
    char *text = orr__text_done(t);
    orr_err err = text ? orr__config_set_named(w->c, text, "the plan", w->why)
                       : orr__no_memory(w->why);
    orr__free(text);
    *t = (struct orr_text){.s = NULL};
    return err;
}

/* ---- stages -------------------------------------------------------------- */

/* Units of the model before a cut, whose layers are its first ones. */
static orr_err units_before(struct writer *w, const struct orr_cut *x,
                            uint32_t *units)
{
    const struct orr_model *m = w->p->model;
    for (uint32_t l = 0; l < x->layers; l++)
        if (!orr__cut_holds(x, l))
            return orr__fail(w->why, ORR_ECONFIG,
                             "--write: layers of a stage have others between "
                             "them in %s (%s is in none before it): `stages` "
                             "are stretches of the list",
                             m->name, m->layer[l].name);
    *units = x->layers < m->layers ? m->layer[x->layers].unit : m->units;
    return ORR_OK;
}

/* `stages` of the job: the layers of each in units of the model, not in layers.
 * job: the path of its keys, like "jobs[0].". ECONFIG where a stage is no
 * stretch of the model. */
static orr_err write_stages(struct writer *w, const char *job)
{
    const struct orr_partition *r = &w->p->result;
    struct orr_text t = {.s = NULL};
    uint32_t had = 0, units = 0;
    orr_err err = ORR_OK;
    orr__text_add(&t, "%sstages=[", job);
    for (uint32_t i = 0; !err && i < r->stages; i++) {
        err = units_before(w, &w->p->cuts.cut[r->stage[i].to], &units);
        if (!err)
            orr__text_add(&t, "%s{units: %u, replicas: %u}", i ? ", " : "",
                          units - had, r->stage[i].replicas);
        had = err ? had : units;
    }
    orr__text_add(&t, "]");
    if (!err)
        return set_key(w, &t);
    orr__free(t.s);
    return err;
}

/* The machine of a stage's i-th replica: minibatches go round the groups of the
 * outermost level first, so that those of one group stay there. */
static uint32_t machine_of(const struct writer *w,
                           const struct orr_planned_stage *x, uint32_t i)
{
    const struct orr_partition_request *q = &w->p->request;
    uint32_t machine = 0;
    for (uint32_t l = q->levels; l-- > 0;) {
        machine =
            machine * q->level[l].machines + x->at[l] + i % x->per_level[l];
        i /= x->per_level[l];
    }
    return machine;
}

/* `placement` of the job: ranks go stage by stage, replica by replica, as the
 * runtime numbers them. */
static orr_err write_placement(struct writer *w, const char *job)
{
    const struct orr_partition *r = &w->p->result;
    struct orr_text t = {.s = NULL};
    orr__text_add(&t, "%splacement=[", job);
    for (uint32_t i = 0; i < r->stages; i++)
        for (uint32_t k = 0; k < r->stage[i].replicas; k++)
            orr__text_add(&t, "%s%u", i + k ? ", " : "",
                          machine_of(w, &r->stage[i], k));
    orr__text_add(&t, "]");
    return set_key(w, &t);
}

/* ---- the job ------------------------------------------------------------- */

/* Keys that the stages replace. */
static orr_err clear_keys(struct writer *w, const struct orr_yaml *job,
                          const char *path)
{
    static const char *const keys[][2] = {
        {"parallelism", "null"}, {"micro_batches", "1"}, {"overlap", "auto"}};
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < sizeof keys / sizeof *keys; i++) {
        struct orr_text t = {.s = NULL};
        if (!orr__yaml_get(job, keys[i][0]))
            continue;
        orr__text_add(&t, "%s%s=%s", path, keys[i][0], keys[i][1]);
        err = set_key(w, &t);
    }
    return err;
}

/* Turns a job of the document into one that runs the plan. It keeps its `sync`
 * where PipeDream's schedule has that; else `ddp`. path: of its keys, like
 * "jobs[0].". */
static orr_err write_job(struct writer *w, const struct orr_yaml *job,
                         const char *path)
{
    const char *sync = orr__yaml_text(w->c, orr__yaml_get(job, "sync"));
    struct orr_text t = {.s = NULL};
    orr_err err = clear_keys(w, job, path);
    orr__text_add(&t, "%sranks=%u", path, w->p->result.machines);
    if (!err)
        err = set_key(w, &t);
    orr__text_add(&t, "%sschedule=pipedream", path);
    if (!err)
        err = set_key(w, &t);
    if (!err
        && (!sync
            || (strcmp(sync, "ddp") != 0 && strcmp(sync, "none") != 0
                && strcmp(sync, "bulk") != 0))) {
        orr__text_add(&t, "%ssync=ddp", path);
        err = set_key(w, &t);
    }
    orr__free(t.s);
    if (!err)
        err = write_stages(w, path);
    return err ? err : write_placement(w, path);
}

/* A job of its own for `model` of the question. */
static orr_err add_job(struct writer *w, const struct orr_question *q)
{
    struct orr_text t = {.s = NULL};
    const char *model = orr__yaml_text(w->c, orr__yaml_get(q->at, "model"));
    orr__text_add(&t, "jobs=[{name: pipedream, ranks: 1, iterations: 20, "
                      "model: ");
    orr__text_quoted(&t, model);
    orr__text_add(&t, ", batch: %u, sync: ddp}]", w->p->costs.batch);
    return set_key(w, &t);
}

/* ---- the network --------------------------------------------------------- */

/* A switch for the outer level, with servers for the inner one if there are
 * two. The plan knows no delays: 1us stands for them. ECONFIG beyond two
 * levels. */
static orr_err add_network(struct writer *w)
{
    const struct orr_partition_request *q = &w->p->request;
    struct orr_text t = {.s = NULL};
    char rate[2][32];
    if (q->levels > 2)
        return orr__fail(w->why, ORR_ECONFIG,
                         "--write: a network of %u levels has to be written "
                         "by hand: `topology`",
                         q->levels);
    for (uint32_t l = 0; l < q->levels; l++)
        orr__format_rate(q->level[l].rate_bps, rate[l], sizeof rate[l]);
    orr__text_add(&t,
                  "topology={kind: switch, hosts: %u, link: {rate: %s, "
                  "delay: 1us}",
                  q->level[q->levels - 1].machines, rate[q->levels - 1]);
    if (q->levels == 2)
        orr__text_add(&t, ", servers: {gpus: %u, link: {rate: %s, delay: 1us}}",
                      q->level[0].machines, rate[0]);
    orr__text_add(&t, "}");
    return set_key(w, &t);
}

/* A network that is as large as one likes is to have all machines. */
static orr_err widen_network(struct writer *w, const struct orr_yaml *topology)
{
    static const char *const kinds[] = {"switch", "ring", "fully-connected"};
    const char *kind = orr__yaml_text(w->c, orr__yaml_get(topology, "kind"));
    const char *hosts = orr__yaml_text(w->c, orr__yaml_get(topology, "hosts"));
    struct orr_text t = {.s = NULL};
    int64_t n;
    if (!kind || !hosts || orr__parse_int(hosts, &n)
        || n >= w->p->result.machines || orr__yaml_get(topology, "servers"))
        return ORR_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0) {
            orr__text_add(&t, "topology.hosts=%u", w->p->result.machines);
            return set_key(w, &t);
        }
    return ORR_OK;
}

orr_err orr__stage_plan_config(const struct orr_stage_plan *p,
                               const struct orr_question *q, char **out,
                               struct orr_report *why)
{
    struct writer w = {p, q->c, why};
    char path[32];
    orr_err err = ORR_OK;
    const struct orr_yaml *topology =
        orr__yaml_get(orr__config_root(q->c), "topology");
    err = topology ? widen_network(&w, topology) : add_network(&w);
    if (!err && !p->has_job)
        err = add_job(&w, q);
    const struct orr_yaml *jobs = orr__yaml_get(orr__config_root(q->c), "jobs");
    snprintf(path, sizeof path, "jobs[%zu].", p->has_job ? p->job : 0);
    if (!err)
        err =
            write_job(&w, orr__yaml_item(jobs, p->has_job ? p->job : 0), path);
    if (err)
        return err;
    *out = orr__config_effective(q->c);
    return *out ? ORR_OK : orr__no_memory(why);
}
