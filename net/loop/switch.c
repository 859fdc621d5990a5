/* The packet path proper: a switch that only has arrivals, because departures
 * of its ports are computed, or caught up with. The general loop of node.c does
 * the same, and minds departures and timers as well.
 *
 * It takes packets off its links, looks up where they go, and sends them in
 * order (merge.h), so that the lines of ports come from memory while others are
 * at work. */
#include <assert.h>

#include "core/assert.h"
#include "core/fingerprint.h"
#include "net/fabric/process.h"
#include "net/loop/caught_up.h"
#include "net/loop/merge.h"
#include "net/loop/node.h"
#include "net/loop/ties.h"
#include "net/port/buffer.h"
#include "net/port/composite.h"
#include "net/port/pfc.h"
#include "net/port/port.h"
#include "net/port/single_queue.h"
#include "net/tree/tree.h"

/* A slice, by the place that merge.h gave each packet. */
struct batch {
    struct orr_port *out[ORR_MERGE_ROOM];    /* NULL: not decided yet */
    struct orr_queue *queue[ORR_MERGE_ROOM]; /* of `out`, if it is explicit */
    struct orr_signs signs;                  /* of the node */
    uint8_t order[ORR_MERGE_ROOM];           /* places, in order of arrival */
    uint8_t tied[ORR_MERGE_ROOM];            /* the same of one bucket */
    struct orr_packet own[ORR_MERGE_ROOM];   /* copies: orr__route_taken */
};

/* Lots are drawn for these packets. */
static void note_ties(struct orr_net *n, const struct orr_merge *m,
                      const uint8_t *tied, uint32_t count)
{
    const struct orr_packet *packet[ORR_MERGE_LINKS];
    uint32_t link[ORR_MERGE_LINKS];

    for (uint32_t i = 0; i < count; i++) {
        packet[i] = m->packet[tied[i]];
        link[i] = m->link[m->lane[tied[i]]].id;
    }
    orr__random_ties_used(n, link, packet, count);
}

/* Packets that arrive at `now`, of a link one at most, the last link's first,
 * in order of a hash; of equal ones the first link's goes first. */
static inline __attribute__((always_inline)) void shuffle_by(
    const struct orr_net *n, const struct orr_merge *m, int64_t now,
    uint8_t *tied, uint32_t count,
    uint64_t (*hash_of)(const struct orr_net *n, uint32_t link, int64_t now))
{
    uint64_t tie[ORR_MERGE_LINKS];

    ORR_ASSERT(count <= m->count);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t place = tied[i];
        uint64_t hash = hash_of(n, m->link[m->lane[place]].id, now);
        uint32_t k = i;

        for (; k > 0 && tie[k - 1] >= hash; k--) {
            tie[k] = tie[k - 1];
            tied[k] = tied[k - 1];
        }
        tie[k] = hash;
        tied[k] = place;
    }
}

static __attribute__((cold, noinline)) void shuffle_counted(
    struct orr_net *n, const struct orr_merge *m, int64_t now, uint8_t *tied,
    uint32_t count)
{
    shuffle_by(n, m, now, tied, count, orr__tie_counted);
    note_ties(n, m, tied, count);
}

static __attribute__((noinline)) void shuffle(struct orr_net *n,
                                              const struct orr_merge *m,
                                              int64_t now, uint8_t *tied,
                                              uint32_t count)
{
    if (__builtin_expect(n->counts_ties, 0))
        shuffle_counted(n, m, now, tied, count);
    else
        shuffle_by(n, m, now, tied, count, orr__tie_of);
}

/* Packets of a bucket in order of time, which `at` says of each. What is as
 * early as others stays as it was if it is shuffled then, else turns round. */
