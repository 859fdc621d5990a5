/* Next hops from distances: a link v -> u belongs to v's set for a column if u
 * is nearer to the column's target by what the link costs. */
#include "topo/routing.h"
#include "core/none.h"

#include <inttypes.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "topo/distances.h"
#include "topo/hop_sets.h"
#include "topo/node_names.h"
#include "topo/shared_rows.h"

#define NO_ENTRY UINT32_MAX /* 255 hops from 2^24 - 1 on: never made */

/* All that is needed while tables are made, and freed after it, but for
 * `routes` on success. */
struct maker {
    const struct orr_graph *graph;
    struct orr_distances transit;
    struct orr_routing *routes;
    uint64_t entries; /* in the table */
    int nvlink;       /* the tier of links to NVSwitches, or -1 */
    const struct orr_routing_request *want;

    /* Links that transit traffic may take, by node: the link, and the vertex
     * at its far end. */
    uint32_t *hop_off, *hop_link, *hop_vertex;
    /* Links into the present column's target, by the node they leave: a chain
     * in ascending order. */
    uint32_t *direct, *next_direct;

    uint32_t *row_node, rows;  /* nodes that have a row */
    uint32_t *memo;            /* per node: its last entry, or NO_ENTRY */
    uint32_t *set;             /* the set being made */
    struct orr_hop_sets *sets; /* per row */

    uint16_t *dist; /* of a batch of columns */
};

void orr__routing_free(const struct orr_routing *r)
{
    if (r == NULL)
        return;
    orr__free(r->column);
    orr__free(r->last_link);
    orr__free(r->row);
    orr__free(r->only_link);
    orr__free(r->table);
    orr__free(r->list);
    orr__free(r->part);
    orr__free(r->wide);
    orr__free(r->distance);
    orr__free(r->stop);
    orr__free((void *)r);
}

/* Of a maker in any state; routes too, unless they were given away before. */
static void maker_fini(struct maker *m)
{
    orr__distances_fini(&m->transit);
    uint32_t *array[] = {m->hop_off,     m->hop_link, m->hop_vertex, m->direct,
                         m->next_direct, m->row_node, m->memo,       m->set};
    for (uint32_t i = 0; m->sets && i < m->rows; i++)
        orr__hop_sets_fini(&m->sets[i]);
    orr__free(m->sets);
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        orr__free(array[i]);
    orr__free(m->dist);
    orr__routing_free(m->routes);
}

/* By node and link; rows and table come later, when their sizes are known. */
static orr_err allocate(struct maker *m, struct orr_report *why)
{
    const struct orr_graph *g = m->graph;
    struct orr_routing *r = m->routes = orr__alloc(1, sizeof *r);
    uint32_t widest = 0;
    for (uint32_t v = 0; v < g->nodes; v++) {
        uint32_t degree = g->out_off[v + 1] - g->out_off[v];
        widest = degree > widest ? degree : widest;
    }
    bool ok = r != NULL;
#define ARRAY(p, n) ok = ok && ((p) = orr__alloc(n, sizeof *(p))) != NULL
    ARRAY(r->row, g->nodes);
    ARRAY(r->only_link, g->nodes);
    ARRAY(r->part, g->nodes);
    ARRAY(r->wide, g->nodes);
    ARRAY(m->hop_off, (size_t)g->nodes + 1);
    ARRAY(m->hop_link, g->links);
    ARRAY(m->hop_vertex, g->links);
    ARRAY(m->direct, g->nodes);
    ARRAY(m->next_direct, g->links);
    ARRAY(m->row_node, g->nodes);
    ARRAY(m->memo, g->nodes);
    ARRAY(m->set, (size_t)widest + 1);
#undef ARRAY
    return ok ? ORR_OK : orr__no_memory(why);
}

static bool is_closed(const struct maker *m, uint32_t link)
{
    return m->transit.closed && m->transit.closed[link];
}

