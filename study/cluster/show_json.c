#include <math.h>
#include <stdio.h>

#include "core/json.h"
#include "core/memory.h"
#include "record/figures.h"
#include "study/cluster/figures.h"
#include "study/cluster/show.h"
#include "workload/cluster/queue/queue.h"
#include "workload/cluster/seat/seat.h"
#include "workload/schedule/schedule.h"

/* Lists in the summary end here; the HDF5 file holds all. */
#define LIST_LIMIT 1000

static void statistics(struct orr_json *j, const char *key,
                       const struct orr_statistics *s)
{
    orr__json_flat_object(j, key);
    orr__json_real(j, "mean", s->mean);
    orr__json_real(j, "p50", s->p50);
    orr__json_real(j, "p95", s->p95);
    orr__json_real(j, "p99", s->p99);
    orr__json_real(j, "min", s->min);
    orr__json_real(j, "max", s->max);
    orr__json_end(j);
}

static void head(struct orr_json *j, const struct orr_world *w,
                 const struct orr_engine *e,
                 const struct orr_cluster_figures *f)
{
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)f->fingerprint);
    orr__json_text(j, "orrery", orr_version());
    orr__json_text(j, "title", w->title ? w->title : "");
    orr__json_count(j, "seed", w->seed);
    orr__json_text(j, "fingerprint", hex);
    orr__json_flag(j, "partial", e->partial);
    orr__json_real(j, "sim_time_ns", (double)f->end_ns);
    orr__json_text(j, "output", w->output);
    orr__json_flat_object(j, "topology");
    orr__json_text(j, "kind", w->graph->kind);
    orr__json_count(j, "hosts", w->graph->hosts);
    orr__json_count(j, "nodes", w->graph->nodes);
    orr__json_count(j, "links", w->graph->links);
    orr__json_end(j);
}

static void gpu_time(struct orr_json *j, const struct orr_cluster_figures *f)
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
    orr__json_real(j, "sharing", f->shared);
}

static void cluster(struct orr_json *j, const struct orr_engine *e,
                    const struct orr_cluster_figures *f)
{
    const struct orr_cluster *c = &e->cluster;
    orr__json_object(j, "cluster");
    orr__json_text(j, "accuracy", e->pace->name);
    orr__json_text(j, "queue", c->queue->name);
    orr__json_text(j, "placement", c->seat->name);
    orr__json_text(j, "schedule", c->world->scheduler->ops->name);
    orr__json_count(j, "gpus", c->inventory.gpus);
    orr__json_count(j, "servers", c->inventory.servers);
    orr__json_count(j, "racks", c->inventory.racks);
    orr__json_count(j, "jobs", f->jobs);
    orr__json_count(j, "done", f->done);
    orr__json_count(j, "failed", f->failed);
    orr__json_count(j, "running", f->running);
    orr__json_count(j, "waiting", f->waiting);
    orr__json_real(j, "makespan_ns", (double)f->makespan_ns);
    statistics(j, "completion_ns", &f->completion);
    statistics(j, "queueing_ns", &f->queueing);
    statistics(j, "iteration_ns", &f->iteration);
    statistics(j, "slowdown", &f->slowdown);
    statistics(j, "rho", &f->rho);
    orr__json_real(j, "jain", f->jain);
    gpu_time(j, f);
    orr__json_real(j, "marks_per_iteration", f->marks);
    orr__json_real(j, "retransmissions_per_iteration", f->resent);
    orr__json_end(j);
}

/* What was simulated, remembered and inferred. */
static void basis(struct orr_json *j, const struct orr_engine *e,
                  const struct orr_cluster_figures *f)
{
    const struct orr_engine_counts *n = &e->counts;
    double known = (double)n->iterations;
    orr__json_object(j, "basis");
    orr__json_count(j, "epochs", e->epochs);
    orr__json_count(j, "constellations", n->constellations);
    orr__json_count(j, "simulated", n->simulated);
    orr__json_count(j, "remembered", n->remembered);
    orr__json_count(j, "unsettled", n->unsettled);
    orr__json_real(j, "iterations", f->iterations);
    orr__json_count(j, "iterations_simulated", n->iterations);
    orr__json_real(j, "iterations_inferred", fmax(f->iterations - known, 0));
    orr__json_real(j, "error_asked", e->settings.error);
    orr__json_real(j, "error_worst", n->worst_half);
    orr__json_count(j, "packet_hops", n->packet_hops);
    orr__json_end(j);
}

