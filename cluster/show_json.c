/* The summary of a cluster as JSON: what `cluster` has in place of `jobs` and
 * `links` of an experiment (experiment/summary_json.c). Only shown here:
 * figures.c and contention.c work it out. Names of fields are part of the
 * interface. */
#include <math.h>
#include <stdio.h>

#include "cluster/figures.h"
#include "cluster/show.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/none.h"
#include "experiment/ending.h"
#include "experiment/failures.h"
#include "experiment/lists.h"
#include "experiment/notes.h"
#include "experiment/results.h"
#include "record/figures.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/cluster/tenants.h"
#include "workload/schedule/schedule.h"

enum { LINKS = 20, PACES = 50, COMPANY = 20 };

static void put_head(struct orr_json *j, const struct orr_world *w,
                     const struct orr_engine *e,
                     const struct orr_cluster_figures *f)
{
    orr__results_head(j, w, f->fingerprint, e->partial);
    orr__json_ns(j, "sim_time_ns", f->end_ns);
    orr__ending_json(
        j, &(struct orr_came_to){.ending = w->result.ending,
                                 .at_ns = (double)f->end_ns,
                                 .jobs = f->jobs,
                                 .open_jobs = f->jobs - f->done - f->failed});
    orr__results_place(j, w);
}

/* GPU hours by what became of them. */
static void put_gpu_time(struct orr_json *j,
                         const struct orr_cluster_figures *f)
{
    orr__json_flat_object(j, "gpu_hours");
    orr__json_real(j, "all", f->all_h);
    orr__json_real(j, "given", f->given_h);
    orr__json_real(j, "idle", f->idle_h);
    orr__json_real(j, "out", f->out_h);
    orr__json_real(j, "lost", f->lost_h);
    orr__json_end(j);
    orr__json_real(j, "utilization", f->utilization);
    orr__json_real(j, "computing", f->computing);
    orr__json_real(j, "fragmentation", f->fragmentation);
    orr__json_real(j, "queue_mean", f->queue_mean);
    orr__json_count(j, "queue_most", f->queue_most);
    orr__json_real(j, "sharing", f->shared);
}

/* All figures of the cluster. */
static void put_cluster(struct orr_json *j, const struct orr_engine *e,
                        const struct orr_job_result *of_jobs,
                        const struct orr_cluster_figures *f)
{
    const struct orr_cluster *c = &e->cluster;
    orr__json_object(j, "cluster");
    orr__json_text(j, "accuracy", e->pace->name);
    orr__json_text(j, "queue", c->queue->name);
    orr__json_text(j, "placement", c->placement->name);
    orr__json_text(j, "schedule", c->world->scheduler->ops->name);
    orr__json_count(j, "gpus", c->inventory.gpus);
    orr__json_count(j, "servers", c->inventory.servers);
    orr__json_count(j, "racks", c->inventory.racks);
    orr__json_count(j, "jobs", f->jobs);
    orr__json_count(j, "done", f->done);
    orr__json_count(j, "failed", f->failed);
    orr__json_count(j, "left_out", c->arrivals.left_out);
    orr__json_count(j, "began_before_submission", c->arrivals.early.jobs);
    orr__json_count(j, "running", f->running);
    orr__json_count(j, "waiting", f->waiting);
    orr__json_long_time(j, "makespan_ns", f->makespan_ns);
    orr__json_statistics(j, "completion_ns", &f->completion,
                         orr__json_long_time);
    orr__json_statistics(j, "queueing_ns", &f->queueing, orr__json_long_time);
    orr__json_statistics(j, "iteration_ns", &f->iteration, orr__json_long_time);
    orr__json_statistics(j, "slowdown", &f->slowdown, orr__json_real);
    orr__json_statistics(j, "rho", &f->rho, orr__json_real);
    orr__json_real(j, "jain", f->jain);
    put_gpu_time(j, f);
    orr__json_count(j, "preempted", f->preempted);
    orr__json_count(j, "restarted", f->restarted);
    orr__json_count(j, "resized", f->resized);
    orr__json_count(j, "moved", f->moved);
    orr__json_real(j, "marks_per_iteration", f->marks);
    orr__json_real(j, "retransmissions_per_iteration", f->resent);
    orr__tenants_json(j, e, of_jobs);
    orr__json_end(j);
}

