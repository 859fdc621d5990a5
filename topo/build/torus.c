/* A grid of hosts that closes in every dimension. Ids are mixed radix,
 * dimension 0 fastest. Each host draws its cables to the next host of each
 * dimension in turn, so links in the + direction have the lower ids. A
 * dimension of two hosts has one cable. */
#include <igraph/igraph.h>
#include <stdio.h>

#include "core/memory.h"
#include "topo/build/build.h"
#include "topo/igraph.h"

enum { MAX_DIMS = 16 };

/* Parameters; dims are the document's. */
struct torus {
    struct orr_ints dims;
    const struct orr_yaml *dimensions;
};

static const struct orr_param params[] = {
    {.key = "dims",
     .type = ORR_PARAM_INTS,
     .offset = offsetof(struct torus, dims),
     .min = "1",
     .help = "hosts along each dimension, like [4, 4, 4]"},
    {.key = "dimensions",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct torus, dimensions),
     .fallback = "",
     .help = "a list of {rate, delay, loss}, one for each dimension: what "
             "differs from link there"},
    ORR_PARAM_END};

static const char *const tier_names[MAX_DIMS + 1] = {
    "dimension-0",  "dimension-1",  "dimension-2",  "dimension-3",
    "dimension-4",  "dimension-5",  "dimension-6",  "dimension-7",
    "dimension-8",  "dimension-9",  "dimension-10", "dimension-11",
    "dimension-12", "dimension-13", "dimension-14", "dimension-15",
};

/* A dimension of n > 2 hosts has as many cables as hosts, one of 2 half of
 * that, one of 1 none. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct torus *p = d->params;
    const struct orr_yaml *at = orr__yaml_get(d->map, "dims");
    if (p->dims.n == 0 || p->dims.n > MAX_DIMS)
        return orr__yaml_fail(d->config, at, why,
                              "topology.dims needs 1 to %d dimensions, "
                              "not %zu",
                              MAX_DIMS, p->dims.n);
    uint64_t n = 1;
    for (size_t i = 0; i < p->dims.n; i++)
        n = orr__size_mul(n, (uint64_t)p->dims.v[i]);
    if (n < 2)
        return orr__yaml_fail(d->config, at, why,
                              "topology.dims gives a single host");
    size->hosts = n;
    size->widest = 1;
    for (size_t i = 0; i < p->dims.n; i++) {
        int64_t dim = p->dims.v[i];
        size->cables = orr__size_add(size->cables, dim > 2    ? n
                                                   : dim == 2 ? n / 2
                                                              : 0);
    }
    return ORR_OK;
}

/* A line for each dimension; left out: topology.link. */
static orr_err read_lines(struct orr_draft *d, struct orr_line *line,
                          struct orr_report *why)
{
    const struct torus *p = d->params;
    const struct orr_yaml *list = p->dimensions;
    if (list
        && (!orr__yaml_is_list(list) || orr__yaml_count(list) != p->dims.n))
        return orr__yaml_fail(d->config, list, why,
                              "topology.dimensions must be a list of %zu "
                              "maps, one for each of dims",
                              p->dims.n);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < p->dims.n && !err; i++) {
        char what[64];
        snprintf(what, sizeof what, "topology.dimensions[%zu]", i);
        err = orr__line_read(d->config, list ? orr__yaml_item(list, i) : NULL,
                             what, &d->link, &line[i], why);
    }
    return err;
}

/* The lattice by igraph: its edges come vertex by vertex and, within one, by
 * dimension; the tier of an edge is the dimension in which its ends differ. */
static orr_err draw_lattice(struct orr_draft *d, const igraph_t *lattice,
                            const struct orr_line *line, struct orr_report *why)
{
    struct orr_graph *g = d->graph;
    orr_err err = orr__draft_edges(d, lattice, why);
    if (err)
        return err;
    for (uint32_t c = 0; c < d->drawn; c++) {
        uint32_t a = g->from[c], b = g->to[c], t = 0;
        while (a % g->dims[t] == b % g->dims[t]) {
            a /= g->dims[t];
            b /= g->dims[t++];
        }
        g->tier[c] = (uint8_t)t;
        g->rate_bps[c] = line[t].rate_bps;
        g->delay_ps[c] = line[t].delay_ps;
        g->loss[c] = line[t].loss;
    }
    return ORR_OK;
}

