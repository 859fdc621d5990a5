/* `orrery check`: builds all that a run would need and runs nothing. What is
 * wrong is said at its place; what a run would take is worked out by
 * orr_experiment_estimate, and only printed here. A file with a `compare`
 * section is a study: then it is what all its runs would take. */
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/patience.h"
#include "cli/settings.h"
#include "core/error.h"
#include "core/memory.h"
#include "experiment/experiment.h"
#include "study/check/check.h"
#include "study/run/entry.h"

static const char options_text[] =
    "  -s, --set KEY=VALUE   replace a value: seed=7 (may be repeated)\n"
    "      --preset NAME     network.preset: a consistent set of network\n"
    "                        parameters (orrery list presets)\n" ORR_PLUGIN_HELP
    "      --seed N          replace the configuration's seed\n"
    "      --effective       print the effective configuration, with all\n"
    "                        defaults and the preset's values\n"
    "      --json [FILE]     as JSON; no FILE, or -: to stdout, instead of "
    "the\n"
    "                        text\n"
    "  -h, --help            this text\n"
    "\n"
    "Builds everything without a run; for a study (`compare`), all of its\n"
    "combinations. Expect time within a factor of 2: it is CPU time of one\n"
    "thread, without losses, from the packets of each kind, connections,\n"
    "messages, and the memory that they touch. Parts whose estimate takes\n"
    "more than 4 s of CPU time are left out, with a note. Memory is an upper\n"
    "bound, at most 1.5 times what a run touches, 1.7 where queues could\n"
    "fill and stay short; a limit of address space (ulimit -v) needs some\n"
    "100 MB more for libraries. A cluster is evaluated event by event, with\n"
    "guesses instead of packets; it takes more where a schedule chooses "
    "paths.\n";

static const struct option longs[] = {
    ORR_CHANGES_LONGS,  {"effective", no_argument, NULL, 'E'},
    ORR_JSON_LONG,      {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line; texts are argv's. */
struct arguments {
    struct orr_options options;
    const char *json;
    bool effective;
};

/* Of the CPU time of the process; estimating has a second in any case. */
static double left_s(double of)
{
    double left = of - (double)clock() / CLOCKS_PER_SEC;
    return left > 1 ? left : 1;
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

static void tell_planned(void *arg, uint32_t done, uint32_t all)
{
    char text[80];
    snprintf(text, sizeof text, "combination %u of %u", done + 1, all);
    orr__patience_say(text);
}

static void begin_phase(const char *doing, double cpu_s)
{
    orr__patience_begin(doing, left_s(cpu_s));
}

/* What it says goes to stdout; with `--json -` JSON alone. */
static orr_err show_checked(const struct orr_checked *k, const char *json,
                            struct orr_report *why)
{
    bool to_stdout = json && strcmp(json, "-") == 0;
    char *text = to_stdout ? NULL : orr__checked_text(k);
    char *object = json ? orr__checked_json(k) : NULL;
    orr_err err = (!to_stdout && !text) || (json && !object)
                      ? orr__no_memory(why)
                      : ORR_OK;
    if (err == ORR_OK)
        fputs(to_stdout ? object : text, stdout);
    if (err == ORR_OK && json && !to_stdout)
        err = orr__write_text(json, object, why);
    orr__free(text);
    orr__free(object);
    return err;
}

/* One run, or a study. Where planning or the estimate take too long they are
 * cut, and that is said. Returns the exit status. */
static int check_one(const struct orr_config_file *file,
                     const struct arguments *a)
{
    static const struct orr_check_watcher watcher = {
        begin_phase, orr__patience_end, tell_planned};
    struct orr_report why = {0};
    struct orr_checked k;
    orr_err err = orr__check_file(file, &a->options, &watcher, &k, &why);
    if (err == ORR_OK && a->effective && k.x) {
        if (!print_effective(k.x))
            err = orr__no_memory(&why);
    } else if (err == ORR_OK) {
        err = show_checked(&k, a->json, &why);
    }
    if (err != ORR_OK)
        orr__print_report(&why);
    orr__checked_fini(&k);
    return orr__exit_status(err, false);
}

/* Reads the configuration, perhaps from a pipe. Returns the exit status. */
static int check_file(const char *config, const struct arguments *a)
{
    struct orr_report why = {0};
    struct orr_config_file file;
    orr__patience_begin("reading", 0); /* a pipe may take its time */
    orr_err err = orr__config_file_read(&file, config, &why);
    orr__patience_end();
    if (err != ORR_OK)
        orr__print_report(&why);
    int status =
        err == ORR_OK ? check_one(&file, a) : orr__exit_status(err, false);
    orr__config_file_fini(&file);
    return status;
}

/* All configurations that are named; the worst exit status. */
static int check_all(int argc, char **argv, const struct arguments *a)
{
    int worst = ORR_EXIT_OK;
    if (optind == argc)
        return orr__usage_error("check", "which configuration?");
    if (a->json && strcmp(a->json, "-") != 0 && argc - optind > 1)
        return orr__usage_error("check", "--json FILE takes one configuration");
    for (int i = optind; i < argc; i++) {
        int status = check_file(argv[i], a);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Options, then each configuration. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct orr_settings changes = {.has_seed = false};
    struct arguments a = {.options = {/* a run would have an output */
                                      .no_output = false,
                                      .interrupt = &orr__patience_over}};
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":s:h", longs)) != -1) {
        if (orr__settings_take(&changes, "check", c, &status))
            continue;
        switch (c) {
        case 'E': a.effective = true; break;
        case 'j': a.json = optarg; break;
        case 'h':
            orr__print_usage(stdout, &orr__cmd_check);
            status = ORR_EXIT_OK;
            break;
        default: status = ORR_EXIT_USAGE;
        }
    }
    orr__settings_apply(&changes, &a.options);
    if (status < 0)
        status = check_all(argc, argv, &a);
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
