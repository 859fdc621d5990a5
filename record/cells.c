#include "record/cells.h"

#include <stddef.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"

/* A field of a cell, whatever its type. */
static const uint8_t offsets[ORR_CELL_FIELDS] = {
    [ORR_CELL_BYTES] = offsetof(struct orr_cell, bytes),
    [ORR_CELL_BUSY] = offsetof(struct orr_cell, busy_ps),
    [ORR_CELL_AREA] = offsetof(struct orr_cell, area),
    [ORR_CELL_MAX_QUEUE] = offsetof(struct orr_cell, max_queue),
    [ORR_CELL_MARKS] = offsetof(struct orr_cell, marks),
    [ORR_CELL_DROPS] = offsetof(struct orr_cell, drops),
    [ORR_CELL_PAUSES] = offsetof(struct orr_cell, pauses),
    [ORR_CELL_PAUSED] = offsetof(struct orr_cell, paused_ps),
};
_Static_assert(sizeof(double) == sizeof(uint64_t), "figures have 64 bits");

static inline uint64_t figure(const struct orr_cell *c, size_t offset)
{
    uint64_t x;
    memcpy(&x, (const char *)c + offset, sizeof x);
    return x;
}

static uint8_t width_of(uint64_t any)
{
    return any == 0 ? 0 : any >> 8 == 0 ? 1 : any >> 16 == 0 ? 2
           : any >> 32 == 0 ? 4 : 8;
}

static size_t column_bytes(uint32_t n, uint8_t width)
{
    return ((size_t)n * width + 7) / 8 * 8;
}

static size_t place_of(const struct orr_cells *c, enum orr_cell_field field)
{
    size_t at = column_bytes(c->n, c->link_width);
    for (unsigned f = 0; f < (unsigned)field; f++)
        at += column_bytes(c->n, c->width[f]);
    return at;
}

static void choose_widths(struct orr_cells *c, const struct orr_cell *cell)
{
    uint64_t any[ORR_CELL_FIELDS] = { 0 };
    uint32_t links = 0;
    for (uint32_t i = 0; i < c->n; i++) {
#pragma GCC unroll 8
        for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
            any[f] |= figure(&cell[i], offsets[f]);
        links |= cell[i].link;
    }
    c->link_width = links >> 16 ? 4 : 2;
    for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
        c->width[f] = width_of(any[f]);
}

static void keep_column(unsigned char *to, uint8_t width,
                        const struct orr_cell *cell, uint32_t n,
                        size_t offset)
{
    uint8_t *one = to;
    uint16_t *two = (uint16_t *)to;
    uint32_t *four = (uint32_t *)to;
    uint64_t *eight = (uint64_t *)to;
    switch (width) {
    case 1:
        for (uint32_t i = 0; i < n; i++)
            one[i] = (uint8_t)figure(&cell[i], offset);
        break;
    case 2:
        for (uint32_t i = 0; i < n; i++)
            two[i] = (uint16_t)figure(&cell[i], offset);
        break;
    case 4:
        for (uint32_t i = 0; i < n; i++)
            four[i] = (uint32_t)figure(&cell[i], offset);
        break;
    case 8:
        for (uint32_t i = 0; i < n; i++)
            eight[i] = figure(&cell[i], offset);
        break;
    default:
        break;
    }
}

static void keep_links(struct orr_cells *c, const struct orr_cell *cell)
{
    uint16_t *two = (uint16_t *)c->at;
    uint32_t *four = (uint32_t *)c->at;
    for (uint32_t i = 0; c->link_width == 2 && i < c->n; i++)
        two[i] = (uint16_t)cell[i].link;
    for (uint32_t i = 0; c->link_width == 4 && i < c->n; i++)
        four[i] = cell[i].link;
}

