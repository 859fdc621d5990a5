/* Valiant's routing ("A scheme for fast parallel communication", SIAM J.
 * Comput. 11(2), 1982) and UGAL with local knowledge (Singh, "Load-balanced
 * routing in interconnection networks", 2005; for dragonflies Kim, Dally,
 * Scott, Abts, ISCA 2008, section 4): of the shortest path and one over a
 * random stop, what has less queue at its first port times hops in all. In a
 * network of areas (a dragonfly's groups) a detour is to an area, and ends at
 * the first of its switches; traffic within an area makes none. */
#include "net/path/detour.h"

#include "core/memory.h"
#include "net/path/flowlet.h"
#include "net/path/reroute.h"
#include "net/path/route.h"
#include "net/port/port.h"
#include "topo/detours.h"

static bool same_area(const struct orr_graph *g, uint32_t a, uint32_t b)
{
    return g->area ? g->area[a] == g->area[b] : a == b;
}

static uint32_t stop_of(const struct orr_net *n, const struct orr_routing *r,
                        const struct orr_packet *p)
{
    bool packets = n->config->path_params.per == ORR_PATH_PER_PACKET;
    uint32_t key[2] = {p->hash, packets ? p->seq : 0};

    return r
        ->stop[XXH3_64bits_withSeed(key, sizeof key, n->seed ^ 3) % r->stops];
}

/* Towards a node: the next hop, one of the equal ones by their hash. */
static uint32_t towards(const struct orr_net *n, const struct orr_routing *r,
                        uint32_t node, uint32_t to, const struct orr_packet *p)
{
    uint32_t only, i = 0;
    struct orr_path_hops w = orr__route_hops(r, node, to, &only);

    if (w.n > 1)
        i = orr__ecmp_index(&n->node[node].path, p, w.n);
    return w.link[i];
}

/* Links from a node to a destination, or to its switch; far: none. */
static uint32_t links_to(const struct orr_routing *r, uint32_t node,
                         uint32_t to)
{
    if (r->row[node] == ORR_NO_ROW)
        return 1;
    return r->distance[r->row[node] + r->column[to]];
}

/* Has the packet's way to its destination nothing to choose any more? */
static bool is_there(const struct orr_routing *r, uint32_t node, uint32_t dst)
{
    return links_to(r, node, dst) == 0;
}

/* UGAL-L: does the detour promise less than the shortest path? */
static bool promises_less(const struct orr_net *n, const struct orr_routing *r,
                          const struct orr_packet *p, uint32_t node,
                          uint32_t stop, const uint32_t link[2])
{
    uint32_t dst = orr__packet_dst(p), hops = links_to(r, node, dst);
    uint32_t by_stop = links_to(r, node, stop) + links_to(r, stop, dst);
    __int128_t here, there;

    here = (__int128_t)orr__port_backlog(n, link[0], p->at) * hops;
    there = (__int128_t)orr__port_backlog(n, link[1], p->at) * by_stop;
    return here > there + n->config->path_params.threshold_ps;
}

/* link: the first of the shortest path, and of the detour. */
static bool decide(struct orr_net *n, const struct orr_routing *r,
                   struct orr_packet *p, uint32_t node, uint32_t stop,
                   const uint32_t link[2])
{
    static const uint32_t both[2] = {0, 1};
    struct orr_path_hops w = {both, 2};
    struct orr_flowlet *f;
    bool goes_on;

    if (n->config->path_params.per == ORR_PATH_PER_PACKET)
        return promises_less(n, r, p, node, stop, link);
    f = orr__flowlet_slot(n, &n->node[node].path, p);
    if (!f)
        return false;
    goes_on = orr__flowlet_goes_on(n, f, p->at, w);
    f->last = p->at;
    return goes_on ? f->index
                   : orr__flowlet_repick(
                       f, w, promises_less(n, r, p, node, stop, link));
}

/* Whether the packet is to go by `stop`: never if that is no detour (same group
 * or column, or the next hop leads nowhere). With UGAL a flowlet of `decides`
 * keeps the choice; NULL: nothing is decided, so no. */
static bool wants_detour(const struct orr_net *n, const struct orr_routing *r,
                         struct orr_packet *p, uint32_t node, uint32_t stop,
                         const uint32_t link[2], struct orr_net *decides)
{
    const struct orr_graph *g = n->graph;
    uint32_t dst = orr__packet_dst(p);

    if (same_area(g, node, stop) || r->column[stop] == r->column[dst]
        || (g->area
            && (g->area[node] == g->area[dst] || g->area[stop] == g->area[dst]))
        || is_there(r, node, dst) || link[1] == orr__nowhere(n))
        return false;
    if (n->config->path == ORR_PATH_valiant)
        return true;
    return decides && decide(decides, r, p, node, stop, link);
}

uint32_t orr__detour(const struct orr_net *n, const struct orr_routing *r,
                     uint32_t node, struct orr_packet *p,
                     struct orr_net *decides)
{
    uint32_t dst = orr__packet_dst(p), link[2] = {0}, stop;
    bool detoured = p->dst_kind & ORR_PACKET_DETOUR;

    if (r->row[node] == ORR_NO_ROW)
        return r->only_link[node];
    link[0] = towards(n, r, node, dst, p);
    if (r->stops) {
        stop = stop_of(n, r, p);
        link[1] = towards(n, r, node, stop, p);
        if (detoured)
            detoured = !same_area(n->graph, node, stop)
                       && !is_there(r, node, dst) && link[1] != orr__nowhere(n);
        else
            detoured = wants_detour(n, r, p, node, stop, link, decides);
    }
    p->dst_kind &= ~(uint32_t)(ORR_PACKET_ROUTED | ORR_PACKET_DETOUR);
    if (!detoured)
        return link[0];
    p->dst_kind |= ORR_PACKET_ROUTED | ORR_PACKET_DETOUR;
    return link[1];
}

bool orr__detoured(const struct orr_net *n, uint32_t src, uint32_t dst)
{
    return n->config->detours && n->base->stops
           && n->base->column[src] != n->base->column[dst];
}

uint32_t orr__path_of_k(const struct orr_net *n, uint32_t src, uint32_t dst,
                        uint32_t hash, uint32_t *links)
{
    uint32_t k = (uint32_t)n->config->path_params.k;

    if (n->config->path != ORR_PATH_k_shortest || !n->base->distance)
        return 0;
    return orr__routing_path(n->graph, n->base, src, dst, k, hash, n->seed,
                             links);
}

orr_err orr__net_routes(const struct orr_graph *graph,
                        const struct orr_net_config *config, uint64_t seed,
                        const uint32_t *dests, uint32_t n,
                        struct orr_routing **out, struct orr_report *why)
{
    bool k_shortest = config->path == ORR_PATH_k_shortest;
    struct orr_routing_request want = {
        .distances = config->detours || k_shortest, .plain = k_shortest};
    uint32_t *stops = NULL;
    orr_err err = ORR_OK;

    if (config->detours)
        err =
            orr__graph_detour_stops(graph, (uint32_t)config->path_params.stops,
                                    seed, &stops, &want.n_stops, why);
    want.stops = stops;
    if (err == ORR_OK)
        err = orr__routing_build_for(graph, NULL, &want, dests, n, out, why);
    orr__free(stops);
    return err;
}
