#include "workload/schedule/turns.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "workload/schedule/demand.h"
#include "workload/schedule/expect.h"
#include "workload/schedule/fit.h"
#include "workload/schedule/uneven.h"

/* A circle that lacks less has room for all. */
#define LACKS 1e-6
/* Jobs that fit as they are get their turns for so much at most: what is
 * expected without gates may be less, but nothing keeps it so. */
#define HELD 1.02
/* Turns for which periods are longer have to be worth so much, the mean over
 * jobs, and may cost the job that loses most so much more. */
#define GAIN  0.998
#define WORST 1.01
/* An iteration that takes longer than its gate's period does not hold; the mean
 * of some that vary may by this. */
#define HOLDS  1.001
#define VARIES 1.004

/* Where jobs collide by jitter one of them may have this share of a link beside
 * 1 of the others. */
#define UNFAIR 0.333
/* Turns that are not evenly apart: jobs of a part at most, orders and factors
 * that are tried, and comparisons of phases that a factor may take; also where
 * plans are made for every job that comes. */
enum { MOST = 12, MOST_OFTEN = 6, ORDERS = 32, ORDERS_OFTEN = 8 };
enum { FACTORS = 8, FACTORS_OFTEN = 3 };
/* With jitter messages may be late by so many of its standard deviations
 * without coming into the next turn. */
#define GUARD      3
#define WORK       UINT64_C(20000000)
#define WORK_OFTEN UINT64_C(500000)

/* While turns are looked for, part by part. It owns the tables, which
 * orr__plan_turns frees; the plan is the caller's and changes. */
struct turns {
    struct orr_plan *plan;
    uint32_t part;
    int64_t *period;          /* per job: of the circles, as they were */
    int64_t *shift;           /* per job: those that are tried */
    double *alone;            /* per job, ps */
    struct orr_plan_job *was; /* the plan's jobs, before something is tried */
    struct orr_report *why;
};

static bool is_in_turns(const struct turns *t, uint32_t job)
{
    return t->plan->affinity.part_of[job] == t->part;
}

/* What is planned for the jobs of a part, shares of baselines. */
struct cost {
    double mean, worst;
};

/* The mean and the worst of the jobs of this part, as they are planned now; 1:
 * as with the network to oneself. */
static struct cost cost_of(const struct turns *t)
{
    struct cost c = {0};
    double jobs = 0;
    for (uint32_t j = 0; j < t->plan->n; j++) {
        const struct orr_plan_job *x = &t->plan->job[j];
        if (!is_in_turns(t, j))
            continue;
        double share = x->planned_ps / x->baseline_ps;
        c.mean += share;
        c.worst = share > c.worst ? share : c.worst;
        jobs++;
    }
    c.mean /= jobs;
    return c;
}

static bool fits_circle(const struct turns *t)
{
    const struct orr_plan *s = t->plan;
    for (uint32_t i = 0; i < s->circles.n; i++) {
        const struct orr_shared_link *m = &s->circles.shared[i];
        if (is_in_turns(t, m->turn[0].job)
            && orr__circle_score(&s->circles, m, s->affinity.shift) < 1 - LACKS)
            return false;
    }
    return true;
}

/* ---- trying -----------------------------------------------------------------
 */

/* The periods of the circles and some shifts as gates of the part's jobs, and
 * what comes of them. */
static orr_err try_gates(struct turns *t, const int64_t *shift)
{
    struct orr_plan *s = t->plan;
    for (uint32_t j = 0; j < s->n; j++) {
        struct orr_plan_job *x = &s->job[j];
        if (!is_in_turns(t, j))
            continue;
        x->gated = true;
        x->times = 0;
        x->period_ps = s->circles.period_ps[j];
        x->offset_ps =
            (shift[j] + orr__profile_first(&x->profile)) % x->period_ps;
        x->stretch = (double)x->period_ps / (double)t->period[j];
    }
    return orr__plan_expect_part(s, t->part, true, t->why);
}

static void remember(struct turns *t)
{
    memcpy(t->was, t->plan->job, t->plan->n * sizeof *t->was);
}

static void forget(struct turns *t)
{
    memcpy(t->plan->job, t->was, t->plan->n * sizeof *t->was);
}

static bool all_hold(const struct turns *t, double most)
{
    bool hold = true;
    for (uint32_t j = 0; j < t->plan->n; j++) {
        const struct orr_plan_job *x = &t->plan->job[j];
        if (is_in_turns(t, j))
            hold = hold && x->planned_ps <= most * orr__plan_turn_ps(x);
    }
    return hold;
}

