/* The pace of jobs without packets: what they ask of links shrinks with their
 * speed, and links are shared out max-min fairly (workload/schedule/fluid.h).
 * The quick first look.
 *
 * Jobs that share links are a set, and go through their iterations together
 * from where they are in them; a set whose members are what they were, on the
 * same terms, goes on as it did. Classes, weights, paths and gates are those of
 * the schedule, which is asked of all jobs that run where it plans. How
 * controls grow is nothing that shares of links know of: schedules that act
 * through that are refused. */
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "cluster/engine.h"
#include "cluster/job_progress.h"
#include "cluster/job_sets.h"
#include "cluster/joint_plan.h"
#include "cluster/known_jobs.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/schedule/fluid.h"
#include "workload/schedule/plan.h"
#include "workload/schedule/schedule.h"

/* State of this pace, owned by its engine; arrays have room for all jobs that
 * can run at once. */
struct fluid {
    bool plans;                      /* its schedule, for all jobs that run */
    bool ideal;                      /* no links are shared */
    struct orr_joint_plans *planned; /* as things are; NULL: none */
    struct orr_job_progress progress;
    struct orr_member *member; /* of the jobs that run */
    uint32_t *of_set;          /* members of a set, as indices */
    struct orr_fluid_job *job; /* the same */
    double (*end_ps)[ORR_ENDS + 1];
    struct orr_outcome outcome; /* of one of them, in between */
};

/* ---- opening and closing ------------------------------------------------- */

/* What cannot be said by shares of links, where it stands. */
static orr_err refuse(const struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_world *w = c->world;
    const struct orr_scheduler *s = w->scheduler;
    const char *kind = s->ops->name;
    if (strcmp(kind, "mltcp") == 0 || strcmp(kind, "weights") == 0)
        return orr__yaml_fail(
            w->config, s->at ? s->at : s->node, why,
            "accuracy: fluid: the schedule %s acts through congestion control, "
            "which is not modelled here: use `sampled` or `packets`",
            kind);
    for (uint32_t t = 0; t < c->templates; t++) {
        const struct orr_yaml *changes =
            orr__yaml_get(c->template[t].node, "changes");
        if (changes)
            return orr__yaml_fail(
                w->config, changes, why,
                "accuracy: fluid: a job has the same class and paths in all "
                "iterations: use `sampled` or `packets` for `changes`");
    }
    return ORR_OK;
}

/* What it allocated is freed by fluid_close even after an error. A forecast of
 * another pace plans nothing. */
static orr_err fluid_open(struct orr_engine *e, struct orr_report *why)
{
    static const char *const planned[] = {"cassini", "crux", "priority"};
    struct fluid *f = e->pace_state = orr__alloc(1, sizeof *f);
    const char *kind = e->cluster.world->scheduler->ops->name;
    uint32_t n = orr__engine_most_running(e);
    if (!f)
        return orr__no_memory(why);
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
        f->plans |= strcmp(kind, planned[i]) == 0;
    f->plans = f->plans && !e->forecast;
    f->ideal = strcmp(kind, "ideal") == 0;
    f->member = orr__alloc(n, sizeof *f->member);
    f->of_set = orr__alloc(n, sizeof *f->of_set);
    f->job = orr__alloc(n, sizeof *f->job);
    f->end_ps = orr__alloc(n, sizeof *f->end_ps);
    if (!orr__job_progress_init(&f->progress, e->cluster.jobs) || !f->member
        || !f->of_set || !f->job || !f->end_ps)
        return orr__no_memory(why);
    return e->forecast ? ORR_OK : refuse(e, why);
}

/* Of a pace that may be half open. */
static void fluid_close(struct orr_engine *e)
{
    struct fluid *f = e->pace_state;
    if (!f)
        return;
    orr__joint_plan_free(f->planned);
    orr__job_progress_fini(&f->progress);
    orr__free(f->member);
    orr__free(f->of_set);
    orr__free(f->job);
    orr__free(f->end_ps);
    orr__free(f);
}

/* A job whose iteration cannot be worked out has no pace here. */
static orr_err fluid_add_job(struct orr_engine *e, uint32_t job,
                             struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_template *t = &c->template[c->job[job].is.template];
    if (!orr__facts_of(e, job)->unknown)
        return ORR_OK;
    return orr__yaml_fail(c->world->config, t->node, why,
                          "accuracy: fluid: the program of \"%s\" cannot be "
                          "evaluated without packets",
                          t->name);
}

static orr_err fluid_teardown(struct orr_engine *e, uint32_t job,
                              struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    orr__job_progress_drop(&f->progress, job);
    return ORR_OK;
}

/* ---- telling ------------------------------------------------------------- */

/* Part of an iteration that is none: times are rounded to ns. */
#define NOTHING 1e-5

/* How much of the iteration that it is in a job has done, a share. */
static double part_done(const struct orr_engine *e, uint32_t job)
{
    double done = orr__cluster_done(&e->cluster.job[job]);
    double part = done - floor(done);
    return part < NOTHING || part > 1 - NOTHING ? 0 : part;
}

