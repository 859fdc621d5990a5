/* The summary for people: some forty lines, whatever the experiment. Few jobs
 * are told in detail, many in a line each; all of it is in the JSON summary. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/text.h"
#include "core/units.h"
#include "experiment/breakdown.h"
#include "experiment/failures.h"
#include "experiment/limit.h"
#include "experiment/losses.h"
#include "experiment/notes.h"
#include "experiment/repeat.h"
#include "experiment/replayed.h"
#include "experiment/results.h"
#include "experiment/serving.h"
#include "experiment/times_text.h"
#include "record/figures.h"
#include "topo/node_names.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/program/program.h"
#include "workload/program/source.h"
#include "workload/schedule/schedule.h"

/* The summary fits a terminal: labels in a column of this width, 80 columns
 * in all, and a detailed lines of each kind. */
#define LABEL         20
#define WIDTH         80
#define DETAILED_JOBS 2
#define COLLECTIVES   3 /* of a detailed job */
#define SHOWN_RANKS   6 /* of a group */
#define JOB_LINES     8 /* otherwise */
#define LINK_LINES    4
#define FLOWS_BY_SIZE 100 /* or more */

static void add_label(struct orr_text *t, const char *name)
{
    orr__text_words(t, name, LABEL - 2);
    orr__text_column(t, LABEL);
}

static void add_size(struct orr_text *t, const char *before, uint64_t bytes,
                     const char *after)
{
    char text[32];
    orr__human_size(bytes, text, sizeof text);
    orr__text_add(t, "%s%s%s", before, text, after);
}

static void add_rate(struct orr_text *t, const char *before, double bps)
{
    char text[32] = "-";
    if (isfinite(bps))
        orr__human_rate(bps, text, sizeof text);
    orr__text_add(t, "%s%s", before, text);
}

static void add_count(struct orr_text *t, uint64_t n, const char *one,
                      const char *many)
{
    char text[32];
    orr__group_digits(n, text, sizeof text);
    orr__text_add(t, "%s %s", text, n == 1 ? one : many);
}

/* Title and topology. */
static void add_head(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_graph *g = w->graph;
    if (w->options.title && *w->options.title) {
        orr__text_words(t, w->options.title, 80);
        orr__text_add(t, "\n");
    }
    orr__text_add(t, "%s: ", g->kind);
    add_count(t, g->hosts, "host", "hosts");
    orr__text_add(t, ", ");
    if (g->nodes > g->hosts) {
        add_count(t, g->nodes - g->hosts, "switch", "switches");
        orr__text_add(t, ", ");
    }
    add_count(t, orr__links_present(g), "link", "links");
    orr__text_add(t, ", seed %" PRIu64 "\n", w->seed);
    if (w->result.partial)
        orr__text_add(t, "PARTIAL: the run was stopped before its end\n");
}

/* One value is told in full: it is what people compare. */
static void add_times(struct orr_text *t, const struct orr_statistics *s)
{
    char whole[32];
    if (s->n == 1) {
        uint64_t ps = (uint64_t)(s->mean + 0.5);
        orr__group_digits(ps / 1000, whole, sizeof whole);
        orr__text_time(t, "", s->mean);
        orr__text_add(t, " (%s.%03u ns)\n", whole, (unsigned)(ps % 1000));
        return;
    }
    orr__text_statistics(t, s);
}

static uint32_t finished(const struct orr_job *job)
{
    uint32_t n = 0;
    while (job->iteration && n < job->iterations
           && job->iteration[n].end_ps >= 0)
        n++;
    return n;
}

/* One call site of a program over the iterations that count. */
struct site {
    const struct orr_collective_record *first;
    double n;
    __int128 time_ps;                                /* of all of them */
    double algorithm, bus, chunk, queueing, message; /* sums of means */
};

/* known: only sites that are there already. */
static void enter_site(struct site *s, uint32_t *n,
                       const struct orr_collective_record *c, bool known)
{
    uint32_t i = 0;
    while (i < *n && s[i].first->operation != c->operation)
        i++;
    if (i == COLLECTIVES || (known && i == *n))
        return;
    if (i == *n)
        s[(*n)++] = (struct site){.first = c};
    s[i].n++;
    s[i].time_ps += c->end_ps - c->start_ps;
    s[i].algorithm += c->algorithm_bps;
    s[i].bus += c->bus_bps;
    s[i].chunk += c->chunk_latency_ps;
    s[i].queueing += c->queueing_ps;
    s[i].message += c->message_ps;
}

