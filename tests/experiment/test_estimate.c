/* What a run would take: what it depends on, and what it does not. That it is
 * right is for bench/run.sh to say, and for tests/cli/check.bats. */
#include "tests/workload/small_workload.h"

#include "experiment/estimate.h"
#include "experiment/experiment.h"

#define TREE                                                                   \
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "                  \
    "delay: 1us}}\n"
#define DCTCP                                                                  \
    "network: {mtu: 1448B, cc: dctcp, queue: {kind: ecn, "                     \
    "capacity: 10MB, threshold: 300KB}}\n"

struct said {
    struct orr_estimate e;
    double network_s; /* of its seconds */
};

static struct said estimate(const char *yaml)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = false};
    orr_experiment *x;
    struct said s;
    if (experiment_load(yaml, &o, &x, &why) != ORR_OK)
        fail_msg("%s", why.message);
    assert_int_equal(orr_experiment_estimate(x, &s.e, &why), ORR_OK);
    s.network_s = orr__estimate_network(orr__experiment_world(x));
    orr_experiment_free(x);
    return s;
}

/* CPU seconds without the making of the network. */
static double seconds(const char *yaml)
{
    struct said s = estimate(yaml);
    return s.e.seconds - s.network_s;
}

static double hops_of_run(const char *yaml)
{
    struct orr_net_totals t;
    orr_experiment *x = experiment_run(yaml, 1);
    orr__net_totals(orr__experiment_world(x)->net, &t);
    orr_experiment_free(x);
    return (double)t.packet_hops;
}

static void within_two(double said, double took)
{
    if (said < took / 2 || said > 2 * took)
        fail_msg("estimated %g, took %g", said, took);
}

/* ---- packets ------------------------------------------------------------- */

