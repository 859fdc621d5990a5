/* The summary as JSON. Names, units and order of its fields are part of the
 * interface (docs/results.md): new ones are added, none is renamed. What is not
 * known is null. Lists end at ORR_LIST_MOST unless they are wanted whole, and
 * `cut` says so; counts are of all. */
#include <math.h>
#include <stdio.h>

#include "core/assert.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/none.h"
#include "experiment/breakdown.h"
#include "experiment/ending.h"
#include "experiment/failures.h"
#include "experiment/limit.h"
#include "experiment/lists.h"
#include "experiment/losses.h"
#include "experiment/notes.h"
#include "experiment/planes.h"
#include "experiment/repeat.h"
#include "experiment/replayed.h"
#include "experiment/results.h"
#include "experiment/serving.h"
#include "record/figures.h"
#include "topo/node_names.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/program/program.h"
#include "workload/program/source.h"
#include "workload/schedule/schedule.h"

/* How the run ended, and what is open. */
static void put_ending(struct orr_json *j, const struct orr_world *w,
                       const struct orr_figures *f)
{
    struct orr_came_to e = {
        .ending = w->result.ending,
        .at_ns = (double)w->result.end_ps / 1000,
        .jobs = w->n_jobs,
        .flows = f->flows.count,
        .open_flows = f->flows.count - f->flows.completed,
    };
    for (uint32_t i = 0; i < w->n_jobs; i++)
        e.open_jobs += w->jobs[i].finish_ps < 0;
    orr__ending_json(j, &e);
}

void orr__results_head(struct orr_json *j, const struct orr_world *w,
                       uint64_t fingerprint, bool partial)
{
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)fingerprint);
    orr__json_text(j, "orrery", orr_version());
    orr__json_text(j, "title", w->options.title ? w->options.title : "");
    orr__json_count(j, "seed", w->seed);
    orr__json_text(j, "fingerprint", hex);
    orr__json_flag(j, "partial", partial);
}

void orr__results_place(struct orr_json *j, const struct orr_world *w)
{
    orr__json_text(j, "output", w->options.output);
    orr__json_flat_object(j, "topology");
    orr__json_text(j, "kind", w->graph->kind);
    orr__json_count(j, "hosts", w->graph->hosts);
    orr__json_count(j, "nodes", w->graph->nodes);
    orr__json_count(j, "links", orr__links_present(w->graph));
    orr__json_end(j);
}

/* All of the head. */
static void put_head(struct orr_json *j, const struct orr_world *w,
                     const struct orr_figures *f)
{
    orr__results_head(j, w, f->totals.fingerprint, w->result.partial);
    orr__json_time(j, "sim_time_ns", f->totals.last_event_ps);
    put_ending(j, w, f);
    orr__results_place(j, w);
}

/* What the network counted, over all nodes. */
static void put_counters(struct orr_json *j, const struct orr_net_totals *t)
{
    orr__json_object(j, "counters");
    orr__json_count(j, "events", t->events);
    orr__json_count(j, "packet_hops", t->packet_hops);
    orr__json_count(j, "packets_sent", t->packets_sent);
    orr__json_count(j, "packets_delivered", t->packets_delivered);
    orr__json_count(j, "packets_dropped", t->packets_dropped);
    orr__json_count(j, "ecn_marks", t->ecn_marks);
    orr__json_count(j, "retransmissions", t->retransmissions);
    orr__json_count(j, "pfc_pauses", t->pfc_pauses);
    orr__json_count(j, "packets_trimmed", t->packets_trimmed);
    orr__json_count(j, "timeouts", t->timeouts);
    orr__json_time(j, "longest_timeout_ns", t->longest_timeout_ps);
    orr__json_end(j);
}

/* What switches added up and copied; only where they do. */
static void put_groups(struct orr_json *j, const struct orr_net *n)
{
    struct orr_group_totals t;
    if (!orr__net_has_groups(n))
        return;
    orr__net_group_totals(n, &t);
    orr__json_object(j, "in_network");
    orr__json_count(j, "summed", t.summed);
    orr__json_count(j, "sums", t.sums);
    orr__json_count(j, "copies", t.copies);
    orr__json_count(j, "results", t.results);
    orr__json_count(j, "fallen_back", t.fallen_back);
    orr__json_count(j, "duplicates", t.duplicates);
    orr__json_count(j, "collisions", t.collisions);
    orr__json_count(j, "no_slots", t.no_slots);
    orr__json_count(j, "evictions", t.evictions);
    orr__json_count(j, "misfits", t.misfits);
    orr__json_count(j, "new_trees", t.moves);
    orr__json_count(j, "most_slots", t.most_slots);
    orr__json_real(j, "mean_slots", t.mean_slots);
    orr__json_end(j);
}

