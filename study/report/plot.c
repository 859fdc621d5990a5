#include "study/report/plot.h"

#include <math.h>
#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "record/record_links.h"
#include "study/report/chart.h"
#include "study/report/plot_doubt.h"
#include "study/report/plot_parts.h"
#include "study/report/view.h"

/* Okabe and Ito's colours, told apart by most eyes; dashes beside them. */
const char orr__plot_style[] =
    "set termopt noenhanced\n"
    "set style line 1 lc rgb '#0072b2' lw 1.5 dt 1 pt 7 ps 0.5\n"
    "set style line 2 lc rgb '#e69f00' lw 1.5 dt 2 pt 5 ps 0.5\n"
    "set style line 3 lc rgb '#009e73' lw 1.5 dt 3 pt 9 ps 0.5\n"
    "set style line 4 lc rgb '#cc79a7' lw 1.5 dt 4 pt 11 ps 0.5\n"
    "set style line 5 lc rgb '#56b4e9' lw 1.5 dt 5 pt 13 ps 0.5\n"
    "set style line 6 lc rgb '#d55e00' lw 1.5 dt 1 pt 6 ps 0.5\n"
    "set style line 7 lc rgb '#8c6d31' lw 1.5 dt 2 pt 4 ps 0.5\n"
    "set style line 8 lc rgb '#7a5195' lw 1.5 dt 3 pt 8 ps 0.5\n"
    "set style increment user\n"
    "set border 3\n"
    "set tics out nomirror\n"
    "set key outside top horizontal left reverse Left\n";
enum { EACH_MARKED = 12 }; /* iterations that have each a mark on the axis */

/* ---- pieces ------------------------------------------------------------- */

static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
                                  : 63;
}

/* Byte i of a base64 text. */
static unsigned byte_at(const char *s, size_t i)
{
    const char *p = s + i / 3 * 4;
    unsigned x = (unsigned)(digit_of(p[0]) << 18 | digit_of(p[1]) << 12);
    x |= p[2] == '=' ? 0 : (unsigned)digit_of(p[2]) << 6;
    x |= p[3] == '=' ? 0 : (unsigned)digit_of(p[3]);
    return x >> (16 - 8 * (i % 3)) & 255;
}

/* ---- links -------------------------------------------------------------- */

/* The links' part of the view, if it has series. */
static orr_err links_of(const struct orr_plotting *p, json_t **links,
                        size_t *rows, size_t *bins)
{
    *links = json_object_get(p->view, "links");
    const json_t *times = json_object_get(*links, "times");
    if (json_array_size(times) < 2)
        return orr__plot_nothing(p, "links over time");
    *bins = json_array_size(times) - 1;
    *rows = (size_t)json_integer_value(json_object_get(*links, "rows"));
    return *rows ? ORR_OK : orr__plot_nothing(p, "links over time");
}

/* Percent of the links' load, a line each. An image has two points each way at
 * least: a link or a bin by itself is there twice. */
static void put_loads(struct orr_text *t, const char *load, size_t rows,
                      size_t bins)
{
    orr__text_add(t, "$load << END\n");
    for (size_t r = 0; r < (rows == 1 ? 2 : rows); r++)
        for (size_t b = 0; b < bins; b++) {
            double at = byte_at(load, (rows == 1 ? 0 : r) * bins + b) / 2.55;
            orr__text_add(t, "%.3g%s", at, b + 1 < bins ? " " : "");
            if (bins == 1)
                orr__text_add(t, " %.3g", at);
            orr__text_add(t, b + 1 < bins ? "" : "\n");
        }
    orr__text_add(t, "END\n");
}

/* Rows are links, the busiest on top; names only where they fit. An image needs
 * two rows and columns at least, hence the halves. */
