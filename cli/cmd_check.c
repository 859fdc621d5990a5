/* `orrery check`: builds all that a run would need and runs nothing. What is
 * wrong is said at its place; what a run would take is worked out by
 * orr_experiment_estimate, and only printed here. A file with a `compare`
 * section is a study: then it is what all its runs would take. */
#include <time.h>

#include "cli/cli.h"
#include "cli/patience.h"
#include "cli/settings.h"
#include "cluster/engine.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/units.h"
#include "experiment/estimate.h"
#include "experiment/notes.h"
#include "experiment/replayed.h"
#include "study/compare/compare.h"
#include "study/run/entry.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/program/source.h"
#include "workload/repeat/repeat.h"

static const char options_text[] =
    "  -s, --set KEY=VALUE   replace a value: seed=7 (may be repeated)\n"
    "      --preset NAME     network.preset: a consistent set of network\n"
    "                        parameters (orrery list presets)\n" ORR_PLUGIN_HELP
    "      --seed N          replace the configuration's seed\n"
    "      --effective       print the effective configuration, with all\n"
    "                        defaults and the preset's values\n"
    "  -h, --help            this text\n"
    "\n"
    "Builds everything without a run; for a study (`compare`), all of its\n"
    "combinations. Expect time within a factor of 2: it is CPU time of one\n"
    "thread, without losses, from the packets of each kind, connections,\n"
    "messages, and the memory that they touch. Parts whose estimate takes\n"
    "more than 4 s of CPU time are left out, with a note. Memory is an upper\n"
    "bound, at most 1.5 times what a run touches, and more where queues could\n"
    "fill and stay short; a limit of address space (ulimit -v) needs some\n"
    "100 MB more for libraries. A cluster is evaluated event by event, with\n"
    "guesses instead of packets; it takes more where a schedule chooses "
    "paths.\n";

