/* The packet path proper: a switch that only has arrivals, because departures
 * of its ports are computed, or caught up with. The general loop of node.c does
 * the same, and minds departures and timers as well.
 *
 * It takes a batch of packets off its links, looks up where they go, and sends
 * them, so that the lines of ports and slots come from memory while others are
 * at work. */
#include <assert.h>

#include "core/fingerprint.h"
#include "net/port/buffer.h"
#include "net/port/pfc.h"
#include "net/port/plain.h"
#include "net/port/port.h"
#include "net/port/smooth.h"
#include "net/run/merge.h"
#include "net/run/node.h"

#define BATCH 32

struct batch {
    const struct orr_packet *packet[BATCH + ORR_MERGE_LINKS];
    struct orr_port *out[BATCH + ORR_MERGE_LINKS];
    struct orr_queue *queue[BATCH + ORR_MERGE_LINKS]; /* of `out` */
    uint32_t lane[BATCH + ORR_MERGE_LINKS]; /* of the tournament: its link */
};

/* Lots are drawn for packets of these lanes. */
static void tell_chance(struct orr_net *n, const struct orr_merge *m,
                        const struct orr_packet *const *tied,
                        const uint32_t *lane, uint32_t count)
{
    uint32_t link[ORR_MERGE_LINKS];

    for (uint32_t i = 0; i < count; i++)
        link[i] = m->link[lane[i]].id;
    orr__chance_tied(n, link, tied, count);
}

/* Takes the rest of those that arrive with the one taken last, whose head was
 * `word`: of a link one at most. Shuffled, they are in order of a hash. Returns
 * how many there are in the batch then. */
static __attribute__((noinline)) uint32_t
take_tied(const struct orr_net *n, struct orr_merge *m, struct batch *b,
          uint32_t count, int64_t word)
{
    bool shuffled = n->config->ties == ORR_TIES_SHUFFLED;
    const struct orr_packet **tied = &b->packet[count - 1];
    uint32_t *lane = &b->lane[count - 1];
    uint64_t tie[ORR_MERGE_LINKS];
    uint32_t taken = 0;

    for (;;) {
        uint32_t from = orr__merge_lane(word), k = taken;
        const struct orr_packet *packet = tied[0];
        uint64_t hash = 0;

        if (taken) {
            if (!orr__merge_tied(word, m->first))
                break;
            from = orr__merge_lane(m->first);
            packet = orr__merge_take(m, m->first, m->levels, &m->first);
        }
        if (shuffled)
            hash = orr__tie(n, m->link[from].id, packet->at);
        for (; k > 0 && tie[k - 1] > hash; k--) {
            tie[k] = tie[k - 1];
            tied[k] = tied[k - 1];
            lane[k] = lane[k - 1];
        }
        tie[k] = hash;
        tied[k] = packet;
        lane[k] = from;
        taken++;
    }
    if (__builtin_expect(n->chance, 0) && shuffled)
        tell_chance((struct orr_net *)n, m, tied, lane, taken);
    return count - 1 + taken;
}

/* Takes up to BATCH packets, and those that arrive with the last of them;
 * links: notes their lanes. Returns how many. */
static inline __attribute__((always_inline)) uint32_t
fill_of(const struct orr_net *n, struct orr_merge *m, struct batch *b,
        bool links, uint32_t levels)
{
    int64_t first = m->first;
    uint32_t count = 0;

    while (count < BATCH && first != ORR_MERGE_NONE) {
        int64_t word = first;

        if (links)
            b->lane[count] = orr__merge_lane(word);
        b->packet[count++] = orr__merge_take(m, word, levels, &first);
        if (__builtin_expect(orr__merge_tied(word, first), 0)) {
            m->first = first;
            count = take_tied(n, m, b, count, word);
            first = m->first;
        }
    }
    m->first = first;
    return count;
}

/* A loop for each number of levels that most switches have. */
static inline __attribute__((always_inline)) uint32_t
fill(const struct orr_net *n, struct orr_merge *m, struct batch *b, bool links)
{
    switch (m->levels) {
    case 0:
        return fill_of(n, m, b, links, 0);
    case 1:
        return fill_of(n, m, b, links, 1);
    case 2:
        return fill_of(n, m, b, links, 2);
    case 3:
        return fill_of(n, m, b, links, 3);
    case 4:
        return fill_of(n, m, b, links, 4);
    default:
        return fill_of(n, m, b, links, m->levels);
    }
}

