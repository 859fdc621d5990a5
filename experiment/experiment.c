/* An experiment: configuration, world, run, results. This is the public API;
 * everything it does is in the modules below it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"
#include "core/libraries.h"
#include "core/memory.h"
#include "core/thread_pool.h"
#include "core/units.h"
#include "experiment/build.h"
#include "experiment/doubt.h"
#include "experiment/estimate.h"
#include "experiment/experiment.h"
#include "experiment/fit.h"
#include "experiment/frozen.h"
#include "experiment/limit.h"
#include "experiment/options.h"
#include "experiment/outermost.h"
#include "experiment/plan_tables.h"
#include "experiment/profile_record.h"
#include "experiment/record_size.h"
#include "experiment/results.h"
#include "experiment/stale.h"
#include "formats/source.h"
#include "net/cc/plugin.h"
#include "net/config/circuits.h"
#include "net/config/config.h"
#include "net/config/idle.h"
#include "net/config/tiers.h"
#include "record/busy_time.h"
#include "record/owners.h"
#include "record/series.h"
#include "topo/metrics.h"
#include "workload/cluster/read.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/job/shared_hosts.h"
#include "workload/program/limits.h"
#include "workload/repeat/repeat.h"
#include "workload/schedule/schedule.h"
#include "workload/world.h"

#define PROGRESS_PERIOD_S 0.1
#define WALL              CLOCK_MONOTONIC
#define PROCESS           CLOCK_PROCESS_CPUTIME_ID /* of all its threads */

/* An experiment from loading to its results; owns all in it but what the caller
 * handed down. */
struct orr_experiment {
    struct orr_world world;
    struct orr_outermost top;         /* what was read */
    struct orr_circle_tables circles; /* of the plan, for the records */
    struct orr_record_estimate plan;
    uint32_t *partition;            /* per node, its worker */
    char *output;                   /* name of the records file asked for */
    char *written;                  /* the same once it is there, else NULL */
    bool unplanned;                 /* a schedule, which was interrupted */
    bool started, ran, interrupted; /* ran: there are results */
    struct orr_open_options how;
    const struct orr_extensions *extensions; /* never NULL */
    void *cluster;                           /* NULL: it is a run */
    unsigned threads;                        /* that were asked for */

    void (*progress)(void *arg, const struct orr_progress *p);
    void *progress_arg;
    const volatile int *interrupt;
    double began_s, shown_s; /* wall clock: run began, progress last told */
    double expected_hops;    /* from the estimate; 0: unknown */
};

/* ---- loading ----------------------------------------------------------- */

/* "a/b/ring.yaml" gives "ring"; stdin gives "orrery". */
static char *make_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = orr__strdup(slash ? slash + 1 : path);
    if (!name)
        return NULL;
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    if (strcmp(name, "-") == 0) {
        orr__free(name);
        return orr__strdup("orrery");
    }
    return name;
}

/* The document with all that the caller lays over it, and its outermost keys.
 */
static orr_err read_config(struct orr_experiment *x, const char *path,
                           const char *text, const struct orr_options *o,
                           struct orr_report *why)
{
    struct orr_world *w = &x->world;
    orr_err err = ORR_OK;
    if (!w->config)
        err = text
                  ? orr__config_parse(path, text, strlen(text), &w->config, why)
                  : orr__config_load(path, &w->config, why);
    if (o->folder && err == ORR_OK)
        err = orr__config_set_folder(w->config, o->folder, why);
    if (err == ORR_OK)
        err = orr__cc_plugins_add(w->config, o->plugins, o->n_plugins, why);
    for (size_t i = 0; i < o->n_sets && err == ORR_OK; i++)
        err = orr__config_set(w->config, o->sets[i], why);
    if (err == ORR_OK && o->has_seed) {
        char set[32];
        snprintf(set, sizeof set, "seed=%llu", (unsigned long long)o->seed);
        err = orr__config_set(w->config, set, why);
    }
    if (err == ORR_OK && !x->how.single_job.wanted
        && x->extensions->choose_candidates)
        err = x->extensions->choose_candidates(
            w->config, o, x->how.plan_may_end, &x->unplanned, why);
    if (err != ORR_OK)
        return err;
    return orr__outermost_read(w->config, &x->top, why);
}

