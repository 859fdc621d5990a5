/* A cluster: its jobs, who had which GPUs, how many waited, and where they met.
 * What there is too much of for a page is thinned here. */
#include "study/report/view.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/figures.h"
#include "core/memory.h"

/* ---- columns ------------------------------------------------------------- */

/* Columns of one group, all of one length. */
struct wanted {
    const char *path;
    enum orr_record_type type;
    void **to;
};

static void free_columns(const struct wanted *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        orr__free(*w[i].to);
}

/* *rows: their length. On failure there is nothing to be freed. */
static orr_err read_columns(struct orr_reader *r, const struct wanted *w,
                            size_t n, uint64_t *rows, struct orr_report *why)
{
    orr_err err = ORR_OK;
    size_t i;
    for (i = 0; i < n && !err; i++) {
        uint64_t here = 0;
        err = orr__reader_column(r, w[i].path, w[i].type, w[i].to, &here, why);
        if (!err && i > 0 && here != *rows) {
            orr__free(*w[i].to);
            err = orr__fail(why, ORR_ECONFIG,
                            "%s: /%s and /%s are of "
                            "different lengths",
                            orr__reader_name(r), w[0].path, w[i].path);
        }
        *rows = i == 0 ? here : *rows;
    }
    if (err)
        free_columns(w, i ? i - 1 : 0);
    return err;
}

/* ---- jobs ---------------------------------------------------------------- */

struct part { /* a column of a group */
    const char *key;
    enum orr_record_type type;
};

/* The first n rows of a column. */
static orr_err put_rows(struct orr_reader *r, json_t *to, const char *group,
                        const struct part *part, uint64_t n,
                        struct orr_report *why)
{
    const enum orr_record_type type = part->type;
    char *path = orr__format("%s/%s", group, part->key);
    void *values = NULL;
    char **text = NULL;
    uint64_t all = 0;
    if (!path)
        return orr__no_memory(why);
    orr_err err = type == ORR_RECORD_TEXT
                      ? orr__reader_texts(r, path, &text, &all, why)
                      : orr__reader_column(r, path, type, &values, &all, why);
    orr__free(path);
    if (err)
        return err;
    n = n < all ? n : all;
    json_t *list = text                     ? orr__view_texts(text, n)
                   : type == ORR_RECORD_U32 ? orr__view_numbers(values, n)
                                            : orr__view_doubles(values, n);
    if (text)
        orr__reader_free_texts(text, all);
    orr__free(values);
    return orr__view_put(to, part->key, list, why);
}

/* The first n rows of some columns of a group, under a key. */
static orr_err put_group(struct orr_reader *r, json_t *to, const char *key,
                         const char *group, const struct part *part,
                         size_t parts, uint64_t n, struct orr_report *why)
{
    json_t *rows = json_object();
    orr_err err = rows ? ORR_OK : orr__no_memory(why);
    for (size_t i = 0; !err && i < parts; i++)
        err = put_rows(r, rows, group, &part[i], n, why);
    if (err) {
        json_decref(rows);
        return err;
    }
    return orr__view_put(to, key, rows, why);
}

/* The first ORR_VIEW_JOBS jobs, column by column. */
static orr_err put_jobs(struct orr_reader *r, json_t *to, uint64_t n,
                        struct orr_report *why)
{
    static const struct part part[] = {
        {"name", ORR_RECORD_TEXT},      {"template", ORR_RECORD_TEXT},
        {"gpus", ORR_RECORD_U32},       {"state", ORR_RECORD_U32},
        {"arrived", ORR_RECORD_F64},    {"started", ORR_RECORD_F64},
        {"finished", ORR_RECORD_F64},   {"queueing", ORR_RECORD_F64},
        {"completion", ORR_RECORD_F64}, {"done", ORR_RECORD_F64},
        {"iteration", ORR_RECORD_F64},  {"slowdown", ORR_RECORD_F64},
        {"rho", ORR_RECORD_F64},        {"marks", ORR_RECORD_F64},
        {"gpu_hours", ORR_RECORD_F64},
    };
    uint64_t shown = n < ORR_VIEW_JOBS ? n : ORR_VIEW_JOBS;
    return put_group(r, to, "jobs", "cluster_jobs", part,
                     sizeof part / sizeof *part, shown, why);
}