static void test_a_run_that_stops(void **state)
{
    static const char *const runs[] = {
        /* a job in the middle of an iteration, and of its iterations */
        TREE "stop: 40us\njobs: [{ranks: 16, program: [all-reduce: "
             "{size: 1MiB, algorithm: ring}]}]\nrecord: none\n",
        TREE "stop: 1ms\njobs: [{ranks: 16, iterations: 100, program: "
             "[compute: 90us, all-reduce: {size: 64KiB}]}]\nrecord: none\n",
        /* flows that begin too late, or are too long */
        TREE DCTCP "stop: 100us\nflows: [{src: 0, dst: 9, size: 500KB}, "
                   "{src: 1, dst: 9, size: 1MB, start: 1ms}, "
                   "{src: 2, dst: 10, size: 100MB}]\nrecord: none\n",
        /* one that others hold up; and what windows let out in any case */
        TREE DCTCP "stop: 1ms\nflows: [{generate: incast, dst: 0, "
                   "size: 20MB}]\nrecord: none\n",
        TREE "network: {mtu: 1448B, cc: none, window: 1000, queue: {kind: "
             "droptail, capacity: 4GB}}\nstop: 200us\nflows: [{generate: "
             "incast, dst: 0, size: 20MB}]\nrecord: none\n",
        /* windows that are still small: doubled in each round trip, or not */
        TREE DCTCP "stop: 60us\nflows: [{generate: permutation, size: 2MB}]\n"
                   "record: none\n",
        TREE "network: {mtu: 1448B, cc: swift}\nstop: 100us\nflows: "
             "[{generate: permutation, size: 2MB}]\nrecord: none\n",
        /* all that the link sends from the beginning on */
        TREE "network: {mtu: 1448B, cc: hpcc}\nstop: 100us\nflows: "
             "[{generate: permutation, size: 20MB}]\nrecord: none\n",
        TREE "network: {mtu: 1448B, transport: datagram}\nstop: 100us\n"
             "flows: [{generate: permutation, size: 20MB}]\nrecord: none\n",
        TREE "network: {mtu: 1448B, cc: none}\nstop: 100us\n"
             "flows: [{generate: permutation, size: 20MB}]\nrecord: none\n",
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        within_two(estimate(runs[i]).e.packet_hops, hops_of_run(runs[i]));
}

/* ---- time ---------------------------------------------------------------- */

#define EIGHT(k, apart)                                                        \
    "topology: {kind: fat-tree, k: " k ", link: {rate: 100Gbps, delay: "       \
    "1us}}\n" DCTCP "flows:\n"                                                 \
    "  - {src: 0, dst: " apart ", size: 10MB}\n"                               \
    "  - {src: " apart ", dst: 0, size: 10MB}\nrecord: none\n"

static void test_who_is_idle_takes_no_time(void **state)
{
    double small = seconds(EIGHT("4", "15"));
    double large = seconds(EIGHT("16", "1023"));
    assert_true(large > 0.9 * small && large < 1.1 * small);
}

static void test_packets_that_come_alone(void **state)
{
    /* the same flows on as many links, but to one host or to each other */
    struct said all = estimate(TREE DCTCP "flows: [{generate: permutation, "
                                          "size: 10MB}]\nrecord: none\n");
    struct said one = estimate(TREE DCTCP "flows: [{generate: incast, dst: 0, "
                                          "size: 10MB}]\nrecord: none\n");
    double among_many = (all.e.seconds - all.network_s) / all.e.packet_hops;
    double alone = (one.e.seconds - one.network_s) / one.e.packet_hops;
    assert_true(alone > 1.4 * among_many && alone < 4 * among_many);
    /* a message of one packet has no other to come with */
    double few = seconds(TREE "jobs: [{ranks: 16, program: [all-reduce: {size:"
                              " 16KiB}]}]\nrecord: none\n");
    struct said many = estimate(TREE "jobs: [{ranks: 16, program: [all-reduce: "
                                     "{size: 16MiB}]}]\nrecord: none\n");
    assert_true(few > 1.5 * (many.e.seconds - many.network_s) / 256);
}

static void test_many_cables(void **state)
{
    static const char form[] =
        "topology: {kind: %s, hosts: 64, link: {rate: 10Gbps, delay: 1us}}\n"
        "jobs: [{ranks: 64, program: [all-to-all: {size: 64MiB}]}]\n"
        "record: none\n";
    char text[300];
    snprintf(text, sizeof text, form, "fully-connected");
    struct said mesh = estimate(text);
    snprintf(text, sizeof text, form, "switch");
    struct said star = estimate(text);
    /* twice the hops, for less: a packet is not looked for among 63 cables */
    assert_true(star.e.packet_hops == 2 * mesh.e.packet_hops);
    assert_true(star.e.seconds - star.network_s
                < mesh.e.seconds - mesh.network_s);
}

static void test_messages_inside_a_host(void **state)
{
    struct said s = estimate(
        "topology: {kind: switch, hosts: 2, link: {rate: 1Gbps, delay: 1us}}\n"
        "jobs: [{ranks: 4, placement: [0, 0, 0, 0], local: {rate: 1GB/s, "
        "delay: 1us}, iterations: 100, program: [all-reduce: {size: 1MiB, "
        "algorithm: ring}]}]\nrecord: none\n");
    assert_true(s.e.packet_hops == 0);
    /* 4 ranks, 6 steps */
    double each = (s.e.seconds - s.network_s) / (100 * 24);
    assert_true(each > 50e-9 && each < 1e-6);
}

static void test_many_connections(void **state)
{
    static const char form[] =
        "topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}\n"
        "jobs: [{ranks: 128, program: [%s]}]\nrecord: none\n";
    char text[400];
    snprintf(text, sizeof text, form, "all-to-all: {size: 64MiB}");
    struct said all = estimate(text);
    snprintf(text, sizeof text, form,
             "all-reduce: {size: 64MiB, algorithm: ring}");
    struct said ring = estimate(text);
    assert_true((all.e.seconds - all.network_s) / all.e.packet_hops
                > (ring.e.seconds - ring.network_s) / ring.e.packet_hops);
    assert_true(all.e.memory_bytes
                > ring.e.memory_bytes + 128 * 126 * UINT64_C(700));
}

/* ---- memory, and records ------------------------------------------------- */

static void test_what_waits_takes_memory(void **state)
{
    static const char form[] =
        "topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}\n"
        "network: {mtu: 1448B, cc: dctcp, queue: {kind: ecn, capacity: 100MB, "
        "threshold: %s}}\nflows: [{generate: permutation, size: 20MB}]\n"
        "record: none\n";
    char text[400];
    snprintf(text, sizeof text, form, "30KB");
    uint64_t few = estimate(text).e.memory_bytes;
    snprintf(text, sizeof text, form, "6MB");
    uint64_t many = estimate(text).e.memory_bytes;
    /* some 4,000 packets of 32 B more on links that several flows have */
    assert_true(many > few + 5000000 && many < few + 200000000);
}

static void test_records(void **state)
{
    struct said without = estimate(TREE DCTCP "flows: [{generate: permutation,"
                                              " size: 1MB}]\nrecord: none\n");
    struct said with = estimate(TREE DCTCP "flows: [{generate: permutation, "
                                           "size: 1MB}]\n");
    assert_true(with.e.seconds > without.e.seconds + 0.01);
    assert_true(with.e.memory_bytes > without.e.memory_bytes + 5000000);
    assert_true(with.e.packet_hops == without.e.packet_hops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_that_stops),
        cmocka_unit_test(test_who_is_idle_takes_no_time),
        cmocka_unit_test(test_packets_that_come_alone),
        cmocka_unit_test(test_many_cables),
        cmocka_unit_test(test_messages_inside_a_host),
        cmocka_unit_test(test_many_connections),
        cmocka_unit_test(test_what_waits_takes_memory),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
