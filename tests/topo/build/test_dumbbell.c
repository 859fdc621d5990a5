#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void bottleneck_comes_last(void **state)
{
    struct orr_graph *g =
        topology("{kind: dumbbell, left: 3, right: 2, " LINK
                 ", bottleneck: {rate: 10Gbps, delay: 10us}}");
    assert_int_equal(g->hosts, 5);
    assert_int_equal(g->nodes, 7);
    assert_int_equal(g->cables, 6);
    for (uint32_t h = 0; h < 5; h++) {
        assert_cable(g, h, h, h < 3 ? 5 : 6);
        assert_true(g->rate_bps[h] == 100000000000u);
    }
    assert_cable(g, 5, 5, 6);
    assert_true(g->rate_bps[5] == 10000000000u);
    assert_true(g->delay_ps[5] == 10000000 && g->delay_ps[11] == 10000000);
    assert_string_equal(g->tier_names[g->tier[5]], "bottleneck");
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bottleneck_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
