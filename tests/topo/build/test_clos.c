#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void as_few_tiers_as_will_do(void **state)
{
    struct orr_graph *g =
        topology("{kind: clos, hosts: 16, radix: 16, " LINK "}");
    const struct expected one = {16, 1, 16, 2, 16 * 15 * 2, 8 * 100000000000};
    assert_graph(g, &one);
    assert_name(g, 16, "leaf0");
    orr__graph_free(g);
    g = topology("{kind: clos, hosts: 128, radix: 16, " LINK "}");
    const struct expected two = {
        128, 16 + 8, 256, 4, 128 * (7 * 2 + 120 * 4), 64 * 100000000000};
    assert_graph(g, &two);
    assert_name(g, 128 + 16, "spine0");
    orr__graph_free(g);
    g = topology("{kind: clos, hosts: 16, radix: 4, " LINK "}");
    /* the fat-tree of k = 4 */
    const struct expected three = {
        16, 8 + 8 + 4, 48, 6, 16 * (1 * 2 + 2 * 4 + 12 * 6), 0};
    assert_graph(g, &three);
    assert_name(g, 16 + 3, "pod1/leaf1");
    assert_name(g, 16 + 8 + 3, "pod1/middle1");
    assert_name(g, 16 + 16, "core0");
    orr__graph_free(g);
}

/* Few leaves have several cables to each spine; no switch has more ports than
 * there are, and all uplinks are there. */
static void ports_are_used(void **state)
{
    static const char *const samples[] = {
        "{kind: clos, hosts: 64, radix: 32, " LINK "}",
        "{kind: clos, hosts: 100, radix: 16, oversubscription: 3, " LINK "}",
        "{kind: clos, hosts: 1000, radix: 16, " LINK "}",
        "{kind: clos, hosts: 200, radix: 9, oversubscription: 2, " LINK "}",
        "{kind: clos, hosts: 30, radix: 6, oversubscription: 5, " LINK "}",
    };
    static const uint32_t radix[] = {32, 16, 16, 9, 6};
    static const uint32_t ratio[] = {1, 3, 1, 2, 5};
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        for (uint32_t v = g->hosts; v < g->nodes; v++) {
            uint32_t up = 0, down = 0;
            assert_in_range(degree(g, v), 1, radix[i]);
            for (uint32_t k = g->out_off[v]; k < g->out_off[v + 1]; k++)
                *(g->level[g->to[g->out_link[k]]] > g->level[v] ? &up
                                                                : &down) += 1;
            if (g->level[v] == 1) {
                assert_int_equal(up, radix[i] / (1 + ratio[i]));
                assert_in_range(down, 1, up * ratio[i]);
            }
        }
        orr__graph_free(g);
    }
}

static void several_cables_to_a_spine(void **state)
{
    struct orr_graph *g =
        topology("{kind: clos, hosts: 64, radix: 32, " LINK "}");
    const struct expected e = {
        64, 4 + 2, 64 + 64, 4, 64 * (15 * 2 + 48 * 4), 32 * 100000000000};
    assert_graph(g, &e); /* eight cables from a leaf to each of two spines */
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_few_tiers_as_will_do),
        cmocka_unit_test(ports_are_used),
        cmocka_unit_test(several_cables_to_a_spine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
