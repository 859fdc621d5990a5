/* Jobs: reading them, and handing what happens to their ranks. */
#include "workload/job/job.h"

#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/names.h"
#include "core/none.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/job/costs.h"
#include "workload/job/idle.h"
#include "workload/job/iteration_changes.h"
#include "workload/job/serve.h"
#include "workload/job/service.h"
#include "workload/model/train.h"
#include "workload/placement/placement.h"
#include "workload/program/circle.h"
#include "workload/program/groups.h"
#include "workload/program/limits.h"
#include "workload/program/source.h"
#include "workload/rank/policy.h"

/* ---- keys --------------------------------------------------------------- */

/* The keys of every job; -1 or NULL: left out. */
struct job_keys {
    const char *name;
    int64_t ranks, iterations, warmup, overlap;
    const struct orr_yaml *placement, *start, *program, *trace, *jitter,
        *overhead, *stragglers, *local, *gate, *serve;
    double compute_factor;
    int complete;
    bool exclusive;
};

#define KEY(k, t, ...)                                                         \
    {                                                                          \
        .key = #k, .type = ORR_PARAM_##t,                                      \
        .offset = offsetof(struct job_keys, k), __VA_ARGS__                    \
    }
const struct orr_param orr__job_params[] = {
    KEY(name, TEXT, .fallback = "", .help = "default: job and its number"),
    KEY(ranks, INT, .min = "1", .max = "16000000",
        .help = "number of processes (GPUs)"),
    KEY(placement, NODE, .fallback = "", .help = "which host each rank is on"),
    KEY(start, NODE, .fallback = "",
        .help = "when its ranks start: a time, or {at, skew}; default: 0s"),
    KEY(iterations, INT, .fallback = "1", .min = "1", .max = "1000000",
        .help = "passes through the program"),
    KEY(warmup, INT, .fallback = "0", .min = "0", .max = "999999",
        .help = "first iterations, not counted in mean and percentiles"),
    KEY(overlap, INT, .fallback = "auto", .min = "1", .max = "1000",
        .help = "iterations of a rank that may be open at once, as far as "
                "dependencies (`after: [id@-1]`) and streams allow; auto: 1, "
                "with `schedule: pipedream` its NOAM",
        .idle = orr__idle_overlap),
    KEY(program, NODE, .fallback = "",
        .help = "operations of each rank in an iteration, a list; or `model`: "
                "`orrery help models`"),
    KEY(trace, NODE, .fallback = "", .help = "or: a trace, {format, ...}"),
    KEY(serve, NODE, .fallback = "",
        .help = "or: requests to a language model, {arrivals, prompt, output, "
                "prefill, decode, kv, ...}"),
    KEY(jitter, NODE, .fallback = "",
        .help = "variation of the times of computations",
        .idle = orr__idle_factor),
    KEY(compute_factor, REAL, .fallback = "1", .min = "0", .max = "10000",
        .help = "factor on the computations of all ranks: 0.5 on GPUs that are "
                "twice as fast",
        .idle = orr__idle_factor),
    KEY(stragglers, NODE, .fallback = "",
        .help = "factors on computations of ranks: {3: 1.5}",
        .idle = orr__idle_factor),
    {
        .key = "message_overhead",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct job_keys, overhead),
        .fallback = "",
        .help = "a cost for each message: {time, rate, jitter, on: compute | "
                "nic | thread}",
        .idle = orr__idle_silent,
    },
    KEY(complete, CHOICE, .fallback = "sent",
        .choices = (const char *const[]){"sent", "acked", "arrived", NULL},
        .help = "a send is complete when its last byte has left the NIC, is "
                "acknowledged, or would have arrived on an idle path",
        .idle = orr__idle_silent),
    KEY(local, NODE, .fallback = "",
        .help = "messages between ranks of one host: {rate, delay}",
        .idle = orr__idle_local),
    KEY(exclusive, BOOL, .fallback = "false",
        .help = "no other job may have a rank on its hosts",
        .idle = orr__idle_exclusive),
    KEY(gate, NODE, .fallback = "",
        .help = "when the job may communicate: {period, offset, every, drift}"),
    ORR_PARAM_END,
};

/* ---- reading ------------------------------------------------------------ */

