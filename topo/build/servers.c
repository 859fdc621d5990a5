/* Servers in place of hosts. The kind draws its graph as if servers were its
 * hosts; then all its ids move up by the number of GPUs, its hosts are switches
 * (a server's NVSwitch, with the server's ports to the network), and the GPUs
 * behind them are the hosts, with the lowest ids: server s has GPUs s * gpus to
 * (s + 1) * gpus - 1. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "topo/build/build.h"

/* The map `topology.servers`. */
struct servers {
    int64_t gpus;
    const struct orr_yaml *link, *groups, *in_network;
};

/* Which kind a GPU is, jobs of a cluster ask for: workload/cluster/. around:
 * the configuration. */
static const char *idle_groups(const void *set, const void *around)
{
    return orr__yaml_get(around, "cluster")
               ? NULL
               : "kinds of GPU are for the jobs of a `cluster`";
}

static const struct orr_param params[] = {
    {.key = "gpus",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct servers, gpus),
     .min = "1",
     .max = "1024",
     .help = "GPUs of a server, each a host of the network"},
    {.key = "link",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct servers, link),
     .help = "{rate, delay, loss} between a GPU and its server's switch"},
    {.key = "groups",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct servers, groups),
     .fallback = "",
     .help = "in a cluster: kinds of GPU of the servers, in order: a list of "
             "{count, gpu}",
     .idle = idle_groups},
    {.key = "in_network",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct servers, in_network),
     .fallback = "",
     .help = "the switches inside servers add up what a group sends, as NVLS "
             "does: a kind and its parameters (orrery list in-network)"},
    ORR_PARAM_END};

const struct orr_param *orr__servers_params(void)
{
    return params;
}

orr_err orr__servers_read(struct orr_draft *d, const struct orr_yaml *map,
                          struct orr_report *why)
{
    struct servers s = {0};
    struct orr_param_set set = {
        .table = params, .into = &s, .around = orr__config_root(d->config)};
    orr_err err =
        orr__param_read(d->config, map, "topology.servers", &set, 1, why);
    if (!err)
        err = orr__line_read(d->config, s.link, "topology.servers.link", NULL,
                             &d->gpu_link, why);
    d->gpus = (uint32_t)s.gpus;
    return err;
}

void orr__servers_plan(const struct orr_draft *d, struct orr_size *size)
{
    uint64_t gpus = orr__size_mul(size->hosts, d->gpus);
    size->switches = orr__size_add(size->switches, size->hosts);
    size->cables = orr__size_add(size->cables, gpus);
    size->hosts = gpus;
}

/* The kind sees a graph without GPUs. */
void orr__servers_open(struct orr_draft *d)
{
    struct orr_graph *g = d->graph;
    d->shift = g->hosts;
    g->nodes -= d->shift;
    g->hosts /= d->gpus;
}

/* Moves n things behind the room for `shift` new ones, which are zeroed. */
static void move_up(void *array, size_t size, uint32_t n, uint32_t shift)
{
    char *at = array;
    if (!array)
        return;
    memmove(at + shift * size, at, n * size);
    memset(at, 0, shift * size);
}

/* All that is kept per node. */
static void move_nodes(struct orr_graph *g, uint32_t shift)
{
    uint32_t n = g->nodes;
    move_up(g->level, sizeof *g->level, n, shift);
    move_up(g->forwards, sizeof *g->forwards, n, shift);
    move_up(g->x, sizeof *g->x, n, shift);
    move_up(g->y, sizeof *g->y, n, shift);
    move_up(g->z, sizeof *g->z, n, shift);
    move_up(g->name_at, sizeof *g->name_at, n, shift);
    move_up(g->area, sizeof *g->area, n, shift);
    move_up(g->plane, sizeof *g->plane, n, shift);
}

/* The tiers of the kind, and `nvlink`: one block, owned by the graph. */
static void add_tier(struct orr_draft *d)
{
    struct orr_graph *g = d->graph;
    size_t n = 0, bytes;
    while (g->tier_names[n])
        n++;
    bytes = (n + 2) * sizeof(char *);
    for (size_t i = 0; i < n; i++)
        bytes += strlen(g->tier_names[i]) + 1;
    const char **list = orr__alloc(bytes, 1);
    if (!list) {
        d->names.failed = true;
        return;
    }
    char *text = (char *)(list + n + 2);
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(g->tier_names[i]) + 1;
        list[i] = memcpy(text, g->tier_names[i], size);
        text += size;
    }
    list[n] = "nvlink";
    orr__free(g->owned);
    g->owned = list;
    g->tier_names = list;
}

/* GPUs are drawn beyond their servers, as seen from the middle; below them
 * where servers stand in a row at the bottom. */
static void place_gpus(struct orr_draft *d, uint32_t servers)
{
    struct orr_graph *g = d->graph;
    const double *x = g->x + d->shift, *y = g->y + d->shift;
    bool row = true;
    for (uint32_t s = 0; s < servers; s++)
        row = row && y[s] == y[0] && (s == 0 || x[s] > x[s - 1]);
    if (row && g->nodes - d->shift > servers) {
        orr__draft_row(d, 0, d->shift, y[0] - 1);
        return;
    }
    double apart = 2 * M_PI / (servers > 2 ? servers : 3) / d->gpus;
    for (uint32_t h = 0; h < d->shift; h++) {
        uint32_t s = h / d->gpus;
        double turn = (h % d->gpus - (d->gpus - 1) / 2.0) * apart;
        double out = 0.3, angle = atan2(y[s], x[s]) + turn;
        orr__draft_place(d, h, x[s] + out * cos(angle), y[s] + out * sin(angle),
                         g->z[d->shift + s]);
    }
}

void orr__servers_close(struct orr_draft *d)
{
    struct orr_graph *g = d->graph;
    uint32_t servers = g->hosts, shift = d->shift, tier = 0;
    bool named = g->name_at != NULL;
    for (uint32_t s = 0; s < servers; s++) {
        g->forwards[s] = true;
        if (!named || !g->name_at[s])
            orr__draft_name(d, s, "server%u", s);
    }
    for (uint32_t v = 0; v < g->nodes; v++)
        g->level[v] += g->level[v] < UINT8_MAX;
    for (uint32_t c = 0; c < d->drawn; c++) {
        g->from[c] += shift;
        g->to[c] += shift;
    }
    move_nodes(g, shift);
    g->nodes += shift;
    g->hosts = shift;
    d->shift = 0;
    while (g->tier_names[tier])
        tier++;
    add_tier(d);
    for (uint32_t h = 0; h < shift; h++)
        orr__draft_cable(d, h, shift + h / d->gpus, tier, &d->gpu_link);
    d->shift = shift;
    place_gpus(d, servers);
    /* What a kind says of its hosts does not hold for GPUs. */
    for (uint32_t i = 0; i < g->n_servers; i++)
        g->servers[i] *= d->gpus;
    orr__free(g->node_of);
    orr__free(g->dims);
    orr__free(g->dims_bps);
    orr__free(g->strides);
    g->strides = NULL;
    g->n_strides = 0;
    g->node_of = g->dims = NULL;
    g->dims_bps = NULL;
    g->n_dims = 0;
    g->gpus = d->gpus;
}
