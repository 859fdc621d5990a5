#include "formats/chakra/order.h"

#include <inttypes.h>

#include "core/assert.h"
#include "core/heap.h"
#include "core/memory.h"

/* What going through the nodes needs; arrays are freed after it. */
struct order {
    const struct orr_chakra_node *node;
    uint32_t *off, *next, *left;
    uint32_t *ready, n_ready; /* a heap of nodes that wait for none */
    uint64_t *until, *chain;  /* per node: longest path to its start */
};

static inline uint32_t ready_count(const struct order *o)
{
    return o->n_ready;
}
static inline uint32_t ready_at(const struct order *o, uint32_t place)
{
    return o->ready[place];
}
static inline void ready_settle(const struct order *o, uint32_t node,
                                uint32_t place)
{
    o->ready[place] = node;
}
static inline bool ready_sooner(const struct order *o, uint32_t a, uint32_t b)
{
    return o->node[a].id < o->node[b].id;
}
ORR_HEAP(ready, const struct order *, uint32_t, 4)

static void add_ready(struct order *o, uint32_t node)
{
    ready_rise(o, node, o->n_ready++);
}

static uint32_t take_ready(struct order *o)
{
    ORR_ASSERT(o->n_ready > 0);
    uint32_t first = o->ready[0], last = o->ready[--o->n_ready];
    if (o->n_ready)
        ready_sink(o, last, 0);
    return first;
}

/* Goes through the graph in order, of ready nodes the lowest number first: a
 * circle shows, and the longest chain of durations. */
static orr_err visit_nodes(struct orr_chakra *c, struct order *o,
                           struct orr_report *why)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->edges; i++) {
        o->off[c->edge[i].before + 1]++;
        o->left[c->edge[i].after]++;
    }
    for (uint32_t i = 0; i < c->nodes; i++)
        o->off[i + 1] += o->off[i];
    for (uint32_t i = c->edges; i-- > 0;)
        o->next[--o->off[c->edge[i].before + 1]] = c->edge[i].after;
    ORR_ASSERT(o->off[1] == 0); /* node i's begin at off[i + 1] now */
    for (uint32_t i = 0; i < c->nodes; i++)
        if (o->left[i] == 0)
            add_ready(o, i);
    while (o->n_ready) {
        uint32_t at = c->order[n++] = take_ready(o);
        uint64_t until;
        if (__builtin_add_overflow(o->until[at], c->node[at].duration_us,
                                   &until))
            until = UINT64_MAX; /* longer than anything that can be told */
        if (until >= c->critical_us) {
            c->critical_us = until;
            c->critical_nodes = o->chain[at] + 1;
        }
        uint32_t end = at + 1 < c->nodes ? o->off[at + 2] : c->edges;
        for (uint32_t e = o->off[at + 1]; e < end; e++) {
            uint32_t to = o->next[e];
            if (until >= o->until[to]) {
                o->until[to] = until;
                o->chain[to] = o->chain[at] + 1;
            }
            if (--o->left[to] == 0)
                add_ready(o, to);
        }
    }
    ORR_ASSERT(n <= c->nodes);
    for (uint32_t i = 0; n < c->nodes && i < c->nodes; i++)
        if (o->left[i])
            return orr__fail_at(why, ORR_ECONFIG, c->file, 0, 0,
                                "dependencies go in a circle: node %" PRIu64 " "
                                "waits for itself",
                                c->node[i].id);
    return ORR_OK;
}

orr_err orr__chakra_put_in_order(struct orr_chakra *c, struct orr_report *why)
{
    struct order o = {
        .node = c->node,
        .off = orr__alloc(c->nodes + (size_t)2, sizeof *o.off),
        .next = orr__alloc(c->edges, sizeof *o.next),
        .left = orr__alloc(c->nodes, sizeof *o.left),
        .ready = orr__alloc(c->nodes, sizeof *o.ready),
        .until = orr__alloc(c->nodes, sizeof *o.until),
        .chain = orr__alloc(c->nodes, sizeof *o.chain),
    };
    c->order = orr__alloc(c->nodes, sizeof *c->order);
    bool ok =
        o.off && o.next && o.left && o.ready && o.until && o.chain && c->order;
    orr_err err = ok ? visit_nodes(c, &o, why) : orr__no_memory(why);
    orr__free(o.off);
    orr__free(o.next);
    orr__free(o.left);
    orr__free(o.ready);
    orr__free(o.until);
    orr__free(o.chain);
    return err;
}
