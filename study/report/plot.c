#include "study/report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "record/record_links.h"
#include "study/report/plot_doubt.h"
#include "study/report/view.h"

/* Okabe and Ito's colours, told apart by most eyes; dashes beside them. */
static const char style[] =
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
enum {
    LINES = 8,
    EACH_MARKED = 12 /* iterations that have each a mark on the axis */
};

struct plotting {
    json_t *view;
    const char *file;
    const struct orr_plot_options *o;
    struct orr_text *out;
    struct orr_report *why;
};

/* ---- pieces ------------------------------------------------------------- */

static orr_err nothing(const struct plotting *p, const char *what)
{
    return orr__fail(p->why, ORR_ECONFIG, "%s has no %s to plot", p->file,
                     what);
}

static double number(const json_t *list, size_t i)
{
    const json_t *x = json_array_get(list, i);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static const char *text(const json_t *list, size_t i)
{
    const char *s = json_string_value(json_array_get(list, i));
    return s ? s : "";
}

struct unit {
    double size;
    const char *name;
};

/* The largest that makes `most` at least one. */
static const struct unit *unit_of(const struct unit *u, double most)
{
    while (u[1].name && most < u->size)
        u++;
    return u;
}

static const struct unit time_units[] = {
    {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL},
};
static const struct unit byte_units[] = {
    {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}, {0, NULL},
};
static const struct unit nanosecond_units[] = {
    {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}, {0, NULL},
};

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
static orr_err links_of(const struct plotting *p, json_t **links, size_t *rows,
                        size_t *bins)
{
    *links = json_object_get(p->view, "links");
    const json_t *times = json_object_get(*links, "times");
    if (json_array_size(times) < 2)
        return nothing(p, "links over time");
    *bins = json_array_size(times) - 1;
    *rows = (size_t)json_integer_value(json_object_get(*links, "rows"));
    return *rows ? ORR_OK : nothing(p, "links over time");
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

static orr_err plot_heat(struct plotting *p)
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
    double first = number(times, 0), last = number(times, bins);
    const struct unit *u = unit_of(time_units, last);
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
            orr__escape_gnuplot_format(t, text(name, r));
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
    return text(json_object_get(links, "name"), i);
}

static uint64_t link_id(const void *links, uint64_t i)
{
    return (uint64_t)number(json_object_get(links, "id"), i);
}

static void put_series(struct plotting *p, const json_t *links, size_t k,
                       size_t row, size_t bins, const struct unit *time,
                       const struct unit *bytes)
{
    const json_t *times = json_object_get(links, "times");
    const char *load = json_string_value(json_object_get(links, "load"));
    const char *queue = json_string_value(json_object_get(links, "queue"));
    double most = number(json_object_get(links, "queue_most"), row);
    orr__text_add(p->out, "$link%zu << END\n", k);
    for (size_t b = 0; b <= bins; b++) { /* the last one to its end */
        size_t at = row * bins + (b < bins ? b : bins - 1);
        unsigned word =
            queue ? byte_at(queue, 2 * at) | byte_at(queue, 2 * at + 1) << 8
                  : 0;
        orr__text_add(p->out, "%.9g %.4g %.5g\n", number(times, b) / time->size,
                      byte_at(load, at) / 2.55,
                      queue ? word / 65535. * most / bytes->size : 0);
    }
    orr__text_add(p->out, "END\n");
}

static void put_plots(struct plotting *p, const json_t *links,
                      const uint64_t *row, size_t n, int column)
{
    const json_t *name = json_object_get(links, "name");
    orr__text_add(p->out, "plot ");
    for (size_t k = 0; k < n; k++) {
        orr__text_add(p->out, "$link%zu using 1:%d with steps ls %zu title ", k,
                      column, k % LINES + 1);
        orr__escape_gnuplot(p->out, text(name, row[k]));
        orr__text_add(p->out, k + 1 < n ? ", \\\n     " : "\n");
    }
}

static orr_err plot_series(struct plotting *p)
{
    json_t *links = NULL;
    size_t rows = 0, bins = 0, n = p->o->n_links;
    uint64_t row[LINES];
    orr_err err = links_of(p, &links, &rows, &bins);
    if (err)
        return err;
    if (n > LINES)
        return orr__fail(p->why, ORR_ECONFIG,
                         "%zu links are too many for one picture: at most %d",
                         n, LINES);
    const struct orr_record_links all = {p->file,   "busiest", rows,
                                         link_name, link_id,   links};
    for (size_t k = 0; k < n; k++)
        if ((err =
                 orr__record_find_link(&all, p->o->links[k], &row[k], p->why)))
            return err;
    if (n == 0)
        row[n++] = 0;
    double last = number(json_object_get(links, "times"), bins), most = 1;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, number(json_object_get(links, "longest"), row[k]));
    const struct unit *time = unit_of(time_units, last);
    const struct unit *bytes = unit_of(byte_units, most);
    for (size_t k = 0; k < n; k++)
        put_series(p, links, k, row[k], bins, time, bytes);
    /* margins of their own would follow the width of each one's numbers, and
     * one time would stand at two places */
    orr__text_add(p->out,
                  "set multiplot layout 2,1\nset lmargin 10\n"
                  "set rmargin 4\nset xrange [%.9g:%.9g]\n"
                  "set yrange [0:105]\nset ylabel 'utilization, %%'\n",
                  number(json_object_get(links, "times"), 0) / time->size,
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

/* A distribution `d` of times, by u, or of numbers (u NULL). */
static void add_cdf(struct plotting *p, const json_t *d, const struct unit *u,
                    const char *whose, const char *what)
{
    const json_t *value = json_object_get(d, "value");
    const json_t *share = json_object_get(d, "share");
    size_t n = json_array_size(value);
    double least = number(value, 0), most = number(value, n - 1);
    double size = u ? u->size : 1;
    orr__text_add(p->out, "$cdf << END\n");
    if (least == most)
        orr__text_add(p->out, "%.9g 0\n", least / size);
    for (size_t i = 0; i < n; i++)
        orr__text_add(p->out, "%.9g %.9g\n", number(value, i) / size,
                      number(share, i));
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

static double most_of(const json_t *d)
{
    const json_t *value = json_object_get(d, "value");
    size_t n = json_array_size(value);
    return n ? number(value, n - 1) : NAN;
}

static orr_err plot_cdf(struct plotting *p)
{
    const char *of = p->o->of ? p->o->of : "fct";
    bool fct = strcmp(of, "fct") == 0;
    if (!fct && strcmp(of, "slowdown") != 0)
        return orr__fail(p->why, ORR_ECONFIG,
                         "a distribution of \"%s\": it is "
                         "of fct, or of slowdown",
                         of);
    const json_t *d = json_object_get(json_object_get(p->view, "flows"), of);
    if (!isfinite(most_of(d)))
        return nothing(p, "flows that ended");
    add_cdf(p, d, fct ? unit_of(time_units, most_of(d)) : NULL, "flows",
            fct ? "completion time" : "slowdown");
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

static orr_err plot_iterations(struct plotting *p)
{
    const json_t *jobs = json_object_get(p->view, "jobs"), *job;
    double longest, last;
    size_t j, n = json_array_size(jobs), many = 0;
    extremes(jobs, &longest, &last);
    if (longest <= 0)
        return nothing(p, "iterations");
    const struct unit *u = unit_of(time_units, longest);
    json_array_foreach(jobs, j, job)
    {
        const json_t *duration = json_object_get(job, "duration");
        many =
            json_array_size(duration) > many ? json_array_size(duration) : many;
        orr__text_add(p->out, "$job%zu << END\n", j);
        for (size_t i = 0; i < json_array_size(duration); i++)
            if (isfinite(number(duration, i)))
                orr__text_add(p->out, "%zu %.9g\n", i,
                              number(duration, i) / u->size);
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
                      j, j % LINES + 1);
        orr__escape_gnuplot(p->out,
                            json_string_value(json_object_get(job, "name")));
        orr__text_add(p->out, j + 1 < n ? ", \\\n     " : "\n");
    }
    return ORR_OK;
}

/* What each row did that is of one kind, as boxes. */
static void put_spans(struct plotting *p, const json_t *rows, int what,
                      const struct unit *u)
{
    const json_t *row;
    size_t i;
    orr__text_add(p->out, "$what%d << END\n", what);
    json_array_foreach(rows, i, row)
    {
        const json_t *s = json_object_get(row, "spans");
        for (size_t k = 0; k + 2 < json_array_size(s); k += 3)
            if ((int)number(s, k + 2) == what)
                orr__text_add(p->out, "%.9g %zu %.9g %.9g %.2f %.2f\n",
                              number(s, k) / u->size, i, number(s, k) / u->size,
                              number(s, k + 1) / u->size, (double)i - 0.4,
                              (double)i + 0.4);
    }
    orr__text_add(p->out, "%sEND\n", what == 0 ? "" : "NaN 0 0 0 0 0\n");
}

/* "NAME rank 3" for each row. */
static void put_rank_tics(struct plotting *p, const json_t *rows,
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
static orr_err plot_gantt(struct plotting *p)
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
        return nothing(p, "operations of ranks");
    const struct unit *u = unit_of(time_units, last);
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

/* ---- clusters ------------------------------------------------------------ */

static const struct unit long_units[] = {
    {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, NULL},
};

static orr_err cluster_of(const struct plotting *p, const json_t **cluster,
                          const struct unit **u)
{
    *cluster = json_object_get(p->view, "cluster");
    double end = json_number_value(json_object_get(*cluster, "end"));
    *u = long_units;
    if (!*cluster || end <= 0)
        return nothing(p, "cluster");
    *u = unit_of(long_units, end / 2);
    orr__text_add(p->out, "set xlabel 'time, %s'\nset xrange [0:%.9g]\n",
                  (*u)->name, end / (*u)->size);
    return ORR_OK;
}

/* Which of the kinds of jobs that came before it, or a new one; `kind` has room
 * for LINES, and those beyond are as the last. */
static size_t kind_of(const char **kind, size_t *n, const char *name)
{
    size_t i = 0;
    while (i < *n && strcmp(kind[i], name) != 0)
        i++;
    if (i == *n && i < LINES)
        kind[(*n)++] = name;
    return i < LINES ? i : LINES - 1;
}

/* A box for each piece of GPUs that a job had, a block for each kind of job. */
static orr_err plot_held(struct plotting *p)
{
    const json_t *c;
    const struct unit *u;
    const char *kind[LINES];
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
        kind_of(kind, &kinds, text(of, i));
    for (size_t k = 0; k < kinds; k++) {
        orr__text_add(p->out, "$kind%zu << END\nNaN 0 0 0 0 0\n", k);
        for (size_t i = 0; i < json_array_size(job); i++) {
            double a = number(from, i) / u->size, b = number(to, i) / u->size;
            double low = number(first, i), high = low + number(gpus, i);
            double at = number(job, i);
            const char *name = at >= 0 ? text(of, (size_t)at) : "";
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
        orr__text_add(p->out,
                      "$kind%zu using 1:2:3:4:5:6 with boxxyerror "
                      "ls %zu fs solid 0.8 border lc rgb 'white' title ",
                      k, k + 1);
        orr__escape_gnuplot(p->out, kind[k]);
        orr__text_add(p->out, k + 1 < kinds ? ", \\\n     " : "\n");
    }
    return kinds ? ORR_OK : nothing(p, "jobs");
}

/* Two curves over time, each what it counts over `whole`. */
static orr_err plot_over(struct plotting *p, const char *const *key,
                         const char *const *title, double whole)
{
    const json_t *c;
    const struct unit *u;
    orr_err err = cluster_of(p, &c, &u);
    if (err)
        return err;
    const json_t *over = json_object_get(c, "over");
    const json_t *time = json_object_get(over, "time");
    double end = json_number_value(json_object_get(c, "end"));
    size_t n = json_array_size(time);
    if (n == 0)
        return nothing(p, "events");
    for (int k = 0; k < 2; k++) {
        const json_t *list = json_object_get(over, key[k]);
        orr__text_add(p->out, "$line%d << END\n", k);
        for (size_t i = 0; i < n; i++)
            orr__text_add(p->out, "%.9g %.9g\n", number(time, i) / u->size,
                          number(list, i) / whole);
        orr__text_add(p->out, "%.9g %.9g\nEND\n", end / u->size,
                      number(list, n - 1) / whole);
    }
    orr__text_add(p->out,
                  "set yrange [0:*]\nplot $line0 using 1:2 with steps "
                  "ls 1 title '%s', $line1 using 1:2 with steps ls 2 title "
                  "'%s'\n",
                  title[0], title[1]);
    return ORR_OK;
}

static orr_err plot_queue(struct plotting *p)
{
    static const char *const key[] = {"waiting", "running"};
    static const char *const title[] = {"jobs that wait", "jobs that run"};
    return plot_over(p, key, title, 1);
}

static orr_err plot_utilization(struct plotting *p)
{
    static const char *const key[] = {"used", "computing"};
    static const char *const title[] = {"GPUs allocated, %",
                                        "GPUs computing, %"};
    const json_t *c = json_object_get(p->view, "cluster");
    return plot_over(p, key, title,
                     json_number_value(json_object_get(c, "gpus")) / 100);
}

static orr_err plot_jobs_cdf(struct plotting *p)
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
        if (!isfinite(most_of(d)))
            return nothing(p, "jobs that ended");
        add_cdf(p, d, i < 2 ? unit_of(long_units, most_of(d)) : NULL, "jobs",
                spread[i][2]);
        return ORR_OK;
    }
    return orr__fail(p->why, ORR_ECONFIG,
                     "a distribution of \"%s\": of a "
                     "cluster it is of completion, queueing or slowdown",
                     of);
}

/* ---- studies ------------------------------------------------------------ */

static orr_err find_measure(struct plotting *p, const json_t **m)
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
                         : nothing(p, "measures");
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
        orr__text_add(t, "%s%s", d > from ? ", " : "",
                      text(values, cell / left % json_array_size(values)));
    }
}

/* What bars show. */
struct bars {
    const json_t *dimensions, *outer; /* outer: values of the first */
    const json_t *mean, *half;
    size_t groups, each;     /* of them; bars of a group */
    const struct unit *unit; /* NULL: as they are */
};

static struct bars bars_of(const struct plotting *p, const json_t *measure)
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
        most = fmax(most, number(b.mean, i));
    b.groups = json_array_size(b.outer);
    b.each = b.groups ? cells / b.groups : 0;
    if (units && strcmp(units, "ns") == 0)
        b.unit = unit_of(nanosecond_units, most);
    return b;
}

