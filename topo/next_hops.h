/* The table of next hops, as it lies in memory; topo/routing.h makes it. */
#ifndef ORR_TOPO_NEXT_HOPS_H
#define ORR_TOPO_NEXT_HOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/none.h"

/* A destination belongs to a column: its own (switches, multi-homed or
 * forwarding hosts), or that of the one switch it hangs on. table[row[node] +
 * column] is an entry `first << 8 | count` into the node's part of `list`,
 * which holds directed link ids in ascending order; sets are interned. A set of
 * more than ORR_COUNTED links has count 0, and its number of links stands
 * before it in the list. Entry 0 at the column's own switch: take
 * last_link[destination]. A destination that
 * cannot be reached from a node has the one next hop `links`, a number that is
 * no link: with closed links; and where packets only come that left while links
 * were closed (without, the build fails if it is so for a destination). Nodes
 * with a single way out (a host with one cable) have row ORR_NO_ROW and always
 * use only_link[node]. */
#define ORR_NO_ROW UINT64_MAX

/* What an entry has room for: next hops of a set that it counts itself, and in
 * the part of the list that is a node's. A link leaves one node, so that no two
 * nodes have a set in common, and parts cost nothing but what they are rounded
 * up by: a random graph of 4,096 switches has more than 2^24 next hops in all,
 * and none of its switches more than 2^17. */
enum { ORR_COUNTED = 255, ORR_NEXT_HOP_BITS = 24 };
/* Next hops of any set. */
enum { ORR_MOST_NEXT_HOPS = UINT16_MAX };
/* As many as are taken on, which is a matter of the minutes it takes. */
enum { ORR_MOST_HOSTS = 1 << 24 };
#define ORR_PART_ALIGN 4 /* entries: where a part may begin */

/* Shared read-only by all threads of a run; freed with orr__routing_free. */
struct orr_routing {
    uint32_t columns;
    uint32_t *column;    /* per node; ORR_NONE: not a destination */
    uint32_t *last_link; /* per node: switch to host, if column is a switch's */
    uint64_t *row;       /* per node */
    uint32_t *only_link; /* per node */
    uint32_t *table;     /* orr__entry_make */
    uint32_t *list;
    uint32_t *part; /* per node: where its part of the list begins, in
                     * units of ORR_PART_ALIGN */
    bool *wide;     /* per node: has a set that its entry does not count */
    uint64_t list_length;
    uint16_t *distance; /* as `table`: links to the column's target; NULL: not
                         * asked for */
    uint32_t *stop, stops; /* where detours lead: nodes, destinations as well */
    uint64_t bytes;        /* memory held */
};

/* An entry of the table: where its links begin in the list, and their number;
 * 0: it stands before them. Entry 0: the last link of the way, by its
 * destination. */
static inline uint32_t orr__entry_make(uint32_t first, uint32_t n)
{
    return first << 8 | n;
}

/* Where in the list its links begin, and how many they are. */
static inline uint32_t orr__entry_first(uint32_t entry)
{
    return entry >> 8;
}

/* Next hops of an entry, if it counts them itself, or 0. */
static inline uint32_t orr__entry_count(uint32_t entry)
{
    return entry & 0xff;
}

/* Next hops of any entry in a node's part of the list; 0: the last link. */
static inline uint32_t orr__entry_links(const uint32_t *list, uint32_t entry)
{
    uint32_t n = orr__entry_count(entry);
    return n || !entry ? n : list[orr__entry_first(entry) - 1];
}

/* What the entries of a node with a row point into. */
static inline const uint32_t *orr__routing_list(const struct orr_routing *r,
                                                uint32_t part)
{
    return r->list + (size_t)part * ORR_PART_ALIGN;
}

/* The next hops at a node towards a destination, *n > 0 link ids: the only link
 * that leads on, or all the equal ones. */
static inline const uint32_t *orr__routing_next(const struct orr_routing *r,
                                                uint32_t node, uint32_t dst,
                                                uint32_t *n)
{
    *n = 1;
    if (r->row[node] == ORR_NO_ROW)
        return &r->only_link[node];
    uint32_t entry = r->table[r->row[node] + r->column[dst]];
    if (entry == 0)
        return &r->last_link[dst];
    const uint32_t *list = orr__routing_list(r, r->part[node]);
    *n = orr__entry_links(list, entry);
    return &list[orr__entry_first(entry)];
}

#endif
