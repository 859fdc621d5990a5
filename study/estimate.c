#include "study/estimate.h"

#include <math.h>

#include "core/memory.h"
#include "core/table.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/bound.h"

/* Measured with one thread and without records, on a machine of a megabyte of
 * cache that others used, too; one that is idle is up to 1.7 times faster.
 *
 * A packet-hop takes 35 ns as long as all is in the cache; where packets are
 * rarer than windows, each costs a visit of its process more: 16 hosts at 50
 * Gbps took 52. Beyond the cache it is up to 2.3 times that: 128 hosts of a
 * fat-tree took 83, rings over 256 and GPT-3 on 1,024 ranks 95, a ring over
 * the links of a torus, a packet in a window, 180 to 310. Where departures are
 * events, it is 1.2 times as much as on the same network with computed ports,
 * and 1.7 with telemetry, or RED and pause frames. A packet costs 60 to 150 ns
 * more at its ends, which is most where it crosses one link, and a message of
 * a ring of 1,024 ranks 250. Where hosts have many cables, what they send on
 * them at once comes in at once, and each packet is drawn among what is left:
 * with 63 cables 600 ns a packet, with 255 1,100.
 *
 * Both ends of a connection are cold when it comes to its next packet, if each
 * rank has hundreds: all-to-all over 256 ranks took 0.9 to 1.5 us a packet
 * beside its hops. Flows that arrive at random are done while they are warm; a
 * flow of one packet takes 5 to 9 us to be drawn, opened, counted and closed.
 *
 * What is there before the first packet: 0.25 to 0.4 us for a node or a link,
 * and routes, 4.5 ns for each of them and column of the tables; 7 to 12 with
 * the distances that detours need. */
#define NS_PER_HOP 35.0
#define NS_PER_VISIT 35.0
#define COLDEST 2.3 /* times as much */
#define EXPLICIT 1.6
#define NS_PER_PACKET 70.0
#define NS_PER_TIE 10.0
#define NS_PER_MESSAGE 250.0
#define NS_PER_COLD_PACKET 800.0
#define NS_PER_FLOW 5500.0
#define NS_PER_PART 300.0
#define NS_PER_ROUTE 5.0
#define DISTANCES 2.0 /* times as much */

/* What the fabric keeps for each, bytes; and of how many bytes the first of a
 * cache's misses are seen, and of how many nearly all miss. */
#define NODE_COST 1024
#define LINK_COST 200
#define WARM_FABRIC 0.25e6
#define COLD_FABRIC 2e6
#define WARM_ENDS 1e6
#define COLD_ENDS 16e6

/* A pair of hosts beyond this many is charged the mean of those before it: a
 * path is walked link by link, and there may be thousands of millions. */
#define PAIRS_WALKED (UINT64_C(1) << 20)

/* Pairs of hosts told apart; more are taken for new ones. */
#define PAIRS_KNOWN (UINT32_C(1) << 20)

/* Bytes that a connection, and a packet on the wire, take. */
#define CONNECTION_COST 800
#define PACKET_COST 64

/* Bytes for each packet of a flow's window, at the sender and in the rings of
 * the ports on its way, which hold a power of two and never become smaller; of
 * so many packets at most, what bandwidth, delay and queues allow: permutations
 * of 1 MB over 1,024 to 65,536 hosts took 10 to 13 kB a flow. */
#define WINDOW_COST 96
#define MOST_WINDOW 128

/* What paths come to: links; shares of packets that come alone, of which each
 * is a visit of a process; and packets that each is drawn among. */
struct way {
    double links, visits, ties;
};

struct traffic {
    const struct orr_world *world;
    struct orr_net_wire wire;
    double *node_hops; /* per node, may be NULL */
    double packet_hops, packets, messages; /* packets: ACKs too */
    double visits, ties;
    int64_t window_ps;
    uint64_t pairs, walked;
    struct way sum;      /* of walked paths */
    bool apart;          /* pairs are told apart, as far as memory goes */
    struct orr_table known; /* pairs that were seen: src << 32 | dst */
    uint64_t different;  /* pairs, each counted once */
    uint64_t of_flows;   /* those that flows have */
};

