#include "experiment/estimate.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/table.h"
#include "core/units.h"
#include "experiment/footprint.h"
#include "net/cc/cc.h"
#include "net/config/config.h"
#include "net/packet.h"
#include "net/queue/queue.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/bound.h"
#include "workload/schedule/outline.h"

/* Measured with one thread and without records, on a machine of 1 MiB of
 * second-level cache; where others use it, too, it takes up to 1.6 times as
 * much.
 *
 * A packet-hop takes 11 ns as long as all is in the nearest cache: eight hosts
 * that send over 68 links took 13, ends and all. Where packets are rarer than
 * windows, each costs a visit of its process more: rings on 24 hosts at 50
 * Gbps took 45 to 50. Of what there is, a hop touches the ports and nodes on
 * its way: 128 hosts of a fat-tree took 21, 1,024 of them 30 to 46, and 65,536
 * of them 114, which no cache holds; GPT-3 on 1,024 ranks, where packets are
 * rare, 84. Where departures are events or marks are drawn, it is 1.5 (`ports:
 * explicit`) to 2.8 times as much (pause frames, shares).
 *
 * A packet costs 30 ns more at its ends as long as they are in the cache. If
 * there are so many connections that they are not, 500: all-to-all over 256
 * ranks took 90 to 210 ns a packet-hop where rings took 35 to 60. Where hosts
 * have many cables, what they send on them at once comes in at once, and each
 * packet is drawn among what is left; a visit looks at all of them: with 63
 * cables 330 ns a packet, 540 where each comes alone, with 255 cables 660. A
 * message inside a host is no packet, and an event.
 *
 * A flow of one packet takes 2.5 us where there are many, and more where there
 * are few, to be drawn, opened, counted and closed. What is there before the
 * first packet: 0.25 to 0.4 us for a node or a link, and routes, 4.5 ns for
 * each of them and column of the tables; 7 to 12 with the distances that
 * detours need. */
#define NS_PER_HOP         11.0
#define NS_PER_VISIT       25.0
#define COLDEST            2.6 /* times as much */
#define SLOW               2.2
#define NS_PER_PACKET      30.0
#define NS_PER_TIE         4.0
#define NS_PER_COLD_PACKET 470.0
#define NS_PER_MESSAGE     100.0
#define NS_PER_LOCAL       250.0
#define NS_PER_FLOW        3500.0
#define NS_PER_PART        300.0
#define NS_PER_ROUTE       5.0
#define DISTANCES          2.0 /* times as much */

/* Bytes that a packet on its way may touch, and of how many of them the first
 * and nearly all miss a cache: of the nearest one, of what links share; for
 * ends, of which each packet touches more, of the next ones. */
#define LINK_TOUCHED 176
#define NODE_TOUCHED 192
#define WARM_NET     30e3
#define COLD_NET     100e6
#define WARM_ENDS    8e6
#define COLD_ENDS    150e6

/* A pair of hosts beyond this many is charged the mean of those before it: a
 * path is walked link by link, and there may be thousands of millions. */
#define PAIRS_WALKED (UINT64_C(1) << 20)

/* Pairs of hosts told apart; more are taken for new ones. */
#define PAIRS_KNOWN (UINT32_C(1) << 20)

/* Bytes of a connection, and of each packet that it has sent and that is not
 * acknowledged, that are touched. */
#define CONNECTION_COST 800
#define SENT_COST       16

/* What paths come to: links, and packets that each is drawn among. */
struct path_cost {
    double links, ties;
};

/* What is known of a link. */
struct load {
    double busy_ps;   /* time that all packets on it take */
    double hops;      /* packets, and their ACKs, which go back another way */
    double alone;     /* of these, those that nothing else comes with */
    double in_flight; /* packets of its pairs that may be so at once */
    uint32_t pairs; /* that send data on it, each counted once as far as memory
                     * goes */
    uint32_t flows; /* that go over it before the run stops, if it does */
    uint64_t from, to; /* ends of its pairs, each a bit, some the same */
    uint32_t peers;    /* of one of these at once, at most */
    bool used;         /* by these, or by ACKs */
};