static orr_err plot_heat(struct orr_plotting *p)
{
    enum { NAMED = 40 };
    json_t *links = NULL;
    size_t rows = 0, bins = 0;
    orr_err err = links_of(p, &links, &rows, &bins);
    if (err)
        return err;
    struct orr_text *t = p->out;
    const json_t *times = json_object_get(links, "times");
    const json_t *name = json_object_get(links, "name");
    const char *load = json_string_value(json_object_get(links, "load"));
    double first = orr__plot_number(times, 0),
           last = orr__plot_number(times, bins);
    const struct orr_unit *u = orr__unit_for(orr__units_of_s, last);
    put_loads(t, load, rows, bins);
    orr__text_add(t,
                  "set palette defined (0 '#ffffff', 1 '#fee3a0', "
                  "2 '#fda03c', 3 '#d7301f', 4 '#5a0012')\n"
                  "set cbrange [0:100]\nset cblabel 'utilization, %%'\n"
                  "set xlabel 'time, %s'\nset xrange [%.9g:%.9g]\n"
                  "set yrange [%zu:-0.5] noextend\nunset key\n",
                  u->name, first / u->size, last / u->size, rows);
    if (rows <= NAMED) {
        orr__text_add(t, "set ytics (");
        for (size_t r = 0; r < rows; r++) {
            orr__escape_gnuplot_format(t, orr__plot_text(name, r));
            orr__text_add(t, " %zu%s", r, r + 1 < rows ? ", " : ")\n");
        }
    } else {
        orr__text_add(t, "set ylabel 'links, the busiest on top'\n");
    }
    double step = (last - first) / u->size / (double)(bins == 1 ? 2 : bins);
    orr__text_add(t,
                  "set yrange [%g:-0.5]\nplot $load matrix using "
                  "(%.9g + ($1 + 0.5) * %.9g):%s:3 with image pixels\n",
                  (double)rows - 0.5, first / u->size, step,
                  rows == 1 ? "(($2 - 0.5) / 2)" : "2");
    return ORR_OK;
}

static const char *link_name(const void *links, uint64_t i)
{
    return orr__plot_text(json_object_get(links, "name"), i);
}

static uint64_t link_id(const void *links, uint64_t i)
{
    return (uint64_t)orr__plot_number(json_object_get(links, "id"), i);
}

/* Load in % and longest queue, by bin; the k-th of the picture's links. */
static void put_series(struct orr_plotting *p, const json_t *links, size_t k,
                       size_t row, size_t bins, const struct orr_unit *time,
                       const struct orr_unit *bytes)
{
    const json_t *times = json_object_get(links, "times");
    const char *load = json_string_value(json_object_get(links, "load"));
    const char *queue = json_string_value(json_object_get(links, "queue"));
    double most = orr__plot_number(json_object_get(links, "queue_most"), row);
    orr__text_add(p->out, "$link%zu << END\n", k);
    for (size_t b = 0; b <= bins; b++) { /* the last one to its end */
        size_t at = row * bins + (b < bins ? b : bins - 1);
        unsigned word =
            queue ? byte_at(queue, 2 * at) | byte_at(queue, 2 * at + 1) << 8
                  : 0;
        orr__text_add(p->out, "%.9g %.4g %.5g\n",
                      orr__plot_number(times, b) / time->size,
                      byte_at(load, at) / 2.55,
                      queue ? word / 65535. * most / bytes->size : 0);
    }
    orr__text_add(p->out, "END\n");
}

static void put_plots(struct orr_plotting *p, const json_t *links,
                      const uint64_t *row, size_t n, int column)
{
    const json_t *name = json_object_get(links, "name");
    orr__text_add(p->out, "plot ");
    for (size_t k = 0; k < n; k++) {
        orr__text_add(p->out, "$link%zu using 1:%d with steps ls %zu title ", k,
                      column, k % ORR_PLOT_LINES + 1);
        orr__escape_gnuplot_name(p->out, orr__plot_text(name, row[k]));
        orr__text_add(p->out, k + 1 < n ? ", \\\n     " : "\n");
    }
}

/* Two diagrams over one time: utilization, and longest queue below it.
 * ORR_ECONFIG: no such link, or too many. */