/* Links to those who forward, by node, without closed ones. */
static void index_hops(struct maker *m)
{
    const struct orr_graph *g = m->graph;
    uint32_t n = 0;
    for (uint32_t v = 0; v < g->nodes; v++) {
        m->hop_off[v] = n;
        for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
            uint32_t link = g->out_link[i];
            if (g->forwards[g->to[link]] && !is_closed(m, link)) {
                m->hop_link[n] = link;
                m->hop_vertex[n++] = m->transit.vertex[g->to[link]];
            }
        }
    }
    m->hop_off[g->nodes] = n;
    memset(m->direct, 0xff, g->nodes * sizeof *m->direct);
}

/* Rows go to nodes that have a choice: those that forward, and destinations
 * (which also send) with several cables. */
static void number_rows(struct maker *m)
{
    const struct orr_graph *g = m->graph;
    struct orr_routing *r = m->routes;
    for (uint32_t v = 0; v < g->nodes; v++) {
        uint32_t degree = g->out_off[v + 1] - g->out_off[v];
        bool sends = g->sends[v] && m->transit.column[v] != ORR_NONE;
        r->row[v] = ORR_NO_ROW;
        r->only_link[v] = degree ? g->out_link[g->out_off[v]] : ORR_NONE;
        m->memo[v] = NO_ENTRY;
        if (degree < 2 || !(g->forwards[v] || sends))
            continue;
        r->row[v] = m->entries;
        m->entries += m->transit.columns;
        m->row_node[m->rows++] = v;
    }
}

/* ORR_ENOMEM, with the size, if entries and a batch of distances do not fit. */
static orr_err allocate_table(struct maker *m, struct orr_report *why)
{
    struct orr_routing *r = m->routes;
    uint64_t batch =
        (uint64_t)orr__distances_batch(&m->transit) * m->transit.vertices;
    uint64_t entry =
        sizeof *r->table + (m->want->distances ? sizeof *r->distance : 0);
    uint64_t bytes = m->entries * entry + batch * 10;
    if (!orr__memory_fits(bytes)) {
        char need[32];
        orr__human_size(bytes, need, sizeof need);
        return orr__fail(why, ORR_ENOMEM,
                         "routing tables for %" PRIu32 " destinations would "
                         "take %s of memory",
                         m->transit.columns, need);
    }
    r->table = orr__alloc(m->entries, sizeof *r->table);
    if (m->want->distances
        && !(r->distance = orr__alloc(m->entries, sizeof *r->distance)))
        return orr__no_memory(why);
    m->dist = orr__alloc(batch, sizeof *m->dist);
    return r->table && m->dist ? ORR_OK : orr__no_memory(why);
}

/* Fills m->set with v's links towards a target at distance d. */
static uint32_t find_set(struct maker *m, const uint16_t *dist, uint32_t v,
                         uint32_t d)
{
    uint32_t n = 0;
    const struct orr_distances *t = &m->transit;
    for (uint32_t l = m->direct[v]; l != ORR_NONE; l = m->next_direct[l])
        if (orr__distances_cost(t, l) == d)
            m->set[n++] = l;
    if (n > 0)
        return n;
    if (!t->areas) { /* the many: without looking at the link */
        for (uint32_t i = m->hop_off[v]; i < m->hop_off[v + 1]; i++) {
            m->set[n] = m->hop_link[i];
            n += dist[m->hop_vertex[i]] + 1u == d;
        }
        return n;
    }
    for (uint32_t i = m->hop_off[v]; i < m->hop_off[v + 1]; i++) {
        uint32_t l = m->set[n] = m->hop_link[i];
        n += dist[m->hop_vertex[i]] + orr__distances_cost(t, l) == d;
    }
    return n;
}

/* An entry for each row. A set equal to the row's last one is the same entry:
 * columns of neighbours are often alike. */
static orr_err fill_column(struct maker *m, uint32_t c, const uint16_t *dist,
                           struct orr_report *why)
{
    struct orr_routing *r = m->routes;
    for (uint32_t i = 0; i < m->rows; i++) {
        uint32_t v = m->row_node[i], entry = 0;
        uint32_t d = orr__distances_from(&m->transit, dist, c, v);
        if (r->distance)
            r->distance[r->row[v] + c] =
                (uint16_t)orr__distances_links(&m->transit, d);
        if (d == 0)
            continue; /* arrived: the table is zeroed */
        uint32_t n = d == ORR_FAR ? 1 : find_set(m, dist, v, d);
        ORR_ASSERT(n > 0); /* who has a distance has a way */
        if (m->nvlink >= 0 && n > 1)
            n = orr__prefer_tier(m->graph, m->nvlink, m->set, n);
        if (d == ORR_FAR)
            m->set[0] = m->graph->links;
        struct orr_hop_sets *s = &m->sets[i];
        if (m->memo[v] != NO_ENTRY
            && orr__hop_sets_match(s, m->memo[v], m->set, n)) {
            entry = m->memo[v];
        } else {
            orr_err err = orr__hop_sets_add(s, v, m->set, n, &entry, why);
            if (err)
                return err;
            m->memo[v] = entry;
        }
        r->table[r->row[v] + c] = entry;
    }
    return ORR_OK;
}

