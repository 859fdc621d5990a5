#include "tests/reference/sums.h"

#include <stdlib.h>

/* Times in ps; -1: not yet. */
struct ref_sums_run {
    const struct ref_sums *s;
    int64_t *free;   /* per link: it is idle from then on */
    int64_t *whole;  /* per node: all of a packet is there; of this packet */
    bool *passed;    /* per link: this packet went over it */
    int64_t *result; /* per packet and member: it was there */
    uint64_t hops;
};

static uint64_t ref_sums_size(const struct ref_sums *s, uint64_t packets,
                              uint64_t q)
{
    uint64_t i = q % packets, left = s->bytes - i * s->payload;
    uint64_t size = (left < s->payload ? left : s->payload) + s->header;

    return size ? size : 1;
}

/* Over one link, from when it is ready; returns when it is at the end. */
static int64_t ref_sums_pass(struct ref_sums_run *r, uint32_t link,
                             uint64_t size, int64_t ready)
{
    uint64_t rate = r->s->rate[link];
    int64_t begin = ready > r->free[link] ? ready : r->free[link];

    r->hops++;
    r->free[link] =
        begin
        + (int64_t)(((__uint128_t)size * 8000000000000u + rate - 1) / rate);
    return r->free[link] + r->s->delay[link];
}

/* Up, level by level from the far end: a node's sum goes on when its last child
 * is there, which all paths through it agree on. */
static int64_t ref_sums_up(struct ref_sums_run *r, uint64_t size,
                           const int64_t *ready)
{
    const struct ref_sums *s = r->s;
    int64_t root = -1;

    for (uint32_t v = 0; v < s->nodes; v++)
        r->whole[v] = -1;
    for (uint32_t l = 0; l < s->n_links; l++)
        r->passed[l] = false;
    for (uint32_t left = REF_SUMS_DEPTH; left-- > 0;)
        for (uint32_t m = 0; m < s->members; m++) {
            const struct ref_member *p = &s->member[m];
            uint32_t i = p->links - 1 - left;
            int64_t at;

            if (left >= p->links || r->passed[p->up[i]])
                continue;
            at = i == 0 ? ready[m]
                        : r->whole[s->to[p->up[i - 1]]] + s->latency_ps;
            r->passed[p->up[i]] = true;
            at = ref_sums_pass(r, p->up[i], size, at);
            if (at > r->whole[s->to[p->up[i]]])
                r->whole[s->to[p->up[i]]] = at;
        }
    for (uint32_t m = 0; m < s->members; m++) {
        uint32_t last = s->member[m].up[s->member[m].links - 1];

        root = r->whole[s->to[last]] > root ? r->whole[s->to[last]] : root;
    }
    return root;
}

/* Down from the root; result: per member, of this packet. */
static void ref_sums_down(struct ref_sums_run *r, uint64_t size, int64_t root,
                          int64_t *result)
{
    const struct ref_sums *s = r->s;

    for (uint32_t l = 0; l < s->n_links; l++)
        r->passed[l] = false;
    for (uint32_t left = 0; left < REF_SUMS_DEPTH; left++)
        for (uint32_t m = 0; m < s->members; m++) {
            const struct ref_member *p = &s->member[m];
            uint32_t i = p->links - 1 - left, link;
            int64_t at;

            if (left >= p->links)
                continue;
            link = p->back[i];
            if (!r->passed[link]) {
                at = left == 0 ? root + s->latency_ps
                               : r->whole[s->to[p->back[i + 1]]];
                r->passed[link] = true;
                r->whole[s->to[link]] = ref_sums_pass(r, link, size, at);
            }
            if (i == 0)
                result[m] = r->whole[s->to[link]];
        }
}

/* All packets in order: one waits for the result of the one `window` before it,
 * and that of the last packet of the message before its own. */
static int64_t ref_sums_go(struct ref_sums_run *r, int64_t *ready)
{
    const struct ref_sums *s = r->s;
    uint64_t packets = (s->bytes + s->payload - 1) / s->payload;
    int64_t end = 0;

    packets = packets ? packets : 1;
    for (uint64_t q = 0; q < packets * s->messages; q++) {
        uint64_t size = ref_sums_size(s, packets, q);

        for (uint32_t m = 0; m < s->members; m++) {
            uint64_t first = q - q % packets;
            const int64_t *all = r->result + m;

            ready[m] = 0;
            for (uint64_t k = first - (first ? packets : 0); k < first; k++)
                if (all[k * s->members] > ready[m])
                    ready[m] = all[k * s->members];
            if (q >= s->window && all[(q - s->window) * s->members] > ready[m])
                ready[m] = all[(q - s->window) * s->members];
        }
        ref_sums_down(r, size, ref_sums_up(r, size, ready),
                      r->result + q * s->members);
        for (uint32_t m = 0; m < s->members; m++)
            if (r->result[q * s->members + m] > end)
                end = r->result[q * s->members + m];
    }
    return end;
}

int64_t ref_sums_run(const struct ref_sums *s, uint64_t *hops)
{
    struct ref_sums_run r = {.s = s};
    uint64_t packets = (s->bytes + s->payload - 1) / s->payload;
    int64_t *ready = calloc(s->members, sizeof *ready), end = -1;

    packets = packets ? packets : 1;
    r.free = calloc(s->n_links, sizeof *r.free);
    r.whole = calloc(s->nodes, sizeof *r.whole);
    r.passed = calloc(s->n_links, sizeof *r.passed);
    r.result = calloc(packets * s->messages * s->members, sizeof *r.result);
    if (ready && r.free && r.whole && r.passed && r.result)
        end = ref_sums_go(&r, ready);
    *hops = r.hops;
    free(ready);
    free(r.free);
    free(r.whole);
    free(r.passed);
    free(r.result);
    return end;
}
