/* Every host joined to every other: cables 0-1, 0-2, ..., 1-2, ... */
#include <igraph/igraph.h>

#include "topo/build/build.h"
#include "topo/igraph.h"

/* As configured. */
struct mesh {
    int64_t hosts;
};

static const struct orr_param params[] = {
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct mesh, hosts),
     .min = "2",
     .help = "number of hosts"},
    ORR_PARAM_END};

static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct mesh *p = d->params;
    uint64_t n = (uint64_t)p->hosts;
    uint64_t twice = orr__size_mul(n, n - 1);
    *size = (struct orr_size){
        .hosts = n, .cables = twice == UINT64_MAX ? twice : twice / 2};
    return ORR_OK;
}

/* igraph_full numbers edges row by row of the upper triangle. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"mesh", NULL};
    uint32_t n = d->graph->hosts;
    igraph_t mesh;
    orr_err err = orr__igraph(
        why, igraph_full(&mesh, n, IGRAPH_UNDIRECTED, IGRAPH_NO_LOOPS),
        "building a fully-connected graph");
    if (err)
        return err;
    err = orr__draft_edges(d, &mesh, why);
    igraph_destroy(&mesh);
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, true);
    orr__draft_circle(d, 0, n);
    return err;
}

static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint64_t half = g->hosts / 2;
    *bps = half * (g->hosts - half) * orr__cable_rate(g, 0);
    return true;
}

extern const struct orr_topology_ops orr__topology_fully_connected;
const struct orr_topology_ops orr__topology_fully_connected = {
    .name = "fully-connected",
    .doc = "Every host connected to every other.",
    .params = params,
    .params_size = sizeof(struct mesh),
    .size_key = "hosts",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
