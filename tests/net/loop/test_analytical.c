/* A network without packets, by hand: a byte takes 1 ns at 8 Gbps. */
#include "tests/net/small_world.h"

#include "core/units.h"

#define DUMBBELL(middle, network)                                              \
    "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: 8Gbps, "       \
    "delay: 1us}, bottleneck: {rate: " middle ", delay: 1us}}\n"               \
    "network: {transport: analytical, " network "}\n"

static int64_t one(const char *yaml, uint64_t bytes)
{
    struct transfer t = {.dst = 4, .bytes = bytes};
    struct small_world w;

    small_build(&w, yaml, 2);
    small_run(&w, &t, 1);
    assert_int_equal(orr__net_ideal(w.net, 0, 4, 1, bytes), t.received);
    assert_int_equal(t.sent, t.received);
    assert_int_equal(t.acked, -1);
    assert_int_equal(w.end, t.received);
    small_free(&w);
    return t.received;
}

static void test_one_message(void **state)
{
    /* three delays, and the slowest of three links */
    assert_int_equal(one(DUMBBELL("8Gbps", ""), 100000), 103000 * 1000);
    assert_int_equal(one(DUMBBELL("80Gbps", ""), 100000), 103000 * 1000);
    assert_int_equal(one(DUMBBELL("800Mbps", ""), 100000), 1003000 * 1000);
    /* a header for each packet that it would be */
    assert_int_equal(one(DUMBBELL("8Gbps", "mtu: 1000B, header: 10B"), 100001),
                     (3000 + 100001 + 1010) * 1000);
    assert_int_equal(one(DUMBBELL("8Gbps", "latency: {switch: 300ns, host: "
                                           "50ns}"),
                         1),
                     3651 * 1000);
    /* more than any packet holds */
    assert_int_equal(one(DUMBBELL("8Gbps", ""), UINT64_C(1) << 40),
                     ((INT64_C(1) << 40) + 3000) * 1000);
}

static void test_resolution(void **state)
{
    /* 3 bytes at 80 Gbps: 0.3 ns */
    const char *fast = "topology: {kind: switch, hosts: 8, link: {rate: "
                       "80Gbps, delay: 1500ps}}\n"
                       "network: {transport: analytical, resolution: %s}\n";
    static const char *const step[] = {"1ps", "1ns", "2ns", "1us"};
    /* no message is there before a window of the shortest link is over */
    static const int64_t time[] = {3300, 3000, 2000, 1500};
    char yaml[256];

    for (size_t i = 0; i < 4; i++) {
        snprintf(yaml, sizeof yaml, fast, step[i]);
        struct transfer t = {.dst = 4, .bytes = 3};
        struct small_world w;

        small_build(&w, yaml, 2);
        small_run(&w, &t, 1);
        assert_int_equal(t.received, time[i]);
        small_free(&w);
    }
}

/* On a torus of 4 x 4: from 0 to 10 two hops in each dimension. Only those of
 * dimension 0 count, if there are any: to 8 there are none. */
static void test_one_tier(void **state)
{
    static const struct {
        const char *tiers;
        uint32_t dst;
        int64_t time;
    } cases[] = {{"all", 10, 4100},    {"lowest", 10, 2100},
                 {"lowest", 8, 2100},  {"lowest", 1, 1100},
                 {"lowest", 5, 1100},  {"lowest", 9, 1100},
                 {"highest", 9, 2100}, {"highest", 6, 1100}};
    char yaml[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(yaml, sizeof yaml,
                 "topology: {kind: torus, dims: [4, 4], "
                 "link: {rate: 8Gbps, delay: 1us}}\nnetwork: {transport: "
                 "analytical, tiers: %s}\n",
                 cases[i].tiers);
        struct transfer t = {.dst = cases[i].dst, .bytes = 100};
        struct small_world w;

        small_build(&w, yaml, 1);
        small_run(&w, &t, 1);
        assert_int_equal(t.received, cases[i].time * 1000);
        assert_int_equal(orr__net_ideal(w.net, 0, t.dst, 1, 100), t.received);
        small_free(&w);
    }
}

/* Links of 1 us join processes of hosts that are 50 ns apart; a message that
 * counts the short ones only is not held back. */
static void test_lowest_tier_is_fast(void **state)
{
    struct transfer t = {.src = 0, .dst = 3, .bytes = 100};
    struct small_world w;

    small_build(&w,
                "topology: {kind: torus, dims: [2, 2], link: {rate: "
                "8Gbps, delay: 1us}, dimensions: [{delay: 50ns}, {}]}\n"
                "network: {transport: analytical, tiers: lowest}\n",
                2);
    small_run(&w, &t, 1);
    assert_int_equal(t.received, 150 * 1000);
    small_free(&w);
}