static inline __attribute__((always_inline)) void
route_batch(struct orr_net *n, struct orr_node *node, struct batch *b,
            uint32_t count, enum orr_path_kind kind)
{
    struct orr_signs signs = orr__signs(n, node);
    struct orr_port *port = n->port;
    uint64_t digest = node->digest;

    for (uint32_t i = 0; i < count; i++) {
        const struct orr_packet *packet = b->packet[i];
        struct orr_port *out
            = &port[orr__route_by(n, node, signs, packet, kind)];

        digest = orr__node_digest(digest, packet);
        b->out[i] = out;
        __builtin_prefetch(&out->free_at, 1);
        __builtin_prefetch(&out->bytes, 1);
    }
    node->digest = digest;
}

/* What is decided with no look at a queue is decided for all first. */
static inline void send_batch(struct orr_net *n, struct orr_lane *lane,
                              struct orr_node *node, struct batch *b,
                              uint32_t count)
{
    if (n->config->path == ORR_PATH_ecmp)
        route_batch(n, node, b, count, ORR_PATH_ecmp);
    else
        route_batch(n, node, b, count, n->config->path);
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_port *out = b->out[i];

        __builtin_prefetch(&out->ring[out->tail & (out->capacity - 1)], 1);
    }
    for (uint32_t i = 0; i < count; i++)
        orr__port_send(n, lane, b->out[i], b->packet[i], b->packet[i]->at,
                       false);
}

static void send_one_by_one(struct orr_net *n, struct orr_lane *lane,
                            struct orr_node *node, const struct batch *b,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_packet *packet = b->packet[i];

        node->digest = orr__node_digest(node->digest, packet);
        orr__port_pass(n, lane, &n->port[orr__route(n, node, packet)], packet,
                       packet->at, false);
    }
}

int64_t orr__switch_run(struct orr_net *n, struct orr_lane *lane,
                        struct orr_process *p, int64_t end)
{
    struct orr_node *node = &n->node[p->node];
    struct orr_merge m;
    struct batch b;
    int64_t last = -1;

    orr__merge_begin(&m, n, p, end);
    while (m.first != ORR_MERGE_NONE) {
        uint32_t count = fill(n, &m, &b, false);

        assert(b.packet[0]->at >= last); /* time never goes back */
        last = b.packet[count - 1]->at;
        lane->events += count;
        if (n->blind)
            send_batch(n, lane, node, &b, count);
        else
            send_one_by_one(n, lane, node, &b, count);
    }
    if (last > lane->last_event)
        lane->last_event = last;
    return orr__merge_end(&m, n, p);
}

/* Deals with what a port has to do before `end`. m: the node's memory, if ports
 * are counted. */
static inline void catch_up(struct orr_net *n, struct orr_lane *lane,
                            struct orr_memory *m, uint32_t link, int64_t end)
{
    struct orr_queue *q = n->queue[link];

    if (!q->busy || q->busy_until >= end)
        return;
    if (q->simple && !q->waiting)
        orr__smooth_last(n, lane, &n->port[link], q, NULL, true);
    else if (q->plain && (q->simple || orr__is_smooth(q)))
        orr__plain_drain(n, lane, &n->port[link], q, m, end - 1);
    else
        orr__port_catch_up(n, lane, q, link, end);
}

/* The same of all ports of a node. Returns the next departure, no later than
 * `next`. */
static int64_t catch_up_all(struct orr_net *n, struct orr_lane *lane,
                            const struct orr_process *p, int64_t end,
                            int64_t next)
{
    const struct orr_graph *g = n->graph;
    struct orr_memory *m
        = p->may_connect ? orr__memory_of(n, p->node) : NULL;

    for (uint32_t i = g->out_off[p->node]; i < g->out_off[p->node + 1]; i++) {
        const struct orr_queue *q = n->queue[g->out_link[i]];

        catch_up(n, lane, m, g->out_link[i], end);
        if (q->busy && q->busy_until < next)
            next = q->busy_until;
    }
    return next;
}

/* What may be decided on before any is sent: ports and their queues, brought
 * near; for others the queue is NULL: kinds `late`. What may be put back on its
 * link is decided on early only if that leaves no trace. */
