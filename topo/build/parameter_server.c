/* Workers (hosts 0..workers-1) and servers (the hosts after them) on one
 * switch, or on `racks` leaf switches under one core. Workers fill the racks
 * in order; servers are spread over them. Cables: the hosts', then the racks'
 * uplinks. */
#include "core/memory.h"
#include "topo/build/build.h"

/* As configured; with one rack there is no core. */
struct parameter_server {
    int64_t workers, servers, racks;
    const struct orr_yaml *uplink;
};

static const struct orr_param params[] = {
    {.key = "workers",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct parameter_server, workers),
     .min = "1",
     .help = "number of workers, hosts 0 to workers - 1"},
    {.key = "servers",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct parameter_server, servers),
     .min = "1",
     .help = "number of parameter servers, the hosts after the workers"},
    {.key = "racks",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct parameter_server, racks),
     .fallback = "1",
     .min = "1",
     .help = "leaf switches; more than one connect to a core switch"},
    {.key = "uplink",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct parameter_server, uplink),
     .fallback = "",
     .help = "{rate, delay, loss}: what differs from link between racks "
             "and core"},
    ORR_PARAM_END};

/* ORR_ECONFIG: a rack would be empty. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct parameter_server *p = d->params;
    uint64_t racks = (uint64_t)p->racks;
    uint64_t n = orr__size_add((uint64_t)p->workers, (uint64_t)p->servers);
    if (racks > n)
        return orr__yaml_fail(d->config, orr__yaml_get(d->map, "racks"), why,
                              "topology.racks is more than there are hosts");
    size->hosts = n;
    size->switches = racks > 1 ? racks + 1 : 1;
    size->cables = orr__size_add(n, racks > 1 ? racks : 0);
    return ORR_OK;
}

/* Which of `racks` the i-th of n hosts stands in. */
static uint32_t rack_of(uint32_t i, uint32_t n, uint32_t racks)
{
    return (uint32_t)((uint64_t)i * racks / n);
}

/* Workers and servers are dealt out to racks each for themselves, in the order
 * of their ids. */
static void draw_racks(struct orr_draft *d, const struct parameter_server *p,
                       const struct orr_line *uplink)
{
    uint32_t workers = (uint32_t)p->workers, racks = (uint32_t)p->racks;
    uint32_t servers = (uint32_t)p->servers, n = workers + servers;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rack = i < workers ? rack_of(i, workers, racks)
                                    : rack_of(i - workers, servers, racks);
        orr__draft_cable(d, i, n + rack, 0, &d->link);
    }
    for (uint32_t r = 0; r < racks && racks > 1; r++)
        orr__draft_cable(d, n + r, n + racks, 1, uplink);
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_row(d, 0, workers, 0);
    orr__draft_row(d, workers, servers, racks > 1 ? 3 : 2);
    orr__draft_nodes(d, n, racks, 1, true);
    orr__draft_row(d, n, racks, 1);
    if (racks > 1) {
        orr__draft_nodes(d, n + racks, 1, 2, true);
        orr__draft_place(d, n + racks, 0, 2, 0);
        orr__draft_name(d, n + racks, "core");
    }
    for (uint32_t r = 0; r < racks && racks > 1; r++)
        orr__draft_name(d, n + r, "rack%u", r);
}

/* G->servers are the parameter servers' hosts; collectives of that name ask for
 * them. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", "uplink", NULL};
    const struct parameter_server *p = d->params;
    struct orr_graph *g = d->graph;
    struct orr_line uplink;
    orr_err err = orr__line_read(d->config, p->uplink, "topology.uplink",
                                 &d->link, &uplink, why);
    if (err)
        return err;
    uint32_t servers = (uint32_t)p->servers;
    g->servers = orr__alloc(servers, sizeof *g->servers);
    if (g->servers == NULL)
        return orr__no_memory(why);
    g->n_servers = servers;
    for (uint32_t s = 0; s < servers; s++)
        g->servers[s] = (uint32_t)p->workers + s;
    g->tier_names = tiers;
    draw_racks(d, p, &uplink);
    return ORR_OK;
}

/* Racks differ by at most a worker and a server: three sizes. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    struct orr_leaves leaves[8];
    unsigned n = 0;
    bool racks = g->nodes - g->hosts > 1;
    uint64_t up = racks ? orr__cable_rate(g, g->hosts) : UINT64_MAX;
    for (uint32_t v = g->hosts; v < g->nodes - racks; v++) {
        uint32_t hosts = (g->in_off[v + 1] - g->in_off[v]) / g->parallel;
        unsigned i = 0;
        hosts -= racks;
        while (i < n && leaves[i].hosts != hosts)
            i++;
        if (i == sizeof leaves / sizeof *leaves)
            return false;
        if (i == n)
            leaves[n++] = (struct orr_leaves){0, hosts, up};
        leaves[i].count++;
    }
    *bps = orr__tree_bisection(leaves, n, orr__cable_rate(g, 0));
    return true;
}

extern const struct orr_topology_ops orr__topology_parameter_server;
const struct orr_topology_ops orr__topology_parameter_server = {
    .name = "parameter-server",
    .doc = "Workers and servers on one switch, or on racks under a core.",
    .params = params,
    .params_size = sizeof(struct parameter_server),
    .size_key = "workers",
    .servers = ORR_SERVERS_NONE,
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
