/* The pace of jobs without packets: what they ask of links shrinks with their
 * speed, and links are shared out max-min fairly (workload/schedule/fluid.h).
 * The quick first look. */
#include <string.h>

#include "core/memory.h"
#include "study/cluster/engine.h"
#include "study/cluster/part.h"
#include "study/cluster/sets.h"
#include "workload/schedule/fluid.h"

struct fluid {
    struct orr_facts *facts; /* per job of the cluster; while it has GPUs */
    bool *there;
    struct orr_member *member;
    struct orr_fluid_job *job;
};

static orr_err fluid_open(struct orr_engine *e, struct orr_report *why)
{
    struct fluid *f = e->pace_state = orr__alloc(1, sizeof *f);
    uint32_t n = e->cluster.jobs;
    if (!f)
        return orr__no_memory(why);
    f->facts = orr__alloc(n, sizeof *f->facts);
    f->there = orr__alloc(n, sizeof *f->there);
    f->member = orr__alloc(n, sizeof *f->member);
    f->job = orr__alloc(n, sizeof *f->job);
    return f->facts && f->there && f->member && f->job ? ORR_OK
                                                       : orr__no_memory(why);
}

static void fluid_close(struct orr_engine *e)
{
    struct fluid *f = e->pace_state;
    if (!f)
        return;
    for (uint32_t i = 0; f->facts && i < e->cluster.jobs; i++)
        orr__facts_fini(&f->facts[i]);
    orr__free(f->facts);
    orr__free(f->there);
    orr__free(f->member);
    orr__free(f->job);
    orr__free(f);
}

static orr_err fluid_leave(struct orr_engine *e, uint32_t job,
                           struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    (void)why;
    orr__facts_fini(&f->facts[job]);
    f->there[job] = false;
    return ORR_OK;
}

/* A job whose iteration cannot be worked out has no pace here. */
static orr_err look_up(struct orr_engine *e, uint32_t job,
                       struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_job *j = &c->job[job];
    const struct orr_template *t = &c->template[j->is.template];
    const struct orr_part_job part = {
        .template = t,
        .name = j->is.name,
        .gpu = j->gpu,
        .gpus = j->is.gpus,
        .iterations = 1,
        .number = orr__part_number(j->is.template, j->gpu, j->is.gpus),
    };
    orr_experiment *x = NULL;
    orr_err err = orr__part_open(c, &part, 1, true, e->interrupt, &x, why);
    if (!err)
        err = orr__facts(orr__experiment_world(x), &f->facts[job], why);
    orr_experiment_free(x);
    if (!err && f->facts[job].unknown)
        err = orr__yaml_fail(c->world->config, t->node, why,
                             "accuracy: fluid: what \"%s\" does cannot be "
                             "worked out without packets", t->name);
    f->there[job] = !err;
    return err;
}

static orr_err fluid_settle(struct orr_engine *e, struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    const struct orr_graph *g = c->world->graph;
    uint32_t n = 0, sets = 0;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < e->n_running; i++) {
        uint32_t job = e->running[i];
        if (!orr__ready(c, &c->job[job]))
            continue;
        if (!f->there[job])
            err = look_up(e, job, why);
        f->member[n] = (struct orr_member){.job = job,
                                           .facts = &f->facts[job]};
        f->job[n++] = (struct orr_fluid_job){
            .profile = &f->facts[job].profile, .weight = 1};
    }
    if (!err)
        err = orr__sets_part(g, f->member, n, false, &sets, why);
    if (!err && n)
        err = orr__fluid(f->job, n, g->rate_bps, g->links, why);
    for (uint32_t i = 0; !err && i < n; i++) {
        const struct orr_profile *p = &f->facts[f->member[i].job].profile;
        e->speed[f->member[i].job] = (struct orr_speed){
            .iteration_ns = f->job[i].iteration_ps / 1000,
            .alone_ns = (double)p->iteration_ps / 1000,
            .compute_ns = p->compute_ps > 0 ? (double)p->compute_ps / 1000 : 0,
            .known = ORR_KNOWN_FLUID,
            .settled = true,
            .set = f->member[i].set,
            .rival = f->member[i].rival,
            .link = f->member[i].link,
        };
    }
    return err;
}

const struct orr_pace_ops orr__pace_fluid = {
    .name = "fluid",
    .open = fluid_open,
    .settle = fluid_settle,
    .leave = fluid_leave,
    .close = fluid_close,
};
