#include "net/ideal/analytical_time.h"

#include "core/units.h"
#include "net/path/route.h"

uint64_t orr__analytical_wire_bytes(const struct orr_net *n, uint64_t bytes)
{
    uint64_t packets = bytes ? (bytes - 1) / n->config->mtu + 1 : 1;
    uint64_t wire = bytes + packets * n->config->header;

    return wire ? wire : 1;
}

int64_t orr__analytical_steps(const struct orr_net *n, int64_t time)
{
    return time - time % n->config->resolution_ps;
}

/* The time of a message, cut down. Never to nothing: the shortest link takes
 * what it takes, so it does not matter which nodes run as one process. */
static int64_t cut_down(const struct orr_net *n, int64_t time)
{
    int64_t whole = orr__analytical_steps(n, time);

    return whole > 0 ? whole : n->shortest_ps;
}

void orr__analytical_add_link(const struct orr_net *n,
                              struct orr_analytical_path *w, uint32_t link,
                              uint64_t wire)
{
    int64_t time = orr__serialisation(wire, n->rate_bps[link]);
    uint32_t tier = n->graph->tier[link];

    if (n->config->tiers != ORR_TIERS_ALL) {
        bool lowest = n->config->tiers == ORR_TIERS_LOWEST;
        if (w->begun && (lowest ? tier > w->tier : tier < w->tier))
            return;
        if (!w->begun || tier != w->tier)
            *w = (struct orr_analytical_path){.tier = tier, .begun = true};
    }
    w->delay = orr__time_add(w->delay, n->port[link].delay_ps);
    w->slowest = time > w->slowest ? time : w->slowest;
}

int64_t orr__analytical_path_time(const struct orr_net *n,
                                  const struct orr_analytical_path *w)
{
    return cut_down(n, orr__time_add(w->delay, w->slowest));
}

int64_t orr__analytical_hop_time(const struct orr_net *n, uint32_t link,
                                 uint64_t wire)
{
    return cut_down(n,
                    orr__time_add(n->port[link].delay_ps,
                                  orr__serialisation(wire, n->rate_bps[link])));
}

int64_t orr__analytical_time(const struct orr_net *n,
                             const struct orr_connection_spec *spec,
                             uint64_t bytes)
{
    struct orr_probe p = orr__probe_for(n, spec, true);
    uint64_t wire = orr__analytical_wire_bytes(n, bytes);
    struct orr_analytical_path w = {0};
    int64_t hops = 0;

    for (uint32_t at = spec->src; at != spec->dst;) {
        uint32_t link = orr__probe_next(n, n->base, at, &p);

        orr__analytical_add_link(n, &w, link, wire);
        hops = orr__time_add(hops, orr__analytical_hop_time(n, link, wire));
        at = n->graph->to[link];
    }
    return n->config->contention == ORR_CONTENTION_LINKS
               ? hops
               : orr__analytical_path_time(n, &w);
}

/* Where only the highest tier counts, a message between processes may count
 * links within one only: those of no lower tier than some link between them. */
static int64_t least_of_highest(const struct orr_net *n, int64_t least)
{
    const struct orr_graph *g = n->graph;
    uint32_t tier = UINT32_MAX;

    for (uint32_t l = 0; l < g->links; l++)
        if (n->node[g->from[l]].process != n->node[g->to[l]].process
            && g->tier[l] < tier)
            tier = g->tier[l];
    for (uint32_t l = 0; l < g->links; l++)
        if (g->tier[l] >= tier && n->port[l].delay_ps < least)
            least = n->port[l].delay_ps;
    return least;
}

int64_t orr__analytical_lookahead(const struct orr_net *n, int64_t least)
{
    /* the same, and links of any tier may be lower; or the last node on a path
     * tells the source, over whatever its own link to the destination is */
    if ((n->config->tiers == ORR_TIERS_LOWEST
         || n->config->contention == ORR_CONTENTION_LINKS)
        && n->processes > 1)
        least = n->shortest_ps;
    if (n->config->tiers == ORR_TIERS_HIGHEST && n->processes > 1)
        least = least_of_highest(n, least);
    return cut_down(n, least);
}
