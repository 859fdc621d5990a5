#include "study/report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "study/report/chart_panels.h"

/* ---- units --------------------------------------------------------------- */

static const struct orr_unit time_units[] = {
    {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}, {0, NULL},
};
static const struct orr_unit second_units[] = {
    {3600, "h"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL},
};
static const struct orr_unit no_unit[] = {{1, ""}, {0, NULL}};

/* By the units that study.h5 has. */
static const struct orr_unit *units_of(const char *units)
{
    static const struct {
        const char *name;
        const struct orr_unit *unit;
    } all[] = {{"ns", time_units},
               {"B", orr__units_of_bytes},
               {"bit/s", orr__units_of_bps},
               {"s", second_units}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(units, all[i].name) == 0)
            return all[i].unit;
    return no_unit;
}

/* ---- figures ------------------------------------------------------------- */

/* A figure of a place, in the study's units. */
struct point {
    double x, mean, half; /* half: NAN: no interval */
    const json_t *runs;   /* of its measure */
    size_t first, n;      /* its own among them */
};

/* The chart while it is made. */
struct chart {
    struct orr_plotting *p;
    struct orr_cube cube;
    struct orr_chart_panels panels;
    struct orr_unit unit; /* of the measure */
};

/* The figure of a place; what is not known of it is NAN. */
static struct point point_at(const struct chart *c,
                             const struct orr_chart_at *at)
{
    const struct orr_cube *cube = &c->cube;
    size_t cell;
    const json_t *m = orr__cube_measure(cube, at, &cell);
    size_t seeds =
        (size_t)json_integer_value(json_object_get(cube->view, "seeds"));
    struct point q = {
        .x = (double)at->x,
        .mean = orr__plot_number(json_object_get(m, "mean"), cell),
        .half = orr__plot_number(json_object_get(m, "half"), cell),
        .runs = json_object_get(m, "runs"),
        .first = cell * seeds,
        .n = seeds,
    };
    if (cube->x != SIZE_MAX && cube->dim[cube->x].kind
        && c->panels.form == ORR_CHART_LINES)
        q.x = cube->dim[cube->x].value[at->x].number;
    return q;
}

/* Calls `each` for all places of a panel, series by series. */
static void visit_places(struct chart *c, size_t panel,
                         void (*each)(struct chart *,
                                      const struct orr_chart_at *,
                                      const struct point *, void *),
                         void *arg)
{
    struct orr_chart_at at = {.facet = panel};

    for (at.series = 0; at.series < orr__cube_lines(&c->cube); at.series++)
        for (at.x = 0; at.x < orr__cube_places(&c->cube); at.x++) {
            struct point q = point_at(c, &at);
            each(c, &at, &q, arg);
        }
}

/* ---- ranges -------------------------------------------------------------- */

/* Of all panels. */
struct extent {
    double least, most; /* of figures with their intervals */
    double least_mean;  /* above 0 */
    double first, last; /* along the axis */
    size_t known;       /* figures */
};

static void extend(struct extent *e, double low, double high)
{
    e->least = fmin(e->least, low);
    e->most = fmax(e->most, high);
    if (low > 0)
        e->least_mean = fmin(e->least_mean, low);
}

/* By means with their intervals; arg: the extent. */
static void extend_by_mean(struct chart *c, const struct orr_chart_at *at,
                           const struct point *q, void *arg)
{
    struct extent *e = arg;

    (void)c;
    (void)at;
    if (!isfinite(q->mean))
        return;
    double half = isfinite(q->half) ? q->half : 0;
    e->known++;
    e->first = fmin(e->first, q->x);
    e->last = fmax(e->last, q->x);
    if (q->mean > 0)
        e->least_mean = fmin(e->least_mean, q->mean);
    extend(e, q->mean - half, q->mean + half);
}

/* By what each run says. */
static void extend_by_runs(struct chart *c, const struct orr_chart_at *at,
                           const struct point *q, void *arg)
{
    struct extent *e = arg;

    (void)c;
    (void)at;
    for (size_t i = 0; i < q->n; i++) {
        double x = orr__plot_number(q->runs, q->first + i);

        if (!isfinite(x))
            continue;
        e->known++;
        extend(e, x, x);
    }
}

