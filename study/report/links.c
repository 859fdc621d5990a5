/* Links over time, thinned: the busiest with all their bins, or several bins
 * taken together, and for the picture of the topology the load of all
 * of them at fewer times. */
#include "core/assert.h"
#include "study/report/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"

/* Cells that are read at a time. */
#define STRIP (UINT64_C(1) << 22)

struct use { /* of one link over the whole run */
    uint32_t column; /* in /links */
    uint64_t bytes, marks, drops, longest; /* longest: B */
    double busy; /* s */
};

struct links {
    struct orr_reader *r;
    uint64_t bins, columns;
    int64_t *start, *end; /* of the bins */
    uint32_t *link;       /* per column: its id */
    struct use *use;      /* per column; sorted: the busiest first */
    uint32_t *place;      /* per column: where use[] has it */
};

enum table { UTILISATION, QUEUE, LONGEST, MARKS, DROPS, BYTES, TABLES };
static const char *const paths[TABLES] = {
    "links/utilisation", "links/mean_queue", "links/max_queue", "links/marks",
    "links/drops", "links/bytes",
};

/* Bin i of so many goes to bin_of(...) of `to`. */
static uint64_t bin_of(uint64_t i, uint64_t of, uint64_t to)
{
    ORR_ASSERT(i < of && to > 0);
    return of <= to ? i : i * to / of;
}

/* ---- reading ------------------------------------------------------------ */

typedef void (*visit_fn)(void *to, uint64_t bin, uint64_t column, double x);

/* Every cell of a table that is not 0. */
static orr_err visit(const struct links *l, enum table t, visit_fn fn, void *to,
                     struct orr_report *why)
{
    uint64_t rows = l->columns ? STRIP / l->columns : 0;
    rows = rows < 1 ? 1 : rows;
    double *x = orr__alloc(rows * l->columns, sizeof *x);
    orr_err err = x ? ORR_OK : orr__no_memory(why);
    for (uint64_t at = 0; at < l->bins && !err; at += rows) {
        uint64_t n = l->bins - at < rows ? l->bins - at : rows;
        err = orr__reader_rows(l->r, paths[t], ORR_RECORD_F64, at, n, x, why);
        for (uint64_t i = 0; !err && i < n * l->columns; i++)
            if (x[i] != 0)
                fn(to, at + i / l->columns, i % l->columns, x[i]);
    }
    orr__free(x);
    return err;
}

static double width(const struct links *l, uint64_t bin)
{
    return (double)(l->end[bin] - l->start[bin]) / (double)ORR_S;
}

static void add_bytes(void *to, uint64_t bin, uint64_t column, double x)
{
    ((struct links *)to)->use[column].bytes += (uint64_t)x;
}

static void add_busy(void *to, uint64_t bin, uint64_t column, double x)
{
    struct links *l = to;
    l->use[column].busy += x * width(l, bin);
}

static void add_marks(void *to, uint64_t bin, uint64_t column, double x)
{
    ((struct links *)to)->use[column].marks += (uint64_t)x;
}

static void add_drops(void *to, uint64_t bin, uint64_t column, double x)
{
    ((struct links *)to)->use[column].drops += (uint64_t)x;
}

static void add_longest(void *to, uint64_t bin, uint64_t column, double x)
{
    struct use *u = &((struct links *)to)->use[column];
    uint64_t here = (uint64_t)x;
    u->longest = here > u->longest ? here : u->longest;
}

static int by_load(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->busy != y->busy)
        return x->busy > y->busy ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static orr_err open_links(struct links *l, struct orr_report *why)
{
    uint64_t n[3] = { 0 };
    orr_err err = orr__reader_column(l->r, "links/time", ORR_RECORD_I64,
                                     (void **)&l->start, &n[0], why);
    if (!err)
        err = orr__reader_column(l->r, "links/time_end", ORR_RECORD_I64,
                                 (void **)&l->end, &n[1], why);
    if (!err)
        err = orr__reader_column(l->r, "links/link", ORR_RECORD_U32,
                                 (void **)&l->link, &n[2], why);
    if (!err)
        for (int t = 0; t < TABLES && !err; t++) {
            uint64_t size[ORR_RECORD_SIDES];
            if (orr__reader_shape(l->r, paths[t], size) != 2 ||
                size[0] != n[0] || size[1] != n[2] || n[1] != n[0])
                err = orr__fail(why, ORR_ECONFIG, "%s: %s is not there, or not "
                                "as long as its times and links",
                                orr__reader_name(l->r), paths[t]);
        }
    l->bins = n[0];
    l->columns = n[2];
    return err;
}