static void sort_by_time(uint8_t *order, int64_t *at, uint32_t count,
                         bool shuffled)
{
    for (uint32_t i = 1; i < count; i++) {
        uint8_t place = order[i];
        int64_t time = at[i];
        uint32_t k = i;

        for (; k > 0 && at[k - 1] >= time + shuffled; k--) {
            at[k] = at[k - 1];
            order[k] = order[k - 1];
        }
        at[k] = time;
        order[k] = place;
    }
}

/* The packets of a bucket with several, of which `last` came in last, in order
 * of time. Returns how many. */
static __attribute__((noinline)) uint32_t sort_bucket(struct orr_net *n,
                                                      const struct orr_merge *m,
                                                      uint8_t last,
                                                      uint8_t *order)
{
    bool shuffled = n->config->ties == ORR_TIES_SHUFFLED;
    int64_t at[ORR_MERGE_ROOM], now = m->packet[last]->at, differ = 0;
    uint8_t other = m->before[last];
    uint32_t count = 0;

    if (m->before[other] == ORR_MERGE_NONE && m->packet[other]->at != now) {
        bool later = m->packet[other]->at > now; /* two, as most often */

        order[later] = other;
        order[!later] = last;
        return 2;
    }
    /* They came in lane by lane. The last one that is left is the first of
     * those that were not looked at, and goes before what is as early. */
    for (uint8_t i = last; i != ORR_MERGE_NONE; i = m->before[i]) {
        order[count] = i;
        at[count] = m->packet[i]->at;
        differ |= at[count] ^ now;
        count++;
    }
    if (!differ && shuffled) { /* as with traffic in lockstep */
        shuffle(n, m, now, order, count);
        return count;
    }
    sort_by_time(order, at, count, shuffled);
    for (uint32_t i = 0, end; shuffled && i < count; i = end) {
        for (end = i + 1; end < count && at[end] == at[i];)
            end++;
        if (end - i > 1)
            shuffle(n, m, at[i], order + i, end - i);
    }
    return count;
}

/* What is done with a packet whose turn it is, by its place. */
typedef void deal(void *context, uint8_t place);

/* Deals with what is in the buckets, in order. */
static inline __attribute__((always_inline)) void deal_buckets(
    struct orr_net *n, const struct orr_merge *m, struct batch *b, deal *with,
    void *context)
{
    for (uint32_t word = 0; word < ORR_MERGE_BUCKETS / 64; word++)
        for (uint64_t busy = m->busy[word]; busy; busy &= busy - 1) {
            const uint8_t *last = m->last + 64 * word;
            uint8_t i = last[(unsigned)__builtin_ctzll(busy)];
            uint32_t count;

            if (__builtin_expect(m->before[i] == ORR_MERGE_NONE, 1)) {
                with(context, i);
                continue;
            }
            count = sort_bucket(n, m, i, b->tied);
            for (uint32_t k = 0; k < count; k++)
                with(context, b->tied[k]);
        }
}

/* ---- where packets go, before they are sent ---- */

/* What the loop over packets needs, in one line of the cache. */
struct transit {
    struct orr_net *net;
    struct orr_port *port;    /* the net's */
    struct orr_queue **queue; /* likewise */
    struct orr_node *node;
    struct batch *batch;
    bool late; /* some packets were left out */
};

#define PART static inline __attribute__((always_inline))

PART struct transit transit_of(struct orr_net *n, struct orr_node *node,
                               struct batch *b)
{
    b->signs = orr__signs_of(n, node);
    return (struct transit){n, n->port, n->queue, node, b, false};
}

PART void bring_near(struct batch *b, uint32_t i, struct orr_port *out)
{
    b->out[i] = out;
    __builtin_prefetch(&out->free_at, 1);
}

PART void see_packet(void *context, const struct orr_packet *p, uint32_t i)
{
    struct transit *w = context;

    if (__builtin_expect(p->dst_kind & ORR_PACKET_LATE, 0)) {
        w->batch->out[i] = NULL;
        w->late = true;
        return;
    }
    bring_near(w->batch, i, &w->port[orr__route_ecmp(&w->batch->signs, p)]);
}

