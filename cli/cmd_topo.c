/* orrery topo: what a graph is, from a configuration or from a kind and its
 * parameters on the command line. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/topo_budget.h"
#include "core/config/config.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/units.h"
#include "record/figures.h"
#include "topo/build/build.h"
#include "topo/graph.h"
#include "topo/metrics.h"
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

struct found { /* the path asked for */
    uint32_t *links, n, end[2];
    uint64_t paths;
};

/* What is worked out once for text and JSON. */
struct figures {
    struct orr_metrics m;
    struct orr_budget budget;
    struct orr_diversity diversity;
    struct orr_prices prices;
    struct orr_config *price_file; /* whose texts prices hold; or NULL */
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
    orr_err err;
    if (is_kind(argv[0]))
        err = config_of_kind(argv[0], argv + 1, argc - 1, c, why);
    else
        err = orr__config_load(argv[0], c, why);
    for (size_t i = 0; i < a->sets.count && err == ORR_OK; i++)
        err = orr__config_set(*c, a->sets.word[i], why);
    if (err != ORR_OK)
        return err;
    const struct orr_yaml *root = orr__config_root(*c);
    const struct orr_yaml *topology = orr__yaml_get(root, "topology");
    if (!topology)
        return orr__yaml_fail(*c, NULL, why, "there is no topology");
    const struct orr_yaml *seed = orr__yaml_get(root, "seed");
    int64_t value = 1; /* what is wrong with it a run will tell */
    const char *text = seed ? orr__yaml_text(*c, seed) : NULL;
    if (text)
        (void)orr__parse_int(text, &value);
    return orr__graph_build(*c, topology, (uint64_t)value, g, why);
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

static bool is_simplex(const struct orr_graph *g, uint32_t cable)
{
    return g->simplex && g->simplex[cable];
}

/* One line for each kind of cable: a tier with its rate, delay and loss. */
static bool same_cable(const struct orr_graph *g, uint32_t a, uint32_t b)
{
    return g->tier[a] == g->tier[b] && g->rate_bps[a] == g->rate_bps[b]
           && g->delay_ps[a] == g->delay_ps[b] && g->loss[a] == g->loss[b]
           && is_simplex(g, a) == is_simplex(g, b);
}

#define CABLE_KINDS 32

/* Kinds of cables: same tier, rate, delay and loss. */
struct cables {
    uint32_t first[CABLE_KINDS], count[CABLE_KINDS], kinds;
    bool more; /* than fit: a graph from a file may have many */
};

/* The first of each kind, and how many; kinds beyond CABLE_KINDS are only
 * noted. */
static struct cables sort_cables(const struct orr_graph *g)
{
    struct cables c = {.kinds = 0};
    for (uint32_t l = 0; l < g->cables; l++) {
        uint32_t k = 0;
        while (k < c.kinds && !same_cable(g, c.first[k], l))
            k++;
        if (k == CABLE_KINDS) {
            c.more = true;
            continue;
        }
        if (k == c.kinds)
            c.first[c.kinds++] = l;
        c.count[k]++;
    }
    return c;
}

/* A line for each kind of cable. */
static void print_cables(const struct orr_graph *g)
{
    struct cables c = sort_cables(g);
    for (uint32_t k = 0; k < c.kinds; k++) {
        uint32_t l = c.first[k];
        char rate[32], delay[32];
        orr__format_rate(g->rate_bps[l], rate, sizeof rate);
        orr__format_time(g->delay_ps[l], delay, sizeof delay);
        printf("  %-22s%u cable%s, %s, %s", g->tier_names[g->tier[l]],
               c.count[k], c.count[k] == 1 ? "" : "s", rate, delay);
        if (g->loss[l] > 0)
            printf(", loss %g", g->loss[l]);
        if (is_simplex(g, l))
            printf(", one way");
        putchar('\n');
    }
    if (c.more)
        printf("  and cables of other kinds\n");
}

/* What the file of the graph does not say. */
static void print_inferred(const struct orr_inferred *n)
{
    if (n->rates)
        printf("  %-22sno rate for %u of %u edges: topology.link's\n", "note",
               n->rates, n->cables);
    if (n->delays)
        printf("  %-22sno delay for %u of %u edges: topology.link's\n", "note",
               n->delays, n->cables);
    if (n->distances)
        printf("  %-22sdelays of %u of %u edges by distance, at 2/3 of the "
               "speed of light\n",
               "note", n->distances, n->cables);
    if (n->left_out)
        printf("  %-22snodes of other parts that are left out: %u\n", "note",
               n->left_out);
}

/* All figures as text; `<=` before a bisection that is only a bound. */
static void print_graph(const struct orr_graph *g, const struct figures *f)
{
    const struct orr_metrics *m = &f->m;
    char rate[32];
    orr__human_rate((double)m->bisection_bps, rate, sizeof rate);
    const char *about = m->sampled ? ", of a sample of hosts" : "";
    orr__print_graph(g);
    if (g->unread)
        printf("  %-22sthe file counts %u links and lists %llu: as in HPCC, "
               "the rest is not read\n",
               "note", g->cables, (unsigned long long)g->cables + g->unread);
    print_inferred(&g->inferred);
    print_cables(g);
    printf("  %-22s%u link%s%s\n", "diameter", m->diameter,
           m->diameter == 1 ? "" : "s", about);
    printf("  %-22s%.4g links%s\n", "mean shortest path", m->mean_path, about);
    printf("  %-22s%s%s\n", "bisection bandwidth",
           m->bisection_exact ? "" : "<= ", rate);
    if (m->paths_min == m->paths_max)
        printf("  %-22s%llu%s\n", "shortest paths a pair",
               (unsigned long long)m->paths_min, about);
    else
        printf("  %-22s%llu to %llu, mean %.4g%s\n", "shortest paths a pair",
               (unsigned long long)m->paths_min,
               (unsigned long long)m->paths_max, m->paths_mean, about);
    orr__print_diversity(&f->diversity);
    orr__print_budget(&f->budget, &f->prices);
}

static void print_path(const struct arguments *a, const struct orr_graph *g,
                       const struct found *p)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    orr__print_visible(stdout, "path from %s to %s: %u links, one of %llu\n",
                       orr__node_name(g, p->end[0], from, sizeof from),
                       orr__node_name(g, p->end[1], to, sizeof to), p->n,
                       (unsigned long long)p->paths);
    for (uint32_t i = 0; i < p->n; i++)
        print_link(g, p->links[i]);
}

