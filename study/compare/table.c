/* The table for people, in three dialects. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/escape.h"
#include "core/none.h"
#include "study/compare/measured.h"
#include "study/compare/study.h"
#include "study/titles.h"
#include "study/units.h"

/* A grid of texts, all in the arena of the study's table. */
struct grid {
    const struct orr_compare *c;
    struct orr_arena arena;
    enum orr_compare_style style;
    const char **text;      /* rows x columns; the first row is the heading */
    struct orr_unit *scale; /* of each measure's column, in its heading; NULL:
                             * each figure has its own unit behind it */
    uint32_t rows, columns;
    struct orr_text notes; /* why runs failed, a line each */
    uint32_t failures;
    bool uncertain;   /* a change that may be none */
    bool single, own; /* of one seed: without an interval, with the run's own */
    bool several;     /* of more than one */
    bool doubtful;    /* some row has marks of doubt */
};

/* ---- numbers ------------------------------------------------------------ */

/* The largest unit in which the value is at least 1. */
static struct orr_unit scale_of(const char *unit, double value)
{
    const struct orr_unit *u = strcmp(unit, "ns") == 0  ? orr__units_of_ns
                               : strcmp(unit, "B") == 0 ? orr__units_of_bytes
                               : strcmp(unit, "bit/s") == 0 ? orr__units_of_bps
                                                            : NULL;
    if (!u)
        return (struct orr_unit){1, strcmp(unit, "1") == 0 ? "" : unit};
    return *orr__unit_for(u, fabs(value));
}

static const char *sign_of(const struct grid *g)
{
    return g->style == ORR_COMPARE_LATEX ? "$\\pm$" : "\u00b1";
}

/* Digits behind the point: two of the interval that count, or four of the
 * value. */
static int decimals(double value, double half)
{
    double lead = half > 0 ? half : fabs(value);
    int digits = half > 0 ? 1 : 3;
    if (!(lead > 0))
        return 0;
    int n = digits - (int)floor(log10(lead));
    if (half > 0 && n > 3 - (int)floor(log10(fabs(value) + 1e-300)) + 3)
        n = 6 - (int)floor(log10(fabs(value) + 1e-300));
    return n < 0 ? 0 : n > 9 ? 9 : n;
}

/* "681.7 ± 1.2 us"; column: the unit that its heading has, which then is not
 * repeated, or NULL. */
static const char *number(struct grid *g, const struct orr_estimated *e,
                          const char *unit, const struct orr_unit *column)
{
    char text[128];
    const char *plus_minus = sign_of(g);
    struct orr_unit s = scale_of(unit, e->mean);
    if (column)
        s = (struct orr_unit){column->size, ""};
    double mean = e->mean / s.size, half = e->half / s.size;
    bool whole = isnan(half) || half == 0;
    int n = decimals(mean, whole ? 0 : half);
    if (whole && mean == floor(mean) && fabs(mean) < 1e6)
        n = 0;
    if (isnan(half))
        snprintf(text, sizeof text, "%.*f%s%s", n, mean, *s.name ? " " : "",
                 s.name);
    else
        snprintf(text, sizeof text, "%.*f %s %.*f%s%s", n, mean, plus_minus,
                 whole ? 0 : n, half, *s.name ? " " : "", s.name);
    return orr__arena_strdup(&g->arena, text);
}

/* "× 2.04 ± 0.31" of what is more than twice the baseline. */
static const char *factor(struct grid *g, const struct orr_estimated *d,
                          double baseline)
{
    char text[128];
    double mean = 1 + d->mean / fabs(baseline), half = d->half / fabs(baseline);
    bool spread = !isnan(half) && half > 0, unsure = spread && mean - half <= 1;
    int n = decimals(mean, spread ? half : 0);
    const char *times = g->style == ORR_COMPARE_LATEX ? "$\\times$" : "\u00d7";
    if (spread)
        snprintf(text, sizeof text, "%s %.*f %s %.*f%s", times, n, mean,
                 sign_of(g), n, half, unsure ? " ~" : "");
    else
        snprintf(text, sizeof text, "%s %.*f", times, n, mean);
    g->uncertain |= unsure;
    return orr__arena_strdup(&g->arena, text);
}