/* Which ranks of the job take part, unless it is all of them: calls that differ
 * in nothing else are told apart by that. */
static void add_members(struct orr_text *t, const struct orr_job *job,
                        const struct orr_collective_record *c)
{
    const struct orr_program *p = job->team ? orr__job_program(job) : NULL;
    const struct orr_call *call =
        p && c->call < p->calls ? &p->call[c->call] : NULL;
    const struct orr_group *g;
    uint32_t step = 0, n = 1;
    if (!call || call->group == ORR_EVERYONE) {
        if (call && call->stride > 1)
            orr__text_add(t, ", every %u", call->stride);
        if (call && call->stride && call->count)
            orr__text_add(t, "%s of %u to %u", call->stride > 1 ? "," : "",
                          call->from, call->from + call->count - 1);
        return;
    }
    g = &p->group[call->group];
    if (g->n > 1 && g->rank[1] > g->rank[0])
        step = g->rank[1] - g->rank[0];
    while (step && n < g->n && g->rank[n] == g->rank[n - 1] + step)
        n++;
    if (step && n == g->n && n > 2)
        orr__text_add(t, step == 1 ? ": %u to %u" : ": %u to %u, every %u",
                      g->rank[0], g->rank[n - 1], step);
    else
        for (uint32_t i = 0; i < g->n && i <= SHOWN_RANKS; i++)
            orr__text_add(t,
                          i == SHOWN_RANKS ? " ..."
                          : i              ? ", %u"
                                           : ": %u",
                          g->rank[i]);
}

/* Of a job with a model: see experiment/limit.h. Both shares are of the time of
 * the one call in which the link was looked at. */
static void add_limiting_link(struct orr_text *t, const struct orr_graph *g,
                              const struct orr_collective_record *c)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    if (c->limiting_link == ORR_NONE)
        return;
    orr__node_label(g, g->from[c->limiting_link], from, sizeof from);
    orr__node_label(g, g->to[c->limiting_link], to, sizeof to);
    add_label(t, "    limited by");
    orr__text_add(t, "%s > %s (its bytes %.1f %%", from, to,
                  100 * (double)c->limiting_ps
                      / (double)(c->end_ps - c->start_ps));
    if (!isnan(c->limiting_busy))
        orr__text_add(t, ", busy %.1f %%", 100 * c->limiting_busy);
    orr__text_add(t, ")\n");
}

/* Collectives of one place in a program: their mean time, and what bounds it.
 */
static void add_site(struct orr_text *t, const struct orr_graph *g,
                     const struct orr_job *job, const struct site *s)
{
    const struct orr_collective_record *c = s->first;
    char size[32];
    double time = (double)s->time_ps / s->n, bound = (double)c->lower_bound_ps;
    orr__human_choice(c->bytes, size, sizeof size);
    orr__text_add(t, "  %s", c->kind);
    orr__text_column(t, LABEL);
    orr__text_add(t, "%s, %s, %u ranks", c->algorithm, size, c->group_size);
    if (c->chosen_by)
        orr__text_add(t, ", chosen by %s", c->chosen_by);
    if (c->protocol)
        orr__text_add(t, ", %s in %u %s", c->protocol, c->channels,
                      c->channels == 1 ? "channel" : "channels");
    add_members(t, job, c);
    orr__text_add(t, "\n");
    add_label(t, "    time");
    orr__text_time(t, "", time);
    if (bound > 0) {
        orr__text_time(t, "   lower bound ", bound);
        orr__text_add(t, " (%.1f %% of the time)", 100 * bound / time);
    }
    orr__text_add(t, "\n");
    add_label(t, "    bandwidth");
    add_rate(t, "algorithm ", s->algorithm / s->n);
    add_rate(t, "   bus ", s->bus / s->n);
    orr__text_add(t, "\n");
    if (g) {
        add_limiting_link(t, g, c);
        return;
    }
    add_label(t, "    chunk latency");
    orr__text_time(t, "", s->chunk / s->n);
    orr__text_time(t, "   waited to begin ", s->queueing / s->n);
    orr__text_time(t, "   message time ", s->message / s->n);
    orr__text_add(t, "\n");
}