/* Names: the title, and the file that records go to. */
static orr_err choose_names(struct orr_experiment *x, const char *path,
                            const struct orr_options *o, struct orr_report *why)
{
    struct orr_world *w = &x->world;
    char *name = make_stem(path);
    if (!name)
        return orr__no_memory(why);
    x->output = o->output ? orr__strdup(o->output) : orr__format("%s.h5", name);
    w->options.title =
        x->top.title ? x->top.title
                     : orr__arena_strdup(orr__config_arena(w->config), name);
    w->options.command = orr__arena_strdup(orr__config_arena(w->config),
                                           o->command ? o->command : "");
    orr__free(name);
    return x->output && w->options.title && w->options.command
               ? ORR_OK
               : orr__no_memory(why);
}

/* ECONFIG, where jobs or flows would stand. */
static orr_err fail_without_traffic(struct orr_experiment *x,
                                    struct orr_report *why)
{
    const struct orr_yaml *root = orr__config_root(x->world.config);
    const struct orr_yaml *at = orr__yaml_get(root, "jobs");
    if (!at)
        at = orr__yaml_get(root, "flows");
    orr_err err = orr__yaml_fail(x->world.config, at, why,
                                 "there is nothing to run: no jobs, no flows");
    orr__hint(why, "for example flows: [{src: 0, dst: 1, size: 1MB}]");
    return err;
}

/* Of the classes that a program may send in. */
static orr_err read_services(struct orr_experiment *x, struct orr_report *why)
{
    const struct orr_open_options *how = &x->how;
    struct orr_net_draft *draft = x->world.draft;
    orr_err err = ORR_OK;

    if (!how->program.service)
        return ORR_OK;
    *how->program.classes = draft->config.classes;
    for (uint32_t i = 0; i < draft->config.classes && err == ORR_OK; i++)
        err = orr__net_service_read(x->world.config, draft, NULL, "network", i,
                                    1, &how->program.service[i], why);
    return err;
}

/* A cluster has given its servers to it. */
static const struct orr_yaml *topology_of(const struct orr_experiment *x)
{
    return orr__yaml_get(orr__config_root(x->world.config), "topology");
}

/* A cluster is all that there is, and has a time of its own. */
static orr_err read_cluster_keys(struct orr_experiment *x,
                                 struct orr_report *why)
{
    struct orr_world *w = &x->world;
    const struct orr_yaml *root = orr__config_root(w->config);
    const struct orr_yaml *other = x->top.jobs ? x->top.jobs : x->top.flows;
    orr_err err = ORR_OK;
    if (other)
        err = orr__yaml_fail(w->config, other, why,
                             "a configuration has a "
                             "`cluster` or `jobs` and `flows`, not both");
    else if (orr__yaml_get(root, "stop"))
        err = orr__yaml_fail(w->config, orr__yaml_get(root, "stop"), why,
                             "stop: a cluster ends at `cluster.end`");
    else if ((x->top.failures || orr__yaml_get(topology_of(x), "circuits"))
             && !orr__cluster_all_packets(w->config, x->top.cluster))
        err = orr__yaml_fail(
            w->config, x->top.failures ? x->top.failures : topology_of(x), why,
            "%s: links of a cluster fail only with `accuracy: packets`, "
            "since paths do not change without packets; servers fail by "
            "`cluster.failures`",
            x->top.failures ? "failures" : "topology.circuits");
    if (err == ORR_OK)
        err = orr__cluster_servers(w->config, x->top.cluster, why);
    return err;
}

/* The graph, and what the configuration says of the network on it. */
static orr_err read_network(struct orr_experiment *x, struct orr_report *why)
{
    struct orr_world *w = &x->world;
    struct orr_graph *graph = NULL;
    struct orr_graph_use use = {.routes = true};
    orr__net_least_bytes(&use.link_bytes, &use.node_bytes);
    orr_err err = orr__graph_build_for(w->config, topology_of(x), w->seed, &use,
                                       &graph, why);
    w->graph = graph;
    if (!err)
        err = orr__net_config_read(w->config, x->top.network, &w->draft, why);
    if (err)
        return err;
    w->net_config = &w->draft->config;
    err = orr__link_changes_read(w->config, w->graph, x->top.failures,
                                 &w->draft->config.failures, why);
    err = err ? err : orr__tiers_fit(w->draft, graph, why);
    err = err ? err : orr__idle_graph(graph, w->draft, why);
    err = err ? err : orr__net_switches_add(w->draft, graph, why);
    w->fastest_bps =
        orr__program_limits_fastest(w->graph, w->net_config->failures);
    return err == ORR_OK ? read_services(x, why) : err;
}

