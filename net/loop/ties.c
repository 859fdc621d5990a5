#include "net/loop/ties.h"

#include "net/config/config.h"
#include "net/fabric/routing.h"
#include "net/loop/node.h"
#include "net/port/buffer.h"
#include "net/port/pfc.h"
#include "net/watch/bench.h"
#include "net/watch/state.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void orr__net_random_ties_begin(struct orr_net *n)
{
    n->ties_that_matter = 0;
    n->counts_ties = true;
}

uint64_t orr__net_random_ties_end(struct orr_net *n)
{
    n->counts_ties = false;
    return n->ties_that_matter;
}

static const struct orr_packet *head_of(const struct orr_net *n, uint32_t link)
{
    const struct orr_inlet *in = orr__inlet_of(n, link);

    return &in->ring[in->head & in->mask];
}

uint64_t orr__tie_counted(const struct orr_net *n, uint32_t link, int64_t now)
{
    const struct orr_net_alias *a = n->alias;
    uint64_t key[2];

    if (!a)
        return orr__tie_of(n, link, now);
    key[0] = (uint64_t)(now + a->shift_ps);
    key[1] = (uint64_t)a->node[n->graph->to[link]] << 32 | a->link[link];
    return XXH3_64bits_withSeed(key, sizeof key, n->seed);
}

/* Whether the packets that arrive at a switch at one moment, one on each of its
 * links at most, can make its memory short: while they cannot, it does not
 * matter which of them is entered first. */
static bool is_short(const struct orr_net *n, uint32_t node)
{
    const struct orr_memory *m = orr__memory_of(n, node);
    uint64_t links = n->graph->in_off[node + 1] - n->graph->in_off[node];
    uint64_t packet = orr__largest_payload(n->config) + n->config->header;

    if (!m)
        return false;
    packet = packet > n->config->ack ? packet : n->config->ack;
    return !orr__memory_rests(n, node)
           || (!n->config->pfc.xoff && links * packet > m->calm / 2)
           || (n->config->pfc.xoff && packet >= n->config->pfc.xoff / 2);
}

/* Whether it matters which of two packets that arrive at one node at once comes
 * first: hosts may answer them together, one port sends one after the other,
 * and of a memory that is shared the first may take what the other needs. */
static bool matters(struct orr_net *n, uint32_t to, struct orr_packet p,
                    struct orr_packet q)
{
    if (n->graph->sends[to] || is_short(n, to))
        return true;
    return orr__route_packet(n, &n->node[to], &p)
           == orr__route_packet(n, &n->node[to], &q);
}

static void note_tie(struct orr_net *n, uint32_t a, uint32_t b,
                     const struct orr_packet *p, const struct orr_packet *q)
{
    uint32_t to = n->graph->to[a];

    if (n->graph->to[b] == to && matters(n, to, *p, *q))
        __atomic_fetch_add(&n->ties_that_matter, 1, __ATOMIC_RELAXED);
}

void orr__random_ties_used(struct orr_net *n, const uint32_t *link,
                           const struct orr_packet *const *packet,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            note_tie(n, link[i], link[j], packet[i], packet[j]);
}

void orr__random_ties_snapshot(struct orr_net *n, const struct orr_process *p,
                               uint32_t best)
{
    uint32_t end = p->n_departs + p->n_arrives;
    int64_t now = p->at[best];

    for (uint32_t i = best; i < end; i++)
        for (uint32_t j = i + 1; p->at[i] == now && j < end; j++) {
            uint32_t a = p->arrives[i - p->n_departs];
            uint32_t b = p->at[j] == now ? p->arrives[j - p->n_departs] : a;

            if (b != a)
                note_tie(n, a, b, head_of(n, a), head_of(n, b));
        }
}