/* A model has many call sites: those that took longest in the last iteration
 * on record are told, in the order of the program. */
static void longest_sites(struct site *s, uint32_t *n,
                          const struct orr_job *job)
{
    const struct orr_collective_record *c = job->collective;
    uint32_t last =
        job->n_collectives ? c[job->n_collectives - 1].iteration : 0;
    for (uint32_t i = 0; i < job->n_collectives; i++) {
        uint32_t at = *n;
        int64_t time = c[i].end_ps - c[i].start_ps;
        if (c[i].iteration != last || time == 0)
            continue;
        if (*n == COLLECTIVES) {
            at = 0; /* the shortest makes room */
            for (uint32_t k = 1; k < *n; k++)
                if (s[k].time_ps < s[at].time_ps)
                    at = k;
            if (time <= s[at].time_ps)
                continue;
            memmove(&s[at], &s[at + 1], (*n - at - 1) * sizeof *s);
            at = *n - 1;
        } else {
            ++*n;
        }
        s[at] = (struct site){.first = &c[i], .time_ps = time};
    }
    for (uint32_t k = 0; k < *n; k++)
        s[k] = (struct site){.first = s[k].first};
}

/* How many sites there are in the last iteration on record. */
static uint32_t last_sites(const struct orr_job *job)
{
    const struct orr_collective_record *c = job->collective;
    uint32_t n = 0;
    for (uint32_t i = job->n_collectives; i-- > 0;) {
        if (c[i].iteration != c[job->n_collectives - 1].iteration)
            break;
        n += c[i].end_ps > c[i].start_ps;
    }
    return n;
}

/* How many sites had no room. */
static void add_others(struct orr_text *t, const struct orr_job *job,
                       uint32_t n)
{
    uint32_t all = 0;
    if (n < COLLECTIVES)
        return;
    if (job->model)
        all = last_sites(job);
    for (uint32_t i = 0; !job->model && i < job->n_collectives; i++)
        if (job->collective[i].call >= all) /* they are numbered from 0 */
            all = job->collective[i].call + 1;
    if (all <= n)
        return;
    add_label(t, "  ...");
    orr__text_add(t, "%u more %s in the JSON summary\n", all - n,
                  all - n == 1 ? "collective is" : "collectives are");
}

/* The collectives that take longest, or of each place in the program. */
static void add_collectives(struct orr_text *t, const struct orr_graph *g,
                            const struct orr_job *job)
{
    struct site sites[COLLECTIVES];
    uint32_t n = 0, done = finished(job);
    if (job->model)
        longest_sites(sites, &n, job);
    for (uint32_t i = 0; i < job->n_collectives; i++) {
        const struct orr_collective_record *c = &job->collective[i];
        /* The warm-up counts only if there is nothing else. */
        if (c->end_ps > c->start_ps
            && (c->iteration >= job->warmup || done <= job->warmup))
            enter_site(sites, &n, c, job->model != NULL);
    }
    for (uint32_t i = 0; i < n; i++)
        if (sites[i].n > 0)
            add_site(t, job->model ? g : NULL, job, &sites[i]);
    add_others(t, job, n);
}

/* Stages with replicas: weights that a rank keeps, where that is the most. */
static void add_pipeline(struct orr_text *t, const struct orr_job *job)
{
    const struct orr_pipeline *p = orr__job_program(job)->pipeline;
    const struct orr_pipeline_stage *most = p ? p->stage : NULL;
    const struct orr_stale *stale = &orr__job_program(job)->stale;
    if (stale->found) {
        add_label(t, "  stale layers");
        orr__text_add(t, "%u of %u, found by formulas\n", stale->n,
                      stale->layers);
    }
    if (!p)
        return;
    add_label(t, "  pipeline");
    orr__text_add(t, "%s, %u %s an iteration; replicas ", p->schedule,
                  p->batches, p->noam ? "minibatches" : "micro-batches");
    for (uint32_t i = 0; i < p->stages; i++) {
        const struct orr_pipeline_stage *s = &p->stage[i];
        if (s->versions * s->parameter_bytes
            > most->versions * most->parameter_bytes)
            most = s;
        if (i < 8)
            orr__text_add(t, "%s%u", i ? "-" : "", s->replicas);
    }
    orr__text_add(t, "%s\n", p->stages > 8 ? "-..." : "");
    if (!p->noam)
        return;
    add_label(t, "  weights");
    orr__text_add(t, "NOAM %u; a rank keeps %u version%s", p->noam,
                  most->versions, most->versions == 1 ? "" : "s");
    add_size(t, " of ", most->parameter_bytes, " at most\n");
}