/* flows: NULL: none are wanted. */
static orr_err read_traffic(struct orr_experiment *x,
                            const struct orr_yaml *flows,
                            struct orr_report *why)
{
    struct orr_world *w = &x->world;
    /* of jobs that come later nothing is known */
    w->draft->config.used.common = w->draft->config.used.payload =
        x->top.cluster || x->how.later.expected || x->how.later.jobs;
    orr_err err = orr__jobs_read(w, x->top.jobs, why);
    if (err == ORR_OK && x->how.subset.number)
        orr__jobs_number(w, x->how.subset.number);
    if (err == ORR_OK)
        err = orr__jobs_have_own_hosts(w, x->top.jobs, why);
    if (err == ORR_OK && x->how.single_job.wanted)
        err = orr__jobs_keep(w, x->how.single_job.name,
                             x->how.single_job.iterations, why);
    if (err == ORR_OK)
        err = orr__flows_read(w, flows, why);
    if (err == ORR_OK && !w->n_jobs && !w->flows && !x->top.cluster
        && !x->how.later.expected)
        err = fail_without_traffic(x, why);
    return err;
}

static orr_err open_cluster(struct orr_experiment *x, struct orr_report *why)
{
    const struct orr_multi_run_ops *ops = x->extensions->cluster;
    if (!ops)
        return orr__yaml_fail(x->world.config, x->top.cluster, why,
                              "a cluster runs by itself: it cannot be part of "
                              "a program or of another run");
    return ops->open(&x->world, x->top.cluster, &x->cluster, why);
}

/* Graph, network, jobs, flows, in the order in which they need each other. */
static orr_err read_world(struct orr_experiment *x, struct orr_report *why)
{
    static const char *const no_kinds[1]; /* its jobs come later */
    struct orr_world *w = &x->world;
    w->readers.traces = &orr__traces;
    w->readers.profile_text = orr__profile_of_record;
    w->seed = (uint64_t)x->top.seed;
    w->options.stop_ps = x->top.stop;
    w->jobs_join = x->how.later.jobs;
    w->job_kind = x->top.cluster ? no_kinds : x->how.subset.kind;
    const struct orr_yaml *flows =
        x->how.single_job.wanted ? NULL : x->top.flows;
    const struct orr_yaml *schedule =
        x->how.single_job.wanted ? NULL : x->top.schedule;
    if (!x->top.jobs && !flows && !x->top.cluster && !x->how.later.expected)
        return fail_without_traffic(x, why);
    orr_err err = orr__cc_plugins_read(w->config, x->top.plugins, why);
    if (err == ORR_OK && x->top.cluster)
        err = read_cluster_keys(x, why);
    if (err == ORR_OK)
        err = read_network(x, why);
    if (err == ORR_OK)
        err = orr__schedule_read(w, schedule, why);
    if (err == ORR_OK)
        err = read_traffic(x, flows, why);
    if (err == ORR_OK)
        err = orr__schedule_serve(w, why);
    if (err == ORR_OK)
        err = orr__repeat_read(w, w->jobs_join ? NULL : x->top.repeat, why);
    if (err == ORR_OK)
        err = orr__series_read(w, x->top.record, why);
    if (err == ORR_OK && !x->top.cluster)
        err = orr__packets_fit(w, why);
    if (err != ORR_OK)
        return err;
    orr__choose_control_delay(w, x->top.control_delay);
    x->top.delays = x->top.cluster || w->draft->config.least_post_ps > 0;
    return x->top.cluster ? open_cluster(x, why) : ORR_OK;
}

