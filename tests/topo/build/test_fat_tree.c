#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

/* k = 4: hosts 0-15, edge 16-23, aggregation 24-31, core 32-35. */
static void wiring_of_k4(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 4, " LINK "}");
    assert_int_equal(g->hosts, 16);
    assert_int_equal(g->nodes, 36);
    assert_int_equal(g->cables, 48);
    assert_int_equal(g->k, 4);
    assert_int_equal(g->oversubscription, 1);
    assert_cable(g, 0, 0, 16);
    assert_cable(g, 1, 1, 16);
    assert_cable(g, 2, 2, 17);
    assert_cable(g, 15, 15, 23);
    assert_cable(g, 16, 16, 24); /* edge 0 of pod 0 */
    assert_cable(g, 17, 16, 25);
    assert_cable(g, 18, 17, 24);
    assert_cable(g, 30, 23, 30); /* edge 1 of pod 3 */
    assert_cable(g, 31, 23, 31);
    assert_cable(g, 32, 24, 32); /* aggregation 0 of pod 0: cores 0, 1 */
    assert_cable(g, 33, 24, 33);
    assert_cable(g, 34, 25, 34); /* aggregation 1: cores 2, 3 */
    assert_cable(g, 35, 25, 35);
    assert_cable(g, 46, 31, 34); /* aggregation 1 of pod 3 */
    assert_cable(g, 47, 31, 35);
    for (uint32_t v = 0; v < g->nodes; v++) {
        uint32_t degree = g->out_off[v + 1] - g->out_off[v];
        assert_int_equal(degree, v < 16 ? 1 : 4);
        assert_int_equal(g->level[v], v < 16 ? 0 : v < 24 ? 1 : v < 32 ? 2 : 3);
    }
    orr__graph_free(g);
}

static void sizes_follow_k(void **state)
{
    for (uint32_t k = 2; k <= 12; k += 2) {
        for (uint32_t o = 1; o <= 3; o++) {
            char yaml[128];
            uint32_t up = k * k * k / 4;
            snprintf(yaml, sizeof yaml,
                     "{kind: fat-tree, k: %u, oversubscription: %u, " LINK "}",
                     k, o);
            struct orr_graph *g = topology(yaml);
            assert_int_equal(g->hosts, up * o);
            assert_int_equal(g->nodes, up * o + 5 * k * k / 4);
            assert_int_equal(g->cables, up * o + 2 * up);
            for (uint32_t v = g->hosts; v < g->nodes; v++) {
                uint32_t degree = g->out_off[v + 1] - g->out_off[v];
                assert_int_equal(degree,
                                 g->level[v] == 1 ? k / 2 * (o + 1) : k);
            }
            orr__graph_free(g);
        }
    }
}

static void tiers_override_the_link(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 4, " LINK
                                   ", tiers: {host: {rate: 25Gbps}, "
                                   "aggregation: {delay: 2us, loss: 0.25}}}");
    assert_string_equal(g->tier_names[0], "host");
    assert_string_equal(g->tier_names[1], "edge");
    assert_string_equal(g->tier_names[2], "aggregation");
    for (uint32_t l = 0; l < g->links; l++) {
        uint32_t c = l % g->cables;
        unsigned tier = c < 16 ? 0 : c < 32 ? 1 : 2;
        assert_int_equal(g->tier[l], tier);
        assert_true(g->rate_bps[l] / 1000000000 == (tier ? 100 : 25));
        assert_true(g->delay_ps[l] == (tier == 2 ? 2000000 : 500000));
        assert_true(g->loss[l] == (tier == 2 ? 0.25 : 0));
    }
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wiring_of_k4),
        cmocka_unit_test(sizes_follow_k),
        cmocka_unit_test(tiers_override_the_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