/* One process, by one thread, or many: the same. */
static void test_one_process(void **state)
{
    const char *const processes[] = {"nodes", "one", "auto"};
    uint64_t fingerprint = 0;

    for (unsigned i = 0; i < 3; i++) {
        struct transfer t[40];
        struct small_world w;
        char yaml[300];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: torus, dims: [4, 4], link: {rate: 8Gbps, "
                 "delay: 1us}}\nnetwork: {transport: analytical, processes: "
                 "%s}\n",
                 processes[i]);
        for (uint32_t k = 0; k < 40; k++)
            t[k] = (struct transfer){.src = k % 16,
                                     .dst = (k * 7 + 1) % 16,
                                     .bytes = 100 * (k + 1),
                                     .start = (k % 5) * 100 * ORR_NS};
        for (uint32_t k = 0; k < 40; k++)
            t[k].dst = (t[k].dst + (t[k].dst == t[k].src)) % 16;
        small_build(&w, yaml, 2);
        assert_int_equal(orr__net_single(w.net), i == 1);
        small_run(&w, t, 40);
        if (i == 0)
            fingerprint = w.totals.fingerprint;
        assert_int_equal(w.totals.fingerprint, fingerprint);
        small_free(&w);
    }
}

/* Messages have every link to themselves, also those of one connection. */
static void test_nothing_waits(void **state)
{
    for (unsigned workers = 1; workers < 4; workers++) {
        struct transfer t[40];
        struct small_world w;
        struct orr_link_sample s;
        uint64_t sum = 0, most = 0;

        for (uint32_t i = 0; i < 40; i++) {
            t[i] = (struct transfer){.src = i % 4,
                                     .dst = 4 + i % 3,
                                     .bytes = 1000 * (i + 1),
                                     .start = (i % 5) * 100 * ORR_NS};
            sum += t[i].bytes;
        }
        small_build(&w, DUMBBELL("8Gbps", ""), workers);
        small_run(&w, t, 40);
        for (uint32_t i = 0; i < 40; i++)
            assert_int_equal(t[i].received - t[i].start,
                             (3000 + (int64_t)t[i].bytes) * 1000);
        for (uint32_t l = 0; l < w.graph->links; l++) {
            orr__net_link_sample(w.net, l, w.end, &s);
            most = s.bytes > most ? s.bytes : most;
            assert_int_equal(s.queue, 0);
        }
        assert_int_equal(most, sum); /* the link between the switches */
        assert_int_equal(w.totals.packets_sent, 40);
        assert_int_equal(w.totals.packets_delivered, 40);
        assert_int_equal(w.totals.packet_hops, 120);
        small_free(&w);
    }
}

/* `contention: links`: stored at each node, in turn on each link. */
static void test_links_are_waited_for(void **state)
{
    for (unsigned workers = 1; workers < 4; workers++) {
        /* three hops of 1 us; the second waits at its first link, the third
         * for the bottleneck, the fourth came before it */
        struct transfer t[4] = {
            {.src = 0, .dst = 4, .bytes = 10000},
            {.src = 0, .dst = 4, .bytes = 1000},
            {.src = 1, .dst = 5, .bytes = 10000, .start = 10},
            {.src = 2, .dst = 6, .bytes = 2000},
        };
        struct small_world w;
        struct orr_link_sample s;
        uint64_t most = 0;

        small_build(&w, DUMBBELL("8Gbps", "contention: links"), workers);
        small_run(&w, t, 4);
        /* 3 at the bottleneck at 3,000 and past it at 5,000 */
        assert_int_equal(t[3].received, (3 * 1000 + 3 * 2000) * 1000);
        assert_int_equal(t[0].received, (3 * 1000 + 3 * 10000) * 1000);
        /* 0 has the bottleneck until 21,000; 2 is there at 11,000 */
        assert_int_equal(t[2].received,
                         (21000 + 10000 + 1000 + 10000 + 1000) * 1000);
        /* at 12,000, and has it when 2 is through, at 31,000 */
        assert_int_equal(t[1].received,
                         (31000 + 1000 + 1000 + 1000 + 1000) * 1000);
        /* a source is told when its message is there, links that it waited for
         * included */
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(t[i].sent, t[i].received);
        for (uint32_t l = 0; l < w.graph->links; l++) {
            orr__net_link_sample(w.net, l, w.end, &s);
            most = s.bytes > most ? s.bytes : most;
            assert_int_equal(s.queue, 0);
        }
        assert_int_equal(most, 23000);
        assert_int_equal(w.totals.packet_hops, 12);
        small_free(&w);
    }
}

