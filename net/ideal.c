/* How long a flow takes when it is alone and its window unlimited: the lower
 * bound that its slowdown is measured against. */
#include "core/memory.h"
#include "net/fabric.h"

#define MAX_HOPS 256

static int64_t wire_time(const struct orr_net *n, uint32_t link,
                         uint64_t bytes)
{
    return orr__serialisation(bytes ? bytes : 1, n->graph->rate_bps[link]);
}

/* Packets of one size leave each link at the pace of the slowest so far; the
 * last, shorter one may catch up with the one in front of it. */
static int64_t data_arrival(const struct orr_net *n, const uint32_t *links,
                            uint32_t hops, uint64_t bytes)
{
    const struct orr_net_config *c = n->config;
    uint64_t full = bytes ? (bytes - 1) / c->mtu : 0;
    uint64_t rest = bytes - full * c->mtu;
    int64_t slowest = 0, before = 0, last = 0;

    for (uint32_t i = 0; i < hops; i++) {
        int64_t time = wire_time(n, links[i], c->mtu + c->header);
        int64_t delay = n->port[links[i]].delay_ps, all;

        slowest = time > slowest ? time : slowest;
        before += time; /* when the first full packet has left this link */
        all = full ? before + (int64_t)(full - 1) * slowest : 0;
        last = (last > all ? last : all)
               + wire_time(n, links[i], rest + c->header) + delay;
        before += delay;
    }
    return last;
}

int64_t orr__net_ideal(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, uint64_t bytes)
{
    uint32_t links[MAX_HOPS];
    uint32_t hops = orr__net_path(n, src, dst, identity, true, links,
                                  MAX_HOPS);
    int64_t time;

    if (hops > MAX_HOPS)
        hops = MAX_HOPS;
    time = data_arrival(n, links, hops, bytes);
    if (n->config->transport == ORR_TRANSPORT_DATAGRAM)
        return time;
    hops = orr__net_path(n, src, dst, identity, false, links, MAX_HOPS);
    if (hops > MAX_HOPS)
        hops = MAX_HOPS;
    for (uint32_t i = 0; i < hops; i++)
        time += wire_time(n, links[i], n->config->ack)
                + n->port[links[i]].delay_ps;
    return time;
}
