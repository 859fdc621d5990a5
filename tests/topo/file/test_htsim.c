#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/file/file_case.h"

#define TIER(n, speed, down, up, more)                                         \
    "Tier " n "\nDownlink_speed_Gbps " speed "\nRadix_Down " down "\n" up      \
    "Downlink_Latency_ns 1000\n" more
#define UP(n) "Radix_Up " n "\n"
#define K4                                                                     \
    "# comment\nNodes 16\nTiers 3\nPodsize 4\n" TIER("0", "100", "2", UP("2"), \
                                                     "Oversubscribed 1\n")     \
        TIER("1", "100", "2", UP("2"), "Bundle 1\nSwitch_Latency_ns 0\n")      \
            TIER("2", "100", "4", "", "Queue_Down 100")

static bool joined(const struct orr_graph *g, uint32_t a, uint32_t b)
{
    for (uint32_t c = 0; c < g->cables; c++)
        if (g->from[c] == a && g->to[c] == b)
            return true;
    return false;
}

/* The default tree of htsim is a k-ary fat-tree: as ours, but that core j * k/2
 * + i there is core i * k/2 + j. */
static void three_tiers_make_a_fat_tree(void **state)
{
    struct orr_graph *g = from_format("htsim", K4);
    struct orr_graph *h =
        topology("{kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}");
    static const uint32_t core[] = {0, 2, 1, 3};
    assert_int_equal(g->hosts, h->hosts);
    assert_int_equal(g->nodes, h->nodes);
    assert_int_equal(g->cables, h->cables);
    for (uint32_t c = 0; c < h->cables; c++) {
        uint32_t to = h->to[c];
        if (to >= 32)
            to = 32 + core[to - 32];
        assert_true(joined(g, h->from[c], to));
        assert_line(g, c, 100000000000u, 1000000, 0);
        assert_string_equal(g->tier_names[g->tier[c]],
                            h->tier_names[h->tier[c]]);
    }
    assert_memory_equal(g->level, h->level, g->nodes);
    assert_null(g->node_of);
    orr__graph_free(g);
    orr__graph_free(h);
}

/* Two leaves of four hosts under two spines that are twice as fast, the cables
 * to one of them in bundles of two: 4:1 from four hosts to two uplinks. */
static void two_tiers_with_bundles(void **state)
{
    struct orr_graph *g = from_format(
        "htsim",
        "nodes 16\ntiers 2\npodsize 16\n" TIER("0", "100", "8", UP("4"),
                                               "Switch_Latency_ns 100\n")
            TIER("1", "200", "4", "", "Bundle 2\nSwitch_Latency_ns 300\n"));
    assert_int_equal(g->hosts, 16);
    assert_int_equal(g->nodes, 16 + 2 + 2);
    assert_int_equal(g->cables, 16 + 2 * 2 * 2);
    assert_cable(g, 8, 8, 17);
    assert_cable(g, 16, 16, 18);
    assert_cable(g, 17, 16, 18);
    assert_cable(g, 18, 16, 19);
    /* half of each switch's latency is on each side of it */
    assert_line(g, 0, 100000000000u, 1050000, 0);
    assert_line(g, 16, 200000000000u, 1200000, 0);
    assert_int_equal(g->level[18], 2);
    orr__graph_free(g);
}

static void oversubscription_takes_uplinks_away(void **state)
{
    struct orr_graph *g = from_format(
        "htsim",
        "Nodes 128\nTiers 3\nPodsize 16\n" TIER("0", "100", "4", UP("4"), "")
            TIER("1", "100", "4", UP("1"), "Oversubscribed 4\n")
                TIER("2", "100", "8", "", ""));
    assert_int_equal(g->nodes, 128 + 32 + 32 + 4);
    assert_int_equal(g->cables, 128 + 128 + 32);
    orr__graph_free(g);
}