static const struct option longs[] = {
    ORR_CHANGES_LONGS,
    {"effective", no_argument, NULL, 'E'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* CPU seconds of the process after which planning is given up, and estimating,
 * which has a second in any case. */
#define PLAN_S 3.0
#define ALL_S  4.0

static double left_s(double of)
{
    double left = of - (double)clock() / CLOCKS_PER_SEC;
    return left > 1 ? left : 1;
}

/* The graph that a job's trace is. */
static void print_trace(const struct orr_job *job)
{
    struct orr_text t = {.s = NULL};
    job->source->ops->text(job->source, &t, 12);
    char *text = orr__text_done(&t);
    if (text)
        orr__print_visible(stdout, "  trace     %s\n%s", job->name, text);
    else
        orr__lose_output();
    orr__free(text);
}

static void print_notes(const struct orr_world *w)
{
    struct orr_notes n;
    if (orr__gather_notes(w, &n) != ORR_OK)
        orr__lose_output();
    for (uint32_t i = 0; i < n.n; i++)
        orr__print_visible(stdout, "  note      %s\n", n.text[i]);
    orr__notes_free(&n);
}

/* Collectives that may be replayed. */
static void print_replayed(const struct orr_world *w)
{
    struct orr_text t = {0};
    orr__replayed_plan(&t, w);
    char *text = orr__text_done(&t);
    if (text && *text)
        orr__print_visible(stdout, "  replay    %s", text);
    else if (!text && w->result.replayed)
        orr__lose_output();
    orr__free(text);
}

static void print_places(const struct orr_world *w)
{
    struct orr_notes n;
    if (orr__notes_of_places(w, &n) != ORR_OK)
        orr__lose_output();
    for (uint32_t i = 0; i < n.n; i++)
        orr__print_visible(stdout, "  note      %s\n", n.text[i]);
    orr__notes_free(&n);
}

/* What its packets will be is known when it runs: not before jobs have met. */
static void print_cluster(const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    char last[32] = "";
    printf("  cluster   %u GPUs in %u server%s, %u rack%s\n", c->inventory.gpus,
           c->inventory.servers, c->inventory.servers == 1 ? "" : "s",
           c->inventory.racks, c->inventory.racks == 1 ? "" : "s");
    if (c->jobs)
        orr__human_long_time(c->job[c->jobs - 1].is.at_ns, last, sizeof last);
    printf("  workload  %u job%s of %u template%s%s%s\n", c->jobs,
           c->jobs == 1 ? "" : "s", c->templates, c->templates == 1 ? "" : "s",
           c->jobs ? ", the last one after " : "", last);
    printf("  queue     %s, placement %s, accuracy %s\n", c->queue->name,
           c->placement->name, e->pace->name);
}

/* What would run: network, jobs, flows, and what traces lack. */
static void print_plan(const char *config, const orr_experiment *x)
{
    const struct orr_world *w = orr__experiment_world(x);
    uint64_t ranks = 0;
    uint32_t flows = w->flows ? w->flows->count : 0;
    orr__print_visible(stdout, "%s: ok\n  topology  ", config);
    orr__print_graph(w->graph);
    if (orr__experiment_cluster(x)) {
        print_cluster(orr__experiment_cluster(x));
        print_places(w);
        return;
    }
    for (uint32_t j = 0; j < w->n_jobs; j++)
        ranks += w->jobs[j].ranks;
    printf("  workload  ");
    if (w->n_jobs)
        printf("%u job%s with %llu ranks%s", w->n_jobs,
               w->n_jobs == 1 ? "" : "s", (unsigned long long)ranks,
               flows ? ", " : "\n");
    if (flows)
        printf("%u flow%s\n", flows, flows == 1 ? "" : "s");
    print_replayed(w);
    print_notes(w);
    for (uint32_t j = 0; j < w->n_jobs; j++)
        if (w->jobs[j].source)
            print_trace(&w->jobs[j]);
}

/* "0.4 s", "12 min", "3.5 h" */
static void print_seconds(double s)
{
    if (s < 120)
        printf("about %.3g s", s);
    else if (s < 7200)
        printf("about %.3g minutes", s / 60);
    else
        printf("about %.3g hours", s / 3600);
}

/* Which iterations will be skipped is known when they are gone through. */
static void print_repeat(const struct orr_world *w)
{
    if (w->result.repeated)
        printf("            if all of it is simulated: repeat will skip what "
               "it can\n");
}

/* Time on one thread and memory, with a warning where there is not so much.
 * Memory that this process has already is counted once. */
static void print_estimate(const struct orr_estimate *e,
                           const struct orr_world *w)
{
    char memory[32], there[32];
    uint64_t mine = orr__memory_resident();
    uint64_t more = e->memory_bytes > mine ? e->memory_bytes - mine : 0;
    orr__human_size(e->memory_bytes, memory, sizeof memory);
    printf("  estimate  %.3g packet-hops, ", e->packet_hops);
    print_seconds(e->seconds + ORR_PROCESS_S);
    printf(" on one thread, about %s of memory\n", memory);
    print_repeat(w);
    uint64_t available = orr__memory_available();
    if (more > available) {
        orr__human_size(available, there, sizeof there);
        printf("  warning   only %s of memory are free here\n", there);
    }
}

/* What took longer than a check is to take. */
static void print_left_out(const orr_experiment *x, bool cut)
{
    if (orr__experiment_unplanned(x))
        printf("  left out  the plan of its schedule, which takes longer than "
               "%g s:\n            orrery plan CONFIG computes it\n",
               PLAN_S);
    if (cut && !orr__experiment_cluster(x))
        printf("  left out  a part of the estimate, which takes longer than %g "
               "s:\n            the estimate is a lower bound\n",
               ALL_S);
    else if (cut)
        printf("  left out  what comes after %g s: the rest is assumed to be "
               "alike\n",
               ALL_S);
}

/* Of a cluster; how much memory is needed depends on which jobs meet. */
static void print_forecast(const struct orr_estimate *e)
{
    if (e->seconds <= 0)
        return;
    printf("  estimate  %.3g packet-hops, ", e->packet_hops);
    print_seconds(e->seconds + ORR_PROCESS_S);
    printf(" on one thread\n");
}

#define MANY_ROWS  1e6
#define MANY_BYTES 1e9

/* Records of a given interval: how many, when that is worth a line. */
static void print_records(const struct orr_estimate *e)
{
    char size[32];
    if (e->bins < 1 && e->samples < 1)
        return;
    orr__human_size((uint64_t)e->record_bytes, size, sizeof size);
    printf("  records   ");
    if (e->bins >= 1)
        printf("%.3g bins%s", e->bins, e->samples >= 1 ? ", " : "");
    if (e->samples >= 1)
        printf("%.3g samples", e->samples);
    printf(" or more, up to about %s\n", size);
    if (e->bins > MANY_ROWS || e->samples > MANY_ROWS
        || e->record_bytes > MANY_BYTES)
        printf("  warning   these records may cost more than the run: "
               "a longer\n            record.interval or record.sample\n");
}

/* False: out of memory. */
static bool print_effective(const orr_experiment *x)
{
    char *text = orr__config_effective(orr__experiment_world(x)->config);
    if (text)
        printf("%s%s", ORR_EFFECTIVE, text);
    orr__free(text);
    return text != NULL;
}

static void print_note(void *arg, const char *text)
{
    orr__print_visible(stdout, "  note      %s\n", text);
}

static void tell_planned(void *arg, uint32_t done, uint32_t all)
{
    char text[80];
    snprintf(text, sizeof text, "combination %u of %u", done + 1, all);
    orr__patience_say(text);
}

/* All combinations of a study. */
static int check_study(const struct orr_config_file *file,
                       const struct orr_options *o)
{
    const char *config = file->path;
    struct orr_report why = {0};
    struct orr_compare *c = NULL;
    const struct orr_compare_options options = {
        .config = config,
        .file = file,
        .keep = -1,
        .sets = o->sets,
        .n_sets = o->n_sets,
        .plugins = o->plugins,
        .n_plugins = o->n_plugins,
        .planned = tell_planned,
        .interrupt = &orr__patience_over,
    };
    orr__patience_begin("combinations", left_s(ALL_S));
    orr_err err = orr__compare_open(&options, &c, &why);
    orr__patience_end();
    if (err == ORR_OK) {
        struct orr_compare_count n = orr__compare_count(c);
        orr__print_visible(
            stdout, "%s: ok\n  study     %u combination%s, %u run%s\n", config,
            n.combinations, n.combinations == 1 ? "" : "s", n.runs,
            n.runs == 1 ? "" : "s");
        printf("  estimate  ");
        print_seconds(n.seconds);
        printf(" of CPU time for what is missing\n");
        if (n.looked_at < n.combinations)
            printf("  left out  all combinations after the first %u, which "
                   "took %g s: the others\n            are assumed to be like "
                   "them, and none of them done\n",
                   n.looked_at, ALL_S);
        orr__compare_notes(c, print_note, NULL);
    } else {
        orr__print_report(&why);
    }
    orr__compare_free(c);
    return orr__exit_status(err, false);
}

/* One run. Where planning or the estimate take too long they are cut, and that
 * is said. Returns the exit status. */
static int check_one(const struct orr_config_file *file,
                     const struct orr_options *o, bool effective)
{
    const char *config = file->path;
    if (orr__compare_is_study(file))
        return check_study(file, o);
    struct orr_report why = {0};
    struct orr_estimate e;
    bool cut = false;
    orr_experiment *x = NULL;
    const struct orr_open_options how = {.plan_may_end = true};
    orr__patience_begin("reading and planning", left_s(PLAN_S));
    orr_err err = orr__experiment_load_file(file, o, &how, &x, &why);
    orr__patience_end();
    if (err == ORR_OK) {
        orr__patience_begin("estimating", left_s(ALL_S));
        err = orr_experiment_estimate(x, &e, &why);
        cut = err == ORR_EINTERRUPTED;
        err = cut ? ORR_OK : err;
        orr__patience_end();
    }
    if (err == ORR_OK && effective) {
        if (!print_effective(x))
            err = orr__no_memory(&why);
    } else if (err == ORR_OK) {
        print_plan(config, x);
        if (orr__experiment_cluster(x))
            print_forecast(&e);
        else
            print_estimate(&e, orr__experiment_world(x));
        print_left_out(x, cut);
        print_records(&e);
    }
    if (err != ORR_OK)
        orr__print_report(&why);
    orr_experiment_free(x);
    return orr__exit_status(err, false);
}

/* Reads the configuration, perhaps from a pipe. Returns the exit status. */
static int check_file(const char *config, const struct orr_options *o,
                      bool effective)
{
    struct orr_report why = {0};
    struct orr_config_file file;
    orr__patience_begin("reading", 0); /* a pipe may take its time */
    orr_err err = orr__config_file_read(&file, config, &why);
    orr__patience_end();
    if (err != ORR_OK)
        orr__print_report(&why);
    int status = err == ORR_OK ? check_one(&file, o, effective)
                               : orr__exit_status(err, false);
    orr__config_file_fini(&file);
    return status;
}

static int check_all(int argc, char **argv, struct orr_options *o,
                     bool effective)
{
    int worst = ORR_EXIT_OK;
    if (optind == argc)
        return orr__usage_error("check", "which configuration?");
    for (int i = optind; i < argc; i++) {
        int status = check_file(argv[i], o, effective);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Options, then each configuration. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct orr_settings changes = {.has_seed = false};
    struct orr_options o = {/* a run would have an output */
                            .no_output = false,
                            .interrupt = &orr__patience_over};
    bool effective = false;
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":s:h", longs)) != -1) {
        if (orr__settings_take(&changes, "check", c, &status))
            continue;
        if (c == 'E') {
            effective = true;
        } else if (c == 'h') {
            orr__print_usage(stdout, &orr__cmd_check);
            status = ORR_EXIT_OK;
        } else {
            status = ORR_EXIT_USAGE;
        }
    }
    orr__settings_apply(&changes, &o);
    if (status < 0)
        status = check_all(argc, argv, &o, effective);
    orr__settings_fini(&changes);
    return status;
}

const struct orr_command orr__cmd_check = {
    .name = "check",
    .arguments = "CONFIG... [OPTION]...",
    .doc = "check a configuration and estimate what its run takes",
    .options = options_text,
    .run = run,
};
