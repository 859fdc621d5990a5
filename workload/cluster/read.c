#include "workload/cluster/read.h"

#include <stdlib.h>
#include <string.h>

#include "core/config/yaml.h"
#include "core/memory.h"
#include "core/units.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/item_list.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/cluster/tenants.h"
#include "workload/world.h"

/* The map `cluster`. */
struct keys {
    const struct orr_yaml *servers, *jobs, *arrivals, *queue, *placement,
        *failures, *resize, *migrate, *tenants;
    int64_t share, most, phases, replications;
    int accuracy, on_failure, dearer;
    const char *end, *start, *preempt, *restart;
};

#define KEY(k, t, ...)                                                         \
    {                                                                          \
        .key = #k, .type = ORR_PARAM_##t, .offset = offsetof(struct keys, k),  \
        __VA_ARGS__                                                            \
    }
static const struct orr_param params[] = {
    KEY(servers, NODE, .fallback = "",
        .help = "as topology.servers: GPUs of a server and their links; "
                "without either, each host is a GPU"),
    KEY(share, INT, .fallback = "1", .min = "1", .max = "64",
        .help = "most jobs on a GPU"),
    KEY(jobs, NODE,
        .help = "templates of jobs, a list of {name, gpus, iterations | "
                "duration, weight} and keys of a job: model or program ..."),
    KEY(arrivals, NODE,
        .help = "when jobs arrive: {kind: poisson | dynamic | list, ...} or "
                "{trace: {file, format}}"),
    KEY(tenants, NODE, .fallback = "",
        .help =
            "tenants and their quotas of GPUs, a list of {name, quota, ...}"),
    KEY(queue, NODE, .fallback = "",
        .help = "which job gets GPUs first: a name, or {kind, ...}; `orrery "
                "list cluster-queues`"),
    KEY(placement, NODE, .fallback = "",
        .help = "which GPUs: a name, or {kind, ...}; `orrery list "
                "cluster-placements`"),
    KEY(accuracy, CHOICE, .fallback = "sampled",
        .choices = (const char *const[]){"sampled", "packets", "fluid", NULL},
        .help = "how iterations are simulated: with packets, until known to "
                "`repeat.error`; with all packets; by shares of links, without "
                "packets"),
    KEY(most, INT, .fallback = "200", .min = "4", .max = "100000",
        .help =
            "sampled: most iterations of the slowest job of a set to simulate"),
    KEY(phases, INT, .fallback = "200", .min = "1", .max = "1000",
        .help = "sampled: fractions of an iteration to which starts of jobs "
                "are rounded, so that earlier results apply"),
    KEY(dearer, CHOICE, .fallback = "packets",
        .choices = (const char *const[]){"packets", "go-on", NULL},
        .help = "sampled, eight jobs or more: if sets of jobs do not settle "
                "and more iterations were simulated than all jobs have: "
                "simulate all packets instead, or go on"),
    KEY(replications, INT, .fallback = "8", .min = "0", .max = "1000",
        .help = "sampled: replays of the cluster with unknown values drawn "
                "again, for the intervals of its figures; 0: no intervals"),
    KEY(end, TEXT, .fallback = "",
        .help = "time at which the run ends; default: when all jobs are done"),
    KEY(start, TEXT, .fallback = "0s",
        .help = "time from getting GPUs to the beginning of a job"),
    KEY(preempt, TEXT, .fallback = "0s", .help = "the same after a preemption"),
    KEY(restart, TEXT, .fallback = "0s", .help = "the same after a failure"),
    KEY(failures, NODE, .fallback = "",
        .help = "servers that fail, a list of {server, at, for}"),
    KEY(resize, NODE, .fallback = "",
        .help = "when elastic jobs get more or fewer GPUs, and the cost: "
                "{cost, every, grow, shrink, by, told}"),
    KEY(migrate, NODE, .fallback = "",
        .help = "running jobs migrate to nearer GPUs, and the cost: {cost, "
                "every}; default: no migration"),
    KEY(on_failure, CHOICE, .fallback = "restart",
        .choices = (const char *const[]){"restart", "fail", NULL},
        .help = "a job whose server fails waits for GPUs again, or ends"),
    ORR_PARAM_END,
};