static void bad_files(void **state)
{
    static const struct bad_case cases[] = {
        {"", "FILE:1:1: Nodes is missing"},
        {"Nodes 16\nTiers 4\n", "FILE:2:7: Tiers must be from 2 to 3, not 4"},
        {"Nodes 16\nNodes 16\n", "FILE:2:1: Nodes is listed twice"},
        {"Nodes 16 17\n", "FILE:1:10: \"17\" is not expected here"},
        {"Nodes\n", "FILE:1:6: Nodes is missing"},
        {"Radix_Down 4\n", "FILE:1:1: unknown word \"Radix_Down\""},
        {"Nodes 16\nTier 0\n",
         "FILE:2:1: Nodes, Tiers and Podsize come before the first tier"},
        {"Nodes 16\nTiers 2\nPodsize 16\nTier 2\n",
         "FILE:4:6: the tier must be from 0 to 1, not 2"},
        {"Nodes 16\nTiers 2\nPodsize 16\nTier 1\nRadix_Up 4\n",
         "FILE:5:1: the top tier has no uplinks"},
        {"Nodes 16\nTiers 2\nPodsize 16\nTier 1\nTier 1\n",
         "FILE:5:6: tier 1 is listed twice"},
        {"Nodes 16\nTiers 2\nPodsize 16\nTier 1\nBundle 1\nBundle 1\n",
         "FILE:6:1: Bundle is listed twice for this tier"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", UP("4"), ""),
         "FILE:9:1: tier 1 is missing"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", "", "")
             TIER("1", "100", "4", "", ""),
         "FILE:12:1: tier 0 has no Radix_Up"},
        {"Nodes 18\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", UP("4"), "")
             TIER("1", "100", "4", "", ""),
         "t.yaml: FILE: 18 nodes in pods of 16 do not fit edge switches of "
         "Radix_Down 4"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", UP("4"),
                                                "Bundle 2\n")
             TIER("1", "100", "4", "", ""),
         "t.yaml: FILE: tier 0: hosts have one cable, Bundle must be 1"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", UP("4"),
                                                "Oversubscribed 3\n")
             TIER("1", "100", "4", "", ""),
         "t.yaml: FILE: tier 0: its speeds and oversubscription give no whole "
         "number of uplinks"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", UP("4"), "")
             TIER("1", "100", "3", "", ""),
         "t.yaml: FILE: tier 0: 16 uplinks in bundles of 1 do not fit "
         "switches of Radix_Down 3"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", UP("2"), "")
             TIER("1", "100", "4", "", ""),
         "t.yaml: FILE: tier 0: 4 switches of Radix_Up 2 do not have the 16 "
         "uplinks for its speeds and oversubscription"},
        {"Nodes 16\nTiers 2\nPodsize 16\n" TIER("0", "100", "4", UP("4"), "")
             TIER("1", "100", "8", "", ""),
         "t.yaml: FILE: an edge switch with Radix_Up 4 does not reach the 2 "
         "switches above it in bundles of 1"},
        {"Nodes 16\nTiers 3\nPodsize 4\n" TIER("0", "100", "2", UP("2"), "")
             TIER("1", "100", "2", UP("2"), "") TIER("2", "100", "8", "", ""),
         "t.yaml: FILE: a core switch with Radix_Down 8 does not reach 4 "
         "pods in bundles of 1"},
        {"Nodes 4000000000\nTiers 2\nPodsize 4000000000\n" TIER(
             "0", "100", "10", UP("10"), "")
             TIER("1", "100", "400000000", "", ""),
         "FILE:11:12: Radix_Down must be from 1 to 1000000, not 400000000"},
    };
    refuse("htsim", cases, COUNT(cases));
}

/* 10^9 hosts, consistent: refused before anything of that size is there. */
static void absurd_sizes(void **state)
{
    struct orr_graph *g;
    struct orr_report why;
    assert_int_equal(
        try_format("htsim",
                   "Nodes 1000000000\nTiers 3\nPodsize 1000000\n" TIER(
                       "0", "100", "1000", UP("1000"), "")
                       TIER("1", "100", "1000", UP("1000"), "")
                           TIER("2", "100", "1000", "", ""),
                   &g, &why),
        ORR_ECONFIG);
    assert_string_equal(why.message,
                        "FILE: 1.003e+09 nodes and 3e+09 cables are too many "
                        "for this machine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_tiers_make_a_fat_tree),
        cmocka_unit_test(two_tiers_with_bundles),
        cmocka_unit_test(oversubscription_takes_uplinks_away),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(absurd_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
