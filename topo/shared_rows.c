#include "topo/shared_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "topo/islands.h"

#define NO_ENTRY UINT32_MAX /* as in routing.c */

/* Entries that differ from column to column, and one everywhere else. */
struct strip {
    uint64_t at; /* in the table: `columns` times fill, these, and fill */
    uint32_t width, fill;
};

/* All that is needed while rows are made; table, row and strips go to the
 * routing at the end. */
struct maker {
    struct orr_shared_rows *rows;
    const struct orr_graph *graph;
    struct orr_islands islands;
    int nvlink;

    /* the row being made: entries of columns, ascending, and of all others */
    uint32_t *column, *entry, n, fill;
    struct orr_hop_sets *sets;
    uint32_t *set;                   /* of links, being made */
    uint32_t *memo;                  /* per group: its entry, or NO_ENTRY */
    uint32_t *strip;                 /* entries of the stretch, being made */
    uint32_t *renamed, renamed_room; /* entries in their order, by the old
                                      * beginning */

    uint64_t *row; /* per row */
    uint32_t *table;
    size_t entries, room;
    struct strip *strips;
    uint32_t n_strips, strip_room;
    struct orr_table known; /* strips by what is in them */
};

/* Of a maker in any state. */
static void maker_fini(struct maker *m)
{
    orr__islands_fini(&m->islands);
    orr__free(m->column);
    orr__free(m->entry);
    orr__free(m->set);
    orr__free(m->memo);
    orr__free(m->strip);
    orr__free(m->renamed);
    orr__free(m->row);
    orr__free(m->table);
    orr__free(m->strips);
    orr__table_fini(&m->known);
}

/* Room by columns and groups; what grows starts empty. */
static orr_err allocate(struct maker *m, struct orr_report *why)
{
    uint32_t columns = m->islands.columns;
    bool ok = true;
#define ARRAY(p, n) ok = ok && ((p) = orr__alloc(n, sizeof *(p))) != NULL
    ARRAY(m->column, columns);
    ARRAY(m->entry, columns);
    ARRAY(m->set, (size_t)m->graph->links + 1);
    ARRAY(m->memo, m->islands.groups);
    ARRAY(m->strip, columns);
    ARRAY(m->row, m->rows->rows);
#undef ARRAY
    if (!ok)
        return orr__no_memory(why);
    memset(m->memo, 0xff, m->islands.groups * sizeof *m->memo);
    return ORR_OK;
}

/* ---- one row: its sets ------------------------------------------------- */

/* How far a link of v is from a column's target, with what it costs itself. */
static uint32_t detour_of_link(const struct maker *m, uint32_t link, uint32_t c)
{
    uint32_t u = m->graph->to[link], d = ORR_FAR;
    if (u == m->islands.target[c])
        return 1;
    if (m->graph->forwards[u])
        d = orr__islands_distance(&m->islands, u, c);
    return d == ORR_FAR ? d : d + 1;
}

/* The entry for all links of v that are best. */
static orr_err find_best(struct maker *m, uint32_t v, uint32_t c,
                         uint32_t *entry, struct orr_report *why)
{
    const struct orr_graph *g = m->graph;
    uint32_t n = 0, best = ORR_FAR;
    *entry = 0;
    if (v == m->islands.target[c])
        return ORR_OK;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t d = detour_of_link(m, g->out_link[i], c);
        if (d < best) {
            best = d;
            n = 0;
        }
        if (d == best && d != ORR_FAR)
            m->set[n++] = g->out_link[i];
    }
    if (n == 0)
        m->set[n++] = g->links;
    if (m->nvlink >= 0 && n > 1)
        n = orr__prefer_tier(g, m->nvlink, m->set, n);
    return orr__hop_sets_add(m->sets, v, m->set, n, entry, why);
}

static orr_err list_columns(struct maker *m, uint32_t v, const uint32_t *column,
                            uint32_t n, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n && !err; i++) {
        m->column[m->n] = column[i];
        err = find_best(m, v, column[i], &m->entry[m->n], why);
        m->n += !err;
    }
    return err;
}

/* Of a node that forwards: one entry for each group, but for those destinations
 * that hang on it, and for itself. */
static orr_err list_island(struct maker *m, uint32_t v, struct orr_report *why)
{
    const struct orr_islands *s = &m->islands;
    uint32_t island = s->island[v];
    const uint32_t *reach = s->reach + s->reach_off[island];
    uint32_t n = s->reach_off[island + 1] - s->reach_off[island];
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n && !err; i++) {
        uint32_t k = orr__islands_group(s, reach[i], island);
        bool last = s->dist[s->group[k].dist + s->place[v]]
                    <= (s->group[k].itself ? 0 : 1);
        m->column[m->n] = reach[i];
        m->entry[m->n] = m->memo[k];
        if (last || m->memo[k] == NO_ENTRY)
            err = find_best(m, v, reach[i], &m->entry[m->n], why);
        if (!last)
            m->memo[k] = m->entry[m->n];
        m->n++;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t k = orr__islands_group(s, reach[i], island);
        m->memo[k] = NO_ENTRY;
    }
    m->set[0] = m->graph->links;
    if (!err && m->n < s->columns)
        err = orr__hop_sets_add(m->sets, v, m->set, 1, &m->fill, why);
    return err;
}

