/* What a host queues: with `nic: {queue: fifo}` all that windows allow. */
#include "tests/net/small_world.h"

#define US 1000000 /* ps */

/* 1 B takes 1 ns. Host 0 sends ten packets to host 1 and ten to host 2; host 3
 * sends one to host 0, which is there at 4 us. */
static void queue_up(struct small_world *w, struct transfer t[3],
                     const char *network)
{
    char yaml[512];

    t[0] = (struct transfer){.src = 0, .dst = 1, .bytes = 10000};
    t[1] = (struct transfer){.src = 0, .dst = 2, .bytes = 10000};
    t[2] = (struct transfer){.src = 3, .dst = 0, .bytes = 1000};
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, ack: 100B, %s}\n",
             network);
    small_read(w, yaml, 1);
    small_make(w, 1);
    small_run(w, t, 3);
}

/* Packets of the two take turns (the second begins after two of the first), and
 * the ACK goes before them. */
static void test_fair(void **state)
{
    struct small_world w;
    struct transfer t[3];

    queue_up(&w, t, "nic: {queue: fair}");
    assert_int_equal(t[0].sent, 18 * US + US / 10);
    assert_int_equal(t[1].sent, 20 * US + US / 10);
    assert_int_equal(t[2].acked, 7 * US + US / 5); /* 4 + 2 (0.1 + 1), and 1
                                                    * for what is in service */
    assert_int_equal(w.totals.ecn_marks, 0);
    small_free(&w);
}

/* One after the other, and the ACK behind both. */
static void test_fifo(void **state)
{
    struct small_world w;
    struct transfer t[3];

    queue_up(&w, t, "nic: {queue: fifo}");
    assert_int_equal(t[0].sent, 10 * US);
    assert_int_equal(t[0].received, 13 * US);
    assert_int_equal(t[1].sent, 20 * US);
    assert_int_equal(t[1].received, 23 * US);
    assert_int_equal(t[2].acked, 22 * US + US / 5);
    small_free(&w);
}

/* Packet i finds i us before it: those from the sixth on more than 4 us. Where
 * the switch sends nothing waits. */
static void test_marks(void **state)
{
    struct small_world w;
    struct transfer t[3];

    queue_up(&w, t,
             "nic: {queue: fifo, marks: step}, "
             "queue: {kind: ecn, threshold: 4000B}");
    assert_int_equal(w.totals.ecn_marks, 15);
    small_free(&w);
    queue_up(&w, t,
             "nic: {queue: fifo}, "
             "queue: {kind: ecn, threshold: 4000B}");
    assert_int_equal(w.totals.ecn_marks, 0);
    small_free(&w);
}

/* The same of ports that take their time over a packet. */
static void test_marks_slowly(void **state)
{
    struct small_world w;
    struct transfer t[3];

    queue_up(&w, t,
             "nic: {queue: fifo, marks: step}, switching: cut-through, "
             "queue: {kind: ecn, threshold: 4000B}");
    assert_true(w.totals.ecn_marks >= 15);
    small_free(&w);
    queue_up(&w, t,
             "nic: {queue: fifo}, switching: cut-through, "
             "queue: {kind: ecn, threshold: 4000B}");
    assert_int_equal(w.totals.ecn_marks, 0);
    small_free(&w);
}

/* A window still holds, and so does a pace: four packets, then one for each
 * ACK; the next for host 2 goes behind what is there. */
static void test_window(void **state)
{
    struct small_world w;
    struct transfer t[3];

    queue_up(&w, t, "nic: {queue: fifo}, window: 4");
    /* 0: 1 2 3 4, to host 2: 5 6 7 8; the ACK of the first is there at 4.2 +
     * 0.2 us, before 8, and so the port never runs dry */
    assert_int_equal(t[2].acked, 8 * US + 2 * US + US / 5);
    assert_in_range(t[1].sent, 20 * US, 21 * US);
    small_free(&w);
    queue_up(&w, t, "nic: {queue: fifo}, cc: {kind: fixed-rate, rate: 2Gbps}");
    assert_int_equal(t[0].sent, 9 * 4 * US + US);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fair),   cmocka_unit_test(test_fifo),
        cmocka_unit_test(test_marks),  cmocka_unit_test(test_marks_slowly),
        cmocka_unit_test(test_window),
    };

    return cmocka_run_group_tests_name("net/nic", tests, NULL, NULL);
}
