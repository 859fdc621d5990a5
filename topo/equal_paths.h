/* The equal ways from one host to another, by number. */
#ifndef ORR_TOPO_EQUAL_PATHS_H
#define ORR_TOPO_EQUAL_PATHS_H

#include <stdint.h>

#include "core/error.h"
#include "topo/graph.h"
#include "topo/routing.h"

/* How many ways of fewest hops the routes know from src to dst, and the links
 * of number `choice` among them, in the order of their links' ids: *links, *n,
 * to be freed with orr__free; NULL if there are no more than `choice`. *ways
 * saturates. */
ORR_CHECK_RESULT orr_err orr__equal_path_of(const struct orr_graph *g,
                                            const struct orr_routing *r,
                                            uint32_t src, uint32_t dst,
                                            uint64_t choice, uint64_t *paths,
                                            uint32_t **links, uint32_t *n,
                                            struct orr_report *why);

#endif
