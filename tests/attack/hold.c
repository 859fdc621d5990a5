/* What must hold in any run by itself: what was sent has gone somewhere,
 * nothing is faster than light, and the file says what the summary says. */
#include <float.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/attack/trial.h"

static double number(const json_t *map, const char *key)
{
    return json_number_value(json_object_get(map, key));
}

/* Packets sent have arrived, were lost, or are still on their way. */
static void hold_balance(const struct outcome *o, struct finding *f)
{
    const json_t *c = json_object_get(o->summary, "counters");
    double sent = number(c, "packets_sent");
    double gone = number(c, "packets_delivered") + number(c, "packets_dropped");

    if (sent < gone
        || (!json_is_true(json_object_get(o->summary, "partial")) && !o->code
            && sent > gone))
        orr__found(f, "balance", "%.0f packets sent, %.0f gone", sent, gone);
}

static void hold_flows(const struct outcome *o, struct finding *f)
{
    const json_t *flows = json_object_get(o->summary, "flows"), *flow;
    double end = number(o->summary, "sim_time_ns");
    size_t i;

    if (!o->code && !json_is_true(json_object_get(o->summary, "partial"))
        && number(flows, "count") != number(flows, "completed"))
        orr__found(f, "open", "a flow is open after a run that ended well");
    json_array_foreach(json_object_get(flows, "list"), i, flow)
    {
        double fct = number(flow, "fct_ns"), ideal = number(flow, "ideal_ns");

        if (!json_is_number(json_object_get(flow, "fct_ns")))
            continue;
        if (fct < ideal)
            orr__found(f, "ideal", "flow %zu takes %.3f ns, ideally %.3f", i,
                       fct, ideal);
        /* in ns, of which a double has 53 bits */
        if (fct <= 0
            || number(flow, "start_ns") + fct > end * (1 + 1e-15) + 1e-3)
            orr__found(f, "time", "flow %zu ends at %.3f of %.3f ns", i,
                       number(flow, "start_ns") + fct, end);
    }
}

static void hold_collectives(const json_t *job, struct finding *f)
{
    const json_t *c;
    size_t i;

    json_array_foreach(json_object_get(job, "collectives"), i, c)
    {
        double time = number(c, "duration_ns"), bound;

        if (!json_is_number(json_object_get(c, "duration_ns")))
            continue;
        bound = number(c, "lower_bound_ns");
        if (time < bound)
            orr__found(f, "bound",
                       "%s by %s of %.0f B takes %.3f ns, its "
                       "bound is %.3f",
                       json_string_value(json_object_get(c, "kind")),
                       json_string_value(json_object_get(c, "algorithm")),
                       number(c, "bytes"), time, bound);
    }
}

static void hold_jobs(const struct outcome *o, struct finding *f)
{
    const json_t *job, *one;
    size_t j, i;

    json_array_foreach(json_object_get(o->summary, "jobs"), j, job)
    {
        double before = number(job, "start_ns");

        hold_collectives(job, f);
        json_array_foreach(json_object_get(job, "iterations"), i, one)
        {
            double end = number(one, "end_ns");

            if (!json_is_number(json_object_get(one, "end_ns")))
                break;
            if (number(one, "span_ns") < 0 || number(one, "duration_ns") < 0
                || end < before)
                orr__found(f, "time",
                           "job %zu, iteration %zu runs "
                           "backwards",
                           j, i);
            before = end;
        }
    }
}

/* Links are not shared then, and may be asked for more than all. */
static bool by_formulas(const json_t *config)
{
    const char *transport = json_string_value(
        json_object_get(json_object_get(config, "network"), "transport"));

    return transport && !strcmp(transport, "analytical");
}

static void hold_links(const json_t *config, const struct outcome *o,
                       struct finding *f)
{
    bool formulas = by_formulas(config);
    const json_t *links = json_object_get(o->summary, "links"), *l;
    size_t i;

    json_array_foreach(json_object_get(links, "busiest"), i, l)
    {
        double busy = number(l, "utilization");
        double mean = number(l, "mean_queue_bytes");
        double most = number(l, "max_queue_bytes");

        if (busy < 0 || (busy > 1 + 1e-9 && !formulas) || isnan(busy))
            orr__found(f, "utilisation",
                       "link %.0f is busy for %.9g of the "
                       "time",
                       number(l, "id"), busy);
        /* the mean is of parts of bytes, too; the largest is of whole ones */
        if (mean < 0 || mean >= most * (1 + 1e-9) + 1 || isnan(mean))
            orr__found(f, "queue",
                       "link %.0f has a queue of %.9g B in the "
                       "mean, %.9g at most",
                       number(l, "id"), mean, most);
    }
}

void orr__hold(const json_t *config, const struct outcome *o, struct finding *f)
{
    if (!o->summary) {
        orr__found(f, "summary", "there is none, or it is no JSON");
        return;
    }
    hold_balance(o, f);
    hold_flows(o, f);
    hold_jobs(o, f);
    hold_links(config, o, f);
}

