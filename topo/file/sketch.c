/* From a sketch to a graph. */
#include <igraph/igraph.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "topo/file/file.h"
#include "topo/igraph.h"
#include "topo/node_names.h"

enum { MOST_TO_LAYOUT = 400 };

/* ---- for members ------------------------------------------------------- */

orr_err orr__sketch_fail(const struct orr_sketch *s, struct orr_report *why,
                         const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return orr__yaml_fail(s->draft->config, s->draft->blame, why, "%s: %s",
                          s->name, text);
}

orr_err orr__sketch_open(struct orr_sketch *s, struct orr_scan *scan,
                         struct orr_report *why)
{
    struct orr_report reason = {.code = ORR_OK};
    orr_err err = orr__scan_open(scan, s->path, s->name, &reason);
    scan->why = why;
    if (err == ORR_OK)
        return ORR_OK;
    if (err == ORR_ECONFIG && !reason.line)
        return orr__yaml_fail(s->draft->config, s->draft->blame, why, "%s",
                              reason.message);
    if (why && why->code == ORR_OK)
        *why = reason;
    return err;
}

orr_err orr__sketch_reserve(struct orr_sketch *s, uint64_t nodes,
                            uint64_t cables, struct orr_report *why)
{
    uint64_t all = orr__size_add(nodes, s->nodes);
    uint64_t ends = orr__size_add(cables, s->cables);
    uint64_t bytes =
        orr__size_add(orr__size_mul(all, sizeof *s->node + sizeof *s->id + 24),
                      orr__size_mul(ends, sizeof *s->cable));
    if (all >= UINT32_MAX || ends >= UINT32_MAX / 2
        || !orr__memory_fits(orr__size_mul(bytes, 2)))
        return orr__sketch_fail(s, why,
                                "%.4g nodes and %.4g cables are too "
                                "many for this machine",
                                (double)all, (double)ends);
    void *p = orr__resize(s->node, all, sizeof *s->node);
    if (!p)
        return orr__no_memory(why);
    s->node = p;
    s->node_room = (uint32_t)all;
    p = orr__resize(s->cable, ends, sizeof *s->cable);
    if (!p)
        return orr__no_memory(why);
    s->cable = p;
    s->cable_room = (uint32_t)ends;
    return ORR_OK;
}

orr_err orr__sketch_node(struct orr_sketch *s, bool host,
                         struct orr_report *why)
{
    if (s->nodes == s->node_room) {
        orr_err err = orr__sketch_reserve(s, (uint64_t)s->nodes + 64, 0, why);
        if (err != ORR_OK)
            return err;
    }
    s->node[s->nodes++] = (struct orr_sketch_node){
        .host = host,
        .x = NAN,
        .y = NAN,
        .z = NAN,
        .place = {NAN, NAN},
    };
    return ORR_OK;
}

/* The tiers are numbered in order of first use. */
static orr_err find_tier(struct orr_sketch *s, const char *name, unsigned *tier,
                         struct orr_report *why)
{
    for (*tier = 0; *tier < s->tiers; ++*tier)
        if (strcmp(s->tier[*tier], name) == 0)
            return ORR_OK;
    if (s->tiers == ORR_MOST_TIERS)
        return orr__sketch_fail(s, why, "its edges name more than %d tiers",
                                ORR_MOST_TIERS);
    if (!orr__name_is_shown(name))
        return orr__sketch_fail(s, why,
                                "the name of a tier has a control character, "
                                "or is no UTF-8");
    s->tier[s->tiers] = orr__arena_strdup(&s->arena, name);
    return s->tier[s->tiers++] ? ORR_OK : orr__no_memory(why);
}

orr_err orr__sketch_cable(struct orr_sketch *s, uint32_t a, uint32_t b,
                          const char *tier, const struct orr_line *line,
                          struct orr_report *why)
{
    unsigned t = 0;
    ORR_ASSERT(a < s->nodes && b < s->nodes);
    orr_err err = find_tier(s, tier, &t, why);
    if (err == ORR_OK && s->cables == s->cable_room)
        err = orr__sketch_reserve(s, 0, (uint64_t)s->cables + 64, why);
    if (err != ORR_OK)
        return err;
    s->cable[s->cables++] = (struct orr_sketch_cable){
        .a = a,
        .b = b,
        .tier = (uint8_t)t,
        .line = *line,
    };
    return ORR_OK;
}

/* ---- planning ---------------------------------------------------------- */

/* What messages call a node. */
static const char *name_of(struct orr_sketch *s, uint32_t v)
{
    char number[16];
    if (s->node[v].name)
        return s->node[v].name;
    snprintf(number, sizeof number, "%u", v);
    return orr__arena_strdup(&s->arena, number);
}

