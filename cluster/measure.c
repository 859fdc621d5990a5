#include "cluster/measure.h"

#include <math.h>

#include "core/assert.h"
#include "core/units.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"
#include "workload/repeat/sample.h"

/* Iterations of the slowest job after which is looked the first time; each
 * next look comes after half as many more. The first third is how it begins,
 * and does not count. */
enum { FIRST_SAMPLE = 6, LEAST = 4 };
/* Looks in a row, one iteration as expected apart, between which none ended:
 * then what was expected is off by orders of magnitude (of some jobs nothing
 * is known but that they take time), and each next look is twice as far. */
enum { PATIENCE = 16 };
/* Equal iterations in a row, of all jobs, that are taken for periodic. A job
 * alone is looked at as soon as it can have them behind its first one; jobs in
 * company may be about to meet. */
enum { EQUAL = 3 };

/* An iteration that takes no time counts as this, as it does where it is worked
 * out (workload/schedule/outline.c): 0 says that nothing is known. ps */
#define SHORTEST 1

static double slowest_of(const struct orr_measure *m, uint32_t jobs)
{
    double longest = 1;
    for (uint32_t i = 0; i < jobs; i++)
        longest = fmax(longest, m->expected_ps[i]);
    return longest;
}

uint64_t orr__subset_iterations(const struct orr_measure *m, uint32_t jobs,
                                uint32_t job)
{
    /* iterations get longer in company, not shorter by much */
    double n = 2 * (m->most + 2.0) * slowest_of(m, jobs)
               / fmax(m->expected_ps[job], 1);
    return n < 1000000 ? (uint64_t)n + 1 : 1000000;
}

static int64_t duration_of(const struct orr_job *j, unsigned workers, int64_t i)
{
    return orr__job_end_of(j, workers, i) - orr__job_end_of(j, workers, i - 1);
}

static bool all_equal(const struct orr_job *j, unsigned workers, uint32_t ended)
{
    for (uint32_t i = 1; i < EQUAL; i++)
        if (ended < EQUAL + 1
            || duration_of(j, workers, ended - 1 - i)
                   != duration_of(j, workers, ended - 1))
            return false;
    return true;
}

/* What is known of a job by now by the iterations that count. */
static orr_err measure_job(const struct orr_world *w, const struct orr_job *j,
                           const struct orr_measure *m, struct orr_outcome *o)
{
    struct orr_sample s;
    uint32_t ended = orr__job_ended(j), first = ended / 3;
    uint32_t n = ended - first;
    o->iterations = ended;
    o->settled = o->exact = false;
    orr_err err = orr__sample(j, w->options.workers, first, n, m->error, &s);
    if (err || n < 3) {
        o->half = INFINITY;
        return err;
    }
    o->iteration_ps = fmax(s.mean_ps, SHORTEST);
    o->half = s.half_ps / o->iteration_ps;
    o->settled = n >= LEAST && s.stationary && o->half <= m->error;
    return ORR_OK;
}

/* The same by the latest, if they are equal. */
static bool take_last(const struct orr_world *w, const struct orr_job *j,
                      struct orr_outcome *o)
{
    o->iterations = orr__job_ended(j);
    o->settled = o->exact = all_equal(j, w->options.workers, o->iterations);
    if (!o->exact)
        return false;
    int64_t ps = duration_of(j, w->options.workers, o->iterations - 1);
    o->iteration_ps = fmax((double)ps, SHORTEST);
    o->half = 0;
    return true;
}

/* Part of an iteration by which two jobs may shift against one another while a
 * set is simulated and still count as keeping step; they may keep step at any
 * ratio of iterations that is one to n, two to n, or three to n. */
#define IN_STEP (1.0 / 64)
enum { STEPS = 3 };

/* Jobs of such iterations shift against one another: until they have met in all
 * ways that they can, neither that they do nor that they do not goes on for
 * ever. In iterations of `slow` ps; 0: they keep step. Every q of these the
 * shift is the same, and q ways of standing to one another are as many parts of
 * an iteration apart. */
static double beat_of(double slow, double fast, uint32_t most)
{
    double beat = 0;
    for (int q = 1; q <= STEPS; q++) {
        double turns = q * slow / fast, shift = fabs(turns - round(turns));
        if (shift * most >= IN_STEP * q)
            beat = fmax(beat, 1 / shift);
    }
    return beat;
}

/* The longest beat of a job with any other, in iterations of the slower of the
 * two; counted: less those that count. 0: none. out: of all. */
static double beat_with(const struct orr_world *w, const struct orr_measure *m,
                        const struct orr_outcome *out, uint32_t i, bool counted)
{
    double most = 0;
    for (uint32_t k = 0; k < w->n_jobs; k++) {
        const struct orr_outcome *slow = &out[i], *fast = &out[k];
        if (slow->iteration_ps < fast->iteration_ps) {
            slow = fast;
            fast = &out[i];
        }
        if (k == i || fast->iteration_ps <= 0)
            continue;
        double beat = beat_of(slow->iteration_ps, fast->iteration_ps, m->most);
        uint32_t ignored = slow->iterations / 3;
        if (counted)
            beat -= slow->iterations - ignored;
        most = fmax(most, beat);
    }
    return most;
}

/* A job that does the same again and again is known by its last iteration, but
 * not if it shifts against others: it may be about to meet them. */