/* "+1.90 ± 0.31 %" of the baseline's mean, or the difference itself where that
 * is 0; "~" behind it when the interval holds 0. */
static const char *change(struct grid *g, const struct orr_estimated *d,
                          double baseline, const char *unit)
{
    char text[128];
    const char *plus_minus = sign_of(g);
    bool relative = baseline != 0;
    if (baseline > 0 && d->mean > baseline)
        return factor(g, d, baseline);
    struct orr_unit s = scale_of(unit, d->mean);
    double by = relative ? fabs(baseline) / 100 : s.size;
    double mean = d->mean / by, half = d->half / by;
    bool spread = !isnan(half) && half > 0;
    bool unsure = spread && !(fabs(mean) > half);
    int n = relative ? 2 : decimals(mean, spread ? half : 0), at;
    if (!relative && !spread && mean == floor(mean))
        n = 0;
    if (mean == 0 && !spread)
        at = snprintf(text, sizeof text, "0");
    else
        at = snprintf(text, sizeof text, "%+.*f", n, mean);
    if (spread)
        at += snprintf(text + at, sizeof text - (size_t)at, " %s %.*f",
                       plus_minus, n, half);
    const char *behind = relative ? "%" : s.name;
    snprintf(text + at, sizeof text - (size_t)at, "%s%s%s", *behind ? " " : "",
             behind, unsure ? " ~" : "");
    g->uncertain |= unsure;
    return orr__arena_strdup(&g->arena, text);
}

/* ---- cells -------------------------------------------------------------- */

static void note_failures(struct grid *g, const struct orr_study_cell *cell)
{
    char where[200];
    orr__matrix_describe(&g->c->m, cell->variant, where, sizeof where);
    for (uint32_t i = 0; i < cell->trials; i++)
        if (cell->trial[i].state == ORR_TRIAL_FAILED)
            orr__text_add(&g->notes, "[%u] %s, seed %lld: %s\n", g->failures,
                          where, (long long)cell->trial[i].seed,
                          cell->trial[i].reason);
}

/* Of a cell whose runs did not all end well. */
static const char *state_of(struct grid *g, const struct orr_study_cell *cell)
{
    uint32_t ok = 0, failed = 0;
    char text[64] = "";
    for (uint32_t i = 0; i < cell->trials; i++) {
        ok += cell->trial[i].state == ORR_TRIAL_OK;
        failed += cell->trial[i].state == ORR_TRIAL_FAILED;
    }
    if (ok == cell->trials)
        return "";
    if (failed) {
        g->failures++;
        note_failures(g, cell);
    }
    if (failed == cell->trials)
        snprintf(text, sizeof text, "failed [%u]", g->failures);
    else if (failed)
        snprintf(text, sizeof text, "%u of %u failed [%u]", failed,
                 cell->trials, g->failures);
    else
        snprintf(text, sizeof text, ok ? "%u of %u missing" : "missing",
                 cell->trials - ok, cell->trials);
    return orr__arena_strdup(&g->arena, text);
}

static bool has_changes(const struct grid *g)
{
    return !g->c->m.no_baseline;
}

/* For the dialect; in g's arena, NULL: no memory. */
static const char *escape_text(struct grid *g, enum orr_compare_style style,
                               const char *text)
{
    struct orr_text t = {.s = NULL};
    if (style == ORR_COMPARE_LATEX)
        orr__escape_latex(&t, text);
    else if (style == ORR_COMPARE_MARKDOWN)
        orr__escape_markdown(&t, text);
    else
        orr__text_words(&t, text, SIZE_MAX);
    char *made = orr__text_done(&t);
    const char *kept = made ? orr__arena_strdup(&g->arena, made) : NULL;
    orr__free(made);
    return kept;
}