/* Some destination in column c, for messages. */
static uint32_t host_in(const struct orr_distances *t, uint32_t c)
{
    uint32_t h = 0;
    while (t->column[h] != c) {
        h++;
        ORR_ASSERT(h < t->graph->nodes);
    }
    return h;
}

/* ORR_ECONFIG: some host is cut off by hosts that do not forward. Not asked
 * after failures. */
static orr_err check_reach(const struct maker *m, uint32_t c,
                           const uint16_t *dist, struct orr_report *why)
{
    const struct orr_distances *t = &m->transit;
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    for (uint32_t s = 0; s < t->columns; s++)
        if (orr__distances_from(t, dist, c, t->target[s]) == ORR_FAR)
            return orr__fail(
                why, ORR_ECONFIG,
                "%s cannot reach %s: every path leads through hosts that do "
                "not forward",
                orr__node_name(t->graph, host_in(t, s), from, sizeof from),
                orr__node_name(t->graph, host_in(t, c), to, sizeof to));
    return ORR_OK;
}

/* Sets or clears the chains of links into the column's target. */
static void link_directs(struct maker *m, uint32_t c, bool set)
{
    const struct orr_graph *g = m->graph;
    uint32_t target = m->transit.target[c];
    ORR_ASSERT(c < m->transit.columns && target < g->nodes);
    for (uint32_t i = g->in_off[target + 1]; i-- > g->in_off[target];) {
        uint32_t link = g->in_link[i], from = g->from[link];
        if (is_closed(m, link))
            continue;
        m->next_direct[link] = m->direct[from];
        m->direct[from] = set ? link : ORR_NONE;
    }
}

/* By batches of columns, whose distances are found at once. */
static orr_err fill_table(struct maker *m, struct orr_report *why)
{
    const struct orr_distances *t = &m->transit;
    uint32_t batch = orr__distances_batch(t);
    orr_err err = ORR_OK;
    for (uint32_t first = 0; first < t->columns && !err; first += batch) {
        uint32_t n = t->columns - first < batch ? t->columns - first : batch;
        err = orr__distances_distances(t, first, n, m->dist, why);
        for (uint32_t i = 0; i < n && !err; i++) {
            const uint16_t *dist = m->dist + (size_t)i * t->vertices;
            link_directs(m, first + i, true);
            if (!t->closed)
                err = check_reach(m, first + i, dist, why);
            if (!err)
                err = fill_column(m, first + i, dist, why);
            link_directs(m, first + i, false);
        }
    }
    return err;
}

/* Rows that nodes share, or else whole ones. */
static orr_err make_rows(struct maker *m, struct orr_report *why)
{
    struct orr_shared_rows shared = {.distances = &m->transit,
                                     .routes = m->routes,
                                     .node = m->row_node,
                                     .rows = m->rows};
    bool may = !m->transit.closed && !m->transit.areas && !m->graph->simplex
               && !m->want->distances && m->want->rows != ORR_ROWS_ALL,
         done = false;
    shared.sets = m->sets = orr__alloc(m->rows, sizeof *m->sets);
    if (!m->sets)
        return orr__no_memory(why);
    if (may) {
        bool always = m->want->rows == ORR_ROWS_SHARED;
        orr_err err = orr__rows_share(&shared, always, &done, why);
        if (err || done) {
            m->entries = shared.entries;
            return err;
        }
    }
    index_hops(m);
    orr_err err = allocate_table(m, why);
    return err ? err : fill_table(m, why);
}

