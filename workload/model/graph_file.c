/* PipeDream's graph.txt: layers with measured times and sizes, and which takes
 * the output of which.
 *
 *   NAME -- WHAT -- forward_compute_time=MS, backward_compute_time=MS,
 *       activation_size=BYTES, parameter_size=BYTES [-- stage_id=N]
 *   <tab>NAME -- NAME
 *
 * with the first of these on one line; `activation_size` may be a list,
 * [BYTES; BYTES], that is added up. Sizes and times are those of one minibatch,
 * whose samples the file does not count: here it is one sample. As in
 * PipeDream's optimiser, sources that are an Input and sinks that are a
 * __getitem__ are no layers. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/names.h"
#include "core/scan.h"
#include "core/text.h"
#include "core/units.h"
#include "workload/model/model.h"

#define NODES_MAX (1u << 20)
#define EDGES_MAX (1u << 22)
#define BYTES_MAX UINT64_C(1000000000000000)

/* Where in the file something stands, from 1 on: failures name it. */
struct place {
    int line, col;
};

/* A line with a layer, in the order of the file. Not all become layers of the
 * model, and these get another order. */
struct node {
    const char *name; /* in the model's arena */
    int64_t time[2];  /* ps: forward, backward */
    uint64_t size[2]; /* bytes: activations, parameters */
    bool input, item; /* WHAT begins with Input, with __getitem__ */
    bool gone;        /* it is no layer */
    struct place at;
    uint32_t before, after; /* edges to it and from it, of layers */
    uint32_t layer;         /* or ORR_NONE */
};

/* A line with an edge. Its nodes are known once all lines are read, for it may
 * name one that comes later. */
struct edge {
    const char *name[2]; /* from, to; in the model's arena */
    struct place at[2];
    uint32_t node[2];
};

/* While a file is read. It owns names, node, edge and order, which
 * orr__model_read_graph frees; m goes to the caller if all goes well. */
struct reader {
    const char *file, *text;
    size_t length;
    struct orr_report *why;
    struct orr_scan s;
    struct orr_model *m;
    struct orr_names names;
    struct node *node;
    struct edge *edge;
    uint32_t nodes, edges, node_room, edge_room;
    uint32_t *order; /* nodes, by layer */
};

/* ---- failures ------------------------------------------------------------ */

static orr_err fail_at(struct reader *r, struct place at, const char *fmt, ...)
    ORR_PRINTF(3, 4);
/* For what turns out wrong when the scanner is further on: it looks for the
 * line anew to show it. Always ECONFIG. */
static orr_err fail_at(struct reader *r, struct place at, const char *fmt, ...)
{
    const char *line = r->text, *end = r->text + r->length;
    va_list ap;
    va_start(ap, fmt);
    orr__vfail_at(r->why, ORR_ECONFIG, r->file, at.line, at.col, fmt, ap);
    va_end(ap);
    for (int i = 1; i < at.line && line < end; i++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        line = next ? next + 1 : end;
    }
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    orr__excerpt(r->why, line, (size_t)((stop ? stop : end) - line));
    return ORR_ECONFIG;
}

static struct place place_of(const struct reader *r)
{
    return (struct place){orr__scan_line(&r->s), orr__scan_column(&r->s)};
}

/* ---- a line -------------------------------------------------------------- */

static orr_err fail_form(struct reader *r)
{
    orr_err err = orr__scan_fail(&r->s, "neither a layer nor an edge");
    orr__hint(r->why, "a layer is `NAME -- WHAT -- forward_compute_time=..., "
                      "backward_compute_time=..., activation_size=..., "
                      "parameter_size=...`, an edge `NAME -- NAME`");
    return err;
}

static bool is_dash(const struct orr_scan *s)
{
    return strcmp(s->word, "--") == 0;
}

