/* What the graph is like, for `orrery topo` and `orrery check`. Host to host,
 * without self pairs, one direction. */
#ifndef ORR_TOPO_METRICS_H
#define ORR_TOPO_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "topo/graph.h"

/* Filled by orr__metrics; sampled figures are estimates. */
struct orr_metrics {
    uint32_t diameter;      /* links */
    double mean_path;       /* links */
    uint64_t bisection_bps; /* one direction */
    bool bisection_exact;   /* false: an upper bound (METIS), print "<=" */
    uint64_t paths_min, paths_max; /* equal-cost shortest paths of a pair */
    double paths_mean;
    bool sampled; /* too many hosts for all pairs: from a seeded sample */
};

/* Measures it. Calls igraph and METIS: not while an experiment runs. */
ORR_CHECK_RESULT orr_err orr__graph_metrics(const struct orr_graph *g,
                                            struct orr_metrics *m,
                                            struct orr_report *why);

/* Number of equal-cost shortest paths from host a to host b, and one of them
 * (the lowest link id at each node): link ids into *links (free with
 * orr__free), their number into *n. */
ORR_CHECK_RESULT orr_err orr__graph_path(const struct orr_graph *g, uint32_t a,
                                         uint32_t b, uint32_t **links,
                                         uint32_t *n, uint64_t *paths,
                                         struct orr_report *why);

/* Splits the nodes into `parts` of about equal weight with few links between
 * them (METIS, fixed seed); part[node] in 0..parts-1. weight may be NULL
 * (then: degree). Deterministic. */
ORR_CHECK_RESULT orr_err orr__graph_partition(const struct orr_graph *g,
                                              const uint32_t *weight,
                                              uint32_t parts, uint32_t *part,
                                              struct orr_report *why);

#endif
