/* What is common to both kinds of repetition: when there is a look, and how far
 * one may go at once. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/config/module.h"
#include "core/memory.h"
#include "net/config/config.h"
#include "net/watch/replay.h"
#include "workload/memo/memo.h"
#include "workload/rank/snapshot.h"
#include "workload/repeat/internal.h"

/* ---- reading ------------------------------------------------------------- */

static const char *const kinds[] = {"none", "exact", "sampled", NULL};

static const char *const operations[] = {"none", "exact", NULL};

/* The map `repeat`. */
struct settings {
    int kind, operations;
    const char *error;
};

static const struct orr_param params[] = {
    {"kind", ORR_PARAM_CHOICE, offsetof(struct settings, kind), "none", NULL,
     NULL, kinds,
     "none: simulate all; exact: skip exact repetitions; sampled: infer "
     "similar iterations"},
    {"error", ORR_PARAM_TEXT, offsetof(struct settings, error), "1%", NULL,
     NULL, NULL,
     "sampled: error of the mean of all iterations of a job, half of its 95% "
     "confidence interval, 0.01% to 50%"},
    {"operations", ORR_PARAM_CHOICE, offsetof(struct settings, operations),
     "none", NULL, NULL, operations,
     "exact: a collective on links of its own is simulated once, and replayed "
     "where it is the same again"},
    ORR_PARAM_END,
};

const struct orr_param *orr__repeat_params(void)
{
    return params;
}

/* A percentage, kept as a share. */
static orr_err read_error(struct orr_world *w, const struct orr_yaml *node,
                          const char *text, double *error,
                          struct orr_report *why)
{
    char *end;
    double percent = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0 && percent >= 0.01
        && percent <= 50) {
        *error = percent / 100;
        return ORR_OK;
    }
    orr_err err = orr__yaml_fail(w->config, orr__yaml_get(node, "error"), why,
                                 "repeat.error: \"%s\" is no share from 0.01%% "
                                 "to 50%%",
                                 text);
    orr__hint(why, "for example {kind: sampled, error: 1%%}");
    return err;
}

static orr_err read_scalar(struct orr_world *w, const struct orr_yaml *node,
                           struct settings *s, struct orr_report *why)
{
    struct orr_module m = {w->config, node, "repeat", why, NULL, NULL};
    orr__module_name(&m, "none");
    s->kind = m.name ? orr__param_choice(kinds, m.name) : -1;
    if (s->kind < 0)
        return orr__module_unknown(&m, kinds);
    const struct orr_param_set rest = {params + 1, s}; /* beside kind */
    return orr__module_read(&m, &rest, 1);
}

double orr__repeat_error(const struct orr_world *w)
{
    const struct orr_repeat *r = w->repeat;
    return r && r->result.kind == ORR_REPEAT_SAMPLED ? r->error : 0;
}

orr_err orr__repeat_read(struct orr_world *w, const struct orr_yaml *node,
                         struct orr_report *why)
{
    struct settings s = {.error = "1%"};
    const struct orr_param_set set = {params, &s};
    double error = 0;
    bool map = node && !orr__yaml_is_scalar(node);
    orr_err err = map ? orr__param_read(w->config, node, "repeat", &set, 1, why)
                      : read_scalar(w, node, &s, why);
    if (err == ORR_OK)
        err = read_error(w, node, s.error, &error, why);
    w->operations = s.operations == 1;
    if (err != ORR_OK || s.kind == ORR_REPEAT_NONE)
        return err;
    struct orr_repeat *r = w->repeat = orr__alloc(1, sizeof *r);
    if (!r)
        return orr__no_memory(why);
    r->result.kind = (enum orr_repeat_kind)s.kind;
    w->result.repeated = &r->result;
    r->error = error;
    r->world = w;
    return ORR_OK;
}

/* ---- what the net asks --------------------------------------------------- */

static struct orr_job *job_of(const struct orr_world *w, uint32_t user)
{
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (w->jobs[i].team->user == user)
            return &w->jobs[i];
    return NULL;
}

