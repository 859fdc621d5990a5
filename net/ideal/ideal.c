/* How long a flow takes when it is alone and its window unlimited: the lower
 * bound that its slowdown is measured against. */
#include <assert.h>

#include "net/ideal/analytical_time.h"
#include "net/ideal/multipath.h"
#include "net/path/detour.h"
#include "net/path/reroute.h"
#include "net/path/route.h"
#include "net/port/cut_through.h"

/* While all links are alive. */
static uint32_t next_link(const struct orr_net *n, uint32_t at,
                          struct orr_probe *p)
{
    return orr__probe_next(n, n->base, at, p);
}

/* ---- one way ---- */

/* A packet on its way, alone: the link it was sent on last, and when. */
struct leg {
    const uint64_t *rate_bps; /* of the links */
    uint32_t link;
    int64_t begin, end; /* begin: -1 before the first link */
};

/* Sends it on over the next link, not before `free_at`; how long that takes. */
static int64_t send_on(const struct orr_net *n, struct leg *g, uint32_t link,
                       uint32_t bytes, int64_t free_at)
{
    int64_t time = orr__serialisation(bytes, g->rate_bps[link]), begin = 0;

    if (g->begin >= 0) /* from when it is noticed at the link's end */
        begin = orr__cut_begin(n, g->link, bytes,
                               g->end + n->port[g->link].delay_ps
                                   - orr__cut_lead(n, g->link, bytes),
                               time);
    g->link = link;
    g->begin = begin > free_at ? begin : free_at;
    g->end = g->begin + time;
    return time;
}

