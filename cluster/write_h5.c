/* A cluster's run as HDF5: /cluster_jobs, a row a job; /cluster_stretches, a
 * row for each job and pace; /cluster_epochs, what was so from one event to the
 * next; /cluster_gpus, who had which; /cluster_tenants, a row a tenant;
 * /cluster_meetings, which jobs contended; /cluster_links, what happened on
 * links on which jobs met. Beside them /config and /topology, as in other runs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cluster/contention.h"
#include "cluster/figures.h"
#include "cluster/show.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "experiment/doubt.h"
#include "experiment/plan_tables.h"
#include "record/rows.h"
#include "record/write_h5.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/schedule/schedule.h"

static double to_seconds(double ns)
{
    return ns / 1e9;
}

static double to_moment(int64_t ns)
{
    return ns < 0 ? NAN : to_seconds((double)ns);
}

/* ---- jobs ---------------------------------------------------------------- */

/* A row of /cluster_jobs; seconds, NAN: did not happen. */
struct job_row {
    uint32_t job, gpus;
    const char *name, *template;
    uint8_t state;
    double arrived, started, finished, queueing, completion;
    double iterations, done, iteration, error, alone, slowdown, rho;
    double marks, resent, gpu_hours;
    uint32_t preempted, restarted, resized, moved;
};

static const struct orr_row_field job_fields[] = {
    ORR_FIELD(job_row, job, U32, "1", "number of the job, by its arrival",
              NULL),
    ORR_FIELD(job_row, name, TEXT, "1", "name of the job", NULL),
    ORR_FIELD(job_row, template, TEXT, "1", "its entry of cluster.jobs", NULL),
    ORR_FIELD(job_row, gpus, U32, "1", "GPUs that it asked for", NULL),
    ORR_FIELD(job_row, state, U8, "1", "where it was when the run ended",
              "coming waiting running done failed"),
    ORR_FIELD(job_row, arrived, F64, "s", "it asked for GPUs", NULL),
    ORR_FIELD(job_row, started, F64, "s", "it first had them", NULL),
    ORR_FIELD(job_row, finished, F64, "s", "it ended", NULL),
    ORR_FIELD(job_row, queueing, F64, "s", "it waited, in all", NULL),
    ORR_FIELD(job_row, completion, F64, "s", "from its arrival to its end",
              NULL),
    ORR_FIELD(job_row, iterations, F64, "1", "iterations that it is made of",
              NULL),
    ORR_FIELD(job_row, done, F64, "1", "iterations that it did", NULL),
    ORR_FIELD(job_row, iteration, F64, "s", "mean iteration", NULL),
    ORR_FIELD(job_row, error, F64, "1",
              "half of the 95 % interval of a mean, "
              "share of it: the widest of its stretches",
              NULL),
    ORR_FIELD(job_row, alone, F64, "s",
              "an iteration with the network to "
              "itself, on its first GPUs",
              NULL),
    ORR_FIELD(job_row, slowdown, F64, "1", "mean iteration over the same alone",
              NULL),
    ORR_FIELD(job_row, rho, F64, "1",
              "completion over the time alone "
              "(finish-time fairness)",
              NULL),
    ORR_FIELD(job_row, marks, F64, "1", "ECN marks of an iteration", NULL),
    ORR_FIELD(job_row, resent, F64, "1",
              "packets of an iteration that were "
              "sent again",
              NULL),
    ORR_FIELD(job_row, gpu_hours, F64, "h", "GPU time that it had", NULL),
    ORR_FIELD(job_row, preempted, U32, "1",
              "times that it lost its GPUs to "
              "others",
              NULL),
    ORR_FIELD(job_row, restarted, U32, "1", "failures of its servers", NULL),
    ORR_FIELD(job_row, resized, U32, "1",
              "times that the number of its GPUs "
              "changed while it ran",
              NULL),
    ORR_FIELD(job_row, moved, U32, "1",
              "times that it got other GPUs while it "
              "ran",
              NULL),
};

/* What rows of /cluster_jobs are made from. */
struct job_rows {
    const struct orr_engine *e;
    const struct orr_job_result *figures;
};

