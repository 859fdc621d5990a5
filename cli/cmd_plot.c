/* `orrery plot`: a picture by gnuplot. Its script, data and all, is made by
 * study/report/plot.c; here gnuplot is started, and its picture gets its name
 * only when it is whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/apart.h"
#include "core/assert.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "study/report/plot.h"

static const char options_text[] =
    "  -o, --output FILE     the picture: .svg, .pdf or .png by its name\n"
    "                        (WHAT.svg)\n"
    "      --link NAME       for `series`: a link, by id or as in \"a > b\"\n"
    "                        (may be repeated); default: the busiest\n"
    "      --of WHAT         for `cdf`: fct, or slowdown (fct); of a cluster:\n"
    "                        completion, queueing or slowdown (completion)\n"
    "      --measure NAME    for `bars`; default: the study's first\n"
    "      --size W,H        in cm (12,7.5)\n"
    "      --script          print gnuplot's script, data included, and draw\n"
    "                        nothing\n"
    "  -h, --help            this text\n"
    "\n"
    "Pictures for papers, by gnuplot (Debian's gnuplot-nox), from the HDF5 of\n"
    "a run or the folder of a study:\n";

static void more(FILE *f)
{
    for (const struct orr_plot *p = orr__plots; p->name; p++)
        fprintf(f, "  %-12s %s\n", p->name, p->doc);
}

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"link", required_argument, NULL, 'L'},
    {"of", required_argument, NULL, 'F'},
    {"measure", required_argument, NULL, 'M'},
    {"size", required_argument, NULL, 'Z'},
    {"script", no_argument, NULL, 'S'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line; texts are argv's. */
struct request {
    const char *file, *what, *output;
    double width, height; /* cm */
    bool script;
    struct orr_words links;
    struct orr_plot_options plot;
};

static const struct {
    const char *ending, *terminal;
    double scale; /* of a cm; 0: it knows cm itself */
} terminals[] = {
    {".svg", "svg background rgb 'white' font 'DejaVu Sans,12'", 37.8},
    {".pdf", "pdfcairo font 'DejaVu Sans,9'", 0},
    {".png", "pngcairo font 'DejaVu Sans,16'", 78.7}, /* 200 dpi */
};
enum { TERMINALS = sizeof terminals / sizeof *terminals };

static size_t terminal_of(const char *name)
{
    size_t n = strlen(name), i = 0;
    while (i < TERMINALS
           && (n < 5 || strcmp(name + n - 4, terminals[i].ending) != 0))
        i++;
    return i;
}

static bool read_size(const char *text, struct request *q)
{
    char *end;
    q->width = strtod(text, &end);
    if (*end == ',')
        q->height = strtod(end + 1, &end);
    return *end == '\0' && q->width >= 2 && q->width <= 100 && q->height >= 2
           && q->height <= 100;
}

/* The terminal and, unless that is stdout, what it writes to. */
static void begin_script(struct orr_text *t, const struct request *q)
{
    size_t i = terminal_of(q->output);
    ORR_ASSERT(i < TERMINALS);
    double scale = terminals[i].scale;
    if (scale > 0)
        orr__text_add(t, "set terminal %s size %.0f,%.0f\n",
                      terminals[i].terminal, q->width * scale,
                      q->height * scale);
    else
        orr__text_add(t, "set terminal %s size %gcm,%gcm\n",
                      terminals[i].terminal, q->width, q->height);
}

/* Has gnuplot draw a script into a file that is there already. */
static orr_err draw_picture(const struct orr_text *script, int out,
                            struct orr_report *why)
{
    int pipes[2], state = 0;
    if (pipe(pipes) != 0)
        return orr__fail(why, ORR_EIO, "a pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[0], STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execlp("gnuplot", "gnuplot", "-", (char *)NULL);
        _exit(127);
    }
    close(pipes[0]);
    bool ok = child > 0;
    for (size_t at = 0; ok && at < script->length;) {
        ssize_t n = write(pipes[1], script->s + at, script->length - at);
        ok = n > 0 || (n < 0 && errno == EINTR);
        at += n > 0 ? (size_t)n : 0;
    }
    close(pipes[1]);
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 127)
        return orr__fail(why, ORR_ECONFIG,
                         "gnuplot is not there: it draws the "
                         "pictures; its package is gnuplot-nox");
    if (!ok || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return orr__fail(why, ORR_EIO, "gnuplot did not draw it");
    return ORR_OK;
}

