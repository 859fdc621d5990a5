/* The cluster of Crux (SIGCOMM 2024), alibaba-lingjun-dataset-2023: job.csv,
 * which is the file that is named, and beside it worker.csv, which says how
 * many GPUs of which host each worker had, and topo.csv, whose lines are the
 * hosts. Here a host is a server, and the servers of a cluster are the hosts in
 * order of DSW, PSW, ASW and then of their line: so those on one switch follow
 * one another. `model` is the application. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "formats/jobs/table.h"

static const struct orr_jobs_column job_columns[] = {
    {"job_name", ORR_JOBS_ID, true},
    {"model", ORR_JOBS_APPLICATION, false},
    {"gmt_job_submitted", ORR_JOBS_SUBMIT, true},
    {"gmt_job_running", ORR_JOBS_START, false},
    {"gmt_job_finished", ORR_JOBS_END, false},
    {"gmt_job_stopped", ORR_JOBS_STOP, false},
    {NULL, ORR_JOBS_OTHER, false},
};
static const struct orr_jobs_column worker_columns[] = {
    {"job_name", ORR_JOBS_APPLICATION, true},
    {"host_ip", ORR_JOBS_HOST, false},
    {"RES", ORR_JOBS_RESOURCES, false},
    {NULL, ORR_JOBS_OTHER, false},
};
static const struct orr_jobs_column host_columns[] = {
    {"ip", ORR_JOBS_HOST, true},         {"DSW", ORR_JOBS_ID, true},
    {"PSW", ORR_JOBS_APPLICATION, true}, {"ASW", ORR_JOBS_PART, true},
    {NULL, ORR_JOBS_OTHER, false},
};

/* A line of topo.csv. */
struct host {
    const char *ip, *dsw, *psw, *asw;
    uint64_t line;
};

/* A line of worker.csv. */
struct worker {
    const char *job;
    uint32_t server; /* ORR_NONE: not known */
    uint32_t gpus, order;
};

/* The tables while they are read; texts are the document's. */
struct lingjun {
    struct orr_config *c;
    struct orr_report *why;
    const char *path; /* of job.csv */
    struct host *host;
    uint32_t hosts, host_room;
    struct orr_names server; /* by ip */
    struct worker *worker;   /* by job */
    uint32_t workers, worker_room;
};

/* A file of that name beside job.csv. */
static char *beside(const struct lingjun *l, const char *name)
{
    const char *slash = strrchr(l->path, '/');
    return slash ? orr__format("%.*s/%s", (int)(slash - l->path), l->path, name)
                 : orr__strdup(name);
}

/* Reads a table beside job.csv, each line with `take`. */
static orr_err read_table(struct lingjun *l, const char *name,
                          const struct orr_jobs_column *columns,
                          orr_err (*take)(struct lingjun *l,
                                          const struct orr_jobs_table *t))
{
    struct orr_jobs_table t;
    bool more = true;
    char *path = beside(l, name);
    if (!path)
        return orr__no_memory(l->why);
    orr_err err = orr__jobs_open(&t, l->c, path, ',', l->why);
    if (!err)
        err = orr__jobs_names(&t, columns);
    while (!err && more) {
        err = orr__jobs_next(&t, &more);
        if (!err && more)
            err = take(l, &t);
    }
    orr__jobs_fini(&t);
    orr__free(path);
    return err;
}

/* ---- hosts ------------------------------------------------------------- */

static orr_err take_host(struct lingjun *l, const struct orr_jobs_table *t)
{
    if (!orr__array_more(l->host, l->host_room, l->hosts))
        return orr__no_memory(l->why);
    l->host[l->hosts++] = (struct host){
        t->at.host, t->at.id, t->at.application, t->at.part, t->at.line,
    };
    return ORR_OK;
}

/* "S2" is before "S14". */
static int compare_names(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na != nb)
        return na < nb ? -1 : 1;
    return strcmp(a, b);
}

static int nearer(const void *pa, const void *pb)
{
    const struct host *a = pa, *b = pb;
    int d = compare_names(a->dsw, b->dsw);
    d = d ? d : compare_names(a->psw, b->psw);
    d = d ? d : compare_names(a->asw, b->asw);
    return d ? d : a->line < b->line ? -1 : a->line > b->line;
}

/* Servers in order of their switches; two of one ip are refused. */
static orr_err number_hosts(struct lingjun *l)
{
    if (l->hosts)
        qsort(l->host, l->hosts, sizeof *l->host, nearer);
    for (uint32_t i = 0; i < l->hosts; i++) {
        char *path = NULL;
        if (orr__names_find(&l->server, l->host[i].ip) == ORR_NONE) {
            if (!orr__names_add(&l->server, l->host[i].ip, i))
                return orr__no_memory(l->why);
            continue;
        }
        path = beside(l, "topo.csv");
        if (!path)
            return orr__no_memory(l->why);
        orr_err err =
            orr__fail_at(l->why, ORR_ECONFIG, path, (int)l->host[i].line, 1,
                         "there are two hosts \"%s\"", l->host[i].ip);
        orr__free(path);
        return err;
    }
    return ORR_OK;
}