/* What says where it goes, where that may have to come from memory. */
PART void see_sign(void *context, const struct orr_packet *p, uint32_t i)
{
    struct transit *w = context;
    const struct orr_signs *signs = &w->batch->signs;

    w->late |= (p->dst_kind & ORR_PACKET_LATE) != 0;
    __builtin_prefetch(&signs->row[signs->column[orr__packet_dst(p)]]);
}

/* Takes a slice, where memory is far: for all of its packets one thing after
 * another is asked for before the first is needed. *late: some were left
 * out. */
static __attribute__((noinline)) uint32_t fill_from_afar(struct orr_net *n,
                                                         struct orr_node *node,
                                                         struct orr_merge *m,
                                                         struct batch *b,
                                                         bool *late)
{
    struct transit transit = {n,    n->port, n->queue,
                              node, b,       false}; /* b has signs */
    uint32_t count = orr__merge_fill(m, see_sign, &transit);

    for (uint32_t i = 0; i < count; i++)
        see_packet(&transit, m->packet[i], i);
    for (uint32_t i = 0; i < count; i++)
        if (b->out[i])
            __builtin_prefetch(orr__port_slot(b->out[i], b->out[i]->tail), 1);
    *late = transit.late;
    return count;
}

/* The same where ports are explicit. The one that leads nowhere is not. */
PART void see_queue(void *context, const struct orr_packet *p, uint32_t i)
{
    struct transit *w = context;
    uint32_t link = orr__nowhere(w->net);

    if (__builtin_expect(!(p->dst_kind & ORR_PACKET_LATE), 1))
        link =
            orr__route_by(w->net, w->node, w->batch->signs, p, ORR_PATH_ecmp);
    if (__builtin_expect(link == orr__nowhere(w->net), 0)) {
        w->batch->out[i] = NULL;
        w->batch->queue[i] = NULL;
        w->late = true;
        return;
    }
    if (p->dst_kind & ORR_PACKET_TELEMETRY)
        __builtin_prefetch(orr__telemetry(w->net, p->aux), 1);
    w->batch->queue[i] = w->queue[link];
    __builtin_prefetch(w->queue[link], 1);
    __builtin_prefetch(&w->port[link].packets, 1);
    bring_near(w->batch, i, &w->port[link]);
}

PART void see_nothing(void *context, const struct orr_packet *p, uint32_t i)
{
    ((struct batch *)context)->out[i] = NULL;
    ((struct batch *)context)->queue[i] = NULL;
}

/* A batch while it is filled. */
struct line {
    struct batch *batch;
    uint32_t count;
};

PART void line_up(void *context, uint8_t place)
{
    struct line *l = context;

    l->batch->order[l->count++] = place;
}

/* Fills batch->order. */
static __attribute__((noinline)) void line_all_up(struct orr_net *n,
                                                  const struct orr_merge *m,
                                                  struct batch *b)
{
    struct line line = {.batch = b};

    deal_buckets(n, m, b, line_up, &line);
}

/* What composite ports need; NULL: it is computed. */
PART void bring_queue_near(const struct orr_queue *q)
{
    if (!q)
        return;
    __builtin_prefetch(q, 1);
    __builtin_prefetch(&q->serving, 1);
    __builtin_prefetch(&q->limits);
}

PART void bring_fifos_near(const struct orr_queue *q)
{
    __builtin_prefetch(q->fifo, 1);
    __builtin_prefetch(q->fifo + 1, 1);
}

/* Takes a slice of what is left, in order. Returns how many there are. stays:
 * nothing may be decided that leaves a trace. */
static uint32_t fill_batch(struct orr_net *n, struct orr_node *node,
                           struct orr_merge *m, struct batch *b, bool stays)
{
    struct transit transit = transit_of(n, node, b);
    uint32_t count;