/* `gpus` is what the job asked for, not what it has just now. */
static void job_row(void *from, uint64_t i, void *row)
{
    const struct job_rows *rows = from;
    const struct orr_cluster *c = &rows->e->cluster;
    ORR_ASSERT(i < c->jobs);
    const struct orr_cluster_job *j = &c->job[i];
    const struct orr_job_result f = rows->figures[i];
    *(struct job_row *)row = (struct job_row){
        .job = (uint32_t)i,
        .gpus = j->asked,
        .name = j->is.name,
        .template = c->template[j->is.template].name,
        .state = (uint8_t)j->state,
        .arrived = to_moment(j->is.at_ns),
        .started = to_moment(j->first_ns),
        .finished = to_moment(j->finish_ns),
        .queueing = to_seconds(f.queueing),
        .completion = to_seconds(f.completion),
        .iterations = j->iterations,
        .done = j->done,
        .iteration = to_seconds(f.iteration),
        .error = f.half,
        .alone = j->baseline_ns > 0 ? to_seconds(j->baseline_ns) : NAN,
        .slowdown = f.slowdown,
        .rho = f.rho,
        .marks = f.marks,
        .resent = f.resent,
        .gpu_hours = f.gpu_hours,
        .preempted = j->preempted,
        .restarted = j->restarted,
        .resized = j->resized,
        .moved = j->moved,
    };
}

/* ---- stretches ----------------------------------------------------------- */

/* A row of /cluster_stretches; seconds, -1: no rival. */
struct stretch_row {
    uint64_t stretch;
    uint32_t job, gpus;
    double from, to, iteration, error, alone, marks, resent;
    int64_t rival, link;
    uint8_t known;
};

static const struct orr_row_field stretch_fields[] = {
    ORR_FIELD(stretch_row, stretch, U64, "1", "a job at one pace", NULL),
    ORR_FIELD(stretch_row, job, U32, "1", "number of the job", NULL),
    ORR_FIELD(stretch_row, gpus, U32, "1", "GPUs that it had", NULL),
    ORR_FIELD(stretch_row, from, F64, "s", "from then", NULL),
    ORR_FIELD(stretch_row, to, F64, "s", "to then", NULL),
    ORR_FIELD(stretch_row, iteration, F64, "s",
              "an iteration; 0: cost of a start, no iterations", NULL),
    ORR_FIELD(stretch_row, error, F64, "1",
              "half of the 95 % interval of that "
              "mean, share of it",
              NULL),
    ORR_FIELD(stretch_row, alone, F64, "s",
              "the same with the network to "
              "itself",
              NULL),
    ORR_FIELD(stretch_row, marks, F64, "1", "ECN marks of an iteration", NULL),
    ORR_FIELD(stretch_row, resent, F64, "1",
              "packets of an iteration that "
              "were sent again",
              NULL),
    ORR_FIELD(stretch_row, rival, I64, "1",
              "the job that it shares its "
              "busiest shared link with; -1: none",
              NULL),
    ORR_FIELD(stretch_row, link, I64, "1", "that link; -1: none", NULL),
    ORR_FIELD(stretch_row, known, U8, "1", "how the pace is known",
              "packets simulated remembered fluid"),
};

static int64_t number_or_none(uint32_t number)
{
    return number == ORR_NONE ? -1 : (int64_t)number;
}

/* Times of an iteration as that pace knew them, with the half width of their
 * interval. */
static void stretch_row(void *from, uint64_t i, void *row)
{
    const struct orr_engine *e = from;
    ORR_ASSERT(i < e->stretches);
    const struct orr_stretch *x = &e->stretch[i];
    *(struct stretch_row *)row = (struct stretch_row){
        .stretch = i,
        .job = x->job,
        .gpus = x->gpus,
        .from = to_moment(x->from_ns),
        .to = to_moment(x->to_ns),
        .iteration = to_seconds(x->speed.iteration_ns),
        .error = x->speed.half,
        .alone = to_seconds(x->speed.baseline_ns),
        .marks = x->speed.marks,
        .resent = x->speed.resent,
        .rival = number_or_none(x->speed.rival),
        .link = number_or_none(x->speed.link),
        .known = (uint8_t)x->speed.known,
    };
}

/* ---- epochs -------------------------------------------------------------- */

/* A row of /cluster_epochs; counts of jobs and GPUs. */
struct epoch_row {
    double time, computing;
    uint32_t running, waiting, used, out, whole, sharing;
};