static uint64_t show_tag(void *repeat, struct orr_message *m,
                         struct orr_snapshot *w)
{
    const struct orr_repeat *r = repeat;
    const struct orr_job *j = job_of(r->world, m->user);
    if (!j)
        return m->tag;
    return orr__snapshot_tag(m->arg, &m->tag, orr__repeat_base(j),
                             r->more[j->index], w);
}

static bool show_timer(void *repeat, uint32_t user, uint32_t host,
                       uint64_t timer, struct orr_snapshot *w)
{
    const struct orr_repeat *r = repeat;
    const struct orr_job *j = job_of(r->world, user);
    return j
           && orr__team_snapshot_timer(j->team, timer, orr__repeat_base(j), w);
}

static void show_jobs(void *repeat, struct orr_snapshot *w)
{
    const struct orr_repeat *r = repeat;
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        struct orr_job *j = &r->world->jobs[i];
        orr__team_snapshot(j->team, orr__repeat_base(j), r->more[j->index], w);
    }
}

/* ---- the pace ------------------------------------------------------------ */

static bool is_known(const struct orr_repeat *r, int64_t duration)
{
    uint32_t n =
        r->durations < ORR_REPEAT_KEPT ? r->durations : ORR_REPEAT_KEPT;
    for (uint32_t i = 0; i < n; i++)
        if (r->duration[i] == duration)
            return true;
    return false;
}

/* Upcall: rank 0 of the pace has ended an iteration. */
static void on_ended(void *repeat, int64_t now)
{
    struct orr_repeat *r = repeat;
    int64_t duration = now - r->ended_at;
    bool first = r->ended_at < 0;
    r->ended_at = now;
    r->count++;
    bool last = orr__repeat_base(r->pace) >= r->pace->iterations;
    if (first && !last)
        return;
    bool due = r->result.kind == ORR_REPEAT_EXACT ? is_known(r, duration)
                                                  : r->count >= r->check;
    if (r->armed && r->asked_at < 0 && (due || last)) { /* another is chosen */
        r->asked_at = now;
        orr__net_halt(r->world->net);
    }
    r->duration[r->durations++ % ORR_REPEAT_KEPT] = duration;
}

/* The first job that has iterations left is watched; none: all is done. */
static void choose_pace(struct orr_repeat *r)
{
    struct orr_world *w = r->world;
    struct orr_job *pace = NULL;
    for (uint32_t i = 0; i < w->n_jobs && !pace; i++)
        if (orr__repeat_base(&w->jobs[i]) < w->jobs[i].iterations)
            pace = &w->jobs[i];
    if (pace == r->pace)
        return;
    if (r->pace)
        r->pace->team->ended = NULL;
    r->pace = pace;
    r->ended_at = -1;
    r->durations = r->snapshots = 0;
    orr__sampled_begin(r);
    if (!pace)
        return;
    pace->team->ended_arg = r;
    pace->team->ended = on_ended;
}

void orr__repeat_resume(struct orr_repeat *r)
{
    r->stage = ORR_REPEAT_WATCH;
    r->snapshot_at = ORR_NEVER;
    r->asked_at = -1;
    r->armed = true;
    choose_pace(r);
}

void orr__repeat_give_up(struct orr_repeat *r, const char *full)
{
    r->on = false;
    if (!r->result.full)
        r->result.full = full;
    if (r->pace)
        r->pace->team->ended = NULL;
    r->pace = NULL;
}

/* ---- starting ------------------------------------------------------------ */

/* What a schedule does goes by the time of day, or by the number of an
 * iteration. */
static const char *scheduled(const struct orr_job *j)
{
    if (j->gate.period_ps)
        return "a job has a gate";
    return j->team->stages > 1 ? "a job changes between iterations" : NULL;
}

