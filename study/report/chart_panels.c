#include "study/report/chart_panels.h"

#include <math.h>
#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "study/report/plot_doubt.h"

#define POINT_CM (2.54 / 72)
#define RIGHT_CM 0.35
#define GAP_CM   0.25 /* between panels, at least */
#define SMALL    0.78 /* small texts' share of the font */

/* Colours by Okabe and Ito, and some more, that differ in lightness as well;
 * dashes, points and fills differ where print is grey. */
static const struct {
    const char *colour, *dash, *fill;
    int point;
} styles[ORR_CHART_SERIES] = {
    {"#0072b2", "1", "solid 1", 7},
    {"#e69f00", "2", "pattern 4", 5},
    {"#009e73", "4", "solid 0.4", 9},
    {"#cc79a7", "3", "pattern 5", 11},
    {"#000000", "1", "pattern 1", 6},
    {"#d55e00", "(12,4,2,4)", "empty", 4},
    {"#56b4e9", "5", "pattern 2", 13},
    {"#8c6d31", "(2,4)", "solid 0.7", 8},
    {"#7a5195", "(16,6)", "pattern 6", 10},
    {"#999999", "1", "solid 0.15", 15},
    {"#004949", "(6,2,2,2)", "pattern 7", 12},
    {"#b6db00", "(20,4,2,4,2,4)", "pattern 4", 14},
};

/* ---- geometry ------------------------------------------------------------
 */

