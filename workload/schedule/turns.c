#include "workload/schedule/turns.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "workload/schedule/demand.h"
#include "workload/schedule/expect.h"
#include "workload/schedule/fit.h"

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

/* Jobs that collide in their turns: what periods are longer than would just let
 * them catch up; the share of a link, beside 1 of the others, that one of them
 * may have; by which share of a period they may be late while it is found out;
 * factors that are tried and jobs of a part at most, also where plans are made
 * for every job that comes. */
#define SPARE  0.003
#define UNFAIR 0.333
#define LATE   0.3
enum { FACTORS = 16, FACTORS_OFTEN = 4, MOST = 12, MOST_OFTEN = 6 };

/* While turns are looked for, part by part. It owns the tables, which
 * orr__plan_turns frees; the plan is the caller's and changes. */
struct turns {
    struct orr_plan *plan;
    uint32_t part;
    int64_t *period;          /* per job: of the circles, as they were */
    int64_t *shift;           /* per job: those that are tried */
    double *alone, *latest;   /* per job, ps */
    struct orr_plan_job *was; /* the plan's jobs, before something is tried */
    struct orr_report *why;
};

static bool is_in_turns(const struct turns *t, uint32_t job)
{
    return t->plan->affinity.part_of[job] == t->part;
}

/* What is planned for the jobs of a part, shares of alone. */
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
static orr_err try_gates(struct turns *t, const int64_t *shift, double late)
{
    struct orr_plan *s = t->plan;
    for (uint32_t j = 0; j < s->n; j++) {
        struct orr_plan_job *x = &s->job[j];
        if (!is_in_turns(t, j))
            continue;
        x->gated = true;
        x->late = late;
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
            hold = hold && x->planned_ps <= most * (double)x->period_ps;
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

/* One job gets less of links than the others, or none does (ORR_NONE): what
 * comes of the gates that are set. *holds stays, or becomes false. */
static orr_err expect_with(struct turns *t, uint32_t unlucky, double most,
                           bool *holds)
{
    struct orr_plan *s = t->plan;
    for (uint32_t j = 0; j < s->n; j++)
        t->latest[j] = s->job[j].latest_ps;
    if (unlucky != ORR_NONE)
        s->job[unlucky].share = UNFAIR;
    orr_err err = orr__plan_expect_part(s, t->part, true, t->why);
    if (unlucky != ORR_NONE)
        s->job[unlucky].share = 0;
    for (uint32_t j = 0; j < s->n; j++)
        s->job[j].latest_ps = fmax(s->job[j].latest_ps, t->latest[j]);
    *holds = *holds && all_hold(t, most);
    return err;
}

/* Whether gates that hold do so whoever gets less than his share, as controls
 * do it where jobs collide; `jitter`: only if there is any, and with that. */
static orr_err withstand(struct turns *t, bool jitter, bool *holds)
{
    orr_err err = ORR_OK;
    uint32_t example = 0;
    if (jitter && !set_varies(t, 1))
        return ORR_OK;
    for (uint32_t j = 0; j < t->plan->n && !err && *holds; j++) {
        if (!is_in_turns(t, j))
            continue;
        set_varies(t, jitter ? ++example : 0);
        err = expect_with(t, j, jitter ? VARIES : HOLDS, holds);
    }
    set_varies(t, 0);
    return err ? err : expect_with(t, ORR_NONE, HOLDS, holds);
}

/* Gives the jobs of the part turns with the periods of the circles, if they
 * hold and are worth it. */
static orr_err try_turns(struct turns *t, const int64_t *shift)
{
    struct cost before = cost_of(t);
    remember(t);
    orr_err err = try_gates(t, shift, 0);
    struct cost after = cost_of(t);
    bool kept = after.mean <= HELD;
    if (!kept)
        kept = after.mean < before.mean * GAIN
               && after.worst < before.worst * WORST;
    bool holds = !err && kept && all_hold(t, HOLDS);
    if (!err)
        err = withstand(t, true, &holds);
    if (err || !holds)
        forget(t);
    return err;
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

/* ---- collisions -------------------------------------------------------------
 */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Gates with periods that are longer by a factor and keep their ratios; they
 * stay until they are forgotten. */
static orr_err collide(struct turns *t, double longer, bool *holds)
{
    struct orr_plan *s = t->plan;
    int64_t base = 0;
    bool ok = true;
    for (uint32_t j = 0; j < s->n; j++)
        base = is_in_turns(t, j) ? common_divisor(t->period[j], base) : base;
    double step = ceil((double)base * longer);
    for (uint32_t j = 0; j < s->n; j++) {
        if (!is_in_turns(t, j))
            continue;
        int64_t times = t->period[j] / base;
        double period = (double)times * step;
        ok = ok && period < (double)ORR_HORIZON;
        s->circles.period_ps[j] = ok ? (int64_t)period : t->period[j];
    }
    ok = ok && orr__circles_measure(&s->circles, NULL);
    orr_err err = ok ? rotate(t) : ORR_OK;
    if (ok && !err)
        err = try_gates(t, t->shift, LATE);
    *holds = ok;
    if (*holds && !err)
        err = withstand(t, false, holds);
    if (*holds && !err)
        err = withstand(t, true, holds);
    put_back(t);
    return err;
}

/* The largest factor that is worth it. */
static double highest(const struct turns *t)
{
    struct cost now = cost_of(t);
    double jobs = 0, mean = 0, worst = 0;
    for (uint32_t j = 0; j < t->plan->n; j++) {
        if (!is_in_turns(t, j))
            continue;
        double share = (double)t->period[j] / t->plan->job[j].baseline_ps;
        mean += share;
        worst = share > worst ? share : worst;
        jobs++;
    }
    return fmin(now.mean * GAIN * jobs / mean, now.worst * WORST / worst);
}

/* The first factor with which jobs catch up between collisions, of some up to
 * `high` and evenly apart: they may do so with one that is shorter than another
 * with which they do not. INFINITY: there is none. */
static orr_err find_factor(struct turns *t, double high, double *factor)
{
    int n = t->plan->circles.work ? FACTORS_OFTEN : FACTORS;
    bool holds = false;
    orr_err err = ORR_OK;
    for (int i = 0; i < n && !holds && !err; i++) {
        *factor = 1 + (high - 1) * i / (n - 1);
        err = collide(t, *factor, &holds);
    }
    if (!holds)
        *factor = INFINITY;
    return err;
}

/* To a number that a configuration can say. */
static double round_up(double share)
{
    return fmin(ceil(share * 1e4), 9999) / 1e4;
}

/* What they are late by collisions costs them no turn. */
static void allow_lateness(struct turns *t)
{
    const struct orr_plan *s = t->plan;
    for (uint32_t j = 0; j < s->n; j++) {
        struct orr_plan_job *x = &s->job[j];
        if (is_in_turns(t, j))
            x->late = round_up(s->request.threshold
                               + x->latest_ps / (double)x->period_ps);
    }
}

/* For parts that no rotation suits: periods so long that jobs collide and catch
 * up again. The factor is found without SPARE and planned with it. Leaves the
 * plan as it was where that does not hold, costs too much, or the part has too
 * many jobs to try. */
static orr_err try_collisions(struct turns *t)
{
    const struct orr_plan *s = t->plan;
    uint32_t most = s->circles.work ? MOST_OFTEN : MOST;
    double high = highest(t) / (1 + SPARE), factor = INFINITY;
    bool holds = false;
    orr_err err = ORR_OK;
    remember(t);
    if (high > 1 && s->affinity.part[t->part].jobs <= most)
        err = find_factor(t, high, &factor);
    if (!err && factor <= high)
        err = collide(t, factor * (1 + SPARE), &holds);
    if (!err && holds)
        allow_lateness(t);
    else
        forget(t);
    return err;
}

/* ---- all of it --------------------------------------------------------------
 */

/* The own periods if all fit on each link. If those give the part no turns that
 * it asked for, longer ones without collisions, then with collisions; each
 * replaces the plan before it only if it is enough cheaper. */
static orr_err choose(struct turns *t)
{
    orr_err err = ORR_OK;
    if (fits_circle(t))
        err = try_turns(t, t->plan->affinity.shift);
    bool refused = orr__plan_refuses(t->plan, t->part);
    if (!err && refused)
        err = try_longer(t);
    if (!err && refused)
        err = try_collisions(t);
    return err;
}

orr_err orr__plan_turns(struct orr_plan *s, struct orr_report *why)
{
    struct turns t = {
        .plan = s,
        .period = orr__alloc(s->n, sizeof *t.period),
        .shift = orr__alloc(s->n, sizeof *t.shift),
        .alone = orr__alloc(s->n, sizeof *t.alone),
        .latest = orr__alloc(s->n, sizeof *t.latest),
        .was = orr__alloc(s->n, sizeof *t.was),
        .why = why,
    };
    bool ok = t.period && t.shift && t.alone && t.latest && t.was;
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
    orr__free(t.latest);
    orr__free(t.was);
    return err;
}
