/* A graph as GraphML, through igraph and its C attributes. The file is marked
 * directed so that it keeps which way cable c's link c runs; reading it, each
 * edge is one cable all the same. */
#include <errno.h>
#include <stdio.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/units.h"
#include "topo/graph.h"
#include "topo/igraph.h"
#include "topo/node_names.h"

static const char doing[] = "writing GraphML";

/* Directed, so that edge c runs as link c does. The caller destroys *ig. */
static orr_err make_igraph(const struct orr_graph *g, igraph_t *ig,
                           struct orr_report *why)
{
    igraph_vector_int_t edges;
    orr_err err = orr__igraph(
        why, igraph_vector_int_init(&edges, 2 * (igraph_integer_t)g->cables),
        doing);
    if (err)
        return err;
    for (uint32_t c = 0; c < g->cables; c++) {
        VECTOR(edges)[2 * (size_t)c] = g->from[c];
        VECTOR(edges)[2 * (size_t)c + 1] = g->to[c];
    }
    err = orr__igraph(why, igraph_create(ig, &edges, g->nodes, IGRAPH_DIRECTED),
                      doing);
    igraph_vector_int_destroy(&edges);
    return err;
}

/* Text of an attribute of element i; buf may hold it. */
typedef const char *(*text_fn)(const struct orr_graph *g, uint32_t i, char *buf,
                               size_t size);

static const char *type_text(const struct orr_graph *g, uint32_t v, char *buf,
                             size_t size)
{
    return orr__is_host(g, v) ? "host" : "switch";
}

/* Nodes that have no name of their own have an empty one. */
static const char *name_text(const struct orr_graph *g, uint32_t v, char *buf,
                             size_t size)
{
    const char *name = orr__node_name(g, v, buf, size);
    return name == buf ? "" : name;
}

static const char *rate_text(const struct orr_graph *g, uint32_t c, char *buf,
                             size_t size)
{
    orr__format_rate(g->rate_bps[c], buf, size);
    return buf;
}

static const char *delay_text(const struct orr_graph *g, uint32_t c, char *buf,
                              size_t size)
{
    orr__format_time(g->delay_ps[c], buf, size);
    return buf;
}

static const char *loss_text(const struct orr_graph *g, uint32_t c, char *buf,
                             size_t size)
{
    snprintf(buf, size, "%.17g", g->loss[c]);
    return buf;
}

static const char *tier_text(const struct orr_graph *g, uint32_t c, char *buf,
                             size_t size)
{
    return g->tier_names[g->tier[c]];
}

/* One text attribute of all nodes or cables. */
static orr_err set_texts(const struct orr_graph *g, igraph_t *ig, bool edges,
                         const char *name, text_fn text, struct orr_report *why)
{
    uint32_t n = edges ? g->cables : g->nodes;
    igraph_strvector_t s;
    char buf[64];
    igraph_error_t status = igraph_strvector_init(&s, n);
    if (status)
        return orr__igraph(why, status, doing);
    for (uint32_t i = 0; i < n && !status; i++)
        status = igraph_strvector_set(&s, i, text(g, i, buf, sizeof buf));
    if (!status)
        status = edges ? igraph_cattribute_EAS_setv(ig, name, &s)
                       : igraph_cattribute_VAS_setv(ig, name, &s);
    igraph_strvector_destroy(&s);
    return orr__igraph(why, status, doing);
}

/* One of both arrays; the other is NULL. */
static orr_err set_numbers(const struct orr_graph *g, igraph_t *ig,
                           const char *name, const double *reals,
                           const uint8_t *bytes, struct orr_report *why)
{
    igraph_vector_t values;
    igraph_error_t status = igraph_vector_init(&values, g->nodes);
    if (status)
        return orr__igraph(why, status, doing);
    for (uint32_t v = 0; v < g->nodes; v++)
        VECTOR(values)[v] = reals ? reals[v] : bytes[v];
    status = igraph_cattribute_VAN_setv(ig, name, &values);
    igraph_vector_destroy(&values);
    return orr__igraph(why, status, doing);
}

