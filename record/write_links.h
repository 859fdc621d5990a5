/* The group /links of a record: what every link did in every bin. */
#ifndef ORR_RECORD_WRITE_LINKS_H
#define ORR_RECORD_WRITE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/bins.h"
#include "record/record.h"
#include "workload/world.h"

/* Fields of type int here and below are objects of the record: scales, columns
 * and tables (record/record.h). */
struct orr_parts_writer {
    int part, link, job, owner;
    int table[ORR_CELL_FIELDS]; /* those that parts have */
    uint32_t columns;           /* written so far */
};

/* Ints are objects of the record, whose owner closes them. */
struct orr_links_writer {
    struct orr_record *record;
    int group, time, time_end, time_s, link, from, to, name;
    int table[ORR_CELL_FIELDS];
    uint32_t tile_rows, tile_cols; /* bins, and links, of one tile */
    uint32_t columns;              /* of link, from, to, name: written so far */
    struct orr_parts_writer parts; /* where bins are split */
};

/* Creates the group; split: the bins will be. */
void orr__links_begin(struct orr_links_writer *l, struct orr_record *r,
                      const struct orr_world *w, bool split);
/* Writes all bins, of which bins->dropped were written before as whole rows of
 * tiles. The last row of tiles, if not full, is `final` or may grow.
 * Failures other than of memory show in the record. */
ORR_CHECK_RESULT orr_err orr__links_write(struct orr_links_writer *l,
                                          const struct orr_world *w,
                                          const struct orr_bins *b, bool final);

#endif
