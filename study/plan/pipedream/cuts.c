#include "study/plan/pipedream/cuts.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/none.h"
#include "core/table.h"
#include "core/units.h"

#define CUTS_MAX 4096

/* While cuts are looked for. It owns seen, above and edge, which orr__cuts_find
 * frees; the cuts themselves go to the caller's x. */
struct finder {
    const struct orr_model *m;
    const struct orr_layer_costs *costs;
    struct orr_config *c;
    const struct orr_yaml *at;
    struct orr_report *why;
    struct orr_cuts *x;
    uint32_t room;
    struct orr_table seen; /* cuts by a digest of their sets */
    uint64_t *above;       /* per layer, a set: all that it needs */
    struct orr_model_edge *edge;
    uint32_t edges;
};

/* ---- sets ---------------------------------------------------------------- */

static bool set_holds(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> i % 64 & 1;
}

static void put_in_set(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << i % 64;
}

static void unite_sets(uint64_t *set, const uint64_t *with, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        set[w] |= with[w];
}

static bool is_subset(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        if (a[w] & ~b[w])
            return false;
    return true;
}

static uint64_t digest_of(const uint64_t *set, uint32_t words)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t w = 0; w < words; w++) {
        h = (h ^ set[w]) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return h;
}

/* ---- which there are ----------------------------------------------------- */

/* A set (copied), unless it is there. */
static orr_err add_set(struct finder *f, const uint64_t *set)
{
    struct orr_cuts *x = f->x;
    uint64_t key = digest_of(set, x->words);
    for (uint32_t i; (i = orr__table_find(&f->seen, key)) != ORR_NONE; key++)
        if (!memcmp(x->cut[i].set, set, x->words * sizeof *set))
            return ORR_OK;
    if (x->n == CUTS_MAX)
        return orr__yaml_fail(f->c, f->at, f->why,
                              "plan: %s can be cut in more than %d ways",
                              f->m->name, CUTS_MAX);
    struct orr_cut one = {.set = orr__alloc(x->words, sizeof *set)};
    if (!one.set)
        return orr__no_memory(f->why);
    memcpy(one.set, set, x->words * sizeof *set);
    if (!orr__array_more(x->cut, f->room, x->n)
        || !orr__table_add(&f->seen, key, x->n)) {
        orr__free(one.set);
        return orr__no_memory(f->why);
    }
    x->cut[x->n++] = one;
    return ORR_OK;
}

/* A layer is in its own set. Layers are in an order where edges only lead on,
 * so one pass over them is enough. */
static void find_above(struct finder *f)
{
    uint32_t words = f->x->words;
    /* edges by where they lead to: all before a layer are known before it is */
    for (uint32_t l = 0; l < f->m->layers; l++) {
        uint64_t *mine = f->above + (size_t)l * words;
        put_in_set(mine, l);
        for (uint32_t i = 0; i < f->edges; i++)
            if (f->edge[i].to == l)
                unite_sets(mine, f->above + (size_t)f->edge[i].from * words,
                           words);
    }
}

/* Of layers in a row: where a unit ends. */
static orr_err find_row(struct finder *f, uint64_t *set)
{
    const struct orr_model *m = f->m;
    orr_err err = ORR_OK;
    for (uint32_t l = 0; !err && l < m->layers; l++) {
        put_in_set(set, l);
        if (l + 1 == m->layers || m->layer[l + 1].unit != m->layer[l].unit)
            err = add_set(f, set);
    }
    return err;
}

/* From the first layer on, each cut gives others by one edge that leaves it;
 * the list grows while it is gone through. set: scratch, zeros at first. */
static orr_err find_branches(struct finder *f, uint64_t *set)
{
    uint32_t words = f->x->words;
    put_in_set(set, 0);
    orr_err err = add_set(f, set);
    for (uint32_t i = 0; !err && i < f->x->n; i++)
        for (uint32_t k = 0; !err && k < f->edges; k++) {
            const uint64_t *had = f->x->cut[i].set;
            uint32_t to = f->edge[k].to;
            if (!set_holds(had, f->edge[k].from) || set_holds(had, to))
                continue;
            memcpy(set, had, words * sizeof *set);
            unite_sets(set, f->above + (size_t)to * words, words);
            err = add_set(f, set);
        }
    return err;
}

static orr_err find_sets(struct finder *f)
{
    uint64_t *set = orr__alloc(f->x->words, sizeof *set);
    if (!set)
        return orr__no_memory(f->why);
    orr_err err = f->m->edge ? find_branches(f, set) : find_row(f, set);
    orr__free(set);
    return err;
}

/* ---- what they cost ------------------------------------------------------ */

static void add_layer(struct orr_cut *x, const struct orr_layer_costs *costs,
                      uint32_t l)
{
    x->layers++;
    x->compute_ps =
        orr__time_add(x->compute_ps, orr__time_add(costs->forward_ps[l],
                                                   costs->backward_ps[l]));
    x->activations += costs->activations[l];
    x->parameters += costs->parameters[l];
}

/* What a layer is to a cut. */
enum { RIM = 1, OUTER = 2, CODE = 4 };

