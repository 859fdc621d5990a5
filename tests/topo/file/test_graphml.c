#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

#define GRAPHML(kind, body)                                                    \
    "<?xml version=\"1.0\"?>\n<graphml "                                       \
    "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"                       \
    "<key id=\"t\" for=\"node\" attr.name=\"type\" attr.type=\"string\"/>\n"   \
    "<key id=\"f\" for=\"node\" attr.name=\"forward\" "                        \
    "attr.type=\"boolean\"/>\n"                                                \
    "<key id=\"r\" for=\"edge\" attr.name=\"rate\" attr.type=\"string\"/>\n"   \
    "<key id=\"d\" for=\"edge\" attr.name=\"delay\" attr.type=\"string\"/>\n"  \
    "<key id=\"l\" for=\"edge\" attr.name=\"loss\" attr.type=\"string\"/>\n"   \
    "<key id=\"n\" for=\"edge\" attr.name=\"length\" "                         \
    "attr.type=\"double\"/>\n"                                                 \
    "<graph id=\"G\" edgedefault=\"" kind "\">\n" body                         \
    "</graph>\n</graphml>\n"
#define NODE(id, type)                                                         \
    "<node id=\"" id "\"><data key=\"t\">" type "</data></node>\n"
#define EDGE(id, a, b, rate, delay, more)                                      \
    "<edge id=\"" id "\" source=\"" a "\" target=\"" b                         \
    "\"><data key=\"r\">" rate "</data><data key=\"d\">" delay "</data>" more  \
    "</edge>\n"
#define FINE(id, a, b) EDGE(id, a, b, "10Gbps", "1us", "")

/* Builds from the text; more goes into the topology map. */
static orr_err try_file(const char *graphml, const char *more,
                        struct orr_graph **g, struct orr_report *why)
{
    char yaml[256], *path = text_file(graphml);
    snprintf(yaml, sizeof yaml, "{kind: file, file: %s%s}", path, more);
    orr_err err = try_topology(yaml, g, why);
    /* Names are made at random: messages are compared without them. */
    char *at = strstr(why->message, path);
    if (at) {
        memcpy(at, "FILE", 4);
        memmove(at + 4, at + strlen(path), strlen(at + strlen(path)) + 1);
    }
    unlink(path);
    free(path);
    return err;
}