/* The document's; names NULL: it may be another job's too. */
static orr_err read_name(struct orr_world *w, const struct orr_yaml *node,
                         struct orr_job *j, const char *name,
                         struct orr_names *names, struct orr_report *why)
{
    char *made = NULL;
    if (!name) {
        name = made = orr__format("job%u", j->index);
        if (!made)
            return orr__no_memory(why);
    }
    j->name = orr__arena_strdup(orr__config_arena(w->config), name);
    orr__free(made);
    if (!j->name)
        return orr__no_memory(why);
    if (!names)
        return ORR_OK;
    if (orr__names_find(names, j->name) != ORR_NONE) {
        const struct orr_yaml *at = orr__yaml_get(node, "name");
        return orr__yaml_fail(w->config, at ? at : node, why,
                              "two jobs are called \"%s\"", j->name);
    }
    return orr__names_add(names, j->name, j->index) ? ORR_OK
                                                    : orr__no_memory(why);
}

/* Hosts of the ranks, then of the hidden servers. */
static orr_err add_servers(struct orr_job *j, const struct orr_program *p,
                           struct orr_report *why)
{
    j->members = j->ranks + p->servers;
    uint32_t *more = orr__resize(j->hosts, j->members, sizeof *more);
    if (!more)
        return orr__no_memory(why);
    j->hosts = more;
    for (uint32_t i = 0; i < p->servers; i++)
        j->hosts[j->ranks + i] = p->server_host[i];
    return ORR_OK;
}

/* What messages cost, when one is complete, and when ranks start. */
static orr_err read_costs(struct orr_config *c, const struct job_keys *k,
                          struct orr_job *j, struct orr_team *t,
                          struct orr_report *why)
{
    const struct orr_cost_nodes nodes = {k->jitter, k->overhead, k->local,
                                         j->index};
    struct orr_costs costs = {.overhead_on = 0};
    orr_err err = orr__costs_read(c, &nodes, &costs, why);
    t->jitter = costs.jitter;
    t->overhead_jitter = costs.overhead_jitter;
    t->overhead_ps = costs.overhead_ps;
    t->overhead_bps = costs.overhead_bps;
    t->overhead_on = costs.overhead_on;
    t->local_bps = costs.local_bps;
    t->local_delay_ps = costs.local_delay_ps;
    if (!err)
        err = orr__start_read(c, k->start, &j->start_ps, &t->skew, why);
    t->acked = k->complete == 1;
    t->arrives = k->complete == 2;
    return err;
}

/* By how much computations are longer: `compute_factor`, and `stragglers:
 * {RANK: FACTOR}` on top of it. */
static orr_err read_factors(struct orr_config *c, const struct job_keys *k,
                            struct orr_job *j, struct orr_team *t,
                            struct orr_report *why)
{
    const struct orr_yaml *map = k->stragglers;
    bool alike = k->compute_factor >= 1 && k->compute_factor <= 1;
    if (!map && alike)
        return ORR_OK;
    if (map && !orr__yaml_is_map(map))
        return orr__yaml_fail(c, map, why,
                              "stragglers: a map like {3: 1.5} is expected, "
                              "rank and factor");
    t->slower = orr__alloc(j->ranks, sizeof *t->slower);
    if (!t->slower)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < j->ranks; i++)
        t->slower[i] = k->compute_factor;
    for (size_t i = 0; map && i < orr__yaml_count(map); i++) {
        const struct orr_yaml *key = orr__yaml_key(map, i);
        const struct orr_yaml *value = orr__yaml_value(map, i);
        const char *a = orr__yaml_text(c, key), *b = orr__yaml_text(c, value);
        int64_t rank;
        double factor;
        if (!a || orr__parse_int(a, &rank) || rank < 0 || rank >= j->ranks)
            return orr__yaml_fail(c, key, why,
                                  "stragglers: there is no rank %s; ranks are "
                                  "0 to %u",
                                  a ? a : "?", j->ranks - 1);
        if (!b || orr__parse_real(b, &factor) || !(factor >= 0)
            || factor > 10000)
            return orr__yaml_fail(c, value, why,
                                  "stragglers: a factor from 0 to 10000 is "
                                  "expected");
        t->slower[rank] = factor * k->compute_factor;
    }
    return ORR_OK;
}

