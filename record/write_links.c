#include "record/write_links.h"
#include "core/assert.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "record/owners.h"
#include "topo/node_names.h"
#include "workload/job/job.h"

#define MOST_TILE_COLS  128
#define LEAST_TILE_COLS 64  /* of no more links */
#define MOST_STRIP      16u /* tiles that are filled at a time */
#define MOST_TILE_ROWS  64
#define LEAST_TILE_ROWS 8
#define TILE_CELLS      (1u << 20) /* of all columns together, wanted */

static const struct orr_record_column time_column = {
    "time", ORR_RECORD_I64, "ps", "start of the bin", NULL};
static const struct orr_record_column time_end_column = {
    "time_end", ORR_RECORD_I64, "ps", "end of the bin", NULL};
static const struct orr_record_column time_s_column = {
    "time_s", ORR_RECORD_F64, "s", "start of the bin", NULL};
static const struct orr_record_column link_column = {"link", ORR_RECORD_U32,
                                                     "1", "link id", NULL};
static const struct orr_record_column from_column = {
    "from", ORR_RECORD_U32, "1", "id of the node that sends", NULL};
static const struct orr_record_column to_column = {
    "to", ORR_RECORD_U32, "1", "id of the node that receives", NULL};

static const struct orr_record_column name_column = {
    "name", ORR_RECORD_TEXT, "1", "names of its nodes: from -> to", NULL};