static int64_t arrival(const struct orr_net *n, const struct leg *g)
{
    return orr__time_add(g->end, n->port[g->link].delay_ps);
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t shorter(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of so many packets, one behind the other, this far apart, the last. */
static int64_t behind(int64_t first, uint64_t packets, int64_t apart)
{
    int64_t all;

    return packets < 2 || __builtin_mul_overflow(packets - 1, apart, &all)
               ? first
               : orr__time_add(first, all);
}

/* When packets of a train are at their destination: the first, and the last.
 * The full ones between them are `apart`. */
struct arrivals {
    int64_t first, last, apart;
};

/* Packets of one size leave each link at the pace of the slowest so far; the
 * last, shorter one may catch up with them. */
static struct arrivals data_arrivals(const struct orr_net *n,
                                     const uint64_t *rate_bps, uint32_t src,
                                     struct orr_probe *p,
                                     const struct orr_packet_train *t)
{
    struct leg first = {.rate_bps = rate_bps, .begin = -1}, last = first;
    struct arrivals a = {0};

    for (uint32_t at = src; at != orr__packet_dst(&p->packet);) {
        uint32_t link = next_link(n, at, p);
        int64_t time = send_on(n, &first, link, t->full_bytes, 0);

        a.apart = longer(a.apart, time);
        send_on(n, &last, link, t->last_bytes,
                t->full ? behind(first.end, t->full, a.apart) : 0);
        at = n->graph->to[link];
    }
    a.last = arrival(n, &last);
    a.first = t->full ? arrival(n, &first) : a.last;
    return a;
}

/* Can so many ACKs, one of which takes so long, wait at this port, whatever
 * else does? If one were dropped, those behind it would wait for as much. */
static bool room_for(const struct orr_net *n, uint32_t link, uint64_t acks,
                     int64_t time)
{
    const struct orr_net_config *c = n->config;

    return !c->buffer.shared && !orr__net_trims(c)
           && !orr__failures_rate_change(c->failures)
           && (c->limit == ORR_AUTO || acks < (uint64_t)c->limit)
           && behind(time, acks, time) <= n->port[link].drop_ps;
}

/* Does the link lose packets by wrong bits, at some time? */
static bool is_degraded(const struct orr_net *n, uint32_t link)
{
    return n->queue[link] && n->queue[link]->degraded;
}

/* When the ACK for all is back. Those that were sent before it hold it up where
 * the way back is slow: one for every ack_every packets, if none is held back
 * for too long, as may happen to what takes that long. Then each is for as many
 * at most, and the last but one leaves out no more than the last is for: no
 * more is certain. It counts as far as none of them can get lost; the receiver
 * drops none of its own. Where packets may be marked and some are not
 * acknowledged, marks decide which (RFC 8257, section 3.2): nothing is said of
 * those before the last then. */
static int64_t ack_arrival(const struct orr_net *n, const uint64_t *rate_bps,
                           uint32_t dst, struct orr_probe *p,
                           const struct orr_packet_train *t,
                           const struct arrivals *a, bool brief)
{
    struct leg back = {.rate_bps = rate_bps, .begin = -1};
    uint64_t every = (uint64_t)n->config->ack_every;
    bool sure = every == 1 || !n->marks;
    uint64_t acks = sure ? t->full / every : 0; /* before the last one */
    int64_t slowest = 0, time = a->last, from;
    bool all = true;

    for (uint32_t at = dst; at != orr__packet_dst(&p->packet);) {
        uint32_t link = next_link(n, at, p);
        int64_t one = send_on(n, &back, link, (uint32_t)n->config->ack, 0);

        all = all && (at == dst || room_for(n, link, acks + 1, one));
        if (all)
            slowest = longer(slowest, one);
        all = all && n->graph->loss[link] <= 0 && !is_degraded(n, link);
        at = n->graph->to[link];
    }
    if (acks) {
        int64_t held = orr__time_add(a->first, n->config->ack_delay_ps);

        from = behind(a->first, every, a->apart);
        brief = brief && from < held;
        time = longer(time, behind(shorter(from, held), acks + 1, slowest));
        from = behind(a->first, brief ? acks * every : t->full + 1 - every,
                      a->apart);
        time = longer(time, behind(from, 2, slowest));
    }
    return orr__time_add(time, arrival(n, &back));
}

/* ---- messages ---- */

/* The least of the tiers of its path; `mtu` holds where they say nothing. */
static uint64_t mtu_of_tiers(const struct orr_net *n,
                             const struct orr_connection_spec *spec,
                             uint64_t mtu)
{
    struct orr_probe p = orr__probe_for(n, spec, true);
    uint64_t least = UINT64_MAX;

    for (uint32_t at = spec->src; at != spec->dst;) {
        uint32_t link = orr__probe_next(n, n->base, at, &p);
        uint64_t here = orr__payload_on(n->config, link, mtu);

        least = here < least ? here : least;
        at = n->graph->to[link];
    }
    return least == UINT64_MAX ? mtu : least;
}

uint64_t orr__net_mtu_of(const struct orr_net *n,
                         const struct orr_connection_spec *spec)
{
    const struct orr_net_config *c = n->config;
    uint64_t mtu = c->mtu;

    if (c->local_mtu != mtu && orr__net_path_of(n, spec, true, NULL, 0) <= 2)
        mtu = c->local_mtu;
    return c->rule_of ? mtu_of_tiers(n, spec, mtu) : mtu;
}

/* The message as packets: all full but the last, which has the rest and is
 * never empty. */
static struct orr_packet_train train_of(const struct orr_net *n,
                                        const struct orr_connection_spec *spec,
                                        uint64_t bytes)
{
    const struct orr_net_config *c = n->config;
    uint64_t mtu = orr__net_mtu_of(n, spec);
    uint64_t full = bytes ? (bytes - 1) / mtu : 0;
    uint64_t rest = bytes - full * mtu + c->header;

    return (struct orr_packet_train){
        .full = full,
        .full_bytes = (uint32_t)(mtu + c->header),
        .last_bytes = rest ? (uint32_t)rest : 1,
    };
}

int64_t orr__net_idle_of(const struct orr_net *n,
                         const struct orr_connection_spec *spec, uint64_t bytes)
{
    struct orr_probe data = orr__probe_for(n, spec, true);
    struct orr_probe ack = orr__probe_for(n, spec, false);
    struct orr_packet_train t = train_of(n, spec, bytes);
    struct arrivals a;

    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL)
        return orr__analytical_time(n, spec, bytes);
    a = data_arrivals(n, n->begin_bps, spec->src, &data, &t);
    if (n->config->transport == ORR_TRANSPORT_DATAGRAM)
        return a.last;
    return ack_arrival(n, n->begin_bps, spec->dst, &ack, &t, &a, true);
}

/* The rates that a flow which ended at `to` had at the best. */
static const uint64_t *best_rates(const struct orr_net *n, int64_t to)
{
    const struct orr_failures *f = n->config->failures;
    uint32_t i = 0;

    while (f && i < f->retunes && f->retune[i].at == 0)
        i++;
    return f && i < f->retunes && f->retune[i].at <= to ? n->best_bps
                                                        : n->begin_bps;
}

/* Over these rates; apart, back_apart: packets there, and back, may take any
 * way, and the shortest counts. On the one way that there is, data waits for
 * the third packet to be on the first link; what that costs behind it is left
 * out. */
static int64_t handshake(const struct orr_net *n,
                         const struct orr_connection_spec *spec,
                         const uint64_t *rates, bool apart, bool back_apart,
                         bool anywhere)
{
    const struct orr_packet_train one = {
        .full_bytes = (uint32_t)n->config->ack,
        .last_bytes = (uint32_t)n->config->ack,
    };
    struct orr_probe there = orr__probe_for(n, spec, true);
    struct orr_probe back = orr__probe_for(n, spec, false);
    struct orr_probe closing = there;
    int64_t asked, answered;

    if (!n->config->handshake)
        return 0;
    asked = apart ? orr__multipath_arrival(n, rates, spec->src, spec->dst, &one,
                                           anywhere)
                  : data_arrivals(n, rates, spec->src, &there, &one).last;
    answered = back_apart
                   ? orr__multipath_arrival(n, rates, spec->dst, spec->src,
                                            &one, anywhere)
                   : data_arrivals(n, rates, spec->dst, &back, &one).last;
    if (!apart)
        asked = orr__time_add(
            asked,
            orr__serialisation(n->config->ack,
                               rates[next_link(n, spec->src, &closing)]));
    return orr__time_add(asked, answered);
}

int64_t orr__net_ideal_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec,
                          uint64_t bytes, int64_t from, int64_t to, bool resent)
{
    const uint64_t *rates = best_rates(n, to);
    bool anywhere =
        orr__rerouted(n, from, to)
        || (n->config->moves && orr__detoured(n, spec->src, spec->dst));
    bool apart =
        !spec->path
        && (anywhere || orr__route_has_choice(n, spec->src, spec->dst));
    struct orr_packet_train t = train_of(n, spec, bytes),
                            one = {
                                .full_bytes = (uint32_t)n->config->ack,
                                .last_bytes = (uint32_t)n->config->ack,
                            };
    struct orr_probe data = orr__probe_for(n, spec, true);
    struct orr_probe ack = orr__probe_for(n, spec, false);
    struct arrivals a = {0};
    bool back_apart;
    int64_t asking;

    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL)
        return orr__analytical_time(n, spec, bytes);
    if (apart)
        a.last = orr__multipath_arrival(n, rates, spec->src, spec->dst, &t,
                                        anywhere);
    else
        a = data_arrivals(n, rates, spec->src, &data, &t);
    if (n->config->transport == ORR_TRANSPORT_DATAGRAM)
        return a.last;
    back_apart = anywhere || orr__route_has_choice(n, spec->dst, spec->src);
    asking = handshake(n, spec, rates, apart, back_apart, anywhere);
    if (back_apart)
        a.last = orr__time_add(
            a.last, orr__multipath_arrival(n, rates, spec->dst, spec->src, &one,
                                           anywhere));
    else
        a.last =
            ack_arrival(n, rates, spec->dst, &ack, apart || resent ? &one : &t,
                        &a, to < 0 || to - from < n->config->ack_delay_ps);
    return orr__time_add(a.last, asking);
}

int64_t orr__net_ideal(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, uint64_t bytes)
{
    struct orr_connection_spec spec = {
        .src = src, .dst = dst, .identity = identity};

    return orr__net_ideal_of(n, &spec, bytes, -1, -1, false);
}
