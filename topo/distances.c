#include "topo/distances.h"
#include "core/none.h"

#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "topo/igraph.h"

bool orr__distances_share_column(const struct orr_graph *g, uint32_t h)
{
    uint32_t first = g->out_off[h];
    return !g->forwards[h] && g->out_off[h + 1] - first == 1
           && !orr__is_host(g, g->to[g->out_link[first]]);
}

/* Columns in order of the first destination that needs them. */
static void assign_columns(struct orr_distances *t, const uint32_t *dests,
                           uint32_t n, uint32_t *column_of_node)
{
    const struct orr_graph *g = t->graph;
    memset(t->column, 0xff, g->nodes * sizeof *t->column);
    memset(column_of_node, 0xff, g->nodes * sizeof *column_of_node);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = dests[i], target = h;
        if (orr__distances_share_column(g, h)) {
            uint32_t up = g->out_link[g->out_off[h]];
            target = g->to[up];
            t->last_link[h] = g->in_link[g->in_off[h]];
        }
        if (column_of_node[target] == ORR_NONE) {
            column_of_node[target] = t->columns;
            t->target[t->columns++] = target;
        }
        t->column[h] = column_of_node[target];
    }
}

static void number_vertices(struct orr_distances *t)
{
    const struct orr_graph *g = t->graph;
    for (uint32_t v = 0; v < g->nodes; v++)
        t->vertex[v] = g->forwards[v] ? t->vertices++ : ORR_NONE;
    for (uint32_t c = 0; c < t->columns; c++)
        if (t->vertex[t->target[c]] == ORR_NONE)
            t->vertex[t->target[c]] = t->vertices++;
}

/* Arcs run backwards along links, from where packets go to where they come
 * from: out of every vertex, into those that forward. */
static bool is_arc(const struct orr_distances *t, uint32_t link)
{
    const struct orr_graph *g = t->graph;
    return t->vertex[g->to[link]] != ORR_NONE && g->forwards[g->from[link]]
           && !orr__link_absent(g, link);
}

/* A directed graph of those who forward, of one copy of parallel cables,
 * without links that are closed. */
static orr_err make_graph(struct orr_distances *t, struct orr_report *why)
{
    static const char doing[] = "measuring distances";
    const struct orr_graph *g = t->graph;
    uint32_t per_copy = g->cables / g->parallel;
    igraph_vector_int_t edges;
    igraph_integer_t arcs = 0;
    for (uint32_t l = 0; l < g->links; l++)
        arcs += l % g->cables < per_copy && is_arc(t, l);
    orr_err err =
        orr__igraph(why, igraph_vector_int_init(&edges, 2 * arcs), doing);
    if (err)
        return err;
    igraph_integer_t *at = VECTOR(edges);
    for (uint32_t l = 0; l < g->links; l++) {
        if (l % g->cables < per_copy && is_arc(t, l)) {
            *at++ = t->vertex[g->to[l]];
            *at++ = t->vertex[g->from[l]];
        }
    }
    err = orr__igraph(why,
                      igraph_create(&t->graph_of_vertices, &edges, t->vertices,
                                    IGRAPH_DIRECTED),
                      doing);
    t->has_graph = !err;
    igraph_vector_int_destroy(&edges);
    return err;
}

orr_err orr__distances_init(struct orr_distances *t, const struct orr_graph *g,
                            const bool *closed, bool plain,
                            const uint32_t *dests, uint32_t n,
                            struct orr_report *why)
{
    *t = (struct orr_distances){
        .graph = g, .closed = closed, .areas = g->area && !plain};
    if (!closed)
        orr__igraph_init();
    uint32_t *column_of_node = orr__alloc(g->nodes, sizeof *column_of_node);
    t->column = orr__alloc(g->nodes, sizeof *t->column);
    t->last_link = orr__alloc(g->nodes, sizeof *t->last_link);
    t->target = orr__alloc(g->nodes, sizeof *t->target);
    t->vertex = orr__alloc(g->nodes, sizeof *t->vertex);
    orr_err err = ORR_OK;
    if (!column_of_node || !t->column || !t->last_link || !t->target
        || !t->vertex) {
        err = orr__no_memory(why);
        goto out;
    }
    assign_columns(t, dests, n, column_of_node);
    number_vertices(t);
    t->complete = !closed && !t->areas && !g->gpus
                  && strcmp(g->kind, "fully-connected") == 0;
    if (!t->complete && !closed && !t->areas)
        err = make_graph(t, why);
out:
    orr__free(column_of_node);
    return err;
}

void orr__distances_fini(struct orr_distances *t)
{
    if (t->has_graph)
        igraph_destroy(&t->graph_of_vertices);
    orr__free(t->column);
    orr__free(t->last_link);
    orr__free(t->target);
    orr__free(t->vertex);
    *t = (struct orr_distances){.graph = NULL};
}

uint32_t orr__distances_batch(const struct orr_distances *t)
{
    const uint64_t most = UINT64_C(4) << 20; /* entries of 8 + 2 bytes */
    uint64_t n = most / (t->vertices ? t->vertices : 1);
    if (n > t->columns)
        n = t->columns;
    return n ? (uint32_t)n : 1;
}

