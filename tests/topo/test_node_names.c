#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

static void by_default(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 4, " LINK "}");
    uint32_t node;
    char buf[8];
    assert_name(g, 3, "host 3");
    assert_false(orr__node_find(g, "host 4", &node));
    assert_false(orr__node_find(g, "host", &node));
    assert_false(orr__node_find(g, "switch 3", &node));
    assert_false(orr__node_find(g, "3", &node));
    assert_null(orr__node_nearest(g, "hots 3"));
    assert_string_equal(orr__node_name(g, 3, buf, 4), "hos");
    orr__graph_free(g);
    g = topology("{kind: switch, hosts: 4, " LINK "}");
    assert_name(g, 4, "switch 4");
    orr__graph_free(g);
}

static void of_regular_kinds(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 4, " LINK "}");
    uint32_t node = 0;
    assert_name(g, 16 + 5, "pod2/edge1");
    assert_name(g, 24 + 5, "pod2/agg1");
    assert_name(g, 32, "core0");
    assert_true(orr__node_find(g, "switch 21", &node)); /* by id, too */
    assert_int_equal(node, 21);
    assert_string_equal(orr__node_nearest(g, "pod2/egde1"), "pod2/edge1");
    orr__graph_free(g);
    g = topology(
        "{kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 2, " LINK
        "}");
    assert_name(g, 7, "leaf1");
    assert_name(g, 10, "spine1");
    orr__graph_free(g);
    g = topology("{kind: dumbbell, left: 1, right: 1, " LINK "}");
    assert_name(g, 2, "left");
    assert_name(g, 3, "right");
    orr__graph_free(g);
    g = topology(
        "{kind: parameter-server, workers: 2, servers: 2, racks: 2, " LINK "}");
    assert_name(g, 5, "rack1");
    assert_name(g, 6, "core");
    orr__graph_free(g);
}

static void of_a_list(void **state)
{
    struct orr_graph *g = topology("{kind: switch, hosts: 2, names: [paris, "
                                   "new york, tor], " LINK "}");
    uint32_t node = 9;
    assert_name(g, 0, "paris");
    assert_name(g, 1, "new york");
    assert_name(g, 2, "tor");
    assert_true(orr__node_find(g, "host 1", &node));
    assert_int_equal(node, 1);
    assert_string_equal(orr__node_nearest(g, "pairs"), "paris");
    orr__graph_free(g);
    g = topology("{kind: leaf-spine, leaves: 1, spines: 1, hosts_per_leaf: 2, "
                 "names: [a], " LINK "}");
    assert_name(g, 0, "a"); /* the others keep theirs */
    assert_name(g, 1, "host 1");
    assert_name(g, 2, "leaf0");
    orr__graph_free(g);
}

static void of_a_file(void **state)
{
    char *path = text_file(
        "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>\n"
        "<key id='t' for='node' attr.name='type' attr.type='string'/>\n"
        "<key id='l' for='node' attr.name='name' attr.type='string'/>\n"
        "<graph edgedefault='undirected'>\n"
        "<node id='tor 7'><data key='t'>switch</data></node>\n"
        "<node id='n1'><data key='t'>host</data>"
        "<data key='l'>oslo</data></node>\n"
        "<node id='n2'><data key='t'>host</data></node>\n"
        "<node id='17'><data key='t'>host</data></node>\n"
        "<edge source='n1' target='tor 7'/><edge source='n2' target='tor 7'/>"
        "<edge source='17' target='tor 7'/></graph></graphml>\n");
    char yaml[256];
    snprintf(yaml, sizeof yaml, "{kind: file, file: %s, " LINK "}", path);
    struct orr_graph *g = topology(yaml);
    assert_name(g, 0, "oslo");
    assert_name(g, 1, "host 1"); /* n2 is how programs number nodes */
    assert_name(g, 2, "host 2"); /* 17 would be taken for an id */
    assert_name(g, 3, "tor 7");
    orr__graph_free(g);
    unlink(path);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default),
        cmocka_unit_test(of_regular_kinds),
        cmocka_unit_test(of_a_list),
        cmocka_unit_test(of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
