/* Trimming: what is cut, what goes first, and that everything arrives. */
#include "tests/net/queue/queue_case.h"

/* 1 B a ns. Hosts 0, 1 and 2 send 1000 B at once; the switch has room for two.
 * It sends the first from 2 to 3 us, then the header of the third (50 B) until
 * 3.05, then the second until 4.05. The third's host hears of it when a NACK of
 * 20 B comes: header there at 4.05, NACK out until 4.07, there 5.07, through
 * the switch 5.09, at the host 6.09; repeated until 7.09, at the switch 8.09,
 * out until 9.09, there 10.09. */
static void test_one_is_cut(void **state)
{
    struct transfer t[3] = {{.src = 0, .dst = 3, .bytes = 1000},
                            {.src = 1, .dst = 3, .bytes = 1000},
                            {.src = 2, .dst = 3, .bytes = 1000}};
    struct small_world w;
    struct orr_link_sample s;

    small_build(&w,
                "topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, "
                "delay: 1us}}\n"
                "network: {mtu: 1000B, ack: 20B, queue: {kind: trim, "
                "capacity: 2000B, header: 50B}}\n",
                1);
    small_run(&w, t, 3);
    assert_int_equal(t[0].received, 4000 * ORR_NS);
    assert_int_equal(t[1].received, 5050 * ORR_NS);
    assert_int_equal(t[2].received, 10090 * ORR_NS);
    assert_int_equal(w.totals.packets_dropped, 0);
    assert_int_equal(w.totals.retransmissions, 1);
    assert_int_equal(w.totals.packets_trimmed, 1);
    /* the link to host 3 carried four packets, one cut down */
    orr__net_link_sample(w.net, 7, w.end, &s);
    assert_int_equal(s.packets, 4);
    assert_int_equal(s.bytes, 3050);
    assert_int_equal(s.drops, 0);
    small_free(&w);
}

/* Where there is no room for headers either, packets are dropped, and a timeout
 * repairs it. Of four packets one fits, one is cut and sent again, two are
 * dropped; they come again at one time, and one of them is cut. */
static void test_no_room_for_headers(void **state)
{
    struct orr_net_totals t;

    queue_meet("queue: {kind: trim, capacity: 1000B, control: 64B}", 5, &t);
    assert_int_equal(t.packets_dropped, 2);
    assert_int_equal(t.retransmissions, 4);
}

/* As above with five hosts: of three headers two go before packet two. */
static void test_two_ahead(void **state)
{
    struct transfer t[5];
    struct small_world w;

    memset(t, 0, sizeof t);
    for (uint32_t h = 0; h < 5; h++)
        t[h] = (struct transfer){.src = h, .dst = 5, .bytes = 1000};
    small_build(&w,
                "topology: {kind: switch, hosts: 6, link: {rate: 8Gbps, "
                "delay: 1us}}\n"
                "network: {mtu: 1000B, ack: 20B, queue: {kind: trim, "
                "capacity: 2000B, header: 50B, ahead: 2}}\n",
                1);
    small_run(&w, t, 5);
    assert_int_equal(t[0].received, 4000 * ORR_NS);
    assert_int_equal(t[1].received, 5100 * ORR_NS);
    small_free(&w);
}

/* 64 hosts with 16 packets in flight each: were their headers always first,
 * they would take the whole link, for ever. Sixteen of them, the bytes of a
 * packet, and a packet take 2,024 ns, so that 1,280 packets take 2.6 ms; with
 * ten of them 1,640 ns, and 2.1 ms. */
static void test_headers_leave_room(void **state)
{
    static struct transfer t[64];
    struct small_world w;

    for (uint32_t h = 0; h < 64; h++)
        t[h] = (struct transfer){.src = h, .dst = 64, .bytes = 20000};
    small_build(&w,
                "topology: {kind: switch, hosts: 65, link: {rate: 8Gbps, "
                "delay: 1us}}\n"
                "network: {mtu: 1000B, ack: 64B, window: 16, queue: "
                "{kind: trim, capacity: 4000B, control: 1MB}}\n",
                1);
    w.stop = 4 * ORR_MS;
    small_run(&w, t, 64);
    for (uint32_t h = 0; h < 64; h++)
        assert_int_not_equal(t[h].acked, -1);
    assert_true(w.totals.packets_trimmed > 1000);
    small_free(&w);
}

