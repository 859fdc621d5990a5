/* `orrery fit`: keys of a configuration from times that were measured, by
 * study/fit/. Here: the options, Ctrl-C, and what is printed. */
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/patience.h"
#include "cli/picture.h"
#include "core/error.h"
#include "core/memory.h"
#include "formats/measurements/measurements.h"
#include "study/fit/fit.h"

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
    caught = 1;
}

/* The command line; texts are argv's. */
struct arguments {
    struct orr_fit_options options;
    struct orr_words measured, vary, where, when, hold_out, sets, plugins;
    const char *output, *csv, *json, *plot;
    enum orr_fit_style style;
};

/* One a line: X(NAME, ARGUMENT, LETTER, HELP, what it does with optarg). a: the
 * arguments, o: their options. */
#define OPTIONS(X)                                                             \
    X("measured", required_argument, 'm',                                      \
      "  -m, --measured FILE   times that were measured (may be repeated)\n",  \
      return add_word(&a->measured, optarg))                                   \
    X("vary", required_argument, 'v',                                          \
      "  -v, --vary KEY,KEY=LOW..HIGH,...\n"                                   \
      "                        what is fitted, and bounds (default: a\n"       \
      "                        thousandth to a thousand times its value)\n",   \
      return add_word(&a->vary, optarg))                                       \
    X("hold-out", required_argument, 'H',                                      \
      "      --hold-out N,N    numbers of ranks, or COLUMN=VALUE: rows that\n" \
      "                        are predicted, not fitted\n",                   \
      return add_word(&a->hold_out, optarg))                                   \
    X("where", required_argument, 'w',                                         \
      "      --where COLUMN=VALUE\n"                                           \
      "                        only such rows (may be repeated)\n",            \
      return add_word(&a->where, optarg))                                      \
    X("when", required_argument, 'W',                                          \
      "      --when COLUMN=VALUE:KEY=VALUE\n"                                  \
      "                        what such rows set (may be repeated)\n",        \
      return add_word(&a->when, optarg))                                       \
    X("size-key", required_argument, 'z',                                      \
      "      --size-key KEY    where a row's size goes; default: `size` of\n"  \
      "                        the only collective of the first job\n",        \
      o->size_key = optarg)                                                    \
    X("ranks-key", required_argument, 'r',                                     \
      "      --ranks-key KEY,KEY/N\n"                                          \
      "                        where its ranks go, all of them or one of N;\n" \
      "                        default: jobs[0].ranks, and topology.size or\n" \
      "                        topology.hosts in proportion\n",                \
      o->ranks_key = optarg)                                                   \
    X("figure", required_argument, 'f',                                        \
      "      --figure PATH     of the JSON summary, a time: what is "          \
      "compared\n"                                                             \
      "                        (jobs.0.iteration_ns.mean)\n",                  \
      o->figure = optarg)                                                      \
    X("format", required_argument, 'F',                                        \
      "      --format NAME     of FILE; default: by what it holds\n",          \
      o->format = optarg)                                                      \
    X("element", required_argument, 'e',                                       \
      "      --element 4B      FILE counts elements of that size\n",           \
      o->element = optarg)                                                     \
    X("output", required_argument, 'o',                                        \
      "  -o, --output FILE     CONFIG with the values found\n",                \
      a->output = optarg)                                                      \
    X("csv", required_argument, 'C',                                           \
      "      --csv FILE        all points as CSV\n", a->csv = optarg)          \
    X("json", required_argument, 'j',                                          \
      "      --json [FILE]     all of it as JSON (stdout)\n",                  \
      a->json = optarg)                                                        \
    X("plot", required_argument, 'p',                                          \
      "      --plot FILE       a picture, by gnuplot: .svg, .pdf or .png\n",   \
      a->plot = optarg)                                                        \
    X("markdown", no_argument, 'M',                                            \
      "      --markdown        the tables in Markdown\n",                      \
      a->style = ORR_FIT_MARKDOWN)                                             \
    X("set", required_argument, 's',                                           \
      "  -s, --set KEY=VALUE   replace a value (may be repeated)\n",           \
      return add_word(&a->sets, optarg))                                       \
    X("plugin", required_argument, ORR_PLUGIN_OPTION, ORR_PLUGIN_HELP,         \
      return add_word(&a->plugins, optarg))                                    \
    X("threads", required_argument, 't',                                       \
      "  -t, --threads N       runs at once (default: one for each "           \
      "processor)\n",                                                          \
      return take_threads(o, optarg))                                          \
    X("help", no_argument, 'h', "  -h, --help            this text\n",         \
      orr__print_usage(stdout, &orr__cmd_fit);                                 \
      return ORR_EXIT_OK)

#define HELP(name, argument, letter, help, does) help
static const char options_text[] = OPTIONS(
    HELP) "\n"
          "Each row of FILE is a run of CONFIG with its size and ranks. Least\n"
          "squares of the relative errors choose the values; the table has\n"
          "measured, fitted and predicted times. What the points do not\n"
          "determine is said. Exit status: 0 fine, 1 a run failed, 2 usage,\n"
          "configuration or measurements, 130 interrupted.\n"
          "\n"
          "  orrery fit ring.yaml -m nccl.txt -v topology.link.delay -o "
          "ring-fitted.yaml\n";

