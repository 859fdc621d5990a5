#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

#define SERVERS "servers: {gpus: 4, link: {rate: 3.6Tbps, delay: 300ns}}, "

/* Each host of the kind is a server with four GPUs. */
static void around_a_switch(void **state)
{
    struct orr_graph *g =
        topology("{kind: switch, hosts: 3, " SERVERS LINK "}");
    const struct expected e = {12, 3 + 1, 3 + 12, 4, 12 * (3 * 2 + 8 * 4), 0};
    assert_graph(g, &e);
    for (uint32_t s = 0; s < 3; s++)
        assert_cable(g, s, 12 + s, 15);
    for (uint32_t h = 0; h < 12; h++) {
        assert_cable(g, 3 + h, h, 12 + h / 4);
        assert_true(g->sends[h]);
        assert_true(g->delay_ps[3 + h] == 300000);
    }
    for (uint32_t s = 12; s < 16; s++) {
        assert_false(g->sends[s]);
        assert_true(g->forwards[s]);
        assert_int_equal(g->level[s], s < 15 ? 1 : 2);
    }
    assert_name(g, 14, "server2");
    assert_name(g, 7, "host 7");
    orr__graph_free(g);
}

/* Servers forward where hosts do; names, areas and tiers move along. */
static void around_others(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 5, " SERVERS LINK "}");
    const struct expected ring = {20, 5, 25, 4, 20 * (3 * 2 + 8 * 3 + 8 * 4),
                                  0};
    assert_graph(g, &ring);
    assert_int_equal(g->gpus, 4);
    orr__graph_free(g);
    g = topology("{kind: dragonfly, h: 1, links: 2, " SERVERS LINK "}");
    const struct expected fly = {
        24, 6 + 6, 2 * (12 + 24), 7, 24 * (3 * 2 + 4 * (2 * 5 + 2 * 6 + 7)), 0,
    };
    assert_graph(g, &fly);
    assert_name(g, 24 + 6 + 3, "group1/router1");
    assert_int_equal(g->area[24 + 6 + 3], 1);
    assert_int_equal(g->area[24 + 3], 1); /* its server */
    assert_string_equal(g->tier_names[2], "global");
    assert_string_equal(g->tier_names[3], "nvlink");
    orr__graph_free(g);
    g = topology("{kind: torus, dims: [3, 3], " SERVERS LINK "}");
    assert_int_equal(g->n_dims, 0); /* ranks do not form this grid */
    orr__graph_free(g);
    g = topology("{kind: fully-connected, hosts: 3, " SERVERS LINK "}");
    const struct expected full = {12, 3, 3 + 12, 3, 12 * (3 * 2 + 8 * 3), 0};
    assert_graph(g, &full);
    orr__graph_free(g);
}

static void one_gpu(void **state)
{
    struct orr_graph *g = topology(
        "{kind: switch, hosts: 2, servers: {gpus: 1, link: {rate: 1Tbps, "
        "delay: 1ns}}, " LINK "}");
    const struct expected e = {2, 3, 4, 4, 2 * 4, 0};
    assert_graph(g, &e);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(around_a_switch),
        cmocka_unit_test(around_others),
        cmocka_unit_test(one_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
