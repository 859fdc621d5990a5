#include "topo/islands.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"

void orr__islands_fini(struct orr_islands *s)
{
    uint32_t *array[] = {s->island, s->place,     s->size,  s->target,
                         s->column, s->touch_off, s->touch, s->reach_off,
                         s->reach,  s->near};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        orr__free(array[i]);
    orr__free(s->group);
    orr__free(s->dist);
    orr__table_fini(&s->known);
    *s = (struct orr_islands){.graph = NULL};
}

/* All that can be reached from a node that forwards; queue: room for all. */
static void fill_island(struct orr_islands *s, uint32_t first, uint32_t *queue)
{
    const struct orr_graph *g = s->graph;
    uint32_t n = 0;
    s->island[first] = s->islands;
    queue[n++] = first;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t v = queue[at];
        s->place[v] = at;
        for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
            uint32_t u = g->to[g->out_link[i]];
            if (!g->forwards[u] || s->island[u] != ORR_NONE)
                continue;
            s->island[u] = s->islands;
            queue[n++] = u;
        }
    }
    s->size[s->islands++] = n;
}

/* Hosts with more than one cable, and what t leads to. */
static void number_columns(struct orr_islands *s, const struct orr_distances *t)
{
    const struct orr_graph *g = s->graph;
    memset(s->column, 0xff, g->nodes * sizeof *s->column);
    for (uint32_t c = 0; c < t->columns; c++)
        s->column[t->target[c]] = 0;
    for (uint32_t v = 0; v < g->nodes; v++) {
        bool could_be = g->sends[v] && !g->forwards[v]
                        && g->in_off[v + 1] - g->in_off[v] > 1;
        if (s->column[v] == ORR_NONE && !could_be)
            continue;
        s->column[v] = s->columns;
        s->target[s->columns++] = v;
    }
}

static bool is_group(const struct orr_islands *s, uint32_t k,
                     const uint32_t *near, uint32_t n, bool itself)
{
    const struct orr_island_group *p = &s->group[k];
    return p->n == n && p->itself == itself
           && memcmp(s->near + p->near, near, n * sizeof *near) == 0;
}

/* The group of these nodes of one island. */
static orr_err find_group(struct orr_islands *s, const uint32_t *near,
                          uint32_t n, bool itself, uint32_t *k,
                          struct orr_report *why)
{
    uint64_t key = XXH3_64bits_withSeed(near, n * sizeof *near, itself);
    for (; (*k = orr__table_find(&s->known, key)) != ORR_NONE; key++)
        if (is_group(s, *k, near, n, itself))
            return ORR_OK;
    if (!orr__array_more(s->group, s->group_room, s->groups)
        || !orr__array_room(s->near, s->near_room, (size_t)s->nears + n)
        || !orr__table_add(&s->known, key, s->groups))
        return orr__no_memory(why);
    memcpy(s->near + s->nears, near, n * sizeof *near);
    s->group[ *k = s->groups++] =
        (struct orr_island_group){s->island[near[0]], s->nears, n, itself, 0};
    s->nears += n;
    return ORR_OK;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The nodes that a destination hangs on, each once, ascending. */
static uint32_t find_near(const struct orr_islands *s, uint32_t target,
                          uint32_t *near)
{
    const struct orr_graph *g = s->graph;
    uint32_t n = 0, kept = 0;
    for (uint32_t i = g->in_off[target]; i < g->in_off[target + 1]; i++)
        if (g->forwards[g->from[g->in_link[i]]])
            near[n++] = g->from[g->in_link[i]];
    qsort(near, n, sizeof *near, compare_ids);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || near[i] != near[i - 1])
            near[kept++] = near[i];
    return kept;
}

/* The groups of a column, from its `n` nodes; rest: room for as many. */
static orr_err touch_islands(struct orr_islands *s, uint32_t *near, uint32_t n,
                             uint32_t *rest, struct orr_report *why)
{
    orr_err err = ORR_OK;
    uint32_t of = s->touch_off[0];
    while (n > 0 && !err) {
        uint32_t island = s->island[near[0]], same = 0, others = 0;
        for (uint32_t i = 0; i < n; i++)
            if (s->island[near[i]] == island)
                near[same++] = near[i];
            else
                rest[others++] = near[i];
        err = find_group(s, near, same, false, &s->touch[of], why);
        of += !err;
        memcpy(near, rest, others * sizeof *near);
        n = others;
    }
    s->touch_off[0] = of;
    return err;
}

/* touch_off[0] counts while it is done. room: for the nodes that one
 * destination hangs on, twice. */
static orr_err make_groups(struct orr_islands *s, uint32_t *room, uint32_t most,
                           struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t c = 0; c < s->columns && !err; c++) {
        uint32_t v = s->target[c];
        if (s->graph->forwards[v]) {
            uint32_t *k = &s->touch[s->touch_off[0]++];
            err = find_group(s, &v, 1, true, k, why);
        } else {
            err =
                touch_islands(s, room, find_near(s, v, room), room + most, why);
        }
        s->touch_off[c + 1] = s->touch_off[0];
    }
    s->touch_off[0] = 0;
    return err;
}

