#include "core/statistics.h"
#include "core/assert.h"

#include <math.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* Rank ceil(percent * n / 100), counted from 1. */
static double percentile(const double *sorted, size_t n, size_t percent)
{
    ORR_ASSERT(n > 0 && percent <= 100);
    size_t whole = n / 100 * percent;
    size_t rank = whole + (n % 100 * percent + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

struct orr_statistics orr__statistics(double *v, size_t n)
{
    if (n == 0)
        return (struct orr_statistics){0,   NAN, NAN, NAN, NAN,
                                       NAN, NAN, NAN, NAN};
    gsl_sort(v, 1, n);
    return (struct orr_statistics){
        .n = n,
        .mean = gsl_stats_mean(v, 1, n),
        .p10 = percentile(v, n, 10),
        .p50 = percentile(v, n, 50),
        .p90 = percentile(v, n, 90),
        .p95 = percentile(v, n, 95),
        .p99 = percentile(v, n, 99),
        .min = v[0],
        .max = v[n - 1],
    };
}
