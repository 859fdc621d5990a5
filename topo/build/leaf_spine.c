/* Leaf switches with hosts, each joined to every spine. Ids: hosts by leaf,
 * leaves, spines. Cables: the hosts', then leaf by leaf to each spine. */
#include <inttypes.h>

#include "topo/build/build.h"

/* Parameters; resolve() settles what follows from others. */
struct leaf_spine {
    int64_t leaves, spines, hosts_per_leaf, hosts, oversubscription;
    const struct orr_yaml *uplink;
    struct orr_line up; /* read with the plan */
};

static const struct orr_param params[] = {
    {.key = "leaves",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct leaf_spine, leaves),
     .fallback = "",
     .min = "1",
     .help = "number of leaf switches"},
    {.key = "spines",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct leaf_spine, spines),
     .fallback = "",
     .min = "1",
     .help = "number of spine switches"},
    {.key = "hosts_per_leaf",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct leaf_spine, hosts_per_leaf),
     .fallback = "",
     .min = "1",
     .help = "hosts on each leaf switch"},
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct leaf_spine, hosts),
     .fallback = "",
     .min = "1",
     .max = "16777216",
     .help = "instead of hosts_per_leaf: hosts of all leaves; other missing "
             "keys are chosen for small switches"},
    {.key = "oversubscription",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct leaf_spine, oversubscription),
     .fallback = "",
     .min = "1",
     .help = "beside hosts, instead of spines: the rate of a leaf's hosts "
             "over that of its uplinks, 1 by default"},
    {.key = "uplink",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct leaf_spine, uplink),
     .fallback = "",
     .help = "{rate, delay, loss}: what differs from link between leaves "
             "and spines"},
    ORR_PARAM_END};

/* Spines so that so many hosts of a leaf have no more than `ratio` times the
 * rate of its uplinks. */
static uint64_t spines_for(const struct orr_draft *d,
                           const struct leaf_spine *p, uint64_t hosts)
{
    uint64_t ratio = p->oversubscription ? (uint64_t)p->oversubscription : 1;
    __uint128_t down = (__uint128_t)hosts * d->link.rate_bps;
    __uint128_t up = (__uint128_t)ratio * p->up.rate_bps;
    __uint128_t n = (down + up - 1) / up;
    return n > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)n;
}

/* Ports of the larger kind of switch, with so many leaves. */
static uint64_t ports_with(const struct orr_draft *d,
                           const struct leaf_spine *p, uint64_t leaves)
{
    uint64_t per = ((uint64_t)p->hosts - 1) / leaves + 1;
    uint64_t up = p->spines ? (uint64_t)p->spines : spines_for(d, p, per);
    return per + up > leaves ? per + up : leaves;
}

/* Leaves, two at least, so that the largest switch has as few ports as can be;
 * so that they are alike, where that costs at most twice as many. */
static uint64_t choose_leaves(const struct orr_draft *d,
                              const struct leaf_spine *p)
{
    uint64_t n = (uint64_t)p->hosts, best = 1, alike = 1;
    uint64_t least = UINT64_MAX / 2, least_alike = UINT64_MAX;
    for (uint64_t leaves = 2; leaves <= n && leaves <= 2 * least; leaves++) {
        uint64_t ports = ports_with(d, p, leaves);
        if (ports < least) {
            least = ports;
            best = leaves;
        }
        if (n % leaves == 0 && ports < least_alike) {
            least_alike = ports;
            alike = leaves;
        }
    }
    return least_alike <= 2 * least ? alike : best;
}

static orr_err missing(const struct orr_draft *d, const char *key,
                       struct orr_report *why)
{
    return orr__yaml_fail(d->config, d->map, why, "topology.%s is missing",
                          key);
}

/* By leaves, spines and hosts of each; or by hosts of all, and what else is
 * given. */
