#include "net/path/route.h"

#include <assert.h>

#include "net/fabric/routing.h"
#include "net/host/host.h"
#include "net/path/detour.h"
#include "net/path/reroute.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct orr_path_hops orr__route_hops(const struct orr_routing *r, uint32_t at,
                                     uint32_t dst, uint32_t *only)
{
    uint32_t n;
    const uint32_t *link = orr__routing_next(r, at, dst, &n);

    *only = link[0];
    return (struct orr_path_hops){n == 1 ? only : link, n};
}

/* May each packet that could go by this link and others take another one? */
static bool moves_at(const struct orr_net *n, uint32_t link)
{
    struct orr_path_rule rule = orr__path_rule_of(n->config, link);

    return n->config->path != ORR_PATH_BY_TIER
           || orr__path_moves(rule.kind, rule.params);
}

bool orr__route_has_choice(const struct orr_net *n, uint32_t src, uint32_t dst)
{
    uint32_t only;

    for (uint32_t at = src; n->config->moves && at != dst;) {
        struct orr_path_hops w = orr__route_hops(n->base, at, dst, &only);

        if (w.n > 1 && moves_at(n, w.link[0]))
            return true;
        at = n->graph->to[w.link[0]];
    }
    return false;
}

bool orr__route_reorders(const struct orr_net *n,
                         const struct orr_connection_spec *spec)
{
    const struct orr_net_config *c = n->config;
    uint32_t only;

    if (c->path != ORR_PATH_BY_TIER || !c->reorders)
        return c->reorders;
    for (uint32_t at = spec->src; !spec->path && at != spec->dst;) {
        struct orr_path_hops w = orr__route_hops(n->base, at, spec->dst, &only);
        struct orr_path_rule rule = orr__path_rule_of(c, w.link[0]);

        if (w.n > 1 && orr__path_reorders(rule.kind, rule.params))
            return true;
        at = n->graph->to[w.link[0]];
    }
    return false;
}

uint32_t orr__direction_hash(const struct orr_net *n, uint64_t identity,
                             bool forward)
{
    uint64_t key[2] = {identity, forward};

    return (uint32_t)XXH3_64bits_withSeed(key, sizeof key, n->seed);
}

uint32_t orr__path_hash(const struct orr_net *n,
                        const struct orr_connection_spec *spec, bool forward)
{
    return orr__direction_hash(
        n, spec->entropy ? spec->entropy : spec->identity, forward);
}

uint32_t orr__route_follow_own(struct orr_net *n, uint32_t node,
                               struct orr_packet *p)
{
    const struct orr_sender *s = orr__sender(n, p->connection);
    uint32_t i = 0;

    if (n->routed)
        return orr__detour(n, n->routes, node, p, n);
    while (i < s->path_links && n->graph->from[s->path[i]] != node)
        i++;
    assert(i < s->path_links); /* nothing else sends it astray */
    if (s->own_path && orr__rerouting_closed(n, s->path[i])) {
        p->dst_kind &= ~(uint32_t)ORR_PACKET_ROUTED; /* now by the tables */
        return orr__route_packet(n, &n->node[node], p);
    }
    return s->path[i];
}

struct orr_probe orr__probe_of(const struct orr_net *n,
                               const struct orr_sender *s, bool forward)
{
    return (struct orr_probe){
        .packet =
            {
                .dst_kind =
                    orr__packet_to(forward ? s->dst : s->src, n->routed),
                .hash =
                    forward ? s->path_hash : orr__receiver(n, s->id)->path_hash,
            },
        .path = forward ? s->path : NULL,
        .own = s->own_path != NULL,
    };
}

struct orr_probe orr__probe_for(const struct orr_net *n,
                                const struct orr_connection_spec *spec,
                                bool forward)
{
    struct orr_probe p = {
        .packet =
            {
                .dst_kind =
                    orr__packet_to(forward ? spec->dst : spec->src, n->routed),
                .hash = orr__path_hash(n, spec, forward),
            },
        .path = forward ? spec->path : NULL,
    };

    if (forward && !spec->path)
        p.links =
            orr__path_of_k(n, spec->src, spec->dst, p.packet.hash, p.link);
    return p;
}

uint32_t orr__probe_next(const struct orr_net *n, const struct orr_routing *r,
                         uint32_t at, struct orr_probe *p)
{
    uint32_t only, index = 0;
    struct orr_path_hops hops;

    if (p->path
        && !(p->own && r != n->base && orr__rerouting_closed(n, *p->path)))
        return *p->path++;
    p->path = NULL;
    if (p->next < p->links)
        return p->link[p->next++];
    if (p->packet.dst_kind & ORR_PACKET_ROUTED)
        return orr__detour(n, r, at, &p->packet, NULL);
    hops = orr__route_hops(r, at, orr__packet_dst(&p->packet), &only);
    if (hops.n > 1
        && orr__path_rule_of(n->config, hops.link[0]).kind != ORR_PATH_first)
        index = orr__ecmp_index(&n->node[at].path, &p->packet, hops.n);
    return hops.link[index];
}

uint32_t orr__net_path_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec, bool forward,
                          uint32_t *links, uint32_t max)
{
    struct orr_probe p = orr__probe_for(n, spec, forward);
    uint32_t at = forward ? spec->src : spec->dst, count = 0;

    while (at != orr__packet_dst(&p.packet)) {
        uint32_t link = orr__probe_next(n, n->base, at, &p);

        if (count < max)
            links[count] = link;
        count++;
        at = n->graph->to[link];
    }
    return count;
}

uint32_t orr__net_path(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, bool forward, uint32_t *links,
                       uint32_t max)
{
    struct orr_connection_spec spec = {
        .src = src, .dst = dst, .identity = identity};

    return orr__net_path_of(n, &spec, forward, links, max);
}

uint32_t orr__route_wide(struct orr_net *n, struct orr_node *at,
                         const struct orr_packet *p)
{
    uint32_t only;
    struct orr_path_hops w =
        orr__route_hops(n->routes, at->path.node, orr__packet_dst(p), &only);

    if (w.n == 1)
        return *w.link;
    return w.link[orr__path_pick(n->config->path, n, &at->path, p, w)];
}
