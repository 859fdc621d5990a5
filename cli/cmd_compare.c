/* `orrery compare`: a study, by study/compare/. Here: the options, which
 * replace what the section `compare` says; Ctrl-C, after which runs that are
 * under way end cleanly and the folder can be gone on with; and what is
 * printed. Runs are processes of their own, `orrery run` of this same
 * executable. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/patience.h"
#include "cli/process.h"
#include "core/error.h"
#include "core/memory.h"
#include "study/compare/compare.h"

#define MOST_JOBS 1024

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
    caught = 1;
}

/* The command line; texts are argv's. */
struct arguments {
    struct orr_compare_options options;
    struct orr_words sets, over, measures, collect, plugins, measured, where;
    enum orr_compare_style style;
    uint32_t jobs;
    bool list, collects, quiet;
};

/* One a line: X(NAME, ARGUMENT, LETTER, HELP, what it does with optarg). a: the
 * arguments, o: their options. Help of two together stands with the first. */
#define OPTIONS(X)                                                             \
    X("over", required_argument, 'O',                                          \
      "      --over KEY=A,B    a dimension: a key and its values, or files "   \
      "to\n"                                                                   \
      "                        merge into CONFIG (may be repeated)\n",         \
      return add_word(&a->over, optarg))                                       \
    X("seeds", required_argument, 'S',                                         \
      "      --seeds 1..5      seeds of each combination\n",                   \
      o->seeds = optarg)                                                       \
    X("measure", required_argument, 'm',                                       \
      "  -m, --measure PATH    a figure of the JSON summary (may be "          \
      "repeated)\n",                                                           \
      return add_word(&a->measures, optarg))                                   \
    X("baseline", required_argument, 'b',                                      \
      "      --baseline D=V    the variant that changes are relative to; "     \
      "none:\n"                                                                \
      "                        print no changes\n",                            \
      o->baseline = optarg)                                                    \
    X("until", required_argument, 'u',                                         \
      "      --until 2%        add seeds until intervals are narrower\n",      \
      o->until = optarg)                                                       \
    X("equal-cost", no_argument, 'e',                                          \
      "      --equal-cost      scale links until all networks cost the "       \
      "same\n",                                                                \
      o->equal_cost = true)                                                    \
    X("prices", required_argument, 'P',                                        \
      "      --prices FILE     with these prices of parts (`orrery help "      \
      "prices`)\n",                                                            \
      o->prices = optarg)                                                      \
    X("keep", no_argument, 'k',                                                \
      "      --keep, --no-keep keep the records of each run (run.h5), or "     \
      "none\n",                                                                \
      o->keep = 1)                                                             \
    X("no-keep", no_argument, 'K', "", o->keep = 0)                            \
    X("set", required_argument, 's',                                           \
      "  -s, --set KEY=VALUE   replace a value (may be repeated)\n",           \
      return add_word(&a->sets, optarg))                                       \
    X("plugin", required_argument, ORR_PLUGIN_OPTION, ORR_PLUGIN_HELP,         \
      return add_word(&a->plugins, optarg))                                    \
    X("no-cache", no_argument, ORR_NO_CACHE_OPTION, ORR_NO_CACHE_HELP,         \
      return orr__forgo_cache())                                               \
    X("jobs", required_argument, 'j',                                          \
      "  -j, --jobs N          runs at once (default: one for each "           \
      "processor)\n",                                                          \
      return take_jobs(a, optarg))                                             \
    X("output", required_argument, 'o',                                        \
      "  -o, --output DIR      the study's folder (default: CONFIG's stem +\n" \
      "                        .study in the current folder)\n",               \
      o->folder = optarg)                                                      \
    X("list", no_argument, 'l',                                                \
      "      --list            run nothing; print a shell command for each\n"  \
      "                        missing run\n",                                 \
      a->list = true)                                                          \
    X("shard", required_argument, 'p',                                         \
      "      --shard I/N       do the I-th of N parts, and print no table\n",  \
      return take_shard(o, optarg))                                            \
    X("collect", no_argument, 'c',                                             \
      "      --collect         run nothing; make the tables of the runs in "   \
      "DIR\n"                                                                  \
      "                        and in the folders that follow CONFIG\n",       \
      a->collects = true)                                                      \
    X("measured", required_argument, 'd',                                      \
      "      --measured FILE   put times that were measured beside the "       \
      "first\n"                                                                \
      "                        time (`orrery help fit` lists formats; may "    \
      "be\n"                                                                   \
      "                        repeated)\n",                                   \
      return add_word(&a->measured, optarg))                                   \
    X("where", required_argument, 'w',                                         \
      "      --where COLUMN=VALUE\n"                                           \
      "                        only such rows of FILE (may be repeated)\n",    \
      return add_word(&a->where, optarg))                                      \
    X("element", required_argument, 'E',                                       \
      "      --element 4B      FILE counts elements of that size\n",           \
      o->element = optarg)                                                     \
    X("sort", required_argument, 'r',                                          \
      "      --sort NAME       sort rows by a measure or dimension; -NAME:\n"  \
      "                        descending\n",                                  \
      o->sort = optarg)                                                        \
    X("markdown", no_argument, 'M',                                            \
      "      --markdown, --latex\n"                                            \
      "                        how the table is printed\n",                    \
      a->style = ORR_COMPARE_MARKDOWN)                                         \
    X("latex", no_argument, 'L', "", a->style = ORR_COMPARE_LATEX)             \
    X("quiet", no_argument, 'q',                                               \
      "  -q, --quiet           print no table and no progress\n",              \
      a->quiet = true)                                                         \
    X("help", no_argument, 'h', "  -h, --help            this text\n",         \
      orr__print_usage(stdout, &orr__cmd_compare);                             \
      return ORR_EXIT_OK)