/* What bins hold, and what of it parts have. */
#define AS_IT_IS  ORR_RECORD_U64
#define OVER_TIME ORR_RECORD_F32
static const struct orr_record_column tables[ORR_CELL_FIELDS] = {
#define TABLE(id, member, type, adds, shown, name, unit, part, long_name)      \
    [ORR_CELL_##id] = {name, shown, unit, long_name, NULL},
    ORR_LINK_COLUMNS(TABLE)
#undef TABLE
};
#undef AS_IT_IS
#undef OVER_TIME
static const char *const part_names[ORR_CELL_FIELDS] = {
#define NAME(id, member, type, adds, shown, name, unit, part, ...)             \
    [ORR_CELL_##id] = part,
    ORR_LINK_COLUMNS(NAME)
#undef NAME
};
/* Whether a cell's figure is a double; all others are whole numbers. */
static const bool is_double[ORR_CELL_FIELDS] = {
#define SUM                                    false
#define MAX                                    false
#define REAL                                   true
#define IS_DOUBLE(id, member, type, adds, ...) [ORR_CELL_##id] = adds,
    ORR_LINK_COLUMNS(IS_DOUBLE)
#undef IS_DOUBLE
#undef SUM
#undef MAX
#undef REAL
};

static bool has_table(int table, bool parts)
{
    return !parts || part_names[table][0] != '\0';
}

static const struct orr_record_column part_column = {
    "part", ORR_RECORD_U32, "1", "what one owner had of one link", NULL};
static const struct orr_record_column part_link_column = {
    "part_link", ORR_RECORD_U32, "1", "link id", NULL};
static const struct orr_record_column part_job_column = {
    "part_job", ORR_RECORD_I64, "1",
    "index of the job; -1: the flows; -2: neither, such as pause frames", NULL};
static const struct orr_record_column part_owner_column = {
    "part_owner", ORR_RECORD_TEXT, "1", "name of the job, or what else it is",
    NULL};

/* Tables of links by job: one column for each pair of link and job that had
 * something, as many as turn up. */
static void begin_parts(struct orr_links_writer *l)
{
    struct orr_parts_writer *p = &l->parts;
    struct orr_record *r = l->record;
    p->part = orr__record_scale(r, l->group, &part_column, l->tile_cols);
    p->link = orr__record_column(r, l->group, &part_link_column, p->part);
    p->job = orr__record_column(r, l->group, &part_job_column, p->part);
    p->owner = orr__record_column(r, l->group, &part_owner_column, p->part);
    for (int i = 0; i < ORR_CELL_FIELDS; i++) {
        struct orr_record_column c = tables[i];
        if (!has_table(i, true))
            continue;
        c.name = part_names[i];
        p->table[i] = orr__record_matrix(r, l->group, &c, l->time, p->part);
        orr__record_text(r, p->table[i], "coordinates",
                         "time_end time_s part_link part_job part_owner");
        if (i == ORR_CELL_BUSY) /* as it was called before */
            orr__record_alias(r, l->group, p->table[i], "part_utilisation");
    }
}

void orr__links_begin(struct orr_links_writer *l, struct orr_record *r,
                      const struct orr_world *w, bool split)
{
    uint32_t rows = TILE_CELLS / (w->graph->links ? w->graph->links : 1);
    rows = rows > MOST_TILE_ROWS ? MOST_TILE_ROWS : rows;
    rows = rows < LEAST_TILE_ROWS ? LEAST_TILE_ROWS : rows;
    *l = (struct orr_links_writer){.record = r, .tile_rows = rows};
    l->tile_cols =
        w->graph->links > LEAST_TILE_COLS ? MOST_TILE_COLS : LEAST_TILE_COLS;
    l->group = orr__record_group(r, "links");
    l->time = orr__record_scale(r, l->group, &time_column, rows);
    l->link = orr__record_scale(r, l->group, &link_column, l->tile_cols);
    l->time_end = orr__record_column(r, l->group, &time_end_column, l->time);
    l->time_s = orr__record_column(r, l->group, &time_s_column, l->time);
    l->from = orr__record_column(r, l->group, &from_column, l->link);
    l->to = orr__record_column(r, l->group, &to_column, l->link);
    l->name = orr__record_column(r, l->group, &name_column, l->link);
    for (int i = 0; i < ORR_CELL_FIELDS; i++) {
        l->table[i] =
            orr__record_matrix(r, l->group, &tables[i], l->time, l->link);
        orr__record_text(r, l->table[i], "coordinates",
                         "time_end time_s from to name");
        if (i == ORR_CELL_BUSY) /* as it was called before */
            orr__record_alias(r, l->group, l->table[i], "utilisation");
    }
    if (split)
        begin_parts(l);
}

/* Of n columns from `at` on. */
static void write_names(struct orr_links_writer *l, const struct orr_graph *g,
                        const struct orr_bins *b, uint32_t at, uint32_t n)
{
    enum { BLOCK = 64 };
    char text[BLOCK][2 * ORR_NODE_NAME + 4], x[ORR_NODE_NAME], y[ORR_NODE_NAME];
    const char *name[BLOCK];
    for (uint32_t end = at + n; at < end; at += n) {
        n = end - at < BLOCK ? end - at : BLOCK;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t link = b->link[at + i];
            snprintf(text[i], sizeof text[i], "%s -> %s",
                     orr__node_name(g, g->from[link], x, sizeof x),
                     orr__node_name(g, g->to[link], y, sizeof y));
            name[i] = text[i];
        }
        orr__record_write(l->record, l->name, at, n, name);
    }
}

/* Links that became columns since the last write. */
static void write_columns(struct orr_links_writer *l, const struct orr_graph *g,
                          const struct orr_bins *b)
{
    enum { BLOCK = 1024 };
    uint32_t from[BLOCK], to[BLOCK];
    while (l->columns < b->columns) {
        uint32_t at = l->columns, n = b->columns - at;
        n = n < BLOCK ? n : BLOCK;
        for (uint32_t i = 0; i < n; i++) {
            from[i] = g->from[b->link[at + i]];
            to[i] = g->to[b->link[at + i]];
        }
        orr__record_write(l->record, l->link, at, n, b->link + at);
        orr__record_write(l->record, l->from, at, n, from);
        orr__record_write(l->record, l->to, at, n, to);
        write_names(l, g, b, at, n);
        l->columns += n;
    }
}

/* Parts that came since the last write. */
static void write_parts(struct orr_links_writer *l, const struct orr_world *w,
                        const struct orr_split *split)
{
    enum { BLOCK = 256 };
    uint32_t part[BLOCK], link[BLOCK];
    int64_t job[BLOCK];
    const char *owner[BLOCK];
    struct orr_parts_writer *p = &l->parts;
    while (p->columns < orr__split_parts(split)) {
        uint32_t at = p->columns, n = orr__split_parts(split) - at;
        n = n < BLOCK ? n : BLOCK;
        for (uint32_t i = 0; i < n; i++) {
            struct orr_split_part x = orr__split_part(split, at + i);
            bool flows = x.owner == ORR_OWNER_FLOWS(w->n_jobs);
            part[i] = at + i;
            link[i] = x.link;
            job[i] = x.owner < w->n_jobs ? (int64_t)x.owner : flows ? -1 : -2;
            owner[i] = x.owner < w->n_jobs ? w->jobs[x.owner].name
                       : flows             ? "flows"
                                           : "others";
        }
        orr__record_write(l->record, p->part, at, n, part);
        orr__record_write(l->record, p->link, at, n, link);
        orr__record_write(l->record, p->job, at, n, job);
        orr__record_write(l->record, p->owner, at, n, owner);
        p->columns += n;
    }
}

/* Begin, end (ps) and begin in seconds of n bins; at most MOST_TILE_ROWS. */
static void write_times(struct orr_links_writer *l, const struct orr_bins *b,
                        uint32_t first, uint32_t n)
{
    int64_t start[MOST_TILE_ROWS], end[MOST_TILE_ROWS];
    double seconds[MOST_TILE_ROWS];
    ORR_ASSERT(n <= MOST_TILE_ROWS && first + n <= b->n);
    uint64_t row = b->dropped + first;
    for (uint32_t i = 0; i < n; i++) {
        start[i] = b->bin[first + i].start_ps;
        end[i] = b->bin[first + i].end_ps;
        seconds[i] = (double)start[i] / (double)ORR_S;
    }
    orr__record_write(l->record, l->time, row, n, start);
    orr__record_write(l->record, l->time_end, row, n, end);
    orr__record_write(l->record, l->time_s, row, n, seconds);
}

static double width_of(const struct orr_bin *bin)
{
    return (double)(bin->end_ps - bin->start_ps);
}

/* Where cells of a strip come from and go to, bin by bin. */
struct strip_rows {
    uint32_t *from, *to; /* number of the cell in its bin; place in `value` */
    uint32_t end[MOST_TILE_ROWS]; /* of each bin, in both */
};

/* Tiles of one row of tiles, side by side: `n` of them from `first` on, of all
 * that there are. */
struct strip {
    unsigned char *value;
    uint32_t tiles, first, n, tile_cols;
    size_t tile_cells, tile_bytes;
    size_t *place; /* by link, or by part: where its first row would be, in
                    * cells, were all tiles here */
    struct strip_rows rows;
};

static bool is_real(int table)
{
    return tables[table].type == ORR_RECORD_F32;
}

/* Figures of cells, to places of a strip. */
static void put_figures(struct strip *s, int table, const uint32_t *place,
                        const uint64_t *figure, uint32_t n, double width)
{
    uint64_t *count = (uint64_t *)s->value;
    float *real = (float *)s->value;
    double x;
    if (!is_real(table))
        for (uint32_t i = 0; i < n; i++)
            count[place[i]] = figure[i];
    else if (!is_double[table])
        for (uint32_t i = 0; i < n; i++)
            real[place[i]] = (float)((double)(int64_t)figure[i] / width);
    else
        for (uint32_t i = 0; i < n; i++) {
            memcpy(&x, &figure[i], sizeof x);
            real[place[i]] = (float)(x / width);
        }
}

/* One bin, as a row of its tiles: cells from..end of its rows. */
static void fill_row(struct strip *s, int table, const struct orr_cells *c,
                     uint32_t from, uint32_t end, double width)
{
    enum { BLOCK = 128 };
    uint64_t figure[BLOCK];
    for (uint32_t n; from < end; from += n) {
        n = end - from < BLOCK ? end - from : BLOCK;
        orr__cells_pick(c, (enum orr_cell_field)table, &s->rows.from[from], n,
                        figure);
        put_figures(s, table, &s->rows.to[from], figure, n, width);
    }
}

/* Which cells of a bin are in the strip, and where: the same for all tables. */
static uint32_t find_row(struct strip *s, const struct orr_cells *c,
                         uint32_t row, uint32_t count)
{
    enum { BLOCK = 128 };
    uint32_t link[BLOCK];
    size_t begin = s->first * s->tile_cells, size = s->n * s->tile_cells;
    size_t in_row = (size_t)row * s->tile_cols;
    for (uint32_t at = 0, n; at < c->n; at += n) {
        n = c->n - at < BLOCK ? c->n - at : BLOCK;
        orr__cells_links(c, at, n, link);
        for (uint32_t i = 0; i < n; i++) {
            size_t x = s->place[link[i]] - begin; /* huge: before it */
            s->rows.from[count] = at + i;
            s->rows.to[count] = (uint32_t)(x + in_row);
            count += x < size;
        }
    }
    return count;
}

/* Cells of a bin, of parts or of links. */
static const struct orr_cells *cells_of(const struct orr_bin *bin, bool parts)
{
    return parts ? &bin->part : &bin->cell;
}

/* n bins. False: all are 0. */
static bool fill_strip(struct strip *s, int table, bool parts,
                       const struct orr_bins *b, uint32_t first, uint32_t n)
{
    bool any = false;
    s->tile_bytes = s->tile_cells * (is_real(table) ? 4 : 8);
    for (uint32_t row = 0, at = 0; row < n; at = s->rows.end[row++]) {
        const struct orr_bin *bin = &b->bin[first + row];
        const struct orr_cells *c = cells_of(bin, parts);
        if (c->width[(enum orr_cell_field)table] == 0)
            continue;
        if (!any)
            memset(s->value, 0, s->n * s->tile_bytes);
        any = true;
        fill_row(s, table, c, at, s->rows.end[row], width_of(bin));
    }
    return any;
}

static bool is_zero(const unsigned char *p, size_t n)
{
    uint64_t any = 0;
    for (size_t i = 0; i < n && any == 0; i += 64) {
        uint64_t x[8];
        memcpy(x, p + i, sizeof x);
        for (int k = 0; k < 8; k++)
            any |= x[k];
    }
    return any == 0;
}

/* Tiles of zeros alone are not written. */
static void write_strip(struct orr_links_writer *l, const struct strip *s,
                        int matrix, uint64_t tile_row, bool final)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const unsigned char *tile = s->value + i * s->tile_bytes;
        if (!is_zero(tile, s->tile_bytes))
            orr__record_tile(l->record, matrix, tile_row, s->first + i, tile,
                             final);
    }
}

