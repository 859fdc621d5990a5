/* Means, their intervals, and differences to a baseline. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "core/assert.h"
#include "study/compare/study.h"

/* Student (1908): t of n - 1 degrees of freedom times the standard deviation of
 * the mean. */
double orr__study_half(const double *v, uint32_t n, double *mean)
{
    *mean = n ? gsl_stats_mean(v, 1, n) : NAN;
    if (n < 2)
        return NAN;
    ORR_ASSERT(isfinite(*mean));
    return gsl_cdf_tdist_Pinv(0.975, n - 1.0) * gsl_stats_sd_m(v, 1, n, *mean)
           / sqrt(n);
}

static const struct orr_trial *trial_of(const struct orr_study_cell *cell,
                                        int64_t seed)
{
    for (uint32_t i = 0; i < cell->trials; i++)
        if (cell->trial[i].seed == seed)
            return cell->trial[i].state == ORR_TRIAL_OK ? &cell->trial[i]
                                                        : NULL;
    return NULL;
}

static bool are_same(const double *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (v[i] != v[0])
            return false;
    return n > 0;
}

/* baseline NULL: the values themselves. */
static struct orr_estimated estimate(const struct orr_study_cell *cell,
                                     const struct orr_study_cell *baseline,
                                     uint32_t measure)
{
    struct orr_estimated e = {.mean = NAN, .half = NAN};
    double own = NAN; /* of the first */
    double *v = orr__alloc(cell->trials, sizeof *v);
    for (uint32_t i = 0; v && i < cell->trials; i++) {
        const struct orr_trial *t = &cell->trial[i];
        const struct orr_trial *other =
            baseline ? trial_of(baseline, t->seed) : NULL;
        if (t->state != ORR_TRIAL_OK || (baseline && !other))
            continue;
        double x = t->value[measure] - (other ? other->value[measure] : 0);
        if (!isfinite(x))
            continue;
        if (e.n == 0)
            own = hypot(t->half[measure], other ? other->half[measure] : 0);
        v[e.n++] = x;
    }
    if (v)
        e.half = orr__study_half(v, e.n, &e.mean);
    if (v && are_same(v, e.n) && !isnan(own))
        e.half = own;
    orr__free(v);
    return e;
}

struct orr_estimated orr__study_estimate(const struct orr_study_cell *cell,
                                         uint32_t measure)
{
    return estimate(cell, NULL, measure);
}

struct orr_estimated orr__study_change(const struct orr_study_cell *cell,
                                       const struct orr_study_cell *baseline,
                                       uint32_t measure)
{
    return estimate(cell, baseline, measure);
}

static int ascending(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int64_t *orr__study_seeds(const struct orr_compare *c, uint32_t *n)
{
    uint32_t most = 0, kept = 0;
    for (uint32_t i = 0; i < c->cells; i++)
        most = c->cell[i].trials > most ? c->cell[i].trials : most;
    /* Trials of a cell are the first of one list, which is as long as the
     * longest. */
    int64_t *seed = orr__alloc(most, sizeof *seed);
    if (!seed)
        return NULL;
    for (uint32_t i = 0; i < c->cells && kept < most; i++)
        if (c->cell[i].trials == most)
            for (; kept < most; kept++)
                seed[kept] = c->cell[i].trial[kept].seed;
    qsort(seed, kept, sizeof *seed, ascending);
    ORR_ASSERT(kept == most);
    *n = kept;
    return seed;
}