/* An item of `cluster.failures`. */
struct outage_keys {
    int64_t server;
    const char *at, *during;
};
static const struct orr_param outage_params[] = {
    {.key = "server",
     .type = ORR_PARAM_INT,
     .min = "0",
     .offset = offsetof(struct outage_keys, server),
     .help = "its number, from 0 on"},
    {.key = "at",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct outage_keys, at),
     .help = "time"},
    {.key = "for",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct outage_keys, during),
     .fallback = "",
     .help = "how long; default: for good"},
    ORR_PARAM_END,
};

const struct orr_param *orr__cluster_params(void)
{
    return params;
}

const struct orr_param *orr__outage_params(void)
{
    return outage_params;
}

bool orr__cluster_all_packets(struct orr_config *c,
                              const struct orr_yaml *cluster)
{
    const struct orr_yaml *node = orr__yaml_get(cluster, "accuracy");
    const char *text = node ? orr__yaml_text(c, node) : NULL;
    return text && strcmp(text, "packets") == 0;
}

/* An effective configuration, as each run of a study has one, says its servers
 * twice. */
static orr_err is_same(const struct orr_yaml *a, const struct orr_yaml *b,
                       bool *same, struct orr_report *why)
{
    char *x = orr__yaml_emit(a), *y = orr__yaml_emit(b);
    orr_err err = x && y ? ORR_OK : orr__no_memory(why);
    *same = !err && strcmp(x, y) == 0;
    orr__free(x);
    orr__free(y);
    return err;
}

orr_err orr__cluster_servers(struct orr_config *c,
                             const struct orr_yaml *cluster,
                             struct orr_report *why)
{
    const struct orr_yaml *servers = orr__yaml_get(cluster, "servers");
    const struct orr_yaml *topology =
        orr__yaml_get(orr__config_root(c), "topology");
    if (!servers || orr__yaml_is_null(servers))
        return ORR_OK;
    const struct orr_yaml *there = orr__yaml_get(topology, "servers");
    bool same = false;
    orr_err err = there ? is_same(there, servers, &same, why) : ORR_OK;
    if (err || same)
        return err;
    if (there)
        return orr__yaml_fail(
            c, servers, why,
            "cluster.servers: `topology` already defines servers");
    return orr__config_lay(c, "topology.servers", servers, servers, why);
}

/* ---- times and failures -------------------------------------------------- */

static orr_err read_time(struct orr_config *c, const struct orr_yaml *map,
                         const char *key, const char *text, int64_t *ns,
                         struct orr_report *why)
{
    const char *wrong = text ? orr__parse_long_time(text, ns) : NULL;
    return wrong ? orr__yaml_fail(c, orr__yaml_get(map, key), why,
                                  "%s: \"%s\": %s", key, text, wrong)
                 : ORR_OK;
}

/* One server, from a time on; without `for` it stays out. */
static orr_err read_outage(const struct orr_cluster *c,
                           const struct orr_yaml *node, void *item,
                           struct orr_report *why)
{
    struct orr_server_outage *out = item;
    struct orr_config *config = c->world->config;
    struct outage_keys k = {0};
    const struct orr_param_set set = {outage_params, &k};
    int64_t during = INT64_MAX;
    orr_err err = orr__param_read(config, node, "failures", &set, 1, why);
    if (!err)
        err = read_time(config, node, "at", k.at, &out->at_ns, why);
    if (!err)
        err = read_time(config, node, "for", k.during, &during, why);
    if (!err && k.server >= c->inventory.servers)
        err = orr__yaml_fail(config, orr__yaml_get(node, "server"), why,
                             "failures: there is no server %lld; servers are "
                             "0 to %u",
                             (long long)k.server, c->inventory.servers - 1);
    out->server = (uint32_t)k.server;
    out->until_ns = orr__time_add(out->at_ns, during);
    return err;
}

static int by_time(const void *a, const void *b)
{
    const struct orr_server_outage *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->server < y->server ? -1 : x->server > y->server;
}

