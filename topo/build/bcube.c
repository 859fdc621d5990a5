/* BCube (Guo, Lu, Li, Wu, Zhang, Shi, Tian, Zhang, Lu, SIGCOMM 2009): n^(k+1)
 * hosts with k + 1 ports each, n^k switches of n ports on each of k + 1 levels;
 * a switch of level i joins the hosts whose addresses differ in digit i only.
 * Hosts pass on what is not for them. Ids: hosts by address; switches by level,
 * and on a level by the address without its digit. Cables: host by host, level
 * by level. */
#include "core/assert.h"
#include "topo/build/build.h"

/* `n` ports of a switch, levels 0 to `k`. */
struct bcube {
    int64_t n, k;
};

static const struct orr_param params[] = {
    {.key = "n",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct bcube, n),
     .min = "2",
     .help = "ports of a switch"},
    {.key = "k",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct bcube, k),
     .min = "0",
     .max = "7",
     .help = "level of the cube: n^(k+1) hosts with k + 1 ports each"},
    ORR_PARAM_END};

static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct bcube *p = d->params;
    uint64_t n = (uint64_t)p->n, per_level = 1;
    for (int64_t i = 0; i < p->k; i++)
        per_level = orr__size_mul(per_level, n);
    size->hosts = orr__size_mul(per_level, n);
    size->switches = orr__size_mul(per_level, (uint64_t)p->k + 1);
    size->cables = orr__size_mul(size->hosts, (uint64_t)p->k + 1);
    return ORR_OK;
}

/* Hosts forward: packets go from level to level by way of them. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {
        "level-0", "level-1", "level-2", "level-3", "level-4",
        "level-5", "level-6", "level-7", NULL,
    };
    const struct bcube *p = d->params;
    uint32_t n = (uint32_t)p->n, levels = (uint32_t)p->k + 1;
    uint32_t hosts = d->graph->hosts, per_level = hosts / n;
    ORR_ASSERT(hosts % n == 0);
    for (uint32_t h = 0; h < hosts; h++) {
        for (uint32_t i = 0, step = 1; i < levels; i++, step *= n) {
            uint32_t other = h / step / n * step + h % step;
            orr__draft_cable(d, h, hosts + i * per_level + other, i, &d->link);
        }
    }
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, hosts, 0, true);
    orr__draft_row(d, 0, hosts, 0);
    for (uint32_t i = 0; i < levels; i++) {
        orr__draft_nodes(d, hosts + i * per_level, per_level, i + 1, true);
        orr__draft_row(d, hosts + i * per_level, per_level, i + 1);
        for (uint32_t s = 0; s < per_level; s++)
            orr__draft_name(d, hosts + i * per_level + s, "level%u/switch%u", i,
                            s);
    }
    return ORR_OK;
}

/* One switch: half of its ports. Else the best cut is not known. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    *bps = g->hosts / 2 * orr__cable_rate(g, 0);
    return g->nodes - g->hosts == 1;
}

extern const struct orr_topology_ops orr__topology_bcube;
const struct orr_topology_ops orr__topology_bcube = {
    .name = "bcube",
    .doc = "Hosts with a port on each of several levels of switches; hosts "
           "forward.",
    .params = params,
    .params_size = sizeof(struct bcube),
    .size_key = "n",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
