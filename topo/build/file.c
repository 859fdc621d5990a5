/* A graph from a GraphML file. Vertices: type (host or switch), forward,
 * and optionally server, level, x, y, z; edges: rate, delay, optionally loss
 * and tier. An edge is a cable in both directions. Hosts get their ids first,
 * in file order, then switches. */
#include <errno.h>
#include <igraph/igraph.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/units.h"
#include "topo/build/build.h"
#include "topo/deps.h"

enum { MOST_TIERS = 255, MOST_TO_LAYOUT = 400 };

struct attribute {
    const char *name;
    bool present;
    igraph_attribute_type_t type;
};

enum vertex_attribute { V_ID, V_TYPE, V_FORWARD, V_SERVER, V_LEVEL, V_X, V_Y,
                        V_Z, V_COUNT };
enum edge_attribute { E_ID, E_RATE, E_DELAY, E_LOSS, E_TIER, E_COUNT };

struct file {
    const char *file; /* as configured */
    char *path;
    igraph_t ig;
    bool has_ig;
    igraph_attribute_table_t *before; /* to put back */
    struct attribute v[V_COUNT], e[E_COUNT];
    uint32_t *id;            /* per vertex: node id */
    const char **name;       /* per node, for messages */
};

const struct orr_param orr__file_params[] = {
    { .key = "file", .type = ORR_PARAM_TEXT,
      .offset = offsetof(struct file, file),
      .help = "GraphML file, relative to the configuration; edges: rate, "
              "delay, loss; vertices: type (host, switch), forward" },
    ORR_PARAM_END
};

/* ---- messages ---- */

static orr_err wrong(const struct orr_draft *d, struct orr_report *why,
                     const char *fmt, ...) ORR_PRINTF(3, 4);

/* Fails at `topology.file`, with the file's name before the message. */
static orr_err wrong(const struct orr_draft *d, struct orr_report *why,
                     const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return orr__yaml_fail(d->config, d->blame, why, "%s: %s", d->file, text);
}

static const char *vertex_name(const struct file *p, igraph_integer_t v,
                               char *buf, size_t size)
{
    const char *id = p->v[V_ID].present
                         ? igraph_cattribute_VAS(&p->ig, "id", v)
                         : "";
    if (id[0])
        snprintf(buf, size, "node \"%.80s\"", id);
    else
        snprintf(buf, size, "node %" PRId64, (int64_t)v);
    return buf;
}

/* Undirected edges have no way of their own, and igraph keeps none: they run
 * from the vertex that comes first in the file. */
static void ends_of(const struct file *p, igraph_integer_t e,
                    igraph_integer_t *a, igraph_integer_t *b)
{
    bool directed = igraph_is_directed(&p->ig);
    *a = directed ? IGRAPH_FROM(&p->ig, e) : IGRAPH_TO(&p->ig, e);
    *b = IGRAPH_OTHER(&p->ig, e, *a);
}

static const char *edge_name(const struct file *p, igraph_integer_t e,
                             char *buf, size_t size)
{
    const char *id = p->e[E_ID].present
                         ? igraph_cattribute_EAS(&p->ig, "id", e)
                         : "";
    char from[96], to[96];
    igraph_integer_t a, b;
    ends_of(p, e, &a, &b);
    if (id[0])
        snprintf(buf, size, "edge \"%.80s\"", id);
    else
        snprintf(buf, size, "edge %" PRId64 " (%s to %s)", (int64_t)e,
                 vertex_name(p, a, from, sizeof from),
                 vertex_name(p, b, to, sizeof to));
    return buf;
}

/* ---- reading ---- */

