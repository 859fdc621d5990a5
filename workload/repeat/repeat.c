/* `repeat: exact`. The state of the whole run is looked at when an iteration of
 * one job, the pace, has ended: a window later, when everything before that has
 * happened. If a state was there before, all that follows is the same again, as
 * long as nothing from outside comes between and no job ends: the cycle is gone
 * through once more, to be sure and to see by how much each counter goes on,
 * and then over as many cycles as there is room for, at once.
 *
 * Looks cost time, so there is one only after an iteration that took as long,
 * to the picosecond, as another before it. */
#include "workload/repeat/repeat.h"

#include <string.h>

#include "core/config/module.h"
#include "core/memory.h"
#include "net/config/config.h"
#include "net/run/replay.h"
#include "net/run/state.h"
#include "workload/job/job.h"
#include "workload/rank/walk.h"

#define KEPT 256 /* iterations and looks that are remembered */
#define MOST_MISSES 8 /* cycles that turned out to be none */

enum stage { WATCH, WAIT, RECORD };

struct seen { /* a look */
    uint64_t digest; /* 0: none */
    int64_t at;
    uint32_t *iteration; /* of each job */
};

struct orr_repeat {
    struct orr_repeat_result result;
    bool on;
    struct orr_world *world;
    struct orr_net_watch watch;
    enum stage stage;
    struct orr_job *pace; /* job whose iterations are watched; NULL: none */

    /* of the pace, told by its thread */
    int64_t ended_at;     /* its last iteration; -1: none yet */
    int64_t duration[KEPT];
    uint32_t durations;
    bool armed;           /* a look may be asked for */
    int64_t asked_at;     /* for an iteration that ended then; -1: not */

    int64_t look_at;      /* ORR_NEVER: no look is due */
    struct seen seen[KEPT];
    uint32_t looks;
    uint32_t *iterations; /* of all of them */
    struct orr_net_look last, first, second;
    int64_t period;
    uint32_t *cycle;      /* per job: iterations of it in a period */
    uint64_t room;        /* for so many more at most */
    uint64_t times;       /* that are skipped now */
    uint32_t misses;
};

/* ---- reading ------------------------------------------------------------- */

static const char *const kinds[] = {"none", "exact", NULL};

orr_err orr__repeat_read(struct orr_world *w, const struct orr_yaml *node,
                         struct orr_report *why)
{
    struct orr_module m = {w->config, node, "repeat", why, NULL, NULL};
    int kind;

    orr__module_name(&m, "none");
    kind = m.name ? orr__param_choice(kinds, m.name) : -1;
    if (kind < 0)
        return orr__module_unknown(&m, kinds);
    orr_err err = orr__module_read(&m, NULL, 0);
    if (err != ORR_OK || kind == ORR_REPEAT_NONE)
        return err;
    struct orr_repeat *r = w->repeat = orr__alloc(1, sizeof *r);
    if (!r)
        return orr__no_memory(why);
    r->result.kind = (enum orr_repeat_kind)kind;
    w->repeated = &r->result;
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

/* The iteration of a job that others are counted from. */
static uint32_t base_of(const struct orr_job *j)
{
    return j->team->rank[0].iteration;
}

static uint32_t more_of(const struct orr_repeat *r, const struct orr_job *j)
{
    return (uint32_t)(r->times * r->cycle[j->index]);
}

static uint64_t show_tag(void *repeat, struct orr_message *m,
                         struct orr_walk *w)
{
    const struct orr_repeat *r = repeat;
    const struct orr_job *j = job_of(r->world, m->user);
    if (!j)
        return m->tag;
    return orr__walk_tag(m->arg, &m->tag, base_of(j), more_of(r, j), w);
}

static bool show_timer(void *repeat, uint32_t user, uint32_t host,
                       uint64_t timer, struct orr_walk *w)
{
    const struct orr_repeat *r = repeat;
    const struct orr_job *j = job_of(r->world, user);
    return j && orr__team_walk_timer(j->team, timer, base_of(j), w);
}

static void show_jobs(void *repeat, struct orr_walk *w)
{
    const struct orr_repeat *r = repeat;
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        struct orr_job *j = &r->world->jobs[i];
        orr__team_walk(j->team, base_of(j), more_of(r, j), w);
    }
}

