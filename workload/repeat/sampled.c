/* `repeat: sampled`. All the while a stretch is recorded, three fifths as long
 * as has been measured before it: since something started or ended, or the last
 * skip. At its end it is asked of each job whether its iterations, but for the
 * first quarter, show no drift, whether they tell enough for what would be
 * inferred from them, and whether its ranks stay together. If all jobs say so,
 * the stretch is skipped over as often as there is room before the first job
 * ends, or something comes from outside; else the next one begins. Iterations
 * in what is skipped are as long as those that were measured, in order. */
#include <math.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "net/config/config.h"
#include "net/watch/replay.h"
#include "workload/flow/flows.h"
#include "workload/rank/snapshot.h"
#include "workload/repeat/internal.h"

#define LEAST_PACE 8   /* iterations of the pace before a stretch is recorded */
#define LEAST      4   /* iterations that a job is judged by */
#define KEPT_BACK  2   /* last iterations of a job that are simulated */
#define STRETCH    0.6 /* of what was measured before */
#define CUT        0.75  /* of a stretch is left, at least, when it is cut */
#define PARTS      64    /* of a stretch */
#define FARTHEST   100.0 /* times what was measured that may be skipped */

/* ---- what is measured ---------------------------------------------------- */

void orr__sampled_begin(struct orr_repeat *r)
{
    r->count = 0;
    r->check = LEAST_PACE;
}

static void latest(int64_t *change, int64_t at, int64_t now)
{
    if (at <= now && at > *change)
        *change = at;
}

/* When something last started or ended: what is seen until then says nothing
 * about what comes. */
static int64_t changed(struct orr_repeat *r, int64_t now)
{
    const struct orr_world *w = r->world;
    const struct orr_failures *f = w->net_config->failures;
    uint64_t flows = w->flows ? orr__flows_open(w) : 0;
    int64_t at = flows == r->flows ? 0 : now;
    r->flows = flows;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *j = &w->jobs[i];
        latest(&at, j->start_ps, now);
        if (orr__job_ended(j) >= j->iterations)
            latest(&at,
                   orr__job_end_of(j, w->options.workers, j->iterations - 1),
                   now);
    }
    for (uint32_t i = 0; f && i < f->outages; i++) {
        latest(&at, f->outage[i].down, now);
        latest(&at, f->outage[i].noticed, now);
        latest(&at, f->outage[i].up, now);
    }
    for (uint32_t i = 0; f && i < f->darks; i++) {
        latest(&at, f->dark[i].down, now);
        latest(&at, f->dark[i].up, now);
    }
    for (uint32_t i = 0; f && i < f->retunes; i++)
        latest(&at, f->retune[i].at, now);
    for (uint32_t i = 0; f && i < f->degraded; i++) {
        latest(&at, f->errors[i].from, now);
        latest(&at, f->errors[i].until, now);
    }
    return at;
}

/* Whether a job is at work: it has begun, and not ended. */
static bool is_running(const struct orr_job *j, int64_t now)
{
    return j->start_ps <= now && orr__job_ended(j) < j->iterations;
}

/* The first iteration that began at a moment or later. */
static uint32_t first_from(const struct orr_repeat *r, const struct orr_job *j,
                           int64_t at)
{
    uint32_t low = 0, high = orr__job_ended(j);
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (orr__job_end_of(j, r->world->options.workers, (int64_t)mid - 1)
            < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* r->sample: what iterations since r->since, but for the first quarter of the
 * time, say. */
static orr_err measure(struct orr_repeat *r, int64_t now,
                       struct orr_report *why)
{
    int64_t from = r->since + (now - r->since) / 4;
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        uint32_t first = first_from(r, j, from);
        if (orr__sample(j, r->world->options.workers, first,
                        orr__job_ended(j) - first, r->error / 2, &r->sample[i])
            != ORR_OK)
            return orr__no_memory(why);
    }
    return ORR_OK;
}

/* Whether all jobs at work are as they are going to be. */
static bool steady(const struct orr_repeat *r, int64_t now)
{
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        const struct orr_sample *s = &r->sample[i];
        if (is_running(j, now)
            && (s->n < LEAST || !s->stationary || orr__job_ended(j) <= s->n))
            return false;
    }
    return true;
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
static uint32_t iterations_left(const struct orr_job *j)
{
    uint32_t at =
        highest(j) + j->team->overlap + j->team->program->latest + KEPT_BACK;
    return at < j->iterations ? j->iterations - at : 0;
}

/* How many times the period may be skipped: no job comes to its end in it. Of a
 * job whose iterations are longer than what was measured, that is not known. */
static uint64_t periods_left(const struct orr_repeat *r,
                             const struct orr_net_snapshot *l, int64_t stop)
{
    double most = FARTHEST * (double)(l->at - r->since) / (double)r->period;
    uint64_t times = orr__repeat_room(r, l->at, l->outside, stop);
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        double mean = r->sample[i].mean_ps;
        double here = (double)iterations_left(j) * mean / (double)r->period;
        if (is_running(j, l->at) && mean > 0 && here < most)
            most = here;
    }
    return most < (double)times ? (uint64_t)most : times;
}