/* Longer paths are looked at in part. */
#define MOST_LINKS 256

/* Sums over all that jobs and flows send, and what is known of the pair at
 * hand. */
struct traffic {
    const struct orr_world *world;
    struct orr_net_wire wire;
    double *node_hops; /* per node, may be NULL */
    struct load *load; /* per link, may be NULL */
    double times;      /* how often this pair is sent */
    double at_once;    /* what part of it is under way at the same time */
    bool flows;        /* it is a flow, which has a connection of its own */
    bool cut;          /* interrupted: what is left is not looked at */
    double packet_hops, packets, messages, local; /* packets: ACKs too; local:
                                                   * messages inside a host */
    double ties;
    double open;                   /* connections, at once */
    double sent;                   /* packets that those may have under way */
    double paths_sent, hosts_sent; /* of pairs of a job: sums of those that one
                                    * may have under way, and its host */
    double pairs_new;              /* so many are in these sums */
    struct orr_footprint use;      /* for its memory */
    double first_hops; /* of packets that nothing has to come back for */
    int64_t window_ps;
    uint64_t pairs, followed;
    uint32_t peers;         /* to which a member sends at once, at most */
    struct path_cost sum;   /* of walked paths */
    struct orr_table known; /* pairs that were seen: src << 32 | dst */
    uint32_t links;         /* of the path that was walked last */
    uint32_t link[MOST_LINKS];
    _Alignas(16) unsigned char state[4096]; /* of a control */
};

/* Each collective that has a pair reports it, and has one
 * connection. Whether this is another one. */
static bool is_new(struct traffic *t, uint32_t src, uint32_t dst)
{
    uint64_t pair = (uint64_t)src << 32 | dst;
    if (t->flows)
        return true;
    if (orr__table_find(&t->known, pair) != ORR_NONE)
        return false;
    if (t->known.used < PAIRS_KNOWN)
        (void)orr__table_add(&t->known, pair, 0); /* else it counts again */
    return true;
}

/* The link that a packet takes at node towards dst; any of the equal ones, the
 * same for the same pair. */
static uint32_t next_link(const struct orr_routing *r, uint32_t node,
                          uint32_t dst, uint32_t pick)
{
    uint32_t n;
    const uint32_t *link = orr__routing_next(r, node, dst, &n);
    return link[pick % n];
}

/* Links that a host has beside the one that something came by. */
static double others(const struct orr_graph *g, uint32_t node)
{
    if (!orr__is_host(g, node))
        return 0;
    return (double)(g->in_off[node + 1] - g->in_off[node]) - 1;
}

/* hops are added at each node that is left. */
static struct path_cost follow_path(struct traffic *t, uint32_t src,
                                    uint32_t dst, double hops)
{
    const struct orr_graph *g = t->world->graph;
    struct path_cost cost = {0};
    uint32_t node = src;
    uint32_t pick = src * 2654435761u ^ dst * 2246822519u;
    pick ^= pick >> 15;
    t->links = 0;
    for (uint32_t i = 0; node != dst && i < g->nodes; i++) {
        if (t->node_hops)
            t->node_hops[node] += hops;
        uint32_t here = (pick ^ node) * 2654435761u; /* nodes draw apart */
        uint32_t link = next_link(t->world->routes, node, dst, here >> 12);
        node = g->to[link];
        cost.links++;
        cost.ties += 0.5 * others(g, node);
        if (t->links < MOST_LINKS)
            t->link[t->links++] = link;
    }
    return cost;
}

/* Time that packets on a link take from port to port, ps. */
static double passage(const struct orr_world *w, uint32_t link)
{
    return (double)w->graph->delay_ps[link]
           + (double)w->net_config->latency.switch_ps;
}

/* Backlog of a link's port, ps, that controls, where there are any, do
 * not let become much longer, or that its queue has no more room than. */
