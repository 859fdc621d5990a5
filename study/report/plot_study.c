/* Pictures of a study. */
#include <math.h>
#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "study/report/plot_doubt.h"
#include "study/report/plot_parts.h"

static const struct orr_plot_unit nanosecond_units[] = {
    {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}, {0, NULL},
};

/* The one asked for, or the first. */
static orr_err find_measure(struct orr_plotting *p, const json_t **m)
{
    const json_t *list = json_object_get(p->view, "measures"), *x;
    size_t i;
    *m = NULL;
    json_array_foreach(list, i, x)
    {
        const char *name = json_string_value(json_object_get(x, "long_name"));
        if (!*m
            && (!p->o->measure || (name && strcmp(name, p->o->measure) == 0)))
            *m = x;
    }
    if (*m)
        return ORR_OK;
    return p->o->measure ? orr__fail(p->why, ORR_ECONFIG,
                                     "%s has no measure "
                                     "\"%s\"",
                                     p->file, p->o->measure)
                         : orr__plot_nothing(p, "measures");
}

/* The name of a cell in the dimensions from `from` on. */
static void cell_name(const json_t *dimensions, size_t from, size_t cell,
                      struct orr_text *t)
{
    size_t left = 1;
    for (size_t d = json_array_size(dimensions); d-- > from;)
        left *= json_array_size(
            json_object_get(json_array_get(dimensions, d), "values"));
    for (size_t d = from; d < json_array_size(dimensions); d++) {
        const json_t *values =
            json_object_get(json_array_get(dimensions, d), "values");
        left /= json_array_size(values);
        orr__text_add(
            t, "%s%s", d > from ? ", " : "",
            orr__plot_text(values, cell / left % json_array_size(values)));
    }
}

/* What bars show. */
struct bars {
    const json_t *dimensions, *outer; /* outer: values of the first */
    const json_t *mean, *half;
    size_t groups, each;              /* of them; bars of a group */
    const struct orr_plot_unit *unit; /* NULL: as they are */
};

/* The first dimension makes groups, all others the bars within. */
static struct bars bars_of(const struct orr_plotting *p, const json_t *measure)
{
    const json_t *dimensions = json_object_get(p->view, "dimensions");
    struct bars b = {
        .dimensions = dimensions,
        .outer = json_object_get(json_array_get(dimensions, 0), "values"),
        .mean = json_object_get(measure, "mean"),
        .half = json_object_get(measure, "half"),
    };
    const char *units = json_string_value(json_object_get(measure, "units"));
    size_t cells = json_array_size(b.mean);
    double most = 0;
    for (size_t i = 0; i < cells; i++)
        most = fmax(most, orr__plot_number(b.mean, i));
    b.groups = json_array_size(b.outer);
    b.each = b.groups ? cells / b.groups : 0;
    if (units && strcmp(units, "ns") == 0)
        b.unit = orr__plot_unit(nanosecond_units, most);
    return b;
}

/* Rows: the name of a group, then of each bar the mean, and half its interval.
 */
static void put_bars(struct orr_text *t, const struct bars *b)
{
    double size = b->unit ? b->unit->size : 1;
    orr__text_add(t, "$bars << END\n");
    for (size_t g = 0; g < b->groups; g++) {
        orr__escape_gnuplot_data(t, orr__plot_text(b->outer, g));
        for (size_t i = g * b->each; i < (g + 1) * b->each; i++) {
            double x = orr__plot_number(b->mean, i),
                   h = orr__plot_number(b->half, i);
            if (isfinite(x))
                orr__text_add(t, " %.9g %.9g", x / size,
                              isfinite(h) ? h / size : 0);
            else
                orr__text_add(t, " ? ?");
        }
        orr__text_add(t, "\n");
    }
    orr__text_add(t, "END\nset datafile missing '?'\n");
}

/* Groups along the first dimension, a bar for each combination of others. */
orr_err orr__plot_bars(struct orr_plotting *p)
{
    const json_t *m;
    orr_err err = find_measure(p, &m);
    if (err)
        return err;
    struct bars bars = bars_of(p, m);
    const struct orr_plot_unit *u = bars.unit;
    size_t letters = 0, known = 0;
    for (size_t i = 0; i < json_array_size(bars.mean); i++)
        known += isfinite(orr__plot_number(bars.mean, i)) != 0;
    if (!known)
        return orr__plot_nothing(
            p, json_string_value(json_object_get(m, "long_name")));
    for (size_t g = 0; g < bars.groups; g++)
        letters += strlen(orr__plot_text(bars.outer, g)) + 2;
    put_bars(p->out, &bars);
    orr__text_add(p->out,
                  "set style data histograms\n"
                  "set style histogram errorbars gap 1.5 lw 1\n"
                  "set style fill pattern 1 border -1\nset yrange [0:*]\n"
                  "set xtics %s\nset ylabel ",
                  letters > 50 ? "rotate by -30 left" : "norotate");
    char *label = orr__format(
        "%s%s%s", json_string_value(json_object_get(m, "long_name")),
        u ? ", " : "", u ? u->name : "");
    orr__escape_gnuplot(p->out, label);
    orr__free(label);
    orr__text_add(p->out, "\n");
    orr__plot_doubt(p->out, p->view,
                    &(struct orr_plot_bars){bars.mean, bars.half, bars.groups,
                                            bars.each, u ? u->size : 1, 1,
                                            letters > 50});
    orr__text_add(p->out, "%splot ", bars.each > 1 ? "" : "unset key\n");
    for (size_t b = 0; b < bars.each; b++) {
        struct orr_text name = {.s = NULL};
        cell_name(bars.dimensions, 1, b, &name);
        orr__text_add(p->out, "$bars using %zu:%zu:xtic(1) ls %zu title ",
                      2 * b + 2, 2 * b + 3, b % ORR_PLOT_LINES + 1);
        char *s = orr__text_done(&name);
        orr__escape_gnuplot(p->out, s);
        orr__free(s);
        orr__text_add(p->out, b + 1 < bars.each ? ", \\\n     " : "\n");
    }
    return ORR_OK;
}
