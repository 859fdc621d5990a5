#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

/* Every router has (3 q - delta) / 2 others next to it, and the rest two away:
 * that they are MMS graphs shows in this. */
static void two_hops_apart(void **state)
{
    static const struct {
        uint32_t q, degree;
    } known[] = {{3, 5},   {4, 6},   {5, 7},   {7, 11},  {8, 12}, {9, 13},
                 {11, 17}, {13, 19}, {16, 24}, {17, 25}, {19, 29}};
    for (size_t i = 0; i < COUNT(known); i++) {
        uint32_t q = known[i].q, n = 2 * q * q, k = known[i].degree;
        char text[128];
        snprintf(text, sizeof text,
                 "{kind: slimfly, q: %u, hosts_per_switch: 1, " LINK "}", q);
        struct orr_graph *g = topology(text);
        const struct expected e = {
            n, n, n + n * k / 2, 4, (uint64_t)n * (3 * k + 4 * (n - 1 - k)), 0,
        };
        assert_graph(g, &e);
        for (uint32_t r = n; r < 2 * n; r++)
            assert_int_equal(degree(g, r), 1 + k);
        orr__graph_free(g);
    }
}

/* Hoffman and Singleton's graph: no other with 50 vertices of degree 7 has two
 * hops. (0, 0, 0) is next to (0, 0, 1), (0, 0, 4) and (1, m, 0). */
static void five_is_hoffman_singleton(void **state)
{
    struct orr_graph *g = topology("{kind: slimfly, q: 5, " LINK "}");
    assert_int_equal(g->hosts, 200); /* 7 ports: four hosts */
    assert_cable(g, 0, 0, 200);
    assert_cable(g, 199, 199, 249);
    assert_cable(g, 200, 200, 201);
    assert_cable(g, 201, 200, 204);
    for (uint32_t m = 0; m < 5; m++)
        assert_cable(g, 202 + m, 200, 225 + 5 * m);
    assert_name(g, 225 + 7, "part1/router1.2");
    orr__graph_free(g);
}

static void the_largest_is_drawn(void **state)
{
    struct orr_graph *g =
        topology("{kind: slimfly, q: 37, hosts_per_switch: 1, " LINK "}");
    assert_int_equal(g->cables, 2738 + 37 * 37 * 55);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hops_apart),
        cmocka_unit_test(five_is_hoffman_singleton),
        cmocka_unit_test(the_largest_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