/* How far a measure is from the baseline's. */
static const char **put_change(struct grid *g, const char **at,
                               const struct orr_study_cell *cell, uint32_t i)
{
    const struct orr_compare *c = g->c;
    const struct orr_study_cell *baseline = orr__plan_baseline(c, cell);
    *at = baseline == cell ? "=" : "-";
    if (baseline && baseline != cell) {
        struct orr_estimated b = orr__study_estimate(baseline, i);
        struct orr_estimated d = orr__study_change(cell, baseline, i);
        if (d.n)
            *at = change(g, &d, b.mean, c->measure[i].unit);
    }
    return at + 1;
}

/* What was measured beside the measure, and how far that is off. */
static const char **put_measured(struct grid *g, const char **at,
                                 const struct orr_study_cell *cell)
{
    char text[32] = "-";
    const struct orr_compare *c = g->c;
    struct orr_estimated e = {1, orr__measured_ns(c, cell), NAN};
    double off = orr__measured_error(c, cell);
    *at++ = isfinite(e.mean) ? number(
                g, &e, "ns", g->scale ? &g->scale[c->beside.measure] : NULL)
                             : "-";
    if (isfinite(off))
        snprintf(text, sizeof text, "%+.1f %%", 100 * off);
    *at++ = orr__arena_strdup(&g->arena, text);
    return at;
}

static bool has_measured(const struct grid *g, uint32_t measure)
{
    return g->c->beside.row && measure == g->c->beside.measure;
}

/* A measure of a cell; where there are changes, its change; where it was
 * measured, that. */
static const char **put_measure(struct grid *g, const char **at,
                                const struct orr_study_cell *cell, uint32_t i)
{
    const struct orr_compare *c = g->c;
    struct orr_estimated e = orr__study_estimate(cell, i);
    *at++ =
        e.n ? number(g, &e, c->measure[i].unit, g->scale ? &g->scale[i] : NULL)
            : "-";
    g->single |= e.n == 1 && isnan(e.half);
    g->own |= e.n == 1 && !isnan(e.half);
    g->several |= e.n > 1;
    if (has_changes(g))
        at = put_change(g, at, cell, i);
    return has_measured(g, i) ? put_measured(g, at, cell) : at;
}

/* LaTeX takes % for a comment, ~ for a space, and - for a hyphen. */
static void escape_number(struct grid *g, const char **at)
{
    struct orr_text t = {.s = NULL};
    if (!*at || !strpbrk(*at, "%~"))
        return;
    for (const char *s = *at; *s; s++)
        if (*s == '~')
            orr__text_add(&t, "$\\sim$");
        else if (*s == '-' && s == *at)
            orr__text_add(&t, "$-$");
        else
            orr__text_add(&t, *s == '%' ? "\\%c" : "%c", *s);
    char *made = orr__text_done(&t);
    *at = made ? orr__arena_strdup(&g->arena, made) : NULL;
    orr__free(made);
}

/* One cell's figures; false: no memory. */
static bool fill_row(struct grid *g, uint32_t row,
                     const struct orr_study_cell *cell,
                     enum orr_compare_style style)
{
    const struct orr_compare *c = g->c;
    const char **begin = &g->text[(size_t)row * g->columns], **at = begin;
    const char *state = state_of(g, cell);
    for (uint32_t d = 0; d < c->m.dimensions; d++)
        *at++ = escape_text(g, style,
                            c->m.dimension[d].variant[cell->variant[d]].name);
    if (cell->given) {
        struct orr_estimated price = {1, cell->given[ORR_GIVEN_PRICE], NAN};
        *at++ = number(g, &price, c->m.equal.prices.currency, NULL);
        *at++ = escape_text(g, style, cell->rates);
    }
    const char **figures = at;
    for (uint32_t i = 0; i < c->measured; i++)
        at = put_measure(g, at, cell, i);
    for (const char **p = figures; p < at; p++)
        if (style == ORR_COMPARE_LATEX)
            escape_number(g, p);
    if (g->doubtful) {
        char marks[ORR_DOUBT_MARKS];
        orr__cell_marks(cell, marks);
        *at++ = orr__arena_strdup(&g->arena, marks);
    }
    *at = state;
    for (const char **p = begin; p <= at; p++)
        if (!*p)
            return false;
    return true;
}

/* A measure's heading: its path with the unit of the column; in papers, words.
 * NULL: no memory. */