static FILE *open_file(struct orr_draft *d, struct orr_report *why)
{
    struct file *p = d->params;
    struct stat st;
    const char *folder = orr__config_folder(d->config);
    p->path = p->file[0] == '/' || strcmp(folder, ".") == 0
                  ? orr__strdup(p->file)
                  : orr__format("%s/%s", folder, p->file);
    if (p->path == NULL) {
        orr__no_memory(why);
        return NULL;
    }
    d->file = p->path;
    FILE *f = fopen(p->path, "r");
    if (f && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(f);
        f = NULL;
        errno = EISDIR; /* fopen opens folders, reading them fails */
    }
    if (f == NULL)
        orr__yaml_fail(d->config, d->blame, why, "cannot read %s: %s",
                       p->path, strerror(errno));
    return f;
}

static orr_err read_igraph(struct orr_draft *d, struct orr_report *why)
{
    static const char prefix[] = "reading: igraph: ";
    struct file *p = d->params;
    struct orr_report reason = { .code = ORR_OK };
    FILE *f = open_file(d, why);
    if (f == NULL)
        return p->path ? ORR_ECONFIG : ORR_ENOMEM;
    orr_err err = orr__igraph(
        &reason, igraph_read_graph_graphml(&p->ig, f, 0), "reading");
    fclose(f);
    p->has_ig = !err;
    if (err == ORR_ENOMEM)
        return orr__no_memory(why);
    if (err == ORR_OK)
        return ORR_OK;
    const char *text = reason.message;
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        text += sizeof prefix - 1;
    err = wrong(d, why, "%s", text);
    orr__hint(why, "a GraphML file was expected");
    return err;
}

static void find_attributes(struct attribute *known, int n,
                            const igraph_strvector_t *names,
                            const igraph_vector_int_t *types)
{
    for (igraph_integer_t i = 0; i < igraph_strvector_size(names); i++)
        for (int k = 0; k < n; k++)
            if (strcmp(known[k].name, igraph_strvector_get(names, i)) == 0) {
                known[k].present = true;
                known[k].type = (igraph_attribute_type_t)VECTOR(*types)[i];
            }
}

static orr_err list_attributes(struct file *p, struct orr_report *why)
{
    igraph_strvector_t name[3];
    igraph_vector_int_t type[3];
    int names = 0, types = 0;
    igraph_error_t status = IGRAPH_SUCCESS;
    while (names < 3 && !status)
        if (!(status = igraph_strvector_init(&name[names], 0)))
            names++;
    while (types < 3 && !status)
        if (!(status = igraph_vector_int_init(&type[types], 0)))
            types++;
    if (!status)
        status = igraph_cattribute_list(&p->ig, &name[0], &type[0], &name[1],
                                        &type[1], &name[2], &type[2]);
    if (!status) {
        find_attributes(p->v, V_COUNT, &name[1], &type[1]);
        find_attributes(p->e, E_COUNT, &name[2], &type[2]);
    }
    while (names > 0)
        igraph_strvector_destroy(&name[--names]);
    while (types > 0)
        igraph_vector_int_destroy(&type[--types]);
    /* An attribute called id that is no text cannot name anything. */
    p->v[V_ID].present &= p->v[V_ID].type == IGRAPH_ATTRIBUTE_STRING;
    p->e[E_ID].present &= p->e[E_ID].type == IGRAPH_ATTRIBUTE_STRING;
    return orr__igraph(why, status, "reading the attributes of a graph");
}

/* ---- vertices ---- */

static const char *vertex_text(const struct file *p, enum vertex_attribute a,
                               igraph_integer_t v)
{
    return p->v[a].present && p->v[a].type == IGRAPH_ATTRIBUTE_STRING
               ? igraph_cattribute_VAS(&p->ig, p->v[a].name, v)
               : "";
}

/* NAN: not given. */
static double vertex_number(const struct file *p, enum vertex_attribute a,
                            igraph_integer_t v)
{
    return p->v[a].present && p->v[a].type == IGRAPH_ATTRIBUTE_NUMERIC
               ? igraph_cattribute_VAN(&p->ig, p->v[a].name, v)
               : NAN;
}

