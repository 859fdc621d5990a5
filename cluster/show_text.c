/* The summary of a cluster's run, for people. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "cluster/contention.h"
#include "cluster/figures.h"
#include "cluster/show.h"
#include "cluster/stuck.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/text.h"
#include "core/units.h"
#include "experiment/failures.h"
#include "experiment/notes.h"
#include "net/config/config.h"
#include "net/net.h"
#include "record/figures.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/schedule/schedule.h"

#define LEAST_SLOW 1.01 /* slowdown that is told */
enum { LABEL = 20, SLOWEST = 5, LINKS = 3, STUCK = 5 };

static void add_label(struct orr_text *t, const char *name)
{
    orr__text_words(t, name, LABEL - 2);
    orr__text_column(t, LABEL);
}

static void add_time(struct orr_text *t, const char *before, double ns)
{
    char text[32] = "-";
    if (isfinite(ns))
        orr__human_long_time((int64_t)(ns + 0.5), text, sizeof text);
    orr__text_add(t, "%s%s", before, text);
}

static void add_times(struct orr_text *t, const char *name,
                      const struct orr_statistics *s)
{
    add_label(t, name);
    add_time(t, "mean ", s->mean);
    add_time(t, "   p50 ", s->p50);
    add_time(t, "   p99 ", s->p99);
    add_time(t, "   max ", s->max);
    orr__text_add(t, "\n");
}

static void add_ratios(struct orr_text *t, const char *name,
                       const struct orr_statistics *s)
{
    add_label(t, name);
    if (s->n == 0)
        orr__text_add(t, "-\n");
    else
        orr__text_add(t, "mean %.4g   p50 %.4g   p99 %.4g   max %.4g\n",
                      s->mean, s->p50, s->p99, s->max);
}

/* Title, topology and policies. */
static void add_head(struct orr_text *t, const struct orr_world *w,
                     const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    char gpus[32];
    if (w->options.title && *w->options.title) {
        orr__text_words(t, w->options.title, 80);
        orr__text_add(t, "\n");
    }
    orr__group_digits(c->inventory.gpus, gpus, sizeof gpus);
    orr__text_add(t, "%s: %s GPUs in %u servers, %u racks, seed %" PRIu64 "\n",
                  w->graph->kind, gpus, c->inventory.servers,
                  c->inventory.racks, w->seed);
    orr__text_add(t, "queue %s, placement %s, schedule %s, accuracy %s\n",
                  c->queue->name, c->placement->name,
                  c->world->scheduler->ops->name, e->pace->name);
    if (e->partial)
        orr__text_add(t, "PARTIAL: not all jobs were done\n");
}

/* What happened to jobs while they ran, if anything did. */
static void add_changes(struct orr_text *t, const struct orr_cluster_figures *f)
{
    const struct {
        uint64_t n;
        const char *what;
    } list[] = {{f->preempted, "preempted"},
                {f->restarted, "restarted"},
                {f->resized, "resized"},
                {f->moved, "moved"}};
    bool any = false;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (!list[i].n)
            continue;
        if (!any)
            add_label(t, "changes");
        orr__text_add(t, "%s%" PRIu64 " %s", any ? ", " : "", list[i].n,
                      list[i].what);
        any = true;
    }
    if (any)
        orr__text_add(t, "\n");
}

/* Those that there is never room for, and why. */
static void add_stuck(struct orr_text *t, const struct orr_engine *e)
{
    uint32_t n = 0;
    char why[ORR_STUCK_TEXT];
    for (uint32_t i = 0; i < e->cluster.jobs; i++) {
        if (!orr__is_stuck(&e->cluster.job[i]) || n++ >= STUCK)
            continue;
        orr__stuck_text(e, i, why);
        add_label(t, n == 1 ? "never room for" : "");
        orr__text_words(t, e->cluster.job[i].is.name, 40);
        orr__text_add(t, ": %s\n", why);
    }
    if (n > STUCK) {
        add_label(t, "");
        orr__text_add(t, "and %u more\n", n - STUCK);
    }
}