/* Where the time of a job with a model went. */
static void add_breakdown(struct orr_text *t, const struct orr_job *job)
{
    struct orr_breakdown b;
    if (!job->model || !orr__breakdown(job, &b))
        return;
    add_label(t, "  compute");
    orr__text_time(t, "", b.compute);
    orr__text_add(t, " an iteration, mean over the ranks\n");
    add_label(t, "  communication");
    orr__text_time(t, "exposed ", b.exposed);
    orr__text_time(t, "   overlapped ", b.overlap);
    orr__text_add(t, "\n");
    add_label(t, "  bytes");
    add_size(t, "sent by a rank ", b.sent_least, "");
    add_size(t, " to ", b.sent_most, " an iteration\n");
    add_label(t, "  slowest rank");
    if (b.slower > 1.0000001) {
        orr__text_add(t, "%u: ", b.slowest);
        orr__text_time(t, "computes ", b.slowest_compute);
        orr__text_add(t, ", %.4g times the mean\n", b.slower);
    } else {
        orr__text_add(t, "none: all compute for the same time\n");
    }
}

/* A paragraph about a job, where there are detailed. */
static orr_err add_detailed_job(struct orr_text *t, const struct orr_graph *g,
                                const struct orr_job *job,
                                const struct orr_statistics *s)
{
    uint32_t done = finished(job);
    orr__text_add(t, "\n");
    add_label(t, job->name);
    add_count(t, job->ranks, "rank", "ranks");
    add_size(t, ", ", job->bytes_sent, " sent");
    add_size(t, ", ", job->wire_bytes, " on the wire\n");
    if (job->iterations == 1)
        orr__text_add(t, "  iteration");
    else
        orr__text_add(t, "  %u iterations", job->iterations);
    orr__text_column(t, LABEL);
    if (s->n > 0)
        add_times(t, s);
    else
        orr__text_add(t, "%s\n", done ? "only warm-up" : "none finished");
    if (done < job->iterations || job->warmup > 0) {
        add_label(t, "");
        orr__text_add(t, "%u of %u finished", done, job->iterations);
        if (job->warmup > 0)
            orr__text_add(t, ", the first %u left out", job->warmup);
        orr__text_add(t, "\n");
    }
    if (job->baseline_ps > 0 && s->n > 0) {
        add_label(t, "  alone");
        orr__text_time(t, "mean ", job->baseline_ps);
        orr__text_add(t, "   slowdown %.4g   (on its own paths)\n",
                      s->mean / job->baseline_ps);
    }
    if (job->shifts) {
        add_label(t, "  gate");
        orr__text_add(t, "shifted %u %s\n", job->shifts,
                      job->shifts == 1 ? "time" : "times");
    }
    add_pipeline(t, job);
    add_breakdown(t, job);
    orr_err err = orr__serving_text(t, job, LABEL);
    if (job->source)
        job->source->ops->text(job->source, t, LABEL);
    if (!job->source || !job->source->ops->results(job->source, t, LABEL))
        add_collectives(t, g, job);
    return err;
}

/* A line about a job, where there are many. */
static void add_short_job(struct orr_text *t, const struct orr_job *job,
                          const struct orr_statistics *s)
{
    add_label(t, job->name);
    orr__text_add(t, "%u of %u", finished(job), job->iterations);
    orr__text_column(t, LABEL + 14);
    orr__text_time(t, "mean ", s->mean);
    orr__text_time(t, "   max ", s->max);
    if (job->baseline_ps > 0)
        orr__text_add(t, "   %.3g x", s->mean / job->baseline_ps);
    orr__text_column(t, LABEL + (job->baseline_ps > 0 ? 56 : 46));
    add_size(t, "", job->bytes_sent, " sent\n");
}