static orr_err sum_up(struct links *l, struct orr_report *why)
{
    static const visit_fn fn[TABLES] = {
        [UTILISATION] = add_busy, [LONGEST] = add_longest,
        [MARKS] = add_marks, [DROPS] = add_drops, [BYTES] = add_bytes,
    };
    orr_err err = ORR_OK;
    l->use = orr__alloc(l->columns, sizeof *l->use);
    l->place = orr__alloc(l->columns, sizeof *l->place);
    if (!l->use || !l->place)
        return orr__no_memory(why);
    for (uint32_t c = 0; c < l->columns; c++)
        l->use[c].column = c;
    for (int t = 0; t < TABLES && !err; t++)
        if (fn[t])
            err = visit(l, (enum table)t, fn[t], l, why);
    qsort(l->use, l->columns, sizeof *l->use, by_load);
    for (uint32_t i = 0; i < l->columns; i++)
        l->place[l->use[i].column] = i;
    return err;
}

/* ---- the table of all links --------------------------------------------- */

/* The names of the first n of use[]. */
static orr_err put_names(const struct links *l, uint64_t n, json_t *to,
                         struct orr_report *why)
{
    char **name, **sorted = orr__alloc(n, sizeof *sorted);
    uint64_t names = 0;
    if (!sorted)
        return orr__no_memory(why);
    orr_err err = orr__reader_texts(l->r, "links/name", &name, &names, why);
    if (!err && names != l->columns)
        err = orr__fail(why, ORR_ECONFIG, "%s: links/name is not as long as "
                        "its links", orr__reader_name(l->r));
    for (uint64_t i = 0; i < n && !err; i++)
        sorted[i] = name[l->use[i].column];
    if (!err)
        err = orr__view_put(to, "name", orr__view_texts(sorted, n), why);
    orr__reader_free_texts(name, names);
    orr__free(sorted);
    return err;
}

static orr_err put_use(const struct links *l, json_t *to,
                       struct orr_report *why)
{
    static const char *const keys[] = { "bytes", "busy", "marks", "drops",
                                        "longest" };
    uint64_t n = l->columns < ORR_VIEW_CABLES ? l->columns : ORR_VIEW_CABLES;
    double *x = orr__alloc(n, sizeof *x);
    uint32_t *id = orr__alloc(n, sizeof *id);
    orr_err err = x && id ? ORR_OK : orr__no_memory(why);
    for (uint64_t i = 0; i < n && !err; i++)
        id[i] = l->link[l->use[i].column];
    if (!err)
        err = orr__view_put(to, "id", orr__view_numbers(id, n), why);
    if (!err)
        err = put_names(l, n, to, why);
    for (size_t k = 0; k < 5 && !err; k++) {
        for (uint64_t i = 0; i < n; i++) {
            const struct use *u = &l->use[i];
            const double part[] = { (double)u->bytes, u->busy,
                                    (double)u->marks, (double)u->drops,
                                    (double)u->longest };
            x[i] = part[k];
        }
        err = orr__view_put(to, keys[k], orr__view_doubles(x, n), why);
    }
    orr__free(x);
    orr__free(id);
    return err;
}

/* ---- cells -------------------------------------------------------------- */

/* Tables of the first `rows` links of use[] over `bins` bins, thinned. */
struct cells {
    const struct links *l;
    uint64_t rows, bins;
    bool sums; /* else means, weighted by time; a queue: the largest */
    bool largest;
    double *x, *time; /* [row * bins + bin]; time: per bin, s */
};

static void add_cell(void *to, uint64_t bin, uint64_t column, double x)
{
    struct cells *c = to;
    uint64_t row = c->l->place[column];
    if (row >= c->rows)
        return;
    double *cell = &c->x[row * c->bins + bin_of(bin, c->l->bins, c->bins)];
    if (c->largest)
        *cell = x > *cell ? x : *cell;
    else
        *cell += c->sums ? x : x * width(c->l, bin);
}

static orr_err fill(struct cells *c, enum table t, struct orr_report *why)
{
    memset(c->x, 0, c->rows * c->bins * sizeof *c->x);
    c->largest = t == LONGEST;
    c->sums = t == MARKS || t == DROPS;
    orr_err err = visit(c->l, t, add_cell, c, why);
    for (uint64_t i = 0; !c->sums && !c->largest && i < c->rows * c->bins; i++)
        c->x[i] = c->time[i % c->bins] > 0 ? c->x[i] / c->time[i % c->bins] : 0;
    return err;
}

static orr_err open_cells(struct cells *c, const struct links *l, uint64_t rows,
                          uint64_t bins, struct orr_report *why)
{
    *c = (struct cells){
        .l = l,
        .rows = l->columns < rows ? l->columns : rows,
        .bins = l->bins < bins ? l->bins : bins,
    };
    c->x = orr__alloc(c->rows * c->bins, sizeof *c->x);
    c->time = orr__alloc(c->bins, sizeof *c->time);
    if (!c->x || !c->time)
        return orr__no_memory(why);
    for (uint64_t i = 0; i < l->bins; i++)
        c->time[bin_of(i, l->bins, c->bins)] += width(l, i);
    return ORR_OK;
}

static void close_cells(struct cells *c)
{
    orr__free(c->x);
    orr__free(c->time);
}

