#include "tests/workload/flow/file/flow_case.h"

#include "net/config/config.h"
#include "net/config/failures.h"

#define NONE       "Nodes 4\nConnections 0\n"
#define HEAD(c, t) "Nodes 4\nConnections " c "\nTriggers " t "\n"

static void connections(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "htsim",
               "# matrix\nNodes 3\nConnections 3\n"
               "0->1 start 0 size 2000000\n"
               "2->0 id 7 start 1.5e6 size 5000000000 prio 2 # msg 3\n"
               "1->2 start 10ns size 1\n",
               "");
    assert_int_equal(w.flows->count, 3);
    assert_flow(&w, 0, 0, 1, 2000000, 0);
    assert_flow(&w, 1, 2, 0, 5000000000u, 1500000);
    assert_flow(&w, 2, 1, 2, 1, 10 * ORR_NS);
    world_close(&w);
    /* as htsim_swift counts */
    open_flows(&w, SWITCH, "htsim",
               "Nodes 2\nConnections 1\n0->1 start 3 size 1\n", ", unit: us");
    assert_flow(&w, 0, 0, 1, 1, 3 * ORR_US);
    world_close(&w);
}

/* Starts count microseconds then, in all lines. */
static void messages_share_a_connection(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "htsim",
               "Nodes 3\nConnections 4\n0->1 id 9 start 1 msg size 5\n"
               "2->1 start 2 size 6\n0->1 id 9 msg 4 start 3 size 7\n"
               "0->1 id 9 size 8 start 0 msg\n",
               "");
    assert_flow(&w, 0, 0, 1, 5, 1 * ORR_US);
    assert_flow(&w, 1, 2, 1, 6, 2 * ORR_US);
    assert_flow(&w, 2, 0, 1, 7, 3 * ORR_US);
    assert_flow(&w, 3, 0, 1, 8, 0);
    const struct orr_flow *f = w.flows->flow;
    assert_int_equal(f[0].on, 0);
    assert_int_equal(f[0].others, 2);
    assert_int_equal(f[1].on, 0);
    assert_int_equal(f[1].others, 0);
    assert_int_equal(f[2].on, 1);
    assert_int_equal(f[3].on, 1);
    world_close(&w);
    open_flows(&w, SWITCH, "htsim",
               "Nodes 3\nConnections 1\n0->1\tid\t9\tmsg\tstart\t3\t"
               "size\t5\n",
               "");
    assert_flow(&w, 0, 0, 1, 5, 3 * ORR_US);
    world_close(&w);
}

static void flows_with_triggers_wait(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "htsim",
               HEAD("2", "1") "0->1 start 5 size 9 send_done_trigger 70000\n"
                              "0->2 id 1 trigger 70000 size 9\n"
                              "trigger id 70000 oneshot\n",
               "");
    assert_flow(&w, 0, 0, 1, 9, 5);
    assert_flow(&w, 1, 0, 2, 9, -1);
    world_close(&w);
}

#define TREE                                                                   \
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}\n"

/* Aggregation switch 3, the second of pod 1, to the second core above it; edge
 * switch 0 to its first one; core 2 to pod 3. */
static void failures_are_for_the_whole_run(void **state)
{
    struct orr_world w;
    open_flows(&w, TREE, "htsim",
               "Nodes 16\nConnections 1\nFailures 3\n"
               "failure switch_type AGG switch_id 3 link_id 1\n"
               "failure switch_id 0 link_id 0 switch_type TOR\n"
               "0->9 start 0 size 9\n"
               "failure switch_type CORE switch_id 2 link_id 3\n",
               "");
    const struct orr_failures *f = w.net_config->failures;
    const uint32_t ends[3][2] = {{16, 24}, {27, 35}, {31, 34}};
    assert_non_null(f);
    assert_int_equal(f->outages, 6);
    for (int i = 0; i < 6; i++) {
        const struct orr_outage *o = &f->outage[i];
        bool back = i >= 3;
        assert_int_equal(w.graph->from[o->link], ends[i % 3][back]);
        assert_int_equal(w.graph->to[o->link], ends[i % 3][!back]);
        assert_int_equal(o->down, 0);
        assert_int_equal(o->noticed, 0);
        assert_int_equal(o->up, ORR_NEVER);
    }
    world_close(&w);
}