/* Builds the net, and lets the schedule plan for the jobs. */
static orr_err build_world(struct orr_experiment *x, unsigned threads,
                           struct orr_report *why)
{
    struct orr_world *w = &x->world;
    const struct orr_build b = {threads, x->how.later.expected,
                                x->how.program.one_process};
    orr_err err = orr__build_net(w, &b, &x->partition, why);
    err = orr__yaml_place(w->config, topology_of(x), err, why);
    if (err == ORR_OK)
        err = orr__settle_jobs(w, why);
    if (err != ORR_OK
        || w->jobs_join) /* jobs that show what may come do not run */
        return err;
    const struct orr_steerer *s = &x->how.steerer;
    struct orr_report late = {.code = ORR_OK};
    err = s->plan ? s->plan(s->arg, w, &late) : orr__schedule_plan(w, &late);
    x->unplanned |= err == ORR_EINTERRUPTED && x->how.plan_may_end;
    if (err && !x->unplanned && why && !why->code)
        *why = late;
    return x->unplanned ? ORR_OK : err;
}

static double read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct orr_extensions *choose_extensions(
    const struct orr_extensions *given)
{
    static const struct orr_extensions none;
    return given ? given : &none;
}

/* config: the document, taken over; or text; both NULL: from the file. how
 * NULL: as one that runs at once. */
static orr_err load_experiment(const char *path, struct orr_config *config,
                               const char *text,
                               const struct orr_options *options,
                               const struct orr_open_options *how,
                               orr_experiment **out, struct orr_report *why)
{
    static const struct orr_options defaults;
    static const struct orr_open_options at_once;
    const struct orr_options *o = options ? options : &defaults;
    orr_err err = orr__check_options(o, why);
    orr__libraries_init();
    double began_s = read_clock(PROCESS);
    uint64_t peak = orr__memory_peak();
    struct orr_experiment *x = err ? NULL : orr__alloc(1, sizeof *x);
    if (!x) {
        orr__config_free(config);
        return err ? err : orr__no_memory(why);
    }
    x->world.config = config;
    x->how = how ? *how : at_once;
    x->extensions = choose_extensions(x->how.extensions);
    x->progress = o->progress;
    x->progress_arg = o->progress_arg;
    x->interrupt = x->world.options.interrupt = o->interrupt;
    x->threads = o->threads;
    err = read_config(x, path, text, o, why);
    if (err == ORR_OK)
        err = choose_names(x, path, o, why);
    if (err == ORR_OK)
        err = read_world(x, why);
    if (err == ORR_OK && !x->cluster)
        err = orr__estimate_records(&x->world, x->top.record, &x->plan, why);
    if (x->cluster && x->world.watch.series && !o->no_output)
        x->world.options.output = x->output;
    if (o->no_output || x->cluster) /* what it says was checked all the same */
        orr__series_free(&x->world, false);
    if (err == ORR_OK && !x->cluster)
        err = build_world(x, o->threads, why);
    if (err == ORR_OK && !x->cluster && orr__open_is_run(&x->how))
        err = orr__repeat_plan(&x->world, why);
    if (err != ORR_OK) {
        orr_experiment_free(x);
        return err;
    }
    x->world.job_kind = NULL; /* the caller's */
    x->world.result.setup_s = read_clock(PROCESS) - began_s;
    x->world.result.setup_bytes =
        orr__memory_peak() > peak ? orr__memory_peak() : 0;
    *out = x;
    return ORR_OK;
}

bool orr__experiment_unplanned(const orr_experiment *x)
{
    return x->unplanned;
}

orr_err orr__experiment_open(const char *name, const char *text,
                             const struct orr_options *options,
                             const struct orr_open_options *how,
                             orr_experiment **out, struct orr_report *why)
{
    return load_experiment(name, NULL, text, options, how, out, why);
}

orr_err orr__experiment_open_config(struct orr_config *config,
                                    const struct orr_options *options,
                                    const struct orr_open_options *how,
                                    orr_experiment **out,
                                    struct orr_report *why)
{
    return load_experiment(orr__config_name(config), config, NULL, options, how,
                           out, why);
}

orr_err orr__experiment_prepare(const char *name, struct orr_config *config,
                                const struct orr_extensions *extensions,
                                orr_experiment **out, struct orr_report *why)
{
    static const struct orr_options defaults = {.no_output = true};
    orr__libraries_init();
    struct orr_experiment *x = orr__alloc(1, sizeof *x);
    if (!x) {
        orr__config_free(config);
        return orr__no_memory(why);
    }
    x->world.config = config;
    x->extensions = choose_extensions(extensions);
    orr_err err = read_config(x, name, NULL, &defaults, why);
    if (err == ORR_OK)
        err = choose_names(x, name, &defaults, why);
    if (err == ORR_OK)
        err = read_world(x, why);
    if (err == ORR_OK)
        err = orr__estimate_records(&x->world, x->top.record, &x->plan, why);
    orr__series_free(&x->world, false);
    if (err == ORR_OK)
        err = orr__build_routes(&x->world, x->how.later.expected, why);
    err = orr__yaml_place(x->world.config, topology_of(x), err, why);
    if (err == ORR_OK)
        *out = x;
    else
        orr_experiment_free(x);
    return err;
}

