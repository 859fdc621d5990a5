/* What a process does in a window: it merges the heads of its incoming links
 * with its departures and timers, and handles them in order. */
#include <assert.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/none.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/fabric/queue.h"
#include "net/fabric/routing.h"
#include "net/fabric/timer.h"
#include "net/loop/analytical.h"
#include "net/loop/marker.h"
#include "net/loop/node.h"
#include "net/loop/ties.h"
#include "net/port/pfc.h"
#include "net/port/port.h"
#include "net/tree/tree.h"

/* The smallest of at[from..end), the lowest index among equals. Without
 * branches but the loop's: the order of arrivals is random. */
static inline uint32_t smallest(const int64_t *at, uint32_t from, uint32_t end)
{
    uint32_t best = from;
    int64_t first = at[from];

#pragma GCC unroll 4
    for (uint32_t i = from + 1; i < end; i++) {
        best = at[i] < first ? i : best;
        first = at[i] < first ? at[i] : first;
    }
    return best;
}

/* The same where nothing is smaller than `least`: the first that is no larger
 * will do. */
static inline uint32_t smallest_from(const int64_t *at, uint32_t from,
                                     uint32_t end, int64_t least)
{
    uint32_t best = from;

    for (uint32_t i = from + 1; i < end && at[best] > least; i++)
        best = at[i] < at[best] ? i : best;
    return best;
}

/* The next event; now: that of no source is earlier. */
static inline uint32_t earliest(const struct orr_process *p, int64_t now)
{
    uint32_t block, end;

    if (!p->block)
        return smallest(p->at, 0, p->sources);
    block = smallest_from(p->block, 0, p->blocks, now);
    end = (block + 1) << p->block_shift;
    return smallest_from(p->at, block << p->block_shift,
                         end < p->sources ? end : p->sources, p->block[block]);
}

/* The link that a source is the arrivals of. */
static uint32_t arrives_by(const struct orr_process *p, uint32_t source)
{
    return p->arrives[source - p->n_departs];
}

/* One of several events at one time and kind, to be put in order. */
struct orr_tied {
    uint64_t tie;
    uint32_t source;
};

static inline bool comes_later(const struct orr_tied *a,
                               const struct orr_tied *b)
{
    return a->tie != b->tie ? a->tie > b->tie : a->source > b->source;
}

static int compare_ties(const void *a, const void *b)
{
    return comes_later(a, b) ? -1 : 1; /* the first to come stands last */
}

/* Notes that `source` has an arrival at `now`, as the *tied-th. False when out
 * of memory, which is told. */