static double longest_wait(const struct orr_world *w, uint32_t link)
{
    const struct orr_net_config *c = w->net_config;
    struct orr_queue_kind kind = orr__queue_of(c, link);
    struct orr_queue_limits l = {0};
    kind.ops->limits(kind.params, w->graph->rate_bps[link], &l);
    int64_t ps = l.drop_ps;
    int64_t packet =
        orr__serialisation(c->mtu + c->header, w->graph->rate_bps[link]);
    if (c->limit != ORR_AUTO && packet > 0 && c->limit < ps / packet)
        ps = c->limit * packet;
    if (c->controlled && l.mark_ps < ps)
        ps = l.mark_ps;
    if (c->controlled && kind.ops->judge && l.kmax_ps < ps)
        ps = l.kmax_ps;
    return (double)ps;
}

/* Packets that are under way at most, or wait, at the rate of the path that was
 * walked last, there and back. */
static double room_of_path(const struct traffic *t)
{
    const struct orr_graph *g = t->world->graph;
    uint64_t rate = UINT64_MAX;
    uint32_t slowest = 0;
    double ps = 0;
    for (uint32_t i = 0; i < t->links; i++) {
        ps += 2 * passage(t->world, t->link[i]);
        if (g->rate_bps[t->link[i]] < rate) {
            slowest = t->link[i];
            rate = g->rate_bps[slowest];
        }
    }
    ps += longest_wait(t->world, slowest);
    return 1 + ps * (double)rate / 8e12 / (double)t->wire.mtu;
}

/* Of a message of so many packets, how many are under way at most on the path
 * that was walked last. Controls begin with few and double them: by the time
 * that a window is as long as half of the message, the rest is sent. */
static double window(const struct traffic *t, double packets)
{
    const struct orr_net_config *c = t->world->net_config;
    if (!t->wire.reliable)
        return packets;
    if (!c->controlled)
        return fmin(packets, fmax(c->window, 1));
    return fmin(fmin(packets, (packets + c->initial_window) / 2),
                room_of_path(t));
}

/* What a pair of a job may have sent, and its host over all of its cables: as
 * much as these carry. */
static void note_sent(struct traffic *t, double most)
{
    const struct orr_graph *g = t->world->graph;
    uint32_t host = t->links ? g->from[t->link[0]] : 0;
    double cables = g->out_off[host + 1] - g->out_off[host];
    int size = most > 1 ? (int)ceil(log2(most)) : 0;
    t->pairs_new++;
    t->use.pairs_sent[size < ORR_SENT_SIZES ? size : ORR_SENT_SIZES - 1]++;
    t->hosts_sent += cables * room_of_path(t);
    t->paths_sent += room_of_path(t);
}

/* What a pair sends: messages of so many packets. */
struct sent {
    uint32_t src, dst;
    double bytes;   /* headers among them */
    double hops;    /* packets and ACKs, on each link */
    double packets; /* of a message */
    bool new;       /* on a connection of which nothing was entered before */
};

/* Enters it at the links that were walked last. */
static void burden(struct traffic *t, const struct sent *s)
{
    const struct orr_graph *g = t->world->graph;
    double most = t->at_once * window(t, s->packets);
    double bits = 8 * (double)(t->wire.mtu + t->wire.header);
    if (s->new) {
        t->open += t->at_once;
        t->sent += most;
        t->first_hops += most * t->links;
        if (!t->flows)
            note_sent(t, most);
    }
    for (uint32_t i = 0; i < t->links; i++) {
        uint32_t l = t->link[i];
        uint32_t back = l < g->cables ? l + g->cables : l - g->cables;
        double rate = (double)g->rate_bps[l] * 1e-12; /* bits in a ps */
        double alone = fmax(bits / rate / (double)t->window_ps, 1 / s->packets);
        struct load *load = &t->load[l];
        load->busy_ps += s->bytes * 8 / rate;
        load->hops += s->hops;
        load->alone += s->hops * fmin(alone, 1);
        load->in_flight += most;
        load->pairs += s->new;
        load->from |= UINT64_C(1) << (s->src * UINT32_C(2654435769) >> 26);
        load->to |= UINT64_C(1) << (s->dst * UINT32_C(2654435769) >> 26);
        load->peers = t->peers > load->peers ? t->peers : load->peers;
        load->used = true;
        if (t->wire.reliable) {
            t->load[back].in_flight += most / t->wire.ack_every;
            t->load[back].used = true;
        }
    }
}

