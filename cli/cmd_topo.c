/* orrery topo: what a graph is, from a configuration or from a kind and its
 * parameters on the command line. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/config/config.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/units.h"
#include "record/figures.h"
#include "study/topology/topology.h"
#include "topo/build/build.h"
#include "topo/graph.h"
#include "topo/node_names.h"

#define WORDS        "orrery topo" /* what messages call a command line */
#define DEFAULT_LINK "{rate: 400Gbps, delay: 500ns}"

static const char options_text[] =
    "      --path SRC DST    a shortest path between two hosts, and the "
    "number\n"
    "                        of such paths\n"
    "      --links           every link: id, ends, rate, delay\n"
    "      --graphml FILE    write GraphML, which `kind: file` reads\n"
    "      --dot FILE        write the graph for Graphviz; - is stdout, as\n"
    "                        with --graphml, instead of the text\n"
    "      --prices FILE     prices of parts, instead of the built-in table\n"
    "                        (`orrery help prices`)\n"
    "      --json [FILE]     as JSON; no FILE, or -: to stdout, instead of "
    "the\n"
    "                        text\n"
    "  -s, --set KEY=VALUE   replace a value of CONFIG (may be repeated)\n"
    "  -h, --help            this text\n"
    "\n"
    "KIND is one of `orrery list topologies`; its parameters follow as\n"
    "key=value, such as\n"
    "  orrery topo fat-tree k=8 link.rate=100Gbps link.delay=1us\n"
    "The default link has 400 Gbps and 500 ns.\n";

static const struct option longs[] = {
    {"path", required_argument, NULL, 'p'},
    {"links", no_argument, NULL, 'l'},
    {"graphml", required_argument, NULL, 'g'},
    {"dot", required_argument, NULL, 'd'},
    {"prices", required_argument, NULL, 'P'},
    ORR_JSON_LONG,
    {"set", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line; texts are argv's. */
struct arguments {
    struct orr_words sets;
    const char *graphml, *dot, *prices, *json;
    bool links, path;
    const char *end[2]; /* of the path */
};

/* ---- the graph --------------------------------------------------------- */

static bool is_kind(const char *name)
{
    return orr__topology_find(name) != NULL;
}

/* Neither a kind nor a file that is there: which kind was meant? */
static int unknown_kind(const char *name)
{
    const struct orr_topology_ops *const *k = orr__topology_kinds();
    const char *names[64] = {NULL};
    for (size_t i = 0; k[i] && i < 63; i++)
        names[i] = k[i]->name;
    return orr__usage_unknown("topo", "kind of topology, and no file,", name,
                              names, "list topologies");
}

/* A configuration of nothing but the topology: kind and key=value words. Keys
 * are checked by whoever reads it, as those of a file are. */
static orr_err config_of_kind(const char *kind, char *const *words, int n,
                              struct orr_config **out, struct orr_report *why)
{
    bool file = strcmp(kind, "file") == 0;
    char *text = orr__format("topology:\n  kind: %s\n%s", kind,
                             file ? "" : "  link: " DEFAULT_LINK "\n");
    if (!text)
        return orr__no_memory(why);
    orr_err err = orr__config_parse(WORDS, text, strlen(text), out, why);
    orr__free(text);
    for (int i = 0; i < n && err == ORR_OK; i++) {
        char *set = orr__format("topology.%s", words[i]);
        char *name = orr__format("orrery topo %.*s",
                                 (int)strcspn(words[i], "="), words[i]);
        if (!set || !name) {
            err = orr__no_memory(why);
        } else if (strchr(words[i], '=') == NULL) {
            err = orr__fail(why, ORR_ECONFIG, "topo: \"%s\" is not a parameter",
                            words[i]);
            orr__hint(why, "write key=value, such as hosts=8");
        } else {
            err = orr__config_set_named(*out, set, name, why);
        }
        orr__free(set);
        orr__free(name);
    }
    return err;
}

/* *c and *g are the caller's even after an error; *g stays NULL then. */
static orr_err build_graph(const struct arguments *a, int argc, char **argv,
                           struct orr_config **c, struct orr_graph **g,
                           struct orr_report *why)
{
    const struct orr_yaml *at;
    orr_err err;
    if (is_kind(argv[0]))
        err = config_of_kind(argv[0], argv + 1, argc - 1, c, why);
    else
        err = orr__config_load(argv[0], c, why);
    for (size_t i = 0; i < a->sets.count && err == ORR_OK; i++)
        err = orr__config_set(*c, a->sets.word[i], why);
    if (err != ORR_OK)
        return err;
    return orr__topology_build(*c, &at, g, why);
}

/* ---- for people -------------------------------------------------------- */

/* Id, ends, rate, delay, and loss if there is some. */
static void print_link(const struct orr_graph *g, uint32_t l)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME], rate[32], delay[32];
    orr__node_label(g, g->from[l], from, sizeof from);
    orr__node_label(g, g->to[l], to, sizeof to);
    orr__format_rate(g->rate_bps[l], rate, sizeof rate);
    orr__format_time(g->delay_ps[l], delay, sizeof delay);
    orr__print_visible(stdout, "  %6u  %s > %s  %s  %s", l, from, to, rate,
                       delay);
    if (g->loss[l] > 0)
        printf("  loss %g", g->loss[l]);
    putchar('\n');
}

