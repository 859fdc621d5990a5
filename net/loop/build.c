/* Builds the fabric from a graph, and takes it down. */
#include "core/none.h"
#include "net/fabric/fabric.h"

#include "core/config/config.h"
#include "core/memory.h"
#include "net/fabric/fault.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/fabric/queue.h"
#include "net/fabric/routing.h"
#include "net/host/darkness.h"
#include "net/host/host.h"
#include "net/ideal/analytical_time.h"
#include "net/ideal/multipath.h"
#include "net/loop/analytical.h"
#include "net/loop/processes.h"
#include "net/path/reroute.h"
#include "net/port/buffer.h"
#include "net/port/passage.h"
#include "net/port/pfc.h"
#include "net/port/port.h"
#include "net/port/rate_change.h"
#include "net/port/share.h"
#include "net/port/toll.h"
#include "net/tree/tree.h"
#include "net/watch/deadlock.h"
#include "net/watch/replay.h"
#include "topo/node_names.h"

#define MAX_CONNECTIONS (1u << 28)
#define MAX_MESSAGES    (1u << 28)

/* Rate and delay by the graph; the delay holds the time that a packet takes in
 * the node behind the link. */
static void make_port(struct orr_net *n, uint32_t link)
{
    const struct orr_graph *g = n->graph;
    struct orr_port *port = &n->port[link];

    port->id = link;
    port->mask = UINT32_MAX;
    orr__port_tune(n, port);
    port->delay_ps =
        orr__time_add(g->delay_ps[link], orr__is_host(g, g->to[link])
                                             ? n->config->latency.host_ps
                                             : n->config->latency.switch_ps);
}

/* Room for classes that wait apart, and one for what goes first. */
static bool make_fifos(struct orr_net *n, struct orr_queue *q)
{
    bool apart = !n->config->schedule->by_arrival || n->config->pfc.enabled;

    if (n->config->schedule->by_share && n->explicit)
        return orr__port_shares_new(q);
    q->fifos = apart ? n->config->classes : 1;
    q->fifo = orr__alloc_lines(q->fifos + 1, sizeof *q->fifo);
    return q->fifo != NULL;
}

/* Which of the shorter ways its packets may take. */
static void choose_sort(const struct orr_net *n, struct orr_queue *q)
{
    bool single = n->explicit && q->fifos == 1 && !q->limited
                  && n->config->schedule->by_arrival
                  && !orr__failures_rate_change(n->config->failures)
                  && !orr__failures_wait(n->config->failures)
                  && !(n->config->pfc.enabled && n->config->pfc.lossy);
    bool free = !q->counted && !q->stamps && !q->lossy;

    q->single = single && !q->limits.at_dequeue && !q->limits.trim_bytes;
    q->bare = q->single && free;
    q->composite = single && q->limits.at_dequeue && free;
}

/* Whether a pause holds no ACKs of this node: where its NIC alone decides what
 * its ports send. */
static bool acks_pass(const struct orr_net *n, uint32_t node)
{
    return !n->config->pfc.hold_acks && n->graph->sends[node]
           && !n->graph->forwards[node];
}

/* A queue of its own for a port that is explicit, marks at random or loses
 * packets. */
static bool make_queue(struct orr_net *n, uint32_t link)
{
    const struct orr_queue_ops *ops = orr__queue_of(n->config, link).ops;
    struct orr_queue *q;

    const struct orr_outage *outage;
    uint32_t outages = orr__failures_of(n->config->failures, link, &outage);
    const struct orr_bit_errors *errors;
    uint32_t degraded =
        orr__failures_errors_of(n->config->failures, link, &errors);

    if (!n->explicit && !ops->judge && n->graph->loss[link] == 0 && !outages
        && !degraded && n->config->limit == ORR_AUTO
        && !n->config->counts_in_service
        && n->config->switching == ORR_SWITCHING_STORE_AND_FORWARD)
        return true;
    q = orr__alloc_lines(1, sizeof *q);
    n->queue[link] = q;
    if (!q)
        return false;
    q->outage = outage;
    q->outages = outages;
    q->errors = errors;
    q->degraded = degraded;
    if (!orr__toll_init(q) || !make_fifos(n, q))
        return false;
    q->explicit = n->explicit;
    q->counted = n->config->pfc.enabled
                 || (n->config->buffer.shared
                     && n->graph->from[link] >= n->graph->hosts);
    q->blocked_from = ORR_NEVER;
    q->loss = n->graph->loss[link];
    orr__random_init(&q->random, n->seed, link, ORR_PURPOSE_LOSS);
    orr__random_init(&q->marking, n->seed, link, ORR_PURPOSE_MARK);
    q->lossy = q->loss > 0 || outages || degraded;
    q->stamps = n->config->pint != NULL;
    q->passes = acks_pass(n, n->graph->from[link]);
    orr__port_tune(n, &n->port[link]);
    choose_sort(n, q);
    n->port[link].uses_queue = true;
    n->any_queue = true;
    orr__port_set_unchecked(&n->port[link]);
    return true;
}

