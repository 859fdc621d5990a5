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
    if (try_format_with("csv", text, keys, &g, &why) != ORR_OK)
        fail_msg("%s:%d:%d: %s", why.file, why.line, why.col, why.message);
    return g;
}

static void without_names(void **state)
{
    struct orr_graph *g = with("# by hand\n\na,s,10Gbps,2us\nb, s ,25Gbps\n"
                               "c,s\n\"d\",s,,1us\n",
                               ", vertices: leaves, " LINK);
    assert_int_equal(g->hosts, 4);
    assert_int_equal(g->nodes, 5);
    assert_name(g, 0, "a");
    assert_name(g, 3, "d");
    assert_name(g, 4, "s");
    assert_cable(g, 3, 3, 4);
    assert_line(g, 0, 10000000000u, 2000000, 0);
    assert_line(g, 1, 25000000000u, 500000, 0);
    assert_line(g, 2, 100000000000u, 500000, 0);
    assert_line(g, 3, 100000000000u, 1000000, 0);
    assert_int_equal(g->inferred.rates, 2);
    assert_int_equal(g->inferred.delays, 2);
    orr__graph_free(g);
}

static void by_names(void **state)
{
    struct orr_graph *g =
        with("Delay;target;Source;loss;tier;rate\n2us;s;a;0.5;up;1Gbps\n"
             "1us;s;b;;;1Gbps\n",
             ", vertices: host");
    assert_int_equal(g->hosts, 3);
    assert_true(g->forwards[0]);
    /* nodes in the order of the file: s, a, b */
    assert_cable(g, 0, 1, 0);
    assert_line(g, 0, 1000000000u, 2000000, 0.5);
    assert_line(g, 1, 1000000000u, 1000000, 0);
    assert_string_equal(g->tier_names[g->tier[0]], "up");
    assert_string_equal(g->tier_names[g->tier[1]], "link");
    orr__graph_free(g);
}

static void two_cables_are_two_lines(void **state)
{
    struct orr_graph *g = with("0,1\n0,1\n", ", vertices: host, " LINK);
    assert_int_equal(g->cables, 2);
    assert_cable(g, 1, 0, 1);
    orr__graph_free(g);
}

/* They can be written to no terminal and into no XML. */
static void names_with_control_characters(void **state)
{
    struct orr_graph *g =
        with("\022,a\n\xff,a\nb\xc3\xa4,a\n", ", vertices: host, " LINK);
    assert_name(g, 0, "host 0");
    assert_name(g, 1, "a");
    assert_name(g, 2, "host 2");
    assert_name(g, 3, "b\xc3\xa4");
    orr__graph_free(g);
}

static void what_is_refused(void **state)
{
    static const struct bad_case cases[] = {
        {"", "FILE:1:1: there is no edge in it"},
        {"from,to\n", "FILE:2:1: there is no edge in it"},
        {"a,b,1Gbps,1us\n",
         "FILE:1:1: node \"a\" has no type: the format csv has none"},
    };
    static const struct bad_case typed[] = {
        {"a\n", "FILE:1:2: the name of a node is missing"},
        {"a,,1Gbps,1us\n", "FILE:1:3: the name of a node is missing"},
        {"a,b,10,1us\n", "FILE:1:5: the rate: a unit is missing: "
                         "write a rate like 400Gbps or 50GB/s"},
        {"a,b,1Gbps,5\n", "FILE:1:11: the delay: a unit is missing: "
                          "write a time like 10us or 500ns"},
        {"a,b,0Gbps,5us\n", "FILE:1:5: the rate is 0"},
        {"a,b,1Gbps,0us\n", "FILE:1:11: the delay is 0: every link needs a "
                            "propagation delay > 0"},
        {"a,b,1Gbps,1us,x\n",
         "FILE:1:15: a line of 4 fields at most is expected"},
        {"a,a,1Gbps,1us\n", "FILE:1:14: an edge joins \"a\" to itself"},
        {"a,b,1Gbps,1us\nb,a,1Gbps,1us\n",
         "FILE:2:14: line 1 has an edge from \"a\" to \"b\": an edge is a "
         "cable in both directions; two cables are two lines with the ends in "
         "one order"},
        {"a,b\n", "FILE:1:4: the edge has no rate"},
        {"a,b,1Gbps\n", "FILE:1:10: the edge has no delay"},
        {"from,to,rat\na,b,1Gbps\n", "FILE:1:9: there is no column \"rat\""},
        {"from,source\na,b\n", "FILE:1:6: there are two columns of from"},
        {"from,rate\na,1Gbps\n", "FILE:1:10: there is no column \"to\""},
        {"from,to,loss\na,b,2\n",
         "FILE:2:5: the loss must be from 0 to 1, not 2"},
        {"from,to,rate,delay,tier\na,b,1Gbps,1us,\001\n",
         "t.yaml: FILE: the name of a tier has a control character, or is no "
         "UTF-8"},
        {"a,b,1Gbps,1us\nc,d,1Gbps,1us\n",
         "t.yaml: FILE: the graph is not connected: there is no path from node "
         "\"a\" to node \"c\""},
    };
    refuse("csv", cases, COUNT(cases));
    refuse("csv, vertices: host", typed, COUNT(typed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_names),
        cmocka_unit_test(by_names),
        cmocka_unit_test(two_cables_are_two_lines),
        cmocka_unit_test(names_with_control_characters),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
