#include "study/cluster/measure.h"

#include <math.h>

#include "core/units.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"
#include "workload/repeat/sample.h"

/* Iterations of the slowest job after which is looked the first time; each
 * next look comes after half as many more. The first third is how it begins,
 * and does not count. */
enum { FIRST_LOOK = 6, LEAST = 4 };
/* Equal iterations in a row, of all jobs, that are taken for periodic. A job
 * alone is looked at as soon as it can have them behind its first one; jobs in
 * company may be about to meet. */
enum { EQUAL = 3 };

static double slowest(const struct orr_measure *m, uint32_t jobs)
{
    double longest = 1;
    for (uint32_t i = 0; i < jobs; i++)
        longest = fmax(longest, m->expected_ps[i]);
    return longest;
}

uint64_t orr__part_iterations(const struct orr_measure *m, uint32_t jobs,
                                 uint32_t job)
{
    /* iterations get longer in company, not shorter by much */
    double n = 2 * (m->most + 2.0) * slowest(m, jobs) /
               fmax(m->expected_ps[job], 1);
    return n < 1000000 ? (uint64_t)n + 1 : 1000000;
}

static int64_t duration(const struct orr_job *j, unsigned workers, int64_t i)
{
    return orr__job_end_of(j, workers, i) - orr__job_end_of(j, workers, i - 1);
}

static bool all_equal(const struct orr_job *j, unsigned workers, uint32_t ended)
{
    for (uint32_t i = 1; i < EQUAL; i++)
        if (ended < EQUAL + 1 ||
            duration(j, workers, ended - 1 - i) !=
                duration(j, workers, ended - 1))
            return false;
    return true;
}

/* What is known of a job by now. */
static orr_err look(const struct orr_world *w, const struct orr_job *j,
                    const struct orr_measure *m, struct orr_outcome *o)
{
    struct orr_sample s;
    uint32_t ended = orr__job_ended(j), first = ended / 3;
    uint32_t n = ended - first;
    o->iterations = ended;
    o->settled = o->exact = all_equal(j, w->workers, ended);
    if (o->exact) {
        o->iteration_ps = (double)duration(j, w->workers, ended - 1);
        o->half = 0;
        return ORR_OK;
    }
    orr_err err = orr__sample(j, w->workers, first, n, m->error, &s);
    if (err || n < 3) {
        o->half = INFINITY;
        return err;
    }
    o->iteration_ps = s.mean_ps;
    o->half = s.half_ps / s.mean_ps;
    o->settled = n >= LEAST && s.stationary && o->half <= m->error;
    return ORR_OK;
}

/* Jobs that take turns come to the same pattern after several iterations, not
 * after one: exact means that all of them do the same again and again. */
static orr_err look_at_all(const struct orr_world *w,
                           const struct orr_measure *m,
                           struct orr_outcome *out, bool *settled)
{
    orr_err err = ORR_OK;
    *settled = true;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++) {
        err = look(w, &w->jobs[i], m, &out[i]);
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

static void add_counts(struct orr_world *w, struct orr_outcome *out)
{
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *j = &w->jobs[i];
        double n = out[i].iterations ? out[i].iterations : 1, compute = 0;
        for (uint32_t r = 0; j->rank && r < j->ranks; r++)
            compute += (double)j->rank[r].ended.compute_ps;
        out[i].compute_ps = compute / j->ranks / n;
        out[i].marks = (double)j->marks / n;
        out[i].resent = (double)j->retransmissions / n;
        out[i].bytes = (double)j->bytes_sent / n;
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

/* The first job of which nothing is known although nothing is left to happen:
 * what its ranks wait for never comes. Or NULL. */
static const struct orr_job *stuck(const struct orr_world *w,
                                   const struct orr_outcome *out)
{
    for (uint32_t i = 0; orr__net_ended(w->net) && i < w->n_jobs; i++)
        if (!out[i].iteration_ps)
            return &w->jobs[i];
    return NULL;
}

orr_err orr__part_measure(orr_experiment *x, const struct orr_measure *m,
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
    uint32_t n = w->n_jobs == 1 ? EQUAL + 1 : FIRST_LOOK;
    n = n < m->most ? n : m->most;
    int64_t until = 0;
    while (!err && !settled) {
        int64_t step = (int64_t)fmin(slowest(m, w->n_jobs), (double)ORR_S);
        until = orr__time_add(until, step); /* however long they take */
        if (time_of(w, m, out, n) > until)
            until = time_of(w, m, out, n);
        err = orr__experiment_advance(x, until, why);
        if (!err)
            err = look_at_all(w, m, out, &settled);
        if (err == ORR_ENOMEM)
            orr__fail(why, err, "out of memory");
        if (!err && m->interrupt && *m->interrupt)
            err = orr__fail(why, ORR_EINTERRUPTED, "interrupted");
        if (orr__net_ended(w->net) || (n >= m->most && least_ended(w) >= n))
            break;
        n = least_ended(w) < n ? n : n + n / 2;
        n = n < m->most ? n : m->most;
    }
    const struct orr_job *job = err ? NULL : stuck(w, out);
    /* that ranks still wait is no failure: they are left there */
    orr_err e = orr__experiment_end(x, err, &late);
    if (!err && e && (e != ORR_ERUN || job))
        err = orr__fail(why, e, "%s", late.message);
    add_counts(w, out);
    orr__net_totals(w->net, &totals);
    *hops = totals.packet_hops;
    return err;
}