    if (n->config->path == ORR_PATH_ecmp)
        count = orr__merge_fill(m, see_queue, &transit);
    else
        count = orr__merge_fill(m, see_nothing, b);
    line_all_up(n, m, b);
    if (!n->blind || n->config->path == ORR_PATH_ecmp || stays)
        return count;
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_packet *p = m->packet[b->order[i]];

        uint32_t link;

        if (p->dst_kind & ORR_PACKET_PAUSE
            || orr__packet_dst(p) == ORR_PACKET_TREE)
            continue;
        link = orr__route_taken(n, node, &p, &b->own[b->order[i]]);
        m->packet[b->order[i]] = p;
        b->queue[b->order[i]] = n->queue[link];
        bring_queue_near(n->queue[link]);
        __builtin_prefetch(&n->port[link].packets, 1);
        bring_near(b, b->order[i], &n->port[link]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_queue *q = b->queue[b->order[i]];

        if (q && q->composite)
            bring_fifos_near(q);
    }
    return count;
}

/* ---- computed ports ---- */

/* Who deals with packets as their turn comes. */
struct passing {
    struct orr_net *net;
    struct orr_lane *lane;
    struct orr_node *node;
    const struct orr_merge *from;
    const struct batch *batch;
    uint64_t digest; /* of the node */
    int64_t last;    /* arrival */
};

PART void pass_packet(struct passing *t, const struct orr_packet *p,
                      struct orr_port *out)
{
    t->digest = orr__node_digest(t->digest, p);
    t->last = p->at;
    orr__port_send(t->net, t->lane, out, p, p->at, false);
}

static __attribute__((noinline)) void send_on_tree(struct passing *t,
                                                   const struct orr_packet *p)
{
    t->digest = orr__node_digest(t->digest, p);
    t->last = p->at;
    orr__tree_switch(t->net, t->lane, t->node->path.node, p, p->at, ORR_NONE);
}

PART void send_packet(struct passing *t, uint8_t place, bool late)
{
    const struct orr_packet *p = t->from->packet[place];
    struct orr_port *out = t->batch->out[place];
    struct orr_packet own;

    if (late && !out) {
        if (orr__packet_dst(p) == ORR_PACKET_TREE) {
            send_on_tree(t, p);
            return;
        }
        out = &t->net->port[orr__route_taken(t->net, t->node, &p, &own)];
    }
    pass_packet(t, p, out);
}

PART void send_on(void *context, uint8_t place)
{
    send_packet(context, place, false);
}

/* Where packets are routed one by one. */
static __attribute__((noinline)) struct passing send_in_order(struct passing t,
                                                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        send_packet(&t, t.batch->order[i], true);
    return t;
}

/* Where many links have something. */
static __attribute__((noinline)) int64_t run_many(struct orr_net *n,
                                                  struct orr_lane *lane,
                                                  struct orr_process *p,
                                                  const struct orr_due *due,
                                                  int64_t end)
{
    struct orr_node *node = &n->node[p->node];
    int64_t before = -1;
    struct orr_merge m;
    struct batch b;
    struct transit transit = transit_of(n, node, &b);
    struct passing passing = {n, lane, node, &m, &b, node->digest, -1};

    orr__merge_begin(&m, n, p, due, end);
    for (; m.next < end; before = passing.last) {
        uint32_t count;

        if (n->config->path != ORR_PATH_ecmp || !node->row) {
            count = fill_batch(n, node, &m, &b, false);
            passing = send_in_order(passing, count);
        } else {
            if (n->far)
                count = fill_from_afar(n, node, &m, &b, &transit.late);
            else
                count = orr__merge_fill(&m, see_packet, &transit);
            if (__builtin_expect(!transit.late, 1)) {
                deal_buckets(n, &m, &b, send_on, &passing);
            } else {
                line_all_up(n, &m, &b);
                passing = send_in_order(passing, count);
            }
        }
        lane->events += count;
        assert(passing.last >= before); /* time never goes back */
    }
    node->digest = passing.digest;
    if (passing.last > lane->last_event)
        lane->last_event = passing.last;
    return orr__merge_end(&m, p);
}

