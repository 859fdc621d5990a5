/* Rails: GPU i of every server on a leaf of its own, rail i, so that GPUs of
 * equal number are one switch apart (NVIDIA's DGX SuperPOD reference designs).
 * Between rails there are spines ("rail-optimised"), or nothing: then traffic
 * changes rails inside a server, and GPUs pass it on ("rail-only": Wang,
 * Ghobadi, Shakeri, Zhang, Hasani, HOTI 2024, arXiv 2307.12169). Ids: GPUs by
 * server, servers' own switches, leaves by rail, spines. Cables: GPUs to their
 * server, GPUs to their leaf, leaves to spines. */
#include <inttypes.h>

#include "topo/build/build.h"

/* Parameters; per_leaf 0: one leaf for all GPUs of a rail. */
struct rail {
    int64_t hosts, per_leaf, spines;
    bool forward;
    const struct orr_yaml *uplink;
    uint32_t leaves; /* of a rail, planned */
};

#define HOSTS                                                                  \
    {                                                                          \
        .key = "hosts", .type = ORR_PARAM_INT,                                 \
        .offset = offsetof(struct rail, hosts), .min = "1", .max = "16777216", \
        .help = "number of servers; each has the GPUs of `servers`"            \
    }

static const struct orr_param only_params[] = {HOSTS, ORR_PARAM_END};

static const struct orr_param params[] = {
    HOSTS,
    {.key = "servers_per_leaf",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct rail, per_leaf),
     .fallback = "",
     .min = "1",
     .help = "servers whose GPUs share the leaves of their rails; all by "
             "default"},
    {.key = "spines",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct rail, spines),
     .fallback = "",
     .min = "1",
     .help = "spine switches, each connected to every leaf; by default as many "
             "as servers on a leaf"},
    {.key = "forward",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct rail, forward),
     .fallback = "false",
     .help = "GPUs forward, so traffic may change rails inside a server "
             "(NCCL's PXN)"},
    {.key = "uplink",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct rail, uplink),
     .fallback = "",
     .help = "{rate, delay, loss}: what differs from link between leaves "
             "and spines"},
    ORR_PARAM_END};

enum { NVLINK, RAIL, UPLINK };

/* ORR_ECONFIG without topology.servers, since a rail is GPUs of equal number in
 * servers. */
static orr_err plan_rails(struct orr_draft *d, struct orr_size *size,
                          struct orr_report *why)
{
    struct rail *p = d->params;
    if (!d->gpus)
        return orr__yaml_fail(
            d->config, d->map, why,
            "topology.servers is missing: rails connect the GPUs of servers");
    uint64_t servers = (uint64_t)p->hosts;
    p->leaves = 1;
    if (p->per_leaf)
        p->leaves = (uint32_t)((servers - 1) / (uint64_t)p->per_leaf + 1);
    uint64_t leaves = orr__size_mul(p->leaves, d->gpus);
    size->hosts = orr__size_mul(servers, d->gpus);
    size->switches = orr__size_add(servers, leaves);
    size->switches = orr__size_add(size->switches, (uint64_t)p->spines);
    size->cables = orr__size_add(orr__size_mul(size->hosts, 2),
                                 orr__size_mul(leaves, (uint64_t)p->spines));
    return ORR_OK;
}

static orr_err plan_only(struct orr_draft *d, struct orr_size *size,
                         struct orr_report *why)
{
    struct rail *p = d->params;
    p->forward = true;
    return plan_rails(d, size, why);
}

static orr_err plan_optimised(struct orr_draft *d, struct orr_size *size,
                              struct orr_report *why)
{
    struct rail *p = d->params;
    if (!p->spines)
        p->spines =
            p->per_leaf && p->per_leaf < p->hosts ? p->per_leaf : p->hosts;
    size->widest = (uint64_t)p->spines;
    return plan_rails(d, size, why);
}

/* First ids of the layers. */
struct layers {
    uint32_t server, leaf, spine;
};

/* Servers are dealt out to the leaves of each rail as evenly as can be. */
static void draw_cables(struct orr_draft *d, const struct layers *l,
                        const struct orr_line *up)
{
    const struct rail *p = d->params;
    uint32_t n = d->graph->hosts, gpus = d->gpus;
    uint32_t leaves = gpus * p->leaves;
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, l->server + h / gpus, NVLINK, &d->gpu_link);
    for (uint32_t h = 0; h < n; h++) {
        uint32_t leaf =
            (uint32_t)((uint64_t)(h / gpus) * p->leaves / (uint64_t)p->hosts);
        orr__draft_cable(d, h, l->leaf + h % gpus * p->leaves + leaf, RAIL,
                         &d->link);
    }
    for (uint32_t i = 0; i < leaves; i++)
        for (uint32_t s = 0; s < p->spines; s++)
            orr__draft_cable(d, l->leaf + i, l->spine + s, UPLINK, up);
}

/* Rows of the picture from below: servers' switches, GPUs, leaves, spines. */
static void name_and_place(struct orr_draft *d, const struct layers *l)
{
    const struct rail *p = d->params;
    uint32_t servers = (uint32_t)p->hosts, spines = (uint32_t)p->spines;
    uint32_t leaves = d->gpus * p->leaves;
    orr__draft_nodes(d, 0, l->server, 0, p->forward);
    orr__draft_row(d, 0, l->server, 1);
    orr__draft_nodes(d, l->server, servers, 1, true);
    orr__draft_row(d, l->server, servers, 0);
    orr__draft_nodes(d, l->leaf, leaves, 2, true);
    orr__draft_row(d, l->leaf, leaves, 2);
    orr__draft_nodes(d, l->spine, spines, 3, true);
    orr__draft_row(d, l->spine, spines, 3);
    for (uint32_t s = 0; s < servers; s++)
        orr__draft_name(d, l->server + s, "server%u", s);
    for (uint32_t i = 0; i < leaves; i++)
        orr__draft_name(d, l->leaf + i, "rail%u/leaf%u", i / p->leaves,
                        i % p->leaves);
    for (uint32_t s = 0; s < spines; s++)
        orr__draft_name(d, l->spine + s, "spine%u", s);
}

/* Works for both kinds: with no spines those loops draw nothing. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"nvlink", "rail", "uplink", NULL};
    const struct rail *p = d->params;
    struct layers l = {.server = d->graph->hosts};
    struct orr_line up;
    orr_err err = orr__line_read(d->config, p->uplink, "topology.uplink",
                                 &d->link, &up, why);
    if (err)
        return err;
    l.leaf = l.server + (uint32_t)p->hosts;
    l.spine = l.leaf + d->gpus * p->leaves;
    draw_cables(d, &l, &up);
    d->graph->tier_names = tiers;
    d->graph->gpus = d->gpus;
    name_and_place(d, &l);
    return ORR_OK;
}

extern const struct orr_topology_ops orr__topology_rail_optimised;
const struct orr_topology_ops orr__topology_rail_optimised = {
    .name = "rail-optimised",
    .doc = "Leaf i for GPU i of every server, and spines above.",
    .params = params,
    .params_size = sizeof(struct rail),
    .size_key = "hosts",
    .servers = ORR_SERVERS_OWN,
    .plan = plan_optimised,
    .build = build,
};

extern const struct orr_topology_ops orr__topology_rail_only;
const struct orr_topology_ops orr__topology_rail_only = {
    .name = "rail-only",
    .doc = "Leaf i for GPU i of every server, without spines.",
    .params = only_params,
    .params_size = sizeof(struct rail),
    .size_key = "hosts",
    .servers = ORR_SERVERS_OWN,
    .plan = plan_only,
    .build = build,
};
