#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/file/file_case.h"
#include "topo/routing.h"

/* Two servers of two GPUs: 4 and 5 are their NVSwitches, 6 joins them. */
static const char two_servers[] = "7 2 2 1 8 H100\n4 5 6 \n"
                                  "0 4 2880Gbps 0.000025ms 0\n"
                                  "1 4 2880Gbps 0.000025ms 0\n"
                                  "2 5 2880Gbps 0.000025ms 0\n"
                                  "3 5 2880Gbps 0.000025ms 0\n"
                                  "0 6 400Gbps 0.0005ms 0\n"
                                  "1 6 400Gbps 0.0005ms 0\n"
                                  "2 6 400Gbps 0.0005ms 0\n"
                                  "3 6 400Gbps 0.0005ms 0\n";

static void nvswitches_are_switches(void **state)
{
    struct orr_graph *g = from_format("simai", two_servers);
    assert_int_equal(g->hosts, 4);
    assert_int_equal(g->nodes, 7);
    assert_int_equal(g->cables, 8);
    assert_line(g, 0, 2880000000000u, 25000, 0);
    assert_line(g, 4, 400000000000u, 500000, 0);
    assert_string_equal(g->tier_names[g->tier[0]], "nvlink");
    assert_string_equal(g->tier_names[g->tier[4]], "host");
    for (uint32_t v = 4; v < 7; v++)
        assert_int_equal(g->level[v], 1);
    for (uint32_t v = 0; v < 7; v++)
        assert_int_equal(g->node_of[v], v);
    orr__graph_free(g);
}

/* The switch that joins the servers is as near, and not taken between GPUs of
 * one server. */
static void nvlink_goes_first(void **state)
{
    struct orr_graph *g = from_format("simai", two_servers);
    struct orr_routing *r = NULL;
    struct orr_report why = {.code = ORR_OK};
    const uint32_t all[] = {0, 1, 2, 3};
    assert_int_equal(orr__routing_build(g, all, 4, &r, &why), ORR_OK);
    for (uint32_t from = 0; from < 4; from++)
        for (uint32_t to = 0; to < 4; to++) {
            if (from == to)
                continue;
            uint32_t n;
            const uint32_t *link = orr__routing_next(r, from, to, &n);
            assert_int_equal(n, 1);
            assert_int_equal(g->to[*link] == 6, from / 2 != to / 2);
        }
    orr__routing_free(r);
    orr__graph_free(g);
}

static void bad_files(void **state)
{
    static const struct bad_case cases[] = {
        {"7 2 2 1\n", "FILE:2:1: the number of links is missing"},
        {"7 2 2 1 8\n4 5 6\n", "FILE:1:10: the type of GPU is missing"},
        {"3 1 1 2 2 H100\n",
         "FILE:1:11: 3 nodes with 3 switches among them leave no host"},
        {"3 2 1 0 2 H100\n9\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
         "FILE:2:1: node 9 does not exist: nodes are 0 to 2"},
    };
    refuse("simai", cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvswitches_are_switches),
        cmocka_unit_test(nvlink_goes_first),
        cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
