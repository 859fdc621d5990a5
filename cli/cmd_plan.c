/* `orrery plan`: what a schedule would do, worked out without packets and tried
 * with them (study/plan/), as text, as JSON, as pictures
 * of circles, or as a configuration that has it filled in. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/patience.h"
#include "cli/settings.h"
#include "core/config/config.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/units.h"
#include "experiment/experiment.h"
#include "study/plan/plan.h"
#include "study/plan/show.h"

static const char options_text[] =
    "      --json [FILE]     the plan as JSON; no FILE, or -: to stdout,\n"
    "                        instead of the text\n"
    "      --write FILE      CONFIG with the plan filled in, for `run`:\n"
    "                        gates, paths and classes of jobs, no schedule;\n"
    "                        names of files become relative to FILE\n"
    "  -t, --threads N       most threads, for `plan: {kind: topoopt}` "
    "(default\n"
    "                        1); auto: as many as there are processors\n"
    "      --svg DIR         a picture of each link's circle, DIR/link-ID.svg\n"
    "  -s, --set KEY=VALUE   replace a value: schedule=crux (may be repeated)\n"
    "      --preset NAME     network.preset (orrery list "
    "presets)\n" ORR_PLUGIN_HELP
    "      --seed N          replace the configuration's seed\n"
    "  -h, --help            this text\n"
    "\n"
    "Computes, without packets, the demand of each job on each link, the "
    "links\n"
    "with contention, turns (CASSINI), paths and classes (Crux), and the\n"
    "iterations to expect. `schedule` says what to plan; the default is "
    "turns.\n"
    "A verdict ends it: where that takes seconds, CONFIG runs with the plan "
    "and\n"
    "without a schedule, and the packets decide.\n"
    "\n"
    "Where CONFIG has the key `plan`, that is the question: `orrery list "
    "plans`.\n"
    "Ctrl-C ends a search with the best that it has found.\n";

static const struct option longs[] = {
    ORR_JSON_LONG,
    {"write", required_argument, NULL, 'W'},
    {"svg", required_argument, NULL, 'V'},
    {"threads", required_argument, NULL, 't'},
    ORR_CHANGES_LONGS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

#define MOST_THREADS 1024

/* The command line; texts are argv's. */
struct arguments {
    struct orr_settings changes;
    struct orr_options options;
    const char *write, *svg, *json;
};

/* The first signal ends a search with what it has; a later one the process. */
static volatile int caught;

static void on_signal(int sig)
{
    caught = sig;
    signal(sig, SIG_DFL);
}

/* How far a search is, and its best so far. */
static void show_progress(void *arg, const struct orr_progress *p)
{
    char text[80], time[32];
    orr__human_time(p->time_ps, time, sizeof time);
    snprintf(text, sizeof text, "planning, %.0f %%, %s so far", 100 * p->share,
             time);
    orr__patience_say(text);
}

/* Returns -1 to go on, or the exit status. */
static int take_threads(const char *text, unsigned *threads)
{
    int64_t n;
    if (strcmp(text, "auto") == 0) {
        *threads = ORR_THREADS_AUTO;
        return -1;
    }
    if (!orr__option_number("plan", "--threads", text, MOST_THREADS, &n))
        return ORR_EXIT_USAGE;
    *threads = (unsigned)n;
    return -1;
}

/* Returns -1 to go on, or the exit status. */
static int take_option(struct arguments *a, int c)
{
    int status;
    if (orr__settings_take(&a->changes, "plan", c, &status))
        return status;
    switch (c) {
    case 'j': a->json = optarg; return -1;
    case 'W': a->write = optarg; return -1;
    case 'V': a->svg = optarg; return -1;
    case 't': return take_threads(optarg, &a->options.threads);
    case 'h': orr__print_usage(stdout, &orr__cmd_plan); return ORR_EXIT_OK;
    default: return ORR_EXIT_USAGE;
    }
}

static orr_err write_config(const struct orr_planned *p,
                            const struct arguments *a, struct orr_report *why)
{
    char *text = orr__planned_config(p, &a->options, why);
    if (!text)
        return why->code ? why->code : orr__no_memory(why);
    orr_err err = orr__write_text(a->write, text, why);
    orr__free(text);
    return err;
}

/* With `--json -` only JSON goes to stdout. */
static orr_err show_plan(const struct orr_planned *p, const struct arguments *a,
                         struct orr_report *why)
{
    bool to_stdout = a->json && strcmp(a->json, "-") == 0;
    char *json = NULL, *text = NULL;
    if (a->json)
        json = orr__planned_json(p);
    if (!to_stdout)
        text = orr__planned_text(p);
    orr_err err = (a->json && !json) || (!to_stdout && !text)
                      ? orr__no_memory(why)
                      : ORR_OK;
    if (err == ORR_OK)
        fputs(to_stdout ? json : text, stdout);
    if (err == ORR_OK && json && !to_stdout)
        err = orr__write_text(a->json, json, why);
    orr__free(json);
    orr__free(text);
    return err;
}

/* The exit status. All outputs are of the one plan. */
static int make_plan(const char *config, struct arguments *a)
{
    struct orr_report why = {0};
    struct orr_planned p;
    orr__patience_begin("reading and planning", 0);
    a->options.interrupt = &caught;
    a->options.progress = show_progress;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    orr_err err =
        orr__planned_make(config, &a->options, a->write != NULL, &p, &why);
    orr__patience_end();
    if (err == ORR_OK)
        err = show_plan(&p, a, &why);
    if (err == ORR_OK && a->svg && !orr__planned_plan(&p))
        err = orr__fail(&why, ORR_ECONFIG,
                        "--svg: the answer to `plan` has no circles");
    if (err == ORR_OK && a->svg)
        err = orr__plan_pictures(orr__planned_plan(&p), a->svg, &why);
    if (err == ORR_OK && a->write)
        err = write_config(&p, a, &why);
    if (err != ORR_OK)
        orr__print_report(&why);
    orr__planned_fini(&p);
    return orr__exit_status(err, false);
}

/* Options and the configuration. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct arguments a = {.options = {.no_output = true}};
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":s:t:h", longs)) != -1)
        status = take_option(&a, c);
    orr__settings_apply(&a.changes, &a.options);
    if (status < 0 && optind + 1 != argc)
        status = orr__usage_error("plan", optind == argc
                                              ? "which configuration?"
                                              : "one configuration at a time");
    if (status < 0)
        status = make_plan(argv[optind], &a);
    orr__settings_fini(&a.changes);
    return status;
}

const struct orr_command orr__cmd_plan = {
    .name = "plan",
    .arguments = "CONFIG [OPTION]...",
    .doc = "plan when, where and in which class jobs communicate",
    .options = options_text,
    .run = run,
};
