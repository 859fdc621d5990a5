#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/file/file_case.h"

static struct orr_graph *with(const char *text, const char *keys)
{
    struct orr_graph *g;
    struct orr_report why;
    if (try_format_with("networkx", text, keys, &g, &why) != ORR_OK)
        fail_msg("%s:%d:%d: %s", why.file, why.line, why.col, why.message);
    return g;
}

#define NODES                                                                  \
    "\"nodes\": [{\"id\": \"a\", \"type\": \"host\"},\n{\"id\": \"s\", "       \
    "\"type\": \"switch\"},\n{\"id\": \"b\", \"type\": \"host\"}]"
#define CABLE "\"rate\": \"10Gbps\", \"delay\": \"2us\"}"

/* The same graph as NetworkX 3.4, 2 and 1 write it. */
static void edges_by_any_name(void **state)
{
    static const char *const texts[] = {
        "{\"directed\": false, \"multigraph\": true, \"graph\": {}, " NODES
        ",\n\"edges\": [{\"source\": \"a\", \"target\": \"s\", \"key\": "
        "0, " CABLE
        ", {\"source\": \"b\", \"target\": \"s\", \"key\": 0, " CABLE "]}",
        "# a comment\n// another\n{\"links\": [{\"source\": \"a\", "
        "\"target\": \"s\", " CABLE ", {\"source\": \"b\", \"target\": "
        "\"s\", " CABLE "], \"directed\": true, " NODES "}",
        "{" NODES ", \"links\": [{\"source\": 0, \"target\": 1, " CABLE
        ", {\"source\": 2, \"target\": 1, " CABLE "]}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct orr_graph *g = with(texts[i], "");
        assert_int_equal(g->hosts, 2);
        assert_int_equal(g->nodes, 3);
        assert_int_equal(g->cables, 2);
        assert_cable(g, 0, 0, 2);
        assert_cable(g, 1, 1, 2);
        assert_line(g, 1, 10000000000u, 2000000, 0);
        assert_name(g, 1, "b");
        assert_name(g, 2, "s");
        orr__graph_free(g);
    }
}

/* Where nodes have numbers as ids, edges name those, and not places. */
static void ids_go_before_places(void **state)
{
    struct orr_graph *g =
        with("{\"nodes\": [{\"id\": 2}, {\"id\": 0}, {\"id\": [0, 1]}], "
             "\"edges\": [{\"source\": 0, \"target\": 2}, {\"source\": [0,1], "
             "\"target\": 0, \"tier\": \"up\", \"loss\": 0.5}]}",
             ", vertices: host, " LINK);
    assert_cable(g, 0, 1, 0);
    assert_cable(g, 1, 2, 1);
    assert_true(g->loss[1] == 0.5);
    assert_string_equal(g->tier_names[g->tier[1]], "up");
    assert_int_equal(g->inferred.rates, 2);
    orr__graph_free(g);
}

static void places_on_the_earth(void **state)
{
    struct orr_graph *g =
        with("{\"nodes\": [{\"label\": \"N\", \"Latitude\": 11, "
             "\"Longitude\": 20}, {\"label\": \"S\", \"latitude\": 10, "
             "\"longitude\": 20}], \"links\": [{\"source\": 0, \"target\": 1, "
             "\"LinkSpeedRaw\": 1e9}]}",
             ", vertices: host");
    assert_line(g, 0, 1000000000u, 556360000, 0);
    assert_int_equal(g->inferred.distances, 1);
    assert_name(g, 1, "S");
    assert_true(g->x[0] == 20 && g->y[0] == 11);
    orr__graph_free(g);
}

#define EDGES(e) "{" NODES ",\n\"edges\": [\n" e "]}\n"
#define ENDS     "{\"source\": \"a\", \"target\": \"s\", "