void orr__hold_report(const struct orr_report *why, bool running,
                      struct finding *f)
{
    char kind[48];

    if (!why->message[0])
        orr__found(f, "words", "it fails without a word");
    else if (!strcmp(why->message, "the run failed"))
        orr__found(f, "words", "it fails without a reason");
    else if (!running && why->code == ORR_ECONFIG && why->line == 0) {
        snprintf(kind, sizeof kind, "no place: %.36s", why->message);
        orr__found(f, kind, "%s", why->message);
    } else if (!running && why->code != ORR_ECONFIG && why->code != ORR_ENOMEM)
        orr__found(f, "code", "refused with code %d: %s", why->code,
                   why->message);
}

/* ---- records ------------------------------------------------------------- */

/* All of a dataset as doubles; its first two dimensions. NULL: not there. */
static double *column(hid_t file, const char *name, hsize_t dims[2])
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space;
    double *all = NULL;

    dims[0] = dims[1] = 1;
    if (set < 0)
        return NULL;
    space = H5Dget_space(set);
    if (H5Sget_simple_extent_ndims(space) <= 2) {
        H5Sget_simple_extent_dims(space, dims, NULL);
        all = calloc(dims[0] * dims[1] + 1, sizeof *all);
    }
    if (all && dims[0] > 0 && dims[1] > 0
        && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all)
               < 0) {
        free(all);
        all = NULL;
    }
    H5Sclose(space);
    H5Dclose(set);
    return all;
}

/* The busiest links' bytes are those of all bins together. */
static void hold_bytes(const struct outcome *o, const double *link,
                       const double *bytes, const hsize_t dims[2],
                       struct finding *f)
{
    const json_t *l;
    size_t i;

    json_array_foreach(
        json_object_get(json_object_get(o->summary, "links"), "busiest"), i, l)
    {
        double id = number(l, "id"), sum = 0;
        bool there = false;

        for (hsize_t c = 0; c < dims[1]; c++)
            for (hsize_t r = 0; link[c] == id && r < dims[0]; r++) {
                sum += bytes[r * dims[1] + c];
                there = true;
            }
        if (!there || sum != number(l, "bytes"))
            orr__found(f, "records",
                       "link %.0f sent %.0f B, and %.0f by its "
                       "records",
                       id, number(l, "bytes"), sum);
    }
}

static void hold_range(hid_t file, const char *name, double least, double most,
                       struct finding *f)
{
    hsize_t dims[2];
    double *v = column(file, name, dims);

    for (hsize_t i = 0; v && i < dims[0] * dims[1]; i++)
        if (!(v[i] >= least && v[i] <= most))
            orr__found(f, "records", "%s has %.9g", name, v[i]);
    if (!v)
        orr__found(f, "records", "%s is not there", name);
    free(v);
}

static void hold_fct(hid_t file, const struct outcome *o, struct finding *f)
{
    const json_t *list = json_object_get(json_object_get(o->summary, "flows"),
                                         "list"),
                 *flow;
    hsize_t dims[2];
    double *fct = column(file, "/flows/fct", dims);
    size_t i;

    /* both come as doubles, which beyond two hours do not hold every ps */

    json_array_foreach(list, i, flow)
    {
        const json_t *t = json_object_get(flow, "fct_ns");

        if (!fct || i >= dims[0]
            || (json_is_number(t)
                && fabs(fct[i] - 1e3 * json_number_value(t))
                       > 1 + 2 * DBL_EPSILON * fct[i]))
            orr__found(f, "records",
                       "flow %zu takes %.3f ns, and %.3f by its "
                       "records",
                       i, json_number_value(t),
                       fct && i < dims[0] ? fct[i] / 1e3 : 0);
    }
    free(fct);
}

void orr__hold_records(const char *path, const json_t *config,
                       const struct outcome *o, struct finding *f)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hsize_t dims[2], ids[2];
    double *bytes, *link;
    if (file < 0) {
        orr__found(f, "records", "no file, or one that cannot be opened");
        return;
    }
    bytes = column(file, "/links/bytes", dims);
    link = column(file, "/links/link", ids);
    if (bytes && link && ids[0] == dims[1])
        hold_bytes(o, link, bytes, dims, f);
    else
        orr__found(f, "records", "/links has no bytes");
    free(bytes);
    free(link);
    hold_range(file, "/links/mean_queue", 0, INFINITY, f);
    hold_range(file, "/links/utilisation", 0,
               by_formulas(config) ? INFINITY : 1 + 1e-6, f);
    hold_fct(file, o, f);
    H5Fclose(file);
}

bool orr__is_whole(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool whole = file >= 0 && H5Aexists(file, "fingerprint") > 0;

    if (file >= 0)
        H5Fclose(file);
    return whole;
}
