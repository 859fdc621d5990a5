#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

#define SERVERS "servers: {gpus: 4, link: {rate: 3.6Tbps, delay: 300ns}}, "

/* Six servers of four GPUs; three servers' GPUs on each leaf of a rail. */
static void leaf_i_for_gpu_i(void **state)
{
    struct orr_graph *g = topology(
        "{kind: rail-optimised, hosts: 6, servers_per_leaf: 3, " SERVERS LINK
        "}");
    /* GPUs: 24; servers' switches, leaves, spines */
    const struct expected e = {
        24,
        6 + 8 + 3,
        24 + 24 + 8 * 3,
        4,
        24 * ((3 + 2) * 2 + (24 - 1 - 5) * 4),
        0,
    };
    assert_graph(g, &e);
    for (uint32_t h = 0; h < 24; h++) {
        assert_cable(g, h, h, 24 + h / 4);
        assert_cable(g, 24 + h, h, 30 + h % 4 * 2 + h / 12);
        assert_false(g->forwards[h]);
        assert_true(g->rate_bps[h] == 3600000000000);
        assert_true(g->delay_ps[h] == 300000);
    }
    assert_name(g, 24 + 5, "server5");
    assert_name(g, 30 + 3, "rail1/leaf1");
    assert_name(g, 38 + 2, "spine2");
    assert_string_equal(g->tier_names[g->tier[0]], "nvlink");
    orr__graph_free(g);
}

/* Without spines GPUs of other rails are reached through one's own server or
 * theirs. */
static void rails_only(void **state)
{
    struct orr_graph *g =
        topology("{kind: rail-only, hosts: 6, " SERVERS LINK "}");
    const struct expected e = {24, 6 + 4, 48, 4, 24 * ((3 + 5) * 2 + 15 * 4),
                               0};
    assert_graph(g, &e);
    for (uint32_t h = 0; h < 24; h++)
        assert_true(g->forwards[h]);
    orr__graph_free(g);
}

/* A GPU that sends to another rail changes rails in its own server first. */
static void nvlink_first(void **state)
{
    struct orr_graph *g = topology(
        "{kind: rail-optimised, hosts: 2, forward: true, " SERVERS LINK "}");
    struct orr_routing *r = all_routes(g);
    uint32_t n;
    const uint32_t *link = orr__routing_next(r, 0, 5, &n);
    assert_int_equal(n, 1);
    assert_int_equal(g->to[*link], 8); /* server 0 */
    link = orr__routing_next(r, 0, 4, &n);
    assert_int_equal(n, 1);
    assert_int_equal(g->to[*link], 10); /* leaf of rail 0 */
    orr__routing_free(r);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf_i_for_gpu_i),
        cmocka_unit_test(rails_only),
        cmocka_unit_test(nvlink_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