/* How many iterations of each job go into so many periods; false: none of one
 * that is at work, for which the periods are too short. */
static bool share_out(struct orr_repeat *r, uint64_t times, int64_t now)
{
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        double n = (double)times * (double)r->period / r->sample[i].mean_ps;
        if (!is_running(j, now))
            continue;
        n = floor(n + 0.5);
        r->more[i] = n < iterations_left(j) ? (uint32_t)n : iterations_left(j);
        if (r->more[i] == 0)
            return false;
    }
    return true;
}

/* Whether the ranks of each job stay together, or nearly so: all are taken to
 * do the same iterations in what is skipped. */
static bool together(const struct orr_repeat *r)
{
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        if (fabs(r->sample[i].apart_ps) * r->more[i] > r->sample[i].mean_ps / 2)
            return false;
    return true;
}

/* Says so, unless something is inferred after all. */
static void note_apart(struct orr_repeat *r)
{
    if (r->result.jumps == 0)
        r->result.full = "ranks of a job do not stay together";
}

/* What r->more iterations of a job would take, ps, and the time that they are
 * made to fit into, differ by less than half an iteration. */
static double misfit(const struct orr_repeat *r, uint32_t job, uint64_t times)
{
    return fabs(r->more[job] * r->sample[job].mean_ps
                - (double)times * (double)r->period);
}

/* By how much the time of all that would then be inferred of a job is not
 * known, ps, if its means, each of another stretch, err independently. */
static double unknown(const struct orr_repeat *r, uint32_t job)
{
    return hypot(r->result.job[job].half_ps,
                 r->more[job] * r->sample[job].half_ps);
}

/* Whether the mean of all iterations of each job, when so many more are
 * inferred, is known to within the error. */
static bool is_known(const struct orr_repeat *r, uint64_t times)
{
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_repeat_basis *b = &r->result.job[i];
        double then = (double)orr__job_ended(&r->world->jobs[i]) + r->more[i];
        double error = unknown(r, i) + b->misfit_ps + misfit(r, i, times);
        if (r->more[i] > 0 && error > r->error * r->sample[i].mean_ps * then)
            return false;
    }
    return true;
}

/* ---- skipping ------------------------------------------------------------ */

/* What inferred iterations go by: the smallest sample and the largest drift of
 * all jumps. */
static void note_basis(struct orr_repeat *r, uint32_t job, uint64_t times)
{
    struct orr_repeat_basis *b = &r->result.job[job];
    const struct orr_sample *s = &r->sample[job];
    double drift = fabs(s->drift_ps) / s->mean_ps;
    ORR_ASSERT(s->mean_ps > 0);
    if (b->iterations == 0 || s->n < b->iterations)
        b->iterations = s->n;
    b->mean_ps = s->mean_ps;
    b->half_ps = unknown(r, job);
    b->misfit_ps += misfit(r, job, times);
    b->drift = drift > b->drift ? drift : b->drift;
}

/* Iterations of the sample are repeated; r->since: what is measured from now
 * on. */
static orr_err jump_periods(struct orr_repeat *r, uint64_t times,
                            struct orr_report *why)
{
    struct orr_world *w = r->world;
    r->result.full = NULL;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct orr_job *j = &w->jobs[i];
        if (r->more[i] == 0)
            continue;
        note_basis(r, i, times);
        j->inferred += r->more[i];
        orr__team_infer(j->team, w->options.workers, orr__job_ended(j),
                        r->sample[i].n, r->more[i], (int64_t)times * r->period);
    }
    orr_err err = orr__repeat_jump(r, times, why);
    r->since = orr__net_now(w->net);
    return err;
}

/* By how much a stretch is no whole number of iterations of a job at work, of
 * that for which this is longest, ps. */
