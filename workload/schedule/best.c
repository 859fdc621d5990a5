#include "workload/schedule/best.h"

#include "core/memory.h"
#include "net/config/config.h"
#include "workload/schedule/demand.h"
#include "workload/schedule/fluid.h"
#include "workload/schedule/plan.h"

/* Whether its own messages ask for more than some link has. */
static bool exceeds(const struct orr_world *w, const struct orr_profile *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if ((double)orr__demand_peak(&p->link[i])
            > ORR_PLAN_TIGHT * (double)w->graph->rate_bps[p->link[i].link])
            return true;
    return false;
}

/* An iteration by these ways (NULL: the job's own). Where messages of its own
 * meet, what they take together is worked out, too. */
static orr_err iteration_by(const struct orr_world *w, const struct orr_job *j,
                            const struct orr_path_table *table,
                            struct orr_outline *o, double *ps,
                            struct orr_report *why)
{
    const struct orr_path_table none = {0};
    struct orr_paths_by by = {w, j, table ? table : &none};
    const struct orr_message_paths paths = {orr__path_choice_by, &by};
    struct orr_profile p = {0};
    struct orr_fluid_job f = {.profile = &p, .weight = 1};
    orr_err err = orr__outline_by(w, j, &paths, o, why);
    if (!err)
        err = orr__demand(w, j, o, &paths, &p, why);
    f.iteration_ps = (double)p.iteration_ps;
    if (!err && exceeds(w, &p))
        err = orr__solve_fluid(&f, 1, w->graph->rate_bps, w->graph->links, NULL,
                               w->options.interrupt, why);
    *ps = f.iteration_ps;
    orr__profile_fini(&p);
    return err;
}

/* First by load, job alone, then improved until nothing gets better. */
static orr_err choose(const struct orr_world *w, const struct orr_job *j,
                      const struct orr_outline *o, struct orr_path_table *paths,
                      struct orr_report *why)
{
    double *load = orr__alloc(w->graph->links, sizeof *load);
    orr_err err =
        load ? orr__path_choice_list(w, j, o, paths, why) : orr__no_memory(why);
    if (!err)
        err = orr__path_choice_choose(w, j, o->iteration_ps, paths, load, why);
    if (!err)
        err = orr__path_choice_improve(w, j, o->iteration_ps, paths, load, why);
    orr__free(load);
    return err;
}

static void keep_own(struct orr_best *b)
{
    orr__path_choice_fini(&b->paths);
    b->paths = (struct orr_path_table){0};
    b->best_ps = b->own_ps;
}

orr_err orr__best_paths(const struct orr_world *w, const struct orr_job *j,
                        struct orr_best *out, struct orr_report *why)
{
    const struct orr_net_config *c = w->net_config;
    struct orr_outline o = {0}, by_best = {0};
    *out = (struct orr_best){0};
    orr_err err = iteration_by(w, j, NULL, &o, &out->own_ps, why);
    out->best_ps = out->own_ps;
    if (!err && !c->moves && !c->detours) {
        err = choose(w, j, &o, &out->paths, why);
        if (!err && out->paths.n)
            err = iteration_by(w, j, &out->paths, &by_best, &out->best_ps, why);
        if (!err && !(out->best_ps < out->own_ps))
            keep_own(out);
    }
    if (err == ORR_ERUN) { /* it does not come to an end, or is too large */
        keep_own(out);
        out->own_ps = out->best_ps = 0;
        err = ORR_OK;
    }
    orr__outline_fini(&o);
    orr__outline_fini(&by_best);
    return err;
}

orr_err orr__plan_best(struct orr_plan *s, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t j = 0; j < s->n && !err; j++) {
        struct orr_plan_job *x = &s->job[j];
        struct orr_best b;
        if (x->given || x->unknown)
            continue;
        err = orr__best_paths(s->world, x->job, &b, why);
        /* those chosen with others in mind may be the best, too */
        x->best_ps = b.best_ps < x->baseline_ps ? b.best_ps : x->baseline_ps;
        orr__best_fini(&b);
    }
    return err;
}

void orr__best_fini(struct orr_best *b)
{
    orr__path_choice_fini(&b->paths);
}
