/* The pace of jobs, by packets: those that share links are simulated together,
 * and by themselves, until it is known what their iterations take. What was
 * seen before is not simulated again. */
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "cluster/engine.h"
#include "cluster/job_progress.h"
#include "cluster/job_sets.h"
#include "cluster/joint_plan.h"
#include "cluster/known_jobs.h"
#include "cluster/known_sets.h"
#include "cluster/measure.h"
#include "cluster/memo.h"
#include "cluster/packet_tally.h"
#include "cluster/resample.h"
#include "cluster/subset.h"
#include "cluster/tasks.h"
#include "core/memory.h"
#include "experiment/cache.h"
#include "experiment/digest.h"
#include "net/config/config.h"
#include "net/path/path.h"
#include "workload/schedule/schedule.h"

/* State of this pace, owned by its engine. Memo and sets seen are the first
 * replication's, and shared by the others. */
struct sampled {
    struct orr_memo *memo;
    struct orr_known_sets *seen; /* sets of this run, by those who go through it
                                  * again as well */
    struct orr_known_set_job *set_member; /* of a set */
    uint64_t settled; /* names the jobs that it was done for last, on their
                       * GPUs; 0: none */
    uint64_t salt;    /* all that is the same for all constellations */
    bool choosing;    /* ways are not the ones that a job's connections have by
                         themselves */
    bool plans;       /* a schedule chooses them, for all jobs at once */
    bool classes;     /* a schedule gives jobs classes, and no paths */
    struct orr_joint_plans *planned; /* the plan as things are; NULL: none */
    struct orr_outcome **alone;      /* per job of the cluster that runs, on its
                                      * GPUs; else NULL */
    struct orr_job_progress progress;
    struct orr_member *member; /* of those that run */
    uint32_t *new_jobs, n_new; /* jobs that are new on their GPUs */
    struct orr_member **of_set;
    uint64_t *key;                   /* per job that is new */
    struct orr_known_set *sight;     /* per set */
    bool *old;                       /* the same: it was seen before */
    struct orr_task task[ORR_TASKS]; /* to be run */
    uint32_t tasks;
    struct orr_packet_tally tally;
    uint64_t reckoned; /* iterations by the last look at whether it is dear */
};

static bool chooses_paths(const struct orr_world *w)
{
    enum orr_path_kind kind = w->net_config->path;
    return (kind != ORR_PATH_ecmp && kind != ORR_PATH_first)
           || w->scheduler->ops->paths;
}

/* By a plan for all that run. */
static bool plans_paths(const struct orr_world *w)
{
    enum orr_path_kind kind = w->net_config->path;
    return (kind == ORR_PATH_ecmp || kind == ORR_PATH_first)
           && w->scheduler->ops->paths;
}

/* What is remembered means something else since: one more. */
enum { MEMO_VERSION = 2 };

/* A number for all that sets have in common: versions, effective configuration,
 * contents of its files. */
static orr_err find_salt(const struct orr_world *w, uint64_t *salt,
                         struct orr_report *why)
{
    char *text = orr__config_effective(w->config);
    if (!text)
        return orr__no_memory(why);
    *salt = XXH3_64bits_withSeed(ORR_VERSION, sizeof ORR_VERSION,
                                 orr__cache_build() + MEMO_VERSION);
    *salt = XXH3_64bits_withSeed(text, strlen(text), *salt)
            + orr__digest_files(w->config, orr__config_root(w->config),
                                orr__config_folder(w->config));
    orr__free(text);
    return ORR_OK;
}

/* Room for n jobs. */
static bool make_room(struct sampled *s, uint32_t n)
{
    s->alone = orr__alloc(n, sizeof *s->alone);
    bool progress = orr__job_progress_init(&s->progress, n);
    s->member = orr__alloc(n, sizeof *s->member);
    s->new_jobs = orr__alloc(n, sizeof *s->new_jobs);
    s->of_set = orr__alloc(n, sizeof *s->of_set);
    s->key = orr__alloc(n, sizeof *s->key);
    s->old = orr__alloc(n, sizeof *s->old);
    s->set_member = orr__alloc(n, sizeof *s->set_member);
    s->sight = orr__alloc(n, sizeof *s->sight);
    return s->alone && s->member && s->new_jobs && s->of_set && s->key && s->old
           && progress && s->set_member && s->sight;
}

