#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/file/file_case.h"

#define GIB 8589934592u

/* Two links of an NPU in a ring are one of twice the rate. */
static void ring_of_json(void **state)
{
    struct orr_graph *g = from_format(
        "astra", "{\"dimensions-count\": 1, \"topologies-per-dim\": "
                 "[\"Ring\"], \"units-count\": [8], \"links-count\": [2], "
                 "\"link-latency\": [500], \"link-bandwidth\": [50]}");
    assert_int_equal(g->hosts, 8);
    assert_int_equal(g->nodes, 8);
    assert_int_equal(g->cables, 8);
    assert_cable(g, 3, 3, 4);
    assert_cable(g, 7, 7, 0);
    assert_line(g, 0, 100ull * GIB, 500000, 0);
    assert_true(g->forwards[0]);
    assert_int_equal(g->n_dims, 1);
    assert_int_equal(g->dims[0], 8);
    orr__graph_free(g);
}

/* Rows of three, fully joined; columns of two, each on a switch. */
static void two_dimensions(void **state)
{
    struct orr_graph *g = from_format(
        "astra", "topologies-per-dim: [FullyConnected, Switch]\n"
                 "units-count: [3, 2]\nlinks-count: [4, 3]\n"
                 "link-latency: [10, 20]\nlink-bandwidth: [1, 0.5]\n"
                 "nic-latency: [1, 1]\nrouter-latency: [0, 6]\n");
    assert_int_equal(g->hosts, 6);
    assert_int_equal(g->nodes, 9);
    assert_int_equal(g->cables, 6 + 6);
    assert_cable(g, 0, 0, 1);
    assert_cable(g, 2, 1, 2);
    assert_cable(g, 3, 3, 4);
    assert_cable(g, 6, 0, 6);
    assert_cable(g, 7, 3, 6);
    assert_cable(g, 11, 5, 8);
    assert_line(g, 0, 2ull * GIB, 12000, 0);
    assert_line(g, 6, 3ull * GIB / 2, 24000, 0);
    assert_string_equal(g->tier_names[g->tier[6]], "dimension 1");
    assert_int_equal(g->n_dims, 2);
    assert_int_equal(g->dims[0], 3);
    assert_int_equal(g->dims[1], 2);
    orr__graph_free(g);
}

static void yaml_of_two(void **state)
{
    struct orr_graph *g = from_format(
        "astra", "topology: [ Ring ]\nnpus_count: [ 2 ]\n"
                 "bandwidth: [ 50.0 ]  # GB/s\nlatency: [ 500.0 ]  # ns\n");
    assert_int_equal(g->cables, 1);
    assert_line(g, 0, 50ull * GIB, 500000, 0);
    orr__graph_free(g);
    g = from_format("astra", "topology: Switch\nnpus_count: [4]\n"
                             "bandwidth: [25]\nlatency: [1]\n");
    assert_int_equal(g->nodes, 5);
    assert_false(g->forwards[0]);
    orr__graph_free(g);
}

/* What a dimension carries is scaled as its links are: to 1 bit/s at least, and
 * below 2^63 where a number of 64 bits would not do. */
static void scaled_dimensions(void **state)
{
    static const struct {
        const char *bandwidth, *scale;
        uint64_t link, dim;
    } rows[] = {
        {"1", "0.5", GIB / 2, 3 * (GIB / 2)},
        {"1e-6", "1e-6", 1, 1},
        /* 8.6e21 bit/s, and three times as much */
        {"1e6", "1e6", UINT64_C(1) << 62, UINT64_C(1) << 62},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct orr_graph *g;
        struct orr_report why;
        char text[200], keys[40];
        snprintf(text, sizeof text,
                 "topology: [FullyConnected]\n"
                 "npus_count: [4]\nbandwidth: [%s]\nlatency: [1]\n",
                 rows[i].bandwidth);
        snprintf(keys, sizeof keys, ", scale: %s", rows[i].scale);
        if (try_format_with("astra", text, keys, &g, &why) != ORR_OK)
            fail_msg("%s", why.message);
        assert_int_equal(g->n_dims, 1);
        assert_int_equal(g->rate_bps[0], rows[i].link);
        assert_int_equal(g->dims_bps[0], rows[i].dim);
        orr__graph_free(g);
    }
}

/* Values beyond dimensions-count are left alone. */
static void more_than_counted(void **state)
{
    struct orr_graph *g = from_format(
        "astra",
        "dimensions-count: 1\ntopologies-per-dim: [Ring, Switch]\n"
        "units-count: [4, 8]\nlinks-count: [2, 1]\nlink-bandwidth: [1, 1]\n"
        "link-latency: [1, 1]\n");
    assert_int_equal(g->hosts, 4);
    assert_int_equal(g->nodes, 4);
    orr__graph_free(g);
}

#define RING "topology: [Ring]\nnpus_count: [4]\n"

static void refused(void **state)
{
    static const struct bad_case cases[] = {
        {"x: 1\n", "FILE:1:1: neither topology nor topologies-per-dim is "
                   "there: not a network file of ASTRA-sim"},
        {"topology: [&a]\n", "FILE:1:11: topology: Ring, FullyConnected or "
                             "Switch is expected"},
        {"topology: [Rung]\n", "FILE:1:12: topology: Ring, FullyConnected or "
                               "Switch is expected"},
        {RING "bandwidth: [fast]\nlatency: [1]\n",
         "FILE:3:13: bandwidth: a number from 1e-06 to 1000000 is expected "
         "for each dimension"},
        {RING "bandwidth: [1]\nlatency: [-1]\n",
         "FILE:4:11: latency: a number from 0 to 1000000000000 is expected "
         "for each dimension"},
        {RING "bandwidth: [1]\nlatency: []\n",
         "FILE:4:10: latency: a number from 0 to 1000000000000 is expected "
         "for each dimension"},
        {"topology: [Ring, Ring]\nnpus_count: [4, 2.5]\n"
         "bandwidth: [1, 1]\nlatency: [1, 1]\n",
         "FILE:2:17: npus_count: a whole number is expected"},
        {"topologies-per-dim: [FullyConnected]\nunits-count: [8]\n"
         "links-count: [3]\nlink-bandwidth: [1]\nlink-latency: [1]\n",
         "FILE:3:15: links-count: 3 links are too few for a FullyConnected "
         "of 8"},
        {"topologies-per-dim: [Switch]\nunits-count: [8]\n"
         "links-count: [1000000]\nlink-bandwidth: [1000000]\n"
         "link-latency: [1]\n",
         "FILE:4:18: link-bandwidth: links of 8.59e+21 bit/s between 8 NPUs "
         "are too fast for 64 bits"},
        {RING "bandwidth: [1, 2]\nlatency: [1]\n",
         "FILE:3:16: bandwidth: 2 values for 1 dimension"},
        {"dimensions-count: 2\ntopologies-per-dim: [Ring]\n",
         "FILE:1:19: dimensions-count: 2, but topologies-per-dim lists 1"},
    };
    refuse("astra", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_of_json),
        cmocka_unit_test(two_dimensions),
        cmocka_unit_test(yaml_of_two),
        cmocka_unit_test(scaled_dimensions),
        cmocka_unit_test(more_than_counted),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