/* ---- tenants ------------------------------------------------------------- */

/* The first ORR_VIEW_TENANTS of them, column by column, and how many there are
 * in all. A record without tenants gets no key. */
static orr_err put_tenants(struct orr_reader *r, json_t *to,
                           struct orr_report *why)
{
    static const struct part part[] = {
        {"name", ORR_RECORD_TEXT},      {"quota", ORR_RECORD_U32},
        {"jobs", ORR_RECORD_U32},       {"done", ORR_RECORD_U32},
        {"queueing", ORR_RECORD_F64},   {"queueing_p99", ORR_RECORD_F64},
        {"completion", ORR_RECORD_F64}, {"slowdown", ORR_RECORD_F64},
        {"rho", ORR_RECORD_F64},        {"jain", ORR_RECORD_F64},
        {"gpu_hours", ORR_RECORD_F64},  {"share", ORR_RECORD_F64},
        {"of_quota", ORR_RECORD_F64},   {"borrowed", ORR_RECORD_F64},
        {"goodput", ORR_RECORD_F64},    {"done_per_hour", ORR_RECORD_F64},
        {"preempted", ORR_RECORD_U32},  {"met", ORR_RECORD_U32},
        {"missed", ORR_RECORD_U32},
    };
    uint64_t size[ORR_RECORD_SIDES];
    if (orr__reader_shape(r, "cluster_tenants/name", size) != 1)
        return ORR_OK;
    uint64_t shown = size[0] < ORR_VIEW_TENANTS ? size[0] : ORR_VIEW_TENANTS;
    orr_err err = orr__view_put(to, "tenant_count",
                                json_integer((json_int_t)size[0]), why);
    return err ? err
               : put_group(r, to, "tenants", "cluster_tenants", part,
                           sizeof part / sizeof *part, shown, why);
}

/* ---- GPUs ---------------------------------------------------------------- */

/* Who had which GPUs; columns of equal length. */
struct holdings {
    double *job, *first, *gpus, *from, *to;
    uint64_t n;
};

static double area_of_holding(const struct holdings *h, uint64_t i)
{
    return h->gpus[i] * (h->to[i] - h->from[i]);
}

/* Keeps those of the most GPU time, in their order; ENOMEM. */
static orr_err keep_largest(struct holdings *h, size_t most,
                            struct orr_report *why)
{
    double *x = orr__alloc(h->n, sizeof *x);
    if (!x)
        return orr__no_memory(why);
    for (uint64_t i = 0; i < h->n; i++)
        x[i] = area_of_holding(h, i);
    gsl_sort(x, 1, h->n);
    double least = x[h->n - most];
    orr__free(x);
    uint64_t k = 0;
    for (uint64_t i = 0; i < h->n && k < most; i++) {
        if (!(area_of_holding(h, i) >= least))
            continue;
        h->job[k] = h->job[i];
        h->first[k] = h->first[i];
        h->gpus[k] = h->gpus[i];
        h->from[k] = h->from[i];
        h->to[k++] = h->to[i];
    }
    h->n = k;
    return ORR_OK;
}

static orr_err put_list(json_t *to, const char *key, const double *x, size_t n,
                        struct orr_report *why)
{
    return orr__view_put(to, key, orr__view_doubles(x, n), why);
}

/* The largest by GPU time, where there are too many. */
static orr_err put_gpus(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    struct holdings h = {.n = 0};
    const struct wanted w[] = {
        {"cluster_gpus/job", ORR_RECORD_F64, (void **)&h.job},
        {"cluster_gpus/first", ORR_RECORD_F64, (void **)&h.first},
        {"cluster_gpus/gpus", ORR_RECORD_F64, (void **)&h.gpus},
        {"cluster_gpus/from", ORR_RECORD_F64, (void **)&h.from},
        {"cluster_gpus/to", ORR_RECORD_F64, (void **)&h.to},
    };
    orr_err err = read_columns(r, w, 5, &h.n, why);
    if (err)
        return err;
    uint64_t all = h.n;
    json_t *list = json_object();
    if (!list)
        err = orr__no_memory(why);
    if (!err && h.n > ORR_VIEW_HOLDINGS)
        err = keep_largest(&h, ORR_VIEW_HOLDINGS, why);
    if (!err)
        err = orr__view_put(list, "all", json_integer((json_int_t)all), why);
    for (int i = 0; !err && i < 5; i++)
        err = put_list(list, strchr(w[i].path, '/') + 1, *w[i].to, h.n, why);
    free_columns(w, 5);
    if (err) {
        json_decref(list);
        return err;
    }
    return orr__view_put(to, "held", list, why);
}

