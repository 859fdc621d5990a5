/* Leaf switches with hosts, each joined to every spine. Ids: hosts by leaf,
 * leaves, spines. Cables: the hosts', then leaf by leaf to each spine. */
#include "topo/build/build.h"

struct leaf_spine {
    int64_t leaves, spines, hosts_per_leaf;
    const struct orr_yaml *uplink;
};

const struct orr_param orr__leaf_spine_params[] = {
    { .key = "leaves", .type = ORR_PARAM_INT,
      .offset = offsetof(struct leaf_spine, leaves), .min = "1",
      .help = "number of leaf switches" },
    { .key = "spines", .type = ORR_PARAM_INT,
      .offset = offsetof(struct leaf_spine, spines), .min = "1",
      .help = "number of spine switches" },
    { .key = "hosts_per_leaf", .type = ORR_PARAM_INT,
      .offset = offsetof(struct leaf_spine, hosts_per_leaf), .min = "1",
      .help = "hosts on each leaf switch" },
    { .key = "uplink", .type = ORR_PARAM_NODE,
      .offset = offsetof(struct leaf_spine, uplink), .fallback = "",
      .help = "{rate, delay, loss}: what differs from link between leaves "
              "and spines" },
    ORR_PARAM_END
};

static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct leaf_spine *p = d->params;
    uint64_t leaves = (uint64_t)p->leaves, spines = (uint64_t)p->spines;
    size->hosts = orr__size_mul(leaves, (uint64_t)p->hosts_per_leaf);
    size->switches = orr__size_add(leaves, spines);
    size->cables = orr__size_add(size->hosts, orr__size_mul(leaves, spines));
    size->next_hops = orr__size_mul(leaves - 1, spines);
    size->widest = leaves > 1 ? spines : 1;
    return ORR_OK;
}

static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = { "host", "uplink", NULL };
    const struct leaf_spine *p = d->params;
    uint32_t leaves = (uint32_t)p->leaves, spines = (uint32_t)p->spines;
    uint32_t n = d->graph->hosts;
    struct orr_line uplink;
    orr_err err = orr__line_read(d->config, p->uplink, "topology.uplink",
                                 &d->link, &uplink, why);
    if (err)
        return err;
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, n + h / (uint32_t)p->hosts_per_leaf, 0,
                         &d->link);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        for (uint32_t s = 0; s < spines; s++)
            orr__draft_cable(d, n + leaf, n + leaves + s, 1, &uplink);
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_row(d, 0, n, 0);
    orr__draft_nodes(d, n, leaves, 1, true);
    orr__draft_row(d, n, leaves, 1);
    orr__draft_nodes(d, n + leaves, spines, 2, true);
    orr__draft_row(d, n + leaves, spines, 2);
    return ORR_OK;
}

/* With an even number of leaves, half of them against the other half; a tree
 * with a single spine; else no formula. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint32_t leaves = g->to[g->hosts] - g->from[g->hosts];
    uint32_t spines = g->nodes - g->hosts - leaves;
    uint64_t host = orr__cable_rate(g, 0), up = orr__cable_rate(g, g->hosts);
    if (leaves == 1 || spines == 1) {
        const struct orr_leaves l = { leaves, g->hosts / leaves,
                                      spines * up };
        *bps = orr__tree_bisection(&l, 1, host);
        return true;
    }
    uint64_t below = g->hosts / 2 * host, above = leaves / 2 * spines * up;
    *bps = below < above ? below : above;
    return leaves % 2 == 0;
}

const struct orr_topology_ops orr__leaf_spine_topology = {
    .params_size = sizeof(struct leaf_spine),
    .size_key = "leaves",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