/* What a figure must be read with. ENOMEM. */
static orr_err add_notes(struct orr_text *t, const struct orr_world *w)
{
    struct orr_notes n;
    orr_err err = orr__gather_notes(w, &n);
    if (err != ORR_OK)
        return err;
    if (n.n)
        orr__text_add(t, "\n");
    for (uint32_t i = 0; i < n.n; i++)
        orr__note_text(t, n.text[i], LABEL);
    orr__notes_free(&n);
    return ORR_OK;
}

/* Few jobs in detail, or a line for each. ENOMEM. */
static orr_err add_jobs(struct orr_text *t, const struct orr_world *w)
{
    bool detailed = w->n_jobs <= DETAILED_JOBS;
    orr_err err = ORR_OK;
    if (!detailed)
        orr__text_add(t, "\n");
    for (uint32_t i = 0; !err && i < w->n_jobs && i < JOB_LINES; i++) {
        const struct orr_job *job = &w->jobs[i];
        double *room = orr__alloc(job->iterations, sizeof *room);
        if (room == NULL)
            return ORR_ENOMEM;
        struct orr_statistics s = orr__figures_iterations(job, room);
        orr__free(room);
        if (detailed)
            err = add_detailed_job(t, w->graph, job, &s);
        else
            add_short_job(t, job, &s);
    }
    if (w->n_jobs > JOB_LINES)
        orr__text_add(t, "... and %u jobs more\n", w->n_jobs - JOB_LINES);
    return err ? err : add_notes(t, w);
}

/* Slowdown by decades of size, when there are enough flows to tell. */
static orr_err add_by_size(struct orr_text *t, const struct orr_world *w,
                           const struct orr_flow_figures *f)
{
    struct orr_size_class c[ORR_SIZE_CLASSES];
    uint32_t n = 0;
    orr_err err = f->slowdown.n < FLOWS_BY_SIZE
                      ? ORR_OK
                      : orr__figures_by_size(w, false, c, &n);
    if (n)
        orr__text_add(t, "\nslowdown by size%14s%10s%10s%10s%10s\n", "flows",
                      "p50", "p95", "p99", "max");
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_statistics *s = &c[i].slowdown;
        char count[32];
        add_size(t, "  from ", c[i].from, "");
        orr__text_column(t, LABEL);
        orr__group_digits(s->n, count, sizeof count);
        orr__text_add(t, "%10s%10.3g%10.3g%10.3g%10.3g\n", count, s->p50,
                      s->p95, s->p99, s->max);
    }
    return err;
}

/* Of a program that embeds the library. */
static void add_messages(struct orr_text *t, const struct orr_message_totals *m)
{
    char count[32];
    if (!m)
        return;
    orr__text_add(t, "\n");
    add_label(t, "messages");
    orr__group_digits(m->arrived, count, sizeof count);
    orr__text_add(t, "%s of ", count);
    orr__group_digits(m->sent, count, sizeof count);
    orr__text_add(t, "%s arrived", count);
    add_size(t, ", ", m->bytes, "\n");
}

/* All flows together. */
static void add_flows(struct orr_text *t, const struct orr_flow_figures *f)
{
    char count[32];
    if (f->count == 0)
        return;
    orr__text_add(t, "\n");
    add_label(t, "flows");
    orr__group_digits(f->completed, count, sizeof count);
    orr__text_add(t, "%s of ", count);
    orr__group_digits(f->count, count, sizeof count);
    orr__text_add(t, "%s completed", count);
    orr__group_digits(f->measured, count, sizeof count);
    if (f->measured < f->completed)
        orr__text_add(t, ", %s measured", count);
    add_size(t, ", ", f->bytes, "\n");
    if (f->measured == 0)
        return;
    add_label(t, "  completion");
    add_times(t, &f->fct_ps);
    if (f->slowdown.n > 0) {
        add_label(t, "  slowdown");
        orr__text_add(t, "mean %.3g   p50 %.3g   p99 %.3g   max %.3g\n",
                      f->slowdown.mean, f->slowdown.p50, f->slowdown.p99,
                      f->slowdown.max);
    }
    add_label(t, "  goodput");
    add_rate(t, "", f->goodput_bps);
    orr__text_add(t, "   Jain %.4f\n", f->jain);
}

/* Columns of the table of links beside those that are always there: two at
 * most, so that it fits. */