static const struct orr_row_field epoch_fields[] = {
    ORR_FIELD(epoch_row, time, F64, "s", "state from then on", NULL),
    ORR_FIELD(epoch_row, running, U32, "1", "jobs that had GPUs", NULL),
    ORR_FIELD(epoch_row, waiting, U32, "1", "jobs that wanted some", NULL),
    ORR_FIELD(epoch_row, used, U32, "1", "GPUs that were allocated", NULL),
    ORR_FIELD(epoch_row, out, U32, "1", "GPUs of servers that had failed",
              NULL),
    ORR_FIELD(epoch_row, whole, U32, "1", "GPUs of servers that were all free",
              NULL),
    ORR_FIELD(epoch_row, sharing, U32, "1",
              "jobs that shared a link with "
              "another one",
              NULL),
    ORR_FIELD(epoch_row, computing, F64, "1", "GPUs' worth of computation",
              NULL),
};

/* Holds from `time` to that of the next row. */
static void epoch_row(void *from, uint64_t i, void *row)
{
    const struct orr_engine *e = from;
    ORR_ASSERT(i < e->epochs);
    const struct orr_epoch *p = &e->epoch[i];
    *(struct epoch_row *)row = (struct epoch_row){
        .time = to_moment(p->at_ns),
        .computing = p->computing,
        .running = p->running,
        .waiting = p->waiting,
        .used = p->used,
        .out = p->out,
        .whole = p->whole,
        .sharing = p->sharing,
    };
}

/* ---- GPUs ---------------------------------------------------------------- */

/* A row of /cluster_gpus: GPUs first to first + gpus - 1. */
struct gpu_row {
    uint64_t holding;
    uint32_t job, first, gpus;
    double from, to;
};

static const struct orr_row_field gpu_fields[] = {
    ORR_FIELD(gpu_row, holding, U64, "1",
              "GPUs of numbers that follow one "
              "another, which a job had for a while",
              NULL),
    ORR_FIELD(gpu_row, job, U32, "1", "number of the job", NULL),
    ORR_FIELD(gpu_row, first, U32, "1", "the first of these GPUs: a host",
              NULL),
    ORR_FIELD(gpu_row, gpus, U32, "1", "how many they are", NULL),
    ORR_FIELD(gpu_row, from, F64, "s", "it had them from then", NULL),
    ORR_FIELD(gpu_row, to, F64, "s", "to then", NULL),
};

/* Seconds; one row for each range of numbers that a job had. */
static void gpu_row(void *from, uint64_t i, void *row)
{
    const struct orr_engine *e = from;
    ORR_ASSERT(i < e->holdings);
    const struct orr_holding *h = &e->holding[i];
    *(struct gpu_row *)row = (struct gpu_row){
        .holding = i,
        .job = h->job,
        .first = h->first,
        .gpus = h->gpus,
        .from = to_moment(h->from_ns),
        .to = to_moment(h->to_ns),
    };
}

/* ---- meetings ------------------------------------------------------------ */

/* A row of /cluster_meetings; the group keeps its name. */
struct contention_row {
    uint64_t meeting;
    uint32_t job, rival, link, links;
    const char *link_name;
    double from, to, lost;
    char name[ORR_LINK_TEXT]; /* that link_name points to */
};

static const struct orr_row_field contention_fields[] = {
    ORR_FIELD(contention_row, meeting, U64, "1",
              "a job that shares links with "
              "another one",
              NULL),
    ORR_FIELD(contention_row, job, U32, "1", "number of the job", NULL),
    ORR_FIELD(contention_row, rival, U32, "1", "number of the other one", NULL),
    ORR_FIELD(contention_row, link, U32, "1",
              "of the links that they share, the "
              "one where both are most",
              NULL),
    ORR_FIELD(contention_row, link_name, TEXT, "1", "that link", NULL),
    ORR_FIELD(contention_row, links, U32, "1", "links that they share", NULL),
    ORR_FIELD(contention_row, from, F64, "s", "from then", NULL),
    ORR_FIELD(contention_row, to, F64, "s", "to then", NULL),
    ORR_FIELD(contention_row, lost, F64, "s",
              "cost for the job: its part of the time beyond alone", NULL),
};

/* The link is that on which the two lost most, of `links`. */
static void contention_row(void *from, uint64_t i, void *row)
{
    const struct orr_engine *e = from;
    struct contention_row *to = row;
    uint32_t n;
    const struct orr_contention_spell *m =
        &orr__contention_encounters(e, &n)[i];
    *to = (struct contention_row){
        .meeting = i,
        .job = m->job,
        .rival = m->rival,
        .link = m->link,
        .links = m->links,
        .from = to_moment(m->from_ns),
        .to = to_moment(m->to_ns),
        .lost = to_seconds(m->lost_ns),
    };
    orr__link_text(e->cluster.world->graph, m->link, to->name);
    to->link_name = to->name;
}

