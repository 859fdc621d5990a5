/* Stages by the dynamic programme against a search through all of them, on
 * models drawn at random: rows and branches, one level and two, both costs,
 * with and without a limit of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "core/units.h"
#include "study/plan/pipedream/partition.h"

enum { LAYERS = 6 };
static const char cut_here[] = "topology: x\nplan: {memory: 1B}\n";

struct trial {
    struct orr_random random;
    struct orr_model model;
    struct orr_layer layer[LAYERS];
    struct orr_model_edge edge[LAYERS * LAYERS];
    struct orr_layer_costs costs;
    int64_t forward[LAYERS], backward[LAYERS];
    uint64_t activations[LAYERS], parameters[LAYERS];
    uint32_t sets, set[1 << LAYERS]; /* cuts, as bits */
    struct orr_partition_request q;
};

static uint32_t below(struct trial *t, uint32_t n)
{
    return (uint32_t)orr__random_below(&t->random, n);
}

/* ---- the search, with sets as bits --------------------------------------- */

static bool needs(const struct trial *t, uint32_t to, uint32_t from)
{
    for (uint32_t i = 0; i < t->model.edges; i++)
        if (t->edge[i].to == to
            && (t->edge[i].from == from || needs(t, t->edge[i].from, from)))
            return true;
    return false;
}

static uint32_t above(const struct trial *t, uint32_t layer)
{
    uint32_t set = 1u << layer;
    for (uint32_t i = 0; i < layer; i++)
        if (needs(t, layer, i))
            set |= 1u << i;
    return set;
}

static void grow(struct trial *t, uint32_t set)
{
    for (uint32_t i = 0; i < t->sets; i++)
        if (t->set[i] == set)
            return;
    t->set[t->sets++] = set;
    for (uint32_t i = 0; i < t->model.edges; i++)
        if (set >> t->edge[i].from & 1 && !(set >> t->edge[i].to & 1))
            grow(t, set | above(t, t->edge[i].to));
}

/* Bytes over a cut: paper's, and as the authors' code counts them. */
static double across(const struct trial *t, uint32_t set, bool code)
{
    double sum = 0;
    for (uint32_t l = 0; l < LAYERS; l++) {
        bool out = false, rim = set >> l & 1, extra = false;
        for (uint32_t i = 0; i < t->model.edges; i++) {
            uint32_t to = t->edge[i].to;
            if (t->edge[i].from != l)
                continue;
            out = out || (set >> l & 1 && !(set >> to & 1));
            rim = rim && !(set >> to & 1);
            /* an end of the set that needs l and not `to` */
            for (uint32_t a = 0; a < LAYERS; a++) {
                bool end = set >> a & 1;
                for (uint32_t k = 0; k < t->model.edges; k++)
                    end =
                        end
                        && !(t->edge[k].from == a && set >> t->edge[k].to & 1);
                extra =
                    extra
                    || (end && needs(t, a, l) && to != a && !needs(t, a, to));
            }
        }
        if (code ? rim || extra : out)
            sum += (double)t->activations[l];
    }
    return sum;
}

static double total(const uint64_t *x, uint32_t set)
{
    double sum = 0;
    for (uint32_t l = 0; l < LAYERS; l++)
        sum += set >> l & 1 ? (double)x[l] : 0;
    return sum;
}

static double search(const struct trial *t, uint32_t level, uint32_t base,
                     uint32_t set, uint32_t m);

static double stage(const struct trial *t, uint32_t level, uint32_t set,
                    uint32_t base, uint32_t m, double behind, bool single)
{
    double c = 0, rate = (double)t->q.level[level].rate_bps / 8e12;
    double w = total(t->parameters, set & ~base);
    double kept = (w + total(t->activations, set & ~base)) * ceil(behind / m);
    if (t->q.memory && kept > (double)t->q.memory)
        return INFINITY;
    for (uint32_t l = 0; l < LAYERS && !level; l++)
        if (set & ~base & 1u << l)
            c += (double)(t->forward[l] + t->backward[l]);
    if (level)
        c = search(t, level - 1, base, set, t->q.level[level - 1].machines);
    if (t->q.cost == ORR_COST_PAPER)
        return fmax(c, 2.0 * (m - 1) * w / rate) / m;
    double inner = single && level ? t->q.level[level - 1].machines : 1;
    return (c + 4.0 * (m - 1) * w / (rate * m) / inner) / m;
}

