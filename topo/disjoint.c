/* Disjoint ways between switches with hosts, as flows of unit capacities (Ford
 * and Fulkerson; Menger: as many as cables, or switches, must fail to part
 * them). A search is breadth first over the two halves of each node, in and
 * out; where switches must not be shared, only one way passes from one to the
 * other. */
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/random.h"
#include "topo/budget.h"
#include "topo/distances.h"

enum { ALL_UP_TO = 24, SAMPLE = 128, LEAST = 4 }; /* places; pairs */
#define WORK UINT64_C(500000000) /* links looked at, about a second */

/* One search between two switches; arrays are by link and node, and used again
 * for each pair. */
struct flow {
    const struct orr_graph *graph;
    uint32_t src, dst;
    bool split;        /* switches are not shared */
    bool *used;        /* per link: a way takes it */
    uint32_t *through; /* per node: ways that pass through */
    uint32_t *parent;  /* per half: link it was reached by, or SELF */
    uint32_t *queue, tail;
};
#define SELF (UINT32_MAX - 1) /* from the other half of the node */

static uint32_t half_of_node(uint32_t node, bool out)
{
    return 2 * node + out;
}

static void reach_node(struct flow *f, uint32_t to, uint32_t by)
{
    if (f->parent[to] != ORR_NONE)
        return;
    f->parent[to] = by;
    f->queue[f->tail++] = to;
}

/* The number of the other direction, whether that is there or not. */
static uint32_t link_back(const struct flow *f, uint32_t link)
{
    uint32_t cables = f->graph->cables;
    return link < cables ? link + cables : link - cables;
}

/* Links out of a node that are free, from its way out; links that a way comes
 * in by, against them, from its way in. */
static void spread(struct flow *f, uint32_t v, bool out)
{
    const struct orr_graph *g = f->graph;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t link = g->out_link[i], u = g->to[link];
        if (out && !f->used[link] && (g->forwards[u] || u == f->dst))
            reach_node(f, half_of_node(u, false), link);
    }
    for (uint32_t i = g->in_off[v]; !out && i < g->in_off[v + 1]; i++) {
        uint32_t link = g->in_link[i];
        if (f->used[link])
            reach_node(f, half_of_node(g->from[link], true),
                       link_back(f, link));
    }
}

/* Undoes or takes what the search came by, from the end on. */
static void augment(struct flow *f)
{
    uint32_t at = half_of_node(f->dst, false);
    while (at != half_of_node(f->src, true)) {
        uint32_t by = f->parent[at], v = at / 2;
        bool out = at % 2;
        if (by == SELF) { /* to the way out: passes; to the way in: undone */
            f->through[v] += out ? 1 : -1u;
            at = half_of_node(v, !out);
        } else if (out) { /* over a link that a way came in by: undone */
            f->used[link_back(f, by)] = false;
            at = half_of_node(f->graph->from[by], false);
        } else {
            f->used[by] = true;
            at = half_of_node(f->graph->from[by], true);
        }
    }
}

/* A path in the residual graph; f->parent says how it goes. A way that passes
 * through a node can be pushed back through it. */
static bool find_path(struct flow *f)
{
    f->tail = 0;
    memset(f->parent, 0xff, 2 * (size_t)f->graph->nodes * sizeof *f->parent);
    reach_node(f, half_of_node(f->src, true), SELF);
    for (uint32_t i = 0; i < f->tail; i++) {
        uint32_t v = f->queue[i] / 2;
        bool out = f->queue[i] % 2;
        if (v == f->dst && !out)
            return true;
        spread(f, v, out);
        if (!out && !(f->split && f->through[v]))
            reach_node(f, half_of_node(v, true), SELF);
        if (out && f->through[v] && v != f->src)
            reach_node(f, half_of_node(v, false), SELF);
    }
    return false;
}

/* The maximal number of ways; each search adds one. */
static uint32_t count_paths(struct flow *f, uint32_t src, uint32_t dst,
                            bool split)
{
    uint32_t n = 0;
    f->src = src;
    ORR_ASSERT(src != dst && src < f->graph->nodes && dst < f->graph->nodes);
    f->dst = dst;
    f->split = split;
    memset(f->used, 0, f->graph->links * sizeof *f->used);
    memset(f->through, 0, f->graph->nodes * sizeof *f->through);
    for (; find_path(f); n++)
        augment(f);
    return n;
}

