/* Jobs with their iterations, and what a run says about itself. */
#include "study/report/view.h"

#include <string.h>

#include "core/memory.h"
#include "core/statistics.h"
#include "core/units.h"

/* Longer configurations (a million flows) are cut. */
#define MOST_CONFIG 200000

/* ---- about -------------------------------------------------------------- */

/* A text of the record, cut off at MOST_CONFIG. */
static orr_err put_note(struct orr_reader *r, json_t *to, const char *key,
                        const char *path, struct orr_report *why)
{
    char **text;
    uint64_t n;
    if (!orr__reader_has(r, path))
        return ORR_OK;
    orr_err err = orr__reader_texts(r, path, &text, &n, why);
    if (err)
        return err;
    static const char more[] = "\n...";
    if (n == 1 && strlen(text[0]) + 1 >= MOST_CONFIG + sizeof more)
        memcpy(text[0] + MOST_CONFIG, more, sizeof more);
    err =
        n == 1 ? orr__view_put(to, key, orr__view_text(text[0]), why) : ORR_OK;
    orr__reader_free_texts(text, n);
    return err;
}

orr_err orr__view_about(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    static const char *const texts[] = {"title", "source", "history",
                                        "fingerprint", "status"};
    static const char *const numbers[] = {"seed", "packet_hops"};
    uint64_t value;
    orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !err; i++)
        err = orr__view_attribute(r, to, "/", texts[i], why);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !err; i++)
        if (orr__reader_number(r, "/", numbers[i], &value))
            err = orr__view_put(to, numbers[i], json_integer((json_int_t)value),
                                why);
    if (!err && orr__reader_number(r, "/", "sim_time_ps", &value))
        err = orr__view_put(to, "sim_time",
                            json_real((double)value / (double)ORR_S), why);
    if (!err)
        err = put_note(r, to, "config", "config/effective", why);
    if (!err && orr__reader_has(r, "topology"))
        err = orr__view_attribute(r, to, "topology", "kind", why);
    if (!err && orr__reader_has(r, "doubt/line"))
        err = orr__view_column(r, to, "doubt", "doubt/line", ORR_RECORD_TEXT,
                               why);
    return err;
}

/* ---- jobs --------------------------------------------------------------- */

struct rows { /* of /iterations */
    uint32_t *job;
    int64_t *start, *end, *duration;
    uint64_t n;
};

/* Columns of /iterations, freed by the caller even after an error. */
static orr_err read_rows(struct orr_reader *r, struct rows *x,
                         struct orr_report *why)
{
    uint64_t n[4] = {0};
    orr_err err = orr__reader_column(r, "iterations/job", ORR_RECORD_U32,
                                     (void **)&x->job, &n[0], why);
    if (!err)
        err = orr__reader_column(r, "iterations/start", ORR_RECORD_I64,
                                 (void **)&x->start, &n[1], why);
    if (!err)
        err = orr__reader_column(r, "iterations/end", ORR_RECORD_I64,
                                 (void **)&x->end, &n[2], why);
    if (!err)
        err = orr__reader_column(r, "iterations/duration", ORR_RECORD_I64,
                                 (void **)&x->duration, &n[3], why);
    if (!err && (n[1] != n[0] || n[2] != n[0] || n[3] != n[0]))
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: columns of /iterations are of "
                        "different lengths",
                        orr__reader_name(r));
    x->n = n[0];
    return err;
}

/* Over iterations that ended, without the warmup; s. */
static orr_err put_statistics(json_t *to, const int64_t *duration, uint64_t n,
                              uint64_t warmup, struct orr_report *why)
{
    double *x = orr__alloc(n, sizeof *x);
    size_t k = 0;
    if (!x)
        return orr__no_memory(why);
    for (uint64_t i = warmup < n ? warmup : 0; i < n; i++)
        if (duration[i] >= 0)
            x[k++] = (double)duration[i] / (double)ORR_S;
    orr_err err = ORR_OK;
    if (k > 0) {
        struct orr_statistics all = orr__statistics(x, k);
        err = orr__view_put(to, "mean", json_real(all.mean), why);
        if (!err)
            err = orr__view_put(to, "p50", json_real(all.p50), why);
        if (!err)
            err = orr__view_put(to, "p99", json_real(all.p99), why);
        if (!err)
            err = orr__view_put(to, "max", json_real(all.max), why);
    }
    orr__free(x);
    return err;
}