/* Rows: the name of a group, then of each bar the mean, and half its interval.
 */
static void put_bars(struct orr_text *t, const struct bars *b)
{
    double size = b->unit ? b->unit->size : 1;
    orr__text_add(t, "$bars << END\n");
    for (size_t g = 0; g < b->groups; g++) {
        orr__escape_gnuplot_data(t, text(b->outer, g));
        for (size_t i = g * b->each; i < (g + 1) * b->each; i++) {
            double x = number(b->mean, i), h = number(b->half, i);
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
static orr_err plot_bars(struct plotting *p)
{
    const json_t *m;
    orr_err err = find_measure(p, &m);
    if (err)
        return err;
    struct bars bars = bars_of(p, m);
    const struct unit *u = bars.unit;
    size_t letters = 0, known = 0;
    for (size_t i = 0; i < json_array_size(bars.mean); i++)
        known += isfinite(number(bars.mean, i)) != 0;
    if (!known)
        return nothing(p, json_string_value(json_object_get(m, "long_name")));
    for (size_t g = 0; g < bars.groups; g++)
        letters += strlen(text(bars.outer, g)) + 2;
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
                      2 * b + 2, 2 * b + 3, b % LINES + 1);
        char *s = orr__text_done(&name);
        orr__escape_gnuplot(p->out, s);
        orr__free(s);
        orr__text_add(p->out, b + 1 < bars.each ? ", \\\n     " : "\n");
    }
    return ORR_OK;
}

/* ---- the whole ---------------------------------------------------------- */

const struct orr_plot orr__plots[] = {
    {"heat", "utilization of each link over time", false},
    {"series", "utilization and queue of links over time", false},
    {"iterations", "how long each iteration took, by job", false},
    {"gantt",
     "what ranks did over time; of a cluster, which jobs had which "
     "GPUs",
     false},
    {"cdf",
     "distribution of the flows' completion times or slowdowns; of a "
     "cluster, of its jobs'",
     false},
    {"queue", "jobs of a cluster that wait and run over time", false},
    {"utilization", "GPUs of a cluster allocated and computing over time",
     false},
    {"bars", "a measure of a study, with 95 % intervals", true},
    {NULL, NULL, false},
};

/* Of a run, or of a study; and of a cluster where that is another picture. */
static orr_err (*const plotters[][2])(struct plotting *) = {
    {plot_heat, NULL},         {plot_series, NULL},
    {plot_iterations, NULL},   {plot_gantt, plot_held},
    {plot_cdf, plot_jobs_cdf}, {plot_queue, NULL},
    {plot_utilization, NULL},  {plot_bars, NULL},
};

orr_err orr__plot(const char *file, const char *what,
                  const struct orr_plot_options *o, struct orr_text *script,
                  struct orr_report *why)
{
    size_t i = 0;
    while (orr__plots[i].name && strcmp(orr__plots[i].name, what) != 0)
        i++;
    if (!orr__plots[i].name)
        return orr__fail(why, ORR_ECALL, "there is no plot \"%s\"", what);
    json_t *list = json_array();
    orr_err err = list ? orr__view_named(file, list, why) : orr__no_memory(why);
    struct plotting p = {json_array_get(list, 0), file, o, script, why};
    bool run = json_is_true(json_object_get(p.view, "run"));
    if (!err && run == orr__plots[i].study)
        err = orr__fail(why, ORR_ECONFIG, "%s is %s: %s is of %s", file,
                        run ? "a run" : "a study", what,
                        run ? "studies" : "runs");
    if (!err) {
        orr__text_add(script, "%s", style);
        if (run)
            orr__plot_doubt_title(script, p.view, NULL);
        bool other = plotters[i][1] && json_object_get(p.view, "cluster");
        err = plotters[i][other](&p);
    }
    json_decref(list);
    return err;
}