/* Why nothing can be skipped, or NULL. */
static const char *opaque(const struct orr_world *w)
{
    bool exact = w->result.repeated->kind == ORR_REPEAT_EXACT;
    const char *reason = orr__net_opaque(w->net, exact);
    if (w->n_jobs == 0)
        return "there are no jobs";
    for (uint32_t i = 0; i < w->n_jobs && !reason; i++)
        reason = orr__team_opaque(w->jobs[i].team, exact);
    for (uint32_t i = 0; i < w->n_jobs && !reason; i++)
        reason = scheduled(&w->jobs[i]);
    if (w->jobs_apart && !reason)
        reason = "jobs run one after another";
    return reason;
}

orr_err orr__repeat_plan(struct orr_world *w, struct orr_report *why)
{
    return orr__memo_plan(w, why);
}

void orr__repeat_check_observers(struct orr_world *w)
{
    orr__memo_check_observers(w);
}

orr_err orr__repeat_start(struct orr_world *w, struct orr_report *why)
{
    struct orr_repeat *r = w->repeat;
    if (!r)
        return orr__memo_start(w, why);
    r->watch = (struct orr_snapshot_watch){
        .arg = r,
        .tag = show_tag,
        .timer = show_timer,
        .others = show_jobs,
    };
    r->result.full = opaque(w);
    if (r->result.full)
        return ORR_OK;
    r->cycle = orr__alloc(w->n_jobs, sizeof *r->cycle);
    r->more = orr__alloc(w->n_jobs, sizeof *r->more);
    r->result.job = orr__alloc(w->n_jobs, sizeof *r->result.job);
    r->sample = orr__alloc(w->n_jobs, sizeof *r->sample);
    r->iterations =
        orr__alloc(ORR_REPEAT_KEPT * (size_t)w->n_jobs, sizeof *r->iterations);
    if (!r->cycle || !r->more || !r->result.job || !r->sample || !r->iterations)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < ORR_REPEAT_KEPT; i++)
        r->seen[i].iteration = &r->iterations[i * (size_t)w->n_jobs];
    r->on = true;
    orr__repeat_resume(r);
    return ORR_OK;
}

void orr__repeat_free(struct orr_world *w)
{
    struct orr_repeat *r = w->repeat;
    orr__memo_free(w);
    if (!r)
        return;
    orr__net_snapshot_fini(&r->last);
    orr__net_snapshot_fini(&r->first);
    orr__net_snapshot_fini(&r->second);
    orr__free(r->iterations);
    orr__free(r->cycle);
    orr__free(r->more);
    orr__free(r->sample);
    orr__free(r->result.job);
    orr__free(r->result.jump);
    orr__free(r);
    w->repeat = NULL;
    w->result.repeated = NULL;
}

/* ---- how far ------------------------------------------------------------- */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Whole periods from `from` on that end before, or when, `to` comes. */
static uint64_t room_until(const struct orr_repeat *r, int64_t from, int64_t to)
{
    return to > from ? (uint64_t)(to - from) / (uint64_t)r->period : 0;
}

/* Whole periods until a link next changes. */
static uint64_t room_of_failures(const struct orr_repeat *r, int64_t from)
{
    const struct orr_failures *f = r->world->net_config->failures;
    uint64_t room = UINT64_MAX;
    for (uint32_t i = 0; f && i < f->outages; i++) {
        const int64_t at[] = {f->outage[i].down, f->outage[i].noticed,
                              f->outage[i].up};
        for (int k = 0; k < 3; k++)
            if (at[k] >= from)
                room = least_of(room, room_until(r, from, at[k]));
    }
    for (uint32_t i = 0; f && i < f->degraded; i++) {
        const int64_t at[] = {f->errors[i].from, f->errors[i].until};
        for (int k = 0; k < 2; k++)
            if (at[k] >= from)
                room = least_of(room, room_until(r, from, at[k]));
    }
    for (uint32_t i = 0; f && i < f->darks; i++) {
        const int64_t at[] = {f->dark[i].down, f->dark[i].back, f->dark[i].up};
        for (int k = 0; k < 3; k++)
            if (at[k] >= from)
                room = least_of(room, room_until(r, from, at[k]));
    }
    for (uint32_t i = 0; f && i < f->retunes; i++)
        if (f->retune[i].at >= from)
            room = least_of(room, room_until(r, from, f->retune[i].at));
    return room;
}

