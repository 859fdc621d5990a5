/* A folded Clos network (Clos, BSTJ 32(2), 1953) of equal switches: as few
 * tiers and switches as so many hosts need. A leaf has `oversubscription` times
 * as many ports down as up. With two tiers every leaf is joined to every spine,
 * by several cables where spines have ports to spare. With three, leaves and
 * middle switches form pods, and middle switch i of each pod is joined to the
 * cores of plane i. Hosts are spread over the leaves evenly, leaves over the
 * pods. Ids: hosts, leaves, middle switches by pod, cores (or spines) by plane.
 * Cables: hosts', then from the leaves up. */
#include <inttypes.h>

#include "core/assert.h"
#include "topo/build/build.h"

/* Parameters, and what plan() makes of them. */
struct clos {
    int64_t hosts, radix, oversubscription;
    const struct orr_yaml *uplink;
    /* planned */
    uint32_t tiers, leaves, up; /* switches; cables up of a leaf */
    uint32_t pods, per_pod;     /* pods; middle switches of each */
    uint32_t per_plane;         /* cores (or spines) of a plane */
    uint32_t low, high;         /* cables in parallel: leaf to middle,
                                 * middle to core */
};

static const struct orr_param params[] = {
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct clos, hosts),
     .min = "1",
     .max = "16777216",
     .help = "number of hosts"},
    {.key = "radix",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct clos, radix),
     .min = "2",
     .max = "1024",
     .help = "ports of every switch"},
    {.key = "oversubscription",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct clos, oversubscription),
     .fallback = "1",
     .min = "1",
     .help = "hosts for each uplink of a leaf"},
    {.key = "uplink",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct clos, uplink),
     .fallback = "",
     .help = "{rate, delay, loss}: what differs from link between switches"},
    ORR_PARAM_END};

/* How many switches take the `cables` of each of `below` ones, evenly and in as
 * few parallels as go: a divisor of cables, so that each has at most `ports`
 * in use. 0: none. */
static uint64_t fan_out(uint64_t cables, uint64_t below, uint64_t ports)
{
    for (uint64_t n = 1; n <= cables; n++)
        if (cables % n == 0 && below * (cables / n) <= ports)
            return n;
    return 0;
}

static orr_err too_many(const struct orr_draft *d, uint64_t most,
                        struct orr_report *why)
{
    const struct clos *p = d->params;
    orr_err err = orr__yaml_fail(
        d->config, orr__yaml_get(d->map, "hosts"), why,
        "topology.hosts: three tiers of switches with %" PRId64 " ports have "
        "room for %" PRIu64 " hosts at %" PRId64 ":1",
        p->radix, most, p->oversubscription);
    orr__hint(why, "take a larger topology.radix");
    return err;
}

/* Three tiers: pods of half a radix of leaves. */
static orr_err plan_pods(const struct orr_draft *d, struct clos *p,
                         uint64_t leaves, uint64_t down, struct orr_report *why)
{
    uint64_t radix = (uint64_t)p->radix, half = radix / 2;
    ORR_ASSERT(half > 0 && leaves > 0);
    if (leaves > radix * half)
        return too_many(d, radix * half * down, why);
    p->tiers = 3;
    p->pods = (uint32_t)((leaves + half - 1) / half);
    uint64_t in_pod = (leaves + p->pods - 1) / p->pods;
    p->per_pod = (uint32_t)fan_out(p->up, in_pod, half);
    ORR_ASSERT(p->per_pod > 0); /* in_pod <= half: each cable its own */
    p->low = p->up / p->per_pod;
    uint64_t above = in_pod * p->low; /* cables up of a middle switch */
    p->per_plane = (uint32_t)fan_out(above, p->pods, radix);
    ORR_ASSERT(p->per_plane > 0);
    p->high = (uint32_t)(above / p->per_plane);
    return ORR_OK;
}

/* The fewest tiers that have room. ORR_ECONFIG: a leaf keeps no port for an
 * uplink, or three tiers are not enough. */
static orr_err shape_tiers(const struct orr_draft *d, struct clos *p,
                           struct orr_report *why)
{
    uint64_t radix = (uint64_t)p->radix, hosts = (uint64_t)p->hosts;
    uint64_t ratio = (uint64_t)p->oversubscription;
    p->tiers = p->leaves = p->pods = 1;
    if (hosts <= radix)
        return ORR_OK;
    if (ratio >= radix)
        return orr__yaml_fail(d->config,
                              orr__yaml_get(d->map, "oversubscription"), why,
                              "topology.oversubscription: a leaf with %" PRIu64
                              " ports has none left for an uplink",
                              radix);
    p->up = (uint32_t)(radix / (1 + ratio));
    uint64_t down = p->up * ratio, leaves = (hosts + down - 1) / down;
    p->leaves = (uint32_t)leaves;
    if (leaves > radix)
        return plan_pods(d, p, leaves, down, why);
    p->tiers = 2;
    p->per_plane = (uint32_t)fan_out(p->up, leaves, radix);
    ORR_ASSERT(p->per_plane > 0);
    p->low = p->up / p->per_plane;
    return ORR_OK;
}

/* The first leaf of a pod. */
static uint32_t first_leaf(const struct clos *p, uint32_t pod)
{
    return (uint32_t)((uint64_t)pod * p->leaves / p->pods);
}