/* Runs in a child process, so it writes to `out` alone. */
static orr_err make_script(void *arg, FILE *out, struct orr_report *why)
{
    const struct request *q = arg;
    struct orr_text script = {.s = NULL};
    orr_err err = orr__plot(q->file, q->what, &q->plot, &script, why);
    if (!err && script.failed)
        err = orr__no_memory(why);
    if (!err)
        fwrite(script.s, 1, script.length, out);
    orr__free(script.s);
    return err;
}

/* The script on stdout, or the picture that gnuplot makes of it. */
static orr_err plot_record(struct request *q, struct orr_text *script,
                           struct orr_report *why)
{
    struct orr_file f = {.out = NULL};
    /* in a child, for a file that may be damaged */
    const struct orr_apart a = {
        .work = make_script,
        .arg = q,
        .take = orr__apart_take_text,
        .to = script,
        .file = q->file,
    };
    begin_script(script, q);
    orr_err err = orr__apart(&a, why);
    if (!err && script->failed)
        err = orr__no_memory(why);
    if (err)
        return err;
    if (q->script) {
        fwrite(script->s, 1, script->length, stdout);
        return ORR_OK;
    }
    err = orr__file_open(&f, q->output, why);
    if (err)
        return err;
    err = draw_picture(script, fileno(f.out), why);
    return orr__file_close(&f, err, why);
}

/* -1: go on; else the exit status. */
static int read_options(int argc, char **argv, struct request *q)
{
    int option;
    while ((option = orr__next_option(argc, argv, "o:h", longs)) != -1)
        switch (option) {
        case 'o': q->output = optarg; break;
        case 'L':
            if (!orr__words_add(&q->links, optarg))
                return orr__no_memory_for_words();
            break;
        case 'F': q->plot.of = optarg; break;
        case 'M': q->plot.measure = optarg; break;
        case 'Z':
            if (!read_size(optarg, q))
                return orr__usage_error("plot",
                                        "--size \"%s\": two lengths in "
                                        "cm, from 2 to 100, as in 12,7.5",
                                        optarg);
            break;
        case 'S': q->script = true; break;
        case 'h': orr__print_usage(stdout, &orr__cmd_plot); return ORR_EXIT_OK;
        default: return ORR_EXIT_USAGE;
        }
    return -1;
}

/* -1: go on; else the exit status. */
static int read_arguments(int argc, char **argv, struct request *q, char *name,
                          size_t size)
{
    const struct {
        bool is;
        const char *option, *plot;
    } given[] = {
        {q->links.count > 0, "link", "series"},
        {q->plot.of != NULL, "of", "cdf"},
        {q->plot.measure != NULL, "measure", "bars"},
    };
    const char *names[16] = {NULL};
    size_t i;
    if (argc != 2)
        return orr__usage_error("plot", "a run or a study, and what to plot");
    q->file = argv[0];
    q->what = argv[1];
    for (i = 0; orr__plots[i].name; i++) {
        ORR_ASSERT(i + 1 < sizeof names / sizeof *names);
        names[i] = orr__plots[i].name;
    }
    for (i = 0; names[i] && strcmp(names[i], q->what) != 0; i++)
        ;
    if (!names[i])
        return orr__usage_unknown("plot", "plot", q->what, names, "help plot");
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (given[k].is && strcmp(given[k].plot, q->what) != 0)
            return orr__usage_error("plot", "--%s is of `%s`, not of %s",
                                    given[k].option, given[k].plot, q->what);
    if (!q->output) {
        snprintf(name, size, "%s.svg", q->what);
        q->output = name;
    }
    if (terminal_of(q->output) == TERMINALS)
        return orr__usage_error("plot",
                                "%s: its name says what it is: .svg, "
                                ".pdf or .png",
                                q->output);
    return -1;
}

/* Options and the record. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct request q = {.width = 12, .height = 7.5};
    char name[64];
    int status = read_options(argc, argv, &q);
    if (status < 0)
        status =
            read_arguments(argc - optind, argv + optind, &q, name, sizeof name);
    if (status < 0) {
        struct orr_text script = {.s = NULL};
        struct orr_report why = {.code = ORR_OK};
        q.plot.links = q.links.word;
        q.plot.n_links = q.links.count;
        ORR_ASSERT(q.output != NULL); /* read_arguments chose one */
        orr_err err = plot_record(&q, &script, &why);
        orr__free(script.s);
        status = err ? orr__exit_status(err, false) : ORR_EXIT_OK;
        if (err)
            orr__print_report(&why);
    }
    orr__words_fini(&q.links);
    return status;
}

const struct orr_command orr__cmd_plot = {
    .name = "plot",
    .arguments = "RUN.h5|STUDY WHAT [-o x.svg|x.pdf|x.png]",
    .doc = "draw one picture of a run or a study, for papers",
    .options = options_text,
    .more = more,
    .run = run,
};
