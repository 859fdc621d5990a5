/* Completion times and slowdowns of flows, as distributions. */
#include "study/report/view.h"

#include <math.h>

#include <gsl/gsl_sort.h>

#include "core/memory.h"

/* Points of the scatter of slowdown over size. */
#define MOST_DOTS 2000u

/* Point i of so many over n values in order: evenly, but for the points nearest
 * to the median and to the 99th percentile, which are just these, as the page
 * puts them into words (nearest rank, as in the summary). */
static size_t rank_of(size_t i, size_t points, size_t n)
{
    static const uint64_t percent[] = {50, 99};
    if (points == n)
        return i;
    for (size_t k = 0; k < 2; k++) {
        uint64_t rank = ((uint64_t)n * percent[k] + 99) / 100 - 1;
        uint64_t span = n - 1;
        if ((rank * (points - 1) + span / 2) / span == i)
            return rank;
    }
    return i * (n - 1) / (points - 1);
}

/* n values, which it sorts. */
static orr_err put_distribution(json_t *to, const char *key, double *x,
                                size_t n, struct orr_report *why)
{
    double value[ORR_VIEW_POINTS], share[ORR_VIEW_POINTS];
    size_t points = n < ORR_VIEW_POINTS ? n : ORR_VIEW_POINTS;
    gsl_sort(x, 1, n);
    for (size_t i = 0; i < points; i++) {
        size_t at = rank_of(i, points, n);
        value[i] = x[at];
        share[i] = (double)(at + 1) / (double)n;
    }
    json_t *d = json_object();
    orr_err err =
        orr__view_put(d, "value", orr__view_doubles(value, points), why);
    if (!err)
        err = orr__view_put(d, "share", orr__view_doubles(share, points), why);
    if (err) {
        json_decref(d);
        return err;
    }
    return orr__view_put(to, key, d, why);
}

/* Those of x that are numbers, and not below 0, to the front: how many. */
static size_t keep_finite(double *x, uint64_t n)
{
    size_t k = 0;
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(x[i]) && x[i] >= 0)
            x[k++] = x[i];
    return k;
}

orr_err orr__view_distribution(struct orr_reader *r, json_t *to,
                               const char *key, const char *path,
                               uint64_t *values, struct orr_report *why)
{
    double *x;
    uint64_t n;
    orr_err err =
        orr__reader_column(r, path, ORR_RECORD_F64, (void **)&x, &n, why);
    if (err)
        return err;
    size_t k = keep_finite(x, n);
    if (values)
        *values = k;
    if (k)
        err = put_distribution(to, key, x, k, why);
    orr__free(x);
    return err;
}

/* Every so many flows: size and slowdown. */
static orr_err put_dots(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    double *size, *slowdown;
    uint64_t n, m = 0;
    orr_err err = orr__reader_column(r, "flows/bytes", ORR_RECORD_F64,
                                     (void **)&size, &n, why);
    if (err)
        return err;
    err = orr__reader_column(r, "flows/slowdown", ORR_RECORD_F64,
                             (void **)&slowdown, &m, why);
    uint64_t step = n / MOST_DOTS + 1, k = 0;
    for (uint64_t i = 0; !err && i < n && i < m; i += step)
        if (isfinite(slowdown[i])) {
            size[k] = size[i];
            slowdown[k++] = slowdown[i];
        }
    if (!err)
        err = orr__view_put(to, "sizes", orr__view_doubles(size, k), why);
    if (!err)
        err =
            orr__view_put(to, "slowdowns", orr__view_doubles(slowdown, k), why);
    orr__free(size);
    orr__free(slowdown);
    return err;
}

/* Percentiles of slowdowns by class of size. */
static orr_err put_by_size(struct orr_reader *r, json_t *to,
                           struct orr_report *why)
{
    static const struct {
        const char *key, *path;
    } part[] = {
        {"from", "flows_by_size/from"},
        {"count", "flows_by_size/count"},
        {"p50", "flows_by_size/slowdown_p50"},
        {"p95", "flows_by_size/slowdown_p95"},
        {"p99", "flows_by_size/slowdown_p99"},
    };
    json_t *table = json_object();
    orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof part / sizeof *part && !err; i++)
        err = orr__view_column(r, table, part[i].key, part[i].path,
                               ORR_RECORD_F64, why);
    if (err) {
        json_decref(table);
        return err;
    }
    return orr__view_put(to, "by_size", table, why);
}

orr_err orr__view_flows(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    uint64_t size[ORR_RECORD_SIDES], completed = 0;
    if (orr__reader_shape(r, "flows/flow", size) != 1 || size[0] == 0)
        return ORR_OK;
    json_t *flows = json_object();
    orr_err err =
        orr__view_put(flows, "count", json_integer((json_int_t)size[0]), why);
    if (!err)
        err = orr__view_distribution(r, flows, "fct", "flows/fct_s", &completed,
                                     why);
    if (!err)
        err = orr__view_put(flows, "completed",
                            json_integer((json_int_t)completed), why);
    if (!err)
        err = orr__view_distribution(r, flows, "slowdown", "flows/slowdown",
                                     NULL, why);
    if (!err)
        err = put_dots(r, flows, why);
    if (!err && orr__reader_has(r, "flows_by_size/from"))
        err = put_by_size(r, flows, why);
    if (err) {
        json_decref(flows);
        return err;
    }
    return orr__view_put(to, "flows", flows, why);
}
