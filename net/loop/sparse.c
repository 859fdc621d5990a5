/* A switch to which few of its links bring something in a window, as where
 * packets take longer than a window: the earliest of their heads goes on, and
 * then the next. To compare them costs less than buckets (merge.h). */
#include "core/assert.h"
#include "net/fabric/process.h"
#include "net/loop/caught_up.h"
#include "net/loop/node.h"
#include "net/loop/ties.h"
#include "net/port/port.h"
#include "net/tree/tree.h"

#define PART static inline __attribute__((always_inline))

/* What ports a switch has, known where it is compiled: with departures known
 * beforehand; explicit ones; those whose memory is shared, or who pause. */
enum sort { COMPUTED, APART, SHARED };

/* Who deals with packets. */
struct transit {
    struct orr_net *net;
    struct orr_lane *lane;
    struct orr_process *process;
    struct orr_node *node;
    struct orr_signs signs;
    struct orr_memory *memory; /* SHARED: the node's */
    uint64_t digest;           /* of the node */
    int64_t last;              /* arrival */
    bool quick; /* where most packets go is known by the signs alone */
};

/* First visible packet of one link. */
struct head {
    int64_t at; /* ORR_NEVER: nothing more is visible */
    struct orr_inlet *in;
    uint32_t source; /* of the process */
};

PART uint32_t link_of(const struct transit *w, const struct head *h)
{
    return w->process->arrives[h->source - w->process->n_departs];
}

PART const struct orr_packet *packet_of(const struct head *h)
{
    return &h->in->ring[h->in->head & h->in->mask];
}

/* NULL: it was on a tree, and is dealt with. */
static __attribute__((noinline)) struct orr_port *find_port(
    struct transit *w, const struct orr_packet **p, struct orr_packet *own)
{
    if (orr__packet_dst(*p) == ORR_PACKET_TREE) {
        orr__tree_switch(w->net, w->lane, w->node->path.node, *p, (*p)->at,
                         ORR_NONE);
        return NULL;
    }
    return &w->net->port[orr__route_taken(w->net, w->node, p, own)];
}

/* Whether the signs say where it goes. */
PART bool is_quick(const struct transit *w, const struct orr_packet *p)
{
    return __builtin_expect(w->quick, 1) && !(p->dst_kind & ORR_PACKET_LATE);
}

PART void send_computed(struct transit *w, const struct orr_packet *p)
{
    struct orr_packet own;
    struct orr_port *out;

    if (is_quick(w, p))
        out = &w->net->port[orr__route_ecmp(&w->signs, p)];
    else
        out = find_port(w, &p, &own);
    if (out)
        orr__port_send(w->net, w->lane, out, p, p->at, false);
}

static __attribute__((noinline)) void send_caught_up(struct transit *w,
                                                     const struct orr_packet *p,
                                                     uint32_t link,
                                                     struct orr_port *out,
                                                     struct orr_queue *q)
{
    orr__caught_up_send(w->net, w->lane, w->node, w->memory, link, p, out, q);
}

PART void send_explicit(struct transit *w, const struct orr_packet *p,
                        const struct head *h)
{
    struct orr_net *n = w->net;
    struct orr_port *out = NULL;
    struct orr_queue *q = NULL;

    if (is_quick(w, p)) {
        out = &n->port[orr__route_ecmp(&w->signs, p)];
        q = n->queue[out->id];
        if (q->bare) {
            orr__unhindered_pass(
                (struct orr_single_queue){n, w->lane, out, q, NULL}, 0, p, true,
                n->telemetry_room);
            return;
        }
    }
    send_caught_up(w, p, link_of(w, h), out, q);
}

/* The first packet of a link goes on. False: that may not be. */
PART bool pass_head(struct transit *w, struct head *h, enum sort sort)
{
    struct orr_inlet *in = h->in;
    const struct orr_packet *p = packet_of(h);

    if (sort == SHARED
        && !orr__stays_calm(w->net, w->lane, w->process, w->memory,
                            link_of(w, h), p))
        return false;
    in->head++;
    w->digest = orr__node_digest(w->digest, p);
    w->last = p->at;
    w->lane->events++;
    if (sort == COMPUTED)
        send_computed(w, p);
    else
        send_explicit(w, p, h);
    /* beyond those visible another thread may be writing */
    h->at = in->head == in->visible ? ORR_NEVER : packet_of(h)->at;
    return true;
}

/* Which of these arrive now, in the order of their packets; how many. */
static inline __attribute__((always_inline)) uint32_t line_up_by(
    const struct transit *w, const struct head *head, uint32_t count,
    int64_t now, uint32_t *order,
    uint64_t (*hash_of)(const struct orr_net *n, uint32_t link, int64_t now))
{
    bool shuffled = w->net->config->ties == ORR_TIES_SHUFFLED;
    uint64_t tie[ORR_SPARSE_LINKS];
    uint32_t tied = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = 0;
        uint32_t k = tied;

        if (head[i].at != now)
            continue;
        if (shuffled)
            hash = hash_of(w->net, link_of(w, &head[i]), now);
        for (; k > 0 && tie[k - 1] > hash; k--) {
            tie[k] = tie[k - 1];
            order[k] = order[k - 1];
        }
        tie[k] = hash;
        order[k] = i;
        tied++;
    }
    return tied;
}

