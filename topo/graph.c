/* From a configuration to a graph: the kind plans its size, the size is held
 * against the memory there is, the kind draws its cables, and what is the same
 * for all kinds is done here: parallel cables, the way back, CSR, checks. */
#include "topo/graph.h"
#include "core/config/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/config/family.h"
#include "core/memory.h"
#include "core/units.h"
#include "topo/build/build.h"
#include "topo/build/list.h"
#include "topo/igraph.h"
#include "topo/next_hops.h"
#include "topo/node_names.h"

ORR_FAMILY(orr__topology_kinds, ORR_TOPOLOGY_LIST, struct orr_topology_ops,
           orr__topology_)

const struct orr_topology_ops *orr__topology_find(const char *kind)
{
    const struct orr_topology_ops *const *all = orr__topology_kinds();
    while (*all && strcmp((*all)->name, kind) != 0)
        all++;
    return *all;
}

/* Keys of every kind. */
struct common {
    const char *kind;
    const struct orr_yaml *link, *servers, *names, *circuits, *reconfigure;
    int64_t parallel;
    double scale;
    int64_t size; /* replaced by then: build/size.c */
    int64_t planes;
};

#define COMMON_PARAMS(link_fallback, ...)                                      \
    {                                                                          \
        {.key = "kind",                                                        \
         .type = ORR_PARAM_TEXT,                                               \
         .offset = offsetof(struct common, kind),                              \
         .help = "one of `orrery list topologies`"},                           \
            {.key = "size",                                                    \
             .type = ORR_PARAM_INT,                                            \
             .offset = offsetof(struct common, size),                          \
             .fallback = "",                                                   \
             .min = "1",                                                       \
             .help =                                                           \
                 "number of hosts (GPUs, with `servers`), in place of the "    \
                 "keys that give it: hosts, k, dims and so on; refused "       \
                 "where a kind has no such size"},                             \
            {.key = "link",                                                    \
             .type = ORR_PARAM_NODE,                                           \
             .offset = offsetof(struct common, link),                          \
             .fallback = link_fallback,                                        \
             .help = "{rate, delay, loss} of every cable, both directions"},   \
            {.key = "links",                                                   \
             .type = ORR_PARAM_INT,                                            \
             .offset = offsetof(struct common, parallel),                      \
             .fallback = "1",                                                  \
             .min = "1",                                                       \
             .max = "64",                                                      \
             .help = "parallel cables instead of each one"},                   \
            {.key = "planes",                                                  \
             .type = ORR_PARAM_INT,                                            \
             .offset = offsetof(struct common, planes),                        \
             .fallback = "1",                                                  \
             .min = "1",                                                       \
             .max = "64",                                                      \
             .help = "separate copies of all switches and cables, which meet " \
                     "only at the hosts; each host has a port in each "        \
                     "(network.plane)"},                                       \
            {.key = "scale",                                                   \
             .type = ORR_PARAM_REAL,                                           \
             .offset = offsetof(struct common, scale),                         \
             .fallback = "1",                                                  \
             .min = "1e-6",                                                    \
             .max = "1e6",                                                     \
             .help = "factor on the rates of all links except those inside "   \
                     "servers, to compare networks of equal cost"},            \
            {.key = "names",                                                   \
             .type = ORR_PARAM_NODE,                                           \
             .offset = offsetof(struct common, names),                         \
             .fallback = "",                                                   \
             .help = "a list of names of nodes, by id: hosts first"},          \
            {.key = "circuits",                                                \
             .type = ORR_PARAM_NODE,                                           \
             .offset = offsetof(struct common, circuits),                      \
             .fallback = "",                                                   \
             .help = "links that exist only for a while: [{at, links}, ...]; " \
                     "all others always do"},                                  \
            {.key = "reconfigure",                                             \
             .type = ORR_PARAM_NODE,                                           \
             .offset = offsetof(struct common, reconfigure),                   \
             .fallback = "",                                                   \
             .help = "how circuits change: {delay, drop, ports, period, "      \
                     "until}"},                                                \
            __VA_ARGS__ ORR_PARAM_END                                          \
    }

#define SERVERS                                                                \
    {.key = "servers",                                                         \
     .type = ORR_PARAM_NODE,                                                   \
     .offset = offsetof(struct common, servers),                               \
     .fallback = "",                                                           \
     .help = "{gpus, link: {rate, delay, loss}}: each host becomes a server; " \
             "its GPUs, behind a switch of their own, are the hosts"},