/* Requests decide what its ranks do, and how often. */
static orr_err check_serve(const struct orr_world *w,
                           const struct orr_yaml *node,
                           const struct job_keys *k, struct orr_report *why)
{
    const char *key = k->iterations > 1                 ? "iterations"
                      : k->overlap > 1                  ? "overlap"
                      : k->gate                         ? "gate"
                      : orr__yaml_get(k->start, "skew") ? "start"
                                                        : NULL;
    if (key)
        return orr__yaml_fail(w->config, orr__yaml_get(node, key), why,
                              "%s: not of a job that serves requests", key);
    return w->jobs_join ? orr__yaml_fail(w->config, k->serve, why,
                                         "serve: not of a job of a cluster")
                        : ORR_OK;
}

/* From the list, a trace or a model. *out is the team's also when this fails.
 */
static orr_err make_program(struct orr_world *w, const struct orr_yaml *node,
                            const struct job_keys *k,
                            const struct orr_train_keys *train,
                            struct orr_job *j, struct orr_team *t,
                            struct orr_program **out, struct orr_report *why)
{
    const struct orr_program_limits reach = {w, j->hosts, t->local_bps};
    const struct orr_trace_job job = {
        .config = w->config,
        .node = k->trace,
        .graph = w->graph,
        .ranks = j->ranks,
        .arena = orr__config_arena(w->config),
    };
    const struct orr_serve_job served = {w, k->serve, j->hosts, j->ranks,
                                         j->index};
    if (k->serve)
        return check_serve(w, node, k, why)
                   ? ORR_ECONFIG
                   : orr__serve_read(&served, &j->serve, out, why);
    if (train->model)
        j->model = orr__yaml_text(w->config, train->model);
    if (train->model)
        return orr__train_read(w->config, node, train, w->graph, j->hosts,
                               j->ranks, out, why);
    if (!k->trace)
        return orr__program_read(w->config, orr__yaml_get(node, "program"),
                                 w->graph, j->hosts, j->ranks, &reach, out,
                                 why);
    orr_err err = w->readers.traces->read(&job, out, &j->source, why);
    if (err || !j->source->watches)
        return err;
    t->watch = orr__alloc((*out)->ops, sizeof *t->watch);
    return t->watch ? ORR_OK : orr__no_memory(why);
}

/* Of a trace or a model, where no size stands in the configuration. */
static orr_err check_reach(struct orr_world *w, const struct orr_yaml *at,
                           const struct orr_job *j, const struct orr_team *t,
                           const struct orr_program *p, struct orr_report *why)
{
    const struct orr_program_limits reach = {w, j->hosts, t->local_bps};
    for (uint32_t i = 0; i < p->ops; i++) {
        char text[240], name[64];
        if (!orr__program_limits_beyond(&reach, p, &p->op[i], text,
                                        sizeof text))
            continue;
        orr__op_label(p, i, name, sizeof name);
        return orr__yaml_fail(w->config, at, why, "%s (%s): %s", name,
                              orr__op_name(p, i), text);
    }
    return orr__program_groups_check(w, p, j->hosts, at, why);
}

/* Whether another simulator says who waits where for a stream. */
static bool has_rules(const struct orr_program *p)
{
    for (uint32_t i = 0; i < p->ops; i++)
        if (p->op[i].rule)
            return true;
    return false;
}

/* From a list, a model or a trace; errors without a place get that of their
 * key. The program is the team's, also after an error. */
static orr_err read_program(struct orr_world *w, const struct orr_yaml *node,
                            const struct job_keys *k,
                            const struct orr_train_keys *train,
                            struct orr_job *j, struct orr_team *t,
                            struct orr_report *why)
{
    struct orr_program *p = NULL;
    orr_err err = make_program(w, node, k, train, j, t, &p, why);
    t->program = p;
    if (!err)
        orr__program_seed(p, w->seed, j->index);
    const struct orr_yaml *from = train->model ? train->model
                                  : k->trace   ? k->trace
                                               : k->serve;
    if (!err && k->overlap > 1 && has_rules(p))
        return orr__yaml_fail(w->config, orr__yaml_get(node, "overlap"), why,
                              "overlap: a trace by the rules of another "
                              "simulator has one iteration at a time");
    if (!err && from)
        err = check_reach(w, from, j, t, p, why);
    if (err)
        return orr__yaml_place(w->config, from ? from : node, err, why);
    err = add_servers(j, p, why);
    t->name = j->name;
    t->job = j->index;
    t->ranks = j->ranks;
    t->members = j->members;
    t->iterations = j->iterations;
    t->overlap = p->overlap       ? p->overlap
                 : k->overlap > 0 ? (uint32_t)k->overlap
                                  : 1;
    if (!err)
        err = orr__program_check_open(w->config, node, p, t->overlap, why);
    t->seed = w->seed;
    t->hosts = j->hosts;
    t->kept = (uint64_t)p->calls * t->iterations;
    if (t->kept > ORR_COLLECTIVES_KEPT)
        t->kept = ORR_COLLECTIVES_KEPT;
    if (j->serve)
        t->kept = 0;
    return err;
}