static orr_err plot_series(struct orr_plotting *p)
{
    json_t *links = NULL;
    size_t rows = 0, bins = 0, n = p->o->n_links;
    uint64_t row[ORR_PLOT_LINES];
    orr_err err = links_of(p, &links, &rows, &bins);
    if (err)
        return err;
    if (n > ORR_PLOT_LINES)
        return orr__fail(p->why, ORR_ECONFIG,
                         "%zu links are too many for one picture: at most %d",
                         n, ORR_PLOT_LINES);
    const struct orr_record_links all = {p->file,   "busiest", rows,
                                         link_name, link_id,   links};
    for (size_t k = 0; k < n; k++)
        if ((err =
                 orr__record_find_link(&all, p->o->links[k], &row[k], p->why)))
            return err;
    if (n == 0)
        row[n++] = 0;
    double last = orr__plot_number(json_object_get(links, "times"), bins),
           most = 1;
    for (size_t k = 0; k < n; k++)
        most = fmax(
            most, orr__plot_number(json_object_get(links, "longest"), row[k]));
    const struct orr_unit *time = orr__unit_for(orr__units_of_s, last);
    const struct orr_unit *bytes = orr__unit_for(orr__units_of_bytes, most);
    for (size_t k = 0; k < n; k++)
        put_series(p, links, k, row[k], bins, time, bytes);
    /* margins of their own would follow the width of each one's numbers, and
     * one time would stand at two places */
    orr__text_add(p->out,
                  "set multiplot layout 2,1\nset lmargin 10\n"
                  "set rmargin 4\nset xrange [%.9g:%.9g]\n"
                  "set yrange [0:105]\nset ylabel 'utilization, %%'\n",
                  orr__plot_number(json_object_get(links, "times"), 0)
                      / time->size,
                  last / time->size);
    put_plots(p, links, row, n, 2);
    orr__text_add(
        p->out,
        "unset title\nset yrange [0:*]\nset ylabel 'longest queue, %s'\n"
        "set xlabel 'time, %s'\nunset key\n",
        bytes->name, time->name);
    put_plots(p, links, row, n, 3);
    orr__text_add(p->out, "unset multiplot\n");
    return ORR_OK;
}

/* ---- flows -------------------------------------------------------------- */

/* Of completion times, or of slowdowns. */
static orr_err plot_cdf(struct orr_plotting *p)
{
    const char *of = p->o->of ? p->o->of : "fct";
    bool fct = strcmp(of, "fct") == 0;
    if (!fct && strcmp(of, "slowdown") != 0)
        return orr__fail(p->why, ORR_ECONFIG,
                         "a distribution of \"%s\": it is "
                         "of fct, or of slowdown",
                         of);
    const json_t *d = json_object_get(json_object_get(p->view, "flows"), of);
    if (!isfinite(orr__plot_most(d)))
        return orr__plot_nothing(p, "flows that ended");
    orr__plot_add_cdf(
        p, d, fct ? orr__unit_for(orr__units_of_s, orr__plot_most(d)) : NULL,
        "flows", fct ? "completion time" : "slowdown");
    return ORR_OK;
}

/* ---- jobs --------------------------------------------------------------- */

/* The longest of the durations, and the latest end, of all jobs. */
static void extremes(const json_t *jobs, double *longest, double *last)
{
    size_t j, i;
    const json_t *job, *x;
    *longest = *last = 0;
    json_array_foreach(jobs, j, job)
    {
        json_array_foreach(json_object_get(job, "duration"), i, x) *longest =
            fmax(*longest, json_number_value(x));
        json_array_foreach(json_object_get(job, "end"), i, x) *last =
            fmax(*last, json_number_value(x));
    }
}

/* Durations over iterations, a line for each job; those that did not end are
 * left out. */