static void print_text(const struct arguments *a, const struct orr_graph *g,
                       const struct figures *f, const struct found *p)
{
    if (!a->links && !a->path)
        print_graph(g, f);
    if (a->path)
        print_path(a, g, p);
    for (uint32_t l = 0; a->links && l < g->links; l++)
        if (!orr__link_absent(g, l))
            print_link(g, l);
}

/* ---- for programs ------------------------------------------------------ */

static json_t *json_link(const struct orr_graph *g, uint32_t l)
{
    return json_pack("{si si si ss sI sf sf}", "id", (int)l, "from",
                     (int)g->from[l], "to", (int)g->to[l], "tier",
                     g->tier_names[g->tier[l]], "rate_bps",
                     (json_int_t)g->rate_bps[l], "delay_ns",
                     (double)g->delay_ps[l] / 1e3, "loss", g->loss[l]);
}

/* The n links with these ids, or (links NULL) the first n of the graph without
 * the absent ones. The list is the caller's; NULL: no memory. */
static json_t *json_links(const struct orr_graph *g, const uint32_t *links,
                          uint32_t n)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        if ((links || !orr__link_absent(g, i))
            && json_array_append_new(list, json_link(g, links ? links[i] : i)))
            goto fail;
    return list;
fail:
    json_decref(list);
    return NULL;
}

/* Saturates: JSON's integers are signed. */
static json_int_t json_count(uint64_t n)
{
    return n > INT64_MAX ? INT64_MAX : (json_int_t)n;
}