static const char *title_of(struct grid *g, uint32_t i)
{
    const char *path = g->c->measure[i].path;
    const char *unit = g->scale ? g->scale[i].name : "";
    struct orr_text t = {.s = NULL};
    if (g->style == ORR_COMPARE_LATEX)
        orr__title_of_figure(&t, path);
    else
        orr__text_add(&t, "%s", path);
    if (*unit)
        orr__text_add(&t, " (%s)", unit);
    char *made = orr__text_done(&t);
    const char *text = made ? escape_text(g, g->style, made) : NULL;
    orr__free(made);
    return text;
}

/* One unit for each measure: that of its largest figure. */
static bool choose_scales(struct grid *g)
{
    const struct orr_compare *c = g->c;
    g->scale = orr__alloc(c->measured, sizeof *g->scale);
    for (uint32_t i = 0; g->scale && i < c->measured; i++) {
        double most = -1;
        for (uint32_t k = 0; k < c->cells; k++) {
            struct orr_estimated e = orr__study_estimate(&c->cell[k], i);
            if (e.n && isfinite(e.mean))
                most = fmax(most, fabs(e.mean));
        }
        g->scale[i] = most < 0 ? (struct orr_unit){1, ""} /* no figure */
                               : scale_of(c->measure[i].unit, most);
    }
    return g->scale != NULL;
}

/* The first row; false: no memory. */
static bool fill_heading(struct grid *g, enum orr_compare_style style)
{
    const struct orr_compare *c = g->c;
    const char **at = g->text;
    for (uint32_t d = 0; d < c->m.dimensions; d++)
        *at++ = escape_text(g, style, c->m.dimension[d].name);
    if (c->m.equal.wanted) {
        *at++ = "price";
        *at++ = "links";
    }
    for (uint32_t i = 0; i < c->measured; i++) {
        *at++ = title_of(g, i);
        if (has_changes(g))
            *at++ = "change";
        if (has_measured(g, i)) {
            *at++ = "measured";
            *at++ = "error";
        }
    }
    if (g->doubtful)
        *at++ = "doubt";
    *at = "";
    for (const char **p = g->text; p <= at; p++)
        if (!*p)
            return false;
    return true;
}

/* ---- order -------------------------------------------------------------- */

/* A cell and what rows are sorted by. */
struct place {
    const struct orr_compare *c;
    const struct orr_study_cell *cell;
    double by;
};

