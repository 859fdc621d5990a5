/* Rows that nodes share. Where islands of nodes (topo/islands.h) are small or
 * destinations fall into few groups, a node's row is one entry nearly
 * everywhere, and exceptions within a stretch of columns: those of its server,
 * or of its rail. Rows with the same exceptions in other columns are one strip
 * of the table, twice as long as a row, that each begins at another place of:
 * lookups are those of any row. */
#ifndef ORR_TOPO_SHARED_ROWS_H
#define ORR_TOPO_SHARED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "topo/distances.h"
#include "topo/hop_sets.h"
#include "topo/next_hops.h"

/* What is given to it and got from it; it owns nothing. */
struct orr_shared_rows {
    struct orr_distances *distances;
    struct orr_routing *routes;
    const uint32_t *node;      /* per row */
    struct orr_hop_sets *sets; /* per row, empty */
    uint32_t rows;
    uint64_t entries; /* out: in the table */
};

/* Fills in the table, rows and sets of r, and numbers columns anew. *done:
 * false, and nothing changed, where that does not pay or somebody cannot be
 * reached. always: it pays. Not with closed links, areas or distances. */
ORR_CHECK_RESULT orr_err orr__rows_share(struct orr_shared_rows *r, bool always,
                                         bool *done, struct orr_report *why);

#endif
