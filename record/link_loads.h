/* How busy links were over a whole run, and which of them is shown first. */
#ifndef ORR_RECORD_LINK_LOADS_H
#define ORR_RECORD_LINK_LOADS_H

#include <stdint.h>

#include "record/record_read.h"

/* How loaded a link was. */
struct orr_link_load {
    double utilization;    /* share of the run in which it was sending */
    uint64_t max_queue;    /* bytes */
    uint64_t marks, drops; /* packets */
    uint64_t paused_ps;    /* time in which it held back a traffic class */
    uint32_t link;         /* id */
};

/* The order in which links are listed, everywhere: the busiest first; among
 * equally busy ones the link that explains the others, which has the longest
 * queue, then the most marks, drops and paused time; then by id. Equally busy
 * is what differs by less than about 0.1 % of the run: the same packets over
 * links in a row end a little later at each. < 0: a comes first; never 0 for
 * two links. */
int orr__link_order(const struct orr_link_load *a,
                    const struct orr_link_load *b);

/* ---- of a record -------------------------------------------------------- */

/* The dataset of /links with shares of time: "links/utilization", or the name
 * that files of older versions have. */
const char *orr__record_utilization(struct orr_reader *r);

/* What /links says of a link, over all bins. */
struct orr_link_use {
    struct orr_link_load load;
    uint32_t column; /* in /links */
    uint64_t bytes;
    double busy; /* s */
};

/* All columns of /links, as orr__link_order has them; *use is to be freed with
 * orr__free. ECONFIG: a table is missing, or of another size than the times
 * and links. */
ORR_CHECK_RESULT orr_err orr__record_link_use(struct orr_reader *r,
                                              struct orr_link_use **use,
                                              uint64_t *n,
                                              struct orr_report *why);

/* Every cell of a table over `bins` bins and `columns` links that is not 0. */
typedef void (*orr_link_cell_fn)(void *to, uint64_t bin, uint64_t column,
                                 double x);
ORR_CHECK_RESULT orr_err orr__record_link_cells(struct orr_reader *r,
                                                const char *path, uint64_t bins,
                                                uint64_t columns,
                                                orr_link_cell_fn fn, void *to,
                                                struct orr_report *why);

#endif