/* What has no value comes last, whichever way. */
static int by_value(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (isnan(x->by) != isnan(y->by))
        return isnan(x->by) ? 1 : -1;
    if (x->by != y->by && !isnan(x->by))
        return (x->by < y->by) != x->c->descending ? -1 : 1;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* Cells in the order of rows; the caller's. NULL: no memory. */
static struct place *sort_cells(const struct orr_compare *c)
{
    struct place *p = orr__alloc(c->cells, sizeof *p);
    for (uint32_t i = 0; p && i < c->cells; i++) {
        const struct orr_study_cell *cell = &c->cell[i];
        p[i] = (struct place){c, cell, i};
        if (c->sort == ORR_NONE)
            continue;
        p[i].by = c->sort < c->measures
                      ? orr__study_estimate(cell, c->sort).mean
                      : cell->variant[c->sort - c->measures];
    }
    if (p && c->sort != ORR_NONE)
        qsort(p, c->cells, sizeof *p, by_value);
    return p;
}

/* ---- dialects ----------------------------------------------------------- */

static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

/* Nothing stands below its heading. */
static bool is_empty(const struct grid *g, uint32_t column)
{
    for (uint32_t row = 1; row < g->rows; row++)
        if (*g->text[(size_t)row * g->columns + column])
            return false;
    return true;
}

/* Names to the left, figures to the right; columns as wide as their widest
 * cell. */
static void put_text(struct orr_text *t, const struct grid *g)
{
    size_t *width = orr__alloc(g->columns, sizeof *width);
    t->failed |= width == NULL;
    for (uint32_t i = 0; width && i < g->rows * g->columns; i++) {
        size_t n = width_of(g->text[i]);
        if (n > width[i % g->columns])
            width[i % g->columns] = n;
    }
    for (uint32_t row = 0; width && row < g->rows; row++) {
        size_t blanks = 0;
        for (uint32_t i = 0; i < g->columns; i++) {
            const char *text = g->text[(size_t)row * g->columns + i];
            size_t pad = width[i] - width_of(text);
            bool right = i >= g->c->m.dimensions && i + 1 < g->columns;
            if (*text)
                orr__text_add(t, "%*s%s", (int)(blanks + (right ? pad : 0)), "",
                              text);
            blanks = *text ? (right ? 2 : pad + 2) : blanks + width[i] + 2;
        }
        orr__text_add(t, "\n");
    }
    orr__free(width);
}

/* A last column without text is left out. */
static void put_markdown(struct orr_text *t, const struct grid *g)
{
    uint32_t columns = g->columns - is_empty(g, g->columns - 1);
    for (uint32_t row = 0; row < g->rows; row++) {
        for (uint32_t i = 0; i < columns; i++)
            orr__text_add(t, "%s %s", i ? " |" : "|",
                          g->text[(size_t)row * g->columns + i]);
        orr__text_add(t, " |\n");
        for (uint32_t i = 0; row == 0 && i < columns; i++)
            orr__text_add(t, "%s", i < g->c->m.dimensions ? "|---" : "|--:");
        if (row == 0)
            orr__text_add(t, "|\n");
    }
}

/* What marks mean belongs to the table, as its last rows. */
static void put_latex_doubt(struct orr_text *t, struct grid *g,
                            uint32_t columns)
{
    struct orr_text lines = {.s = NULL};
    orr__text_add(&lines, "%s", "");
    orr__doubt_lines(&lines, g->c, "");
    char *all = orr__text_done(&lines), *line, *next;
    t->failed |= all == NULL;
    for (line = all; line && *line; line = next) {
        next = strchr(line, '\n');
        *next++ = '\0';
        const char *text = escape_text(g, ORR_COMPARE_LATEX, line);
        t->failed |= text == NULL;
        orr__text_add(t,
                      "%s\\multicolumn{%u}{p{\\linewidth}}{\\footnotesize "
                      "%s} \\\\\n",
                      line == all ? "\\midrule\n" : "", columns,
                      text ? text : "");
    }
    orr__free(all);
}

/* Whether a column holds a measure, or what was measured: no change, name or
 * remark. */
static bool is_figure(const struct grid *g, uint32_t column)
{
    uint32_t first = g->c->m.dimensions + (g->c->m.equal.wanted ? 2 : 0);
    uint32_t step = has_changes(g) ? 2 : 1;
    for (uint32_t i = 0, at = first; i < g->c->measured; i++) {
        if (column == at || (has_measured(g, i) && column == at + step))
            return true;
        at += step + (has_measured(g, i) ? 2 : 0);
    }
    return false;
}

/* siunitx centres figures at their points; what is none stands in braces
 * there. */
static void put_latex_cell(struct orr_text *t, const struct grid *g,
                           uint32_t row, uint32_t column)
{
    const char *s = g->text[(size_t)row * g->columns + column];
    const char *sign = strstr(s, sign_of(g));
    const char *digits = s + (*s == '-');
    if (column)
        orr__text_add(t, " & ");
    if (!is_figure(g, column))
        orr__text_add(t, "%s", s);
    else if (row == 0 || *digits < '0' || *digits > '9')
        orr__text_add(t, "{%s}", s);
    else if (sign)
        orr__text_add(t, "%.*s\\pm%s", (int)(sign - s), s,
                      sign + strlen(sign_of(g)));
    else
        orr__text_add(t, "%s", s);
}

/* A last column without text is left out; doubt is part of the table. */
static void put_latex(struct orr_text *t, struct grid *g)
{
    uint32_t columns = g->columns - is_empty(g, g->columns - 1);
    uint32_t names = g->c->m.dimensions;
    orr__text_add(t, "%% \\usepackage{booktabs,siunitx}\n"
                     "\\begin{tabular}{");
    for (uint32_t i = 0; i < columns; i++)
        orr__text_add(t, "%s",
                      is_figure(g, i) ? "S[separate-uncertainty]"
                      : i < names || i + 1 == g->columns ? "l"
                                                         : "r");
    orr__text_add(t, "}\n\\toprule\n");
    for (uint32_t row = 0; row < g->rows; row++) {
        for (uint32_t i = 0; i < columns; i++)
            put_latex_cell(t, g, row, i);
        orr__text_add(t, " \\\\\n%s", row == 0 ? "\\midrule\n" : "");
    }
    if (g->doubtful)
        put_latex_doubt(t, g, columns);
    orr__text_add(t, "\\bottomrule\n\\end{tabular}\n");
}

/* ---- what is said below ------------------------------------------------- */

/* A claim may have several lines. */
static void put_claim(struct orr_text *t, const char *claim, const char *before)
{
    orr__text_add(t, "%sclaim: ", before);
    for (const char *s = claim; *s; s++) {
        orr__text_piece(t, s, 1);
        if (*s == '\n' && s[1])
            orr__text_add(t, "%s", before);
    }
    if (claim[strlen(claim) - 1] != '\n')
        orr__text_add(t, "\n");
}

/* Runs ended well, and none of them has this figure. */
static bool is_absent(const struct orr_compare *c, uint32_t measure)
{
    bool ok = false;
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t t = 0; t < c->cell[i].trials; t++) {
            const struct orr_trial *trial = &c->cell[i].trial[t];
            if (trial->state != ORR_TRIAL_OK)
                continue;
            if (!isnan(trial->value[measure]))
                return false;
            ok = true;
        }
    return ok;
}