/* NULL is fine; what a queue lacks as not yet made is NULL as well. */
static void free_queue(struct orr_queue *q)
{
    if (!q)
        return;
    for (uint32_t i = 0; q->fifo && i <= q->fifos; i++)
        orr__free(q->fifo[i].ring);
    orr__free(q->fifo);
    orr__port_shares_free(q);
    orr__toll_fini(q);
    orr__spans_fini(&q->gaps);
    orr__spans_fini(&q->losses);
    orr__free(q);
}

static void make_node(struct orr_net *n, uint32_t id)
{
    const struct orr_routing *r = n->routes;
    struct orr_node *node = &n->node[id];

    node->sends = n->graph->sends[id];
    node->forwards = n->graph->forwards[id];
    orr__node_adopt(node, r, id);
    node->path = (struct orr_path_state){.seed = n->seed, .node = id};
}

/* first: number of its first port; returns that of the next node's. */
static uint32_t make_nic(struct orr_net *n, uint32_t host, uint32_t first)
{
    const struct orr_graph *g = n->graph;
    uint32_t i = first;

    for (uint32_t k = g->out_off[host]; k < g->out_off[host + 1]; k++, i++) {
        uint32_t link = g->out_link[k];

        n->nic_port[i] = (struct orr_nic_port){
            .class = n->nic_class + (size_t)i * n->config->classes,
            .wake_at = ORR_NEVER,
            .departing = ORR_NONE,
            .foretold = ORR_NONE,
            .link = link,
            .host = host,
            .explicit = n->explicit,
            .acks_pass = acks_pass(n, host),
        };
        n->nic_port_of[link] = i;
        for (uint32_t c = 0; c < n->config->classes; c++)
            *orr__nic_round(&n->nic_port[i], c) = ORR_NIC_ROUND_EMPTY;
    }
    return i;
}

/* NIC ports are numbered by node, then link. false: no memory. */
static bool make_nics(struct orr_net *n)
{
    for (uint32_t v = 0, port = 0; v < n->graph->nodes; v++)
        if (n->graph->sends[v])
            port = make_nic(n, v, port);
    for (uint32_t i = 0; n->config->schedule->by_share && i < n->nic_ports;
         i++) {
        n->nic_port[i].shares = orr__alloc(1, sizeof(struct orr_shares));
        if (!n->nic_port[i].shares)
            return false;
        n->nic_port[i].by_share = true;
    }
    return true;
}

static void free_nic_port(struct orr_net *n, struct orr_nic_port *np)
{
    orr__free(np->paced);
    orr__free(np->share_round);
    orr__free(np->departures);
    if (np->shares)
        orr__shares_fini(np->shares);
    orr__free(np->shares);
    for (uint32_t c = 0; np->class && c < n->config->classes; c++)
        orr__free(np->class[c].acks);
}

/* A lane's lists of links that sent, one for each receiving lane, with room for
 * all links that can be in it. false: no memory. */
