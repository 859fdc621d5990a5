/* What `orrery check` says, for people. */
#include "cluster/engine.h"
#include "core/memory.h"
#include "core/units.h"
#include "experiment/estimate.h"
#include "experiment/experiment.h"
#include "experiment/notes.h"
#include "experiment/replayed.h"
#include "study/check/check.h"
#include "study/topology/topology.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/program/source.h"
#include "workload/repeat/repeat.h"

/* The graph that a job's trace is. */
static void add_trace(struct orr_text *out, const struct orr_job *job)
{
    struct orr_text t = {.s = NULL};
    job->source->ops->text(job->source, &t, 12);
    char *text = orr__text_done(&t);
    if (text)
        orr__text_add(out, "  trace     %s\n%s", job->name, text);
    else
        out->failed = true;
    orr__free(text);
}

static void add_notes(struct orr_text *out, const struct orr_world *w)
{
    struct orr_notes n;
    if (orr__gather_notes(w, &n) != ORR_OK)
        out->failed = true;
    for (uint32_t i = 0; i < n.n; i++)
        orr__text_add(out, "  note      %s\n", n.text[i]);
    orr__notes_free(&n);
}

/* Collectives that may be replayed. */
static void add_replayed(struct orr_text *out, const struct orr_world *w)
{
    struct orr_text t = {0};
    orr__replayed_plan(&t, w);
    char *text = orr__text_done(&t);
    if (text && *text)
        orr__text_add(out, "  replay    %s", text);
    else if (!text && w->result.replayed)
        out->failed = true;
    orr__free(text);
}

static void add_places(struct orr_text *out, const struct orr_world *w)
{
    struct orr_notes n;
    if (orr__notes_of_places(w, &n) != ORR_OK)
        out->failed = true;
    for (uint32_t i = 0; i < n.n; i++)
        orr__text_add(out, "  note      %s\n", n.text[i]);
    orr__notes_free(&n);
}

/* What its packets will be is known when it runs: not before jobs have met. */
static void add_cluster(struct orr_text *out, const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    char last[32] = "";
    orr__text_add(out, "  cluster   %u GPUs in %u server%s, %u rack%s\n",
                  c->inventory.gpus, c->inventory.servers,
                  c->inventory.servers == 1 ? "" : "s", c->inventory.racks,
                  c->inventory.racks == 1 ? "" : "s");
    if (c->jobs)
        orr__human_long_time(c->job[c->jobs - 1].is.at_ns, last, sizeof last);
    orr__text_add(out, "  workload  %u job%s of %u template%s%s%s\n", c->jobs,
                  c->jobs == 1 ? "" : "s", c->templates,
                  c->templates == 1 ? "" : "s",
                  c->jobs ? ", the last one after " : "", last);
    orr__text_add(out, "  queue     %s, placement %s, accuracy %s\n",
                  c->queue->name, c->placement->name, e->pace->name);
}

/* What would run: network, jobs, flows, and what traces lack. */
static void add_plan(struct orr_text *out, const char *config,
                     const orr_experiment *x)
{
    const struct orr_world *w = orr__experiment_world(x);
    uint64_t ranks = 0;
    uint32_t flows = w->flows ? w->flows->count : 0;
    orr__text_add(out, "%s: ok\n  topology  ", config);
    orr__graph_line(out, w->graph);
    if (orr__experiment_cluster(x)) {
        add_cluster(out, orr__experiment_cluster(x));
        add_places(out, w);
        return;
    }
    for (uint32_t j = 0; j < w->n_jobs; j++)
        ranks += w->jobs[j].ranks;
    orr__text_add(out, "  workload  ");
    if (w->n_jobs)
        orr__text_add(out, "%u job%s with %llu ranks%s", w->n_jobs,
                      w->n_jobs == 1 ? "" : "s", (unsigned long long)ranks,
                      flows ? ", " : "\n");
    if (flows)
        orr__text_add(out, "%u flow%s\n", flows, flows == 1 ? "" : "s");
    add_replayed(out, w);
    add_notes(out, w);
    for (uint32_t j = 0; j < w->n_jobs; j++)
        if (w->jobs[j].source)
            add_trace(out, &w->jobs[j]);
}

/* "0.4 s", "12 min", "3.5 h" */
static void add_seconds(struct orr_text *out, double s)
{
    if (s < 120)
        orr__text_add(out, "about %.3g s", s);
    else if (s < 7200)
        orr__text_add(out, "about %.3g minutes", s / 60);
    else
        orr__text_add(out, "about %.3g hours", s / 3600);
}

/* Which iterations will be skipped is known when they are gone through. */
static void add_repeat(struct orr_text *out, const struct orr_world *w)
{
    if (w->result.repeated)
        orr__text_add(
            out, "            if all of it is simulated: repeat will skip what "
                 "it can\n");
}