/* Of which example of jitter iterations are expected; whether there is any. */
static bool set_varies(struct turns *t, uint32_t example)
{
    bool any = false;
    for (uint32_t j = 0; j < t->plan->n; j++) {
        struct orr_plan_job *x = &t->plan->job[j];
        if (!is_in_turns(t, j))
            continue;
        x->varies = example;
        any = any || x->swing.deviation_ps > 0;
    }
    return any;
}

/* Whether gates that hold do so with jitter, if there is any, whoever gets less
 * than his share, as controls do it where jobs collide. */
static orr_err withstand(struct turns *t, bool *holds)
{
    struct orr_plan *s = t->plan;
    orr_err err = ORR_OK;
    uint32_t example = 0;
    if (!set_varies(t, 1))
        return ORR_OK;
    for (uint32_t j = 0; j < s->n && !err && *holds; j++) {
        if (!is_in_turns(t, j))
            continue;
        set_varies(t, ++example);
        s->job[j].share = UNFAIR;
        err = orr__plan_expect_part(s, t->part, true, t->why);
        s->job[j].share = 0;
        *holds = *holds && all_hold(t, VARIES);
    }
    set_varies(t, 0);
    if (!err)
        err = orr__plan_expect_part(s, t->part, true, t->why);
    *holds = *holds && all_hold(t, HOLDS);
    return err;
}

/* Gates are set, and what comes of them is expected: keeps them if they hold
 * and are worth it, else what was remembered, which cost `before`. */
static orr_err keep_turns(struct turns *t, struct cost before)
{
    struct cost after = cost_of(t);
    bool kept = after.mean <= HELD;
    if (!kept)
        kept = after.mean < before.mean * GAIN
               && after.worst < before.worst * WORST;
    bool holds = kept && all_hold(t, HOLDS);
    orr_err err = withstand(t, &holds);
    if (err || !holds)
        forget(t);
    return err;
}

/* Gives the jobs of the part turns with the periods of the circles, if they
 * hold and are worth it. */
static orr_err try_turns(struct turns *t, const int64_t *shift)
{
    struct cost before = cost_of(t);
    remember(t);
    orr_err err = try_gates(t, shift);
    return err ? err : keep_turns(t, before);
}

bool orr__plan_refuses(const struct orr_plan *s, uint32_t part)
{
    for (uint32_t j = 0; j < s->n; j++)
        if (s->affinity.part_of[j] == part)
            return s->request.turns && !s->job[j].gated;
    return false;
}

/* ---- longer periods ---------------------------------------------------------
 */

/* The scores and rotations that are told stay those of the part's own periods:
 * the circles are as they were afterwards. */
static void put_back(struct turns *t)
{
    struct orr_circles *c = &t->plan->circles;
    memcpy(c->period_ps, t->period, t->plan->n * sizeof *t->period);
    (void)orr__circles_measure(c, NULL);
}

static orr_err rotate(struct turns *t)
{
    return orr__affinity_turn(&t->plan->circles, &t->plan->affinity, t->part,
                              t->plan->world->seed, t->shift, t->why);
}

/* Periods with which no link is exceeded. */
static orr_err try_longer(struct turns *t)
{
    struct orr_plan *s = t->plan;
    struct cost now = cost_of(t);
    const struct orr_fit_limits limits = {t->alone, now.mean * GAIN,
                                          now.worst * WORST, s->request.slack};
    bool found;
    orr_err err = orr__fit_turns(&s->circles, &s->affinity, t->part, &limits,
                                 &found, t->why);
    bool ok = !err && found && orr__circles_measure(&s->circles, NULL);
    if (ok)
        err = rotate(t);
    if (ok && !err)
        err = try_turns(t, t->shift);
    put_back(t);
    return err;
}

/* ---- uneven turns -----------------------------------------------------------
 */

/* Turns that are not evenly apart as gates of the part's jobs, and what comes
 * of them. */
static orr_err set_uneven(struct turns *t, const struct orr_uneven *r)
{
    struct orr_plan *s = t->plan;
    for (uint32_t j = 0; j < s->n; j++) {
        struct orr_plan_job *x = &s->job[j];
        if (!is_in_turns(t, j))
            continue;
        x->gated = true;
        x->period_ps = r->period_ps;
        x->offset_ps = r->time_ps[j][0];
        x->times = r->times[j];
        for (uint32_t i = 0; i < x->times; i++)
            x->time_ps[i] = r->time_ps[j][i] - x->offset_ps;
        x->stretch = orr__plan_turn_ps(x) / (double)t->period[j];
    }
    return orr__plan_expect_part(s, t->part, true, t->why);
}

