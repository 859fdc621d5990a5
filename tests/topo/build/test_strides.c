#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "core/none.h"
#include "tests/topo/small_topology.h"
#include "topo/stride_rule.h"

static uint32_t factor(uint32_t a, uint32_t b)
{
    return a ? factor(b % a, a) : b;
}

/* Least numbers of coins that make each sum modulo n, by plain search; coins in
 * both directions if `both`. */
static void count_coins(uint32_t n, const int64_t *coin, uint32_t coins,
                        bool both, uint32_t *least)
{
    for (uint32_t x = 0; x < n; x++)
        least[x] = x ? ORR_NONE : 0;
    for (uint32_t made = 0; made < n; made++)
        for (uint32_t x = 0; x < n; x++)
            for (uint32_t i = 0; i < coins * 2; i++) {
                uint32_t c = (uint32_t)coin[i / 2],
                         to = (x + (i % 2 ? n - c : c)) % n;
                if ((both || i % 2 == 0) && least[x] == made
                    && least[to] == ORR_NONE)
                    least[to] = made + 1;
            }
}

/* What the rule gives: of hosts, degree, direction. The first of each size
 * follow from the rule on paper; 16 hosts with degree 6 are the paper's. */
static const struct {
    uint32_t hosts, degree;
    bool both;
    uint32_t strides, stride[10], diameter;
    double mean;
} known[] = {
    {8, 2, true, 1, {1}, 4, 16.0 / 7},
    {8, 2, false, 2, {1, 7}, 4, 16.0 / 7},
    {12, 4, true, 2, {1, 5}, 3, 20.0 / 11},
    {12, 4, false, 4, {1, 5, 7, 11}, 3, 20.0 / 11},
    {16, 6, true, 3, {1, 3, 7}, 3, 26.0 / 15},
    {16, 4, true, 2, {1, 5}, 4, 32.0 / 15},
    {16, 4, false, 4, {1, 3, 7, 15}, 4, 32.0 / 15},
    {16, 6, false, 6, {1, 3, 5, 7, 9, 15}, 3, 26.0 / 15},
    {32, 4, false, 4, {1, 5, 11, 31}, 5, 88.0 / 31},
    {32, 8, false, 8, {1, 3, 5, 7, 9, 13, 19, 31}, 3, 62.0 / 31},
    {27, 3, false, 3, {1, 7, 26}, 8, 0}, /* 26^(1/2) is 5.1: 7 is free */
    {5, 8, true, 4, {1, 2, 3, 4}, 1, 1}, /* all there are */
    {2, 1, false, 1, {1}, 1, 1},
};

static void chosen_by_the_rule(void **state)
{
    for (size_t k = 0; k < COUNT(known); k++) {
        char yaml[200];
        struct orr_report why;
        struct orr_metrics m;
        snprintf(yaml, sizeof yaml,
                 "{kind: strides, hosts: %u, degree: %u, direction: %s, " LINK
                 "}",
                 known[k].hosts, known[k].degree,
                 known[k].both ? "both" : "forward");
        struct orr_graph *g = topology(yaml);
        uint32_t n = g->hosts, least[64];
        assert_int_equal(g->n_strides, known[k].strides);
        for (uint32_t i = 0; i < g->n_strides; i++)
            assert_int_equal(g->strides[i], known[k].stride[i]);
        for (uint32_t h = 0; h < n; h++) {
            assert_true(g->forwards[h]);
            assert_int_equal(degree(g, h), known[k].degree);
            assert_int_equal(g->in_off[h + 1] - g->in_off[h], known[k].degree);
        }
        for (uint32_t c = 0; c < g->cables; c++)
            assert_cable(g, c, c % n, (c + g->strides[c / n]) % n);
        assert_int_equal(orr__links_present(g),
                         (known[k].both ? 2 : 1) * g->cables);
        assert_int_equal(orr__graph_metrics(g, &m, &why), ORR_OK);
        count_coins(n, g->strides, g->n_strides, known[k].both, least);
        uint32_t most = 0, sum = 0;
        for (uint32_t x = 1; x < n; x++) {
            most = least[x] > most ? least[x] : most;
            sum += least[x];
        }
        assert_int_equal(m.diameter, most);
        assert_float_equal(m.mean_path, (double)sum / (n - 1), 1e-9);
        if (known[k].mean > 0) {
            assert_int_equal(m.diameter, known[k].diameter);
            assert_float_equal(m.mean_path, known[k].mean, 1e-9);
        }
        orr__graph_free(g);
    }
}

