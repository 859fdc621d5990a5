/* Switches that add (`network.in_network`): what each counted, and its slots
 * over time. */
#include "study/report/view.h"

#include <string.h>

#include "core/memory.h"

/* The series of all switches, row by row, as the record has it. */
struct series {
    uint32_t *node;
    double *time, *slots; /* s; mean since the node's row before */
    uint64_t n;
};

static const char *const totals[] = {
    "summed",     "sums",       "copies",   "results",
    "duplicates", "collisions", "no_slots", "evictions",
    "most_slots", "mean_slots", "node",     "fallen_back",
};

static void series_fini(struct series *s)
{
    orr__free(s->node);
    orr__free(s->time);
    orr__free(s->slots);
}

/* Columns of one length, or ECONFIG. */
static orr_err series_init(struct series *s, struct orr_reader *r,
                           struct orr_report *why)
{
    uint64_t times = 0, slots = 0;
    orr_err err =
        orr__reader_column(r, "in_network_series/node", ORR_RECORD_U32,
                           (void **)&s->node, &s->n, why);
    if (!err)
        err = orr__reader_column(r, "in_network_series/time_s", ORR_RECORD_F64,
                                 (void **)&s->time, &times, why);
    if (!err)
        err = orr__reader_column(r, "in_network_series/slots", ORR_RECORD_F64,
                                 (void **)&s->slots, &slots, why);
    if (!err && (times != s->n || slots != s->n))
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: columns of in_network_series are not of one "
                        "length",
                        orr__reader_name(r));
    return err;
}

/* A node's rows, several as one where they are more than the page has points:
 * the mean over their time. time, slots: ORR_VIEW_SAMPLES of each. Returns how
 * many. */
static uint64_t points_of(const struct series *s, uint32_t node, double *time,
                          double *slots)
{
    uint64_t rows = 0, at = 0, points = 0;
    double begin = 0, area = 0, last = 0;
    for (uint64_t i = 0; i < s->n; i++)
        rows += s->node[i] == node;
    uint64_t each = (rows + ORR_VIEW_SAMPLES - 1) / ORR_VIEW_SAMPLES;
    for (uint64_t i = 0; i < s->n; i++) {
        if (s->node[i] != node)
            continue;
        area += s->slots[i] * (s->time[i] - last);
        last = s->time[i];
        if (++at % each != 0 && at < rows)
            continue;
        time[points] = last;
        slots[points++] = last > begin ? area / (last - begin) : 0;
        begin = last;
        area = 0;
    }
    return points;
}

/* A line of the chart at the end of a list. */
static orr_err add_line(const struct series *s, uint32_t node, json_t *list,
                        struct orr_report *why)
{
    double *time = orr__alloc(2 * ORR_VIEW_SAMPLES, sizeof *time);
    json_t *line = json_object();
    orr_err err = time && line ? ORR_OK : orr__no_memory(why);
    uint64_t n = err ? 0 : points_of(s, node, time, time + ORR_VIEW_SAMPLES);
    if (!err)
        err = orr__view_put(line, "node", json_integer(node), why);
    if (!err)
        err = orr__view_put(line, "time", orr__view_doubles(time, n), why);
    if (!err)
        err = orr__view_put(line, "slots",
                            orr__view_doubles(time + ORR_VIEW_SAMPLES, n), why);
    orr__free(time);
    if (json_array_append_new(list, line) != 0 && !err)
        err = orr__no_memory(why);
    return err;
}

/* Whether node i has more slots in use than node k, or as many and comes
 * first. */
static bool is_busier(const double *mean, uint64_t i, uint64_t k)
{
    return mean[i] > mean[k] || (mean[i] == mean[k] && i < k);
}

/* Lines of those that have most slots in use. */
static orr_err put_lines(struct orr_reader *r, json_t *to,
                         struct orr_report *why)
{
    struct series s = {0};
    uint32_t *node = NULL;
    double *mean = NULL;
    uint64_t n = 0, means = 0;
    json_t *list = json_array();
    orr_err err = list ? series_init(&s, r, why) : orr__no_memory(why);
    if (!err)
        err = orr__reader_column(r, "in_network/node", ORR_RECORD_U32,
                                 (void **)&node, &n, why);
    if (!err)
        err = orr__reader_column(r, "in_network/mean_slots", ORR_RECORD_F64,
                                 (void **)&mean, &means, why);
    n = n < means ? n : means;
    for (uint64_t i = 0; i < n && !err; i++) {
        uint64_t busier = 0;
        for (uint64_t k = 0; k < n && busier < ORR_VIEW_SAMPLED; k++)
            busier += is_busier(mean, k, i);
        if (busier < ORR_VIEW_SAMPLED && mean[i] > 0)
            err = add_line(&s, node[i], list, why);
    }
    series_fini(&s);
    orr__free(node);
    orr__free(mean);
    if (!err)
        return orr__view_put(to, "lines", list, why);
    json_decref(list);
    return err;
}

orr_err orr__view_adders(struct orr_reader *r, json_t *to,
                         struct orr_report *why)
{
    char path[64];
    if (!orr__reader_has(r, "in_network/node"))
        return ORR_OK;
    json_t *part = json_object();
    orr_err err = part ? ORR_OK : orr__no_memory(why);
    for (size_t i = 0; i < sizeof totals / sizeof *totals && !err; i++) {
        snprintf(path, sizeof path, "in_network/%s", totals[i]);
        err = orr__view_column(r, part, totals[i], path, ORR_RECORD_F64, why);
    }
    if (!err && orr__reader_has(r, "in_network_series/slots"))
        err = put_lines(r, part, why);
    if (!err)
        return orr__view_put(to, "adders", part, why);
    json_decref(part);
    return err;
}
