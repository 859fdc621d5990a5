/* `topology.planes: k`: the switches of a kind k times, and its hosts once,
 * with a port in each plane. Plane 0 has the ids that it would have alone; the
 * switches and cables of the others follow, plane by plane. */
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "topo/build/build.h"

/* Nodes below this id are in no plane: hosts, and switches inside servers that
 * a kind draws itself. */
static uint64_t kept_nodes(const struct orr_draft *d, uint64_t hosts,
                           bool own_servers)
{
    return own_servers && d->gpus ? hosts + hosts / d->gpus : hosts;
}

/* Kinds in which hosts forward would join planes by way of them. */
static orr_err check_kind(const struct orr_draft *d, const char *kind,
                          struct orr_report *why)
{
    static const char *const kinds[] = {
        "switch",    "fat-tree",       "leaf-spine",      "clos",
        "dragonfly", "hyperx",         "slimfly",         "jellyfish",
        "dumbbell",  "rail-optimised", "parameter-server"};
    const struct orr_yaml *at = orr__yaml_get(d->map, "planes");
    const struct orr_yaml *forward = orr__yaml_get(d->map, "forward");
    const char *text = forward ? orr__yaml_text(d->config, forward) : NULL;

    if (text && strcmp(text, "false") != 0)
        return orr__yaml_fail(d->config, forward, why,
                              "topology.forward: GPUs that forward would join "
                              "the planes");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], kind) == 0)
            return ORR_OK;
    return orr__yaml_fail(d->config, at, why,
                          "topology.planes: planes meet only at hosts, and a "
                          "%s topology has cables between hosts, or hosts that "
                          "forward",
                          kind);
}

orr_err orr__planes_plan(struct orr_draft *d,
                         const struct orr_topology_ops *ops,
                         struct orr_size *size, struct orr_report *why)
{
    uint64_t more = d->planes - 1;
    bool own = ops->servers == ORR_SERVERS_OWN;
    uint64_t kept = kept_nodes(d, size->hosts, own);
    uint64_t inside = own && d->gpus ? size->hosts : 0; /* cables to those */
    uint64_t nodes = orr__size_add(size->hosts, size->switches);
    orr_err err;

    if (!more)
        return ORR_OK;
    err = check_kind(d, ops->name, why);
    if (err)
        return err;
    if (nodes == UINT64_MAX || size->cables == UINT64_MAX)
        return ORR_OK; /* refused as too large */
    size->switches =
        orr__size_add(size->switches, orr__size_mul(more, nodes - kept));
    size->cables =
        orr__size_add(size->cables, orr__size_mul(more, size->cables - inside));
    if (size->widest)
        size->widest = size->widest > d->planes ? size->widest : d->planes;
    return ORR_OK;
}

orr_err orr__planes_open(struct orr_draft *d, bool own_servers,
                         struct orr_report *why)
{
    struct orr_graph *g = d->graph;
    uint64_t kept = kept_nodes(d, g->hosts, own_servers);

    if (d->planes < 2)
        return ORR_OK;
    g->plane = orr__alloc(g->nodes + d->shift, sizeof *g->plane);
    if (!g->plane)
        return orr__no_memory(why);
    d->kept = (uint32_t)kept;
    d->in_plane = (uint32_t)((g->nodes - kept) / d->planes);
    ORR_ASSERT(kept + (uint64_t)d->in_plane * d->planes == g->nodes);
    d->later = g->nodes - d->kept - d->in_plane;
    g->nodes -= d->later;
    g->planes = d->planes;
    return ORR_OK;
}

/* Node v of plane 0 as it is in plane p. */
static uint32_t node_in_plane(const struct orr_draft *d, uint32_t v, uint32_t p)
{
    return v < d->kept ? v : v + p * d->in_plane;
}

/* What is known of a node, in another plane. */
static void copy_node(struct orr_draft *d, uint32_t v, uint32_t p)
{
    struct orr_graph *g = d->graph;
    uint32_t w = node_in_plane(d, v, p);

    g->level[w] = g->level[v];
    g->forwards[w] = g->forwards[v];
    g->plane[w] = (uint8_t)(p + 1);
    g->x[w] = g->x[v];
    g->y[w] = g->y[v];
    g->z[w] = g->z[v];
    if (p)
        orr__draft_place(d, w, g->x[v] + 0.05 * p, g->y[v] + 0.05 * p, g->z[v]);
}

void orr__planes_close(struct orr_draft *d)
{
    struct orr_graph *g = d->graph;
    uint32_t end = g->nodes, drawn = d->drawn;

    if (d->planes < 2)
        return;
    g->nodes += d->later;
    d->later = 0;
    for (uint32_t p = d->planes; p-- > 0;) /* names of plane 0 change last */
        for (uint32_t v = d->kept; v < end; v++) {
            copy_node(d, v, p);
            orr__draft_name_in_plane(d, v, node_in_plane(d, v, p), p);
        }
    for (uint32_t p = 1; p < d->planes; p++)
        for (uint32_t c = 0; c < drawn; c++) {
            struct orr_line line = {g->rate_bps[c], g->delay_ps[c], g->loss[c]};

            if (g->from[c] >= d->kept || g->to[c] >= d->kept)
                orr__draft_cable(d, node_in_plane(d, g->from[c], p),
                                 node_in_plane(d, g->to[c], p), g->tier[c],
                                 &line);
        }
    /* Formulas of regular kinds hold for one plane, and detours go by groups of
     * hosts that are in all. */
    orr__free(g->area);
    g->area = NULL;
    g->k = g->oversubscription = 0;
}
