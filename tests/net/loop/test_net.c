/* The packet layer against answers worked out by hand, to the picosecond. */
#include "core/units.h"
#include "net/fabric/fabric.h"
#include "tests/net/small_world.h"

#define FAT_TREE                                                               \
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}\n"

static const char *const ports[] = {"computed", "explicit"};

/* facts: 500 * 0.32512 + 5 * 0.32512 + 6 + 6 + 6 * 0.00512 us */
static void test_one_flow_over_six_links(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        struct small_world w;
        struct transfer t = {.src = 0, .dst = 13, .bytes = 2000000};
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 FAT_TREE "network: {mtu: 4000B, header: 64B, ports: %s}\n",
                 ports[i % 2]);
        small_build(&w, yaml, 1 + i / 2);
        small_run(&w, &t, 1);
        assert_int_equal(t.acked, 176216320);
        assert_int_equal(t.sent, 500 * 325120);
        assert_int_equal(t.received, 505 * 325120 + 6000000);
        assert_int_equal(orr__net_ideal(w.net, 0, 13, 1, 2000000), t.acked);
        assert_int_equal(w.totals.packet_hops, 500 * 6 * 2);
        assert_int_equal(w.totals.packets_delivered, 1000);
        small_free(&w);
    }
}

/* 16 hosts to one: 667,132,480 ps for the last. */
static void test_incast(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct small_world w;
        struct transfer t[16];
        char yaml[512];
        int64_t last = 0;

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 17, link: {rate: 100Gbps, "
                 "delay: 1us}}\n"
                 "network: {mtu: 1000B, header: 36B, ack: 60B, ports: %s, "
                 "queue: {kind: droptail, capacity: 16MiB}}\n",
                 ports[i]);
        for (uint32_t f = 0; f < 16; f++)
            t[f] = (struct transfer){.src = f + 1, .bytes = 500000};
        small_build(&w, yaml, 1);
        small_run(&w, t, 16);
        for (uint32_t f = 0; f < 16; f++)
            last = t[f].acked > last ? t[f].acked : last;
        assert_int_equal(last, 667132480);
        assert_int_equal(w.totals.packets_dropped, 0);
        small_free(&w);
    }
}

/* A busy fat-tree with marks, drops and random loss under every control. */
struct variant {
    const char *network;
    bool drops, datagram;
};

static const struct variant variants[] = {
    {"cc: none, queue: {kind: droptail, capacity: 40KB}, window: 64", true,
     false},
    {"cc: reno, queue: {kind: droptail, capacity: 60KB}", true, false},
    {"cc: dctcp, ack_every: 2, queue: {kind: ecn, threshold: 20KB}", false,
     false},
    {"cc: dctcp, queue: {kind: ecn, threshold: 20KB}, routing: spray", false,
     false},
    {"cc: reno, queue: {kind: droptail, capacity: 40KB}, ack_every: 4, "
     "routing: spray-random",
     true, false},
    {"cc: reno, routing: first, ties: shuffled, idle_restart: true", false,
     false},
    {"cc: cubic, queue: {kind: droptail, capacity: 60KB}", true, false},
    {"cc: swift, routing: spray", false, false},
    {"cc: {kind: swift, base_target: 6us}, initial_window: 40, "
     "queue: {kind: droptail, capacity: 60KB}",
     true, false},
    {"cc: nscc, queue: {kind: ecn, threshold: 20KB, capacity: 60KB}", true,
     false},
    {"cc: nscc, queue: {kind: trim, capacity: 60KB}, routing: spray", true,
     false},
    {"cc: {kind: mltcp, base: cubic, bytes: 100KB}, "
     "queue: {kind: droptail, capacity: 60KB}",
     true, false},
    {"transport: datagram", false, true},
    {"transport: datagram, routing: spray", false, true},
};

