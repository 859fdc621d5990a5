#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/topo/small_topology.h"
#include "topo/metrics.h"
#include "topo/partition.h"

static struct orr_metrics metrics(const struct orr_graph *g)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_metrics m;
    if (orr__graph_metrics(g, &m, &why) != ORR_OK)
        fail_msg("%s: %s", g->kind, why.message);
    return m;
}

/* Worked out by hand. Links are 100 Gbps. */
static const struct {
    const char *yaml;
    uint32_t diameter;
    double mean;
    uint64_t bisection_gbps;
    bool exact;
    uint64_t paths_min, paths_max;
    double paths_mean;
} known[] = {
    /* distances 1 1 2 2 3 3 4; only the antipode has two ways */
    {"{kind: ring, hosts: 8, " LINK "}", 4, 16.0 / 7, 200, true, 1, 2, 8.0 / 7},
    {"{kind: ring, hosts: 2, links: 3, " LINK "}", 1, 1, 300, true, 3, 3, 3},
    {"{kind: fully-connected, hosts: 8, " LINK "}", 1, 1, 1600, true, 1, 1, 1},
    {"{kind: fully-connected, hosts: 5, " LINK "}", 1, 1, 600, true, 1, 1, 1},
    /* per dimension 0 1 2 1: mean 1 each over 64, so 192 / 63; the antipode
     * has 6! / (2! 2! 2!) * 2^3 ways; ways in all 1 dimension: 1 1 2 1, so
     * sum over the offsets of multinomials, 1956 / 63 */
    {"{kind: torus, dims: [4, 4, 4], " LINK "}", 6, 192.0 / 63, 3200, true, 1,
     720, 1956.0 / 63},
    /* a cube: 3 at 1, 3 at 2 with 2 ways, 1 at 3 with 6 */
    {"{kind: torus, dims: [2, 2, 2], " LINK "}", 3, 12.0 / 7, 400, true, 1, 6,
     15.0 / 7},
    /* 1 host at 2 links, 2 at 4, 12 at 6; 1, 2 and 4 ways */
    {"{kind: fat-tree, k: 4, " LINK "}", 6, 82.0 / 15, 800, true, 1, 4,
     53.0 / 15},
    /* 3 hosts at 2, 12 at 4, 112 at 6; 1, 4 and 16 ways */
    {"{kind: fat-tree, k: 8, " LINK "}", 6, 726.0 / 127, 6400, true, 1, 16,
     1843.0 / 127},
    /* twice the hosts, the same core */
    {"{kind: fat-tree, k: 4, oversubscription: 2, " LINK "}", 6, 166.0 / 31,
     800, true, 1, 4, 107.0 / 31},
    {"{kind: switch, hosts: 16, " LINK "}", 2, 2, 800, true, 1, 1, 1},
    {"{kind: parameter-server, workers: 8, servers: 2, " LINK "}", 2, 2, 500,
     true, 1, 1, 1},
    /* racks of 5 and 5: one uplink */
    {"{kind: parameter-server, workers: 8, servers: 2, racks: 2, " LINK "}", 4,
     (4 * 2 + 5 * 4) / 9.0, 100, true, 1, 1, 1},
    /* 12 of 20 ordered pairs cross */
    {"{kind: dumbbell, left: 3, right: 2, " LINK
     ", bottleneck: {rate: 10Gbps}}",
     3, (8 * 2 + 12 * 3) / 20.0, 10, true, 1, 1, 1},
    /* 7 hosts at 2, 24 at 4 by 2 ways */
    {"{kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 8, " LINK "}", 4,
     110.0 / 31, 400, true, 1, 2, 55.0 / 31},
    {"{kind: switch, hosts: 1, " LINK "}", 0, 0, 0, true, 0, 0, 0},
};

static void known_graphs(void **state)
{
    for (size_t i = 0; i < COUNT(known); i++) {
        struct orr_graph *g = topology(known[i].yaml);
        struct orr_metrics m = metrics(g);
        if (m.diameter != known[i].diameter
            || fabs(m.mean_path - known[i].mean) > 1e-12
            || m.bisection_bps != known[i].bisection_gbps * 1000000000
            || m.bisection_exact != known[i].exact
            || m.paths_min != known[i].paths_min
            || m.paths_max != known[i].paths_max
            || fabs(m.paths_mean - known[i].paths_mean) > 1e-12 || m.sampled)
            fail_msg("%s: diameter %u mean %.12g bisection %.12g%s paths "
                     "%lu %lu %.12g%s",
                     known[i].yaml, m.diameter, m.mean_path,
                     (double)m.bisection_bps, m.bisection_exact ? "" : "?",
                     (unsigned long)m.paths_min, (unsigned long)m.paths_max,
                     m.paths_mean, m.sampled ? " sampled" : "");
        orr__graph_free(g);
    }
}

/* The smallest cut over all ways to put the nodes on two sides, half of the
 * hosts on each. */
static uint64_t true_bisection(const struct orr_graph *g)
{
    uint64_t best = UINT64_MAX;
    assert_true(g->nodes <= 20);
    for (uint32_t sides = 0; sides < UINT32_C(1) << g->nodes; sides++) {
        uint32_t hosts = sides & ((UINT32_C(1) << g->hosts) - 1);
        if ((uint32_t)__builtin_popcount(hosts) != g->hosts / 2)
            continue;
        uint64_t cut = 0;
        for (uint32_t c = 0; c < g->cables; c++)
            if ((sides >> g->from[c] ^ sides >> g->to[c]) & 1)
                cut += g->rate_bps[c];
        best = cut < best ? cut : best;
    }
    return best;
}