static void test_marks(void **state)
{
    struct queue_case q;

    queue_make(&q, "trim", "{capacity: 10000B}", 8000000000u);
    assert_true(q.limits.at_dequeue);
    assert_int_equal(q.limits.trim_bytes, 64);
    assert_int_equal(queue_ask(&q, 2000 * ORR_NS, 0, 1), ORR_VERDICT_PASS);
    assert_int_equal(queue_ask(&q, 8000 * ORR_NS + 1, 0, 1), ORR_VERDICT_MARK);
    queue_free(&q);
}

/* With a control, an incast through a small buffer ends with nothing lost but
 * payloads, whatever the recovery, on any number of threads. */
static void incast(const char *cc, const char *recovery)
{
    uint64_t first = 0;

    for (unsigned workers = 1; workers <= 3; workers++) {
        struct transfer t[8];
        struct small_world w;
        char yaml[512];

        memset(t, 0, sizeof t);
        for (uint32_t h = 0; h < 8; h++)
            t[h] = (struct transfer){.src = h, .dst = 8, .bytes = 100000};
        snprintf(yaml, sizeof yaml,
                 "topology: {kind: dumbbell, left: 8, right: 2, link: "
                 "{rate: 10Gbps, delay: 1us}}\n"
                 "network: {mtu: 1000B, cc: %s, recovery: %s, queue: {kind: "
                 "trim, capacity: 10KB}}\n",
                 cc, recovery);
        small_build(&w, yaml, workers);
        small_run(&w, t, 8);
        for (uint32_t h = 0; h < 8; h++)
            assert_true(t[h].received > 0 && t[h].acked > t[h].received);
        assert_true(w.totals.retransmissions > 0);
        assert_int_equal(w.totals.packets_dropped, 0);
        if (workers == 1)
            first = w.totals.fingerprint;
        assert_true(w.totals.fingerprint == first);
        small_free(&w);
    }
}

static void test_everything_arrives(void **state)
{
    incast("dctcp", "sack");
    incast("dctcp", "selective");
    incast("reno", "go-back-n");
    incast("nscc", "sack");
}

/* The first windows of 127 senders at once, 45 packets each: 366 KB of headers,
 * of which the room of twice the data and half of the link's time lose none.
 * Ten headers for each packet are an eighth of it, and too slow. */
static void large_incast(const char *more, struct orr_net_totals *totals)
{
    static struct transfer t[127];
    struct small_world w;
    char yaml[512];

    memset(t, 0, sizeof t);
    for (uint32_t h = 0; h < 127; h++)
        t[h] = (struct transfer){.src = h, .dst = 127, .bytes = 200000};
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 128, link: {rate: 100Gbps, "
             "delay: 2300ns}}\n"
             "network: {mtu: 4096B, header: 64B, cc: nscc, queue: {kind: "
             "trim, capacity: 154KB%s}}\n",
             more);
    small_build(&w, yaml, 1);
    small_run(&w, t, 127);
    for (uint32_t h = 0; h < 127; h++)
        assert_int_not_equal(t[h].acked, -1);
    *totals = w.totals;
    small_free(&w);
}

static void test_no_header_is_lost(void **state)
{
    struct orr_net_totals t;

    large_incast("", &t);
    assert_true(t.packets_trimmed > 4000);
    assert_int_equal(t.packets_dropped, 0);
    large_incast(", ahead: 10", &t);
    assert_true(t.packets_dropped > 0);
    large_incast(", control: 64KiB", &t);
    assert_true(t.packets_dropped > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_is_cut),
        cmocka_unit_test(test_no_room_for_headers),
        cmocka_unit_test(test_two_ahead),
        cmocka_unit_test(test_headers_leave_room),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_everything_arrives),
        cmocka_unit_test(test_no_header_is_lost),
    };

    return cmocka_run_group_tests_name("net/queue/trim", tests, NULL, NULL);
}