/* Takes the note over. */
static void add_note(struct orr_text *t, struct orr_text *note)
{
    char *text = orr__text_done(note);
    if (text)
        orr__note_text(t, text, LABEL);
    else
        t->failed = true;
    orr__free(text);
}

/* Times of a trace that cannot all be right. */
static void note_early(struct orr_text *t, const struct orr_early *x)
{
    if (!x->jobs)
        return;
    struct orr_text note = {0};
    orr__text_add(&note,
                  "%" PRIu64 " %s of the trace began before %s "
                  "submitted: line %" PRIu64,
                  x->jobs, x->jobs == 1 ? "job" : "jobs",
                  x->jobs == 1 ? "it was" : "they were", x->line);
    add_time(&note, " by ", (double)x->by_ns);
    add_note(t, &note);
}

/* How many came to what, and how long they took. */
static void add_jobs(struct orr_text *t, const struct orr_engine *e,
                     const struct orr_cluster_figures *f)
{
    char n[32];
    add_label(t, "jobs");
    orr__group_digits(f->jobs, n, sizeof n);
    orr__text_add(t, "%s, %u done", n, f->done);
    if (f->failed)
        orr__text_add(t, ", %u failed", f->failed);
    if (f->running || f->waiting)
        orr__text_add(t, ", %u running, %u waiting", f->running, f->waiting);
    if (e->cluster.arrivals.left_out)
        orr__text_add(t, ", %" PRIu64 " left out of the trace",
                      e->cluster.arrivals.left_out);
    if (f->makespan_ns >= 0) {
        add_time(t, ", in ", f->makespan_ns);
        orr__text_add(t, " from the first arrival");
    }
    orr__text_add(t, "\n");
    note_early(t, &e->cluster.arrivals.early);
    add_stuck(t, e);
    add_changes(t, f);
    add_label(t, "queue");
    orr__text_add(t, "mean %.3g jobs, %u at most\n", f->queue_mean,
                  f->queue_most);
    add_times(t, "completion", &f->completion);
    add_times(t, "queueing", &f->queueing);
    add_times(t, "iteration", &f->iteration);
    add_ratios(t, "slowdown", &f->slowdown);
    add_ratios(t, "rho", &f->rho);
}

/* "- %s" where there is none: a share of no time. */
static void add_percent(struct orr_text *t, double share, const char *of)
{
    if (isfinite(share))
        orr__text_add(t, "%.1f %% %s", 100 * share, of);
    else
        orr__text_add(t, "- %s", of);
}

/* GPU time in hours and shares of it; marks only if some iteration was
 * simulated. */
static void add_gpus(struct orr_text *t, const struct orr_cluster_figures *f)
{
    add_label(t, "GPUs");
    add_percent(t, f->utilization, "allocated, ");
    add_percent(t, f->computing, "computing");
    if (f->out_h > 0)
        orr__text_add(t, ", %.4g h out", f->out_h);
    orr__text_add(t, ", %.4g h in all\n", f->all_h);
    add_label(t, "");
    orr__text_add(t,
                  "%.1f %% of the allocated time shares a link; %.4g h lost "
                  "by it\n",
                  100 * f->shared, f->lost_h);
    if (!f->iterations)
        return;
    add_label(t, "marks");
    orr__text_add(t, "%.4g an iteration, %.4g packets sent again\n", f->marks,
                  f->resent);
}

/* Where jobs met that cost most. */
static void add_contention(struct orr_text *t, const struct orr_engine *e)
{
    struct orr_link_contention f[LINKS];
    uint32_t all, n = orr__cluster_links(e, f, LINKS, &all);
    char name[ORR_LINK_TEXT];
    for (uint32_t i = 0; i < n; i++) {
        orr__link_text(e->cluster.world->graph, f[i].link, name);
        add_label(t, i == 0 ? "contention" : "");
        add_time(t, "", f[i].shared_ns);
        orr__text_add(t, " on %s, %.3g jobs at a time: %.3g h of GPUs lost\n",
                      name, f[i].jobs, f[i].lost_h);
    }
    if (all > n) {
        add_label(t, "");
        orr__text_add(t, "and %u more links\n", all - n);
    }
}

#define HALF(field)                                                            \
    orr__cluster_half(e, offsetof(struct orr_cluster_figures, field))