char *orr__experiment_effective(const orr_experiment *x)
{
    return orr__config_effective(x->world.config);
}

orr_err orr_experiment_estimate(const orr_experiment *x, struct orr_estimate *e,
                                struct orr_report *why)
{
    if (!x || !e)
        return orr__fail(why, ORR_ECALL, "orr_experiment_estimate: %s is NULL",
                         x ? "e" : "x");
    bool cut = false;
    orr_err err;
    if (x->cluster) {
        err = x->extensions->cluster->estimate(x->cluster, e, &cut, why);
    } else {
        e->bins = x->plan.bins;
        e->samples = x->plan.samples;
        e->record_bytes = x->plan.bytes;
        err = orr__estimate(&x->world, e, &cut, why);
    }
    return err || !cut ? err
                       : orr__fail(why, ORR_EINTERRUPTED,
                                   "interrupted: "
                                   "the estimate is of what came before");
}

/* ---- running ----------------------------------------------------------- */

static double share_done(const struct orr_experiment *x, int64_t now,
                         uint64_t hops)
{
    double share = -1;
    if (x->expected_hops > 0)
        share = fmin((double)hops / x->expected_hops, 1);
    if (x->world.options.stop_ps != ORR_NEVER)
        share = fmax(share, (double)now / (double)x->world.options.stop_ps);
    return share;
}

/* To the user, ten times a second at most. */
static void tell_progress(struct orr_experiment *x, int64_t now)
{
    double wall = read_clock(WALL);
    if (!x->progress || wall - x->shown_s < PROGRESS_PERIOD_S)
        return;
    x->shown_s = wall;
    struct orr_net_totals t;
    orr__net_totals(x->world.net, &t);
    struct orr_progress p = {
        .time_ps = now,
        .packet_hops = t.packet_hops,
        .wall_s = wall - x->began_s,
        .share = share_done(x, now, t.packet_hops),
    };
    x->progress(x->progress_arg, &p);
}

static bool poll_user(void *arg, int64_t now)
{
    struct orr_experiment *x = arg;
    tell_progress(x, now);
    if (x->interrupt && *x->interrupt)
        x->interrupted = true;
    return x->interrupted;
}

/* What was still to be done when simulated time ended. */
static orr_err fail_at_end_of_time(const struct orr_world *w,
                                   const char *message, struct orr_report *why)
{
    char ranks[400], flows[400];
    uint32_t n = orr__jobs_waiting(w, ranks, sizeof ranks);
    uint32_t open = orr__flows_waiting(w, flows, sizeof flows);
    char counts[2][64] = {"", ""};
    if (n)
        snprintf(counts[0], sizeof counts[0], "; %u %s not finished: ", n,
                 n == 1 ? "rank has" : "ranks have");
    if (open)
        snprintf(counts[1], sizeof counts[1], "; %u of %u flows not: ", open,
                 w->flows->count);
    return orr__fail(why, ORR_ERUN, "%s%s%s%s%s%s", message, counts[0], ranks,
                     counts[1], flows,
                     n || open ? ""
                               : "; all jobs and flows have ended, but packets "
                                 "are still in flight");
}