static void what_is_refused(void **state)
{
    static const struct bad_case cases[] = {
        {"[]", "FILE:1:1: a map is expected: {\"nodes\": [...], \"edges\": "
               "[...]}"},
        {"{\"edges\": []}", "FILE:1:1: \"nodes\" must be a list of nodes"},
        {"{\"nodes\": []}",
         "FILE:1:1: \"edges\" (or \"links\") must be a list of edges"},
        {"{\"nodes\": [],\n \"links\": 3}",
         "FILE:2:11: \"edges\" (or \"links\") must be a list of edges"},
        {"{\"nodes\": [], \"edges\": []}",
         "t.yaml: FILE: there is no host in it"},
        {"{\"nodes\": [3], \"edges\": []}",
         "FILE:1:12: a node must be a map: {\"id\": ...}"},
        {"{\"nodes\": [{\"id\": \"a\"}], \"edges\": []}",
         "FILE:1:12: node \"a\" has no type: host or switch"},
        {"{\"nodes\": [{\"id\": \"a\", \"type\": \"router\"}], \"edges\": []}",
         "FILE:1:12: node \"a\": type must be host or switch, not \"router\""},
        {"{\"nodes\": [{\"id\": 1, \"type\": \"host\"},\n {\"id\": 1}], "
         "\"edges\": []}",
         "FILE:2:2: a node before has the id 1, too"},
        {"{\"nodes\": [{\"type\": \"host\", \"forward\": 3}], \"edges\": []}",
         "FILE:1:12: forward must be true or false"},
        {"{\"nodes\": [{\"type\": \"host\", \"x\": []}], \"edges\": []}",
         "FILE:1:12: x must be a number"},
        {"{\"nodes\": [{\"type\": \"host\", \"Latitude\": 91}], \"edges\": []}",
         "FILE:1:12: node \"0\": its latitude is not from -90 to 90"},
        {"{\"nodes\": [{\"type\": \"switch\", \"level\": 0}], \"edges\": []}",
         "FILE:1:12: the level of a switch is a whole number from 1 to 255"},
        {EDGES("{}"), "FILE:5:1: the edge has no source"},
        {EDGES("{\"source\": \"a\"}"), "FILE:5:1: the edge has no target"},
        {EDGES("{\"source\": \"a\", \"target\": \"x\"}"),
         "FILE:5:1: the target of the edge, \"x\", is no node"},
        {EDGES("{\"source\": \"a\", \"target\": 3}"),
         "FILE:5:1: the target of the edge, 3, is no node"},
        {EDGES(ENDS CABLE ",\n{\"source\": \"s\", \"target\": \"s\"}"),
         "FILE:6:1: the edge joins \"s\" to itself"},
        {EDGES("[]"), "FILE:5:1: an edge must be a map: {\"source\": ..., "
                      "\"target\": ...}"},
        {EDGES(ENDS "\"rate\": 10}"),
         "FILE:5:1: rate is the bare number 10: a unit is missing"},
        {EDGES(ENDS "\"rate\": []}"),
         "FILE:5:1: rate must be a text with a unit"},
        {EDGES(ENDS "\"rate\": \"0Gbps\"}"),
         "FILE:5:1: the rate of the edge is 0"},
        {EDGES(ENDS "\"LinkSpeedRaw\": -1}"),
         "FILE:5:1: LinkSpeedRaw must be bits in a second, at least 1"},
        {EDGES(ENDS "\"x\": 1}"), "FILE:5:1: the edge has no rate"},
        {EDGES(ENDS "\"rate\": \"1Gbps\"}"), "FILE:5:1: the edge has no delay"},
        {EDGES(ENDS "\"rate\": \"1Gbps\", \"delay\": \"0s\"}"),
         "FILE:5:1: the delay of the edge is 0: every link needs a propagation "
         "delay > 0"},
        {EDGES(ENDS "\"loss\": 2, " CABLE),
         "FILE:5:1: loss must be a probability, from 0 to 1"},
        {"{\"directed\": true, " NODES ", \"edges\": [" ENDS CABLE
         ",\n{\"source\": \"s\", \"target\": \"a\", " CABLE "]}",
         "FILE:4:1: an edge before goes from \"a\" to \"s\": an edge is a "
         "cable in both directions; for two cables set \"directed\": false"},
        {EDGES(ENDS CABLE), "t.yaml: FILE: the graph is not connected: there "
                            "is no path from node \"a\" to node \"b\""},
    };
    refuse("networkx", cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_by_any_name),
        cmocka_unit_test(ids_go_before_places),
        cmocka_unit_test(places_on_the_earth),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
