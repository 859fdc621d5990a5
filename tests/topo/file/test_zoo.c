/* Files as the Topology Zoo has them: no types of ours, places on the earth,
 * rates of some edges, and often several parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/file/file_case.h"

#define HEAD                                                                   \
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>"                               \
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"              \
    "<key attr.name=\"LinkSpeedRaw\" attr.type=\"double\" for=\"edge\" "       \
    "id=\"r\"/>\n<key attr.name=\"type\" attr.type=\"string\" for=\"node\" "   \
    "id=\"t\"/>\n<key attr.name=\"label\" attr.type=\"string\" for=\"node\" "  \
    "id=\"l\"/>\n<key attr.name=\"Latitude\" attr.type=\"double\" "            \
    "for=\"node\" id=\"n\"/>\n<key attr.name=\"Longitude\" "                   \
    "attr.type=\"double\" for=\"node\" id=\"e\"/>\n"                           \
    "<graph edgedefault=\"undirected\">\n"
#define TAIL "</graph></graphml>\n"
#define AT(id, label, north, east)                                             \
    "<node id=\"" id                                                           \
    "\"><data key=\"t\">Small Node</data><data key=\"l\">" label               \
    "</data><data key=\"n\">" north "</data><data key=\"e\">" east             \
    "</data></node>\n"
#define BARE(id, label)                                                        \
    "<node id=\"" id "\"><data key=\"l\">" label "</data></node>\n"
#define RAW(a, b, bps)                                                         \
    "<edge source=\"" a "\" target=\"" b "\"><data key=\"r\">" bps             \
    "</data></edge>\n"
#define EDGE(a, b) "<edge source=\"" a "\" target=\"" b "\"/>\n"

/* Three on one meridian, 1 degree and 2 degrees apart; a fourth is nowhere. */
#define COUNTRY                                                                \
    HEAD AT("0", "North", "11", "20") AT("1", "Middle", "10", "20")            \
        AT("2", "South", "8", "20") BARE("3", "Nowhere")                       \
            RAW("0", "1", "10000000000.0") EDGE("1", "2")                      \
                RAW("2", "3", "155000000") TAIL

static struct orr_graph *with(const char *text, const char *keys)
{
    struct orr_graph *g;
    struct orr_report why;
    if (try_format_with("graphml", text, keys, &g, &why) != ORR_OK)
        fail_msg("%s: %s", keys, why.message);
    return g;
}

static void rates_and_delays_of_a_country(void **state)
{
    struct orr_graph *g = with(COUNTRY, ", vertices: host, " LINK);
    assert_int_equal(g->hosts, 4);
    assert_true(g->forwards[1]);
    assert_name(g, 0, "North");
    assert_line(g, 0, 10000000000u, 556360000, 0);
    assert_line(g, 1, 100000000000u, 1112721000, 0);
    assert_line(g, 2, 155000000u, 500000, 0);
    assert_int_equal(g->inferred.cables, 3);
    assert_int_equal(g->inferred.rates, 1);
    assert_int_equal(g->inferred.delays, 1);
    assert_int_equal(g->inferred.distances, 2);
    assert_int_equal(g->inferred.left_out, 0);
    orr__graph_free(g);
    g = with(COUNTRY, ", vertices: host, coordinates: false, " LINK);
    assert_line(g, 0, 10000000000u, 500000, 0);
    assert_int_equal(g->inferred.delays, 3);
    assert_int_equal(g->inferred.distances, 0);
    orr__graph_free(g);
}

static void what_nodes_are(void **state)
{
    struct orr_graph *g = with(COUNTRY, ", vertices: leaves, " LINK);
    assert_int_equal(g->hosts, 2);
    assert_name(g, 0, "North");
    assert_name(g, 1, "Nowhere");
    assert_false(g->forwards[0]);
    orr__graph_free(g);
    /* types that the file has stay */
    g = with(HEAD "<node id=\"a\"><data key=\"t\">host</data></node>\n"
                  "<node id=\"b\"><data key=\"t\">host</data></node>\n"
                  "<node id=\"c\"/>\n" EDGE("a", "c") EDGE("b", "c") TAIL,
             ", vertices: switch, " LINK);
    assert_int_equal(g->hosts, 2);
    assert_int_equal(g->nodes, 3);
    orr__graph_free(g);
}

#define ISLANDS                                                                \
    HEAD BARE("0", "Left") BARE("1", "Right") BARE("2", "East")                \
        BARE("3", "West") BARE("4", "Far") BARE("5", "Alone") EDGE("0", "1")   \
            EDGE("2", "3") EDGE("3", "4") TAIL

