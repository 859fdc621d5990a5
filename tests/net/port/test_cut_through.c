/* Cut-through switching, by hand: a byte takes 1 ns at 8 Gbps. */
#include "tests/net/small_world.h"

#include "core/units.h"

#define DUMBBELL(middle, network)                                              \
    "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: 8Gbps, "       \
    "delay: 1us}, bottleneck: {rate: " middle ", delay: 1us}}\n"               \
    "network: {mtu: 1000B, switching: cut-through, " network "}\n"

/* When a packet of 1,000 bytes from host 0 is at host 4. */
static int64_t one(const char *yaml)
{
    struct transfer t = {.dst = 4, .bytes = 1000};
    struct small_world w;

    small_build(&w, yaml, 2);
    small_run(&w, &t, 1);
    assert_int_equal(orr__net_ideal(w.net, 0, 4, 1, t.bytes),
                     t.acked >= 0 ? t.acked : t.received);
    small_free(&w);
    return t.received;
}

static void test_one_packet(void **state)
{
    /* three links of 1 us, one serialisation, two heads of 64 bytes */
    assert_int_equal(one(DUMBBELL("8Gbps", "")), (3000 + 1000 + 2 * 64) * 1000);
    assert_int_equal(one(DUMBBELL("8Gbps", "cut_through_header: 100B")),
                     (3000 + 1000 + 2 * 100) * 1000);
    /* the head is the packet: as stored */
    assert_int_equal(one(DUMBBELL("8Gbps", "cut_through_header: 2000B")),
                     (3000 + 3000) * 1000);
    /* with 300 ns in each switch */
    assert_int_equal(one(DUMBBELL("8Gbps", "latency: {switch: 300ns}")),
                     (3000 + 1000 + 2 * 364) * 1000);
}

/* 80 Gbps between 8 Gbps: the tail is at the switch at 2,000 ns, so the faster
 * link begins at 1,900 and its head (6.4 ns) is there at 2,906.4 ns. */
static void test_faster_output(void **state)
{
    assert_int_equal(one(DUMBBELL("80Gbps", "")), 2906400 + 2000000);
}

/* 800 Mbps between 8 Gbps: it begins with the head, at 1,064 ns, and ends at
 * 11,064. The head is there at 2,704 and the tail at 12,064, so the last link
 * begins at 11,064. */
static void test_slower_output(void **state)
{
    assert_int_equal(one(DUMBBELL("800Mbps", "")), 13064 * 1000);
}

/* Two packets for one output: the second waits until 2,064 ns, then cuts
 * through the next switch. */
static void test_busy_output(void **state)
{
    struct transfer t[2] = {{.src = 0, .dst = 4, .bytes = 1000},
                            {.src = 1, .dst = 5, .bytes = 1000}};
    struct small_world w;

    small_build(&w, DUMBBELL("8Gbps", "transport: datagram"), 1);
    small_run(&w, t, 2);
    assert_int_equal(t[0].received, 4128 * 1000);
    assert_int_equal(t[1].received, 5128 * 1000);
    small_free(&w);
}

/* Hosts take the tail, also those that forward: a ring stores. */
static void test_hosts_store(void **state)
{
    struct transfer t = {.dst = 2, .bytes = 1000};
    struct small_world w;

    small_build(&w,
                "topology: {kind: ring, hosts: 5, link: {rate: 8Gbps, "
                "delay: 1us}}\nnetwork: {mtu: 1000B, switching: cut-through}",
                1);
    small_run(&w, &t, 1);
    assert_int_equal(t.received, 4000 * 1000);
    small_free(&w);
}

/* Alone, a flow of any size over links of any rates takes the ideal time. */
static void test_ideal(void **state)
{
    static const char *const middle[] = {"8Gbps", "80Gbps", "800Mbps",
                                         "7Gbps", "11Gbps", "13333333bps"};
    static const uint64_t bytes[] = {1,    63,   64,   65,    999,   1000,
                                     1001, 1064, 5000, 12345, 100000};
    char yaml[512];

    for (size_t i = 0; i < sizeof middle / sizeof *middle; i++)
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
            struct transfer t = {.dst = 4, .bytes = bytes[k]};
            struct small_world w;

            snprintf(yaml, sizeof yaml,
                     DUMBBELL("%s", "header: 8B, ack_every: "
                                    "1000, ack_delay: 10s, rto: "
                                    "{initial: 20s, max: 30s}"),
                     middle[i]);
            small_build(&w, yaml, 1);
            small_run(&w, &t, 1);
            assert_int_equal(orr__net_ideal(w.net, 0, 4, 1, t.bytes), t.acked);
            small_free(&w);
        }
}

/* Many flows at once: no packet is lost or made, threads do not matter, and
 * the mean is no later than with stored packets. */
static void test_many(void **state)
{
    uint64_t fingerprint[2];
    int64_t sum[3];

    for (int run = 0; run < 3; run++) {
        struct transfer t[64];
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
                 "delay: 500ns}}\nnetwork: {mtu: 1500B, switching: %s, "
                 "routing: spray}\nfailures: [{link: [16, 24], down: 20us, "
                 "up: 60us}]\n",
                 run < 2 ? "cut-through" : "store-and-forward");
        for (uint32_t i = 0; i < 64; i++)
            t[i] = (struct transfer){.src = i % 16,
                                     .dst = (i * 7 + 3) % 16,
                                     .bytes = 2000 * (i + 1),
                                     .start = i * 300 * ORR_NS};
        for (uint32_t i = 0; i < 64; i++)
            if (t[i].src == t[i].dst)
                t[i].dst = (t[i].dst + 1) % 16;
        small_build(&w, yaml, run == 1 ? 3 : 1);
        small_run(&w, t, 64);
        sum[run] = 0;
        for (uint32_t i = 0; i < 64; i++) {
            assert_true(t[i].acked >= 0);
            sum[run] += t[i].received - t[i].start;
        }
        if (run < 2)
            fingerprint[run] = w.totals.fingerprint;
        small_free(&w);
    }
    assert_int_equal(fingerprint[0], fingerprint[1]);
    assert_true(sum[0] < sum[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_packet),
        cmocka_unit_test(test_faster_output),
        cmocka_unit_test(test_slower_output),
        cmocka_unit_test(test_busy_output),
        cmocka_unit_test(test_hosts_store),
        cmocka_unit_test(test_ideal),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests_name("net/cut_through", tests, NULL, NULL);
}
