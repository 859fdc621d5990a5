/* What topo/ itself needs of METIS, beside orr__graph_partition (metrics.h). */
#ifndef ORR_TOPO_PARTITION_H
#define ORR_TOPO_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "topo/graph.h"

/* The smallest cut found between two halves of the hosts, one direction: an
 * upper bound on the bisection bandwidth. Deterministic. */
ORR_CHECK_RESULT orr_err orr__graph_bisection_bound(const struct orr_graph *g,
                                                    uint64_t *bps,
                                                    struct orr_report *why);

#endif