/* Columns of each island, by counting; s->main gets the island with most of
 * them. */
static orr_err list_reach(struct orr_islands *s, struct orr_report *why)
{
    uint32_t touches = s->touch_off[s->columns];
    s->reach_off = orr__alloc((size_t)s->islands + 2, sizeof *s->reach_off);
    s->reach = orr__alloc(touches, sizeof *s->reach);
    if (!s->reach_off || !s->reach)
        return orr__no_memory(why);
    uint32_t *off = s->reach_off + 1; /* moves on to its end as it fills */
    for (uint32_t i = 0; i < touches; i++)
        off[s->group[s->touch[i]].island + 1]++;
    for (uint32_t i = 0; i < s->islands; i++)
        off[i + 1] += off[i];
    for (uint32_t c = 0; c < s->columns; c++)
        for (uint32_t i = s->touch_off[c]; i < s->touch_off[c + 1]; i++)
            s->reach[off[s->group[s->touch[i]].island]++] = c;
    for (uint32_t i = 0; i < s->islands; i++)
        if (s->reach_off[i + 1] - s->reach_off[i]
            > s->reach_off[s->main + 1] - s->reach_off[s->main])
            s->main = i;
    return ORR_OK;
}

/* All but what grows later. */
static orr_err allocate(struct orr_islands *s, struct orr_report *why)
{
    const struct orr_graph *g = s->graph;
    bool ok = true;
#define ARRAY(p, n) ok = ok && ((p) = orr__alloc(n, sizeof *(p))) != NULL
    ARRAY(s->island, g->nodes);
    ARRAY(s->place, g->nodes);
    ARRAY(s->size, g->nodes);
    ARRAY(s->target, g->nodes);
    ARRAY(s->column, g->nodes);
    ARRAY(s->touch_off, (size_t)g->nodes + 1);
    ARRAY(s->touch, (size_t)g->links + g->nodes);
#undef ARRAY
    return ok ? ORR_OK : orr__no_memory(why);
}

orr_err orr__islands_find(struct orr_islands *s, const struct orr_distances *t,
                          struct orr_report *why)
{
    const struct orr_graph *g = t->graph;
    *s = (struct orr_islands){.graph = g};
    ORR_ASSERT(!t->closed && !t->areas);
    uint32_t *room = orr__alloc(2 * (size_t)g->links + g->nodes, sizeof *room);
    orr_err err = allocate(s, why);
    if (!err && !room)
        err = orr__no_memory(why);
    if (err)
        goto out;
    memset(s->island, 0xff, g->nodes * sizeof *s->island);
    for (uint32_t v = 0; v < g->nodes; v++)
        if (g->forwards[v] && s->island[v] == ORR_NONE)
            fill_island(s, v, room);
    number_columns(s, t);
    err = make_groups(s, room, g->links, why);
    if (!err)
        err = list_reach(s, why);
out:
    orr__free(room);
    return err;
}

bool orr__islands_join(const struct orr_islands *s,
                       const struct orr_distances *t)
{
    for (uint32_t c = 0; c < t->columns; c++)
        if (orr__islands_group(s, s->column[t->target[c]], s->main) == ORR_NONE)
            return false;
    return true;
}

uint64_t orr__islands_distances(const struct orr_islands *s)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < s->groups; k++)
        n += s->size[s->group[k].island];
    return n;
}

/* Against the links, from all nodes that a group hangs on at once. */
static void search(const struct orr_islands *s,
                   const struct orr_island_group *k, uint32_t *queue)
{
    const struct orr_graph *g = s->graph;
    uint16_t *dist = s->dist + k->dist;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->size[k->island]; i++)
        dist[i] = ORR_FAR;
    for (uint32_t i = 0; i < k->n; i++) {
        queue[n++] = s->near[k->near + i];
        dist[s->place[queue[i]]] = !k->itself;
    }
    for (uint32_t at = 0; at < n; at++) {
        uint32_t u = queue[at], d = dist[s->place[u]] + 1u;
        for (uint32_t i = g->in_off[u]; i < g->in_off[u + 1]; i++) {
            uint32_t v = g->from[g->in_link[i]];
            if (!g->forwards[v] || d >= dist[s->place[v]])
                continue;
            dist[s->place[v]] = (uint16_t)d;
            queue[n++] = v;
        }
    }
}

orr_err orr__islands_measure(struct orr_islands *s, struct orr_report *why)
{
    uint64_t n = 0;
    s->dist = orr__alloc(orr__islands_distances(s), sizeof *s->dist);
    uint32_t *queue = orr__alloc(s->graph->nodes, sizeof *queue);
    bool ok = s->dist && queue;
    for (uint32_t k = 0; k < s->groups && ok; k++) {
        s->group[k].dist = n;
        n += s->size[s->group[k].island];
        search(s, &s->group[k], queue);
    }
    orr__free(queue);
    return ok ? ORR_OK : orr__no_memory(why);
}
