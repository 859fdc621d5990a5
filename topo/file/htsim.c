/* htsim's .topo (uet-htsim, csg-htsim): a fat-tree of two or three tiers.
 *     Nodes 128  Tiers 3  Podsize 16        (a line each)
 *     Tier 0
 *     Downlink_speed_Gbps 100, Radix_Down 4, Radix_Up 4, Oversubscribed 1,
 *     Bundle 1, Downlink_Latency_ns 1000, Switch_Latency_ns 0
 * A tier is its switches and the cables below them: 0 the edge, 1 above it, 2
 * the core. Aggregation switch j of a pod is joined to cores j, j + n, j + 2n
 * ..., n being the aggregation switches of a pod; two tiers are one pod. A
 * bundle is that many cables side by side. Node ids are ours: hosts, edge,
 * aggregation, core.
 *
 * The latency of a switch is put on its cables, half on each side: every packet
 * enters by one and leaves by another, so paths are as long as they are there.
 * The sizes of queues (Queue_Up, Queue_Down) are not the graph's: `network`
 * says them. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "core/units.h"
#include "topo/file/file.h"

enum { EDGE, AGGREGATION, CORE, TIERS };

enum tier_key {
    SPEED,
    DOWN,
    UP,
    OVER,
    BUNDLE,
    LINK,
    SWITCH,
    QUEUE_UP,
    QUEUE_DOWN,
    KEYS
};

static const struct key {
    const char *name;
    int64_t min, max;
} keys[KEYS] = {
    [SPEED] = {"Downlink_speed_Gbps", 1, 1000000},
    [DOWN] = {"Radix_Down", 1, 1000000},
    [UP] = {"Radix_Up", 1, 1000000},
    [OVER] = {"Oversubscribed", 1, 1000000},
    [BUNDLE] = {"Bundle", 1, 1000000},
    [LINK] = {"Downlink_Latency_ns", 1, 1000000000},
    [SWITCH] = {"Switch_Latency_ns", 0, 1000000000},
    [QUEUE_UP] = {"Queue_Up", 0, INT64_MAX},
    [QUEUE_DOWN] = {"Queue_Down", 0, INT64_MAX},
};

/* What the file says, and counts that shape_tiers() finds. */
struct topo {
    struct orr_scan scan;
    int64_t nodes, tiers, pod;
    struct tier {
        bool there, has[KEYS];
        int64_t v[KEYS];
    } tier[TIERS];
    /* switches of a pod on each tier, and all of them */
    uint64_t per_pod[TIERS], count[TIERS];
};

/* ---- reading ----------------------------------------------------------- */

/* A key of the file's head, once; *found: it was one. 0 means not yet read, as
 * none may be 0. */
static orr_err read_header(struct topo *t, bool *found)
{
    static const struct {
        const char *name;
        int64_t min, max;
        size_t offset;
    } header[] = {
        {"Nodes", 1, UINT32_MAX - 1, offsetof(struct topo, nodes)},
        {"Tiers", 2, TIERS, offsetof(struct topo, tiers)},
        {"Podsize", 1, UINT32_MAX - 1, offsetof(struct topo, pod)},
    };
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        int64_t *v = (int64_t *)((char *)t + header[i].offset);
        if (strcasecmp(t->scan.word, header[i].name) != 0)
            continue;
        *found = true;
        if (*v)
            return orr__scan_fail(&t->scan, "%s is listed twice",
                                  header[i].name);
        (void)orr__scan_here(&t->scan);
        return orr__scan_int(&t->scan, header[i].name, header[i].min,
                             header[i].max, v);
    }
    return ORR_OK;
}

/* A key of the tier that is open; NULL: none is, and then nothing is found. */
static orr_err read_tier_key(struct topo *t, struct tier *tier, bool *found)
{
    for (int k = 0; k < KEYS && tier; k++) {
        if (strcasecmp(t->scan.word, keys[k].name) != 0)
            continue;
        *found = true;
        if (tier->has[k])
            return orr__scan_fail(&t->scan, "%s is listed twice for this tier",
                                  keys[k].name);
        if (k == UP && tier == &t->tier[t->tiers - 1])
            return orr__scan_fail(&t->scan, "the top tier has no uplinks");
        tier->has[k] = true;
        (void)orr__scan_here(&t->scan);
        return orr__scan_int(&t->scan, keys[k].name, keys[k].min, keys[k].max,
                             &tier->v[k]);
    }
    return ORR_OK;
}

