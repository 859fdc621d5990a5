#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void cable_of_each_host(void **state)
{
    struct orr_graph *g =
        topology("{kind: switch, hosts: 16, link: {rate: 100Gbps, "
                 "delay: 1us, loss: 0.001}}");
    assert_int_equal(g->hosts, 16);
    assert_int_equal(g->nodes, 17);
    assert_int_equal(g->cables, 16);
    for (uint32_t h = 0; h < 16; h++) {
        assert_cable(g, h, h, 16);
        assert_true(g->loss[h] == 0.001 && g->loss[16 + h] == 0.001);
    }
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cable_of_each_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