static void busy_run(struct small_world *w, const struct variant *v,
                     const char *port_kind, const char *loss, unsigned workers,
                     bool far, struct transfer *t, uint32_t n)
{
    char yaml[512];
    uint64_t s = 7;

    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 97Gbps, "
             "delay: 1us%s}}\n"
             "network: {mtu: 1500B, header: 40B, rto: {initial: 2ms}, "
             "ports: %s, %s}\n",
             loss, port_kind, v->network);
    for (uint32_t i = 0; i < n; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        t[i] = (struct transfer){.src = i % 16};
        t[i].dst = (t[i].src + 1 + (uint32_t)(s >> 33) % 15) % 16;
        t[i].bytes = (s >> 40) % 400000;
        t[i].start = (int64_t)(s >> 36) % 50000000;
    }
    small_build(w, yaml, workers);
    w->net->far = far;
    orr__windows_ahead(w->net->windows, far ? ORR_FAR_AHEAD : 1);
    small_run(w, t, n);
}

static void check_busy(const struct small_world *w, const struct variant *v,
                       bool lossy)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const struct transfer *t = &w->transfer[i];
        int64_t ideal = orr__net_ideal(w->net, t->src, t->dst, i + 1, t->bytes);

        if (v->datagram && lossy)
            continue; /* nobody sends again */
        assert_true(t->sent > t->start);
        assert_true(t->received > t->sent);
        if (!v->datagram)
            assert_true(t->acked > t->received);
        assert_true((v->datagram ? t->received : t->acked) - t->start >= ideal);
    }
    assert_int_equal(w->totals.packets_sent,
                     w->totals.packets_delivered + w->totals.packets_dropped);
    if (v->drops || (lossy && !v->datagram))
        assert_true(w->totals.retransmissions > 0);
}

/* Computed and explicit ports, one worker and three, memory brought near as in
 * large networks or in small ones: the same to the bit. */
static void test_busy_is_the_same_everywhere(void **state)
{
    static struct transfer t[96], u[96];

    for (size_t i = 0; i < 2 * sizeof variants / sizeof *variants; i++) {
        const struct variant *v = &variants[i / 2];
        const char *loss = i % 2 ? ", loss: 0.01" : "";
        struct small_world a, b;

        busy_run(&a, v, "computed", loss, 1, false, t, 96);
        check_busy(&a, v, i % 2);
        for (unsigned j = 1; j < 6; j++) {
            /* one worker and explicit ports always; each other way with losses
             * or without, by turns */
            if (j > 1 && (i + i / 2 + j) % 2)
                continue;
            busy_run(&b, v, ports[j % 2], loss, 1 + j / 2, j >= 2, u, 96);
            if (a.totals.fingerprint != b.totals.fingerprint)
                print_message("%s%s, %s ports, %u workers:\n", v->network, loss,
                              ports[j % 2], 1 + j / 2);
            assert_int_equal(a.totals.fingerprint, b.totals.fingerprint);
            assert_int_equal(a.totals.packet_hops, b.totals.packet_hops);
            assert_int_equal(a.totals.ecn_marks, b.totals.ecn_marks);
            for (uint32_t f = 0; f < 96; f++)
                assert_int_equal(t[f].acked, u[f].acked);
            small_free(&b);
        }
        small_free(&a);
    }
}

/* Links 40 times shorter than the rest: edge switches and their hosts are one
 * process, or not; either way the same happens. */
