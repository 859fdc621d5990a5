#include "topo/node_names.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/units.h"
#include "topo/build/build.h"

const char *orr__node_name(const struct orr_graph *g, uint32_t node, char *buf,
                           size_t size)
{
    if (g->name_at && g->name_at[node])
        return g->names + g->name_at[node] - 1;
    snprintf(buf, size, "%s %" PRIu32,
             orr__is_host(g, node) ? "host" : "switch", node);
    return buf;
}

static const char *own_name(const struct orr_graph *g, uint32_t node)
{
    return g->names + g->name_at[node] - 1;
}

/* "host 17": its id, if that is what it is. */
static bool by_number(const struct orr_graph *g, const char *name,
                      uint32_t *node)
{
    bool host = strncmp(name, "host ", 5) == 0;
    int64_t id;
    if (!host && strncmp(name, "switch ", 7) != 0)
        return false;
    if (orr__parse_int(name + (host ? 5 : 7), &id) || id < 0 || id >= g->nodes
        || orr__is_host(g, (uint32_t)id) != host)
        return false;
    *node = (uint32_t)id;
    return true;
}

/* The first of the sorted names that is not before this one. */
static uint32_t place_of(const struct orr_graph *g, const char *name)
{
    uint32_t low = 0, high = g->named;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(own_name(g, g->by_name[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool orr__node_find(const struct orr_graph *g, const char *name, uint32_t *node)
{
    uint32_t i = place_of(g, name);
    if (i < g->named && strcmp(own_name(g, g->by_name[i]), name) == 0) {
        *node = g->by_name[i];
        return true;
    }
    return by_number(g, name, node);
}

bool orr__node_parse(const struct orr_graph *g, const char *text,
                     uint32_t *node)
{
    int64_t id;
    if (orr__parse_int(text, &id))
        return orr__node_find(g, text, node);
    *node = (uint32_t)id;
    return id >= 0 && id < g->nodes;
}

const char *orr__node_nearest(const struct orr_graph *g, const char *name)
{
    enum { NEAR = 8 }; /* neighbours in the order of names */
    const char *list[2 * NEAR + 1] = {NULL};
    uint32_t at = place_of(g, name), n = 0;
    uint32_t from = at > NEAR ? at - NEAR : 0;
    for (uint32_t i = from; i < g->named && i < at + NEAR; i++)
        list[n++] = own_name(g, g->by_name[i]);
    return orr__param_nearest(list, name);
}

/* ---- while a graph is drawn -------------------------------------------- */

static bool grow_text(struct orr_draft_names *n, size_t more)
{
    return orr__array_room(n->text, n->room, n->used + more);
}

/* The text goes behind the others; without memory `failed` is set, and told at
 * the end, so that builders need not check each name. */
static void add_name(struct orr_draft *d, uint32_t node, const char *name)
{
    struct orr_graph *g = d->graph;
    struct orr_draft_names *n = &d->names;
    size_t size = strlen(name) + 1;
    if (!g->name_at)
        g->name_at = orr__alloc(g->nodes + (size_t)d->shift + d->later,
                                sizeof *g->name_at);
    if (!g->name_at || n->used + size >= UINT32_MAX || !grow_text(n, size)) {
        n->failed = true;
        return;
    }
    memcpy(n->text + n->used, name, size);
    g->name_at[node] = (uint32_t)n->used + 1;
    n->used += size;
}

void orr__draft_name(struct orr_draft *d, uint32_t node, const char *fmt, ...)
{
    char name[ORR_NODE_NAME];
    va_list ap;
    va_start(ap, fmt);
    int size = vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    assert(size > 0 && (size_t)size < sizeof name);
    if (!d->names.failed)
        add_name(d, node, name);
}

void orr__draft_name_in_plane(struct orr_draft *d, uint32_t v, uint32_t w,
                              uint32_t plane)
{
    const struct orr_graph *g = d->graph;
    char name[ORR_NODE_NAME];
    int size;

    if (d->names.failed || !g->name_at || !g->name_at[v])
        return;
    size = snprintf(name, sizeof name, "plane%" PRIu32 "/%s", plane,
                    d->names.text + g->name_at[v] - 1);
    if (size > 0 && (size_t)size < sizeof name)
        add_name(d, w, name);
}

bool orr__name_is_shown(const char *name)
{
    size_t left = strlen(name);
    while (left > 0) {
        uint32_t point;
        size_t n = orr__utf8_length(name, left, &point);
        if (n == 0 || !orr__is_shown(point))
            return false;
        name += n;
        left -= n;
    }
    return true;
}

/* A name that could be taken for something else, or does not fit. */
static const char *wrong_with(const char *name)
{
    int64_t number;
    size_t n = strlen(name);
    if (n == 0)
        return "is empty";
    if (n >= ORR_NODE_NAME)
        return "is longer than 63 bytes";
    if (!orr__parse_int(name, &number))
        return "is a number, which would be taken for an id";
    if (strncmp(name, "host ", 5) == 0 || strncmp(name, "switch ", 7) == 0)
        return "would be taken for an id";
    if (name[0] == ' ' || name[n - 1] == ' ' || strpbrk(name, ",\"\n\r\t"))
        return "has a comma, a quote, a tab or a space at its end";
    if (!orr__name_is_shown(name))
        return "has a control character, or is no UTF-8";
    return NULL;
}

void orr__draft_name_if(struct orr_draft *d, uint32_t node, const char *name)
{
    if (!wrong_with(name) && !d->names.failed)
        add_name(d, node, name);
}

/* topology.names, from node 0 on; a wrong name is refused at its place. */
static orr_err read_list(struct orr_draft *d, const struct orr_yaml *list,
                         struct orr_report *why)
{
    size_t n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    if (n == 0)
        return orr__yaml_fail(d->config, list, why,
                              "topology.names must be a list of names, one "
                              "for each node from 0 on");
    if (n > d->graph->nodes)
        return orr__yaml_fail(d->config, list, why,
                              "topology.names has %zu names, but there are "
                              "%" PRIu32 " nodes",
                              n, d->graph->nodes);
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *at = orr__yaml_item(list, i);
        const char *name = orr__yaml_text(d->config, at);
        const char *wrong = name ? wrong_with(name) : "is not a word";
        if (wrong)
            return orr__yaml_fail(d->config, at, why, "topology.names[%zu] %s",
                                  i, wrong);
        add_name(d, (uint32_t)i, name);
    }
    return ORR_OK;
}

static int by_name(const void *a, const void *b, void *graph)
{
    return strcmp(own_name(graph, *(const uint32_t *)a),
                  own_name(graph, *(const uint32_t *)b));
}

/* Two nodes of one name: names of files and of the list are the user's. */
static orr_err refuse_twins(const struct orr_draft *d,
                            const struct orr_yaml *list, struct orr_report *why)
{
    const struct orr_graph *g = d->graph;
    for (uint32_t i = 1; i < g->named; i++) {
        uint32_t a = g->by_name[i - 1], b = g->by_name[i];
        if (strcmp(own_name(g, a), own_name(g, b)) == 0)
            return orr__yaml_fail(d->config, list ? list : d->blame, why,
                                  "nodes %" PRIu32 " and %" PRIu32 " are both "
                                  "called \"%s\"",
                                  a < b ? a : b, a < b ? b : a, own_name(g, a));
    }
    return ORR_OK;
}

orr_err orr__draft_keep_names(struct orr_draft *d, const struct orr_yaml *list,
                              struct orr_report *why)
{
    struct orr_graph *g = d->graph;
    orr_err err = list ? read_list(d, list, why) : ORR_OK;
    if (!err && d->names.failed)
        err = orr__no_memory(why);
    if (err || !g->name_at)
        return err;
    g->names = d->names.text;
    d->names = (struct orr_draft_names){NULL};
    g->by_name = orr__alloc(g->nodes, sizeof *g->by_name);
    if (!g->by_name)
        return orr__no_memory(why);
    for (uint32_t v = 0; v < g->nodes; v++)
        if (g->name_at[v])
            g->by_name[g->named++] = v;
    qsort_r(g->by_name, g->named, sizeof *g->by_name, by_name, g);
    return refuse_twins(d, list, why);
}

orr_err orr__draft_areas(struct orr_draft *d, struct orr_report *why)
{
    struct orr_graph *g = d->graph;
    g->area = orr__alloc(g->nodes + (size_t)d->shift, sizeof *g->area);
    return g->area ? ORR_OK : orr__no_memory(why);
}
