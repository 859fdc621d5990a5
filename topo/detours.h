/* Ways that are not the shortest: where detours may lead, and the k shortest
 * ways from one host to another. */
#ifndef ORR_TOPO_DETOURS_H
#define ORR_TOPO_DETOURS_H

#include <stdint.h>

#include "core/error.h"
#include "topo/graph.h"
#include "topo/routing.h"

/* Nodes that traffic may be sent by (Valiant's intermediates): switches with
 * hosts or servers, and hosts that forward where there are no others; one of
 * each area, where a graph has areas; `most` of them, drawn with the seed, if
 * there are more. In order of id. *stops: to be freed with orr__free. */
ORR_CHECK_RESULT orr_err orr__graph_detour_stops(const struct orr_graph *g,
                                                 uint32_t most, uint64_t seed,
                                                 uint32_t **stops, uint32_t *n,
                                                 struct orr_report *why);

enum { ORR_LONGEST_PATH = 64, ORR_MOST_PATHS = 32 }; /* links; ways of a pair */

/* One of the k shortest ways without a circle from src to dst, by hosts, that
 * the routes, which have distances, know of: number `pick` modulo how many
 * there are, at most ORR_MOST_PATHS, equally long ones in an order drawn from
 * the seed and the pair. Writes its links into `links` and returns how many;
 * 0: none of up to ORR_LONGEST_PATH links. */
uint32_t orr__routing_path(const struct orr_graph *g,
                           const struct orr_routing *r, uint32_t src,
                           uint32_t dst, uint32_t k, uint32_t pick,
                           uint64_t seed, uint32_t links[ORR_LONGEST_PATH]);

#endif
