#include "topo/community.h"
#include "core/none.h"

#include "core/memory.h"
#include "core/table.h"
#include "topo/igraph.h"

static const char doing[] = "looking for communities";

/* Edges between the vertices of a division, weighted by the rates of their
 * cables; destroyed by who divides. */
struct part {
    igraph_vector_int_t edges;
    igraph_vector_t weights;
    struct orr_table edge_of; /* by both ends, the lower one first */
};

/* Parallel cables are one edge: igraph wants no others. */
static orr_err add_cable(struct part *p, uint32_t a, uint32_t b, double rate,
                         struct orr_report *why)
{
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint32_t edge = orr__table_find(&p->edge_of, key);
    if (edge != ORR_NONE) {
        VECTOR(p->weights)[edge] += rate;
        return ORR_OK;
    }
    edge = (uint32_t)igraph_vector_size(&p->weights);
    orr_err err =
        orr__igraph(why, igraph_vector_push_back(&p->weights, rate), doing);
    if (!err)
        err =
            orr__igraph(why, igraph_vector_int_push_back(&p->edges, a), doing);
    if (!err)
        err =
            orr__igraph(why, igraph_vector_int_push_back(&p->edges, b), doing);
    if (!err && !orr__table_add(&p->edge_of, key, edge))
        err = orr__no_memory(why);
    return err;
}

/* Communities by greedy modularity (Clauset, Newman, Moore 2004); labels are 0
 * to *labels - 1. */
static orr_err join_communities(struct part *p, uint32_t vertices,
                                uint32_t *labels,
                                igraph_vector_int_t *membership,
                                struct orr_report *why)
{
    igraph_t graph;
    orr_err err = orr__igraph(
        why, igraph_create(&graph, &p->edges, vertices, IGRAPH_UNDIRECTED),
        doing);
    if (err)
        return err;
    err = orr__igraph(why,
                      igraph_community_fastgreedy(&graph, &p->weights, NULL,
                                                  NULL, membership),
                      doing);
    igraph_destroy(&graph);
    if (!err)
        *labels = 1 + (uint32_t)igraph_vector_int_max(membership);
    return err;
}

/* label holds the number of each node's vertex, and is given its label. */
static orr_err divide(const struct orr_graph *g, uint32_t vertices,
                      uint32_t *label, uint32_t *labels, struct orr_report *why)
{
    struct part p = {.edge_of = {0}};
    igraph_vector_int_t membership;
    orr_err err = orr__igraph(why, igraph_vector_int_init(&p.edges, 0), doing);
    if (err)
        return err;
    err = orr__igraph(why, igraph_vector_init(&p.weights, 0), doing);
    if (err)
        goto no_weights;
    err =
        orr__igraph(why, igraph_vector_int_init(&membership, vertices), doing);
    if (err)
        goto no_membership;
    for (uint32_t c = 0; c < g->cables && !err; c++) {
        uint32_t a = label[g->from[c]], b = label[g->to[c]];
        if (a != UINT32_MAX && b != UINT32_MAX && a != b)
            err = add_cable(&p, a, b, (double)g->rate_bps[c], why);
    }
    if (!err)
        err = join_communities(&p, vertices, labels, &membership, why);
    for (uint32_t i = 0; i < g->nodes && !err; i++)
        if (label[i] != UINT32_MAX)
            label[i] = (uint32_t)VECTOR(membership)[label[i]];
    igraph_vector_int_destroy(&membership);
no_membership:
    igraph_vector_destroy(&p.weights);
no_weights:
    igraph_vector_int_destroy(&p.edges);
    orr__table_fini(&p.edge_of);
    return err;
}

orr_err orr__graph_communities(const struct orr_graph *g, const bool *in,
                               uint32_t *label, uint32_t *labels,
                               struct orr_report *why)
{
    uint32_t vertices = 0;
    for (uint32_t i = 0; i < g->nodes; i++)
        label[i] = in[i] ? vertices++ : UINT32_MAX;
    *labels = 0;
    if (vertices == 0)
        return ORR_OK;
    orr__igraph_init();
    orr_err err = orr__graph_room(vertices, 4 * (uint64_t)g->cables, why);
    return err ? err : divide(g, vertices, label, labels, why);
}