/* For so many columns. number: by column, below `numbers`; NULL: they are
 * these. */
static orr_err make_strip(struct strip *s, const struct orr_links_writer *l,
                          uint32_t columns, const uint32_t *number,
                          uint32_t numbers)
{
    s->tile_cols = l->tile_cols;
    s->tile_cells = (size_t)l->tile_rows * l->tile_cols;
    s->tiles = (columns + l->tile_cols - 1) / l->tile_cols;
    s->n = s->tiles < MOST_STRIP ? s->tiles : MOST_STRIP;
    s->value = orr__resize(NULL, s->n * s->tile_cells, sizeof(uint64_t));
    s->place = orr__alloc(numbers, sizeof *s->place);
    /* one more: written to where a cell turns out not to be of the strip */
    size_t room = s->n * s->tile_cells + 1;
    s->rows.from = orr__resize(NULL, room, sizeof *s->rows.from);
    s->rows.to = orr__resize(NULL, room, sizeof *s->rows.to);
    if (!s->value || !s->place || !s->rows.from || !s->rows.to)
        return ORR_ENOMEM;
    for (uint32_t i = 0; i < columns; i++)
        s->place[number ? number[i] : i] =
            i / l->tile_cols * s->tile_cells + i % l->tile_cols;
    return ORR_OK;
}

