/* `orrery explain`: options and output around study/explain/, or for a cluster
 * cluster/explain.h. Nothing is found out here. */
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/settings.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "study/explain/explain.h"

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
    caught = 1;
    signal(sig, SIG_DFL); /* the next one ends the process */
}

/* The command line; texts are argv's. */
struct arguments {
    const char *config, *json;
    bool quiet;
    struct orr_settings changes;
    struct orr_explain_options options;
};

static const char options_text[] =
    "      --job NAME        this job (default: all)\n"
    "      --iteration N     iteration N, from 0 on; slowest (default); or\n"
    "                        all, combined\n"
    "      --flow N          a flow, from 0 in the order of `flows`; without\n"
    "                        jobs, default: the slowest\n"
    "      --alone           also run each job without the others, and report\n"
    "                        its time\n"
    "      --json [FILE]     write JSON; no FILE, or -: to stdout, instead of\n"
    "                        the text\n"
    "  -s, --set KEY=VALUE   replace a value: seed=7 (may be repeated)\n"
    "      --preset NAME     network.preset: a consistent set of network\n"
    "                        parameters (orrery list presets)\n" ORR_PLUGIN_HELP
        ORR_NO_CACHE_HELP
    "      --seed N          replace the configuration's seed\n"
    "  -q, --quiet           show no progress\n"
    "  -h, --help            this text\n"
    "\n"
    "For a cluster: contention of the job (--job, or of those slowest\n"
    "relative to alone) with others, by link and time, and what it cost; the\n"
    "cluster runs once, as with `run`.\n"
    "\n"
    "For jobs and flows: why an iteration took so long. The experiment runs\n"
    "twice, with the same fingerprint: first to find the critical path of the\n"
    "iteration, then to follow the packets of that path. Each moment has one\n"
    "cause, and the causes add up to the time, to the picosecond:\n";

