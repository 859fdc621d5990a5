/* The longest round trip between two hosts, and the largest bandwidth-delay
 * product, as HPCC's simulator finds them (CalculateRoute of third.cc): twice
 * the delay of a shortest path, and on it one way a packet's payload, without
 * headers, at each link's rate. Whole ns and bytes, as there. */
#include "core/array.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "formats/hpcc/config.h"

/* From one host to a node. */
struct reach {
    uint32_t hops; /* ORR_NONE: not reached yet */
    uint64_t delay_ns, send_ns, least_bps;
};

/* A search from one host after the other; both arrays are owned, of as many
 * as nodes. */
struct search {
    const struct orr_graph *graph;
    uint64_t payload;
    struct reach *reach;
    uint32_t *queue;
};

/* Breadth first, by links to a node from the next, as paths are found there
 * from their ends. */
static void search_from(struct search *s, uint32_t host)
{
    const struct orr_graph *g = s->graph;
    uint32_t head = 0, tail = 0;

    for (uint32_t v = 0; v < g->nodes; v++)
        s->reach[v].hops = ORR_NONE;
    s->reach[host] = (struct reach){.least_bps = UINT64_MAX};
    s->queue[tail++] = host;
    while (head < tail) {
        uint32_t v = s->queue[head++];
        const struct reach *at = &s->reach[v];

        for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
            uint32_t link = g->out_link[i], to = g->to[link];
            uint64_t bps = g->rate_bps[link];

            if (s->reach[to].hops != ORR_NONE)
                continue;
            s->reach[to] = (struct reach){
                .hops = at->hops + 1,
                .delay_ns =
                    at->delay_ns + (uint64_t)(g->delay_ps[link] / ORR_NS),
                .send_ns = at->send_ns + s->payload * 8000000000u / bps,
                .least_bps = bps < at->least_bps ? bps : at->least_bps};
            if (g->forwards[to])
                s->queue[tail++] = to;
        }
    }
}

/* Of all pairs with this host. */
static void note_longest(const struct search *s, uint32_t host,
                         struct orr_hpcc_longest *out)
{
    for (uint32_t v = 0; v < s->graph->hosts; v++) {
        const struct reach *r = &s->reach[v];
        uint64_t rtt = 2 * r->delay_ns + r->send_ns, bytes;

        if (v == host || r->hops == ORR_NONE)
            continue;
        bytes = (uint64_t)((double)rtt * (double)r->least_bps / 8e9);
        out->rtt_ns = rtt > out->rtt_ns ? rtt : out->rtt_ns;
        out->bytes = bytes > out->bytes ? bytes : out->bytes;
    }
}

/* Is this host as far from all others as one before it: at the same switch, by
 * an equal link? first: per node, the first host that hangs from it alone. */
static bool is_like_another(const struct orr_graph *g, uint32_t host,
                            uint32_t *first)
{
    uint32_t i = g->out_off[host], link, other;

    if (g->out_off[host + 1] - i != 1)
        return false;
    link = g->out_link[i];
    other = first[g->to[link]];
    if (other == ORR_NONE) {
        first[g->to[link]] = link;
        return false;
    }
    return g->rate_bps[other] == g->rate_bps[link]
           && g->delay_ps[other] == g->delay_ps[link];
}

orr_err orr__hpcc_longest(const struct orr_graph *g, uint64_t payload,
                          struct orr_hpcc_longest *out, struct orr_report *why)
{
    struct search s = {.graph = g,
                       .payload = payload,
                       .reach = orr__alloc(g->nodes, sizeof *s.reach),
                       .queue = orr__alloc(g->nodes, sizeof *s.queue)};
    uint32_t *first = orr__alloc(g->nodes, sizeof *first);
    bool lost = !s.reach || !s.queue || !first;

    *out = (struct orr_hpcc_longest){.rtt_ns = 0};
    for (uint32_t v = 0; v < g->nodes && !lost; v++)
        first[v] = ORR_NONE;
    for (uint32_t v = 0; v < g->hosts && !lost; v++) {
        if (is_like_another(g, v, first))
            continue;
        search_from(&s, v);
        note_longest(&s, v, out);
    }
    orr__free(s.reach);
    orr__free(s.queue);
    orr__free(first);
    return lost ? orr__no_memory(why) : ORR_OK;
}
