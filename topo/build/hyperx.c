/* HyperX (Ahn, Binkert, Davis, McLaren, Schreiber, SC 2009): switches on a
 * grid, every two that differ in one coordinate joined, each with as many
 * hosts. One dimension is a full mesh of switches, dimensions of two a
 * hypercube. Ids: hosts by switch; switches mixed radix, dimension 0 fastest.
 * Cables: hosts', then switch by switch to those of higher coordinate,
 * dimension by dimension. */
#include <inttypes.h>
#include <stdio.h>

#include "core/memory.h"
#include "topo/build/build.h"

enum { MAX_DIMS = 8 };

/* Parameters; dims are the document's. */
struct hyperx {
    struct orr_ints dims;
    int64_t hosts_per_switch;
    const struct orr_yaml *dimensions;
};

static const struct orr_param params[] = {
    {.key = "dims",
     .type = ORR_PARAM_INTS,
     .offset = offsetof(struct hyperx, dims),
     .min = "1",
     .help = "switches along each dimension, like [4, 4]"},
    {.key = "hosts_per_switch",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct hyperx, hosts_per_switch),
     .min = "1",
     .help = "hosts on each switch"},
    {.key = "dimensions",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct hyperx, dimensions),
     .fallback = "",
     .help = "a list of {rate, delay, loss}, one for each dimension: what "
             "differs from link there"},
    ORR_PARAM_END};

static const char *const tier_names[MAX_DIMS + 2] = {
    "host",        "dimension-0", "dimension-1", "dimension-2", "dimension-3",
    "dimension-4", "dimension-5", "dimension-6", "dimension-7",
};

/* Each switch has dims - 1 neighbours in each dimension; half of these ends are
 * cables. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct hyperx *p = d->params;
    const struct orr_yaml *at = orr__yaml_get(d->map, "dims");
    uint64_t n = 1, ends = 0;
    if (p->dims.n == 0 || p->dims.n > MAX_DIMS)
        return orr__yaml_fail(d->config, at, why,
                              "topology.dims needs 1 to %d dimensions, "
                              "not %zu",
                              MAX_DIMS, p->dims.n);
    for (size_t i = 0; i < p->dims.n; i++) {
        n = orr__size_mul(n, (uint64_t)p->dims.v[i]);
        ends = orr__size_add(ends, (uint64_t)p->dims.v[i] - 1);
    }
    size->switches = n;
    size->hosts = orr__size_mul(n, (uint64_t)p->hosts_per_switch);
    ends = orr__size_mul(n, ends);
    size->cables =
        orr__size_add(size->hosts, ends == UINT64_MAX ? ends : ends / 2);
    return ORR_OK;
}

/* A line for each dimension; left out: topology.link. */
static orr_err read_lines(struct orr_draft *d, struct orr_line *line,
                          struct orr_report *why)
{
    const struct hyperx *p = d->params;
    const struct orr_yaml *list = p->dimensions;
    if (list
        && (!orr__yaml_is_list(list) || orr__yaml_count(list) != p->dims.n))
        return orr__yaml_fail(d->config, list, why,
                              "topology.dimensions must be a list of %zu "
                              "maps, one for each of dims",
                              p->dims.n);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < p->dims.n && !err; i++) {
        char what[64];
        snprintf(what, sizeof what, "topology.dimensions[%zu]", i);
        err = orr__line_read(d->config, list ? orr__yaml_item(list, i) : NULL,
                             what, &d->link, &line[i], why);
    }
    return err;
}

/* To all switches beyond s along each dimension. */
static void draw_from(struct orr_draft *d, uint32_t s,
                      const struct orr_line *line)
{
    const struct hyperx *p = d->params;
    uint32_t first = d->graph->hosts, step = 1;
    for (size_t i = 0; i < p->dims.n; i++) {
        uint32_t dim = (uint32_t)p->dims.v[i], at = s / step % dim;
        for (uint32_t k = at + 1; k < dim; k++)
            orr__draft_cable(d, first + s, first + s + (k - at) * step,
                             (unsigned)i + 1, &line[i]);
        step *= dim;
    }
}