/* Whether it got to its end is in world->result.partial. */
orr_err orr__experiment_advance(orr_experiment *x, int64_t until,
                                struct orr_report *why)
{
    struct orr_world *w = &x->world;
    struct orr_report net = {0};
    double cpu_s = read_clock(PROCESS);
    double wall_s = read_clock(WALL);
    if (until > w->options.stop_ps)
        until = w->options.stop_ps;
    x->began_s = wall_s - w->result.wall_s;
    x->shown_s = wall_s;
    x->interrupted = false; /* a run that was may go on */
    orr_err err =
        orr__repeat_run(w, until, poll_user, x, &w->result.end_ps, &net);
    w->result.wall_s += read_clock(WALL) - wall_s;
    w->result.cpu_s += read_clock(PROCESS) - cpu_s;
    w->result.partial =
        err != ORR_OK || x->interrupted || !orr__net_ended(w->net);
    w->result.ending = err != ORR_OK       ? ORR_ENDED_FAILED
                       : x->interrupted    ? ORR_ENDED_INTERRUPTED
                       : w->result.partial ? ORR_ENDED_STOPPED
                                           : ORR_ENDED_DONE;
    if (err != ORR_OK) {
        /* the net knows the code only when records failed */
        orr_err e = orr__series_state(w, why);
        if (e != ORR_OK)
            return e;
        if (err == ORR_ERUN && w->result.end_ps == ORR_HORIZON)
            return fail_at_end_of_time(w, net.message, why);
        err = orr__fail(why, err, "%s",
                        net.message[0] ? net.message : orr_strerror(err));
        orr__hint(why, "%s", net.hint);
        return err;
    }
    if (x->interrupted) {
        char at[32];
        orr__human_time(w->result.end_ps, at, sizeof at);
        err = orr__fail(why, ORR_EINTERRUPTED, "interrupted at %s", at);
    }
    return err;
}

/* The first failure is the one that is told. */
orr_err orr__experiment_end(orr_experiment *x, orr_err err,
                            struct orr_report *why)
{
    struct orr_world *w = &x->world;
    orr_err (*const closers[])(struct orr_world *, struct orr_report *) = {
        orr__busy_time_settle,
        orr__jobs_close,
        orr__limits_close,
        orr__flows_close,
    };
    orr__world_check(w);
    for (size_t i = 0; i < sizeof closers / sizeof *closers; i++) {
        struct orr_report ignored = {0};
        orr_err e = closers[i](w, err == ORR_OK ? why : &ignored);
        if (e == ORR_ERUN && err == ORR_OK && closers[i] == orr__jobs_close
            && orr__flows_open(w))
            orr__hint(why, "%u of %u flows did not finish either",
                      orr__flows_open(w), w->flows->count);
        if (e != ORR_OK && err == ORR_OK)
            w->result.ending =
                e == ORR_ERUN ? ORR_ENDED_QUIET : ORR_ENDED_FAILED;
        err = err == ORR_OK ? e : err;
        w->result.partial |= e != ORR_OK;
    }
    if (w->watch.series) {
        struct orr_report ignored = {0};
        struct orr_report *report = err == ORR_OK ? why : &ignored;
        char *doubt = orr__doubt_of_world(w);
        orr_err e = doubt ? orr__series_close(w, doubt, report)
                          : orr__no_memory(report);
        err = err == ORR_OK ? e : err;
        orr__free(doubt);
        if (e == ORR_OK)
            x->written = x->output;
        else
            orr__series_free(w, false);
    }
    return err;
}

orr_err orr__experiment_begin(orr_experiment *x, struct orr_report *why)
{
    struct orr_world *w = &x->world;
    orr_err err = ORR_OK;
    x->started = true;
    orr__repeat_check_observers(w);
    if (w->watch.by_job) /* whether or not anything is written */
        err = orr__owners_start(w, why);
    if (err == ORR_OK && w->watch.series) {
        w->options.output = x->output;
        if (orr__circle_tables(w, &x->circles))
            err = orr__no_memory(why);
        if (err == ORR_OK)
            err = orr__series_open(w, x->top.record, &x->circles, why);
        if (err == ORR_OK)
            err = orr__series_start(w, why);
    }
    if (err == ORR_OK && orr__limits_wanted(w))
        err = orr__busy_time_start(w, why);
    if (err == ORR_OK)
        err = orr__jobs_start(w, why);
    if (err == ORR_OK)
        err = orr__flows_start(w, why);
    if (err == ORR_OK)
        err = orr__repeat_start(w, why);
    x->ran = err == ORR_OK;
    if (err != ORR_OK)
        orr__series_free(w, false);
    return err;
}

/* Jobs that run apart: each of the others when all before is over. */
orr_err orr__experiment_finish(orr_experiment *x, struct orr_report *why)
{
    struct orr_world *w = &x->world;
    uint32_t jobs = w->jobs_apart && !w->only_job ? w->n_jobs : 1;
    orr_err err = orr__experiment_advance(x, ORR_NEVER, why);
    for (uint32_t i = 1; i < jobs && err == ORR_OK && !w->result.partial; i++) {
        orr__job_begin(w, &w->jobs[i],
                       orr__net_settle(w->net, w->result.end_ps));
        err = orr__experiment_advance(x, ORR_NEVER, why);
    }
    return err;
}