static void free_strip(struct strip *s)
{
    orr__free(s->value);
    orr__free(s->place);
    orr__free(s->rows.from);
    orr__free(s->rows.to);
}

/* A row of tiles of each table: n bins from `first` on. */
struct row {
    const struct orr_bins *bins;
    uint32_t first, n;
    uint64_t tile_row;
    bool final;
};

/* Of one strip of links: all its tables, then the next. */
static void write_strips(struct orr_links_writer *l, struct strip *s,
                         bool parts, const struct row *r)
{
    for (s->first = 0; s->first < s->tiles; s->first += MOST_STRIP) {
        uint32_t left = s->tiles - s->first, count = 0;
        s->n = left < MOST_STRIP ? left : MOST_STRIP;
        for (uint32_t i = 0; i < r->n; i++)
            s->rows.end[i] = count = find_row(
                s, cells_of(&r->bins->bin[r->first + i], parts), i, count);
        for (int t = 0; t < ORR_CELL_FIELDS; t++) {
            int matrix = parts ? l->parts.table[t] : l->table[t];
            if (has_table(t, parts)
                && fill_strip(s, t, parts, r->bins, r->first, r->n))
                write_strip(l, s, matrix, r->tile_row, r->final);
        }
    }
}

static void write_row(struct orr_links_writer *l, struct strip *links,
                      struct strip *parts, const struct row *r)
{
    write_times(l, r->bins, r->first, r->n);
    write_strips(l, links, false, r);
    if (r->bins->split)
        write_strips(l, parts, true, r);
}