/* A number that stands from `at` to the next of , ; ] and has no unit. */
static orr_err read_number(struct reader *r, const char *at, bool time,
                           void *out)
{
    size_t n = strcspn(at, ",;]"), offset = (size_t)(at - r->s.word);
    char text[64];
    bool fine = n > 0 && n + 3 < sizeof text;
    if (fine) {
        snprintf(text, sizeof text, "%.*s%s", (int)n, at, time ? "ms" : "B");
        fine =
            !(time ? orr__parse_time(text, out) : orr__parse_size(text, out));
    }
    if (fine && (time || *(uint64_t *)out <= BYTES_MAX))
        return ORR_OK;
    return orr__scan_fail_at(
        &r->s, offset, "\"%.*s\" is %s", n < 40 ? (int)n : 40, at,
        fine   ? "more than 1000TB"
        : time ? "no time: a number of milliseconds is expected"
               : "no size: a number of bytes is expected");
}

/* The sum of a list [A; B], over as many words as it takes. */
static orr_err read_list(struct reader *r, const char *at, uint64_t *sum)
{
    uint64_t one = 0;
    for (;;) {
        orr_err err = read_number(r, at, false, &one);
        if (err != ORR_OK)
            return err;
        *sum += one;
        if (*sum > BYTES_MAX)
            return orr__scan_fail(&r->s, "more than 1000TB of activations");
        if (strchr(at, ']'))
            return ORR_OK;
        if (!orr__scan_here(&r->s))
            return orr__scan_fail(&r->s, "the list has no end: ] is missing");
        at = r->s.word;
    }
}

/* The next word has to be KEY=VALUE. *out: int64_t of ps if it is a time, else
 * uint64_t of bytes, at most BYTES_MAX and the sum of a list. */
static orr_err read_field(struct reader *r, const char *key, bool time,
                          void *out)
{
    struct orr_scan *s = &r->s;
    size_t n = strlen(key);
    if (!orr__scan_here(s))
        return orr__scan_fail(s, "`%s=...` is missing", key);
    if (strncmp(s->word, key, n) != 0 || s->word[n] != '=')
        return orr__scan_fail(s, "`%s=...` is expected here", key);
    const char *at = s->word + n + 1;
    if (!time && *at == '[') {
        *(uint64_t *)out = 0;
        return read_list(r, at + 1, out);
    }
    return read_number(r, at, time, out);
}

/* The rest of a layer's line, from WHAT on, which may be several words.
 * `stage_id` is what an optimiser put there; it is skipped. */
static orr_err read_fields(struct reader *r, struct node *n)
{
    struct orr_scan *s = &r->s;
    while (!is_dash(s))
        if (!orr__scan_here(s))
            return fail_form(r);
    orr_err err = read_field(r, "forward_compute_time", true, &n->time[0]);
    if (err == ORR_OK)
        err = read_field(r, "backward_compute_time", true, &n->time[1]);
    if (err == ORR_OK)
        err = read_field(r, "activation_size", false, &n->size[0]);
    if (err == ORR_OK)
        err = read_field(r, "parameter_size", false, &n->size[1]);
    if (err != ORR_OK || !orr__scan_here(s))
        return err;
    bool stage = is_dash(s) && orr__scan_here(s)
                 && strncmp(s->word, "stage_id=", 9) == 0;
    if (!stage || orr__scan_here(s))
        return orr__scan_fail(s, "only ` -- stage_id=N` may stand here");
    return ORR_OK;
}

/* Keeps a copy; the name stays in the model's arena. A second layer of that
 * name is an error, for edges could not tell them apart. */
static orr_err add_node(struct reader *r, const struct node *n)
{
    uint32_t twin = orr__names_find(&r->names, n->name);
    if (twin != ORR_NONE)
        return fail_at(r, n->at, "layer %s is there already, on line %d",
                       n->name, r->node[twin].at.line);
    if (r->nodes >= NODES_MAX)
        return fail_at(r, n->at, "more layers than any model has");
    if (!orr__array_more(r->node, r->node_room, r->nodes)
        || !orr__names_add(&r->names, n->name, r->nodes))
        return orr__no_memory(r->why);
    r->node[r->nodes++] = *n;
    return ORR_OK;
}