/* The traffic classes that messages of some calls are in, above the job's. */
static orr_err raise_classes(struct orr_world *w, const struct orr_yaml *node,
                             uint32_t class, const struct orr_program *p,
                             struct orr_report *why)
{
    struct orr_net_config *n = &w->draft->config;
    ORR_ASSERT(p);
    if (class + p->raises >= ORR_MOST_CLASSES)
        return orr__yaml_fail(
            w->config, orr__yaml_get(node, "layer_classes"), why,
            "layer_classes: from class %u on there are %u "
            "classes, up to %d",
            class, ORR_MOST_CLASSES - class, ORR_MOST_CLASSES - 1);
    if (class + p->raises >= n->classes)
        n->classes = class + p->raises + 1;
    return ORR_OK;
}

/* T->judge becomes the lowest rank that sends: it decides when the job is
 * late. */
static orr_err read_gate(struct orr_world *w, const struct orr_yaml *node,
                         struct orr_job *j, struct orr_team *t,
                         const struct orr_job_facts *facts,
                         struct orr_report *why)
{
    char path[40]; /* where an absent `drift` would stand */
    snprintf(path, sizeof path, "jobs[%u].gate.drift", j->index);
    t->gate = &j->gate;
    while (t->judge < t->ranks && !orr__rank_sends(t->program, t->judge))
        t->judge++;
    orr_err err = orr__gate_read(w->config, node, path, facts, &j->gate, why);
    if (!err && j->gate.period_ps && t->judge == t->ranks)
        err = orr__yaml_fail(w->config, node, why,
                             "gate: this job sends nothing");
    return err;
}

/* A job has one of program, trace and model; keys of a model only with one. */
static orr_err check_source(struct orr_config *c, const struct orr_yaml *node,
                            struct orr_report *why)
{
    static const char *const sources[] = {"program", "trace", "model", "serve"};
    const struct orr_yaml *first = NULL;
    const char *name = NULL;
    for (int i = 0; i < 4; i++) {
        const struct orr_yaml *at = orr__yaml_get(node, sources[i]);
        if (at && first)
            return orr__yaml_fail(c, node, why,
                                  "a job has a `%s` or a `%s`, not both", name,
                                  sources[i]);
        first = at ? at : first;
        name = at ? sources[i] : name;
    }
    bool model = orr__yaml_get(node, "model");
    for (const struct orr_param *p = orr__train_params; !model && p->key; p++)
        if (orr__yaml_get(node, p->key))
            return orr__yaml_fail(c, orr__yaml_get(node, p->key), why,
                                  "%s: only a job with `model` takes it",
                                  p->key);
    return first || !orr__yaml_is_map(node)
               ? ORR_OK
               : orr__yaml_fail(
                   c, node, why,
                   "a job needs a `program`, a `trace`, a `model` or "
                   "`serve`");
}

/* What numbers say, and what contradicts itself or the network. */
static orr_err take_keys(const struct orr_world *w, const struct orr_yaml *node,
                         const struct job_keys *k, struct orr_job *j,
                         struct orr_report *why)
{
    j->ranks = j->members = (uint32_t)k->ranks;
    j->exclusive = k->exclusive;
    j->iterations = (uint32_t)k->iterations;
    j->warmup = (uint32_t)k->warmup;
    if (j->warmup >= j->iterations)
        return orr__yaml_fail(w->config, orr__yaml_get(node, "warmup"), why,
                              "warmup: no iteration would be left of %u",
                              j->iterations);
    if (k->complete == 1 && !orr__net_wire(w->net_config).reliable)
        return orr__yaml_fail(w->config, orr__yaml_get(node, "complete"), why,
                              "complete: nothing is acknowledged without "
                              "`network.transport: reliable`");
    if (k->complete == 2 && orr__net_wire(w->net_config).reliable)
        return orr__yaml_fail(w->config, orr__yaml_get(node, "complete"), why,
                              "complete: what is acknowledged is `acked`, not "
                              "`arrived`; that is for `network.transport: "
                              "datagram` or `analytical`");
    return ORR_OK;
}