static orr_err take_all(const struct orr_world *w, const struct orr_measure *m,
                        struct orr_outcome *out, bool *settled)
{
    orr_err err = ORR_OK;
    *settled = true;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        if (!take_last(w, &w->jobs[i], &out[i]))
            err = measure_job(w, &w->jobs[i], m, &out[i]);
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        if (out[i].exact && beat_with(w, m, out, i, false) > 0)
            err = measure_job(w, &w->jobs[i], m, &out[i]);
    for (uint32_t i = 0; !err && i < w->n_jobs; i++) {
        out[i].settled = out[i].settled && beat_with(w, m, out, i, true) <= 0;
        *settled &= out[i].settled;
    }
    return err;
}

/* The earliest time by which every job may have ended so many iterations. */
static int64_t time_of(const struct orr_world *w, const struct orr_measure *m,
                       const struct orr_outcome *out, uint32_t iterations)
{
    double latest = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        double each = fmax(m->expected_ps[i], out[i].iteration_ps);
        latest = fmax(latest, (double)w->jobs[i].start_ps + iterations * each);
    }
    return latest < (double)ORR_HORIZON ? (int64_t)latest + ORR_US
                                        : ORR_HORIZON;
}

/* When iterations ended: all of them, or as many of them as there is room
 * for. */
static void add_ends(const struct orr_world *w, const struct orr_job *j,
                     struct orr_outcome *o)
{
    o->each = (o->iterations + ORR_ENDS - 1) / ORR_ENDS;
    o->each = o->each ? o->each : 1;
    o->ends = o->iterations / o->each;
    ORR_ASSERT(o->ends <= ORR_ENDS);
    for (uint32_t i = 0; i < o->ends; i++) {
        int64_t last = (int64_t)(i + 1) * o->each - 1;
        int64_t least = (i ? o->end_ps[i - 1] : 0) + o->each * SHORTEST;
        o->end_ps[i] =
            orr__job_end_of(j, w->options.workers, last) - j->start_ps;
        o->end_ps[i] = o->end_ps[i] > least ? o->end_ps[i] : least;
    }
}

/* Computation, marks and retransmissions of an iteration, means over ranks. */
static void add_counts(struct orr_world *w, struct orr_outcome *out)
{
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *j = &w->jobs[i];
        /* ranks may be ahead of others: each counts its own iterations */
        double n = 0, compute = 0;
        for (uint32_t r = 0; j->rank && r < j->ranks; r++) {
            uint32_t own = j->rank[r].iterations;
            n += own;
            compute += own ? (double)j->rank[r].ended.compute_ps / own : 0;
        }
        n = n > 0 ? n / j->ranks : 1;
        out[i].compute_ps = compute / j->ranks;
        out[i].marks = (double)j->marks / n;
        out[i].resent = (double)j->retransmissions / n;
        out[i].bytes = (double)j->bytes_sent / n;
        add_ends(w, j, &out[i]);
    }
}

static uint32_t least_ended(const struct orr_world *w)
{
    uint32_t n = UINT32_MAX;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        uint32_t ended = orr__job_ended(&w->jobs[i]);
        n = ended < n ? ended : n;
    }
    return n;
}

static uint64_t all_ended(const struct orr_world *w)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        n += orr__job_ended(&w->jobs[i]);
    return n;
}

/* The first job of which nothing is known although nothing is left to happen:
 * what its ranks wait for never comes. Or NULL. */
static const struct orr_job *is_stuck(const struct orr_world *w,
                                      const struct orr_outcome *out)
{
    for (uint32_t i = 0; orr__net_ended(w->net) && i < w->n_jobs; i++)
        if (!out[i].iteration_ps)
            return &w->jobs[i];
    return NULL;
}

orr_err orr__subset_measure(orr_experiment *x, const struct orr_measure *m,
                            struct orr_outcome *out, uint64_t *hops,
                            struct orr_report *why)
{
    struct orr_world *w = orr__experiment_inside(x);
    struct orr_net_totals totals;
    struct orr_report late = {0};
    bool settled = false;
    orr_err err = orr__experiment_begin(x, why);
    if (err)
        return err;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        out[i] = (struct orr_outcome){.half = INFINITY};
    uint32_t n = w->n_jobs == 1 ? EQUAL + 1 : FIRST_SAMPLE;
    n = n < m->most ? n : m->most;
    int64_t until = 0,
            step = (int64_t)fmin(slowest_of(m, w->n_jobs), (double)ORR_S);
    uint64_t ended = 0;
    uint32_t barren = 0;
    while (!err && !settled) {
        until = orr__time_add(until, step); /* however long they take */
        if (time_of(w, m, out, n) > until)
            until = time_of(w, m, out, n);
        err = orr__experiment_advance(x, until, why);
        barren = all_ended(w) > ended ? 0 : barren + 1;
        ended = all_ended(w);
        if (barren > PATIENCE)
            step = orr__time_add(step, step);
        if (!err)
            err = take_all(w, m, out, &settled);
        if (err == ORR_ENOMEM)
            orr__fail(why, err, "out of memory");
        if (!err && m->interrupt && *m->interrupt)
            err = orr__fail(why, ORR_EINTERRUPTED, "interrupted");
        if (orr__net_ended(w->net) || (n >= m->most && least_ended(w) >= n))
            break;
        n = least_ended(w) < n ? n : n + n / 2;
        n = n < m->most ? n : m->most;
    }
    const struct orr_job *job = err ? NULL : is_stuck(w, out);
    /* that ranks still wait is no failure: they are left there */
    orr_err e = orr__experiment_end(x, err, &late);
    if (!err && e && (e != ORR_ERUN || job))
        err = orr__fail(why, e, "%s", late.message);
    add_counts(w, out);
    orr__net_totals(w->net, &totals);
    *hops = totals.packet_hops;
    return err;
}
