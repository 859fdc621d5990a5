#include "workload/schedule/expect.h"

#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "workload/job/job.h"
#include "workload/schedule/demand.h"
#include "workload/schedule/fit.h"
#include "workload/schedule/fluid.h"

/* A circle that lacks less has room for all. */
#define LACKS 1e-6
/* Jobs that fit as they are get their turns for so much at most: what is
 * expected without gates may be less, but nothing keeps it so. */
#define HELD 1.02
/* Turns for which periods are longer have to be worth so much, the mean over
 * jobs, and may cost the job that loses most so much more. */
#define GAIN  0.998
#define WORST 1.01
/* An iteration that takes longer than its gate's period does not hold. */
#define HOLDS 1.001

/* A job as the fluid model wants it; planned: with what the plan gives it. */
static struct orr_fluid_job fluid_job(const struct orr_plan_job *x,
                                      const struct orr_plan *s, bool planned)
{
    struct orr_fluid_job f = {.profile = &x->profile, .weight = 1};
    f.start_ps = x->job->start_ps;
    if (planned && s->wish.priorities)
        f.class = x->class;
    if (planned && x->gated) {
        f.period_ps = x->period_ps;
        f.offset_ps = x->offset_ps;
    }
    return f;
}

/* Of the jobs of one part, all at once. */
static orr_err expect(struct orr_plan *s, uint32_t part, bool planned,
                      struct orr_fluid_job *f, struct orr_report *why)
{
    const struct orr_graph *g = s->world->graph;
    uint32_t n = 0;
    for (uint32_t j = 0; j < s->n; j++)
        if (s->affinity.part_of[j] == part)
            f[n++] = fluid_job(&s->job[j], s, planned);
    orr_err err = orr__fluid(f, n, g->rate_bps, g->links, NULL,
                             s->world->options.interrupt, why);
    n = 0;
    for (uint32_t j = 0; j < s->n && !err; j++)
        if (s->affinity.part_of[j] == part) {
            double t = f[n++].iteration_ps;
            *(planned ? &s->job[j].planned_ps : &s->job[j].fair_ps) = t;
        }
    return err;
}

/* ---- turns ------------------------------------------------------------------
 */

/* What is planned for the jobs of a part, shares of alone. */
struct cost {
    double mean, worst;
    bool holds; /* nobody takes longer than the period of his gate */
};

/* Mean and worst slowdown of a part's jobs; holds: each is within its
 * period. */
static struct cost cost_of(const struct orr_plan *s, uint32_t part)
{
    struct cost c = {.holds = true};
    double jobs = 0;
    for (uint32_t j = 0; j < s->n; j++) {
        const struct orr_plan_job *x = &s->job[j];
        if (s->affinity.part_of[j] != part)
            continue;
        double share = x->planned_ps / x->alone_ps;
        c.mean += share;
        c.worst = share > c.worst ? share : c.worst;
        c.holds = c.holds && x->planned_ps <= HOLDS * (double)x->period_ps;
        jobs++;
    }
    c.mean /= jobs;
    return c;
}

static bool fits(const struct orr_plan *s, uint32_t part)
{
    for (uint32_t i = 0; i < s->circles.n; i++) {
        const struct orr_shared_link *m = &s->circles.meeting[i];
        if (s->affinity.part_of[m->turn[0].job] == part
            && orr__circle_score(&s->circles, m, s->affinity.shift) < 1 - LACKS)
            return false;
    }
    return true;
}

/* Gives the jobs of a part the turns of a solution, if they hold and are worth
 * it. Periods are those of the circles. */
static orr_err try_turns(struct orr_plan *s, uint32_t part,
                         const struct orr_affinity *a, struct orr_fluid_job *f,
                         struct orr_report *why)
{
    struct cost before = cost_of(s, part);
    struct orr_plan_job *was = orr__alloc(s->n, sizeof *was);
    if (!was)
        return orr__no_memory(why);
    memcpy(was, s->job, s->n * sizeof *was);
    for (uint32_t j = 0; j < s->n; j++) {
        struct orr_plan_job *x = &s->job[j];
        if (s->affinity.part_of[j] != part)
            continue;
        x->gated = true;
        x->period_ps = s->circles.period_ps[j];
        x->offset_ps =
            (a->shift[j] + orr__profile_first(&x->profile)) % x->period_ps;
        x->stretch = (double)x->period_ps / (double)was[j].period_ps;
    }
    orr_err err = expect(s, part, true, f, why);
    struct cost after = cost_of(s, part);
    bool kept = after.mean <= HELD;
    if (!kept)
        kept = after.mean < before.mean * GAIN
               && after.worst < before.worst * WORST;
    if (err || !after.holds || !kept)
        memcpy(s->job, was, s->n * sizeof *was);
    orr__free(was);
    return err;
}