/* Of a program that embeds the library. */
static void put_messages(struct orr_json *j, const struct orr_message_totals *m)
{
    if (!m)
        return;
    orr__json_object(j, "messages");
    orr__json_count(j, "sent", m->sent);
    orr__json_count(j, "arrived", m->arrived);
    orr__json_count(j, "acked", m->acked);
    orr__json_count(j, "bytes", m->bytes);
    orr__json_end(j);
}

/* What the run took of the machine. */
static void put_wall(struct orr_json *j, const struct orr_world *w,
                     const struct orr_figures *f)
{
    orr__json_object(j, "wall");
    orr__json_real(j, "seconds", w->result.wall_s);
    orr__json_real(j, "cpu_seconds", w->result.cpu_s);
    orr__json_real(j, "setup_seconds", w->result.setup_s);
    orr__json_real(j, "packet_hops_per_second", f->hops_per_second);
    orr__json_count(j, "threads", w->options.threads);
    orr__json_count(j, "peak_memory_bytes", orr__memory_peak());
    orr__json_end(j);
}

/* Iterations that were open when this one began, itself among them. */
static uint32_t open_at(const struct orr_job *job, uint32_t i)
{
    uint32_t n = 1;
    while (n <= i
           && (job->iteration[i - n].end_ps < 0
               || job->iteration[i - n].end_ps > job->iteration[i].start_ps))
        n++;
    return n;
}

