/* `orrery run`: an experiment to its end. A configuration, or one that is made
 * of the files of others (from.c, astra.c), is loaded and run; outputs are
 * opened before, so that a run of hours does not end in a name that cannot be
 * written. The first SIGINT or SIGTERM ends the run cleanly, with its records;
 * another one ends the process. */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/astra.h"
#include "cli/cli.h"
#include "cli/foreign.h"
#include "cli/settings.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "experiment/lists.h"
#include "formats/hpcc/fct.h"
#include "study/run/entry.h"
#include "study/timeline.h"

#define MOST_THREADS 1024

static volatile sig_atomic_t caught;
static _Atomic int64_t caught_ns; /* when; 0: none came */

/* What timeout(1) and batch systems send comes twice, to the process and to its
 * group; it is one request. */
#define ONE_REQUEST_NS (INT64_C(500) * 1000 * 1000)

/* The first signal asks the run to end; a later one ends the process. */
static void on_signal(int sig)
{
    struct timespec t = {0, 0};
    int64_t none = 0;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + 1;
    caught = 1;
    if (atomic_compare_exchange_strong(&caught_ns, &none, now)
        || now - none < ONE_REQUEST_NS)
        return;
    signal(sig, SIG_DFL);
    raise(sig);
}

/* The command line, and the configuration where it is made of others' files. */
struct arguments {
    const char *config, *json, *fct, *timeline;
    bool quiet;
    struct orr_settings changes;
    struct orr_options options;
    const char *whole[ORR_LISTS + 1]; /* NULL behind the last one */
    struct orr_astra_cli astra;
    struct orr_foreign_cli from;
    const char *text; /* the configuration, made of others' files; or NULL */
    const struct orr_origins *blame; /* of text */
    char made[32]; /* what messages call text if a file has the format's name */
};

static const char options_text[] =
    "  -s, --set KEY=VALUE   replace a value: seed=7 (may be repeated)\n"
    "      --preset NAME     network.preset: a consistent set of network\n"
    "                        parameters (orrery list presets)\n" ORR_PLUGIN_HELP
        ORR_NO_CACHE_HELP
    "  -t, --threads N       most threads (default 1); auto: as many as there\n"
    "                        are processors, and as help; results are the\n"
    "                        same\n"
    "  -o, --output FILE     records go to this HDF5 file (default: CONFIG's\n"
    "                        stem + .h5 in the current folder)\n"
    "      --json [FILE]     write the summary as JSON; no FILE, or -: to\n"
    "                        stdout, instead of the text\n"
    "      --whole LIST      write all of a list of that summary: jobs,\n"
    "                        flows.list, jobs.*.rank_list; all (may be\n"
    "                        repeated)\n"
    "      --folder DIR      files that CONFIG names are in DIR, not in\n"
    "                        CONFIG's own folder\n"
    "      --fct FILE        write fct.txt as HPCC does: a line per flow\n"
    "      --timeline FILE   what ranks did, for Perfetto, as `orrery\n"
    "                        timeline` writes it\n"
    "      --seed N          replace the configuration's seed\n"
    "  -q, --quiet           print no summary and no progress\n"
    "  -h, --help            this text\n" ORR_ASTRA_HELP "\n" ORR_FROM_HELP "\n"
    "CONFIG - is stdin. Ctrl-C ends a run early and keeps what it recorded.\n"
    "Exit status: 0 fine, 1 the run failed, 2 usage or configuration,\n"
    "130 interrupted.\n";