/* Shares of 1 as bytes, 255 being all of it. */
static json_t *as_bytes(const struct cells *c)
{
    uint64_t n = c->rows * c->bins;
    uint8_t *b = orr__alloc(n, 1);
    if (!b)
        return NULL;
    for (uint64_t i = 0; i < n; i++)
        b[i] = c->x[i] >= 1 ? 255 : (uint8_t)ceil(c->x[i] * 254);
    json_t *j = orr__view_bytes(b, n);
    orr__free(b);
    return j;
}

/* Two bytes a cell, in units of the largest of its row / 65535, which is
 * put under "KEY_most". */
static orr_err put_words(const struct cells *c, json_t *to, const char *key,
                         struct orr_report *why)
{
    char most_key[32];
    uint8_t *b = orr__alloc(c->rows * c->bins, 2);
    double *most = orr__alloc(c->rows, sizeof *most);
    orr_err err = b && most ? ORR_OK : orr__no_memory(why);
    for (uint64_t row = 0; row < c->rows && !err; row++) {
        const double *x = &c->x[row * c->bins];
        for (uint64_t i = 0; i < c->bins; i++)
            most[row] = x[i] > most[row] ? x[i] : most[row];
        for (uint64_t i = 0; i < c->bins && most[row] > 0; i++) {
            uint32_t word = (uint32_t)lround(x[i] / most[row] * 65535);
            b[2 * (row * c->bins + i)] = (uint8_t)word;
            b[2 * (row * c->bins + i) + 1] = (uint8_t)(word >> 8);
        }
    }
    snprintf(most_key, sizeof most_key, "%s_most", key);
    if (!err)
        err = orr__view_put(to, key, orr__view_bytes(b, 2 * c->rows * c->bins),
                            why);
    if (!err)
        err = orr__view_put(to, most_key, orr__view_doubles(most, c->rows),
                            why);
    orr__free(b);
    orr__free(most);
    return err;
}

static bool any(const struct cells *c)
{
    for (uint64_t i = 0; i < c->rows * c->bins; i++)
        if (c->x[i] > 0)
            return true;
    return false;
}

/* Start of each thinned bin, and the end of the last. */
static orr_err put_times(const struct links *l, uint64_t bins, json_t *to,
                         struct orr_report *why)
{
    int64_t *t = orr__alloc(bins + 1, sizeof *t);
    if (!t)
        return orr__no_memory(why);
    for (uint64_t i = l->bins; i-- > 0;)
        t[bin_of(i, l->bins, bins)] = l->start[i];
    if (l->bins)
        t[bins] = l->end[l->bins - 1];
    json_t *list = orr__view_times(t, bins + 1);
    orr__free(t);
    return orr__view_put(to, "times", list, why);
}

static orr_err put_series(const struct links *l, json_t *to,
                          struct orr_report *why)
{
    static const struct {
        enum table table;
        const char *key;
    } part[] = {
        { LONGEST, "queue" }, { MARKS, "mark" }, { DROPS, "drop" },
    };
    struct cells c;
    orr_err err = open_cells(&c, l, ORR_VIEW_LINKS, ORR_VIEW_BINS, why);
    if (!err)
        err = orr__view_put(to, "rows", json_integer((json_int_t)c.rows), why);
    if (!err)
        err = put_times(l, c.bins, to, why);
    if (!err)
        err = fill(&c, UTILISATION, why);
    if (!err)
        err = orr__view_put(to, "load", as_bytes(&c), why);
    for (size_t i = 0; i < sizeof part / sizeof *part && !err; i++) {
        err = fill(&c, part[i].table, why);
        if (!err && any(&c))
            err = put_words(&c, to, part[i].key, why);
    }
    close_cells(&c);
    return err;
}

static orr_err put_frames(const struct links *l, json_t *to,
                          struct orr_report *why)
{
    struct cells c;
    json_t *frames = json_object();
    orr_err err = open_cells(&c, l, ORR_VIEW_CABLES, ORR_VIEW_FRAMES, why);
    if (!err)
        err = fill(&c, UTILISATION, why);
    if (!err)
        err = orr__view_put(frames, "load", as_bytes(&c), why);
    if (!err)
        err = put_times(l, c.bins, frames, why);
    close_cells(&c);
    if (err) {
        json_decref(frames);
        return err;
    }
    return orr__view_put(to, "frames", frames, why);
}

orr_err orr__view_links(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    struct links l = { .r = r };
    uint64_t size[ORR_RECORD_SIDES];
    if (orr__reader_shape(r, "links/utilisation", size) != 2)
        return ORR_OK;
    json_t *links = json_object();
    orr_err err = open_links(&l, why);
    if (!err)
        err = sum_up(&l, why);
    if (!err)
        err = orr__view_put(links, "columns",
                            json_integer((json_int_t)l.columns), why);
    if (!err)
        err = put_use(&l, links, why);
    if (!err && l.columns && l.bins)
        err = put_series(&l, links, why);
    if (!err && l.columns && l.bins)
        err = put_frames(&l, links, why);
    orr__free(l.start);
    orr__free(l.end);
    orr__free(l.link);
    orr__free(l.use);
    orr__free(l.place);
    if (err) {
        json_decref(links);
        return err;
    }
    return orr__view_put(to, "links", links, why);
}