static const struct orr_param with_link[] = COMMON_PARAMS(NULL, SERVERS);
static const struct orr_param without_link[] = COMMON_PARAMS("", SERVERS);
static const struct orr_param no_servers[] = COMMON_PARAMS(NULL, );

const struct orr_param *orr__topology_params(void)
{
    return with_link;
}

static const struct orr_param *common_params(const struct orr_topology_ops *o)
{
    if (o->servers == ORR_SERVERS_NONE)
        return no_servers;
    return o->link_optional ? without_link : with_link;
}

void orr__graph_free(const struct orr_graph *g)
{
    if (g == NULL)
        return;
    void *array[] = {g->from,     g->to,      g->rate_bps, g->delay_ps,
                     g->loss,     g->tier,    g->out_off,  g->out_link,
                     g->in_off,   g->in_link, g->level,    g->forwards,
                     g->sends,    g->x,       g->y,        g->z,
                     g->servers,  g->dims,    g->owned,    g->node_of,
                     g->dims_bps, g->name_at, g->by_name,  g->names,
                     g->area,     g->simplex, g->strides,  g->plane};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        orr__free(array[i]);
    orr__free((void *)g);
}

/* All arrays zeroed, of nodes without the GPUs that servers add later. NULL: no
 * memory. */
static struct orr_graph *graph_new(const struct orr_size *size,
                                   uint32_t parallel)
{
    struct orr_graph *g = orr__alloc(1, sizeof *g);
    if (g == NULL)
        return NULL;
    g->hosts = (uint32_t)size->hosts;
    g->nodes = (uint32_t)(size->hosts + size->switches);
    g->cables = (uint32_t)size->cables * parallel;
    g->links = 2 * g->cables;
    g->parallel = parallel;
    bool ok = true;
#define ARRAY(field, n)                                                        \
    ok = ok && (g->field = orr__alloc(n, sizeof *g->field)) != NULL
    ARRAY(from, g->links);
    ARRAY(to, g->links);
    ARRAY(rate_bps, g->links);
    ARRAY(delay_ps, g->links);
    ARRAY(loss, g->links);
    ARRAY(tier, g->links);
    ARRAY(out_off, (size_t)g->nodes + 1);
    ARRAY(out_link, g->links);
    ARRAY(in_off, (size_t)g->nodes + 1);
    ARRAY(in_link, g->links);
    ARRAY(level, g->nodes);
    ARRAY(forwards, g->nodes);
    ARRAY(sends, g->nodes);
    ARRAY(x, g->nodes);
    ARRAY(y, g->nodes);
    ARRAY(z, g->nodes);
#undef ARRAY
    if (ok)
        return g;
    orr__graph_free(g);
    return NULL;
}

/* Copies cable (or link) a's properties to b; ends are the caller's. */
static void copy_line(struct orr_graph *g, uint32_t b, uint32_t a)
{
    g->rate_bps[b] = g->rate_bps[a];
    g->delay_ps[b] = g->delay_ps[a];
    g->loss[b] = g->loss[a];
    g->tier[b] = g->tier[a];
}

/* Copy p of base cable c is cable p * base + c: the ids of the first copies
 * do not depend on how many there are. */
static void add_parallel(struct orr_graph *g)
{
    uint32_t base = g->cables / g->parallel;
    ORR_ASSERT(base * g->parallel == g->cables);
    for (uint32_t c = base; c < g->cables; c++) {
        g->from[c] = g->from[c - base];
        g->to[c] = g->to[c - base];
        copy_line(g, c, c - base);
        if (g->simplex)
            g->simplex[c] = g->simplex[c - base];
    }
}

/* Rates stay whole numbers above 0, and of 63 bits. */
static uint64_t scaled(uint64_t bps, double scale)
{
    double rate = (double)bps * scale;
    rate = rate < 1 ? 1 : rate > 0x1p62 ? 0x1p62 : rate;
    return (uint64_t)(rate + 0.5);
}

static void scale_rates(struct orr_graph *g, double scale)
{
    for (uint32_t c = 0; scale != 1 && c < g->cables; c++) {
        bool inside =
            g->gpus && strcmp(g->tier_names[g->tier[c]], "nvlink") == 0;
        if (!inside)
            g->rate_bps[c] = scaled(g->rate_bps[c], scale);
    }
    for (uint32_t i = 0; g->dims_bps && scale != 1 && i < g->n_dims; i++)
        g->dims_bps[i] = scaled(g->dims_bps[i], scale);
}