static bool make_lanes(struct orr_net *n)
{
    uint32_t *links;

    for (unsigned w = 0; w < n->workers; w++) {
        n->lane[w].worker = w;
        n->lane[w].last_event = n->lane[w].last_timer = 0;
        n->lane[w].dirty =
            orr__alloc_lines(n->workers, sizeof *n->lane[w].dirty);
        n->lane[w].active =
            orr__alloc_lines(n->graph->links / 64 + 1, sizeof(uint64_t));
        n->lane[w].posts =
            orr__alloc_lines(n->workers, sizeof *n->lane[w].posts);
        if (!n->lane[w].dirty || !n->lane[w].active || !n->lane[w].posts)
            return false;
    }
    /* A list never holds a link twice, so its links' number is room enough. */
    for (uint32_t l = 0; l < n->graph->links; l++)
        n->lane[n->node[n->graph->from[l]].worker]
            .dirty[n->port[l].to_worker]
            .count++;
    for (unsigned w = 0; w < n->workers; w++)
        for (unsigned v = 0; v < n->workers; v++) {
            links = orr__alloc_lines(n->lane[w].dirty[v].count, sizeof *links);
            if (!links)
                return false;
            n->lane[w].dirty[v].link = links;
            n->lane[w].dirty[v].count = 0;
        }
    return true;
}

/* Links from a node to the node farthest from it. */
static uint32_t farthest(const struct orr_graph *g, uint32_t *node,
                         uint32_t *distance, uint32_t *queue)
{
    uint32_t head = 0, tail = 0, at = *node;

    for (uint32_t i = 0; i < g->nodes; i++)
        distance[i] = UINT32_MAX;
    distance[at] = 0;
    queue[tail++] = at;
    while (head < tail) {
        at = queue[head++];
        for (uint32_t i = g->out_off[at]; i < g->out_off[at + 1]; i++) {
            uint32_t to = g->to[g->out_link[i]];

            if (distance[to] != UINT32_MAX)
                continue;
            distance[to] = distance[at] + 1;
            queue[tail++] = to;
        }
    }
    *node = at;
    return distance[at];
}

/* Room for as many hops as the longest way has, its first one apart, which is a
 * NIC's and left out. Two sweeps find it in trees and in regular graphs; as
 * many as find longer ways do elsewhere, or the longest may lose a few hops. */
static bool measure_telemetry(struct orr_net *n)
{
    const struct orr_graph *g = n->graph;
    uint32_t *scratch, node = 0, longest = 0, links;

    if (!n->config->telemetry)
        return true;
    scratch = orr__alloc(2 * (size_t)g->nodes, sizeof *scratch);
    if (!scratch)
        return false;
    farthest(g, &node, scratch, scratch + g->nodes);
    while ((links = farthest(g, &node, scratch, scratch + g->nodes)) > longest)
        longest = links;
    n->telemetry_room = longest > 1 ? longest - 1 : 1;
    if (n->config->detours || g->area)
        n->telemetry_room *= 2;
    if (n->config->path == ORR_PATH_k_shortest)
        n->telemetry_room = ORR_CC_MOST_HOPS;
    if (n->telemetry_room > ORR_CC_MOST_HOPS)
        n->telemetry_room = ORR_CC_MOST_HOPS;
    orr__free(scratch);
    return true;
}

/* Of a record: whole lines, of which each packet on its way touches few. */
static size_t telemetry_bytes(const struct orr_net *n)
{
    size_t bytes = sizeof(struct orr_cc_telemetry)
                   + n->telemetry_room * sizeof(struct orr_cc_hop)
                   + (n->config->uec_acks ? sizeof(struct orr_uec_report) : 0);

    return (bytes + 63) / 64 * 64;
}

void orr__net_least_bytes(uint64_t *per_link, uint64_t *per_node)
{
    *per_link = sizeof(struct orr_port) + sizeof(struct orr_inlet)
                + sizeof(struct orr_queue *) + sizeof(uint64_t) /* area_over */
                + 6 * sizeof(uint32_t) /* three lists, of a NIC, to exchange,
                                        * rounds */
                + 2 * sizeof(int64_t); /* sources */
    *per_node = sizeof(struct orr_node) + sizeof(struct orr_process)
                + 2 * sizeof(int64_t)  /* timers among the sources, blocks */
                + 2 * sizeof(uint32_t) /* owner, partition */
                + sizeof(uint64_t) + sizeof(uint32_t); /* of the routes */
}

/* All arrays by link, node and process, zeroed. False: out of memory; what
 * there is is freed with the net. */