/* ---- over time ----------------------------------------------------------- */

enum { TIME, RUNNING, WAITING, USED, OUT, COMPUTING, SERIES };
static const char *const series[] = {"time", "running", "waiting",
                                     "used", "out",     "computing"};

/* What is so from one event to the next becomes means of equal parts of the
 * time to `end`, into room for `parts` of each. */
static void average(double *const *x, uint64_t n, double end, size_t parts,
                    double *const *out)
{
    double width = end / (double)parts;
    for (size_t k = 0; k < parts; k++)
        out[TIME][k] = width * (double)k;
    for (uint64_t i = 0; i < n; i++) {
        double from = x[TIME][i], to = i + 1 < n ? x[TIME][i + 1] : end;
        size_t k = from > 0 && from < end ? (size_t)(from / width) : 0;
        if (!(from < end)) /* a broken file */
            continue;
        for (; k < parts && width * (double)k < to; k++) {
            double a = fmax(from, width * (double)k);
            double b = fmin(to, width * (double)(k + 1));
            for (int s = RUNNING; b > a && s < SERIES; s++)
                out[s][k] += x[s][i] * (b - a) / width;
        }
    }
}

/* As they are, or thinned. */
static orr_err put_series(json_t *to, double *const *x, uint64_t n, double end,
                          struct orr_report *why)
{
    enum { PARTS = ORR_VIEW_EVENTS };
    double *out[SERIES] = {NULL};
    orr_err err = ORR_OK;
    bool thin = n > PARTS && end > 0;
    for (int s = 0; thin && s < SERIES; s++)
        if (!(out[s] = orr__alloc(PARTS, sizeof(double))))
            err = orr__no_memory(why);
    if (!err && thin)
        average(x, n, end, PARTS, out);
    for (int s = 0; !err && s < SERIES; s++)
        err = put_list(to, series[s], thin ? out[s] : x[s], thin ? PARTS : n,
                       why);
    for (int s = 0; s < SERIES; s++)
        orr__free(out[s]);
    return err;
}

/* Series over time, thinned. */
static orr_err put_events(struct orr_reader *r, json_t *to, double end,
                          struct orr_report *why)
{
    double *x[SERIES];
    uint64_t n = 0;
    const struct wanted w[] = {
        {"cluster_epochs/time", ORR_RECORD_F64, (void **)&x[TIME]},
        {"cluster_epochs/running", ORR_RECORD_F64, (void **)&x[RUNNING]},
        {"cluster_epochs/waiting", ORR_RECORD_F64, (void **)&x[WAITING]},
        {"cluster_epochs/used", ORR_RECORD_F64, (void **)&x[USED]},
        {"cluster_epochs/out", ORR_RECORD_F64, (void **)&x[OUT]},
        {"cluster_epochs/computing", ORR_RECORD_F64, (void **)&x[COMPUTING]},
    };
    orr_err err = read_columns(r, w, SERIES, &n, why);
    if (err)
        return err;
    json_t *over = json_object();
    err = over ? put_series(over, x, n, end, why) : orr__no_memory(why);
    free_columns(w, SERIES);
    if (err) {
        json_decref(over);
        return err;
    }
    return orr__view_put(to, "over", over, why);
}

/* ---- links --------------------------------------------------------------- */

struct bins { /* of /cluster_links; those of a link are together */
    uint32_t *link;
    double *from, *to, *shared, *jobs, *lost;
    uint64_t n;
};

struct range { /* of a link */
    uint64_t first, n;
    double lost, shared, jobs;
};

/* Those that cost most, most first; of those that cost the same, the first. One
 * that cost nothing is none. */
