/* Samples of connections and ports over time (`record: {flows, ports}`), and
 * how fair the connections' rates were to one another. */
#include "study/report/view.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "record/record_links.h"

/* Sampled connections or ports while their part is made. */
struct samples {
    struct orr_reader *r;
    struct orr_report *why;
    const char *group;
    uint64_t rows, all;     /* of the record */
    uint64_t points, shown; /* of the part */
    double *time;           /* s, by point */
    double *cell;           /* all columns of a row */
    double *value;          /* by column shown, then point */
    char path[64];
};

/* The row that a point shows: the first and the last, evenly between. */
static uint64_t row_of(const struct samples *s, uint64_t point)
{
    return s->points < 2 ? 0 : point * (s->rows - 1) / (s->points - 1);
}

/* "/flow_series/cwnd" of "cwnd". */
static const char *path_of(struct samples *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", s->group, name);
    return s->path;
}

/* A table's points of the columns shown into `value`. */
static orr_err read_table(struct samples *s, const char *name)
{
    orr_err err = ORR_OK;
    const char *path = path_of(s, name);
    for (uint64_t k = 0; k < s->points && !err; k++) {
        err = orr__reader_rows(s->r, path, ORR_RECORD_F64, row_of(s, k), 1,
                               s->cell, s->why);
        for (uint64_t i = 0; i < s->shown && !err; i++)
            s->value[i * s->points + k] = s->cell[i];
    }
    return err;
}

/* The columns of `value` as lists. */
static orr_err put_lists(struct samples *s, json_t *to, const char *key)
{
    json_t *lists = json_array();
    for (uint64_t i = 0; lists && i < s->shown; i++)
        if (json_array_append_new(
                lists, orr__view_doubles(s->value + i * s->points, s->points))
            != 0) {
            json_decref(lists);
            lists = NULL;
        }
    return orr__view_put(to, key, lists, s->why);
}

/* A table as it is, times `scale`; what is below 0 is not known yet. */
static orr_err put_table(struct samples *s, json_t *to, const char *name,
                         const char *key, double scale)
{
    orr_err err = read_table(s, name);
    for (uint64_t i = 0; i < s->shown * s->points && !err; i++)
        s->value[i] = s->value[i] < 0 ? NAN : s->value[i] * scale;
    return err ? err : put_lists(s, to, key);
}

/* Jain's index of the rates in a point's interval, over connections that sent;
 * NAN: fewer than two did. rate: by all columns. */
static double fairness(const double *rate, uint64_t n)
{
    double sum = 0, squares = 0, some = 0;
    for (uint64_t i = 0; i < n; i++)
        if (rate[i] > 0) {
            sum += rate[i];
            squares += rate[i] * rate[i];
            some++;
        }
    return some < 2 ? NAN : sum * sum / (some * squares);
}

/* Rates from the bytes sent between points, of those shown; the index of all
 * that are recorded. */
static orr_err put_rates(struct samples *s, json_t *to)
{
    double *before = orr__alloc(s->all, sizeof *before);
    double *jain = orr__alloc(s->points, sizeof *jain);
    const char *path = path_of(s, "bytes_sent");
    orr_err err = before && jain ? ORR_OK : orr__no_memory(s->why);
    for (uint64_t k = 0; k < s->points && !err; k++) {
        err = orr__reader_rows(s->r, path, ORR_RECORD_F64, row_of(s, k), 1,
                               s->cell, s->why);
        double span = k ? s->time[k] - s->time[k - 1] : 0;
        for (uint64_t i = 0; i < s->all && !err; i++) {
            double sent = s->cell[i];
            s->cell[i] = span > 0 ? 8 * (sent - before[i]) / span : 0;
            before[i] = sent;
            if (i < s->shown)
                s->value[i * s->points + k] = k ? s->cell[i] : NAN;
        }
        jain[k] = k ? fairness(s->cell, s->all) : NAN;
    }
    if (!err)
        err = put_lists(s, to, "rate");
    if (!err)
        err = orr__view_put(to, "jain", orr__view_doubles(jain, s->points),
                            s->why);
    orr__free(before);
    orr__free(jain);
    return err;
}

static void samples_fini(struct samples *s)
{
    orr__free(s->time);
    orr__free(s->cell);
    orr__free(s->value);
}

/* Sizes, and the times of the points. */
static orr_err samples_init(struct samples *s, const char *table)
{
    uint64_t size[ORR_RECORD_SIDES];
    int sides = orr__reader_shape(s->r, path_of(s, table), size);
    s->rows = sides == 2 ? size[0] : 0;
    s->all = sides == 2 ? size[1] : 0;
    s->points = s->rows < ORR_VIEW_SAMPLES ? s->rows : ORR_VIEW_SAMPLES;
    s->shown = s->all < ORR_VIEW_SAMPLED ? s->all : ORR_VIEW_SAMPLED;
    s->time = orr__alloc(s->points, sizeof *s->time);
    s->cell = orr__alloc(s->all, sizeof *s->cell);
    s->value = orr__alloc(s->points * s->shown, sizeof *s->value);
    if (!s->time || !s->cell || !s->value)
        return orr__no_memory(s->why);
    orr_err err = ORR_OK;
    const char *path = path_of(s, "time_s");
    for (uint64_t k = 0; k < s->points && !err; k++)
        err = orr__reader_rows(s->r, path, ORR_RECORD_F64, row_of(s, k), 1,
                               &s->time[k], s->why);
    return err;
}

