/* Runs of a network that is built on: where one ends, another one begins. */
#include "tests/study/network/open.h"

#include "core/memory.h"
#include "core/units.h"

/* A run until nothing is left goes on from where the last one ended. */
static void test_time_goes_on(void **state)
{
    orr_network *n = open_text(LINE, 1);
    run(n, 5 * ORR_US);
    run(n, ORR_FOREVER);
    assert_int_equal(orr_network_now(n), 5 * ORR_US);
    assert_int_equal(
        orr_network_send(n, &(struct orr_send){.dst = 1, .bytes = 1}), ORR_OK);
    run(n, 50 * ORR_US);
    run(n, ORR_FOREVER);
    assert_int_equal(orr_network_now(n), 50 * ORR_US);
    orr_network_close(n);
}

/* A run that ends when a message leaves, to the ps, and another message then:
 * the first has left, and says so. */
static void test_sent_between_runs(void **state)
{
    static const char *const more[] = {"", "network: {cc: dctcp}\n",
                                       "network: {transport: datagram}\n",
                                       "network: {nic: {queue: fifo}}\n"};

    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", LINE, more[i]);
        orr_network *n = open_text(text, 1);
        struct note sent[3] = {{.n = n}, {.n = n}, {.n = n}};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(
                orr_network_send(n, &(struct orr_send){.dst = 1,
                                                       .bytes = 1000,
                                                       .channel = (uint32_t)k,
                                                       .sent = note,
                                                       .sent_arg = &sent[k]}),
                ORR_OK);
            run(n, (k + 1) * 800 * ORR_NS); /* 1,000 bytes at 10 Gbps */
        }
        run(n, ORR_FOREVER);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(sent[k].calls, 1);
            assert_int_equal(sent[k].at[0], (k + 1) * 800 * ORR_NS);
        }
        orr_network_close(n);
    }
}

/* What could not begin does not begin again. */
static void test_no_memory_to_begin(void **state)
{
    for (uint64_t k = 1; k < 60; k++) {
        struct orr_report why = {.code = ORR_OK};
        orr_network *n = open_text(LINE, 1);
        uint32_t job;
        orr__memory_fail_after(k, 0);
        orr_err err = orr_network_job(n, "{ranks: 2, program: [barrier: {}]}",
                                      0, NULL, NULL, &job, &why);
        orr__memory_fail_after(0, 0);
        assert_true(err == ORR_OK || err == ORR_ENOMEM);
        orr_err ran = orr_network_run(n, ORR_FOREVER, &why);
        assert_true(ran == ORR_OK || ran == ORR_ENOMEM);
        orr_network_close(n);
    }
}

/* Messages that are sent where all has happened, and looked at in sums. */
static void test_sent_after_the_end(void **state)
{
    orr_network *n = open_text("topology: {kind: ring, hosts: 4, link: {rate: "
                               "100Gbps, delay: 1us}}\nnetwork: {transport: "
                               "analytical}\n",
                               1);
    struct orr_link_counters c;
    uint64_t sum = 0;
    run(n, ORR_US);
    assert_int_equal(
        orr_network_send(n, &(struct orr_send){.dst = 2, .bytes = 100000}),
        ORR_OK);
    (void)orr_network_fingerprint(n);
    for (uint32_t l = 0; l < orr_network_links(n); l++) {
        assert_int_equal(orr_network_link(n, l, &c), ORR_OK);
        sum += c.bytes;
    }
    assert_int_equal(sum, 0);
    orr_network_close(n);
}

static volatile int interrupted;

static void interrupt(void *arg)
{
    interrupted = 1;
}

/* What was interrupted takes messages, and goes on. */
static void test_after_an_interruption(void **state)
{
    struct orr_options o = {.interrupt = &interrupted};
    struct orr_report why = {.code = ORR_OK};
    orr_network *n = NULL;
    interrupted = 0;
    assert_int_equal(orr_network_open(LINE, &o, &n, &why), ORR_OK);
    struct note arrived = {.n = n, .host = 1};
    assert_int_equal(orr_network_at(n, 0, 0, interrupt, NULL), ORR_OK);
    for (int k = 1; k < 200; k++) /* it is asked now and then */
        assert_int_equal(
            orr_network_send(n, &(struct orr_send){.dst = 2, .bytes = 1000000}),
            ORR_OK);
    orr_err err = orr_network_run(n, ORR_FOREVER, &why);
    interrupted = 0;
    assert_true(err == ORR_EINTERRUPTED || err == ORR_OK);
    assert_int_equal(
        orr_network_send(n, &(struct orr_send){.dst = 1,
                                               .bytes = 1,
                                               .arrived = note,
                                               .arrived_arg = &arrived}),
        ORR_OK);
    run(n, ORR_FOREVER);
    assert_int_equal(arrived.calls, 1);
    orr_network_close(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_goes_on),
        cmocka_unit_test(test_sent_between_runs),
        cmocka_unit_test(test_no_memory_to_begin),
        cmocka_unit_test(test_sent_after_the_end),
        cmocka_unit_test(test_after_an_interruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
