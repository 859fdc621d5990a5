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
#include "record/link_loads.h"
#include "record/record_links.h"

/* Columns over links, sorted by how much each explains. */
struct links {
    struct orr_reader *r;
    uint64_t bins, columns;
    int64_t *start, *end;     /* of the bins */
    struct orr_link_use *use; /* per column; the one that explains first */
    uint32_t *place;          /* per column: where use[] has it */
};

enum table { UTILIZATION, LONGEST, MARKS, DROPS };

/* Bin i of so many goes to bin_of(...) of `to`. */
static uint64_t bin_of(uint64_t i, uint64_t of, uint64_t to)
{
    ORR_ASSERT(i < of && to > 0);
    return of <= to ? i : i * to / of;
}

/* ---- reading ------------------------------------------------------------ */

static const char *path_of(const struct links *l, enum table t)
{
    switch (t) {
    case LONGEST: return "links/max_queue";
    case MARKS: return "links/marks";
    case DROPS: return "links/drops";
    case UTILIZATION: break;
    }
    return orr__record_utilization(l->r);
}

static double width_of_bin(const struct links *l, uint64_t bin)
{
    ORR_ASSERT(bin < l->bins);
    return (double)(l->end[bin] - l->start[bin]) / (double)ORR_S;
}

/* Freed by close_links() even after an error. */
static orr_err open_links(struct links *l, struct orr_report *why)
{
    uint64_t ends = 0;
    orr_err err = orr__record_link_use(l->r, &l->use, &l->columns, why);
    if (!err)
        err = orr__reader_column(l->r, "links/time", ORR_RECORD_I64,
                                 (void **)&l->start, &l->bins, why);
    if (!err)
        err = orr__reader_column(l->r, "links/time_end", ORR_RECORD_I64,
                                 (void **)&l->end, &ends, why);
    if (!err && !(l->place = orr__alloc(l->columns, sizeof *l->place)))
        err = orr__no_memory(why);
    for (uint32_t i = 0; i < l->columns && !err; i++)
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
    orr_err err =
        orr__record_link_names(l->r, "links/name", &name, &names, why);
    if (!err && names != l->columns)
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: links/name is not as long as "
                        "its links",
                        orr__reader_name(l->r));
    for (uint64_t i = 0; i < n && !err; i++)
        sorted[i] = name[l->use[i].column];
    if (!err)
        err = orr__view_put(to, "name", orr__view_texts(sorted, n), why);
    orr__reader_free_texts(name, names);
    orr__free(sorted);
    return err;
}

/* Totals of the links that the page has room for. */
static orr_err put_use(const struct links *l, json_t *to,
                       struct orr_report *why)
{
    static const char *const keys[] = {"bytes", "busy", "marks", "drops",
                                       "longest"};
    uint64_t n = l->columns < ORR_VIEW_CABLES ? l->columns : ORR_VIEW_CABLES;
    double *x = orr__alloc(n, sizeof *x);
    uint32_t *id = orr__alloc(n, sizeof *id);
    orr_err err = x && id ? ORR_OK : orr__no_memory(why);
    for (uint64_t i = 0; i < n && !err; i++)
        id[i] = l->use[i].load.link;
    if (!err)
        err = orr__view_put(to, "id", orr__view_numbers(id, n), why);
    if (!err)
        err = put_names(l, n, to, why);
    for (size_t k = 0; k < 5 && !err; k++) {
        for (uint64_t i = 0; i < n; i++) {
            const struct orr_link_use *u = &l->use[i];
            const double part[] = {(double)u->bytes, u->busy,
                                   (double)u->load.marks, (double)u->load.drops,
                                   (double)u->load.max_queue};
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

/* One cell of a table into a thinner one: its sum, its largest, or its mean
 * over time. */
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
        *cell += c->sums ? x : x * width_of_bin(c->l, bin);
}

static orr_err fill_cells(struct cells *c, enum table t, struct orr_report *why)
{
    memset(c->x, 0, c->rows * c->bins * sizeof *c->x);
    c->largest = t == LONGEST;
    c->sums = t == MARKS || t == DROPS;
    orr_err err = orr__record_link_cells(c->l->r, path_of(c->l, t), c->l->bins,
                                         c->l->columns, add_cell, c, why);
    for (uint64_t i = 0; !c->sums && !c->largest && i < c->rows * c->bins; i++)
        c->x[i] = c->time[i % c->bins] > 0 ? c->x[i] / c->time[i % c->bins] : 0;
    return err;
}

/* Freed by close_cells() even after an error. */
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
        c->time[bin_of(i, l->bins, c->bins)] += width_of_bin(l, i);
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
        err =
            orr__view_put(to, most_key, orr__view_doubles(most, c->rows), why);
    orr__free(b);
    orr__free(most);
    return err;
}

static bool has_values(const struct cells *c)
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

/* Loads as bytes, other tables as 16 bit words; those without a value are left
 * out. */
static orr_err put_series(const struct links *l, json_t *to,
                          struct orr_report *why)
{
    static const struct {
        enum table table;
        const char *key;
    } part[] = {
        {LONGEST, "queue"},
        {MARKS, "mark"},
        {DROPS, "drop"},
    };
    struct cells c;
    orr_err err = open_cells(&c, l, ORR_VIEW_LINKS, ORR_VIEW_BINS, why);
    if (!err)
        err = orr__view_put(to, "rows", json_integer((json_int_t)c.rows), why);
    if (!err)
        err = put_times(l, c.bins, to, why);
    if (!err)
        err = fill_cells(&c, UTILIZATION, why);
    if (!err)
        err = orr__view_put(to, "load", as_bytes(&c), why);
    for (size_t i = 0; i < sizeof part / sizeof *part && !err; i++) {
        err = fill_cells(&c, part[i].table, why);
        if (!err && has_values(&c))
            err = put_words(&c, to, part[i].key, why);
    }
    close_cells(&c);
    return err;
}

/* Loads of all links at a few times, for the picture. */
static orr_err put_frames(const struct links *l, json_t *to,
                          struct orr_report *why)
{
    struct cells c;
    json_t *frames = json_object();
    orr_err err = open_cells(&c, l, ORR_VIEW_CABLES, ORR_VIEW_FRAMES, why);
    if (!err)
        err = fill_cells(&c, UTILIZATION, why);
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
    struct links l = {.r = r};
    uint64_t size[ORR_RECORD_SIDES];
    if (orr__reader_shape(r, orr__record_utilization(r), size) != 2)
        return ORR_OK;
    json_t *links = json_object();
    orr_err err = open_links(&l, why);
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
    orr__free(l.use);
    orr__free(l.place);
    if (err) {
        json_decref(links);
        return err;
    }
    return orr__view_put(to, "links", links, why);
}