/* Only the first replication opens the memo. A forecast plans nothing and keeps
 * nothing on disk. */
static orr_err sampled_open(struct orr_engine *e, struct orr_report *why)
{
    struct sampled *s = e->pace_state = orr__alloc(1, sizeof *s);
    if (!s || !make_room(s, e->cluster.jobs))
        return orr__no_memory(why);
    s->plans = plans_paths(e->cluster.world);
    s->choosing = chooses_paths(e->cluster.world) && !(s->plans && e->forecast);
    s->plans = s->plans && !e->forecast;
    s->classes = !e->forecast && e->cluster.world->scheduler->ops->only_classes;
    orr_err err = find_salt(e->cluster.world, &s->salt, why);
    if (err)
        return err;
    if (e->first) {
        const struct sampled *first = e->first->pace_state;
        s->memo = first->memo;
        s->seen = first->seen;
        return ORR_OK;
    }
    s->seen = orr__alloc(1, sizeof *s->seen);
    if (!s->seen)
        return orr__no_memory(why);
    char *file = NULL;
    if (e->folder && !e->forecast
        && !(file = orr__format("%s/cluster-%016llx", e->folder,
                                (unsigned long long)s->salt)))
        return orr__no_memory(why);
    err = orr__memo_open(file, &s->memo, why);
    if (!err)
        e->counts.damaged = orr__memo_damaged(s->memo);
    e->cache = file;
    return err;
}

struct orr_known_sets *orr__sampled_sets(const struct orr_engine *e)
{
    return ((struct sampled *)e->pace_state)->seen;
}

/* Of a pace that may be half open. */
static void sampled_close(struct orr_engine *e)
{
    struct sampled *s = e->pace_state;
    if (!s)
        return;
    for (uint32_t i = 0; i < s->tasks; i++)
        orr__task_fini(&s->task[i]);
    orr__joint_plan_free(s->planned);
    if (!e->first) {
        orr__memo_close(s->memo);
        if (s->seen)
            orr__known_sets_fini(s->seen);
        orr__free(s->seen);
    }
    orr__tally_fini(&s->tally);
    orr__free(s->set_member);
    orr__free(s->sight);
    orr__free(s->key);
    orr__free(s->old);
    for (uint32_t i = 0; s->alone && i < e->cluster.jobs; i++)
        orr__free(s->alone[i]);
    orr__free(s->alone);
    orr__job_progress_fini(&s->progress);
    orr__free(s->member);
    orr__free(s->new_jobs);
    orr__free(s->of_set);
    orr__free(s);
}

/* ---- what has to be simulated -------------------------------------------- */

/* Iterations that are simulated until it is known what they take: of a job
 * alone, and of the slowest of several (measured: a mean over sets, which are
 * between 6 and `most`; measure.c says when it looks). */
#define BASELINE_ITERATIONS 5.0
#define SET_ITERATIONS      24.0

/* In place of running it: what its jobs are expected to take comes out. */
static void forecast(struct orr_engine *e, struct orr_task *t)
{
    struct orr_forecast *f = e->forecast;
    const double seconds = f->seconds, hops = f->hops;
    double slowest = 1, network_s = 0;
    double n = fmin(t->jobs == 1 ? BASELINE_ITERATIONS : SET_ITERATIONS,
                    t->measure.most);
    for (uint32_t i = 0; i < t->jobs; i++)
        slowest = fmax(slowest, t->expected_ps[i]);
    for (uint32_t i = 0; i < t->jobs; i++) {
        const struct orr_subset_job *p = &t->part[i];
        uint32_t template = (uint32_t)(p->template - e->cluster.template);
        const struct orr_demand_item *at = orr__demand_store_find(
            &e->store, orr__demand_store_key(template, p->gpu, p->gpus));
        double iterations = n * slowest / fmax(t->expected_ps[i], 1);
        t->out[i] = (struct orr_outcome){
            .iteration_ps = t->expected_ps[i],
            .iterations = (uint32_t)fmin(iterations, 1e6),
            .settled = true,
        };
        if (!at)
            continue;
        network_s = fmax(network_s, at->cost.network_s);
        orr__forecast_add(f, &at->cost, iterations);
    }
    f->seconds += network_s;
    if (t->jobs == 1)
        return;
    f->sets.seconds += f->seconds - seconds;
    f->sets.hops += f->hops - hops;
}

