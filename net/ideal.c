/* How long a flow takes when it is alone and its window unlimited: the lower
 * bound that its slowdown is measured against. */
#include <assert.h>

#include "net/analytical.h"
#include "net/cut.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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

uint32_t orr__route_own(const struct orr_net *n, uint32_t node,
                        const struct orr_packet *p)
{
    const struct orr_sender *s = orr__sender(n, p->connection);
    uint32_t i = 0;

    while (n->graph->from[s->path[i]] != node)
        i++;
    assert(i < s->path_links); /* nothing else sends it astray */
    return s->path[i];
}

struct orr_probe orr__probe_of(const struct orr_net *n,
                               const struct orr_sender *s, bool forward)
{
    return (struct orr_probe){
        .packet = {
            .dst_kind = orr__packet_to(forward ? s->dst : s->src, 0),
            .hash = forward ? s->path_hash
                            : orr__receiver(n, s->id)->path_hash,
        },
        .path = forward ? s->path : NULL,
    };
}

struct orr_probe orr__probe_for(const struct orr_net *n,
                                const struct orr_connection_spec *spec,
                                bool forward)
{
    return (struct orr_probe){
        .packet = {
            .dst_kind = orr__packet_to(forward ? spec->dst : spec->src, 0),
            .hash = orr__path_hash(n, spec, forward),
        },
        .path = forward ? spec->path : NULL,
    };
}

uint32_t orr__probe_next(const struct orr_net *n, const struct orr_routes *r,
                         uint32_t at, struct orr_probe *p)
{
    uint32_t dst = orr__packet_dst(&p->packet), entry, index = 0;
    struct orr_path_ways ways;

    if (p->path)
        return *p->path++;
    if (r->row[at] == ORR_NO_ROW)
        return r->only_link[at];
    entry = r->table[r->row[at] + r->column[dst]];
    ways = (struct orr_path_ways){r->list + (entry >> 8), entry & 0xff};
    if (ways.n == 0)
        return r->last_link[dst];
    if (ways.n > 1 && n->config->path != ORR_PATH_first)
        index = orr__path_ecmp((struct orr_net *)n, &n->node[at].path,
                               &p->packet, ways);
    return ways.link[index];
}

/* While all links are alive. */
static uint32_t next_link(const struct orr_net *n, uint32_t at,
                          struct orr_probe *p)
{
    return orr__probe_next(n, n->base, at, p);
}

uint32_t orr__net_path_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec, bool forward,
                          uint32_t *links, uint32_t max)
{
    struct orr_probe p = orr__probe_for(n, spec, forward);
    uint32_t at = forward ? spec->src : spec->dst, count = 0;

    while (at != orr__packet_dst(&p.packet)) {
        uint32_t link = next_link(n, at, &p);

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
    struct orr_connection_spec spec
        = {.src = src, .dst = dst, .identity = identity};

    return orr__net_path_of(n, &spec, forward, links, max);
}

static int64_t wire_time(const struct orr_net *n, uint32_t link,
                         uint64_t bytes)
{
    return orr__serialisation(bytes ? bytes : 1, n->begin_bps[link]);
}

/* Packets that one of the source's ports has to send at least: all of them,
 * or the share of the busiest where packets may take any of several. */
static uint64_t share(const struct orr_net *n, uint32_t src,
                      const struct orr_probe *p, uint64_t packets)
{
    const struct orr_routes *r = n->base;
    uint32_t dst = orr__packet_dst(&p->packet), ports = 1;

    if (n->config->moves && r->row[src] != ORR_NO_ROW && !p->path)
        ports = r->table[r->row[src] + r->column[dst]] & 0xff;
    return ports > 1 ? (packets + ports - 1) / ports : packets;
}

/* A packet on its way, alone: the link it was sent on last, and when. */
struct leg {
    uint32_t link;
    int64_t begin, end; /* begin: -1 before the first link */
};

/* Sends it on over the next link, not before `free_at`. */
static void send_on(const struct orr_net *n, struct leg *g, uint32_t link,
                    uint64_t bytes, int64_t free_at)
{
    uint32_t size = (uint32_t)(bytes ? bytes : 1);
    int64_t time = wire_time(n, link, bytes), begin = 0;

    if (g->begin >= 0) /* from when it is noticed at the link's end */
        begin = orr__cut_begin(n, g->link, size,
                               g->end + n->port[g->link].delay_ps
                                   - orr__cut_lead(n, g->link, size),
                               time);
    g->link = link;
    g->begin = begin > free_at ? begin : free_at;
    g->end = g->begin + time;
}

/* When all data is there. Packets of one size leave each link at the pace of
 * the slowest so far; the last, shorter one may catch up with them. */
static int64_t data_arrival(const struct orr_net *n, uint32_t src,
                            struct orr_probe *p, uint64_t bytes)
{
    const struct orr_net_config *c = n->config;
    uint64_t packets = bytes ? (bytes - 1) / c->mtu + 1 : 1;
    uint64_t rest = bytes - (packets - 1) * c->mtu;
    uint64_t full = share(n, src, p, packets) - 1;
    struct leg first = {.begin = -1}, last = {.begin = -1};
    int64_t slowest = 0;

    for (uint32_t at = src; at != orr__packet_dst(&p->packet);) {
        uint32_t link = next_link(n, at, p);
        int64_t time = wire_time(n, link, c->mtu + c->header), all = 0;

        slowest = time > slowest ? time : slowest;
        send_on(n, &first, link, c->mtu + c->header, 0);
        if (full) /* when the last full packet has left this link */
            all = first.end + (int64_t)(full - 1) * slowest;
        send_on(n, &last, link, rest + c->header, all);
        at = n->graph->to[link];
    }
    return last.end + n->port[last.link].delay_ps;
}

int64_t orr__net_ideal_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec,
                          uint64_t bytes)
{
    struct orr_probe data = orr__probe_for(n, spec, true);
    struct orr_probe ack = orr__probe_for(n, spec, false);
    struct leg back = {.begin = -1};
    int64_t time;

    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL)
        return orr__analytical_time(n, spec, bytes);
    time = data_arrival(n, spec->src, &data, bytes);
    if (n->config->transport == ORR_TRANSPORT_DATAGRAM)
        return time;
    for (uint32_t at = spec->dst; at != spec->src;) {
        uint32_t link = next_link(n, at, &ack);

        send_on(n, &back, link, n->config->ack, 0);
        at = n->graph->to[link];
    }
    return time + back.end + n->port[back.link].delay_ps;
}

int64_t orr__net_ideal(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, uint64_t bytes)
{
    struct orr_connection_spec spec
        = {.src = src, .dst = dst, .identity = identity};

    return orr__net_ideal_of(n, &spec, bytes);
}