static orr_err add_edge(struct reader *r, const struct edge *e)
{
    if (r->edges >= EDGES_MAX)
        return fail_at(r, e->at[0], "more edges than any model has");
    if (!orr__array_more(r->edge, r->edge_room, r->edges))
        return orr__no_memory(r->why);
    r->edge[r->edges++] = *e;
    return ORR_OK;
}

/* The line that begins with the last word. */
static orr_err read_line(struct reader *r)
{
    struct orr_scan *s = &r->s;
    struct node n = {.layer = ORR_NONE, .at = place_of(r)};
    n.name = orr__arena_strdup(&r->m->arena, s->word);
    if (!n.name)
        return orr__no_memory(r->why);
    if (!orr__scan_here(s) || !is_dash(s) || !orr__scan_here(s))
        return fail_form(r);
    n.input = strncmp(s->word, "Input", 5) == 0;
    n.item = strncmp(s->word, "__getitem__", 11) == 0;
    struct edge e = {.name = {n.name}, .at = {n.at, place_of(r)}};
    e.name[1] = orr__arena_strdup(&r->m->arena, s->word);
    if (!e.name[1])
        return orr__no_memory(r->why);
    if (!orr__scan_here(s))
        return add_edge(r, &e);
    orr_err err = read_fields(r, &n);
    return err == ORR_OK ? add_node(r, &n) : err;
}

static orr_err read_lines(struct reader *r)
{
    orr_err err = orr__scan_text(&r->s, r->file, r->text, r->length, r->why);
    if (err != ORR_OK)
        return err;
    while (err == ORR_OK && orr__scan_word(&r->s))
        err = read_line(r);
    orr__scan_fini(&r->s);
    return err;
}

/* ---- the graph ----------------------------------------------------------- */

/* Names of edges to nodes, and each node's edges counted on both sides. ECONFIG
 * where an edge leads to a name that no line has. */
static orr_err resolve(struct reader *r)
{
    for (uint32_t i = 0; i < r->edges; i++) {
        struct edge *e = &r->edge[i];
        for (int k = 0; k < 2; k++) {
            e->node[k] = orr__names_find(&r->names, e->name[k]);
            if (e->node[k] == ORR_NONE)
                return fail_at(r, e->at[k],
                               "a hole: no layer of this file is called "
                               "\"%.60s\"",
                               e->name[k]);
        }
        r->node[e->node[0]].after++;
        r->node[e->node[1]].before++;
    }
    return ORR_OK;
}

/* Inputs that nothing precedes, then items that nothing follows. */
static void drop_ends(struct reader *r)
{
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < r->nodes; i++) {
            struct node *n = &r->node[i];
            n->gone =
                n->gone || (k ? n->item && !n->after : n->input && !n->before);
        }
        uint32_t kept = 0;
        for (uint32_t i = 0; i < r->edges; i++) {
            struct edge *e = &r->edge[i];
            struct node *from = &r->node[e->node[0]];
            struct node *to = &r->node[e->node[1]];
            if (from->gone || to->gone) {
                from->after--;
                to->before--;
            } else {
                r->edge[kept++] = *e;
            }
        }
        r->edges = kept;
    }
}

/* Layer by layer, depth first: what is ready last goes first, so that branches
 * stay together. Returns how many there are; fewer than all: a cycle. */
static uint32_t sort_layers(struct reader *r, const uint32_t *off,
                            const uint32_t *out, uint32_t *left,
                            uint32_t *stack)
{
    uint32_t n = 0, top = 0;
    for (uint32_t i = r->nodes; i-- > 0;) {
        left[i] = r->node[i].before;
        if (!r->node[i].gone && !left[i])
            stack[top++] = i;
    }
    while (top) {
        uint32_t i = stack[--top];
        r->order[n] = i;
        r->node[i].layer = n++;
        for (uint32_t k = off[i + 1]; k-- > off[i];)
            if (--left[r->edge[out[k]].node[1]] == 0)
                stack[top++] = r->edge[out[k]].node[1];
    }
    return n;
}

/* Names the cycle that some node without a layer leads back to: each such node
 * has one before it. */