static size_t worst_links(const struct bins *b, struct range *out, size_t most)
{
    size_t n = 0;
    for (uint64_t i = 0, end; i < b->n; i = end) {
        struct range x = {.first = i};
        for (end = i; end < b->n && b->link[end] == b->link[i]; end++) {
            x.lost += b->lost[end];
            x.shared += b->shared[end];
            x.jobs += b->jobs[end] * b->shared[end];
        }
        x.n = end - i;
        if (!(x.lost >= ORR_LEAST_LOST_H))
            continue;
        size_t at = n < most ? n++ : n;
        for (; at > 0 && x.lost > out[at - 1].lost; at--)
            if (at < n)
                out[at] = out[at - 1];
        if (at < n)
            out[at] = x;
    }
    return n;
}

/* Bins of one link, within range x. */
static orr_err put_link(json_t *list, const struct bins *b,
                        const struct range *x, const char *name,
                        struct orr_report *why)
{
    json_t *l = json_object();
    orr_err err = orr__view_put(l, "name", orr__view_text(name), why);
    if (!err)
        err = orr__view_put(l, "lost", json_real(x->lost), why);
    if (!err)
        err = orr__view_put(l, "shared", json_real(x->shared), why);
    if (!err)
        err = orr__view_put(
            l, "jobs", json_real(x->shared > 0 ? x->jobs / x->shared : 0), why);
    if (!err)
        err = put_list(l, "from", b->from + x->first, x->n, why);
    if (!err)
        err = put_list(l, "to", b->to + x->first, x->n, why);
    if (!err)
        err = put_list(l, "cells", b->shared + x->first, x->n, why);
    if (json_array_append_new(list, l) != 0 && !err)
        err = orr__no_memory(why);
    return err;
}

/* The links on which most was lost. */
static orr_err put_links(struct orr_reader *r, json_t *to,
                         struct orr_report *why)
{
    struct bins b = {.n = 0};
    struct range worst[ORR_VIEW_CONTENDED];
    const struct wanted w[] = {
        {"cluster_links/link", ORR_RECORD_U32, (void **)&b.link},
        {"cluster_links/from", ORR_RECORD_F64, (void **)&b.from},
        {"cluster_links/to", ORR_RECORD_F64, (void **)&b.to},
        {"cluster_links/shared", ORR_RECORD_F64, (void **)&b.shared},
        {"cluster_links/jobs", ORR_RECORD_F64, (void **)&b.jobs},
        {"cluster_links/lost", ORR_RECORD_F64, (void **)&b.lost},
    };
    char **name = NULL;
    uint64_t names = 0;
    orr_err err = read_columns(r, w, 6, &b.n, why);
    if (err)
        return err;
    err = orr__reader_texts(r, "cluster_links/link_name", &name, &names, why);
    json_t *list = json_array();
    if (!err && !list)
        err = orr__no_memory(why);
    size_t n = err ? 0 : worst_links(&b, worst, ORR_VIEW_CONTENDED);
    for (size_t i = 0; !err && i < n; i++)
        err = put_link(list, &b, &worst[i],
                       worst[i].first < names ? name[worst[i].first] : "", why);
    if (name)
        orr__reader_free_texts(name, names);
    free_columns(w, 6);
    if (err) {
        json_decref(list);
        return err;
    }
    return orr__view_put(to, "links", list, why);
}

/* ---- meetings ------------------------------------------------------------ */

/* Who contended with whom; columns of equal length. */
struct spells {
    uint32_t *job, *rival;
    double *from, *to, *lost;
    uint64_t n;
};

/* For each job the one that cost it most: by job, job, rival, link, from, to,
 * what it cost. */
static orr_err put_worst(json_t *to, const struct spells *m, char **link,
                         uint64_t links, uint64_t jobs, struct orr_report *why)
{
    uint64_t *worst = orr__alloc(jobs, sizeof *worst);
    json_t *list = json_array();
    orr_err err = worst && list ? ORR_OK : orr__no_memory(why);
    for (uint64_t i = 0; !err && i < m->n && i < links; i++)
        if (m->job[i] < jobs && m->lost[i] > 0
            && isfinite(m->lost[i] + m->from[i] + m->to[i])) {
            uint64_t *w = &worst[m->job[i]];
            if (!*w || m->lost[i] > m->lost[*w - 1])
                *w = i + 1;
        }
    for (uint64_t j = 0; !err && j < jobs; j++) {
        uint64_t i = worst[j] - 1;
        if (!worst[j])
            continue;
        json_t *one = json_pack("{s:I, s:I, s:o, s:f, s:f, s:f}", "job",
                                (json_int_t)j, "rival", (json_int_t)m->rival[i],
                                "link", orr__view_text(link[i]), "from",
                                m->from[i], "to", m->to[i], "lost", m->lost[i]);
        if (!one || json_array_append_new(list, one) != 0)
            err = orr__no_memory(why);
    }
    orr__free(worst);
    if (err) {
        json_decref(list);
        return err;
    }
    return orr__view_put(to, "met", list, why);
}