static void one_part_of_several(void **state)
{
    struct orr_graph *g =
        with(ISLANDS, ", vertices: host, component: largest, " LINK);
    assert_int_equal(g->hosts, 3);
    assert_int_equal(g->cables, 2);
    assert_name(g, 0, "East");
    assert_cable(g, 1, 1, 2);
    assert_int_equal(g->inferred.parts, 3);
    assert_int_equal(g->inferred.left_out, 3);
    assert_int_equal(g->inferred.rates, 2);
    orr__graph_free(g);
    g = with(ISLANDS, ", vertices: host, component: Right, " LINK);
    assert_int_equal(g->hosts, 2);
    assert_name(g, 0, "Left");
    orr__graph_free(g);
    g = with(COUNTRY, ", vertices: host, component: largest, " LINK);
    assert_int_equal(g->hosts, 4);
    assert_int_equal(g->inferred.left_out, 0);
    orr__graph_free(g);
}

static void a_comment_goes_before(void **state)
{
    struct orr_graph *g, *none;
    struct orr_report why;
    g = with("# of 2011\n# by hand\n" COUNTRY, ", vertices: host, " LINK);
    assert_int_equal(g->hosts, 4);
    orr__graph_free(g);
    assert_int_equal(
        try_format("graphml", "# x\n<graphml>\n<a></b>\n", &none, &why),
        ORR_ECONFIG);
    if (strncmp(why.message, "FILE: Line 3: ", 14) != 0)
        fail_msg("%s", why.message);
}

static void what_is_refused(void **state)
{
    static const struct {
        const char *text, *keys, *message, *hint;
    } cases[] = {
        {COUNTRY, ", " LINK,
         "FILE: node \"0\": type must be host or switch, not \"Small Node\"",
         "`topology.vertices: host` makes all nodes without a type hosts, "
         "which forward; `leaves` only those with one cable"},
        {ISLANDS, ", vertices: host, " LINK,
         "FILE: the graph is not connected: there is no path from node \"0\" "
         "to node \"2\"",
         "it has 3 parts: `topology.component: largest` takes that of 3 of "
         "its 6 nodes, or name a node"},
        {ISLANDS, ", vertices: host, component: Wets, " LINK,
         "topology.component: FILE has no node \"Wets\"",
         "did you mean \"West\"?"},
        {ISLANDS, ", vertices: host, component: London, " LINK,
         "topology.component: FILE has no node \"London\"",
         "largest, or the name of a node, such as \"Left\""},
        {COUNTRY, ", vertices: host",
         "FILE: edge 1 (node \"1\" to node \"2\") has no rate",
         "give each edge a rate, or set topology.link for all without one"},
        {HEAD AT("0", "A", "1", "2") AT("1", "B", "1", "2") RAW("0", "1", "1e9")
             TAIL,
         ", vertices: host",
         "FILE: edge 0 (node \"0\" to node \"1\") has no delay",
         "give each edge a delay, or set topology.link for all without one"},
        {HEAD AT("0", "A", "91", "2") TAIL, ", vertices: host, " LINK,
         "FILE: node \"0\": its latitude is not from -90 to 90", ""},
        {HEAD AT("0", "A", "9", "-181") TAIL, ", vertices: host, " LINK,
         "FILE: node \"0\": its longitude is not from -180 to 360", ""},
        {HEAD BARE("0", "A") BARE("1", "B") RAW("0", "1", "0") TAIL,
         ", vertices: host, " LINK,
         "FILE: edge 0 (node \"0\" to node \"1\"): LinkSpeedRaw must be bits "
         "in a second, at least 1",
         ""},
        {ISLANDS, ", vertices: switch, " LINK, "FILE: there is no host in it",
         ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_graph *g;
        struct orr_report why;
        assert_int_equal(
            try_format_with("graphml", cases[i].text, cases[i].keys, &g, &why),
            ORR_ECONFIG);
        assert_null(g);
        assert_string_equal(why.message, cases[i].message);
        assert_string_equal(why.hint, cases[i].hint);
    }
}

/* Formats that leave nothing open do not take the keys. */
static void keys_of_other_formats(void **state)
{
    struct orr_graph *g;
    struct orr_report why;
    assert_int_equal(try_format_with("hpcc", "2 0 1\n0 1 1Gbps 1us 0\n",
                                     ", vertices: host", &g, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message,
                        "topology.vertices: files of the format hpcc need "
                        "no such key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_delays_of_a_country),
        cmocka_unit_test(what_nodes_are),
        cmocka_unit_test(one_part_of_several),
        cmocka_unit_test(a_comment_goes_before),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(keys_of_other_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
