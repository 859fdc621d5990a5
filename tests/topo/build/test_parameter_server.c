#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void one_switch(void **state)
{
    struct orr_graph *g =
        topology("{kind: parameter-server, workers: 8, servers: 2, " LINK "}");
    assert_int_equal(g->hosts, 10);
    assert_int_equal(g->nodes, 11);
    assert_int_equal(g->cables, 10);
    assert_int_equal(g->n_servers, 2);
    assert_int_equal(g->servers[0], 8);
    assert_int_equal(g->servers[1], 9);
    for (uint32_t h = 0; h < 10; h++)
        assert_cable(g, h, h, 10);
    orr__graph_free(g);
}

/* 8 workers and 3 servers in 3 racks under a core: workers 0-2, 3-5, 6-7,
 * a server in each. */
static void racks_under_a_core(void **state)
{
    static const uint32_t rack[] = {0, 0, 0, 1, 1, 1, 2, 2, 0, 1, 2};
    struct orr_graph *g = topology(
        "{kind: parameter-server, workers: 8, servers: 3, racks: 3, " LINK
        ", uplink: {rate: 400Gbps}}");
    assert_int_equal(g->hosts, 11);
    assert_int_equal(g->nodes, 15);
    assert_int_equal(g->cables, 14);
    for (uint32_t h = 0; h < 11; h++) {
        assert_cable(g, h, h, 11 + rack[h]);
        assert_true(g->rate_bps[h] == 100000000000u);
    }
    for (uint32_t r = 0; r < 3; r++) {
        assert_cable(g, 11 + r, 11 + r, 14);
        assert_true(g->rate_bps[11 + r] == 400000000000u);
        assert_int_equal(g->level[11 + r], 1);
    }
    assert_int_equal(g->level[14], 2);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_switch),
        cmocka_unit_test(racks_under_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
