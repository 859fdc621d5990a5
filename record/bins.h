/* Bins of the link time series. A bin holds cells only for links that did
 * something in it, so that quiet links cost neither memory nor time after they
 * were looked at. */
#ifndef ORR_RECORD_BINS_H
#define ORR_RECORD_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/none.h"
#include "record/by_job.h"
#include "record/cell.h"
#include "record/cells.h"
#include "workload/world.h"

/* What links did between two moments. */
struct orr_bin {
    int64_t start_ps, end_ps; /* the end belongs to the next one */
    struct orr_cells cell;    /* ascending link ids */
    struct orr_cells part;    /* ascending numbers of parts */
};

/* The bins of a run, those that are not written yet. */
struct orr_bins {
    struct orr_bin *bin; /* closed, in order of time; owned, like all here */
    uint32_t n, room;
    uint64_t dropped;              /* bins that stood before bin[0] */
    int64_t open_ps;               /* start of the bin that is open */
    uint32_t *column;              /* per link: by first use, or ORR_NONE */
    uint32_t *link;                /* per column */
    uint32_t columns, links;       /* links: of the graph, directed */
    struct orr_net_cursor *cursor; /* the net's; where these bins stand */
    struct orr_link_sample *last;  /* per link: when the last bin closed */
    struct orr_cell *scratch;      /* room for a cell of every link */
    uint32_t *active;              /* and for the number of every link */
    struct orr_split *split;       /* NULL: links are not split */
    struct orr_cell *part_scratch; /* of split */
    uint32_t part_room;            /* cells that it has room for */
};

/* The narrowest bins worth while: on the grid of windows, so that they cut
 * none of those short. */
int64_t orr__bins_finest(const struct orr_graph *g);

/* all: every link is a column from the start, in order of ids. Before the
 * run. `split` may be set then: it is the bins' own. */
ORR_CHECK_RESULT orr_err orr__bins_init(struct orr_bins *b, struct orr_net *net,
                                        uint32_t links, bool all);
void orr__bins_fini(struct orr_bins *b);

/* Closes the open bin at time now (> open_ps), between windows or after the
 * run, and opens the next. */
ORR_CHECK_RESULT orr_err orr__bins_close(struct orr_bins *b,
                                         struct orr_net *net, int64_t now);
/* Bins 2i and 2i + 1 become one; the last of an odd number stays. */
ORR_CHECK_RESULT orr_err orr__bins_merge(struct orr_bins *b);
/* Forgets the first n bins. */
void orr__bins_drop(struct orr_bins *b, uint32_t n);

#endif