/* What its program says, when that is made. ENOMEM at worst. */
static orr_err find_facts(struct orr_world *w, const struct orr_job *j,
                          struct orr_job_facts *f, struct orr_report *why)
{
    bool payload = false;
    f->counts = j->iterations;
    f->foreign = j->source;
    orr__job_facts_program(j->team->program, f, &payload);
    if (j->serve) { /* from reading ranks to writing ones */
        f->silent = false;
        payload |= j->serve->kv > 1;
    }
    w->draft->config.used.payload |= payload;
    return orr__job_facts_hosts(j->hosts, j->members, w->graph->hosts, f)
               ? orr__no_memory(why)
               : ORR_OK;
}

/* names: of the jobs before; NULL: not compared. only: there is no other. */
static orr_err read_job(struct orr_world *w, const struct orr_yaml *node,
                        struct orr_job *j, struct orr_names *names, bool only,
                        struct orr_report *why)
{
    struct orr_job_facts *facts =
        orr__arena_alloc(orr__config_arena(w->config), 1, sizeof *facts);
    struct job_keys k = {0};
    struct orr_service_keys service = {NULL, 0, 1};
    struct orr_iteration_change_keys stages = {.facts = facts};
    struct orr_train_keys train = {.staleness = -1, .compute = -1, .dtype = -1};
    const struct orr_param_set sets[] = {
        {orr__job_params, &k, facts},
        {orr__service_keys, &service, w->net_config},
        {orr__stage_keys, &stages, facts},
        {orr__train_params, &train, facts ? &facts->train : NULL},
    };
    char path[32];
    struct orr_team *t = j->team = orr__alloc(1, sizeof *t);
    if (!t || !facts)
        return orr__no_memory(why);
    facts->only = only;
    train.facts = &facts->train;
    j->finish_ps = -1;
    orr_err err = check_source(w->config, node, why);
    if (!err)
        err = orr__param_read(w->config, node, "job", sets,
                              orr__yaml_get(node, "model") ? 4 : 3, why);
    if (!err)
        err = read_name(w, node, j, k.name, names, why);
    snprintf(path, sizeof path, "jobs[%u]", j->index);
    if (!err)
        err = orr__service_read(w, &service, path, &t->service, why);
    if (err)
        return err;
    err = take_keys(w, node, &k, j, why);
    if (!err)
        err = orr__place_ranks(w, k.placement, orr__yaml_get(node, "ranks"),
                               j->ranks, j->index, &j->hosts, why);
    err = err ? err : orr__iteration_changes_read(w, &stages, j, t, why);
    err = err ? err : read_costs(w->config, &k, j, t, why);
    if (!err)
        err = read_factors(w->config, &k, j, t, why);
    train.overlap = k.overlap > 0 ? k.overlap : 0;
    if (!err)
        err = read_program(w, node, &k, &train, j, t, why);
    if (!err)
        err = raise_classes(w, node, (uint32_t)service.class, t->program, why);
    err = err ? err : find_facts(w, j, facts, why);
    return err ? err : read_gate(w, k.gate, j, t, facts, why);
}

orr_err orr__jobs_read(struct orr_world *w, const struct orr_yaml *jobs,
                       struct orr_report *why)
{
    if (!jobs || orr__yaml_is_null(jobs))
        return ORR_OK;
    if (!orr__yaml_is_list(jobs))
        return orr__yaml_fail(w->config, jobs, why,
                              "jobs: a list is expected; begin each job with "
                              "`-`");
    size_t n = orr__yaml_count(jobs);
    if (n > UINT16_MAX)
        return orr__yaml_fail(w->config, jobs, why,
                              "jobs: %zu are too many, %u fit", n, UINT16_MAX);
    w->jobs = orr__alloc(n, sizeof *w->jobs);
    if (!w->jobs)
        return orr__no_memory(why);
    struct orr_names names = {NULL, 0, 0};
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < n; i++) {
        w->jobs[i].index = w->n_jobs++;
        err = read_job(w, orr__yaml_item(jobs, i), &w->jobs[i], &names, n == 1,
                       why);
    }
    orr__names_fini(&names);
    return err;
}

orr_err orr__job_read(struct orr_world *w, const struct orr_yaml *node,
                      struct orr_job *j, struct orr_report *why)
{
    return read_job(w, node, j, NULL, false, why);
}