static void add_reverse_links(struct orr_graph *g)
{
    for (uint32_t c = 0; c < g->cables; c++) {
        g->from[g->cables + c] = g->to[c];
        g->to[g->cables + c] = g->from[c];
        copy_line(g, g->cables + c, c);
    }
}

/* Counting sort of the links by node; off has nodes + 1 zeroed entries. Links
 * are taken in order, so ids ascend within a node. */
static void index_links(const struct orr_graph *g, const uint32_t *node,
                        uint32_t *off, uint32_t *link)
{
    for (uint32_t l = 0; l < g->links; l++)
        off[node[l]] += !orr__link_absent(g, l);
    uint32_t sum = 0;
    for (uint32_t v = 0; v <= g->nodes; v++) {
        sum += off[v];
        off[v] = sum;
    }
    for (uint32_t l = g->links; l-- > 0;)
        if (!orr__link_absent(g, l))
            link[--off[node[l]]] = l;
    ORR_ASSERT(off[0] == 0 && off[g->nodes] == sum);
}

/* One copy of parallel cables; where some are one-way an edge is a link, and
 * else a cable. The caller destroys *out. */
static orr_err igraph_of(const struct orr_graph *g, igraph_t *out,
                         struct orr_report *why)
{
    static const char doing[] = "checking the graph";
    igraph_vector_int_t edges;
    size_t base = g->cables / g->parallel, n = base;
    for (size_t c = 0; g->simplex && c < base; c++)
        n += !g->simplex[c];
    orr_err err = orr__igraph(
        why, igraph_vector_int_init(&edges, 2 * (igraph_integer_t)n), doing);
    if (err)
        return err;
    for (size_t c = 0, back = base; c < base; c++) {
        VECTOR(edges)[2 * c] = g->from[c];
        VECTOR(edges)[2 * c + 1] = g->to[c];
        if (g->simplex && !g->simplex[c]) {
            VECTOR(edges)[2 * back] = g->to[c];
            VECTOR(edges)[2 * back++ + 1] = g->from[c];
        }
    }
    err = orr__igraph(
        why, igraph_create(out, &edges, g->nodes, g->simplex != NULL), doing);
    igraph_vector_int_destroy(&edges);
    return err;
}

/* Fails, naming two nodes, if some node cannot be reached from node 0. */
static orr_err check_connected(const struct orr_draft *d,
                               struct orr_report *why)
{
    const struct orr_graph *g = d->graph;
    igraph_vector_int_t member;
    igraph_t ig;
    orr_err err = igraph_of(g, &ig, why);
    if (err)
        return err;
    err = orr__igraph(why, igraph_vector_int_init(&member, 0),
                      "checking the graph");
    if (err)
        goto out;
    err = orr__igraph(
        why,
        igraph_connected_components(&ig, &member, NULL, NULL,
                                    g->simplex ? IGRAPH_STRONG : IGRAPH_WEAK),
        "checking the graph");
    uint32_t v = 0;
    while (!err && v < g->nodes && VECTOR(member)[v] == VECTOR(member)[0])
        v++;
    if (!err && v < g->nodes && d->node_name)
        err = orr__yaml_fail(d->config, d->blame, why,
                             "%s: the graph is not connected: there is no path "
                             "from node \"%s\" to node \"%s\"",
                             d->file, d->node_name[0], d->node_name[v]);
    else if (!err && v < g->nodes)
        err = orr__fail(why, ORR_EINTERNAL,
                        "%s: nodes 0 and %" PRIu32 " are not connected",
                        g->kind, v);
    igraph_vector_int_destroy(&member);
out:
    igraph_destroy(&ig);
    return err;
}

enum { NAME_BYTES = 24 }; /* of a node: its name, and where it is */

/* Bytes of a graph while it is built: its arrays, and igraph's copy of the
 * edges for the checks. */