static void bad_files(void **state)
{
    static const struct bad_case cases[] = {
        {"", "FILE:1:1: `Nodes n` is missing"},
        {"0->1 start 0 size 1\n", "FILE:1:1: `Nodes n` comes first"},
        {"Nodes 5\n", "FILE:1:7: 5 nodes are more than the topology's 4 "
                      "hosts"},
        {"Nodes 4\n", "FILE:2:1: `Connections n` is missing"},
        {"Nodes 4\nNodes 4\n", "FILE:2:1: Nodes is listed twice"},
        {"Nodes 4\nConnections x\n",
         "FILE:2:13: Connections must be a whole number, not \"x\""},
        {"Nodes 4\nConnections 2\n0->1 start 0 size 1\n",
         "FILE:4:1: 1 connections, and the header says 2"},
        {NONE "Failures 1\n", "FILE:4:1: 0 failures, and the header says 1"},
        {NONE "Failures 1\nfailure switch_type SPINE\n",
         "FILE:4:21: TOR, AGG or CORE is expected"},
        {NONE "Failures 1\nfailure switch_type AGG switch_id 0 "
              "link_id 0\n",
         "FILE:4:46: there is no AGG switch 0"},
        {NONE "Failures 1\nfailure switch_type TOR switch_id 0 "
              "link_id 0\n",
         "FILE:4:46: TOR switch 0 has no link 0 up"},
        {NONE "Failures 1\nfailure switch_type TOR switch_id 0\n",
         "FILE:4:36: a failure is `failure switch_type TOR|AGG|CORE "
         "switch_id i link_id j`"},
        {HEAD("2", "0") "0->1 id 7 start 0 size 1\n2->1 id 7 start 0 size "
                        "1\n",
         "FILE:5:9: another flow has the id 7"},
        {HEAD("0", "1"), "FILE:4:1: 0 triggers, and the header says 1"},
        {HEAD("1", "0") "0>1 start 0 size 1\n",
         "FILE:4:1: \"0>1\" is not expected here"},
        {HEAD("1", "0") "0->x start 0 size 1\n",
         "FILE:4:1: a connection is `src->dst`, two numbers, not "
         "\"0->x\""},
        {HEAD("1", "0") "4->0 start 0 size 1\n",
         "FILE:4:1: node 4 does not exist: nodes are 0 to 3"},
        {HEAD("1", "0") "0->4 start 0 size 1\n",
         "FILE:4:4: node 4 does not exist: nodes are 0 to 3"},
        {HEAD("1", "0") "3->3 start 0 size 1\n",
         "FILE:4:1: a flow from a host to itself uses no network"},
        {HEAD("1", "0") "0->1 start 0 size 0\n",
         "FILE:4:19: a size of 0 sends to the end of the run, which needs a "
         "`stop`"},
        {HEAD("2", "0") "0->1 id 7 msg start 0 size 1\n0->1 id 7 start 0 "
                        "size 1\n",
         "FILE:5:25: another flow has this id: messages of one "
         "connection need `msg`"},
        {HEAD("2", "0") "0->1 id 7 msg start 0 size 1\n0->2 id 7 msg start 0 "
                        "size 1\n",
         "FILE:5:29: the connection of this id is 0->1"},
        {HEAD("1", "0") "0->1 start 0\n", "FILE:4:13: the size is missing"},
        {HEAD("1", "0") "0->1 size 5\n",
         "FILE:4:12: neither a start nor a trigger"},
        {HEAD("1", "0") "0->1 start -1 size 5\n",
         "FILE:4:12: the start: a time cannot be negative"},
        {HEAD("1", "0") "0->1 start 0 start 0 size 5\n",
         "FILE:4:14: \"start\" is listed twice"},
        {HEAD("1", "0") "0->1 start 0 size 5 color 3\n",
         "FILE:4:21: \"color\" is not expected here"},
        {HEAD("1", "1") "0->1 start 0 id 1 trigger 1 size 5\n"
                        "trigger id 1 oneshot\n",
         "FILE:4:35: a start and a trigger"},
        {HEAD("1", "1") "0->1 trigger 1 size 5\ntrigger id 1 oneshot\n",
         "FILE:4:22: a flow with a trigger needs an id"},
        {HEAD("1", "1") "0->1 id 0 trigger 1 size 5\n",
         "FILE:4:9: a flow's id must be from 1 to 4294967295, not 0"},
        {HEAD("1", "0") "0->1 start 0 send_done_trigger 7 size 5\n",
         "FILE:5:1: trigger 7 of line 4 does not exist"},
        {HEAD("0", "1") "trigger 1 oneshot\n",
         "FILE:4:9: a trigger is `trigger id n kind`"},
        {HEAD("0", "1") "trigger id 1\n",
         "FILE:4:13: oneshot, multishot or barrier is missing"},
        {HEAD("0", "1") "trigger id 1 barrier\n",
         "FILE:4:21: a barrier needs a count"},
        {HEAD("0", "2") "trigger id 1 oneshot\ntrigger id 1 oneshot\n",
         "FILE:5:21: this trigger is listed twice"},
    };
    refuse(SWITCH, "htsim", "", cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections),
        cmocka_unit_test(messages_share_a_connection),
        cmocka_unit_test(flows_with_triggers_wait),
        cmocka_unit_test(failures_are_for_the_whole_run),
        cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
