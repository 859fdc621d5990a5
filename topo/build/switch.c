/* Hosts on one switch; cable i is host i's. */
#include "topo/build/build.h"

/* As configured. */
struct star {
    int64_t hosts;
};

static const struct orr_param params[] = {
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct star, hosts),
     .min = "1",
     .help = "number of hosts"},
    ORR_PARAM_END};

static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct star *p = d->params;
    uint64_t n = (uint64_t)p->hosts;
    *size = (struct orr_size){.hosts = n, .switches = 1, .cables = n};
    return ORR_OK;
}

/* Cable i is host i's, as ids of both are by host. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", NULL};
    uint32_t n = d->graph->hosts;
    for (uint32_t i = 0; i < n; i++)
        orr__draft_cable(d, i, n, 0, &d->link);
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_nodes(d, n, 1, 1, false);
    orr__draft_circle(d, 0, n);
    orr__draft_place(d, n, 0, 0, 0);
    return ORR_OK;
}

static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    *bps = g->hosts / 2 * orr__cable_rate(g, 0);
    return true;
}

extern const struct orr_topology_ops orr__topology_switch;
const struct orr_topology_ops orr__topology_switch = {
    .name = "switch",
    .doc = "Hosts on one switch.",
    .params = params,
    .params_size = sizeof(struct star),
    .size_key = "hosts",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
