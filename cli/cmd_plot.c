/* `orrery plot`: a picture by gnuplot. Its script, data and all, is made by
 * study/report/plot.c. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/picture.h"
#include "core/apart.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/text.h"
#include "study/report/plot.h"

static const char options_text[] =
    "  -o, --output FILE     the picture: .svg, .pdf or .png by its name\n"
    "                        (WHAT.svg)\n"
    "      --link NAME       for `series`: a link, by id or as in \"a > b\"\n"
    "                        (may be repeated); default: the busiest\n"
    "      --of WHAT         for `cdf` of a run: fct, or slowdown (fct); of a\n"
    "                        cluster: completion, queueing or slowdown\n"
    "                        (completion)\n"
    "      --style STYLE     size and font for a paper or a talk: ieee, acm\n"
    "                        (one column), slides\n"
    "      --size W,H        in cm (12,7.5)\n"
    "      --script          print gnuplot's script, data included, and draw\n"
    "                        nothing\n"
    "  -h, --help            this text\n"
    "\n"
    "Of a study (`lines`, `bars`, `box`, `cdf`):\n"
    "      --measure PATH    default: the study's first; may be repeated; `*`\n"
    "                        makes a dimension of what it stands for, as in\n"
    "                        flows.by_size.*.slowdown.p99\n"
    "      --x DIMENSION     along the axis\n"
    "      --series D,D      a line or bar each\n"
    "      --facets D        a panel each\n"
    "      --where D=V,V     these values alone, in this order (may be\n"
    "                        repeated)\n"
    "      --name KEY=NAME   what a measure, dimension or value is called\n"
    "                        (may be repeated)\n"
    "      --log x|y|xy|none logarithmic axes; default: x if its values ask\n"
    "                        for it\n"
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
    {"x", required_argument, NULL, 'X'},
    {"series", required_argument, NULL, 'R'},
    {"facets", required_argument, NULL, 'A'},
    {"where", required_argument, NULL, 'W'},
    {"name", required_argument, NULL, 'N'},
    {"log", required_argument, NULL, 'G'},
    {"style", required_argument, NULL, 'Y'},
    {"size", required_argument, NULL, 'Z'},
    {"script", no_argument, NULL, 'S'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line; texts are argv's. */
struct request {
    const char *file, *what;
    struct orr_picture picture; /* lengths 0: as the style has them */
    bool script;
    struct orr_words links, measures, where, names;
    struct orr_plot_options plot;
};

/* The first is the default. Columns of the templates of IEEE (3.5 in) and of
 * ACM's sigconf (8.5 cm); a slide of 16:9. */
static const struct {
    const char *font;
    double points, width, height;
} styles[] = {
    {"DejaVu Sans", 9, 12, 7.5},
    {"Times", 8, 8.89, 6},
    {"Linux Libertine O", 8, 8.5, 5.7},
    {"DejaVu Sans", 18, 25.4, 14.3},
};
enum { STYLES = sizeof styles / sizeof *styles };
const char *const orr__plot_styles[] = {"plain", "ieee", "acm", "slides", NULL};
_Static_assert(sizeof orr__plot_styles / sizeof *orr__plot_styles == STYLES + 1,
               "a name for each");

/* -1: go on; else the exit status. */
static int take_style(struct request *q, const char *name)
{
    size_t i = 0;

    while (i < STYLES && strcmp(orr__plot_styles[i], name) != 0)
        i++;
    if (i == STYLES)
        return orr__usage_unknown("plot", "style", name, orr__plot_styles,
                                  "help plot");
    q->picture.font = styles[i].font;
    q->picture.points = styles[i].points;
    if (q->picture.width <= 0)
        q->picture.width = styles[i].width;
    if (q->picture.height <= 0)
        q->picture.height = styles[i].height;
    return -1;
}

static bool is_length(double cm)
{
    return cm >= 2 && cm <= 100;
}

/* "W,H", or "W": the height stays. */
static bool read_size(const char *text, struct request *q)
{
    char *end;
    q->picture.width = strtod(text, &end);
    bool height = *end == ',';
    if (height)
        q->picture.height = strtod(end + 1, &end);
    return *end == '\0' && is_length(q->picture.width)
           && (!height || is_length(q->picture.height));
}

/* Runs in a child process, so it writes to `out` alone. */
static orr_err make_script(void *arg, FILE *out, struct orr_report *why)
{
    const struct request *q = arg;
    struct orr_text script = {.s = NULL};
    orr_err err = orr__make_plot(q->file, q->what, &q->plot, &script, why);
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
    /* in a child, for a file that may be damaged */
    const struct orr_apart a = {
        .work = make_script,
        .arg = q,
        .take = orr__apart_take_text,
        .to = script,
        .file = q->file,
    };
    orr__picture_begin(script, &q->picture);
    orr_err err = orr__run_apart(&a, why);
    if (!err && script->failed)
        err = orr__no_memory(why);
    if (err)
        return err;
    if (q->script) {
        fwrite(script->s, 1, script->length, stdout);
        return ORR_OK;
    }
    return orr__picture_draw(script, q->picture.name, why);
}