uint64_t orr__repeat_room(const struct orr_repeat *r, int64_t from,
                          int64_t outside, int64_t stop)
{
    uint64_t n = room_of_failures(r, from);
    n = least_of(n, room_until(r, from, outside));
    return least_of(
        n, room_until(r, from, stop < ORR_HORIZON ? stop : ORR_HORIZON));
}

orr_err orr__repeat_record(struct orr_repeat *r, uint64_t *exact,
                           struct orr_report *why)
{
    r->stage = ORR_REPEAT_RECORD;
    r->armed = false;
    r->snapshot_at = r->first.at + r->period;
    return orr__replay_begin(r->world->net, r->period, exact, why);
}

orr_err orr__repeat_jump(struct orr_repeat *r, uint64_t times,
                         struct orr_report *why)
{
    struct orr_world *w = r->world;
    struct orr_repeat_result *x = &r->result;
    ORR_ASSERT(times > 0 && r->period > 0);
    if (!orr__array_one_more(x->jump, x->jumps))
        return orr__no_memory(why);
    x->jump[x->jumps++] = (struct orr_repeat_jump){
        .at_ps = r->second.at, .period_ps = r->period, .times = times};
    orr_err err =
        orr__net_jump(w->net, &r->watch, &r->first, &r->second, times, why);
    memset(r->more, 0, w->n_jobs * sizeof *r->more);
    r->durations = r->snapshots = 0;
    r->ended_at = -1;
    orr__sampled_begin(r);
    return err;
}

/* ---- running ------------------------------------------------------------- */

/* Between windows, when an iteration of the pace has ended. Something opaque
 * ends all repetition. */
static orr_err take_snapshot(struct orr_repeat *r, int64_t stop,
                             struct orr_report *why)
{
    bool exact = r->result.kind == ORR_REPEAT_EXACT;
    const char *reason = orr__net_opaque(r->world->net, exact);
    r->snapshot_at = ORR_NEVER;
    if (reason) {
        orr__repeat_give_up(r, reason);
        return ORR_OK;
    }
    return exact ? orr__exact_snapshot(r, stop, why)
                 : orr__sampled_snapshot(r, stop, why);
}

/* The caller's poll, and what stops the run here. */
struct poll {
    bool (*fn)(void *arg, int64_t now);
    void *arg;
    bool stop;
};

static bool poll_repeat(void *arg, int64_t now)
{
    struct poll *p = arg;
    p->stop = p->fn && p->fn(p->arg, now);
    return p->stop;
}

orr_err orr__repeat_run(struct orr_world *w, int64_t stop,
                        bool (*fn)(void *arg, int64_t now), void *arg,
                        int64_t *end, struct orr_report *why)
{
    struct orr_repeat *r = w->repeat;
    struct poll p = {fn, arg, false};
    orr_err err = ORR_OK;
    while (err == ORR_OK && r && r->on) {
        int64_t until = r->snapshot_at < stop ? r->snapshot_at : stop;
        err = orr__net_run(w->net, until, poll_repeat, &p, end, why);
        if (err != ORR_OK || orr__net_ended(w->net) || p.stop)
            return err;
        if (orr__net_now(w->net) == r->snapshot_at) {
            err = take_snapshot(r, stop, why);
        } else if (r->asked_at >= 0) {
            r->snapshot_at = r->asked_at + orr__net_window(w->net);
            r->asked_at = -1;
            r->armed = false;
        } else {
            return err; /* `stop`, or whoever halted it */
        }
    }
    return err == ORR_OK ? orr__net_run(w->net, stop, fn, arg, end, why) : err;
}
