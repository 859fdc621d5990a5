#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/file/file_case.h"

/* Node 1 is the switch: hosts 0, 2 and 3 become 0, 1 and 2, it becomes 3. */
static void hosts_come_first_and_numbers_are_kept(void **state)
{
    struct orr_graph *g = from_format("hpcc", "4 1 3\n1\n"
                                              "0 1 100Gbps 1000ns 0\n"
                                              "1 2 25Gb/s 0.001ms 0.5\n"
                                              "3 1 10000000000bps 1us 0\n");
    assert_int_equal(g->hosts, 3);
    assert_int_equal(g->nodes, 4);
    assert_int_equal(g->cables, 3);
    assert_cable(g, 0, 0, 3);
    assert_cable(g, 1, 3, 1);
    assert_cable(g, 2, 2, 3);
    assert_line(g, 0, 100000000000u, 1000000, 0);
    assert_line(g, 1, 25000000000u, 1000000, 0.5);
    assert_line(g, 2, 10000000000u, 1000000, 0);
    static const uint32_t node_of[] = {0, 3, 1, 2};
    assert_memory_equal(g->node_of, node_of, sizeof node_of);
    assert_string_equal(g->tier_names[g->tier[0]], "host");
    assert_int_equal(g->level[3], 1);
    orr__graph_free(g);
}

/* Line breaks mean nothing, as where the format comes from. */
static void numbers_stand_anywhere(void **state)
{
    struct orr_graph *g =
        from_format("hpcc", "2 0 1\n\n0 1\r\n 1Gbps\t1us 0\n");
    assert_int_equal(g->hosts, 2);
    assert_int_equal(g->nodes, 2);
    assert_true(g->forwards[0]);
    orr__graph_free(g);
}

/* HPCC's own topology.txt holds more links than it counts. */
static void links_beyond_the_count_are_not_read(void **state)
{
    struct orr_graph *g = from_format("hpcc", "2 0 1\n0 1 1Gbps 1us 0\n"
                                              "0 5 what ever\n");
    assert_int_equal(g->cables, 1);
    orr__graph_free(g);
}

static void levels_and_tiers(void **state)
{
    struct orr_graph *g = from_format("hpcc", "4 2 3\n2 3\n0 2 1Gbps 1us 0\n"
                                              "1 2 1Gbps 1us 0\n"
                                              "2 3 1Gbps 1us 0\n");
    assert_int_equal(g->level[2], 1);
    assert_int_equal(g->level[3], 2);
    assert_string_equal(g->tier_names[g->tier[2]], "switch");
    orr__graph_free(g);
}

static void bad_files(void **state)
{
    static const struct bad_case cases[] = {
        {"", "FILE:1:1: the number of nodes is missing"},
        {"2 0", "FILE:1:4: the number of links is missing"},
        {"two 0 1\n",
         "FILE:1:1: the number of nodes must be a whole number, not "
         "\"two\""},
        {"-2 0 1\n",
         "FILE:1:1: the number of nodes must be from 0 to 4294967294, not "
         "-2"},
        {"2 2 1\n0 1\n0 1 1Gbps 1us 0\n",
         "FILE:1:5: 2 nodes with 2 switches among them leave no host"},
        {"3 1 1\n0\n0 1 1Gbps 1us 0\n",
         "FILE:1:5: 1 links cannot join 3 nodes"},
        {"4000000000 0 2000000000\n",
         "FILE:1:14: 2000000000 links cannot join 4000000000 nodes"},
        {"2000000000 1 2000000000\n",
         "FILE:1:14: 2000000000 links do not fit in a file of 24 bytes"},
        {"3 1 2\n7\n0 1 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
         "FILE:2:1: node 7 does not exist: nodes are 0 to 2"},
        {"4 2 3\n1 1\n0 1 1Gbps 1us 0\n1 2 1Gbps 1us 0\n2 3 1Gbps 1us 0\n",
         "FILE:2:3: switch 1 is listed twice"},
        {"2 0 1\n0 2 1Gbps 1us 0\n",
         "FILE:2:3: node 2 does not exist: nodes are 0 to 1"},
        {"2 0 1\n1 1 1Gbps 1us 0\n", "FILE:2:3: a link joins node 1 to itself"},
        {"2 0 1\n0 1 1Gbits 1us 0\n",
         "FILE:2:5: the rate: unknown unit: a rate takes bps Kbps Mbps Gbps "
         "Tbps (bits) or B/s KB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s TiB/s "
         "(bytes)"},
        {"2 0 1\n0 1 0Gbps 1us 0\n", "FILE:2:5: the rate is 0"},
        {"2 0 1\n0 1 1Gbps 0us 0\n",
         "FILE:2:11: the delay is 0: every link needs a propagation delay > "
         "0"},
        {"2 0 1\n0 1 1Gbps 1us 2\n",
         "FILE:2:15: the error rate must be from 0 to 1, not 2"},
        {"2 0 1\n0 1 1Gbps 1us\n", "FILE:3:1: the error rate is missing"},
        {"3 0 2\n0 1 1Gbps 1us 0\n1 0 1Gbps 1us 0\n",
         "t.yaml: FILE: the graph is not connected: there is no path from node "
         "\"0\" to node \"2\""},
    };
    refuse("hpcc", cases, COUNT(cases));
}

/* What a report shows is the line as it stands in the file. */
static void excerpts_are_whole(void **state)
{
    struct orr_graph *g;
    struct orr_report why;
    assert_int_equal(try_format("hpcc", "2 0 1\n0 1 1Gbps never 0\n", &g, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.excerpt, "0 1 1Gbps never 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_come_first_and_numbers_are_kept),
        cmocka_unit_test(numbers_stand_anywhere),
        cmocka_unit_test(links_beyond_the_count_are_not_read),
        cmocka_unit_test(levels_and_tiers),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(excerpts_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
