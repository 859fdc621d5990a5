#include "workload/schedule/expect.h"

#include "core/memory.h"
#include "core/none.h"
#include "workload/job/job.h"
#include "workload/schedule/demand.h"
#include "workload/schedule/fluid.h"

/* Few iterations of a fluid stand for many: they vary by so many times as much.
 */
#define SWINGS 2

/* A job as the fluid model wants it; planned: with what the plan gives it. */
static struct orr_fluid_job fluid_job(const struct orr_plan_job *x,
                                      const struct orr_plan *s, bool planned)
{
    struct orr_fluid_job f = {.profile = &x->profile, .weight = 1};
    f.start_ps = x->job->start_ps;
    if (planned && s->request.priorities)
        f.class = x->class;
    if (planned && x->gated) {
        f.period_ps = x->period_ps;
        f.offset_ps = x->offset_ps;
        f.times = x->times;
        f.time_ps = x->time_ps;
    }
    if (planned && x->varies) {
        f.draw = x->varies;
        f.longer_ps = x->swing.longer_ps;
        f.deviation_ps = SWINGS * x->swing.deviation_ps;
    }
    if (planned && x->share > 0)
        f.weight = x->share;
    return f;
}

orr_err orr__plan_expect_part(struct orr_plan *s, uint32_t part, bool planned,
                              struct orr_report *why)
{
    const struct orr_graph *g = s->world->graph;
    struct orr_fluid_job *f = orr__alloc(s->n, sizeof *f);
    uint32_t n = 0;
    if (!f)
        return orr__no_memory(why);
    for (uint32_t j = 0; j < s->n; j++)
        if (s->affinity.part_of[j] == part)
            f[n++] = fluid_job(&s->job[j], s, planned);
    orr_err err = orr__solve_fluid(f, n, g->rate_bps, g->links, NULL,
                                   s->world->options.interrupt, why);
    n = 0;
    for (uint32_t j = 0; j < s->n && !err; j++) {
        struct orr_plan_job *x = &s->job[j];
        if (s->affinity.part_of[j] != part)
            continue;
        *(planned ? &x->planned_ps : &x->fair_ps) = f[n].iteration_ps;
        n++;
    }
    orr__free(f);
    return err;
}

/* What the job takes an iteration with the network to itself: its profile, or
 * the fluid model where its own flows exceed a link. It stands for the other
 * expectations until its part has them. */
static orr_err expect_baseline(struct orr_plan *s, struct orr_plan_job *x,
                               struct orr_report *why)
{
    const struct orr_graph *g = s->world->graph;
    orr_err err = ORR_OK;
    x->baseline_ps = (double)x->profile.iteration_ps;
    if (x->own_demand > ORR_PLAN_TIGHT) {
        struct orr_fluid_job f = fluid_job(x, s, false);
        err = orr__solve_fluid(&f, 1, g->rate_bps, g->links, NULL,
                               s->world->options.interrupt, why);
        x->baseline_ps = f.iteration_ps;
    }
    x->fair_ps = x->planned_ps = x->baseline_ps;
    return err;
}

orr_err orr__plan_expect(struct orr_plan *s, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t j = 0; j < s->n && !err; j++)
        err = expect_baseline(s, &s->job[j], why);
    for (uint32_t p = 0; p < s->affinity.parts && !err; p++) {
        err = orr__plan_expect_part(s, p, false, why);
        if (!err)
            err = orr__plan_expect_part(s, p, true, why);
    }
    return err;
}
