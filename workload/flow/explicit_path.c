/* `path` and `entropy` of a flow: which way it takes, with `network.routing:
 * explicit`. */
#include <inttypes.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "topo/node_names.h"
#include "workload/flow/build.h"
#include "workload/flow/explicit_path.h"

const struct orr_param orr__flow_path_params[] = {
    {"path", ORR_PARAM_NODE, offsetof(struct orr_flow_path_keys, path), "",
     NULL, NULL, NULL,
     "nodes of its data path, from src to dst, by number or name, with "
     "`routing: explicit`; of parallel links the lowest"},
    {"entropy", ORR_PARAM_INT, offsetof(struct orr_flow_path_keys, entropy), "",
     "0", "4294967295", NULL,
     "with `routing: explicit`: flows between the same hosts with equal "
     "entropy hash to the same path, like the source port of RoCE; default: "
     "its own hash"},
    ORR_PARAM_END,
};

/* A path while it is read. */
struct reader {
    struct orr_config *c;
    const struct orr_graph *g;
    const struct orr_yaml *node; /* the list */
    uint32_t *path;              /* its nodes */
    size_t nodes;
    struct orr_report *why;
};

static orr_err fail_at(struct reader *r, size_t i, const char *problem)
{
    return orr__yaml_fail(r->c, orr__yaml_item(r->node, i), r->why,
                          "this is no path: %s", problem);
}

/* The lowest link from a to b, or UINT32_MAX. */
static uint32_t link_between(const struct orr_graph *g, uint32_t a, uint32_t b)
{
    for (uint32_t i = g->out_off[a]; i < g->out_off[a + 1]; i++)
        if (g->to[g->out_link[i]] == b)
            return g->out_link[i];
    return UINT32_MAX;
}

/* A number that no node has; not a name. */
static bool is_beyond(const struct reader *r, const struct orr_yaml *at)
{
    const char *text = orr__yaml_text(r->c, at);
    uint32_t node;
    int64_t number;
    return text && !orr__parse_int(text, &number)
           && !orr__node_parse(r->g, text, &node);
}

/* At least two; numbers and names. */
static orr_err read_nodes(struct reader *r)
{
    char text[96];
    r->nodes = orr__yaml_is_list(r->node) ? orr__yaml_count(r->node) : 0;
    if (r->nodes < 2)
        return orr__yaml_fail(r->c, r->node, r->why,
                              "a path has two nodes at least, from src to "
                              "dst");
    r->path =
        orr__arena_alloc(orr__config_arena(r->c), r->nodes, sizeof *r->path);
    orr_err err = r->path ? ORR_OK : orr__no_memory(r->why);
    snprintf(text, sizeof text, "nodes are 0 to %" PRIu32, r->g->nodes - 1);
    for (size_t i = 0; i < r->nodes && !err; i++) {
        const struct orr_yaml *at = orr__yaml_item(r->node, i);
        err = is_beyond(r, at)
                  ? fail_at(r, i, text)
                  : orr__node_read(r->g, r->c, at, &r->path[i], r->why);
    }
    return err;
}

/* From src to dst over nodes that forward, each once. */
static orr_err check_nodes(struct reader *r, uint32_t src, uint32_t dst)
{
    const uint32_t *v = r->path;
    const size_t n = r->nodes;
    ORR_ASSERT(v != NULL); /* read_nodes went well */
    if (v[0] != src)
        return fail_at(r, 0, "it does not begin at src");
    if (v[n - 1] != dst)
        return fail_at(r, n - 1, "it does not end at dst");
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && i + 1 < n && !r->g->forwards[v[i]])
            return fail_at(r, i, "this host does not forward");
        for (size_t j = 0; j < i; j++)
            if (v[i] == v[j])
                return fail_at(r, i, "it visits this node twice");
    }
    return ORR_OK;
}

/* The link between each two; of parallel ones link_between() says which. In the
 * document's arena. */
static orr_err read_path(struct reader *r, const uint32_t **links,
                         uint32_t *count)
{
    size_t n = r->nodes - 1;
    uint32_t *link = orr__arena_alloc(orr__config_arena(r->c), n, sizeof *link);
    if (!link)
        return orr__no_memory(r->why);
    for (size_t i = 0; i < n; i++) {
        uint32_t a = r->path[i], b = r->path[i + 1];
        char text[96];
        link[i] = link_between(r->g, a, b);
        if (link[i] != UINT32_MAX)
            continue;
        snprintf(text, sizeof text,
                 "no link leads from %" PRIu32 " to %" PRIu32, a, b);
        return fail_at(r, i + 1, text);
    }
    *links = link;
    *count = (uint32_t)n;
    return ORR_OK;
}

orr_err orr__path_request_links(const struct orr_path_request *q,
                                const uint32_t **links, uint32_t *n)
{
    struct reader r = {.c = q->c, .g = q->g, .node = q->node, .why = q->why};
    orr_err err = read_nodes(&r);
    if (err == ORR_OK)
        err = check_nodes(&r, q->src, q->dst);
    return err == ORR_OK ? read_path(&r, links, n) : err;
}

orr_err orr__flow_path_read(struct orr_flow_list *l,
                            const struct orr_flow_path_keys *k,
                            const struct orr_yaml *entry, uint32_t src,
                            uint32_t dst, struct orr_report *why)
{
    struct orr_world *w = l->world;
    const struct orr_yaml *path = k->path;
    const struct orr_path_request q = {.c = w->config,
                                       .g = w->graph,
                                       .node = path,
                                       .src = src,
                                       .dst = dst,
                                       .why = why};
    struct orr_flow_path *own;
    l->path = NULL;
    if (!path && k->entropy < 0)
        return ORR_OK;
    if (w->net_config->path != ORR_PATH_explicit) {
        orr_err err = orr__yaml_fail(
            w->config, path ? path : orr__yaml_get(entry, "entropy"), why,
            "the network's routing ignores this");
        orr__hint(why, "network: {routing: explicit}");
        return err;
    }
    if (path && k->entropy >= 0)
        return orr__yaml_fail(w->config, path, why,
                              "a flow has a path or an entropy, not both");
    own = orr__arena_alloc(orr__config_arena(w->config), 1, sizeof *own);
    if (!own)
        return orr__no_memory(why);
    /* never 0, which means none */
    own->entropy = k->entropy >= 0 ? (uint64_t)k->entropy + 1 : 0;
    l->path = own;
    if (!path)
        return ORR_OK;
    return orr__path_request_links(&q, &own->path, &own->path_links);
}