/* Neighbours of v in the main island, those on several links once; *link: all
 * links to the last of them. */
static uint32_t count_neighbours(struct maker *m, uint32_t v, uint32_t *links)
{
    const struct orr_graph *g = m->graph;
    uint32_t neighbours = 0, last = ORR_NONE;
    *links = 0;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t l = g->out_link[i], u = g->to[l];
        if (m->islands.island[u] != m->islands.main)
            continue;
        if (u != last) {
            neighbours++;
            *links = 0;
        }
        last = u;
        m->set[(*links)++] = l;
    }
    return neighbours;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Columns that v, which does not forward, reaches on other ways than over the
 * main island: into m->strip, each once, ascending. UINT32_MAX: too many. */
static uint32_t find_others(struct maker *m, uint32_t v)
{
    const struct orr_graph *g = m->graph;
    const struct orr_islands *s = &m->islands;
    uint32_t n = 0, kept = 0;
    for (uint32_t i = g->out_off[v]; i <= g->out_off[v + 1]; i++) {
        uint32_t u = i < g->out_off[v + 1] ? g->to[g->out_link[i]] : v;
        uint32_t island = s->island[u], of = s->column[u];
        const uint32_t *from = &of, *end = &of + (of != ORR_NONE);
        if (island != ORR_NONE && island != s->main) {
            from = s->reach + s->reach_off[island];
            end = s->reach + s->reach_off[island + 1];
        }
        if ((size_t)(end - from) > s->columns - n)
            return UINT32_MAX;
        while (from < end)
            m->strip[n++] = *from++;
    }
    qsort(m->strip, n, sizeof *m->strip, by_number);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || m->strip[i] != m->strip[i - 1])
            m->strip[kept++] = m->strip[i];
    return kept;
}

/* Of a host that does not forward. */
static orr_err list_host(struct maker *m, uint32_t v, struct orr_report *why)
{
    uint32_t links, neighbours = count_neighbours(m, v, &links), n;
    orr_err err = ORR_OK;
    if (neighbours == 1 && m->nvlink >= 0 && links > 1)
        links = orr__prefer_tier(m->graph, m->nvlink, m->set, links);
    n = neighbours == 1 ? find_others(m, v) : UINT32_MAX;
    if (n == UINT32_MAX) {
        for (n = 0; n < m->islands.columns; n++)
            m->strip[n] = n;
        return list_columns(m, v, m->strip, n, why);
    }
    err = orr__hop_sets_add(m->sets, v, m->set, links, &m->fill, why);
    return err ? err : list_columns(m, v, m->strip, n, why);
}

/* ---- its strip --------------------------------------------------------- */

static void trim_row(struct maker *m, uint32_t fill, uint32_t *first,
                     uint32_t *end)
{
    *first = 0;
    *end = m->n;
    while (*first < *end && m->entry[*first] == fill)
        ++*first;
    while (*end > *first && m->entry[*end - 1] == fill)
        --*end;
}

/* What is everywhere else, where all columns are listed: the entry of the last
 * column or the first, whichever leaves the shorter stretch. */
static void choose_fill(struct maker *m)
{
    uint32_t first, end, shortest;
    if (m->fill != NO_ENTRY)
        return;
    ORR_ASSERT(m->n == m->islands.columns);
    m->fill = m->n ? m->entry[m->n - 1] : 0;
    if (m->n == 0)
        return;
    trim_row(m, m->fill, &first, &end);
    shortest = end - first;
    trim_row(m, m->entry[0], &first, &end);
    if (end - first < shortest)
        m->fill = m->entry[0];
}

/* Sets in the order in which the strip has them, so that equal rows have equal
 * entries: an old entry's new one. */
static uint32_t rename_entry(struct maker *m, struct orr_hop_sets *to,
                             uint32_t entry)
{
    uint32_t n = orr__entry_links(m->sets->list, entry);
    uint32_t from = orr__entry_first(entry);
    if (n == 0)
        return entry;
    if (m->renamed[from] == NO_ENTRY)
        m->renamed[from] = orr__hop_sets_append(to->list, &to->length,
                                                m->sets->list + from, n);
    return m->renamed[from];
}

/* The stretch from column *low on in m->strip, its width in *width. */
static orr_err draw_strip(struct maker *m, uint32_t *low, uint32_t *width,
                          struct orr_report *why)
{
    uint32_t first, end, length = m->sets->length, c;
    struct orr_hop_sets to = {.room = length, .wide = m->sets->wide};
    to.list = orr__alloc(length, sizeof *to.list);
    if (!to.list
        || !orr__array_room(m->renamed, m->renamed_room, (size_t)length + 1)) {
        orr__free(to.list);
        return orr__no_memory(why);
    }
    memset(m->renamed, 0xff, length * sizeof *m->renamed);
    choose_fill(m);
    trim_row(m, m->fill, &first, &end);
    m->fill = rename_entry(m, &to, m->fill);
    *low = c = first < end ? m->column[first] : 0;
    for (uint32_t i = first; i < end; i++) {
        while (c < m->column[i])
            m->strip[c++ - *low] = m->fill;
        m->strip[c++ - *low] = rename_entry(m, &to, m->entry[i]);
    }
    *width = c - *low;
    orr__hop_sets_fini(m->sets);
    *m->sets = to;
    return ORR_OK;
}

