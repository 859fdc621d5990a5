#include "cluster/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/contention.h"
#include "cluster/known_jobs.h"
#include "cluster/resize.h"
#include "cluster/schedule_names.h"
#include "cluster/stuck.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/thread_pool.h"
#include "core/units.h"
#include "experiment/cache.h"
#include "formats/jobs/jobs.h"
#include "workload/cluster/arrivals.h"
#include "workload/cluster/queue/queue.h"
#include "workload/repeat/repeat.h"

/* ---- making -------------------------------------------------------------- */

/* Before a job runs: for policies that order by what it is expected to take. */
static orr_err guess_all(struct orr_engine *e, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < c->jobs; i++)
        err = orr__engine_baseline(e, c->job[i].is.template, c->job[i].is.gpus,
                                   &c->job[i].guess_ns, why);
    return err;
}

/* What templates say is tried before anything runs, so that it is refused where
 * it stands. */
static orr_err try_templates(struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < c->templates; i++) {
        const struct orr_template *t = &c->template[i];
        uint32_t n = t->sizes ? t->sizes : t->n_gpus;
        for (uint32_t k = 0; !err && k < n; k++) {
            double ignored;
            err = orr__engine_baseline(e, i, t->sizes ? t->size[k] : t->gpus[k],
                                       &ignored, why);
        }
    }
    return err;
}

/* What the engine has per job. */
static orr_err make_room(struct orr_engine *e, struct orr_report *why)
{
    uint32_t n = e->cluster.jobs;
    e->speed = orr__alloc(n, sizeof *e->speed);
    e->open = orr__alloc(n, sizeof *e->open);
    e->left = orr__alloc(n, sizeof *e->left);
    e->known = orr__alloc(n, sizeof *e->known);
    e->held = orr__alloc(n, sizeof *e->held);
    e->contention = orr__contention_log_new(e);
    if (!e->speed || !e->open || !e->left || !e->known || !e->held
        || !e->contention)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++)
        e->speed[i] = (struct orr_speed){.rival = ORR_NONE, .link = ORR_NONE};
    return ORR_OK;
}

orr_err orr__engine_new(struct orr_world *w, const struct orr_yaml *cluster,
                        struct orr_engine **out, struct orr_report *why)
{
    static const struct orr_pace_ops *const paces[] = {
        [ORR_ACCURACY_SAMPLED] = &orr__pace_sampled,
        [ORR_ACCURACY_PACKETS] = &orr__pace_packets,
        [ORR_ACCURACY_FLUID] = &orr__pace_fluid,
    };
    struct orr_engine *e = *out = orr__alloc(1, sizeof *e);
    if (!e)
        return orr__no_memory(why);
    orr_err err = orr__cluster_read(w, cluster, &e->cluster, &e->settings, why);
    e->node = cluster;
    e->cluster.formats = orr__job_trace_formats();
    if (!err && orr__repeat_error(w) > 0)
        e->settings.error = orr__repeat_error(w);
    if (!err)
        err = try_templates(e, why);
    if (!err)
        err = orr__cluster_jobs(&e->cluster, orr__engine_baseline, e, why);
    if (!err)
        err = orr__changes_requested(&e->cluster, &e->settings, why);
    if (!err)
        err = orr__cluster_names(&e->cluster, why);
    if (!err)
        err = guess_all(e, why);
    if (!err)
        err = make_room(e, why);
    e->pace = paces[e->settings.accuracy];
    if (!err && !e->pace)
        err = orr__yaml_fail(w->config, orr__yaml_get(cluster, "accuracy"), why,
                             "accuracy: packets: not for clusters yet");
    return err;
}

void orr__engine_free(struct orr_engine *e)
{
    if (!e)
        return;
    if (e->pace_state)
        e->pace->close(e);
    orr__demand_store_fini(&e->store);
    orr__table_fini(&e->silent);
    orr__table_fini(&e->guesses);
    orr__free(e->guess);
    orr__table_fini(&e->scores.by_scene);
    orr__free(e->scores.score);
    orr__free(e->known);
    orr__cluster_fini(&e->cluster);
    orr__free(e->speed);
    orr__free(e->open);
    orr__free(e->left);
    orr__free(e->stretch);
    orr__free(e->epoch);
    orr__free(e->holding);
    orr__free(e->delay);
    orr__free(e->held);
    orr__contention_log_free(e->contention);
    orr__free(e->folder);
    orr__free(e->cache);
    orr__free(e);
}