/* "Tier 1": what follows is about that tier. */
static orr_err begin_tier(struct topo *t, struct tier **tier)
{
    int64_t n = 0;
    if (!t->nodes || !t->tiers || !t->pod)
        return orr__scan_fail(&t->scan, "Nodes, Tiers and Podsize come before "
                                        "the first tier");
    (void)orr__scan_here(&t->scan);
    orr_err err = orr__scan_int(&t->scan, "the tier", 0, t->tiers - 1, &n);
    if (err != ORR_OK)
        return err;
    *tier = &t->tier[n];
    if ((*tier)->there)
        return orr__scan_fail(&t->scan, "tier %" PRId64 " is listed twice", n);
    (*tier)->there = true;
    return ORR_OK;
}

/* One key with its value, or "Tier N"; then the line ends. */
static orr_err read_line(struct topo *t, struct tier **tier)
{
    bool found = false;
    orr_err err;
    if (strcasecmp(t->scan.word, "Tier") == 0) {
        err = begin_tier(t, tier);
        found = true;
    } else {
        err = read_header(t, &found);
        if (err == ORR_OK && !found)
            err = read_tier_key(t, *tier, &found);
    }
    if (err == ORR_OK && !found)
        err = orr__scan_fail(&t->scan, "unknown word \"%.40s\"", t->scan.word);
    if (err == ORR_OK && orr__scan_here(&t->scan))
        err = orr__scan_fail(&t->scan, "\"%.40s\" is not expected here",
                             t->scan.word);
    return err;
}

/* Whether everything is there that cannot be left out. */
static orr_err check_complete(struct topo *t)
{
    static const int needed[] = {SPEED, DOWN, UP, LINK};
    if (!t->nodes || !t->tiers || !t->pod)
        return orr__scan_fail(&t->scan, "%s is missing",
                              !t->nodes   ? "Nodes"
                              : !t->tiers ? "Tiers"
                                          : "Podsize");
    for (int i = 0; i < t->tiers; i++) {
        struct tier *tier = &t->tier[i];
        if (!tier->there)
            return orr__scan_fail(&t->scan, "tier %d is missing", i);
        for (int k = 0; k < 4; k++)
            if (!tier->has[needed[k]]
                && !(needed[k] == UP && i == t->tiers - 1))
                return orr__scan_fail(&t->scan, "tier %d has no %s", i,
                                      keys[needed[k]].name);
        if (!tier->has[OVER])
            tier->v[OVER] = 1;
        if (!tier->has[BUNDLE])
            tier->v[BUNDLE] = 1;
    }
    return ORR_OK;
}

/* ---- the shape --------------------------------------------------------- */

/* n cables up from a tier for `below` ones into it, as speeds and
 * oversubscription ask; false when that is no whole number. */
static bool uplinks(const struct topo *t, int tier, uint64_t below, uint64_t *n)
{
    unsigned __int128 capacity =
        (unsigned __int128)below * (uint64_t)t->tier[tier].v[SPEED];
    uint64_t each =
        (uint64_t)t->tier[tier + 1].v[SPEED] * (uint64_t)t->tier[tier].v[OVER];
    *n = (uint64_t)(capacity / each);
    return capacity % each == 0 && *n > 0;
}

/* The switches of the tier above `tier`, of which the whole has `below` cables
 * coming into it; *up: cables between the two. */