/* ---- the pace ------------------------------------------------------------ */

static bool known(const struct orr_repeat *r, int64_t duration)
{
    uint32_t n = r->durations < KEPT ? r->durations : KEPT;
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
    if (first)
        return;
    if (r->armed && r->asked_at < 0 && known(r, duration)) {
        r->asked_at = now;
        orr__net_halt(r->world->net);
    }
    r->duration[r->durations++ % KEPT] = duration;
}

/* The first job that has iterations left is watched; none: all is done. */
static void choose_pace(struct orr_repeat *r)
{
    struct orr_world *w = r->world;
    struct orr_job *pace = NULL;
    for (uint32_t i = 0; i < w->n_jobs && !pace; i++)
        if (base_of(&w->jobs[i]) < w->jobs[i].iterations)
            pace = &w->jobs[i];
    if (pace == r->pace)
        return;
    if (r->pace)
        r->pace->team->ended = NULL;
    r->pace = pace;
    r->ended_at = -1;
    r->durations = r->looks = 0;
    if (!pace)
        return;
    pace->team->ended_arg = r;
    pace->team->ended = on_ended;
}

static void watch_again(struct orr_repeat *r)
{
    r->stage = WATCH;
    r->look_at = ORR_NEVER;
    r->asked_at = -1;
    r->armed = true;
    choose_pace(r);
}

static void give_up(struct orr_repeat *r, const char *full)
{
    r->on = false;
    if (!r->result.full)
        r->result.full = full;
    if (r->pace)
        r->pace->team->ended = NULL;
    r->pace = NULL;
}

/* ---- starting ------------------------------------------------------------ */

static const char *opaque(const struct orr_world *w)
{
    const char *reason = orr__net_opaque(w->net);
    if (w->n_jobs == 0)
        return "there are no jobs";
    for (uint32_t i = 0; i < w->n_jobs && !reason; i++)
        reason = orr__team_opaque(w->jobs[i].team);
    return reason;
}

orr_err orr__repeat_start(struct orr_world *w, struct orr_report *why)
{
    struct orr_repeat *r = w->repeat;
    if (!r)
        return ORR_OK;
    r->watch = (struct orr_net_watch){
        .arg = r,
        .tag = show_tag,
        .timer = show_timer,
        .rest = show_jobs,
    };
    r->result.full = opaque(w);
    if (r->result.full)
        return ORR_OK;
    r->cycle = orr__alloc(w->n_jobs, sizeof *r->cycle);
    r->iterations = orr__alloc(KEPT * (size_t)w->n_jobs,
                               sizeof *r->iterations);
    if (!r->cycle || !r->iterations)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < KEPT; i++)
        r->seen[i].iteration = &r->iterations[i * (size_t)w->n_jobs];
    r->on = true;
    watch_again(r);
    return ORR_OK;
}

void orr__repeat_free(struct orr_world *w)
{
    struct orr_repeat *r = w->repeat;
    if (!r)
        return;
    orr__net_look_fini(&r->last);
    orr__net_look_fini(&r->first);
    orr__net_look_fini(&r->second);
    orr__free(r->iterations);
    orr__free(r->cycle);
    orr__free(r->result.jump);
    orr__free(r);
    w->repeat = NULL;
    w->repeated = NULL;
}

/* ---- how far ------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Whole periods from `from` on that end before, or when, `to` comes. */
static uint64_t room_until(const struct orr_repeat *r, int64_t from, int64_t to)
{
    return to > from ? (uint64_t)(to - from) / (uint64_t)r->period : 0;
}

