/* Which nodes run together as one process, and what a process listens to.
 *
 * The lookahead is the smallest delay between two processes, so a few short
 * links (GPUs behind one NVSwitch) would make every window short. Nodes joined
 * by links much shorter than the rest become one process; inside it a packet
 * is seen at once. Results do not depend on it: a node's events keep their
 * order, and a process does nothing but merge those of its nodes. */
#include "net/loop/processes.h"

#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/queue.h"
#include "net/loop/merge.h"
#include "net/loop/node.h"
#include "net/port/port.h"

#define WORTH_MERGING          4 /* times the lookahead that is won, at least */
#define MOST_SOURCES           128 /* links into one merged process */
#define MOST_SOURCES_UNBLOCKED 20  /* scanned without blocks */

/* ---- which nodes ---- */

static uint32_t root_of(uint32_t *parent, uint32_t node)
{
    ORR_ASSERT(parent[node] <= node); /* the root of a set is its lowest */
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Joins all nodes that links shorter than `delay` connect; the root of a set
 * is its lowest node. */
static void join_nodes(const struct orr_net *n, uint32_t *parent, int64_t delay)
{
    for (uint32_t i = 0; i < n->graph->nodes; i++)
        parent[i] = i;
    for (uint32_t l = 0; l < n->graph->links; l++) {
        uint32_t a, b;

        if (n->port[l].delay_ps >= delay)
            continue;
        a = root_of(parent, n->graph->from[l]);
        b = root_of(parent, n->graph->to[l]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
}

/* Most links into one set. */
static uint32_t widest(const struct orr_net *n, uint32_t *parent,
                       uint32_t *count)
{
    uint32_t most = 0;

    memset(count, 0, n->graph->nodes * sizeof *count);
    for (uint32_t l = 0; l < n->graph->links; l++) {
        uint32_t c = ++count[root_of(parent, n->graph->to[l])];

        most = c > most ? c : most;
    }
    return most;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

#define MOST_DELAYS 64 /* different delays that are tried */

/* The different delays, ascending; graphs with more than MOST_DELAYS of them
 * have no clear "much shorter", and nothing is merged. */
static uint32_t distinct_delays(const struct orr_net *n, int64_t *delay)
{
    uint32_t count = 0, i;

    for (uint32_t l = 0; l < n->graph->links; l++) {
        int64_t d = n->port[l].delay_ps;

        for (i = 0; i < count && delay[i] != d; i++)
            continue;
        if (i < count)
            continue;
        if (count == MOST_DELAYS)
            return 0;
        delay[count++] = d;
    }
    qsort(delay, count, sizeof *delay, compare_times);
    return count;
}

/* Which links are shorter than this are inside processes; 0: none. The largest
 * delay that is worth it and keeps the processes small. */
static int64_t threshold(const struct orr_net *n, uint32_t *parent,
                         uint32_t *scratch)
{
    int64_t delay[MOST_DELAYS];
    uint32_t count = distinct_delays(n, delay);

    if (n->config->processes == ORR_PROCESSES_NODES)
        return 0;
    for (uint32_t i = count; i-- > 1;) {
        if (delay[i] / WORTH_MERGING < delay[0])
            break;
        join_nodes(n, parent, delay[i]);
        if (widest(n, parent, scratch) <= MOST_SOURCES)
            return delay[i];
    }
    return 0;
}

/* What takes no time cannot go from one process to another. */
static bool takes_no_time(const struct orr_net *n)
{
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (n->port[l].delay_ps == 0)
            return true;
    return false;
}

bool orr__processes_group(struct orr_net *n)
{
    uint32_t nodes = n->graph->nodes, *scratch;
    uint32_t *parent = orr__alloc(nodes, sizeof *parent);

    scratch = orr__alloc(nodes, sizeof *scratch);
    if (!parent || !scratch) {
        orr__free(parent);
        orr__free(scratch);
        return false;
    }
    if (n->config->processes == ORR_PROCESSES_ONE || takes_no_time(n))
        memset(parent, 0, nodes * sizeof *parent);
    else
        join_nodes(n, parent, threshold(n, parent, scratch));
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t root = root_of(parent, i);

        if (root == i)
            n->node[i].process = n->processes++;
        else
            n->node[i].process = n->node[root].process;
    }
    orr__free(parent);
    orr__free(scratch);
    return true;
}

/* ---- what they listen to ---- */

/* Nothing ever travels over a link: all events are timers. */
static bool formula(const struct orr_net *n)
{
    return n->config->transport == ORR_TRANSPORT_ANALYTICAL;
}

static bool departs(const struct orr_net *n, uint32_t link)
{
    uint32_t from = n->graph->from[link];

    return !formula(n) && !orr__link_absent(n->graph, link)
           && (n->graph->sends[from]
               || (n->explicit
                   && !n->process[n->node[from].process].catches_up));
}

/* Fills the lists of departures and arrivals, in order of links. */
static void list_links(struct orr_net *n)
{
    const struct orr_graph *g = n->graph;
    uint32_t *departing = n->link_lists, *next = departing + g->links;

    n->arrivals = next;
    for (uint32_t l = 0; l < g->links; l++) {
        n->process[n->node[g->from[l]].process].n_departs += departs(n, l);
        n->process[n->node[g->to[l]].process].n_arrives += !formula(n);
    }
    for (uint32_t i = 0; i < n->processes; i++) {
        struct orr_process *p = &n->process[i];

        p->departs = departing;
        p->arrives = next;
        departing += p->n_departs;
        next += p->n_arrives;
        p->n_departs = p->n_arrives = 0;
    }
    for (uint32_t l = 0; l < g->links; l++) {
        struct orr_process *from = &n->process[n->node[g->from[l]].process];
        struct orr_process *to = &n->process[n->node[g->to[l]].process];

        if (departs(n, l))
            from->departs[from->n_departs++] = l;
        if (!formula(n))
            to->arrives[to->n_arrives++] = l;
    }
}

/* Where each port and inlet stands among the sources of its process. */
static void place_sources(struct orr_net *n, struct orr_process *p)
{
    for (uint32_t i = 0; i < p->n_departs; i++) {
        uint32_t link = p->departs[i];
        ORR_ASSERT(link < n->graph->links);

        if (n->queue[link])
            n->queue[link]->slot = i;
        if (n->graph->sends[n->graph->from[link]]) {
            n->nic_port[n->nic_port_of[link]].slot = i;
            n->nic_port[n->nic_port_of[link]].process = p;
        }
    }
    for (uint32_t i = 0; i < p->n_arrives; i++) {
        struct orr_inlet *in = &orr__inlets(n, p)[i];

        in->process = (uint32_t)(p - n->process);
        in->due = p->blocks_kept ? NULL : &p->at[p->n_departs + i];
        in->mask = UINT32_MAX;
        n->inlet_of[p->arrives[i]] = (uint32_t)(in - n->inlet);
    }
}

static uint8_t block_shift(uint32_t sources)
{
    uint8_t shift = 3;

    while ((sources >> shift) > (1u << shift))
        shift++;
    return shift;
}

/* Memory for the times of all sources that are not near, and of blocks of
 * them. */
static void make_sources(struct orr_process *p, int64_t **at, int64_t **blocks)
{
    p->departing = UINT32_MAX;
    p->sources = p->n_departs + p->n_arrives + 1;
    p->at = p->near;
    if (p->sources > ORR_SOURCES_NEAR) {
        p->at = *at;
        *at += p->sources;
    }
    for (uint32_t i = 0; i < p->sources; i++)
        p->at[i] = ORR_NEVER;
    if (p->sources <= MOST_SOURCES_UNBLOCKED || p->only_arrivals
        || p->catches_up)
        return; /* merge.h finds the next one in those */
    p->block = p->blocks_kept = *blocks;
    p->block_shift = block_shift(p->sources);
    p->blocks = ((p->sources - 1) >> p->block_shift) + 1;
    *blocks += p->blocks;
    for (uint32_t i = 0; i < p->blocks; i++)
        p->block[i] = ORR_NEVER;
}

/* A switch that adds may keep what it makes for a while, and at explicit ports
 * what comes by one link leaves by several: the general loop does that. */
static bool keeps_packets(const struct orr_net *n)
{
    const struct orr_net_config *c = n->config;

    return c->trees
           && (n->explicit || c->in_network.latency_ps || c->in_network.rate_bps
               || c->in_servers.latency_ps || c->in_servers.rate_bps);
}

/* One switch, with no more links than merge.h takes. */
static bool merges(const struct orr_net *n, const struct orr_process *p)
{
    const struct orr_graph *g = n->graph;

    return p->nodes == 1 && !g->sends[p->node] && !keeps_packets(n)
           && g->in_off[p->node + 1] - g->in_off[p->node] <= ORR_MERGE_LINKS;
}

/* Departures have to be events where they touch more than their port: hosts
 * (the NIC waits for them); where several nodes are one process; and, while
 * there is little room, shared memory and pause frames. */
static void choose_catching_up(struct orr_net *n)
{
    bool apart = !n->config->pfc.enabled && !n->config->buffer.shared;

    for (uint32_t i = 0; i < n->processes; i++) {
        struct orr_process *p = &n->process[i];

        p->catches_up = apart && n->explicit && merges(n, p);
        p->bare = p->catches_up;
        p->may_connect = !apart && n->explicit && merges(n, p);
    }
    for (uint32_t l = 0; l < n->graph->links; l++) {
        struct orr_process *p = &n->process[n->node[n->graph->from[l]].process];

        if (!n->queue[l])
            continue;
        n->queue[l]->caught_up = p->catches_up;
        p->bare &= n->queue[l]->bare;
    }
}

void orr__processes_make(struct orr_net *n)
{
    int64_t *at = n->at, *blocks = n->blocks;

    for (uint32_t i = n->graph->nodes; i-- > 0;) {
        struct orr_process *p = &n->process[n->node[i].process];

        ORR_ASSERT(n->node[i].process < n->processes);
        p->node = i;
        p->nodes++;
    }
    choose_catching_up(n);
    list_links(n);
    for (uint32_t i = 0; i < n->processes; i++) {
        struct orr_process *p = &n->process[i];

        p->only_arrivals =
            !n->explicit && merges(n, p)
            && n->config->transport != ORR_TRANSPORT_ANALYTICAL
            && n->config->switching == ORR_SWITCHING_STORE_AND_FORWARD;
        p->one_cable = p->nodes == 1 && n->graph->sends[p->node]
                       && p->n_departs == 1 && p->n_arrives == 1;
        ORR_ASSERT(!p->one_cable
                   || (p->departs[0] == orr__only_link(n, p->node)
                       && p->arrives[0] == orr__reverse(n, p->departs[0])));
        make_sources(p, &at, &blocks);
        place_sources(n, p);
    }
}

int64_t orr__processes_lookahead(const struct orr_net *n)
{
    int64_t least = ORR_MS; /* of a single process: any */

    for (uint32_t l = 0; l < n->graph->links; l++) {
        const struct orr_port *port = &n->port[l];

        if (!port->local && port->delay_ps < least)
            least = port->delay_ps;
    }
    return least;
}
