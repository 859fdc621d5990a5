#include "workload/schedule/fit.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "workload/schedule/branch.h"
#include "workload/schedule/periods.h"

/* Shares that are less are none. */
#define NOTHING 1e-9

/* Rotations that are searched for a part at most, and edges gone along for one;
 * bases between which the least is sought. */
enum { MOST_TRIED = 200, TRIED_OFTEN = 16, HALVINGS = 8 };
#define WORK_TRIED UINT64_C(500000)
/* A base is rounded up to some digits: no period becomes longer by more. */
#define ROUNDED INT64_C(1000000)

/* One part whose periods are to be found. */
struct fit {
    struct orr_circles *c;
    const struct orr_affinity *a;
    uint32_t part;
    bool *in;       /* per job: it is of the part */
    uint32_t *job;  /* scratch: jobs of a group */
    uint32_t *link; /* scratch: links of a part with a loop */
    int64_t *shift; /* scratch: per job */
    struct orr_periods all;
    uint32_t tried, most; /* searches */
    struct orr_report *why;
};

/* ---- what is lost ----------------------------------------------------------
 */

/* At the best rotations of some links, the mean over them. */
static orr_err loss_of(struct fit *f, const uint32_t *which, uint32_t n,
                       double *loss)
{
    uint64_t most = f->c->work ? f->c->work : WORK_TRIED;
    struct orr_branch b = {.circles = f->c,
                           .which = which,
                           .links = n,
                           .job = f->job,
                           .work = most < WORK_TRIED ? most : WORK_TRIED,
                           .loss = INFINITY,
                           .shift = f->shift};
    for (uint32_t j = 0; j < f->c->jobs; j++) {
        bool there = false;
        for (uint32_t l = 0; l < n && !there; l++) {
            const struct orr_shared_link *m = &f->c->shared[which[l]];
            for (uint32_t i = 0; i < m->n && !there; i++)
                there = m->turn[i].job == j;
        }
        if (there)
            f->job[b.jobs++] = j;
    }
    orr_err err = orr__branch(&b, f->why);
    *loss = b.loss / n;
    return err;
}

/* Of the periods that are set: the most of any group of links. */
static orr_err part_loss(struct fit *f, double *loss)
{
    const struct orr_affinity *a = f->a;
    uint32_t n = 0;
    orr_err err = ORR_OK;
    *loss = 0;
    f->tried++;
    for (uint32_t g = 0; g < a->groups && !err; g++) {
        const struct orr_affinity_group *at = &a->group[g];
        double x = 0;
        if (a->part_of[f->c->shared[at->shared[0]].turn[0].job] != f->part)
            continue;
        if (a->part[f->part].loop)
            for (uint32_t i = 0; i < at->n; i++)
                f->link[n++] = at->shared[i];
        else
            err = loss_of(f, at->shared, at->n, &x);
        *loss = x > *loss ? x : *loss;
    }
    if (n && !err)
        err = loss_of(f, f->link, n, loss);
    return err;
}

/* ---- making ----------------------------------------------------------------
 */

/* Freed by the caller even after an error. */
static orr_err begin_fit(struct fit *f, struct orr_circles *c,
                         const struct orr_affinity *a, uint32_t part,
                         struct orr_report *why)
{
    *f = (struct fit){.c = c,
                      .a = a,
                      .part = part,
                      .most = c->work ? TRIED_OFTEN : MOST_TRIED,
                      .why = why};
    f->in = orr__alloc(c->jobs, sizeof *f->in);
    f->job = orr__alloc(c->jobs, sizeof *f->job);
    f->link = orr__alloc(c->n, sizeof *f->link);
    f->shift = orr__alloc(c->jobs, sizeof *f->shift);
    if (!f->in || !f->job || !f->link || !f->shift)
        return orr__no_memory(why);
    for (uint32_t j = 0; j < c->jobs; j++)
        f->in[j] = a->part_of[j] == part;
    return ORR_OK;
}

static void free_fit(struct fit *f)
{
    orr__free(f->in);
    orr__free(f->job);
    orr__free(f->link);
    orr__free(f->shift);
    orr__periods_fini(&f->all);
}

/* A base of few digits, no shorter. */
static int64_t rounded(double base)
{
    int64_t x = (int64_t)ceil(base), step = 1;
    while (x / step > 10 * ROUNDED)
        step *= 10;
    return (x + step - 1) / step * step;
}

/* ---- the least together ----------------------------------------------------
 */

/* Whether a way is worth to be tried: with periods as short its jobs may fit,
 * or its circle is shorter than those of ways that stretch less. */
static bool is_worth(const struct fit *f, const struct orr_multiples *choice,
                     uint32_t *turns)
{
    bool shorter = choice->turns < *turns;
    *turns = shorter ? choice->turns : *turns;
    return shorter
           || orr__periods_room(f->c, f->in, choice)
                  <= (double)choice->base_ps * (1 + NOTHING);
}

/* The multiples with the least stretch and loss together, as far as `most`
 * searches get; *best NULL: none. */