/* Coordinates, dimension 0 first: switch3.0.1. Cut off at 50 characters, as
 * names have to be short. */
static void name_switch(struct orr_draft *d, uint32_t s)
{
    const struct hyperx *p = d->params;
    char text[96] = "";
    size_t used = 0;
    uint32_t rest = s;
    for (size_t i = 0; i < p->dims.n; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u",
                                 i ? "." : "", rest % (uint32_t)p->dims.v[i]);
        rest /= (uint32_t)p->dims.v[i];
    }
    orr__draft_name(d, d->graph->hosts + s, "switch%.50s", text);
}

/* Dimensions 0, 1, 2 are x, y, z, drawn from the front left; further ones move
 * the whole grid of the lower ones. Hosts stand below their switch. */
static void place_switch(struct orr_draft *d, uint32_t s)
{
    const struct hyperx *p = d->params;
    double at[3] = {0, 0, 0}, step = 1;
    uint32_t rest = s, hosts = (uint32_t)p->hosts_per_switch;
    for (size_t i = 0; i < p->dims.n; i++) {
        uint32_t dim = (uint32_t)p->dims.v[i];
        if (i > 0 && i % 3 == 0)
            step /= 4;
        at[i % 3] += rest % dim * (i < 3 ? 1 : step / dim);
        rest /= dim;
    }
    double x = at[0] + 0.35 * at[2], y = at[1] + 0.25 * at[2];
    orr__draft_place(d, d->graph->hosts + s, x, y, at[2]);
    for (uint32_t i = 0; i < hosts; i++)
        orr__draft_place(d, s * hosts + i, x + ((i + 0.5) / hosts - 0.5) * 0.6,
                         y - 0.3, at[2]);
}

/* Hosts' cables are all of topology.link; dimensions may have their own
 * lines. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    const struct hyperx *p = d->params;
    struct orr_graph *g = d->graph;
    struct orr_line line[MAX_DIMS] = {{.loss = 0}};
    uint32_t n = g->hosts, switches = g->nodes - n;
    orr_err err = read_lines(d, line, why);
    if (err)
        return err;
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, n + h / (uint32_t)p->hosts_per_switch, 0,
                         &d->link);
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_nodes(d, n, switches, 1, true);
    for (uint32_t s = 0; s < switches; s++) {
        draw_from(d, s, line);
        place_switch(d, s);
        name_switch(d, s);
    }
    g->tier_names = tier_names;
    return ORR_OK;
}

/* Rate and extent of the dimension cheapest to cut: with n switches, those of
 * dimension i cut in halves break n S_i / 4 cables if S_i is even. The smallest
 * S_i times its rate is also the second eigenvalue of the switches' Laplacian,
 * so that no other cut is smaller (m switches against n - m cost at least that
 * times m (n - m) / n), hosts on the wrong side of their cable included. */
static bool bisection(const struct orr_graph *g, uint64_t *bps)
{
    uint32_t base = g->cables / g->parallel, switches = g->nodes - g->hosts;
    uint64_t best = UINT64_MAX;
    bool even = false;
    for (unsigned t = 1; t <= MAX_DIMS; t++) {
        uint64_t ends = 0, rate = 0;
        for (uint32_t c = g->hosts; c < base; c++) {
            if (g->tier[c] == t) {
                ends += 2;
                rate = orr__cable_rate(g, c);
            }
        }
        uint64_t extent = ends / switches + 1;
        if (ends && orr__size_mul(extent, rate) < best) {
            best = orr__size_mul(extent, rate);
            even = extent % 2 == 0;
        }
    }
    uint64_t host = g->hosts / 2 * orr__cable_rate(g, 0);
    if (switches == 1) {
        *bps = host;
        return true;
    }
    *bps = orr__size_mul(best, switches) / 4;
    *bps = host < *bps ? host : *bps;
    return even;
}

extern const struct orr_topology_ops orr__topology_hyperx;
const struct orr_topology_ops orr__topology_hyperx = {
    .name = "hyperx",
    .doc = "A grid of switches, all connected along every dimension.",
    .params = params,
    .params_size = sizeof(struct hyperx),
    .size_key = "dims",
    .plan = plan,
    .build = build,
    .bisection = bisection,
};
