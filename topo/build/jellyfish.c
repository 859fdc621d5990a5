/* Jellyfish (Singla, Hong, Popa, Godfrey, NSDI 2012): switches joined at
 * random, each with as many cables to others and as many hosts. The graph is
 * igraph's random regular one, drawn with the run's seed, and again until it is
 * connected. Ids: hosts by switch. Cables: hosts', then by the lower switch. */
#include <igraph/igraph.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/random.h"
#include "topo/build/build.h"
#include "topo/igraph.h"

/* As configured. */
struct jellyfish {
    int64_t switches, degree, hosts_per_switch;
};

static const struct orr_param params[] = {
    {.key = "switches",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct jellyfish, switches),
     .min = "1",
     .help = "number of switches"},
    {.key = "degree",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct jellyfish, degree),
     .min = "1",
     .help = "cables of each switch to others"},
    {.key = "hosts_per_switch",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct jellyfish, hosts_per_switch),
     .min = "1",
     .help = "hosts on each switch"},
    ORR_PARAM_END};

/* ORR_ECONFIG for degrees that no simple regular graph has. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    const struct jellyfish *p = d->params;
    const struct orr_yaml *at = orr__yaml_get(d->map, "degree");
    if (p->degree >= p->switches)
        return orr__yaml_fail(d->config, at, why,
                              "topology.degree must be less than the %" PRId64
                              " switches there are",
                              p->switches);
    if (p->degree % 2 && p->switches % 2)
        return orr__yaml_fail(d->config, at, why,
                              "topology.degree: %" PRId64
                              " switches with %" PRId64
                              " cables each would have an odd number of "
                              "ends",
                              p->switches, p->degree);
    uint64_t n = (uint64_t)p->switches;
    uint64_t ends = orr__size_mul(n, (uint64_t)p->degree);
    size->switches = n;
    size->hosts = orr__size_mul(n, (uint64_t)p->hosts_per_switch);
    size->cables =
        orr__size_add(size->hosts, ends == UINT64_MAX ? ends : ends / 2);
    return ORR_OK;
}

static const char doing[] = "drawing a random regular graph";

/* One try; *connected says whether it will do. */
static orr_err try_graph(const struct jellyfish *p, igraph_t *out,
                         igraph_bool_t *connected, struct orr_report *why)
{
    orr_err err = orr__igraph(
        why, igraph_k_regular_game(out, p->switches, p->degree, false, false),
        doing);
    if (err)
        return err;
    err = orr__igraph(why, igraph_is_connected(out, connected, IGRAPH_WEAK),
                      doing);
    if (err || !*connected)
        igraph_destroy(out);
    return err;
}

/* Draws again, from the same stream, until the graph is connected, at most 100
 * times. igraph's default generator is ours meanwhile and put back in any case.
 * The caller destroys *out if all is well. */
static orr_err draw_graph(struct orr_draft *d, igraph_t *out,
                          struct orr_report *why)
{
    enum { TRIES = 100 };
    const struct jellyfish *p = d->params;
    struct orr_random random;
    igraph_rng_t rng, before = *igraph_rng_default();
    igraph_bool_t connected = false;
    orr_err err =
        orr__igraph(why, igraph_rng_init(&rng, &igraph_rngtype_mt19937), doing);
    if (err)
        return err;
    orr__random_init(&random, d->seed, 0, ORR_PURPOSE_TOPOLOGY);
    igraph_rng_set_default(&rng);
    for (int i = 0; i < TRIES && !err && !connected; i++) {
        err = orr__igraph(
            why,
            igraph_rng_seed(igraph_rng_default(), orr__random_u32(&random)),
            doing);
        if (!err)
            err = try_graph(p, out, &connected, why);
    }
    igraph_rng_set_default(&before);
    igraph_rng_destroy(&rng);
    if (!err && !connected)
        err = orr__yaml_fail(d->config, orr__yaml_get(d->map, "degree"), why,
                             "topology.degree: %d random graphs in a row were "
                             "not connected",
                             TRIES);
    return err;
}

static int by_ends(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* In order of the lower switch, then the higher one. */
static orr_err draw_cables(struct orr_draft *d, const igraph_t *ig,
                           struct orr_report *why)
{
    size_t n = (size_t)igraph_ecount(ig);
    uint32_t(*ends)[2] = orr__alloc(n, sizeof *ends), first = d->graph->hosts;
    if (!ends)
        return orr__no_memory(why);
    for (size_t e = 0; e < n; e++) {
        uint32_t a = (uint32_t)IGRAPH_FROM(ig, e);
        uint32_t b = (uint32_t)IGRAPH_TO(ig, e);
        ends[e][0] = a < b ? a : b;
        ends[e][1] = a < b ? b : a;
    }
    qsort(ends, n, sizeof *ends, by_ends);
    for (size_t e = 0; e < n; e++)
        orr__draft_cable(d, first + ends[e][0], first + ends[e][1], 1,
                         &d->link);
    orr__free(ends);
    return ORR_OK;
}

/* Hosts stand on an outer circle, switches on an inner one. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", "switch", NULL};
    const struct jellyfish *p = d->params;
    uint32_t n = d->graph->hosts, switches = d->graph->nodes - n;
    igraph_t ig;
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, n + h / (uint32_t)p->hosts_per_switch, 0,
                         &d->link);
    orr_err err = draw_graph(d, &ig, why);
    if (err)
        return err;
    err = draw_cables(d, &ig, why);
    igraph_destroy(&ig);
    if (err)
        return err;
    d->graph->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_nodes(d, n, switches, 1, true);
    orr__draft_ring(d, 0, n, 1.3);
    orr__draft_ring(d, n, switches, 1);
    for (uint32_t s = 0; s < switches; s++)
        orr__draft_name(d, n + s, "switch%u", s);
    return ORR_OK;
}

extern const struct orr_topology_ops orr__topology_jellyfish;
const struct orr_topology_ops orr__topology_jellyfish = {
    .name = "jellyfish",
    .doc = "Switches connected at random.",
    .params = params,
    .params_size = sizeof(struct jellyfish),
    .size_key = "switches",
    .plan = plan,
    .build = build,
};
