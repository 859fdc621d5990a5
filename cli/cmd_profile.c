/* `orrery profile`: runs a job by itself and writes what it asks of each link
 * (study/profile/profile.h), for people to edit and for schedules to read. */
#include <string.h>

#include "cli/cli.h"
#include "cli/settings.h"
#include "core/memory.h"
#include "experiment/experiment.h"
#include "study/profile/profile.h"

static const char options_text[] =
    "  -j, --job NAME        which job; not needed for a single job\n"
    "  -o, --output FILE     YAML, or HDF5 if the name ends in .h5; default:\n"
    "                        YAML on stdout\n"
    "  -n, --iterations N    iterations to run; the last is measured (3)\n"
    "  -b, --bins N          bins of the iteration; default: up to 1000, "
    "fewer\n"
    "                        if they would hold few packets\n"
    "  -s, --set KEY=VALUE   replace a value: seed=7 (may be repeated)\n"
    "      --preset NAME     network.preset (orrery list "
    "presets)\n" ORR_PLUGIN_HELP
    "      --seed N          replace the configuration's seed\n"
    "  -t, --threads N       worker threads: 1\n"
    "  -h, --help            this text\n"
    "\n"
    "Runs one job alone on its placement, without gate and schedule, and\n"
    "reports its demand of each link over an iteration. `orrery plan` and\n"
    "schedules (`profiles`) use the file, which may be edited.\n";

static const struct option longs[] = {
    {"job", required_argument, NULL, 'j'},
    {"output", required_argument, NULL, 'o'},
    {"iterations", required_argument, NULL, 'n'},
    {"bins", required_argument, NULL, 'b'},
    ORR_CHANGES_LONGS,
    {"threads", required_argument, NULL, 't'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line; texts are argv's. */
struct arguments {
    struct orr_profile_request measure;
    struct orr_options options;
    struct orr_settings changes;
    const char *output; /* NULL: stdout */
};

/* By the ending of the name: .h5 or YAML. */
static orr_err put_profile(const struct arguments *w,
                           const struct orr_measured *m, struct orr_report *why)
{
    size_t n = w->output ? strlen(w->output) : 0;
    if (n > 3 && strcmp(w->output + n - 3, ".h5") == 0)
        return orr__measured_write(m, w->output, why);
    char *text =
        orr__profile_text(&m->profile, orr__experiment_world(m->x)->graph);
    orr_err err = text ? ORR_OK : orr__no_memory(why);
    if (err == ORR_OK && w->output)
        err = orr__write_text(w->output, text, why);
    else if (err == ORR_OK)
        fputs(text, stdout);
    orr__free(text);
    return err;
}

/* For people: on stderr, for stdout may be a file. */
static void print_summary(const struct orr_measured *m)
{
    char *text = orr__measured_summary(m);
    if (text)
        fputs(text, stderr);
    else
        orr__lose_output();
    orr__free(text);
}

/* The exit status; a failure once the job ran is that of a run. */
static int measure(struct arguments *w)
{
    struct orr_report why = {0};
    struct orr_measured m;
    orr__settings_apply(&w->changes, &w->options);
    orr_err err = orr__measure(&w->measure, &w->options, &m, &why);
    bool running = m.x != NULL;
    if (err == ORR_OK)
        err = put_profile(w, &m, &why);
    if (err == ORR_OK)
        print_summary(&m);
    else
        orr__print_report(&why);
    orr__measured_fini(&m);
    return orr__exit_status(err, running);
}

/* -1, or the exit status. */
static int take_number(struct arguments *w, int c)
{
    static const struct {
        int c;
        const char *name;
        int64_t most;
    } numbers[] = {
        {'n', "--iterations", 1000000},
        {'b', "--bins", 100000},
        {'t', "--threads", 1024},
    };
    int64_t v;
    size_t i = 0;
    while (numbers[i].c != c)
        i++;
    if (!orr__option_number("profile", numbers[i].name, optarg, numbers[i].most,
                            &v))
        return ORR_EXIT_USAGE;
    if (v == 0)
        return orr__usage_error("profile", "%s: at least 1", numbers[i].name);
    if (c == 'n')
        w->measure.iterations = (uint32_t)v;
    else if (c == 'b')
        w->measure.bins = (uint32_t)v;
    else if (c == 't')
        w->options.threads = (unsigned)v;
    return -1;
}

/* One option. -1: go on, else the exit status. */
static int take_option(struct arguments *w, int c)
{
    int status;
    if (orr__settings_take(&w->changes, "profile", c, &status))
        return status;
    switch (c) {
    case 'j': w->measure.job = optarg; return -1;
    case 'o': w->output = optarg; return -1;
    case 'n':
    case 'b':
    case 't': return take_number(w, c);
    case 'h': orr__print_usage(stdout, &orr__cmd_profile); return ORR_EXIT_OK;
    default: return ORR_EXIT_USAGE;
    }
}

/* Options and the configuration. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct arguments w = {.measure = {.iterations = 3}};
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":j:o:n:b:s:t:h", longs)) != -1)
        status = take_option(&w, c);
    if (status < 0 && optind + 1 != argc)
        status = orr__usage_error("profile", "which configuration?");
    if (status < 0) {
        w.measure.config = argv[optind];
        status = measure(&w);
    }
    orr__settings_fini(&w.changes);
    return status;
}

const struct orr_command orr__cmd_profile = {
    .name = "profile",
    .arguments = "CONFIG --job NAME [OPTION]...",
    .doc = "measure a job's demand of each link over an iteration, alone",
    .options = options_text,
    .run = run,
};