static void put_absent(struct orr_text *t, const struct orr_compare *c,
                       const char *before)
{
    for (uint32_t i = 0; i < c->measured; i++)
        if (is_absent(c, i))
            orr__text_add(t, "%s%s: no run has this figure\n", before,
                          c->measure[i].path);
}

/* How many runs there are, and what the intervals are. */
static void put_counts(struct orr_text *t, const struct grid *g)
{
    struct orr_compare_count n = orr__compare_count(g->c);
    orr__text_add(t, "%u combination%s, %u run%s", n.combinations,
                  n.combinations == 1 ? "" : "s", n.runs,
                  n.runs == 1 ? "" : "s");
    if (n.failed)
        orr__text_add(t, ", %u failed", n.failed);
    if (n.missing)
        orr__text_add(t, ", %u missing", n.missing);
    static const char *const kinds[2][2] = {
        {NULL, "one seed: 95 % intervals as the runs give them"},
        {"one seed: no intervals",
         "one seed: 95 % intervals where the runs give any"},
    };
    const char *kind = kinds[g->single][g->own];
    if (g->several || !kind)
        orr__text_add(t, "; mean and 95 %% interval (Student's t)");
    if (kind)
        orr__text_add(t, "; %s", kind);
    orr__text_add(t, "\n");
}

/* A schedule that is no bound by its name alone. */
static void put_ideal(struct orr_text *t, const struct orr_matrix *m)
{
    for (uint32_t i = 0; i < m->dimensions; i++)
        for (uint32_t v = 0; v < m->dimension[i].variants; v++) {
            const struct orr_variant *one = &m->dimension[i].variant[v];
            if (strcmp(m->dimension[i].key, "schedule") == 0
                && orr__yaml_is_scalar(one->value)
                && strcmp(one->name, "ideal") == 0)
                orr__text_add(t, "ideal: each job alone, on its own paths; the "
                                 "bound is {kind: ideal, paths: best}\n");
        }
}