/* The worst of each job, of those that are shown. */
static orr_err put_spells(struct orr_reader *r, json_t *to, uint64_t jobs,
                          struct orr_report *why)
{
    struct spells m = {.n = 0};
    const struct wanted w[] = {
        {"cluster_meetings/job", ORR_RECORD_U32, (void **)&m.job},
        {"cluster_meetings/rival", ORR_RECORD_U32, (void **)&m.rival},
        {"cluster_meetings/from", ORR_RECORD_F64, (void **)&m.from},
        {"cluster_meetings/to", ORR_RECORD_F64, (void **)&m.to},
        {"cluster_meetings/lost", ORR_RECORD_F64, (void **)&m.lost},
    };
    char **link;
    uint64_t links;
    orr_err err = read_columns(r, w, 5, &m.n, why);
    if (err)
        return err;
    err =
        orr__reader_texts(r, "cluster_meetings/link_name", &link, &links, why);
    if (!err) {
        err = put_worst(to, &m, link, links,
                        jobs < ORR_VIEW_JOBS ? jobs : ORR_VIEW_JOBS, why);
        orr__reader_free_texts(link, links);
    }
    free_columns(w, 5);
    return err;
}

/* ---- the whole ----------------------------------------------------------- */

/* Attributes, then each part; ORR_ECONFIG where the record lacks what all
 * need. */
static orr_err put_all(struct orr_reader *r, json_t *to, uint64_t jobs,
                       struct orr_report *why)
{
    static const char *const texts[] = {"cluster", "queue", "placement",
                                        "schedule"};
    static const char *const spread[] = {"completion", "queueing", "slowdown"};
    uint64_t gpus = 0, end = 0;
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < sizeof texts / sizeof *texts; i++)
        err = orr__view_attribute(r, to, "/", texts[i], why);
    if (!orr__reader_number(r, "/", "gpus", &gpus)
        || !orr__reader_number(r, "/", "end_ns", &end))
        return orr__fail(why, ORR_ECONFIG,
                         "%s does not say how many GPUs the "
                         "cluster has, or when it ended",
                         orr__reader_name(r));
    if (!err)
        err = orr__view_put(to, "gpus", json_integer((json_int_t)gpus), why);
    if (!err)
        err = orr__view_put(to, "end", json_real((double)end / 1e9), why);
    if (!err)
        err = orr__view_put(to, "count", json_integer((json_int_t)jobs), why);
    if (!err)
        err = put_jobs(r, to, jobs, why);
    if (!err)
        err = put_tenants(r, to, why);
    for (size_t i = 0; !err && i < sizeof spread / sizeof *spread; i++) {
        char path[64];
        char *key = orr__format("%s_spread", spread[i]);
        snprintf(path, sizeof path, "cluster_jobs/%s", spread[i]);
        err = key ? orr__view_distribution(r, to, key, path, NULL, why)
                  : orr__no_memory(why);
        orr__free(key);
    }
    if (!err)
        err = put_gpus(r, to, why);
    if (!err)
        err = put_events(r, to, (double)end / 1e9, why);
    if (!err)
        err = put_links(r, to, why);
    return err ? err : put_spells(r, to, jobs, why);
}

orr_err orr__view_cluster(struct orr_reader *r, json_t *to,
                          struct orr_report *why)
{
    uint64_t size[ORR_RECORD_SIDES];
    if (orr__reader_shape(r, "cluster_jobs/job", size) != 1)
        return ORR_OK;
    json_t *cluster = json_object();
    orr_err err =
        cluster ? put_all(r, cluster, size[0], why) : orr__no_memory(why);
    if (err) {
        json_decref(cluster);
        return err;
    }
    return orr__view_put(to, "cluster", cluster, why);
}
