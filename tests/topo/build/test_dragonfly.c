#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

/* h = 1: three groups of two routers with one host each. The routers form a
 * hexagon of local and global cables in turn. */
static void the_smallest_is_a_hexagon(void **state)
{
    struct orr_graph *g = topology("{kind: dragonfly, h: 1, " LINK "}");
    /* routers 1, 2 and 3 apart: 2, 2 and 1 of them; and two links to hosts */
    const struct expected e = {6, 6, 12, 5, 6 * (2 * 3 + 2 * 4 + 5), 0};
    assert_graph(g, &e);
    for (uint32_t h = 0; h < 6; h++)
        assert_cable(g, h, h, 6 + h);
    for (uint32_t i = 0; i < 3; i++)
        assert_cable(g, 6 + i, 6 + 2 * i, 7 + 2 * i);
    assert_cable(g, 9, 6, 9);   /* port 0 of group 0 leads one group on, */
    assert_cable(g, 10, 7, 10); /* port 1 two */
    assert_cable(g, 11, 8, 11);
    assert_name(g, 9, "group1/router1");
    orr__graph_free(g);
}

/* Balanced, h = 2: nine groups of four routers with two hosts. */
static void balanced(void **state)
{
    struct orr_graph *g =
        topology("{kind: dragonfly, h: 2, " LINK ", local: {delay: 10ns}, "
                 "global: {rate: 50Gbps}}");
    uint32_t joined[9][9] = {{0}};
    assert_int_equal(g->hosts, 72);
    assert_int_equal(g->nodes - g->hosts, 36);
    assert_int_equal(g->cables, 72 + 9 * 6 + 36);
    for (uint32_t r = 72; r < 108; r++)
        assert_int_equal(degree(g, r), 2 + 3 + 2);
    for (uint32_t c = 72; c < 126; c++) {
        assert_int_equal(g->area[g->from[c]], g->area[g->to[c]]);
        assert_true(g->delay_ps[c] == 10000);
    }
    for (uint32_t c = 126; c < 162; c++) {
        assert_true(g->rate_bps[c] == 50000000000);
        joined[g->area[g->from[c]]][g->area[g->to[c]]]++;
    }
    for (uint32_t a = 0; a < 9; a++)
        for (uint32_t b = 0; b < 9; b++)
            assert_int_equal(joined[a][b] + joined[b][a], a != b);
    orr__graph_free(g);
}

/* Kim, Dally, Scott and Abts: g = a h + 1 groups and N = a p g hosts, balanced
 * when a = 2 p = 2 h; a router has p + a + h - 1 ports, and no two are further
 * apart than a local, a global and a local cable. */
static void sizes_of_the_paper(void **state)
{
    static const struct {
        uint32_t p, a, h;
    } kinds[] = {{1, 2, 1}, {2, 4, 2}, {3, 6, 3}, {4, 8, 4},
                 {1, 4, 2}, {3, 3, 1}, {2, 6, 1}};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const uint32_t p = kinds[i].p, a = kinds[i].a, h = kinds[i].h;
        const uint32_t groups = a * h + 1;
        struct orr_report why = {.code = ORR_OK};
        struct orr_metrics m;
        char text[160];
        if (a == 2 * h && p == h) /* what h alone asks for */
            snprintf(text, sizeof text, "{kind: dragonfly, h: %u, " LINK "}",
                     h);
        else
            snprintf(text, sizeof text,
                     "{kind: dragonfly, p: %u, a: %u, h: %u, " LINK "}", p, a,
                     h);
        struct orr_graph *g = topology(text);
        assert_int_equal(g->hosts, a * p * groups);
        assert_int_equal(g->nodes - g->hosts, a * groups);
        assert_int_equal(g->cables, g->hosts + groups * (a * (a - 1) / 2)
                                        + groups * (groups - 1) / 2);
        for (uint32_t r = g->hosts; r < g->nodes; r++)
            assert_int_equal(degree(g, r), p + a + h - 1);
        assert_int_equal(orr__graph_metrics(g, &m, &why), ORR_OK);
        assert_int_equal(m.diameter, 1 + 3 + 1);
        orr__graph_free(g);
    }
}

/* Three groups whose eight global ports go to two others, four to each; with
 * four groups two of them stay free. */
static void fewer_groups_have_more_cables(void **state)
{
    struct orr_graph *g =
        topology("{kind: dragonfly, p: 1, a: 4, h: 2, groups: 3, " LINK "}");
    assert_int_equal(g->cables, 12 + 3 * 6 + 3 * 4);
    for (uint32_t r = 12; r < 24; r++)
        assert_int_equal(degree(g, r), 1 + 3 + 2);
    orr__graph_free(g);
    g = topology("{kind: dragonfly, p: 1, a: 4, h: 2, groups: 4, " LINK "}");
    assert_int_equal(g->cables, 16 + 4 * 6 + 6 * 2);
    orr__graph_free(g);
    g = topology("{kind: dragonfly, p: 3, a: 4, h: 1, groups: 1, " LINK "}");
    const struct expected e = {12, 4, 18, 3, 12 * (2 * 2 + 9 * 3), 0};
    assert_graph(g, &e);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_is_a_hexagon),
        cmocka_unit_test(balanced),
        cmocka_unit_test(sizes_of_the_paper),
        cmocka_unit_test(fewer_groups_have_more_cables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