static void test_merged_processes(void **state)
{
    static struct transfer t[64], u[64];
    const char *const rest[] = {"processes: nodes",
                                "processes: auto",
                                "processes: one",
                                "processes: auto, ports: explicit",
                                "processes: nodes, ports: explicit",
                                "processes: one, ports: explicit"};
    struct small_world a, b;
    uint64_t seen = 0;

    for (unsigned i = 0; i < 12; i++) {
        struct small_world *w = i == 0 ? &a : &b;
        struct transfer *x = i == 0 ? t : u;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
                 "delay: 1us, loss: 0.001}, tiers: {host: {delay: 25ns}}}\n"
                 "network: {mtu: 1000B, header: 40B, cc: reno, routing: spray, "
                 "queue: {kind: droptail, capacity: 30KB}, %s}\n",
                 rest[i % 6]);
        small_build(w, yaml, 1 + i / 6 * 2);
        for (uint32_t f = 0; f < 64; f++)
            x[f] = (struct transfer){.src = f % 16,
                                     .dst = (f * 7 + 3) % 16,
                                     .bytes = 1000 * f,
                                     .start = f * 1000};
        for (uint32_t f = 0; f < 64; f++)
            x[f].dst = x[f].dst == x[f].src ? (x[f].dst + 1) % 16 : x[f].dst;
        small_run(w, x, 64);
        if (i == 0)
            seen = w->totals.fingerprint;
        assert_int_equal(w->totals.fingerprint, seen);
        for (uint32_t f = 0; f < 64; f++) {
            assert_true(x[f].acked > 0);
            assert_int_equal(x[f].acked, t[f].acked);
        }
        if (i)
            small_free(w);
    }
    assert_true(a.totals.packets_dropped > 0);
    small_free(&a);
}

/* Two ports of a host that fall free at one instant, where a connection may
 * turn from the one to the other: no message may miss its departure. */
static void test_ports_that_fall_free_together(void **state)
{
    struct transfer t[5];
    uint64_t fingerprint = 0;
    char yaml[256];

    for (unsigned j = 0; j < 2; j++) {
        struct small_world w;

        for (uint32_t i = 0; i < 5; i++)
            t[i] = (struct transfer){.dst = 1, .bytes = 2000 + 1000 * i};
        snprintf(yaml, sizeof yaml,
                 "topology: {kind: ring, hosts: 2, links: 3, link: "
                 "{rate: 10Gbps, delay: 1us}}\n"
                 "network: {mtu: 1000B, routing: spray, ports: %s, "
                 "transport: datagram}\n",
                 ports[j]);
        small_build(&w, yaml, 1);
        small_run(&w, t, 5);
        for (uint32_t i = 0; i < 5; i++)
            assert_true(t[i].sent > 0);
        fingerprint ^= w.totals.fingerprint;
        small_free(&w);
    }
    assert_int_equal(fingerprint, 0);
}

/* A run whose last packets are all lost ends when they have left, so that what
 * the link carried is what it had time for. */
static void test_lost_at_the_end(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct transfer t = {.dst = 1, .bytes = 10000, .start = 5 * ORR_US};
        struct orr_link_sample sample;
        struct small_world w;
        char yaml[256];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: ring, hosts: 2, link: {rate: 10Gbps, "
                 "delay: 1us, loss: 1}}\n"
                 "network: {mtu: 1000B, ports: %s, transport: datagram}\n",
                 ports[i]);
        small_build(&w, yaml, 1);
        small_run(&w, &t, 1);
        orr__net_link_sample(w.net, 0, w.end, &sample);
        assert_int_equal(w.end, 13 * ORR_US);
        assert_int_equal(sample.bytes, 10000);
        small_free(&w);
    }
}

/* Nothing ever arrives: the run ends all the same, and says why. */
static void test_sender_gives_up(void **state)
{
    const char *const rest[] = {
        ", loss: 1}}\n",
        "}}\nnetwork: {queue: {kind: droptail, capacity: 1000B}}\n",
    };

    for (unsigned i = 0; i < 2; i++) {
        struct transfer t = {.dst = 1, .bytes = 40960, .sent = -1, .acked = -1};
        struct small_world w;
        char yaml[256];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 2, link: {rate: 10Gbps, "
                 "delay: 1us%s",
                 rest[i]);
        small_build(&w, yaml, 1);
        w.transfer = &t;
        orr__net_timer(w.net, 0, 0, 0, 0);
        assert_int_equal(
            orr__net_run(w.net, INT64_MAX, NULL, NULL, &w.end, &w.why),
            ORR_ERUN);
        assert_non_null(strstr(w.why.message, "host 0 gave up"));
        assert_int_equal(t.acked, -1);
        small_free(&w);
    }
}