/* All of them, in order of time; in the document's arena. */
static orr_err read_outages(const struct orr_cluster *c,
                            const struct orr_yaml *list,
                            struct orr_cluster_settings *s,
                            struct orr_report *why)
{
    void *outage = NULL;
    orr_err err = orr__item_list_read(
        c, list, "failures: a list of {server, at, for}", sizeof *s->outage,
        read_outage, &outage, &s->outages, why);
    s->outage = outage;
    if (!err && s->outages)
        qsort(s->outage, s->outages, sizeof *s->outage, by_time);
    return err;
}

/* ---- the map ------------------------------------------------------------- */

/* When it ends and what changes cost a job, ns; without `end` all jobs are run
 * to their ends. */
static orr_err read_times(const struct orr_cluster *c, const struct keys *k,
                          struct orr_cluster_settings *s,
                          struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    const struct {
        const char *key, *text;
        int64_t *ns;
    } times[] = {
        {"end", k->end, &s->end_ns},
        {"start", k->start, &s->start_ns},
        {"preempt", k->preempt, &s->preempt_ns},
        {"restart", k->restart, &s->restart_ns},
    };
    orr_err err = ORR_OK;
    s->end_ns = INT64_MAX;
    for (size_t i = 0; !err && i < sizeof times / sizeof *times; i++)
        err = read_time(config, c->node, times[i].key, times[i].text,
                        times[i].ns, why);
    return err;
}

orr_err orr__cluster_read(struct orr_world *w, const struct orr_yaml *cluster,
                          struct orr_cluster *c, struct orr_cluster_settings *s,
                          struct orr_report *why)
{
    struct keys k = {0};
    const struct orr_param_set set = {params, &k};
    *c = (struct orr_cluster){
        .world = w, .node = cluster, .until_ns = INT64_MAX};
    *s = (struct orr_cluster_settings){.error = 0.02};
    orr_err err = orr__param_read(w->config, cluster, "cluster", &set, 1, why);
    if (!err)
        err = orr__inventory_init(&c->inventory, w->graph, (uint32_t)k.share,
                                  why);
    if (!err)
        err = orr__gpu_kinds_read(&c->inventory, w->config, why);
    if (!err)
        err = read_times(c, &k, s, why);
    if (!err)
        err = orr__tenants_read(c, k.tenants, why);
    if (!err)
        err = read_outages(c, k.failures, s, why);
    if (!err)
        err = orr__queue_policy_read(c, k.queue, why);
    if (!err)
        err = orr__cluster_placement_read(c, k.placement, "cluster.placement",
                                          orr__cluster_placements()[0]->name,
                                          why);
    if (!err)
        err = orr__templates_read(c, k.jobs, why);
    if (!err)
        err = orr__changes_read(c, k.resize, k.migrate, s, why);
    s->accuracy = k.accuracy;
    s->most = k.most;
    s->phases = k.phases;
    s->replications = k.replications;
    s->fails = k.on_failure == 1;
    s->goes_on = k.dearer == 1;
    return err;
}

orr_err orr__cluster_jobs(struct orr_cluster *c, orr_baseline_fn *alone,
                          void *arg, struct orr_report *why)
{
    orr_err err = orr__arrivals_read(c, orr__yaml_get(c->node, "arrivals"),
                                     alone, arg, why);
    if (err)
        return err;
    c->job = orr__alloc(c->arrivals.n, sizeof *c->job);
    c->waiting = orr__alloc(c->arrivals.n, sizeof *c->waiting);
    c->running = orr__alloc(c->arrivals.n, sizeof *c->running);
    if (!c->job || !c->waiting || !c->running)
        return orr__no_memory(why);
    c->jobs = c->arrivals.n;
    for (uint32_t i = 0; i < c->jobs; i++)
        c->job[i] = (struct orr_cluster_job){
            .is = c->arrivals.item[i],
            .index = i,
            .asked = c->arrivals.item[i].gpus,
            .changed_ns = -1,
            .iterations = (double)c->arrivals.item[i].iterations,
            .first_ns = -1,
            .finish_ns = -1,
        };
    return ORR_OK;
}

void orr__cluster_fini(struct orr_cluster *c)
{
    for (uint32_t i = 0; i < c->jobs; i++)
        orr__free(c->job[i].gpu);
    orr__free(c->job);
    orr__free(c->waiting);
    orr__free(c->running);
    orr__inventory_fini(&c->inventory);
    *c = (struct orr_cluster){.jobs = 0};
}
