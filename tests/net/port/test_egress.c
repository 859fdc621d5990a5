/* Explicit ports: which class goes next, by hand, and in-band telemetry. */
#include "tests/net/small_world.h"

#include <unistd.h>

#include "core/units.h"
#include "net/config/config.h"
#include "net/schedule/schedule.h"

/* 1 B takes 1 ns. Eight packets of class 0 from host 0 and of class 1 from
 * host 1 meet at the port to host 2, where one of each arrives from 2 us on,
 * every 1 us, and the first of class 0 is served at once. */
static void contend(const char *queue, int64_t received[2])
{
    struct transfer t[2] = {{.src = 0, .dst = 2, .bytes = 8000, .class = 0},
                            {.src = 1, .dst = 2, .bytes = 8000, .class = 1}};
    struct small_world w;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 3, link: {rate: 8Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, transport: datagram, queue: %s}\n",
             queue);
    small_read(&w, yaml, 2);
    small_make(&w, 1);
    small_run(&w, t, 2);
    received[0] = t[0].received;
    received[1] = t[1].received;
    small_free(&w);
}

/* 0 1 0 1 ...: the last two of 16 end at 17 and 18 us. */
static void test_fifo(void **state)
{
    int64_t at[2];

    contend("{kind: droptail, scheduler: fifo}", at);
    assert_int_equal(at[0], 18 * ORR_US);
    assert_int_equal(at[1], 19 * ORR_US);
}

/* 0, then all eight of class 1, then the other seven. */
static void test_strict(void **state)
{
    int64_t at[2];

    contend("{kind: droptail, scheduler: strict}", at);
    assert_int_equal(at[0], 19 * ORR_US);
    assert_int_equal(at[1], 12 * ORR_US);
}

/* 0 111 0 111 0 11 000...: quanta of one and of three packets. */
static void test_drr(void **state)
{
    int64_t at[2];

    contend("{kind: droptail, scheduler: drr, weights: [1, 3]}", at);
    assert_int_equal(at[0], 19 * ORR_US);
    assert_int_equal(at[1], 14 * ORR_US);
    /* 0 1 0 1 ... */
    contend("{kind: droptail, scheduler: drr}", at);
    assert_int_equal(at[0], 18 * ORR_US);
    assert_int_equal(at[1], 19 * ORR_US);
}

/* Virtual finish times 250 apart for class 1 (1250, 1500, ... 3000), 1000 for
 * class 0 (1000, 2250, 3250): 0 1111 0 1111 000... */
static void test_wfq(void **state)
{
    int64_t at[2];

    contend("{kind: droptail, scheduler: wfq, weights: [1, 4]}", at);
    assert_int_equal(at[0], 19 * ORR_US);
    assert_int_equal(at[1], 13 * ORR_US);
}

/* Four connections of eight packets each from host 0 to three others and to
 * host 4, and one of 32 packets from there to host 4 as well: the first four
 * are one job's. At the NIC and at the port to host 4 job and flow take
 * turns. */
static void test_fair(void **state)
{
    struct transfer t[5] = {{.src = 0, .dst = 1, .bytes = 8000, .share = 1},
                            {.src = 0, .dst = 2, .bytes = 8000, .share = 1},
                            {.src = 0, .dst = 3, .bytes = 8000, .share = 1},
                            {.src = 0, .dst = 4, .bytes = 8000, .share = 1},
                            {.src = 0, .dst = 4, .bytes = 32000}};
    struct small_world w;
    int64_t last = 0;

    small_read(&w,
               "topology: {kind: switch, hosts: 5, link: {rate: 8Gbps, "
               "delay: 1us}}\n"
               "network: {mtu: 1000B, transport: datagram, queue: {kind: "
               "droptail, scheduler: fair}}\n",
               1);
    small_make(&w, 1);
    small_run(&w, t, 5);
    for (int i = 0; i < 4; i++)
        last = t[i].received > last ? t[i].received : last;
    assert_int_equal(last, 66 * ORR_US); /* 63 have left the NIC by then */
    assert_int_equal(t[4].received, 67 * ORR_US);
    small_free(&w);
}

/* At a port: ten jobs, more than there are classes, of which the first has five
 * times the packets. Nine packets of each of the ten, in turn, end with the
 * ninth round; what the first has beyond that comes after. */
static void test_fair_port(void **state)
{
    struct transfer t[14];
    struct small_world w;

    for (uint32_t i = 0; i < 14; i++)
        t[i] = (struct transfer){
            .src = i, .dst = 14, .bytes = 9000, .share = i < 5 ? 1 : i};
    small_read(&w,
               "topology: {kind: switch, hosts: 15, link: {rate: 8Gbps, "
               "delay: 1us}}\n"
               "network: {mtu: 1000B, transport: datagram, queue: {kind: "
               "droptail, scheduler: fair}}\n",
               1);
    small_make(&w, 1);
    small_run(&w, t, 14);
    for (uint32_t i = 5; i < 14; i++)
        assert_in_range(t[i].received, (3 + 81) * ORR_US, (3 + 90) * ORR_US);
    for (uint32_t i = 0; i < 5; i++)
        assert_in_range(t[i].received, (3 + 91) * ORR_US, (3 + 126) * ORR_US);
    small_free(&w);
}

