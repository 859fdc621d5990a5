#include "study/report/plot_parts.h"

#include <math.h>

orr_err orr__plot_nothing(const struct orr_plotting *p, const char *what)
{
    return orr__fail(p->why, ORR_ECONFIG, "%s has no %s to plot", p->file,
                     what);
}

double orr__plot_number(const json_t *list, size_t i)
{
    const json_t *x = json_array_get(list, i);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

const char *orr__plot_text(const json_t *list, size_t i)
{
    const char *s = json_string_value(json_array_get(list, i));
    return s ? s : "";
}

void orr__plot_add_cdf(struct orr_plotting *p, const json_t *d,
                       const struct orr_unit *u, const char *whose,
                       const char *what)
{
    const json_t *value = json_object_get(d, "value");
    const json_t *share = json_object_get(d, "share");
    size_t n = json_array_size(value);
    double least = orr__plot_number(value, 0),
           most = orr__plot_number(value, n - 1);
    double size = u ? u->size : 1;
    orr__text_add(p->out, "$cdf << END\n");
    if (least == most)
        orr__text_add(p->out, "%.9g 0\n", least / size);
    for (size_t i = 0; i < n; i++)
        orr__text_add(p->out, "%.9g %.9g\n", orr__plot_number(value, i) / size,
                      orr__plot_number(share, i));
    if (least == most) { /* one step, in the middle of the axis */
        double end = most > 0 ? 2 * most / size : 1;
        orr__text_add(p->out, "%.9g 1\nEND\nset xrange [0:%.9g]\n", end, end);
    } else {
        orr__text_add(p->out, "END\n");
    }
    orr__text_add(p->out,
                  "%sset yrange [0:1]\n"
                  "set ylabel 'share of %s'\nset xlabel '%s%s%s'\nunset key\n"
                  "plot $cdf using 1:2 with steps ls 1\n",
                  least > 0 && most > 100 * least ? "set logscale x\n" : "",
                  whose, what, u ? ", " : "", u ? u->name : "");
}

double orr__plot_most(const json_t *d)
{
    const json_t *value = json_object_get(d, "value");
    size_t n = json_array_size(value);
    return n ? orr__plot_number(value, n - 1) : NAN;
}