/* The rule beside a plain one in doubles, which a hair above the last member is
 * still that member, for every size. */
static void chosen_as_plainly(void **state)
{
    for (uint32_t n = 2; n < 130; n++) {
        uint32_t count = 0;
        for (uint32_t s = 1; s < n; s++)
            count += factor(s, n) == 1;
        assert_int_equal(orr__strides_count(n, 1), count);
        for (uint32_t k = 1; k <= count && k <= 20; k++)
            for (int both = 0; both < 2; both++) {
                uint32_t got[ORR_MOST_STRIDES], i = 0;
                bool taken[130] = {false};
                orr__strides_choose(n, k, both, got);
                double steps = both ? k : k > 1 ? k - 1 : 1;
                for (; i < k; i++) {
                    double goal = pow(n - 1, i / steps) - 1e-9;
                    uint32_t s = 1;
                    while (s < n && (s < goal || factor(s, n) != 1 || taken[s]))
                        s++;
                    assert_true(s < n);
                    assert_int_equal(got[i], s);
                    taken[s] = true;
                }
            }
    }
}

/* Every pair of hosts by routing: as many links as the fewest coins. */
static void paths_take_the_fewest_coins(void **state)
{
    for (uint32_t n = 2; n <= 40; n++) {
        for (uint32_t k = 1; k < 6; k++) {
            char yaml[200];
            uint32_t least[64], links, *path;
            uint64_t ways;
            struct orr_report why;
            if (k > orr__strides_count(n, k))
                continue;
            bool both = (n + k) % 2;
            snprintf(
                yaml, sizeof yaml,
                "{kind: strides, hosts: %u, degree: %u, direction: %s, " LINK
                "}",
                n, k * (both ? 2 : 1), both ? "both" : "forward");
            struct orr_graph *g = topology(yaml);
            count_coins(n, g->strides, g->n_strides, both, least);
            for (uint32_t to = 1; to < n; to++) {
                uint32_t from = (to * 7 + k) % n;
                assert_int_equal(orr__graph_path(g, from, (from + to) % n,
                                                 &path, &links, &ways, &why),
                                 ORR_OK);
                assert_int_equal(links, least[to]);
                for (uint32_t i = 0; i < links; i++)
                    assert_false(orr__link_absent(g, path[i]));
                orr__free(path);
            }
            orr__graph_free(g);
        }
    }
}

static void matchings_stand_beside_the_rings(void **state)
{
    struct orr_graph *g = topology(
        "{kind: strides, hosts: 6, degree: 3, direction: forward, matching: "
        "[[[0, 2], [1, 3], [4, 5]], [[5, 0]]], " LINK "}");
    assert_int_equal(g->n_strides, 1);
    assert_int_equal(g->cables, 6 + 4);
    assert_cable(g, 6, 0, 2);
    assert_cable(g, 9, 5, 0);
    assert_int_equal(orr__links_present(g), 6 + 2 * 4);
    assert_int_equal(degree(g, 0), 3);
    assert_int_equal(degree(g, 1), 2); /* not in the second */
    assert_string_equal(g->tier_names[g->tier[0]], "ring");
    assert_string_equal(g->tier_names[g->tier[9]], "matching");
    orr__graph_free(g);
}

/* A ring of one-way cables: all the others are up to n - 1 links away, and one
 * cable parts it. */
static void one_way_cables_go_one_way(void **state)
{
    struct orr_graph *g =
        topology("{kind: strides, hosts: 5, strides: [2], direction: forward, "
                 "links: 2, " LINK "}");
    struct orr_report why;
    struct orr_metrics m;
    uint64_t bound;
    assert_int_equal(g->links, 20);
    assert_int_equal(orr__links_present(g), 10);
    for (uint32_t l = 0; l < g->links; l++)
        assert_int_equal(orr__link_absent(g, l), l >= 10);
    assert_int_equal(orr__graph_metrics(g, &m, &why), ORR_OK);
    assert_int_equal(m.diameter, 4);
    assert_float_equal(m.mean_path, 2.5, 1e-12);
    assert_int_equal(orr__graph_bisection_bound(g, &bound, &why), ORR_OK);
    assert_true(bound == 200000000000);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_by_the_rule),
        cmocka_unit_test(chosen_as_plainly),
        cmocka_unit_test(paths_take_the_fewest_coins),
        cmocka_unit_test(matchings_stand_beside_the_rings),
        cmocka_unit_test(one_way_cables_go_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