/* ---- upcalls ------------------------------------------------------------ */

static void received(void *team, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct orr_team *t = team;
    if (!orr__is_request(m->arg))
        t->rank[m->dst].bytes_received += m->bytes;
    orr__rank_received(&t->rank[m->dst], now, m->src, m->tag, m->arg);
}

/* How long a message's last byte travels after it has left the NIC. */
static int64_t time_beyond(const struct orr_team *t,
                           const struct orr_message *m)
{
    const struct orr_world *w = t->world;
    const struct orr_connection_spec spec =
        orr__post_spec(t, t->rank[m->src].stage, m->src, m->dst);
    uint32_t link;
    if (orr__net_wire(w->net_config).whole || /* has arrived */
        orr__net_path_of(w->net, &spec, true, &link, 1) == 0)
        return 0;
    int64_t all = orr__net_idle_of(w->net, &spec, m->bytes);
    int64_t first = orr__serialisation(m->bytes, w->graph->rate_bps[link]);
    return all > first ? all - first : 0;
}

/* A plain message counts as sent when it would have arrived. */
static __attribute__((noinline)) void sent_later(const struct orr_team *t,
                                                 int64_t now,
                                                 const struct orr_message *m)
{
    orr__rank_later(&t->rank[m->src], orr__time_add(now, time_beyond(t, m)),
                    &(struct orr_later){
                        .kind = ORR_LATER_LEFT, .tag = m->tag, .arg = m->arg});
}

static void sent(void *team, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
    struct orr_team *t = team;
    if (t->arrives && m->arg == ORR_ARG_PLAIN)
        sent_later(t, now, m);
    else if (!t->acked)
        orr__rank_left(&t->rank[m->src], now, m->tag, m->arg);
}

static void acked(void *team, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct orr_team *t = team;
    if (t->acked)
        orr__rank_left(&t->rank[m->src], now, m->tag, m->arg);
}

/* What a rank waits for: its start (slot 0), a thing that is due, or the shift
 * of a gate. */
static void timer(void *team, uint32_t host, int64_t now, uint64_t arg)
{
    struct orr_team *t = team;
    uint32_t member = (uint32_t)(arg >> ORR_RANK_SLOT_BITS);
    uint32_t slot = arg & ((1u << ORR_RANK_SLOT_BITS) - 1);
    if (arg & ORR_TIMER_SHIFT)
        orr__gate_shifted(
            &t->rank[member & ((1u << ORR_RANK_MEMBER_BITS) - 1)]);
    else if (slot == 0)
        orr__rank_start(&t->rank[member], now);
    else
        orr__rank_timer(&t->rank[member], now, slot);
}

static bool leaves(void *team, uint32_t host, int64_t at,
                   const struct orr_message *m)
{
    struct orr_team *t = team;
    if (t->arrives && m->arg == ORR_ARG_PLAIN)
        return false;
    return t->acked || orr__rank_leaves(&t->rank[m->src], at, m->tag, m->arg);
}

static const struct orr_net_ops upcalls = {
    .received = received,
    .sent = sent,
    .leaves = leaves,
    .acked = acked,
    .timer = timer,
};

/* ---- starting ----------------------------------------------------------- */

/* Tallies of one worker, and the records made of them. */
uint64_t orr__jobs_bytes(const struct orr_world *w)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_team *t = w->jobs[i].team;
        bytes +=
            t->iterations
            * (uint64_t)(2 * sizeof(struct orr_iteration) + sizeof(uint32_t));
        bytes += t->kept
                 * (sizeof(struct orr_tally_call)
                    + sizeof(struct orr_collective_record));
    }
    return bytes;
}

/* One worker's. NULL: no memory. A part may be missing: the caller looks. */
static struct orr_tally *new_tally(const struct orr_team *t)
{
    struct orr_tally *y = orr__alloc_lines(1, sizeof *y);
    if (!y)
        return NULL;
    y->finish_ps = -1;
    y->iteration = orr__alloc(t->iterations, sizeof *y->iteration);
    y->iteration_out = orr__alloc(t->iterations, sizeof *y->iteration_out);
    y->call = orr__alloc(t->kept, sizeof *y->call);
    if (!y->iteration || !y->iteration_out || !y->call)
        return y; /* freed with the team; the caller sees what is missing */
    for (uint32_t i = 0; i < t->iterations; i++)
        y->iteration[i] = (struct orr_iteration){-1, -1};
    return y;
}