static bool add_tied(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_process *p, uint32_t source, int64_t now,
                     uint32_t *tied)
{
    if (!orr__array_more(lane->tied, lane->tied_room, *tied)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    lane->tied[(*tied)++] = (struct orr_tied){
        .tie = orr__tie_of(n, arrives_by(p, source), now), .source = source};
    return true;
}

/* All arrivals at the time of `first`, which is the one of the lowest link, in
 * the order in which they come: the last of lane->tied[0 .. the result) comes
 * first. 0: no memory. Blocks in which nothing is due then are left out. */
static __attribute__((noinline)) uint32_t gather_tied(
    struct orr_net *n, struct orr_lane *lane, const struct orr_process *p,
    uint32_t first)
{
    uint32_t end = p->n_departs + p->n_arrives, tied = 0;
    int64_t now = p->at[first];

    for (uint32_t i = first, stop; i < end; i = stop) {
        stop = ((i >> p->block_shift) + 1) << p->block_shift;
        stop = stop < end ? stop : end;
        if (p->block[i >> p->block_shift] != now)
            continue;
        for (; i < stop; i++)
            if (p->at[i] == now && !add_tied(n, lane, p, i, now, &tied))
                return 0;
    }
    if (tied > 1)
        qsort(lane->tied, tied, sizeof *lane->tied, compare_ties);
    return tied;
}

/* The same of a process with few sources: which one comes first. Hashes are
 * looked at once there are two. */
static inline __attribute__((always_inline)) uint32_t shuffle_by(
    const struct orr_net *n, const struct orr_process *p, uint32_t best,
    uint64_t (*hash_of)(const struct orr_net *n, uint32_t link, int64_t now))
{
    uint32_t end = p->n_departs + p->n_arrives;
    uint64_t lowest = UINT64_MAX;
    int64_t now = p->at[best];
    bool tied = false;

    for (uint32_t i = best + 1; i < end; i++) {
        uint64_t tie;

        if (p->at[i] != now)
            continue;
        if (!tied)
            lowest = hash_of(n, arrives_by(p, best), now);
        tied = true;
        tie = hash_of(n, arrives_by(p, i), now);
        if (tie < lowest) {
            lowest = tie;
            best = i;
        }
    }
    return best;
}

static __attribute__((noinline)) uint32_t shuffle(const struct orr_net *n,
                                                  const struct orr_process *p,
                                                  uint32_t best)
{
    return shuffle_by(n, p, best, orr__tie_of);
}

/* Of a process of either kind; counted. */
static __attribute__((cold, noinline)) uint32_t shuffle_counted(
    struct orr_net *n, const struct orr_process *p, uint32_t best)
{
    orr__random_ties_snapshot(n, p, best);
    return shuffle_by(n, p, best, orr__tie_counted);
}

/* Which of the arrivals at one time comes first; best: the one of the lowest
 * link. *tied: in a process in blocks, how many of lane->tied have not come
 * yet; they are those of this time. */
static __attribute__((noinline)) uint32_t first_of_tied(
    struct orr_net *n, struct orr_lane *lane, const struct orr_process *p,
    uint32_t best, uint32_t *tied)
{
    if (__builtin_expect(n->counts_ties, 0))
        return shuffle_counted(n, p, best);
    if (!p->block)
        return shuffle(n, p, best);
    if (*tied == 0)
        *tied = gather_tied(n, lane, p, best);
    return *tied ? lane->tied[--*tied].source : best;
}

/* Does any arrival come at the same time as this one, of a lower link than all
 * others? Few do: no hash is worth a look before that is known. */
static inline bool is_tied(const struct orr_process *p, uint32_t best)
{
    uint32_t end = p->n_departs + p->n_arrives;
    int64_t now = p->at[best];
    bool tied = p->block != NULL; /* gather_tied leaves blocks out */

    for (uint32_t i = best + 1; !p->block && i < end; i++)
        tied |= p->at[i] == now;
    return tied;
}

/* What passes through a host. */
static __attribute__((noinline)) void pass_host(struct orr_net *n,
                                                struct orr_lane *lane,
                                                struct orr_node *node,
                                                const struct orr_packet *p,
                                                uint32_t in)
{
    struct orr_packet own;
    uint32_t link;

    if (orr__packet_dst(p) == ORR_PACKET_TREE) {
        lane->delivered++;
        if (orr__observers_see_arrivals(n, in))
            orr__observers_arrived(n, p->at, n->graph->to[in], p);
        orr__tree_host(n, lane, n->graph->to[in], p, p->at);
        return;
    }
    link =
        node->forwards ? orr__route_taken(n, node, &p, &own) : orr__nowhere(n);
    lane->ingress = in;
    orr__port_pass(n, lane, &n->port[link], p, p->at, false);
}

/* A pause frame has come to a node with a NIC, which obeys it like its port; or
 * a marker. */
static __attribute__((cold, noinline)) void host_paused(
    struct orr_net *n, struct orr_lane *lane, const struct orr_packet *p,
    uint32_t in)
{
    uint32_t back = orr__reverse(n, in);

    if (p->dst_kind & ORR_PACKET_CNP) {
        orr__marker_arrived(n, lane, p);
        return;
    }
    orr__pfc_arrival(n, lane, in, p);
    orr__nic_pause(n, lane, n->nic_port_of[back], n->queue[back]->paused,
                   p->at);
}

/* Nodes with a NIC. in: the link. */
static inline __attribute__((always_inline)) void reach_host(
    struct orr_net *n, struct orr_lane *lane, struct orr_node *node,
    uint32_t id, const struct orr_packet *p, uint32_t in)
{
    int64_t now = p->at;

    if (__builtin_expect(p->dst_kind & ORR_PACKET_PAUSE, 0)) {
        host_paused(n, lane, p, in);
        return;
    }
    if (orr__packet_dst(p) != id) {
        pass_host(n, lane, node, p, in);
        return;
    }
    lane->delivered++;
    if (orr__observers_see_arrivals(n, in))
        orr__observers_arrived(n, now, id, p);
    if (__builtin_expect(p->dst_kind & ORR_PACKET_CNP, 0)) {
        if (p->size_flags & ORR_PACKET_OPENS)
            orr__handshake_arrival(n, lane, p, now);
        else if (p->size_flags & ORR_PACKET_PULL)
            orr__pull_arrival(n, lane, p, now);
        else
            orr__sender_cnp(n, lane, p, now);
    } else if (p->size_flags & ORR_PACKET_ACK) {
        orr__sender_ack(n, lane, p, now);
    } else if (n->config->transport == ORR_TRANSPORT_RELIABLE) {
        orr__receiver_data(n, lane, p, now);
    } else {
        orr__receiver_datagram(n, lane, p, now);
    }
}

/* The same out of the packet path. */
static __attribute__((noinline)) void nic_arrival(
    struct orr_net *n, struct orr_lane *lane, struct orr_node *node,
    uint32_t id, const struct orr_packet *p, uint32_t in)
{
    reach_host(n, lane, node, id, p, in);
}

/* Takes the head off a link. *next: arrival of the one behind it. */
static inline const struct orr_packet *take_head(struct orr_inlet *in,
                                                 int64_t *next)
{
    const struct orr_packet *ring = in->ring;
    uint32_t mask = in->mask, head = in->head++;

    __builtin_prefetch(&ring[(head + 3) & mask]);
    *next = in->head == in->visible ? ORR_NEVER : ring[in->head & mask].at;
    return &ring[head & mask];
}

/* A packet has arrived at a node of this process: at a host it is dealt with,
 * at a switch it goes on at once. */
static inline void arrival(struct orr_net *n, struct orr_lane *lane,
                           struct orr_process *p, uint32_t source)
{
    uint32_t i = source - p->n_departs, in = p->arrives[i];
    struct orr_node *node = &n->node[n->graph->to[in]];
    int64_t next;
    const struct orr_packet *packet = take_head(&orr__inlets(n, p)[i], &next);
    struct orr_packet own;
    uint32_t out;

    ORR_ASSERT(!p->one_cable);
    orr__source_set(p, source, next);
    node->digest = orr__node_digest(node->digest, packet);
    lane->events++;
    if (node->sends) {
        nic_arrival(n, lane, node, n->graph->to[in], packet, in);
        return;
    }
    lane->ingress = in; /* for memory, and cut-through */
    if (__builtin_expect(packet->dst_kind & ORR_PACKET_PAUSE, 0)) {
        orr__pfc_arrival(n, lane, in, packet);
        return;
    }
    if (__builtin_expect(orr__packet_dst(packet) == ORR_PACKET_TREE, 0)) {
        orr__tree_switch(n, lane, n->graph->to[in], packet, packet->at, in);
        return;
    }
    out = orr__route_taken(n, node, &packet, &own);
    orr__port_pass(n, lane, &n->port[out], packet, packet->at, false);
}

static void departure(struct orr_net *n, struct orr_lane *lane,
                      struct orr_process *p, uint32_t source, int64_t now)
{
    uint32_t link = p->departs[source];

    if (n->node[n->graph->from[link]].sends)
        orr__nic_due(n, lane, link, now);
    else
        orr__port_departed(n, lane, link, now);
}

/* The first timer fires. Alarms may find that they were put off. */
static void fire_timer(struct orr_net *n, struct orr_lane *lane,
                       struct orr_process *p)
{
    struct orr_timer t = orr__timers_pop(&p->timers);
    const struct orr_net_user *user;

    orr__timer_enter_first(p);
    orr__timer_count(p, t.what, UINT32_MAX);
    switch (t.what) {
    case ORR_WHAT_RTO:
    case ORR_WHAT_REORDER:
    case ORR_WHAT_PROBE:
        t.at = orr__sender_timer(n, lane, (uint32_t)t.arg, t.what, t.at);
        if (t.at != ORR_NEVER)
            orr__timer_add(n, p, &t);
        break;
    case ORR_WHAT_ACK: orr__receiver_timer(n, (uint32_t)t.arg, t.at); break;
    case ORR_WHAT_HOP:
        orr__analytical_hop(n, t.node, (uint32_t)t.arg, t.at);
        break;
    case ORR_WHAT_PULL: orr__pull_due(n, lane, t.node, t.at); break;
    case ORR_WHAT_SUM: orr__tree_late(n, lane, t.node, t.at); break;
    case ORR_WHAT_GONE:
    case ORR_WHAT_HERE:
        orr__analytical_end(n, t.what, (uint32_t)t.arg, t.at);
        break;
    default:
        orr__lane_timed(lane, t.at);
        user = &n->user[t.what - ORR_WHAT_USER];
        user->ops->timer(user->context, t.node, t.at, t.arg);
    }
}

/* A timer that would find nothing to do must not keep the run alive, unless
 * something else does for longer. */
static bool is_dead(struct orr_net *n, const struct orr_timer *t)
{
    struct orr_alarm *alarm = orr__alarm_of(n, t);

    if (!alarm)
        return false;
    if (alarm->set != t->at)
        return true;
    if (alarm->due != ORR_NEVER)
        return false;
    alarm->set = ORR_NEVER;
    return true;
}

static void drop_dead_timers(struct orr_net *n, struct orr_process *p)
{
    while (p->timers.count && is_dead(n, &p->timers.item[0]))
        orr__timer_count(p, orr__timers_pop(&p->timers).what, UINT32_MAX);
    orr__timer_enter_first(p);
}

/* A switch catches up with its departures while it has room, and nobody wants
 * to see all in order. */
static void connect_or_part(struct orr_net *n, struct orr_process *p)
{
    if (p->catches_up && orr__observers_see_packets(n))
        orr__process_connect(n, p);
    else if (!p->catches_up && !orr__observers_see_packets(n)
             && orr__memory_rests(n, p->node))
        orr__process_part(n, p);
}

/* All is done before `end`; returns the next event. */
static int64_t end_window(struct orr_net *n, struct orr_process *p)
{
    uint32_t source = earliest(p, 0);

    if (source != orr__process_timer(p) || p->at[source] == ORR_NEVER
        || (p->armed && !p->held))
        return p->at[source];
    drop_dead_timers(n, p);
    return p->at[earliest(p, 0)];
}

/* The same of a host with one cable. Dead timers of its senders stay as a rule:
 * they fire, for nothing, when it runs next. */
static int64_t end_host_window(struct orr_net *n, struct orr_process *p)
{
    const int64_t *at = p->near;
    int64_t next = at[0] < at[1] ? at[0] : at[1];

    if (next <= at[2]) /* ORR_NEVER among them */
        return next;
    if (!p->held)
        return p->armed ? at[2] : next;
    drop_dead_timers(n, p);
    return next < at[2] ? next : at[2];
}

#define SEVERAL 4 /* packets in a window: more are worth some foresight */

/* A host with one cable: its sources are the NIC's departure, arrivals, and
 * timers. */
static __attribute__((noinline)) int64_t host_run(struct orr_net *n,
                                                  struct orr_lane *lane,
                                                  struct orr_process *p,
                                                  int64_t end)
{
    uint32_t out = orr__only_link(n, p->node);
    uint32_t link = orr__reverse(n, out);
    struct orr_inlet *in = orr__inlet_of(n, link);
    struct orr_node *node = &n->node[p->node];
    const int64_t *at = p->near;
    uint64_t events = lane->events;
    int64_t last = -1;

    for (;;) {
        int64_t departs = at[0], arrives = at[1], due = at[2];

        if (departs <= arrives && departs <= due) {
            if (departs >= end)
                break;
            if (!n->bare_nics
                || !orr__single_sender_goes_on(n, lane, out, departs, end))
                orr__nic_due(n, lane, out, departs);
        } else if (arrives <= due) {
            const struct orr_packet *packet;

            if (arrives >= end)
                break;
            assert(arrives >= last); /* time never goes back */
            last = arrives;
            packet = take_head(in, &p->near[1]);
            p->digest = orr__node_digest(p->digest, packet);
            lane->events++;
            reach_host(n, lane, node, p->node, packet, link);
        } else {
            if (due >= end)
                break;
            fire_timer(n, lane, p);
        }
    }
    if (last > lane->last_event)
        lane->last_event = last;
    p->dense = lane->events - events > SEVERAL;
    return end_host_window(n, p);
}

/* Any process. */
static __attribute__((noinline)) int64_t any_run(struct orr_net *n,
                                                 struct orr_lane *lane,
                                                 struct orr_process *p,
                                                 int64_t end)
{
    int64_t hashed = -1, before;
    uint32_t tied = 0;
    bool shuffled;

    if (p->may_connect)
        connect_or_part(n, p);
    if (p->catches_up) {
        before = orr__switch_catch_up(n, lane, p, end);
        if (p->catches_up)
            return before;
    }
    shuffled = p->n_arrives > 1 && n->config->ties == ORR_TIES_SHUFFLED;
    for (before = 0;;) {
        uint32_t source = earliest(p, before);
        int64_t now = p->at[source];

        if (now >= end) {
            if (hashed > lane->last_event)
                lane->last_event = hashed;
            return end_window(n, p);
        }
        assert(now >= before); /* time never goes back */
        before = now;
        if (source - p->n_departs < p->n_arrives) {
            if (shuffled && is_tied(p, source))
                source = first_of_tied(n, lane, p, source, &tied);
            hashed = now;
            arrival(n, lane, p, source);
            if (__builtin_expect(p->at[source] == now, 0))
                tied = 0; /* the next one takes its turn among the others */
        } else if (source < p->n_departs) {
            departure(n, lane, p, source, now);
        } else {
            fire_timer(n, lane, p);
        }
    }
}

int64_t orr__fabric_run(void *net, unsigned worker, uint32_t process,
                        int64_t end)
{
    struct orr_net *n = net;
    struct orr_lane *lane = &n->lane[worker];
    struct orr_process *p = &n->process[process];

    if (p->only_arrivals)
        return orr__switch_run(n, lane, p, end);
    if (p->one_cable)
        return host_run(n, lane, p, end);
    return any_run(n, lane, p, end);
}

#define MOST_NEAR 32 /* links of the next process that are brought near */

/* What has to be looked at to know what a process has to do. */
static inline void prefetch_inlets(const struct orr_net *n,
                                   const struct orr_process *p, uint32_t most)
{
    const struct orr_inlet *in, *end;

    __builtin_prefetch(p->at);
    __builtin_prefetch(&n->node[p->node]);
    if (p->one_cable) { /* something comes, most of the time */
        uint32_t link = orr__reverse(n, orr__only_link(n, p->node));

        __builtin_prefetch(orr__inlet_of(n, link), 1);
        return;
    }
    /* All of them, empty ones too: to ask costs more, and cannot be guessed. */
    in = orr__inlets(n, p);
    end = in + (p->n_arrives < most ? p->n_arrives : most);
    for (; in < end; in += 64 / sizeof *in)
        __builtin_prefetch(in, 1);
}

/* The same of all of them, and when each is due. */
static inline void prefetch_sources(const struct orr_net *n,
                                    const struct orr_process *p)
{
    prefetch_inlets(n, p, UINT32_MAX);
    for (uint32_t i = 0; i < p->sources; i += 64 / sizeof *p->at)
        __builtin_prefetch(&p->at[i], 1);
}

/* What arrives by `end`, as far as it is visible. */
static inline void prefetch_packets(const struct orr_net *n,
                                    const struct orr_process *p, int64_t end)
{
    const struct orr_inlet *in = orr__inlets(n, p);
    const int64_t *at = p->at + p->n_departs;

    for (uint32_t i = 0; i < p->n_arrives; i++, in++)
        if (at[i] < end)
            for (uint32_t k = in->head; k < in->visible; k += 2)
                __builtin_prefetch(&in->ring[k & in->mask]);
}

/* The end of a connection that a packet is for. */
static inline void prefetch_end(const struct orr_net *n,
                                const struct orr_packet *p)
{
    if (p->connection == ORR_NONE)
        return;
    if (p->size_flags & ORR_PACKET_ACK) {
        const char *s = (const char *)orr__sender(n, p->connection);

        for (unsigned i = 0; i < 4; i++) /* lines that most ACKs need */
            __builtin_prefetch(s + 64 * i, 1);
    } else {
        __builtin_prefetch(orr__receiver(n, p->connection), 1);
    }
}

/* Of a host: where its first packets are for, and what it sends by. */
static inline void prefetch_ends_of(const struct orr_net *n,
                                    const struct orr_process *p)
{
    uint32_t link = orr__only_link(n, p->node);
    const struct orr_inlet *in = orr__inlets(n, p);

    __builtin_prefetch(&n->nic_port[n->nic_port_of[link]], 1);
    __builtin_prefetch(&n->port[link].free_at, 1);
    for (uint32_t k = in->head; k < in->visible && k < in->head + 2; k++)
        prefetch_end(n, &in->ring[k & in->mask]);
}

/* From far to near: what says where packets are, these, and what they are for.
 * A switch's packets late, as they are many. */
static inline void prefetch_in_steps(const struct orr_net *n,
                                     const struct orr_process *p,
                                     unsigned ahead, int64_t end)
{
    if (ahead == ORR_FAR_AHEAD)
        prefetch_sources(n, p);
    else if (ahead == (p->one_cable ? 2u : 1u))
        prefetch_packets(n, p, end);
    else if (p->one_cable)
        prefetch_ends_of(n, p);
}

void orr__fabric_prefetch(void *net, uint32_t process, unsigned ahead,
                          int64_t end)
{
    const struct orr_net *n = net;
    const struct orr_process *p = &n->process[process];

    if (n->far && p->dense)
        prefetch_in_steps(n, p, ahead, end);
    else if (ahead == 1)
        prefetch_inlets(n, p, MOST_NEAR);
}