static orr_err vertex_flag(const struct orr_draft *d, enum vertex_attribute a,
                           igraph_integer_t v, bool *flag,
                           struct orr_report *why)
{
    const struct file *p = d->params;
    char name[96];
    *flag = false;
    if (!p->v[a].present)
        return ORR_OK;
    if (p->v[a].type == IGRAPH_ATTRIBUTE_BOOLEAN) {
        *flag = igraph_cattribute_VAB(&p->ig, p->v[a].name, v);
        return ORR_OK;
    }
    const char *text = vertex_text(p, a, v);
    *flag = strcmp(text, "true") == 0;
    if (*flag || text[0] == '\0' || strcmp(text, "false") == 0)
        return ORR_OK;
    return wrong(d, why, "%s: %s must be true or false, not \"%.40s\"",
                 vertex_name(p, v, name, sizeof name), p->v[a].name, text);
}

/* Counts hosts and numbers all nodes. */
static orr_err number_nodes(struct orr_draft *d, struct orr_size *size,
                            struct orr_report *why)
{
    struct file *p = d->params;
    igraph_integer_t n = igraph_vcount(&p->ig);
    char name[96];
    for (igraph_integer_t v = 0; v < n; v++) {
        const char *type = vertex_text(p, V_TYPE, v);
        if (strcmp(type, "host") == 0)
            p->id[v] = (uint32_t)size->hosts++;
        else if (strcmp(type, "switch") == 0)
            size->switches++;
        else if (type[0] == '\0')
            return wrong(d, why, "%s has no type: host or switch",
                         vertex_name(p, v, name, sizeof name));
        else
            return wrong(d, why, "%s: type must be host or switch, not "
                         "\"%.40s\"",
                         vertex_name(p, v, name, sizeof name), type);
    }
    uint32_t next = (uint32_t)size->hosts;
    for (igraph_integer_t v = 0; v < n; v++) {
        if (strcmp(vertex_text(p, V_TYPE, v), "switch") == 0)
            p->id[v] = next++;
        p->name[p->id[v]] = p->v[V_ID].present ? vertex_text(p, V_ID, v) : "?";
    }
    return size->hosts ? ORR_OK : wrong(d, why, "there is no host in it");
}

static orr_err read_level(const struct orr_draft *d, igraph_integer_t v,
                          bool host, uint8_t *level, struct orr_report *why)
{
    const struct file *p = d->params;
    char name[96];
    double x = vertex_number(p, V_LEVEL, v);
    *level = 0;
    if (isnan(x) || host)
        return ORR_OK;
    if (!(x >= 1 && x <= 255) || x != floor(x))
        return wrong(d, why, "%s: the level of a switch is a whole number "
                     "from 1 to 255, not %g",
                     vertex_name(p, v, name, sizeof name), x);
    *level = (uint8_t)x;
    return ORR_OK;
}

static orr_err read_nodes(struct orr_draft *d, struct orr_report *why)
{
    struct file *p = d->params;
    struct orr_graph *g = d->graph;
    g->servers = orr__alloc(g->hosts, sizeof *g->servers);
    if (g->servers == NULL)
        return orr__no_memory(why);
    for (igraph_integer_t v = 0; v < igraph_vcount(&p->ig); v++) {
        uint32_t id = p->id[v];
        bool host = id < g->hosts, forward, server;
        orr_err err = vertex_flag(d, V_FORWARD, v, &forward, why);
        if (!err)
            err = vertex_flag(d, V_SERVER, v, &server, why);
        if (!err)
            err = read_level(d, v, host, &g->level[id], why);
        if (err)
            return err;
        g->forwards[id] = forward || !host || g->hosts == g->nodes;
        if (server && host)
            g->servers[g->n_servers++] = id;
    }
    return ORR_OK;
}

/* Switches without a level get their distance from the nearest host. */
static void find_levels(struct orr_graph *g)
{
    for (unsigned level = 0; level < 255; level++) {
        bool found = false;
        for (uint32_t c = 0; c < g->cables / g->parallel; c++) {
            for (int way = 0; way < 2; way++) {
                uint32_t a = way ? g->to[c] : g->from[c];
                uint32_t b = way ? g->from[c] : g->to[c];
                if (b < g->hosts || g->level[b] || g->level[a] != level ||
                    (level == 0 && a >= g->hosts))
                    continue;
                g->level[b] = (uint8_t)(level + 1);
                found = true;
            }
        }
        if (!found && level > 3)
            return;
    }
}

