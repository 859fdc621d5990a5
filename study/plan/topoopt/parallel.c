#include "study/plan/topoopt/parallel.h"

#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"

/* A change of a layer reaches the next one of its kind with this chance, and
 * goes on with that (FlexFlow's propagation). */
#define SHARE_OF_SPLITS 0.25
#define GO_ON           0.75

/* ---- layers -------------------------------------------------------------- */

void orr__design_fini(struct orr_design *d)
{
    orr__free(d->layer);
    orr__free(d->divisor);
    orr__free(d->first);
}

/* Divisors of n, and numbers for all traffics of them. */
static orr_err list_divisors(struct orr_design *d, struct orr_report *why)
{
    d->divisor = orr__alloc(d->n, sizeof *d->divisor);
    d->first = orr__alloc(d->n, sizeof *d->first);
    if (!d->divisor || !d->first)
        return orr__no_memory(why);
    for (uint32_t i = 1; i <= d->n; i++)
        if (d->n % i == 0)
            d->divisor[d->divisors++] = i;
    d->traffics = 2 * d->divisors;
    for (uint32_t i = 0; i < d->divisors; i++) {
        d->first[i] = d->traffics;
        d->traffics += 2 * (d->n / d->divisor[i]);
    }
    return ORR_OK;
}

orr_err orr__design_layers(struct orr_design *d, const struct orr_model *m,
                           const struct orr_layer_costs *costs,
                           struct orr_report *why)
{
    d->layers = m->layers;
    d->layer = orr__alloc(m->layers, sizeof *d->layer);
    if (!d->layer)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < m->layers; i++) {
        const struct orr_layer *x = &m->layer[i];
        d->layer[i] = (struct orr_design_layer){
            .name = x->name,
            .kind = x->expert == ORR_EXPERT_TABLES ? ORR_LAYER_TABLES
                    : x->parameters                ? ORR_LAYER_DENSE
                                                   : ORR_LAYER_PLAIN,
            .gradients =
                x->expert == ORR_EXPERT_TABLES ? 0 : costs->parameters[i],
            .output = costs->activations[i],
            .forward_ps = costs->forward_ps[i],
            .backward_ps = costs->backward_ps[i],
        };
    }
    return list_divisors(d, why);
}

uint32_t orr__divisor_number(const struct orr_design *d, uint32_t divisor)
{
    uint32_t i = 0;
    while (d->divisor[i] != divisor)
        i++;
    return i;
}

uint32_t orr__traffic_number(const struct orr_design *d,
                             const struct orr_traffic *t)
{
    uint32_t i = orr__divisor_number(d, t->parts);
    switch (t->kind) {
    case ORR_TRAFFIC_PAIRS: return i;
    case ORR_TRAFFIC_RINGS: return d->divisors + i;
    case ORR_TRAFFIC_SCATTER: return d->first[i] + 2 * t->at;
    case ORR_TRAFFIC_GATHER: break;
    }
    return d->first[i] + 2 * t->at + 1;
}

/* ---- choices ------------------------------------------------------------- */

/* Layers without parameters follow the one before them. */
static void follow(const struct orr_design *d, struct orr_choice *c)
{
    for (uint32_t i = 0; i < d->layers; i++)
        if (d->layer[i].kind == ORR_LAYER_PLAIN)
            c[i].parts = i && d->layer[i - 1].kind != ORR_LAYER_TABLES
                             ? c[i - 1].parts
                             : 1;
}

void orr__choices_first(const struct orr_design *d, uint32_t parts,
                        struct orr_choice *c)
{
    for (uint32_t i = 0; i < d->layers; i++)
        c[i] = (struct orr_choice){
            .parts = d->layer[i].kind == ORR_LAYER_TABLES ? d->n : parts};
    follow(d, c);
}

void orr__choices_change(const struct orr_design *d, struct orr_random *r,
                         struct orr_choice *c)
{
    uint32_t i = (uint32_t)orr__random_below(r, d->layers);
    while (d->layer[i].kind == ORR_LAYER_PLAIN)
        i = (i + 1) % d->layers;
    enum orr_layer_kind kind = d->layer[i].kind;
    uint32_t parts = d->divisor[orr__random_below(r, d->divisors)];
    c[i] = (struct orr_choice){.parts = parts};
    if (kind == ORR_LAYER_TABLES)
        c[i].at = (uint32_t)orr__random_below(r, d->n / parts);
    bool on = orr__random_unit(r) < SHARE_OF_SPLITS;
    for (uint32_t k = i + 1; on && k < d->layers; k++) {
        if (d->layer[k].kind != kind)
            continue;
        c[k] = c[i];
        on = orr__random_unit(r) < GO_ON;
    }
    follow(d, c);
}