static bool allocate(struct orr_net *n)
{
    const struct orr_graph *g = n->graph;
    size_t sources = 2 * (size_t)g->links + g->nodes;

    if (!measure_telemetry(n))
        return false;
    n->port = orr__alloc_lines((size_t)g->links + 1, sizeof *n->port);
    n->queue = orr__alloc((size_t)g->links + 1, sizeof *n->queue);
    n->area_over = orr__alloc((size_t)g->links + 1, sizeof *n->area_over);
    n->node = orr__alloc_lines(g->nodes, sizeof *n->node);
    n->process = orr__alloc_lines(g->nodes, sizeof *n->process);
    n->owner = orr__alloc(g->nodes, sizeof *n->owner);
    n->link_lists = orr__alloc(2 * (size_t)g->links, sizeof *n->link_lists);
    for (uint32_t l = 0; l < g->links; l++)
        n->nic_ports += g->sends[g->from[l]] && !orr__link_absent(g, l);
    n->nic_port = orr__alloc_lines(n->nic_ports, sizeof *n->nic_port);
    n->nic_class = orr__alloc_lines((size_t)n->nic_ports * n->config->classes,
                                    sizeof *n->nic_class);
    n->nic_port_of = orr__alloc(g->links, sizeof *n->nic_port_of);
    n->inlet = orr__alloc_lines(g->links, sizeof *n->inlet);
    n->inlet_of = orr__alloc(g->links, sizeof *n->inlet_of);
    n->rounds = orr__alloc(g->links, sizeof *n->rounds);
    n->lane = orr__alloc_lines(n->workers, sizeof *n->lane);
    n->at = orr__alloc_lines(sources, sizeof *n->at);
    n->blocks = orr__alloc_lines(sources / 8 + g->nodes, sizeof *n->blocks);
    return n->port && n->queue && n->area_over && n->node && n->process
           && n->owner && n->link_lists && n->nic_port && n->nic_class
           && n->nic_port_of && n->inlet && n->inlet_of && n->rounds && n->lane
           && n->at && n->blocks && orr__faults_init(n)
           && orr__slab_init(&n->senders, sizeof(struct orr_sender),
                             MAX_CONNECTIONS)
           && orr__slab_init(&n->receivers, sizeof(struct orr_receiver),
                             MAX_CONNECTIONS)
           && orr__slab_init(&n->messages, sizeof(struct orr_message),
                             MAX_MESSAGES)
           && orr__slab_init(&n->telemetry, telemetry_bytes(n), MAX_MESSAGES);
}

/* A process runs where its lowest node was placed. */
static void assign_workers(struct orr_net *n, const uint32_t *partition)
{
    for (uint32_t i = 0; i < n->processes; i++)
        n->owner[i] = partition ? partition[n->process[i].node] : 0;
    for (uint32_t i = 0; i < n->graph->nodes; i++)
        n->node[i].worker = n->owner[n->node[i].process];
}

/* `local`: both ends in one process, so a packet is seen at once and not after
 * the exchange. */
static void connect_ports(struct orr_net *n)
{
    for (uint32_t l = 0; l < n->graph->links; l++) {
        struct orr_port *port = &n->port[l];
        const struct orr_node *from = &n->node[n->graph->from[l]];
        const struct orr_node *to = &n->node[n->graph->to[l]];

        port->to_worker = (uint16_t)to->worker;
        port->local = from->process == to->process;
        if (n->queue[l])
            n->queue[l]->process = from->process;
    }
}

/* The queue is one that nobody ever has to catch up with. */
static bool make_nowhere(struct orr_net *n)
{
    uint32_t link = orr__nowhere(n);

    n->port[link].id = link;
    n->port[link].uses_queue = true;
    orr__port_set_unchecked(&n->port[link]);
    n->queue[link] = orr__alloc_lines(1, sizeof *n->queue[link]);
    return n->queue[link] != NULL;
}

/* Hosts that give credits, where some control goes by them. */
static bool make_pullers(struct orr_net *n)
{
    uint32_t hosts = n->graph->hosts;

    if (!n->config->pulls)
        return true;
    n->puller = orr__alloc((size_t)hosts + 1, sizeof *n->puller);
    for (uint32_t i = 0; n->puller && i < hosts; i++)
        orr__pull_begin(n, i);
    return n->puller != NULL;
}

/* In the order in which parts need one another. false: no memory; what was made
 * is freed by the caller. */
