/* Cells that are kept: a column of numbers for each field, as wide as the
 * largest of them needs. Most links are marked, dropped from and paused never,
 * so that a cell takes a third of what it does as a struct. */
#ifndef ORR_RECORD_CELLS_H
#define ORR_RECORD_CELLS_H

#include <stdint.h>

#include "core/error.h"
#include "record/cell.h"

/* All but the link, in the order of the struct. */
enum orr_cell_field {
#define ORR_FIELD_ID(id, ...) ORR_CELL_##id,
    ORR_LINK_COLUMNS(ORR_FIELD_ID)
#undef ORR_FIELD_ID
        ORR_CELL_FIELDS
};

/* Cells of a bin, ascending by link. */
struct orr_cells {
    unsigned char *at; /* owned, NULL if n is 0; links, then the fields, each
                        * from a multiple of 8 on */
    uint32_t n;
    uint8_t link_width, width[ORR_CELL_FIELDS]; /* bytes; 0: all are 0 */
};

/* Keeps n cells. ENOMEM: there is nothing to be freed. */
ORR_CHECK_RESULT orr_err orr__cells_keep(struct orr_cells *c,
                                         const struct orr_cell *cell,
                                         uint32_t n);
void orr__cells_free(struct orr_cells *c);
/* Links, or one field, of n cells from `first` on. */
void orr__cells_links(const struct orr_cells *c, uint32_t first, uint32_t n,
                      uint32_t *out);
void orr__cells_figures(const struct orr_cells *c, enum orr_cell_field field,
                        uint32_t first, uint32_t n, uint64_t *out);
/* One field of n cells, ascending. */
void orr__cells_pick(const struct orr_cells *c, enum orr_cell_field field,
                     const uint32_t *cell, uint32_t n, uint64_t *out);

/* Two become one, of which a link has one cell: figures are added up, and the
 * longest queue is the longer one. pair: what that takes beside, kept from one
 * to the next; zeroed: nothing yet. ENOMEM: *c needs not be freed. */
struct orr_cells_pair {
    uint32_t *place, *link;
    uint64_t *figure;
    uint32_t room; /* cells of both */
};
ORR_CHECK_RESULT orr_err orr__cells_merge(struct orr_cells_pair *pair,
                                          struct orr_cells *c,
                                          const struct orr_cells *p,
                                          const struct orr_cells *q);
void orr__cells_pair_fini(struct orr_cells_pair *pair);

#endif