static void bisection_against_all_cuts(void **state)
{
    static const char *const small[] = {
        "{kind: ring, hosts: 7, " LINK "}",
        "{kind: ring, hosts: 2, links: 2, " LINK "}",
        "{kind: fully-connected, hosts: 7, " LINK "}",
        "{kind: torus, dims: [3, 3], " LINK "}",
        "{kind: torus, dims: [4, 3], " LINK "}",
        "{kind: torus, dims: [4, 2], " LINK "}",
        "{kind: torus, dims: [4, 4], " LINK "}",
        "{kind: torus, dims: [2, 2, 2, 2], " LINK "}",
        "{kind: torus, dims: [6, 2], links: 2, " LINK "}",
        "{kind: torus, dims: [4, 4], " LINK
        ", dimensions: [{}, {rate: 30Gbps}]}",
        "{kind: fat-tree, k: 2, " LINK "}",
        "{kind: fat-tree, k: 2, oversubscription: 5, " LINK "}",
        "{kind: fat-tree, k: 2, oversubscription: 3, " LINK
        ", tiers: {edge: {rate: 250Gbps}, aggregation: {rate: 200Gbps}}}",
        "{kind: switch, hosts: 9, " LINK "}",
        "{kind: dumbbell, left: 4, right: 4, " LINK "}",
        "{kind: dumbbell, left: 7, right: 2, " LINK "}",
        "{kind: dumbbell, left: 3, right: 6, " LINK
        ", bottleneck: {rate: 250Gbps}}",
        "{kind: leaf-spine, leaves: 1, spines: 3, hosts_per_leaf: 6, " LINK "}",
        "{kind: leaf-spine, leaves: 3, spines: 1, hosts_per_leaf: 4, " LINK "}",
        "{kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 3, " LINK
        ", uplink: {rate: 60Gbps}}",
        "{kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 4, " LINK "}",
        "{kind: parameter-server, workers: 7, servers: 3, racks: 3, " LINK "}",
        "{kind: parameter-server, workers: 5, servers: 2, racks: 4, " LINK
        ", uplink: {rate: 150Gbps}}",
        "{kind: parameter-server, workers: 9, servers: 1, racks: 5, " LINK
        ", uplink: {rate: 50Gbps}}",
    };
    for (size_t i = 0; i < COUNT(small); i++) {
        struct orr_graph *g = topology(small[i]);
        struct orr_report why = {.code = ORR_OK};
        struct orr_metrics m = metrics(g);
        uint64_t want = true_bisection(g), bound;
        if (m.bisection_exact ? m.bisection_bps != want
                              : m.bisection_bps < want)
            fail_msg("%s: %g%s instead of %g", small[i],
                     (double)m.bisection_bps, m.bisection_exact ? "" : "?",
                     (double)want);
        assert_int_equal(orr__graph_bisection_bound(g, &bound, &why), ORR_OK);
        if (bound < want || bound > want + want / 2)
            fail_msg("%s: METIS says %g, it is %g", small[i], (double)bound,
                     (double)want);
        orr__graph_free(g);
    }
}

static void one_path(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 4, " LINK "}");
    struct orr_report why = {.code = ORR_OK};
    uint32_t *links, n;
    uint64_t paths;
    /* host 0, edge 16, aggregation 24, core 32, aggregation 30, edge 22, 13 */
    static const uint32_t hops[] = {0, 16, 24, 32, 30, 22, 13};
    assert_int_equal(orr__graph_path(g, 0, 13, &links, &n, &paths, &why),
                     ORR_OK);
    assert_int_equal(n, 6);
    assert_true(paths == 4);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(g->from[links[i]], hops[i]);
        assert_int_equal(g->to[links[i]], hops[i + 1]);
    }
    orr__free(links);
    assert_int_equal(orr__graph_path(g, 4, 5, &links, &n, &paths, &why),
                     ORR_OK);
    assert_int_equal(n, 2);
    assert_true(paths == 1);
    orr__free(links);
    assert_int_equal(orr__graph_path(g, 4, 4, &links, &n, &paths, &why),
                     ORR_OK);
    assert_int_equal(n, 0);
    orr__free(links);
    orr__graph_free(g);
}

static void the_lower_way_round_a_ring(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 8, " LINK "}");
    struct orr_report why = {.code = ORR_OK};
    uint32_t *links, n;
    uint64_t paths;
    assert_int_equal(orr__graph_path(g, 6, 2, &links, &n, &paths, &why),
                     ORR_OK);
    assert_int_equal(n, 4);
    assert_true(paths == 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(links[i], (6 + i) % 8);
    orr__free(links);
    orr__graph_free(g);
}

/* 1,024 hosts: paths are sampled, yet a regular graph shows them all. */
static void large_graphs_are_sampled(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 16, " LINK "}");
    struct orr_metrics a = metrics(g), b = metrics(g);
    assert_true(a.sampled);
    assert_int_equal(a.diameter, 6);
    assert_true(fabs(a.mean_path - (7 * 2 + 56 * 4 + 960 * 6) / 1023.0)
                < 1e-12);
    assert_true(a.paths_min == 1 && a.paths_max == 64);
    assert_true(a.paths_mean == b.paths_mean); /* the seed is fixed */
    orr__graph_free(g);
}

/* A 16 x 16 x ... torus has more ways than 64 bits can count. */
static void path_counts_saturate(void **state)
{
    struct orr_graph *g =
        topology("{kind: torus, dims: [4, 4, 4, 4, 4], links: 64, " LINK "}");
    assert_true(metrics(g).paths_max == UINT64_MAX);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_graphs),
        cmocka_unit_test(bisection_against_all_cuts),
        cmocka_unit_test(one_path),
        cmocka_unit_test(the_lower_way_round_a_ring),
        cmocka_unit_test(large_graphs_are_sampled),
        cmocka_unit_test(path_counts_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