/* Two links at most, whichever of equal ways it takes. */
static bool is_local(const struct traffic *t, uint32_t src, uint32_t dst)
{
    uint32_t at = src;
    for (uint32_t i = 0; i < 2 && at != dst; i++)
        at = t->world->graph->to[next_link(t->world->routes, at, dst, 0)];
    return at == dst;
}

/* The least of the tiers of a path. */
static uint64_t mtu_of_tiers(const struct traffic *t, uint32_t src,
                             uint32_t dst, uint64_t mtu)
{
    uint64_t least = src == dst ? mtu : UINT64_MAX;
    for (uint32_t at = src, link; at != dst; at = t->world->graph->to[link]) {
        link = next_link(t->world->routes, at, dst, 0);
        uint64_t here = orr__payload_on(t->world->net_config, link, mtu);
        least = here < least ? here : least;
    }
    return least;
}

/* So many messages of one size between two hosts, all in all. */
static struct sent cut_up(struct traffic *t, uint32_t src, uint32_t dst,
                          uint64_t each, double messages)
{
    uint64_t mtu = t->wire.mtu, packets = 1, acks = 0;
    if (t->wire.local_mtu != mtu && is_local(t, src, dst))
        mtu = t->wire.local_mtu;
    if (t->world->net_config->rules)
        mtu = mtu_of_tiers(t, src, dst, mtu);
    if (each && !t->wire.whole)
        packets = (each + mtu - 1) / mtu;
    if (t->wire.reliable)
        acks = (packets + t->wire.ack_every - 1) / t->wire.ack_every;
    return (struct sent){
        .src = src,
        .dst = dst,
        .bytes = messages
                 * ((double)each + (double)packets * (double)t->wire.header),
        .hops = messages * (double)(packets + acks),
        .packets = (double)packets,
        .new = t->load &&is_new(t, src, dst),
    };
}

/* One pair of hosts, so many messages of so many bytes in all; an
 * orr_traffic_fn. */
static void add_pair(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                     uint64_t messages)
{
    struct traffic *t = arg;
    struct path_cost cost;
    double all = t->times * (double)messages;
    t->cut |= orr__world_interrupted(t->world);
    if (messages == 0 || t->cut)
        return;
    if (src == dst) {
        t->local += all;
        return;
    }
    struct sent s = cut_up(t, src, dst, bytes / messages, all);
    t->pairs++;
    if (t->pairs <= PAIRS_WALKED) {
        cost = follow_path(t, src, dst, s.hops);
        if (t->load)
            burden(t, &s);
        t->followed++;
        t->sum.links += cost.links;
        t->sum.ties += cost.ties;
    } else {
        double n = (double)t->followed;
        cost = (struct path_cost){t->sum.links / n, t->sum.ties / n};
    }
    t->use.flows += t->flows && s.new;
    t->messages += all;
    t->packets += s.hops;
    t->packet_hops += s.hops * cost.links;
    t->ties += s.hops * cost.ties;
}

/* What part of a while is over when the run stops. */
static double before_stop(const struct orr_world *w, int64_t start_ps,
                          double takes_ps)
{
    if (w->options.stop_ps == ORR_NEVER || start_ps < 0)
        return 1;
    if (start_ps >= w->options.stop_ps)
        return 0;
    double room = (double)(w->options.stop_ps - start_ps);
    return room < takes_ps ? room / takes_ps : 1;
}

/* How a flow begins on the path that was walked last. */
struct flow_start {
    double rtt_ps;
    double packet_ps; /* a packet takes, where its share of a link is least */
    double line_ps;   /* and by itself, on the first link */
    double cwnd;      /* packets */
    enum { KEEPS, ADDS, DOUBLES } grows; /* the window, in each round trip */
};