static void text_of_link(struct orr_json *j, const struct orr_graph *g,
                         uint32_t link)
{
    char from[64], to[64], both[160];
    orr__node_label(g, g->from[link], from, sizeof from);
    orr__node_label(g, g->to[link], to, sizeof to);
    snprintf(both, sizeof both, "%s > %s", from, to);
    orr__json_text(j, "link", both);
}

/* Who made it slower, where and when: its stretches in company. */
static void company(struct orr_json *j, const struct orr_engine *e,
                    uint32_t job)
{
    const struct orr_cluster *c = &e->cluster;
    orr__json_list(j, "company");
    for (uint32_t i = 0, n = 0; i < e->stretches && n < 20; i++) {
        const struct orr_stretch *x = &e->stretch[i];
        if (x->job != job || x->speed.rival == ORR_NOBODY)
            continue;
        n++;
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "with", c->job[x->speed.rival].is.name);
        text_of_link(j, c->world->graph, x->speed.link);
        orr__json_real(j, "from_ns", (double)x->from_ns);
        orr__json_real(j, "to_ns", (double)x->to_ns);
        orr__json_real(j, "slowdown", x->speed.iteration_ns /
                                          x->speed.alone_ns);
        orr__json_end(j);
    }
    orr__json_end(j);
}

static const char *const states[] = {
    [ORR_CLUSTER_COMING] = "coming", [ORR_CLUSTER_WAITING] = "waiting",
    [ORR_CLUSTER_RUNNING] = "running", [ORR_CLUSTER_DONE] = "done",
    [ORR_CLUSTER_FAILED] = "failed",
};

static void put_ns(struct orr_json *j, const char *key, int64_t ns)
{
    if (ns < 0)
        orr__json_null(j, key);
    else
        orr__json_real(j, key, (double)ns);
}

static void job(struct orr_json *j, const struct orr_engine *e, uint32_t i)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_job *x = &c->job[i];
    struct orr_job_figures f = orr__cluster_job_figures(e, i);
    orr__json_object(j, NULL);
    orr__json_text(j, "name", x->is.name);
    orr__json_text(j, "template", c->template[x->is.template].name);
    orr__json_count(j, "gpus", x->is.gpus);
    orr__json_text(j, "state", states[x->state]);
    orr__json_text(j, "failed", x->failed);
    put_ns(j, "arrived_ns", x->is.at_ns);
    put_ns(j, "started_ns", x->first_ns);
    put_ns(j, "finished_ns", x->finish_ns);
    orr__json_real(j, "queueing_ns", f.queueing);
    orr__json_real(j, "completion_ns", f.completion);
    orr__json_real(j, "iterations", x->iterations);
    orr__json_real(j, "done", x->done);
    orr__json_real(j, "iteration_ns", f.iteration);
    orr__json_real(j, "iteration_error", f.half);
    orr__json_real(j, "alone_ns", x->alone_ns > 0 ? x->alone_ns : NAN);
    orr__json_real(j, "slowdown", f.slowdown);
    orr__json_real(j, "rho", f.rho);
    orr__json_real(j, "marks_per_iteration", f.marks);
    orr__json_real(j, "retransmissions_per_iteration", f.resent);
    orr__json_real(j, "gpu_hours", f.gpu_hours);
    orr__json_count(j, "preempted", x->preempted);
    orr__json_count(j, "restarted", x->restarted);
    company(j, e, i);
    orr__json_end(j);
}

char *orr__cluster_json(const struct orr_world *w, const struct orr_engine *e)
{
    struct orr_json j = {.depth = 0};
    struct orr_cluster_figures f;
    if (orr__cluster_figures(e, &f, NULL) != ORR_OK)
        return NULL;
    orr__json_object(&j, NULL);
    head(&j, w, e, &f);
    orr__json_object(&j, "wall");
    orr__json_real(&j, "seconds", w->wall_s);
    orr__json_real(&j, "cpu_seconds", w->cpu_s);
    orr__json_count(&j, "peak_memory_bytes", orr__memory_peak());
    orr__json_end(&j);
    cluster(&j, e, &f);
    basis(&j, e, &f);
    orr__json_list(&j, "jobs");
    for (uint32_t i = 0; i < e->cluster.jobs && i < LIST_LIMIT; i++)
        job(&j, e, i);
    orr__json_end(&j);
    orr__json_end(&j);
    return orr__json_done(&j);
}