static uint64_t bytes_needed(const struct orr_size *size, uint64_t parallel,
                             const struct orr_graph_use *use)
{
    const uint64_t per_link =
        2 * 4 + 8 + 8 + 8 + 1 + 1 + 2 * 4 + use->link_bytes;
    const uint64_t per_node =
        3 + NAME_BYTES + 3 * 8 + 2 * 4 + 4 * 8 + use->node_bytes;
    const uint64_t per_edge = 8 * 8;
    uint64_t cables = orr__size_mul(size->cables, parallel);
    uint64_t nodes = orr__size_add(size->hosts, size->switches);
    uint64_t bytes = orr__size_mul(cables, 2 * per_link);
    bytes = orr__size_add(bytes, orr__size_mul(size->cables, per_edge));
    return orr__size_add(bytes, orr__size_mul(nodes, per_node));
}

/* Whether routes can tell all hosts, and all next hops of one, apart. */
static orr_err check_routes(const struct orr_draft *d, const char *size_key,
                            const struct orr_size *size, uint64_t parallel,
                            struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(d->map, size_key);
    uint64_t widest = orr__size_mul(size->widest, parallel);
    if (size->hosts > ORR_MOST_HOSTS)
        return orr__yaml_fail(d->config, at, why,
                              "topology.%s is too large: %.4g hosts to route "
                              "to, and at most %d are supported",
                              size_key, (double)size->hosts, ORR_MOST_HOSTS);
    if (widest > ORR_MOST_NEXT_HOPS)
        return orr__yaml_fail(d->config, d->map, why,
                              "topology: a node would have %" PRIu64
                              " equally good next hops; the limit is %d",
                              widest, ORR_MOST_NEXT_HOPS);
    return ORR_OK;
}

/* Before anything is built: ORR_ECONFIG at the key that sets the size, if the
 * graph and the tables for it would not fit into memory or ids. */
static orr_err check_size(const struct orr_draft *d, const char *size_key,
                          const struct orr_size *size, uint64_t parallel,
                          const struct orr_graph_use *use,
                          struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(d->map, size_key);
    uint64_t links = orr__size_mul(size->cables, 2 * parallel);
    uint64_t nodes = orr__size_add(size->hosts, size->switches);
    uint64_t bytes = bytes_needed(size, parallel, use);
    if (!orr__memory_fits(bytes)) {
        uint64_t free = orr__memory_available();
        char need[32], have[32];
        orr__human_size(bytes, need, sizeof need);
        orr__human_size(free, have, sizeof have);
        return orr__yaml_fail(d->config, at, why,
                              "topology.%s is too large: %.4g hosts and "
                              "%.4g links would take %s%s of memory, and %s "
                              "are free",
                              size_key, (double)size->hosts, (double)links,
                              bytes == UINT64_MAX ? "more than " : "", need,
                              have);
    }
    if (links >= UINT32_MAX || nodes >= UINT32_MAX)
        return orr__yaml_fail(d->config, at, why,
                              "topology.%s is too large: %.4g links and %.4g "
                              "nodes, but ids end at %" PRIu32,
                              size_key, (double)links, (double)nodes,
                              UINT32_MAX - 1);
    return use->routes ? check_routes(d, size_key, size, parallel, why)
                       : ORR_OK;
}

/* Which kind the map asks for. */
static orr_err find_kind(struct orr_config *c, const struct orr_yaml *map,
                         const struct orr_topology_ops **ops,
                         struct orr_report *why)
{
    const struct orr_topology_ops *const *all = orr__topology_kinds();
    const struct orr_yaml *node = orr__yaml_get(map, "kind");
    const char *names[ORR_MODULE_KINDS] = {NULL};
    if (node == NULL)
        return orr__yaml_fail(c, map, why, "topology.kind is missing");
    const char *text = orr__yaml_text(c, node);
    const struct orr_topology_ops *found =
        text ? orr__topology_find(text) : NULL;
    if (found) {
        *ops = found;
        return ORR_OK;
    }
    orr_err err = orr__yaml_fail(c, node, why,
                                 "topology.kind: there is no topology "
                                 "\"%s\"",
                                 text ? text : "(not a word)");
    for (size_t i = 0; all[i] && i < ORR_MODULE_KINDS - 1; i++)
        names[i] = all[i]->name;
    if (!orr__hint_nearest(why, names, text))
        orr__hint(why, "`orrery list topologies` shows what there is");
    return err;
}