/* One leaf alone has no cables up; the product with `up`, 0 then, says so. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct clos *p = d->params;
    orr_err err = shape_tiers(d, p, why);
    if (err)
        return err;
    size->hosts = size->cables = (uint64_t)p->hosts;
    size->switches = p->leaves;
    size->cables += (uint64_t)p->leaves * p->up;
    if (p->tiers == 2)
        size->switches += p->per_plane;
    if (p->tiers == 3) {
        uint64_t middle = (uint64_t)p->pods * p->per_pod;
        size->switches += middle + (uint64_t)p->per_pod * p->per_plane;
        size->cables += middle * p->per_plane * p->high;
    }
    return ORR_OK;
}

/* First ids of the layers. */
struct layers {
    uint32_t leaf, middle, core;
};

static void draw_leaf(struct orr_draft *d, const struct layers *l,
                      uint32_t leaf, uint32_t pod, const struct orr_line *up)
{
    const struct clos *p = d->params;
    uint32_t above = p->tiers == 3 ? p->per_pod : p->per_plane;
    uint32_t first = p->tiers == 3 ? l->middle + pod * p->per_pod : l->core;
    for (uint32_t i = 0; i < above; i++)
        for (uint32_t k = 0; k < p->low; k++)
            orr__draft_cable(d, l->leaf + leaf, first + i, 1, up);
}

static void draw_pods(struct orr_draft *d, const struct layers *l,
                      const struct orr_line *up)
{
    const struct clos *p = d->params;
    for (uint32_t pod = 0; pod < p->pods; pod++)
        for (uint32_t m = 0; m < p->per_pod; m++)
            for (uint32_t i = 0; i < p->per_plane; i++)
                for (uint32_t k = 0; k < p->high; k++)
                    orr__draft_cable(d, l->middle + pod * p->per_pod + m,
                                     l->core + m * p->per_plane + i, 2, up);
}

/* Names as users see them: pods only where there are three tiers. */
static void name_nodes(struct orr_draft *d, const struct layers *l)
{
    const struct clos *p = d->params;
    for (uint32_t pod = 0; pod < p->pods && p->tiers == 3; pod++) {
        uint32_t first = first_leaf(p, pod), end = first_leaf(p, pod + 1);
        for (uint32_t i = first; i < end; i++)
            orr__draft_name(d, l->leaf + i, "pod%u/leaf%u", pod, i - first);
        for (uint32_t m = 0; m < p->per_pod; m++)
            orr__draft_name(d, l->middle + pod * p->per_pod + m,
                            "pod%u/middle%u", pod, m);
    }
    for (uint32_t i = 0; i < p->leaves && p->tiers < 3; i++)
        orr__draft_name(d, l->leaf + i, "leaf%u", i);
    for (uint32_t v = l->core; v < d->graph->nodes; v++)
        orr__draft_name(d, v, p->tiers == 3 ? "core%u" : "spine%u",
                        v - l->core);
}

/* A row of the picture for each tier; rows without nodes are none. */
static void place_rows(struct orr_draft *d, const struct layers *l)
{
    const struct clos *p = d->params;
    uint32_t nodes = d->graph->nodes, middles = l->core - l->middle;
    orr__draft_nodes(d, 0, l->leaf, 0, false);
    orr__draft_row(d, 0, l->leaf, 0);
    orr__draft_nodes(d, l->leaf, p->leaves, 1, true);
    orr__draft_row(d, l->leaf, p->leaves, 1);
    orr__draft_nodes(d, l->middle, middles, 2, true);
    orr__draft_row(d, l->middle, middles, 2);
    orr__draft_nodes(d, l->core, nodes - l->core, p->tiers, true);
    orr__draft_row(d, l->core, nodes - l->core, p->tiers);
}

/* Hosts are dealt out to leaves by h * leaves / hosts, so that leaves differ by
 * one host at most. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", "leaf", "middle", NULL};
    const struct clos *p = d->params;
    uint32_t n = d->graph->hosts;
    struct layers l = {.leaf = n, .middle = n + p->leaves};
    struct orr_line up;
    orr_err err = orr__line_read(d->config, p->uplink, "topology.uplink",
                                 &d->link, &up, why);
    if (err)
        return err;
    l.core = l.middle + (p->tiers == 3 ? p->pods * p->per_pod : 0);
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, l.leaf + (uint32_t)((uint64_t)h * p->leaves / n),
                         0, &d->link);
    for (uint32_t pod = 0; pod < p->pods && p->tiers > 1; pod++)
        for (uint32_t i = first_leaf(p, pod); i < first_leaf(p, pod + 1); i++)
            draw_leaf(d, &l, i, pod, &up);
    if (p->tiers == 3)
        draw_pods(d, &l, &up);
    d->graph->tier_names = tiers;
    place_rows(d, &l);
    name_nodes(d, &l);
    return ORR_OK;
}

/* With one tier, or two and an even number of like leaves, half against the
 * other half: ECMP carries any permutation at the rate of the narrower tier. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint32_t base = g->cables / g->parallel, leaves = 0, two = 0;
    for (uint32_t v = g->hosts; v < g->nodes; v++) {
        leaves += g->level[v] == 1;
        two += g->level[v] > 2;
    }
    *bps = g->hosts / 2 * orr__cable_rate(g, 0);
    if (base == g->hosts)
        return true;
    uint64_t up = (base - g->hosts) / 2 * orr__cable_rate(g, g->hosts);
    *bps = up < *bps ? up : *bps;
    return two == 0 && leaves > 0 && leaves % 2 == 0 && g->hosts % leaves == 0;
}

extern const struct orr_topology_ops orr__topology_clos;
const struct orr_topology_ops orr__topology_clos = {
    .name = "clos",
    .doc = "Equal switches in the fewest tiers for the number of hosts.",
    .params = params,
    .params_size = sizeof(struct clos),
    .size_key = "hosts",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