/* Runs what waits, and keeps what came of it. */
static orr_err run_waiting(struct orr_engine *e, struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; e->forecast && i < s->tasks; i++)
        forecast(e, &s->task[i]);
    if (!e->forecast)
        orr__tasks_run(s->task, s->tasks, e->threads);
    for (uint32_t i = 0; i < s->tasks; i++) {
        struct orr_task *t = &s->task[i];
        if (!err && t->err) {
            err = t->err;
            if (why && why->code == ORR_OK)
                *why = t->why;
        }
        if (!err)
            err = orr__tally_task(&s->tally, e, t, why);
        if (!err)
            err = orr__memo_add(s->memo, t->key, t->jobs, t->out, why);
        orr__task_fini(t);
    }
    s->tasks = 0;
    return err;
}

/* One more that has to be run, of so many jobs: *out, whose parts and expected
 * times the caller fills. Each thread has two of them to do at most before what
 * came of them is kept. */
static orr_err add_task(struct orr_engine *e, uint64_t key, uint32_t jobs,
                        uint32_t most, struct orr_task **out,
                        struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    uint32_t full = e->threads < ORR_TASKS / 2 ? 2 * e->threads : ORR_TASKS;
    orr_err err = s->tasks >= full ? run_waiting(e, why) : ORR_OK;
    if (err)
        return err;
    struct orr_task *t = *out = &s->task[s->tasks++];
    *t = (struct orr_task){
        .key = key,
        .cluster = &e->cluster,
        .part = orr__alloc(jobs, sizeof *t->part),
        .jobs = jobs,
        .expected_ps = orr__alloc(jobs, sizeof *t->expected_ps),
        .out = orr__alloc(jobs, sizeof *t->out),
    };
    t->measure = (struct orr_measure){.error = e->settings.error,
                                      .most = most,
                                      .expected_ps = t->expected_ps,
                                      .interrupt = e->interrupt};
    return t->part && t->expected_ps && t->out ? ORR_OK : orr__no_memory(why);
}

/* Whether a constellation was seen before; one that waits to be run is run now,
 * so that what is remembered does not depend on the number of threads. */
static orr_err recall(struct orr_engine *e, uint64_t key, uint32_t n, bool *old,
                      struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < s->tasks; i++)
        if (s->task[i].key == key)
            err = run_waiting(e, why);
    *old = orr__memo_has(s->memo, key, n);
    e->counts.constellations++;
    e->counts.remembered += *old;
    e->counts.kept += *old && orr__memo_kept(s->memo, key);
    if (!err && *old)
        err = orr__tally_known(&s->tally, e, s->memo, key, n, why);
    return err;
}

/* ---- alone --------------------------------------------------------------- */

/* What an iteration takes at least, as a first guess: as long as it is not
 * known, a second; then the measure finds out. */
static double guess_iteration(const struct orr_facts *f)
{
    return f->unknown ? 1e12 : (double)f->profile.iteration_ps;
}

/* The task of finding out what a job takes alone on its GPUs. */
static orr_err ask_for_baseline(struct orr_engine *e, uint32_t job,
                                uint64_t key, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    struct orr_task *t;
    orr_err err = add_task(e, key, 1, (uint32_t)e->settings.most, &t, why);
    if (err)
        return err;
    t->alone = true;
    *t->expected_ps = guess_iteration(orr__facts_of(e, job));
    *t->part = orr__subset_job(c, job, c->job[job].gpu);
    t->part->iterations = orr__subset_iterations(&t->measure, 1, 0);
    return ORR_OK;
}

/* A job that is new on its GPUs: what it takes alone is to be found out. */
static orr_err sampled_add_job(struct orr_engine *e, uint32_t job,
                               struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    const struct orr_member self = {.job = job, .facts = orr__facts_of(e, job)};
    const struct orr_member *list = &self;
    uint64_t *key = &s->key[s->n_new];
    bool old;
    s->new_jobs[s->n_new++] = job;
    orr_err err = orr__job_sets_key(&e->cluster, &list, 1, s->choosing, s->salt,
                                    key, why);
    if (!err)
        err = recall(e, *key, 1, &old, why);
    return err || old ? err : ask_for_baseline(e, job, *key, why);
}