/* Halves of 95 % intervals, in the unit of each figure. */
static void put_intervals(struct orr_json *j, const struct orr_intervals *x)
{
    if (!x->replications)
        return;
    orr__json_object(j, "intervals");
    orr__json_count(j, "replications", x->replications);
    orr__json_count(j, "simulated", x->simulated);
    orr__json_count(j, "packet_hops", x->packet_hops);
    for (int i = 0; i < ORR_CLUSTER_FIGURES; i++) {
        char name[64];
        orr__cluster_half_name(i, name, sizeof name);
        orr__json_real(j, name, x->half[i]);
    }
    orr__json_end(j);
}

/* What was simulated, remembered and inferred. */
static void put_basis(struct orr_json *j, const struct orr_engine *e,
                      const struct orr_cluster_figures *f)
{
    const struct orr_engine_counts *n = &e->counts;
    double known = (double)n->iterations;
    orr__json_object(j, "basis");
    orr__json_count(j, "epochs", e->epochs);
    orr__json_count(j, "constellations", n->constellations);
    orr__json_count(j, "simulated", n->simulated);
    orr__json_count(j, "remembered", n->remembered);
    orr__json_text(j, "cache", e->cache);
    orr__json_count(j, "from_cache", n->kept);
    orr__json_count(j, "cache_damaged", n->damaged);
    orr__json_count(j, "unsettled", n->unsettled);
    orr__json_real(j, "iterations", f->iterations);
    orr__json_count(j, "iterations_simulated", n->iterations);
    orr__json_real(j, "iterations_inferred", fmax(f->iterations - known, 0));
    orr__json_real(j, "error_asked", e->settings.error);
    orr__json_real(j, "error_worst", n->worst_half);
    orr__json_count(j, "packet_hops", n->packet_hops);
    orr__json_count(j, "given_up_packet_hops", e->given_up);
    put_intervals(j, &e->intervals);
    orr__json_end(j);
}

/* ---- links --------------------------------------------------------------- */