static bool make_all(struct orr_net *n, const uint32_t *partition)
{
    if (!allocate(n))
        return false;
    for (uint32_t i = 0; i < n->graph->nodes; i++)
        make_node(n, i);
    for (uint32_t l = 0; l < n->graph->links; l++) {
        make_port(n, l);
        if (!make_queue(n, l))
            return false;
    }
    if (!make_nowhere(n) || !make_nics(n) || !make_pullers(n)
        || !orr__processes_group(n))
        return false;
    orr__processes_make(n);
    assign_workers(n, partition);
    connect_ports(n);
    return make_lanes(n) && orr__multipath_new(n);
}

/* Explicit ports know when a packet leaves only as it does, which is too late
 * for one that is still coming in, and for a NIC that queues all it has. */
static orr_err check_computed(const struct orr_net *n, struct orr_report *why)
{
    const struct orr_net_config *c = n->config;
    bool cuts = c->switching == ORR_SWITCHING_CUT_THROUGH;
    orr_err err;

    if (!n->explicit || !(cuts || c->nic.fifo))
        return ORR_OK;
    err =
        orr__yaml_fail(c->document, cuts ? c->switching_node : c->nic_node, why,
                       "network.%s needs computed ports",
                       cuts ? "switching: cut-through" : "nic: {queue: fifo}");
    orr__hint(why, "not with `ports: explicit`, classes, schedulers, trimming, "
                   "marks at dequeue, shared buffers, pause frames, in-band "
                   "telemetry or rates that change");
    return err;
}

/* The slowest that a link ever is. */
static uint64_t slowest(const struct orr_net *n, uint32_t link)
{
    const struct orr_failures *f = n->config->failures;
    uint64_t rate = n->begin_bps[link];

    for (uint32_t i = 0; f && i < f->retunes; i++)
        if (f->retune[i].link == link && f->retune[i].rate_bps < rate)
            rate = f->retune[i].rate_bps;
    return rate;
}

/* Packets need time on their way: nodes are simulated in steps of the shortest
 * delay. Formulas are in need of none. */
static orr_err check_delays(const struct orr_net *n, struct orr_report *why)
{
    const struct orr_yaml *at =
        orr__yaml_get(orr__config_root(n->config->document), "topology");

    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL)
        return ORR_OK;
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (n->port[l].delay_ps == 0) {
            char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
            orr_err err = orr__yaml_fail(
                n->config->document, at, why,
                "the link from %s to %s has no "
                "delay: every link needs a propagation delay > 0",
                orr__node_name(n->graph, n->graph->from[l], from, sizeof from),
                orr__node_name(n->graph, n->graph->to[l], to, sizeof to));

            orr__hint(why, "only `transport: analytical`, a network of "
                           "formulas, does without");
            return err;
        }
    return ORR_OK;
}

/* No packet may be on one link for so long that times overflow. */
static orr_err check_times(const struct orr_net *n, struct orr_report *why)
{
    uint64_t bytes = orr__largest_payload(n->config) + n->config->header;

    bytes = bytes > n->config->ack ? bytes : n->config->ack;
    for (uint32_t l = 0; l < n->graph->links; l++) {
        if (orr__serialisation(bytes, slowest(n, l)) > ORR_PORT_LONGEST)
            return orr__fail(why, ORR_ECONFIG,
                             "link %u is so slow that a packet of %llu B takes "
                             "it longer than 13 days",
                             l, (unsigned long long)bytes);
        if (n->port[l].delay_ps > ORR_PORT_LONGEST)
            return orr__fail(why, ORR_ECONFIG,
                             "link %u has a delay, with the latency at its "
                             "end, of more than 13 days",
                             l);
    }
    return ORR_OK;
}

/* How far what a node does is from anybody else, at least; what the user of
 * the net asks for may be less. */
