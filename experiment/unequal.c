#include "experiment/unequal.h"

#include <stdio.h>

#include "core/units.h"
#include "net/config/config.h"
#include "topo/node_names.h"
#include "topo/routing.h"

/* Sets of next hops looked at: a moment's work. */
#define MOST_SETS 1000000u

/* The slowest and the fastest of these; false: they are alike. */
static bool differ(const struct orr_graph *g, const uint32_t *link, uint32_t n,
                   uint64_t rate[2])
{
    rate[0] = rate[1] = g->rate_bps[link[0]];
    for (uint32_t i = 1; i < n; i++) {
        uint64_t r = g->rate_bps[link[i]];
        rate[0] = r < rate[0] ? r : rate[0];
        rate[1] = r > rate[1] ? r : rate[1];
    }
    return rate[0] != rate[1];
}

/* Do this node's links differ at all? */
static bool may_differ(const struct orr_graph *g, uint32_t node)
{
    uint64_t rate[2];
    uint32_t n = g->out_off[node + 1] - g->out_off[node];
    return n > 1 && differ(g, g->out_link + g->out_off[node], n, rate);
}

static void describe_links(const struct orr_graph *g, uint32_t node,
                           const uint64_t rate[2], const char *kind, char *text,
                           size_t size)
{
    char name[ORR_NODE_NAME], slow[32], fast[32];
    orr__format_rate(rate[0], slow, sizeof slow);
    orr__format_rate(rate[1], fast, sizeof fast);
    snprintf(text, size,
             "network.routing: %s gives equal next hops of %s, of %s and of "
             "%s, the same number of packets: the slow ones fill first "
             "(`adaptive` goes by queues)",
             kind, orr__node_name(g, node, name, sizeof name), slow, fast);
}

/* Hosts share their packets out by rate where packets take turns. */
void orr__note_unequal(const struct orr_world *w, char *text, size_t size)
{
    const struct orr_net_config *c = w->net_config;
    const struct orr_graph *g = w->graph;
    const struct orr_routing *r = w->routes;
    uint32_t sets = 0, n;
    uint64_t rate[2];
    text[0] = '\0';
    if (!g || !r
        || (c->path != ORR_PATH_spray && c->path != ORR_PATH_spray_random))
        return;
    for (uint32_t v = 0; v < g->nodes; v++) {
        if ((v < g->hosts && c->path == ORR_PATH_spray) || !may_differ(g, v)
            || r->row[v] == ORR_NO_ROW)
            continue;
        for (uint32_t d = 0; d < g->hosts && sets < MOST_SETS; d++) {
            if (d == v || r->column[d] == ORR_NONE)
                continue;
            sets++;
            const uint32_t *link = orr__routing_next(r, v, d, &n);
            if (n > 1 && differ(g, link, n, rate)) {
                describe_links(g, v, rate, orr__path_kinds()[c->path].name,
                               text, size);
                return;
            }
        }
    }
}
