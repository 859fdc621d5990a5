/* The k-ary fat-tree (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): pods of k/2
 * edge and k/2 aggregation switches under (k/2)^2 core switches; core j * k/2 +
 * i hangs on aggregation j of each pod. There are k pods, or, by a number of
 * hosts, as many as these need. Ids: hosts, edge switches, aggregation, core,
 * each by pod. Cables go up: hosts', then edge to aggregation, then aggregation
 * to core. */
#include <inttypes.h>
#include <stdio.h>

#include "topo/build/build.h"

/* Parameters, with k settled by resolve() if a number of hosts is given. */
struct fat_tree {
    int64_t k, hosts, oversubscription;
    const struct orr_yaml *tiers;
    uint64_t pods; /* planned */
};

static const struct orr_param params[] = {
    {.key = "k",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct fat_tree, k),
     .fallback = "",
     .min = "2",
     .help = "ports of a switch, even; k^3/4 hosts without "
             "oversubscription"},
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct fat_tree, hosts),
     .fallback = "",
     .min = "2",
     .help = "instead of k: number of hosts, on the smallest switches with at "
             "least two pods and this oversubscription"},
    {.key = "oversubscription",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct fat_tree, oversubscription),
     .fallback = "1",
     .min = "1",
     .help = "hosts for each uplink of an edge switch"},
    {.key = "tiers",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct fat_tree, tiers),
     .fallback = "",
     .help = "{host, edge, aggregation: {rate, delay, loss}}: what differs "
             "from link on the cables going up from there"},
    ORR_PARAM_END};

enum { HOST, EDGE, AGGREGATION, TIERS };
static const char *const tier_names[] = {"host", "edge", "aggregation", NULL};

/* Hosts of a pod. */
static uint64_t hosts_of_pod(uint64_t k, uint64_t oversubscription)
{
    return orr__size_mul(orr__size_mul(k / 2, k / 2), oversubscription);
}

/* The smallest k, up to twice the one that is large enough, of whose pods a
 * whole number, two or more, holds the hosts; else that one, and hosts are
 * spread as evenly as they can be. */
static uint64_t choose_k(uint64_t hosts, uint64_t ratio)
{
    uint64_t least = 2;
    while (orr__size_mul(hosts_of_pod(least, ratio), least) < hosts)
        least += 2;
    for (uint64_t k = least; k <= 2 * least; k += 2)
        if (hosts % hosts_of_pod(k, ratio) == 0
            && hosts / hosts_of_pod(k, ratio) >= 2)
            return k;
    return least;
}

/* k, the pods and the hosts, by what is given. */
static orr_err resolve(struct orr_draft *d, struct fat_tree *p, uint64_t *hosts,
                       struct orr_report *why)
{
    uint64_t ratio = (uint64_t)p->oversubscription;
    if (p->k && p->hosts)
        return orr__yaml_fail(
            d->config, orr__yaml_get(d->map, "hosts"), why,
            "topology.hosts replaces topology.k: give one of them");
    if (!p->k && !p->hosts)
        return orr__yaml_fail(d->config, d->map, why,
                              "topology.k is missing, or topology.hosts");
    if (p->k % 2)
        return orr__yaml_fail(d->config, orr__yaml_get(d->map, "k"), why,
                              "topology.k must be even, not %" PRId64
                              ": half of a switch's ports go up, half down",
                              p->k);
    if (p->k) {
        p->pods = (uint64_t)p->k;
        *hosts = orr__size_mul(hosts_of_pod(p->pods, ratio), p->pods);
        return ORR_OK;
    }
    d->size_key = "hosts";
    *hosts = (uint64_t)p->hosts;
    p->k = (int64_t)choose_k(*hosts, ratio);
    p->pods = (*hosts - 1) / hosts_of_pod((uint64_t)p->k, ratio) + 1;
    return ORR_OK;
}

/* K^3/4 hosts or as many as asked for, with core switches for k pods however
 * many there are. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct fat_tree *p = d->params;
    orr_err err = resolve(d, p, &size->hosts, why);
    if (err)
        return err;
    uint64_t half = (uint64_t)p->k / 2;
    uint64_t pods_half = orr__size_mul(p->pods, half);
    uint64_t up = orr__size_mul(pods_half, half); /* cables of a tier */
    size->switches =
        orr__size_add(orr__size_mul(pods_half, 2), orr__size_mul(half, half));
    size->cables = orr__size_add(size->hosts, orr__size_mul(up, 2));
    size->widest = half;
    return ORR_OK;
}