static orr_err fail_cycle(struct reader *r, const uint32_t *in)
{
    struct orr_text t = {.s = NULL};
    uint32_t at = 0, shown = 0, last;
    while (r->node[at].gone || r->node[at].layer != ORR_NONE)
        at++;
    for (uint32_t i = 0; i < r->nodes; i++) /* into the cycle */
        at = r->edge[in[at]].node[0];
    last = in[at];
    uint32_t end = at;
    do {
        if (shown++ < 6)
            orr__text_add(&t, "%s%.40s", shown > 1 ? ", " : "",
                          r->node[at].name);
        at = r->edge[in[at]].node[0];
    } while (at != end);
    if (shown > 6)
        orr__text_add(&t, ", ... (%u layers)", shown);
    char *text = orr__text_done(&t);
    if (!text)
        return orr__no_memory(r->why);
    fail_at(r, r->edge[last].at[0],
            "a cycle: backwards from here, the outputs come from %s", text);
    orr__free(text);
    return ORR_ECONFIG;
}

/* A layer that no chain of edges joins to the first one. */
static orr_err check_joined(struct reader *r, uint32_t layers)
{
    uint32_t *root = orr__alloc(layers, sizeof *root);
    if (!root)
        return orr__no_memory(r->why);
    for (uint32_t i = 0; i < layers; i++)
        root[i] = i;
    for (uint32_t i = 0; i < r->edges; i++) {
        uint32_t x[2];
        for (int k = 0; k < 2; k++) {
            x[k] = r->node[r->edge[i].node[k]].layer;
            while (root[x[k]] != x[k])
                x[k] = root[x[k]] = root[root[x[k]]];
        }
        root[x[0] > x[1] ? x[0] : x[1]] = x[0] < x[1] ? x[0] : x[1];
    }
    orr_err err = ORR_OK;
    for (uint32_t i = 0; err == ORR_OK && i < layers; i++) {
        const struct node *n = &r->node[r->order[i]];
        if (root[i] == i && i > 0)
            err =
                fail_at(r, n->at, "a hole: no edges join layer %s to layer %s",
                        n->name, r->node[r->order[0]].name);
    }
    orr__free(root);
    return err;
}

/* Gives each node that is kept its layer, so that edges lead to later layers
 * only; *layers: how many there are. ECONFIG where a cycle makes that
 * impossible. out lists edges by the node where they begin; in has, for each
 * node, one edge that comes from a node without a layer, for fail_cycle. */
static orr_err sort_nodes(struct reader *r, uint32_t *layers)
{
    uint32_t *off = orr__alloc(r->nodes + (size_t)2, sizeof *off);
    uint32_t *out = orr__alloc(r->edges, sizeof *out);
    uint32_t *in = orr__alloc(r->nodes, sizeof *in);
    uint32_t *left = orr__alloc(r->nodes, sizeof *left);
    uint32_t *stack = orr__alloc(r->nodes, sizeof *stack);
    orr_err err =
        off && out && in && left && stack ? ORR_OK : orr__no_memory(r->why);
    uint32_t kept = 0, n = 0;
    for (uint32_t i = 0; err == ORR_OK && i < r->nodes; i++) {
        off[i + 2] = off[i + 1] + r->node[i].after;
        kept += !r->node[i].gone;
    }
    for (uint32_t i = 0; err == ORR_OK && i < r->edges; i++)
        out[off[r->edge[i].node[0] + 1]++] = i;
    if (err == ORR_OK)
        n = sort_layers(r, off, out, left, stack);
    for (uint32_t i = 0; err == ORR_OK && i < r->edges; i++)
        if (r->node[r->edge[i].node[0]].layer == ORR_NONE)
            in[r->edge[i].node[1]] = i;
    if (err == ORR_OK && n < kept)
        err = fail_cycle(r, in);
    *layers = n;
    orr__free(off);
    orr__free(out);
    orr__free(in);
    orr__free(left);
    orr__free(stack);
    return err;
}

/* ---- the model ----------------------------------------------------------- */