/* ---- workers ----------------------------------------------------------- */

/* Workers without GPUs do not count; a host that topo.csv lacks is not
 * known. */
static orr_err take_worker(struct lingjun *l, const struct orr_jobs_table *t)
{
    if (!t->at.has[ORR_JOBS_RESOURCES] || t->at.gpus == 0)
        return ORR_OK;
    if (!orr__array_more(l->worker, l->worker_room, l->workers))
        return orr__no_memory(l->why);
    uint32_t server = ORR_NONE;
    if (t->at.host)
        server = orr__names_find(&l->server, t->at.host);
    l->worker[l->workers] = (struct worker){
        .job = t->at.application,
        .server = server == ORR_NONE ? ORR_NONE : server,
        .gpus = t->at.gpus,
        .order = l->workers,
    };
    l->workers++;
    return ORR_OK;
}

static int by_job(const void *pa, const void *pb)
{
    const struct worker *a = pa, *b = pb;
    int d = strcmp(a->job, b->job);
    return d ? d : a->order < b->order ? -1 : a->order > b->order;
}

/* Workers of a job: from *first on, as many as are returned. */
static uint32_t find_workers(const struct lingjun *l, const char *job,
                             uint32_t *first)
{
    uint32_t low = 0, high = l->workers, n = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(l->worker[middle].job, job) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low + n < l->workers && strcmp(l->worker[low + n].job, job) == 0)
        n++;
    return n;
}

/* ---- jobs -------------------------------------------------------------- */

/* The server of each GPU, if all are known. */
static orr_err place_workers(struct lingjun *l, const struct worker *w,
                             uint32_t n, struct orr_trace_row *row)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++)
        if (w[i].server == ORR_NONE)
            return ORR_OK;
    uint32_t *server =
        orr__arena_alloc(orr__config_arena(l->c), row->gpus, sizeof *server);
    if (!server)
        return orr__no_memory(l->why);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < w[i].gpus; k++)
            server[at++] = w[i].server;
    ORR_ASSERT(at == row->gpus);
    row->hosts = server;
    return ORR_OK;
}

/* GPUs of all its workers; a job without an end was stopped, or is left out. */
static orr_err add_job(struct lingjun *l, struct orr_jobs_table *t)
{
    struct orr_jobs_line *at = &t->at;
    uint32_t first, n = find_workers(l, at->id, &first);
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < n; i++)
        gpus += l->worker[first + i].gpus;
    at->gpus = gpus < ORR_JOBS_MOST_GPUS ? (uint32_t)gpus : ORR_JOBS_MOST_GPUS;
    if (!at->has[ORR_JOBS_END] && at->has[ORR_JOBS_STOP]) {
        at->end_ns = at->stop_ns;
        at->has[ORR_JOBS_END] = true;
    }
    uint32_t had = t->out->n;
    orr_err err = orr__jobs_add(t);
    if (err || n == 0 || t->out->n == had || gpus > ORR_JOBS_MOST_GPUS)
        return err;
    return place_workers(l, l->worker + first, n, &t->out->row[had]);
}

/* job.csv, line by line. */
static orr_err read_jobs(struct lingjun *l, struct orr_job_trace *out)
{
    struct orr_jobs_table t;
    bool more = true;
    orr_err err = orr__jobs_open(&t, l->c, l->path, ',', l->why);
    t.out = out;
    if (!err)
        err = orr__jobs_names(&t, job_columns);
    while (!err && more) {
        err = orr__jobs_next(&t, &more);
        if (!err && more)
            err = add_job(l, &t);
    }
    orr__jobs_fini(&t);
    return err;
}

/* Out->row is freed by the caller, also after an error. */
static orr_err read_lingjun(struct orr_config *c, const char *path,
                            struct orr_job_trace *out, struct orr_report *why)
{
    struct lingjun l = {.c = c, .why = why, .path = path};
    orr_err err = read_table(&l, "topo.csv", host_columns, take_host);
    if (!err)
        err = number_hosts(&l);
    if (!err)
        err = read_table(&l, "worker.csv", worker_columns, take_worker);
    if (!err && l.workers)
        qsort(l.worker, l.workers, sizeof *l.worker, by_job);
    if (!err)
        err = read_jobs(&l, out);
    orr__names_fini(&l.server);
    orr__free(l.host);
    orr__free(l.worker);
    return err;
}

extern const struct orr_job_trace_format orr__job_trace_lingjun;
const struct orr_job_trace_format orr__job_trace_lingjun = {
    .name = "lingjun",
    .doc = "Alibaba's Lingjun: job.csv, with worker.csv and topo.csv beside "
           "it",
    .read = read_lingjun,
};
