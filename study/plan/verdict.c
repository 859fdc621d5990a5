#include "study/plan/verdict.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "record/figures.h"
#include "study/run/entry.h"
#include "workload/job/job.h"
#include "workload/schedule/candidates.h"
#include "workload/schedule/turns.h"

/* A part of a run is of so many iterations of each job behind its warmup. */
enum { LEAST_ITERATIONS = 5 };
/* Iterations that differ by no more from what was expected come true. */
#define TRUE_ENOUGH 0.03
/* Schedules that shorten iterations by less gain nothing. */
#define GAIN 0.005

/* ---- running ----------------------------------------------------------------
 */

/* Until when it is run, ps: to its end, or as long as is cheap; 0: that is too
 * short to tell. */
static orr_err enough(const orr_experiment *x, const struct orr_plan *s,
                      struct orr_verdict *v, int64_t *until,
                      struct orr_report *why)
{
    struct orr_estimate e = {0};
    struct orr_report none = {0};
    orr_err err = orr_experiment_estimate(x, &e, &none);
    *until = 0;
    if (err == ORR_ENOMEM || err == ORR_EINTERRUPTED) {
        *why = none;
        return err;
    }
    if (err || !(e.packet_hops > 0)) /* it cannot be told */
        return ORR_OK;
    v->packet_hops = e.packet_hops;
    *until = ORR_NEVER;
    if (e.packet_hops <= ORR_VERDICT_HOPS)
        return ORR_OK;
    double share = ORR_VERDICT_HOPS / e.packet_hops, end = 0, least = 0;
    v->cut = true;
    v->packet_hops = ORR_VERDICT_HOPS;
    for (uint32_t j = 0; j < s->n; j++) {
        const struct orr_plan_job *p = &s->job[j];
        double start = (double)p->job->start_ps;
        double all = start + p->job->iterations * p->fair_ps;
        double after =
            start + (p->job->warmup + LEAST_ITERATIONS) * p->fair_ps * 2;
        end = all > end ? all : end;
        least = after > least ? after : least;
    }
    *until = share * end >= least ? (int64_t)(share * end) : 0;
    return ORR_OK;
}

/* The means of all jobs, ps; 0: no iteration has ended. */
static orr_err take_means(const orr_experiment *x, double *mean, uint32_t n,
                          struct orr_report *why)
{
    const struct orr_world *w = orr__experiment_world(x);
    for (uint32_t j = 0; j < n; j++) {
        const struct orr_job *job = &w->jobs[j];
        double *room = orr__alloc(job->iterations, sizeof *room);
        if (!room)
            return orr__no_memory(why);
        double ps = orr__figures_iterations(job, room).mean;
        mean[j] = isfinite(ps) ? ps : 0;
        orr__free(room);
    }
    return ORR_OK;
}

/* Runs the configuration with one more setting. A run that fails tells nothing:
 * *ran. */
static orr_err simulate(const struct orr_config_file *file,
                        const struct orr_options *o, const char *set,
                        int64_t until, double *mean, uint32_t n, bool *ran,
                        struct orr_report *why)
{
    struct orr_options with = *o;
    orr_experiment *x = NULL;
    const char **sets = orr__alloc(o->n_sets + 2, sizeof *sets);
    if (!sets)
        return orr__no_memory(why);
    for (size_t i = 0; i < o->n_sets; i++)
        sets[i] = o->sets[i];
    with.sets = sets;
    with.n_sets = o->n_sets;
    sets[with.n_sets++] = "record=none";
    if (set)
        sets[with.n_sets++] = set;
    with.no_output = true;
    struct orr_report failed = {0};
    orr_err err = orr__experiment_load_file(file, &with, NULL, &x, &failed);
    if (!err)
        err = orr__experiment_begin(x, &failed);
    if (!err) {
        err = until == ORR_NEVER ? orr__experiment_finish(x, &failed)
                                 : orr__experiment_advance(x, until, &failed);
        err = orr__experiment_end(x, err, &failed);
    }
    *ran = !err;
    if (!err)
        err = take_means(x, mean, n, why);
    else if (err != ORR_ENOMEM && err != ORR_EINTERRUPTED)
        err = ORR_OK;
    else
        *why = failed;
    orr_experiment_free(x);
    orr__free(sets);
    return err;
}

/* Of the plan, and without a schedule; no placements are chosen then, so that
 * the two cannot be compared where they are. */
static orr_err simulate_both(const struct orr_config_file *file,
                             const struct orr_options *o,
                             const struct orr_plan *s, bool own, int64_t until,
                             struct orr_verdict *v, struct orr_report *why)
{
    double *planned = orr__alloc(s->n, sizeof *planned);
    double *none = orr__alloc(s->n, sizeof *none);
    bool ran = false, too = false,
         chosen = orr__candidates_of(s->world->config);
    orr_err err = planned && none ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = simulate(file, o, own ? "schedule=cassini" : NULL, until, planned,
                       s->n, &ran, why);
    if (!err && ran && !chosen)
        err = simulate(file, o, "schedule=none", until, none, s->n, &too, why);
    for (uint32_t j = 0; j < s->n && !err; j++) {
        v->job[j].planned_ps = ran ? planned[j] : 0;
        v->job[j].none_ps = too ? none[j] : 0;
        if (planned[j] > 0
            && fabs(planned[j] / v->job[j].expected_ps - 1) > TRUE_ENOUGH)
            v->job[j].expected_ps = planned[j];
    }
    if (!ran)
        v->packet_hops = 0;
    orr__free(planned);
    orr__free(none);
    return err;
}