/* Finds it out, of all that were met. */
static orr_err settle_baselines(struct orr_engine *e, struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    orr_err err = run_waiting(e, why);
    for (uint32_t i = 0; !err && i < s->n_new; i++) {
        struct orr_outcome **o = &s->alone[s->new_jobs[i]];
        if (!*o && !(*o = orr__alloc(1, sizeof **o)))
            err = orr__no_memory(why);
        else
            orr__memo_find(s->memo, s->key[i], 1, *o);
    }
    s->n_new = 0;
    return err;
}

/* ---- together ------------------------------------------------------------ */

/* ns until it begins an iteration: the one that it is in the middle of is not
 * simulated again, and ends when it would have. */
static double time_to_next(const struct orr_engine *e, uint32_t job)
{
    const struct sampled *s = e->pace_state;
    if (e->speed[job].iteration_ns > 0)
        return orr__progress_until_next(s->progress.of[job], e->cluster.now_ns);
    double done = orr__cluster_done(&e->cluster.job[job]);
    return (ceil(done) - done) * s->alone[job]->iteration_ps / 1000;
}

/* When members of a set, which of_set holds, begin, after the first of them
 * that does, in `phases` of an iteration. Returns when that is, ns from now. */
static double set_phases(struct orr_engine *e, uint32_t n)
{
    const struct sampled *s = e->pace_state;
    double first = INFINITY, phases = (double)e->settings.phases;
    for (uint32_t i = 0; i < n; i++)
        first = fmin(first, time_to_next(e, s->of_set[i]->job));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t job = s->of_set[i]->job;
        double part =
            (time_to_next(e, job) - first) * 1000 / s->alone[job]->iteration_ps;
        double at = e->first ? orr__resample_shift(e, job) : 0.5;
        s->of_set[i]->phase = (uint32_t)(part * phases + at);
    }
    return first;
}

/* ns from the first beginning of its set to its own. */
static double begin_of(const struct orr_engine *e, const struct orr_member *m)
{
    const struct sampled *s = e->pace_state;
    return s->alone[m->job]->iteration_ps / 1000 * m->phase
           / (double)e->settings.phases;
}

/* The jobs of a set, which of_set holds. */
static void fill_set(const struct orr_engine *e, struct orr_task *t)
{
    const struct sampled *s = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < t->jobs; i++)
        t->expected_ps[i] = s->alone[s->of_set[i]->job]->iteration_ps;
    t->planned = s->planned;
    for (uint32_t i = 0; i < t->jobs; i++) {
        if (t->place)
            t->place[i] = (uint32_t)(s->of_set[i] - s->member);
        uint32_t job = s->of_set[i]->job;
        struct orr_subset_job *p = &t->part[i];
        *p = orr__subset_job(c, job, c->job[job].gpu);
        p->iterations = orr__subset_iterations(&t->measure, t->jobs, i);
        p->start_ps = (int64_t)(begin_of(e, s->of_set[i]) * 1000);
        for (uint32_t k = 0; k < i; k++) /* equal jobs, equal GPUs */
            p->number += t->part[k].number == p->number;
    }
}

/* ns that a job still has to do, by itself. */
static double work_left(const struct orr_engine *e, uint32_t job)
{
    const struct sampled *s = e->pace_state;
    const struct orr_cluster_job *j = &e->cluster.job[job];
    if (j->iterations <= 0)
        return (double)j->is.duration_ns;
    return (j->iterations - j->done) * s->alone[job]->iteration_ps / 1000
           / orr__cluster_scale(j);
}

/* Iterations of the slowest of a set, which of_set holds, that are worth being
 * simulated: a set ends with the first of its members, and those that it does
 * not live to see need not be known. In steps, so that sets are met again. */
static uint32_t iterations_worth(const struct orr_engine *e, uint32_t n)
{
    const struct sampled *s = e->pace_state;
    double left = INFINITY, slowest = 1;
    uint32_t most = (uint32_t)e->settings.most, worth = 8;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t job = s->of_set[i]->job;
        left = fmin(left, work_left(e, job));
        slowest = fmax(slowest, s->alone[job]->iteration_ps / 1000);
    }
    while (worth < most && worth < left / slowest)
        worth *= 2;
    return worth < most ? worth : most;
}

