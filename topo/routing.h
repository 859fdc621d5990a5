/* Next hops: all equal-cost shortest paths (fewest hops; where there are areas,
 * fewest cables between them first), from igraph's distances or our own, for
 * the destinations that something uses. */
#ifndef ORR_TOPO_ROUTING_H
#define ORR_TOPO_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "topo/graph.h"
#include "topo/next_hops.h"

/* dests: n node ids (duplicates allowed) that traffic may be sent to, sources
 * included (ACKs go back to them). Every pair among them must be connected. */
ORR_CHECK_RESULT orr_err orr__routing_build(const struct orr_graph *g,
                                            const uint32_t *dests, uint32_t n,
                                            struct orr_routing **out,
                                            struct orr_report *why);
/* The same when packets must not take some links (closed, per link): where all
 * ways are closed, destinations are unreachable, and that is no failure. May
 * be called while experiments run. */
ORR_CHECK_RESULT orr_err orr__routing_build_around(
    const struct orr_graph *g, const bool *closed, const uint32_t *dests,
    uint32_t n, struct orr_routing **out, struct orr_report *why);
/* How the table is made; next hops are the same. */
enum orr_rows_kind {
    ORR_ROWS_BY_SIZE, /* shared where that is cheaper, and possible */
    ORR_ROWS_ALL,
    ORR_ROWS_SHARED, /* where possible: no areas, distances, closed links,
                      * one-way cables */
};
/* What else routes are to hold. */
struct orr_routing_request {
    const uint32_t *stops; /* nodes: become destinations, and are kept */
    uint32_t n_stops;
    bool distances; /* `distance` is filled in */
    bool plain;     /* links alone count, whatever areas there are */
    enum orr_rows_kind rows;
};
/* The same, closed and want may be NULL. */
ORR_CHECK_RESULT orr_err orr__routing_build_for(
    const struct orr_graph *g, const bool *closed,
    const struct orr_routing_request *want, const uint32_t *dests, uint32_t n,
    struct orr_routing **out, struct orr_report *why);
void orr__routing_free(const struct orr_routing *r);

#endif
