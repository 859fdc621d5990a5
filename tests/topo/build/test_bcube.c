#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void two_levels(void **state)
{
    struct orr_graph *g = topology("{kind: bcube, n: 4, k: 1, " LINK "}");
    /* 6 hosts share a switch, 9 share none */
    const struct expected e = {16, 8, 32, 4, 16 * (6 * 2 + 9 * 4), 0};
    assert_graph(g, &e);
    for (uint32_t h = 0; h < 16; h++) {
        assert_cable(g, 2 * h, h, 16 + h / 4);
        assert_cable(g, 2 * h + 1, h, 20 + h % 4);
        assert_true(g->forwards[h]);
        assert_true(g->sends[h]);
    }
    for (uint32_t s = 16; s < 24; s++) {
        assert_int_equal(degree(g, s), 4);
        assert_false(g->sends[s]);
    }
    assert_name(g, 22, "level1/switch2");
    orr__graph_free(g);
}

/* Hosts whose addresses differ in i digits are 2 i links apart. */
static void three_levels(void **state)
{
    struct orr_graph *g = topology("{kind: bcube, n: 3, k: 2, " LINK "}");
    const struct expected e = {27, 27, 81, 6, 27 * (6 * 2 + 12 * 4 + 8 * 6), 0};
    assert_graph(g, &e);
    orr__graph_free(g);
}

static void no_level_is_a_switch(void **state)
{
    struct orr_graph *g = topology("{kind: bcube, n: 6, k: 0, " LINK "}");
    const struct expected e = {6, 1, 6, 2, 6 * 5 * 2, 3 * 100000000000};
    assert_graph(g, &e);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_levels),
        cmocka_unit_test(three_levels),
        cmocka_unit_test(no_level_is_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