/* Common and the kind's own parameters from one map, then links and servers. */
static orr_err read_params(struct orr_draft *d,
                           const struct orr_topology_ops *ops,
                           struct common *common, struct orr_report *why)
{
    struct orr_param_set sets[] = {
        {common_params(ops), common},
        {ops->params, d->params},
    };
    orr_err err = orr__param_read(d->config, d->map, "topology", sets, 2, why);
    if (err)
        return err;
    d->scale = common->scale;
    d->has_link = common->link != NULL;
    if (d->has_link)
        err = orr__line_read(d->config, common->link, "topology.link", NULL,
                             &d->link, why);
    if (!err && common->servers)
        err = orr__servers_read(d, common->servers, why);
    return err;
}

/* Everything after planning: d->graph is NULL before and after a failure. */
static orr_err assemble(struct orr_draft *d, const struct orr_topology_ops *ops,
                        const struct orr_size *size, uint32_t parallel,
                        const struct orr_yaml *names, struct orr_report *why)
{
    struct orr_graph *g = d->graph = graph_new(size, parallel);
    if (g == NULL)
        return orr__no_memory(why);
    g->kind = ops->name;
    bool wrap = d->gpus && ops->servers == ORR_SERVERS_AROUND;
    orr_err err = orr__graph_room(g->nodes, size->cables, why);
    if (!err && wrap)
        orr__servers_open(d);
    if (!err)
        err = orr__planes_open(d, ops->servers == ORR_SERVERS_OWN, why);
    if (!err)
        err = ops->build(d, why);
    if (!err)
        orr__planes_close(d);
    if (!err && wrap)
        orr__servers_close(d);
    if (!err)
        err = orr__draft_keep_names(d, names, why);
    if (!err && d->drawn != size->cables)
        err = orr__fail(why, ORR_EINTERNAL,
                        "%s: %" PRIu32 " cables drawn, %" PRIu64 " planned",
                        g->kind, d->drawn, size->cables);
    if (!err) {
        for (uint32_t h = 0; h < g->hosts; h++)
            g->sends[h] = true;
        add_parallel(g);
        scale_rates(g, d->scale);
        add_reverse_links(g);
        index_links(g, g->from, g->out_off, g->out_link);
        index_links(g, g->to, g->in_off, g->in_link);
        err = check_connected(d, why);
    }
    if (err) {
        orr__graph_free(g);
        d->graph = NULL;
    }
    return err;
}

orr_err orr__graph_build(struct orr_config *c, const struct orr_yaml *topology,
                         uint64_t seed, struct orr_graph **out,
                         struct orr_report *why)
{
    return orr__graph_build_for(c, topology, seed, NULL, out, why);
}

orr_err orr__graph_build_for(struct orr_config *c,
                             const struct orr_yaml *topology, uint64_t seed,
                             const struct orr_graph_use *use,
                             struct orr_graph **out, struct orr_report *why)
{
    static const struct orr_graph_use none;
    struct orr_draft d = {
        .config = c, .map = topology, .seed = seed, .scale = 1};
    struct common common = {.link = NULL};
    struct orr_size size = {.hosts = 0};
    const struct orr_topology_ops *ops = orr__topology_kinds()[0];
    if (topology == NULL || !orr__yaml_is_map(topology))
        return orr__yaml_fail(c, topology, why,
                              "topology is missing: it needs at least a kind "
                              "and its size");
    orr_err err = find_kind(c, topology, &ops, why);
    if (err)
        return err;
    err = orr__size_settle(c, topology, ops->name, why);
    if (err)
        return err;
    orr__igraph_init();
    d.params = orr__alloc(1, ops->params_size);
    if (d.params == NULL)
        return orr__no_memory(why);
    err = read_params(&d, ops, &common, why);
    if (err)
        goto no_plan;
    uint64_t parallel = (uint64_t)common.parallel;
    d.planes = (uint32_t)common.planes;
    err = ops->plan(&d, &size, why);
    if (!err)
        err = orr__planes_plan(&d, ops, &size, why);
    if (!err && d.gpus && ops->servers == ORR_SERVERS_AROUND)
        orr__servers_plan(&d, &size);
    if (!err)
        err = check_size(&d, d.size_key ? d.size_key : ops->size_key, &size,
                         parallel, use ? use : &none, why);
    if (!err)
        err = assemble(&d, ops, &size, (uint32_t)parallel, common.names, why);
    if (!err)
        *out = d.graph;
    if (ops->fini)
        ops->fini(&d);
    orr__free(d.names.text);
no_plan:
    orr__free(d.params);
    return err;
}