/* Half of an interval as a share of its figure; "-": there is no figure, or it
 * is 0. */
static void add_half(struct orr_text *t, const char *name, double of,
                     double figure)
{
    double share = 100 * of / figure;
    if (isfinite(share))
        orr__text_add(t, "%s%.2g %%", name, share);
    else
        orr__text_add(t, "%s-", name);
}

/* Halves of intervals as shares of what they belong to. */
static void add_intervals(struct orr_text *t, const struct orr_engine *e,
                          const struct orr_cluster_figures *f)
{
    const struct orr_intervals *x = &e->intervals;
    if (!x->replications)
        return;
    add_label(t, "intervals");
    add_half(t, "completion +-", HALF(completion.mean), f->completion.mean);
    add_half(t, ", slowdown +-", HALF(slowdown.mean), f->slowdown.mean);
    add_half(t, ", computing +-", HALF(computing), f->computing);
    orr__text_add(t, "\n");
    add_label(t, "");
    add_time(t, "queueing +-", HALF(queueing.mean));
    orr__text_add(t, ": 95 %%, %u replications, %" PRIu64 " more sets\n",
                  x->replications, x->simulated);
}

/* Nothing is inferred; and why, if it was asked for otherwise. */
static void add_all_packets(struct orr_text *t, const struct orr_engine *e)
{
    char hops[32], all[32];
    struct orr_text note = {0};
    orr__group_digits(e->counts.packet_hops, hops, sizeof hops);
    orr__group_digits(e->counts.iterations, all, sizeof all);
    orr__text_add(t, "all packets: %s iterations, %s packet-hops\n", all, hops);
    if (!e->given_up)
        return;
    orr__group_digits(e->given_up, hops, sizeof hops);
    orr__text_add(&note,
                  "`sampled` was given up after %s packet-hops: sets of jobs "
                  "did not settle, and more iterations were simulated than all "
                  "jobs have (`cluster.dearer: go-on` goes on)",
                  hops);
    add_note(t, &note);
}

/* All packets, or none: there is nothing to be inferred. */
static void add_basis(struct orr_text *t, const struct orr_engine *e,
                      const struct orr_cluster_figures *f)
{
    const struct orr_engine_counts *n = &e->counts;
    char hops[32];
    orr__group_digits(n->packet_hops, hops, sizeof hops);
    add_label(t, "known from");
    if (e->pace == &orr__pace_packets) {
        add_all_packets(t, e);
        return;
    }
    if (e->pace == &orr__pace_fluid) {
        orr__text_add(
            t, "fair shares of links, no packets: the error is unknown\n");
        return;
    }
    orr__text_add(t,
                  "%" PRIu64 " sets of jobs: %" PRIu64 " simulated, %" PRIu64
                  " seen before\n",
                  n->constellations, n->simulated, n->remembered);
    if (n->kept) {
        add_label(t, "");
        orr__text_add(t, "%" PRIu64 " of these by another run: %s\n", n->kept,
                      e->cache);
    }
    add_label(t, "");
    orr__text_add(t, "%" PRIu64 " of %.4g iterations, %s packet-hops\n",
                  n->iterations, f->iterations, hops);
    if (n->damaged) {
        struct orr_text note = {0};
        orr__text_add(&note, "%u damaged %s of %s left out and simulated again",
                      n->damaged, n->damaged == 1 ? "entry" : "entries",
                      e->cache);
        add_note(t, &note);
    }
    add_label(t, "error");
    orr__text_add(t, "asked %.3g %%, worst interval of a mean %.3g %%",
                  100 * e->settings.error, 100 * n->worst_half);
    if (n->unsettled)
        orr__text_add(t, "; %" PRIu64 " sets never settled", n->unsettled);
    orr__text_add(t, "\n");
    add_intervals(t, e, f);
}

/* The meeting that cost a job most; NULL: none cost anything. */
static const struct orr_contention_spell *worst_of(const struct orr_engine *e,
                                                   uint32_t job)
{
    uint32_t n;
    const struct orr_contention_spell *m = orr__contention_encounters(e, &n),
                                      *worst = NULL;
    for (uint32_t i = 0; i < n; i++)
        if (m[i].job == job && m[i].lost_ns > (worst ? worst->lost_ns : 0))
            worst = &m[i];
    return worst;
}