int64_t orr__switch_run(struct orr_net *n, struct orr_lane *lane,
                        struct orr_process *p, int64_t end)
{
    struct orr_due due;

    orr__due_find(&due, p, end);
    p->dense = due.count > ORR_SPARSE_LINKS;
    if (due.count == 0)
        return due.after;
    return p->dense ? run_many(n, lane, p, &due, end)
                    : orr__sparse_run(n, lane, p, &due, end);
}

/* Deals with what a port has to do before `end`. m: the node's memory, if ports
 * are counted. */
static inline void catch_up(struct orr_net *n, struct orr_lane *lane,
                            struct orr_memory *m, uint32_t link, int64_t end)
{
    struct orr_queue *q = n->queue[link];

    if (!q->busy || q->busy_until >= end)
        return;
    if (q->bare && !q->waiting)
        orr__unhindered_send_last(
            (struct orr_single_queue){n, lane, &n->port[link], q, NULL}, true);
    else if (q->composite)
        orr__composite_drain(n, lane, &n->port[link], q, end - 1);
    else if (q->single && (q->bare || orr__is_unhindered(q)))
        orr__single_queue_drain(n, lane, &n->port[link], q, m, end - 1);
    else
        orr__port_catch_up(n, lane, q, link, end);
}

int64_t orr__departures(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_process *p, int64_t end, int64_t next)
{
    const struct orr_graph *g = n->graph;
    struct orr_memory *m = p->may_connect ? orr__memory_of(n, p->node) : NULL;

    for (uint32_t i = g->out_off[p->node]; i < g->out_off[p->node + 1]; i++) {
        const struct orr_queue *q = n->queue[g->out_link[i]];

        catch_up(n, lane, m, g->out_link[i], end);
        if (q->busy && q->busy_until < next)
            next = q->busy_until;
    }
    return next;
}

static __attribute__((noinline)) void send_other(
    struct orr_net *n, struct orr_lane *lane, struct orr_node *node,
    const struct orr_merge *from, const struct batch *b, uint8_t place)
{
    orr__caught_up_send(n, lane, node, NULL, from->link[from->lane[place]].id,
                        from->packet[place], b->out[place], b->queue[place]);
}

/* Where no memory is shared. bare: so are all ports, and all packets' are
 * known; looks: packets have telemetry. */
PART void send_freely(struct passing *t, uint8_t place, bool bare,
                      bool observed)
{
    const struct orr_packet *p = t->from->packet[place];
    struct orr_queue *q = t->batch->queue[place];

    t->digest = orr__node_digest(t->digest, p);
    t->last = p->at;
    if (bare || (q && q->bare))
        orr__unhindered_pass((struct orr_single_queue){t->net, t->lane,
                                                       t->batch->out[place], q,
                                                       NULL},
                             0, p, true, observed);
    else if (q && q->composite)
        orr__composite_pass(t->net, t->lane, t->batch->out[place], q,
                            t->from->link[t->from->lane[place]].id, p);
    else
        send_other(t->net, t->lane, t->node, t->from, t->batch, place);
}

PART void send_looking(void *context, uint8_t place)
{
    send_freely(context, place, true, true);
}

PART void send_blindly(void *context, uint8_t place)
{
    send_freely(context, place, true, false);
}

static __attribute__((noinline)) struct passing send_freely_in_order(
    struct passing t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        send_freely(&t, t.batch->order[i], false, t.net->telemetry_room);
    return t;
}

/* Takes a slice of what is left, and sends it; no memory is shared. bare: so
 * are all ports. */
