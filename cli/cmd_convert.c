/* orrery convert: other simulators' files to a configuration, and back. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "experiment/experiment.h"
#include "formats/convert.h"

static const char options_text[] =
    "  -o, --output FILE     write the configuration there (default: stdout)\n"
    "      --to              write FORMAT's files from a configuration, into\n"
    "                        the folder that -o names\n"
    "  -s, --set KEY=VALUE   replace a value of CONFIG (may be repeated)\n"
    "  -h, --help            this text\n"
    "\n"
    "  orrery convert hpcc mix/config.txt -o config.yaml\n"
    "  orrery convert hpcc topology.txt flow.txt -o config.yaml\n"
    "  orrery convert htsim tree.topo incast.cm -o config.yaml\n"
    "  orrery convert simai workload.txt topology SimAI.conf -o config.yaml\n"
    "  orrery convert pipedream graph.txt -o config.yaml\n"
    "  orrery convert kineto rank*.json -o config.yaml\n"
    "  orrery convert pcap capture.pcapng -o config.yaml\n"
    "  orrery convert --to hpcc config.yaml -o mix\n"
    "  orrery convert --to htsim config.yaml -o htsim\n"
    "\n"
    "The configuration names the files it came from; it does not copy them.\n"
    "Notes on stderr say what could not be converted.\n";

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"to", no_argument, NULL, 't'},
    {"set", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line; texts are argv's. */
struct arguments {
    const char *output;
    bool to;
    struct orr_words sets;
};

/* Behind the options in help. */
static void print_formats(FILE *f)
{
    const struct orr_convert_ops *const *k = orr__converters();
    fputs("\nFORMAT is one of\n", f);
    for (; *k; k++) {
        fprintf(f, "  %-16s%s\n", (*k)->name, (*k)->doc);
        if ((*k)->inputs)
            fprintf(f, "                  reads %s\n", (*k)->inputs);
        if ((*k)->outputs)
            fprintf(f, "                  writes %s\n", (*k)->outputs);
    }
}

/* ---- to a configuration ------------------------------------------------ */

/* Folder of a file name, to be freed. */
static char *folder_of(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!slash)
        return orr__strdup(".");
    return orr__format("%.*s", slash == file ? 1 : (int)(slash - file), file);
}

/* What was made must be what orrery reads: a wrong line of a flow file is told
 * now, with its place. */
static orr_err check_config(const char *config, struct orr_report *why)
{
    struct orr_options o = {.no_output = true};
    orr_experiment *x = NULL;
    orr_err err = orr_experiment_load(config, &o, &x, why);
    orr_experiment_free(x);
    return err;
}

/* To stdout or a file. A configuration that could run is checked first, and a
 * wrong one is not kept. */
static orr_err write_config(const char *output, const char *text, bool runnable,
                            struct orr_report *why)
{
    struct orr_file out;
    if (!output || strcmp(output, "-") == 0) {
        fputs(text, stdout);
        return ORR_OK;
    }
    orr_err err = orr__file_open(&out, output, why);
    if (err != ORR_OK)
        return err;
    orr__file_put(&out, text, strlen(text));
    fflush(out.out);
    if (runnable && out.partial) {
        err = check_config(out.partial, why);
        /* the name that it would have had */
        if (err != ORR_OK && strcmp(why->file, out.partial) == 0)
            snprintf(why->file, sizeof why->file, "%s", output);
    }
    if (err != ORR_OK) {
        orr__file_abandon(&out);
        return err;
    }
    return orr__file_close(&out, ORR_OK, why);
}

static bool is_same(const char *a, const char *b)
{
    struct stat s, t;
    return a && stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev
           && s.st_ino == t.st_ino;
}

