/* Tables of a fit, for people and for spreadsheets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "core/units.h"
#include "study/fit/state.h"

enum { CELL = 80, COLUMNS = 8, DOUBTS_SHOWN = 5 };

/* A table while it is made: cells of one width at most. */
struct grid {
    char (*cell)[CELL]; /* rows x COLUMNS; owned */
    uint32_t rows, room;
    bool left[COLUMNS]; /* columns of texts */
};

/* An empty row behind the others; NULL: no memory. */
static char (*add_row(struct grid *g))[CELL]
{
    if (g->rows == g->room)
        return NULL;
    return g->cell + (size_t)g->rows++ * COLUMNS;
}

static bool has_column(const struct grid *g, uint32_t c)
{
    for (uint32_t r = 1; r < g->rows; r++)
        if (g->cell[(size_t)r * COLUMNS + c][0])
            return true;
    return false;
}

static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

/* Empty columns are left out. */
static void put_markdown(struct orr_text *t, const struct grid *g)
{
    for (uint32_t r = 0; r < g->rows; r++) {
        orr__text_add(t, "|");
        for (uint32_t c = 0; c < COLUMNS; c++)
            if (has_column(g, c)) {
                orr__text_add(t, " ");
                orr__escape_markdown(t, g->cell[(size_t)r * COLUMNS + c]);
                orr__text_add(t, " |");
            }
        orr__text_add(t, "\n%s", r == 0 ? "|" : "");
        for (uint32_t c = 0; r == 0 && c < COLUMNS; c++)
            if (has_column(g, c))
                orr__text_add(t, g->left[c] ? "---|" : "--:|");
        if (r == 0)
            orr__text_add(t, "\n");
    }
}

/* Columns as wide as their widest cell; empty columns are left out. */
static void put_plain(struct orr_text *t, const struct grid *g)
{
    size_t width[COLUMNS] = {0};
    for (uint32_t i = 0; i < g->rows * COLUMNS; i++) {
        size_t n = width_of(g->cell[i]);
        if (n > width[i % COLUMNS])
            width[i % COLUMNS] = n;
    }
    for (uint32_t r = 0; r < g->rows; r++) {
        size_t blanks = 0;
        for (uint32_t c = 0; c < COLUMNS; c++) {
            const char *text = g->cell[(size_t)r * COLUMNS + c];
            size_t pad = width[c] - width_of(text);
            if (!has_column(g, c))
                continue;
            if (*text) {
                size_t before = blanks + (g->left[c] ? 0 : pad);
                orr__text_add(t, "%*s", (int)before, "");
                orr__text_words(t, text, SIZE_MAX);
                blanks = 2 + (g->left[c] ? pad : 0);
            } else {
                blanks += width[c] + 2;
            }
        }
        orr__text_add(t, "\n");
    }
}

static void put_grid(struct orr_text *t, struct grid *g,
                     enum orr_fit_style style)
{
    if (style == ORR_FIT_MARKDOWN)
        put_markdown(t, g);
    else
        put_plain(t, g);
    orr__free(g->cell);
}

/* False: no memory, which the text then remembers. */
static bool begin_grid(struct orr_text *t, struct grid *g, uint32_t rows,
                       const char *const *names)
{
    *g = (struct grid){.cell = orr__alloc((size_t)rows * COLUMNS, CELL),
                       .room = rows};
    t->failed |= !g->cell;
    if (!g->cell)
        return false;
    char(*row)[CELL] = add_row(g);
    for (uint32_t c = 0; names[c]; c++)
        snprintf(row[c], CELL, "%s", names[c]);
    return true;
}

/* ---- keys --------------------------------------------------------------- */

/* The interval, or why there is none. */
static void say_fate(const struct orr_fit_key *k, char *text, size_t size)
{
    char from[32], to[32];
    switch (k->fate) {
    case ORR_FIT_AT_BOUND: snprintf(text, size, "at its bound"); return;
    case ORR_FIT_NO_EFFECT: snprintf(text, size, "not identifiable"); return;
    case ORR_FIT_TANGLED:
        snprintf(text, size, "not identifiable by itself");
        return;
    case ORR_FIT_FOUND: break;
    }
    if (isnan(k->from)) {
        snprintf(text, size, "-");
        return;
    }
    orr__fit_value(k, fmax(k->from, 0), from, sizeof from);
    orr__fit_value(k, fmin(k->to, 1e18), to, sizeof to);
    snprintf(text, size, "%s to %s", from, to);
}

