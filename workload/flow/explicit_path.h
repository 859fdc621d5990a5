/* A path that is written as the nodes it goes through. */
#ifndef ORR_WORKLOAD_FLOW_EXPLICIT_PATH_H
#define ORR_WORKLOAD_FLOW_EXPLICIT_PATH_H

#include "core/config/param.h"
#include "core/error.h"
#include "topo/graph.h"

/* What a path is read from and for. */
struct orr_path_request {
    struct orr_config *c;
    const struct orr_graph *g;
    const struct orr_yaml *node; /* the list: numbers or names of nodes */
    uint32_t src, dst;           /* hosts */
    struct orr_report *why;
};
/* Its links, of parallel ones the lowest; they live as long as the
 * configuration. */
ORR_CHECK_RESULT orr_err orr__path_request_links(
    const struct orr_path_request *q, const uint32_t **links, uint32_t *n);

#endif