/* ---- edges ---- */

/* The text of an edge's attribute; "" if there is none. A number is an error,
 * because it cannot say its unit. */
static orr_err edge_text(const struct orr_draft *d, enum edge_attribute a,
                         igraph_integer_t e, const char **text,
                         struct orr_report *why)
{
    const struct file *p = d->params;
    const char *key = p->e[a].name;
    char name[256];
    *text = "";
    if (!p->e[a].present)
        return ORR_OK;
    if (p->e[a].type == IGRAPH_ATTRIBUTE_STRING) {
        *text = igraph_cattribute_EAS(&p->ig, key, e);
        return ORR_OK;
    }
    if (p->e[a].type == IGRAPH_ATTRIBUTE_NUMERIC) {
        double x = igraph_cattribute_EAN(&p->ig, key, e);
        if (isnan(x))
            return ORR_OK;
        orr_err err = wrong(d, why, "%s: %s is the bare number %g: a unit is "
                            "missing",
                            edge_name(p, e, name, sizeof name), key, x);
        orr__hint(why, "make it a string, like \"%s\"",
                  a == E_RATE ? "400Gbps" : "500ns");
        return err;
    }
    return wrong(d, why, "%s: %s must be a string with a unit",
                 edge_name(p, e, name, sizeof name), key);
}

/* Rate or delay of an edge; what it leaves out is topology.link's. */
static orr_err edge_value(const struct orr_draft *d, enum edge_attribute a,
                          igraph_integer_t e, struct orr_line *line,
                          struct orr_report *why)
{
    const struct file *p = d->params;
    const char *text, *key = p->e[a].name;
    char name[256];
    orr_err err = edge_text(d, a, e, &text, why);
    if (err || (text[0] == '\0' && d->has_link))
        return err;
    if (text[0] == '\0') {
        err = wrong(d, why, "%s has no %s",
                    edge_name(p, e, name, sizeof name), key);
        orr__hint(why, "give each edge a %s, or all that lack one "
                  "topology.link", key);
        return err;
    }
    const char *bad = a == E_RATE
                          ? orr__parse_rate(text, &line->rate_bps)
                          : orr__parse_time(text, &line->delay_ps);
    if (bad)
        return wrong(d, why, "%s: %s \"%.40s\": %s",
                     edge_name(p, e, name, sizeof name), key, text, bad);
    if (a == E_RATE && line->rate_bps == 0)
        return wrong(d, why, "%s: its rate is 0",
                     edge_name(p, e, name, sizeof name));
    if (a == E_DELAY && line->delay_ps == 0)
        return wrong(d, why, "%s: its delay is 0: every link needs a "
                     "propagation delay > 0",
                     edge_name(p, e, name, sizeof name));
    return ORR_OK;
}

static orr_err edge_loss(const struct orr_draft *d, igraph_integer_t e,
                         double *loss, struct orr_report *why)
{
    const struct file *p = d->params;
    const struct attribute *a = &p->e[E_LOSS];
    const char *bad = NULL;
    char name[256];
    double x = NAN;
    if (a->present && a->type == IGRAPH_ATTRIBUTE_NUMERIC) {
        x = igraph_cattribute_EAN(&p->ig, "loss", e);
    } else if (a->present && a->type == IGRAPH_ATTRIBUTE_STRING) {
        const char *text = igraph_cattribute_EAS(&p->ig, "loss", e);
        bad = text[0] ? orr__parse_real(text, &x) : NULL;
    }
    if (!bad && isnan(x))
        return ORR_OK;
    if (bad || !(x >= 0 && x <= 1))
        return wrong(d, why, "%s: loss must be a probability, from 0 to 1",
                     edge_name(p, e, name, sizeof name));
    *loss = x;
    return ORR_OK;
}