static double part_of_one(const struct orr_repeat *r, double stretch)
{
    double most = 0;
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        double mean = r->sample[i].mean_ps;
        if (!is_running(&r->world->jobs[i], r->first.at) || !(mean > 0))
            continue;
        double part = fabs(stretch - floor(stretch / mean + 0.5) * mean);
        most = part > most ? part : most;
    }
    return most;
}

/* A whole number of iterations of the pace, no less than CUT of what it was,
 * and of the others nearly: what counters say of a part of one would be said
 * again with each repetition. */
static void cut_to_iterations(struct orr_repeat *r)
{
    double mean = r->sample[r->pace->index].mean_ps, best = 0;
    double most = mean > 0 ? floor((double)r->period / mean) : 0;
    double least = INFINITY;
    for (double n = most; n >= 1 && n >= CUT * most; n--) {
        double missed = part_of_one(r, n * mean) / n;
        best = missed < least ? n : best;
        least = missed < least ? missed : least;
    }
    if (best >= 1)
        r->period = llrint(best * mean);
}

/* r->period and r->room: a stretch as long as should be, or so much shorter
 * that what is left after it is some more of them, and not a part of one. */
static void choose_stretch(struct orr_repeat *r, int64_t stop)
{
    double whole = STRETCH * (double)(r->first.at - r->since);
    r->period = (int64_t)(whole / PARTS) + 1;
    uint64_t parts = periods_left(r, &r->first, stop);
    uint64_t times = parts / PARTS + 1;
    if (times < 2)
        times = 2;
    parts -= parts / 32; /* means will not be quite the same then */
    double all = (double)r->period * (double)parts;
    r->period *= (int64_t)(parts / times);
    r->room = parts / times < PARTS / 2 ? 0 : times;
    if (r->room == 0)
        return;
    cut_to_iterations(r);
    r->room = (uint64_t)(all / (double)r->period);
}

/* Iterations of the pace since the measure began. */
static uint32_t measured(const struct orr_repeat *r)
{
    return orr__job_ended(r->pace) - first_from(r, r->pace, r->since);
}

/* Begins with a stretch, unless it is too early, or too late. */
static orr_err begin_record(struct orr_repeat *r, int64_t stop,
                            struct orr_report *why)
{
    int64_t now = orr__net_now(r->world->net);
    uint32_t n = r->pace ? measured(r) : 0;
    r->check = r->count + (n < LEAST_PACE ? LEAST_PACE - n : n / 2);
    if (n < LEAST_PACE)
        return ORR_OK;
    if (!orr__net_snapshot(r->world->net, &r->watch, &r->first))
        return orr__no_memory(why);
    orr_err err = measure(r, now, why);
    if (err == ORR_OK)
        choose_stretch(r, stop);
    if (err != ORR_OK || r->room == 0) /* not worth it */
        return err;
    uint64_t exact = r->room; /* nobody asks: who looks on changes nothing */
    return orr__repeat_record(r, &exact, why);
}

/* Skips if all jobs are steady and stay together, and the state at the end fits
 * that at the beginning. */
static orr_err end_record(struct orr_repeat *r, int64_t stop,
                          struct orr_report *why)
{
    int64_t now = orr__net_now(r->world->net);
    uint64_t times = 0;
    orr__replay_end(r->world->net);
    if (!orr__net_snapshot(r->world->net, &r->watch, &r->second))
        return orr__no_memory(why);
    orr_err err = measure(r, now, why);
    if (err == ORR_OK && steady(r, now))
        times = periods_left(r, &r->second, stop);
    times = times < r->room ? times : r->room;
    if (times > 0 && r->since <= r->first.at
        && orr__net_snapshot_fits(&r->first, &r->second)
        && share_out(r, times, now)) {
        if (!together(r))
            note_apart(r);
        else if (is_known(r, times))
            err = jump_periods(r, times, why);
    }
    memset(r->more, 0, r->world->n_jobs * sizeof *r->more);
    return err;
}

orr_err orr__sampled_snapshot(struct orr_repeat *r, int64_t stop,
                              struct orr_report *why)
{
    int64_t since = changed(r, orr__net_now(r->world->net));
    orr_err err = ORR_OK;
    if (since > r->since)
        r->since = since;
    if (r->stage == ORR_REPEAT_RECORD)
        err = end_record(r, stop, why);
    orr__repeat_resume(r);
    return err == ORR_OK ? begin_record(r, stop, why) : err;
}
