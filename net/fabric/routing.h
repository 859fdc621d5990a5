/* The next hop of a packet, in line: what the loop asks for each packet-hop. */
#ifndef ORR_NET_FABRIC_ROUTING_H
#define ORR_NET_FABRIC_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/assert.h"
#include "core/none.h"
#include "net/fabric/fabric.h"
#include "net/path/pick.h"

/* The same for a packet that is ROUTED: on a path of its sender's, or maybe on
 * a detour. */
uint32_t orr__route_follow_own(struct orr_net *n, uint32_t node,
                               struct orr_packet *p);

/* The same for a packet that is not, at a node with a set of next hops that its
 * entry does not count. */
uint32_t orr__route_wide(struct orr_net *n, struct orr_node *at,
                         const struct orr_packet *p);

/* From now on node id goes by these routes. */
static inline void orr__node_adopt(struct orr_node *at,
                                   const struct orr_routing *r, uint32_t id)
{
    bool row = r->row[id] != ORR_NO_ROW;

    at->row = row && !r->wide[id] ? r->table + r->row[id] : NULL;
    if (at->row)
        at->part = r->part[id];
    else
        at->only_link = row ? ORR_NONE : r->only_link[id];
}

/* What most packets' next hops from a node are found in; for as long as routes
 * are the same. */
struct orr_signs {
    const uint32_t *row; /* as in orr_node, the others as in orr_routing */
    const uint32_t *column, *list, *last_link;
    uint64_t of_node; /* of ECMP's hash */
};

/* Those of a node, to be looked up once for many packets. */
static inline struct orr_signs orr__signs_of(const struct orr_net *n,
                                             const struct orr_node *at)
{
    const struct orr_routing *r = n->routes;

    return (struct orr_signs){
        at->row, r->column, orr__routing_list(r, at->row ? at->part : 0),
        r->last_link, orr__ecmp_of_node(at->path.seed, at->path.node)};
}

/* The same for a node with a row, where ECMP chooses. */
static inline __attribute__((always_inline)) uint32_t orr__route_ecmp(
    const struct orr_signs *r, const struct orr_packet *p)
{
    uint32_t dst = orr__packet_dst(p), entry, count, i;

    ORR_ASSERT(r->row && !(p->dst_kind & ORR_PACKET_ROUTED));
    entry = r->row[r->column[dst]];
    count = orr__entry_count(entry);
    i = orr__entry_first(entry);
    if (count == 0)
        return r->last_link[dst];
    if (count > 1)
        i += orr__ecmp_choose(r->of_node, p->hash, count);
    return r->list[i];
}

/* Next hop of a packet that is not ROUTED at a node that is not its
 * destination: a link. Packets with a choice carry the present time in `at`. r:
 * of the node. */
static inline __attribute__((always_inline)) uint32_t orr__route_by(
    struct orr_net *n, struct orr_node *at, struct orr_signs r,
    const struct orr_packet *p, enum orr_path_kind kind)
{
    uint32_t dst = orr__packet_dst(p), entry, count;
    struct orr_path_hops hops;

    ORR_ASSERT(!(p->dst_kind & ORR_PACKET_ROUTED));
    if (!r.row && at->only_link == ORR_NONE)
        return orr__route_wide(n, at, p);
    if (!r.row)
        return at->only_link;
    entry = r.row[r.column[dst]];
    count = orr__entry_count(entry);
    if (count == 1)
        return r.list[orr__entry_first(entry)];
    if (count == 0)
        return r.last_link[dst];
    hops = (struct orr_path_hops){r.list + orr__entry_first(entry), count};
    return hops.link[orr__path_pick(kind, n, &at->path, p, hops)];
}

/* The same of any packet, which is the caller's own: what it is to do next is
 * noted in it if it is ROUTED. */
static inline uint32_t orr__route_packet(struct orr_net *n, struct orr_node *at,
                                         struct orr_packet *p)
{
    if (__builtin_expect(p->dst_kind & ORR_PACKET_ROUTED, 0))
        return orr__route_follow_own(n, at->path.node, p);
    return orr__route_by(n, at, orr__signs_of(n, at), p, n->config->path);
}

/* The same of one taken off a link, whose sending end may be copying its ring
 * in this window: if something is noted in it, *p is the copy in *room. */
static inline uint32_t orr__route_taken(struct orr_net *n, struct orr_node *at,
                                        const struct orr_packet **p,
                                        struct orr_packet *room)
{
    if (__builtin_expect(!((*p)->dst_kind & ORR_PACKET_ROUTED), 1))
        return orr__route_by(n, at, orr__signs_of(n, at), *p, n->config->path);
    *room = **p;
    *p = room;
    return orr__route_follow_own(n, at->path.node, room);
}

#endif
