#include "topo/part.h"

#include "core/memory.h"
#include "core/none.h"

/* Room for all arrays. NULL: no memory. */
static struct orr_graph *part_new(const struct orr_graph *g, uint32_t hosts,
                                  uint32_t nodes, uint32_t cables)
{
    struct orr_graph *p = orr__alloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->hosts = hosts;
    p->nodes = nodes;
    p->cables = cables;
    p->links = 2 * cables;
    p->kind = g->kind;
    p->parallel = 1;
    p->tier_names = g->tier_names;
    bool ok = true;
#define ARRAY(field, n)                                                        \
    ok = ok && (p->field = orr__alloc(n, sizeof *p->field)) != NULL
    ARRAY(from, p->links);
    ARRAY(to, p->links);
    ARRAY(rate_bps, p->links);
    ARRAY(delay_ps, p->links);
    ARRAY(loss, p->links);
    ARRAY(tier, p->links);
    ARRAY(out_off, (size_t)nodes + 1);
    ARRAY(out_link, p->links);
    ARRAY(in_off, (size_t)nodes + 1);
    ARRAY(in_link, p->links);
    ARRAY(level, nodes);
    ARRAY(forwards, nodes);
    ARRAY(sends, nodes);
    ARRAY(x, nodes);
    ARRAY(y, nodes);
    ARRAY(z, nodes);
#undef ARRAY
    if (ok)
        return p;
    orr__graph_free(p);
    return NULL;
}

/* The links of each node, in order. */
static void list_links(const struct orr_graph *p, const uint32_t *node,
                       uint32_t *off, uint32_t *link)
{
    uint32_t sum = 0;
    for (uint32_t l = 0; l < p->links; l++)
        off[node[l]]++;
    for (uint32_t v = 0; v <= p->nodes; v++) {
        sum += off[v];
        off[v] = sum;
    }
    for (uint32_t l = p->links; l-- > 0;)
        link[--off[node[l]]] = l;
}

static void copy_link(struct orr_graph *p, uint32_t to,
                      const struct orr_graph *g, uint32_t from,
                      const uint32_t *place)
{
    p->from[to] = place[g->from[from]];
    p->to[to] = place[g->to[from]];
    p->rate_bps[to] = g->rate_bps[from];
    p->delay_ps[to] = g->delay_ps[from];
    p->loss[to] = g->loss[from];
    p->tier[to] = g->tier[from];
}

/* Cables of g that are in the part: marks and counts them. Each is looked at
 * once, by its forward direction. */
static uint32_t list_cables(const struct orr_graph *g, const uint32_t *node,
                            uint32_t n, const uint32_t *place, bool *in)
{
    uint32_t cables = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = g->out_off[node[i]]; k < g->out_off[node[i] + 1];
             k++) {
            uint32_t link = g->out_link[k];
            if (link >= g->cables || place[g->to[link]] == ORR_NONE)
                continue;
            in[link] = true;
            cables++;
        }
    return cables;
}

/* Nodes, links and their indices; in: cables of g that are in the part. */
static void fill_part(struct orr_graph *p, const struct orr_graph *g,
                      const uint32_t *node, const uint32_t *place,
                      const bool *in, uint32_t *link)
{
    for (uint32_t i = 0; i < p->nodes; i++) {
        p->level[i] = g->level[node[i]];
        p->forwards[i] = g->forwards[node[i]];
        p->sends[i] = g->sends[node[i]];
    }
    for (uint32_t c = 0, i = 0; c < g->cables; c++) {
        if (!in[c])
            continue;
        link[i] = c;
        link[p->cables + i] = g->cables + c;
        copy_link(p, i, g, c, place);
        copy_link(p, p->cables + i, g, g->cables + c, place);
        i++;
    }
    list_links(p, p->from, p->out_off, p->out_link);
    list_links(p, p->to, p->in_off, p->in_link);
}

orr_err orr__graph_part(const struct orr_graph *g, const uint32_t *node,
                        uint32_t n, struct orr_graph **out, uint32_t **link,
                        struct orr_report *why)
{
    uint32_t *place = orr__alloc(g->nodes, sizeof *place), hosts = 0;
    bool *in = orr__alloc(g->cables, sizeof *in);
    struct orr_graph *p = NULL;
    for (uint32_t v = 0; place && v < g->nodes; v++)
        place[v] = ORR_NONE;
    for (uint32_t i = 0; place && i < n; i++) {
        place[node[i]] = i;
        hosts += orr__is_host(g, node[i]);
    }
    *link = NULL;
    if (place && in)
        p = part_new(g, hosts, n, list_cables(g, node, n, place, in));
    if (p)
        *link = orr__alloc(p->links, sizeof **link);
    if (p && *link)
        fill_part(p, g, node, place, in, *link);
    orr__free(place);
    orr__free(in);
    *out = p && *link ? p : NULL;
    if (*out)
        return ORR_OK;
    orr__graph_free(p);
    return orr__no_memory(why);
}
