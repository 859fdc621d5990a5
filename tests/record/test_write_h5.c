/* What a record says of nodes, links, jobs, ranks, iterations, collectives and
 * flows: each value of a small run. */
#include "tests/workload/small_workload.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"

static char folder[64], output[80], said[20000];

static int setup(void **state)
{
    strcpy(folder, "/tmp/orrery-tables-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/run.h5", folder);
    return 0;
}

static int teardown(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    size_t n = strlen(said);
    va_list args;
    va_start(args, format);
    vsnprintf(said + n, sizeof said - n, format, args);
    va_end(args);
}

static void say_texts(hid_t set, hid_t type, hid_t space, hssize_t n)
{
    char *text[64];
    assert_in_range(n, 0, 64);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    for (hssize_t i = 0; i < n; i++)
        say(" %s", text[i] ? text[i] : "(null)");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
}

static void say_numbers(hid_t set, hssize_t n)
{
    double v[64];
    assert_in_range(n, 0, 64);
    assert_true(
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
    for (hssize_t i = 0; i < n; i++)
        if (isnan(v[i]))
            say(" -");
        else
            say(" %.12g", v[i]);
}

static herr_t say_set(hid_t group, const char *name, const H5L_info_t *info,
                      void *arg)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    say("%s/%s:", (const char *)arg, name);
    if (H5Tget_class(type) == H5T_STRING)
        say_texts(set, type, space, n);
    else
        say_numbers(set, n);
    say("\n");
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return 0;
}

/* All datasets of these groups, in the order of their making. */
static void say_record(const char *yaml, const char *const *groups)
{
    struct orr_report why = {0};
    struct orr_options o = {.output = output, .threads = 1};
    orr_experiment *x = NULL;
    orr_err err = experiment_load(yaml, &o, &x, &why);
    if (err == ORR_OK)
        err = orr_experiment_run(x, &why);
    if (err != ORR_OK)
        fail_msg("%s", why.message);
    orr_experiment_free(x);
    said[0] = '\0';
    hid_t file = H5Fopen(output, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    for (; *groups; groups++) {
        hid_t group = H5Gopen2(file, *groups, H5P_DEFAULT);
        if (group < 0)
            fail_msg("no group %s", *groups);
        H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, say_set,
                   (void *)*groups);
        H5Gclose(group);
    }
    H5Fclose(file);
}

static void is_said(const char *want)
{
    assert_string_equal(said, want);
}