/* A class has a queue of its own, with a capacity of its own: of five packets
 * that meet, each class drops what it has beyond two. */
static void test_classes_drop_apart(void **state)
{
    struct transfer t[5] = {{.src = 0, .dst = 5, .bytes = 1000, .class = 0},
                            {.src = 1, .dst = 5, .bytes = 1000, .class = 0},
                            {.src = 2, .dst = 5, .bytes = 1000, .class = 0},
                            {.src = 3, .dst = 5, .bytes = 1000, .class = 1},
                            {.src = 4, .dst = 5, .bytes = 1000, .class = 1}};
    struct small_world w;

    small_read(&w,
               "topology: {kind: switch, hosts: 6, link: {rate: 8Gbps, "
               "delay: 1us}}\n"
               "network: {mtu: 1000B, transport: datagram, queue: {kind: "
               "droptail, capacity: 2000B, scheduler: strict}}\n",
               2);
    small_make(&w, 1);
    small_run(&w, t, 5);
    assert_int_equal(w.totals.packets_dropped, 1);
    assert_int_equal(t[2].received, -1);
    assert_int_equal(t[0].received, 4 * ORR_US);
    assert_int_equal(t[3].received, 5 * ORR_US); /* class 1 goes first */
    assert_int_equal(t[4].received, 6 * ORR_US);
    assert_int_equal(t[1].received, 7 * ORR_US);
    small_free(&w);
}

/* ---- in-band telemetry ---- */

struct seen {
    struct orr_cc_hop hop[8][4];
    uint32_t hops[8], acks;
};

static void see(void *state, const void *params, struct orr_cc_window *w,
                const struct orr_cc_ack *a)
{
    struct seen *s = *(struct seen *const *)params;

    assert_non_null(a->telemetry);
    s->hops[s->acks] = a->telemetry->hops;
    memcpy(s->hop[s->acks++], a->telemetry->hop,
           a->telemetry->hops * sizeof *a->telemetry->hop);
}

static void open_wide(void *state, const void *params, struct orr_cc_window *w,
                      const struct orr_cc_path *path)
{
    w->cwnd = ORR_CC_UNLIMITED;
}

/* Two hosts send three packets each to a third at once. The switch sends 0 1 0
 * 1 0 1 from 2 us on. When it takes the first of host 0, nothing else is there;
 * at the second and third, one of host 1 is (arrivals follow departures). */
static void test_telemetry(void **state)
{
    static const struct orr_cc_ops ops = {.name = "seer",
                                          .state_size = 1,
                                          .telemetry = true,
                                          .init = open_wide,
                                          .on_ack = see};
    static const uint64_t left[3] = {0, 1000, 1000};
    struct transfer t[2] = {{.src = 0, .dst = 2, .bytes = 3000},
                            {.src = 1, .dst = 2, .bytes = 3000, .class = 1}};
    struct seen seen = {.acks = 0}, *to = &seen;
    struct orr_cc cc = {
        .ops = &ops, .params = &to, .state_size = 1, .telemetry = true};
    struct small_world w;

    small_read(&w,
               "topology: {kind: switch, hosts: 3, link: {rate: 8Gbps, "
               "delay: 1us}}\n"
               "network: {mtu: 1000B, ack: 50B}\n",
               2);
    w.service[0].cc = &cc;
    w.draft->config.telemetry = true;
    small_make(&w, 1);
    small_run(&w, t, 2);
    assert_int_equal(seen.acks, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct orr_cc_hop *h = &seen.hop[i][0];

        assert_int_equal(seen.hops[i], 1); /* the NIC adds none */
        assert_int_equal(h->at_ps, (2 + 2 * i) * ORR_US);
        assert_int_equal(h->sent_bytes, 2000 * i);
        assert_int_equal(h->queue_bytes, left[i]);
        assert_int_equal(h->rate_bps, 8000000000u);
    }
    small_free(&w);
}

/* A paced source whose turn comes when it has nothing to send any more, or
 * while its window is closed, sleeps: it is not woken for ever. */
static void test_woken_in_vain(void **state)
{
    struct transfer t[15];
    struct small_world w;

    for (uint32_t i = 0; i < 15; i++)
        t[i] = (struct transfer){.src = i + 1, .dst = 0, .bytes = 1000000};
    small_read(&w,
               "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
               "delay: 1us}}\n"
               "network: {header: 48B, cc: hpcc, "
               "queue: {kind: droptail, capacity: 2MiB}}\n",
               1);
    small_make(&w, 1);
    alarm(60); /* ends the program: this went on at one instant for ever */
    small_run(&w, t, 15);
    alarm(0);
    for (uint32_t i = 0; i < 15; i++)
        assert_true(t[i].acked > 0);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fifo),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_drr),
        cmocka_unit_test(test_wfq),
        cmocka_unit_test(test_fair),
        cmocka_unit_test(test_fair_port),
        cmocka_unit_test(test_classes_drop_apart),
        cmocka_unit_test(test_telemetry),
        cmocka_unit_test(test_woken_in_vain),
    };

    return cmocka_run_group_tests_name("net/egress", tests, NULL, NULL);
}