/* The best of all ways with exactly m machines. */
static double search(const struct trial *t, uint32_t level, uint32_t base,
                     uint32_t set, uint32_t m)
{
    uint32_t all = t->q.level[level].machines, last = (1u << LAYERS) - 1;
    double rate = (double)t->q.level[level].rate_bps / 8e12;
    bool code = t->q.cost == ORR_COST_CODE;
    double best = stage(t, level, set, base, m, all - m, true);
    for (uint32_t i = 0; i < t->sets; i++) {
        uint32_t k = t->set[i];
        if ((k & set) != k || k == set || (k & base) != base || k == base)
            continue;
        for (uint32_t r = 1; r < m; r++) {
            double in = 2 * across(t, k, code) / rate / (code ? r : 1);
            double out =
                code && set != last ? 2 * across(t, set, code) / rate / r : 0;
            double time = fmax(search(t, level, base, k, m - r),
                               stage(t, level, set, k, r, all - m, false));
            best = fmin(best, fmax(time, fmax(in, out)));
        }
    }
    return best;
}

/* ---- trials -------------------------------------------------------------- */

static void draw_model(struct trial *t)
{
    struct orr_model *m = &t->model;
    *m = (struct orr_model){
        .name = "drawn", .layers = LAYERS, .layer = t->layer};
    bool row = below(t, 2);
    m->edge = row && below(t, 2) ? NULL : t->edge;
    for (uint32_t to = 1; to < LAYERS; to++) {
        uint32_t one = row ? to - 1 : below(t, to);
        t->edge[m->edges++] = (struct orr_model_edge){one, to};
        if (!row && below(t, 2) && below(t, to) != one)
            t->edge[m->edges++] = (struct orr_model_edge){to - 1, to};
    }
    for (uint32_t l = 0; l < LAYERS; l++) {
        t->layer[l].unit = l;
        t->forward[l] = below(t, 30) * ORR_MS;
        t->backward[l] = below(t, 60) * ORR_MS;
        t->activations[l] = below(t, 1000) * UINT64_C(100003);
        t->parameters[l] = below(t, 3) ? below(t, 1000) * UINT64_C(50001) : 0;
    }
    t->costs = (struct orr_layer_costs){1, t->forward, t->backward,
                                        t->activations, t->parameters};
}

static void draw_request(struct trial *t)
{
    t->q.cost = below(t, 2) ? ORR_COST_CODE : ORR_COST_PAPER;
    t->q.levels = 1 + below(t, 2);
    t->q.memory = below(t, 3) ? 0 : 1 + below(t, 300) * UINT64_C(1000000);
    for (uint32_t i = 0; i < t->q.levels; i++) {
        t->q.level[i].machines = 1 + below(t, t->q.levels == 2 ? 3 : 5);
        t->q.level[i].rate_bps = (1 + below(t, 100)) * UINT64_C(1000000000);
    }
}

/* Stages follow one another and use all machines. */
static void check_stages(const struct trial *t, const struct orr_cuts *x,
                         const struct orr_partition *p)
{
    uint32_t at = 0, machines = 0;
    for (uint32_t i = 0; i < p->stages; i++) {
        assert_int_equal(p->stage[i].from, at);
        at = p->stage[i].to + 1;
        assert_true(at > p->stage[i].from);
        machines += p->stage[i].replicas;
    }
    assert_int_equal(at, x->n);
    assert_int_equal(machines, p->machines);
}

static void test_against_search(void **state)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        static struct trial t;
        struct orr_cuts cuts;
        struct orr_partition p;
        struct orr_config *c;
        struct orr_report why = {0};
        t = (struct trial){.sets = 0};
        orr__random_init(&t.random, seed, 0, 0);
        draw_model(&t);
        draw_request(&t);
        grow(&t, 1);
        assert_int_equal(
            orr__config_parse("c.yaml", cut_here, strlen(cut_here), &c, &why),
            ORR_OK);
        const struct orr_yaml *at = orr__yaml_get(orr__config_root(c), "plan");
        assert_int_equal(orr__cuts_find(&t.model, &t.costs, c, at, &cuts, &why),
                         ORR_OK);
        assert_int_equal(cuts.n, t.sets);
        t.q.cuts = &cuts;
        orr_err err = orr__partition(&t.q, c, at, &p, &why);
        double want = search(&t, t.q.levels - 1, 0, (1u << LAYERS) - 1,
                             t.q.level[t.q.levels - 1].machines);
        if (isinf(want) ? err != ORR_ECONFIG
                        : err || fabs((double)p.slowest_ps - want) > 4)
            fail_msg("seed %d: %s %g instead of %g", (int)seed, why.message,
                     (double)p.slowest_ps, want);
        if (!err)
            check_stages(&t, &cuts, &p);
        orr__partition_fini(&p);
        orr__cuts_fini(&cuts);
        orr__config_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