/* Those that began. */
static void put_iterations(struct orr_json *j, const struct orr_job *job)
{
    orr__json_list(j, "iterations");
    for (uint32_t i = 0; job->iteration && i < job->iterations; i++) {
        const struct orr_iteration *it = &job->iteration[i];
        if (it->start_ps < 0)
            break;
        orr__json_flat_object(j, NULL);
        orr__json_time(j, "start_ns", it->start_ps);
        orr__json_time(j, "end_ns", it->end_ps);
        orr__json_time(j, "duration_ns", orr__iteration_duration(job, i));
        orr__json_time(j, "span_ns",
                       it->end_ps < 0 ? -1 : it->end_ps - it->start_ps);
        if (job->team->overlap > 1)
            orr__json_count(j, "open", open_at(job, i));
        if (job->packets) {
            orr__json_count(j, "marks", job->packets[i].marks);
            orr__json_count(j, "drops", job->packets[i].drops);
        }
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* Of all iterations, where they are counted. */
static void put_drops(struct orr_json *j, const struct orr_job *job)
{
    uint64_t n = 0;
    for (uint32_t i = 0; job->packets && i < job->iterations; i++)
        n += job->packets[i].drops;
    if (job->packets)
        orr__json_count(j, "drops", n);
}

/* Both ends of a link, by id and by name. */
static void put_ends(struct orr_json *j, const struct orr_graph *g,
                     uint32_t link)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    uint32_t a = g->from[link], b = g->to[link];
    orr__json_count(j, "from", a);
    orr__json_count(j, "to", b);
    orr__json_text(j, "from_name", orr__node_name(g, a, from, sizeof from));
    orr__json_text(j, "to_name", orr__node_name(g, b, to, sizeof to));
}

/* The link that held the collective up, see experiment/limit.h. */
static void put_limiting_link(struct orr_json *j, const struct orr_graph *g,
                              const struct orr_collective_record *c)
{
    if (c->limiting_link == ORR_NONE) {
        orr__json_null(j, "limiting_link");
        return;
    }
    orr__json_flat_object(j, "limiting_link");
    orr__json_count(j, "id", c->limiting_link);
    put_ends(j, g, c->limiting_link);
    orr__json_time(j, "time_ns", c->limiting_ps);
    orr__json_real(j, "busy", c->limiting_busy);
    orr__json_end(j);
}

/* One that a rank called, with its lower bound. */
static void put_collective(struct orr_json *j, const struct orr_graph *g,
                           const struct orr_collective_record *c)
{
    bool done = c->end_ps >= 0;
    orr__json_flat_object(j, NULL);
    orr__json_count(j, "iteration", c->iteration);
    orr__json_count(j, "operation", c->operation);
    orr__json_text(j, "kind", c->kind);
    orr__json_text(j, "algorithm", c->algorithm);
    if (c->chosen_by)
        orr__json_text(j, "chosen_by", c->chosen_by);
    if (c->protocol) {
        orr__json_text(j, "protocol", c->protocol);
        orr__json_count(j, "channels", c->channels);
    }
    orr__json_count(j, "group_size", c->group_size);
    orr__json_count(j, "bytes", c->bytes);
    orr__json_time(j, "start_ns", c->start_ps);
    orr__json_time(j, "end_ns", c->end_ps);
    orr__json_time(j, "duration_ns", done ? c->end_ps - c->start_ps : -1);
    orr__json_real(j, "algorithm_bps", done ? c->algorithm_bps : NAN);
    orr__json_real(j, "bus_bps", done ? c->bus_bps : NAN);
    orr__json_time(j, "lower_bound_ns", c->lower_bound_ps);
    orr__json_mean_time(j, "chunk_latency_ns", c->chunk_latency_ps);
    orr__json_mean_time(j, "queueing_ns", c->queueing_ps);
    orr__json_mean_time(j, "message_ns", c->message_ps);
    orr__json_count(j, "messages", c->messages);
    orr__json_count(j, "bytes_sent", c->bytes_sent);
    put_limiting_link(j, g, c);
    orr__json_end(j);
}

/* Where the time went: means over the ranks, for an iteration. */
static void put_breakdown(struct orr_json *j, const struct orr_job *job)
{
    struct orr_breakdown b;
    if (!orr__breakdown(job, &b)) {
        orr__json_null(j, "breakdown");
        orr__json_null(j, "slowest_rank");
        return;
    }
    orr__json_flat_object(j, "breakdown");
    orr__json_mean_time(j, "compute_ns", b.compute);
    orr__json_mean_time(j, "communication_ns", b.communication);
    orr__json_mean_time(j, "exposed_communication_ns", b.exposed);
    orr__json_mean_time(j, "overlap_ns", b.overlap);
    orr__json_end(j);
    orr__json_flat_object(j, "slowest_rank");
    orr__json_count(j, "rank", b.slowest);
    orr__json_count(j, "host", job->hosts[b.slowest]);
    orr__json_mean_time(j, "compute_ns", b.slowest_compute);
    orr__json_real(j, "compute_over_mean", b.slower);
    orr__json_end(j);
}

/* Over all iterations. */
static void put_ranks(struct orr_json *j, const struct orr_job *job)
{
    uint64_t shown = orr__json_shown(
        j, "jobs.*.rank_list", job->rank ? job->members : 0, ORR_LIST_MOST);
    orr__json_list(j, "rank_list");
    for (uint32_t i = 0; i < shown; i++) {
        const struct orr_rank_record *r = &job->rank[i];
        ORR_ASSERT(job->rank); /* else none is shown */
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "rank", i);
        orr__json_count(j, "host", job->hosts[i]);
        orr__json_flag(j, "server", i >= job->ranks);
        orr__json_time(j, "compute_ns", r->compute_ps);
        orr__json_time(j, "communication_ns", r->communication_ps);
        orr__json_time(j, "exposed_communication_ns",
                       r->communication_ps - r->overlap_ps);
        orr__json_time(j, "overlap_ns", r->overlap_ps);
        orr__json_count(j, "bytes_sent", r->bytes_sent);
        orr__json_count(j, "bytes_received", r->bytes_received);
        orr__json_end(j);
    }
    orr__json_end(j);
}

static void put_against_baseline(struct orr_json *j, const struct orr_job *job,
                                 double mean_ps)
{
    if (job->baseline_ps <= 0)
        return;
    orr__json_mean_time(j, "alone_ns", job->baseline_ps);
    orr__json_real(j, "slowdown", mean_ps / job->baseline_ps);
}

