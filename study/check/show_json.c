/* The same for programs. */
#include "cluster/engine.h"
#include "core/json.h"
#include "core/memory.h"
#include "experiment/estimate.h"
#include "experiment/experiment.h"
#include "experiment/lists.h"
#include "experiment/notes.h"
#include "study/check/check.h"
#include "topo/graph.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"

static void add_topology(struct orr_json *j, const struct orr_graph *g)
{
    orr__json_object(j, "topology");
    orr__json_text(j, "kind", g->kind);
    orr__json_count(j, "hosts", g->hosts);
    orr__json_count(j, "switches", g->nodes - g->hosts);
    orr__json_count(j, "cables", g->cables);
    orr__json_count(j, "links", orr__links_present(g));
    orr__json_end(j);
}

/* Its sizes, and what decides. */
static void add_cluster(struct orr_json *j, const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    orr__json_object(j, "cluster");
    orr__json_count(j, "gpus", c->inventory.gpus);
    orr__json_count(j, "servers", c->inventory.servers);
    orr__json_count(j, "racks", c->inventory.racks);
    orr__json_count(j, "jobs", c->jobs);
    orr__json_count(j, "templates", c->templates);
    orr__json_text(j, "queue", c->queue->name);
    orr__json_text(j, "placement", c->placement->name);
    orr__json_text(j, "accuracy", e->pace->name);
    orr__json_end(j);
}

/* The first jobs (experiment/lists.h), and the number of flows. */
static void add_jobs(struct orr_json *j, const struct orr_world *w)
{
    uint64_t shown = orr__json_shown(j, "jobs", w->n_jobs, ORR_LIST_MOST);
    orr__json_list(j, "jobs");
    for (uint32_t i = 0; i < shown; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "name", w->jobs[i].name);
        orr__json_count(j, "ranks", w->jobs[i].ranks);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_count(j, "flows", w->flows ? w->flows->count : 0);
}

/* Of a cluster, how much memory is needed depends on which jobs share links. */
static void add_estimate(struct orr_json *j, const struct orr_estimate *e,
                         bool cluster)
{
    orr__json_object(j, "estimate");
    orr__json_real(j, "packet_hops", e->packet_hops);
    orr__json_real(j, "cpu_s", e->seconds + ORR_PROCESS_S);
    if (cluster)
        orr__json_null(j, "memory_bytes");
    else
        orr__json_count(j, "memory_bytes", e->memory_bytes);
    orr__json_real(j, "bins", e->bins);
    orr__json_real(j, "samples", e->samples);
    orr__json_real(j, "record_bytes", e->record_bytes);
    orr__json_end(j);
}

/* Parts that took too long: the estimate is a lower bound then, or of a cluster
 * and a study taken for the rest. */
static void add_left_out(struct orr_json *j, const struct orr_checked *k)
{
    orr__json_list(j, "left_out");
    if (k->x && orr__experiment_unplanned(k->x))
        orr__json_text(j, NULL, "plan");
    if (k->cut)
        orr__json_text(j, NULL, "estimate");
    orr__json_end(j);
}

static void add_note(void *arg, const char *text)
{
    orr__json_text(arg, NULL, text);
}

/* Sentences as the text has them. */
static void add_notes(struct orr_json *j, const struct orr_checked *k)
{
    struct orr_notes n = {.n = 0};
    orr_err err = ORR_OK;
    orr__json_list(j, "notes");
    if (k->study)
        orr__compare_notes(k->study, add_note, j);
    else if (orr__experiment_cluster(k->x))
        err = orr__notes_of_places(orr__experiment_world(k->x), &n);
    else
        err = orr__gather_notes(orr__experiment_world(k->x), &n);
    for (uint32_t i = 0; i < n.n && !err; i++)
        orr__json_text(j, NULL, n.text[i]);
    orr__json_end(j);
    orr__notes_free(&n);
    j->text.failed |= err != ORR_OK;
}

/* CPU seconds are of the runs that are missing. */
static void add_study(struct orr_json *j, const struct orr_checked *k)
{
    struct orr_compare_count n = orr__compare_count(k->study);
    orr__json_text(j, "kind", "study");
    orr__json_count(j, "combinations", n.combinations);
    orr__json_count(j, "looked_at", n.looked_at);
    orr__json_count(j, "runs", n.runs);
    orr__json_count(j, "missing", n.missing);
    orr__json_object(j, "estimate");
    orr__json_real(j, "cpu_s", n.seconds);
    orr__json_end(j);
}

/* One run, or a cluster over time. */
static void add_run(struct orr_json *j, const struct orr_checked *k)
{
    const struct orr_world *w = orr__experiment_world(k->x);
    const struct orr_engine *e = orr__experiment_cluster(k->x);
    orr__json_text(j, "kind", e ? "cluster" : "run");
    add_topology(j, w->graph);
    if (e)
        add_cluster(j, e);
    else
        add_jobs(j, w);
    add_estimate(j, &k->e, e != NULL);
    add_left_out(j, k);
}

char *orr__checked_json(const struct orr_checked *k)
{
    struct orr_json j = {.depth = 0};
    orr__json_object(&j, NULL);
    orr__json_text(&j, "config", k->config);
    if (k->study)
        add_study(&j, k);
    else
        add_run(&j, k);
    add_notes(&j, k);
    orr__json_cuts(&j);
    orr__json_end(&j);
    return orr__json_done(&j);
}
