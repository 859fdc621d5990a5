#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static struct orr_graph *drawn(const char *yaml, uint64_t seed)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    struct orr_graph *g = NULL;
    assert_int_equal(orr__config_parse("t", yaml, strlen(yaml), &c, &why),
                     ORR_OK);
    assert_int_equal(
        orr__graph_build(c, orr__yaml_get(orr__config_root(c), "topology"),
                         seed, &g, &why),
        ORR_OK);
    orr__config_free(c);
    return g;
}

static struct orr_graph *with_seed(uint64_t seed)
{
    return drawn("topology: {kind: jellyfish, switches: 20, degree: 4, "
                 "hosts_per_switch: 3, " LINK "}\n",
                 seed);
}

/* Regular, connected, without loops and twins; in order of ends. */
static void a_random_regular_graph(void **state)
{
    struct orr_graph *g = with_seed(7);
    assert_int_equal(g->hosts, 60);
    assert_int_equal(g->nodes, 80);
    assert_int_equal(g->cables, 60 + 40);
    for (uint32_t s = 60; s < 80; s++)
        assert_int_equal(degree(g, s), 3 + 4);
    for (uint32_t c = 61; c < 100; c++) {
        assert_true(g->from[c] < g->to[c]);
        assert_true(
            g->from[c - 1] < g->from[c]
            || (g->from[c - 1] == g->from[c] && g->to[c - 1] < g->to[c]));
    }
    assert_name(g, 62, "switch2");
    orr__graph_free(g);
}

static bool alike(const struct orr_graph *a, const struct orr_graph *b)
{
    return memcmp(a->from, b->from, a->links * sizeof *a->from) == 0
           && memcmp(a->to, b->to, a->links * sizeof *a->to) == 0;
}

/* The seed of the run decides, and igraph's own generator does not. */
static void drawn_with_the_seed(void **state)
{
    struct orr_graph *a = with_seed(1), *b = with_seed(1), *c = with_seed(2);
    assert_true(alike(a, b));
    assert_false(alike(a, c));
    orr__graph_free(a);
    orr__graph_free(b);
    orr__graph_free(c);
}

/* One in seven of the graphs of six vertices with two edges each is two
 * triangles: they are drawn again, until there is a hexagon. */
static void connected_whatever_the_seed(void **state)
{
    const struct expected e = {6, 6, 12, 5, 6 * (2 * 3 + 2 * 4 + 5), 0};
    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct orr_graph *g =
            drawn("topology: {kind: jellyfish, switches: 6, "
                  "degree: 2, hosts_per_switch: 1, " LINK "}\n",
                  seed);
        for (uint32_t s = 6; s < 12; s++)
            assert_int_equal(degree(g, s), 1 + 2);
        assert_graph(g, &e);
        orr__graph_free(g);
    }
}

/* All switches joined: the one graph that is regular so. */
static void complete(void **state)
{
    struct orr_graph *g = topology("{kind: jellyfish, switches: 5, degree: 4, "
                                   "hosts_per_switch: 1, " LINK "}");
    const struct expected e = {5, 5, 15, 3, 5 * 4 * 3, 0};
    assert_graph(g, &e);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_regular_graph),
        cmocka_unit_test(drawn_with_the_seed),
        cmocka_unit_test(connected_whatever_the_seed),
        cmocka_unit_test(complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
