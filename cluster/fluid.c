/* The pace of jobs without packets: what they ask of links shrinks with their
 * speed, and links are shared out max-min fairly (workload/schedule/fluid.h).
 * The quick first look. */
#include <math.h>
#include <string.h>

#include "cluster/engine.h"
#include "cluster/job_sets.h"
#include "cluster/known_jobs.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/schedule/fluid.h"

struct fluid {
    struct orr_member *member; /* of the jobs that run */
    struct orr_fluid_job *job;
};

static orr_err fluid_open(struct orr_engine *e, struct orr_report *why)
{
    struct fluid *f = e->pace_state = orr__alloc(1, sizeof *f);
    uint32_t n = orr__engine_most_running(e);
    if (!f)
        return orr__no_memory(why);
    f->member = orr__alloc(n, sizeof *f->member);
    f->job = orr__alloc(n, sizeof *f->job);
    return f->member && f->job ? ORR_OK : orr__no_memory(why);
}

static void fluid_close(struct orr_engine *e)
{
    struct fluid *f = e->pace_state;
    if (!f)
        return;
    orr__free(f->member);
    orr__free(f->job);
    orr__free(f);
}

/* A job whose iteration cannot be worked out has no pace here. */
static orr_err fluid_meet(struct orr_engine *e, uint32_t job,
                          struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_template *t = &c->template[c->job[job].is.template];
    if (!orr__facts_of(e, job)->unknown)
        return ORR_OK;
    return orr__yaml_fail(c->world->config, t->node, why,
                          "accuracy: fluid: what \"%s\" does cannot be "
                          "worked out without packets",
                          t->name);
}

/* A forecast leaves shares out now and then: they are as much work as the
 * latest, and jobs go on as they did, or as alone. CPU seconds. */
#define FORECAST_LEAST 0.02
#define FORECAST_MOST  0.2

static bool leave_out(struct orr_engine *e, uint32_t n)
{
    const struct fluid *f = e->pace_state;
    struct orr_forecast *x = e->forecast;
    if (!x || x->fluid.spent <= FORECAST_LEAST + FORECAST_MOST * x->share)
        return false;
    x->fluid.seconds += x->fluid.latest;
    for (uint32_t i = 0; i < n; i++) {
        struct orr_speed *s = &e->speed[f->member[i].job];
        double alone = (double)f->member[i].facts->profile.iteration_ps / 1000;
        if (s->iteration_ns <= 0)
            *s = (struct orr_speed){.iteration_ns = alone,
                                    .alone_ns = alone,
                                    .rival = ORR_NONE,
                                    .link = ORR_NONE};
    }
    return true;
}

static void reckon(struct orr_engine *e, uint64_t work)
{
    struct orr_forecast *x = e->forecast;
    if (!x)
        return;
    x->fluid.latest = (double)work * ORR_FLUID_WORK_S;
    x->fluid.spent += x->fluid.latest;
    x->fluid.seconds += x->fluid.latest;
}

/* ps until a job begins an iteration, if it goes on as alone: jobs stand to one
 * another as they happen to. */
static int64_t rest_of(const struct orr_engine *e, const struct orr_member *m)
{
    double done = orr__cluster_done(&e->cluster.job[m->job]);
    return (int64_t)((ceil(done) - done)
                     * (double)m->facts->profile.iteration_ps);
}

static orr_err fluid_settle(struct orr_engine *e, struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    const struct orr_graph *g = e->cluster.world->graph;
    uint32_t n = 0, sets = 0;
    uint64_t work = 0;
    orr_err err = orr__engine_members(e, f->member, &n, why);
    if (err || leave_out(e, n))
        return err;
    for (uint32_t i = 0; i < n; i++)
        f->job[i] =
            (struct orr_fluid_job){.profile = &f->member[i].facts->profile,
                                   .start_ps = rest_of(e, &f->member[i]),
                                   .weight = 1};
    err = orr__job_sets_split(g, f->member, n, false, &sets, why);
    if (!err && n)
        err = orr__fluid(f->job, n, g->rate_bps, g->links, &work, e->interrupt,
                         why);
    reckon(e, work);
    for (uint32_t i = 0; !err && i < n; i++) {
        const struct orr_profile *p = &f->member[i].facts->profile;
        e->speed[f->member[i].job] = (struct orr_speed){
            .iteration_ns = f->job[i].iteration_ps / 1000,
            .alone_ns = (double)p->iteration_ps / 1000,
            .compute_ns = p->compute_ps > 0 ? (double)p->compute_ps / 1000 : 0,
            .known = ORR_KNOWN_FLUID,
            .settled = true,
            .rival = f->member[i].rival,
            .link = f->member[i].link,
        };
    }
    return err;
}

const struct orr_pace_ops orr__pace_fluid = {
    .name = "fluid",
    .open = fluid_open,
    .meet = fluid_meet,
    .settle = fluid_settle,
    .close = fluid_close,
};