/* Time on one thread and memory, with a warning where there is not so much.
 * Memory that this process has already is counted once. */
static void add_estimate(struct orr_text *out, const struct orr_estimate *e,
                         const struct orr_world *w)
{
    char memory[32], there[32];
    uint64_t mine = orr__memory_resident();
    uint64_t more = e->memory_bytes > mine ? e->memory_bytes - mine : 0;
    orr__human_size(e->memory_bytes, memory, sizeof memory);
    orr__text_add(out, "  estimate  %.3g packet-hops, ", e->packet_hops);
    add_seconds(out, e->seconds + ORR_PROCESS_S);
    orr__text_add(out, " on one thread, about %s of memory\n", memory);
    add_repeat(out, w);
    uint64_t available = orr__memory_available();
    if (more > available) {
        orr__human_size(available, there, sizeof there);
        orr__text_add(out, "  warning   only %s of memory are free here\n",
                      there);
    }
}

/* What took longer than a check is to take. */
static void add_left_out(struct orr_text *out, const orr_experiment *x,
                         bool cut)
{
    if (orr__experiment_unplanned(x))
        orr__text_add(
            out,
            "  left out  the plan of its schedule, which takes longer than "
            "%g s:\n            orrery plan CONFIG computes it\n",
            ORR_CHECK_PLAN_S);
    if (cut && !orr__experiment_cluster(x))
        orr__text_add(
            out,
            "  left out  a part of the estimate, which takes longer than %g "
            "s:\n            the estimate is a lower bound\n",
            ORR_CHECK_ALL_S);
    else if (cut)
        orr__text_add(
            out,
            "  left out  what comes after %g s: the rest is assumed to be "
            "alike\n",
            ORR_CHECK_ALL_S);
}

/* Of a cluster; how much memory is needed depends on which jobs meet. */
static void add_forecast(struct orr_text *out, const struct orr_estimate *e)
{
    if (e->seconds <= 0)
        return;
    orr__text_add(out, "  estimate  %.3g packet-hops, ", e->packet_hops);
    add_seconds(out, e->seconds + ORR_PROCESS_S);
    orr__text_add(out, " on one thread\n");
}

#define MANY_ROWS  1e6
#define MANY_BYTES 1e9

/* Records of a given interval: how many, when that is worth a line. */
static void add_records(struct orr_text *out, const struct orr_estimate *e)
{
    char size[32];
    if (e->bins < 1 && e->samples < 1)
        return;
    orr__human_size((uint64_t)e->record_bytes, size, sizeof size);
    orr__text_add(out, "  records   ");
    if (e->bins >= 1)
        orr__text_add(out, "%.3g bins%s", e->bins, e->samples >= 1 ? ", " : "");
    if (e->samples >= 1)
        orr__text_add(out, "%.3g samples", e->samples);
    orr__text_add(out, " or more, up to about %s\n", size);
    if (e->bins > MANY_ROWS || e->samples > MANY_ROWS
        || e->record_bytes > MANY_BYTES)
        orr__text_add(
            out, "  warning   these records may cost more than the run: "
                 "a longer\n            record.interval or record.sample\n");
}

static void add_note(void *arg, const char *text)
{
    orr__text_add(arg, "  note      %s\n", text);
}

/* All combinations of a study. */
static void add_study(struct orr_text *out, const struct orr_checked *k)
{
    struct orr_compare_count n = orr__compare_count(k->study);
    orr__text_add(out, "%s: ok\n  study     %u combination%s, %u run%s\n",
                  k->config, n.combinations, n.combinations == 1 ? "" : "s",
                  n.runs, n.runs == 1 ? "" : "s");
    orr__text_add(out, "  estimate  ");
    add_seconds(out, n.seconds);
    orr__text_add(out, " of CPU time for what is missing\n");
    if (n.looked_at < n.combinations)
        orr__text_add(out,
                      "  left out  all combinations after the first %u, which "
                      "took %g s: the others\n            are assumed to be "
                      "like them, and none of them done\n",
                      n.looked_at, ORR_CHECK_ALL_S);
    orr__compare_notes(k->study, add_note, out);
}

char *orr__checked_text(const struct orr_checked *k)
{
    struct orr_text t = {.s = NULL};
    if (k->study) {
        add_study(&t, k);
        return orr__text_shown(&t);
    }
    add_plan(&t, k->config, k->x);
    if (orr__experiment_cluster(k->x))
        add_forecast(&t, &k->e);
    else
        add_estimate(&t, &k->e, orr__experiment_world(k->x));
    add_left_out(&t, k->x, k->cut);
    add_records(&t, &k->e);
    return orr__text_shown(&t);
}