/* In the order in which a set is named: template, size, GPUs. */
static int before(const struct orr_cluster *c, const struct orr_member *a,
                  const struct orr_member *b)
{
    const struct orr_arrival *x = &c->job[a->job].is, *y = &c->job[b->job].is;
    if (x->template != y->template)
        return x->template <y->template;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus;
    return a->job < b->job;
}

/* The members of one set, by before(): an order that depends on what they are,
 * so that equal sets have equal keys. */
static uint32_t gather(struct orr_engine *e, uint32_t n, uint32_t set)
{
    struct sampled *s = e->pace_state;
    uint32_t members = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->member[i].set != set)
            continue;
        uint32_t at = members++;
        for (; at > 0 && before(&e->cluster, &s->member[i], s->of_set[at - 1]);
             at--)
            s->of_set[at] = s->of_set[at - 1];
        s->of_set[at] = &s->member[i];
    }
    return members;
}

/* begin_ns: until it begins an iteration, the first one of `lead`; NULL: that
 * is as long as its pace says, and so it goes on. */
static orr_err set_sampled_pace(struct orr_engine *e,
                                const struct orr_member *m,
                                const struct orr_outcome *o, bool remembered,
                                double begin_ns, const struct orr_outcome *lead,
                                struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    const struct orr_outcome *alone = s->alone[m->job];
    const struct orr_iteration_progress progress = orr__progress(
        e->cluster.now_ns, orr__cluster_done(&e->cluster.job[m->job]), begin_ns,
        o->iteration_ps / 1000, lead);
    e->speed[m->job] = (struct orr_speed){
        .iteration_ns = o->iteration_ps / 1000,
        .steady_ns = o->iteration_ps / 1000,
        .half = o->half,
        .baseline_ns = alone->iteration_ps / 1000,
        .compute_ns = o->compute_ps / 1000,
        .marks = o->marks,
        .resent = o->resent,
        .known = remembered ? ORR_KNOWN_REMEMBERED : ORR_KNOWN_SIMULATED,
        .settled = o->settled,
        .rival = m->rival,
        .link = m->link,
    };
    return orr__job_progress_set(&s->progress, m->job, &progress, why);
}

/* Whether jobs may meet where their own ways do not. */
static bool is_open(const struct sampled *s)
{
    return s->choosing && !s->planned;
}

/* The names of a set, which of_set holds. */
static orr_err name_set(struct orr_engine *e, uint32_t n, uint32_t most,
                        struct orr_known_set *out, struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    bool all = most == (uint32_t)e->settings.most;
    set_phases(e, n);
    orr_err err = orr__job_sets_key(&e->cluster,
                                    (const struct orr_member *const *)s->of_set,
                                    n, is_open(s), 0, &out->name, why);
    out->key = XXH3_64bits_withSeed(&out->name, sizeof out->name,
                                    all ? s->salt : s->salt + most);
    if (!err)
        err = orr__resample_name(&e->cluster, s->of_set, n, is_open(s), s->salt,
                                 out, why);
    return err;
}

/* It is one of those that this run knows from now on. */
static orr_err note_sight(struct orr_engine *e,
                          const struct orr_known_set *sight,
                          struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    if (orr__known_sets_has(s->seen, sight->key))
        return ORR_OK;
    for (uint32_t i = 0; i < sight->n; i++) {
        uint32_t job = s->of_set[i]->job;
        s->set_member[i] = (struct orr_known_set_job){
            .template = e->cluster.job[job].is.template,
            .baseline_ps = s->alone[job]->iteration_ps};
    }
    return orr__known_sets_add(s->seen, sight, s->set_member, why);
}

