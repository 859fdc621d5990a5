/* Hosts in a circle. Cable i goes from host i to host i + 1, so the clockwise
 * links have the lower ids. Two hosts have one cable. */
#include <igraph/igraph.h>

#include "topo/build/build.h"
#include "topo/igraph.h"

/* As configured. */
struct ring {
    int64_t hosts;
};

static const struct orr_param params[] = {
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct ring, hosts),
     .min = "2",
     .help = "number of hosts"},
    ORR_PARAM_END};

static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct ring *p = d->params;
    uint64_t n = (uint64_t)p->hosts;
    *size =
        (struct orr_size){.hosts = n, .cables = n == 2 ? 1 : n, .widest = 1};
    return ORR_OK;
}

/* igraph closes the ring from three hosts on; of two it would be a second
 * cable. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"ring", NULL};
    uint32_t n = d->graph->hosts;
    igraph_t ring;
    orr_err err =
        orr__igraph(why, igraph_ring(&ring, n, IGRAPH_DIRECTED, false, n > 2),
                    "building a ring");
    if (err)
        return err;
    err = orr__draft_edges(d, &ring, why);
    igraph_destroy(&ring);
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, true);
    orr__draft_circle(d, 0, n);
    return err;
}

static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    *bps = (g->hosts > 2 ? 2 : 1) * orr__cable_rate(g, 0);
    return true;
}

extern const struct orr_topology_ops orr__topology_ring;
const struct orr_topology_ops orr__topology_ring = {
    .name = "ring",
    .doc = "Hosts in a circle, each connected to the next; hosts forward.",
    .params = params,
    .params_size = sizeof(struct ring),
    .size_key = "hosts",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