#define HELP(name, argument, letter, help, does) help
static const char options_text[] = OPTIONS(
    HELP) "\n"
          "The section `compare` of CONFIG says what to vary and measure; "
          "options\n"
          "override it. Runs that are already in DIR are not repeated. DIR "
          "gets\n"
          "table.csv, table.md, study.json and study.h5.\n"
          "Exit status: 0 fine, 1 a run failed, 2 usage or configuration,\n"
          "130 interrupted.\n";

#define LONG(name, argument, letter, help, does) {name, argument, NULL, letter},
static const struct option longs[] = {OPTIONS(LONG){NULL, 0, NULL, 0}};

/* ---- arguments --------------------------------------------------------- */

/* "2/8" */
static int take_shard(struct orr_compare_options *o, const char *text)
{
    char *end;
    unsigned long part = strtoul(text, &end, 10), parts = 0;
    if (end != text && *end == '/' && end[1] >= '0' && end[1] <= '9')
        parts = strtoul(end + 1, &end, 10);
    if (parts < 1 || parts > 1000000 || part < 1 || part > parts || *end)
        return orr__usage_error("compare",
                                "--shard takes a part and how many "
                                "there are, from 1/N to N/N, not \"%s\"",
                                text);
    o->shard = (uint32_t)part;
    o->shards = (uint32_t)parts;
    return -1;
}

static int take_jobs(struct arguments *a, const char *text)
{
    int64_t n;
    if (!orr__option_number("compare", "--jobs", text, MOST_JOBS, &n))
        return ORR_EXIT_USAGE;
    a->jobs = (uint32_t)n;
    return -1;
}

static int add_word(struct orr_words *w, const char *word)
{
    return orr__words_add(w, word) ? -1 : orr__no_memory_for_words();
}

/* Returns -1 to go on, or the exit status. */
static int take_option(struct arguments *a, int c)
{
    struct orr_compare_options *o = &a->options;
    switch (c) {
#define TAKE(name, argument, letter, help, does)                               \
    case letter: does; return -1;
        OPTIONS(TAKE)
    default: return ORR_EXIT_USAGE;
    }
}

