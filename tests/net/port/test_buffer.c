/* Shared memory: dynamic thresholds by hand, and any number of threads. */
#include "tests/net/small_world.h"

#include "core/units.h"
#include "net/port/buffer.h"

/* Choudhury and Hahne: one busy queue alone ends at alpha / (1 + alpha) of the
 * memory, two at alpha / (1 + 2 alpha) each. */
static void test_thresholds(void **state)
{
    struct orr_memory m = {.size = 9000, .alpha = 2};
    uint64_t queue[2] = {0, 0};

    while (orr__buffer_admit(&m, queue[0], 1))
        queue[0]++;
    assert_int_equal(queue[0], 6000);
    assert_int_equal(m.used, 6000);
    m = (struct orr_memory){.size = 9000, .alpha = 1};
    queue[0] = 0;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < 2; i++)
            if (orr__buffer_admit(&m, queue[i], 1)) {
                queue[i]++;
                more = true;
            }
    }
    assert_int_equal(queue[0], 3000);
    assert_int_equal(queue[1], 3000);
    assert_false(orr__buffer_admit(&m, 0, 3001)); /* more than is free */
}

static void run(const char *buffer, unsigned workers, uint32_t senders,
                struct orr_net_totals *totals)
{
    struct transfer t[16];
    struct small_world w;
    char yaml[512];

    memset(t, 0, sizeof t);
    for (uint32_t i = 0; i < senders; i++)
        t[i] = (struct transfer){.src = i, .dst = 15, .bytes = 1000};
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 16, link: {rate: 8Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, transport: datagram, buffer: %s, queue: "
             "{kind: droptail, capacity: 1000B}}\n",
             buffer);
    small_build(&w, yaml, workers);
    small_run(&w, t, senders);
    *totals = w.totals;
    small_free(&w);
}

/* Of eight packets that meet at one port with 6000 B of memory and alpha 1,
 * three stay: the fourth would make it 4000 B of 3000 that are free. The
 * capacity of the port's own queue plays no part. */
static void test_one_port(void **state)
{
    struct orr_net_totals t, again;

    run("{kind: shared, size: 6000B, alpha: 1}", 1, 8, &t);
    assert_int_equal(t.packets_dropped, 5);
    run("{kind: port}", 1, 8, &t);
    assert_int_equal(t.packets_dropped, 7);
    run("{kind: shared, size: 6000B, alpha: 1}", 3, 8, &again);
    run("{kind: shared, size: 6000B, alpha: 1}", 1, 8, &t);
    assert_true(t.fingerprint == again.fingerprint);
}

/* Memory is given back: after all is sent, the same again meets the same. */
static void test_given_back(void **state)
{
    struct transfer t[16];
    struct small_world w;

    memset(t, 0, sizeof t);
    for (uint32_t i = 0; i < 16; i++)
        t[i] = (struct transfer){.src = i % 8,
                                 .dst = 8,
                                 .bytes = 1000,
                                 .start = i / 8 * 50 * ORR_US};
    small_build(&w,
                "topology: {kind: switch, hosts: 9, link: {rate: 8Gbps, "
                "delay: 1us}}\n"
                "network: {mtu: 1000B, transport: datagram, buffer: {kind: "
                "shared, size: 6000B, alpha: 1}}\n",
                1);
    small_run(&w, t, 16);
    assert_int_equal(w.totals.packets_dropped, 10);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(t[i].received == -1, t[8 + i].received == -1);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_one_port),
        cmocka_unit_test(test_given_back),
    };

    return cmocka_run_group_tests_name("net/buffer", tests, NULL, NULL);
}