/* Makes all tables as large as rows and columns known by now; HDF5 fills what
 * is new. */
static void extend(struct orr_links_writer *l, const struct orr_world *w,
                   const struct orr_bins *b)
{
    uint64_t rows = b->dropped + b->n;
    write_columns(l, w->graph, b);
    for (int t = 0; t < ORR_CELL_FIELDS; t++)
        orr__record_extend(l->record, l->table[t], rows, b->columns);
    if (!b->split)
        return;
    write_parts(l, w, b->split);
    for (int t = 0; t < ORR_CELL_FIELDS; t++)
        if (has_table(t, true))
            orr__record_extend(l->record, l->parts.table[t], rows,
                               orr__split_parts(b->split));
}

orr_err orr__links_write(struct orr_links_writer *l, const struct orr_world *w,
                         const struct orr_bins *b, bool final)
{
    struct strip links = {.tiles = 0}, parts = {.tiles = 0};
    assert(b->dropped % l->tile_rows == 0);
    uint32_t n_parts = b->split ? orr__split_parts(b->split) : 0;
    orr_err err = make_strip(&links, l, b->columns, b->link, b->links);
    if (err == ORR_OK)
        err = make_strip(&parts, l, n_parts, NULL, n_parts);
    if (err == ORR_OK)
        extend(l, w, b);
    for (uint32_t first = 0; err == ORR_OK && first < b->n;
         first += l->tile_rows) {
        uint32_t left = b->n - first;
        uint32_t n = left < l->tile_rows ? left : l->tile_rows;
        struct row row = {.bins = b,
                          .first = first,
                          .n = n,
                          .tile_row = (b->dropped + first) / l->tile_rows,
                          .final = final || n == l->tile_rows};
        write_row(l, &links, &parts, &row);
    }
    free_strip(&links);
    free_strip(&parts);
    return err;
}
