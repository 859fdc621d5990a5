#include "workload/repeat/sample.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>

#include "core/memory.h"
#include "workload/rank/rank.h"

#define BATCHES 12   /* at most, whose means count as independent */
#define LEAST_P 0.01 /* of a drift as large as was seen, if there were none */

uint32_t orr__job_ended(const struct orr_job *j)
{
    uint32_t low = UINT32_MAX;
    for (uint32_t i = 0; i < j->ranks; i++)
        low =
            j->team->rank[i].iteration < low ? j->team->rank[i].iteration : low;
    return low;
}

int64_t orr__job_end_of(const struct orr_job *j, unsigned workers, int64_t i)
{
    int64_t end = -1;
    if (i < 0)
        return j->start_ps;
    for (unsigned k = 0; k < workers; k++)
        if (j->team->tally[k]->iteration[i].end_ps > end)
            end = j->team->tally[k]->iteration[i].end_ps;
    return end;
}

/* Means of `batches` stretches of as many values each, as near as can be. */
static void means_of(const double *v, size_t n, double *mean, size_t batches)
{
    for (size_t b = 0; b < batches; b++) {
        size_t from = b * n / batches, to = (b + 1) * n / batches;
        mean[b] = gsl_stats_mean(v + from, 1, to - from);
    }
}

/* The slope of a line through the means of batches, from the first to the last.
 * *chance: of one as steep, if there were none. */
static double slope_of(const double *mean, size_t batches, double *p_value)
{
    double x[BATCHES], at, slope, c00, c01, c11, sum;
    for (size_t b = 0; b < batches; b++)
        x[b] = (double)b / (double)(batches - 1);
    gsl_fit_linear(x, 1, mean, 1, batches, &at, &slope, &c00, &c01, &c11, &sum);
    *p_value =
        c11 > 0
            ? 2 * gsl_cdf_tdist_Q(fabs(slope) / sqrt(c11), (double)batches - 2)
            : 0;
    return slope;
}

/* Whether durations have a slope at all. */
static void judge_slope(const double *mean, size_t batches, double tolerance,
                        struct orr_sample *s)
{
    double p_value;
    s->drift_ps = slope_of(mean, batches, &p_value);
    s->stationary =
        fabs(s->drift_ps) <= tolerance * s->mean_ps || p_value > LEAST_P;
}

/* When the first of all ranks began with an iteration, which one has. */
static int64_t begin_of(const struct orr_job *j, unsigned workers, uint32_t i)
{
    int64_t begin = INT64_MAX;
    for (unsigned k = 0; k < workers; k++) {
        int64_t at = j->team->tally[k]->iteration[i].start_ps;
        begin = at >= 0 && at < begin ? at : begin;
    }
    return begin;
}

/* Ranks that wait for one another are ahead by about as much in each iteration;
 * one that waits for nobody, by more and more. v: room for n. */
static double gap_of_ranks(const struct orr_job *j, unsigned workers,
                           uint32_t first, uint32_t n, double *v)
{
    size_t batches = n < BATCHES ? n : BATCHES;
    double mean[BATCHES], slope, p_value;
    for (uint32_t i = 0; i < n; i++)
        v[i] = (double)(orr__job_end_of(j, workers, (int64_t)first + i - 1)
                        - begin_of(j, workers, first + i));
    means_of(v, n, mean, batches);
    slope = slope_of(mean, batches, &p_value);
    if (p_value > LEAST_P)
        return 0;
    return slope * (double)batches / ((double)(batches - 1) * (double)n);
}

/* Half of the interval of the mean, from the means of batches. A long iteration
 * often comes before a short one, so that long batches know more than their
 * number says, and short ones less: the number that says most counts. Twice as
 * much as it says: it is asked again and again, until it is small enough. */
static double half_of(const double *v, size_t n)
{
    static const size_t batches[] = {BATCHES, 8, 6, 4};
    double least = INFINITY, mean[BATCHES];
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        size_t b = batches[i] < n ? batches[i] : n;
        double half;
        means_of(v, n, mean, b);
        half = gsl_cdf_tdist_Qinv(0.025, (double)b - 1)
               * gsl_stats_sd(mean, 1, b) / sqrt((double)b);
        least = half < least ? half : least;
    }
    return 2 * least;
}

orr_err orr__sample(const struct orr_job *j, unsigned workers, uint32_t first,
                    uint32_t n, double tolerance, struct orr_sample *s)
{
    size_t batches = n < BATCHES ? n : BATCHES;
    double mean[BATCHES], *v = orr__alloc(n, sizeof *v);
    if (!v)
        return ORR_ENOMEM;
    *s = (struct orr_sample){.n = n};
    for (uint32_t i = 0; i < n; i++)
        v[i] = (double)(orr__job_end_of(j, workers, (int64_t)first + i)
                        - orr__job_end_of(j, workers, (int64_t)first + i - 1));
    if (n >= 3) {
        s->mean_ps = gsl_stats_mean(v, 1, n);
        s->deviation_ps = gsl_stats_sd(v, 1, n);
        means_of(v, n, mean, batches);
        s->half_ps = half_of(v, n);
        judge_slope(mean, batches, tolerance, s);
        s->apart_ps = gap_of_ranks(j, workers, first, n, v);
    }
    orr__free(v);
    return ORR_OK;
}
