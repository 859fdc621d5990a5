#include "formats/pcap/period.h"

#include <math.h>

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>

#include "core/libraries.h"
#include "core/memory.h"

#define LEAST 0.6 /* correlation of a period */
#define CLEAR 0.8 /* with which no more is smoothed */
/* Smoothed, the signal still has so many values of its own: noise of fewer has
 * peaks as well. And it is smoothed a little in any case: packets of a burst
 * follow one another in steps of their own. */
enum { APART = 512, FINE = 8192 };
#define AS_HIGH 0.85 /* of the highest peak: a shorter period is as good */

/* Sum of a[i] a[i + k] for each k < n, into a, which has room for 2^m >= 2n.
 * False: GSL refuses. */
static bool correlate(double *a, size_t size)
{
    if (gsl_fft_real_radix2_transform(a, 1, size) != 0)
        return false;
    a[0] *= a[0];
    a[size / 2] *= a[size / 2];
    for (size_t i = 1; i < size / 2; i++) {
        a[i] = a[i] * a[i] + a[size - i] * a[size - i];
        a[size - i] = 0;
    }
    return gsl_fft_halfcomplex_radix2_inverse(a, 1, size) == 0;
}

/* The same where each bin counts for its neighbours, `width` of them to each
 * side, too: for bursts that come early and late. out: room for n. */
static void smooth(const double *a, size_t n, size_t width, double *out)
{
    double sum = 0;
    for (size_t k = 0; k <= 2 * width; k++)
        sum += a[k < width ? width - k : k - width]; /* it is symmetric */
    for (size_t k = 0; k < n; k++) {
        out[k] = sum;
        size_t leaves = k < width ? width - k : k - width;
        sum += (k + width + 1 < n ? a[k + width + 1] : 0) - a[leaves];
    }
}

/* Correlation at a distance, as a share of what the bins that overlap could
 * have. */
static double share_at(const double *a, size_t n, size_t k)
{
    return a[k] / a[0] * (double)n / (double)(n - k);
}

static bool is_peak(const double *a, size_t n, size_t k)
{
    double here = share_at(a, n, k);
    return here >= share_at(a, n, k - 1) && here >= share_at(a, n, k + 1);
}

/* The first peak that is as high as any, beyond where the signal first has
 * nothing to do with itself. 0: none. */
static size_t first_peak(const double *a, size_t n)
{
    double highest = LEAST;
    size_t from = 1, last = n / 2;
    while (from < last && a[from] > 0)
        from++;
    for (size_t k = from + 1; k + 1 < last; k++)
        if (is_peak(a, n, k))
            highest = fmax(highest, share_at(a, n, k));
    for (size_t k = from + 1; k + 1 < last; k++)
        if (is_peak(a, n, k) && share_at(a, n, k) >= AS_HIGH * highest)
            return k;
    return 0;
}

/* Peaks at multiples say it more exactly: the last one that is there. */
static double refine(const double *a, size_t n, size_t peak)
{
    double length = (double)peak;
    for (size_t m = 2; (double)m * length < (double)n * 0.5; m++) {
        size_t middle = (size_t)rint((double)m * length), best = middle;
        size_t reach = peak / 8 + 1;
        for (size_t k = middle - reach; k <= middle + reach && k + 1 < n; k++)
            if (share_at(a, n, k) > share_at(a, n, best))
                best = k;
        length = (double)best / (double)m;
    }
    return length;
}

/* As little smoothing as gives a clear peak; else the one with the highest. */
static void choose_peak(const double *a, size_t n, double *room,
                        struct orr_period *p)
{
    for (size_t width = n / FINE;
         (2 * width + 1) * APART <= n && p->correlation < CLEAR;
         width = width ? 2 * width : 1) {
        smooth(a, n, width, room);
        size_t peak = room[0] > 0 ? first_peak(room, n) : 0;
        double here = peak ? share_at(room, n, peak) : 0;
        if (here < LEAST || here <= p->correlation)
            continue;
        p->correlation = here;
        p->length = refine(room, n, peak);
    }
    p->correlation = fmin(p->correlation, 1);
}

orr_err orr__period_find(const double *bin, size_t n, struct orr_period *p)
{
    size_t size = 4;
    double mean = 0;
    *p = (struct orr_period){.length = 0};
    if (n < APART)
        return ORR_OK;
    while (size < 2 * n)
        size *= 2;
    double *a = orr__alloc(size, sizeof *a), *room = orr__alloc(n, sizeof *a);
    bool there = a && room;
    for (size_t i = 0; i < n && there; i++)
        mean += bin[i] / (double)n;
    for (size_t i = 0; i < n && there; i++)
        a[i] = bin[i] - mean;
    orr__libraries_init();
    if (there && correlate(a, size) && a[0] > 0)
        choose_peak(a, n, room, p);
    orr__free(a);
    orr__free(room);
    return there ? ORR_OK : ORR_ENOMEM;
}