/* ---- links --------------------------------------------------------------- */

/* A row of the group of links: a bin of one link. */
struct link_row {
    uint64_t contention;
    uint32_t link;
    const char *link_name;
    double from, to, shared, jobs, asked, lost;
    char name[ORR_LINK_TEXT]; /* that link_name points to */
};

static const struct orr_row_field link_fields[] = {
    ORR_FIELD(link_row, contention, U64, "1",
              "a link and a time with contention", NULL),
    ORR_FIELD(link_row, link, U32, "1", "the link", NULL),
    ORR_FIELD(link_row, link_name, TEXT, "1", "its name", NULL),
    ORR_FIELD(link_row, from, F64, "s", "from then", NULL),
    ORR_FIELD(link_row, to, F64, "s", "to then", NULL),
    ORR_FIELD(link_row, shared, F64, "s", "two jobs or more used it", NULL),
    ORR_FIELD(link_row, jobs, F64, "1", "jobs that used it meanwhile, mean",
              NULL),
    ORR_FIELD(link_row, asked, F64, "1",
              "their largest total demand, share of its rate, mean", NULL),
    ORR_FIELD(link_row, lost, F64, "h", "GPU time that it cost jobs", NULL),
};

/* The rows there are, told one after another. */
struct link_rows {
    const struct orr_engine *e;
    uint32_t link, bin;
};

/* The next bin of a link in which jobs met. */
static const struct orr_link_bin *next_bin(struct link_rows *x, uint32_t *link,
                                           uint32_t *bin, int64_t *width_ns)
{
    uint32_t links = x->e->cluster.world->graph->links, n;
    for (; x->link < links; x->link++, x->bin = 0) {
        const struct orr_link_bin *b =
            orr__contention_log_bins(x->e, x->link, &n, width_ns);
        for (; b && x->bin < n; x->bin++)
            if (b[x->bin].shared_ns > 0) {
                *link = x->link;
                *bin = x->bin++;
                return &b[*bin];
            }
    }
    return NULL;
}

static uint64_t count_bins(const struct orr_engine *e)
{
    struct link_rows x = {.e = e};
    uint32_t link, bin;
    int64_t width;
    uint64_t n = 0;
    while (next_bin(&x, &link, &bin, &width))
        n++;
    return n;
}

/* Rows are asked for in order of link and bin. Means over the time in which
 * jobs shared the link; lost in hours. */
static void link_row(void *from, uint64_t i, void *row)
{
    struct link_rows *x = from;
    struct link_row *to = row;
    const struct orr_engine *e = x->e;
    uint32_t link = 0, bin = 0;
    int64_t width = 0;
    const struct orr_link_bin *b = next_bin(x, &link, &bin, &width);
    ORR_ASSERT(b);
    int64_t end = orr__contention_log_bin_end(bin, width);
    *to = (struct link_row){
        .contention = i,
        .link = link,
        .from = to_moment(bin * width),
        .to = to_moment(end < e->cluster.now_ns ? end : e->cluster.now_ns),
        .shared = to_seconds((double)b->shared_ns),
        .jobs = (double)b->jobs_ns / (double)b->shared_ns,
        .asked = b->asked_ns / (double)b->shared_ns,
        .lost = b->lost_ns / 3600e9,
    };
    orr__link_text(e->cluster.world->graph, link, to->name);
    to->link_name = to->name;
}

/* ---- the file ------------------------------------------------------------ */

/* Jobs and tenants, which are made from the same figures. */
static orr_err write_jobs(struct orr_record *r, const struct orr_engine *e)
{
    static const struct orr_rows jobs = ORR_ROWS(job_fields, job_row, job_row);
    struct orr_job_result *f = orr__cluster_job_figures(e);
    struct job_rows from = {e, f};
    orr_err err = !f ? ORR_ENOMEM
                     : orr__rows_write(r, orr__record_group(r, "cluster_jobs"),
                                       &jobs, &from, e->cluster.jobs);
    if (!err)
        err = orr__tenants_write(r, e, f);
    orr__free(f);
    return err;
}