static void find_lookahead(struct orr_net *n)
{
    const struct orr_net_config *config = n->config;

    n->shortest_ps = ORR_NEVER;
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (n->port[l].delay_ps < n->shortest_ps)
            n->shortest_ps = n->port[l].delay_ps;
    if (n->shortest_ps == 0) /* a network of formulas: see check_delays */
        n->shortest_ps = 1;
    n->lookahead = orr__processes_lookahead(n);
    if (config->transport == ORR_TRANSPORT_ANALYTICAL)
        n->lookahead = orr__analytical_lookahead(n, n->lookahead);
    if (config->least_post_ps > 0 && n->lookahead > config->least_post_ps)
        n->lookahead = config->least_post_ps;
    if (config->most_window_ps > 0 && n->lookahead > config->most_window_ps)
        n->lookahead = config->most_window_ps;
}

/* What only the finished fabric shows: delays, limits of computed ports, times
 * that fit into int64_t. */
static orr_err check_all(struct orr_net *n, struct orr_report *why)
{
    orr_err err = check_delays(n, why);

    if (err == ORR_OK)
        err = check_computed(n, why);
    if (err == ORR_OK)
        err = orr__analytical_check(n, why);
    if (err == ORR_OK && n->config->transport == ORR_TRANSPORT_ANALYTICAL
        && n->config->contention != ORR_CONTENTION_LINKS) {
        n->passages = orr__passages_new(n->graph->links);
        err = n->passages ? ORR_OK : orr__no_memory(why);
    }
    return err == ORR_OK ? check_times(n, why) : err;
}

/* Parts that need the clockwork. */
static orr_err start_all(struct orr_net *n, struct orr_report *why)
{
    orr_err err = orr__buffer_new(n, why);

    if (err == ORR_OK)
        err = orr__pfc_new(n, why);
    if (err == ORR_OK)
        err = orr__pfc_watch(n, why);
    if (err == ORR_OK)
        err = orr__rerouting_start(n, why);
    if (err == ORR_OK)
        err = orr__darkness_start(n, why);
    return err == ORR_OK ? orr__rate_changes_start(n, why) : err;
}

/* Rerouting is known. */
static bool has_bare_nics(const struct orr_net *n)
{
    const struct orr_net_config *c = n->config;

    return !n->explicit && !c->trees && c->classes == 1 && !c->nic.fifo
           && !c->moves && !c->schedule->by_share && !n->rerouting
           && c->transport == ORR_TRANSPORT_RELIABLE;
}

/* Are all choices of path the same whatever waits in queues? */
static bool is_blind(const struct orr_net_config *c)
{
    bool blind = orr__path_blind(c->plain_path);

    for (uint32_t i = 0; c->path == ORR_PATH_BY_TIER && i < c->rules; i++)
        blind =
            blind && (!c->rule[i].routes || orr__path_blind(c->rule[i].path));
    return blind;
}

orr_err orr__net_new(const struct orr_graph *graph,
                     const struct orr_routing *routes,
                     const struct orr_net_config *config, uint64_t seed,
                     unsigned workers, const uint32_t *partition,
                     struct orr_net **out, struct orr_report *why)
{
    static const struct orr_windows_ops windows_ops = {
        .run = orr__fabric_run,
        .prefetch = orr__fabric_prefetch,
        .exchange = orr__fabric_exchange,
        .work = orr__fabric_work,
        .lasts = orr__fabric_lasts,
        .asked = orr__fabric_asked,
    };
    struct orr_net *n = orr__alloc(1, sizeof *n);
    orr_err err;

    if (!n)
        return orr__no_memory(why);
    n->graph = graph;
    n->routes = n->base = routes;
    n->config = config;
    n->fixed_window = config->window;
    n->seed = seed;
    n->workers = workers;
    n->far = graph->links >= ORR_FAR_LINKS;
    n->explicit = orr__net_explicit(config);
    n->blind = is_blind(config);
    n->routed = config->detours ? ORR_PACKET_ROUTED : 0;
    err = orr__rate_changes_make(n, why);
    if (err != ORR_OK || !make_all(n, partition)) {
        orr__net_free(n);
        return orr__no_memory(why);
    }
    n->marks = orr__net_judges(config);
    for (uint32_t l = 0; l < graph->links && !n->marks; l++)
        n->marks = n->port[l].mark_ps < ORR_NEVER;
    find_lookahead(n);
    err = check_all(n, why);
    if (err == ORR_OK)
        err = orr__windows_new(n->processes, n->lookahead, workers, n->owner,
                               &windows_ops, n, &n->windows, why);
    if (err == ORR_OK && n->far)
        orr__windows_ahead(n->windows, ORR_FAR_AHEAD);
    if (err == ORR_OK)
        err = start_all(n, why);
    if (err != ORR_OK) {
        orr__net_free(n);
        return err;
    }
    n->bare_nics = has_bare_nics(n);
    *out = n;
    return err;
}