/* The tier named by an edge, in order of first use. */
static orr_err edge_tier(const struct orr_draft *d, igraph_integer_t e,
                         const char **names, unsigned *n, unsigned *tier,
                         struct orr_report *why)
{
    const struct file *p = d->params;
    const char *text = "";
    if (p->e[E_TIER].present &&
        p->e[E_TIER].type == IGRAPH_ATTRIBUTE_STRING)
        text = igraph_cattribute_EAS(&p->ig, "tier", e);
    if (text[0] == '\0')
        text = "link";
    for (*tier = 0; *tier < *n; ++*tier)
        if (strcmp(names[*tier], text) == 0)
            return ORR_OK;
    if (*n == MOST_TIERS)
        return wrong(d, why, "its edges name more than %d tiers", MOST_TIERS);
    names[(*n)++] = text;
    return ORR_OK;
}

static orr_err read_edges(struct orr_draft *d, const char **names,
                          unsigned *tiers, struct orr_report *why)
{
    struct file *p = d->params;
    for (igraph_integer_t e = 0; e < igraph_ecount(&p->ig); e++) {
        igraph_integer_t a, b;
        struct orr_line line = d->link;
        unsigned tier = 0;
        char name[256];
        ends_of(p, e, &a, &b);
        if (a == b)
            return wrong(d, why, "%s joins a node to itself",
                         edge_name(p, e, name, sizeof name));
        orr_err err = edge_value(d, E_RATE, e, &line, why);
        if (!err)
            err = edge_value(d, E_DELAY, e, &line, why);
        if (!err)
            err = edge_loss(d, e, &line.loss, why);
        if (!err)
            err = edge_tier(d, e, names, tiers, &tier, why);
        if (err)
            return err;
        orr__draft_cable(d, p->id[a], p->id[b], tier, &line);
    }
    return ORR_OK;
}

/* Two opposite edges of a directed graph may be meant as one cable or as two:
 * that would double the capacity or halve it without a word. */
static orr_err refuse_mutual(const struct orr_draft *d,
                             struct orr_report *why)
{
    const struct file *p = d->params;
    igraph_vector_bool_t mutual;
    char name[256];
    if (!igraph_is_directed(&p->ig))
        return ORR_OK;
    orr_err err = orr__igraph(why, igraph_vector_bool_init(&mutual, 0),
                              "reading the edges of a graph");
    if (err)
        return err;
    err = orr__igraph(why,
                      igraph_is_mutual(&p->ig, &mutual,
                                       igraph_ess_all(IGRAPH_EDGEORDER_ID),
                                       false),
                      "reading the edges of a graph");
    for (igraph_integer_t e = 0; !err && e < igraph_ecount(&p->ig); e++)
        if (VECTOR(mutual)[e])
            err = wrong(d, why, "%s has another edge the opposite way: an "
                        "edge is a cable in both directions; for two cables "
                        "set edgedefault=\"undirected\"",
                        edge_name(p, e, name, sizeof name));
    igraph_vector_bool_destroy(&mutual);
    return err;
}

/* Copies the names into one block that the graph owns: an array, NULL-ended,
 * with the texts behind it. */
static orr_err keep_tiers(struct orr_graph *g, const char *const *names,
                          unsigned n, struct orr_report *why)
{
    size_t bytes = (n + 1) * sizeof(char *);
    for (unsigned i = 0; i < n; i++)
        bytes += strlen(names[i]) + 1;
    const char **list = g->owned = orr__alloc(bytes, 1);
    if (list == NULL)
        return orr__no_memory(why);
    char *text = (char *)(list + n + 1);
    for (unsigned i = 0; i < n; i++) {
        size_t size = strlen(names[i]) + 1;
        list[i] = memcpy(text, names[i], size);
        text += size;
    }
    g->tier_names = list;
    return ORR_OK;
}

/* ---- positions ---- */