static orr_err write_links(struct orr_record *r, const struct orr_engine *e)
{
    static const struct orr_rows links =
        ORR_ROWS(link_fields, link_row, link_row);
    struct link_rows from = {.e = e};
    return orr__rows_write(r, orr__record_group(r, "cluster_links"), &links,
                           &from, count_bins(e));
}

/* All groups but the head; stretches and epochs are as notes.c left them. */
static orr_err write_groups(struct orr_record *r, const struct orr_engine *e)
{
    static const struct orr_rows stretches =
        ORR_ROWS(stretch_fields, stretch_row, stretch_row);
    static const struct orr_rows epochs =
        ORR_ROWS(epoch_fields, epoch_row, epoch_row);
    static const struct orr_rows gpus = ORR_ROWS(gpu_fields, gpu_row, gpu_row);
    static const struct orr_rows contentions =
        ORR_ROWS(contention_fields, contention_row, contention_row);
    uint32_t contended;
    orr__contention_encounters(e, &contended);
    const struct {
        const char *name;
        const struct orr_rows *rows;
        uint64_t n;
    } part[] = {{"cluster_stretches", &stretches, e->stretches},
                {"cluster_epochs", &epochs, e->epochs},
                {"cluster_gpus", &gpus, e->holdings},
                {"cluster_meetings", &contentions, contended}};
    void *from = (void *)e; /* rows are made of it, and it stays as it is */
    orr_err err = write_jobs(r, e);
    for (size_t i = 0; !err && i < sizeof part / sizeof *part; i++)
        err = orr__rows_write(r, orr__record_group(r, part[i].name),
                              part[i].rows, from, part[i].n);
    return err ? err : write_links(r, e);
}

/* The head as in other runs, then attributes that say how it was simulated. */
static orr_err write_all(struct orr_record *r, const struct orr_world *w,
                         const struct orr_engine *e)
{
    struct orr_cluster_figures f;
    char hex[17];
    orr_err err = orr__cluster_figures(e, &f, NULL);
    struct orr_circle_tables circles = {0};
    if (!err)
        err = orr__circle_tables(w, &circles);
    if (!err)
        err = orr__write_head(r, w, &circles);
    orr__circle_tables_fini(&circles);
    if (err)
        return err;
    snprintf(hex, sizeof hex, "%016" PRIx64, f.fingerprint);
    orr__record_text(r, ORR_RECORD_ROOT, "fingerprint", hex);
    orr__record_text(r, ORR_RECORD_ROOT, "status",
                     e->partial ? "partial" : "complete");
    orr__record_text(r, ORR_RECORD_ROOT, "cluster", e->pace->name);
    orr__record_text(r, ORR_RECORD_ROOT, "queue", e->cluster.queue->name);
    orr__record_text(r, ORR_RECORD_ROOT, "placement",
                     e->cluster.placement->name);
    orr__record_text(r, ORR_RECORD_ROOT, "schedule", w->scheduler->ops->name);
    orr__record_number(r, ORR_RECORD_ROOT, "gpus", e->cluster.inventory.gpus);
    orr__record_number(r, ORR_RECORD_ROOT, "end_ns", (uint64_t)f.end_ns);
    return write_groups(r, e);
}

static orr_err write_doubt(struct orr_record *r, const struct orr_world *w,
                           const struct orr_engine *e)
{
    char *json = orr__cluster_json(w, e, NULL);
    char *doubt = json ? orr__doubt_of_summary(json) : NULL;
    orr_err err = doubt ? orr__write_doubt(r, doubt) : ORR_ENOMEM;
    orr__free(doubt);
    orr__free(json);
    return err;
}

orr_err orr__cluster_write(const struct orr_world *w,
                           const struct orr_engine *e, const char *file,
                           struct orr_report *why)
{
    struct orr_record *r = NULL;
    char *target = NULL, *partial = NULL;
    orr_err err = orr__record_target(file, &target, why);
    if (!err && !(partial = orr__format("%s.partial", target)))
        err = orr__no_memory(why);
    if (!err)
        err = orr__record_open(partial, &r, why);
    orr_err e2 = !err ? write_all(r, w, e) : ORR_OK;
    if (!err && !e2)
        e2 = write_doubt(r, w, e);
    if (!err && e2) {
        orr__record_discard(r, false);
        err = orr__no_memory(why);
    } else if (!err) {
        err = orr__record_close(r, target, why);
    }
    orr__free(partial);
    orr__free(target);
    return err;
}