/* A row a key. */
static void put_keys(struct orr_text *t, const struct orr_fit *f,
                     enum orr_fit_style style)
{
    static const char *const names[] = {"key", "before", "fitted",
                                        "95 % interval", NULL};
    struct grid g;
    if (!begin_grid(t, &g, f->keys + 1, names))
        return;
    g.left[0] = true;
    for (uint32_t i = 0; i < f->keys; i++) {
        const struct orr_fit_key *k = &f->key[i];
        char(*row)[CELL] = add_row(&g);
        snprintf(row[0], CELL, "%s", k->key);
        orr__fit_value(k, k->begin, row[1], CELL);
        orr__fit_value(k, k->value, row[2], CELL);
        say_fate(k, row[3], CELL);
    }
    put_grid(t, &g, style);
}

/* Keys of a tangle: "a and b". */
static void say_tangle(struct orr_text *t, const struct orr_fit *f,
                       const struct orr_fit_tangle *x)
{
    uint32_t n = 0;
    orr__text_add(t, "- not identifiable: ");
    for (uint32_t k = 0; k < f->keys; k++)
        if (x->share[k] != 0)
            orr__text_add(t, "%s%s", n++ ? " and " : "", f->key[k].key);
    orr__text_add(t, n > 1 ? " act alike on these points: only together are "
                             "they determined\n"
                           : " is not determined by these points\n");
}

/* What the points do not determine, and what came in the way. */
static void put_remarks(struct orr_text *t, const struct orr_fit *f)
{
    for (uint32_t k = 0; k < f->keys; k++) {
        char low[32], high[32];
        const struct orr_fit_key *x = &f->key[k];
        orr__fit_value(x, x->low, low, sizeof low);
        orr__fit_value(x, x->high, high, sizeof high);
        if (x->fate == ORR_FIT_NO_EFFECT)
            orr__text_add(t, "- not identifiable: %s changes no fitted point\n",
                          x->key);
        else if (x->fate == ORR_FIT_AT_BOUND)
            orr__text_add(t,
                          "- %s is at its bound (%s to %s): these points ask "
                          "for more, or for another model\n",
                          x->key, low, high);
    }
    for (uint32_t i = 0; i < f->tangles; i++)
        say_tangle(t, f, &f->tangle[i]);
    if (f->fitted == f->keys)
        orr__text_add(t, "- as many keys as points: no intervals\n");
    if (!f->converged)
        orr__text_add(t, "- the search ended before it converged: other "
                         "values to begin with may do better\n");
}

/* ---- points ------------------------------------------------------------- */

/* COLUMNS cells. */
static void fill_point(const struct orr_fit_point *p, char (*row)[CELL])
{
    char marks[ORR_DOUBT_MARKS];
    if (p->ranks)
        snprintf(row[0], CELL, "%u", p->ranks);
    orr__human_choice(p->bytes, row[1], CELL);
    snprintf(row[2], CELL, "%.*s", CELL - 4, p->label);
    orr__human_time((int64_t)(p->row->time_ns * 1e3), row[3], CELL);
    orr__human_time((int64_t)(p->fitted_ns * 1e3), row[p->held_out ? 5 : 4],
                    CELL);
    snprintf(row[6], CELL, "%+.1f %%", 100 * orr__fit_relative(p));
    orr__doubt_marks(&p->doubt, marks);
    snprintf(row[7], CELL, "%s", marks);
}

/* A row a point, in the order of the measurements. */
static void put_points(struct orr_text *t, const struct orr_fit *f,
                       enum orr_fit_style style)
{
    static const char *const names[] = {"ranks",    "size",   "row",
                                        "measured", "fitted", "predicted",
                                        "error",    "doubt",  NULL};
    struct grid g;
    if (!begin_grid(t, &g, f->points + 1, names))
        return;
    g.left[2] = true;
    for (uint32_t i = 0; i < f->points; i++)
        fill_point(&f->point[i], add_row(&g));
    put_grid(t, &g, style);
}