/* ---- events -------------------------------------------------------------- */

static void take_arrivals(struct orr_engine *e)
{
    struct orr_cluster *c = &e->cluster;
    while (e->arrived < c->jobs && c->job[e->arrived].is.at_ns <= c->now_ns) {
        c->job[e->arrived].since_ns = c->job[e->arrived].is.at_ns;
        orr__cluster_set_state(c, e->arrived++, ORR_CLUSTER_WAITING);
    }
}

static bool has_gpu_out(const struct orr_cluster *c,
                        const struct orr_cluster_job *j)
{
    for (uint32_t r = 0; r < j->is.gpus; r++)
        if (c->inventory.out[j->gpu[r]])
            return true;
    return false;
}

/* Whole iterations that it has done; those of an elastic job count as they were
 * when it did them. */
static double iterations_ended(const struct orr_cluster_job *j)
{
    double scale = orr__cluster_scale(j);
    if (scale == 1)
        return floor(j->done);
    return j->done_since + scale * floor((j->done - j->done_since) / scale);
}

/* Jobs on servers that are out lose their GPUs. What they have done is not
 * lost: a checkpoint is taken after each iteration. */
static orr_err drive_out(struct orr_engine *e, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = c->n_running; !err && i-- > 0;) {
        uint32_t job = c->running[i];
        struct orr_cluster_job *j = &c->job[job];
        if (!has_gpu_out(c, j))
            continue;
        j->done = iterations_ended(j);
        j->restarted++;
        if (e->settings.fails)
            j->failed = "a server of its GPUs failed";
        err = orr__engine_take(
            e, job,
            e->settings.fails ? ORR_CLUSTER_FAILED : ORR_CLUSTER_WAITING, why);
    }
    return err;
}

/* Which servers are out now. */
static orr_err fail_servers(struct orr_engine *e, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_settings *s = &e->settings;
    if (!s->outages)
        return ORR_OK;
    memset(c->inventory.out, 0, c->inventory.gpus * sizeof *c->inventory.out);
    for (uint32_t i = 0; i < s->outages; i++) {
        const struct orr_server_outage *o = &s->outage[i];
        if (o->at_ns > c->now_ns || o->until_ns <= c->now_ns)
            continue;
        for (uint32_t g = 0; g < c->inventory.gpus; g++)
            c->inventory.out[g] |= c->inventory.server[g] == o->server;
    }
    return drive_out(e, why);
}

static int64_t earlier_of(int64_t at, int64_t now, int64_t next)
{
    return at > now && at < next ? at : next;
}

/* When something happens that is neither the end of a job nor a look at the
 * queue. */
static int64_t next_cause(const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_settings *s = &e->settings;
    int64_t now = c->now_ns, next = s->end_ns;
    if (e->arrived < c->jobs)
        next = earlier_of(c->job[e->arrived].is.at_ns, now, next);
    for (uint32_t i = 0; i < s->outages; i++) {
        next = earlier_of(s->outage[i].at_ns, now, next);
        next = earlier_of(s->outage[i].until_ns, now, next);
    }
    for (uint32_t i = 0; i < c->n_running; i++)
        next = earlier_of(c->job[c->running[i]].ready_ns, now, next);
    next = earlier_of(orr__resize_next(e), now, next);
    return earlier_of(orr__engine_delayed_until(e), now, next);
}

/* ---- time goes on -------------------------------------------------------- */

/* When a job is done at its pace; INT64_MAX: it has none yet. */
static int64_t end_of(const struct orr_engine *e, uint32_t job)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_job *j = &c->job[job];
    double pace = e->speed[job].iteration_ns;
    if (!orr__is_ready(c, j) || pace <= 0)
        return INT64_MAX;
    double left =
        ceil((j->iterations - j->done) * pace / orr__cluster_scale(j));
    if (left >= (double)(INT64_MAX - c->now_ns))
        return INT64_MAX;
    return c->now_ns + (left > 0 ? (int64_t)left : 0);
}

