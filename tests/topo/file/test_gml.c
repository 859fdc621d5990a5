#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/file/file_case.h"

#define NODES                                                                  \
    "  node [ id 7 label \"a\" type \"host\" ]\n"                              \
    "  node [ id 3 label \"s\" type \"switch\" ]\n"                            \
    "  node [ id 5 label \"b\" type \"host\" ]\n"

static void nodes_and_edges(void **state)
{
    struct orr_graph *g = from_format(
        "gml", "# written by hand\ngraph [\n" NODES
               "  edge [ source 7 target 3 rate \"10Gbps\" delay \"2us\" ]\n"
               "  edge [ source 5 target 3 rate \"25Gbps\" delay \"1us\" "
               "loss 0.25 tier \"up\" ]\n]\n");
    assert_int_equal(g->hosts, 2);
    assert_int_equal(g->nodes, 3);
    assert_cable(g, 0, 0, 2);
    assert_line(g, 0, 10000000000u, 2000000, 0);
    assert_line(g, 1, 25000000000u, 1000000, 0.25);
    assert_string_equal(g->tier_names[g->tier[1]], "up");
    assert_name(g, 0, "a");
    assert_name(g, 1, "b");
    assert_name(g, 2, "s");
    assert_int_equal(g->inferred.rates, 0);
    orr__graph_free(g);
}

/* Names that two nodes have are nobody's. */
static void labels_may_be_alike(void **state)
{
    struct orr_graph *g;
    struct orr_report why;
    assert_int_equal(
        try_format_with("gml",
                        "graph [ node [ id 0 label \"x\" ] node [ id 1 label "
                        "\"x\" ] node [ id 2 label \"y\" ] edge [ source 0 "
                        "target 1 ] edge [ source 1 target 2 ] ]",
                        ", vertices: leaves, " LINK, &g, &why),
        ORR_OK);
    assert_int_equal(g->hosts, 2);
    assert_int_equal(g->inferred.rates, 2);
    assert_int_equal(g->inferred.delays, 2);
    assert_name(g, 1, "y");
    orr__graph_free(g);
}

static void what_is_refused(void **state)
{
    static const struct bad_case cases[] = {
        {"", "t.yaml: FILE: there is no `graph [ ... ]` in it"},
        {"hello\n", "FILE:2:1: the file ends within a list or before a value"},
        {"graph 3\n", "FILE:1:1: `graph` must be a list: graph [ ... ]"},
        {"graph [\n node 3\n]\n",
         "FILE:2:1: `node` must be a list: node [ id 0 ... ]"},
        {"graph [\n edge 3\n]\n", "FILE:2:1: `edge` must be a list: edge [ "
                                  "source 0 target 1 ... ]"},
        {"graph [\n" NODES " node [ id 3 ]\n]\n",
         "FILE:5:1: a node before has the same id"},
        {"graph [\n node [ id \"a\" ]\n]\n",
         "FILE:2:1: the id of a node must be a whole number"},
        {"graph [\n" NODES " edge [ target 3 ]\n]\n",
         "FILE:5:1: an edge has no source"},
        {"graph [\n" NODES " edge [ source 3 ]\n]\n",
         "FILE:5:1: an edge has no target"},
        {"graph [\n" NODES " edge [ source \"a\" target 3 ]\n]\n",
         "FILE:5:1: the source of an edge must be the id of a node"},
        {"graph [\n" NODES " edge [ source 3 target 4 ]\n]\n",
         "FILE:5:1: the target of an edge is no node's id"},
        {"graph [\n" NODES " edge [ source 4 target 3 ]\n]\n",
         "FILE:5:1: the source of an edge is no node's id"},
        {"graph [\n node [ id 2 x ]\n]\n",
         "FILE:2:1: a ] stands here that closes nothing, or a key has no "
         "value"},
        {"graph [ node [ id 1 \"x\" ] ]\n",
         "FILE:1:1: this is no GML: keys, each with a number, a \"text\" or a "
         "[ list ]"},
        {"graph [ node [ id 1 ] ]",
         "t.yaml: FILE: node 1 has no type: host or switch"},
        {"graph [\n" NODES " edge [ source 3 target 7 rate 10 ]\n]\n",
         "t.yaml: FILE: edge 0 (node 7 to node 3): rate is the bare number "
         "10: a unit is missing"},
        {"graph [\n" NODES " edge [ source 3 target 7 ]\n]\n",
         "t.yaml: FILE: edge 0 (node 7 to node 3) has no rate"},
        {"graph [ directed 1\n" NODES " edge [ source 3 target 7 rate "
         "\"1Gbps\" delay \"1us\" ]\n edge [ source 7 target 3 ]\n]\n",
         "t.yaml: FILE: edge 0 (node 3 to node 7) has another edge the "
         "opposite way: an edge is a cable in both directions; for two cables "
         "set directed 0"},
    };
    refuse("gml", cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_edges),
        cmocka_unit_test(labels_may_be_alike),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