static bool has_positions(const struct file *p)
{
    for (igraph_integer_t v = 0; v < igraph_vcount(&p->ig); v++)
        if (!isfinite(vertex_number(p, V_X, v)) ||
            !isfinite(vertex_number(p, V_Y, v)))
            return false;
    return true;
}

static void take_positions(struct orr_draft *d)
{
    const struct file *p = d->params;
    for (igraph_integer_t v = 0; v < igraph_vcount(&p->ig); v++) {
        double z = vertex_number(p, V_Z, v);
        d->graph->x[p->id[v]] = vertex_number(p, V_X, v);
        d->graph->y[p->id[v]] = vertex_number(p, V_Y, v);
        d->graph->z[p->id[v]] = isfinite(z) ? z : 0;
    }
}

/* Springs for a graph of a size that one can look at; else a circle. */
static orr_err layout(struct orr_draft *d, struct orr_report *why)
{
    static const char doing[] = "laying out a graph";
    const struct file *p = d->params;
    igraph_integer_t n = igraph_vcount(&p->ig);
    igraph_matrix_t at;
    if (n > MOST_TO_LAYOUT) {
        orr__draft_circle(d, 0, (uint32_t)n);
        return ORR_OK;
    }
    orr_err err = orr__igraph(why, igraph_matrix_init(&at, 0, 0), doing);
    if (err)
        return err;
    err = orr__igraph(why,
                      igraph_layout_kamada_kawai(&p->ig, &at, false, 20 * n,
                                                 0, (igraph_real_t)n, NULL,
                                                 NULL, NULL, NULL, NULL),
                      doing);
    for (igraph_integer_t v = 0; v < n && !err; v++)
        orr__draft_place(d, p->id[v], MATRIX(at, v, 0), MATRIX(at, v, 1), 0);
    igraph_matrix_destroy(&at);
    return err;
}

/* ---- the kind ---- */

static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    static const char *const v[V_COUNT] = { "id", "type", "forward", "server",
                                            "level", "x", "y", "z" };
    static const char *const e[E_COUNT] = { "id", "rate", "delay", "loss",
                                            "tier" };
    struct file *p = d->params;
    d->blame = orr__yaml_get(d->map, "file");
    for (int i = 0; i < V_COUNT; i++)
        p->v[i].name = v[i];
    for (int i = 0; i < E_COUNT; i++)
        p->e[i].name = e[i];
    p->before = igraph_set_attribute_table(&igraph_cattribute_table);
    orr_err err = read_igraph(d, why);
    if (!err)
        err = list_attributes(p, why);
    if (err)
        return err;
    size_t n = (size_t)igraph_vcount(&p->ig);
    p->id = orr__alloc(n, sizeof *p->id);
    p->name = orr__alloc(n, sizeof *p->name);
    if (p->id == NULL || p->name == NULL)
        return orr__no_memory(why);
    d->node_name = p->name;
    size->cables = (uint64_t)igraph_ecount(&p->ig);
    return number_nodes(d, size, why);
}

static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    const struct file *p = d->params;
    const char *names[MOST_TIERS + 1];
    unsigned tiers = 0;
    orr_err err = read_nodes(d, why);
    if (!err)
        err = refuse_mutual(d, why);
    if (!err)
        err = read_edges(d, names, &tiers, why);
    if (!err)
        err = keep_tiers(d->graph, names, tiers, why);
    if (err)
        return err;
    find_levels(d->graph);
    if (!has_positions(p))
        return layout(d, why);
    take_positions(d);
    return ORR_OK;
}

static void fini(struct orr_draft *d)
{
    struct file *p = d->params;
    if (p->has_ig)
        igraph_destroy(&p->ig);
    igraph_set_attribute_table(p->before);
    orr__free(p->path);
    orr__free(p->id);
    orr__free(p->name);
}

const struct orr_topology_ops orr__file_topology = {
    .params_size = sizeof(struct file),
    .size_key = "file",
    .link_optional = true,
    .plan = plan,
    .build = build,
    .fini = fini,
};