/* What the figures must be read with, in fixed order. */
static void put_legend(struct orr_text *t, struct grid *g,
                       enum orr_compare_style style)
{
    const char *before = ""; /* put_below has it */
    const struct orr_compare *c = g->c;
    char baseline[200];
    put_counts(t, g);
    if (has_changes(g)) {
        orr__matrix_describe(&c->m, c->m.baseline, baseline, sizeof baseline);
        orr__text_add(
            t, "%schange: against %s, paired by seed%s\n", before, baseline,
            g->uncertain ? "; ~: not significant; the 95 % interval includes 0"
                         : "");
    }
    if (c->m.equal.wanted)
        orr__text_add(t,
                      "%sequal cost: rates of links are scaled so that a "
                      "network costs what %s; prices: %s\n",
                      before,
                      c->m.equal.price > 0 ? "was said" : "its baseline does",
                      c->m.equal.prices.source);
    put_ideal(t, &c->m);
    if (style != ORR_COMPARE_LATEX) /* there they are part of the table */
        orr__doubt_lines(t, c, before);
    orr__measured_text(t, c, before);
    put_absent(t, c, before);
    orr__until_text(t, c, before);
    if (c->m.claim && c->m.claim[0])
        put_claim(t, c->m.claim, before);
    char *notes = orr__text_done(&g->notes), *line, *next;
    g->notes = (struct orr_text){.s = NULL};
    for (line = notes; line && *line; line = next) {
        next = strchr(line, '\n');
        *next++ = '\0';
        orr__text_add(t, "%s%s\n", before, line);
    }
    t->failed |= notes == NULL && g->failures;
    orr__free(notes);
}

/* All of it with `before` at each line, names of the user's as the dialect has
 * them: also a name with a line break stays behind `before`. */
static void put_below(struct orr_text *t, struct grid *g, const char *before,
                      enum orr_compare_style style)
{
    struct orr_text legend = {.s = NULL};
    put_legend(&legend, g, style);
    char *text = orr__text_done(&legend), *next;
    t->failed |= text == NULL;
    for (char *line = text; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        orr__text_add(t, "%s", before);
        if (style == ORR_COMPARE_MARKDOWN)
            orr__escape_markdown_line(t, line);
        else
            orr__text_add(t, "%s", line);
        orr__text_add(t, "\n");
    }
    orr__free(text);
}

static bool fill_grid(struct grid *g, enum orr_compare_style style)
{
    struct place *p = sort_cells(g->c);
    bool fine = p && g->text && fill_heading(g, style);
    for (uint32_t i = 0; fine && i < g->c->cells; i++)
        fine = fill_row(g, i + 1, p[i].cell, style);
    orr__free(p);
    return fine;
}

static bool is_doubtful(const struct orr_compare *c)
{
    char marks[ORR_DOUBT_MARKS];
    for (uint32_t i = 0; i < c->cells; i++) {
        orr__cell_marks(&c->cell[i], marks);
        if (marks[0])
            return true;
    }
    return false;
}

orr_err orr__compare_table(const struct orr_compare *c,
                           enum orr_compare_style style, char **text,
                           struct orr_report *why)
{
    struct orr_text t = {.s = NULL};
    struct grid g = {
        .c = c,
        .style = style,
        .rows = c->cells + 1,
        .doubtful = is_doubtful(c),
        .columns = c->m.dimensions + 1 + is_doubtful(c)
                   + (c->m.equal.wanted ? 2 : 0)
                   + c->measured * (c->m.no_baseline ? 1 : 2)
                   + (c->beside.row ? 2 : 0),
    };
    g.text = orr__alloc((size_t)g.rows * g.columns, sizeof *g.text);
    bool fine = style == ORR_COMPARE_TEXT || choose_scales(&g);
    fine = fine && fill_grid(&g, style);
    if (fine && style == ORR_COMPARE_TEXT) {
        put_text(&t, &g);
        orr__text_add(&t, "\n");
        put_below(&t, &g, "", style);
    } else if (fine && style == ORR_COMPARE_MARKDOWN) {
        put_markdown(&t, &g);
        orr__text_add(&t, "\n");
        put_below(&t, &g, "- ", style);
    } else if (fine) {
        put_latex(&t, &g);
        put_below(&t, &g, "% ", style);
    }
    char *rest = orr__text_done(&g.notes);
    orr__free(rest);
    orr__free(g.text);
    orr__free(g.scale);
    orr__arena_fini(&g.arena);
    *text = orr__text_shown(&t);
    if (fine && *text)
        return ORR_OK;
    orr__free(*text);
    *text = NULL;
    return orr__no_memory(why);
}
