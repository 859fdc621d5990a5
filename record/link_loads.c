#include "record/link_loads.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/units.h"

/* Cells that are read at a time. */
#define STRIP (UINT64_C(1) << 22)

/* ---- the order ---------------------------------------------------------- */

/* Steps of 0.1 %. Their limits lie where no ratio of small numbers does, so
 * that a rounding error seldom parts equal shares. */
static double step_of(double utilization)
{
    static const double off = 0.381966011250105; /* 2 - the golden ratio */
    return floor(utilization * 1e3 + off);
}

static int more_first(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

int orr__link_order(const struct orr_link_load *a,
                    const struct orr_link_load *b)
{
    double x = step_of(a->utilization), y = step_of(b->utilization);
    int order = (x < y) - (x > y);
    order = order ? order : more_first(a->max_queue, b->max_queue);
    order = order ? order : more_first(a->marks, b->marks);
    order = order ? order : more_first(a->drops, b->drops);
    order = order ? order : more_first(a->paused_ps, b->paused_ps);
    return order ? order : (a->link > b->link) - (a->link < b->link);
}

/* ---- of a record -------------------------------------------------------- */

const char *orr__record_utilization(struct orr_reader *r)
{
    static const char name[] = "links/utilization";
    return orr__reader_has(r, name) ? name : "links/utilisation"; /* older */
}

orr_err orr__record_link_cells(struct orr_reader *r, const char *path,
                               uint64_t bins, uint64_t columns,
                               orr_link_cell_fn fn, void *to,
                               struct orr_report *why)
{
    uint64_t rows = columns ? STRIP / columns : 0;
    rows = rows < 1 ? 1 : rows;
    rows = rows > bins ? bins : rows;
    double *x = orr__alloc(rows * columns, sizeof *x);
    orr_err err = x ? ORR_OK : orr__no_memory(why);
    for (uint64_t at = 0; at < bins && !err; at += rows) {
        uint64_t n = bins - at < rows ? bins - at : rows;
        err = orr__reader_rows(r, path, ORR_RECORD_F64, at, n, x, why);
        for (uint64_t i = 0; !err && i < n * columns; i++)
            if (x[i] != 0)
                fn(to, at + i / columns, i % columns, x[i]);
    }
    orr__free(x);
    return err;
}

/* What was read of /links so far. */
struct loads {
    struct orr_link_use *use; /* per column */
    int64_t *start, *end;     /* of the bins, ps */
    uint64_t bins, columns;
};

/* A count as a table gives it; 0 for what is none: a file may be damaged. */
static uint64_t count_of(double x)
{
    return x > 0 && x < 0x1p63 ? (uint64_t)x : 0;
}

static void add_busy(void *to, uint64_t bin, uint64_t column, double x)
{
    struct loads *l = to;
    l->use[column].busy +=
        x * (double)(l->end[bin] - l->start[bin]) / (double)ORR_S;
}

static void add_longest(void *to, uint64_t bin, uint64_t column, double x)
{
    struct orr_link_load *u = &((struct loads *)to)->use[column].load;
    u->max_queue = x > (double)u->max_queue ? count_of(x) : u->max_queue;
}

static void add_bytes(void *to, uint64_t bin, uint64_t column, double x)
{
    ((struct loads *)to)->use[column].bytes += count_of(x);
}

static void add_marks(void *to, uint64_t bin, uint64_t column, double x)
{
    ((struct loads *)to)->use[column].load.marks += count_of(x);
}

static void add_drops(void *to, uint64_t bin, uint64_t column, double x)
{
    ((struct loads *)to)->use[column].load.drops += count_of(x);
}

static void add_paused(void *to, uint64_t bin, uint64_t column, double x)
{
    ((struct loads *)to)->use[column].load.paused_ps += count_of(x);
}

static int by_order(const void *a, const void *b)
{
    const struct orr_link_use *x = a, *y = b;
    return orr__link_order(&x->load, &y->load);
}

/* Bins and links of the tables. */
static orr_err read_axes(struct orr_reader *r, struct loads *l, uint32_t **link,
                         struct orr_report *why)
{
    uint64_t ends = 0;
    orr_err err = orr__reader_column(r, "links/time", ORR_RECORD_I64,
                                     (void **)&l->start, &l->bins, why);
    if (!err)
        err = orr__reader_column(r, "links/time_end", ORR_RECORD_I64,
                                 (void **)&l->end, &ends, why);
    if (!err)
        err = orr__reader_column(r, "links/link", ORR_RECORD_U32, (void **)link,
                                 &l->columns, why);
    if (!err && ends != l->bins)
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: links/time_end is not as long "
                        "as links/time",
                        orr__reader_name(r));
    return err;
}

/* Over all bins, each table into its figure. */
static orr_err sum_up(struct orr_reader *r, struct loads *l,
                      struct orr_report *why)
{
    const struct {
        const char *path;
        orr_link_cell_fn add;
    } table[] = {
        {orr__record_utilization(r), add_busy},
        {"links/max_queue", add_longest},
        {"links/bytes", add_bytes},
        {"links/marks", add_marks},
        {"links/drops", add_drops},
        {"links/paused", add_paused},
    };
    orr_err err = ORR_OK;
    for (size_t t = 0; t < sizeof table / sizeof *table && !err; t++) {
        uint64_t size[ORR_RECORD_SIDES];
        int sides = orr__reader_shape(r, table[t].path, size);
        if (sides == 0 && table[t].add == add_paused)
            continue; /* older files have none */
        if (sides != 2 || size[0] != l->bins || size[1] != l->columns)
            return orr__fail(
                why, ORR_ECONFIG,
                "%s: %s is missing, or does not fit its times and links",
                orr__reader_name(r), table[t].path);
        err = orr__record_link_cells(r, table[t].path, l->bins, l->columns,
                                     table[t].add, l, why);
    }
    return err;
}

orr_err orr__record_link_use(struct orr_reader *r, struct orr_link_use **use,
                             uint64_t *n, struct orr_report *why)
{
    struct loads l = {.use = NULL};
    uint32_t *link = NULL;
    orr_err err = read_axes(r, &l, &link, why);
    if (!err && !(l.use = orr__alloc(l.columns, sizeof *l.use)))
        err = orr__no_memory(why);
    for (uint32_t c = 0; c < l.columns && !err; c++) {
        l.use[c].column = c;
        l.use[c].load.link = link[c];
    }
    if (!err)
        err = sum_up(r, &l, why);
    double all = l.bins && !err
                     ? (double)(l.end[l.bins - 1] - l.start[0]) / (double)ORR_S
                     : 0;
    for (uint64_t c = 0; c < l.columns && !err; c++)
        l.use[c].load.utilization = all > 0 ? l.use[c].busy / all : 0;
    if (!err)
        qsort(l.use, l.columns, sizeof *l.use, by_order);
    orr__free(l.start);
    orr__free(l.end);
    orr__free(link);
    if (err)
        orr__free(l.use);
    *use = err ? NULL : l.use;
    *n = err ? 0 : l.columns;
    return err;
}