/* The job, and its worst spell of contention, if it had any. */
static void add_slow_job(struct orr_text *t, const struct orr_engine *e,
                         uint32_t job, double slowdown)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_contention_spell *x = worst_of(e, job);
    char name[ORR_LINK_TEXT];
    add_label(t, c->job[job].is.name);
    orr__text_add(t, "%.1f %% slower than alone", 100 * (slowdown - 1));
    if (x) {
        orr__link_text(c->world->graph, x->link, name);
        orr__text_add(t, ": %s on %s\n", c->job[x->rival].is.name, name);
        add_label(t, "");
        add_time(t, "from ", (double)x->from_ns);
        add_time(t, " to ", (double)x->to_ns);
    }
    orr__text_add(t, "\n");
}

/* The jobs that contention slowed down most. */
static uint32_t add_slow_jobs(const struct orr_engine *e,
                              const struct orr_job_result *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->cluster.jobs; i++)
        n += f[i].slowdown > LEAST_SLOW;
    return n;
}

/* Those that others cost most, above a percent; of equal ones the first. */
static void find_slowest(struct orr_text *t, const struct orr_engine *e,
                         const struct orr_job_result *f)
{
    double below = INFINITY;
    uint32_t shown = 0, all = add_slow_jobs(e, f);
    for (; shown < SLOWEST; shown++) {
        uint32_t found = ORR_NONE;
        double most = LEAST_SLOW;
        for (uint32_t i = 0; i < e->cluster.jobs; i++)
            if (f[i].slowdown > most && f[i].slowdown < below) {
                most = f[i].slowdown;
                found = i;
            }
        if (found == ORR_NONE)
            break;
        add_slow_job(t, e, found, most);
        below = most;
    }
    if (all > shown) {
        add_label(t, "");
        orr__text_add(t, "and %u more jobs above %.0f %%\n", all - shown,
                      100 * (LEAST_SLOW - 1));
    }
}

static void add_notes(struct orr_text *t, const struct orr_world *w)
{
    struct orr_notes n;
    if (orr__notes_of_places(w, &n) != ORR_OK)
        t->failed = true;
    for (uint32_t i = 0; i < n.n; i++)
        orr__note_text(t, n.text[i], LABEL);
    orr__notes_free(&n);
}

/* Links that failed, and what that took beyond their time: what was lost on
 * them, and how long senders waited until they knew. */
static void add_outages(struct orr_text *t, const struct orr_engine *e)
{
    const struct orr_world *w = orr__packets_world(e);
    struct orr_net_totals n;
    char longest[32];
    if (!w || !w->net_config->failures)
        return;
    orr__failures_text(t, w);
    orr__net_totals(w->net, &n);
    orr__human_time(n.longest_timeout_ps, longest, sizeof longest);
    orr__text_add(t, "  timeouts of all senders: %" PRIu64, n.timeouts);
    if (n.timeouts)
        orr__text_add(t, ", of up to %s", longest);
    orr__text_add(t, "\n\n");
}

char *orr__cluster_text(const struct orr_world *w, const struct orr_engine *e)
{
    struct orr_text t = {0};
    struct orr_cluster_figures f;
    struct orr_job_result *of_jobs = orr__cluster_job_figures(e);
    if (!of_jobs || orr__cluster_figures(e, &f, NULL) != ORR_OK) {
        orr__free(of_jobs);
        return NULL;
    }
    add_head(&t, w, e);
    orr__text_add(&t, "\n");
    add_jobs(&t, e, &f);
    add_gpus(&t, &f);
    orr__tenants_text(&t, e, of_jobs);
    add_contention(&t, e);
    find_slowest(&t, e, of_jobs);
    add_outages(&t, e);
    add_basis(&t, e, &f);
    add_notes(&t, w);
    add_label(&t, "fingerprint");
    orr__text_add(&t, "%016" PRIx64 "\n", f.fingerprint);
    orr__free(of_jobs);
    return orr__text_shown(&t);
}
