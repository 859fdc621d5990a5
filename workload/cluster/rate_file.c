#include "workload/cluster/rate_file.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/scan.h"
#include "core/text.h"
#include "core/units.h"
#include "workload/cluster/draw.h"
#include "workload/world.h"

#define HOUR 3.6e12 /* ns */
#define DAY  (24 * HOUR)
/* A period of so many ns is kept apart from what is left of one by doubles. */
#define MOST_RATE 1e9 /* jobs in an hour */

enum column { AT, HOUR_OF, RATE, OTHER };
enum { MOST_COLUMNS = 16 };

/* The file while it is read. */
struct table {
    struct orr_scan scan;
    enum column column[MOST_COLUMNS];
    uint32_t columns;
    bool has[OTHER];
    uint32_t room; /* of pieces */
};

/* ---- the table ----------------------------------------------------------- */

static enum column column_of(const char *word)
{
    return strcmp(word, "at") == 0     ? AT
           : strcmp(word, "hour") == 0 ? HOUR_OF
           : strcmp(word, "rate") == 0 ? RATE
                                       : OTHER;
}

/* The line with names of columns; those that mean nothing here are skipped. */
static orr_err read_names(struct table *t)
{
    struct orr_scan *s = &t->scan;
    bool any = orr__scan_line_on(s);
    while (any && orr__scan_field(s)) {
        enum column c = column_of(s->word);
        if (t->columns == MOST_COLUMNS)
            return orr__scan_fail(s, "more than %d columns", MOST_COLUMNS);
        if (c != OTHER && t->has[c])
            return orr__scan_fail(s, "there are two columns \"%s\"", s->word);
        t->column[t->columns++] = c;
        t->has[c < OTHER ? c : OTHER - 1] |= c < OTHER;
    }
    if (t->has[AT] == t->has[HOUR_OF])
        return orr__scan_fail(s, "the first line names columns: either `at` (a "
                                 "time with its unit) or `hour` (a number), "
                                 "and `rate`");
    if (!t->has[RATE])
        return orr__scan_fail(s,
                              "there is no column \"rate\": jobs in an hour");
    return ORR_OK;
}

/* hours are rounded to a ns; jobs an hour become jobs a ns. */
static orr_err read_field(struct table *t, enum column c,
                          struct orr_rate_piece *p)
{
    struct orr_scan *s = &t->scan;
    int64_t ns;
    double number = 0;
    orr_err err = ORR_OK;
    if (c == AT) {
        const char *wrong = orr__parse_long_time(s->word, &ns);
        if (wrong)
            return orr__scan_fail(s, "at: %s", wrong);
        p->from_ns = (double)ns;
    } else if (c == HOUR_OF) {
        err = orr__scan_real(s, "hour", 0, 2e6, &number);
        p->from_ns = floor(number * HOUR + 0.5);
    } else if (c == RATE) {
        err = orr__scan_real(s, "rate", 0, MOST_RATE, &number);
        p->rate = number / HOUR;
    }
    return err;
}

/* A line is a piece; times ascend. */
static orr_err read_line(struct table *t, struct orr_rate_curve *c)
{
    struct orr_scan *s = &t->scan;
    struct orr_rate_piece p = {0, 0};
    for (uint32_t i = 0; i < t->columns; i++) {
        if (!orr__scan_field(s))
            return orr__scan_fail(s,
                                  "this line has %u fields, the first one "
                                  "has %u",
                                  i, t->columns);
        orr_err err = read_field(t, t->column[i], &p);
        if (err)
            return err;
        bool time = t->column[i] == AT || t->column[i] == HOUR_OF;
        if (time && c->n && p.from_ns <= c->piece[c->n - 1].from_ns)
            return orr__scan_fail(s, "times go up from line to line");
    }
    if (orr__scan_field(s))
        return orr__scan_fail(s, "there are more fields than names of columns");
    if (!orr__array_more(c->piece, t->room, c->n))
        return orr__no_memory(s->why);
    c->piece[c->n++] = p;
    return ORR_OK;
}

/* A name in the configuration, from its folder on. */
static char *path_of(const struct orr_config *c, const char *file)
{
    const char *folder = orr__config_folder(c);
    return file[0] == '/' || strcmp(folder, ".") == 0
               ? orr__strdup(file)
               : orr__format("%s/%s", folder, file);
}

/* A file that cannot be opened is reported at its key. */
static orr_err read_table(struct orr_arrival_list *b, const char *file,
                          const struct orr_yaml *at, struct orr_rate_curve *c)
{
    struct table t = {.columns = 0};
    char *path = path_of(b->c->world->config, file);
    if (!path)
        return orr__no_memory(b->why);
    orr_err err = orr__scan_open(&t.scan, path, path, b->why);
    if (err) {
        err = orr__yaml_place(b->c->world->config, at, err, b->why);
    } else {
        t.scan.separator = ',';
        t.scan.comment = '#';
        err = read_names(&t);
        while (!err && orr__scan_line_on(&t.scan))
            err = read_line(&t, c);
        if (!err && !c->n)
            err = orr__scan_fail(&t.scan, "there is no line below the names");
    }
    orr__scan_fini(&t.scan);
    orr__free(path);
    return err;
}

