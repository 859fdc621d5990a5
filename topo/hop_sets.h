/* Sets of next hops of one node, while its routes are made: each is kept once.
 */
#ifndef ORR_TOPO_HOP_SETS_H
#define ORR_TOPO_HOP_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/table.h"
#include "topo/graph.h"

struct orr_hop_sets { /* zeroed: empty */
    uint32_t *list, length, room;
    bool wide;              /* has a set of more than ORR_COUNTED links */
    struct orr_table entry; /* of a set by its hash, or the next free number */
};

void orr__hop_sets_fini(struct orr_hop_sets *s);

/* Whether an entry (topo/routing.h) stands for these n links. */
bool orr__hop_sets_match(const struct orr_hop_sets *s, uint32_t entry,
                         const uint32_t *set, uint32_t n);
/* The entry for these n links of a node: an old one if there is one. Fails
 * with ECONFIG if an entry has no room for it. */
ORR_CHECK_RESULT orr_err orr__hop_sets_add(struct orr_hop_sets *s,
                                           uint32_t node, const uint32_t *set,
                                           uint32_t n, uint32_t *entry,
                                           struct orr_report *why);

/* Appends n links to a list that has room for them and one more; returns their
 * entry. */
uint32_t orr__hop_sets_append(uint32_t *list, uint32_t *length,
                              const uint32_t *set, uint32_t n);

/* The tier of links to servers' switches, or -1: there is none. */
int orr__nvlink_tier(const struct orr_graph *g);
/* Of paths that are equally long a GPU takes the one over its NVSwitch, where
 * some do: keeps those links of a set, and returns how many. */
uint32_t orr__prefer_tier(const struct orr_graph *g, int tier, uint32_t *set,
                          uint32_t n);

#endif