static bool strip_is(const struct maker *m, const struct strip *p,
                     uint32_t width)
{
    return p->width == width && p->fill == m->fill
           && memcmp(m->table + p->at + m->islands.columns, m->strip,
                     width * sizeof *m->strip)
                  == 0;
}

/* A strip of two row lengths, filled with `fill` but for m->strip in its
 * middle. */
static orr_err add_strip(struct maker *m, uint32_t width,
                         struct orr_report *why)
{
    size_t columns = m->islands.columns, end = m->entries + 2 * columns;
    ORR_ASSERT(width <= columns);
    if (!orr__memory_fits(2 * columns * sizeof *m->table)
        || !orr__array_room(m->table, m->room, end)
        || !orr__array_more(m->strips, m->strip_room, m->n_strips))
        return orr__no_memory(why);
    uint32_t *to = m->table + m->entries;
    for (size_t i = 0; i < 2 * columns; i++)
        to[i] = m->fill;
    memcpy(to + columns, m->strip, width * sizeof *to);
    m->strips[m->n_strips++] = (struct strip){m->entries, width, m->fill};
    m->entries = end;
    return ORR_OK;
}

/* Finds or adds the strip of row number i. */
static orr_err place_row(struct maker *m, uint32_t i, struct orr_report *why)
{
    uint32_t low, width, at;
    orr_err err = draw_strip(m, &low, &width, why);
    if (err)
        return err;
    uint64_t key =
        XXH3_64bits_withSeed(m->strip, width * sizeof *m->strip, m->fill);
    for (; (at = orr__table_find(&m->known, key)) != ORR_NONE; key++)
        if (strip_is(m, &m->strips[at], width))
            break;
    if (at == ORR_NONE) {
        at = m->n_strips;
        err = add_strip(m, width, why);
        if (!err && !orr__table_add(&m->known, key, at))
            err = orr__no_memory(why);
    }
    if (!err)
        m->row[i] = m->strips[at].at + m->islands.columns - low;
    return err;
}

/* ---- all rows ---------------------------------------------------------- */

static orr_err make_row(struct maker *m, uint32_t i, struct orr_report *why)
{
    uint32_t v = m->rows->node[i];
    m->sets = &m->rows->sets[i];
    m->n = 0;
    m->fill = NO_ENTRY;
    orr_err err =
        m->graph->forwards[v] ? list_island(m, v, why) : list_host(m, v, why);
    return err ? err : place_row(m, i, why);
}

/* Entries in whole rows. */
static uint64_t entries_of_rows(const struct maker *m)
{
    return (uint64_t)m->rows->rows * m->rows->distances->columns;
}

/* From so many entries on whole rows take longer than a moment. */
static bool is_large(const struct maker *m)
{
    return entries_of_rows(m) >= 1 << 20;
}

/* Where there are a quarter as many distances, or fewer. */
static bool pays_off(const struct maker *m)
{
    return orr__islands_distances(&m->islands) <= entries_of_rows(m) / 4;
}

/* The routes get what was made. */
static void hand_over(struct maker *m)
{
    struct orr_shared_rows *r = m->rows;
    struct orr_islands *s = &m->islands;
    struct orr_distances *t = r->distances;
    for (uint32_t i = 0; i < r->rows; i++)
        r->routes->row[r->node[i]] = m->row[i];
    for (uint32_t v = 0; v < m->graph->nodes; v++)
        if (t->column[v] != ORR_NONE)
            t->column[v] = s->column[t->target[t->column[v]]];
    t->columns = s->columns;
    orr__free(t->target);
    t->target = s->target;
    s->target = NULL;
    r->routes->table = m->table;
    m->table = NULL;
    r->entries = m->entries;
}

orr_err orr__rows_share(struct orr_shared_rows *r, bool always, bool *done,
                        struct orr_report *why)
{
    struct maker m = {.rows = r,
                      .graph = r->distances->graph,
                      .nvlink = orr__nvlink_tier(r->distances->graph)};
    *done = false;
    if (!always && !is_large(&m))
        return ORR_OK;
    orr_err err = orr__islands_find(&m.islands, r->distances, why);
    if (err || !orr__islands_join(&m.islands, r->distances)
        || !(always || pays_off(&m)))
        goto out;
    err = orr__islands_measure(&m.islands, why);
    if (!err)
        err = allocate(&m, why);
    *done = !err;
    for (uint32_t i = 0; i < r->rows && !err && *done; i++) {
        err = make_row(&m, i, why);
        *done = !err && (always || m.entries <= entries_of_rows(&m) / 2);
    }
    if (*done)
        hand_over(&m);
    for (uint32_t i = 0; i < r->rows && !*done; i++)
        orr__hop_sets_fini(&r->sets[i]);
out:
    maker_fini(&m);
    return err;
}