/* held: the rank that waited longest. */
static void put_gate(struct orr_json *j, const struct orr_job *job)
{
    int64_t held_ps = 0;
    if (!job->gate.period_ps)
        return;
    for (uint32_t i = 0; job->rank && i < job->ranks; i++)
        if (job->rank[i].held_ps > held_ps)
            held_ps = job->rank[i].held_ps;
    orr__json_flat_object(j, "gate");
    orr__json_time(j, "period_ns", job->gate.period_ps);
    orr__json_time(j, "offset_ns", job->gate.offset_ps);
    orr__gate_times_json(j, job->gate.times, job->gate.time_ps);
    orr__json_count(j, "shifts", job->shifts);
    orr__json_time(j, "held_ns", held_ps);
    orr__json_end(j);
}

/* Ranks of the jobs that ended an iteration, each taken for a GPU, and the sum
 * of the shares of their time in which they compute. */
struct use {
    uint64_t ranks;
    double computing;
};

static void use_of(struct orr_json *j, const struct orr_job *job,
                   double mean_ps, struct use *use)
{
    double share = orr__computing(job, mean_ps);
    orr__json_real(j, "computing", share);
    if (isnan(share))
        return;
    use->ranks += job->ranks;
    use->computing += share * job->ranks;
}

static void put_gpus(struct orr_json *j, const struct use *use)
{
    orr__json_flat_object(j, "gpus");
    orr__json_count(j, "count", use->ranks);
    orr__json_real(j, "utilization",
                   use->ranks ? use->computing / (double)use->ranks : NAN);
    orr__json_end(j);
}

static void put_counts(struct orr_json *j, const struct orr_job *job)
{
    orr__json_count(j, "bytes_sent", job->bytes_sent);
    orr__json_count(j, "wire_bytes", job->wire_bytes);
    orr__json_count(j, "retransmissions", job->retransmissions);
    orr__json_count(j, "timeouts", job->timeouts);
    orr__json_count(j, "marks", job->marks);
    orr__json_count(j, "cnps", job->cnps);
}

static void put_staleness(struct orr_json *j, const struct orr_job *job)
{
    if (!job->pushes)
        return;
    orr__json_flat_object(j, "staleness");
    orr__json_real(j, "mean", (double)job->stale / (double)job->pushes);
    orr__json_count(j, "max", job->stalest);
    orr__json_count(j, "updates", job->pushes);
    orr__json_end(j);
}