/* A set, which of_set holds, unless it was seen before, or enough like it. */
static orr_err ask_for_set(struct orr_engine *e, uint32_t n,
                           struct orr_known_set *sight, bool *old,
                           struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    uint32_t most = iterations_worth(e, n);
    struct orr_task *t;
    orr_err err = name_set(e, n, most, sight, why);
    *old = !err && e->first && !orr__known_sets_has(s->seen, sight->key)
           && orr__resample_enough(s->seen, sight);
    if (err || *old)
        return err;
    err = note_sight(e, sight, why);
    if (!err)
        err = recall(e, sight->key, n, old, why);
    if (err || *old)
        return err;
    err = add_task(e, sight->key, n, most, &t, why);
    if (!err && s->planned && !(t->place = orr__alloc(n, sizeof *t->place)))
        err = orr__no_memory(why);
    if (!err)
        fill_set(e, t);
    return err;
}

/* A plan may have other ways for a job than it has by itself. */
static bool is_unshared(const struct sampled *s, uint32_t n)
{
    return n == 1 && !s->planned;
}

/* Whatever it does from now on, others cost it nothing. */
static orr_err pace_unshared(struct orr_engine *e, const struct orr_member *m,
                             struct orr_report *why)
{
    const struct sampled *s = e->pace_state;
    const struct orr_outcome *o = s->alone[m->job];
    double done = orr__cluster_done(&e->cluster.job[m->job]);
    return set_sampled_pace(e, m, o, false,
                            (ceil(done) - done) * o->iteration_ps / 1000, NULL,
                            why);
}

/* What is known of a set by now; one of a single job is what it is alone. */
static orr_err answer(struct orr_engine *e, uint32_t n,
                      const struct orr_known_set *sight, bool old,
                      struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    if (is_unshared(s, n))
        return pace_unshared(e, s->of_set[0], why);
    struct orr_outcome *out = orr__alloc(n, sizeof *out);
    if (!out)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++)
        out[i] = *s->alone[s->of_set[i]->job];
    orr_err err = ORR_OK;
    if (e->first)
        err =
            orr__resample_draw(e, s->seen, s->memo, sight, s->of_set, out, why);
    else
        orr__memo_find(s->memo, sight->key, n, out);
    double first = set_phases(e, n);
    for (uint32_t i = 0; !err && i < n; i++)
        err = set_sampled_pace(e, s->of_set[i], &out[i], old,
                               first + begin_of(e, s->of_set[i]), &out[i], why);
    orr__free(out);
    return err;
}

/* Of the jobs that are in it, and of what a plan has for them. */
static uint64_t name_of(const struct sampled *s, uint32_t n)
{
    uint64_t name = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_member *m = s->of_set[i];
        const struct orr_job_paths *t = &m->facts->paths;
        const uint32_t who[] = {m->job, m->class};
        name = XXH3_64bits_withSeed(who, sizeof who, name);
        if (s->planned)
            name = XXH3_64bits_withSeed(t->link, t->n * sizeof *t->link, name);
    }
    return name;
}

/* A set whose members are what they were goes on as it did: what is known of
 * its iterations is known of those to come. */
static bool goes_on(const struct orr_engine *e, uint32_t n, uint64_t name)
{
    const struct sampled *s = e->pace_state;
    bool all = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_speed *x = &e->speed[s->of_set[i]->job];
        all &= x->iteration_ns > 0 && x->set == name;
    }
    return all;
}

/* Asks about all sets that are new, then tells all. */
static orr_err settle_sets(struct orr_engine *e, uint32_t n, uint32_t sets,
                           struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    orr_err err = ORR_OK;
    for (uint32_t set = 0; !err && set < sets; set++) {
        uint32_t members = gather(e, n, set);
        if (!is_unshared(s, members)
            && !goes_on(e, members, name_of(s, members)))
            err = ask_for_set(e, members, &s->sight[set], &s->old[set], why);
    }
    if (!err)
        err = run_waiting(e, why);
    for (uint32_t set = 0; !err && set < sets; set++) {
        uint32_t members = gather(e, n, set);
        uint64_t name = name_of(s, members);
        if (goes_on(e, members, name))
            continue;
        err = answer(e, members, &s->sight[set], s->old[set], why);
        for (uint32_t i = 0; !err && i < members; i++)
            e->speed[s->of_set[i]->job].set = name;
    }
    return err;
}

