#include "study/plan/topoopt/direct.h"

#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"

/* ---- traffic ------------------------------------------------------------- */

static void add_pairs(const struct orr_traffic *t, uint32_t n, double bytes,
                      double *demand)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i - i % t->parts;
        for (uint32_t k = first; k < first + t->parts; k++)
            if (k != i)
                demand[(size_t)i * n + k] += bytes;
    }
}

uint32_t orr__group_strides(uint32_t k, uint32_t rings, uint32_t *stride)
{
    uint64_t most = k > 2 ? orr__strides_count(k, ORR_MOST_STRIDES) / 2 : 1;
    uint32_t n = rings < most ? rings : (uint32_t)most;
    n = n > 1 ? n : 1;
    orr__strides_choose(k, n, true, stride);
    return n;
}

/* Of two members each has one neighbour, not two. */
static void add_rings(const struct orr_traffic *t, uint32_t n, double bytes,
                      double *demand)
{
    uint32_t stride[ORR_MOST_STRIDES], k = n / t->parts;
    uint32_t rings = orr__group_strides(k, t->at, stride);
    double share = bytes / (k > 2 ? 2 * rings : 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t r = 0; r < rings; r++) {
            uint32_t by = stride[r] * t->parts;
            demand[(size_t)i * n + (i + by) % n] += share;
            if (k > 2)
                demand[(size_t)i * n + (i + n - by) % n] += share;
        }
}

void orr__traffic_add(const struct orr_traffic *t, uint32_t n, double bytes,
                      double *demand)
{
    ORR_ASSERT(t->parts > 0 && n % t->parts == 0);
    uint32_t apart = n / t->parts;
    if (t->kind == ORR_TRAFFIC_PAIRS) {
        add_pairs(t, n, bytes, demand);
        return;
    }
    if (t->kind == ORR_TRAFFIC_RINGS) {
        if (t->parts < n)
            add_rings(t, n, bytes, demand);
        return;
    }
    for (uint32_t k = 0; k < t->parts; k++) {
        uint32_t one = (t->at + k * apart) % n;
        for (uint32_t i = 0; i < n; i++)
            if (i != one && t->kind == ORR_TRAFFIC_SCATTER)
                demand[(size_t)one * n + i] += bytes;
            else if (i != one)
                demand[(size_t)i * n + one] += bytes;
    }
}

/* ---- links --------------------------------------------------------------- */

void orr__direct_fini(struct orr_direct *d)
{
    orr__free(d->mate);
    orr__free(d->off);
    orr__free(d->to);
    orr__free(d->distance);
    orr__free(d->flow);
    orr__free(d->load);
    orr__free(d->order);
    *d = (struct orr_direct){.n = 0};
}

/* What orr__direct_fini frees, but for the matchings. */
static orr_err take_room(struct orr_direct *d, struct orr_report *why)
{
    size_t n = d->n, most = 2 * (size_t)d->strides + d->matchings;
    d->off = orr__alloc(n + 1, sizeof *d->off);
    d->to = orr__alloc(n * most, sizeof *d->to);
    d->distance = orr__alloc(n * n, sizeof *d->distance);
    d->flow = orr__alloc(n, sizeof *d->flow);
    d->load = orr__alloc(n * most, sizeof *d->load);
    d->order = orr__alloc(n, sizeof *d->order);
    return d->off && d->to && d->distance && d->flow && d->load && d->order
               ? ORR_OK
               : orr__no_memory(why);
}

/* Host by host: its rings forward, then backward, then its matchings. A ring
 * whose stride is half of n has one cable between two hosts. */
static void list_links(struct orr_direct *d)
{
    uint32_t n = d->n;
    for (uint32_t i = 0; i < n; i++) {
        d->off[i] = d->links;
        for (uint32_t s = 0; s < d->strides; s++)
            d->to[d->links++] = (i + d->stride[s]) % n;
        for (uint32_t s = 0; s < d->strides && d->both; s++)
            d->to[d->links++] = (i + n - d->stride[s]) % n;
        for (uint32_t m = 0; m < d->matchings; m++)
            if (d->mate[(size_t)m * n + i] != ORR_NONE)
                d->to[d->links++] = d->mate[(size_t)m * n + i];
    }
    d->off[n] = d->links;
}