/* Each hop and each turn is cut to whole units. */
static void test_resolution_of_hops(void **state)
{
    struct transfer t[2] = {{.dst = 4, .bytes = 3}, {.dst = 4, .bytes = 3}};
    struct small_world w;

    /* 0.3 ns in no time, 2.8 ns in 2; a turn takes none */
    small_build(&w,
                "topology: {kind: switch, hosts: 8, link: {rate: 80Gbps, "
                "delay: 2500ps}}\nnetwork: {transport: analytical, "
                "contention: links, resolution: 1ns}\n",
                2);
    small_run(&w, t, 2);
    assert_int_equal(t[0].received, 4000);
    assert_int_equal(t[1].received, 4000);
    assert_int_equal(orr__net_ideal(w.net, 0, 4, 1, 3), 4000);
    small_free(&w);
}

static uint64_t fingerprint(unsigned workers, uint64_t bytes,
                            const char *contention)
{
    struct transfer t[64];
    struct small_world w;
    char yaml[256];
    uint64_t f;

    for (uint32_t i = 0; i < 64; i++) {
        t[i] = (struct transfer){.src = i % 16,
                                 .dst = (i * 7 + 3) % 16,
                                 .bytes = bytes,
                                 .tag = 1 + i % 16,
                                 .start = i / 16 * 1000 * ORR_NS};
        if (t[i].src == t[i].dst)
            t[i].dst = (t[i].dst + 1) % 16;
    }
    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: "
             "500ns}}\nnetwork: {transport: analytical, contention: %s}\n",
             contention);
    small_build(&w, yaml, workers);
    small_run(&w, t, 64);
    f = w.totals.fingerprint;
    small_free(&w);
    return f;
}

static void test_threads(void **state)
{
    static const char *const contention[] = {"none", "links"};

    for (int i = 0; i < 2; i++) {
        uint64_t f = fingerprint(1, 50000, contention[i]);

        assert_int_equal(fingerprint(2, 50000, contention[i]), f);
        assert_int_equal(fingerprint(3, 50000, contention[i]), f);
        assert_int_not_equal(fingerprint(1, 50001, contention[i]), f);
        assert_int_not_equal(fingerprint(1, 50000, contention[!i]), f);
    }
}

/* Cut off with messages under way, and stopped between two of them. */
static void test_stop(void **state)
{
    struct transfer t[2] = {{.dst = 4, .bytes = 1000},
                            {.dst = 5, .bytes = 9000}};
    struct small_world w;

    small_build(&w, DUMBBELL("8Gbps", ""), 1);
    w.stop = 5000 * ORR_NS;
    small_run(&w, t, 2);
    assert_int_equal(t[0].received, 4000 * 1000);
    assert_int_equal(t[1].received, -1);
    assert_int_equal(w.totals.packets_sent, 2);
    assert_int_equal(w.totals.packets_delivered, 1);
    small_free(&w);
}

static void test_refused(void **state)
{
    static const struct {
        const char *yaml, *says;
    } cases[] = {
        {DUMBBELL("8Gbps", "queue: droptail"), "queues"},
        {DUMBBELL("8Gbps", "ports: explicit"), "ports with events"},
        {DUMBBELL("8Gbps", "pfc: {enabled: true}"), "pause frames"},
        {DUMBBELL("8Gbps", "cc: dctcp"), "congestion control"},
        {DUMBBELL("8Gbps", "routing: spray"), "spread over"},
        {DUMBBELL("8Gbps", "mtu: 1000B") "failures: [{link: [0, 8], down: "
                                         "1us}]\n",
         "fail or"},
        {"topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, delay: 1us, "
         "loss: 0.1}}\nnetwork: {transport: analytical}\n",
         "losses"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct small_world w;

        small_read(&w, cases[i].yaml, 1);
        assert_int_equal(small_try(&w, 1), ORR_ECONFIG);
        if (!strstr(w.why.message, cases[i].says))
            fail_msg("%s", w.why.message);
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message),
        cmocka_unit_test(test_resolution),
        cmocka_unit_test(test_one_tier),
        cmocka_unit_test(test_lowest_tier_is_fast),
        cmocka_unit_test(test_one_process),
        cmocka_unit_test(test_nothing_waits),
        cmocka_unit_test(test_links_are_waited_for),
        cmocka_unit_test(test_resolution_of_hops),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests_name("net/analytical", tests, NULL, NULL);
}