PART void pass_slice(struct passing *t, struct orr_merge *m, struct batch *b,
                     bool bare)
{
    struct orr_net *n = t->net;
    struct transit transit = transit_of(n, t->node, b);
    uint32_t count;

    if (n->config->path != ORR_PATH_ecmp) {
        count = fill_batch(n, t->node, m, b, false);
        *t = send_freely_in_order(*t, count);
    } else {
        count = orr__merge_fill(m, see_queue, &transit);
        if (transit.late || !bare) {
            line_all_up(n, m, b);
            *t = send_freely_in_order(*t, count);
        } else if (n->telemetry_room) {
            deal_buckets(n, m, b, send_looking, t);
        } else {
            deal_buckets(n, m, b, send_blindly, t);
        }
    }
    t->lane->events += count;
}

/* The same where memory is shared. Returns how many were sent: not all if it
 * gets short; *count: of so many. */
static uint32_t share_slice(struct passing *t, struct orr_process *p,
                            struct orr_merge *m, struct batch *b,
                            uint32_t *count)
{
    struct orr_net *n = t->net;
    struct orr_memory *memory = orr__memory_of(n, p->node);
    uint32_t i;

    *count = fill_batch(n, t->node, m, b, true);
    for (i = 0; i < *count; i++) {
        const struct orr_packet *packet = m->packet[b->order[i]];
        uint32_t in = m->link[m->lane[b->order[i]]].id;

        if (!orr__stays_calm(n, t->lane, p, memory, in, packet))
            break;
        t->digest = orr__node_digest(t->digest, packet);
        t->last = packet->at;
        orr__caught_up_send(n, t->lane, t->node, memory, in, packet,
                            b->out[b->order[i]], b->queue[b->order[i]]);
    }
    t->lane->events += i;
    return i;
}

/* Between the two ways to handle departures; at the change all ports' next
 * departures are put where the other way looks. */
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
    orr__process_reblock(p);
}

/* Puts back on their links what was taken off them last. */
static void put_back(struct orr_process *p, const struct orr_merge *m,
                     const struct batch *b, uint32_t from, uint32_t count)
{
    while (count-- > from) {
        uint8_t place = b->order[count];
        const struct orr_merge_link *l = &m->link[m->lane[place]];

        l->in->head--;
        p->at[l->slot] = m->packet[place]->at;
    }
}

/* Where many links have something. Returns the next arrival; if it catches up
 * no longer, when the last was. */
static __attribute__((noinline)) int64_t catch_up_many(
    struct orr_net *n, struct orr_lane *lane, struct orr_process *p,
    const struct orr_due *due, int64_t end)
{
    struct orr_node *node = &n->node[p->node];
    int64_t before = -1;
    struct orr_merge m;
    struct batch b;
    struct passing passing = {n, lane, node, &m, &b, node->digest, -1};

    orr__merge_begin(&m, n, p, due, end);
    for (; m.next < end && p->catches_up; before = passing.last) {
        uint32_t count, sent;

        if (!p->may_connect) {
            pass_slice(&passing, &m, &b,
                       p->bare && !orr__observers_see_packets(n));
        } else if ((sent = share_slice(&passing, p, &m, &b, &count)) < count) {
            orr__merge_end(&m, p);
            put_back(p, &m, &b, sent, count);
            orr__process_connect(n, p);
        }
        assert(passing.last >= before); /* time never goes back */
    }
    node->digest = passing.digest;
    if (passing.last > lane->last_event)
        lane->last_event = passing.last;
    return p->catches_up ? orr__merge_end(&m, p) : passing.last;
}

int64_t orr__switch_catch_up(struct orr_net *n, struct orr_lane *lane,
                             struct orr_process *p, int64_t end)
{
    struct orr_due due;
    int64_t next;

    orr__due_find(&due, p, end);
    p->dense = due.count > ORR_SPARSE_LINKS;
    next = due.after;
    if (p->dense)
        next = catch_up_many(n, lane, p, &due, end);
    else if (due.count)
        next = orr__sparse_catch_up(n, lane, p, &due, end);
    return p->catches_up ? orr__departures(n, lane, p, end, next) : next;
}