static void put_share(struct orr_text *t, const char *before, double share)
{
    double percent = 100 * share;
    orr__text_add(t, "%s%.*f %%", before,
                  percent >= 10  ? 0
                  : percent >= 1 ? 1
                                 : 3,
                  percent);
}

/* How far off fitted points are, and those that were held out. */
static void put_errors(struct orr_text *t, const struct orr_fit *f)
{
    for (int held_out = 0; held_out < 2; held_out++) {
        struct orr_fit_error e;
        t->failed |= orr__fit_error(f, held_out, &e) != ORR_OK;
        if (e.n == 0)
            continue;
        orr__text_add(t, "- %s: %u point%s, median",
                      held_out ? "predicted" : "fitted", e.n,
                      e.n == 1 ? "" : "s");
        put_share(t, " ", e.median);
        put_share(t, " off, nine in ten within ", e.p90);
        put_share(t, ", the worst ", e.most);
        if (e.of)
            orr__text_add(t, "; %u of %u within the measured p10 to p90",
                          e.inside, e.of);
        orr__text_add(t, "\n");
    }
}

/* What marks mean, of the first runs that have some. */
static void put_doubts(struct orr_text *t, const struct orr_fit *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->points; i++) {
        const struct orr_fit_point *p = &f->point[i];
        char marks[ORR_DOUBT_MARKS], size[32];
        orr__doubt_marks(&p->doubt, marks);
        if (!marks[0] || n++ >= DOUBTS_SHOWN)
            continue;
        orr__human_choice(p->bytes, size, sizeof size);
        orr__text_add(t, "- %s: ", marks);
        if (p->ranks)
            orr__text_add(t, "%u ranks, ", p->ranks);
        orr__text_add(t, "%s%s%s: ", size, p->label[0] ? ", " : "", p->label);
        orr__doubt_text(t, &p->doubt);
        orr__text_add(t, "\n");
    }
    if (n > DOUBTS_SHOWN)
        orr__text_add(t, "- and %u more\n", n - DOUBTS_SHOWN);
}

char *orr__fit_text(const struct orr_fit *f, enum orr_fit_style style)
{
    struct orr_text t = {.s = NULL};
    put_keys(&t, f, style);
    orr__text_add(&t, "\n");
    put_points(&t, f, style);
    orr__text_add(&t, "\n");
    put_errors(&t, f);
    put_remarks(&t, f);
    put_doubts(&t, f);
    orr__text_add(&t, "- %llu runs\n", (unsigned long long)f->runs);
    return orr__text_shown(&t);
}

/* ---- CSV ---------------------------------------------------------------- */

static void put_number(struct orr_text *t, double value)
{
    if (isfinite(value))
        orr__text_add(t, "%.15g", value);
    orr__text_add(t, ",");
}

char *orr__fit_csv(const struct orr_fit *f)
{
    struct orr_text t = {.s = NULL};
    orr__text_add(&t, "ranks,bytes,row,set,measured_ns,p10_ns,p90_ns,"
                      "predicted_ns,error,marks,doubt\n");
    for (uint32_t i = 0; i < f->points; i++) {
        const struct orr_fit_point *p = &f->point[i];
        char marks[ORR_DOUBT_MARKS];
        struct orr_text doubt = {.s = NULL};
        orr__text_add(&t, "%u,%llu,", p->ranks, (unsigned long long)p->bytes);
        orr__escape_csv(&t, p->label);
        orr__text_add(&t, ",%s,", p->held_out ? "held out" : "fitted");
        put_number(&t, p->row->time_ns);
        put_number(&t, p->row->low_ns);
        put_number(&t, p->row->high_ns);
        put_number(&t, p->fitted_ns);
        put_number(&t, orr__fit_relative(p));
        orr__doubt_marks(&p->doubt, marks);
        orr__text_add(&t, "%s,", marks);
        orr__text_add(&doubt, "%s", "");
        orr__doubt_text(&doubt, &p->doubt);
        char *text = orr__text_done(&doubt);
        t.failed |= !text;
        if (text)
            orr__escape_csv(&t, text);
        orr__free(text);
        orr__text_add(&t, "\n");
    }
    return orr__text_done(&t);
}