/* What both kinds have; names: of all columns. */
static orr_err put_head(struct samples *s, json_t *to, char *const *names)
{
    orr_err err =
        orr__view_put(to, "of", json_integer((json_int_t)s->all), s->why);
    if (!err)
        err = orr__view_put(to, "time", orr__view_doubles(s->time, s->points),
                            s->why);
    if (!err)
        err =
            orr__view_put(to, "name", orr__view_texts(names, s->shown), s->why);
    return err;
}

/* Connections: window, rate, round trip, fairness. */
static orr_err put_flows(struct samples *s, json_t *to)
{
    char **label;
    uint64_t n = 0;
    orr_err err =
        orr__reader_texts(s->r, path_of(s, "label"), &label, &n, s->why);
    if (err)
        return err;
    if (n < s->shown)
        s->shown = n;
    err = put_head(s, to, label);
    orr__reader_free_texts(label, n);
    if (!err)
        err = put_table(s, to, "cwnd", "cwnd", 1);
    if (!err)
        err = put_table(s, to, "rtt", "rtt", 1e-12);
    return err ? err : put_rates(s, to);
}

/* The name of a port's link, or the ids of its ends; NULL: no memory. */
static char *port_name(uint32_t port, uint32_t from, uint32_t to,
                       const uint32_t *link, char *const *name, uint64_t links)
{
    for (uint64_t i = 0; i < links; i++)
        if (link[i] == port)
            return orr__strdup(name[i]);
    return orr__format("%u > %u", from, to);
}

/* Names of the ports shown, to be freed one by one with the list. */
static orr_err name_ports(struct samples *s, char **to)
{
    uint32_t *port = NULL, *from = NULL, *dst = NULL, *link = NULL;
    char **name = NULL;
    uint64_t n = 0, m = 0, k = 0, links = 0, names = 0;
    orr_err err = orr__reader_column(s->r, path_of(s, "port"), ORR_RECORD_U32,
                                     (void **)&port, &n, s->why);
    if (!err)
        err = orr__reader_column(s->r, path_of(s, "from"), ORR_RECORD_U32,
                                 (void **)&from, &m, s->why);
    if (!err)
        err = orr__reader_column(s->r, path_of(s, "to"), ORR_RECORD_U32,
                                 (void **)&dst, &k, s->why);
    if (!err && orr__reader_has(s->r, "links/name")) {
        err = orr__reader_column(s->r, "links/link", ORR_RECORD_U32,
                                 (void **)&link, &links, s->why);
        if (!err)
            err = orr__record_link_names(s->r, "links/name", &name, &names,
                                         s->why);
    }
    n = n < m ? n : m;
    n = n < k ? n : k;
    s->shown = n < s->shown ? n : s->shown;
    for (uint64_t i = 0; i < s->shown && !err; i++) {
        to[i] = port_name(port[i], from[i], dst[i], link, name,
                          links < names ? links : names);
        err = to[i] ? ORR_OK : orr__no_memory(s->why);
    }
    orr__reader_free_texts(name, names);
    orr__free(port);
    orr__free(from);
    orr__free(dst);
    orr__free(link);
    return err;
}

/* Ports: queues. */
static orr_err put_ports(struct samples *s, json_t *to)
{
    char *name[ORR_VIEW_SAMPLED] = {NULL};
    orr_err err = name_ports(s, name);
    if (!err)
        err = put_head(s, to, name);
    for (uint64_t i = 0; i < ORR_VIEW_SAMPLED; i++)
        orr__free(name[i]);
    return err ? err : put_table(s, to, "queue", "queue", 1);
}

/* One of the two, where it is in the record. */
static orr_err put_group(struct orr_reader *r, json_t *to, const char *key,
                         const char *group, const char *table,
                         orr_err (*put)(struct samples *, json_t *),
                         struct orr_report *why)
{
    struct samples s = {.r = r, .why = why, .group = group};
    if (!orr__reader_has(r, path_of(&s, table)))
        return ORR_OK;
    json_t *part = json_object();
    orr_err err = part ? samples_init(&s, table) : orr__no_memory(why);
    if (!err && s.points && s.shown)
        err = put(&s, part);
    bool any = s.points && s.shown;
    samples_fini(&s);
    if (err || !any) {
        json_decref(part);
        return err;
    }
    return orr__view_put(to, key, part, why);
}

orr_err orr__view_samples(struct orr_reader *r, json_t *to,
                          struct orr_report *why)
{
    orr_err err =
        put_group(r, to, "flow_samples", "flow_series", "cwnd", put_flows, why);
    if (!err)
        err = put_group(r, to, "port_samples", "port_series", "queue",
                        put_ports, why);
    return err;
}