bool orr__plan_refuses(const struct orr_plan *s, uint32_t part)
{
    for (uint32_t j = 0; j < s->n; j++)
        if (s->affinity.part_of[j] == part)
            return s->wish.turns && !s->job[j].gated;
    return false;
}

/* Finds longer periods for the parts that got no turns as they are, and sets
 * them of the circles. */
static orr_err find_longer(struct orr_plan *s, double *alone, bool *longer,
                           struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t j = 0; j < s->n; j++)
        alone[j] = s->job[j].alone_ps;
    for (uint32_t p = 0; p < s->affinity.parts && !err; p++) {
        struct cost now = cost_of(s, p);
        const struct orr_fit_limits limits = {alone, now.mean * GAIN,
                                              now.worst * WORST, s->wish.slack};
        if (orr__plan_refuses(s, p))
            err = orr__fit_turns(&s->circles, &s->affinity, p, &limits,
                                 &longer[p], why);
    }
    return err;
}

/* The scores and rotations that are told stay those of the parts' own periods:
 * the circles are as they were afterwards. */
static orr_err try_longer(struct orr_plan *s, struct orr_fluid_job *f,
                          const bool *longer, const int64_t *period,
                          struct orr_report *why)
{
    struct orr_affinity second = {0};
    for (uint32_t j = 0; j < s->n; j++) {
        uint32_t p = s->affinity.part_of[j];
        if (p == ORR_NONE || !longer[p])
            s->circles.period_ps[j] = period[j];
    }
    bool ok = orr__circles_measure(&s->circles, NULL);
    orr_err err = ok ? orr__affinity_solve(&s->circles, ORR_GRID_KEPT,
                                           s->world->seed, &second, why)
                     : ORR_OK;
    for (uint32_t p = 0; p < s->affinity.parts && ok && !err; p++)
        if (longer[p])
            err = try_turns(s, p, &second, f, why);
    orr__affinity_fini(&second);
    memcpy(s->circles.period_ps, period, s->n * sizeof *period);
    (void)orr__circles_measure(&s->circles, NULL);
    return err;
}

/* Per part, whether turns are worth it; then the same with longer periods where
 * they do not fit. */
static orr_err choose_turns(struct orr_plan *s, struct orr_fluid_job *f,
                            struct orr_report *why)
{
    int64_t *period = orr__alloc(s->n, sizeof *period);
    double *alone = orr__alloc(s->n, sizeof *alone);
    bool *longer = orr__alloc(s->affinity.parts, sizeof *longer);
    orr_err err = period && alone && longer ? ORR_OK : orr__no_memory(why);
    if (!err)
        memcpy(period, s->circles.period_ps, s->n * sizeof *period);
    for (uint32_t p = 0; p < s->affinity.parts && !err; p++)
        if (fits(s, p))
            err = try_turns(s, p, &s->affinity, f, why);
    if (!err)
        err = find_longer(s, alone, longer, why);
    if (!err)
        err = try_longer(s, f, longer, period, why);
    orr__free(period);
    orr__free(alone);
    orr__free(longer);
    return err;
}

/* ---- all of it --------------------------------------------------------------
 */

/* A job's own messages may contend with one another: then its baseline is by
 * the fluid model. */
static orr_err expect_alone(struct orr_plan *s, struct orr_plan_job *x,
                            struct orr_report *why)
{
    const struct orr_graph *g = s->world->graph;
    orr_err err = ORR_OK;
    x->alone_ps = (double)x->profile.iteration_ps;
    if (x->own_demand > ORR_PLAN_TIGHT) {
        struct orr_fluid_job f = fluid_job(x, s, false);
        err = orr__fluid(&f, 1, g->rate_bps, g->links, NULL,
                         s->world->options.interrupt, why);
        x->alone_ps = f.iteration_ps;
    }
    x->fair_ps = x->planned_ps = x->alone_ps;
    return err;
}

orr_err orr__plan_expect(struct orr_plan *s, struct orr_report *why)
{
    struct orr_fluid_job *f = orr__alloc(s->n, sizeof *f);
    orr_err err = f ? ORR_OK : orr__no_memory(why);
    for (uint32_t j = 0; j < s->n && !err; j++)
        err = expect_alone(s, &s->job[j], why);
    for (uint32_t p = 0; p < s->affinity.parts && !err; p++) {
        err = expect(s, p, false, f, why);
        if (!err)
            err = expect(s, p, true, f, why);
    }
    if (!err && s->wish.turns)
        err = choose_turns(s, f, why);
    orr__free(f);
    return err;
}