/* Igraph's lattice, closed where a dimension has more than two hosts;
 * draw_lattice() gives each edge the line of its dimension. */
static orr_err lattice(struct orr_draft *d, const struct orr_line *line,
                       struct orr_report *why)
{
    static const char doing[] = "building a torus";
    struct orr_graph *g = d->graph;
    igraph_vector_int_t dims;
    igraph_vector_bool_t circular;
    igraph_t lattice;
    orr_err err =
        orr__igraph(why, igraph_vector_int_init(&dims, g->n_dims), doing);
    if (err)
        return err;
    err =
        orr__igraph(why, igraph_vector_bool_init(&circular, g->n_dims), doing);
    if (err)
        goto no_circular;
    for (uint32_t i = 0; i < g->n_dims; i++) {
        VECTOR(dims)[i] = g->dims[i];
        VECTOR(circular)[i] = g->dims[i] > 2;
    }
    err = orr__igraph(why,
                      igraph_square_lattice(&lattice, &dims, 1, IGRAPH_DIRECTED,
                                            false, &circular),
                      doing);
    if (!err) {
        err = draw_lattice(d, &lattice, line, why);
        igraph_destroy(&lattice);
    }
    igraph_vector_bool_destroy(&circular);
no_circular:
    igraph_vector_int_destroy(&dims);
    return err;
}

/* Dimensions 0, 1, 2 are x, y, z; the further ones move the whole grid of the
 * lower ones by an ever smaller step, so that no two hosts coincide. */
static void place_nodes(struct orr_draft *d)
{
    struct orr_graph *g = d->graph;
    for (uint32_t v = 0; v < g->nodes; v++) {
        double at[3] = {0, 0, 0}, step = 1;
        uint32_t rest = v;
        for (uint32_t i = 0; i < g->n_dims; i++) {
            if (i > 0 && i % 3 == 0)
                step /= 4;
            at[i % 3] += rest % g->dims[i] * (i < 3 ? 1 : step / g->dims[i]);
            rest /= g->dims[i];
        }
        orr__draft_place(d, v, at[0], at[1], at[2]);
    }
}

/* G->dims is for placements and collectives that know the grid. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    const struct torus *p = d->params;
    struct orr_graph *g = d->graph;
    struct orr_line line[MAX_DIMS] = {{.loss = 0}};
    orr_err err = read_lines(d, line, why);
    if (err)
        return err;
    g->dims = orr__alloc(p->dims.n, sizeof *g->dims);
    if (g->dims == NULL)
        return orr__no_memory(why);
    g->n_dims = (uint32_t)p->dims.n;
    for (uint32_t i = 0; i < g->n_dims; i++)
        g->dims[i] = (uint32_t)p->dims.v[i];
    g->tier_names = tier_names;
    orr__draft_nodes(d, 0, g->hosts, 0, true);
    place_nodes(d);
    return lattice(d, line, why);
}

/* The cut across one dimension; exact if the longest, the cheapest one to cut,
 * has an even number of hosts and all cables are alike. A dimension of two has
 * one cable where the others have two. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint64_t best = UINT64_MAX;
    bool even = false;
    for (uint32_t i = 0; i < g->n_dims; i++) {
        uint64_t cut = g->hosts / g->dims[i] * (g->dims[i] > 2 ? 2 : 1);
        if (g->dims[i] > 1 && cut < best) {
            best = cut;
            even = g->dims[i] % 2 == 0;
        }
    }
    for (uint32_t c = 0; c < g->cables; c++)
        even = even && g->rate_bps[c] == g->rate_bps[0];
    *bps = best * orr__cable_rate(g, 0);
    return even;
}

extern const struct orr_topology_ops orr__topology_torus;
const struct orr_topology_ops orr__topology_torus = {
    .name = "torus",
    .doc =
        "A grid of hosts that wraps around in every dimension; hosts forward.",
    .params = params,
    .params_size = sizeof(struct torus),
    .size_key = "dims",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
