/* Cells that are kept, as structs again. */
#ifndef ORR_TESTS_RECORD_READ_CELLS_H
#define ORR_TESTS_RECORD_READ_CELLS_H

#include <string.h>

#include "record/cells.h"

static inline void set_figure(struct orr_cell *c, unsigned field, uint64_t x)
{
    switch (field) {
#define SET(id, member, ...)                                                   \
    case ORR_CELL_##id: memcpy(&c->member, &x, sizeof x); break;
        ORR_LINK_COLUMNS(SET)
#undef SET
    }
}

/* Room for all of them in out. */
static inline void read_cells(const struct orr_cells *c, struct orr_cell *out)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t link;
        uint64_t x;

        orr__cells_links(c, i, 1, &link);
        out[i] = (struct orr_cell){.link = link};
        for (unsigned f = 0; f < ORR_CELL_FIELDS; f++) {
            orr__cells_figures(c, f, i, 1, &x);
            set_figure(&out[i], f, x);
        }
    }
}

#endif
