#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void every_leaf_to_every_spine(void **state)
{
    struct orr_graph *g =
        topology("{kind: leaf-spine, leaves: 3, spines: 2, "
                 "hosts_per_leaf: 4, " LINK ", uplink: {rate: 400Gbps}}");
    uint32_t c = 12;
    assert_int_equal(g->hosts, 12);
    assert_int_equal(g->nodes, 17);
    assert_int_equal(g->cables, 18);
    for (uint32_t h = 0; h < 12; h++)
        assert_cable(g, h, h, 12 + h / 4);
    for (uint32_t leaf = 12; leaf < 15; leaf++) {
        assert_int_equal(g->level[leaf], 1);
        for (uint32_t spine = 15; spine < 17; spine++) {
            assert_int_equal(g->level[spine], 2);
            assert_true(g->rate_bps[c] == 400000000000u);
            assert_cable(g, c++, leaf, spine);
        }
    }
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_leaf_to_every_spine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