static orr_err plot_iterations(struct orr_plotting *p)
{
    const json_t *jobs = json_object_get(p->view, "jobs"), *job;
    double longest, last;
    size_t j, n = json_array_size(jobs), many = 0;
    extremes(jobs, &longest, &last);
    if (longest <= 0)
        return orr__plot_nothing(p, "iterations");
    const struct orr_unit *u = orr__unit_for(orr__units_of_s, longest);
    json_array_foreach(jobs, j, job)
    {
        const json_t *duration = json_object_get(job, "duration");
        many =
            json_array_size(duration) > many ? json_array_size(duration) : many;
        orr__text_add(p->out, "$job%zu << END\n", j);
        for (size_t i = 0; i < json_array_size(duration); i++)
            if (isfinite(orr__plot_number(duration, i)))
                orr__text_add(p->out, "%zu %.9g\n", i,
                              orr__plot_number(duration, i) / u->size);
        orr__text_add(p->out, "END\n");
    }
    if (many == 1)
        orr__text_add(p->out, "set xrange [-0.5:0.5]\n");
    orr__text_add(p->out,
                  "set xlabel 'iteration'\nset ylabel 'duration, %s'\n"
                  "set yrange [0:*]\nset xtics %s\nplot ",
                  u->name, many > EACH_MARKED ? "autofreq" : "1");
    json_array_foreach(jobs, j, job)
    {
        orr__text_add(p->out,
                      "$job%zu using 1:2 with linespoints ls %zu "
                      "title ",
                      j, j % ORR_PLOT_LINES + 1);
        orr__escape_gnuplot_name(
            p->out, json_string_value(json_object_get(job, "name")));
        orr__text_add(p->out, j + 1 < n ? ", \\\n     " : "\n");
    }
    return ORR_OK;
}

/* What each row did that is of one kind, as boxes. */
static void put_spans(struct orr_plotting *p, const json_t *rows, int what,
                      const struct orr_unit *u)
{
    const json_t *row;
    size_t i;
    orr__text_add(p->out, "$what%d << END\n", what);
    json_array_foreach(rows, i, row)
    {
        const json_t *s = json_object_get(row, "spans");
        for (size_t k = 0; k + 2 < json_array_size(s); k += 3)
            if ((int)orr__plot_number(s, k + 2) == what)
                orr__text_add(p->out, "%.9g %zu %.9g %.9g %.2f %.2f\n",
                              orr__plot_number(s, k) / u->size, i,
                              orr__plot_number(s, k) / u->size,
                              orr__plot_number(s, k + 1) / u->size,
                              (double)i - 0.4, (double)i + 0.4);
    }
    orr__text_add(p->out, "%sEND\n", what == 0 ? "" : "NaN 0 0 0 0 0\n");
}

/* "NAME rank 3" for each row. */
static void put_rank_tics(struct orr_plotting *p, const json_t *rows,
                          const json_t *jobs)
{
    const json_t *row;
    size_t i, n = json_array_size(rows);
    json_array_foreach(rows, i, row)
    {
        size_t j = (size_t)json_integer_value(json_object_get(row, "job"));
        char *label = orr__format(
            "%s rank %d",
            json_string_value(json_object_get(json_array_get(jobs, j), "name")),
            (int)json_integer_value(json_object_get(row, "rank")));
        orr__escape_gnuplot_format(p->out, label);
        orr__free(label);
        orr__text_add(p->out, " %zu%s", i, i + 1 < n ? ", " : ")\n");
    }
}

/* Spans as boxes: one data block for each of computing, communicating, both. */
static orr_err plot_gantt(struct orr_plotting *p)
{
    static const char *const words[] = {"computes", "communicates (exposed)",
                                        "both (overlapped)"};
    static const char *const fills[] = {"solid 0.25 noborder lc rgb '#888888'",
                                        "solid 1 noborder lc rgb "
                                        "'#0072b2'",
                                        "pattern 4 noborder lc rgb '#0072b2'"};
    const json_t *rows = json_object_get(p->view, "gantt");
    const json_t *jobs = json_object_get(p->view, "jobs");
    size_t n = json_array_size(rows);
    double longest, last;
    extremes(jobs, &longest, &last);
    if (n == 0)
        return orr__plot_nothing(p, "operations of ranks");
    const struct orr_unit *u = orr__unit_for(orr__units_of_s, last);
    const char *note =
        json_string_value(json_object_get(p->view, "gantt_note"));
    if (note)
        orr__plot_doubt_title(p->out, p->view, note);
    for (int what = 1; what <= 3; what++)
        put_spans(p, rows, what, u);
    orr__text_add(p->out,
                  "set xlabel 'time, %s'\nset xrange [0:%.9g]\n"
                  "set yrange [%g:-0.5]\nset ytics (",
                  u->name, last / u->size, (double)n - 0.5);
    put_rank_tics(p, rows, jobs);
    orr__text_add(p->out, "plot ");
    for (int what = 1; what <= 3; what++)
        orr__text_add(p->out,
                      "$what%d using 1:2:3:4:5:6 with boxxyerror fs %s "
                      "title '%s'%s",
                      what, fills[what - 1], words[what - 1],
                      what < 3 ? ", \\\n     " : "\n");
    return ORR_OK;
}