static orr_err resolve(struct orr_draft *d, struct leaf_spine *p,
                       struct orr_report *why)
{
    if (!p->hosts && p->oversubscription)
        return orr__yaml_fail(d->config,
                              orr__yaml_get(d->map, "oversubscription"), why,
                              "topology.oversubscription is beside "
                              "topology.hosts, which is missing: the hosts of "
                              "all leaves");
    if (p->hosts && p->hosts_per_leaf)
        return orr__yaml_fail(d->config, orr__yaml_get(d->map, "hosts"), why,
                              "topology.hosts replaces "
                              "topology.hosts_per_leaf: give one of them");
    if (p->spines && p->oversubscription)
        return orr__yaml_fail(d->config,
                              orr__yaml_get(d->map, "oversubscription"), why,
                              "topology.oversubscription replaces "
                              "topology.spines: give one of them");
    if (!p->hosts && !p->leaves)
        return missing(d, "leaves", why);
    if (!p->hosts && !p->spines)
        return missing(d, "spines", why);
    if (!p->hosts && !p->hosts_per_leaf)
        return missing(d, "hosts_per_leaf", why);
    if (!p->hosts)
        return ORR_OK;
    d->size_key = "hosts";
    if (!p->leaves)
        p->leaves = (int64_t)choose_leaves(d, p);
    if (p->leaves > p->hosts)
        return orr__yaml_fail(d->config, orr__yaml_get(d->map, "leaves"), why,
                              "topology.leaves is more than there are hosts");
    if (!p->spines)
        p->spines = (int64_t)spines_for(
            d, p, (uint64_t)((p->hosts - 1) / p->leaves + 1));
    return ORR_OK;
}

/* The uplink is read here already, as oversubscription is by rates. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct leaf_spine *p = d->params;
    orr_err err = orr__line_read(d->config, p->uplink, "topology.uplink",
                                 &d->link, &p->up, why);
    if (!err)
        err = resolve(d, p, why);
    if (err)
        return err;
    uint64_t leaves = (uint64_t)p->leaves, spines = (uint64_t)p->spines;
    size->hosts = p->hosts ? (uint64_t)p->hosts
                           : orr__size_mul(leaves, (uint64_t)p->hosts_per_leaf);
    size->switches = orr__size_add(leaves, spines);
    size->cables = orr__size_add(size->hosts, orr__size_mul(leaves, spines));
    size->widest = leaves > 1 ? spines : 1;
    return ORR_OK;
}

/* Hosts are dealt out to leaves as evenly as can be. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", "uplink", NULL};
    const struct leaf_spine *p = d->params;
    uint32_t leaves = (uint32_t)p->leaves, spines = (uint32_t)p->spines;
    uint32_t n = d->graph->hosts;
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, n + (uint32_t)((uint64_t)h * leaves / n), 0,
                         &d->link);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        for (uint32_t s = 0; s < spines; s++)
            orr__draft_cable(d, n + leaf, n + leaves + s, 1, &p->up);
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_row(d, 0, n, 0);
    orr__draft_nodes(d, n, leaves, 1, true);
    orr__draft_row(d, n, leaves, 1);
    orr__draft_nodes(d, n + leaves, spines, 2, true);
    orr__draft_row(d, n + leaves, spines, 2);
    for (uint32_t i = 0; i < leaves; i++)
        orr__draft_name(d, n + i, "leaf%u", i);
    for (uint32_t i = 0; i < spines; i++)
        orr__draft_name(d, n + leaves + i, "spine%u", i);
    return ORR_OK;
}

/* With an even number of leaves, half of them against the other half; a tree
 * with a single spine; else no formula. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint32_t leaves = g->to[g->hosts] - g->from[g->hosts];
    uint32_t spines = g->nodes - g->hosts - leaves;
    uint64_t host = orr__cable_rate(g, 0), up = orr__cable_rate(g, g->hosts);
    if (g->hosts % leaves == 0 && (leaves == 1 || spines == 1)) {
        const struct orr_leaves l = {leaves, g->hosts / leaves, spines * up};
        *bps = orr__tree_bisection(&l, 1, host);
        return true;
    }
    uint64_t below = g->hosts / 2 * host, above = leaves / 2 * spines * up;
    *bps = below < above ? below : above;
    return leaves % 2 == 0 && g->hosts % leaves == 0;
}

extern const struct orr_topology_ops orr__topology_leaf_spine;
const struct orr_topology_ops orr__topology_leaf_spine = {
    .name = "leaf-spine",
    .doc = "Leaf switches with hosts, each connected to every spine.",
    .params = params,
    .params_size = sizeof(struct leaf_spine),
    .size_key = "leaves",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