/* Links that end at each host: by scratch of `order`, sizes in off[]. Returns
 * ORR_ENOMEM, or ORR_OK. */
static orr_err measure(struct orr_direct *d, struct orr_report *why)
{
    uint32_t n = d->n;
    uint32_t *first = orr__alloc((size_t)n + 2, sizeof *first);
    uint32_t *from = orr__alloc(d->links, sizeof *from);
    if (!first || !from) {
        orr__free(first);
        orr__free(from);
        return orr__no_memory(why);
    }
    for (uint32_t l = 0; l < d->links; l++)
        first[d->to[l] + 2]++;
    for (uint32_t i = 0; i < n; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t l = d->off[i]; l < d->off[i + 1]; l++)
            from[first[d->to[l] + 1]++] = i;
    memset(d->distance, 0xff, (size_t)n * n * sizeof *d->distance);
    for (uint32_t t = 0; t < n; t++) {
        uint16_t *far = d->distance + (size_t)t * n;
        uint32_t head = 0, tail = 0;
        far[t] = 0;
        d->order[tail++] = t;
        for (; head < tail; head++) {
            uint32_t v = d->order[head];
            for (uint32_t k = first[v]; k < first[v + 1]; k++)
                if (far[from[k]] == UINT16_MAX) {
                    far[from[k]] = (uint16_t)(far[v] + 1);
                    d->order[tail++] = from[k];
                }
        }
        ORR_ASSERT(tail == n); /* a ring reaches all */
    }
    orr__free(first);
    orr__free(from);
    return ORR_OK;
}

orr_err orr__direct_finish(struct orr_direct *d, struct orr_report *why)
{
    ORR_ASSERT(d->n <= ORR_DIRECT_HOSTS && d->strides > 0);
    orr_err err = take_room(d, why);
    if (err)
        return err;
    list_links(d);
    return measure(d, why);
}

/* ---- paths --------------------------------------------------------------- */

/* Hosts by their distance from t, the farthest first. */
static void sort_hosts(struct orr_direct *d, uint32_t t)
{
    const uint16_t *far = d->distance + (size_t)t * d->n;
    uint32_t at = 0, most = 0;
    for (uint32_t i = 0; i < d->n; i++)
        most = far[i] > most ? far[i] : most;
    for (uint32_t x = most + 1; x-- > 0;)
        for (uint32_t i = 0; i < d->n; i++)
            if (far[i] == x)
                d->order[at++] = i;
}

/* What flows through host i towards t goes on, in equal parts, by all links
 * that bring it nearer. */
static void pass_on(struct orr_direct *d, uint32_t i, uint32_t t)
{
    const uint16_t *far = d->distance + (size_t)t * d->n;
    uint32_t parts = 0;
    for (uint32_t l = d->off[i]; l < d->off[i + 1]; l++)
        parts += far[d->to[l]] + 1u == far[i];
    ORR_ASSERT(parts > 0);
    double part = d->flow[i] / parts;
    for (uint32_t l = d->off[i]; l < d->off[i + 1]; l++)
        if (far[d->to[l]] + 1u == far[i]) {
            d->load[l] += part;
            d->flow[d->to[l]] += part;
        }
}

struct orr_congestion orr__direct_route(struct orr_direct *d,
                                        const double *demand)
{
    struct orr_congestion c = {0, 0};
    uint32_t n = d->n;
    memset(d->load, 0, d->links * sizeof *d->load);
    for (uint32_t t = 0; t < n; t++) {
        const uint16_t *far = d->distance + (size_t)t * n;
        bool any = false;
        for (uint32_t i = 0; i < n; i++) {
            d->flow[i] = i == t ? 0 : demand[(size_t)i * n + t];
            any = any || d->flow[i] > 0;
            if (d->flow[i] > 0 && far[i] > c.hops)
                c.hops = far[i];
        }
        if (!any)
            continue;
        sort_hosts(d, t);
        for (uint32_t k = 0; k + 1 < n; k++)
            if (d->flow[d->order[k]] > 0)
                pass_on(d, d->order[k], t);
    }
    for (uint32_t l = 0; l < d->links; l++)
        c.load = d->load[l] > c.load ? d->load[l] : c.load;
    return c;
}
