#include "experiment/build.h"

#include "core/memory.h"
#include "core/thread_pool.h"
#include "core/units.h"
#include "experiment/estimate.h"
#include "experiment/frozen.h"
#include "net/config/config.h"
#include "net/config/queues.h"
#include "net/config/timers.h"
#include "topo/metrics.h"
#include "workload/flow/flows.h"
#include "workload/job/adjust.h"
#include "workload/job/job.h"
#include "workload/schedule/schedule.h"

#define MOST_THREADS 1024
#define MOST_AUTO    16
#define AUTO_NODES   48 /* for a thread, at least */
#define MOST_PARTS   32
#define PART_NODES   8 /* in a part, at least, for parts that are chosen well */

/* Hosts that anything is, or may be, sent to or from. */
static uint32_t mark_hosts(const struct orr_world *w, bool all, uint32_t *list)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < w->graph->hosts; h++)
        list[h] = all;
    for (uint32_t j = 0; j < w->n_jobs; j++)
        for (uint32_t r = 0; r < w->jobs[j].members; r++)
            list[w->jobs[j].hosts[r]] = 1;
    for (uint32_t i = 0; w->flows && i < w->flows->count; i++) {
        list[w->flows->flow[i].src] = 1;
        list[w->flows->flow[i].dst] = 1;
    }
    for (uint32_t h = 0; h < w->graph->hosts; h++)
        if (list[h])
            list[n++] = h;
    return n;
}

orr_err orr__build_routes(struct orr_world *w, bool all, struct orr_report *why)
{
    uint32_t *hosts = orr__alloc(w->graph->hosts, sizeof *hosts);
    if (!hosts)
        return orr__no_memory(why);
    uint32_t n = mark_hosts(w, all, hosts);
    struct orr_routing *routes = NULL;
    orr_err err = orr__net_routes(w->graph, w->net_config, w->seed, hosts, n,
                                  &routes, why);
    w->routes = routes;
    orr__free(hosts);
    return err;
}

/* Which classes something may be sent in; `all`: also in those that a program
 * or a job that comes later may choose. */
static uint8_t used_classes(const struct orr_world *w, bool all)
{
    const struct orr_net_config *c = w->net_config;
    const struct orr_flows *f = w->flows;
    uint32_t used = (1u << c->planned_classes) - 1;
    if (all && (!w->jobs_join || c->least_classes > 1))
        used |= (1u << (w->jobs_join ? c->least_classes : c->classes)) - 1;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        used |= orr__job_classes(c, &w->jobs[i]);
    for (uint32_t i = 0; f && i < f->count; i++)
        used |= 1u << (f->flow[i].service ? f->flow[i].service->class
                                          : c->service.class);
    return (uint8_t)used;
}

/* Shares the nodes out among the workers by the load that is expected. */
static orr_err make_partition(const struct orr_world *w, uint32_t *out,
                              struct orr_report *why)
{
    if (w->options.workers == 1)
        return ORR_OK;
    if (w->graph->nodes / PART_NODES < w->options.workers) {
        /* METIS warns on stdout; and such windows are too small to share */
        for (uint32_t i = 0; i < w->graph->nodes; i++)
            out[i] = i % w->options.workers;
        return ORR_OK;
    }
    uint32_t *weight = orr__alloc(w->graph->nodes, sizeof *weight);
    if (!weight)
        return orr__no_memory(why);
    orr_err err = orr__estimate_weights(w, weight, why);
    if (err == ORR_OK)
        err = orr__graph_partition(w->graph, weight, w->options.workers, out,
                                   why);
    orr__free(weight);
    return err;
}

/* As many as there are processors for, and work: a share of the nodes for
 * each. Whether they help is measured while it runs. */
static unsigned auto_threads(const struct orr_graph *g)
{
    unsigned threads = orr__processors(), most = g->nodes / AUTO_NODES;
    most = most < MOST_AUTO ? most : MOST_AUTO;
    threads = threads < most ? threads : most;
    return threads ? threads : 1;
}

/* More parts than threads, so that load evens out; but each looks at all the
 * others between windows. */
static unsigned parts_for(unsigned threads, uint32_t nodes)
{
    unsigned parts = 4 * threads;
    if (threads == 1)
        return 1;
    parts = parts < MOST_PARTS ? parts : MOST_PARTS;
    parts = parts < nodes / PART_NODES ? parts : nodes / PART_NODES;
    return parts > threads ? parts : threads;
}

orr_err orr__build_net(struct orr_world *w, const struct orr_build *b,
                       uint32_t **part, struct orr_report *why)
{
    unsigned threads = b->threads;
    if (threads == ORR_THREADS_AUTO)
        threads = auto_threads(w->graph);
    if (threads > MOST_THREADS)
        return orr__fail(why, ORR_ECONFIG, "%u threads are more than %d",
                         threads, MOST_THREADS);
    w->options.threads = threads ? threads : 1;
    if (w->options.threads > w->graph->nodes)
        w->options.threads = w->graph->nodes;
    w->options.workers = parts_for(w->options.threads, w->graph->nodes);
    if (b->one && w->options.threads == 1) {
        w->draft->config.processes = ORR_PROCESSES_ONE;
        w->draft->config.most_window_ps = ORR_US;
    }
    w->draft->config.used_classes = used_classes(w, b->all);
    orr_err err = orr__queue_fits(w->net_config, w->graph, why);
    if (!err)
        err = orr__timers_settle(w->draft, w->graph, why);
    if (err)
        return err;
    orr__world_freeze(w);
    *part = orr__alloc(w->graph->nodes, sizeof **part);
    if (!*part)
        return orr__no_memory(why);
    err = orr__build_routes(w, b->all, why);
    if (err == ORR_OK)
        err = make_partition(w, *part, why);
    if (err == ORR_OK)
        err = orr__net_new(w->graph, w->routes, w->net_config, w->seed,
                           w->options.workers, *part, &w->net, why);
    if (err == ORR_OK)
        orr__net_threads(w->net, w->options.threads);
    return err;
}

/* ---- control ------------------------------------------------------------ */

#define CONTROL_DELAY (10 * ORR_US)

void orr__choose_control_delay(struct orr_world *w, int64_t asked)
{
    int64_t least = ORR_NEVER;

    for (uint32_t l = 0; l < w->graph->links; l++)
        if (least > w->graph->delay_ps[l])
            least = w->graph->delay_ps[l];
    w->options.control_delay_given = asked > 0;
    asked = w->options.control_delay_given ? asked : CONTROL_DELAY;
    w->options.control_delay_ps = asked > least ? asked : least;
    if (w->options.control_delay_ps < 2)
        w->options.control_delay_ps = 2;
    bool shifts = w->jobs_join || w->scheduler->ops->gates; /* some job may */
    for (uint32_t i = 0; i < w->n_jobs; i++)
        shifts |= orr__gate_shifts(&w->jobs[i].gate);
    if (shifts)
        w->draft->config.least_post_ps = w->options.control_delay_ps;
    bool serves = false;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        serves |= w->jobs[i].serve != NULL;
    if (orr__flows_triggers(w) || serves)
        w->draft->config.least_post_ps = w->options.control_delay_ps / 2;
}