/* A line for each tier; a tier without one has topology.link. */
static orr_err read_tiers(struct orr_draft *d, struct orr_line *line,
                          struct orr_report *why)
{
    static const struct orr_param table[] = {
        {.key = "host", .type = ORR_PARAM_NODE, .offset = 0, .fallback = ""},
        {.key = "edge",
         .type = ORR_PARAM_NODE,
         .offset = sizeof(struct orr_yaml *),
         .fallback = ""},
        {.key = "aggregation",
         .type = ORR_PARAM_NODE,
         .offset = 2 * sizeof(struct orr_yaml *),
         .fallback = ""},
        ORR_PARAM_END};
    const struct fat_tree *p = d->params;
    const struct orr_yaml *node[TIERS] = {NULL};
    orr_err err = ORR_OK;
    if (p->tiers) {
        struct orr_param_set set = {table, node};
        err = orr__param_read(d->config, p->tiers, "topology.tiers", &set, 1,
                              why);
    }
    for (int t = 0; t < TIERS && !err; t++) {
        char what[64];
        snprintf(what, sizeof what, "topology.tiers.%s", tier_names[t]);
        err = orr__line_read(d->config, node[t], what, &d->link, &line[t], why);
    }
    return err;
}

/* First id of each layer. */
struct layers {
    uint32_t k, half, pods, edge, aggregation, core;
};

/* Hosts are spread over the edge switches in order, evenly. */
static uint32_t edge_of(const struct orr_draft *d, const struct layers *l,
                        uint32_t h)
{
    return (uint32_t)((uint64_t)h * l->pods * l->half / d->graph->hosts);
}

/* Bottom up, in order of the lower end, so that tiers are contiguous ranges of
 * cables. */
static void draw_cables(struct orr_draft *d, const struct layers *l,
                        const struct orr_line *line)
{
    uint32_t half = l->half;
    for (uint32_t h = 0; h < d->graph->hosts; h++)
        orr__draft_cable(d, h, l->edge + edge_of(d, l, h), HOST, &line[HOST]);
    for (uint32_t e = 0; e < l->pods * half; e++)
        for (uint32_t j = 0; j < half; j++)
            orr__draft_cable(d, l->edge + e,
                             l->aggregation + e / half * half + j, EDGE,
                             &line[EDGE]);
    for (uint32_t a = 0; a < l->pods * half; a++)
        for (uint32_t i = 0; i < half; i++)
            orr__draft_cable(d, l->aggregation + a,
                             l->core + a % half * half + i, AGGREGATION,
                             &line[AGGREGATION]);
}

static void name_nodes(struct orr_draft *d, const struct layers *l)
{
    for (uint32_t i = 0; i < l->pods * l->half; i++) {
        orr__draft_name(d, l->edge + i, "pod%u/edge%u", i / l->half,
                        i % l->half);
        orr__draft_name(d, l->aggregation + i, "pod%u/agg%u", i / l->half,
                        i % l->half);
    }
    for (uint32_t i = 0; i < l->half * l->half; i++)
        orr__draft_name(d, l->core + i, "core%u", i);
}

/* A row of the picture for each tier, and levels 0 to 3. */
static void place_nodes(struct orr_draft *d, const struct layers *l)
{
    uint32_t row = l->pods * l->half;
    orr__draft_nodes(d, 0, d->graph->hosts, 0, false);
    orr__draft_row(d, 0, d->graph->hosts, 0);
    orr__draft_nodes(d, l->edge, row, 1, true);
    orr__draft_row(d, l->edge, row, 1);
    orr__draft_nodes(d, l->aggregation, row, 2, true);
    orr__draft_row(d, l->aggregation, row, 2);
    orr__draft_nodes(d, l->core, l->half * l->half, 3, true);
    orr__draft_row(d, l->core, l->half * l->half, 3);
}

/* k and oversubscription are kept in the graph: formulas for bisection need
 * them. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    const struct fat_tree *p = d->params;
    struct orr_graph *g = d->graph;
    struct orr_line line[TIERS];
    orr_err err = read_tiers(d, line, why);
    if (err)
        return err;
    struct layers l = {.k = (uint32_t)p->k,
                       .half = (uint32_t)p->k / 2,
                       .pods = (uint32_t)p->pods};
    l.edge = g->hosts;
    l.aggregation = l.edge + l.pods * l.half;
    l.core = l.aggregation + l.pods * l.half;
    draw_cables(d, &l, line);
    place_nodes(d, &l);
    name_nodes(d, &l);
    g->tier_names = tier_names;
    g->k = l.k;
    g->oversubscription = (uint32_t)p->oversubscription;
    return ORR_OK;
}

/* With as much capacity in every tier, ECMP carries any permutation at the
 * rate of the narrowest one: the cut through the middle is the smallest. That
 * is so where the middle is between two pods and edge switches are alike. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint64_t up = (g->cables / g->parallel - g->hosts) / 2; /* of a tier */
    uint64_t edges = up / (g->k / 2);
    uint64_t host = g->hosts / 2 * orr__cable_rate(g, 0);
    uint64_t edge = up / 2 * orr__cable_rate(g, g->hosts);
    uint64_t core = up / 2 * orr__cable_rate(g, g->hosts + (uint32_t)up);
    *bps = host < edge ? host : edge;
    *bps = *bps < core ? *bps : core;
    return g->hosts % edges == 0 && edges / (g->k / 2) % 2 == 0;
}

extern const struct orr_topology_ops orr__topology_fat_tree;
const struct orr_topology_ops orr__topology_fat_tree = {
    .name = "fat-tree",
    .doc = "Three tiers of k-port switches with as much capacity up as down.",
    .params = params,
    .params_size = sizeof(struct fat_tree),
    .size_key = "k",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
