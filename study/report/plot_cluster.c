/* Pictures of a cluster's run. */
#include <math.h>
#include <string.h>

#include "core/escape.h"
#include "study/report/plot_parts.h"

static const struct orr_unit long_units[] = {
    {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, NULL},
};

/* The cluster's part of the view, and the time axis; the unit is such that
 * there are two of it at least. */
static orr_err cluster_of(const struct orr_plotting *p, const json_t **cluster,
                          const struct orr_unit **u)
{
    *cluster = json_object_get(p->view, "cluster");
    double end = json_number_value(json_object_get(*cluster, "end"));
    *u = long_units;
    if (!*cluster || end <= 0)
        return orr__plot_nothing(p, "cluster");
    *u = orr__unit_for(long_units, end / 2);
    orr__text_add(p->out, "set xlabel 'time, %s'\nset xrange [0:%.9g]\n",
                  (*u)->name, end / (*u)->size);
    return ORR_OK;
}

/* Which of the kinds of jobs that came before it, or a new one; `kind` has room
 * for ORR_PLOT_LINES, and those beyond are as the last. */
static size_t kind_of(const char **kind, size_t *n, const char *name)
{
    size_t i = 0;
    while (i < *n && strcmp(kind[i], name) != 0)
        i++;
    if (i == *n && i < ORR_PLOT_LINES)
        kind[(*n)++] = name;
    return i < ORR_PLOT_LINES ? i : ORR_PLOT_LINES - 1;
}

/* Whether any box is narrower, or lower, than a line of its border. */
static bool has_thin(const struct orr_plotting *p, const json_t *c)
{
    const json_t *h = json_object_get(c, "held");
    double end = json_number_value(json_object_get(c, "end"));
    double gpus = json_number_value(json_object_get(c, "gpus"));
    size_t n = json_array_size(json_object_get(h, "job"));
    for (size_t i = 0; i < n; i++) {
        double wide = orr__plot_number(json_object_get(h, "to"), i)
                      - orr__plot_number(json_object_get(h, "from"), i);
        double high = orr__plot_number(json_object_get(h, "gpus"), i);
        if (wide / end * p->o->width < 0.1 || high / gpus * p->o->height < 0.1)
            return true;
    }
    return false;
}

/* A box for each piece of GPUs that a job had, a block for each kind of job. */
orr_err orr__plot_held(struct orr_plotting *p)
{
    const json_t *c;
    const struct orr_unit *u;
    const char *kind[ORR_PLOT_LINES];
    size_t kinds = 0;
    orr_err err = cluster_of(p, &c, &u);
    if (err)
        return err;
    const json_t *h = json_object_get(c, "held");
    const json_t *of = json_object_get(json_object_get(c, "jobs"), "template");
    const json_t *job = json_object_get(h, "job");
    const json_t *from = json_object_get(h, "from");
    const json_t *to = json_object_get(h, "to");
    const json_t *first = json_object_get(h, "first");
    const json_t *gpus = json_object_get(h, "gpus");
    for (size_t i = 0; i < json_array_size(of); i++)
        kind_of(kind, &kinds, orr__plot_text(of, i));
    bool thin = has_thin(p, c);
    for (size_t k = 0; k < kinds; k++) {
        orr__text_add(p->out, "$kind%zu << END\nNaN 0 0 0 0 0\n", k);
        for (size_t i = 0; i < json_array_size(job); i++) {
            double a = orr__plot_number(from, i) / u->size,
                   b = orr__plot_number(to, i) / u->size;
            double low = orr__plot_number(first, i),
                   high = low + orr__plot_number(gpus, i);
            double at = orr__plot_number(job, i);
            const char *name = at >= 0 ? orr__plot_text(of, (size_t)at) : "";
            if (kind_of(kind, &kinds, name) == k)
                orr__text_add(p->out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", a, low,
                              a, b, low, high);
        }
        orr__text_add(p->out, "END\n");
    }
    orr__text_add(p->out, "set ylabel 'GPU'\nset yrange [%.9g:0]\n%s",
                  json_number_value(json_object_get(c, "gpus")),
                  kinds ? "plot " : "");
    for (size_t k = 0; k < kinds; k++) {
        /* what is thinner than a border keeps its colour: white ones would
         * hide it */
        orr__text_add(p->out,
                      "$kind%zu using 1:2:3:4:5:6 with boxxyerror "
                      "ls %zu dt 1 lw 0.5 fs solid 0.8 border%s title ",
                      k, k + 1, thin ? "" : " lc rgb 'white'");
        orr__escape_gnuplot(p->out, kind[k]);
        orr__text_add(p->out, k + 1 < kinds ? ", \\\n     " : "\n");
    }
    return kinds ? ORR_OK : orr__plot_nothing(p, "jobs");
}