/* The sets of all nodes become one list, node by node. */
static orr_err join_sets(struct maker *m, struct orr_report *why)
{
    struct orr_routing *r = m->routes;
    uint64_t parts = 0;
    for (uint32_t i = 0; i < m->rows; i++) {
        r->part[m->row_node[i]] = (uint32_t)parts;
        r->wide[m->row_node[i]] = m->sets[i].wide;
        parts += (m->sets[i].length + ORR_PART_ALIGN - 1) / ORR_PART_ALIGN;
        orr__table_fini(&m->sets[i].entry);
    }
    if (parts > UINT32_MAX)
        return orr__no_memory(why);
    r->list_length = parts * ORR_PART_ALIGN;
    r->list = orr__alloc(r->list_length, sizeof *r->list);
    if (!r->list)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < m->rows; i++) {
        struct orr_hop_sets *s = &m->sets[i];
        uint32_t *to =
            r->list + (size_t)r->part[m->row_node[i]] * ORR_PART_ALIGN;
        if (s->length)
            memcpy(to, s->list, s->length * sizeof *to);
        orr__free(s->list);
        s->list = NULL;
    }
    return ORR_OK;
}

/* Moves what the transit knows into the routes. */
static void finish(struct maker *m)
{
    const struct orr_graph *g = m->graph;
    struct orr_routing *r = m->routes;
    r->columns = m->transit.columns;
    r->column = m->transit.column;
    r->last_link = m->transit.last_link;
    m->transit.column = m->transit.last_link = NULL;
    r->bytes = sizeof *r + g->nodes * 2 * sizeof(uint32_t)
               + g->nodes * (sizeof *r->row + sizeof *r->only_link)
               + g->nodes * (sizeof *r->part + sizeof *r->wide)
               + m->entries * sizeof *r->table
               + (r->distance ? m->entries * sizeof *r->distance : 0)
               + r->stops * sizeof *r->stop + r->list_length * sizeof *r->list;
}

orr_err orr__routing_build(const struct orr_graph *g, const uint32_t *dests,
                           uint32_t n, struct orr_routing **out,
                           struct orr_report *why)
{
    return orr__routing_build_for(g, NULL, NULL, dests, n, out, why);
}

/* The stops become destinations: one list of both, to be freed. */
static uint32_t *join_stops(struct maker *m, const uint32_t *dests, uint32_t n)
{
    const struct orr_routing_request *w = m->want;
    uint32_t *all = orr__alloc(n + (size_t)w->n_stops, sizeof *all);
    uint32_t *stop = orr__alloc(w->n_stops, sizeof *stop);
    if (!all || !stop) {
        orr__free(all);
        orr__free(stop);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        all[i] = dests[i];
    for (uint32_t i = 0; i < w->n_stops; i++)
        all[n + i] = stop[i] = w->stops[i];
    m->routes->stop = stop;
    m->routes->stops = w->n_stops;
    return all;
}

orr_err orr__routing_build_around(const struct orr_graph *g, const bool *closed,
                                  const uint32_t *dests, uint32_t n,
                                  struct orr_routing **out,
                                  struct orr_report *why)
{
    return orr__routing_build_for(g, closed, NULL, dests, n, out, why);
}

orr_err orr__routing_build_for(const struct orr_graph *g, const bool *closed,
                               const struct orr_routing_request *want,
                               const uint32_t *dests, uint32_t n,
                               struct orr_routing **out, struct orr_report *why)
{
    static const struct orr_routing_request nothing;
    struct maker m = {.graph = g,
                      .nvlink = orr__nvlink_tier(g),
                      .want = want ? want : &nothing};
    orr_err err = allocate(&m, why);
    uint32_t *all = err ? NULL : join_stops(&m, dests, n);
    if (!err && !all)
        err = orr__no_memory(why);
    if (!err)
        err = orr__distances_init(&m.transit, g, closed, m.want->plain, all,
                                  n + m.want->n_stops, why);
    orr__free(all);
    if (err)
        goto out;
    number_rows(&m);
    err = make_rows(&m, why);
    if (!err)
        err = join_sets(&m, why);
    if (err)
        goto out;
    finish(&m);
    *out = m.routes;
    m.routes = NULL;
out:
    maker_fini(&m);
    return err;
}