/* ---- pairs ------------------------------------------------------------- */

/* Adds a pair's numbers; means are sums until visit_pairs() divides them. */
static void add_pair(struct orr_diversity *d, uint32_t cables,
                     uint32_t switches)
{
    /* ways that share no switch share no cable either */
    ORR_ASSERT(switches <= cables);
    if (d->pairs++ == 0) {
        d->cables_min = cables;
        d->switches_min = switches;
    }
    d->cables_mean += cables;
    d->switches_mean += switches;
    d->cables_min = cables < d->cables_min ? cables : d->cables_min;
    d->cables_max = cables > d->cables_max ? cables : d->cables_max;
    d->switches_min = switches < d->switches_min ? switches : d->switches_min;
    d->switches_max = switches > d->switches_max ? switches : d->switches_max;
}

/* The other end of a node's only link to the network, or the node itself. A
 * server's links to its GPUs do not count. */
static uint32_t attached_to(const struct orr_graph *g, uint32_t v)
{
    uint32_t links = 0, other = v;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t link = g->out_link[i];
        if (strcmp(g->tier_names[g->tier[link]], "nvlink") != 0) {
            links++;
            other = g->to[link];
        }
    }
    return links == 1 && !orr__is_host(g, other) ? other : v;
}

/* The places where hosts are: the switch that they, or their servers, hang on,
 * or they themselves. */
static uint32_t list_places(const struct orr_graph *g, uint32_t *place,
                            bool *seen)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < g->hosts; h++) {
        uint32_t at = h;
        if (orr__distances_share_column(g, h))
            at = g->to[g->out_link[g->out_off[h]]];
        if (g->gpus && at != h)
            at = attached_to(g, at);
        if (!seen[at])
            place[n++] = at;
        seen[at] = true;
    }
    return n;
}

/* All pairs, or a seeded sample that takes bounded work. */
static void visit_pairs(struct flow *f, const uint32_t *place, uint32_t n,
                        struct orr_diversity *d)
{
    const struct orr_graph *g = f->graph;
    struct orr_random random;
    uint32_t degree = g->out_off[place[0] + 1] - g->out_off[place[0]];
    uint64_t most = WORK / ((uint64_t)g->links * (degree + 1) * 2);
    most = most > SAMPLE ? SAMPLE : most < LEAST ? LEAST : most;
    d->sampled = n > ALL_UP_TO;
    for (uint32_t a = 0; a < n && !d->sampled; a++)
        for (uint32_t b = 0; b < a; b++)
            add_pair(d, count_paths(f, place[a], place[b], false),
                     count_paths(f, place[a], place[b], true));
    orr__random_init(&random, 0, n, ORR_PURPOSE_SAMPLE);
    for (uint32_t i = 0; i < most && d->sampled; i++) {
        uint32_t a = (uint32_t)orr__random_below(&random, n);
        uint32_t b = (uint32_t)orr__random_below(&random, n - 1);
        b += b >= a;
        add_pair(d, count_paths(f, place[a], place[b], false),
                 count_paths(f, place[a], place[b], true));
    }
    if (d->pairs) {
        d->cables_mean /= d->pairs;
        d->switches_mean /= d->pairs;
    }
}

orr_err orr__graph_diversity(const struct orr_graph *g, struct orr_diversity *d,
                             struct orr_report *why)
{
    struct flow f = {.graph = g};
    uint32_t *place = orr__alloc(g->nodes, sizeof *place);
    bool *seen = orr__alloc(g->nodes, sizeof *seen);
    *d = (struct orr_diversity){.pairs = 0};
    f.used = orr__alloc(g->links, sizeof *f.used);
    f.through = orr__alloc(g->nodes, sizeof *f.through);
    f.parent = orr__alloc(2 * (size_t)g->nodes, sizeof *f.parent);
    f.queue = orr__alloc(2 * (size_t)g->nodes, sizeof *f.queue);
    bool ok = place && seen && f.used && f.through && f.parent && f.queue;
    if (ok)
        visit_pairs(&f, place, list_places(g, place, seen), d);
    orr__free(place);
    orr__free(seen);
    orr__free(f.used);
    orr__free(f.through);
    orr__free(f.parent);
    orr__free(f.queue);
    return ok ? ORR_OK : orr__no_memory(why);
}
