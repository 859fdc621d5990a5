/* The bisection of hosts on leaf switches under one core. With the core on
 * side B, a leaf with a of its h hosts on side A costs min(a * rate,
 * (h - a) * rate + uplink), as the leaf itself goes to B or to A. That is
 * concave in a, so in some best split all leaves but one are whole. */
#include "topo/build/build.h"

/* The best split so far, over all counts of whole leaves of each kind. */
struct search {
    const struct orr_leaves *leaves;
    unsigned n;
    uint64_t host_bps, best;
    uint32_t used[8]; /* whole leaves of each kind on side A */
};

static uint64_t cost_of_arity(const struct search *s,
                              const struct orr_leaves *l, uint32_t a)
{
    uint64_t low = orr__size_mul(a, s->host_bps);
    uint64_t high =
        orr__size_add(orr__size_mul(l->hosts - a, s->host_bps), l->uplink_bps);
    return low < high ? low : high;
}

/* One leaf gives the `left` hosts that whole leaves leave. */
static void take_part(struct search *s, uint64_t left, uint64_t sum)
{
    if (left == 0 && sum < s->best)
        s->best = sum;
    for (unsigned i = 0; left && i < s->n; i++) {
        const struct orr_leaves *l = &s->leaves[i];
        if (s->used[i] < l->count && left < l->hosts) {
            uint64_t whole =
                orr__size_add(sum, cost_of_arity(s, l, (uint32_t)left));
            s->best = whole < s->best ? whole : s->best;
        }
    }
}

/* Tries every number of whole leaves of kind i and the kinds after it. */
static void take_whole(struct search *s, unsigned i, uint64_t left,
                       uint64_t sum)
{
    if (i == s->n) {
        take_part(s, left, sum);
        return;
    }
    const struct orr_leaves *l = &s->leaves[i];
    for (uint32_t k = 0; k <= l->count && (uint64_t)k * l->hosts <= left; k++) {
        s->used[i] = k;
        take_whole(s, i + 1, left - (uint64_t)k * l->hosts,
                   orr__size_add(
                       sum, orr__size_mul(k, cost_of_arity(s, l, l->hosts))));
    }
}

uint64_t orr__tree_bisection(const struct orr_leaves *leaves, unsigned n,
                             uint64_t host_bps)
{
    struct search s = {
        .leaves = leaves, .n = n, .host_bps = host_bps, .best = UINT64_MAX};
    uint64_t hosts = 0;
    for (unsigned i = 0; i < n; i++)
        hosts += (uint64_t)leaves[i].count * leaves[i].hosts;
    take_whole(&s, 0, hosts / 2, 0);
    take_whole(&s, 0, hosts - hosts / 2, 0);
    return s.best;
}