/* ---- judging ----------------------------------------------------------------
 */

/* The mean over jobs of what the plan takes over what none takes; and by how
 * much one is longer than planned at most. */
static double compared(const struct orr_plan *s, struct orr_verdict *v,
                       double *longer)
{
    double sum = 0, jobs = 0;
    *longer = 0;
    for (uint32_t j = 0; j < s->n; j++) {
        const struct orr_verdict_job *x = &v->job[j];
        double planned = x->planned_ps > 0 ? x->planned_ps : x->expected_ps;
        double none = x->none_ps > 0 ? x->none_ps : s->job[j].fair_ps;
        if (s->job[j].unknown)
            continue;
        sum += planned / none;
        if (planned / none > v->none_worst) {
            v->none_worst = planned / none;
            v->worst = j;
        }
        jobs++;
        *longer = fmax(*longer, planned / s->job[j].planned_ps - 1);
    }
    return jobs > 0 ? sum / jobs : 1;
}

/* Whether packets say what it takes without a schedule. */
static bool tried_none(const struct orr_verdict *v)
{
    bool tried = false;
    for (uint32_t j = 0; j < v->n; j++)
        tried = tried || v->job[j].none_ps > 0;
    return tried;
}

static void say_gain(struct orr_text *t, const struct orr_verdict *v,
                     double ratio)
{
    const char *beside =
        tried_none(v) ? "`none`" : "exactly fair shares (`none` was not tried)";
    if (v->gains)
        orr__text_add(t, "; iterations %.1f %% shorter than with %s",
                      100 * (1 - ratio), beside);
    else
        orr__text_add(t, "; no gain over %s (%+.1f %%)", beside,
                      100 * (ratio - 1));
}

/* The sentence in v->says; ratio: planned over none, longer: beyond the
 * plan. */
static void write_sentence(const struct orr_plan *s, struct orr_verdict *v,
                           double ratio, double longer)
{
    struct orr_text t = {0};
    if (!v->holds && !v->refuses)
        orr__text_add(&t,
                      "will not hold: iterations take up to %.1f %% longer "
                      "than planned",
                      100 * longer);
    else if (v->refuses)
        orr__text_add(&t, "turns of some jobs will not hold: expect what "
                          "`none` gives");
    else if (!s->circles.n)
        orr__text_add(&t, "no link is asked for more than its rate");
    else if (s->request.turns)
        orr__text_add(&t, "every iteration is held");
    else
        orr__text_add(&t, "as planned");
    if (!v->holds && !v->gains && !v->refuses)
        orr__text_add(&t, "; expect what `none` gives");
    else if (!v->refuses || tried_none(v))
        say_gain(&t, v, ratio);
    if (v->gains && v->none_worst > 1 + GAIN)
        orr__text_add(&t, ", but %s takes %.1f %% longer",
                      s->job[v->worst].job->name, 100 * (v->none_worst - 1));
    v->says = orr__text_done(&t);
}

static orr_err judge_plan(const struct orr_plan *s, struct orr_verdict *v,
                          struct orr_report *why)
{
    double longer, ratio = compared(s, v, &longer);
    for (uint32_t p = 0; p < s->affinity.parts; p++)
        v->refuses |= orr__plan_refuses(s, p);
    v->holds = !v->refuses && longer <= TRUE_ENOUGH;
    v->gains = ratio < 1 - GAIN;
    write_sentence(s, v, ratio, longer);
    return v->says ? ORR_OK : orr__no_memory(why);
}

orr_err orr__verdict(const struct orr_config_file *file,
                     const struct orr_options *o, const orr_experiment *x,
                     const struct orr_plan *s, bool own,
                     struct orr_verdict *out, struct orr_report *why)
{
    *out = (struct orr_verdict){.n = s->n};
    out->job = orr__alloc(s->n, sizeof *out->job);
    if (!out->job)
        return orr__no_memory(why);
    for (uint32_t j = 0; j < s->n; j++)
        out->job[j].expected_ps = s->job[j].planned_ps;
    int64_t until = 0;
    orr_err err = enough(x, s, out, &until, why);
    if (!err && until)
        err = simulate_both(file, o, s, own, until, out, why);
    else if (!err)
        out->packet_hops = 0;
    return err ? err : judge_plan(s, out, why);
}

void orr__verdict_fini(struct orr_verdict *v)
{
    orr__free(v->job);
    orr__free(v->says);
}