enum extra { NO_EXTRA, DROPPED, PAUSED, MARKED };
/* Columns of the table of links, beside utilization. */
struct extras {
    enum extra column[2];
};

/* The two columns that say most beside utilization. */
static struct extras choose_extras(const struct orr_net_totals *n)
{
    struct extras e = {{NO_EXTRA, NO_EXTRA}};
    size_t used = 0;
    if (n->packets_dropped)
        e.column[used++] = DROPPED;
    if (n->pfc)
        e.column[used++] = PAUSED;
    if (n->ecn_marks && used < 2)
        e.column[used++] = MARKED;
    return e;
}

/* One of these columns, of a link. */
static void add_extra(struct orr_text *t, enum extra what,
                      const struct orr_link_figures *l)
{
    char text[32];
    switch (what) {
    case NO_EXTRA: return;
    case DROPPED: orr__group_digits(l->drops, text, sizeof text); break;
    case MARKED: orr__group_digits(l->marks, text, sizeof text); break;
    case PAUSED: orr__human_time(l->paused_ps, text, sizeof text);
    }
    orr__text_add(t, "%11s", text);
}

/* A row of the table of links. */
static void add_link(struct orr_text *t, const struct orr_graph *g,
                     const struct extras *e, const struct orr_link_figures *l)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME], mean[32], max[32];
    orr__node_label(g, g->from[l->link], from, sizeof from);
    orr__node_label(g, g->to[l->link], to, sizeof to);
    orr__human_size((uint64_t)(l->mean_queue + 0.5), mean, sizeof mean);
    orr__human_size(l->max_queue, max, sizeof max);
    orr__text_add(t, "  %s > %s", from, to);
    orr__text_column(t, LABEL + 6);
    orr__text_add(t, "%7.2f %%", 100 * l->utilization);
    orr__text_add(t, "%11s%11s", mean, max);
    add_extra(t, e->column[0], l);
    add_extra(t, e->column[1], l);
    orr__text_add(t, "\n");
}

/* The table of the busiest links. */
static void add_links(struct orr_text *t, const struct orr_graph *g,
                      const struct orr_figures *f)
{
    static const char *const title[] = {
        [DROPPED] = "dropped",
        [PAUSED] = "paused",
        [MARKED] = "marked",
    };
    struct extras e = choose_extras(&f->totals);
    if (f->n_busiest == 0)
        return;
    orr__text_add(t, "\nbusiest links");
    orr__text_column(t, LABEL + 6);
    orr__text_add(t, "%9s%11s%11s", "used", "mean queue", "max queue");
    for (size_t i = 0; i < 2 && e.column[i]; i++)
        orr__text_add(t, "%11s", title[e.column[i]]);
    orr__text_add(t, "\n");
    for (uint32_t i = 0; i < f->n_busiest && i < LINK_LINES; i++)
        add_link(t, g, &e, &f->busiest[i]);
    if (f->links_used > LINK_LINES) {
        char more[32];
        orr__group_digits(f->links_used - LINK_LINES, more, sizeof more);
        orr__text_add(t, "  and %s more\n", more);
    }
}

/* What was lost, marked, paused and sent again, where there was any. */
static void add_losses(struct orr_text *t, const struct orr_net_totals *n)
{
    const struct {
        uint64_t count;
        const char *what;
        int64_t longest_ps; /* 0: not wanted */
    } part[] = {
        {n->packets_dropped, "dropped", 0},
        {n->packets_trimmed, "trimmed", 0},
        {n->ecn_marks, "marked", 0},
        {n->retransmissions, "sent again", 0},
        {n->timeouts, n->timeouts == 1 ? "timeout" : "timeouts",
         n->longest_timeout_ps},
        {n->pfc_pauses, "pauses", 0},
    };
    size_t used = 0; /* columns; 0: nothing was told */
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char count[32], longest[32], one[128];
        if (part[i].count == 0)
            continue;
        orr__group_digits(part[i].count, count, sizeof count);
        int length = snprintf(one, sizeof one, "%s %s", count, part[i].what);
        if (part[i].longest_ps) {
            orr__human_time(part[i].longest_ps, longest, sizeof longest);
            length +=
                snprintf(one + length, sizeof one - (size_t)length, " of %s%s",
                         part[i].count == 1 ? "" : "up to ", longest);
        }
        bool fits = used && used + 3 + (size_t)length <= WIDTH;
        orr__text_add(t, "%s", fits ? ", " : used ? ",\n" : "");
        if (!fits)
            add_label(t, used ? "" : "packets");
        orr__text_add(t, "%s", one);
        used = (fits ? used + 2 : LABEL) + (size_t)length;
    }
    if (used)
        orr__text_add(t, "\n");
}

