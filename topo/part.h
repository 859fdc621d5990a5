/* A part of a graph as a graph of its own. */
#ifndef ORR_TOPO_PART_H
#define ORR_TOPO_PART_H

#include "topo/graph.h"

/* These nodes, n different ones in ascending order, and all cables between
 * them; numbers keep their order. *link: per link of the part what it is in g;
 * the caller's to free. g outlives the part. */
ORR_CHECK_RESULT orr_err orr__graph_part(const struct orr_graph *g,
                                         const uint32_t *node, uint32_t n,
                                         struct orr_graph **out,
                                         uint32_t **link,
                                         struct orr_report *why);

#endif