/* Options that exclude one another. -1: none do, else the exit status. */
static int check_together(const struct arguments *a)
{
    const struct orr_compare_options *o = &a->options;
    if (a->list && a->collects)
        return orr__usage_error("compare", "--list or --collect: one of them");
    if (a->collects && o->shards)
        return orr__usage_error("compare", "--collect takes all parts, not a "
                                           "--shard of them");
    if (o->until && (a->list || o->shards))
        return orr__usage_error(
            "compare", "--until needs results before it continues: not with %s",
            a->list ? "--list" : "--shard");
    return -1;
}

/* -1: all is well, else the exit status. */
static int take_arguments(struct arguments *a, int argc, char **argv)
{
    struct orr_compare_options *o = &a->options;
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":m:s:j:o:qh", longs)) != -1)
        status = take_option(a, c);
    if (status >= 0)
        return status;
    if (optind == argc)
        return orr__usage_error("compare", "which configuration?");
    o->config = argv[optind++];
    if (optind < argc && !a->collects)
        return orr__usage_error("compare", "one configuration at a time; "
                                           "folders go with --collect");
    for (; optind < argc && status < 0; optind++)
        status = add_word(&a->collect, argv[optind]);
    o->sets = a->sets.word;
    o->n_sets = a->sets.count;
    o->plugins = a->plugins.word;
    o->n_plugins = a->plugins.count;
    o->over = a->over.word;
    o->n_over = a->over.count;
    o->measures = a->measures.word;
    o->n_measures = a->measures.count;
    o->collect = a->collect.word;
    o->n_collect = a->collect.count;
    o->measured = a->measured.word;
    o->n_measured = a->measured.count;
    o->where = a->where.word;
    o->n_where = a->where.count;
    o->collects = a->collects;
    if (a->jobs == 0) {
        long there = sysconf(_SC_NPROCESSORS_ONLN);
        a->jobs = there > 0 && there <= MOST_JOBS ? (uint32_t)there : 1;
    }
    return status >= 0 ? status : check_together(a);
}

/* ---- the study --------------------------------------------------------- */

/* The line on stderr, with the time left once some runs are done. */
static void show_progress(void *arg, const struct orr_compare_progress *p)
{
    struct orr_progress_line *l = arg;
    char left[32], text[120];
    int n;
    if (!l || !l->on)
        return;
    n = snprintf(text, sizeof text, "%u of %u runs done", p->done, p->runs);
    if (p->failed)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %u failed",
                      p->failed);
    if (p->left_s >= 0) {
        orr__progress_left(p->left_s, left, sizeof left);
        snprintf(text + n, sizeof text - (size_t)n, ", %s left", left);
    }
    orr__progress_say(l, text);
}

/* Starts runs as processes of this executable, until all are done or a signal
 * came. */
static orr_err run_missing(const struct arguments *a, struct orr_compare *c,
                           struct orr_report *why)
{
    char program[4096];
    struct orr_progress_line line;
    orr__progress_init(&line, a->quiet);
    struct orr_compare_runner r = {
        .jobs = a->jobs,
        .program = program,
        .arg = &line,
        .start = orr__process_start,
        .wait = orr__process_wait,
        .stop = orr__process_stop,
        .progress = show_progress,
        .interrupt = &caught,
    };
    if (!orr__process_self(program, sizeof program))
        return orr__fail(
            why, ORR_EIO,
            "cannot find the orrery executable: is /proc mounted?");
    orr__process_init();
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    orr_err err = orr__compare_run(c, &r, why);
    orr__progress_wipe(&line);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    return err;
}

static orr_err print_list(struct orr_compare *c, struct orr_report *why)
{
    char program[4096], *text = NULL;
    if (!orr__process_self(program, sizeof program))
        snprintf(program, sizeof program, "orrery");
    orr_err err = orr__compare_list(c, program, &text, why);
    if (text)
        fputs(text, stdout);
    orr__free(text);
    return err;
}