static orr_err shape_tier(struct topo *t, int tier, uint64_t below,
                          uint64_t *up, struct orr_sketch *s,
                          struct orr_report *why)
{
    const struct tier *lower = &t->tier[tier], *upper = &t->tier[tier + 1];
    if (!uplinks(t, tier, below, up))
        return orr__sketch_fail(s, why,
                                "tier %d: its speeds and oversubscription give "
                                "no whole number of uplinks",
                                tier);
    uint64_t radix = (uint64_t)upper->v[DOWN];
    uint64_t bundle = (uint64_t)upper->v[BUNDLE];
    if (*up % radix || radix % bundle || lower->v[UP] % upper->v[BUNDLE])
        return orr__sketch_fail(s, why,
                                "tier %d: %" PRIu64 " uplinks in "
                                "bundles of %" PRIu64 " do not fit switches "
                                "of Radix_Down %" PRIu64,
                                tier, *up, bundle, radix);
    t->count[tier + 1] = *up / radix;
    if (t->count[tier] * (uint64_t)lower->v[UP] != *up)
        return orr__sketch_fail(s, why,
                                "tier %d: %" PRIu64
                                " switches of Radix_Up %" PRId64
                                " do not have the %" PRIu64
                                " uplinks for its speeds and oversubscription",
                                tier, t->count[tier], lower->v[UP], *up);
    return ORR_OK;
}

/* Switches of each tier, and whether bundles add up: what one switch has up is
 * what those above have down. up: cables between tiers. */
static orr_err shape_tiers(struct topo *t, uint64_t up[2], struct orr_sketch *s,
                           struct orr_report *why)
{
    uint64_t nodes = (uint64_t)t->nodes, pod = (uint64_t)t->pod;
    uint64_t radix = (uint64_t)t->tier[EDGE].v[DOWN];
    if (nodes % pod || pod % radix)
        return orr__sketch_fail(
            s, why,
            "%" PRIu64 " nodes in pods of %" PRIu64
            " do not fit edge switches of Radix_Down %" PRIu64,
            nodes, pod, radix);
    if (t->tier[EDGE].v[BUNDLE] != 1)
        return orr__sketch_fail(s, why,
                                "tier 0: hosts have one cable, "
                                "Bundle must be 1");
    if (t->tiers == 2)
        pod = nodes; /* every edge switch is joined to every one above */
    t->count[EDGE] = nodes / radix;
    orr_err err = shape_tier(t, EDGE, nodes, &up[0], s, why);
    if (err == ORR_OK && t->tiers == 3)
        err = shape_tier(t, AGGREGATION, up[0], &up[1], s, why);
    if (err != ORR_OK)
        return err;
    uint64_t pods = nodes / pod;
    for (int i = 0; i < TIERS; i++)
        t->per_pod[i] = t->count[i] / pods;
    /* what one switch must reach, it has just the bundles for */
    if (t->count[AGGREGATION] % pods
        || t->per_pod[AGGREGATION] * (uint64_t)t->tier[AGGREGATION].v[BUNDLE]
               != (uint64_t)t->tier[EDGE].v[UP])
        return orr__sketch_fail(s, why,
                                "an edge switch with Radix_Up %" PRId64
                                " does not reach the %" PRIu64 " switches "
                                "above it in bundles of %" PRId64,
                                t->tier[EDGE].v[UP], t->per_pod[AGGREGATION],
                                t->tier[AGGREGATION].v[BUNDLE]);
    if (t->tiers == 3
        && (t->count[CORE] % t->per_pod[AGGREGATION]
            || pods * (uint64_t)t->tier[CORE].v[BUNDLE]
                   != (uint64_t)t->tier[CORE].v[DOWN]))
        return orr__sketch_fail(s, why,
                                "a core switch with Radix_Down %" PRId64
                                " does not reach %" PRIu64 " pods in "
                                "bundles of %" PRId64,
                                t->tier[CORE].v[DOWN], pods,
                                t->tier[CORE].v[BUNDLE]);
    return ORR_OK;
}

/* ---- drawing ----------------------------------------------------------- */