/* Senders and receivers of any state, even half made ones. */
static void free_connections(struct orr_net *n)
{
    uint32_t bound = n->senders.chunk ? orr__slab_bound(&n->senders) : 0;

    for (uint32_t i = 0; i < bound; i++) {
        struct orr_sender *s = orr__sender(n, i);

        orr__free(s->own_path);
        orr__free(s->sent);
        orr__free(s->resends.ring);
        orr__free(s->cc);
        orr__entropies_free(n, s);
        orr__stream_free(s->stream);
    }
    bound = n->receivers.chunk ? orr__slab_bound(&n->receivers) : 0;
    for (uint32_t i = 0; i < bound; i++) {
        struct orr_receiver *r;

        if (!n->receivers.chunk[i / ORR_SLAB_CHUNK])
            continue;
        r = orr__receiver(n, i);
        orr__free(r->bits);
        orr__free(r->boundary);
    }
    orr__slab_fini(&n->senders);
    orr__slab_fini(&n->receivers);
    orr__slab_fini(&n->messages);
    orr__slab_fini(&n->telemetry);
}

/* Of a fabric that may be half made. */
static void free_lanes(struct orr_net *n)
{
    for (unsigned w = 0; n->lane && w < n->workers; w++) {
        struct orr_lane *lane = &n->lane[w];

        for (unsigned v = 0; lane->dirty && v < n->workers; v++)
            orr__free(lane->dirty[v].link);
        for (unsigned v = 0; lane->posts && v < n->workers; v++)
            orr__free(lane->posts[v].timer);
        orr__free(lane->posts);
        orr__free(lane->dirty);
        orr__free(lane->active);
        orr__free(lane->tied);
        orr__slab_supply_fini(&lane->connections);
        orr__slab_supply_fini(&lane->messages);
        orr__slab_supply_fini(&lane->telemetry);
    }
    orr__free(n->lane);
}

/* What links do during the run. */
static void free_changes(struct orr_net *n)
{
    orr__rerouting_free(n);
    orr__darkness_free(n);
    orr__rate_changes_free(n);
}

void orr__net_free(struct orr_net *n)
{
    if (!n)
        return;
    for (uint32_t l = 0; n->port && l < n->graph->links; l++) {
        if (n->port[l].grown)
            orr__free(orr__inlet_of(n, l)->ring);
        orr__free(n->port[l].ring);
    }
    for (uint32_t l = 0; n->queue && l <= n->graph->links; l++)
        free_queue(n->queue[l]);
    for (uint32_t i = 0; n->node && i < n->graph->nodes; i++)
        orr__free(n->node[i].path.flowlet);
    for (uint32_t i = 0; n->process && i < n->processes; i++)
        orr__timers_fini(&n->process[i].timers);
    for (uint32_t i = 0; n->nic_port && i < n->nic_ports; i++)
        free_nic_port(n, &n->nic_port[i]);
    free_changes(n);
    orr__free(n->puller);
    orr__replay_free(n);
    orr__passages_free(n->passages, n->graph->links);
    orr__free(n->skipped);
    orr__free(n->more_bytes);
    orr__net_cursors_free(n);
    orr__observed_free(n);
    free_connections(n);
    orr__trees_free(n);
    free_lanes(n);
    orr__faults_free(n);
    orr__pfc_free(n);
    orr__multipath_free(n);
    orr__free(n->memory);
    orr__windows_free(n->windows);
    orr__free(n->port);
    orr__free(n->queue);
    orr__free(n->area_over);
    orr__free(n->node);
    orr__free(n->process);
    orr__free(n->user);
    orr__free(n->owner);
    orr__free(n->link_lists);
    orr__free(n->nic_port);
    orr__free(n->nic_class);
    orr__free(n->nic_port_of);
    orr__free(n->inlet);
    orr__free(n->inlet_of);
    orr__free(n->rounds);
    orr__free(n->at);
    orr__free(n->blocks);
    orr__free(n);
}