/* ---- traffic ------------------------------------------------------------- */

/* The tensor group whose parts a layer's output is in; 1: each host has its
 * own samples. */
static uint32_t group_of(const struct orr_design *d, const struct orr_choice *c,
                         uint32_t layer)
{
    if (layer >= d->layers || d->layer[layer].kind == ORR_LAYER_TABLES)
        return 1;
    return c[layer].parts;
}

/* A plain layer works on parts as they are. */
static bool takes_parts(const struct orr_design *d, uint32_t layer)
{
    return layer < d->layers && d->layer[layer].kind == ORR_LAYER_PLAIN;
}

struct orr_handover orr__choices_handover(const struct orr_design *d,
                                          const struct orr_choice *c,
                                          uint32_t to)
{
    struct orr_handover h = {0};
    uint32_t before = to ? group_of(d, c, to - 1) : 1;
    uint32_t after = group_of(d, c, to);
    double bytes = to ? (double)d->layer[to - 1].output : 0;
    if (before == after && (before == 1 || takes_parts(d, to)))
        return h;
    if (before > 1 && before != after) {
        h.apart = before;
        h.apart_bytes = bytes / before;
    }
    if (after > 1) {
        h.together = after;
        h.together_bytes = bytes;
    }
    return h;
}

/* A handover goes one way forward, the other backward. */
static void tell_handover(const struct orr_design *d,
                          const struct orr_choice *c, uint32_t to,
                          orr_traffic_fn *fn, void *arg)
{
    struct orr_handover h = orr__choices_handover(d, c, to);
    const struct orr_traffic apart = {ORR_TRAFFIC_PAIRS, h.apart, 0};
    const struct orr_traffic together = {ORR_TRAFFIC_PAIRS, h.together, 0};
    if (h.apart && h.apart_bytes > 0)
        fn(arg, &apart, 2 * h.apart_bytes);
    if (h.together && h.together_bytes > 0)
        fn(arg, &together, 2 * h.together_bytes);
}

/* What each pair of a layer's tables and hosts exchanges one way. */
static double table_bytes(const struct orr_design *d,
                          const struct orr_choice *c, uint32_t layer)
{
    return (double)d->layer[layer].output / c[layer].parts;
}

/* Bytes that each member of a group sends for a layer's gradients. */
static double ring_bytes(const struct orr_design *d, const struct orr_choice *c,
                         uint32_t layer)
{
    double members = (double)d->n / c[layer].parts;
    return 2 * (members - 1) / members
           * ((double)d->layer[layer].gradients / c[layer].parts);
}

void orr__choices_traffic(const struct orr_design *d,
                          const struct orr_choice *c, orr_traffic_fn *fn,
                          void *arg, double *all)
{
    *all = 0;
    for (uint32_t i = 0; i <= d->layers; i++) {
        tell_handover(d, c, i, fn, arg);
        if (i == d->layers)
            continue;
        if (d->layer[i].kind == ORR_LAYER_TABLES) {
            struct orr_traffic t = {ORR_TRAFFIC_SCATTER, c[i].parts, c[i].at};
            fn(arg, &t, table_bytes(d, c, i));
            t.kind = ORR_TRAFFIC_GATHER;
            fn(arg, &t, table_bytes(d, c, i));
        } else if (c[i].parts == 1) {
            *all += (double)d->layer[i].gradients;
        } else if (c[i].parts < d->n && d->layer[i].gradients) {
            const struct orr_traffic t = {ORR_TRAFFIC_RINGS, c[i].parts, 0};
            fn(arg, &t, ring_bytes(d, c, i));
        }
    }
}

/* ---- time ---------------------------------------------------------------- */

/* An iteration while its time is added up, ps. */
struct clock {
    const struct orr_design *d;
    const struct orr_choice *c;
    struct orr_direct *net;
    struct orr_known *known;
    double *demand;          /* scratch */
    double chain, gradients; /* when they are over */
    double exchange;
};

/* Bytes on one link, ps. */
static double on_link(const struct orr_design *d, double bytes)
{
    return bytes * d->wire * 8e12 / (double)d->rate_bps;
}