/* Without packets: all that run go on at their pace, until one is done. */
static void go_on_at_pace(struct orr_engine *e, int64_t until_ns)
{
    struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < c->n_running; i++) {
        int64_t end = end_of(e, c->running[i]);
        until_ns = end < until_ns ? end : until_ns;
    }
    for (uint32_t i = 0; i < c->n_running; i++) {
        uint32_t job = c->running[i];
        struct orr_cluster_job *j = &c->job[job];
        int64_t end = end_of(e, job);
        if (end <= until_ns)
            j->done = j->iterations;
        else if (end != INT64_MAX)
            j->done += orr__cluster_scale(j) * (double)(until_ns - c->now_ns)
                       / e->speed[job].iteration_ns;
    }
    ORR_ASSERT(until_ns >= c->now_ns); /* time never goes back */
    c->now_ns = until_ns;
}

/* Those that have done all. */
static orr_err finish_jobs(struct orr_engine *e, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = c->n_running; !err && i-- > 0;) {
        const struct orr_cluster_job *j = &c->job[c->running[i]];
        if (j->iterations > 0 && j->done >= j->iterations)
            err = orr__engine_take(e, c->running[i], ORR_CLUSTER_DONE, why);
    }
    return err;
}

/* What an iteration of the size that a job asked for takes alone: as its pace
 * says once it runs, the first time that an elastic one has that size; until
 * then what was worked out of such. */
static void learn_baseline(const struct orr_cluster *c,
                           struct orr_cluster_job *j, double found_ns)
{
    bool guessed = orr__cluster_elastic(c, j)
                   && (j->baseline_ns <= 0 || j->baseline_ns == j->guess_ns);
    if (guessed)
        j->baseline_ns = j->guess_ns;
    if (guessed && (found_ns <= 0 || j->is.gpus != orr__cluster_asked(j)))
        return;
    if ((guessed || j->baseline_ns <= 0) && found_ns > 0)
        j->baseline_ns = found_ns;
}

/* What is known now of those that run: how many iterations a job is that was
 * given by the time that it takes alone, and what is left. */
static void learn_paces(struct orr_engine *e)
{
    struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < c->n_running; i++) {
        struct orr_cluster_job *j = &c->job[c->running[i]];
        const struct orr_speed *s = &e->speed[c->running[i]];
        j->iteration_ns = s->steady_ns > 0 ? s->steady_ns : s->iteration_ns;
        learn_baseline(c, j, s->baseline_ns);
        if (j->iterations <= 0 && j->baseline_ns > 0)
            j->iterations = orr__cluster_iterations(j, j->baseline_ns);
    }
}

/* What must be so between two events, whatever came about: every job is
 * somewhere, and every GPU is had as often as jobs say that they have it. */
static void check_state(const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_inventory *v = &c->inventory;
    uint64_t had = 0, given = 0;
    for (uint32_t g = 0; g < v->gpus; g++) {
        ORR_ASSERT(v->taken[g] <= v->share);
        had += v->taken[g];
    }
    for (uint32_t i = 0; i < c->n_running; i++) {
        const struct orr_cluster_job *j = &c->job[c->running[i]];
        ORR_ASSERT(j->state == ORR_CLUSTER_RUNNING && j->gpu);
        ORR_ASSERT(j->is.at_ns <= j->first_ns && j->first_ns <= c->now_ns);
        ORR_ASSERT(j->done >= 0);
        ORR_ASSERT(j->iterations <= 0 || j->done <= j->iterations);
        for (uint32_t r = 0; r < j->is.gpus; r++)
            ORR_ASSERT(j->gpu[r] < v->gpus && v->taken[j->gpu[r]] > 0);
        given += j->is.gpus;
    }
    for (uint32_t i = 0; i < c->n_waiting; i++) {
        ORR_ASSERT(c->waiting[i] < e->arrived);
        ORR_ASSERT(!c->job[c->waiting[i]].gpu);
    }
    ORR_ASSERT(had == given);
    ORR_ASSERT(e->ended + c->n_waiting + c->n_running == e->arrived);
    (void)had;
    (void)given;
}

/* Everything that is due at this moment. *changed: somebody has other
 * GPUs than before. */
static orr_err settle_moment(struct orr_engine *e, bool *changed,
                             struct orr_report *why)
{
    orr__engine_delay_over(e);
    orr_err err = fail_servers(e, why);
    take_arrivals(e);
    if (!err)
        err = orr__engine_assign(e, changed, why);
    if (!err)
        err = e->pace->settle(e, why);
    learn_paces(e);
    if (!err)
        check_state(e);
    return err ? err : orr__engine_note(e, why);
}

