#include "net/path/own.h"
#include "core/none.h"

#include "net/fabric/nic_port.h"
#include "net/fabric/routing.h"
#include "net/host/host.h"
#include "net/path/route.h"
#include "net/port/port.h"

/* ---- in turn ---- */

static bool are_alike(const uint64_t *rate_bps, struct orr_path_hops w)
{
    for (uint32_t i = 1; i < w.n; i++)
        if (rate_bps[w.link[i]] != rate_bps[w.link[0]])
            return false;
    return true;
}

/* Bresenham's line: of `turn` turns this many are the first one's. */
static uint32_t times_chosen(uint32_t turn, uint64_t rate,
                             unsigned __int128 all)
{
    return (uint32_t)(turn * (unsigned __int128)rate / all);
}

uint32_t orr__path_in_round(const uint64_t *rate_bps, struct orr_path_hops w,
                            uint32_t turn)
{
    unsigned __int128 all = 0;

    if (are_alike(rate_bps, w))
        return turn % w.n;
    for (uint32_t i = 0; i < w.n; i++)
        all += rate_bps[w.link[i]];
    for (uint32_t i = 0; i + 1 < w.n; i++) {
        uint64_t rate = rate_bps[w.link[i]];
        uint32_t before = times_chosen(turn, rate, all);

        if (times_chosen(turn + 1, rate, all) != before)
            return i;
        turn -= before; /* those that the others have had */
        all -= rate;
    }
    return w.n - 1;
}

/* How many packets of this kind the connection has sent; each kind is counted
 * at the end that sends it, and begins where `first` says. 0: not begun. */
static uint32_t *round_of(struct orr_net *n, uint32_t host,
                          const struct orr_packet *p)
{
    struct orr_sender *s = orr__sender(n, p->connection);

    return s->src == host ? &s->path_round
                          : &orr__receiver(n, p->connection)->path_round;
}

static uint32_t next_link_in_round(struct orr_net *n, uint32_t host,
                                   const struct orr_packet *p,
                                   struct orr_path_hops w)
{
    struct orr_path_state *s = &n->node[host].path;
    uint32_t *turn = round_of(n, host, p);

    if (*turn == 0)
        *turn = 1 + (p->size_flags & ORR_PACKET_ACK ? p->hash : s->count++);
    return orr__path_in_round(n->rate_bps, w, (*turn)++);
}

/* ---- by message ---- */

/* Each message has the port behind that of the one before (orr__net_send); ACKs
 * keep to one. */
static uint32_t take_message(const struct orr_net *n, uint32_t host,
                             const struct orr_packet *p, struct orr_path_hops w)
{
    if (p->size_flags & ORR_PACKET_ACK || p->aux == ORR_NONE)
        return orr__ecmp_index(&n->node[host].path, p, w.n);
    return orr__path_in_round(n->rate_bps, w,
                              orr__message(n, p->aux)->path_round);
}

/* ---- whichever is free soonest ---- */

/* When the port will have sent what it holds, ps from now. */
static int64_t busy_for(const struct orr_net *n, const struct orr_packet *p,
                        uint32_t link)
{
    const struct orr_nic_port *np = &n->nic_port[n->nic_port_of[link]];

    if (np->paused >> (p->dst_kind & ORR_PACKET_CLASS) & 1)
        return ORR_NEVER - 1;
    return orr__port_backlog(n, link, p->at);
}

/* Among equals the first from a random place on: in order, those that a host
 * leaves idle would always be the same. */
static uint32_t soonest(struct orr_net *n, uint32_t host,
                        const struct orr_packet *p, struct orr_path_hops w)
{
    uint32_t i = orr__path_spray_random(n, &n->node[host].path, p, w);
    uint32_t best = i;
    int64_t least = ORR_NEVER;

    for (uint32_t k = 0; k < w.n && least > 0; k++) {
        int64_t busy = busy_for(n, p, w.link[i]);

        if (busy < least) {
            least = busy;
            best = i;
        }
        i = i + 1 == w.n ? 0 : i + 1;
    }
    return best;
}

uint32_t orr__path_own(struct orr_net *n, uint32_t host, struct orr_packet *p)
{
    const struct orr_net_config *c = n->config;
    struct orr_path_rule rule = {c->path, &c->path_params};
    struct orr_path_hops w;
    uint32_t only;

    if (p->dst_kind & ORR_PACKET_ROUTED)
        return orr__route_packet(n, &n->node[host], p);
    if (c->path == ORR_PATH_BY_TIER) {
        w = orr__route_hops(n->routes, host, orr__packet_dst(p), &only);
        rule = orr__path_rule_of(c, w.link[0]);
    }
    if (rule.kind == ORR_PATH_spray) {
        w = orr__route_hops(n->routes, host, orr__packet_dst(p), &only);
        return w.link[w.n > 1 ? next_link_in_round(n, host, p, w) : 0];
    }
    if (rule.kind == ORR_PATH_message) {
        w = orr__route_hops(n->routes, host, orr__packet_dst(p), &only);
        return w.link[w.n > 1 ? take_message(n, host, p, w) : 0];
    }
    /* with `nic: {queue: fifo}` ports hold all that there is, as a switch's */
    if (rule.kind == ORR_PATH_adaptive
        && rule.params->per == ORR_PATH_PER_PACKET && !c->nic.fifo) {
        w = orr__route_hops(n->routes, host, orr__packet_dst(p), &only);
        return w.link[w.n > 1 ? soonest(n, host, p, w) : 0];
    }
    return orr__route_packet(n, &n->node[host], p);
}

/* ---- by tier ---- */

uint32_t orr__path_by_tier(struct orr_net *n, struct orr_path_state *s,
                           const struct orr_packet *p, struct orr_path_hops w)
{
    struct orr_path_rule rule = orr__path_rule_of(n->config, w.link[0]);

    ORR_ASSERT(rule.kind < ORR_PATH_KINDS);
    return orr__path_pick(rule.kind, n, s, p, w);
}