static void print_path(const struct arguments *a, const struct orr_graph *g,
                       const struct orr_topology_lists *p)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    orr__print_visible(stdout, "path from %s to %s: %u links, one of %llu\n",
                       orr__node_name(g, p->end[0], from, sizeof from),
                       orr__node_name(g, p->end[1], to, sizeof to), p->n,
                       (unsigned long long)p->paths);
    for (uint32_t i = 0; i < p->n; i++)
        print_link(g, p->link[i]);
}

/* Lists that were asked for stand in place of the figures. */
static orr_err print_text(const struct arguments *a, const struct orr_graph *g,
                          const struct orr_topology_figures *f,
                          const struct orr_topology_lists *p,
                          struct orr_report *why)
{
    char *text = NULL;
    if (!a->links && !a->path) {
        text = orr__topology_text(g, f);
        if (!text)
            return orr__no_memory(why);
        fputs(text, stdout);
        orr__free(text);
    }
    if (a->path)
        print_path(a, g, p);
    for (uint32_t l = 0; a->links && l < g->links; l++)
        if (!orr__link_absent(g, l))
            print_link(g, l);
    return ORR_OK;
}

/* ---- for programs ------------------------------------------------------ */

static bool is_stdout(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

static orr_err put_json(const struct arguments *a, const struct orr_graph *g,
                        const struct orr_topology_figures *f,
                        const struct orr_topology_lists *p,
                        struct orr_report *why)
{
    char *text = orr__topology_json(g, f, p);
    orr_err err = text ? ORR_OK : orr__no_memory(why);
    if (!err && is_stdout(a->json))
        fputs(text, stdout);
    else if (!err)
        err = orr__write_text(a->json, text, why);
    orr__free(text);
    return err;
}

/* ---- the command ------------------------------------------------------- */

/* Both ends must be hosts, by id or name; p->links is the caller's. */
static orr_err find_path(const struct arguments *a, const struct orr_graph *g,
                         struct orr_topology_lists *p, struct orr_report *why)
{
    for (int i = 0; i < 2; i++) {
        if (orr__node_parse(g, a->end[i], &p->end[i])
            && orr__is_host(g, p->end[i]))
            continue;
        orr_err err = orr__fail(why, ORR_ECONFIG,
                                "--path: host %s does not exist: hosts are 0 "
                                "to %u",
                                a->end[i], g->hosts - 1);
        const char *near = orr__node_nearest(g, a->end[i]);
        if (near)
            orr__hint(why, "did you mean \"%s\"?", near);
        return err;
    }
    return orr__graph_path(g, p->end[0], p->end[1], &p->link, &p->n, &p->paths,
                           why);
}

static const char *file_of(const char *name)
{
    return is_stdout(name) ? "/dev/stdout" : name;
}

/* Files first; if one of them goes to stdout, nothing else is printed. */
static orr_err show_graph(const struct arguments *a, const struct orr_graph *g,
                          struct orr_config *c, struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(orr__config_root(c), "topology");
    struct orr_topology_figures f;
    struct orr_topology_lists p = {.links = a->links, .path = a->path};
    orr_err err = orr__topology_prices(a->prices, &f, why);
    if (a->graphml && err == ORR_OK)
        err = orr__graph_write_graphml(g, file_of(a->graphml), why);
    if (a->dot && err == ORR_OK)
        err = orr__graph_write_dot(g, file_of(a->dot), why);
    if (err || is_stdout(a->graphml) || is_stdout(a->dot)) {
        orr__topology_figures_fini(&f);
        return err; /* nothing else is printed there */
    }
    if (err == ORR_OK && (a->json || (!a->path && !a->links)))
        err = orr__yaml_place(c, at, orr__topology_measure(g, &f, why), why);
    if (err == ORR_OK && a->path)
        err = find_path(a, g, &p, why);
    if (err == ORR_OK && !is_stdout(a->json))
        err = print_text(a, g, &f, &p, why);
    if (err == ORR_OK && a->json)
        err = put_json(a, g, &f, &p, why);
    orr__free(p.link);
    orr__topology_figures_fini(&f);
    return err;
}

/* The exit status. For a graph from the command line errors have no place in a
 * file. */
static int show_topology(const struct arguments *a, int argc, char **argv)
{
    struct orr_report why = {0};
    struct orr_config *c = NULL;
    struct orr_graph *g = NULL;
    orr_err err = build_graph(a, argc, argv, &c, &g, &why);
    if (err == ORR_OK && g)
        err = show_graph(a, g, c, &why);
    if (strcmp(why.file, WORDS) == 0) { /* a place in text nobody wrote */
        why.line = why.col = 0;
        why.excerpt[0] = '\0';
    }
    if (err != ORR_OK)
        orr__print_report(&why);
    orr__graph_free(g);
    orr__config_free(c);
    return orr__exit_status(err, false);
}

/* --path takes two words; getopt brings the first. */
static int take_path(struct arguments *a, int argc, char **argv)
{
    if (optind >= argc)
        return orr__usage_error("topo", "--path takes two hosts");
    a->end[0] = optarg;
    a->end[1] = argv[optind++];
    a->path = true;
    return -1;
}

/* Returns -1 to go on, or the exit status. */
static int take_option(struct arguments *a, int c, int argc, char **argv)
{
    switch (c) {
    case 'p': return take_path(a, argc, argv);
    case 'l': a->links = true; return -1;
    case 'g': a->graphml = optarg; return -1;
    case 'd': a->dot = optarg; return -1;
    case 'P': a->prices = optarg; return -1;
    case 'j': a->json = optarg; return -1;
    case 's':
        if (!orr__words_add(&a->sets, optarg))
            return orr__no_memory_for_words();
        return -1;
    case 'h': orr__print_usage(stdout, &orr__cmd_topo); return ORR_EXIT_OK;
    default: return ORR_EXIT_USAGE;
    }
}

/* Options, then a configuration or a kind with its parameters. Returns the exit
 * status. */
static int run(int argc, char **argv)
{
    struct arguments a = {.graphml = NULL};
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":s:h", longs)) != -1)
        status = take_option(&a, c, argc, argv);
    if (status < 0 && optind == argc)
        status = orr__usage_error("topo", "which configuration, or which kind "
                                          "of topology?");
    if (status < 0 && !is_kind(argv[optind]) && strcmp(argv[optind], "-") != 0
        && access(argv[optind], F_OK) != 0)
        status = unknown_kind(argv[optind]);
    if (status < 0 && !is_kind(argv[optind]) && argc - optind > 1)
        status = orr__usage_error("topo",
                                  "\"%s\" is not expected after a "
                                  "configuration",
                                  argv[optind + 1]);
    if (status < 0
        && is_stdout(a.dot) + is_stdout(a.graphml) + is_stdout(a.json) > 1)
        status = orr__usage_error("topo", "--dot -, --graphml - and --json: "
                                          "one of them goes to stdout");
    if (status < 0)
        status = show_topology(&a, argc - optind, argv + optind);
    orr__words_fini(&a.sets);
    return status;
}

const struct orr_command orr__cmd_topo = {
    .name = "topo",
    .arguments = "CONFIG | KIND [KEY=VALUE]... [OPTION]...",
    .doc = "describe a topology, or write it as GraphML or DOT",
    .options = options_text,
    .run = run,
};