/* One plan for all, unless the schedule makes none that sets can share. */
static orr_err plan_set(struct orr_engine *e, uint32_t n,
                        struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    if (s->classes && n > 1)
        return orr__joint_plan_classes(e, s->member, n, why);
    if (!s->plans || n == 0)
        return ORR_OK;
    orr_err err = orr__joint_plan_new(e, s->member, n, &s->planned, why);
    s->plans = err || s->planned;
    return err;
}

/* Of all members, and their GPUs; 0: of some nothing is known. */
static uint64_t name_of_all(const struct orr_engine *e, uint32_t n)
{
    const struct sampled *s = e->pace_state;
    uint64_t name = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t job = s->member[i].job;
        const struct orr_cluster_job *j = &e->cluster.job[job];
        name = XXH3_64bits_withSeed(&job, sizeof job, name);
        name = XXH3_64bits_withSeed(j->gpu, j->is.gpus * sizeof *j->gpu, name);
        if (e->speed[job].iteration_ns <= 0)
            return 0;
    }
    return name;
}

/* Iterations of all jobs; those of which that is not known yet are as long as
 * the others. 0: nothing is known. */
static double all_iterations(const struct orr_cluster *c)
{
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t i = 0; i < c->jobs; i++)
        if (c->job[i].iterations > 0) {
            sum += c->job[i].iterations;
            known++;
        }
    return known ? sum / known * c->jobs : 0;
}

/* Picoseconds end after 53 days: with room for what jobs lose to one another.
 */
#define LATEST (20 * 24 * INT64_C(3600000000000))

/* Of fewer jobs all is cheap, and what few sets cost says little. */
enum { CROWD = 8 };

/* Sets do not become steady, and more was simulated than all packets take: they
 * are simulated instead. What came from the cache counts as well, so that this
 * does not depend on it. */
static bool is_dear(const struct orr_engine *e)
{
    struct sampled *s = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    double longest = 0, last = 0;
    if (e->settings.goes_on || c->jobs < CROWD || e->forecast || e->first
        || c->world->scheduler->ops->baseline || !e->counts.unsettled
        || e->counts.reckoned == s->reckoned)
        return false;
    s->reckoned = e->counts.reckoned;
    double all = all_iterations(c);
    if (!(all > 0) || (double)e->counts.reckoned <= all)
        return false;
    for (uint32_t i = 0; i < c->jobs; i++) {
        const struct orr_cluster_job *j = &c->job[i];
        last = fmax(last, (double)j->is.at_ns);
        longest += fmax(j->iterations * fmax(j->baseline_ns, j->guess_ns),
                        (double)j->is.duration_ns);
    }
    return last + longest < (double)LATEST;
}

/* Paces from now on: first of each job by itself, then of each set. Nothing to
 * do if the jobs that run are those of the last time. */
static orr_err sampled_settle(struct orr_engine *e, struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    uint32_t n = 0, sets = 0;
    orr_err err = orr__engine_members(e, s->member, &n, why);
    uint64_t name = err ? 0 : name_of_all(e, n);
    if (!err && name && name == s->settled) /* who came has to wait */
        return ORR_OK;
    if (!err)
        err = settle_baselines(e, why);
    if (!err)
        err = plan_set(e, n, why);
    if (!err)
        err = orr__job_sets_split(c->world->graph, s->member, n, is_open(s),
                                  &sets, why);
    if (!err)
        err = settle_sets(e, n, sets, why);
    e->dear = !err && is_dear(e);
    s->settled = err ? 0 : name_of_all(e, n);
    orr__joint_plan_free(s->planned);
    s->planned = NULL;
    return err;
}

/* ---- time goes on -------------------------------------------------------- */

static orr_err sampled_advance(struct orr_engine *e, int64_t until_ns,
                               struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    orr__job_progress_advance(e, &s->progress, until_ns);
    return ORR_OK;
}

static orr_err sampled_teardown(struct orr_engine *e, uint32_t job,
                                struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    orr__job_progress_drop(&s->progress, job);
    orr__free(s->alone[job]);
    s->alone[job] = NULL;
    return ORR_OK;
}

const struct orr_pace_ops orr__pace_sampled = {
    .name = "sampled",
    .open = sampled_open,
    .add_job = sampled_add_job,
    .settle = sampled_settle,
    .advance = sampled_advance,
    .teardown = sampled_teardown,
    .close = sampled_close,
};
