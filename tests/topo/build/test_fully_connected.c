#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void cables_in_order_of_pairs(void **state)
{
    struct orr_graph *g =
        topology("{kind: fully-connected, hosts: 9, " LINK "}");
    uint32_t c = 0;
    assert_int_equal(g->nodes, 9);
    assert_int_equal(g->cables, 36);
    for (uint32_t a = 0; a < 9; a++) {
        assert_true(g->forwards[a]);
        for (uint32_t b = a + 1; b < 9; b++)
            assert_cable(g, c++, a, b);
    }
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cables_in_order_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