/* Times that 63 bits cannot hold are told, before the run or at its end. */
static void test_time_ends(void **state)
{
    struct transfer t = {.dst = 1,
                         .bytes = 40960,
                         .received = -1,
                         .sent = -1,
                         .start = INT64_MAX};
    struct small_world w;

    small_build(&w,
                "topology: {kind: switch, hosts: 2, link: {rate: 10Gbps, "
                "delay: 1us}}",
                1);
    w.transfer = &t;
    orr__net_timer(w.net, 0, t.start, 0, 0);
    assert_int_equal(orr__net_run(w.net, INT64_MAX, NULL, NULL, &w.end, &w.why),
                     ORR_ERUN);
    assert_non_null(strstr(w.why.message, "53 days"));
    small_free(&w);

    t.start = 0; /* the first packet takes nine hours, all a month */
    t.bytes *= 8;
    small_build(&w,
                "topology: {kind: switch, hosts: 2, link: {rate: 1bps, "
                "delay: 1us}}\nnetwork: {transport: datagram}",
                1);
    w.transfer = &t;
    orr__net_timer(w.net, 0, 0, 0, 0);
    assert_int_equal(orr__net_run(w.net, INT64_MAX, NULL, NULL, &w.end, &w.why),
                     ORR_OK);
    small_free(&w);
}

static void fail_timer(void *world, uint32_t host, int64_t now, uint64_t arg)
{
    struct small_world *w = world;

    orr__net_fail_at(w->net, host, now, "host %u, failure %u", host,
                     (uint32_t)arg);
}

/* Of the failures in a window the earliest is told, then that of the lowest
 * host, then its first, whoever runs the hosts. */
static void test_first_failure(void **state)
{
    static const struct orr_net_ops upcalls = {.timer = fail_timer};
    static const struct {
        uint32_t host;
        int64_t at;
    } failure[] = {{3, 5000}, {2, 4000}, {2, 4000}, {1, 4001}, {3, 4000}};

    for (unsigned workers = 1; workers <= 3; workers++) {
        struct small_world w;
        uint32_t user;

        small_build(&w,
                    "topology: {kind: switch, hosts: 4, link: {rate: "
                    "10Gbps, delay: 1us}}",
                    workers);
        user = orr__net_user(w.net, &upcalls, &w);
        for (uint32_t i = 0; i < sizeof failure / sizeof *failure; i++)
            orr__net_timer(w.net, failure[i].host, failure[i].at, user, i);
        assert_int_equal(
            orr__net_run(w.net, INT64_MAX, NULL, NULL, &w.end, &w.why),
            ORR_ERUN);
        assert_string_equal(w.why.message, "at 4 ns: host 2, failure 1");
        small_free(&w);
    }
}

/* Alone and unlimited, a flow takes its ideal time: over 300 hops, and with
 * its packets sprayed over two ports. */
static void test_ideal(void **state)
{
    const char *const yaml[] = {
        "topology: {kind: ring, hosts: 600, link: {rate: 100Gbps, "
        "delay: 500ns}}\nnetwork: {routing: first}\n",
        "topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, "
        "delay: 500ns}}\nnetwork: {routing: spray, ack: 1B}\n",
    };
    const uint32_t dst[] = {300, 2};

    for (unsigned i = 0; i < 2; i++) {
        struct transfer t = {.dst = dst[i], .bytes = 1000 * 4096};
        struct small_world w;

        small_build(&w, yaml[i], 1);
        small_run(&w, &t, 1);
        assert_int_equal(t.acked, orr__net_ideal(w.net, 0, dst[i], 1, t.bytes));
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_flow_over_six_links),
        cmocka_unit_test(test_incast),
        cmocka_unit_test(test_ideal),
        cmocka_unit_test(test_busy_is_the_same_everywhere),
        cmocka_unit_test(test_ports_that_fall_free_together),
        cmocka_unit_test(test_time_ends),
        cmocka_unit_test(test_first_failure),
        cmocka_unit_test(test_sender_gives_up),
        cmocka_unit_test(test_lost_at_the_end),
        cmocka_unit_test(test_merged_processes),
    };

    return cmocka_run_group_tests_name("net/net", tests, NULL, NULL);
}