/* No rank may end its last iteration in what is skipped. */
static uint64_t room_of_job(const struct orr_repeat *r,
                            const struct orr_job *j)
{
    uint64_t room = UINT64_MAX;
    uint32_t cycle = r->cycle[j->index];
    if (cycle == 0)
        return room;
    for (uint32_t i = 0; i < j->ranks; i++) {
        uint32_t at = j->team->rank[i].iteration + 1;
        room = least(room, at < j->iterations ? (j->iterations - at) / cycle
                                              : 0);
    }
    return room;
}

static uint64_t room_of_failures(const struct orr_repeat *r, int64_t from)
{
    const struct orr_failures *f = r->world->net_config->failures;
    uint64_t room = UINT64_MAX;
    for (uint32_t i = 0; f && i < f->outages; i++) {
        const int64_t at[] = {f->outage[i].down, f->outage[i].noticed,
                              f->outage[i].up};
        for (int k = 0; k < 3; k++)
            if (at[k] >= from)
                room = least(room, room_until(r, from, at[k]));
    }
    for (uint32_t i = 0; f && i < f->retunes; i++)
        if (f->retune[i].at >= from)
            room = least(room, room_until(r, from, f->retune[i].at));
    return room;
}

/* How many periods there is room for from a moment on. */
static uint64_t room(const struct orr_repeat *r, int64_t from, int64_t outside,
                     int64_t stop)
{
    uint64_t n = room_of_failures(r, from);
    n = least(n, room_until(r, from, outside));
    n = least(n, room_until(r, from, stop < ORR_HORIZON ? stop : ORR_HORIZON));
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        n = least(n, room_of_job(r, &r->world->jobs[i]));
    return n;
}

/* ---- looking ------------------------------------------------------------- */

/* How far ranks are apart, in cycles, at most. */
static uint64_t spread(const struct orr_repeat *r)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t k = 0; k < j->ranks; k++) {
            uint32_t at = j->team->rank[k].iteration;
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (r->cycle[i] && (high - low) / r->cycle[i] > most)
            most = (high - low) / r->cycle[i];
    }
    return most;
}

/* The state of x has come again: soon the cycle is gone through once more. */
static void begin_cycle(struct orr_repeat *r, const struct seen *x, int64_t now)
{
    r->period = now - x->at;
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        r->cycle[i] = base_of(&r->world->jobs[i]) - x->iteration[i];
    r->stage = WAIT;
    r->looks = 0;
    r->look_at = now + (int64_t)spread(r) * r->period;
}

static orr_err watch_look(struct orr_repeat *r, struct orr_report *why)
{
    struct orr_net_look now = {0};
    if (!orr__net_look(r->world->net, &r->watch, &now)) {
        orr__net_look_fini(&now);
        return orr__no_memory(why);
    }
    uint64_t digest = orr__net_look_digest(&now, &r->last);
    int64_t at = now.at;
    orr__net_look_fini(&r->last);
    r->last = now;
    uint32_t n = r->looks < KEPT ? r->looks : KEPT;
    for (uint32_t i = 0; i < n; i++)
        if (r->seen[i].digest == digest) {
            begin_cycle(r, &r->seen[i], at);
            return ORR_OK;
        }
    struct seen *new = &r->seen[r->looks++ % KEPT];
    new->digest = digest;
    new->at = at;
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        new->iteration[i] = base_of(&r->world->jobs[i]);
    watch_again(r);
    return ORR_OK;
}

static orr_err begin_record(struct orr_repeat *r, int64_t stop,
                            struct orr_report *why)
{
    if (!orr__net_look(r->world->net, &r->watch, &r->first))
        return orr__no_memory(why);
    r->room = room(r, r->first.at, r->first.outside, stop);
    if (r->room < 2) {
        watch_again(r); /* not worth it */
        return ORR_OK;
    }
    orr_err err = orr__replay_begin(r->world->net, r->period, &r->room, why);
    if (err != ORR_OK)
        return err;
    orr__net_chance_begin(r->world->net);
    r->stage = RECORD;
    r->look_at = r->first.at + r->period;
    return ORR_OK;
}