/* ---- the curve ----------------------------------------------------------- */

static double end_of(const struct orr_rate_curve *c, uint32_t i)
{
    return i + 1 < c->n ? c->piece[i + 1].from_ns : c->period_ns;
}

static void sum_up(struct orr_rate_curve *c)
{
    c->whole = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->piece[i].rate > 0)
            c->whole += (end_of(c, i) - c->piece[i].from_ns) * c->piece[i].rate;
}

/* Before its first line it is as at its end, or, where it has none, nobody
 * comes. */
static orr_err begin_at_0(struct orr_arrival_list *b, struct orr_rate_curve *c)
{
    if (!(c->piece[0].from_ns > 0))
        return ORR_OK;
    struct orr_rate_piece *all = orr__alloc(c->n + (size_t)1, sizeof *all);
    if (!all)
        return orr__no_memory(b->why);
    memcpy(all + 1, c->piece, c->n * sizeof *all);
    if (isfinite(c->period_ns))
        all[0].rate = all[c->n].rate;
    orr__free(c->piece);
    c->piece = all;
    c->n++;
    return ORR_OK;
}

/* A day, unless the table is longer than one; then it does not begin again
 * without `rate_period`. */
static orr_err read_period(struct orr_arrival_list *b,
                           const struct orr_yaml *node,
                           struct orr_rate_curve *c)
{
    double last = c->piece[c->n - 1].from_ns;
    int64_t ns;
    c->period_ns = last < DAY ? DAY : (double)INFINITY;
    if (!node)
        return ORR_OK;
    orr_err err = orr__long_time_read(
        b->c->world->config, node, "cluster.arrivals.rate_period", &ns, b->why);
    if (err)
        return err;
    c->period_ns = (double)ns;
    if (c->period_ns > last)
        return ORR_OK;
    return orr__yaml_fail(b->c->world->config, node, b->why,
                          "cluster.arrivals.rate_period: the last line of the "
                          "file is for %.6g h, which is not before it",
                          last / HOUR);
}

orr_err orr__rate_curve_read(struct orr_arrival_list *b, const char *file,
                             const struct orr_yaml *at,
                             const struct orr_yaml *period,
                             struct orr_rate_curve *c)
{
    *c = (struct orr_rate_curve){.n = 0};
    orr_err err = read_table(b, file, at, c);
    if (!err)
        err = read_period(b, period, c);
    if (!err)
        err = begin_at_0(b, c);
    if (err)
        return err;
    sum_up(c);
    return c->whole > 0
               ? ORR_OK
               : orr__yaml_fail(b->c->world->config, at, b->why,
                                "cluster.arrivals.rate_file: all rates "
                                "of %s are 0: no job comes",
                                file);
}

void orr__rate_curve_scale(struct orr_rate_curve *c, double mean)
{
    ORR_ASSERT(isfinite(c->period_ns) && c->whole > 0);
    double by = mean * c->period_ns / c->whole;
    for (uint32_t i = 0; i < c->n; i++)
        c->piece[i].rate *= by;
    sum_up(c);
}

int64_t orr__rate_curve_when(const struct orr_rate_curve *c, int64_t from,
                             double jobs)
{
    bool again = isfinite(c->period_ns);
    double base = again ? floor((double)from / c->period_ns) * c->period_ns : 0;
    double at = (double)from - base;
    uint32_t i = 0;
    if (again && jobs > c->whole) {
        double periods = floor(jobs / c->whole);
        base += periods * c->period_ns;
        jobs -= periods * c->whole;
    }
    while (i + 1 < c->n && c->piece[i + 1].from_ns <= at)
        i++;
    for (;;) {
        double room = (end_of(c, i) - at) * c->piece[i].rate;
        if (c->piece[i].rate > 0 && jobs <= room) {
            at = base + at + jobs / c->piece[i].rate;
            return at < 0x1p62 ? (int64_t)(at + 0.5) : INT64_MAX;
        }
        if (i + 1 == c->n && !again)
            return INT64_MAX;
        jobs -= c->piece[i].rate > 0 ? room : 0;
        at = end_of(c, i);
        if (++i == c->n) {
            base += c->period_ns;
            at = 0;
            i = 0;
        }
    }
}

void orr__rate_curve_fini(struct orr_rate_curve *c)
{
    orr__free(c->piece);
    *c = (struct orr_rate_curve){.n = 0};
}
