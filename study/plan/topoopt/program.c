/* A divided model as a program: the chain of computations and transfers forward
 * and back, and beside the way back the all-reduces of gradients, one after
 * another. Items of the chain are c0, c1, ..., of gradients g0, g1, .... */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/units.h"
#include "study/plan/topoopt/show.h"

/* A program while it is written. */
struct writer {
    const struct orr_design *d;
    const struct orr_choice *c;
    const struct orr_direct *net;
    struct orr_text *t;
    uint32_t chain, gradients; /* items so far */
};

/* One more item of the chain, up to its verb. */
static void begin_chain(struct writer *w)
{
    orr__text_add(w->t, "%s{id: c%u, ", w->chain ? ", " : "", w->chain);
    if (w->chain)
        orr__text_add(w->t, "after: c%u, ", w->chain - 1);
    w->chain++;
}

/* The same of gradients: they are ready when the chain has come here. */
static void begin_gradients(struct writer *w)
{
    orr__text_add(w->t, ", {id: g%u, after: [c%u", w->gradients, w->chain - 1);
    if (w->gradients)
        orr__text_add(w->t, ", g%u", w->gradients - 1);
    orr__text_add(w->t, "], ");
    w->gradients++;
}

/* A collective, in each of so many groups of `members` that begin at `from` and
 * go on `apart`; next: from one group's first to the next one's. */
static void write_groups(struct writer *w, const char *verb, uint64_t bytes,
                         const char *keys, uint32_t members, uint32_t apart,
                         uint32_t next)
{
    uint32_t groups = w->d->n / members;
    orr__text_add(w->t, groups > 1 ? "parallel: [" : "");
    for (uint32_t g = 0; g < groups; g++) {
        orr__text_add(w->t, "%s%s%s: {size: %" PRIu64 "B%s", g ? ", " : "",
                      groups > 1 ? "{" : "", verb, bytes, keys);
        for (uint32_t i = 0; i < members && groups > 1; i++)
            orr__text_add(w->t, "%s%u", i ? ", " : ", group: [",
                          g * next + i * apart);
        orr__text_add(w->t, groups > 1 ? "]}}" : "}");
    }
    orr__text_add(w->t, groups > 1 ? "]}" : "}");
}

/* Bytes, at least one. */
static uint64_t bytes_of_double(double bytes)
{
    return bytes > 1 ? (uint64_t)ceil(bytes) : 1;
}

/* Before layer `to`, or behind the last one. */
static void hand_over(struct writer *w, uint32_t to)
{
    struct orr_handover h = orr__choices_handover(w->d, w->c, to);
    if (h.apart && h.apart_bytes > 0) {
        begin_chain(w);
        write_groups(w, "all-to-all", bytes_of_double(h.apart_bytes * h.apart),
                     ", algorithm: direct", h.apart, 1, h.apart);
    }
    if (h.together && h.together_bytes > 0) {
        begin_chain(w);
        write_groups(w, "all-gather", bytes_of_double(h.together_bytes),
                     ", algorithm: direct", h.together, 1, h.together);
    }
}

/* Rows to all hosts, or gradients back. */
static void write_tables(struct writer *w, uint32_t layer, const char *verb)
{
    const struct orr_choice *c = &w->c[layer];
    uint64_t output = w->d->layer[layer].output;
    if (output == 0)
        return;
    begin_chain(w);
    if (c->parts == w->d->n) {
        orr__text_add(w->t, "all-to-all: {size: %" PRIu64 "B}}", output);
        return;
    }
    orr__text_add(w->t, "parallel: [");
    for (uint32_t i = 0; i < c->parts; i++)
        orr__text_add(w->t, "%s{%s: {size: %" PRIu64 "B, root: %u}}",
                      i ? ", " : "", verb,
                      bytes_of_double((double)output / c->parts),
                      c->at + i * (w->d->n / c->parts));
    orr__text_add(w->t, "]}");
}

/* Tables are looked up where they are. */
static void compute(struct writer *w, uint32_t layer, int64_t ps)
{
    char time[32];
    const struct orr_choice *c = &w->c[layer];
    bool some =
        w->d->layer[layer].kind == ORR_LAYER_TABLES && c->parts < w->d->n;
    if (ps <= 0)
        return;
    orr__format_time(some ? ps * (w->d->n / c->parts) : ps, time, sizeof time);
    begin_chain(w);
    orr__text_add(w->t, "compute: %s", time);
    for (uint32_t i = 0; i < c->parts && some; i++)
        orr__text_add(w->t, "%s%u", i ? ", " : ", ranks: [",
                      c->at + i * (w->d->n / c->parts));
    orr__text_add(w->t, some ? "]}" : "}");
}

/* The rings of groups `apart` from one another, as keys of an all-reduce. */
static const char *ring_keys(const struct writer *w, uint32_t apart, char *text,
                             size_t size)
{
    uint32_t stride[ORR_MOST_STRIDES], k = w->d->n / apart;
    uint32_t rings = orr__group_strides(
        k, w->net->group_rings[orr__divisor_number(w->d, apart)], stride);
    size_t n = (size_t)snprintf(
        text, size, ", algorithm: strides, direction: %s, strides: [",
        k > 2 ? "both" : "forward");
    for (uint32_t r = 0; r < rings; r++)
        n += (size_t)snprintf(text + n, size - n, "%s%u", r ? ", " : "",
                              stride[r]);
    snprintf(text + n, size - n, "]");
    return text;
}

/* The all-reduce of a layer's gradients, if there is one. */
static void add_gradients(struct writer *w, uint32_t layer)
{
    char keys[64 + 12 * ORR_MOST_STRIDES];
    const struct orr_design_layer *x = &w->d->layer[layer];
    uint32_t parts = w->c[layer].parts;
    if (x->kind != ORR_LAYER_DENSE || parts == w->d->n || x->gradients == 0)
        return;
    begin_gradients(w);
    if (parts == 1)
        orr__text_add(w->t,
                      "all-reduce: {size: %" PRIu64 "B, algorithm: strides}}",
                      x->gradients);
    else
        write_groups(
            w, "all-reduce", bytes_of_double((double)x->gradients / parts),
            ring_keys(w, parts, keys, sizeof keys), w->d->n / parts, parts, 1);
}

void orr__design_program(const struct orr_design *d,
                         const struct orr_designed *x, struct orr_text *t)
{
    struct writer w = {.d = d, .c = x->choice, .net = &x->net, .t = t};
    orr__text_add(t, "[");
    /* what gradients of the first layer may wait for */
    begin_chain(&w);
    orr__text_add(t, "wait: }");
    for (uint32_t i = 0; i < d->layers; i++) {
        hand_over(&w, i);
        compute(&w, i, d->layer[i].forward_ps);
        if (d->layer[i].kind == ORR_LAYER_TABLES)
            write_tables(&w, i, "scatter");
    }
    hand_over(&w, d->layers);
    hand_over(&w, d->layers);
    for (uint32_t i = d->layers; i-- > 0;) {
        if (d->layer[i].kind == ORR_LAYER_TABLES)
            write_tables(&w, i, "gather");
        compute(&w, i, d->layer[i].backward_ps);
        add_gradients(&w, i);
        hand_over(&w, i);
    }
    orr__text_add(t, "]");
}