/* Looks for turns with all times longer by a factor, and keeps them if they
 * hold and are worth it: *kept. */
static orr_err find_uneven(struct turns *t, struct orr_uneven_job *job,
                           double factor, struct orr_uneven *r, bool *kept)
{
    const struct orr_plan *s = t->plan;
    bool often = s->circles.work;
    for (uint32_t j = 0; j < s->n; j++) {
        const struct orr_plan_job *x = &s->job[j];
        double iteration = (double)s->circles.iteration_ps[j] * factor;
        job[j] = (struct orr_uneven_job){
            .baseline_ps = t->alone[j],
            .first_ps = orr__profile_first(&x->profile),
            .iteration_ps = (int64_t)fmin(iteration, (double)ORR_HORIZON),
            .longer = (x->given ? 1 : 1 + s->request.slack) * factor,
            .late_ps = (int64_t)(GUARD * x->swing.deviation_ps),
        };
    }
    orr_err err = orr__uneven_find(&s->circles, &s->affinity, t->part, job,
                                   often ? ORDERS_OFTEN : ORDERS,
                                   often ? WORK_OFTEN : WORK, r, t->why);
    if (err || !r->period_ps)
        return err;
    struct cost before = cost_of(t);
    remember(t);
    err = set_uneven(t, r);
    if (!err)
        err = keep_turns(t, before);
    *kept = !err && !orr__plan_refuses(s, t->part);
    return err;
}

/* With jitter, longer ones up to where they cost what there is now. */
static orr_err find_longer(struct turns *t, struct orr_uneven_job *job,
                           struct orr_uneven *r)
{
    int n = t->plan->circles.work ? FACTORS_OFTEN : FACTORS;
    double now = cost_of(t).mean;
    bool kept = false;
    orr_err err = find_uneven(t, job, 1, r, &kept);
    double high = !err && r->period_ps ? now * GAIN / r->cost : 1;
    bool longer = set_varies(t, 0) && high > 1;
    for (int i = 1; longer && i < n && !kept && !err; i++)
        err = find_uneven(t, job, 1 + (high - 1) * i / n, r, &kept);
    return err;
}

/* Turns that are not evenly apart, if the part has not too many jobs. */
static orr_err try_uneven(struct turns *t)
{
    const struct orr_plan *s = t->plan;
    uint32_t most = s->circles.work ? MOST_OFTEN : MOST;
    if (s->affinity.part[t->part].jobs > most)
        return ORR_OK;
    struct orr_uneven_job *job = orr__alloc(s->n, sizeof *job);
    struct orr_uneven r = {
        .times = orr__alloc(s->n, sizeof *r.times),
        .time_ps = orr__alloc(s->n, sizeof *r.time_ps),
    };
    bool ok = job && r.times && r.time_ps;
    orr_err err = ok ? find_longer(t, job, &r) : orr__no_memory(t->why);
    orr__free(job);
    orr__free(r.times);
    orr__free(r.time_ps);
    return err;
}

/* ---- all of it --------------------------------------------------------------
 */

/* The own periods if all fit on each link. If those give the part no turns that
 * it asked for, longer ones without collisions, turns that are not evenly
 * apart, then longer periods with collisions; each replaces the plan before it
 * only if it is enough cheaper. */
static orr_err choose(struct turns *t)
{
    orr_err err = ORR_OK;
    if (fits_circle(t))
        err = try_turns(t, t->plan->affinity.shift);
    bool refused = orr__plan_refuses(t->plan, t->part);
    if (!err && refused)
        err = try_longer(t);
    if (!err && refused)
        err = try_uneven(t);
    return err;
}

orr_err orr__plan_turns(struct orr_plan *s, struct orr_report *why)
{
    struct turns t = {
        .plan = s,
        .period = orr__alloc(s->n, sizeof *t.period),
        .shift = orr__alloc(s->n, sizeof *t.shift),
        .alone = orr__alloc(s->n, sizeof *t.alone),
        .was = orr__alloc(s->n, sizeof *t.was),
        .why = why,
    };
    bool ok = t.period && t.shift && t.alone && t.was;
    orr_err err = ok ? ORR_OK : orr__no_memory(why);
    for (uint32_t j = 0; j < s->n && ok; j++) {
        t.period[j] = s->circles.period_ps[j];
        t.alone[j] = s->job[j].baseline_ps;
    }
    for (; t.part < s->affinity.parts && !err; t.part++)
        err = choose(&t);
    orr__free(t.period);
    orr__free(t.shift);
    orr__free(t.alone);
    orr__free(t.was);
    return err;
}