static orr_err choose(struct fit *f, const struct orr_multiples **best)
{
    double least = INFINITY, loss;
    uint32_t turns = UINT32_MAX;
    orr_err err = ORR_OK;
    *best = NULL;
    for (uint32_t i = 0; i < f->all.n && f->tried < f->most && !err; i++) {
        const struct orr_multiples *choice = &f->all.choice[i];
        if (choice->stretch >= least)
            break;
        if (!is_worth(f, choice, &turns)
            || !orr__periods_set(f->c, f->in, choice,
                                 rounded((double)choice->base_ps)))
            continue;
        err = part_loss(f, &loss);
        loss = loss < NOTHING ? 0 : loss;
        if (!err && choice->stretch + loss < least) {
            least = choice->stretch + loss;
            *best = choice;
        }
    }
    return err;
}

orr_err orr__fit_periods(struct orr_circles *c, struct orr_affinity *a,
                         uint32_t part, struct orr_report *why)
{
    const struct orr_multiples *best = NULL;
    struct orr_grid *grid = &a->part[part].grid;
    struct fit f;
    orr_err err = begin_fit(&f, c, a, part, why);
    bool exact = !err && orr__circles_round(c, f.in, 1, grid);
    if (!err && !exact)
        err = orr__periods_list(c, f.in, &f.all, why);
    if (!err && !exact)
        err = choose(&f, &best);
    if (!err && best) {
        int64_t base = rounded((double)best->base_ps);
        *grid = (struct orr_grid){base, best->most};
        (void)orr__periods_set(c, f.in, best, base);
    } else if (!err && !exact && !orr__circles_round(c, f.in, 0, grid)) {
        err = orr__fail(why, ORR_ECONFIG,
                        "the iteration times of jobs with contention have no "
                        "common multiple within the clock");
    }
    free_fit(&f);
    return err;
}

/* ---- turns that hold -------------------------------------------------------
 */

/* What a way's periods with a base cost, the mean over jobs; INFINITY: more
 * than the worst may. */
static double cost_of(const struct fit *f, const struct orr_multiples *choice,
                      double base, const struct orr_fit_limits *limits)
{
    double sum = 0, jobs = 0;
    for (uint32_t j = 0; j < f->c->jobs; j++) {
        if (!f->in[j])
            continue;
        double x =
            base * orr__periods_times(f->c, choice, j) / limits->baseline_ps[j];
        if (x >= limits->worst)
            return INFINITY;
        sum += x;
        jobs++;
    }
    return sum / jobs;
}

static orr_err fits_choice(struct fit *f, const struct orr_multiples *choice,
                           double base, bool *yes)
{
    double loss = INFINITY;
    orr_err err = ORR_OK;
    if (orr__periods_set(f->c, f->in, choice, rounded(base)))
        err = part_loss(f, &loss);
    *yes = loss < NOTHING;
    return err;
}

/* The least base from `low` on to `high` with which a way's jobs fit; INFINITY:
 * there is none. */
static orr_err find_base(struct fit *f, const struct orr_multiples *choice,
                         double low, double high, double *base)
{
    bool yes;
    orr_err err = fits_choice(f, choice, low, &yes);
    *base = yes ? low : INFINITY;
    if (err || yes)
        return err;
    err = fits_choice(f, choice, high, &yes);
    if (err || !yes)
        return err;
    for (int i = 0; i < HALVINGS && !err; i++) {
        double middle = (low + high) / 2;
        err = fits_choice(f, choice, middle, &yes);
        *(yes ? &high : &low) = middle;
    }
    *base = high;
    return err;
}

/* The largest base with which a way costs less than the mean. */
static double highest(const struct fit *f, const struct orr_multiples *choice,
                      double mean, const struct orr_fit_limits *limits)
{
    double high = 0, unit = 0, jobs = 0;
    for (uint32_t j = 0; j < f->c->jobs; j++) {
        if (!f->in[j])
            continue;
        double k = orr__periods_times(f->c, choice, j) / limits->baseline_ps[j];
        high = high > 0 && high < limits->worst / k ? high : limits->worst / k;
        unit += k;
        jobs++;
    }
    return fmin(high, mean * jobs / unit) * (1 - NOTHING);
}

orr_err orr__fit_turns(struct orr_circles *c, const struct orr_affinity *a,
                       uint32_t part, const struct orr_fit_limits *limits,
                       bool *found, struct orr_report *why)
{
    const struct orr_multiples *best = NULL;
    double least = limits->mean, base = 0;
    struct fit f;
    orr_err err = begin_fit(&f, c, a, part, why);
    if (!err)
        err = orr__periods_list(c, f.in, &f.all, why);
    for (uint32_t i = 0; i < f.all.n && f.tried < f.most && !err; i++) {
        const struct orr_multiples *choice = &f.all.choice[i];
        double low = orr__periods_room(c, f.in, choice) * (1 + limits->slack),
               x;
        low = fmax(low, (double)choice->base_ps);
        if (cost_of(&f, choice, low, limits) >= least)
            continue;
        err =
            find_base(&f, choice, low, highest(&f, choice, least, limits), &x);
        if (!err && x < INFINITY && cost_of(&f, choice, x, limits) < least) {
            least = cost_of(&f, choice, x, limits);
            base = x;
            best = choice;
        }
    }
    *found = !err && best && orr__periods_set(c, f.in, best, rounded(base));
    free_fit(&f);
    return err;
}