/* It begins an iteration in first_ns, the first one of `lead` (NULL: of those
 * at its pace). baseline_ns: of an iteration. */
static orr_err set_fluid_pace(struct orr_engine *e, const struct orr_member *m,
                              double iteration_ps, double first_ns,
                              const struct orr_outcome *lead,
                              struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    const struct orr_profile *own = &orr__facts_of(e, m->job)->profile;
    const struct orr_iteration_progress progress = orr__progress(
        e->cluster.now_ns, orr__cluster_done(&e->cluster.job[m->job]), first_ns,
        iteration_ps / 1000, lead);
    e->speed[m->job] = (struct orr_speed){
        .iteration_ns = iteration_ps / 1000,
        .steady_ns = iteration_ps / 1000,
        .baseline_ns = (double)own->iteration_ps / 1000,
        .compute_ns = own->compute_ps > 0 ? (double)own->compute_ps / 1000 : 0,
        .known = ORR_KNOWN_FLUID,
        .settled = true,
        .set = e->speed[m->job].set,
        .rival = m->rival,
        .link = m->link,
    };
    return orr__job_progress_set(&f->progress, m->job, &progress, why);
}

/* Without any other job. */
static orr_err pace_unshared(struct orr_engine *e, const struct orr_member *m,
                             struct orr_report *why)
{
    double iteration_ps =
        (double)orr__facts_of(e, m->job)->profile.iteration_ps;
    double part = part_done(e, m->job);
    return set_fluid_pace(e, m, iteration_ps,
                          part > 0 ? (1 - part) * iteration_ps / 1000 : 0, NULL,
                          why);
}

/* As the i-th of a set went. */
static orr_err tell_one(struct orr_engine *e, uint32_t i,
                        struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    const struct orr_fluid_job *j = &f->job[i];
    const struct orr_member *m = &f->member[f->of_set[i]];
    struct orr_outcome *o = &f->outcome;
    uint32_t from = part_done(e, m->job) > 0 && j->ends ? 1 : 0;
    double first = from ? j->end_ps[0] : 0;
    *o = (struct orr_outcome){.iteration_ps = j->iteration_ps, .each = 1};
    for (uint32_t k = from; k < j->ends && o->ends < ORR_ENDS; k++)
        o->end_ps[o->ends++] = (int64_t)(j->end_ps[k] - first + 0.5);
    return set_fluid_pace(e, m, j->iteration_ps, first / 1000, o, why);
}

/* ---- forecasts ----------------------------------------------------------- */

/* A forecast leaves shares out now and then: they are as much work as the
 * latest, and jobs go on as they did, or as alone. CPU seconds. */
#define FORECAST_LEAST 0.02
#define FORECAST_MOST  0.2

static bool leaves_out(const struct orr_engine *e)
{
    struct orr_forecast *x = e->forecast;
    if (!x || x->fluid.spent <= FORECAST_LEAST + FORECAST_MOST * x->share)
        return false;
    x->fluid.seconds += x->fluid.latest;
    return true;
}

static orr_err count_unshared(struct orr_engine *e, uint32_t n,
                              struct orr_report *why)
{
    const struct fluid *f = e->pace_state;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < n; i++)
        if (e->speed[f->member[i].job].iteration_ns <= 0)
            err = pace_unshared(e, &f->member[i], why);
    return err;
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

/* ---- sets ---------------------------------------------------------------- */

static uint32_t gather(struct fluid *f, uint32_t n, uint32_t set)
{
    uint32_t members = 0;
    for (uint32_t i = 0; i < n; i++)
        if (f->member[i].set == set)
            f->of_set[members++] = i;
    return members;
}

/* Of the jobs that are in it, and of their terms; never 0. */
static uint64_t name_of(const struct fluid *f, uint32_t n)
{
    uint64_t name = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_member *m = &f->member[f->of_set[i]];
        const struct orr_terms *t = &m->facts->terms;
        const int64_t who[] = {m->job, t->class, t->gate.period_ps,
                               t->gate.period_ps ? t->gate.offset_ps : 0,
                               t->gate.period_ps && t->gate.first_only};
        name = XXH3_64bits_withSeed(who, sizeof who, name);
        if (t->gate.period_ps)
            name = XXH3_64bits_withSeed(
                t->gate.time_ps, t->gate.times * sizeof *t->gate.time_ps, name);
        name = XXH3_64bits_withSeed(&t->weight, sizeof t->weight, name);
        for (uint32_t k = 0; f->planned && k < m->facts->profile.n; k++)
            name = XXH3_64bits_withSeed(&m->facts->profile.link[k].link,
                                        sizeof(uint32_t), name);
    }
    return name ? name : 1;
}

/* A set whose members are what they were goes on as it did. */
static bool goes_on(const struct orr_engine *e, uint32_t n, uint64_t name)
{
    const struct fluid *f = e->pace_state;
    bool all = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_speed *x = &e->speed[f->member[f->of_set[i]].job];
        all &= x->iteration_ns > 0 && x->set == name;
    }
    return all;
}