static void mark_code(const struct finder *f, uint32_t rim, uint8_t *is)
{
    const uint64_t *above = f->above + (size_t)rim * f->x->words;
    for (uint32_t i = 0; i < f->edges; i++)
        if (f->edge[i].from != rim && set_holds(above, f->edge[i].from)
            && !set_holds(above, f->edge[i].to))
            is[f->edge[i].from] |= CODE;
}

/* RIM: no layer of the cut takes its output. OUTER: a layer behind it does.
 * CODE: PipeDream's code counts its output, that is the rim and what a layer of
 * the rim needs and another layer takes that the first does not need. */
static void mark_layers(const struct finder *f, const struct orr_cut *x,
                        uint8_t *is)
{
    uint32_t n = f->m->layers;
    for (uint32_t l = 0; l < n; l++)
        is[l] = orr__cut_holds(x, l) ? RIM | CODE : 0;
    for (uint32_t i = 0; i < f->edges; i++) {
        uint32_t from = f->edge[i].from;
        if (orr__cut_holds(x, f->edge[i].to))
            is[from] &= (uint8_t) ~(RIM | CODE);
        else if (orr__cut_holds(x, from))
            is[from] |= OUTER;
    }
    for (uint32_t l = 0; l < n; l++)
        if (is[l] & RIM)
            mark_code(f, l, is);
}

static void measure(const struct finder *f, struct orr_cut *x, uint8_t *is)
{
    for (uint32_t l = 0; l < f->m->layers; l++)
        if (orr__cut_holds(x, l))
            add_layer(x, f->costs, l);
    mark_layers(f, x, is);
    for (uint32_t l = 0; l < f->m->layers; l++) {
        x->across += is[l] & OUTER ? f->costs->activations[l] : 0;
        x->across_code += is[l] & CODE ? f->costs->activations[l] : 0;
    }
}

/* ---- which come before which --------------------------------------------- */

static int by_layers(const void *a, const void *b)
{
    const struct orr_cut *x = a, *y = b;
    if (x->layers != y->layers)
        return x->layers < y->layers ? -1 : 1;
    for (uint32_t w = 0;; w++) { /* they differ */
        uint64_t differ = x->set[w] ^ y->set[w];
        if (differ) /* the one with the first layer that only one has */
            return x->set[w] & (differ & -differ) ? -1 : 1;
    }
}

/* Cuts before the j-th; *n, *room: of x->before. */
static orr_err list_before(struct finder *f, uint32_t j, size_t *n,
                           size_t *room)
{
    struct orr_cuts *x = f->x;
    x->cut[j].first = (uint32_t)*n;
    for (uint32_t k = 0; k < j; k++) {
        if (!is_subset(x->cut[k].set, x->cut[j].set, x->words))
            continue;
        if (!orr__array_more(x->before, *room, *n))
            return orr__no_memory(f->why);
        x->before[(*n)++] = k;
    }
    x->cut[j].n = (uint32_t)*n - x->cut[j].first;
    return ORR_OK;
}

static orr_err find_before(struct finder *f)
{
    size_t n = 0, room = 0;
    orr_err err = ORR_OK;
    for (uint32_t j = 0; !err && j < f->x->n; j++)
        err = list_before(f, j, &n, &room);
    return err;
}

/* ---- all of it ----------------------------------------------------------- */

/* The model's edges; of layers in a row, those between neighbours. */
static orr_err take_edges(struct finder *f)
{
    const struct orr_model *m = f->m;
    f->edges = m->edge ? m->edges : m->layers - 1;
    f->edge = orr__alloc(f->edges, sizeof *f->edge);
    if (!f->edge)
        return orr__no_memory(f->why);
    for (uint32_t i = 0; i < f->edges; i++)
        f->edge[i] = m->edge ? m->edge[i] : (struct orr_model_edge){i, i + 1};
    return ORR_OK;
}

orr_err orr__cuts_find(const struct orr_model *m,
                       const struct orr_layer_costs *costs,
                       struct orr_config *c, const struct orr_yaml *at,
                       struct orr_cuts *out, struct orr_report *why)
{
    struct finder f = {
        .m = m, .costs = costs, .c = c, .at = at, .why = why, .x = out};
    uint8_t *is = orr__alloc(m->layers, sizeof *is);
    *out = (struct orr_cuts){.words = (m->layers + 63) / 64};
    f.above = orr__alloc(m->layers, out->words * sizeof *f.above);
    orr_err err = is && f.above ? take_edges(&f) : orr__no_memory(why);
    if (!err) {
        find_above(&f);
        err = find_sets(&f);
    }
    for (uint32_t i = 0; !err && i < out->n; i++)
        measure(&f, &out->cut[i], is);
    if (!err) {
        qsort(out->cut, out->n, sizeof *out->cut, by_layers);
        err = find_before(&f);
    }
    orr__free(is);
    orr__free(f.above);
    orr__free(f.edge);
    orr__table_fini(&f.seen);
    return err;
}

void orr__cuts_fini(struct orr_cuts *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        orr__free(x->cut[i].set);
    orr__free(x->cut);
    orr__free(x->before);
}
