/* What pico writes: a summary with a row for each test, or the times of one
 * test, ELEMENTS_ALGORITHM_TYPE.csv. Times are in ns, of the slowest rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "formats/measurements/table.h"

/* The first fifth of a test warms up, as in pico's own summaries. */
enum { WARM_UP = 5 };

static bool is_times(const struct orr_measurements_input *in)
{
    return in->length > 7 && memcmp(in->text, "highest", 7) == 0;
}

static bool is_pico(const struct orr_measurements_input *in)
{
    return is_times(in)
           || (orr__measurements_has(in, "algo_name")
               && orr__measurements_has(in, "array_dim"));
}

/* "512_ring_over_int32.csv": 512 elements. ECONFIG: it is not so. */
static orr_err take_name(const struct orr_measurements_input *in,
                         struct orr_measurements_row *row)
{
    char algorithm[128], *end;
    const char *slash = strrchr(in->path, '/');
    const char *name = slash ? slash + 1 : in->path;
    const char *dot = strrchr(name, '.'), *type = dot;
    while (type && type > name && type[-1] != '_')
        type--;
    uint64_t elements = strtoull(name, &end, 10), bytes = in->element;
    if (!bytes && type) {
        snprintf(algorithm, sizeof algorithm, "%.*s", (int)(dot - type), type);
        bytes = orr__measurements_type(algorithm);
    }
    if (*name < '1' || *name > '9' || *end != '_' || !type || end >= type - 1
        || bytes == 0 || __builtin_mul_overflow(elements, bytes, &row->bytes)) {
        orr_err err = orr__fail_at(in->why, ORR_ECONFIG, in->name, 1, 1,
                                   "the name of a file of pico's times says "
                                   "the size");
        orr__hint(in->why, "ELEMENTS_ALGORITHM_TYPE.csv, as "
                           "512_ring_over_int32.csv");
        return err;
    }
    snprintf(algorithm, sizeof algorithm, "%.*s", (int)(type - 2 - end),
             end + 1);
    return orr__measurements_set(in, "algo_name", algorithm);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Between the two values that it lies between. */
static double quantile(const double *v, size_t n, double share)
{
    double at = share * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

/* v is in the order of the iterations; sorts what has warmed up. */
static void take_times(struct orr_measurements_row *row, double *v, size_t n)
{
    size_t warm = n / WARM_UP;
    v += warm;
    n -= warm;
    qsort(v, n, sizeof *v, by_value);
    row->time_ns = quantile(v, n, 0.5);
    row->low_ns = quantile(v, n, 0.1);
    row->high_ns = quantile(v, n, 0.9);
}

/* The first column of each line, and how many ranks have others. */
static orr_err read_lines(struct orr_scan *s, struct orr_measurements_row *row,
                          double **v, size_t *n)
{
    size_t room = 0, columns = 0;
    orr_err err = ORR_OK;
    while (orr__scan_field(s))
        columns++;
    row->ranks = columns > 1 && columns <= ORR_MEASUREMENTS_RANKS
                     ? (uint32_t)(columns - 1)
                     : 0;
    while (!err && orr__scan_line_on(s) && orr__scan_field(s)) {
        if (!orr__array_more(*v, room, *n))
            return orr__no_memory(s->why);
        err = orr__measurements_time(s, "a time", 1, &(*v)[(*n)++]);
        for (size_t i = 1; !err && i < columns; i++)
            if (!orr__scan_field(s))
                err = orr__scan_fail(s,
                                     "the table has %zu columns, this line "
                                     "%zu",
                                     columns, i);
        while (!err && orr__scan_field(s))
            continue;
    }
    return err;
}

/* The times of one test: one row. */
static orr_err read_times(const struct orr_measurements_input *in)
{
    struct orr_scan s;
    double *v = NULL;
    size_t n = 0;
    orr_err err = orr__measurements_scan(in, &s);
    s.separator = ',';
    struct orr_measurements_row *row =
        err ? NULL : orr__measurements_add(in, 1);
    if (!err && !row)
        err = orr__no_memory(in->why);
    if (!err)
        err = take_name(in, row);
    if (!err)
        err = read_lines(&s, row, &v, &n);
    if (!err && n == 0)
        err = orr__scan_fail(&s, "no times");
    if (!err && v) {
        row->counts = ORR_MEASUREMENTS_BUFFER;
        take_times(row, v, n);
    }
    orr__free(v);
    orr__scan_fini(&s);
    return err;
}

static orr_err read_pico(const struct orr_measurements_input *in)
{
    static const struct orr_measurements_rules rules = {
        .unit_ns = 1, .counts = ORR_MEASUREMENTS_BUFFER};
    return is_times(in) ? read_times(in) : orr__measurements_table(in, &rules);
}

const struct orr_measurements_format orr__measurements_pico = {
    .name = "pico",
    .doc = "a summary of pico's, or its times of one test",
    .is = is_pico,
    .read = read_pico,
};
