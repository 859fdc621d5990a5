/* Pictures of samples: connections, ports, fairness. */
#include <math.h>

#include "core/escape.h"
#include "study/report/plot_parts.h"

/* A diagram: a list for each connection or port. */
struct diagram {
    const char *key, *label;
    const struct orr_unit *units;
};

/* The largest number of all lists; 0: there is none. */
static double most_of(const json_t *lists)
{
    const json_t *list, *x;
    size_t i, k;
    double most = 0;
    json_array_foreach(lists, i, list)
    {
        json_array_foreach(list, k, x)
        {
            if (json_is_number(x))
                most = fmax(most, json_number_value(x));
        }
    }
    return most;
}

/* Data of one list over the times; "?" where it is not known. */
static void put_list(struct orr_text *t, const char *key, size_t i,
                     const json_t *time, const struct orr_unit *unit,
                     const json_t *list, double size)
{
    orr__text_add(t, "$%s%zu << END\n", key, i);
    for (size_t k = 0; k < json_array_size(time); k++) {
        double x = orr__plot_number(list, k);
        orr__text_add(t, "%.9g ", orr__plot_number(time, k) / unit->size);
        if (isfinite(x))
            orr__text_add(t, "%.6g\n", x / size);
        else
            orr__text_add(t, "?\n");
    }
    orr__text_add(t, "END\n");
}

/* Of three marks or so up to `most`: 1, 2 or 5 times a power of ten. */
static double step_of(double most)
{
    double rough = most > 0 ? most / 3 : 1;
    double decade = pow(10, floor(log10(rough))), first = rough / decade;
    return decade * (first < 1.5 ? 1 : first < 3.5 ? 2 : 5);
}

/* Whether a list has a number: a connection without a window has none. */
static bool has_any(const json_t *list)
{
    for (size_t k = 0; k < json_array_size(list); k++)
        if (isfinite(orr__plot_number(list, k)))
            return true;
    return false;
}

/* The diagram of one table; the first has the names. */
static void put_diagram(struct orr_plotting *p, const json_t *s,
                        const struct diagram *d, const struct orr_unit *time,
                        bool last)
{
    const json_t *lists = json_object_get(s, d->key);
    const json_t *name = json_object_get(s, "name");
    const struct orr_unit *u = orr__unit_for(d->units, most_of(lists));
    size_t n = json_array_size(lists), drawn = 0;
    for (size_t i = 0; i < n; i++)
        put_list(p->out, d->key, i, json_object_get(s, "time"), time,
                 json_array_get(lists, i), u->size);
    orr__text_add(p->out,
                  "set ylabel '%s, %s'\nset yrange [0:*]\nset ytics %.6g\n"
                  "set format x '%s'\n",
                  d->label, u->name, step_of(most_of(lists) / u->size),
                  last ? "% h" : "");
    if (last)
        orr__text_add(p->out, "set xlabel 'time, %s'\n", time->name);
    for (size_t i = 0; i < n; i++) {
        if (!has_any(json_array_get(lists, i)))
            continue;
        orr__text_add(p->out, "%s$%s%zu using 1:2 with lines ls %zu title ",
                      drawn++ ? ", \\\n     " : "plot ", d->key, i,
                      i % ORR_PLOT_LINES + 1);
        orr__escape_gnuplot_name(p->out, orr__plot_text(name, i));
    }
    orr__text_add(p->out, "%s\n",
                  drawn ? "" : "set yrange [0:1]\nplot 1/0 notitle");
    orr__text_add(p->out, "unset key\nunset title\n");
}

/* n diagrams below one another, over one time. */
static orr_err plot_samples(struct orr_plotting *p, const char *key,
                            const char *what, const struct diagram *d, size_t n)
{
    const json_t *s = json_object_get(p->view, key);
    const json_t *time = json_object_get(s, "time");
    size_t points = json_array_size(time);
    if (!s || points < 2)
        return orr__plot_nothing(p, what);
    double last = orr__plot_number(time, points - 1);
    const struct orr_unit *u = orr__unit_for(orr__units_of_s, last);
    orr__text_add(p->out,
                  "set datafile missing '?'\nset multiplot layout %zu,1\n"
                  "set lmargin 10\nset rmargin 4\nset xrange [0:%.9g]\n",
                  n, last / u->size);
    if (json_integer_value(json_object_get(s, "of")) > ORR_PLOT_LINES)
        orr__text_add(p->out, "set title 'the first %d of %d'\n",
                      ORR_PLOT_LINES,
                      (int)json_integer_value(json_object_get(s, "of")));
    for (size_t i = 0; i < n; i++)
        put_diagram(p, s, &d[i], u, i + 1 == n);
    orr__text_add(p->out, "unset multiplot\n");
    return ORR_OK;
}

orr_err orr__plot_flows(struct orr_plotting *p)
{
    static const struct diagram diagrams[] = {
        {"rate", "rate", orr__units_of_bps},
        {"cwnd", "cwnd", orr__units_of_bytes},
        {"rtt", "RTT", orr__units_of_s},
    };
    return plot_samples(p, "flow_samples",
                        "connections that were sampled (record: {flows})",
                        diagrams, sizeof diagrams / sizeof *diagrams);
}

orr_err orr__plot_ports(struct orr_plotting *p)
{
    static const struct diagram diagram = {"queue", "queue",
                                           orr__units_of_bytes};
    return plot_samples(p, "port_samples",
                        "ports that were sampled (record: {ports})", &diagram,
                        1);
}

orr_err orr__plot_fairness(struct orr_plotting *p)
{
    const json_t *s = json_object_get(p->view, "flow_samples");
    const json_t *time = json_object_get(s, "time");
    const json_t *jain = json_object_get(s, "jain");
    size_t points = json_array_size(time), known = 0;
    for (size_t i = 0; i < json_array_size(jain); i++)
        known += isfinite(orr__plot_number(jain, i)) != 0;
    if (points < 2 || !known)
        return orr__plot_nothing(
            p, "two connections that were sampled (record: {flows})");
    double last = orr__plot_number(time, points - 1);
    const struct orr_unit *u = orr__unit_for(orr__units_of_s, last);
    put_list(p->out, "jain", 0, time, u, jain, 1);
    orr__text_add(p->out,
                  "set datafile missing '?'\nset xlabel 'time, %s'\n"
                  "set xrange [0:%.9g]\nset yrange [0:1.05]\nunset key\n"
                  "set ylabel 'Jain index of rates'\n"
                  "plot $jain0 using 1:2 with lines ls 1\n",
                  u->name, last / u->size);
    return ORR_OK;
}