/* Options that may be repeated. NULL: it is none of them. */
static struct orr_words *words_of(struct request *q, int option)
{
    switch (option) {
    case 'L': return &q->links;
    case 'M': return &q->measures;
    case 'W': return &q->where;
    case 'N': return &q->names;
    default: return NULL;
    }
}

/* Options with one text. NULL: it is none of them. */
static const char **text_of(struct request *q, int option)
{
    switch (option) {
    case 'o': return &q->picture.name;
    case 'F': return &q->plot.of;
    case 'X': return &q->plot.x;
    case 'R': return &q->plot.series;
    case 'A': return &q->plot.facets;
    case 'G': return &q->plot.log;
    default: return NULL;
    }
}

/* -1: go on; else the exit status. */
static int take_option(struct request *q, int option)
{
    struct orr_words *words = words_of(q, option);
    const char **text = text_of(q, option);

    if (words)
        return orr__words_add(words, optarg) ? -1 : orr__no_memory_for_words();
    if (text) {
        *text = optarg;
        return -1;
    }
    switch (option) {
    case 'Y': return take_style(q, optarg);
    case 'Z':
        if (read_size(optarg, q))
            return -1;
        return orr__usage_error("plot",
                                "--size \"%s\": two lengths in cm, from 2 to "
                                "100, as in 12,7.5",
                                optarg);
    case 'S': q->script = true; return -1;
    case 'h': orr__print_usage(stdout, &orr__cmd_plot); return ORR_EXIT_OK;
    default: return ORR_EXIT_USAGE;
    }
}

/* -1: go on; else the exit status. */
static int read_options(int argc, char **argv, struct request *q)
{
    int option, status = -1;
    while (status < 0
           && (option = orr__next_option(argc, argv, "o:h", longs)) != -1)
        status = take_option(q, option);
    return status;
}

/* Options of other pictures than this. -1: go on; else the exit status. */
static int check_given(const struct request *q, const struct orr_plot *plot)
{
    const struct orr_plot_options *o = &q->plot;
    const struct {
        bool is;
        const char *option, *plot; /* NULL: of studies */
    } given[] = {
        {q->links.count > 0, "link", "series"},
        {o->of != NULL, "of", "cdf"},
        {q->measures.count > 0, "measure", NULL},
        {q->where.count > 0, "where", NULL},
        {q->names.count > 0, "name", NULL},
        {o->x != NULL, "x", NULL},
        {o->series != NULL, "series", NULL},
        {o->facets != NULL, "facets", NULL},
        {o->log != NULL, "log", NULL},
    };
    static const char *const logs[] = {"x", "y", "xy", "none", NULL};
    size_t k = 0;

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].is
            && (given[i].plot ? strcmp(given[i].plot, plot->name) != 0
                              : !plot->study))
            return orr__usage_error("plot", "--%s is of %s%s%s, not of %s",
                                    given[i].option, given[i].plot ? "`" : "",
                                    given[i].plot ? given[i].plot
                                                  : "a study's pictures",
                                    given[i].plot ? "`" : "", plot->name);
    while (o->log && logs[k] && strcmp(o->log, logs[k]) != 0)
        k++;
    if (o->log && !logs[k])
        return orr__usage_unknown("plot", "axes for --log", o->log, logs, NULL);
    return -1;
}

/* -1: go on; else the exit status. */
static int read_arguments(int argc, char **argv, struct request *q, char *name,
                          size_t size)
{
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
    int status = check_given(q, &orr__plots[i]);
    if (status >= 0)
        return status;
    if (!q->picture.name) {
        snprintf(name, size, "%s.svg", q->what);
        q->picture.name = name;
    }
    return orr__picture_is_known("plot", q->picture.name) ? -1 : ORR_EXIT_USAGE;
}

/* What the library takes. */
static void finish_options(struct request *q)
{
    struct orr_plot_options *o = &q->plot;

    o->links = q->links.word;
    o->n_links = q->links.count;
    o->measures = q->measures.word;
    o->n_measures = q->measures.count;
    o->where = q->where.word;
    o->n_where = q->where.count;
    o->names = q->names.word;
    o->n_names = q->names.count;
    o->width = q->picture.width;
    o->height = q->picture.height;
    o->font = q->picture.points;
}

/* Options and the record. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct request q = {.file = NULL};
    char name[64];
    int status = read_options(argc, argv, &q);
    if (status < 0 && !q.picture.font)
        status = take_style(&q, orr__plot_styles[0]);
    if (status < 0)
        status =
            read_arguments(argc - optind, argv + optind, &q, name, sizeof name);
    if (status < 0) {
        struct orr_text script = {.s = NULL};
        struct orr_report why = {.code = ORR_OK};
        finish_options(&q);
        ORR_ASSERT(q.picture.name != NULL); /* read_arguments chose one */
        orr_err err = plot_record(&q, &script, &why);
        orr__free(script.s);
        status = err ? orr__exit_status(err, false) : ORR_EXIT_OK;
        if (err)
            orr__print_report(&why);
    }
    orr__words_fini(&q.links);
    orr__words_fini(&q.measures);
    orr__words_fini(&q.where);
    orr__words_fini(&q.names);
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
