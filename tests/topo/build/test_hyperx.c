#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void a_grid_of_meshes(void **state)
{
    struct orr_graph *g =
        topology("{kind: hyperx, dims: [4, 3], hosts_per_switch: 2, " LINK ", "
                 "dimensions: [{}, {rate: 40Gbps}]}");
    /* from a switch: 3 + 2 one apart, 6 two apart; dimension 1 is cheapest to
     * cut, and odd */
    const struct expected e = {
        24, 12, 24 + 18 + 12, 4, 24 * (1 * 2 + 10 * 3 + 12 * 4), 0};
    assert_graph(g, &e);
    for (uint32_t s = 24; s < 36; s++)
        assert_int_equal(degree(g, s), 2 + 3 + 2);
    assert_cable(g, 24, 24, 25); /* along dimension 0, then 1 */
    assert_cable(g, 26, 24, 27);
    assert_cable(g, 27, 24, 28);
    assert_true(g->rate_bps[26] == 100000000000);
    assert_true(g->rate_bps[27] == 40000000000);
    assert_name(g, 24 + 7, "switch3.1");
    orr__graph_free(g);
}

static void bisection(void **state)
{
    struct orr_graph *g =
        topology("{kind: hyperx, dims: [4, 4], hosts_per_switch: 4, " LINK "}");
    const struct expected e = {
        64, 16, 112, 4, 64 * (3 * 2 + 24 * 3 + 36 * 4), 16 * 100000000000};
    assert_graph(g, &e); /* 16 * 4 / 4 cables */
    orr__graph_free(g);
    /* a hypercube: half of its switches times one cable */
    g = topology("{kind: hyperx, dims: [2, 2, 2], hosts_per_switch: 1, " LINK
                 "}");
    const struct expected cube = {
        8, 8, 20, 5, 8 * (9 + 12 + 5), 4 * 100000000000};
    assert_graph(g, &cube);
    orr__graph_free(g);
    /* many slow cables against few fast ones; hosts are narrower still */
    g = topology("{kind: hyperx, dims: [4, 2], hosts_per_switch: 1, " LINK
                 ", dimensions: [{rate: 30Gbps}, {rate: 100Gbps}]}");
    const struct expected slow = {
        8, 8, 24, 4, 8 * (4 * 3 + 3 * 4), 8 * 30000000000};
    assert_graph(g, &slow);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_of_meshes),
        cmocka_unit_test(bisection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