static const char tables[] =
    "topology/node: 0 1 2 3 4 5 6\n"
    "topology/name: host 0 host 1 host 2 host 3 leaf0 leaf1 "
    "spine0\n"
    "topology/type: 0 0 0 0 1 1 1\n"
    "topology/level: 0 0 0 0 1 1 2\n"
    "topology/forwards: 0 0 0 0 1 1 1\n"
    "topology/x: -0.75 -0.25 0.25 0.75 -0.5 0.5 0\n"
    "topology/y: 0 0 0 0 1 1 2\n"
    "topology/z: 0 0 0 0 0 0 0\n"
    "topology/link: 0 1 2 3 4 5 6 7 8 9 10 11\n"
    "topology/from: 0 1 2 3 4 5 4 4 5 5 6 6\n"
    "topology/to: 4 4 5 5 6 6 0 1 2 3 4 5\n"
    "topology/rate: 8000000000 8000000000 8000000000 8000000000 "
    "8000000000 8000000000 8000000000 8000000000 8000000000 "
    "8000000000 8000000000 8000000000\n"
    "topology/delay: 1000000 1000000 1000000 1000000 1000000 "
    "1000000 1000000 1000000 1000000 1000000 1000000 1000000\n"
    "topology/loss: 0 0 0 0 0 0 0 0 0 0 0 0\n"
    "topology/tier: 0 0 0 0 1 1 0 0 0 0 1 1\n"
    "flows_by_size/from: 2000\n"
    "flows_by_size/to: 5000\n"
    "flows_by_size/count: 1\n"
    "flows_by_size/fct_mean: 13504000\n"
    "flows_by_size/fct_p50: 13504000\n"
    "flows_by_size/fct_p95: 13504000\n"
    "flows_by_size/fct_p99: 13504000\n"
    "flows_by_size/fct_max: 13504000\n"
    "flows_by_size/slowdown_mean: 1\n"
    "flows_by_size/slowdown_p50: 1\n"
    "flows_by_size/slowdown_p95: 1\n"
    "flows_by_size/slowdown_p99: 1\n"
    "flows_by_size/slowdown_max: 1\n"
    "jobs/job: 0 1\n"
    "jobs/name: a b\n"
    "jobs/ranks: 2 2\n"
    "jobs/iterations: 3 9\n"
    "jobs/warmup: 1 0\n"
    "jobs/start: 0 5000000\n"
    "jobs/finish: 114006000 -1\n"
    "jobs/bytes_sent: 24000 36000\n"
    "jobs/wire_bytes: 24000 36000\n"
    "jobs/retransmissions: 0 0\n"
    "jobs/timeouts: 0 0\n"
    "jobs/marks: 0 0\n"
    "jobs/cnps: 0 0\n"
    "jobs/mean: 38002000 30167166.6667\n"
    "jobs/alone: - -\n"
    "jobs/slowdown: - -\n"
    "ranks/member: 0 1 2 3\n"
    "ranks/job: 0 0 1 1\n"
    "ranks/rank: 0 1 0 1\n"
    "ranks/host: 0 2 1 3\n"
    "ranks/iterations: 3 3 6 6\n"
    "ranks/compute: 30000000 60000000 134998000 133997000\n"
    "ranks/communication: 77006000 54006000 60002000 61003000\n"
    "ranks/exposed: 77006000 54006000 60002000 61003000\n"
    "ranks/overlap: 0 0 0 0\n"
    "ranks/bytes_sent: 12000 12000 18000 18000\n"
    "ranks/bytes_received: 12000 12000 18000 18000\n"
    "iterations/row: 0 1 2 3 4 5 6 7 8 9\n"
    "iterations/job: 0 0 0 1 1 1 1 1 1 1\n"
    "iterations/iteration: 0 1 2 0 1 2 3 4 5 6\n"
    "iterations/start: 0 31002000 69004000 5000000 35000000 "
    "65000000 95000000 125000000 155000000 185002000\n"
    "iterations/end: 38002000 76004000 114006000 35000000 "
    "65000000 95001000 125001000 155001000 186003000 -1\n"
    "iterations/duration: 38002000 38002000 38002000 30000000 "
    "30000000 30001000 30000000 30000000 31002000 -1\n"
    "iterations/span: 38002000 45002000 45002000 30000000 "
    "30000000 30001000 30001000 30001000 31003000 -1\n"
    "iterations/duration_s: 3.8002e-05 3.8002e-05 3.8002e-05 "
    "3e-05 3e-05 3.0001e-05 3e-05 3e-05 3.1002e-05 -\n"
    "collectives/row: 0 1 2\n"
    "collectives/job: 0 0 0\n"
    "collectives/iteration: 0 1 2\n"
    "collectives/operation: 1 1 1\n"
    "collectives/kind: all-reduce all-reduce all-reduce\n"
    "collectives/algorithm: ring ring ring\n"
    "collectives/group_size: 2 2 2\n"
    "collectives/bytes: 4000 4000 4000\n"
    "collectives/start: 10000000 41002000 79004000\n"
    "collectives/end: 38002000 76004000 114006000\n"
    "collectives/duration_s: 2.8002e-05 3.5002e-05 3.5002e-05\n"
    "collectives/lower_bound: 12000000 12000000 12000000\n"
    "collectives/algorithm_bandwidth: 1142775516.03 "
    "914233472.373 914233472.373\n"
    "collectives/bus_bandwidth: 1142775516.03 914233472.373 "
    "914233472.373\n"
    "collectives/chunk_latency: 19502000 23002000 23002000\n"
    "collectives/queueing: 0 0 0\n"
    "collectives/message_time: 9500500 9500500 9500500\n"
    "collectives/messages: 4 4 4\n"
    "collectives/bytes_sent: 8000 8000 8000\n"
    "collectives/limiting_link: 4 4 4\n"
    "collectives/limiting_time: 4000000 4000000 4000000\n"
    "collectives/limiting_busy: 0.250232126746 0.200188560796 "
    "0.200188560577\n"
    "flows/flow: 0 1 2\n"
    "flows/src: 0 1 1\n"
    "flows/dst: 3 2 2\n"
    "flows/bytes: 2500 1000000 1\n"
    "flows/start: 3000000 150000000 1000000000\n"
    "flows/finish: 16504000 -1 -1\n"
    "flows/fct: 13504000 -1 -1\n"
    "flows/done: 9500000 -1 -1\n"
    "flows/fct_s: 1.3504e-05 - -\n"
    "flows/ideal: 13504000 1011004000 8008000\n"
    "flows/slowdown: 1 - -\n"
    "flows/retransmissions: 0 0 0\n"
    "flows/timeouts: 0 0 0\n"
    "flows/marks: 0 0 0\n"
    "flows/cnps: 0 0 0\n"
    "flows/measured: 1 1 1\n";

/* One job computes and sums up, one sends; a warm-up, a straggler, a flow that
 * is stopped before it began, and one beside the others. */
static void tables_of_a_run(void **state)
{
    static const char *const groups[] = {
        "topology",   "flows_by_size", "jobs",  "ranks",
        "iterations", "collectives",   "flows", NULL};
    say_record("topology: {kind: leaf-spine, leaves: 2, spines: 1, "
               "hosts_per_leaf: 2, link: {rate: 8Gbps, delay: 1us}}\n"
               "network: {mtu: 1000B, header: 0B, ack: 1B}\n"
               "stop: 200us\n"
               "jobs:\n"
               "- {name: a, ranks: 2, placement: [0, 2], iterations: 3, "
               "warmup: 1, stragglers: {1: 2}, program: [compute: 10us, "
               "all-reduce: {size: 4KB}]}\n"
               "- {name: b, ranks: 2, placement: [1, 3], start: 5us, "
               "iterations: 9, class: 1, program: [compute: 20us, parallel: "
               "[[send: {to: +1, size: 3KB}], [recv: {from: -1}]]]}\n"
               "flows: [{src: 0, dst: 3, size: 2500B, start: 3us}, {src: 1, "
               "dst: 2, size: 1MB, start: 150us}, {src: 1, dst: 2, size: 1B, "
               "start: 1ms}]\n",
               groups);
    is_said(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_of_a_run, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