/* The iterations of one job: rows [from, from + n). */
static orr_err put_iterations(json_t *to, const struct rows *x, uint64_t from,
                              uint64_t n, uint64_t warmup,
                              struct orr_report *why)
{
    uint64_t shown = n < ORR_VIEW_ITERATIONS ? n : ORR_VIEW_ITERATIONS;
    uint64_t ended = 0;
    for (uint64_t i = from; i < from + n; i++)
        ended += x->duration[i] >= 0;
    orr_err err = put_statistics(to, x->duration + from, n, warmup, why);
    if (!err)
        err = orr__view_put(to, "iterations", json_integer((json_int_t)n), why);
    if (!err)
        err = orr__view_put(to, "ended", json_integer((json_int_t)ended), why);
    if (!err)
        err = orr__view_put(to, "start",
                            orr__view_times(x->start + from, shown), why);
    if (!err)
        err = orr__view_put(to, "end", orr__view_times(x->end + from, shown),
                            why);
    if (!err)
        err = orr__view_put(to, "duration",
                            orr__view_times(x->duration + from, shown), why);
    return err;
}

struct spent { /* of /ranks, per rank */
    uint32_t *job;
    int64_t *compute, *exposed, *overlap;
    uint64_t n;
};

/* Columns of /ranks, freed by the caller even after an error. */
static orr_err read_spent(struct orr_reader *r, struct spent *s,
                          struct orr_report *why)
{
    uint64_t n[4] = {0};
    orr_err err = orr__reader_column(r, "ranks/job", ORR_RECORD_U32,
                                     (void **)&s->job, &n[0], why);
    if (!err)
        err = orr__reader_column(r, "ranks/compute", ORR_RECORD_I64,
                                 (void **)&s->compute, &n[1], why);
    if (!err)
        err = orr__reader_column(r, "ranks/exposed", ORR_RECORD_I64,
                                 (void **)&s->exposed, &n[2], why);
    if (!err)
        err = orr__reader_column(r, "ranks/overlap", ORR_RECORD_I64,
                                 (void **)&s->overlap, &n[3], why);
    if (!err && (n[1] != n[0] || n[2] != n[0] || n[3] != n[0]))
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: columns of /ranks are of "
                        "different lengths",
                        orr__reader_name(r));
    s->n = n[0];
    return err;
}

/* Means over the ranks of a job. */
static orr_err put_spent(json_t *to, const struct spent *s, uint32_t job,
                         struct orr_report *why)
{
    double compute = 0, exposed = 0, overlap = 0, n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        if (s->job[i] == job) {
            compute += (double)s->compute[i];
            exposed += (double)s->exposed[i];
            overlap += (double)s->overlap[i];
            n += (double)ORR_S;
        }
    n = n > 0 ? n : 1;
    orr_err err = orr__view_put(to, "compute", json_real(compute / n), why);
    if (!err)
        err = orr__view_put(to, "exposed", json_real(exposed / n), why);
    if (!err)
        err = orr__view_put(to, "overlap", json_real(overlap / n), why);
    return err;
}

/* Rows of iterations are sorted by job. */
static orr_err add_jobs(json_t *list, char *const *name, uint64_t jobs,
                        const uint32_t *warmup, const struct rows *x,
                        const struct spent *s, struct orr_report *why)
{
    orr_err err = ORR_OK;
    uint64_t at = 0, n;
    for (uint32_t j = 0; j < jobs && !err; j++, at += n) {
        json_t *job = json_object();
        for (n = 0; at + n < x->n && x->job[at + n] == j; n++)
            ;
        err = orr__view_put(job, "name", orr__view_text(name[j]), why);
        if (!err)
            err = put_iterations(job, x, at, n, warmup[j], why);
        if (!err)
            err = put_spent(job, s, j, why);
        if (json_array_append_new(list, job) != 0 && !err)
            err = orr__no_memory(why);
    }
    return err;
}

orr_err orr__view_jobs(struct orr_reader *r, json_t *to, struct orr_report *why)
{
    struct rows x = {.n = 0};
    struct spent s = {.n = 0};
    char **name = NULL;
    uint32_t *warmup = NULL;
    uint64_t jobs = 0, warmups = 0;
    if (!orr__reader_has(r, "jobs/name"))
        return ORR_OK;
    json_t *list = json_array();
    orr_err err = orr__reader_texts(r, "jobs/name", &name, &jobs, why);
    if (!err)
        err = orr__reader_column(r, "jobs/warmup", ORR_RECORD_U32,
                                 (void **)&warmup, &warmups, why);
    if (!err && warmups != jobs)
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: columns of /jobs are of "
                        "different lengths",
                        orr__reader_name(r));
    if (!err)
        err = read_rows(r, &x, why);
    if (!err)
        err = read_spent(r, &s, why);
    if (!err)
        err = add_jobs(list, name, jobs, warmup, &x, &s, why);
    orr__reader_free_texts(name, jobs);
    orr__free(warmup);
    orr__free(x.job);
    orr__free(x.start);
    orr__free(x.end);
    orr__free(x.duration);
    orr__free(s.job);
    orr__free(s.compute);
    orr__free(s.exposed);
    orr__free(s.overlap);
    if (err) {
        json_decref(list);
        return err;
    }
    return orr__view_put(to, "jobs", list, why);
}