/* Characters of UTF-8. */
static size_t letters(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* Columns and rows of the legend. */
static void size_legend(const struct orr_chart_panels *f, size_t *columns,
                        size_t *rows)
{
    size_t n = orr__cube_lines(f->cube), longest = 0;

    for (size_t i = 0; i < n; i++) {
        struct orr_text t = {.s = NULL};
        orr__cube_line_name(f->cube, i, &t);
        size_t k = t.s ? letters(t.s) : 0;
        longest = k > longest ? k : longest;
        orr__free(t.s);
    }
    double room = f->p->o->width / f->letter, each = (double)longest + 7;
    *columns = room > each ? (size_t)(room / each) : 1;
    *columns = *columns < n ? *columns : n;
    *rows = n > 1 ? (n + *columns - 1) / *columns : 0;
}

/* The longest name along the axis, and letters of all. */
static size_t names_along(const struct orr_chart_panels *f, size_t *all)
{
    size_t longest = 0;

    *all = 0;
    if (f->cube->x == SIZE_MAX)
        return 0;
    const struct orr_chart_dim *d = &f->cube->dim[f->cube->x];
    for (size_t i = 0; i < d->n; i++) {
        size_t k = letters(d->value[i].name);
        *all += k + 2;
        longest = k > longest ? k : longest;
    }
    return longest;
}

/* Panels beside one another: as many as keep them wide. */
static size_t choose_columns(size_t n, double width, double height)
{
    size_t best = 1;
    double worst = HUGE_VAL;

    for (size_t c = 1; c <= n; c++) {
        size_t r = (n + c - 1) / c;
        double bad = fabs(log(width / (double)c / (height / (double)r) / 1.4))
                     + 0.1 * (double)(c * r - n);
        if (bad < worst) {
            worst = bad;
            best = c;
        }
    }
    return best;
}

/* Lines of doubt take a quarter of the picture at most. */
static void size_doubt(struct orr_chart_panels *f)
{
    const struct orr_plot_options *o = f->p->o;
    double room = o->height / 4 / (f->line * SMALL);
    size_t most = room > 2 ? (size_t)room : 2;

    f->doubt_columns = (size_t)(1.15 * o->width / (f->letter * SMALL)) - 2;
    f->doubt_rows = orr__plot_doubt_rows(f->cube->view, f->doubt_columns);
    f->doubt_rows = f->doubt_rows < most ? f->doubt_rows : most;
}

/* Where the panels stand. */
static void place_panels(struct orr_chart_panels *f)
{
    const struct orr_plot_options *o = f->p->o;
    size_t columns, rows, all, longest = names_along(f, &all);
    size_t panels = orr__cube_panels(f->cube);
    struct orr_text fixed = {.s = NULL};

    f->letter = 0.52 * o->font * POINT_CM;
    f->line = 1.4 * o->font * POINT_CM;
    size_doubt(f);
    size_legend(f, &columns, &rows);
    orr__cube_fixed(f->cube, &fixed);
    f->gap = GAP_CM + (double)longest * f->letter / 2;
    f->columns = choose_columns(panels, o->width, o->height);
    f->rows = (panels + f->columns - 1) / f->columns;
    f->x0 = 7 * f->letter + (*f->y_label ? f->line : 0);
    f->width = o->width - f->x0 - RIGHT_CM;
    f->rotated =
        f->cube->x != SIZE_MAX
        && (double)all * f->letter > f->width / (double)f->columns
        && !(f->form == ORR_CHART_LINES && f->cube->dim[f->cube->x].kind);
    f->y0 = f->line * (1.3 + (*f->x_label ? 1 : 0))
            + (double)f->doubt_rows * f->line * SMALL
            + (f->rotated ? (double)longest * f->letter * 0.5 : 0);
    double top = f->line * (0.4 + 0.85 * (double)rows + (fixed.length ? 1 : 0));
    f->above =
        (double)letters(f->y_label) * f->letter > o->height - f->y0 - top;
    top += f->above ? 1.4 * f->line : 0;
    f->height = o->height - f->y0 - top;
    if (f->height < 3 * f->line * (double)f->rows) /* small, yet a picture */
        f->height = 3 * f->line * (double)f->rows;
    orr__free(fixed.s);
}

/* Fractions of the picture. */
static double across(const struct orr_chart_panels *f, double cm)
{
    return cm / f->p->o->width;
}

static double up_by_cm(const struct orr_chart_panels *f, double cm)
{
    return cm / f->p->o->height;
}

/* ---- axes ---------------------------------------------------------------- */

static double place_of_x(const struct orr_chart_panels *f, double x)
{
    return f->log_x ? log(x / f->left) / log(f->right / f->left)
                    : (x - f->left) / (f->right - f->left);
}

/* Whether the values' own names fit along an axis of numbers. */
static bool names_fit(const struct orr_chart_panels *f,
                      const struct orr_chart_dim *d)
{
    double room = f->width / (double)f->columns, used = -HUGE_VAL;

    room -= f->columns > 1 ? f->gap : 0;

    for (size_t i = 0; i < d->n; i++) {
        double at = place_of_x(f, d->value[i].number) * room;
        double half = ((double)letters(d->value[i].name) + 1) / 2 * f->letter;

        if (i && fabs(at - used) < half * 2)
            return false;
        used = at;
    }
    return true;
}

/* Marks along an axis of numbers: the values, or round ones. */
static void put_numbers(struct orr_chart_panels *f,
                        const struct orr_chart_dim *d)
{
    static const char *const format[] = {"%g", "%.4g", "%.0s %cs", "%.0s %cB",
                                         "%.0s %cbps"};
    struct orr_text *t = f->p->out;

    if (!names_fit(f, d)) {
        orr__text_add(t, "set format x '%s'\nset xtics norotate autofreq\n",
                      format[d->kind]);
        return;
    }
    orr__text_add(t, "unset mxtics\nset xtics norotate (");
    for (size_t i = 0; i < d->n; i++) {
        orr__escape_gnuplot_format(t, d->value[i].name);
        orr__text_add(t, " %.9g%s", d->value[i].number,
                      i + 1 < d->n ? ", " : ")\n");
    }
}

/* Names along an axis, at 0, 1, 2 ... */
static void put_names(struct orr_chart_panels *f, const struct orr_chart_dim *d)
{
    struct orr_text *t = f->p->out;

    orr__text_add(t, "set xtics %s (",
                  f->rotated ? "rotate by -30 left" : "norotate");
    for (size_t i = 0; i < d->n; i++) {
        orr__escape_gnuplot_format(t, d->value[i].name);
        orr__text_add(t, " %zu%s", i, i + 1 < d->n ? ", " : ")\n");
    }
}

/* Ranges, scales and marks of both axes, the same in all panels. */
static void put_axes(struct orr_chart_panels *f)
{
    struct orr_text *t = f->p->out;
    const struct orr_cube *c = f->cube;

    orr__text_add(t, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n",
                  f->left, f->right, f->bottom, f->top);
    if (f->log_x)
        orr__text_add(t, "set logscale x\n");
    if (f->log_y)
        orr__text_add(t, "set logscale y\n");
    if (c->x == SIZE_MAX)
        return;
    if (f->form == ORR_CHART_LINES && c->dim[c->x].kind)
        put_numbers(f, &c->dim[c->x]);
    else
        put_names(f, &c->dim[c->x]);
}

/* ---- the whole ----------------------------------------------------------- */

void orr__panels_begin(struct orr_chart_panels *f)
{
    struct orr_text *t = f->p->out;

    place_panels(f);
    orr__text_add(t, "set termopt noenhanced\n");
    for (size_t i = 0; i < ORR_CHART_SERIES; i++)
        orr__text_add(t,
                      "set style line %zu lc rgb '%s' lw 1.5 dt %s pt %d ps "
                      "0.6\n",
                      i + 1, styles[i].colour, styles[i].dash, styles[i].point);
    orr__text_add(t,
                  "small = int(%.3g * (GPVAL_TERM eq 'pdfcairo' ? 1 : "
                  "GPVAL_TERM eq 'pngcairo' ? 1.78 : 1.333) + 0.5)\n"
                  "set border 3\nset tics out nomirror\nunset key\n"
                  "set datafile missing '?'\nset multiplot\n",
                  SMALL * f->p->o->font);
    put_axes(f);
}

/* The label of the y axis, once beside all rows. */
static void put_y_label(struct orr_chart_panels *f)
{
    struct orr_text *t = f->p->out;

    if (!*f->y_label)
        return;
    orr__text_add(t, "set label ");
    orr__escape_gnuplot(t, f->y_label);
    if (f->above)
        orr__text_add(t, " at screen %.4g, screen %.4g left\n", across(f, 0.2),
                      up_by_cm(f, f->y0 + f->height + f->line));
    else
        orr__text_add(t, " at screen %.4g, screen %.4g center rotate by 90\n",
                      across(f, 0.7 * f->line),
                      up_by_cm(f, f->y0 + f->height / 2));
}

void orr__panels_one(struct orr_chart_panels *f, size_t panel)
{
    struct orr_text *t = f->p->out;
    const struct orr_cube *c = f->cube;
    size_t column = panel % f->columns, row = panel / f->columns;
    size_t panels = orr__cube_panels(c);
    bool lowest = panel + f->columns >= panels;
    double w = f->width / (double)f->columns, h = f->height / (double)f->rows;
    double title = c->facet == SIZE_MAX ? 0 : f->line;
    double x = f->x0 + w * (double)column;
    double y = f->y0 + h * (double)(f->rows - 1 - row);

    orr__text_add(
        t,
        "unset label\nset lmargin at screen %.4g\n"
        "set rmargin at screen %.4g\nset bmargin at screen %.4g\n"
        "set tmargin at screen %.4g\n",
        across(f, x), across(f, x + w - (f->columns > 1 ? f->gap : 0)),
        up_by_cm(f, y + (f->rows > 1 && row + 1 < f->rows ? GAP_CM : 0)),
        up_by_cm(f, y + h - title));
    orr__text_add(t, "set format y '%s'\n", column ? "" : "%g");
    if (c->x != SIZE_MAX && !lowest)
        orr__text_add(t, "set xtics format ''\n");
    if (panel == 0)
        put_y_label(f);
    if (*f->x_label && lowest) {
        orr__text_add(t, "set label ");
        orr__escape_gnuplot(t, f->x_label);
        orr__text_add(t, " at screen %.4g, screen %.4g center\n",
                      across(f, x + (w - (f->columns > 1 ? f->gap : 0)) / 2),
                      up_by_cm(f, (double)f->doubt_rows * f->line * SMALL
                                      + 0.6 * f->line));
    }
    if (c->facet == SIZE_MAX)
        return;
    orr__text_add(t, "set label ");
    orr__escape_gnuplot(t, c->dim[c->facet].value[panel].name);
    orr__text_add(t, " at graph 0.5, screen %.4g center\n",
                  up_by_cm(f, y + h - 0.5 * title));
}

bool orr__panels_has_room(const struct orr_chart_panels *f, double width)
{
    double axis = f->width / (double)f->columns / (f->right - f->left);

    return f->form == ORR_CHART_BOXES && width * axis > 2.5 * f->letter * SMALL;
}

void orr__panels_mark(struct orr_chart_panels *f, const char *marks, double x,
                      double y)
{
    struct orr_text *t = f->p->out;

    orr__text_add(t, "set label ");
    orr__escape_gnuplot(t, marks);
    orr__text_add(t, " at first %.9g, ", x);
    if (isfinite(y))
        orr__text_add(t, "first %.9g center offset 0,0.6", y);
    else
        orr__text_add(t, "graph 1 center offset 0,-0.4");
    orr__text_add(t, " font sprintf(',%%g', small) front\n");
}

void orr__panels_style(const struct orr_chart_panels *f, size_t series)
{
    size_t i = series % ORR_CHART_SERIES;

    if (f->form == ORR_CHART_BOXES)
        orr__text_add(f->p->out, "fs %s border lc rgb '#222222' lc rgb '%s'",
                      styles[i].fill, styles[i].colour);
    else
        orr__text_add(f->p->out, "ls %zu", i + 1);
}

const char *orr__panels_colour(size_t series)
{
    return styles[series % ORR_CHART_SERIES].colour;
}

/* " (LT)", as a distribution has no place for the letters of its runs. */
static void add_doubt_of_line(const struct orr_chart_panels *f, size_t series,
                              struct orr_text *name)
{
    struct orr_chart_at at = {.series = series};
    char marks[ORR_DOUBT_MARKS] = "";

    for (; at.facet < orr__cube_panels(f->cube); at.facet++)
        orr__cube_add_marks(f->cube, &at, marks);
    if (*marks)
        orr__text_add(name, " (%s)", marks);
}

/* An entry for each series, none for a single one. */
static void put_legend(struct orr_chart_panels *f)
{
    struct orr_text *t = f->p->out;
    size_t columns, rows, n = orr__cube_lines(f->cube);
    static const char *const with[] = {"linespoints", "boxes", "lines"};

    size_legend(f, &columns, &rows);
    for (size_t i = 0; i < n && rows; i++) {
        struct orr_text name = {.s = NULL};

        orr__cube_line_name(f->cube, i, &name);
        if (f->form == ORR_CHART_STEPS)
            add_doubt_of_line(f, i, &name);
        orr__text_add(t, ", \\\n     keyentry with %s ", with[f->form]);
        orr__panels_style(f, i);
        orr__text_add(t, " title ");
        orr__escape_gnuplot_name(t, name.s);
        t->failed |= name.failed;
        orr__free(name.s);
    }
    orr__text_add(t, "\n");
}

void orr__panels_end(struct orr_chart_panels *f)
{
    struct orr_text *t = f->p->out, fixed = {.s = NULL};
    size_t columns, rows;

    size_legend(f, &columns, &rows);
    orr__cube_fixed(f->cube, &fixed);
    orr__text_add(t, "unset label\nunset logscale\nunset border\nunset tics\n"
                     "set lmargin at screen 0\nset rmargin at screen 1\n"
                     "set bmargin at screen 0\nset tmargin at screen 1\n"
                     "set xrange [0:1]\nset yrange [0:1]\n");
    if (fixed.length) {
        orr__text_add(t, "set label ");
        orr__escape_gnuplot(t, fixed.s);
        orr__text_add(
            t,
            " at screen %.4g, screen %.4g left font "
            "sprintf(',%%g', small)\n",
            across(f, 0.2),
            up_by_cm(f, f->p->o->height - f->line * (0.7 + (double)rows)));
    }
    orr__plot_doubt_below(t, f->cube->view, f->doubt_columns, f->doubt_rows,
                          up_by_cm(f, f->line * SMALL));
    orr__text_add(t,
                  "set key at screen 0.5, screen %.4g center top horizontal "
                  "reverse Left width 1 maxcols %zu\nplot 1/0 notitle",
                  up_by_cm(f, f->p->o->height - 0.1), columns ? columns : 1);
    put_legend(f);
    orr__text_add(t, "unset multiplot\n");
    t->failed |= fixed.failed;
    orr__free(fixed.s);
}