/* What switches added up, where they do, and what went otherwise. */
static void add_groups(struct orr_text *t, const struct orr_net *n)
{
    struct orr_group_totals g;
    orr__net_group_totals(n, &g);
    if (g.summed + g.results == 0)
        return;
    const struct {
        uint64_t count;
        const char *what;
    } part[] = {
        {g.moves, "trees made anew"},
        {g.fallen_back, "results fell back to a server"},
        {g.collisions, "collisions"},
        {g.no_slots, "found no slot"},
        {g.evictions, "evictions"},
        {g.duplicates, "duplicates"},
    };
    char a[32], b[32], c[32];
    orr__group_digits(g.summed, a, sizeof a);
    orr__group_digits(g.results, b, sizeof b);
    orr__group_digits(g.most_slots, c, sizeof c);
    add_label(t, "in network");
    orr__text_add(t,
                  "%s packets added up, %s results, up to %s slots of a "
                  "switch\n",
                  a, b, c);
    for (size_t i = 0, used = 0; i < sizeof part / sizeof *part; i++) {
        if (!part[i].count)
            continue;
        orr__group_digits(part[i].count, a, sizeof a);
        if (!used)
            add_label(t, "");
        orr__text_add(t, "%s%s %s", used++ ? ", " : "", a, part[i].what);
        if (i + 1 == sizeof part / sizeof *part)
            break;
    }
    if (g.moves + g.fallen_back + g.collisions + g.no_slots + g.evictions
        + g.duplicates)
        orr__text_add(t, "\n");
}

/* What the run took, and where its records are. */
static void add_tail(struct orr_text *t, const struct orr_world *w,
                     const struct orr_figures *f)
{
    orr__text_add(t, "\n");
    add_losses(t, &f->totals);
    add_groups(t, w->net);
    orr__losses_text(t, w, f, LABEL);
    add_label(t, "simulated");
    orr__text_time(t, "", (double)f->totals.last_event_ps);
    orr__text_add(t, " in %.3g s, ", w->result.wall_s);
    add_count(t, f->totals.packet_hops, "packet-hop", "packet-hops");
    if (f->hops_per_second > 0)
        orr__text_add(t, " (%.3g million/s)", f->hops_per_second / 1e6);
    orr__text_add(t, "\n");
    if (w->result.repeated) {
        add_label(t, "repeated");
        orr__repeat_text(t, w);
    }
    if (w->result.replayed) {
        add_label(t, "replayed");
        orr__replayed_text(t, w);
    }
    add_label(t, "fingerprint");
    orr__text_add(t, "%016" PRIx64 "%s\n", f->totals.fingerprint,
                  w->result.partial ? " (partial)" : "");
    if (w->options.output) {
        add_label(t, "records");
        orr__text_add(t, "%s\n", w->options.output);
    }
}

static void add_schedule(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_scheduler *s = w->scheduler;
    char *text = s && s->ops->text ? s->ops->text(w) : NULL;
    if (text) {
        add_label(t, s->ops->name);
        orr__text_add(t, "%s\n\n", text);
    }
    orr__free(text);
}

char *orr__results_summary(const struct orr_world *w)
{
    struct orr_text t = {.s = NULL};
    struct orr_figures f;
    if (orr__figures(w, &f) != ORR_OK)
        return NULL;
    add_head(&t, w);
    if (add_jobs(&t, w) != ORR_OK)
        t.failed = true;
    add_messages(&t, w->result.messages);
    add_flows(&t, &f.flows);
    if (add_by_size(&t, w, &f.flows) != ORR_OK)
        t.failed = true;
    add_links(&t, w->graph, &f);
    add_schedule(&t, w);
    orr__failures_text(&t, w);
    add_tail(&t, w, &f);
    return orr__text_shown(&t);
}
