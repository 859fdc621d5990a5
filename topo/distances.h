/* Distances as packets see them: through switches and forwarding hosts only.
 * They are numbers of links. Where a graph has areas, cables between areas
 * count first, so that a dragonfly's shortest paths have one global cable: a
 * distance is then 256 for each of those, and the number of links. Shared by
 * routes and metrics; not for other rooms (igraph is in it). */
#ifndef ORR_TOPO_DISTANCES_H
#define ORR_TOPO_DISTANCES_H

#include <igraph/igraph.h>
#include <stdint.h>

#include "core/error.h"
#include "core/none.h"
#include "topo/graph.h"

#define ORR_FAR      UINT16_MAX /* no way, or as far as that and more */
#define ORR_CROSSING 256        /* what a cable between areas adds */

/* Destinations fall into columns: a host with one cable, to a switch, and no
 * traffic of others has its switch's column; any other host has its own. */
struct orr_distances {
    const struct orr_graph *graph; /* outlives it */
    uint32_t columns;
    uint32_t *column;    /* per node; ORR_NONE: not a destination */
    uint32_t *target;    /* per column: its node */
    uint32_t *last_link; /* per node: from target to it, if column is shared */

    /* Vertices: nodes that forward, then targets that do not. Those have ways
     * out only, so that no path leads through them. */
    uint32_t vertices;
    uint32_t *vertex;   /* per node, or ORR_NONE */
    const bool *closed; /* per link: packets must not take it; NULL: none */
    bool areas;         /* cables between areas count first */
    bool complete;      /* all distances are 1: igraph need not be asked */
    igraph_t graph_of_vertices; /* directed; only if has_graph */
    bool has_graph;
};

/* plain: links alone count, whatever areas there are. dests: n node ids,
 * duplicates allowed. closed: per link, or NULL; outlives the transit. With it
 * igraph is not asked, so that this may be called while an experiment runs.
 * Always pair with orr__distances_fini, also after a failure. */
ORR_CHECK_RESULT orr_err orr__distances_init(struct orr_distances *t,
                                             const struct orr_graph *g,
                                             const bool *closed, bool plain,
                                             const uint32_t *dests, uint32_t n,
                                             struct orr_report *why);
void orr__distances_fini(struct orr_distances *t);

/* Whether a destination is reached through the one switch that it hangs on. */
bool orr__distances_share_column(const struct orr_graph *g, uint32_t node);
/* What a link adds to a distance. */
static inline uint32_t orr__distances_cost(const struct orr_distances *t,
                                           uint32_t link)
{
    const struct orr_graph *g = t->graph;
    bool crosses = t->areas && g->area[g->from[link]] != g->area[g->to[link]];
    return crosses ? ORR_CROSSING + 1 : 1;
}

/* How many links a distance stands for. */
static inline uint32_t orr__distances_links(const struct orr_distances *t,
                                            uint32_t distance)
{
    return t->areas && distance != ORR_FAR ? distance % ORR_CROSSING : distance;
}

/* How many columns to ask for at once, so that igraph's matrix stays small. */
uint32_t orr__distances_batch(const struct orr_distances *t);
/* Distances from each vertex to the targets of columns first .. first + count -
 * 1: dist[i * vertices + vertex] for column first + i. */
ORR_CHECK_RESULT orr_err orr__distances_distances(const struct orr_distances *t,
                                                  uint32_t first,
                                                  uint32_t count,
                                                  uint16_t *dist,
                                                  struct orr_report *why);
/* The distance from node v to column c's target, given that column's distances;
 * for a host that does not forward, over its best neighbour. */
uint32_t orr__distances_from(const struct orr_distances *t,
                             const uint16_t *dist, uint32_t c, uint32_t v);
/* The distance from the far end of a link to column c's target, ORR_FAR if
 * packets to it may not go there. The link is on a shortest path if that is
 * less than at its near end by what the link costs. */
static inline uint32_t orr__distances_far_end(const struct orr_distances *t,
                                              const uint16_t *dist, uint32_t c,
                                              uint32_t link)
{
    uint32_t u = t->graph->to[link];
    if (t->closed && t->closed[link])
        return ORR_FAR;
    if (t->graph->forwards[u] || u == t->target[c])
        return dist[t->vertex[u]];
    return ORR_FAR;
}

#endif