static struct orr_graph *from_file(const char *graphml, const char *more)
{
    struct orr_graph *g;
    struct orr_report why;
    if (try_file(graphml, more, &g, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return g;
}

/* A switch before the hosts in the file comes after them in the graph. */
static void hosts_come_first(void **state)
{
    struct orr_graph *g = from_file(
        GRAPHML("undirected",
                NODE("s", "switch") NODE("a", "host") NODE("t", "switch")
                    NODE("b", "host") FINE("e0", "s", "a") EDGE(
                        "e1", "b", "t", "400Gbps", "500ns",
                        "<data key=\"l\">0.5</data>") FINE("e2", "t", "s")),
        "");
    assert_string_equal(g->kind, "file");
    assert_int_equal(g->hosts, 2);
    assert_int_equal(g->nodes, 4);
    assert_int_equal(g->cables, 3);
    /* a 0, b 1, s 2, t 3; the earlier vertex of the file draws the cable */
    assert_cable(g, 0, 2, 0);
    assert_cable(g, 1, 3, 1);
    assert_cable(g, 2, 2, 3);
    assert_true(g->rate_bps[0] == 10000000000u);
    assert_true(g->rate_bps[1] == 400000000000u);
    assert_true(g->delay_ps[0] == 1000000 && g->delay_ps[4] == 500000);
    assert_true(g->loss[0] == 0 && g->loss[1] == 0.5 && g->loss[4] == 0.5);
    assert_false(g->forwards[0]);
    assert_false(g->forwards[1]);
    assert_true(g->forwards[2]);
    assert_int_equal(g->level[0], 0);
    assert_int_equal(g->level[2], 1);
    assert_int_equal(g->level[3], 1);
    orr__graph_free(g);
}

static void levels_are_distances_from_hosts(void **state)
{
    struct orr_graph *g = from_file(
        GRAPHML("undirected",
                NODE("a", "host") NODE("s", "switch") NODE("t", "switch")
                    NODE("u", "switch") NODE("b", "host") FINE("e0", "u", "t")
                        FINE("e1", "t", "s") FINE("e2", "s", "a")
                            FINE("e3", "b", "s")),
        "");
    assert_int_equal(g->level[2], 1);
    assert_int_equal(g->level[3], 2);
    assert_int_equal(g->level[4], 3);
    orr__graph_free(g);
}

static void hosts_forward_without_switches(void **state)
{
    struct orr_graph *g =
        from_file(GRAPHML("undirected",
                          NODE("a", "host") NODE("b", "host") NODE("c", "host")
                              FINE("x", "a", "b") FINE("y", "b", "c")),
                  "");
    for (uint32_t h = 0; h < 3; h++)
        assert_true(g->forwards[h]);
    orr__graph_free(g);
    g = from_file(
        GRAPHML("undirected",
                NODE("s", "switch") NODE(
                    "a", "host") "<node id=\"b\"><data key=\"t\">host</data>"
                                 "<data key=\"f\">true</data></node>\n" FINE(
                                     "x", "a", "b") FINE("y", "b", "s")),
        "");
    assert_false(g->forwards[0]);
    assert_true(g->forwards[1]);
    orr__graph_free(g);
}

/* Unless they say that they do not: as a text each for itself, as a boolean
 * where it is true of others. */
static void hosts_that_stay(void **state)
{
    static const char chain[] =
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"type\" "
        "attr.type=\"string\"/><key id=\"f\" for=\"node\" "
        "attr.name=\"forward\" attr.type=\"string\"/>"
        "<graph edgedefault=\"undirected\">" NODE(
            "a", "host") "<node id=\"b\"><data key=\"t\">host</data>"
                         "<data key=\"f\">false</data></node>\n" NODE(
                             "c",
                             "host") "<edge source=\"a\" target=\"b\"/><edge "
                                     "source=\"b\" target=\"c\"/>"
                                     "<edge source=\"c\" "
                                     "target=\"a\"/></graph></graphml>";
    struct orr_graph *g = from_file(chain, ", link: {rate: 1Gbps, delay: 1us}");
    assert_true(g->forwards[0] && g->forwards[2]);
    assert_false(g->forwards[1]);
    orr__graph_free(g);
    g = from_file(
        GRAPHML("undirected",
                NODE("a", "host") "<node id=\"b\"><data key=\"t\">host</data>"
                                  "<data key=\"f\">true</data></node>\n" NODE(
                                      "c", "host") FINE("x", "a", "b")
                                      FINE("y", "b", "c")),
        "");
    assert_true(g->forwards[1]);
    assert_false(g->forwards[0] || g->forwards[2]);
    orr__graph_free(g);
}

static void link_fills_what_edges_leave_out(void **state)
{
    static const char text[] = GRAPHML(
        "undirected",
        NODE("a", "host") NODE(
            "b", "host") "<edge source=\"a\" target=\"b\"><data key=\"r\">7Gbps"
                         "</data></edge>\n"
                         "<edge source=\"a\" target=\"b\"/>\n");
    struct orr_graph *g = from_file(text, ", " LINK);
    assert_true(g->rate_bps[0] == 7000000000u);
    assert_true(g->rate_bps[1] == 100000000000u);
    assert_true(g->delay_ps[0] == 500000 && g->delay_ps[1] == 500000);
    orr__graph_free(g);
}

static void paths_are_relative_to_the_configuration(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    struct orr_graph *g;
    char folder[] = "/tmp/orrery-test-XXXXXX", yaml[64], graphml[64];
    assert_non_null(mkdtemp(folder));
    snprintf(yaml, sizeof yaml, "%s/c.yaml", folder);
    snprintf(graphml, sizeof graphml, "%s/g.graphml", folder);
    FILE *f = fopen(yaml, "w");
    fputs("topology: {kind: file, file: g.graphml}\n", f);
    fclose(f);
    f = fopen(graphml, "w");
    fputs(GRAPHML("undirected",
                  NODE("a", "host") NODE("b", "host") FINE("x", "a", "b")),
          f);
    fclose(f);
    assert_int_equal(orr__config_load(yaml, &c, &why), ORR_OK);
    assert_int_equal(
        orr__graph_build(c, orr__yaml_get(orr__config_root(c), "topology"), 1,
                         &g, &why),
        ORR_OK);
    assert_int_equal(g->hosts, 2);
    orr__graph_free(g);
    orr__config_free(c);
    unlink(yaml);
    unlink(graphml);
    rmdir(folder);
}

#define TWO NODE("a", "host") NODE("b", "host")

static void bad_files_have_exact_messages(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"hello\n", "FILE: this is no GraphML: it is no XML"},
        {"", "FILE: this is no GraphML: it is no XML"},
        {"<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n",
         "FILE: this is no GraphML: it begins with <svg>, not with "
         "<graphml>"},
        {GRAPHML("undirected", TWO "<edge source=\"a\" target=\"b\"/>"),
         "FILE: edge 0 (node \"a\" to node \"b\") has no rate"},
        {GRAPHML("undirected", TWO "<edge id=\"e7\" source=\"a\" target=\"b\">"
                                   "<data key=\"r\">1Gbps</data></edge>"),
         "FILE: edge \"e7\" has no delay"},
        {GRAPHML("undirected", TWO EDGE("e7", "a", "b", "100", "1us", "")),
         "FILE: edge \"e7\": rate \"100\": a unit is missing"},
        {GRAPHML("undirected", TWO EDGE("e7", "a", "b", "1Gbps", "5", "")),
         "FILE: edge \"e7\": delay \"5\": a unit is missing"},
        {GRAPHML("undirected", TWO EDGE("e7", "a", "b", "1Gbps", "0ns", "")),
         "FILE: edge \"e7\": its delay is 0: every link needs a propagation "
         "delay > 0"},
        {GRAPHML("undirected", TWO EDGE("e7", "a", "b", "0Gbps", "1ns", "")),
         "FILE: edge \"e7\": its rate is 0"},
        {GRAPHML("undirected", TWO EDGE("e7", "a", "b", "1Gbps", "1ns",
                                        "<data key=\"l\">1.5</data>")),
         "FILE: edge \"e7\": loss must be a probability, from 0 to 1"},
        {GRAPHML("undirected", TWO FINE("e7", "b", "b")),
         "FILE: edge \"e7\" joins a node to itself"},
        {GRAPHML("directed", TWO FINE("x", "a", "b") FINE("y", "b", "a")),
         "FILE: edge \"x\" has another edge the opposite way: an edge is a "
         "cable in both directions; for two cables set "
         "edgedefault=\"undirected\""},
        {GRAPHML("undirected", NODE("a", "router")),
         "FILE: node \"a\": type must be host or switch, not \"router\""},
        {GRAPHML("undirected", TWO "<node id=\"c\"/>"),
         "FILE: node \"c\" has no type: host or switch"},
        {GRAPHML("undirected", TWO FINE("x", "a", "q")),
         "FILE: node \"q\" has no type: host or switch"},
        {GRAPHML("undirected", NODE("s", "switch")),
         "FILE: there is no host in it"},
        {GRAPHML("undirected",
                 NODE("a", "host") "<node id=\"b\">"
                                   "<data key=\"f\">maybe</data></node>"),
         "FILE: Cannot parse 'maybe' as Boolean value."},
        {GRAPHML("undirected", TWO NODE("c", "host") FINE("x", "a", "b")),
         "FILE: the graph is not connected: there is no path from node \"a\" "
         "to node \"c\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_graph *g;
        struct orr_report why;
        assert_int_equal(try_file(cases[i].text, "", &g, &why), ORR_ECONFIG);
        assert_null(g);
        if (strncmp(why.message, cases[i].message, strlen(cases[i].message))
            != 0)
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, why.message,
                     cases[i].message);
        assert_string_equal(why.file, "t.yaml");
        assert_int_equal(why.line, 1);
        assert_int_equal(why.col, 30);
    }
}

static void numbers_are_refused(void **state)
{
    static const char head[] =
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"type\" "
        "attr.type=\"string\"/><key id=\"r\" for=\"edge\" attr.name=\"rate\" "
        "attr.type=\"double\"/><graph edgedefault=\"undirected\">" TWO
        "<edge id=\"e\" source=\"a\" target=\"b\">"
        "<data key=\"r\">400</data></edge></graph></graphml>";
    struct orr_graph *g;
    struct orr_report why;
    assert_int_equal(try_file(head, "", &g, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "FILE: edge \"e\": rate is the bare "
                                     "number 400: a unit is missing");
    assert_string_equal(why.hint, "make it a string, like \"400Gbps\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_come_first),
        cmocka_unit_test(levels_are_distances_from_hosts),
        cmocka_unit_test(hosts_forward_without_switches),
        cmocka_unit_test(hosts_that_stay),
        cmocka_unit_test(link_fills_what_edges_leave_out),
        cmocka_unit_test(paths_are_relative_to_the_configuration),
        cmocka_unit_test(bad_files_have_exact_messages),
        cmocka_unit_test(numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
