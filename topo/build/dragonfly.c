/* The dragonfly (Kim, Dally, Scott, Abts, ISCA 2008): groups of a routers,
 * every two of a group joined, each with p hosts and h global cables; with a h
 * + 1 groups every two groups are joined once. Global port m of a group, which
 * is at its router m / h, leads m + 1 groups on (the "palm tree" of Camarero,
 * Vallejo, Beivide, ACM TACO 11(4), 2014). With fewer groups there are as many
 * cables between every two as ports allow, and ports that are left over stay
 * free. Ids: hosts by router, routers by group. Cables: hosts', local ones by
 * group, global ones by the lower group. */
#include <math.h>

#include "core/assert.h"
#include "topo/build/build.h"

/* Letters are the paper's; 0: by h. */
struct dragonfly {
    int64_t p, a, h, groups;
    const struct orr_yaml *local, *global;
    uint64_t copies; /* global cables between two groups */
};

static const struct orr_param params[] = {
    {.key = "h",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct dragonfly, h),
     .min = "1",
     .max = "4096",
     .help = "global cables of each router"},
    {.key = "a",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct dragonfly, a),
     .fallback = "",
     .min = "1",
     .max = "65536",
     .help = "routers of a group; 2h by default, which balances local and "
             "global cables"},
    {.key = "p",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct dragonfly, p),
     .fallback = "",
     .min = "1",
     .max = "65536",
     .help = "hosts on each router; h by default"},
    {.key = "groups",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct dragonfly, groups),
     .fallback = "",
     .min = "1",
     .help = "groups; default and maximum: a h + 1"},
    {.key = "local",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct dragonfly, local),
     .fallback = "",
     .help = "{rate, delay, loss}: what differs from link inside groups"},
    {.key = "global",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct dragonfly, global),
     .fallback = "",
     .help = "{rate, delay, loss}: what differs from link between groups"},
    ORR_PARAM_END};

enum { HOST, LOCAL, GLOBAL, TIERS };

/* Fills in the balanced a = 2 h = 2 p and, without `groups`, as many as can be
 * joined. ORR_ECONFIG: more groups than global cables. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct dragonfly *p = d->params;
    p->a = p->a ? p->a : 2 * p->h;
    p->p = p->p ? p->p : p->h;
    int64_t ports = p->a * p->h; /* global, of a group */
    p->groups = p->groups ? p->groups : ports + 1;
    if (p->groups > ports + 1)
        return orr__yaml_fail(d->config, orr__yaml_get(d->map, "groups"), why,
                              "topology.groups is more than the %lld that a "
                              "times h global cables of a group can join",
                              (long long)ports + 1);
    uint64_t groups = (uint64_t)p->groups, a = (uint64_t)p->a;
    uint64_t pairs = groups * (groups - 1) / 2; /* below 2^57 */
    p->copies = groups > 1 ? (uint64_t)ports / (groups - 1) : 0;
    size->switches = orr__size_mul(a, groups);
    size->hosts = orr__size_mul(size->switches, (uint64_t)p->p);
    size->cables = orr__size_add(orr__size_mul(groups, a * (a - 1) / 2),
                                 orr__size_mul(pairs, p->copies));
    size->cables = orr__size_add(size->cables, size->hosts);
    return ORR_OK;
}

/* Port m + k * ways of group i meets port ways - 1 - m + k * ways of group i +
 * m + 1; each pair is drawn from its lower group. */
static void draw_global(struct orr_draft *d, const struct dragonfly *p,
                        const struct orr_line *line)
{
    uint32_t groups = (uint32_t)p->groups, a = (uint32_t)p->a;
    uint32_t h = (uint32_t)p->h, others = groups - 1, n = d->graph->hosts;
    for (uint32_t i = 0; i < groups; i++) {
        for (uint32_t m = 0; m + i + 1 < groups; m++) {
            for (uint32_t k = 0; k < p->copies; k++) {
                uint32_t here = m + k * others,
                         there = others - 1 - m + k * others;
                orr__draft_cable(d, n + i * a + here / h,
                                 n + (i + m + 1) * a + there / h, GLOBAL, line);
            }
        }
    }
}

/* Groups on a circle, routers of a group on a small one, hosts around them. */
static void place_nodes(struct orr_draft *d, const struct dragonfly *p)
{
    uint32_t a = (uint32_t)p->a, groups = (uint32_t)p->groups;
    uint32_t n = d->graph->hosts, hosts = (uint32_t)p->p;
    double wide = groups > 2 ? 1.2 * sin(M_PI / groups) : 1;
    for (uint32_t r = 0; r < groups * a; r++) {
        uint32_t group = r / a;
        double at = 2 * M_PI * group / groups;
        double turn = at + 2 * M_PI * (r % a) / a;
        double x = sin(at) + wide / 3 * sin(turn);
        double y = cos(at) + wide / 3 * cos(turn);
        orr__draft_place(d, n + r, x, y, 0);
        for (uint32_t i = 0; i < hosts; i++) {
            double fan = turn + ((i + 0.5) / hosts - 0.5) * 2 * M_PI / a;
            orr__draft_place(d, r * hosts + i, x + wide / 5 * sin(fan),
                             y + wide / 5 * cos(fan), 0);
        }
    }
}

/* Sets g->area, by which detours know groups. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", "local", "global", NULL};
    const struct dragonfly *p = d->params;
    struct orr_graph *g = d->graph;
    struct orr_line line[TIERS] = {d->link};
    uint32_t a = (uint32_t)p->a, n = g->hosts, routers = g->nodes - n;
    ORR_ASSERT(routers == a * (uint32_t)p->groups);
    orr_err err = orr__line_read(d->config, p->local, "topology.local",
                                 &d->link, &line[LOCAL], why);
    if (!err)
        err = orr__line_read(d->config, p->global, "topology.global", &d->link,
                             &line[GLOBAL], why);
    if (!err)
        err = orr__draft_areas(d, why);
    if (err)
        return err;
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, n + h / (uint32_t)p->p, HOST, &line[HOST]);
    for (uint32_t r = 0; r < routers; r++)
        for (uint32_t other = r + 1; other / a == r / a; other++)
            orr__draft_cable(d, n + r, n + other, LOCAL, &line[LOCAL]);
    draw_global(d, p, &line[GLOBAL]);
    g->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_nodes(d, n, routers, 1, true);
    for (uint32_t h = 0; h < n; h++)
        g->area[h] = h / (uint32_t)p->p / a;
    for (uint32_t r = 0; r < routers; r++) {
        g->area[n + r] = r / a;
        orr__draft_name(d, n + r, "group%u/router%u", r / a, r % a);
    }
    place_nodes(d, p);
    return ORR_OK;
}

extern const struct orr_topology_ops orr__topology_dragonfly;
const struct orr_topology_ops orr__topology_dragonfly = {
    .name = "dragonfly",
    .doc = "Groups of routers; routers of a group, and groups, are fully "
           "connected.",
    .params = params,
    .params_size = sizeof(struct dragonfly),
    .size_key = "h",
    .plan = plan,
    .build = build,
};