orr_err orr__job_ready(struct orr_world *w, struct orr_job *j,
                       struct orr_report *why)
{
    struct orr_team *t = j->team;
    t->clock = &orr__packet_clock;
    t->net = w->net;
    t->world = w;
    t->user = orr__net_user(w->net, &upcalls, t);
    if (t->user == ORR_NONE)
        return orr__no_memory(why);
    if (t->program->policy && !t->program->policy->make(t))
        return orr__no_memory(why);
    t->free_posts = t->overhead_ps == 0 && t->overhead_bps == 0
                    && t->overhead_jitter.kind == ORR_JITTER_NONE
                    && t->program->request_bytes == 0;
    t->tally = orr__alloc(w->options.workers, sizeof *t->tally);
    t->rank = orr__alloc_lines(t->members, sizeof *t->rank);
    if (!t->tally || !t->rank)
        return orr__no_memory(why);
    for (unsigned i = 0; i < w->options.workers; i++) {
        struct orr_tally *y = t->tally[i] = new_tally(t);
        if (!y || !y->iteration || !y->iteration_out || !y->call)
            return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < t->members; i++) {
        unsigned worker = orr__net_worker(w->net, t->hosts[i]);
        if (!orr__rank_init(&t->rank[i], t, i, t->tally[worker]))
            return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < j->n_logs; i++)
        t->rank[j->logged[i]].log = &j->log[i];
    if (j->serve && orr__serve_start(j->serve, w, t, why))
        return ORR_ENOMEM;
    return orr__team_groups(t, why);
}

void orr__job_begin(struct orr_world *w, struct orr_job *j, int64_t now)
{
    const struct orr_team *t = j->team;
    j->start_ps = orr__time_add(j->start_ps, now);
    if (j->serve) {
        orr__serve_begin(j->serve, j->start_ps);
        return;
    }
    for (uint32_t i = 0; i < t->ranks; i++)
        orr__net_timer_first(
            w->net, t->hosts[i],
            orr__time_add(j->start_ps,
                          orr__start_skew(&t->skew, t->seed, t->job, i)),
            t->user, (uint64_t)t->job << ORR_RANK_MEMBER_BITS | i,
            orr__rank_timer_arg(&t->rank[i], 0));
}

orr_err orr__jobs_start(struct orr_world *w, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        if (!w->only_job || w->only_job == &w->jobs[i])
            err = orr__job_ready(w, &w->jobs[i], why);
    for (uint32_t i = 0;
         !err && i < (w->jobs_apart && !w->only_job ? 1 : w->n_jobs); i++)
        if (!w->only_job || w->only_job == &w->jobs[i])
            orr__job_begin(w, &w->jobs[i], 0);
    return err;
}

/* ---- outside of a run --------------------------------------------------- */

/* Of a team in any state. */
static void free_team(struct orr_team *t, unsigned workers)
{
    for (uint32_t i = 0; t->rank && i < t->members; i++)
        if (t->rank[i].team)
            orr__rank_fini(&t->rank[i]);
    for (unsigned i = 0; t->tally && i < workers; i++)
        if (t->tally[i]) {
            orr__free(t->tally[i]->iteration);
            orr__free(t->tally[i]->iteration_out);
            orr__free(t->tally[i]->call);
            orr__free(t->tally[i]);
        }
    if (t->policy)
        t->program->policy->free(t);
    orr__iteration_changes_free(t);
    orr__free(t->watch);
    orr__free(t->group);
    orr__free(t->rank);
    orr__free(t->slower);
    orr__free(t->tally);
    orr__program_free((struct orr_program *)t->program);
    orr__free(t);
}

void orr__job_fini(struct orr_job *j, unsigned workers)
{
    if (j->team)
        free_team(j->team, workers);
    orr__serve_free(j->serve);
    for (uint32_t k = 0; k < j->n_logs; k++)
        orr__free(j->log[k].event);
    orr__free(j->log);
    orr__free(j->logged);
    orr__free(j->hosts);
    orr__free(j->iteration);
    orr__free(j->packets);
    orr__free(j->collective);
    orr__free(j->rank);
}

void orr__jobs_free(struct orr_world *w)
{
    for (uint32_t i = 0; i < w->n_jobs; i++)
        orr__job_fini(&w->jobs[i], w->options.workers);
    orr__free(w->jobs);
    w->jobs = NULL;
    w->n_jobs = 0;
}