static const struct option longs[] = {
    ORR_CHANGES_LONGS,
    ORR_NO_CACHE_LONG,
    {"threads", required_argument, NULL, 't'},
    {"output", required_argument, NULL, 'o'},
    ORR_JSON_LONG,
    {"whole", required_argument, NULL, 'W'},
    {"fct", required_argument, NULL, 'f'},
    {"timeline", required_argument, NULL, 'T'},
    {"folder", required_argument, NULL, 'F'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    ORR_ASTRA_LONGS,
    ORR_FROM_LONGS,
    {NULL, 0, NULL, 0},
};

/* ---- arguments --------------------------------------------------------- */

/* Returns -1 to go on, or the exit status. */
static int take_threads(const char *text, unsigned *threads)
{
    int64_t n;
    if (strcmp(text, "auto") == 0) {
        *threads = ORR_THREADS_AUTO;
        return -1;
    }
    if (!orr__option_number("run", "--threads", text, MOST_THREADS, &n))
        return ORR_EXIT_USAGE;
    *threads = (unsigned)n;
    return -1;
}

/* The same. whole: room for all, each of which is there once. */
static int take_whole(const char **whole, const char *name)
{
    bool all = strcmp(name, "all") == 0, known = all;
    for (size_t i = 0; i < ORR_LISTS; i++) {
        const char *list = orr__list_paths[i];
        bool meant = strcmp(list, name) == 0;
        size_t n = 0;
        known |= meant;
        while (whole[n] && whole[n] != list)
            n++;
        if (all || meant)
            whole[n] = list;
    }
    return known ? -1
                 : orr__usage_unknown("run", "list of the summary", name,
                                      orr__list_paths, "help run");
}

/* The same. */
static int take_option(struct arguments *a, int c)
{
    struct orr_options *o = &a->options;
    int status;
    if (orr__settings_take(&a->changes, "run", c, &status))
        return status;
    if (orr__foreign_take(&a->from, c, &status))
        return status;
    if (orr__astra_take(&a->astra, c, &status))
        return status;
    switch (c) {
    case ORR_NO_CACHE_OPTION: return orr__forgo_cache();
    case 't': return take_threads(optarg, &o->threads);
    case 'o': o->output = optarg; return -1;
    case 'j': a->json = optarg; return -1;
    case 'W': return take_whole(a->whole, optarg);
    case 'f': a->fct = optarg; return -1;
    case 'T': a->timeline = optarg; return -1;
    case 'F': o->folder = optarg; return -1;
    case 'q': a->quiet = true; return -1;
    case 'h': orr__print_usage(stdout, &orr__cmd_run); return ORR_EXIT_OK;
    default: return ORR_EXIT_USAGE;
    }
}

static bool same_file(const char *a, const char *b)
{
    struct stat s, t;
    if (!a || !b || strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &s) == 0 && stat(b, &t) == 0 && S_ISREG(s.st_mode)
           && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* Returns -1 if no file would be written over another, or the exit status. */
static int check_files(const struct arguments *a)
{
    if (same_file(a->config, a->json) || same_file(a->config, a->fct)
        || same_file(a->config, a->options.output)
        || same_file(a->config, a->timeline))
        return orr__usage_error("run",
                                "that would overwrite the configuration");
    if (same_file(a->json, a->options.output))
        return orr__usage_error("run", "--json and --output name one file");
    if (same_file(a->fct, a->options.output) || same_file(a->fct, a->json))
        return orr__usage_error("run", "--fct and another output name one "
                                       "file");
    if (same_file(a->timeline, a->options.output)
        || same_file(a->timeline, a->json) || same_file(a->timeline, a->fct))
        return orr__usage_error("run", "--timeline and another output name one "
                                       "file");
    if (a->timeline && strcmp(a->timeline, "-") == 0)
        return orr__usage_error("run", "--timeline needs the name of a file");
    return -1;
}

/* What the configuration that was made of others' files is called: as the
 * format is. */
static void name_made(struct arguments *a, const char *format, const char *text,
                      const struct orr_origins *blame)
{
    snprintf(a->made, sizeof a->made, "%s.yaml", format);
    a->config = orr__origins_names(blame, format) ? a->made : format;
    a->text = text;
    a->blame = blame;
}

/* The configuration: a file, or made of other simulators' files. Returns -1, or
 * the exit status. */
static int take_config(struct arguments *a, int argc, char **argv)
{
    int status = -1;
    if (a->astra.on && a->from.format)
        return orr__usage_error("run", "--astra and --%s: one of them",
                                a->from.format);
    if (!a->from.format && a->from.inputs.count)
        return orr__usage_error("run", "-w, -n and -c are --simai's");
    if (a->astra.on) {
        status = orr__astra_make(&a->astra, argc, argv);
        name_made(a, "astra", a->astra.text, &a->astra.blame);
    } else if (a->from.format) {
        status = orr__foreign_make(&a->from, argc, argv);
        name_made(a, a->from.format, a->from.text, &a->from.blame);
    } else if (argc != 1) {
        return orr__usage_error("run", argc == 0
                                           ? "which configuration?"
                                           : "one configuration at a time");
    } else {
        a->config = argv[0];
    }
    return status;
}

/* -1: all is well, else the exit status. The configuration of others' files is
 * made here. */
static int take_arguments(struct arguments *a, int argc, char **argv)
{
    int c, status;
    while ((c = orr__next_option(argc, argv, ":s:t:o:w:n:c:qh", longs)) != -1) {
        status = take_option(a, c);
        if (status >= 0)
            return status;
    }
    status = take_config(a, argc - optind, argv + optind);
    if (status >= 0)
        return status;
    orr__settings_apply(&a->changes, &a->options);
    a->options.interrupt = &caught;
    return check_files(a);
}

/* The command line as the records keep it; words that a shell would split are
 * quoted. NULL when out of memory. */
static char *command_line(int argc, char **argv)
{
    struct orr_text line = {NULL};
    orr__text_add(&line, "orrery");
    for (int i = 0; i < argc; i++) {
        orr__text_add(&line, " ");
        orr__text_shell(&line, argv[i]);
    }
    return orr__text_done(&line);
}

/* ---- running ----------------------------------------------------------- */

/* What is written beside the records. */
struct outputs {
    struct orr_file json, fct, timeline;
};

static void abandon(struct outputs *o)
{
    orr__file_abandon(&o->json);
    orr__file_abandon(&o->fct);
    orr__file_abandon(&o->timeline);
}

static orr_err open_outputs(const struct arguments *a, struct outputs *o,
                            struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (a->json && strcmp(a->json, "-") != 0)
        err = orr__file_open(&o->json, a->json, why);
    if (a->fct && err == ORR_OK)
        err = orr__file_open(&o->fct, a->fct, why);
    if (a->timeline && err == ORR_OK)
        err = orr__file_open(&o->timeline, a->timeline, why);
    return err;
}

/* To its file, or to stdout, with a newline at its end. */
static orr_err write_json(const orr_experiment *x, const char *const *whole,
                          struct orr_file *out, struct orr_report *why)
{
    char *text = orr__experiment_json(x, whole);
    if (!text)
        return orr__no_memory(why);
    size_t n = strlen(text);
    bool open = n && text[n - 1] != '\n';
    if (out->out) {
        orr__file_put(out, text, n);
        orr__file_put(out, "\n", open);
    } else {
        orr__print_visible(stdout, "%s%s", text, open ? "\n" : "");
    }
    orr_text_free(text);
    return out->out ? orr__file_close(out, ORR_OK, why) : ORR_OK;
}

static orr_err write_fct(const orr_experiment *x, struct orr_file *out,
                         struct orr_report *why)
{
    ORR_ASSERT(out->out); /* open_outputs has opened it */
    orr_err err = orr__fct_write(orr__experiment_world(x), out->out, why);
    return err == ORR_OK ? orr__file_close(out, ORR_OK, why) : err;
}

/* The records are closed by now; without them there is nothing to write. */
static orr_err write_timeline(const orr_experiment *x, struct orr_file *out,
                              struct orr_report *why)
{
    static const struct orr_counters counters = {.busiest = 8};
    ORR_ASSERT(out->out); /* open_outputs has opened it */
    const char *records = orr_experiment_output(x);
    if (!records)
        return ORR_OK;
    orr_err err = orr__timeline(records, &counters, out->out, why);
    return orr__file_close(out, err, why);
}

static orr_err write_summary(const orr_experiment *x, struct orr_report *why)
{
    char *text = orr_experiment_summary(x);
    if (!text)
        return orr__no_memory(why);
    fputs(text, stdout);
    orr_text_free(text);
    return ORR_OK;
}

/* What a run leaves behind, also one that failed on its way. */
static orr_err write_results(const struct arguments *a, const orr_experiment *x,
                             struct outputs *o, struct orr_report *why)
{
    bool to_stdout = a->json && strcmp(a->json, "-") == 0;
    orr_err err = ORR_OK;
    if (!a->quiet && !to_stdout)
        err = write_summary(x, why);
    if (a->json && err == ORR_OK)
        err = write_json(x, a->whole, &o->json, why);
    if (a->fct && err == ORR_OK)
        err = write_fct(x, &o->fct, why);
    if (a->timeline && err == ORR_OK)
        err = write_timeline(x, &o->timeline, why);
    return err == ORR_OK ? orr__astra_results(&a->astra, x, why) : err;
}

/* What was asked for and cannot be had is said before it takes time, also where
 * a summary is not wanted. */
static void tell_of_nothing(const struct arguments *a, const orr_experiment *x)
{
    const struct orr_world *w = orr__experiment_world(x);
    if (a->options.output && !w->watch.series && !w->options.output)
        orr__print_visible(stderr,
                           "note: %s is not written: the configuration says "
                           "`record: none`\n",
                           a->options.output);
    if (a->fct && !w->flows)
        orr__print_visible(
            stderr, "note: %s will be empty: there are no flows\n", a->fct);
    if (a->timeline && !w->watch.series && !w->options.output)
        orr__print_visible(
            stderr,
            "note: %s is not written: it is made of the records, "
            "and the configuration says `record: none`\n",
            a->timeline);
}

/* Places of the configuration that are worth a second look: said on stderr
 * where there is no summary for people. */
static void tell_of_places(const struct arguments *a, const orr_experiment *x)
{
    bool to_stdout = a->json && strcmp(a->json, "-") == 0;
    if (a->quiet || to_stdout)
        orr__print_places(orr__experiment_world(x));
}

/* From outputs that can be opened to results. A run that stopped or failed
 * writes what it has. Returns the exit status. */
static int run_experiment(struct arguments *a, orr_experiment *x,
                          struct orr_progress_line *line)
{
    struct outputs o = {.json = {.name = NULL}};
    struct orr_report why = {0}, later = {0};
    orr_err err = open_outputs(a, &o, &why);
    if (err == ORR_OK)
        err = orr__astra_folder(&a->astra, &why);
    if (err != ORR_OK) {
        abandon(&o);
        orr__print_report(&why);
        return orr__exit_status(err, false);
    }
    tell_of_nothing(a, x);
    tell_of_places(a, x);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    err = orr_experiment_run(x, &why);
    if (!caught) { /* else what the signal left is written first */
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
    }
    orr__progress_wipe(line);
    if (err != ORR_OK)
        orr__print_report(&why);
    int status = orr__exit_status(err, true);
    if (err == ORR_OK || err == ORR_ERUN || err == ORR_EINTERRUPTED) {
        err = write_results(a, x, &o, &later);
        if (err != ORR_OK)
            orr__print_report(&later);
        if (status == ORR_EXIT_OK)
            status = orr__exit_status(err, true);
    }
    abandon(&o);
    return status;
}

/* Loads and runs. Errors in a configuration made of others' files are moved to
 * their places. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct arguments a = {.config = NULL};
    orr__astra_cli_init(&a.astra);
    struct orr_progress_line line;
    struct orr_report why = {0};
    orr_experiment *x = NULL;
    char *command = command_line(argc, argv);
    int status =
        command ? take_arguments(&a, argc, argv) : orr__no_memory_for_words();
    if (status >= 0)
        goto out;
    orr__progress_init(&line, a.quiet);
    a.options.command = command;
    if (line.on) {
        a.options.progress = orr__progress_show;
        a.options.progress_arg = &line;
    }
    orr_err err = a.text ? orr__experiment_load_text(a.config, a.text,
                                                     &a.options, &x, &why)
                         : orr_experiment_load(a.config, &a.options, &x, &why);
    if (err != ORR_OK) {
        if (a.text)
            orr__origins_tell(a.blame, a.config, a.text, &why);
        orr__print_report(&why);
        status = orr__exit_status(err, false);
        goto out;
    }
    status = run_experiment(&a, x, &line);
out:
    orr_experiment_free(x);
    orr__settings_fini(&a.changes);
    orr__astra_cli_fini(&a.astra);
    orr__foreign_cli_fini(&a.from);
    orr__free(command);
    return status;
}

const struct orr_command orr__cmd_run = {
    .name = "run",
    .arguments = "CONFIG [OPTION]...",
    .doc = "run an experiment",
    .options = options_text,
    .run = run,
};