/* A decade below x, of 1, 2 and 5 times powers of ten. */
static double floor_of(double x)
{
    double decade = pow(10, floor(log10(x)));
    double first = x / decade;

    return decade
           * (first >= 5.5   ? 5
              : first >= 2.2 ? 2
              : first > 1.1  ? 1
                             : 0.5);
}

static bool has_letter(const char *s, char c)
{
    return s && strchr(s, c);
}

/* Whether an axis of numbers is one of ratios: few values that grow by them. */
static bool wants_log(const struct orr_chart_dim *d)
{
    double least = HUGE_VAL, most = 0;

    for (size_t i = 0; i < d->n; i++) {
        least = fmin(least, d->value[i].number);
        most = fmax(most, d->value[i].number);
    }
    return d->n > 2 && least > 0 && most >= 16 * least;
}

/* The y axis holds all figures and their intervals. */
static orr_err set_y_axis(struct chart *c, const struct extent *e)
{
    struct orr_chart_panels *f = &c->panels;
    double size = c->unit.size;

    f->log_y = has_letter(c->p->o->log, 'y');
    if (f->log_y && !(e->least_mean < HUGE_VAL))
        return orr__fail(c->p->why, ORR_ECONFIG,
                         "--log y: no figure is above 0");
    f->bottom =
        f->log_y ? floor_of(e->least_mean / size) : fmin(0, e->least / size);
    if (e->least < 0 && !f->log_y)
        f->bottom *= 1.05;
    f->top = f->log_y ? e->most / size * pow(e->most / size / f->bottom, 0.08)
                      : e->most / size + 0.08 * (e->most / size - f->bottom);
    if (!(f->top > f->bottom)) /* all are 0, or one */
        f->top = f->bottom + (f->log_y ? f->bottom : 1);
    return ORR_OK;
}

/* The x axis: names at 0, 1, 2 ..., or numbers. */
static orr_err set_x_axis(struct chart *c, const struct extent *e)
{
    struct orr_chart_panels *f = &c->panels;
    const struct orr_chart_dim *d = &c->cube.dim[c->cube.x];
    bool numbers = f->form == ORR_CHART_LINES && d->kind;
    const char *log = c->p->o->log;

    f->log_x = numbers && (log ? has_letter(log, 'x') : wants_log(d));
    if (has_letter(log, 'x') && (!numbers || !(e->first > 0)))
        return orr__fail(c->p->why, ORR_ECONFIG,
                         "--log x: %s has values that are no numbers above 0",
                         d->text);
    if (f->log_x) {
        double margin = pow(e->last / e->first, 0.04);
        f->left = e->first / margin;
        f->right = e->last * margin;
    } else if (numbers) {
        double margin = 0.04 * (e->last - e->first);
        f->left = e->first - margin;
        f->right = e->last + margin;
    } else {
        double margin = f->form == ORR_CHART_LINES ? 0.3 : 0.5;
        f->left = -margin;
        f->right = (double)d->n - 1 + margin;
    }
    if (!(f->right > f->left)) {
        f->left -= f->left > 0 ? 0.5 * f->left : 0.5;
        f->right += f->right > 0 ? 0.5 * f->right : 0.5;
    }
    return ORR_OK;
}

/* ---- data and plots ------------------------------------------------------ */

static double width_of(const struct chart *c)
{
    return 0.8 / (double)orr__cube_lines(&c->cube);
}

/* Where a figure stands: bars of a group beside one another. */
static double across(const struct chart *c, const struct orr_chart_at *at,
                     const struct point *q)
{
    double lines = (double)orr__cube_lines(&c->cube);

    if (c->panels.form == ORR_CHART_LINES)
        return q->x;
    return q->x + ((double)at->series - (lines - 1) / 2) * width_of(c);
}

/* x, mean, and both ends of the interval; "?": there is none. */
static void put_mean(struct chart *c, const struct orr_chart_at *at,
                     const struct point *q, void *arg)
{
    struct orr_text *t = c->p->out;
    double size = c->unit.size, floor = c->panels.bottom;

    (void)arg;
    if (at->x == 0)
        orr__text_add(t, "$figures%zu_%zu << END\n", at->facet, at->series);
    if (!isfinite(q->mean) || (c->panels.log_y && q->mean <= 0))
        orr__text_add(t, "%.9g ? ? ?\n", across(c, at, q));
    else if (!isfinite(q->half))
        orr__text_add(t, "%.9g %.9g ? ?\n", across(c, at, q), q->mean / size);
    else
        orr__text_add(t, "%.9g %.9g %.9g %.9g\n", across(c, at, q),
                      q->mean / size, fmax((q->mean - q->half) / size, floor),
                      (q->mean + q->half) / size);
    if (at->x + 1 == orr__cube_places(&c->cube))
        orr__text_add(t, "END\n");
}