/* Two curves over time, each what it counts over `whole`. */
static orr_err plot_over(struct orr_plotting *p, const char *const *key,
                         const char *const *title, double whole)
{
    const json_t *c;
    const struct orr_unit *u;
    orr_err err = cluster_of(p, &c, &u);
    if (err)
        return err;
    const json_t *over = json_object_get(c, "over");
    const json_t *time = json_object_get(over, "time");
    double end = json_number_value(json_object_get(c, "end"));
    size_t n = json_array_size(time);
    if (n == 0)
        return orr__plot_nothing(p, "events");
    for (int k = 0; k < 2; k++) {
        const json_t *list = json_object_get(over, key[k]);
        orr__text_add(p->out, "$line%d << END\n", k);
        for (size_t i = 0; i < n; i++)
            orr__text_add(p->out, "%.9g %.9g\n",
                          orr__plot_number(time, i) / u->size,
                          orr__plot_number(list, i) / whole);
        orr__text_add(p->out, "%.9g %.9g\nEND\n", end / u->size,
                      orr__plot_number(list, n - 1) / whole);
    }
    orr__text_add(p->out,
                  "set yrange [0:*]\nplot $line0 using 1:2 with steps "
                  "ls 1 title '%s', $line1 using 1:2 with steps ls 2 title "
                  "'%s'\n",
                  title[0], title[1]);
    return ORR_OK;
}

orr_err orr__plot_queue(struct orr_plotting *p)
{
    static const char *const key[] = {"waiting", "running"};
    static const char *const title[] = {"jobs that wait", "jobs that run"};
    return plot_over(p, key, title, 1);
}

orr_err orr__plot_utilization(struct orr_plotting *p)
{
    static const char *const key[] = {"used", "computing"};
    static const char *const title[] = {"GPUs allocated, %",
                                        "GPUs computing, %"};
    const json_t *c = json_object_get(p->view, "cluster");
    return plot_over(p, key, title,
                     json_number_value(json_object_get(c, "gpus")) / 100);
}

orr_err orr__plot_jobs_cdf(struct orr_plotting *p)
{
    static const char *const spread[][3] = {
        {"completion", "completion_spread", "completion time"},
        {"queueing", "queueing_spread", "time waited"},
        {"slowdown", "slowdown_spread", "iterations, against alone"},
    };
    const char *of = p->o->of ? p->o->of : "completion";
    for (int i = 0; i < 3; i++) {
        if (strcmp(of, spread[i][0]) != 0)
            continue;
        const json_t *d =
            json_object_get(json_object_get(p->view, "cluster"), spread[i][1]);
        if (!isfinite(orr__plot_most(d)))
            return orr__plot_nothing(p, "jobs that ended");
        orr__plot_add_cdf(
            p, d, i < 2 ? orr__unit_for(long_units, orr__plot_most(d)) : NULL,
            "jobs", spread[i][2]);
        return ORR_OK;
    }
    return orr__fail(p->why, ORR_ECONFIG,
                     "a distribution of \"%s\": of a "
                     "cluster it is of completion, queueing or slowdown",
                     of);
}
