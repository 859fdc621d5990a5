/* Two switches with hosts on each and one cable between them. Hosts
 * 0..left-1 are on the left. Cables: the hosts', then the bottleneck. */
#include "topo/build/build.h"

/* Hosts on each side, and the line between them. */
struct dumbbell {
    int64_t left, right;
    const struct orr_yaml *bottleneck;
};

static const struct orr_param params[] = {
    {.key = "left",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct dumbbell, left),
     .min = "1",
     .help = "hosts on the left switch"},
    {.key = "right",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct dumbbell, right),
     .min = "1",
     .help = "hosts on the right switch"},
    {.key = "bottleneck",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct dumbbell, bottleneck),
     .fallback = "",
     .help = "{rate, delay, loss}: what differs from link on the cable "
             "between the switches"},
    ORR_PARAM_END};

static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct dumbbell *p = d->params;
    uint64_t n = orr__size_add((uint64_t)p->left, (uint64_t)p->right);
    *size = (struct orr_size){
        .hosts = n, .switches = 2, .cables = orr__size_add(n, 1)};
    return ORR_OK;
}

/* Hosts stand on x = -2 and 2, evenly from -1 to 1. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", "bottleneck", NULL};
    const struct dumbbell *p = d->params;
    struct orr_line bottleneck;
    uint32_t left = (uint32_t)p->left, n = d->graph->hosts;
    orr_err err =
        orr__line_read(d->config, p->bottleneck, "topology.bottleneck",
                       &d->link, &bottleneck, why);
    if (err)
        return err;
    for (uint32_t i = 0; i < n; i++) {
        orr__draft_cable(d, i, i < left ? n : n + 1, 0, &d->link);
        double y = i < left ? (2.0 * i + 1) / left - 1
                            : (2.0 * (i - left) + 1) / (n - left) - 1;
        orr__draft_place(d, i, i < left ? -2 : 2, y, 0);
    }
    orr__draft_cable(d, n, n + 1, 1, &bottleneck);
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_nodes(d, n, 2, 1, true);
    orr__draft_place(d, n, -1, 0, 0);
    orr__draft_place(d, n + 1, 1, 0, 0);
    orr__draft_name(d, n, "left");
    orr__draft_name(d, n + 1, "right");
    return ORR_OK;
}

static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint32_t left = g->in_off[g->hosts + 1] - g->in_off[g->hosts];
    left = left / g->parallel - 1; /* the bottleneck ends there too */
    const struct orr_leaves leaves[] = {
        {1, left, orr__cable_rate(g, g->hosts)},
        {1, g->hosts - left, UINT64_MAX},
    };
    *bps = orr__tree_bisection(leaves, 2, orr__cable_rate(g, 0));
    return true;
}

extern const struct orr_topology_ops orr__topology_dumbbell;
const struct orr_topology_ops orr__topology_dumbbell = {
    .name = "dumbbell",
    .doc = "Two switches with hosts on each and one cable between them.",
    .params = params,
    .params_size = sizeof(struct dumbbell),
    .size_key = "left",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