static void fill_complete(const struct orr_distances *t, uint32_t first,
                          uint32_t count, uint16_t *dist)
{
    for (uint32_t i = 0; i < count; i++) {
        uint16_t *d = dist + (size_t)i * t->vertices;
        for (uint32_t v = 0; v < t->vertices; v++)
            d[v] = 1;
        d[t->vertex[t->target[first + i]]] = 0;
    }
}

static void copy_matrix(const igraph_matrix_t *m, uint32_t vertices,
                        uint16_t *dist)
{
    igraph_integer_t rows = igraph_matrix_nrow(m);
    for (uint32_t v = 0; v < vertices; v++) {
        for (igraph_integer_t i = 0; i < rows; i++) {
            igraph_real_t x = MATRIX(*m, i, v);
            dist[(size_t)i * vertices + v] =
                x < ORR_FAR ? (uint16_t)x : ORR_FAR;
        }
    }
}

/* Nodes to look at, a ring; each is in it once at most. */
struct queue {
    uint32_t *node, size, head, count;
    bool *in;
};

static void enter_node(struct queue *q, uint32_t node)
{
    if (q->in[node])
        return;
    ORR_ASSERT(q->count < q->size); /* each is in it once */
    q->in[node] = true;
    q->node[(q->head + q->count++) % q->size] = node;
}

/* Against the links, from one column's target; a node is looked at again when
 * it turns out to be nearer, which happens with areas only. */
static void search(const struct orr_distances *t, uint32_t c, uint16_t *dist,
                   struct queue *q)
{
    const struct orr_graph *g = t->graph;
    for (uint32_t v = 0; v < t->vertices; v++)
        dist[v] = ORR_FAR;
    dist[t->vertex[t->target[c]]] = 0;
    enter_node(q, t->target[c]);
    while (q->count > 0) {
        uint32_t u = q->node[q->head % q->size];
        uint32_t far = dist[t->vertex[u]];
        q->head = (q->head + 1) % q->size;
        q->count--;
        q->in[u] = false;
        for (uint32_t i = g->in_off[u]; i < g->in_off[u + 1]; i++) {
            uint32_t link = g->in_link[i], v = g->from[link];
            uint32_t d = far + orr__distances_cost(t, link);
            if ((t->closed && t->closed[link]) || !g->forwards[v]
                || d >= dist[t->vertex[v]])
                continue;
            dist[t->vertex[v]] = (uint16_t)d;
            enter_node(q, v);
        }
    }
}

/* `count` columns from `first` on, dist by column and vertex. ORR_ENOMEM
 * only. */
static orr_err search_all(const struct orr_distances *t, uint32_t first,
                          uint32_t count, uint16_t *dist,
                          struct orr_report *why)
{
    struct queue q = {.size = t->graph->nodes};
    q.node = orr__alloc(q.size, sizeof *q.node);
    q.in = orr__alloc(q.size, sizeof *q.in);
    bool ok = q.node && q.in;
    for (uint32_t i = 0; i < count && ok; i++)
        search(t, first + i, dist + (size_t)i * t->vertices, &q);
    orr__free(q.node);
    orr__free(q.in);
    return ok ? ORR_OK : orr__no_memory(why);
}

orr_err orr__distances_distances(const struct orr_distances *t, uint32_t first,
                                 uint32_t count, uint16_t *dist,
                                 struct orr_report *why)
{
    static const char doing[] = "measuring distances";
    igraph_vector_int_t from;
    igraph_matrix_t m;
    if (t->closed || t->areas)
        return search_all(t, first, count, dist, why);
    if (t->complete) {
        fill_complete(t, first, count, dist);
        return ORR_OK;
    }
    orr_err err = orr__igraph(why, igraph_vector_int_init(&from, count), doing);
    if (err)
        return err;
    for (uint32_t i = 0; i < count; i++)
        VECTOR(from)[i] = t->vertex[t->target[first + i]];
    err = orr__igraph(why, igraph_matrix_init(&m, 0, 0), doing);
    if (err)
        goto out;
    err = orr__igraph(why,
                      igraph_distances(&t->graph_of_vertices, &m,
                                       igraph_vss_vector(&from),
                                       igraph_vss_all(), IGRAPH_OUT),
                      doing);
    if (!err)
        copy_matrix(&m, t->vertices, dist);
    igraph_matrix_destroy(&m);
out:
    igraph_vector_int_destroy(&from);
    return err;
}

uint32_t orr__distances_from(const struct orr_distances *t,
                             const uint16_t *dist, uint32_t c, uint32_t v)
{
    const struct orr_graph *g = t->graph;
    if (g->forwards[v] || v == t->target[c])
        return dist[t->vertex[v]];
    uint32_t best = ORR_FAR;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t link = g->out_link[i];
        uint32_t d = orr__distances_far_end(t, dist, c, link);
        if (d != ORR_FAR && d + orr__distances_cost(t, link) < best)
            best = d + orr__distances_cost(t, link);
    }
    return best;
}
