/* Destinations that next hops cannot tell apart. Nodes that forward fall into
 * islands: a network, and the switch of each server behind GPUs that do not
 * forward. To the nodes of an island, destinations that do not forward and hang
 * on the same of them are one group: the next hops are the same, but for those
 * of the last link. */
#ifndef ORR_TOPO_ISLANDS_H
#define ORR_TOPO_ISLANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/table.h"
#include "topo/distances.h"

/* A class of destinations that one island's nodes treat alike. */
struct orr_island_group {
    uint32_t island;
    uint32_t near, n; /* in `near`: nodes of the island, ascending, that the
                       * destinations hang on */
    bool itself;      /* or the one destination itself, which forwards */
    uint64_t dist;    /* where its part of `dist` begins */
};

/* Made and freed by those who make next hops; arrays are its own. */
struct orr_islands {
    const struct orr_graph *graph;
    uint32_t *island;              /* per node; ORR_NONE: it does not forward */
    uint32_t *place;               /* per node: its number in the island */
    uint32_t islands, *size, main; /* nodes of each; that of most columns */

    /* Columns in order of the target's id, of all destinations there could be,
     * so that equal parts of a network have equal columns. */
    uint32_t columns, *target, *column; /* of nodes, or ORR_NONE */
    uint32_t *touch_off, *touch; /* per column: its groups, one an island */
    uint32_t *reach_off, *reach; /* per island: columns, ascending */

    struct orr_island_group *group;
    uint32_t groups, group_room, *near, nears, near_room;
    struct orr_table known; /* groups by their nodes */
    uint16_t *dist;         /* links to the group's destinations, by place */
};

/* No link is closed, and there are no areas. Always pair with
 * orr__islands_fini, also after a failure. */
ORR_CHECK_RESULT orr_err orr__islands_find(struct orr_islands *s,
                                           const struct orr_distances *t,
                                           struct orr_report *why);
void orr__islands_fini(struct orr_islands *s);

/* Whether all destinations of t hang on the main island. */
bool orr__islands_join(const struct orr_islands *s,
                       const struct orr_distances *t);
/* How many distances there are. */
uint64_t orr__islands_distances(const struct orr_islands *s);
/* Fills in `dist`. */
ORR_CHECK_RESULT orr_err orr__islands_measure(struct orr_islands *s,
                                              struct orr_report *why);

/* The group of a column in an island, or ORR_NONE. */
static inline uint32_t orr__islands_group(const struct orr_islands *s,
                                          uint32_t column, uint32_t island)
{
    for (uint32_t i = s->touch_off[column]; i < s->touch_off[column + 1]; i++)
        if (s->group[s->touch[i]].island == island)
            return s->touch[i];
    return ORR_NONE;
}

/* Links from a node that forwards to a column's target; ORR_FAR: no way. */
static inline uint32_t orr__islands_distance(const struct orr_islands *s,
                                             uint32_t node, uint32_t column)
{
    uint32_t k = orr__islands_group(s, column, s->island[node]);
    return k == ORR_NONE ? ORR_FAR : s->dist[s->group[k].dist + s->place[node]];
}

#endif