static inline __attribute__((always_inline)) void
route_early(struct orr_net *n, struct orr_node *node, struct batch *b,
            uint32_t count, uint32_t late, enum orr_path_kind kind)
{
    struct orr_signs signs = orr__signs(n, node);
    struct orr_queue **queue = n->queue;
    struct orr_port *port = n->port;

    for (uint32_t i = 0; i < count; i++) {
        const struct orr_packet *packet = b->packet[i];
        uint32_t link;

        if (packet->dst_kind & (late | ORR_PACKET_TELEMETRY)) {
            if (packet->dst_kind & ORR_PACKET_TELEMETRY)
                __builtin_prefetch(orr__telemetry(n, packet->aux), 1);
            b->out[i] = NULL;
            b->queue[i] = NULL;
            if (packet->dst_kind & late)
                continue;
        }
        link = orr__route_by(n, node, signs, packet, kind);
        b->out[i] = &port[link];
        b->queue[i] = queue[link];
        __builtin_prefetch(b->queue[i], 1);
        __builtin_prefetch(&port[link].free_at, 1);
        __builtin_prefetch(&port[link].bytes, 1);
    }
}

static void route_all(struct orr_net *n, const struct orr_process *p,
                      struct orr_node *node, struct batch *b, uint32_t count)
{
    uint32_t late = ORR_PACKET_PAUSE | (p->may_connect ? ORR_PACKET_ROUTED : 0);

    if (n->blind && n->config->path == ORR_PATH_ecmp)
        route_early(n, node, b, count, late, ORR_PATH_ecmp);
    else if (n->blind && !p->may_connect)
        route_early(n, node, b, count, late, n->config->path);
    else
        for (uint32_t i = 0; i < count; i++) {
            b->out[i] = NULL;
            b->queue[i] = NULL;
        }
}

/* A pause frame has come, for the port that leads back. */
static void pause(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                  const struct orr_packet *p)
{
    uint32_t back = orr__reverse(n, link);

    orr__port_catch_up(n, lane, n->queue[back], back, p->at + 1);
    orr__pfc_arrival(n, lane, link, p);
}

/* May this one be sent although departures of other ports were not dealt with
 * up to its time? They are if in doubt. m: the node's memory. */
static inline bool stays_calm(struct orr_net *n, struct orr_lane *lane,
                              const struct orr_process *p,
                              const struct orr_memory *m, uint32_t link,
                              const struct orr_packet *packet)
{
    if (__builtin_expect(orr__memory_has(n, m, link, packet), 1))
        return true;
    catch_up_all(n, lane, p, packet->at + 1, ORR_NEVER);
    return orr__memory_rests(n, p->node)
           && orr__memory_has(n, m, link, packet);
}

/* A packet goes to a port that is not plain, which is brought up to its
 * time. */
static __attribute__((noinline)) void
send_behind(struct orr_net *n, struct orr_lane *lane, struct orr_port *out,
            struct orr_queue *q, const struct orr_packet *packet)
{
    orr__port_catch_up(n, lane, q, out->id, packet->at + 1);
    orr__port_send_slow(n, lane, out, packet, packet->at, false);
}

/* Ports are brought up to a packet's time before it is sent, or know as much
 * of it as has to be known (smooth.h). q: of `out`, or NULL: it is not decided
 * yet where the packet goes. m: the node's memory; NULL: none is shared, and
 * nobody is told to pause. */
static inline __attribute__((always_inline)) void
send_caught_up(struct orr_net *n, struct orr_lane *lane,
               struct orr_node *node, struct orr_memory *m, uint32_t in,
               const struct orr_packet *packet, struct orr_port *out,
               struct orr_queue *q)
{
    lane->ingress = in;
    if (!q) {
        if (packet->dst_kind & ORR_PACKET_PAUSE) {
            pause(n, lane, in, packet);
            return;
        }
        out = &n->port[orr__route(n, node, packet)];
        q = n->queue[out->id];
    }
    if (!q->plain)
        send_behind(n, lane, out, q, packet);
    else if (q->simple)
        orr__smooth_pass(n, lane, out, q, NULL, in, packet, true,
                         n->telemetry_room);
    else if (m && orr__is_smooth(q))
        orr__smooth_pass(n, lane, out, q, m, in, packet, false,
                         n->telemetry_room);
    else
        orr__plain_pass(n, lane, out, q, m, packet);
}

static __attribute__((noinline)) void
send_other(struct orr_net *n, struct orr_lane *lane, struct orr_node *node,
           const struct orr_merge *from, const struct batch *b, uint32_t i)
{
    send_caught_up(n, lane, node, NULL, from->link[b->lane[i]].id,
                   b->packet[i], b->out[i], b->queue[i]);
}