orr_err orr__sketch_plan(struct orr_sketch *s, struct orr_size *size,
                         struct orr_report *why)
{
    uint32_t hosts = 0;
    s->id = orr__alloc(s->nodes, sizeof *s->id);
    s->names = orr__alloc(s->nodes, sizeof *s->names);
    if (!s->id || !s->names)
        return orr__no_memory(why);
    for (uint32_t v = 0; v < s->nodes; v++)
        if (s->node[v].host)
            s->id[v] = hosts++;
    uint32_t next = hosts;
    for (uint32_t v = 0; v < s->nodes; v++) {
        if (!s->node[v].host)
            s->id[v] = next++;
        s->names[s->id[v]] = name_of(s, v);
        if (!s->names[s->id[v]])
            return orr__no_memory(why);
    }
    ORR_ASSERT(next == s->nodes);
    size->hosts = hosts;
    size->switches = s->nodes - hosts;
    size->cables = s->cables;
    s->draft->node_name = s->names;
    return hosts ? ORR_OK : orr__sketch_fail(s, why, "there is no host in it");
}

/* ---- drawing ----------------------------------------------------------- */

/* By s->id: hosts got the lower ids. In a graph of hosts only all forward,
 * unless they say that they do not. */
static orr_err draw_nodes(const struct orr_sketch *s, struct orr_report *why)
{
    struct orr_graph *g = s->draft->graph;
    g->servers = orr__alloc(g->hosts, sizeof *g->servers);
    if (!g->servers)
        return orr__no_memory(why);
    for (uint32_t v = 0; v < s->nodes; v++) {
        const struct orr_sketch_node *n = &s->node[v];
        uint32_t id = s->id[v];
        ORR_ASSERT(id < g->nodes && n->host == (id < g->hosts));
        g->level[id] = n->host ? 0 : n->level;
        g->forwards[id] =
            n->forward || !n->host || (g->hosts == g->nodes && !n->stays);
        if (n->server && n->host)
            g->servers[g->n_servers++] = id;
        if (n->label)
            orr__draft_name_if(s->draft, id, n->label);
    }
    if (!s->numbered)
        return ORR_OK;
    g->node_of = orr__alloc(s->nodes, sizeof *g->node_of);
    if (!g->node_of)
        return orr__no_memory(why);
    memcpy(g->node_of, s->id, s->nodes * sizeof *g->node_of);
    return ORR_OK;
}

/* Switches without a level get their distance from the nearest host. */
static void find_levels(struct orr_graph *g)
{
    for (unsigned level = 0; level < 255; level++) {
        bool found = false;
        for (uint32_t c = 0; c < g->cables / g->parallel; c++) {
            for (int back = 0; back < 2; back++) {
                uint32_t a = back ? g->to[c] : g->from[c];
                uint32_t b = back ? g->from[c] : g->to[c];
                if (orr__is_host(g, b) || g->level[b] || g->level[a] != level
                    || (level == 0 && !orr__is_host(g, a)))
                    continue;
                g->level[b] = (uint8_t)(level + 1);
                found = true;
            }
        }
        if (!found && level > 3)
            return;
    }
}

/* Copies the names into one block that the graph owns: an array, NULL-ended,
 * with the texts behind it. */
static orr_err keep_tiers(const struct orr_sketch *s, struct orr_report *why)
{
    struct orr_graph *g = s->draft->graph;
    size_t bytes = (s->tiers + 1) * sizeof(char *);
    for (unsigned i = 0; i < s->tiers; i++)
        bytes += strlen(s->tier[i]) + 1;
    const char **list = g->owned = orr__alloc(bytes, 1);
    if (list == NULL)
        return orr__no_memory(why);
    char *text = (char *)(list + s->tiers + 1);
    for (unsigned i = 0; i < s->tiers; i++) {
        size_t size = strlen(s->tier[i]) + 1;
        list[i] = memcpy(text, s->tier[i], size);
        text += size;
    }
    g->tier_names = list;
    return ORR_OK;
}

/* The regular grid of hosts that some formats know. */
static orr_err keep_dims(const struct orr_sketch *s, struct orr_report *why)
{
    struct orr_graph *g = s->draft->graph;
    g->dims = orr__alloc(s->dims, sizeof *g->dims);
    g->dims_bps = orr__alloc(s->dims, sizeof *g->dims_bps);
    if (!g->dims || !g->dims_bps)
        return orr__no_memory(why);
    memcpy(g->dims, s->dim, s->dims * sizeof *g->dims);
    memcpy(g->dims_bps, s->dim_bps, s->dims * sizeof *g->dims_bps);
    g->n_dims = s->dims;
    return ORR_OK;
}

/* ---- positions --------------------------------------------------------- */

static bool has_positions(const struct orr_sketch *s)
{
    for (uint32_t v = 0; v < s->nodes; v++)
        if (!isfinite(s->node[v].x) || !isfinite(s->node[v].y))
            return false;
    return true;
}