static bool is_stdout(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

/* All of it or nothing: for want of memory jansson may leave out keys and say
 * nothing. */
static orr_err dump_json(const struct arguments *a, const json_t *o,
                         struct orr_report *why)
{
    errno = 0;
    char *text = json_dumps(o, JSON_INDENT(2));
    orr_err err = text && errno != ENOMEM ? ORR_OK : orr__no_memory(why);
    char *line = err ? NULL : orr__format("%s\n", text);
    if (!err && !line)
        err = orr__no_memory(why);
    if (!err && is_stdout(a->json))
        fputs(line, stdout);
    else if (!err)
        err = orr__write_text(a->json, line, why);
    orr__free(line);
    free(text);
    return err;
}

/* One object with all figures; the names of its keys are part of the
 * interface. */
static orr_err put_json(const struct arguments *a, const struct orr_graph *g,
                        const struct figures *f, const struct found *p,
                        struct orr_report *why)
{
    const struct orr_metrics *m = &f->m;
    json_t *o = json_pack(
        "{ss si si si si si sf sI sb s{sI sI sf} sb so so}", "kind", g->kind,
        "hosts", (int)g->hosts, "switches", (int)(g->nodes - g->hosts),
        "cables", (int)g->cables, "links", (int)orr__links_present(g),
        "diameter", (int)m->diameter, "mean_path", m->mean_path,
        "bisection_bps", json_count(m->bisection_bps), "bisection_exact",
        m->bisection_exact, "shortest_paths", "min", json_count(m->paths_min),
        "max", json_count(m->paths_max), "mean", m->paths_mean, "sampled",
        m->sampled, "diversity", orr__json_diversity(&f->diversity), "budget",
        orr__json_budget(&f->budget, &f->prices));
    const struct orr_inferred *n = &g->inferred;
    bool good = o != NULL;
    if (good && (n->rates || n->delays || n->distances || n->left_out))
        good = !json_object_set_new(
            o, "inferred",
            json_pack("{sI sI sI sI sI}", "edges", (json_int_t)n->cables,
                      "rates", (json_int_t)n->rates, "delays",
                      (json_int_t)n->delays, "distances",
                      (json_int_t)n->distances, "left_out",
                      (json_int_t)n->left_out));
    if (good && a->path)
        good = !json_object_set_new(
            o, "path",
            json_pack("{sI sI sI so}", "src", (json_int_t)p->end[0], "dst",
                      (json_int_t)p->end[1], "count", json_count(p->paths),
                      "links", json_links(g, p->links, p->n)));
    if (good && a->links)
        good =
            !json_object_set_new(o, "link_list", json_links(g, NULL, g->links));
    orr_err err = good ? dump_json(a, o, why) : orr__no_memory(why);
    json_decref(o);
    return err;
}

/* ---- the command ------------------------------------------------------- */

/* Both ends must be hosts, by id or name; p->links is the caller's. */
static orr_err find_path(const struct arguments *a, const struct orr_graph *g,
                         struct found *p, struct orr_report *why)
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
    return orr__graph_path(g, p->end[0], p->end[1], &p->links, &p->n, &p->paths,
                           why);
}

static orr_err read_prices(const struct arguments *a, struct figures *f,
                           struct orr_report *why)
{
    f->prices = *orr__prices_default();
    if (!a->prices)
        return ORR_OK;
    orr_err err = orr__config_load(a->prices, &f->price_file, why);
    return err ? err : orr__prices_read(f->price_file, &f->prices, why);
}

static orr_err measure(const struct orr_graph *g, struct figures *f,
                       struct orr_report *why)
{
    orr_err err = orr__graph_metrics(g, &f->m, why);
    if (err == ORR_OK)
        err = orr__graph_diversity(g, &f->diversity, why);
    if (err == ORR_OK)
        err = orr__budget(g, &f->prices, &f->budget, why);
    return err;
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
    struct figures f = {.price_file = NULL};
    struct found p = {.links = NULL};
    orr_err err = read_prices(a, &f, why);
    if (a->graphml && err == ORR_OK)
        err = orr__graph_write_graphml(g, file_of(a->graphml), why);
    if (a->dot && err == ORR_OK)
        err = orr__graph_write_dot(g, file_of(a->dot), why);
    if (err || is_stdout(a->graphml) || is_stdout(a->dot)) {
        orr__config_free(f.price_file);
        return err; /* nothing else is printed there */
    }
    if (err == ORR_OK && (a->json || (!a->path && !a->links)))
        err = orr__yaml_place(c, at, measure(g, &f, why), why);
    if (err == ORR_OK && a->path)
        err = find_path(a, g, &p, why);
    if (err == ORR_OK && !is_stdout(a->json))
        print_text(a, g, &f, &p);
    if (err == ORR_OK && a->json)
        err = put_json(a, g, &f, &p, why);
    orr__free(p.links);
    orr__config_free(f.price_file);
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