/* It is never held up: it has no gate, and its links carry what it asks of
 * them. */
static bool is_free(const struct orr_engine *e, const struct orr_member *m)
{
    const struct orr_graph *g = e->cluster.world->graph;
    const struct orr_profile *p = &m->facts->profile;
    if (m->facts->terms.gate.period_ps
        || p->iteration_ps != orr__facts_of(e, m->job)->profile.iteration_ps)
        return false;
    for (uint32_t k = 0; k < p->n; k++)
        if ((double)orr__demand_peak(&p->link[k])
            > ORR_PLAN_TIGHT * (double)g->rate_bps[p->link[k].link])
            return false;
    return true;
}

static int64_t offset_from(const struct orr_engine *e, const struct orr_gate *g)
{
    __int128 off = (__int128)g->offset_ps - (__int128)e->cluster.now_ns * 1000;
    if (!g->period_ps)
        return 0;
    off %= g->period_ps;
    return (int64_t)(off < 0 ? off + g->period_ps : off);
}

/* Members go on from where they are in their iterations. */
static orr_err settle_set(struct orr_engine *e, uint32_t n, uint64_t *work,
                          struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    const struct orr_graph *g = e->cluster.world->graph;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_member *m = &f->member[f->of_set[i]];
        const struct orr_facts *x = m->facts;
        f->job[i] = (struct orr_fluid_job){
            .profile = &x->profile,
            .done_ps = (int64_t)(part_done(e, m->job)
                                 * (double)x->profile.iteration_ps),
            .class = x->terms.class,
            .weight = x->terms.weight,
            .period_ps = x->terms.gate.period_ps,
            .offset_ps = offset_from(e, &x->terms.gate),
            .times = x->terms.gate.times,
            .time_ps = x->terms.gate.time_ps,
            .first_only = x->terms.gate.first_only,
            .end_ps = f->end_ps[i],
            .room = ORR_ENDS + 1,
        };
    }
    orr_err err = orr__solve_fluid(f->job, n, g->rate_bps, g->links, work,
                                   e->interrupt, why);
    for (uint32_t i = 0; !err && i < n; i++)
        err = tell_one(e, i, why);
    return err;
}

/* Each set that is not as it was; a job by itself is at its baseline. *work:
 * what it cost, for the forecast. */
static orr_err settle_sets(struct orr_engine *e, uint32_t n, uint32_t sets,
                           uint64_t *work, struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    orr_err err = ORR_OK;
    for (uint32_t set = 0; !err && set < sets; set++) {
        uint32_t members = gather(f, n, set);
        const struct orr_member *first = &f->member[f->of_set[0]];
        uint64_t name = name_of(f, members);
        if (goes_on(e, members, name))
            continue;
        if (members == 1 && (f->ideal || is_free(e, first)))
            err = pace_unshared(e, first, why);
        else
            err = settle_set(e, members, work, why);
        for (uint32_t i = 0; !err && i < members; i++)
            e->speed[f->member[f->of_set[i]].job].set = name;
    }
    return err;
}

/* With `ideal` each is a set by itself. */
static orr_err split_into_sets(struct orr_engine *e, uint32_t n, uint32_t *sets,
                               struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    if (!f->ideal)
        return orr__job_sets_split(e->cluster.world->graph, f->member, n, false,
                                   sets, why);
    for (uint32_t i = 0; i < n; i++) {
        f->member[i].set = i;
        f->member[i].rival = f->member[i].link = ORR_NONE;
    }
    *sets = n;
    return ORR_OK;
}

/* Paces of all jobs from now on. Plans hold for the jobs that run now, so they
 * are made and freed here. */
static orr_err fluid_settle(struct orr_engine *e, struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    uint32_t n = 0, sets = 0;
    uint64_t work = 0;
    orr_err err = orr__engine_members(e, f->member, &n, why);
    if (!err && leaves_out(e))
        return count_unshared(e, n, why);
    if (!err && f->plans && n)
        err = orr__joint_plan_terms(e, f->member, n, &f->planned, why);
    for (uint32_t i = 0; !err && i < n; i++) /* to part and to name them */
        work += 4 + 4 * f->member[i].facts->profile.n;
    if (!err)
        err = split_into_sets(e, n, &sets, why);
    if (!err)
        err = settle_sets(e, n, sets, &work, why);
    reckon(e, work);
    orr__joint_plan_free(f->planned);
    f->planned = NULL;
    return err;
}

static orr_err fluid_advance(struct orr_engine *e, int64_t until_ns,
                             struct orr_report *why)
{
    struct fluid *f = e->pace_state;
    orr__job_progress_advance(e, &f->progress, until_ns);
    return ORR_OK;
}

const struct orr_pace_ops orr__pace_fluid = {
    .name = "fluid",
    .open = fluid_open,
    .add_job = fluid_add_job,
    .settle = fluid_settle,
    .advance = fluid_advance,
    .teardown = fluid_teardown,
    .close = fluid_close,
};