#define LONG(name, argument, letter, help, does) {name, argument, NULL, letter},
static const struct option longs[] = {OPTIONS(LONG){NULL, 0, NULL, 0}};

static void print_formats(FILE *f)
{
    const struct orr_measurements_format *const *k =
        orr__measurements_formats();
    fputs("\nFILE is one of\n", f);
    for (; *k; k++)
        fprintf(f, "  %-16s%s\n", (*k)->name, (*k)->doc);
}

/* ---- arguments ---------------------------------------------------------- */

static int add_word(struct orr_words *w, const char *word)
{
    return orr__words_add(w, word) ? -1 : orr__no_memory_for_words();
}

static int take_threads(struct orr_fit_options *o, const char *text)
{
    int64_t n;
    if (!orr__option_number("fit", "--threads", text, 64, &n))
        return ORR_EXIT_USAGE;
    if (n == 0)
        return orr__usage_error("fit", "--threads: at least 1");
    o->threads = (unsigned)n;
    return -1;
}

/* Returns -1 to go on, or the exit status. */
static int take_option(struct arguments *a, int c)
{
    struct orr_fit_options *o = &a->options;
    switch (c) {
#define TAKE(name, argument, letter, help, does)                               \
    case letter: does; return -1;
        OPTIONS(TAKE)
    default: return ORR_EXIT_USAGE;
    }
}

/* -1: all is well, else the exit status. */
static int take_arguments(struct arguments *a, int argc, char **argv)
{
    struct orr_fit_options *o = &a->options;
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":m:v:o:s:t:h", longs)) != -1)
        status = take_option(a, c);
    if (status >= 0)
        return status;
    if (optind + 1 != argc)
        return orr__usage_error("fit", optind == argc
                                           ? "which configuration?"
                                           : "one configuration at a time");
    if (a->measured.count == 0)
        return orr__usage_error("fit", "which measurements? --measured FILE");
    if (a->vary.count == 0)
        return orr__usage_error("fit", "which keys? --vary KEY");
    if (a->plot && !orr__picture_is_known("fit", a->plot))
        return ORR_EXIT_USAGE;
    o->config = argv[optind];
#define WORDS(name) o->name = a->name.word, o->n_##name = a->name.count
    WORDS(measured), WORDS(vary), WORDS(where), WORDS(when), WORDS(hold_out);
    WORDS(sets), WORDS(plugins);
    return -1;
}

/* ---- output ------------------------------------------------------------- */

/* Takes text over; NULL: it found no memory. */
static orr_err put_file(const char *name, char *text, struct orr_report *why)
{
    orr_err err = text ? ORR_OK : orr__no_memory(why);
    if (!err && strcmp(name, "-") == 0)
        fputs(text, stdout);
    else if (!err)
        err = orr__write_text(name, text, why);
    orr__free(text);
    return err;
}

static orr_err draw_fit(const struct orr_fit *f, const char *name,
                        struct orr_report *why)
{
    struct orr_text script = {.s = NULL};
    const struct orr_picture picture = {name, "DejaVu Sans", 9, 12, 9};
    orr__picture_begin(&script, &picture);
    orr__fit_plot(f, &script);
    orr_err err = script.failed ? orr__no_memory(why)
                                : orr__picture_draw(&script, name, why);
    orr__free(script.s);
    return err;
}

/* With `--json -` only JSON goes to stdout. */
static orr_err show_fit(const struct arguments *a, const struct orr_fit *f,
                        struct orr_report *why)
{
    bool json_alone = a->json && strcmp(a->json, "-") == 0;
    orr_err err = ORR_OK;
    orr__print_visible(stderr, "%s", orr__fit_notes(f));
    if (!json_alone)
        err = put_file("-", orr__fit_text(f, a->style), why);
    if (!err && a->json)
        err = put_file(a->json, orr__fit_json(f), why);
    if (!err && a->csv)
        err = put_file(a->csv, orr__fit_csv(f), why);
    if (!err && a->plot)
        err = draw_fit(f, a->plot, why);
    if (!err && a->output) {
        char *text = orr__fit_config(f, why);
        err = text ? put_file(a->output, text, why) : why->code;
    }
    return err;
}

static void show_progress(void *arg, const char *text)
{
    orr__patience_say(text);
}

/* The exit status. */
static int make_fit(struct arguments *a)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_fit *f = NULL;
    a->options.interrupt = &caught;
    a->options.progress = show_progress;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    orr__patience_begin("reading and fitting", 0);
    orr_err err = orr__fit_make(&a->options, &f, &why);
    orr__patience_end();
    if (!err)
        err = show_fit(a, f, &why);
    if (err)
        orr__print_report(&why);
    orr__fit_free(f);
    return orr__exit_status(err, err == ORR_ERUN);
}

/* Options and the configuration. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct arguments a = {.style = ORR_FIT_TEXT};
    int status = take_arguments(&a, argc, argv);
    if (status < 0)
        status = make_fit(&a);
    struct orr_words *const words[] = {&a.measured, &a.vary, &a.where,  &a.when,
                                       &a.hold_out, &a.sets, &a.plugins};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        orr__words_fini(words[i]);
    return status;
}

const struct orr_command orr__cmd_fit = {
    .name = "fit",
    .arguments = "CONFIG --measured FILE --vary KEY,... [OPTION]...",
    .doc = "fit a configuration to times that were measured",
    .options = options_text,
    .more = print_formats,
    .run = run,
};