static double serialisations(const struct traffic *t, uint64_t bytes)
{
    double ps = 0;
    for (uint32_t i = 0; i < t->links; i++)
        ps += 8e12 * (double)bytes
              / (double)t->world->graph->rate_bps[t->link[i]];
    return ps;
}

/* Time of a packet on the link where what flows get of it is least. */
static double slowest(const struct traffic *t, uint64_t bytes)
{
    double most = 0;
    for (uint32_t i = 0; i < t->links; i++) {
        uint32_t l = t->link[i], flows = t->load ? t->load[l].flows : 1;
        double ps = 8e12 * (double)bytes / (double)t->world->graph->rate_bps[l];
        most = fmax(most, ps * fmax(flows, 1));
    }
    return most;
}

/* The window that a control begins with. */
static struct orr_cc_window first_window(struct traffic *t,
                                         const struct orr_cc *cc,
                                         const struct orr_cc_path *path)
{
    const struct orr_net_config *c = t->world->net_config;
    struct orr_cc_window w = {.cwnd = c->initial_window, .gain = 1};
    if (!t->wire.reliable)
        w.cwnd = ORR_CC_UNLIMITED;
    else if (!cc || cc->state_size == 0)
        w.cwnd = c->window;
    else if (cc->ops->init && !cc->ops->plugin
             && cc->state_size <= sizeof t->state) {
        memset(t->state, 0, sizeof t->state);
        cc->ops->init(t->state, cc->params, &w, path);
    }
    return w;
}

/* How a connection of this control starts on the path at hand. */
static struct flow_start flow_start_of(struct traffic *t,
                                       const struct orr_cc *cc)
{
    uint64_t line_bps = t->world->graph->rate_bps[t->link[0]];
    uint64_t bytes = t->wire.mtu + t->wire.header;
    struct flow_start x = {
        .rtt_ps = serialisations(t, bytes),
        .packet_ps = slowest(t, bytes),
        .line_ps = 8e12 * (double)bytes / (double)line_bps,
    };
    if (t->wire.reliable)
        x.rtt_ps += serialisations(t, t->wire.ack);
    for (uint32_t i = 0; i < t->links; i++)
        x.rtt_ps += 2 * passage(t->world, t->link[i]);
    const struct orr_cc_path path = {
        .line_bps = line_bps,
        .base_rtt_ps = (int64_t)x.rtt_ps,
        .packet_bytes = (uint32_t)bytes,
        .payload_bytes = (uint32_t)t->wire.mtu,
        .hops = t->links,
    };
    const struct orr_cc_window w = first_window(t, cc, &path);
    x.cwnd = fmax(w.cwnd, 1);
    if (cc && cc->state_size > 0)
        x.grows = orr__cc_doubles(cc) ? DOUBLES : ADDS;
    return x;
}

/* Packets that have set out by then. A window that stays goes out whatever
 * becomes of it, and comes to where its share is less: half of the way, say. */
static double gone_by(const struct flow_start *x, double ps)
{
    double full = x->rtt_ps / x->packet_ps; /* a window that the link sends */
    double trips = ps / x->rtt_ps, all = ps / x->packet_ps;
    if (x->grows == KEEPS) {
        double shared = fmin(all, x->cwnd * trips);
        double alone = fmin(ps / x->line_ps, x->cwnd);
        return shared > alone ? shared : (shared + alone) / 2;
    }
    if (x->cwnd >= full)
        return all;
    if (x->grows == ADDS)
        return fmin(all, (x->cwnd + trips / 2) * trips);
    double growing = fmin(trips, log2(full / x->cwnd));
    return x->cwnd * (exp2(growing) - 1) + (trips - growing) * full;
}

/* What part of a flow's hops are over when the run stops: packets, and fewer
 * ACKs, are on the way for two fifths of a round trip in the mean. */