/* A cluster from beginning to end, records included. */
static orr_err run_cluster(struct orr_experiment *x, struct orr_report *why)
{
    struct orr_world *w = &x->world;
    const struct orr_multi_run_user user = {
        .progress = x->progress,
        .progress_arg = x->progress_arg,
        .interrupt = x->interrupt,
        .threads = x->threads,
        .no_intervals = x->how.no_intervals,
        .output = w->options.output,
    };
    double cpu_s = read_clock(PROCESS), wall_s = read_clock(WALL);
    bool written;
    x->started = x->ran = true;
    orr_err err = x->extensions->cluster->run(x->cluster, &user, &written, why);
    w->result.wall_s = read_clock(WALL) - wall_s;
    w->result.cpu_s = read_clock(PROCESS) - cpu_s;
    x->written = written ? x->output : NULL;
    return err;
}

orr_err orr_experiment_run(orr_experiment *x, struct orr_report *why)
{
    struct orr_estimate e;
    if (!x)
        return orr__fail(why, ORR_ECALL, "orr_experiment_run: x is NULL");
    if (x->started)
        return orr__fail(why, ORR_ERUN, "an experiment runs only once");
    if (x->cluster)
        return run_cluster(x, why);
    if (x->progress && orr__estimate(&x->world, &e, NULL, NULL) == ORR_OK)
        x->expected_hops = e.packet_hops;
    orr_err err = orr__experiment_begin(x, why);
    if (err != ORR_OK)
        return err;
    err = orr__experiment_finish(x, why);
    if (err == ORR_OK && x->top.alone && !x->how.single_job.wanted
        && x->world.n_jobs && x->extensions->run_baseline)
        err = x->extensions->run_baseline(
            x, orr__config_folder(x->world.config), x->world.options.workers,
            x->interrupt, why);
    return orr__experiment_end(x, err, why);
}

/* ---- afterwards -------------------------------------------------------- */

char *orr__experiment_json(const orr_experiment *x, const char *const *whole)
{
    if (x && x->ran && x->cluster)
        return x->extensions->cluster->json(&x->world, x->cluster, whole);
    return x && x->ran ? orr__results_json(&x->world, whole) : NULL;
}

char *orr_experiment_json(const orr_experiment *x)
{
    return orr__experiment_json(x, NULL);
}

char *orr_experiment_summary(const orr_experiment *x)
{
    if (x && x->ran && x->cluster)
        return x->extensions->cluster->text(&x->world, x->cluster);
    return x && x->ran ? orr__results_summary(&x->world) : NULL;
}

const void *orr__experiment_cluster(const orr_experiment *x)
{
    return x->cluster;
}

struct orr_world *orr__experiment_inside(orr_experiment *x)
{
    return &x->world;
}

const struct orr_world *orr__experiment_world(const orr_experiment *x)
{
    return &x->world;
}

void orr_text_free(char *text)
{
    orr__free(text);
}

uint64_t orr_experiment_fingerprint(const orr_experiment *x)
{
    struct orr_net_totals t;
    if (!x)
        return 0;
    if (x->cluster)
        return x->extensions->cluster->fingerprint(x->cluster);
    orr__net_totals(x->world.net, &t);
    return t.fingerprint;
}

const char *orr_experiment_output(const orr_experiment *x)
{
    return x ? x->written : NULL;
}

void orr_experiment_free(orr_experiment *x)
{
    if (!x)
        return;
    struct orr_world *w = &x->world;
    if (x->cluster)
        x->extensions->cluster->close(x->cluster);
    orr__series_free(w, false);
    orr__circle_tables_fini(&x->circles);
    orr__busy_time_free(w);
    orr__repeat_free(w);
    orr__owners_free(w);
    orr__net_free(w->net);
    orr__flows_free(w);
    orr__schedule_free(w);
    orr__jobs_free(w);
    orr__routing_free(w->routes);
    orr__graph_free(w->graph);
    orr__config_free(w->config);
    orr__free(x->partition);
    orr__free(x->output);
    orr__free(x);
}