/* line_up while ties are counted: by a hash that is the same in a net that
 * stands in for another (orr__tie_counted), and with a note of each tie that
 * lots decide. By itself, so that its arrays burden no other run. */
static __attribute__((cold, noinline)) void line_up_counted(
    const struct transit *w, const struct head *head, uint32_t count,
    int64_t now, uint32_t *order)
{
    const struct orr_packet *packet[ORR_SPARSE_LINKS];
    uint32_t link[ORR_SPARSE_LINKS];
    uint32_t tied = line_up_by(w, head, count, now, order, orr__tie_counted);

    if (w->net->config->ties != ORR_TIES_SHUFFLED)
        return;
    for (uint32_t i = 0; i < tied; i++) {
        packet[i] = packet_of(&head[order[i]]);
        link[i] = link_of(w, &head[order[i]]);
    }
    orr__random_ties_used(w->net, link, packet, tied);
}

static __attribute__((noinline)) void line_up(const struct transit *w,
                                              const struct head *head,
                                              uint32_t count, int64_t now,
                                              uint32_t *order)
{
    if (__builtin_expect(w->net->counts_ties, 0))
        line_up_counted(w, head, count, now, order);
    else
        line_up_by(w, head, count, now, order, orr__tie_of);
}

/* The same of several that arrive at once; seldom. */
static __attribute__((noinline)) bool pass_tied(struct transit *w,
                                                struct head *head,
                                                uint32_t links, int64_t now,
                                                uint32_t tied, enum sort sort)
{
    uint32_t order[ORR_SPARSE_LINKS] = {0};
    bool passed = true;

    line_up(w, head, links, now, order);
    for (uint32_t i = 0; i < tied && passed; i++)
        passed = pass_head(w, &head[order[i]], sort);
    return passed;
}

/* All that is before `end`. False: it stopped. */
PART bool pass_one(struct transit *w, struct head *head, int64_t end,
                   enum sort sort)
{
    do
        if (!pass_head(w, head, sort))
            return false;
    while (head->at < end);
    return true;
}

PART bool pass_some(struct transit *w, struct head *head, uint32_t links,
                    int64_t end, enum sort sort)
{
    for (;;) {
        uint32_t best = 0, tied = 1;
        int64_t now = head[0].at;

        for (uint32_t i = 1; i < links; i++) {
            int64_t at = head[i].at;

            tied = at < now ? 1 : tied + (at == now);
            best = at < now ? i : best;
            now = at < now ? at : now;
        }
        if (now >= end)
            return true;
        if (__builtin_expect(tied == 1, 1)
                ? !pass_head(w, &head[best], sort)
                : !pass_tied(w, head, links, now, tied, sort))
            return false;
    }
}

/* Returns the next arrival. *passed: all were before it; else the process
 * catches up no longer. */
PART int64_t run_sparse(struct transit *w, const struct orr_due *due,
                        int64_t end, enum sort sort, bool *passed)
{
    struct orr_process *p = w->process;
    struct orr_inlet *inlet = orr__inlets(w->net, p);
    struct head head[ORR_SPARSE_LINKS];
    int64_t next = due->after;
    uint32_t links = due->count;

    ORR_ASSERT(links > 0 && links <= ORR_SPARSE_LINKS);
    for (uint32_t i = 0; i < links; i++) {
        uint32_t source = p->n_departs + due->inlet[i];

        head[i] = (struct head){p->at[source], &inlet[due->inlet[i]], source};
    }
    *passed = links == 1 ? pass_one(w, head, end, sort)
                         : pass_some(w, head, links, end, sort);
    for (uint32_t i = 0; i < links; i++) {
        p->at[head[i].source] = head[i].at;
        next = head[i].at < next ? head[i].at : next;
    }
    w->node->digest = w->digest;
    if (w->last > w->lane->last_event)
        w->lane->last_event = w->last;
    return next;
}

PART struct transit transit_of(struct orr_net *n, struct orr_lane *lane,
                               struct orr_process *p)
{
    struct orr_node *node = &n->node[p->node];

    return (struct transit){
        .net = n,
        .lane = lane,
        .process = p,
        .node = node,
        .signs = orr__signs_of(n, node),
        .digest = node->digest,
        .last = -1,
        .quick = n->config->path == ORR_PATH_ecmp && node->row,
    };
}

int64_t orr__sparse_run(struct orr_net *n, struct orr_lane *lane,
                        struct orr_process *p, const struct orr_due *due,
                        int64_t end)
{
    struct transit w = transit_of(n, lane, p);
    bool passed;

    return run_sparse(&w, due, end, COMPUTED, &passed);
}

int64_t orr__sparse_catch_up(struct orr_net *n, struct orr_lane *lane,
                             struct orr_process *p, const struct orr_due *due,
                             int64_t end)
{
    struct transit w = transit_of(n, lane, p);
    bool passed;
    int64_t next;

    if (!p->may_connect)
        return run_sparse(&w, due, end, APART, &passed);
    w.memory = orr__memory_of(n, p->node);
    next = run_sparse(&w, due, end, SHARED, &passed);
    if (passed)
        return next;
    orr__process_connect(n, p);
    return w.last;
}