/* Letters over a bar that is doubtful. */
static void put_mark(struct chart *c, const struct orr_chart_at *at,
                     const struct point *q, void *arg)
{
    double top = isfinite(q->mean) ? q->mean + (isfinite(q->half) ? q->half : 0)
                                   : c->panels.bottom * c->unit.size;

    char marks[ORR_DOUBT_MARKS] = "";

    (void)arg;
    orr__cube_add_marks(&c->cube, at, marks);
    if (*marks)
        orr__panels_mark(&c->panels, marks, across(c, at, q),
                         top / c->unit.size);
}

/* Letters of doubt of a panel: over each bar, or where there is no room all of
 * a place together. */
static void put_marks(struct chart *c, size_t panel)
{
    struct orr_chart_at at = {.facet = panel};

    if (orr__panels_has_room(&c->panels, width_of(c))) {
        visit_places(c, panel, put_mark, NULL);
        return;
    }
    for (at.x = 0; at.x < orr__cube_places(&c->cube); at.x++) {
        char marks[ORR_DOUBT_MARKS] = "";
        double x = 0;

        for (at.series = 0; at.series < orr__cube_lines(&c->cube);
             at.series++) {
            struct point q = point_at(c, &at);
            orr__cube_add_marks(&c->cube, &at, marks);
            x = q.x;
        }
        if (*marks)
            orr__panels_mark(&c->panels, marks, x, NAN);
    }
}

/* Whether any figure of a series has a mean (intervals false), an interval. */
static bool has_any(const struct chart *c, size_t panel, size_t series,
                    bool intervals)
{
    struct orr_chart_at at = {.facet = panel, .series = series};

    for (; at.x < orr__cube_places(&c->cube); at.x++) {
        struct point q = point_at(c, &at);
        if (isfinite(q.mean) && (!intervals || isfinite(q.half)))
            return true;
    }
    return false;
}

/* Begins the next plot of a panel's list. */
static void next_plot(struct orr_text *t, size_t *n)
{
    orr__text_add(t, "%s", (*n)++ ? ", \\\n     " : "plot ");
}

/* Lines or bars of all series: what is below first. */
static void put_series(struct chart *c, size_t panel, size_t *n)
{
    struct orr_text *t = c->p->out;
    bool bars = c->panels.form == ORR_CHART_BOXES;

    for (size_t s = 0; s < orr__cube_lines(&c->cube); s++) {
        if (!has_any(c, panel, s, false))
            continue;
        next_plot(t, n);
        orr__text_add(t, "$figures%zu_%zu using 1:2 with %s ", panel, s,
                      bars ? "boxes" : "linespoints");
        orr__panels_style(&c->panels, s);
    }
}

/* Intervals of all series. */
static void put_intervals(struct chart *c, size_t panel, size_t *n)
{
    struct orr_text *t = c->p->out;

    for (size_t s = 0; s < orr__cube_lines(&c->cube); s++) {
        if (!has_any(c, panel, s, true))
            continue;
        next_plot(t, n);
        orr__text_add(t, "$figures%zu_%zu using 1:2:3:4", panel, s);
        if (c->panels.form == ORR_CHART_BOXES)
            orr__text_add(t,
                          ":(%.4g) with boxerrorbars fs empty border lc rgb "
                          "'#222222' lc rgb '#222222'",
                          width_of(c));
        else
            orr__text_add(t, " with yerrorbars lc rgb '%s' pt 0",
                          orr__panels_colour(s));
    }
}

/* A panel of lines or bars; points of lines hide the middle of intervals,
 * which gnuplot leaves blank. */