orr_err orr__cells_keep(struct orr_cells *c, const struct orr_cell *cell,
                        uint32_t n)
{
    size_t at;
    *c = (struct orr_cells){ .n = n };
    if (n == 0)
        return ORR_OK;
    choose_widths(c, cell);
    c->at = orr__resize(NULL, place_of(c, ORR_CELL_FIELDS), 1);
    if (c->at == NULL)
        return ORR_ENOMEM;
    keep_links(c, cell);
    at = place_of(c, 0);
    for (unsigned f = 0; f < ORR_CELL_FIELDS; f++) {
        keep_column(c->at + at, c->width[f], cell, n, offsets[f]);
        at += column_bytes(n, c->width[f]);
    }
    return ORR_OK;
}

void orr__cells_free(struct orr_cells *c)
{
    orr__free(c->at);
    *c = (struct orr_cells){ .n = 0 };
}

void orr__cells_links(const struct orr_cells *c, uint32_t first, uint32_t n,
                      uint32_t *out)
{
    const uint16_t *two = (const uint16_t *)c->at;
    ORR_ASSERT(first <= c->n && n <= c->n - first);
    if (c->link_width == 4)
        memcpy(out, (const uint32_t *)c->at + first, n * sizeof *out);
    else
        for (uint32_t i = 0; i < n; i++)
            out[i] = two[first + i];
}

void orr__cells_figures(const struct orr_cells *c, enum orr_cell_field field,
                        uint32_t first, uint32_t n, uint64_t *out)
{
    const unsigned char *at = c->at + place_of(c, field);
    const uint16_t *two = (const uint16_t *)at;
    const uint32_t *four = (const uint32_t *)at;
    ORR_ASSERT(first <= c->n && n <= c->n - first);
    switch (c->width[field]) {
    case 1:
        for (uint32_t i = 0; i < n; i++)
            out[i] = at[first + i];
        break;
    case 2:
        for (uint32_t i = 0; i < n; i++)
            out[i] = two[first + i];
        break;
    case 4:
        for (uint32_t i = 0; i < n; i++)
            out[i] = four[first + i];
        break;
    case 8:
        memcpy(out, (const uint64_t *)at + first, n * sizeof *out);
        break;
    default:
        memset(out, 0, n * sizeof *out);
    }
}

void orr__cells_pick(const struct orr_cells *c, enum orr_cell_field field,
                     const uint32_t *cell, uint32_t n, uint64_t *out)
{
    const unsigned char *at = c->at + place_of(c, field);
    const uint16_t *two = (const uint16_t *)at;
    const uint32_t *four = (const uint32_t *)at;
    const uint64_t *eight = (const uint64_t *)at;
    ORR_ASSERT(n == 0 || cell[n - 1] < c->n);
    switch (c->width[field]) {
    case 1:
        for (uint32_t i = 0; i < n; i++)
            out[i] = at[cell[i]];
        break;
    case 2:
        for (uint32_t i = 0; i < n; i++)
            out[i] = two[cell[i]];
        break;
    case 4:
        for (uint32_t i = 0; i < n; i++)
            out[i] = four[cell[i]];
        break;
    case 8:
        for (uint32_t i = 0; i < n; i++)
            out[i] = eight[cell[i]];
        break;
    default:
        memset(out, 0, n * sizeof *out);
    }
}

void orr__cells_read(const struct orr_cells *c, struct orr_cell *out)
{
    enum { BLOCK = 128 };
    uint64_t x[BLOCK];
    uint32_t link[BLOCK];
    for (uint32_t at = 0, n; at < c->n; at += n) {
        n = c->n - at < BLOCK ? c->n - at : BLOCK;
        orr__cells_links(c, at, n, link);
        for (uint32_t i = 0; i < n; i++)
            out[at + i] = (struct orr_cell){ .link = link[i] };
        for (unsigned f = 0; f < ORR_CELL_FIELDS; f++) {
            if (c->width[f] == 0)
                continue;
            orr__cells_figures(c, f, at, n, x);
            for (uint32_t i = 0; i < n; i++)
                memcpy((char *)&out[at + i] + offsets[f], &x[i], sizeof *x);
        }
    }
}
