/* Time series of chosen flows and ports, from the experiment to the file. */
#include "tests/workload/small_workload.h"

#include <hdf5.h>
#include <math.h>
#include <sys/syscall.h>
#include <time.h>

#include "core/units.h"
#include "workload/job/job.h"

/* The wall clock runs ahead by this with every look at it: a flush is due. */
static time_t hurry, ahead;

int clock_gettime(clockid_t id, struct timespec *t)
{
    long r = syscall(SYS_clock_gettime, id, t);
    ahead += hurry;
    t->tv_sec += ahead;
    return (int)r;
}

static char folder[64], output[80];

static int setup(void **state)
{
    strcpy(folder, "/tmp/orrery-probe-XXXXXX");
    hurry = 0;
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

/* Runs with records in `output`; returns the fingerprint. */
static uint64_t run(const char *yaml, unsigned threads)
{
    struct orr_report why = {0};
    struct orr_options o = {.output = output, .threads = threads};
    orr_experiment *x = NULL;
    orr_err err = experiment_load(yaml, &o, &x, &why);
    if (err == ORR_OK)
        err = orr_experiment_run(x, &why);
    if (err != ORR_OK)
        fail_msg("%s", why.message);
    uint64_t f = orr_experiment_fingerprint(x);
    orr_experiment_free(x);
    return f;
}

/* A dataset as doubles, with its shape. */
struct data {
    size_t rows, cols;
    double *v;
};

static struct data data_of(const char *name)
{
    struct data d = {.cols = 1};
    hsize_t size[2] = {0, 1};
    hid_t f = H5Fopen(output, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(f >= 0);
    hid_t set = H5Dopen2(f, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_true(set >= 0);
    H5Sget_simple_extent_dims(space, size, NULL);
    d.rows = (size_t)size[0];
    d.cols = (size_t)size[1];
    d.v = test_calloc(d.rows * d.cols + 1, sizeof *d.v);
    assert_true(
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, d.v)
        >= 0);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(f);
    return d;
}

static double at(const struct data *d, size_t row, size_t col)
{
    assert_true(row < d->rows && col < d->cols);
    return d->v[row * d->cols + col];
}

static void has_text(const char *dataset, const char *attribute,
                     const char *want)
{
    char text[128] = "";
    hid_t f = H5Fopen(output, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t a = H5Aopen_by_name(f, dataset, attribute, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0);
    hid_t t = H5Aget_type(a);
    assert_true(H5Tget_size(t) < sizeof text);
    assert_true(H5Aread(a, t, text) >= 0);
    assert_string_equal(text, want);
    H5Tclose(t);
    H5Aclose(a);
    H5Fclose(f);
}

static bool there(const char *name)
{
    hid_t f = H5Fopen(output, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool is = H5Lexists(f, name, H5P_DEFAULT) > 0;
    H5Fclose(f);
    return is;
}

/* A packet of 1,000 B takes a us on each of the two links, and a us of delay
 * each; an ACK of 64 B 64 ns and the same delays. At 4 Gbps a packet leaves
 * every 2 us: four are under way at 10 us. */
#define SLOW_FLOW                                                              \
    SWITCH "network: {mtu: 1000B}\n"                                           \
           "flows:\n"                                                          \
           "  - {src: 0, dst: 1, size: 1KB, start: 1s}\n"                      \
           "  - {src: 0, dst: 3, size: 50KB, cc: {kind: fixed-rate,"           \
           " rate: 4Gbps}}\n"

static void a_sample_is_what_was_then(void **state)
{
    run(SLOW_FLOW "stop: 200us\nrecord: {interval: 50us, sample: 10us,"
                  " flows: [1, 0, 1], ports: [[4, 3], [0, 4]]}\n",
        1);
    struct data time = data_of("flow_series/time");
    struct data flow = data_of("flow_series/flow");
    struct data src = data_of("flow_series/src");
    struct data sent = data_of("flow_series/bytes_sent");
    struct data flying = data_of("flow_series/bytes_in_flight");
    struct data rate = data_of("flow_series/rate");
    struct data cwnd = data_of("flow_series/cwnd");
    struct data alpha = data_of("flow_series/alpha");
    struct data rtt = data_of("flow_series/rtt");
    struct data srtt = data_of("flow_series/srtt");
    assert_int_equal(time.rows, 20);
    assert_int_equal(flow.rows, 2);
    assert_true(flow.v[0] == 1 && flow.v[1] == 0 && src.v[0] == 0);
    for (size_t i = 0; i < 20; i++)
        assert_true(time.v[i] == (double)((int64_t)(i + 1) * 10 * ORR_US));
    /* at 10 us five packets have left, the first at 0, and what left by
     * 5.9 us was answered: 1 + 1 + 1 + 1 + 2 * (.064 + 1) after it did */
    assert_true(at(&sent, 0, 0) == 5000 && at(&flying, 0, 0) == 3000);
    assert_true(at(&rate, 0, 0) == 4e9 && isinf(at(&cwnd, 0, 0)));
    assert_true(isnan(at(&alpha, 0, 0)));
    assert_true(at(&rtt, 0, 0) == 6128000);
    assert_true(at(&srtt, 0, 0) == 6128000);
    /* the other has not started */
    assert_true(isnan(at(&cwnd, 0, 1)) && isnan(at(&rate, 0, 1)));
    assert_true(at(&rtt, 0, 1) == -1 && at(&sent, 0, 1) == 0);
    assert_true(at(&sent, sent.rows - 1, 0) == 50000);
    assert_true(at(&flying, sent.rows - 1, 0) == 0);
    test_free(time.v), test_free(flow.v), test_free(src.v), test_free(sent.v);
    test_free(flying.v), test_free(rate.v), test_free(cwnd.v);
    test_free(alpha.v), test_free(rtt.v), test_free(srtt.v);
}

/* What MLTCP makes of an increase: the weight, and F by what was acknowledged
 * of the bytes of an iteration. */
static void the_gain_is_there(void **state)
{
    run(SWITCH "network: {mtu: 1000B}\n"
               "flows:\n"
               "  - {src: 0, dst: 1, size: 50KB, weight: 2, cc: {kind: mltcp,"
               " base: dctcp, bytes: 50KB}}\n"
               "  - {src: 2, dst: 3, size: 50KB, start: 30us, weight: 3, cc:"
               " dctcp}\n"
               "stop: 200us\n"
               "record: {interval: 50us, sample: 5us, flows: [0, 1]}\n",
        1);
    struct data gain = data_of("flow_series/gain");
    struct data sent = data_of("flow_series/bytes_sent");
    struct data flying = data_of("flow_series/bytes_in_flight");
    int different = 0;
    for (size_t i = 0; i < sent.rows; i++) {
        double acked = at(&sent, i, 0) - at(&flying, i, 0);
        assert_true(fabs(at(&gain, i, 0) - 2 * (0.25 + 1.75 * acked / 50000))
                    < 1e-9);
        different += acked > 0 && acked < 50000;
        /* starts at 30us: a sample is taken before what happens then */
        assert_true(i < 6 ? isnan(at(&gain, i, 1)) : at(&gain, i, 1) == 3);
    }
    assert_true(different > 5);
    test_free(gain.v), test_free(sent.v), test_free(flying.v);
}

static void series_say_what_they_are(void **state)
{
    run(SLOW_FLOW "stop: 200us\nrecord: {interval: 50us, sample: 10us,"
                  " flows: [1], ports: [[4, 3]]}\n",
        1);
    has_text("flow_series/cwnd", "units", "B");
    has_text("flow_series/rate", "units", "bit/s");
    has_text("flow_series/alpha", "units", "1");
    has_text("flow_series/srtt", "units", "ps");
    has_text("flow_series/rtt", "long_name",
             "last sample of the round-trip time; -1: none yet");
    has_text("port_series/queue", "units", "B");
    has_text("port_series/marks", "coordinates", "time_s from to");
    run(SLOW_FLOW "stop: 200us\nrecord: {interval: 50us, ports: [0]}\n", 1);
    assert_false(there("flow_series"));
    assert_true(there("port_series"));
    run(SLOW_FLOW "stop: 200us\n", 1);
    assert_false(there("port_series"));
}

/* Two senders at 8 Gbps into one link of 8 Gbps: its queue grows by a byte a
 * ns from the first arrival of both until they have sent. */
#define TWO_TO_ONE                                                             \
    SWITCH "network: {mtu: 1000B, queue: {kind: ecn, capacity: 1MB,"           \
           " threshold: 20KB}}\n"                                              \
           "flows:\n"                                                          \
           "  - {src: 0, dst: 3, size: 100KB}\n"                               \
           "  - {src: 1, dst: 3, size: 100KB}\n"

static void a_queue_grows_and_drains(void **state)
{
    run(TWO_TO_ONE "record: {interval: 10us, sample: 100ns,"
                   " flows: all, ports: [[4, 3]]}\n",
        1);
    struct data time = data_of("port_series/time");
    struct data queue = data_of("port_series/queue");
    struct data bytes = data_of("port_series/bytes");
    struct data marks = data_of("port_series/marks");
    struct data drops = data_of("port_series/drops");
    struct data sent = data_of("flow_series/bytes_sent");
    assert_int_equal(queue.rows, sent.rows);
    assert_int_equal(queue.cols, 1);
    assert_int_equal(sent.cols, 2);
    assert_true(time.rows > 2000); /* more than a tile holds */
    for (size_t i = 0; i + 1 < time.rows; i++)
        assert_true(time.v[i] == (double)((int64_t)(i + 1) * 100 * ORR_NS));
    /* the first packets arrive at 2 us; all has arrived at 101 us */
    for (size_t i = 0; i + 1 < time.rows; i++) {
        double t = time.v[i] / ORR_NS;
        double in = t <= 2000 ? 0 : 2000 * ceil((t - 2000) / 1000);
        double out = t <= 2000 ? 0 : t - 2000;
        if (in > 200000)
            in = 200000;
        if (out > 200000)
            out = 200000;
        if (fabs(queue.v[i] - (in - out)) > 1)
            fail_msg("at %g ns the queue is %g B, not %g", t, queue.v[i],
                     in - out);
        assert_true(fabs(bytes.v[i] - out) <= 1);
        assert_true(i == 0 || marks.v[i] >= marks.v[i - 1]);
        assert_true(drops.v[i] == 0);
    }
    assert_true(marks.v[time.rows - 1] > 100);
    assert_true(at(&sent, sent.rows - 1, 0) == 100000);
    assert_true(at(&sent, sent.rows - 1, 1) == 100000);
    test_free(time.v), test_free(queue.v), test_free(bytes.v);
    test_free(marks.v), test_free(drops.v), test_free(sent.v);
}

static void series_change_no_fingerprint(void **state)
{
    static const char *const record[] = {
        "record: none\n",
        "record: {flows: all, ports: all}\n",
        "record: {flows: [0], sample: 130ns}\n",
        "record: {interval: 3us, ports: [[4, 3]], sample: 1us}\n",
    };
    char yaml[600];
    uint64_t first = 0;
    for (size_t i = 0; i < COUNT(record); i++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            snprintf(yaml, sizeof yaml, TWO_TO_ONE "%s", record[i]);
            uint64_t f = run(yaml, threads);
            if (first == 0)
                first = f;
            assert_int_equal(f, first);
        }
}

/* The rows of a series that thins itself out are even, and there are few. */
static void automatic_samples_are_few(void **state)
{
    run(SWITCH "flows: [{src: 0, dst: 3, size: 10MB}]\n"
               "record: {flows: [0], ports: [[0, 4]]}\n",
        1);
    struct data time = data_of("flow_series/time");
    struct data sent = data_of("flow_series/bytes_sent");
    assert_true(time.rows > 1000 && time.rows <= 2048);
    for (size_t i = 0; i + 1 < time.rows; i++) {
        assert_true(time.v[i] == time.v[0] * (double)(i + 1));
        /* a byte a ns, in whole packets */
        double ns = time.v[i] / ORR_NS, most = ns + 4096;
        assert_true(sent.v[i] >= fmin(ns, 1e7) && sent.v[i] <= most);
    }
    assert_true(sent.v[sent.rows - 1] == 1e7);
    test_free(time.v), test_free(sent.v);
}

/* Whatever is written when: the file holds the same. */
static void flushes_change_nothing(void **state)
{
    static const char *const record[] = {
        "record: {flows: all, ports: [[4, 3]]}\n",
        "record: {flows: all, ports: [[4, 3]], sample: 100ns}\n",
        "record: {interval: 1us, flows: all, ports: [[4, 3]]}\n",
        "record: {interval: 1us, flows: all, ports: all, sample: 50ns}\n",
    };
    static const char *const set[] = {
        "flow_series/bytes_sent", "flow_series/time", "port_series/queue",
        "port_series/time_s",     "links/bytes",      "links/time",
    };
    for (size_t i = 0; i < COUNT(record); i++) {
        char yaml[600];
        struct data calm[COUNT(set)], hurried;
        snprintf(yaml, sizeof yaml, TWO_TO_ONE "%s", record[i]);
        hurry = 0;
        run(yaml, 1);
        for (size_t k = 0; k < COUNT(set); k++)
            calm[k] = data_of(set[k]);
        hurry = 100;
        run(yaml, 1);
        for (size_t k = 0; k < COUNT(set); k++) {
            hurried = data_of(set[k]);
            assert_true(hurried.rows > 100);
            assert_int_equal(hurried.rows, calm[k].rows);
            assert_int_equal(hurried.cols, calm[k].cols);
            assert_memory_equal(hurried.v, calm[k].v,
                                calm[k].rows * calm[k].cols * sizeof(double));
            test_free(hurried.v), test_free(calm[k].v);
        }
    }
}

/* More columns than a tile of the file has. */
static void many_columns(void **state)
{
    run("topology: {kind: ring, hosts: 80, link: {rate: 8Gbps,"
        " delay: 1us}}\n"
        "network: {recovery: sack}\n" /* without probes for lost tails */
        "flows: [{generate: permutation, size: 20KB}]\n"
        "record: {interval: 100us, sample: 5us, flows: all, ports: all}\n",
        1);
    struct data sent = data_of("flow_series/bytes_sent");
    struct data bytes = data_of("port_series/bytes");
    struct data port = data_of("port_series/port");
    assert_int_equal(sent.cols, 80);
    assert_int_equal(bytes.cols, 160);
    for (size_t i = 0; i < sent.cols; i++)
        assert_true(at(&sent, sent.rows - 1, i) == 20000);
    double hops = 0;
    for (size_t i = 0; i < bytes.cols; i++) {
        assert_true(port.v[i] == (double)i);
        hops += at(&bytes, bytes.rows - 1, i);
    }
    assert_true(hops > 80 * 20000);
    test_free(sent.v), test_free(bytes.v), test_free(port.v);
}

#define RING_JOB                                                               \
    SWITCH "jobs: [{name: ring, ranks: 4, iterations: 2, program:"             \
           " [{all-reduce: {size: 400KB, algorithm: ring}}]}]\n"

static void connections_of_a_job(void **state)
{
    run(RING_JOB "record: {interval: 100us, flows: [{job: ring, from: 0,"
                 " to: 1}, {job: ring, from: 2}]}\n",
        1);
    struct data flow = data_of("flow_series/flow");
    struct data from = data_of("flow_series/from");
    struct data to = data_of("flow_series/to");
    struct data sent = data_of("flow_series/bytes_sent");
    assert_int_equal(sent.cols, 4); /* 0 > 1, 2 > 0, 2 > 1, 2 > 3 */
    size_t last = sent.rows - 1;
    /* two iterations of six steps of 100 KB, from a rank to the next */
    assert_true(at(&sent, last, 0) == 1200000);
    assert_true(at(&sent, last, 1) == 0 && at(&sent, last, 2) == 0);
    assert_true(at(&sent, last, 3) == 1200000);
    assert_true(flow.v[0] == -1 && flow.v[3] == -4);
    assert_true(from.v[3] == 2 && to.v[3] == 3);
    test_free(flow.v), test_free(from.v), test_free(to.v), test_free(sent.v);
}

static void refused(const char *yaml, const char *record, const char *message)
{
    char text[600];
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    orr_experiment *x = NULL;
    snprintf(text, sizeof text, "%srecord: {%s}\n", yaml, record);
    assert_int_equal(experiment_load(text, &o, &x, &why), ORR_ECONFIG);
    if (!strstr(why.message, message))
        fail_msg("\"%s\" instead of \"%s\"", why.message, message);
}

static void what_is_not_there_is_refused(void **state)
{
    refused(TWO_TO_ONE, "flows: [2]",
            "flow 2 does not exist: flows are 0 "
            "to 1");
    refused(TWO_TO_ONE, "flows: [-1]", "flow -1 does not exist");
    refused(TWO_TO_ONE, "flows: first", "the index of a flow");
    refused(TWO_TO_ONE, "flows: [[0, 1]]", "the index of a flow");
    refused(TWO_TO_ONE, "flows: [{job: a}]", "no job is called \"a\"");
    refused(RING_JOB, "flows: [0]", "there are no flows");
    refused(RING_JOB, "flows: [{job: ring, from: 4}]",
            "job \"ring\" has no rank 4: ranks are 0 to 3");
    refused(RING_JOB, "flows: [{job: ring, from: one}]", "a rank, or `all`");
    refused(RING_JOB, "flows: [{job: ring, from: 1, to: 1}]",
            "are on one host");
    refused(RING_JOB, "flows: [{job: ring, rank: 1}]", "unknown key");
    refused(TWO_TO_ONE, "ports: [8]", "there is no link 8: they are 0 to 7");
    refused(TWO_TO_ONE, "ports: [host 0 > host 1]",
            "there is no link \"host 0 > host 1\"");
    refused(TWO_TO_ONE, "ports: [[0, 1]]",
            "no link leads from host 0 to "
            "host 1");
    refused(TWO_TO_ONE, "ports: [[0, 5]]",
            "node 5 does not exist: nodes are "
            "0 to 4");
    refused(TWO_TO_ONE, "ports: [[0, x]]",
            "node x does not exist: nodes are "
            "0 to");
    refused(TWO_TO_ONE, "ports: [[0, 1, 2]]", "a link, or a pair");
    refused(TWO_TO_ONE, "ports: some", "there is no link \"some\"");
    refused(TWO_TO_ONE, "flows: [0], sample: 100ps", "at least 1ns");
    refused(TWO_TO_ONE, "flows: [0], sample: 5", "unit");
    refused("topology: {kind: switch, hosts: 70, link: {rate: 1Gbps,"
            " delay: 1us}}\njobs: [{name: a, ranks: 70, program:"
            " [{barrier: {}}]}]\n",
            "flows: [{job: a}]", "no more than 4096 can be sampled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(a_sample_is_what_was_then),    TEST(the_gain_is_there),
        TEST(series_say_what_they_are),     TEST(a_queue_grows_and_drains),
        TEST(series_change_no_fingerprint), TEST(automatic_samples_are_few),
        TEST(flushes_change_nothing),       TEST(many_columns),
        TEST(connections_of_a_job),         TEST(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