/* `forward` of all nodes; `server` only where there are servers. */
static orr_err set_flags(const struct orr_graph *g, igraph_t *ig,
                         struct orr_report *why)
{
    igraph_vector_bool_t values;
    igraph_error_t status = igraph_vector_bool_init(&values, g->nodes);
    if (status)
        return orr__igraph(why, status, doing);
    for (uint32_t v = 0; v < g->nodes; v++)
        VECTOR(values)[v] = g->forwards[v];
    status = igraph_cattribute_VAB_setv(ig, "forward", &values);
    for (uint32_t v = 0; v < g->nodes; v++)
        VECTOR(values)[v] = false;
    for (uint32_t s = 0; s < g->n_servers; s++)
        VECTOR(values)[g->servers[s]] = true;
    if (!status && g->n_servers)
        status = igraph_cattribute_VAB_setv(ig, "server", &values);
    igraph_vector_bool_destroy(&values);
    return orr__igraph(why, status, doing);
}

/* `simplex` of all cables. */
static orr_err set_simplex(const struct orr_graph *g, igraph_t *ig,
                           struct orr_report *why)
{
    igraph_vector_bool_t values;
    igraph_error_t status = igraph_vector_bool_init(&values, g->cables);
    if (status)
        return orr__igraph(why, status, doing);
    for (uint32_t c = 0; c < g->cables; c++)
        VECTOR(values)[c] = g->simplex[c];
    status = igraph_cattribute_EAB_setv(ig, "simplex", &values);
    igraph_vector_bool_destroy(&values);
    return orr__igraph(why, status, doing);
}

/* All that reading the file again needs; loss only if some link has one, and
 * simplex if some cable is. */
static orr_err set_attributes(const struct orr_graph *g, igraph_t *ig,
                              struct orr_report *why)
{
    bool loss = false;
    for (uint32_t c = 0; c < g->cables; c++)
        loss |= g->loss[c] > 0;
    orr_err err = set_texts(g, ig, false, "type", type_text, why);
    if (!err && g->named)
        err = set_texts(g, ig, false, "name", name_text, why);
    if (!err)
        err = set_flags(g, ig, why);
    if (!err)
        err = set_numbers(g, ig, "level", NULL, g->level, why);
    if (!err)
        err = set_numbers(g, ig, "x", g->x, NULL, why);
    if (!err)
        err = set_numbers(g, ig, "y", g->y, NULL, why);
    if (!err)
        err = set_numbers(g, ig, "z", g->z, NULL, why);
    if (!err)
        err = set_texts(g, ig, true, "rate", rate_text, why);
    if (!err)
        err = set_texts(g, ig, true, "delay", delay_text, why);
    if (!err && loss)
        err = set_texts(g, ig, true, "loss", loss_text, why);
    if (!err)
        err = set_texts(g, ig, true, "tier", tier_text, why);
    if (!err && g->simplex)
        err = set_simplex(g, ig, why);
    return err;
}

/* A full disk is an error of igraph's that does not tell the reason; errno,
 * with the stream in error, does. */
static orr_err write_igraph(const igraph_t *ig, const char *path,
                            struct orr_report *why)
{
    struct orr_file s;
    orr_err err = orr__graph_room((uint64_t)igraph_vcount(ig),
                                  (uint64_t)igraph_ecount(ig), why);
    if (err)
        return err;
    err = orr__file_open(&s, path, why);
    if (err)
        return err;
    errno = 0;
    igraph_error_t status = igraph_write_graph_graphml(ig, s.out, true);
    if (status && ferror(s.out))
        s.error = errno ? errno : EIO;
    else
        err = orr__igraph(why, status, doing);
    return orr__file_close(&s, err, why);
}

orr_err orr__graph_write_graphml(const struct orr_graph *g, const char *path,
                                 struct orr_report *why)
{
    igraph_t ig;
    orr__igraph_init();
    igraph_attribute_table_t *before =
        igraph_set_attribute_table(&igraph_cattribute_table);
    orr_err err = make_igraph(g, &ig, why);
    if (!err) {
        err = set_attributes(g, &ig, why);
        if (!err)
            err = write_igraph(&ig, path, why);
        igraph_destroy(&ig);
    }
    igraph_set_attribute_table(before);
    return err;
}
