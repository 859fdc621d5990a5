/* A switch to which few of its links bring something in a window, as where
 * packets take longer than a window: the earliest of their heads goes on, and
 * then the next. To compare them costs less than buckets (merge.h). */
#include "core/assert.h"
#include "net/port/port.h"
#include "net/run/due.h"
#include "net/run/node.h"

#define PART static inline __attribute__((always_inline))

/* Who deals with packets. */
struct way {
    struct orr_net *net;
    struct orr_lane *lane;
    struct orr_node *node;
    struct orr_signs signs;
    uint64_t digest; /* of the node */
    int64_t last;    /* arrival */
    bool quick;      /* where most packets go is known by the signs alone */
};

struct head {
    int64_t at; /* ORR_NEVER: nothing more is visible */
    struct orr_inlet *in;
    uint32_t source; /* of the process */
};

static __attribute__((noinline)) struct orr_port *
find(struct way *w, const struct orr_packet **p, struct orr_packet *own)
{
    *p = orr__own_packet(*p, own);
    return &w->net->port[orr__route(w->net, w->node, *p)];
}

PART void pass(struct way *w, const struct orr_packet *p)
{
    struct orr_packet own;
    struct orr_port *out;

    w->digest = orr__node_digest(w->digest, p);
    w->last = p->at;
    if (__builtin_expect(w->quick, 1) && !(p->dst_kind & ORR_PACKET_LATE))
        out = &w->net->port[orr__route_ecmp(&w->signs, p)];
    else
        out = find(w, &p, &own);
    orr__port_send(w->net, w->lane, out, p, p->at, false);
}

/* The first packet of a link goes on. Returns when the next one comes. */
PART int64_t pass_head(struct way *w, struct orr_inlet *in)
{
    pass(w, &in->ring[in->head++ & in->mask]);
    /* beyond those visible another thread may be writing */
    return in->head == in->visible ? ORR_NEVER
                                   : in->ring[in->head & in->mask].at;
}

/* Which of these arrive now, in the order of their packets. */
static __attribute__((noinline)) void
line_up(struct orr_net *n, const struct orr_process *p, const struct head *head,
        uint32_t count, int64_t now, uint32_t *order)
{
    bool shuffled = n->config->ties == ORR_TIES_SHUFFLED;
    const struct orr_packet *packet[ORR_FEW_LINKS];
    uint32_t link[ORR_FEW_LINKS], tied = 0;
    uint64_t tie[ORR_FEW_LINKS];

    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = 0;
        uint32_t k = tied;

        if (head[i].at != now)
            continue;
        if (shuffled)
            hash = orr__tie(n, p->arrives[head[i].source - p->n_departs], now);
        for (; k > 0 && tie[k - 1] > hash; k--) {
            tie[k] = tie[k - 1];
            order[k] = order[k - 1];
        }
        tie[k] = hash;
        order[k] = i;
        tied++;
    }
    if (__builtin_expect(!shuffled || !n->chance, 1))
        return;
    for (uint32_t i = 0; i < tied; i++) {
        const struct head *h = &head[order[i]];

        packet[i] = &h->in->ring[h->in->head & h->in->mask];
        link[i] = p->arrives[h->source - p->n_departs];
    }
    orr__chance_tied(n, link, packet, tied);
}

/* All of one link. */
PART uint32_t pass_one(struct way *w, struct head *head, int64_t end)
{
    uint32_t count = 0;

    do {
        head->at = pass_head(w, head->in);
        count++;
    } while (head->at < end);
    return count;
}

PART uint32_t pass_some(struct way *w, const struct orr_process *p,
                        struct head *head, uint32_t links, int64_t end)
{
    uint32_t count = 0;

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
            return count;
        count += tied;
        if (__builtin_expect(tied == 1, 1)) {
            head[best].at = pass_head(w, head[best].in);
        } else {
            uint32_t order[ORR_FEW_LINKS] = {0};

            line_up(w->net, p, head, links, now, order);
            for (uint32_t i = 0; i < tied; i++)
                head[order[i]].at = pass_head(w, head[order[i]].in);
        }
    }
}

int64_t orr__few_run(struct orr_net *n, struct orr_lane *lane,
                     struct orr_process *p, const struct orr_due *due,
                     int64_t end)
{
    struct orr_node *node = &n->node[p->node];
    struct orr_inlet *inlet = orr__inlets(n, p);
    struct way w = {n, lane, node, orr__signs(n, node), node->digest, -1,
                    n->config->path == ORR_PATH_ecmp && node->row};
    struct head head[ORR_FEW_LINKS];
    int64_t next = due->after;
    uint32_t links = due->count;

    ORR_ASSERT(links > 0 && links <= ORR_FEW_LINKS);
    for (uint32_t i = 0; i < links; i++) {
        uint32_t source = p->n_departs + due->inlet[i];

        head[i] = (struct head){p->at[source], &inlet[due->inlet[i]], source};
    }
    lane->events += links == 1 ? pass_one(&w, head, end)
                               : pass_some(&w, p, head, links, end);
    for (uint32_t i = 0; i < links; i++) {
        p->at[head[i].source] = head[i].at;
        next = head[i].at < next ? head[i].at : next;
    }
    node->digest = w.digest;
    if (w.last > lane->last_event)
        lane->last_event = w.last;
    return next;
}