/* The same pair is told of by each collective that has it. */
static void tell_apart(struct traffic *t, uint32_t src, uint32_t dst)
{
    uint64_t pair = (uint64_t)src << 32 | dst;
    if (orr__table_find(&t->known, pair) != ORR_TABLE_NONE)
        return;
    t->different++;
    if (t->known.used < PAIRS_KNOWN)
        (void)orr__table_add(&t->known, pair, 0); /* else it counts again */
}

/* The link that a packet takes at node towards dst; any of the equal ones, the
 * same for the same pair. */
static uint32_t next_link(const struct orr_routes *r, uint32_t node,
                          uint32_t dst, uint32_t pick)
{
    uint32_t n;
    const uint32_t *link = orr__routes_next(r, node, dst, &n);
    return link[pick % n];
}

/* What share of full packets that follow one another on a link is alone in its
 * window. */
static double alone(const struct traffic *t, uint64_t rate_bps)
{
    int64_t each = orr__serialisation(t->wire.mtu + t->wire.header, rate_bps);
    return each < t->window_ps ? (double)each / (double)t->window_ps : 1;
}

/* hops are added at each node that is left. */
static struct way walk(struct traffic *t, uint32_t src, uint32_t dst,
                       double hops)
{
    const struct orr_graph *g = t->world->graph;
    struct way way = { 0 };
    uint32_t node = src;
    uint32_t pick = src * 2654435761u ^ dst * 2246822519u;
    pick ^= pick >> 15;
    for (uint32_t i = 0; node != dst && i < g->nodes; i++) {
        if (t->node_hops)
            t->node_hops[node] += hops;
        uint32_t link = next_link(t->world->routes, node, dst, pick);
        node = g->to[link];
        way.links++;
        way.visits += alone(t, g->rate_bps[link]);
        if (node < g->hosts)
            way.ties += 0.5 * (g->out_off[node + 1] - g->out_off[node] - 1);
    }
    return way;
}

/* Two links at most, whichever of equal ways it takes. */
static bool is_local(const struct traffic *t, uint32_t src, uint32_t dst)
{
    uint32_t at = src;
    for (uint32_t i = 0; i < 2 && at != dst; i++)
        at = t->world->graph->to[next_link(t->world->routes, at, dst, 0)];
    return at == dst;
}

static void add(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                uint64_t messages)
{
    struct traffic *t = arg;
    if (src == dst || messages == 0)
        return;
    uint64_t each = bytes / messages, mtu = t->wire.mtu;
    if (t->wire.local_mtu != mtu && is_local(t, src, dst))
        mtu = t->wire.local_mtu;
    uint64_t packets = each && !t->wire.whole
                           ? (each + mtu - 1) / mtu
                           : 1;
    uint64_t acks = 0;
    if (t->wire.reliable)
        acks = (packets + t->wire.ack_every - 1) / t->wire.ack_every;
    double hops = (double)messages * (double)(packets + acks);
    struct way way;
    t->pairs++;
    t->messages += (double)messages;
    if (t->apart)
        tell_apart(t, src, dst);
    if (t->pairs <= PAIRS_WALKED) {
        way = walk(t, src, dst, hops);
        t->walked++;
        t->sum.links += way.links;
        t->sum.visits += way.visits;
        t->sum.ties += way.ties;
    } else {
        double n = (double)t->walked;
        way = (struct way){ t->sum.links / n, t->sum.visits / n,
                            t->sum.ties / n };
    }
    t->packets += (double)messages * (double)(packets + acks);
    t->packet_hops += hops * way.links;
    t->visits += hops * way.visits;
    t->ties += hops * way.ties;
}

/* What the windows of all flows take that are under way at the same time, if
 * each takes twice as long as its bytes by themselves. */