static double part_of(struct traffic *t, const struct orr_flow *f)
{
    const struct orr_world *w = t->world;
    double packets = ceil((double)f->bytes / (double)t->wire.mtu), room;
    if (w->options.stop_ps == ORR_NEVER || f->start_ps < 0)
        return 1;
    if (f->start_ps >= w->options.stop_ps || f->src == f->dst)
        return 0;
    (void)follow_path(t, f->src, f->dst, 0);
    if (t->links == 0)
        return 0;
    const struct orr_net_service *service =
        f->service ? f->service : &w->net_config->service;
    const struct flow_start x = flow_start_of(t, service->cc);
    room = (double)(w->options.stop_ps - f->start_ps) - 0.4 * x.rtt_ps;
    return room > 0 ? fmin(gone_by(&x, room) / fmax(packets, 1), 1) : 0;
}

/* Time of a flow at its host, ps. */
static double time_of(const struct orr_world *w, const struct orr_flow *f)
{
    const struct orr_graph *g = w->graph;
    uint32_t out = g->out_off[f->src];
    if (out == g->out_off[f->src + 1])
        return 0;
    return (double)orr__serialisation(f->bytes, g->rate_bps[g->out_link[out]]);
}

/* What part of all flows is under way at the same time, if each takes twice as
 * long as its bytes by themselves. */
static double flows_at_once(const struct orr_world *w)
{
    int64_t first = INT64_MAX, last = 0;
    double busy = 0;
    for (uint32_t i = 0; i < w->flows->count; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        busy += 2 * time_of(w, f);
        if (f->start_ps < 0)
            continue;
        first = f->start_ps < first ? f->start_ps : first;
        last = f->start_ps > last ? f->start_ps : last;
    }
    double mean = w->flows->count ? busy / w->flows->count : 0;
    return mean > 0 && last > first ? mean / (mean + (double)(last - first))
                                    : 1;
}

/* How often the iteration of a job is run. */
static double iterations_of(const struct orr_world *w, const struct orr_job *j)
{
    struct orr_outline o;
    double n = (double)j->iterations;
    if (w->options.stop_ps == ORR_NEVER || !w->net
        || orr__outline(w, j, &o, NULL) != ORR_OK)
        return n;
    n *= before_stop(w, j->start_ps, n * (double)o.iteration_ps);
    orr__outline_fini(&o);
    return n;
}

/* How many flows share a link, where it matters how far they come. */
static void count_flows(struct traffic *t)
{
    const struct orr_world *w = t->world;
    if (!t->load || w->options.stop_ps == ORR_NEVER)
        return;
    for (uint32_t i = 0; w->flows && i < w->flows->count; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        if (f->src == f->dst || f->start_ps >= w->options.stop_ps)
            continue;
        (void)follow_path(t, f->src, f->dst, 0);
        for (uint32_t k = 0; k < t->links; k++)
            t->load[t->link[k]].flows++;
    }
}

/* All flows, then all jobs. */
static void sum_up(struct traffic *t)
{
    const struct orr_world *w = t->world;
    t->wire = orr__net_wire(w->net_config);
    t->window_ps = ORR_NEVER;
    for (uint32_t l = 0; l < w->graph->links; l++)
        if (w->graph->delay_ps[l] < t->window_ps)
            t->window_ps = w->graph->delay_ps[l];
    t->cut = orr__world_interrupted(w);
    t->at_once = w->flows ? flows_at_once(w) : 1;
    t->flows = true;
    t->peers = UINT32_MAX;
    count_flows(t);
    for (uint32_t i = 0; w->flows && i < w->flows->count && !t->cut; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        t->times = part_of(t, f);
        if (f->src != f->dst && t->times > 0)
            add_pair(t, f->src, f->dst, f->bytes, 1);
    }
    t->use.flows_open = t->open;
    t->use.flows_sent = t->sent;
    t->at_once = 1;
    t->flows = false;
    for (uint32_t i = 0; i < w->n_jobs && !t->cut; i++) {
        t->times = iterations_of(w, &w->jobs[i]);
        t->peers = orr__traffic_peers(w->jobs[i].team);
        orr__traffic(w->jobs[i].team, add_pair, t);
    }
}