/* Sends all, where no memory is shared. looks: packets have telemetry. */
static inline __attribute__((always_inline)) void
send_freely(struct orr_net *n, struct orr_lane *lane, struct orr_node *node,
            const struct orr_merge *from, const struct batch *b,
            uint32_t count, bool looks)
{
    uint64_t digest = node->digest;

    for (uint32_t i = 0; i < count; i++) {
        const struct orr_packet *packet = b->packet[i];
        struct orr_queue *q = b->queue[i];

        digest = orr__node_digest(digest, packet);
        if (q && q->simple)
            orr__smooth_pass(n, lane, b->out[i], q, NULL, 0, packet, true,
                             looks);
        else
            send_other(n, lane, node, from, b, i);
    }
    node->digest = digest;
}

/* The same where memory is shared. Returns how many were sent: not all if it
 * gets short. */
static uint32_t send_sharing(struct orr_net *n, struct orr_lane *lane,
                             struct orr_process *p,
                             const struct orr_merge *from,
                             const struct batch *b, uint32_t count)
{
    struct orr_node *node = &n->node[p->node];
    struct orr_memory *m = orr__memory_of(n, p->node);

    for (uint32_t i = 0; i < count; i++) {
        const struct orr_packet *packet = b->packet[i];
        uint32_t in = from->link[b->lane[i]].id;

        if (!stays_calm(n, lane, p, m, in, packet))
            return i;
        node->digest = orr__node_digest(node->digest, packet);
        send_caught_up(n, lane, node, m, in, packet, b->out[i], b->queue[i]);
    }
    return count;
}

/* Returns how many were sent. */
static uint32_t send_all(struct orr_net *n, struct orr_lane *lane,
                         struct orr_process *p, const struct orr_merge *from,
                         struct batch *b, uint32_t count)
{
    struct orr_node *node = &n->node[p->node];

    route_all(n, p, node, b, count);
    if (p->may_connect)
        return send_sharing(n, lane, p, from, b, count);
    if (n->telemetry_room)
        send_freely(n, lane, node, from, b, count, true);
    else
        send_freely(n, lane, node, from, b, count, false);
    return count;
}

static void set_catching_up(struct orr_net *n, struct orr_process *p, bool on)
{
    const struct orr_graph *g = n->graph;

    p->catches_up = on;
    p->block = on ? NULL : p->blocks_kept;
    orr__memory_of(n, p->node)->alert = !on;
    for (uint32_t i = g->out_off[p->node]; i < g->out_off[p->node + 1]; i++) {
        struct orr_queue *q = n->queue[g->out_link[i]];

        q->caught_up = on;
        p->at[q->slot] = q->busy && !on ? q->busy_until : ORR_NEVER;
    }
}

void orr__process_part(struct orr_net *n, struct orr_process *p)
{
    set_catching_up(n, p, true);
}

void orr__process_connect(struct orr_net *n, struct orr_process *p)
{
    set_catching_up(n, p, false);
    for (uint32_t i = 0; p->block && i < p->sources; i++)
        orr__source_set(p, i, p->at[i]);
}

/* Puts back on their links what was taken off them last. */
static void put_back(struct orr_net *n, struct orr_process *p,
                     const struct orr_merge *m, const struct batch *b,
                     uint32_t from, uint32_t count)
{
    while (count-- > from) {
        struct orr_port *in = &n->port[m->link[b->lane[count]].id];

        in->head--;
        p->at[in->slot] = b->packet[count]->at;
    }
}

int64_t orr__switch_catch_up(struct orr_net *n, struct orr_lane *lane,
                             struct orr_process *p, int64_t end)
{
    struct orr_merge m;
    struct batch b;
    int64_t last = -1;

    orr__merge_begin(&m, n, p, end);
    while (m.first != ORR_MERGE_NONE) {
        uint32_t count = fill(n, &m, &b, true), sent;

        assert(b.packet[0]->at >= last); /* time never goes back */
        sent = send_all(n, lane, p, &m, &b, count);
        lane->events += sent;
        if (sent > 0)
            last = b.packet[sent - 1]->at;
        if (sent < count) {
            orr__merge_end(&m, n, p);
            put_back(n, p, &m, &b, sent, count);
            orr__process_connect(n, p);
            break;
        }
    }
    if (last > lane->last_event)
        lane->last_event = last;
    if (!p->catches_up)
        return last;
    return catch_up_all(n, lane, p, end, orr__merge_end(&m, n, p));
}
