/* How long a flow takes when it is alone and its window unlimited: the lower
 * bound that its slowdown is measured against. */
#include "net/fabric.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t orr__direction_hash(const struct orr_net *n, uint64_t identity,
                             bool forward)
{
    uint64_t key[2] = {identity, forward};

    return (uint32_t)XXH3_64bits_withSeed(key, sizeof key, n->seed);
}

/* The next link of packet p at a node, without the node taking note of it. */
static uint32_t next_link(const struct orr_net *n, uint32_t at,
                          const struct orr_packet *p)
{
    struct orr_node node = n->node[at]; /* a copy: spraying counts */

    return orr__route((struct orr_net *)n, &node, p);
}

uint32_t orr__net_path(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, bool forward, uint32_t *links,
                       uint32_t max)
{
    struct orr_packet p = {
        .dst_kind = orr__packet_to(forward ? dst : src, 0),
        .hash = orr__direction_hash(n, identity, forward),
    };
    uint32_t at = forward ? src : dst, count = 0;

    while (at != orr__packet_dst(&p)) {
        uint32_t link = next_link(n, at, &p);

        if (count < max)
            links[count] = link;
        count++;
        at = n->graph->to[link];
    }
    return count;
}

static int64_t wire_time(const struct orr_net *n, uint32_t link,
                         uint64_t bytes)
{
    return orr__serialisation(bytes ? bytes : 1, n->graph->rate_bps[link]);
}

/* Packets that one of the source's ports has to send at least: all of them,
 * or the share of the busiest where packets may take any of several. */
static uint64_t share(const struct orr_net *n, uint32_t src, uint32_t dst,
                      uint64_t packets)
{
    const struct orr_node *node = &n->node[src];
    uint32_t ports = 1;

    if (n->config->reorders && node->row)
        ports = node->row[n->routes->column[dst]] & 0xff;
    return ports > 1 ? (packets + ports - 1) / ports : packets;
}

/* When all data is there. Packets of one size leave each link at the pace of
 * the slowest so far; the last, shorter one may catch up with them. */
static int64_t data_arrival(const struct orr_net *n, uint32_t src,
                            struct orr_packet *p, uint64_t bytes)
{
    const struct orr_net_config *c = n->config;
    uint64_t packets = bytes ? (bytes - 1) / c->mtu + 1 : 1;
    uint64_t rest = bytes - (packets - 1) * c->mtu;
    uint64_t full = share(n, src, orr__packet_dst(p), packets) - 1;
    int64_t slowest = 0, before = 0, last = 0;

    for (uint32_t at = src; at != orr__packet_dst(p);) {
        uint32_t link = next_link(n, at, p);
        int64_t time = wire_time(n, link, c->mtu + c->header), all;

        slowest = time > slowest ? time : slowest;
        before += time; /* when the first full packet has left this link */
        all = full ? before + (int64_t)(full - 1) * slowest : 0;
        last = (last > all ? last : all) + wire_time(n, link, rest + c->header)
               + n->port[link].delay_ps;
        before += n->port[link].delay_ps;
        at = n->graph->to[link];
    }
    return last;
}

int64_t orr__net_ideal(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, uint64_t bytes)
{
    struct orr_packet data = {
        .dst_kind = orr__packet_to(dst, 0),
        .hash = orr__direction_hash(n, identity, true)};
    struct orr_packet ack = {
        .dst_kind = orr__packet_to(src, 0),
        .hash = orr__direction_hash(n, identity, false)};
    int64_t time = data_arrival(n, src, &data, bytes);

    if (n->config->transport == ORR_TRANSPORT_DATAGRAM)
        return time;
    for (uint32_t at = dst; at != src;) {
        uint32_t link = next_link(n, at, &ack);

        time += wire_time(n, link, n->config->ack) + n->port[link].delay_ps;
        at = n->graph->to[link];
    }
    return time;
}