/* A link that is at work for so many times as long as any out of a host has a
 * queue that fills. */
#define CROWDED 1.75

/* What is used of the network. */
struct used {
    double links, nodes;
    double slots;  /* of all rings of its ports */
    double visits; /* of processes for a single packet */
    double ties;   /* links of hosts that are looked at in these */
    double busiest, busiest_out; /* ps at work, of all links, out of hosts */
    double stretch; /* what part is over when the run stops: as much as the
                     * busiest host's, and what goes out at first */
};

/* How long the busiest link of a host is at work at least, ps. */
static double longest_of_hosts(const struct traffic *t)
{
    const struct orr_graph *g = t->world->graph;
    double ps = 0;
    for (uint32_t l = 0; l < g->links; l++)
        if (orr__is_host(g, g->from[l]) || orr__is_host(g, g->to[l]))
            ps = fmax(ps, t->load[l].busy_ps);
    return ps;
}

/* Of a host that passes nothing on: it makes packets when they can leave. */
static bool is_only_link_out(const struct orr_graph *g, uint32_t link)
{
    uint32_t node = g->from[link];
    uint32_t out = g->out_off[node + 1] - g->out_off[node];
    return orr__is_host(g, node) && out == 1;
}

/* Pairs that send on a link at once, at most: no more than either end of them
 * has peers. */
static double pairs_at_once(const struct load *load)
{
    double ends =
        fmin(__builtin_popcountll(load->from), __builtin_popcountll(load->to));
    return fmin(load->pairs, ends * load->peers);
}

/* The most packets that are on a link, or wait for it, at once. Of a member's
 * messages one may still be on its way when the next one sets out. */
static double most_on(const struct traffic *t, uint32_t link)
{
    const struct load *load = &t->load[link];
    uint64_t rate = t->world->graph->rate_bps[link];
    double ps = passage(t->world, link), pairs = pairs_at_once(load);
    if (pairs > 1 && !is_only_link_out(t->world->graph, link))
        /* else what comes in leaves as fast */
        ps += longest_wait(t->world, link);
    double room = 1 + ps * (double)rate / 8e12 / (double)t->wire.mtu;
    return fmin(room, load->in_flight);
}

/* Hosts that wait for another one's link send all the while, less at once. */
static struct used count_used(const struct traffic *t)
{
    const struct orr_graph *g = t->world->graph;
    double longest = longest_of_hosts(t), hops = 0;
    struct used u = {.stretch = before_stop(t->world, 0, longest)};
    for (uint32_t n = 0; n < g->nodes; n++) {
        bool used = false;
        for (uint32_t i = g->out_off[n]; i < g->out_off[n + 1]; i++) {
            const struct load *load = &t->load[g->out_link[i]];
            if (!load->used)
                continue;
            double times = load->busy_ps > 0 ? longest / load->busy_ps : 1;
            double alone = fmin(load->hops, load->alone * fmax(times, 1));
            used = true;
            u.busiest = fmax(u.busiest, load->busy_ps);
            if (orr__is_host(g, n))
                u.busiest_out = fmax(u.busiest_out, load->busy_ps);
            hops += load->hops;
            u.visits += alone;
            u.ties += alone * others(g, g->to[g->out_link[i]]);
            u.links++;
            u.slots += orr__ring_slots(most_on(t, g->out_link[i]));
        }
        u.nodes += used;
    }
    if (hops > 0) { /* of pairs that were not walked, too */
        u.visits *= t->packet_hops / hops;
        u.ties *= t->packet_hops / hops;
        u.stretch = fmax(u.stretch, fmin(t->first_hops / hops, 1));
    }
    return u;
}

/* 0: so many bytes are in the cache; 1: they are not. */
static double coldness(double bytes, double warm, double cold)
{
    if (bytes <= warm)
        return 0;
    return bytes < cold ? log(bytes / warm) / log(cold / warm) : 1;
}

