#include "workload/program/experts.h"

#include <math.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"

/* What weights are multiples of, as fine as 2^60 bytes allow. */
#define UNIT 0x1p40

/* Entries in proportion to `weight` that add up to `total`, none above 1: what
 * is cut off goes to the others. */
static void fill_shares(const double *weight, double *x, uint32_t n,
                        double total)
{
    bool more = true;
    for (uint32_t i = 0; i < n; i++)
        x[i] = 0;
    while (more) {
        double open = 0, left = total;
        more = false;
        for (uint32_t i = 0; i < n; i++) {
            open += x[i] < 1 ? weight[i] : 0;
            left -= x[i] < 1 ? 0 : 1;
        }
        for (uint32_t i = 0; i < n && open > 0; i++) {
            if (x[i] >= 1)
                continue;
            x[i] = weight[i] * (left / open);
            more |= x[i] >= 1;
            x[i] = x[i] < 1 ? x[i] : 1;
        }
    }
}

/* Choices of one token, by expert, into copies by member. */
static void add_up(const struct orr_experts *e, const double *choice,
                   struct orr_expert_copies *out)
{
    double most = e->capacity * e->top_k / e->experts, all = 0, taken = 0;
    for (uint32_t k = 0; k < e->experts; k++) {
        double got = e->capacity > 0 && choice[k] > most ? most : choice[k];
        out->chosen[k % e->n] += choice[k];
        out->taken[k % e->n] += got;
        all += choice[k];
        taken += got;
    }
    out->dropped = all > taken ? 1 - taken / all : 0;
}

orr_err orr__experts_copies(const struct orr_experts *e,
                            struct orr_expert_copies *out,
                            struct orr_report *why)
{
    double *weight = orr__alloc(e->experts, sizeof *weight);
    double *choice = orr__alloc(e->experts, sizeof *choice);
    *out = (struct orr_expert_copies){
        .chosen = orr__alloc(e->n, sizeof *out->chosen),
        .taken = orr__alloc(e->n, sizeof *out->taken),
    };
    bool ok = weight && choice && out->chosen && out->taken;
    ORR_ASSERT(e->top_k >= 1 && e->experts >= e->top_k);
    for (uint32_t k = 0; ok && k < e->experts; k++)
        weight[k] = 1 / pow((double)k + 1, e->skew);
    if (ok) {
        fill_shares(weight, choice, e->experts, e->top_k);
        add_up(e, choice, out);
    } else {
        orr__expert_copies_fini(out);
    }
    orr__free(weight);
    orr__free(choice);
    return ok ? ORR_OK : orr__no_memory(why);
}

void orr__expert_copies_fini(struct orr_expert_copies *c)
{
    orr__free(c->chosen);
    orr__free(c->taken);
    c->chosen = c->taken = NULL;
}

/* Sizes by what `taken` is of the sum of `chosen`, both of n entries; each: all
 * that is chosen, in bytes. */
static struct orr_pair_sizes *sizes_by_share(uint32_t n, const double *chosen,
                                             const double *taken, uint64_t each)
{
    uint64_t *weight = orr__alloc(n, sizeof *weight), all = 0;
    struct orr_pair_sizes *s = NULL;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += chosen[i];
    for (uint32_t i = 0; weight && i < n; i++) {
        weight[i] = (uint64_t)(UNIT * (taken[i] / sum));
        all += (uint64_t)(UNIT * (chosen[i] / sum));
    }
    if (weight)
        s = orr__pair_sizes_parts(n, weight, all, each);
    orr__free(weight);
    return s;
}

struct orr_pair_sizes *orr__experts_direct(const struct orr_experts *e,
                                           const struct orr_expert_copies *c)
{
    return sizes_by_share(e->n, c->chosen, c->taken,
                          e->tokens * e->top_k * e->row);
}

/* Copies for all experts of a node. */
static void add_by_node(const struct orr_experts *e, const double *copies,
                        double *of_node)
{
    for (uint32_t i = 0; i < e->n; i++)
        of_node[i / e->local] += copies[i];
}

struct orr_pair_sizes *orr__experts_across(const struct orr_experts *e,
                                           const struct orr_expert_copies *c)
{
    uint32_t n = e->n / e->local, most = e->nodes;
    double *copies = orr__alloc(n, sizeof *copies);
    double *visits = orr__alloc(n, sizeof *visits), sum = 0;
    struct orr_pair_sizes *s = NULL;
    most = most < n ? most : n;
    most = most < e->top_k ? most : e->top_k;
    if (copies && visits) {
        add_by_node(e, c->taken, copies);
        fill_shares(copies, visits, n, most);
        for (uint32_t i = 0; i < n; i++)
            sum += visits[i];
        s = sizes_by_share(n, visits, visits,
                           (uint64_t)llround((double)e->tokens * sum) * e->row);
    }
    orr__free(copies);
    orr__free(visits);
    return s;
}

/* A member of a node hands on what its likes in all nodes have sent there: the
 * same part of it to each. */
static void fill_within(const struct orr_experts *e,
                        const struct orr_pair_sizes *one,
                        struct orr_pair_sizes *s)
{
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t j = i / e->local * e->local;
             j < (i / e->local + 1) * e->local; j++)
            if (i != j)
                s->bytes[(size_t)i * e->n + j] =
                    orr__bytes_between(one, 0, j ? 0 : 1, j);
    orr__pair_sizes_finish(s);
    s->block = e->local;
}

struct orr_pair_sizes *orr__experts_within(const struct orr_experts *e,
                                           const struct orr_expert_copies *c)
{
    uint64_t each = e->tokens * e->top_k * e->row;
    uint32_t nodes = e->n / e->local;
    if (!(e->skew > 0) && e->experts % e->n == 0)
        return sizes_by_share(e->local, c->chosen, c->taken, each);
    struct orr_pair_sizes *one =
        sizes_by_share(e->n, c->chosen, c->taken, nodes * each);
    struct orr_pair_sizes *s = orr__pair_sizes_matrix(e->n);
    if (one && s) {
        fill_within(e, one, s);
    } else {
        orr__pair_sizes_free(s);
        s = NULL;
    }
    orr__pair_sizes_free(one);
    return s;
}