/* The edges that are kept, between layers; and for each layer the last one that
 * takes its output. They live in the model's arena. */
static orr_err make_edges(struct reader *r)
{
    struct orr_model *m = r->m;
    m->edge = orr__arena_alloc(&m->arena, r->edges, sizeof *m->edge);
    if (!m->edge)
        return orr__no_memory(r->why);
    m->edges = r->edges;
    for (uint32_t i = 0; i < r->edges; i++) {
        uint32_t from = r->node[r->edge[i].node[0]].layer;
        uint32_t to = r->node[r->edge[i].node[1]].layer;
        m->edge[i] = (struct orr_model_edge){from, to};
        if (to > m->layer[from].needed)
            m->layer[from].needed = to;
    }
    return ORR_OK;
}

/* Bytes of a parameter: the largest usual number by which all are whole. */
static uint32_t element_of(const struct reader *r)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < r->nodes; i++)
        all |= r->node[i].gone ? 0 : r->node[i].size[1];
    return all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
}

/* A layer of the model for each node in order, each a unit of its own with one
 * tensor or none. Parameters are numbers of elements, activations bytes. What
 * it allocates is the model's, also after a failure. */
static orr_err make_layers(struct reader *r, uint32_t n)
{
    struct orr_model *m = r->m;
    uint64_t bytes = 0;
    m->element = element_of(r);
    m->batch = m->profiled = 1;
    m->layer = orr__alloc(n, sizeof *m->layer);
    m->tensor = orr__alloc(n, sizeof *m->tensor);
    if (!m->layer || !m->tensor)
        return orr__no_memory(r->why);
    for (uint32_t i = 0; i < n; i++) {
        const struct node *x = &r->node[r->order[i]];
        bytes += x->size[0];
        if (bytes > BYTES_MAX)
            return fail_at(r, x->at,
                           "more than 1000TB of activations, up to "
                           "this layer");
        m->layer[i] = (struct orr_layer){
            .name = x->name,
            .unit = i,
            .top_k = 1,
            .first = m->tensors,
            .n = x->size[1] > 0,
            .parameters = x->size[1] / m->element,
            .activations = x->size[0],
            .needed = i,
            .backward = 2,
            .forward_ps = x->time[0],
            .backward_ps = x->time[1],
        };
        if (x->size[1])
            m->tensor[m->tensors++] = x->size[1] / m->element;
        m->parameters += x->size[1] / m->element;
    }
    m->layers = m->units = n;
    return make_edges(r);
}

/* From the text to a whole model; after a failure r->m is in part filled, and
 * may only be freed. */
static orr_err make_model(struct reader *r, const char *name)
{
    struct orr_model *m = r->m;
    uint32_t n = 0;
    m->name = orr__arena_strdup(&m->arena, name);
    m->title = m->name;
    if (!m->name)
        return orr__no_memory(r->why);
    orr_err err = read_lines(r);
    if (err == ORR_OK)
        err = resolve(r);
    if (err != ORR_OK)
        return err;
    drop_ends(r);
    r->order = orr__alloc(r->nodes, sizeof *r->order);
    err = r->order ? sort_nodes(r, &n) : orr__no_memory(r->why);
    if (err == ORR_OK && n == 0)
        err =
            fail_at(r, (struct place){1, 1}, "there is no layer in this graph");
    if (err == ORR_OK)
        err = check_joined(r, n);
    return err == ORR_OK ? make_layers(r, n) : err;
}

orr_err orr__model_read_graph(const char *file, const char *text, size_t length,
                              const char *name, struct orr_model **out,
                              struct orr_report *why)
{
    struct reader r = {
        .file = file, .text = text, .length = length, .why = why};
    r.m = orr__alloc(1, sizeof *r.m);
    if (!r.m)
        return orr__no_memory(why);
    orr_err err = make_model(&r, name);
    orr__names_fini(&r.names);
    orr__free(r.node);
    orr__free(r.edge);
    orr__free(r.order);
    if (err == ORR_OK)
        *out = r.m;
    else
        orr__model_free(r.m);
    return err;
}