/* A bundle between node a and switch b of this tier. */
static orr_err draw_bundle(const struct topo *t, struct orr_sketch *s, int tier,
                           uint64_t a, uint64_t b, struct orr_report *why)
{
    static const char *const names[] = {"host", "edge", "aggregation"};
    const struct tier *k = &t->tier[tier];
    int64_t half = k->v[SWITCH] * ORR_NS / 2;
    if (tier > 0)
        half += t->tier[tier - 1].v[SWITCH] * ORR_NS / 2;
    struct orr_line line = {
        .rate_bps = (uint64_t)k->v[SPEED] * 1000000000u,
        .delay_ps = k->v[LINK] * ORR_NS + half,
    };
    orr_err err = ORR_OK;
    for (int64_t i = 0; i < k->v[BUNDLE] && err == ORR_OK; i++)
        err = orr__sketch_cable(s, (uint32_t)a, (uint32_t)b, names[tier], &line,
                                why);
    return err;
}

/* Hosts, then edge to aggregation within a pod, then aggregation j to cores j,
 * j + n, ... */
static orr_err draw_cables(const struct topo *t, struct orr_sketch *s,
                           struct orr_report *why)
{
    uint64_t edge = (uint64_t)t->nodes;
    uint64_t aggregation = edge + t->count[EDGE];
    uint64_t core = aggregation + t->count[AGGREGATION];
    uint64_t above = t->per_pod[AGGREGATION];
    uint64_t edges = t->per_pod[EDGE] ? t->per_pod[EDGE] : 1; /* never 0 */
    orr_err err = ORR_OK;
    for (uint64_t h = 0; h < edge && !err; h++)
        err = draw_bundle(t, s, EDGE, h,
                          edge + h / (uint64_t)t->tier[EDGE].v[DOWN], why);
    for (uint64_t e = 0; e < t->count[EDGE]; e++)
        for (uint64_t j = 0; j < above && !err; j++)
            err = draw_bundle(t, s, AGGREGATION, edge + e,
                              aggregation + e / edges * above + j, why);
    if (t->tiers == 2 || above == 0) /* never 0 */
        return err;
    for (uint64_t a = 0; a < t->count[AGGREGATION]; a++)
        for (uint64_t c = a % above; c < t->count[CORE] && !err; c += above)
            err = draw_bundle(t, s, CORE, aggregation + a, core + c, why);
    return err;
}

/* Nodes by tier, with the tier as level, then cables. */
static orr_err draw_tree(const struct topo *t, const uint64_t up[2],
                         struct orr_sketch *s, struct orr_report *why)
{
    uint64_t hosts = (uint64_t)t->nodes;
    uint64_t nodes = hosts;
    for (int i = 0; i < t->tiers; i++)
        nodes += t->count[i];
    orr_err err = orr__sketch_reserve(s, nodes, hosts + up[0] + up[1], why);
    for (uint64_t v = 0; v < nodes && !err; v++) {
        err = orr__sketch_node(s, v < hosts, why);
        for (uint64_t i = 0, end = hosts; !err && v >= end && i < TIERS; i++) {
            s->node[v].level++;
            end += t->count[i];
        }
    }
    return err ? err : draw_cables(t, s, why);
}

/* Words do not care about case, as in htsim. */
static orr_err read_htsim(struct orr_sketch *s, struct orr_report *why)
{
    struct topo t = {.nodes = 0};
    struct tier *tier = NULL;
    uint64_t up[2] = {0, 0};
    orr_err err = orr__sketch_open(s, &t.scan, why);
    if (err != ORR_OK)
        return err;
    t.scan.comment = '#';
    while (err == ORR_OK && orr__scan_word(&t.scan))
        err = read_line(&t, &tier);
    if (err == ORR_OK)
        err = check_complete(&t);
    if (err == ORR_OK)
        err = shape_tiers(&t, up, s, why);
    if (err == ORR_OK)
        err = draw_tree(&t, up, s, why);
    orr__scan_fini(&t.scan);
    return err;
}

extern const struct orr_topology_format_ops orr__topology_format_htsim;
const struct orr_topology_format_ops orr__topology_format_htsim = {
    .name = "htsim",
    .doc = "htsim's .topo: a fat-tree of two or three tiers, each "
           "with its radix, speed, latency and bundles.",
    .read = read_htsim,
};