static void plot_means(struct chart *c, size_t panel)
{
    struct orr_text *t = c->p->out;
    bool bars = c->panels.form == ORR_CHART_BOXES;
    size_t n = 0;

    visit_places(c, panel, put_mean, NULL);
    orr__panels_one(&c->panels, panel);
    put_marks(c, panel);
    orr__text_add(t, "set boxwidth %.4g absolute\n", width_of(c));
    if (bars)
        put_series(c, panel, &n);
    put_intervals(c, panel, &n);
    if (!bars)
        put_series(c, panel, &n);
    orr__text_add(t, "%s\n", n ? "" : "plot 1/0 notitle");
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The runs of a figure that say something, ascending; how many. */
static size_t sorted_runs(const struct point *q, double *to)
{
    size_t n = 0;

    for (size_t i = 0; i < q->n; i++) {
        double x = orr__plot_number(q->runs, q->first + i);
        if (isfinite(x))
            to[n++] = x;
    }
    qsort(to, n, sizeof *to, compare_reals);
    return n;
}

/* Of sorted values, between two of them as far as p lies. */
static double quantile(const double *v, size_t n, double p)
{
    double at = p * (double)(n - 1);
    size_t i = (size_t)at;

    return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

/* x, lower quartile, least, most, upper quartile, median. */
static void put_box(struct chart *c, const struct orr_chart_at *at,
                    const struct point *q, void *arg)
{
    struct orr_text *t = c->p->out;
    double *v = arg, size = c->unit.size;
    size_t n = sorted_runs(q, v);

    if (at->x == 0)
        orr__text_add(t, "$figures%zu_%zu << END\n", at->facet, at->series);
    if (n == 0 || (c->panels.log_y && v[0] <= 0))
        orr__text_add(t, "%.9g ? ? ? ? ?\n", across(c, at, q));
    else
        orr__text_add(t, "%.9g %.9g %.9g %.9g %.9g %.9g\n", across(c, at, q),
                      quantile(v, n, 0.25) / size, v[0] / size, v[n - 1] / size,
                      quantile(v, n, 0.75) / size, quantile(v, n, 0.5) / size);
    if (at->x + 1 == orr__cube_places(&c->cube))
        orr__text_add(t, "END\n");
}

/* Boxes, whiskers, and the median as a thick line; room: for a place's runs. */
static void plot_boxes(struct chart *c, size_t panel, double *room)
{
    struct orr_text *t = c->p->out;
    size_t n = 0;

    visit_places(c, panel, put_box, room);
    orr__panels_one(&c->panels, panel);
    put_marks(c, panel);
    orr__text_add(t, "set boxwidth %.4g absolute\n", 0.8 * width_of(c));
    for (size_t s = 0; s < orr__cube_lines(&c->cube); s++) {
        if (!has_any(c, panel, s, false))
            continue;
        next_plot(t, &n);
        orr__text_add(t, "$figures%zu_%zu using 1:2:3:4:5 with candlesticks ",
                      panel, s);
        orr__panels_style(&c->panels, s);
        orr__text_add(t,
                      " whiskerbars 0.5, $figures%zu_%zu using 1:6:6:6:6 with "
                      "candlesticks lc rgb '#000000' lw 2.5",
                      panel, s);
    }
    orr__text_add(t, "%s\n", n ? "" : "plot 1/0 notitle");
}

/* Steps from 0 to 1. */
static void put_steps(struct chart *c, const struct orr_chart_at *at,
                      const struct point *q, void *arg)
{
    struct orr_text *t = c->p->out;
    double *v = arg, size = c->unit.size;
    size_t n = sorted_runs(q, v);

    orr__text_add(t, "$figures%zu_%zu << END\n", at->facet, at->series);
    if (n)
        orr__text_add(t, "%.9g 0\n", v[0] / size);
    for (size_t i = 0; i < n; i++)
        orr__text_add(t, "%.9g %.9g\n", v[i] / size,
                      (double)(i + 1) / (double)n);
    if (n)
        orr__text_add(t, "%.9g 1\n", c->panels.right);
    else
        orr__text_add(t, "? ?\n");
    orr__text_add(t, "END\n");
}

/* Distributions of a panel; room: for a place's runs. */
static void plot_cdf(struct chart *c, size_t panel, double *room)
{
    struct orr_text *t = c->p->out;
    size_t n = 0;

    visit_places(c, panel, put_steps, room);
    orr__panels_one(&c->panels, panel);
    for (size_t s = 0; s < orr__cube_lines(&c->cube); s++) {
        if (!has_any(c, panel, s, false))
            continue;
        next_plot(t, &n);
        orr__text_add(t, "$figures%zu_%zu using 1:2 with steps ", panel, s);
        orr__panels_style(&c->panels, s);
    }
    orr__text_add(t, "%s\n", n ? "" : "plot 1/0 notitle");
}

/* ---- the whole ----------------------------------------------------------- */

enum kind { LINES, BARS, BOXES, CDF };

/* Ranges of the axes. */
static orr_err set_ranges(struct chart *c, enum kind kind)
{
    struct extent e = {.least = HUGE_VAL,
                       .most = -HUGE_VAL,
                       .least_mean = HUGE_VAL,
                       .first = HUGE_VAL,
                       .last = -HUGE_VAL};
    struct orr_chart_panels *f = &c->panels;

    for (size_t k = 0; k < orr__cube_panels(&c->cube); k++)
        visit_places(c, k, kind >= BOXES ? extend_by_runs : extend_by_mean, &e);
    if (e.known == 0)
        return orr__plot_nothing(c->p, c->cube.dim[0].value[0].text);
    c->unit = *orr__unit_for(units_of(c->cube.units),
                             fmax(fabs(e.most), fabs(e.least)));
    if (kind != CDF) {
        orr_err err = set_y_axis(c, &e);
        return err ? err : set_x_axis(c, &e);
    }
    f->bottom = 0;
    f->top = 1.02;
    f->log_x = has_letter(c->p->o->log, 'x') && e.least > 0;
    double margin = e.most > e.least ? 0.05 * (e.most - e.least)
                                     : fmax(fabs(e.most), 1) * 0.5;
    f->left = (f->log_x ? e.least * 0.9 : e.least - margin) / c->unit.size;
    f->right = (f->log_x ? e.most * 1.1 : e.most + margin) / c->unit.size;
    return ORR_OK;
}

/* "title, unit (bars from 0.5)". NULL: no memory. */
static char *label_of(const struct chart *c, bool bars)
{
    const char *unit = c->unit.name, *title = c->cube.title;
    struct orr_text t = {.s = NULL};

    orr__text_add(&t, "%s%s%s", title, *title && *unit ? ", " : "", unit);
    if (bars && c->panels.log_y)
        orr__text_add(&t, " (log; bars from %g)", c->panels.bottom);
    return orr__text_done(&t);
}

/* The script; room: for the runs of a place. */
static orr_err draw_script(struct chart *c, enum kind kind, double *room)
{
    char *label = label_of(c, kind == BARS);
    const struct orr_cube *cube = &c->cube;
    struct orr_chart_panels *f = &c->panels;

    if (!label)
        return orr__no_memory(c->p->why);
    f->x_label = kind == CDF ? label : cube->dim[cube->x].name;
    f->y_label = kind == CDF ? "share of runs" : label;
    orr__panels_begin(f);
    for (size_t k = 0; k < orr__cube_panels(cube); k++)
        if (kind == CDF)
            plot_cdf(c, k, room);
        else if (kind == BOXES)
            plot_boxes(c, k, room);
        else
            plot_means(c, k);
    orr__panels_end(f);
    orr__free(label);
    return ORR_OK;
}

/* A chart of one kind, from its cube to its script. */
static orr_err make_chart(struct orr_plotting *p, enum kind kind)
{
    static const enum orr_chart_form forms[] = {
        ORR_CHART_LINES, ORR_CHART_BOXES, ORR_CHART_BOXES, ORR_CHART_STEPS};
    struct chart c = {.p = p};
    size_t seeds =
        (size_t)json_integer_value(json_object_get(p->view, "seeds"));
    double *room = orr__alloc(seeds ? seeds : 1, sizeof *room);
    orr_err err = room ? ORR_OK : orr__no_memory(p->why);

    if (!err)
        err = orr__cube_make(p, kind == BARS || kind == BOXES, kind == CDF,
                             &c.cube);
    c.panels =
        (struct orr_chart_panels){.p = p, .cube = &c.cube, .form = forms[kind]};
    if (!err)
        err = set_ranges(&c, kind);
    if (!err)
        err = draw_script(&c, kind, room);
    orr__cube_fini(&c.cube);
    orr__free(room);
    return err;
}

orr_err orr__chart_lines(struct orr_plotting *p)
{
    return make_chart(p, LINES);
}

orr_err orr__chart_bars(struct orr_plotting *p)
{
    return make_chart(p, BARS);
}

orr_err orr__chart_boxes(struct orr_plotting *p)
{
    return make_chart(p, BOXES);
}

orr_err orr__chart_cdf(struct orr_plotting *p)
{
    return make_chart(p, CDF);
}
