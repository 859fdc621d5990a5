/* `repeat: sampled`. After so many iterations of the pace, then a quarter more,
 * and so on, it is asked of each job whether its iterations, but for the first
 * quarter, show no drift, and tell their mean closely enough. If all jobs say
 * so, a stretch is recorded, half as long as what was measured, and skipped
 * over as often as there is room before the first job ends, or something comes
 * from outside. Iterations in it are as long as those that were measured, in
 * their order. What starts or ends makes the measure begin anew. */
#include <math.h>

#include "core/memory.h"
#include "net/config/config.h"
#include "net/run/replay.h"
#include "workload/flow/flows.h"
#include "workload/rank/walk.h"
#include "workload/repeat/inside.h"
#include "workload/repeat/sample.h"

#define FIRST_CHECK 8  /* iterations of the pace until the first */
#define LEAST 4        /* iterations that a job is judged by */
#define KEPT_BACK 2    /* last iterations of a job that are simulated */
#define FARTHEST 100.0 /* times the measured stretch that may be skipped */

void orr__sampled_begin(struct orr_repeat *r)
{
    r->count = 0;
    r->check = FIRST_CHECK;
    r->marks = 0;
    r->from = NULL;
}

/* What is going on: another number, something started or ended. */
static uint64_t signature(const struct orr_repeat *r)
{
    const struct orr_world *w = r->world;
    uint64_t s = orr__digest(1, w->flows ? orr__flows_open(w) : 0, 0);
    int64_t now = orr__net_now(w->net);
    const struct orr_failures *f = w->net_config->failures;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        s = orr__digest(s, orr__job_ended(&w->jobs[i]) >= w->jobs[i].iterations,
                        w->jobs[i].start_ps <= now);
    for (uint32_t i = 0; f && i < f->outages; i++)
        s = orr__digest(s, f->outage[i].down <= now, f->outage[i].up <= now);
    for (uint32_t i = 0; f && i < f->retunes; i++)
        s = orr__digest(s, f->retune[i].at <= now, i);
    return s;
}

/* The measure begins at the first look after a quarter of its iterations; not
 * if that is this one. */
static void choose_from(struct orr_repeat *r)
{
    uint32_t i = 0;
    while (i < r->marks && 4 * r->mark[i].digest < r->count)
        i++;
    r->from = i < r->marks ? &r->mark[i] : NULL;
}

/* A look that a later measure may begin at. */
static void mark(struct orr_repeat *r)
{
    struct orr_repeat_seen *m;
    if (r->marks == ORR_REPEAT_MARKS)
        orr__sampled_begin(r); /* after some 10 million iterations */
    m = &r->mark[r->marks++];
    m->digest = r->count;
    m->at = orr__net_now(r->world->net);
    r->signature = signature(r);
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        m->iteration[i] = orr__job_ended(&r->world->jobs[i]);
    r->check += r->check / 4;
    orr__repeat_watch_again(r);
}

/* Whether a job is at work: it has begun, and not ended. */
static bool runs(const struct orr_repeat *r, const struct orr_job *j)
{
    return j->start_ps <= orr__net_now(r->world->net)
           && orr__job_ended(j) < j->iterations;
}

/* Of the measure so far. */
static orr_err sample(const struct orr_repeat *r, const struct orr_job *j,
                      struct orr_sample *s)
{
    uint32_t from = r->from->iteration[j->index];
    return orr__sample(j, r->world->workers, from, orr__job_ended(j) - from,
                       r->error / 2, s);
}

/* Whether all jobs at work are as they are going to be; *enough. */
static orr_err judge(const struct orr_repeat *r, bool *enough,
                     struct orr_report *why)
{
    *enough = true;
    for (uint32_t i = 0; *enough && i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        struct orr_sample s;
        if (!runs(r, j))
            continue;
        if (sample(r, j, &s) != ORR_OK)
            return orr__no_memory(why);
        *enough = s.n >= LEAST && s.stationary
                  && s.half_ps <= r->error * s.mean_ps;
    }
    return ORR_OK;
}

/* ---- how far ------------------------------------------------------------- */

static uint32_t highest(const struct orr_job *j)
{
    uint32_t high = 0;
    for (uint32_t i = 0; i < j->ranks; i++)
        if (j->team->rank[i].iteration > high)
            high = j->team->rank[i].iteration;
    return high;
}

/* How many iterations of a job may be skipped. */
static uint32_t left(const struct orr_job *j)
{
    uint32_t at = highest(j) + 1 + KEPT_BACK;
    return at < j->iterations ? j->iterations - at : 0;
}