/* Where jobs met: what it cost most first. */
static void put_contention(struct orr_json *j, const struct orr_engine *e)
{
    struct orr_link_contention f[LINKS];
    uint32_t all, n = orr__cluster_links(e, f, LINKS, &all);
    char name[ORR_LINK_TEXT];
    orr__json_object(j, "contention");
    orr__json_count(j, "links", all);
    orr__json_list(j, "worst");
    for (uint32_t i = 0; i < n; i++) {
        orr__link_text(e->cluster.world->graph, f[i].link, name);
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "link", name);
        orr__json_count(j, "id", f[i].link);
        orr__json_ns(j, "shared_ns", f[i].shared_ns);
        orr__json_real(j, "jobs", f[i].jobs);
        orr__json_real(j, "asked", f[i].asked);
        orr__json_real(j, "lost_gpu_hours", f[i].lost_h);
        orr__json_ns(j, "worst_from_ns", f[i].worst_from_ns);
        orr__json_ns(j, "worst_to_ns", f[i].worst_to_ns);
        orr__json_real(j, "worst_lost_gpu_hours", f[i].worst_lost_h);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

/* ---- jobs ---------------------------------------------------------------- */

/* What the objects of jobs are made from; arrays are per job. */
struct job_view {
    const struct orr_engine *e;
    struct orr_job_result *figures;
    uint32_t *first, *stretch; /* of orr__cluster_stretches */
};

static bool in_company(const struct orr_stretch *x)
{
    return x->speed.rival != ORR_NONE;
}

/* Else it pays for a start. */
static bool goes_on(const struct orr_stretch *x)
{
    return x->speed.iteration_ns > 0;
}

/* How many stretches of a job are members of a list of that path. */
static uint64_t shown_of(struct orr_json *j, const struct job_view *v,
                         uint32_t job, const char *path,
                         bool (*belongs)(const struct orr_stretch *),
                         uint64_t most)
{
    uint64_t n = 0;
    for (uint32_t i = v->first[job]; i < v->first[job + 1]; i++)
        n += belongs(&v->e->stretch[v->stretch[i]]);
    return orr__json_shown(j, path, n, most);
}

/* Who made it slower, where and when: its stretches in company. */
static void put_company(struct orr_json *j, const struct job_view *v,
                        uint32_t job)
{
    const struct orr_engine *e = v->e;
    const struct orr_cluster *c = &e->cluster;
    uint64_t n = shown_of(j, v, job, "jobs.*.company", in_company, COMPANY);
    orr__json_list(j, "company");
    for (uint32_t i = v->first[job]; i < v->first[job + 1] && n; i++) {
        const struct orr_stretch *x = &e->stretch[v->stretch[i]];
        char name[ORR_LINK_TEXT];
        if (!in_company(x))
            continue;
        n--;
        orr__link_text(c->world->graph, x->speed.link, name);
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "with", c->job[x->speed.rival].is.name);
        orr__json_text(j, "link", name);
        orr__json_ns(j, "from_ns", x->from_ns);
        orr__json_ns(j, "to_ns", x->to_ns);
        orr__json_real(j, "slowdown",
                       x->speed.iteration_ns / orr__baseline_of(&x->speed));
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* What iterations took over time. */
static void put_pace(struct orr_json *j, const struct job_view *v, uint32_t job)
{
    uint64_t n = shown_of(j, v, job, "jobs.*.pace", goes_on, PACES);
    orr__json_list(j, "pace");
    for (uint32_t i = v->first[job]; i < v->first[job + 1] && n; i++) {
        const struct orr_stretch *x = &v->e->stretch[v->stretch[i]];
        if (!goes_on(x))
            continue;
        n--;
        orr__json_flat_object(j, NULL);
        orr__json_ns(j, "from_ns", x->from_ns);
        orr__json_ns(j, "to_ns", x->to_ns);
        orr__json_count(j, "gpus", x->gpus);
        orr__json_long_time(j, "iteration_ns", x->speed.iteration_ns);
        orr__json_real(j, "error", x->speed.half);
        orr__json_real(j, "marks_per_iteration", x->speed.marks);
        orr__json_end(j);
    }
    orr__json_end(j);
}

static const char *const states[] = {
    [ORR_CLUSTER_COMING] = "coming",   [ORR_CLUSTER_WAITING] = "waiting",
    [ORR_CLUSTER_RUNNING] = "running", [ORR_CLUSTER_DONE] = "done",
    [ORR_CLUSTER_FAILED] = "failed",
};

/* A job: its times, sizes and paces. */
static void put_job(struct orr_json *j, const struct job_view *v, uint32_t i)
{
    const struct orr_cluster *c = &v->e->cluster;
    const struct orr_cluster_job *x = &c->job[i];
    const struct orr_job_result f = v->figures[i];
    orr__json_object(j, NULL);
    orr__json_text(j, "name", x->is.name);
    orr__json_text(j, "template", c->template[x->is.template].name);
    if (c->tenants)
        orr__json_text(j, "tenant", c->tenant[x->is.tenant].name);
    if (c->inventory.n_kinds > 1 && x->kind)
        orr__json_text(j, "gpu", c->inventory.kinds[x->kind - 1]);
    if (x->is.deadline_ns < INT64_MAX)
        orr__json_long_time(j, "deadline_ns", (double)x->is.deadline_ns);
    orr__json_count(j, "gpus", x->asked);
    orr__json_text(j, "state", states[x->state]);
    orr__json_text(j, "failed", x->failed);
    orr__json_ns(j, "arrived_ns", x->is.at_ns);
    orr__json_ns(j, "started_ns", x->first_ns);
    orr__json_ns(j, "finished_ns", x->finish_ns);
    orr__json_long_time(j, "queueing_ns", f.queueing);
    orr__json_long_time(j, "completion_ns", f.completion);
    orr__json_real(j, "iterations", x->iterations);
    orr__json_real(j, "done", x->done);
    orr__json_long_time(j, "iteration_ns", f.iteration);
    orr__json_real(j, "iteration_error", f.half);
    orr__json_long_time(j, "alone_ns",
                        x->baseline_ns > 0 ? x->baseline_ns : NAN);
    orr__json_real(j, "slowdown", f.slowdown);
    orr__json_real(j, "rho", f.rho);
    orr__json_real(j, "marks_per_iteration", f.marks);
    orr__json_real(j, "retransmissions_per_iteration", f.resent);
    orr__json_real(j, "gpu_hours", f.gpu_hours);
    orr__json_count(j, "preempted", x->preempted);
    orr__json_count(j, "restarted", x->restarted);
    orr__json_count(j, "resized", x->resized);
    orr__json_count(j, "moved", x->moved);
    put_company(j, v, i);
    put_pace(j, v, i);
    orr__json_end(j);
}

static void put_jobs(struct orr_json *j, const struct job_view *v)
{
    uint64_t shown =
        orr__json_shown(j, "jobs", v->e->cluster.jobs, ORR_LIST_MOST);
    orr__json_list(j, "jobs");
    for (uint32_t i = 0; i < shown; i++)
        put_job(j, v, i);
    orr__json_end(j);
}

static void put_notes(struct orr_json *j, const struct orr_world *w)
{
    struct orr_notes n;
    if (orr__notes_of_places(w, &n) != ORR_OK)
        j->text.failed = true;
    orr__json_list(j, "notes");
    for (uint32_t i = 0; i < n.n; i++)
        orr__json_text(j, NULL, n.text[i]);
    orr__json_end(j);
    orr__notes_free(&n);
}

/* All of it. ENOMEM. */
static char *put_summary(const struct orr_world *w, const struct job_view *v,
                         const struct orr_cluster_figures *f,
                         const char *const *whole)
{
    struct orr_json j = {.lists = {.whole = whole}};
    orr__json_object(&j, NULL);
    put_head(&j, w, v->e, f);
    orr__json_object(&j, "wall");
    orr__json_real(&j, "seconds", w->result.wall_s);
    orr__json_real(&j, "cpu_seconds", w->result.cpu_s);
    orr__json_count(&j, "peak_memory_bytes", orr__memory_peak());
    orr__json_end(&j);
    put_cluster(&j, v->e, v->figures, f);
    put_basis(&j, v->e, f);
    put_contention(&j, v->e);
    put_jobs(&j, v);
    orr__json_cuts(&j);
    if (orr__packets_world(v->e))
        orr__failures_json(&j, orr__packets_world(v->e));
    put_notes(&j, w);
    orr__json_end(&j);
    return orr__json_done(&j);
}

char *orr__cluster_json(const struct orr_world *w, const struct orr_engine *e,
                        const char *const *whole)
{
    struct orr_cluster_figures f;
    struct job_view v = {.e = e, .figures = orr__cluster_job_figures(e)};
    char *text = NULL;
    if (v.figures && !orr__cluster_figures(e, &f, NULL)
        && !orr__cluster_stretches(e, &v.first, &v.stretch, NULL)) {
        text = put_summary(w, &v, &f, whole);
        orr__free(v.first);
        orr__free(v.stretch);
    }
    orr__free(v.figures);
    return text;
}
