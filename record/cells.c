#include "record/cells.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"

/* A field of a cell, whatever its type. */
static const uint8_t offsets[ORR_CELL_FIELDS] = {
#define OFFSET(id, member, ...)                                                \
    [ORR_CELL_##id] = offsetof(struct orr_cell, member),
    ORR_LINK_COLUMNS(OFFSET)
#undef OFFSET
};
#define HAS_8_BYTES(id, member, type, ...)                                     \
    _Static_assert(sizeof(type) == sizeof(uint64_t), "figures have 64 bits");
ORR_LINK_COLUMNS(HAS_8_BYTES)
#undef HAS_8_BYTES

/* How figures of two cells become one. */
enum adds { SUM, REAL, MAX };
static const uint8_t adds[ORR_CELL_FIELDS] = {
#define ADDS(id, member, type, how, ...) [ORR_CELL_##id] = how,
    ORR_LINK_COLUMNS(ADDS)
#undef ADDS
};

static inline uint64_t figure(const struct orr_cell *c, size_t offset)
{
    uint64_t x;
    memcpy(&x, (const char *)c + offset, sizeof x);
    return x;
}

static uint8_t width_of(uint64_t any)
{
    return any == 0         ? 0
           : any >> 8 == 0  ? 1
           : any >> 16 == 0 ? 2
           : any >> 32 == 0 ? 4
                            : 8;
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

/* As wide as the largest figure of each column needs. */
static void choose_widths(struct orr_cells *c, const struct orr_cell *cell)
{
    uint64_t any[ORR_CELL_FIELDS] = {0};
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

/* The field at this offset of n cells, in so many bytes each. */
static void keep_column(unsigned char *to, uint8_t width,
                        const struct orr_cell *cell, uint32_t n, size_t offset)
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
    default: break;
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
    *c = (struct orr_cells){.n = n};
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
    *c = (struct orr_cells){.n = 0};
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
    case 8: memcpy(out, (const uint64_t *)at + first, n * sizeof *out); break;
    default: memset(out, 0, n * sizeof *out);
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
    default: memset(out, 0, n * sizeof *out);
    }
}

/* ---- two that become one ------------------------------------------------- */

static uint32_t link_at(const struct orr_cells *c, uint32_t i)
{
    return c->link_width == 4 ? ((const uint32_t *)c->at)[i]
                              : ((const uint16_t *)c->at)[i];
}

/* For so many cells of both. False: no memory; there is none, then. */
static bool make_room(struct orr_cells_pair *x, uint32_t cells)
{
    if (cells <= x->room)
        return true;
    orr__cells_pair_fini(x);
    x->place = orr__resize(NULL, cells, sizeof *x->place);
    x->link = orr__resize(NULL, cells, sizeof *x->link);
    x->figure =
        orr__resize(NULL, (size_t)ORR_CELL_FIELDS * cells, sizeof *x->figure);
    x->room = cells;
    if (x->place && x->link && x->figure)
        return true;
    orr__cells_pair_fini(x);
    return false;
}

void orr__cells_pair_fini(struct orr_cells_pair *x)
{
    orr__free(x->place);
    orr__free(x->link);
    orr__free(x->figure);
    *x = (struct orr_cells_pair){.room = 0};
}

/* Links of both, and where cells of p, and behind them those of q, go to.
 * Returns how many links there are. */
static uint32_t line_up(struct orr_cells_pair *x, const struct orr_cells *p,
                        const struct orr_cells *q)
{
    uint32_t i = 0, j = 0, n = 0, *in_p = x->place, *in_q = x->place + p->n;
    while (i < p->n || j < q->n) {
        uint32_t a = i < p->n ? link_at(p, i) : UINT32_MAX;
        uint32_t b = j < q->n ? link_at(q, j) : UINT32_MAX;
        bool left = i < p->n && (j == q->n || a <= b);
        bool right = j < q->n && (i == p->n || b <= a);
        x->link[n] = left ? a : b;
        if (left)
            in_p[i++] = n;
        if (right)
            in_q[j++] = n;
        n++;
    }
    return n;
}

/* Figures of a field, to their places. */
static void add_figures(uint64_t *to, const uint32_t *place,
                        enum orr_cell_field field, const uint64_t *x,
                        uint32_t n)
{
    double *real = (double *)to, y;
    if (adds[field] == REAL)
        for (uint32_t i = 0; i < n; i++) {
            memcpy(&y, &x[i], sizeof y);
            real[place[i]] += y;
        }
    else if (adds[field] == MAX)
        for (uint32_t i = 0; i < n; i++)
            to[place[i]] = to[place[i]] > x[i] ? to[place[i]] : x[i];
    else
        for (uint32_t i = 0; i < n; i++)
            to[place[i]] += x[i];
}

/* A field of cells is added to what is there. */
static void add_field(uint64_t *to, const uint32_t *place,
                      const struct orr_cells *c, enum orr_cell_field field)
{
    enum { BLOCK = 128 };
    uint64_t x[BLOCK];
    for (uint32_t at = 0, n; at < c->n && c->width[field]; at += n) {
        n = c->n - at < BLOCK ? c->n - at : BLOCK;
        orr__cells_figures(c, field, at, n, x);
        add_figures(to, place + at, field, x, n);
    }
}

/* All fields of both, a column each of x->figure. */
static void add_up(struct orr_cells_pair *x, struct orr_cells *c,
                   const struct orr_cells *p, const struct orr_cells *q)
{
    for (unsigned f = 0; f < ORR_CELL_FIELDS; f++) {
        uint64_t any = 0, *to = x->figure + (size_t)f * c->n;
        if (p->width[f] == 0 && q->width[f] == 0)
            continue;
        memset(to, 0, c->n * sizeof *to);
        add_field(to, x->place, p, f);
        add_field(to, x->place + p->n, q, f);
        for (uint32_t i = 0; i < c->n; i++)
            any |= to[i];
        c->width[f] = width_of(any);
    }
}

/* As keep_column, which reads them from where they are: bins close often, and
 * to copy them first costs 20 instructions a cell. */
static void keep_figures(unsigned char *to, uint8_t width, const uint64_t *x,
                         uint32_t n)
{
    uint8_t *one = to;
    uint16_t *two = (uint16_t *)to;
    uint32_t *four = (uint32_t *)to;
    if (width == 1)
        for (uint32_t i = 0; i < n; i++)
            one[i] = (uint8_t)x[i];
    else if (width == 2)
        for (uint32_t i = 0; i < n; i++)
            two[i] = (uint16_t)x[i];
    else if (width == 4)
        for (uint32_t i = 0; i < n; i++)
            four[i] = (uint32_t)x[i];
    else
        memcpy(to, x, (size_t)width / 8 * n * sizeof *x);
}

orr_err orr__cells_merge(struct orr_cells_pair *x, struct orr_cells *c,
                         const struct orr_cells *p, const struct orr_cells *q)
{
    *c = (struct orr_cells){.n = 0};
    if (p->n + q->n == 0)
        return ORR_OK;
    if (!make_room(x, p->n + q->n))
        return ORR_ENOMEM;
    c->n = line_up(x, p, q);
    c->link_width =
        p->link_width > q->link_width ? p->link_width : q->link_width;
    add_up(x, c, p, q);
    c->at = orr__resize(NULL, place_of(c, ORR_CELL_FIELDS), 1);
    if (c->at == NULL) {
        *c = (struct orr_cells){.n = 0};
        return ORR_ENOMEM;
    }
    for (uint32_t i = 0; i < c->n && c->link_width == 2; i++)
        ((uint16_t *)c->at)[i] = (uint16_t)x->link[i];
    if (c->link_width == 4)
        memcpy(c->at, x->link, c->n * sizeof *x->link);
    for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
        keep_figures(c->at + place_of(c, f), c->width[f],
                     x->figure + (size_t)f * c->n, c->n);
    return ORR_OK;
}