double orr__estimate_network(const struct orr_world *w)
{
    double parts = (double)w->graph->nodes + w->graph->links;
    double columns = w->routes ? w->routes->columns : 0;
    if (w->routes && w->routes->distance)
        columns *= DISTANCES;
    return parts * (NS_PER_PART + NS_PER_ROUTE * columns) * 1e-9;
}

/* Of packets and messages. */
static double nanoseconds(const struct traffic *t, const struct used *u)
{
    const struct orr_net_config *c = t->world->net_config;
    double net = u->links * LINK_TOUCHED + u->nodes * NODE_TOUCHED;
    double ends = t->open * CONNECTION_COST + t->sent * SENT_COST;
    double times = 1 + (COLDEST - 1) * coldness(net, WARM_NET, COLD_NET);
    if (orr__net_explicit(c) || orr__net_judges(c))
        times *= SLOW;
    return times * (t->packet_hops * NS_PER_HOP + u->visits * NS_PER_VISIT)
           + t->packets
                 * (NS_PER_PACKET
                    + NS_PER_COLD_PACKET * coldness(ends, WARM_ENDS, COLD_ENDS))
           + (t->ties + u->ties) * NS_PER_TIE + t->messages * NS_PER_MESSAGE
           + t->local * NS_PER_LOCAL;
}

/* What loading took is given back before the run takes more. */
static uint64_t estimate_bytes(struct traffic *t, const struct used *u,
                               uint64_t before)
{
    struct orr_footprint *f = &t->use;
    double pairs = fmax(t->pairs_new, 1);
    f->path_sent = t->paths_sent / pairs;
    f->host_sent = t->hosts_sent / pairs;
    f->slots = u->slots;
    f->links = u->links;
    f->crowded = u->busiest > CROWDED * u->busiest_out;
    uint64_t run = orr__footprint(t->world, before, f);
    return run > t->world->result.setup_bytes ? run
                                              : t->world->result.setup_bytes;
}

orr_err orr__estimate(const struct orr_world *w, struct orr_estimate *e,
                      bool *cut, struct orr_report *why)
{
    /* not the peak: other runs of this process may have needed more */
    uint64_t before = orr__memory_resident();
    struct traffic t = {.world = w};
    t.load = orr__alloc(w->graph->links, sizeof *t.load);
    if (!t.load)
        return orr__no_memory(why);
    sum_up(&t);
    struct used u = count_used(&t);
    /* what goes by trees is answered by results, which are no packets beside it
     */
    double answered = w->net_config->trees ? 0.5 : 1;
    e->packet_hops = floor(t.packet_hops * answered * u.stretch + 0.5);
    e->memory_bytes = estimate_bytes(&t, &u, before);
    e->seconds =
        nanoseconds(&t, &u) * u.stretch * 1e-9 + orr__estimate_network(w);
    if (w->flows)
        e->seconds += w->flows->count * NS_PER_FLOW * 1e-9;
    if (w->watch.series)
        e->seconds += ORR_RECORDS_S + ORR_LINK_RECORDS_S * u.links;
    if (cut)
        *cut = t.cut;
    orr__table_fini(&t.known);
    orr__free(t.load);
    return ORR_OK;
}

orr_err orr__estimate_weights(const struct orr_world *w, uint32_t *weight,
                              struct orr_report *why)
{
    const uint32_t nodes = w->graph->nodes;
    double total = 0;
    struct traffic t = {
        .world = w,
        .node_hops = orr__alloc(nodes, sizeof(double)),
    };
    if (!t.node_hops)
        return orr__no_memory(why);
    sum_up(&t);
    for (uint32_t n = 0; n < nodes; n++)
        total += t.node_hops[n];
    double scale = total > 0 ? 1e9 / total : 0;
    for (uint32_t n = 0; n < nodes; n++)
        weight[n] = 1 + (uint32_t)(t.node_hops[n] * scale);
    orr__free(t.node_hops);
    return ORR_OK;
}
