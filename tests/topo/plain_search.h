/* Next hops beside those of a plain search, and random graphs to try it on. */
#ifndef ORR_TESTS_TOPO_PLAIN_SEARCH_H
#define ORR_TESTS_TOPO_PLAIN_SEARCH_H

#include "core/none.h"
#include "core/random.h"
#include "tests/topo/small_topology.h"

#define FAR UINT32_MAX

/* A cable between areas is worse than any number of others. */
static inline uint32_t cost(const struct orr_graph *g, uint32_t link)
{
    return g->area && g->area[g->from[link]] != g->area[g->to[link]] ? 1001 : 1;
}

/* dist[v]: links from v to host d by a plain relaxation, where only nodes that
 * forward are passed through. */
static inline void relax(const struct orr_graph *g, const bool *closed,
                         uint32_t d, uint32_t *dist)
{
    for (uint32_t v = 0; v < g->nodes; v++)
        dist[v] = v == d ? 0 : FAR;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t l = 0; l < g->links; l++) {
            uint32_t v = g->from[l], u = g->to[l];
            if (dist[u] == FAR || !(g->forwards[u] || u == d) || closed[l])
                continue;
            if (dist[v] == FAR || dist[u] + cost(g, l) < dist[v]) {
                dist[v] = dist[u] + cost(g, l);
                changed = true;
            }
        }
    }
}

/* What the tables say about going from v to host d: the links, in *set. */
static inline uint32_t next_hops(const struct orr_graph *g,
                                 const struct orr_routing *r, uint32_t v,
                                 uint32_t d, const uint32_t **set)
{
    if (r->row[v] == ORR_NO_ROW) {
        *set = &r->only_link[v];
        return 1;
    }
    uint32_t entry = r->table[r->row[v] + r->column[d]];
    if (entry == 0) {
        *set = &r->last_link[d];
        return 1;
    }
    uint64_t first = (uint64_t)r->part[v] * ORR_PART_ALIGN + (entry >> 8);
    uint32_t n = entry & 0xff;
    if (n == 0) {
        n = r->list[first - 1];
        assert_true(n > 255);
    }
    assert_true(first + n <= r->list_length);
    *set = r->list + first;
    return n;
}

/* At every node that a packet to d can be at, exactly the links that come one
 * link nearer, in ascending order. */
static inline void compare(const struct orr_graph *g, const bool *closed,
                           const struct orr_routing *r, uint32_t d,
                           const uint32_t *dist)
{
    for (uint32_t v = 0; v < g->nodes; v++) {
        bool sends = v < g->hosts && r->column[v] != ORR_NONE;
        const uint32_t *set;
        uint32_t n, found = 0;
        if (v == d || !(g->forwards[v] || sends))
            continue;
        if (dist[v] == FAR && r->row[v] == ORR_NO_ROW)
            continue; /* nobody asks, or it has but one cable */
        n = next_hops(g, r, v, d, &set);
        if (dist[v] == FAR && (n != 1 || set[0] != g->links))
            continue; /* nobody asks: checked by the caller */
        if (dist[v] == FAR)
            n = 0;
        for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
            uint32_t l = g->out_link[i], u = g->to[l];
            if (dist[u] == FAR || dist[u] + cost(g, l) != dist[v]
                || !(g->forwards[u] || u == d) || closed[l])
                continue;
            if (found >= n || set[found] != l)
                fail_msg("%s: at %u towards %u: link %u is missing", g->kind, v,
                         d, l);
            found++;
        }
        if (found != n)
            fail_msg("%s: at %u towards %u: %u hops instead of %u", g->kind, v,
                     d, n, found);
    }
}

static inline void check_all(const struct orr_graph *g,
                             const struct orr_routing *r)
{
    uint32_t *dist = orr__alloc(g->nodes, sizeof *dist);
    bool *closed = orr__alloc(g->links, sizeof *closed);
    for (uint32_t l = 0; l < g->links; l++)
        closed[l] = orr__link_absent(g, l);
    for (uint32_t d = 0; d < g->hosts; d++) {
        if (r->column[d] == ORR_NONE)
            continue;
        relax(g, closed, d, dist);
        compare(g, closed, r, d, dist);
        for (uint32_t s = 0; s < g->hosts; s++)
            if (r->column[s] != ORR_NONE)
                assert_int_not_equal(dist[s], FAR);
    }
    orr__free(closed);
    orr__free(dist);
}

static inline bool flip(struct orr_random *r, uint32_t one_in)
{
    return orr__random_below(r, one_in) == 0;
}

/* A random graph as GraphML: a spanning tree and extra edges, some parallel;
 * hosts with one or more cables, some forwarding. */
static inline void random_graph(struct orr_random *r, FILE *f)
{
    uint32_t hosts = 1 + (uint32_t)orr__random_below(r, 12);
    uint32_t switches = 1 + (uint32_t)orr__random_below(r, 10);
    uint32_t extra = (uint32_t)orr__random_below(r, 20);
    fputs("<graphml><key id=\"t\" for=\"node\" attr.name=\"type\" "
          "attr.type=\"string\"/><key id=\"f\" for=\"node\" "
          "attr.name=\"forward\" attr.type=\"boolean\"/>"
          "<graph edgedefault=\"undirected\">\n",
          f);
    for (uint32_t v = 0; v < switches + hosts; v++)
        fprintf(f,
                "<node id=\"n%u\"><data key=\"t\">%s</data>"
                "<data key=\"f\">%s</data></node>\n",
                v, v < switches ? "switch" : "host",
                v >= switches && flip(r, 4) ? "true" : "false");
    for (uint32_t v = 1; v < switches + hosts; v++)
        fprintf(f, "<edge source=\"n%u\" target=\"n%u\"/>\n", v,
                (uint32_t)orr__random_below(r, v < switches ? v : switches));
    for (uint32_t i = 0; i < extra; i++) {
        uint32_t a = (uint32_t)orr__random_below(r, switches + hosts);
        uint32_t b = (uint32_t)orr__random_below(r, switches + hosts);
        for (uint32_t n = a == b ? 0 : flip(r, 4) ? 2 : 1; n > 0; n--)
            fprintf(f, "<edge source=\"n%u\" target=\"n%u\"/>\n", a, b);
    }
    fputs("</graph></graphml>\n", f);
}

#endif