/* How many times the period may be skipped: no job comes to its end in it. */
static orr_err room(const struct orr_repeat *r, const struct orr_net_look *l,
                    int64_t stop, uint64_t *times, struct orr_report *why)
{
    double most = FARTHEST * (double)(l->at - r->from->at) / (double)r->period;
    *times = orr__repeat_room(r, l->at, l->outside, stop);
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        struct orr_sample s;
        if (!runs(r, j))
            continue;
        if (sample(r, j, &s) != ORR_OK)
            return orr__no_memory(why);
        double here = (double)left(j) * s.mean_ps / (double)r->period;
        most = here < most ? here : most;
    }
    if (most < (double)*times)
        *times = (uint64_t)most;
    return ORR_OK;
}

/* ---- skipping ------------------------------------------------------------ */

static void note_basis(struct orr_repeat_basis *b, const struct orr_sample *s)
{
    double error = s->half_ps / s->mean_ps;
    double drift = fabs(s->drift_ps) / s->mean_ps;
    if (b->iterations == 0 || s->n < b->iterations)
        b->iterations = s->n;
    b->mean_ps = s->mean_ps;
    b->error = error > b->error ? error : b->error;
    b->drift = drift > b->drift ? drift : b->drift;
}

/* How many iterations of each job go into so many periods; false: none of one
 * that is at work, for which the periods are too short. */
static orr_err share_out(struct orr_repeat *r, uint64_t times, bool *fits,
                         struct orr_report *why)
{
    *fits = times > 0;
    for (uint32_t i = 0; *fits && i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        struct orr_sample s;
        if (!runs(r, j))
            continue;
        if (sample(r, j, &s) != ORR_OK)
            return orr__no_memory(why);
        double n = floor((double)times * (double)r->period / s.mean_ps + 0.5);
        r->more[i] = n < left(j) ? (uint32_t)n : left(j);
        *fits = r->more[i] > 0 && s.n > 0 && orr__job_ended(j) > s.n;
    }
    return ORR_OK;
}

static orr_err jump(struct orr_repeat *r, uint64_t times,
                    struct orr_report *why)
{
    struct orr_world *w = r->world;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct orr_job *j = &w->jobs[i];
        struct orr_sample s;
        if (r->more[i] == 0)
            continue;
        if (sample(r, j, &s) != ORR_OK)
            return orr__no_memory(why);
        note_basis(&r->result.job[i], &s);
        j->inferred += r->more[i];
        orr__team_infer(j->team, w->workers, orr__job_ended(j), s.n,
                        r->more[i], (int64_t)times * r->period);
    }
    return orr__repeat_jump(r, times, why);
}

static orr_err begin_record(struct orr_repeat *r, int64_t stop,
                            struct orr_report *why)
{
    int64_t now = orr__net_now(r->world->net);
    r->period = (now - r->from->at) / 2;
    if (!orr__net_look(r->world->net, &r->watch, &r->first))
        return orr__no_memory(why);
    orr_err err = room(r, &r->first, stop, &r->room, why);
    if (err == ORR_OK && r->room >= 2)
        return orr__repeat_record(r, why);
    orr__repeat_watch_again(r); /* not worth it */
    return err;
}

static orr_err end_record(struct orr_repeat *r, int64_t stop,
                          struct orr_report *why)
{
    uint64_t times = 0;
    bool enough = false, fits = false;
    orr__replay_end(r->world->net);
    if (!orr__net_look(r->world->net, &r->watch, &r->second))
        return orr__no_memory(why);
    orr_err err = judge(r, &enough, why);
    if (err == ORR_OK)
        err = room(r, &r->second, stop, &times, why);
    times = times < r->room ? times : r->room;
    enough &= signature(r) == r->signature
              && orr__net_look_fits(&r->first, &r->second);
    if (err == ORR_OK && enough)
        err = share_out(r, times, &fits, why);
    if (err == ORR_OK && fits)
        err = jump(r, times, why);
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        r->more[i] = 0;
    orr__repeat_watch_again(r);
    return err;
}

/* As many iterations of the pace were ended as were asked for. */
static orr_err check(struct orr_repeat *r, int64_t stop,
                     struct orr_report *why)
{
    bool enough = false;
    orr_err err = ORR_OK;
    if (r->marks > 0 && signature(r) != r->signature)
        orr__sampled_begin(r);
    choose_from(r);
    if (r->from)
        err = judge(r, &enough, why);
    if (err != ORR_OK)
        return err;
    if (enough)
        return begin_record(r, stop, why);
    mark(r);
    return ORR_OK;
}

orr_err orr__sampled_look(struct orr_repeat *r, int64_t stop,
                          struct orr_report *why)
{
    return r->stage == ORR_REPEAT_RECORD ? end_record(r, stop, why)
                                         : check(r, stop, why);
}