/* ---- the whole ---------------------------------------------------------- */

const struct orr_plot orr__plots[] = {
    {"heat", "utilization of each link over time", true, false},
    {"series", "utilization and queue of links over time", true, false},
    {"iterations", "how long each iteration took, by job", true, false},
    {"gantt",
     "what ranks did over time; of a cluster, which jobs had which "
     "GPUs",
     true, false},
    {"cdf",
     "distribution of the flows' completion times or slowdowns; of a "
     "cluster, of its jobs'; of a study, of a measure over its runs",
     true, true},
    {"queue", "jobs of a cluster that wait and run over time", true, false},
    {"utilization", "GPUs of a cluster allocated and computing over time", true,
     false},
    {"flows", "rate, cwnd and RTT of the connections of record: {flows}", true,
     false},
    {"ports", "queues of the ports of record: {ports}", true, false},
    {"fairness", "Jain's index of the rates of those connections over time",
     true, false},
    {"lines", "a measure of a study over a dimension, with 95 % intervals",
     false, true},
    {"bars", "the same as bars", false, true},
    {"box", "quartiles, median and extremes over the runs of a study", false,
     true},
    {NULL, NULL, false, false},
};

/* Of a run, of a cluster where that is another picture, of a study. */
static const struct {
    orr_err (*run)(struct orr_plotting *), (*cluster)(struct orr_plotting *),
        (*study)(struct orr_plotting *);
} plotters[] = {
    {plot_heat, plot_heat, NULL},
    {plot_series, plot_series, NULL},
    {plot_iterations, plot_iterations, NULL},
    {plot_gantt, orr__plot_held, NULL},
    {plot_cdf, orr__plot_jobs_cdf, orr__chart_cdf},
    {orr__plot_queue, orr__plot_queue, NULL},
    {orr__plot_utilization, orr__plot_utilization, NULL},
    {orr__plot_flows, orr__plot_flows, NULL},
    {orr__plot_ports, orr__plot_ports, NULL},
    {orr__plot_fairness, orr__plot_fairness, NULL},
    {NULL, NULL, orr__chart_lines},
    {NULL, NULL, orr__chart_bars},
    {NULL, NULL, orr__chart_boxes},
};

/* The picture of a file that is known. */
static orr_err draw_picture(struct orr_plotting *p, size_t i)
{
    if (!json_is_true(json_object_get(p->view, "run")))
        return plotters[i].study(p);
    orr__text_add(p->out, "%s", orr__plot_style);
    orr__plot_doubt_title(p->out, p->view, NULL);
    return json_object_get(p->view, "cluster") ? plotters[i].cluster(p)
                                               : plotters[i].run(p);
}

orr_err orr__make_plot(const char *file, const char *what,
                       const struct orr_plot_options *o,
                       struct orr_text *script, struct orr_report *why)
{
    size_t i = 0;
    while (orr__plots[i].name && strcmp(orr__plots[i].name, what) != 0)
        i++;
    if (!orr__plots[i].name)
        return orr__fail(why, ORR_ECALL, "there is no plot \"%s\"", what);
    json_t *list = json_array();
    orr_err err = list ? orr__view_named(file, list, why) : orr__no_memory(why);
    struct orr_plotting p = {json_array_get(list, 0), file, o, script, why};
    bool run = json_is_true(json_object_get(p.view, "run"));
    if (!err && !(run ? orr__plots[i].run : orr__plots[i].study))
        err = orr__fail(why, ORR_ECONFIG, "%s is %s: %s is of %s", file,
                        run ? "a run" : "a study", what,
                        run ? "studies" : "runs");
    if (!err)
        err = draw_picture(&p, i);
    json_decref(list);
    return err;
}
