#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

/* 4 x 3 x 2: dimension 0 fastest, cables forward, one in the dimension of 2. */
static void mixed_radix(void **state)
{
    struct orr_graph *g = topology("{kind: torus, dims: [4, 3, 2], " LINK "}");
    assert_int_equal(g->hosts, 24);
    assert_int_equal(g->nodes, 24);
    assert_int_equal(g->cables, 24 + 24 + 12);
    assert_int_equal(g->n_dims, 3);
    uint32_t c = 0;
    for (uint32_t v = 0; v < 24; v++) {
        uint32_t x = v % 4, y = v / 4 % 3, z = v / 12;
        assert_true(g->forwards[v]);
        assert_int_equal(g->tier[c], 0);
        assert_cable(g, c++, v, v - x + (x + 1) % 4);
        assert_int_equal(g->tier[c], 1);
        assert_cable(g, c++, v, v - 4 * y + 4 * ((y + 1) % 3));
        if (z == 0) {
            assert_int_equal(g->tier[c], 2);
            assert_cable(g, c++, v, v + 12);
        }
    }
    orr__graph_free(g);
}

static void dimensions_override_the_link(void **state)
{
    struct orr_graph *g =
        topology("{kind: torus, dims: [4, 4], " LINK
                 ", dimensions: [{rate: 50Gbps}, {delay: 1us}]}");
    for (uint32_t l = 0; l < g->links; l++) {
        assert_true(g->rate_bps[l] / 1000000000 == (g->tier[l] ? 100 : 50));
        assert_true(g->delay_ps[l] == (g->tier[l] ? 1000000 : 500000));
    }
    orr__graph_free(g);
}

static void a_dimension_of_one_adds_nothing(void **state)
{
    struct orr_graph *a = topology("{kind: torus, dims: [4, 3], " LINK "}");
    struct orr_graph *b =
        topology("{kind: torus, dims: [1, 4, 1, 3], " LINK "}");
    assert_int_equal(a->cables, b->cables);
    for (uint32_t c = 0; c < a->cables; c++)
        assert_cable(b, c, a->from[c], a->to[c]);
    orr__graph_free(a);
    orr__graph_free(b);
}

static void one_dimension_is_a_ring(void **state)
{
    struct orr_graph *g = topology("{kind: torus, dims: [7], " LINK "}");
    assert_int_equal(g->cables, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_cable(g, i, i, (i + 1) % 7);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_radix),
        cmocka_unit_test(dimensions_override_the_link),
        cmocka_unit_test(a_dimension_of_one_adds_nothing),
        cmocka_unit_test(one_dimension_is_a_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
