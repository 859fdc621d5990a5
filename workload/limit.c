#include "workload/limit.h"

#include <xxhash.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/bound.h"

enum { PATH_MAX_LINKS = 64 };
/* Paths that are walked for one job; each takes some 100 ns. */
#define PATHS_WALKED (UINT64_C(1) << 22)

struct walk {
    const struct orr_world *w;
    const struct orr_team *t;
    uint64_t *bytes;  /* per link; all 0 between calls */
    uint32_t *used;   /* links that are not 0 */
    uint32_t n_used;
    uint64_t paths;   /* walked so far */
    bool too_many;
};

static void walk_pair(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                      uint64_t messages)
{
    struct walk *k = arg;
    uint32_t link[PATH_MAX_LINKS];
    if (k->too_many || k->paths++ >= PATHS_WALKED) {
        k->too_many = true;
        return;
    }
    uint32_t n = orr__net_path(k->w->net, k->t->hosts[src], k->t->hosts[dst],
                               orr__post_identity(k->t, src, dst), true, link,
                               PATH_MAX_LINKS);
    for (uint32_t i = 0; i < n && i < PATH_MAX_LINKS; i++) {
        if (k->bytes[link[i]] == 0)
            k->used[k->n_used++] = link[i];
        k->bytes[link[i]] += bytes;
    }
}

static uint64_t carried(const struct walk *k, uint32_t link)
{
    struct orr_link_sample s;
    orr__net_link_sample(k->w->net, link, k->w->end_ps, &s);
    return s.bytes;
}

static void limiting_link(struct walk *k, const struct orr_call *x,
                          struct orr_call_limit *out)
{
    const struct orr_graph *g = k->w->graph;
    uint64_t most = 0;
    out->link = ORR_NO_LINK;
    k->too_many = false;
    k->n_used = 0;
    orr__traffic_of_call(k->t, x, walk_pair, k);
    for (uint32_t i = 0; i < k->n_used; i++) {
        uint32_t l = k->used[i];
        int64_t time = orr__serialisation(k->bytes[l], g->rate_bps[l]);
        k->bytes[l] = 0;
        if (out->link != ORR_NO_LINK && time < out->link_ps)
            continue;
        uint64_t all = carried(k, l);
        if (out->link != ORR_NO_LINK && time == out->link_ps &&
            (all < most || (all == most && l > out->link)))
            continue;
        out->link = l;
        out->link_ps = time;
        most = all;
    }
    if (k->too_many)
        out->link = ORR_NO_LINK;
}

/* ---- calls that are alike ----------------------------------------------- */

static uint64_t likeness(const struct orr_call *x)
{
    const struct orr_collective *c = &x->c;
    const uint64_t v[] = {
        (uint64_t)(uintptr_t)c->ops, c->n, c->root, c->servers,
        (uint64_t)c->direction, (uint64_t)c->shape, (uint64_t)c->shards,
        (uint64_t)c->local, c->n_dims, x->bytes, x->chunks, x->concurrent,
        (uint64_t)x->endpoint_delay_ps, x->memory_bps, x->group, x->stride,
        x->from, x->count, x->memory, x->hasty,
    };
    uint64_t h = XXH3_64bits(v, sizeof v);
    h = XXH3_64bits_withSeed(c->dim, c->n_dims * sizeof c->dim[0], h);
    return XXH3_64bits_withSeed(x->server, c->servers * sizeof x->server[0],
                                h);
}

/* For each call the first one like it. */
static bool find_alike(const struct orr_program *p, uint32_t *first)
{
    uint32_t mask = 15;
    while (mask < 2 * (uint64_t)p->calls)
        mask = mask * 2 + 1;
    uint32_t *slot = orr__alloc(mask + (size_t)1, sizeof *slot);
    uint64_t *hash = orr__alloc(p->calls, sizeof *hash);
    for (uint32_t i = 0; slot && hash && i < p->calls; i++) {
        hash[i] = likeness(&p->call[i]);
        uint32_t at = (uint32_t)hash[i] & mask;
        while (slot[at] && hash[slot[at] - 1] != hash[i])
            at = (at + 1) & mask;
        if (!slot[at])
            slot[at] = i + 1;
        first[i] = slot[at] - 1;
    }
    bool ok = slot && hash;
    orr__free(slot);
    orr__free(hash);
    return ok;
}

orr_err orr__call_limits(const struct orr_world *w, const struct orr_team *t,
                         struct orr_call_limit *out)
{
    const struct orr_program *p = t->program;
    struct walk k = {.w = w, .t = t};
    uint32_t *first = orr__alloc(p->calls, sizeof *first);
    k.bytes = orr__alloc(w->graph->links, sizeof *k.bytes);
    k.used = orr__alloc(w->graph->links, sizeof *k.used);
    bool ok = first && k.bytes && k.used && find_alike(p, first);
    for (uint32_t i = 0; ok && i < p->calls; i++) {
        if (first[i] < i) {
            out[i] = out[first[i]];
            continue;
        }
        out[i].bound_ps = orr__bound_call(w, t, &p->call[i]);
        limiting_link(&k, &p->call[i], &out[i]);
    }
    orr__free(first);
    orr__free(k.bytes);
    orr__free(k.used);
    return ok ? ORR_OK : ORR_ENOMEM;
}
