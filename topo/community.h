/* Parts of a network that hang together more closely than with the rest. */
#ifndef ORR_TOPO_COMMUNITY_H
#define ORR_TOPO_COMMUNITY_H

#include "topo/graph.h"

/* Communities of the nodes for which in[node], by the rates of their cables:
 * modularity is made large by joining the pair that gains most (Clauset, Newman
 * and Moore 2004, as in igraph). label: per node, below *labels; UINT32_MAX for
 * those outside. The same for the same graph, always. One thread at a time. */
ORR_CHECK_RESULT orr_err orr__graph_communities(const struct orr_graph *g,
                                                const bool *in, uint32_t *label,
                                                uint32_t *labels,
                                                struct orr_report *why);

#endif
