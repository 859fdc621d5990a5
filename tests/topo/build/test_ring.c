#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void clockwise_comes_first(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 8, " LINK "}");
    assert_int_equal(g->hosts, 8);
    assert_int_equal(g->nodes, 8);
    assert_int_equal(g->cables, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_cable(g, i, i, (i + 1) % 8);
        assert_true(g->forwards[i]);
        assert_int_equal(g->out_link[g->out_off[i]], i);
    }
    orr__graph_free(g);
}

static void two_hosts_have_one_cable(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 2, " LINK "}");
    assert_int_equal(g->cables, 1);
    assert_cable(g, 0, 0, 1);
    orr__graph_free(g);
    g = topology("{kind: ring, hosts: 2, links: 2, " LINK "}");
    assert_int_equal(g->cables, 2);
    assert_cable(g, 1, 0, 1);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clockwise_comes_first),
        cmocka_unit_test(two_hosts_have_one_cable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