static bool note_jump(struct orr_repeat *r)
{
    struct orr_repeat_result *x = &r->result;
    struct orr_repeat_jump *more = orr__resize(x->jump, x->jumps + 1,
                                               sizeof *more);
    if (!more)
        return false;
    x->jump = more;
    x->jump[x->jumps++] = (struct orr_repeat_jump){
        .at_ps = r->second.at, .period_ps = r->period, .times = r->times};
    return true;
}

static uint32_t lowest(const struct orr_job *j)
{
    uint32_t low = UINT32_MAX;
    for (uint32_t i = 0; i < j->ranks; i++)
        low = j->team->rank[i].iteration < low ? j->team->rank[i].iteration
                                               : low;
    return low;
}

static orr_err jump(struct orr_repeat *r, int64_t stop, struct orr_report *why)
{
    struct orr_world *w = r->world;
    r->times = least(r->room,
                     room(r, r->second.at, r->second.outside, stop));
    orr_err err = ORR_OK;
    if (r->times && !note_jump(r))
        return orr__no_memory(why);
    for (uint32_t i = 0; r->times && i < w->n_jobs; i++) {
        struct orr_job *j = &w->jobs[i];
        j->repeated += more_of(r, j);
        orr__team_skip(j->team, w->workers, lowest(j), r->cycle[i], r->times,
                       r->period);
    }
    if (r->times)
        err = orr__net_jump(w->net, &r->watch, &r->first, &r->second, r->times,
                            why);
    r->times = 0;
    r->durations = r->looks = 0;
    r->ended_at = -1;
    watch_again(r);
    return err;
}

static orr_err end_record(struct orr_repeat *r, int64_t stop,
                          struct orr_report *why)
{
    uint64_t chances = orr__net_chance_end(r->world->net);
    orr__replay_end(r->world->net);
    if (!orr__net_look(r->world->net, &r->watch, &r->second))
        return orr__no_memory(why);
    if (chances == 0 && orr__net_look_same(r->world->net, &r->watch, &r->first,
                                           &r->second))
        return jump(r, stop, why);
    if (++r->misses == MOST_MISSES)
        give_up(r, chances ? "lots are drawn between packets that arrive at "
                             "once (network.ties: index would not)"
                           : "its state comes near itself, but not back");
    else
        watch_again(r);
    return ORR_OK;
}

static orr_err look(struct orr_repeat *r, int64_t stop, struct orr_report *why)
{
    const char *reason = orr__net_opaque(r->world->net);
    r->look_at = ORR_NEVER;
    if (reason) {
        give_up(r, reason);
        return ORR_OK;
    }
    switch (r->stage) {
    case WATCH:
        return watch_look(r, why);
    case WAIT:
        return begin_record(r, stop, why);
    default:
        return end_record(r, stop, why);
    }
}

/* ---- running ------------------------------------------------------------- */

struct poll {
    bool (*fn)(void *arg, int64_t now);
    void *arg;
    bool stop;
};

static bool poll(void *arg, int64_t now)
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
        int64_t until = r->look_at < stop ? r->look_at : stop;
        err = orr__net_run(w->net, until, poll, &p, end, why);
        if (err != ORR_OK || orr__net_ended(w->net) || p.stop)
            return err;
        if (orr__net_now(w->net) == r->look_at) {
            err = look(r, stop, why);
        } else if (r->asked_at >= 0) {
            r->look_at = r->asked_at + orr__net_window(w->net);
            r->asked_at = -1;
            r->armed = false;
        } else {
            return err; /* `stop`, or whoever halted it */
        }
    }
    return err == ORR_OK ? orr__net_run(w->net, stop, fn, arg, end, why) : err;
}