/* Stages with replicas, and how many weights their ranks keep. */
static void put_pipeline(struct orr_json *j, const struct orr_job *job)
{
    const struct orr_pipeline *p = orr__job_program(job)->pipeline;
    if (!p)
        return;
    orr__json_object(j, "pipeline");
    orr__json_text(j, "schedule", p->schedule);
    orr__json_count(j, "minibatches", p->batches);
    if (p->noam)
        orr__json_count(j, "noam", p->noam);
    orr__json_list(j, "stages");
    for (uint32_t i = 0; i < p->stages; i++) {
        const struct orr_pipeline_stage *s = &p->stage[i];
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "rank", s->rank);
        orr__json_count(j, "replicas", s->replicas);
        orr__json_count(j, "layers", s->layers);
        orr__json_count(j, "versions", s->versions);
        orr__json_count(j, "parameter_bytes", s->parameter_bytes);
        orr__json_count(j, "version_bytes", s->versions * s->parameter_bytes);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

/* `stale_layers: auto`. */
static void put_stale(struct orr_json *j, const struct orr_job *job)
{
    const struct orr_stale *s = &orr__job_program(job)->stale;
    if (s->found)
        orr__json_count(j, "stale_layers", s->n);
}

/* A job with its iterations, ranks and collectives. ENOMEM. */
static orr_err put_job(struct orr_json *j, const struct orr_graph *g,
                       const struct orr_job *job, struct use *use)
{
    double *room = orr__alloc(job->iterations, sizeof *room);
    if (room == NULL)
        return ORR_ENOMEM;
    struct orr_statistics s = orr__figures_iterations(job, room);
    orr__free(room);
    orr__json_object(j, NULL);
    orr__json_text(j, "name", job->name);
    if (job->model)
        orr__json_text(j, "model", job->model);
    orr__json_count(j, "ranks", job->ranks);
    orr__json_time(j, "start_ns", job->start_ps);
    orr__json_time(j, "finish_ns", job->finish_ps);
    put_counts(j, job);
    put_drops(j, job);
    orr__json_count(j, "warmup", job->warmup);
    put_iterations(j, job);
    orr__json_statistics(j, "iteration_ns", &s, orr__json_mean_time);
    put_against_baseline(j, job, s.mean);
    put_gate(j, job);
    use_of(j, job, s.mean, use);
    put_breakdown(j, job);
    put_ranks(j, job);
    put_staleness(j, job);
    put_pipeline(j, job);
    put_stale(j, job);
    if (job->source)
        job->source->ops->json(job->source, j);
    orr_err err = orr__serving_json(j, job);
    orr__json_count(j, "collectives_run", job->collectives_run);
    uint64_t shown = orr__json_shown(j, "jobs.*.collectives",
                                     job->n_collectives, ORR_LIST_MOST);
    orr__json_list(j, "collectives");
    for (uint32_t i = 0; i < shown; i++)
        put_collective(j, g, &job->collective[i]);
    orr__json_end(j);
    orr__json_end(j);
    return err;
}

/* A flow that is listed by itself. */
static void put_flow(struct orr_json *j, const struct orr_graph *g,
                     const struct orr_flow *flow)
{
    char src[ORR_NODE_NAME], dst[ORR_NODE_NAME];
    bool done = flow->finish_ps >= 0;
    orr__json_flat_object(j, NULL);
    orr__json_count(j, "src", flow->src);
    orr__json_count(j, "dst", flow->dst);
    orr__json_text(j, "src_name",
                   orr__node_name(g, flow->src, src, sizeof src));
    orr__json_text(j, "dst_name",
                   orr__node_name(g, flow->dst, dst, sizeof dst));
    orr__json_count(j, "bytes", flow->bytes);
    orr__json_time(j, "start_ns", flow->start_ps);
    orr__json_time(j, "fct_ns", done ? flow->finish_ps - flow->start_ps : -1);
    orr__json_time(j, "done_ns",
                   flow->done_ps >= 0 ? flow->done_ps - flow->start_ps : -1);
    orr__json_time(j, "ideal_ns", flow->ideal_ps);
    orr__json_count(j, "retransmissions", flow->retransmissions);
    orr__json_count(j, "timeouts", flow->timeouts);
    orr__json_count(j, "marks", flow->marks);
    orr__json_count(j, "cnps", flow->cnps);
    orr__json_end(j);
}

/* Flows in classes of sizes. ENOMEM. */
static orr_err put_by_size(struct orr_json *j, const struct orr_world *w)
{
    struct orr_size_class c[ORR_SIZE_CLASSES];
    uint32_t n;
    orr_err err = orr__figures_by_size(w, true, c, &n);
    orr__json_list(j, "by_size");
    for (uint32_t i = 0; i < n; i++) {
        orr__json_object(j, NULL);
        orr__json_count(j, "from", c[i].from);
        orr__json_count(j, "to", c[i].to);
        orr__json_count(j, "count", c[i].fct_ps.n);
        orr__json_statistics(j, "slowdown", &c[i].slowdown, orr__json_real);
        orr__json_statistics(j, "fct_ns", &c[i].fct_ps, orr__json_mean_time);
        orr__json_end(j);
    }
    orr__json_end(j);
    return err;
}

/* All flows together, then those that are listed. ENOMEM. */
static orr_err put_flows(struct orr_json *j, const struct orr_world *w,
                         const struct orr_flow_figures *f)
{
    orr_err err;
    orr__json_object(j, "flows");
    orr__json_count(j, "count", f->count);
    orr__json_count(j, "completed", f->completed);
    orr__json_count(j, "measured", f->measured);
    orr__json_count(j, "bytes", f->bytes);
    orr__json_real(j, "goodput_bps", f->goodput_bps);
    orr__json_real(j, "jain", f->jain);
    orr__json_statistics(j, "fct_ns", &f->fct_ps, orr__json_mean_time);
    orr__json_statistics(j, "done_ns", &f->done_ps, orr__json_mean_time);
    orr__json_statistics(j, "slowdown", &f->slowdown, orr__json_real);
    err = put_by_size(j, w);
    uint64_t shown = orr__json_shown(j, "flows.list", f->count, ORR_LIST_MOST);
    orr__json_list(j, "list");
    for (uint32_t i = 0; i < shown; i++)
        put_flow(j, w->graph, &w->flows->flow[i]);
    orr__json_end(j);
    orr__json_end(j);
    return err;
}

/* All links together, then the busiest. */
static void put_links(struct orr_json *j, const struct orr_graph *g,
                      const struct orr_figures *f)
{
    orr__json_object(j, "links");
    orr__json_count(j, "count", orr__links_present(g));
    orr__json_count(j, "used", f->links_used);
    orr__json_real(j, "mean_utilization", f->mean_utilization);
    orr__json_real(j, "max_utilization", f->max_utilization);
    orr__json_list(j, "busiest");
    for (uint32_t i = 0; i < f->n_busiest; i++) {
        const struct orr_link_figures *l = &f->busiest[i];
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "id", l->link);
        put_ends(j, g, l->link);
        if (g->tier && g->tier_names)
            orr__json_text(j, "tier", g->tier_names[g->tier[l->link]]);
        orr__json_real(j, "utilization", l->utilization);
        orr__json_count(j, "bytes", l->bytes);
        orr__json_real(j, "mean_queue_bytes", l->mean_queue);
        orr__json_count(j, "max_queue_bytes", l->max_queue);
        orr__json_count(j, "marks", l->marks);
        orr__json_count(j, "drops", l->drops);
        if (f->totals.pfc) {
            orr__json_count(j, "pauses", l->pauses);
            orr__json_time(j, "paused_ns", l->paused_ps);
        }
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

/* What the schedule decided, if it decides anything. */
static void put_schedule(struct orr_json *j, const struct orr_world *w)
{
    const struct orr_scheduler *s = w->scheduler;
    if (!s || !s->ops->json)
        return;
    orr__json_object(j, "schedule");
    orr__json_text(j, "kind", s->ops->name);
    s->ops->json(w, j);
    orr__json_end(j);
}

/* What the summary for people says as well, and is worth a second look. */
static orr_err put_notes(struct orr_json *j, const struct orr_world *w)
{
    struct orr_notes n;
    orr_err err = orr__gather_notes(w, &n);
    if (err != ORR_OK)
        return err;
    orr__json_list(j, "notes");
    for (uint32_t i = 0; i < n.n; i++)
        orr__json_text(j, NULL, n.text[i]);
    orr__json_end(j);
    orr__notes_free(&n);
    return ORR_OK;
}

char *orr__results_json(const struct orr_world *w, const char *const *whole)
{
    struct orr_json j = {.lists = {.whole = whole}};
    struct orr_figures f;
    struct use use = {.ranks = 0};
    if (orr__figures(w, &f) != ORR_OK)
        return NULL;
    orr__json_object(&j, NULL);
    put_head(&j, w, &f);
    put_counters(&j, &f.totals);
    put_groups(&j, w->net);
    put_wall(&j, w, &f);
    put_messages(&j, w->result.messages);
    orr__json_list(&j, "jobs");
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (put_job(&j, w->graph, &w->jobs[i], &use) != ORR_OK)
            j.text.failed = true;
    orr__json_end(&j);
    put_gpus(&j, &use);
    if (put_flows(&j, w, &f.flows) != ORR_OK)
        j.text.failed = true;
    put_links(&j, w->graph, &f);
    orr__losses_json(&j, w, &f);
    orr__repeat_json(&j, w);
    orr__replayed_json(&j, w);
    put_schedule(&j, w);
    if (put_notes(&j, w) != ORR_OK)
        j.text.failed = true;
    orr__planes_json(&j, w);
    orr__failures_json(&j, w);
    orr__json_cuts(&j);
    orr__json_end(&j);
    return orr__json_done(&j);
}

char *orr__results_doubt_json(const struct orr_world *w)
{
    struct orr_json j = {.text = {.s = NULL}};
    struct orr_figures f;
    if (orr__figures(w, &f) != ORR_OK)
        return NULL;
    orr__json_object(&j, NULL);
    put_head(&j, w, &f);
    put_counters(&j, &f.totals);
    orr__repeat_json(&j, w);
    if (put_notes(&j, w) != ORR_OK)
        j.text.failed = true;
    orr__json_end(&j);
    return orr__json_done(&j);
}