static struct orr_congestion congestion(struct clock *x,
                                        const struct orr_traffic *t)
{
    struct orr_known *k = &x->known[orr__traffic_number(x->d, t)];
    if (!k->is) {
        memset(x->demand, 0, (size_t)x->d->n * x->d->n * sizeof *x->demand);
        orr__traffic_add(t, x->d->n, 1, x->demand);
        k->congestion = orr__direct_route(x->net, x->demand);
        k->is = true;
    }
    return k->congestion;
}

/* The chain waits for a transfer. Gradients that are on their way share the
 * links with it: each has half of them until one is over. */
static void exchange(struct clock *x, enum orr_traffic_kind kind,
                     uint32_t parts, uint32_t at, double bytes)
{
    const struct orr_traffic t = {kind, parts, at};
    if (parts == 0 || bytes <= 0)
        return;
    struct orr_congestion g = congestion(x, &t);
    double own = on_link(x->d, bytes * g.load);
    double other = x->gradients > x->chain ? x->gradients - x->chain : 0;
    double both = own < other ? own : other;
    double ps = own + both + (double)x->d->delay_ps * g.hops;
    if (other > 0)
        x->gradients += both;
    x->chain += ps;
    x->exchange += ps;
}

static void hand_over(struct clock *x, uint32_t to)
{
    struct orr_handover h = orr__choices_handover(x->d, x->c, to);
    exchange(x, ORR_TRAFFIC_PAIRS, h.apart, 0, h.apart_bytes);
    exchange(x, ORR_TRAFFIC_PAIRS, h.together, 0, h.together_bytes);
}

/* An all-reduce over all goes round all rings at once. */
static double reduce_all(const struct clock *x, double bytes)
{
    const struct orr_design *d = x->d;
    double rings = x->net->strides * (x->net->both ? 2.0 : 1.0);
    double steps = 2.0 * (d->n - 1);
    return on_link(d, bytes * steps / d->n / rings)
           + steps * (double)d->delay_ps;
}

/* One after another, and beside the backward pass. */
static void add_gradients(struct clock *x, uint32_t layer)
{
    const struct orr_design *d = x->d;
    uint32_t parts = x->c[layer].parts, members = d->n / parts;
    double bytes = (double)d->layer[layer].gradients, ps;
    if (d->layer[layer].kind != ORR_LAYER_DENSE || parts == d->n || bytes <= 0)
        return;
    if (parts == 1) {
        ps = reduce_all(x, bytes);
    } else {
        const struct orr_traffic t = {
            ORR_TRAFFIC_RINGS, parts,
            x->net->group_rings[orr__divisor_number(d, parts)]};
        struct orr_congestion g = congestion(x, &t);
        ps = on_link(d, ring_bytes(d, x->c, layer) * g.load)
             + 2.0 * (members - 1) * (double)d->delay_ps * g.hops;
    }
    if (x->gradients < x->chain)
        x->gradients = x->chain;
    x->gradients += ps;
}

/* Tables on few hosts are looked up by few. */
static double compute_ps(const struct orr_design *d, const struct orr_choice *c,
                         uint32_t layer, int64_t ps)
{
    if (d->layer[layer].kind == ORR_LAYER_TABLES)
        return (double)ps * d->n / c[layer].parts;
    return (double)ps;
}

struct orr_design_time orr__choices_time(const struct orr_design *d,
                                         const struct orr_choice *c,
                                         struct orr_direct *net,
                                         struct orr_known *known,
                                         double *demand)
{
    struct clock x = {
        .d = d, .c = c, .net = net, .known = known, .demand = demand};
    for (uint32_t i = 0; i < d->layers; i++) {
        hand_over(&x, i);
        x.chain += compute_ps(d, c, i, d->layer[i].forward_ps);
        if (d->layer[i].kind == ORR_LAYER_TABLES)
            exchange(&x, ORR_TRAFFIC_SCATTER, c[i].parts, c[i].at,
                     table_bytes(d, c, i));
    }
    hand_over(&x, d->layers);
    hand_over(&x, d->layers);
    for (uint32_t i = d->layers; i-- > 0;) {
        if (d->layer[i].kind == ORR_LAYER_TABLES)
            exchange(&x, ORR_TRAFFIC_GATHER, c[i].parts, c[i].at,
                     table_bytes(d, c, i));
        x.chain += compute_ps(d, c, i, d->layer[i].backward_ps);
        add_gradients(&x, i);
        hand_over(&x, i);
    }
    double end = x.gradients > x.chain ? x.gradients : x.chain;
    return (struct orr_design_time){
        .iteration = end,
        .compute = x.chain - x.exchange,
        .exchange = x.exchange,
        .tail = end - x.chain,
    };
}