/* Files of the study, and its table on stdout unless it is quiet. */
static orr_err write_tables(const struct arguments *a, struct orr_compare *c,
                            struct orr_report *why)
{
    char *text = NULL;
    orr_err err = orr__compare_write(c, why);
    if (err || a->quiet)
        return err;
    err = orr__compare_table(c, a->style, &text, why);
    if (text)
        fputs(text, stdout);
    orr__free(text);
    return err;
}

/* The study's folder is locked until the process ends, so that two do not write
 * into it. */
static orr_err do_study(const struct arguments *a, struct orr_compare *c,
                        struct orr_report *why)
{
    orr_err err = orr__compare_lock(c, why);
    if (err)
        return err;
    if (a->list)
        return print_list(c, why);
    if (!a->collects)
        err = run_missing(a, c, why);
    if (err || a->options.shards)
        return err;
    return write_tables(a, c, why);
}

/* Who sees no table sees here why the command fails. */
static void tell_failures(const struct orr_compare *c)
{
    char *text = orr__compare_failures(c);
    if (!text)
        fputs("orrery: some runs failed\n", stderr);
    else if (*text)
        orr__print_visible(stderr, "orrery: %s", text);
    orr__free(text);
}

/* Says on stderr what is there, but for people who see the table. */
static void print_summary(const struct arguments *a,
                          const struct orr_compare *c)
{
    struct orr_compare_count n = orr__compare_count(c);
    const char *folder = orr__compare_folder(c);
    if (!a->list && (a->quiet || a->options.shards))
        tell_failures(c);
    if (a->quiet || a->list)
        return;
    if (a->options.shards)
        orr__print_visible(stderr,
                           "part %u of %u done; `orrery compare CONFIG "
                           "--collect -o %s` makes the tables\n",
                           a->options.shard, a->options.shards, folder);
    else
        orr__print_visible(
            stderr,
            "%u run%s, %u from before%s; %s/table.csv, table.md, "
            "study.json, study.h5\n",
            n.runs, n.runs == 1 ? "" : "s", n.reused,
            n.failed ? "; some failed" : "", folder);
}

static void print_note(void *arg, const char *text)
{
    orr__print_visible(stderr, "note: %s\n", text);
}

static void tell_planned(void *arg, uint32_t done, uint32_t all)
{
    char text[80];
    snprintf(text, sizeof text, "combination %u of %u", done + 1, all);
    orr__patience_say(text);
}

/* A run that failed makes the exit status that of a failed run, though the
 * study went on. */
static int run(int argc, char **argv)
{
    struct arguments a = {.options = {.keep = -1}};
    struct orr_report why = {0};
    struct orr_compare *c = NULL;
    int status = take_arguments(&a, argc, argv);
    bool opened = false;
    if (status < 0) {
        a.options.planned = tell_planned;
        orr__patience_begin("combinations", 0);
        orr_err err = orr__compare_open(&a.options, &c, &why);
        orr__patience_end();
        opened = err == ORR_OK;
        if (!err)
            orr__compare_notes(c, print_note, NULL);
        if (!err)
            err = do_study(&a, c, &why);
        if (err)
            orr__print_report(&why);
        else
            print_summary(&a, c);
        status = orr__exit_status(err, opened);
        if (!err && orr__compare_count(c).failed && !a.list)
            status = ORR_EXIT_RUN;
    }
    orr__compare_free(c);
    orr__words_fini(&a.sets);
    orr__words_fini(&a.plugins);
    orr__words_fini(&a.over);
    orr__words_fini(&a.measures);
    orr__words_fini(&a.collect);
    orr__words_fini(&a.measured);
    orr__words_fini(&a.where);
    return status;
}

const struct orr_command orr__cmd_compare = {
    .name = "compare",
    .arguments = "CONFIG [OPTION]...",
    .doc = "run an experiment in many variants and compare the results",
    .options = options_text,
    .run = run,
};