/* Jobs are at work, and nothing happens before time ends. */
static orr_err too_late(const struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    uint32_t job = c->running[0];
    ORR_ASSERT(c->n_running > 0);
    return orr__fail(why, ORR_ERUN,
                     "job %s would take longer than the 292 years of a "
                     "cluster, at %.4g s an iteration",
                     c->job[job].is.name, e->speed[job].iteration_ns / 1e9);
}

/* Looks at the queue in a row that lead nowhere: that is how it stays. */
enum { MOST_BARREN = 1000 };

/* Whether one that runs has done something since it has its GPUs. */
static bool gets_on(const struct orr_cluster *c)
{
    for (uint32_t i = 0; i < c->n_running; i++)
        if (c->job[c->running[i]].done > c->job[c->running[i]].done_since)
            return true;
    return false;
}

/* GPUs have changed hands so often without anything being done. */
static orr_err no_progress(const struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    uint32_t most = 0;
    for (uint32_t i = 0; i < e->arrived; i++)
        if (c->job[i].preempted > c->job[most].preempted)
            most = i;
    return orr__fail(
        why, ORR_ERUN,
        "jobs preempt one another without progress: %s has lost its GPUs %u "
        "times (does a start cost more than a lease, or an iteration?)",
        c->job[most].is.name, c->job[most].preempted);
}

/* Where time goes on for nothing but looks at the queue: none of those that
 * run would be done before time ends, or none of them gets on. */
static orr_err check_rechecks(struct orr_engine *e, bool got_on, bool changed,
                              struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    bool looked = e->recheck_ns == c->now_ns, never = c->n_running > 0;
    for (uint32_t i = 0; never && i < c->n_running; i++)
        never = orr__is_ready(c, &c->job[c->running[i]])
                && end_of(e, c->running[i]) == INT64_MAX;
    if (!looked || (changed ? got_on : !never)) {
        e->barren = 0;
        return ORR_OK;
    }
    if (++e->barren <= MOST_BARREN)
        return ORR_OK;
    return changed ? no_progress(e, why) : too_late(e, why);
}

/* When something happens that is not the end of a job. */
static int64_t next_event(struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    int64_t next = next_cause(e), recheck = INT64_MAX;
    if (c->queue->recheck_ns)
        recheck = earlier_of(c->queue->recheck_ns(c, c->queue_params),
                             c->now_ns, INT64_MAX);
    e->recheck_ns = recheck < next ? recheck : -1;
    return recheck < next ? recheck : next;
}

/* From one event to the next. *over: there is no other. */
static orr_err step_event(struct orr_engine *e, bool *over,
                          struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    bool changed = false, got_on = gets_on(c);
    orr_err err = settle_moment(e, &changed, why);
    if (!err)
        err = check_rechecks(e, got_on, changed, why);
    int64_t next = next_event(e);
    *over = e->ended == c->jobs || c->now_ns >= e->settings.end_ns;
    if (err || *over)
        return err;
    if (next == INT64_MAX && !c->n_running) {
        *over = true;
        e->quiet = c->n_waiting > 0;
        err = orr__stuck_give_up(e, why);
        orr_err late = orr__engine_note(e, why);
        return err ? err : late;
    }
    if (e->pace->advance)
        err = e->pace->advance(e, next, why);
    else
        go_on_at_pace(e, next);
    if (!err && c->now_ns == INT64_MAX)
        return too_late(e, why);
    return err ? err : finish_jobs(e, why);
}

orr_err orr__engine_run(struct orr_engine *e, const struct orr_engine_user *u,
                        struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    bool over = c->jobs == 0;
    e->interrupt = u->interrupt;
    e->threads =
        u->threads == ORR_THREADS_AUTO ? orr__processors() : u->threads;
    e->threads = e->threads ? e->threads : 1;
    orr_err err = orr__cache_folder(&e->folder, why);
    if (!err)
        err = e->pace->open(e, why);
    if (!err && c->jobs)
        e->cluster.now_ns = 0;
    while (!err && !over) {
        err = step_event(e, &over, why);
        over = over || e->dear;
        if (u->tell)
            u->tell(u->arg, (double)e->ended / c->jobs, e->counts.packet_hops);
        if (!err && u->interrupt && *u->interrupt)
            err = orr__fail(why, ORR_EINTERRUPTED, "interrupted");
    }
    orr_err late = orr__engine_note_end(e, err ? NULL : why);
    err = err ? err : late;
    e->partial = err != ORR_OK || e->ended < c->jobs;
    return err;
}