/* The exit status. Inputs are never overwritten. */
static int from_format(const struct arguments *a,
                       const struct orr_convert_ops *ops, char **input, int n)
{
    struct orr_report why = {0};
    char *folder = folder_of(a->output), *text = NULL;
    struct orr_convert c = {.input = (const char *const *)input,
                            .inputs = (size_t)n,
                            .folder = folder};
    orr_err err = folder ? ORR_OK : orr__no_memory(&why);
    for (int i = 0; i < n; i++)
        if (is_same(a->output, input[i])) {
            orr__free(folder);
            return orr__usage_error("convert", "that would overwrite %s",
                                    input[i]);
        }
    if (err == ORR_OK)
        err = ops->from(&c, &why);
    if (err == ORR_OK && c.notes.failed)
        err = orr__no_memory(&why);
    bool runnable =
        c.yaml.s
        && (strstr(c.yaml.s, "\nflows:") || strstr(c.yaml.s, "\njobs:"));
    if (err == ORR_OK) {
        text = orr__text_done(&c.yaml);
        err = text ? write_config(a->output, text, runnable, &why)
                   : orr__no_memory(&why);
    }
    if (err == ORR_OK)
        orr__print_notes(&c.notes);
    else
        orr__print_report(&why);
    orr__free(text);
    orr__free(c.yaml.s);
    orr__free(c.notes.s);
    orr__free(folder);
    return orr__exit_status(err, false);
}

/* ---- from a configuration ---------------------------------------------- */

/* The exit status. The folder is made if it is not there. */
static int to_format(const struct arguments *a,
                     const struct orr_convert_ops *ops, const char *config)
{
    struct orr_report why = {0};
    struct orr_text notes = {.s = NULL};
    struct orr_options o = {
        .sets = a->sets.word, .n_sets = a->sets.count, .no_output = true};
    orr_experiment *x = NULL;
    if (!a->output)
        return orr__usage_error("convert", "--to needs a folder: -o FOLDER");
    orr_err err = orr_experiment_load(config, &o, &x, &why);
    if (err == ORR_OK)
        err = orr__make_folder(a->output, NULL, &why);
    if (err == ORR_OK)
        err = ops->to(orr__experiment_world(x), a->output, &notes, &why);
    if (err == ORR_OK && notes.failed)
        err = orr__no_memory(&why);
    if (err == ORR_OK)
        orr__print_notes(&notes);
    else
        orr__print_report(&why);
    orr__free(notes.s);
    orr_experiment_free(x);
    return orr__exit_status(err, false);
}

/* ---- the command ------------------------------------------------------- */

/* The format by its name, in the direction asked for. Returns the exit
 * status. */
static int convert_files(const struct arguments *a, int argc, char **argv)
{
    const struct orr_convert_ops *const *k = orr__converters();
    const char *names[32] = {NULL};
    if (argc < 1)
        return orr__usage_error("convert", "which format?");
    for (size_t i = 0; k[i] && i < 31; i++) {
        names[i] = k[i]->name;
        if (strcmp(k[i]->name, argv[0]) != 0)
            continue;
        if (a->to ? !k[i]->to : !k[i]->from)
            return orr__usage_error("convert", "%s is not %s", argv[0],
                                    a->to ? "written" : "read");
        if (argc < 2)
            return orr__usage_error("convert", "which %s?",
                                    a->to ? "configuration" : "files");
        if (a->to && argc > 2)
            return orr__usage_error("convert", "one configuration at a time");
        return a->to ? to_format(a, k[i], argv[1])
                     : from_format(a, k[i], argv + 1, argc - 1);
    }
    return orr__usage_unknown("convert", "format", argv[0], names,
                              "help convert");
}

/* Options, then the format. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct arguments a = {.output = NULL};
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":o:s:h", longs)) != -1) {
        if (c == 'o') {
            a.output = optarg;
        } else if (c == 't') {
            a.to = true;
        } else if (c == 's') {
            if (!orr__words_add(&a.sets, optarg))
                status = orr__no_memory_for_words();
        } else if (c == 'h') {
            orr__print_usage(stdout, &orr__cmd_convert);
            status = ORR_EXIT_OK;
        } else {
            status = ORR_EXIT_USAGE;
        }
    }
    if (status < 0)
        status = convert_files(&a, argc - optind, argv + optind);
    orr__words_fini(&a.sets);
    return status;
}

const struct orr_command orr__cmd_convert = {
    .name = "convert",
    .arguments = "FORMAT FILE... [-o OUT] | --to FORMAT CONFIG -o FOLDER",
    .doc = "turn other simulators' files into a configuration, or back",
    .options = options_text,
    .more = print_formats,
    .run = run,
};