static void take_positions(const struct orr_sketch *s)
{
    struct orr_graph *g = s->draft->graph;
    for (uint32_t v = 0; v < s->nodes; v++) {
        const struct orr_sketch_node *n = &s->node[v];
        g->x[s->id[v]] = n->x;
        g->y[s->id[v]] = n->y;
        g->z[s->id[v]] = isfinite(n->z) ? n->z : 0;
    }
}

/* Nodes by place, not by id. The caller destroys *ig. */
static orr_err make_igraph(const struct orr_sketch *s, igraph_t *ig,
                           const char *doing, struct orr_report *why)
{
    igraph_vector_int_t ends;
    orr_err err = orr__igraph(
        why, igraph_vector_int_init(&ends, 2 * (igraph_integer_t)s->cables),
        doing);
    if (err)
        return err;
    for (uint32_t c = 0; c < s->cables; c++) {
        VECTOR(ends)[2 * (size_t)c] = s->cable[c].a;
        VECTOR(ends)[2 * (size_t)c + 1] = s->cable[c].b;
    }
    err = orr__igraph(
        why, igraph_create(ig, &ends, s->nodes, IGRAPH_UNDIRECTED), doing);
    igraph_vector_int_destroy(&ends);
    return err;
}

/* Springs for a graph of a size that one can look at; else a circle. */
static orr_err lay_out_springs(const struct orr_sketch *s,
                               struct orr_report *why)
{
    static const char doing[] = "laying out a graph";
    igraph_integer_t n = s->nodes;
    igraph_matrix_t at;
    igraph_t ig;
    if (n > MOST_TO_LAYOUT) {
        orr__draft_circle(s->draft, 0, s->nodes);
        return ORR_OK;
    }
    orr_err err = make_igraph(s, &ig, doing, why);
    if (err)
        return err;
    err = orr__igraph(why, igraph_matrix_init(&at, 0, 0), doing);
    if (err)
        goto no_matrix;
    err = orr__igraph(why,
                      igraph_layout_kamada_kawai(&ig, &at, false, 20 * n, 0,
                                                 (igraph_real_t)n, NULL, NULL,
                                                 NULL, NULL, NULL),
                      doing);
    for (igraph_integer_t v = 0; v < n && !err; v++)
        orr__draft_place(s->draft, s->id[v], MATRIX(at, v, 0), MATRIX(at, v, 1),
                         0);
    igraph_matrix_destroy(&at);
no_matrix:
    igraph_destroy(&ig);
    return err;
}

/* A row for each level, hosts below, in order of id. */
static void lay_out_rows(const struct orr_sketch *s)
{
    const struct orr_graph *g = s->draft->graph;
    uint32_t count[256] = {0}, next[256] = {0};
    for (uint32_t v = 0; v < g->nodes; v++)
        count[g->level[v]]++;
    for (uint32_t v = 0; v < g->nodes; v++) {
        unsigned level = g->level[v];
        orr__draft_place(s->draft, v,
                         (2.0 * next[level]++ + 1) / count[level] - 1, level,
                         0);
    }
}

/* What the file left open, for notes and `orrery topo`. */
static void count_lacks(const struct orr_sketch *s)
{
    struct orr_graph *g = s->draft->graph;
    g->unread = s->unread;
    g->inferred.cables = s->cables;
    g->inferred.left_out = s->left_out;
    g->inferred.parts = s->parts;
    for (uint32_t c = 0; c < s->cables; c++) {
        unsigned lacks = s->cable[c].lacks;
        g->inferred.rates += (lacks & ORR_LACKS_RATE) != 0;
        g->inferred.delays += (lacks & ORR_LACKS_DELAY) != 0;
        g->inferred.distances += (lacks & ORR_BY_DISTANCE) != 0;
    }
}

orr_err orr__sketch_draw(struct orr_sketch *s, struct orr_report *why)
{
    orr_err err = draw_nodes(s, why);
    if (!err)
        err = keep_tiers(s, why);
    if (!err && s->dims)
        err = keep_dims(s, why);
    if (err)
        return err;
    for (uint32_t c = 0; c < s->cables && !err; c++) {
        const struct orr_sketch_cable *k = &s->cable[c];
        orr__draft_cable(s->draft, s->id[k->a], s->id[k->b], k->tier, &k->line);
        if (k->simplex)
            err = orr__draft_simplex(s->draft, why);
    }
    if (err)
        return err;
    count_lacks(s);
    find_levels(s->draft->graph);
    if (has_positions(s))
        take_positions(s);
    else if (s->springs)
        return lay_out_springs(s, why);
    else
        lay_out_rows(s);
    return ORR_OK;
}

void orr__sketch_fini(struct orr_sketch *s)
{
    orr__arena_fini(&s->arena);
    orr__free(s->node);
    orr__free(s->cable);
    orr__free(s->id);
    orr__free(s->names);
}