static const struct option longs[] = {
    {"job", required_argument, NULL, 'J'},
    {"iteration", required_argument, NULL, 'i'},
    {"flow", required_argument, NULL, 'f'},
    {"alone", no_argument, NULL, 'a'},
    ORR_JSON_LONG,
    ORR_CHANGES_LONGS,
    ORR_NO_CACHE_LONG,
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void print_causes(FILE *f)
{
    for (int c = 0; c < ORR_CAUSES; c++)
        fprintf(f, "  %-15s %s\n", orr__cause_name((enum orr_cause)c),
                orr__cause_doc((enum orr_cause)c));
}

/* ---- arguments --------------------------------------------------------- */

/* "slowest", "all" or a number; false: neither, and said so. */
static bool take_iteration(struct orr_explain_options *o, const char *text)
{
    int64_t n;
    if (strcmp(text, "slowest") == 0) {
        o->which = ORR_EXPLAIN_SLOWEST;
    } else if (strcmp(text, "all") == 0) {
        o->which = ORR_EXPLAIN_ALL;
    } else {
        if (!orr__option_number("explain", "--iteration", text, UINT32_MAX - 1,
                                &n))
            return false;
        o->which = ORR_EXPLAIN_ONE;
        o->iteration = (uint32_t)n;
    }
    return true;
}

/* Returns -1 to go on, or the exit status. */
static int take_option(struct arguments *a, int c)
{
    struct orr_explain_options *o = &a->options;
    int64_t n;
    int status;
    if (orr__settings_take(&a->changes, "explain", c, &status))
        return status;
    switch (c) {
    case ORR_NO_CACHE_OPTION: return orr__forgo_cache();
    case 'J': o->job = optarg; return -1;
    case 'i': return take_iteration(o, optarg) ? -1 : ORR_EXIT_USAGE;
    case 'f':
        if (!orr__option_number("explain", "--flow", optarg, UINT32_MAX - 1,
                                &n))
            return ORR_EXIT_USAGE;
        o->has_flow = true;
        o->flow = (uint32_t)n;
        return -1;
    case 'a': o->alone = true; return -1;
    case 'j': a->json = optarg; return -1;
    case 'q': a->quiet = true; return -1;
    case 'h': orr__print_usage(stdout, &orr__cmd_explain); return ORR_EXIT_OK;
    default: return ORR_EXIT_USAGE;
    }
}

/* -1: all is well, else the exit status. */
static int take_arguments(struct arguments *a, int argc, char **argv)
{
    int c, status;
    while ((c = orr__next_option(argc, argv, ":s:qh", longs)) != -1)
        if ((status = take_option(a, c)) >= 0)
            return status;
    if (argc - optind != 1)
        return orr__usage_error("explain", argc == optind
                                               ? "which configuration?"
                                               : "one configuration at a time");
    a->config = argv[optind];
    if (a->json && strcmp(a->json, a->config) == 0 && strcmp(a->json, "-") != 0)
        return orr__usage_error("explain",
                                "that would overwrite the configuration");
    if (a->options.has_flow && a->options.job)
        return orr__usage_error("explain", "--flow and --job: one of them");
    orr__settings_apply(&a->changes, &a->options.run);
    a->options.run.interrupt = &caught;
    return -1;
}

/* ---- running ----------------------------------------------------------- */

/* Text on stdout, JSON into its file; with `--json -` JSON takes stdout. */
static orr_err write_out(const struct arguments *a,
                         const struct orr_explanation *e, struct orr_file *file,
                         struct orr_report *why)
{
    bool to_stdout = a->json && strcmp(a->json, "-") == 0;
    char *text = to_stdout ? NULL : orr__explanation_text(e);
    char *json = a->json ? orr__explanation_json(e) : NULL;
    orr_err err = ORR_OK;
    if ((!to_stdout && !text) || (a->json && !json))
        err = orr__no_memory(why);
    if (err == ORR_OK && text)
        fputs(text, stdout);
    if (err == ORR_OK && json && to_stdout)
        fputs(json, stdout);
    if (err == ORR_OK && json && !to_stdout) {
        orr__file_put(file, json, strlen(json));
        err = orr__file_close(file, ORR_OK, why);
    }
    orr__free(text);
    orr__free(json);
    return err;
}

/* How far the passes are: one has begun when a run's clock is set back. */
struct passes {
    struct orr_progress_line line;
    double wall_s;
};

static void show_pass(void *arg, const struct orr_progress *p)
{
    struct passes *s = arg;
    s->line.pass += s->line.pass == 0 || p->wall_s < s->wall_s;
    s->wall_s = p->wall_s;
    orr__progress_show(&s->line, p);
}

/* The JSON file is opened before the run, so that a wrong name shows at once.
 * Returns the exit status. */
static int explain_run(const struct arguments *a)
{
    struct passes passes = {.wall_s = 0};
    struct orr_explain_options options = a->options;
    struct orr_explanation *e = NULL;
    struct orr_file json = {.name = NULL};
    struct orr_report why = {0};
    orr_err err = ORR_OK;
    if (a->json && strcmp(a->json, "-") != 0)
        err = orr__file_open(&json, a->json, &why);
    bool running = err == ORR_OK;
    orr__progress_init(&passes.line, a->quiet);
    options.run.progress = show_pass;
    options.run.progress_arg = &passes;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (err == ORR_OK)
        err = orr__explain(a->config, &options, &e, &why);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    orr__progress_wipe(&passes.line);
    if (err == ORR_OK)
        err = write_out(a, e, &json, &why);
    if (err != ORR_OK)
        orr__print_report(&why);
    orr__file_abandon(&json);
    orr__explanation_free(e);
    return orr__exit_status(err, running);
}

static int run(int argc, char **argv)
{
    struct arguments a = {.config = NULL};
    int status = take_arguments(&a, argc, argv);
    if (status < 0)
        status = explain_run(&a);
    orr__settings_fini(&a.changes);
    return status;
}

const struct orr_command orr__cmd_explain = {
    .name = "explain",
    .arguments = "CONFIG [OPTION]...",
    .doc = "explain why an iteration, or a flow, took so long",
    .options = options_text,
    .more = print_causes,
    .run = run,
};