static double of_windows(const struct orr_world *w, uint64_t mtu)
{
    int64_t first = INT64_MAX, last = 0;
    double bytes = 0, busy = 0;
    if (!w->flows)
        return 0;
    for (uint32_t i = 0; i < w->flows->count; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        uint64_t packets = (f->bytes + mtu - 1) / mtu;
        uint32_t out = w->graph->out_off[f->src];
        if (out == w->graph->out_off[f->src + 1])
            continue;
        uint64_t rate = w->graph->rate_bps[w->graph->out_link[out]];
        bytes += WINDOW_COST *
                 (double)(packets < MOST_WINDOW ? packets : MOST_WINDOW);
        busy += 2 * (double)orr__serialisation(f->bytes, rate);
        if (f->start_ps < 0)
            continue;
        first = f->start_ps < first ? f->start_ps : first;
        last = f->start_ps > last ? f->start_ps : last;
    }
    double mean = busy > 0 ? busy / w->flows->count : 0;
    double span = last > first ? (double)(last - first) + mean : mean;
    double at_once = span > 0 ? busy / span : 0; /* flows */
    return at_once > 0 ? bytes * fmin(1, at_once / w->flows->count) : 0;
}

static orr_err sum_up(struct traffic *t, struct orr_report *why)
{
    const struct orr_world *w = t->world;
    t->wire = orr__net_wire(w->net_config);
    t->window_ps = ORR_NEVER;
    for (uint32_t l = 0; l < w->graph->links; l++)
        if (w->graph->delay_ps[l] < t->window_ps)
            t->window_ps = w->graph->delay_ps[l];
    for (uint32_t i = 0; w->flows && i < w->flows->count; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        add(t, f->src, f->dst, f->bytes, 1);
    }
    t->of_flows = t->different;
    orr__jobs_traffic(w, add, t);
    return ORR_OK;
}

/* Bytes of packets that are on the way when every link is full. */
static double in_flight(const struct orr_world *w, uint64_t mtu)
{
    const struct orr_graph *g = w->graph;
    double sum = 0;
    for (uint32_t l = 0; l < g->links; l++)
        sum += (double)orr__bytes_in(g->delay_ps[l], g->rate_bps[l]);
    return sum / (double)mtu * PACKET_COST;
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

static double nanoseconds(const struct traffic *t, double in_flight_bytes)
{
    const struct orr_graph *g = t->world->graph;
    double fabric = (double)g->nodes * NODE_COST +
                    (double)g->links * LINK_COST + in_flight_bytes;
    double ends = (double)(t->different - t->of_flows) * CONNECTION_COST;
    double times = 1 + (COLDEST - 1) * coldness(fabric, WARM_FABRIC,
                                                COLD_FABRIC);
    if (orr__net_explicit(t->world->net_config))
        times *= EXPLICIT;
    const struct orr_flows *flows = t->world->flows;
    return orr__estimate_network(t->world) * 1e9 +
           (flows ? flows->count * NS_PER_FLOW : 0) +
           times * (t->packet_hops * NS_PER_HOP + t->visits * NS_PER_VISIT) +
           t->messages * NS_PER_MESSAGE + t->ties * NS_PER_TIE +
           t->packets * (NS_PER_PACKET +
                         NS_PER_COLD_PACKET *
                             coldness(ends, WARM_ENDS, COLD_ENDS));
}

orr_err orr__estimate(const struct orr_world *w, struct orr_estimate *e,
                      struct orr_report *why)
{
    /* not the peak: other runs of this process may have needed more */
    uint64_t before = orr__memory_resident();
    struct traffic t = { .world = w, .apart = true };
    orr_err err = sum_up(&t, why);
    orr__table_fini(&t.known);
    if (err != ORR_OK)
        return err;
    /* every connection and every packet there may be, but no more packets
     * than there are in all */
    double packets = t.wire.whole ? 0 : in_flight(w, t.wire.mtu);
    if (packets > t.packet_hops * PACKET_COST)
        packets = t.packet_hops * PACKET_COST;
    e->packet_hops = t.packet_hops;
    e->memory_bytes = before + orr__jobs_bytes(w) +
                      t.different * CONNECTION_COST + (uint64_t)packets;
    if (!t.wire.whole)
        e->memory_bytes += (uint64_t)of_windows(w, t.wire.mtu);
    e->seconds = nanoseconds(&t, packets) * 1e-9;
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
    orr_err err = sum_up(&t, why);
    for (uint32_t n = 0; n < nodes; n++)
        total += t.node_hops[n];
    double scale = total > 0 ? 1e9 / total : 0;
    for (uint32_t n = 0; n < nodes; n++)
        weight[n] = 1 + (uint32_t)(t.node_hops[n] * scale);
    orr__free(t.node_hops);
    return err;
}
