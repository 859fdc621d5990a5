/* Flows that start when others end, on a switch of 8 Gbps and 1 us: 1000 bytes
 * alone take 2 * 1.024 + 2 us there, 2 * 0.064 + 2 us back for the ACK. */
#include "tests/workload/flow/file/flow_case.h"

enum { THERE = 4048000, BACK = 2128000 };

/* Runs the connections on this many threads; start_ps of each flow. more:
 * beside the packets' sizes, as the last of `network` and what follows. */
static orr_err run(const char *cm, const char *more, unsigned threads,
                   int64_t *start, uint64_t *fingerprint,
                   struct orr_report *why)
{
    char path[] = "/tmp/orrery-test-XXXXXX", yaml[1024];
    struct orr_options o = {.threads = threads, .no_output = true};
    orr_experiment *x;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, cm, strlen(cm)), (ssize_t)strlen(cm));
    close(fd);
    snprintf(yaml, sizeof yaml,
             "%snetwork: {mtu: 1000B, header: 24B%s}\n"
             "flows: [{file: %s, format: htsim}]\n",
             SWITCH, more, path);
    *why = (struct orr_report){.code = ORR_OK};
    orr_err err = experiment_load(yaml, &o, &x, why);
    unlink(path);
    if (err != ORR_OK)
        fail_msg("%s", why->message);
    err = orr_experiment_run(x, why);
    const struct orr_flows *f = orr__experiment_world(x)->flows;
    for (uint32_t i = 0; i < f->count; i++)
        start[i] = f->flow[i].start_ps;
    *fingerprint = orr_experiment_fingerprint(x);
    orr_experiment_free(x);
    return err;
}

/* The same on one to three threads. */
static void starts(const char *cm, const char *more, const int64_t *expected,
                   uint32_t n)
{
    uint64_t first = 0;
    for (unsigned threads = 1; threads <= 3; threads++) {
        int64_t start[16];
        uint64_t fingerprint;
        struct orr_report why;
        if (run(cm, more, threads, start, &fingerprint, &why) != ORR_OK)
            fail_msg("%s", why.message);
        for (uint32_t i = 0; i < n; i++)
            if (start[i] != expected[i])
                fail_msg("flow %u on %u threads begins at %lld, not %lld", i,
                         threads, (long long)start[i], (long long)expected[i]);
        first = first ? first : fingerprint;
        assert_true(fingerprint == first);
    }
}

/* Nothing is between a host and itself. */
static void on_one_host_at_once(void **state)
{
    static const int64_t expected[] = {0, THERE + BACK, 0, THERE};
    starts("Nodes 4\nConnections 4\nTriggers 2\n"
           "0->1 start 0 size 1000 send_done_trigger 1\n"
           "0->2 id 2 trigger 1 size 1000\n"
           "2->3 start 0 size 1000 recv_done_trigger 2\n"
           "3->1 id 4 trigger 2 size 1000\n"
           "trigger id 1 oneshot\ntrigger id 2 oneshot\n",
           "", expected, 4);
}

/* Elsewhere an end is known after the control delay. */
static void elsewhere_after_the_control_delay(void **state)
{
    static const char cm[] = "Nodes 4\nConnections 3\nTriggers 1\n"
                             "0->1 start 0 size 1000 recv_done_trigger 1\n"
                             "2->3 id 2 trigger 1 size 1000\n"
                             "3->0 id 3 trigger 1 size 1000\n"
                             "trigger id 1 oneshot\n";
    static const int64_t ten[] = {0, THERE + 10000000, THERE + 10000000};
    static const int64_t odd[] = {0, THERE + 7000001, THERE + 7000001};
    starts(cm, "", ten, 3);
    starts(cm, "}\ncontrol_delay: 7000001ps\nrecord: {interval: 1us", odd, 3);
}

static void a_barrier_counts(void **state)
{
    static const int64_t expected[] = {0, 5000000, 0,
                                       5000000 + THERE + 10000000};
    starts("Nodes 4\nConnections 4\nTriggers 1\n"
           "0->1 start 0 size 1000 recv_done_trigger 9\n"
           "0->1 start 5000000 size 1000 recv_done_trigger 9\n"
           "2->3 start 0 size 1000 send_done_trigger 9\n"
           "3->0 id 3 trigger 9 size 1000\n"
           "trigger id 9 barrier count 3\n",
           "", expected, 4);
}

/* One after another, each started by the end of the one before it. */
static void multishot_starts_one_at_a_time(void **state)
{
    static const int64_t alone = THERE + BACK;
    const int64_t expected[] = {0, alone, 2 * alone, 3 * alone};
    starts("Nodes 4\nConnections 4\nTriggers 1\n"
           "0->1 start 0 size 1000 send_done_trigger 1\n"
           "0->2 id 1 trigger 1 size 1000 send_done_trigger 1\n"
           "0->3 id 2 trigger 1 size 1000 send_done_trigger 1\n"
           "0->1 id 3 trigger 1 size 1000 send_done_trigger 1\n"
           "trigger id 1 multishot\n",
           "", expected, 4);
}

/* The last byte's way out and there; there are no ACKs. */
static void datagrams_have_triggers(void **state)
{
    static const int64_t expected[] = {0, 1024000, THERE};
    starts("Nodes 4\nConnections 3\nTriggers 2\n"
           "0->1 start 0 size 1000 send_done_trigger 1 recv_done_trigger 2\n"
           "0->2 id 1 trigger 1 size 1000\n"
           "1->3 id 2 trigger 2 size 1000\n"
           "trigger id 1 oneshot\ntrigger id 2 oneshot\n",
           ", transport: datagram", expected, 3);
}

/* A trigger that nothing pulls is told. */
static void what_never_starts_is_told(void **state)
{
    int64_t start[2];
    uint64_t fingerprint;
    struct orr_report why;
    assert_int_equal(run("Nodes 4\nConnections 2\nTriggers 1\n"
                         "0->1 start 0 size 1000 send_done_trigger 3\n"
                         "2->1 id 1 trigger 3 size 1000\n"
                         "trigger id 3 barrier count 2\n",
                         "", 1, start, &fingerprint, &why),
                     ORR_ERUN);
    assert_int_equal(start[1], -1);
    assert_string_equal(
        why.message,
        "no events are left, but 1 of 2 flows did not finish: flow 1 (host 2 "
        "to host 1, 1 KB, waits for trigger 3 with 1 of 2 activations)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_one_host_at_once),
        cmocka_unit_test(elsewhere_after_the_control_delay),
        cmocka_unit_test(a_barrier_counts),
        cmocka_unit_test(multishot_starts_one_at_a_time),
        cmocka_unit_test(datagrams_have_triggers),
        cmocka_unit_test(what_never_starts_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
