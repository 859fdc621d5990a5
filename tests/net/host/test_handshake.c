/* A round trip before the first data of a connection: to the picosecond, what
 * happens where its packets get lost, and that nothing else changes. */
#include "tests/net/small_world.h"

#include "net/config/config.h"
#include "net/host/host.h"

#define NS 1000 /* ps */

/* 64 B at 100 Gbps over two links of 1 us, there and back. */
#define ROUND_TRIP (2 * (2 * 5120 + 2000 * NS))
/* And until data may go: the ACK of the answer goes before it. */
#define OPENING (ROUND_TRIP + 5120)

static const char *const ports[] = {"computed", "explicit"};

/* Both kinds of port, one worker and three. */
static void run(const char *network, struct transfer *t, uint32_t n,
                void (*check)(struct small_world *w, struct transfer *t))
{
    uint64_t fingerprint = 0;

    for (int i = 0; i < 4; i++) {
        struct small_world w;
        char yaml[600];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 4, "
                 "link: {rate: 100Gbps, delay: 1us}}\n"
                 "network: {mtu: 1000B, handshake: true, ports: %s, %s}\n",
                 ports[i % 2], network);
        small_build(&w, yaml, i < 2 ? 1 : 3);
        small_run(&w, t, n);
        check(&w, t);
        if (i > 0)
            assert_int_equal(fingerprint, w.totals.fingerprint);
        fingerprint = w.totals.fingerprint;
        small_free(&w);
    }
}

/* 10 packets of 80 ns behind a round trip; the ACK of the last. */
static void check_one(struct small_world *w, struct transfer *t)
{
    int64_t there = OPENING + (11 * 80 + 2000) * NS;
    struct orr_connection_stats stats;

    assert_int_equal(t->sent, OPENING + 10 * 80 * NS);
    assert_int_equal(t->received, there);
    assert_int_equal(t->acked, there + 2000 * NS + 2 * 5120);
    assert_int_equal(orr__net_ideal(w->net, 0, 1, 1, t->bytes), t->acked);
    orr__net_connection_stats(w->net, t->connection, &stats);
    assert_int_equal(stats.packets, 10);
    assert_int_equal(stats.timeouts, 0);
    assert_int_equal(w->totals.packets_sent, 3 + 10 + 10);
}

static void data_waits_for_a_round_trip(void **state)
{
    struct transfer t = {.src = 0, .dst = 1, .bytes = 10000};

    run("cc: none", &t, 1, check_one);
    run("cc: {kind: dcqcn, preset: paper}", &t, 1, check_one);
}

/* It is a round trip that was measured: the first timeout goes by it. */
static void check_measured(struct small_world *w, struct transfer *t)
{
    const struct orr_sender *s = orr__sender(w->net, t->connection);

    assert_int_equal(s->least_rtt, ROUND_TRIP);
    assert_int_equal(orr__sender_rto(w->net, s), 3 * ROUND_TRIP);
}

static void the_answer_is_a_sample(void **state)
{
    struct transfer t = {.src = 0, .dst = 1, .bytes = 10000};
    struct small_world w;

    small_build(&w,
                "topology: {kind: switch, hosts: 2, "
                "link: {rate: 100Gbps, delay: 1us}}\n"
                "network: {mtu: 1000B, handshake: true, rto: {min: 1us}}\n",
                1);
    w.stop = ROUND_TRIP + 1000 * NS; /* and no ACK of data is there */
    small_run(&w, &t, 1);
    check_measured(&w, &t);
    small_free(&w);
}

/* Two others fill the ten packets of host 2's queue. From FULL on, one of each
 * arrives every 80 ns; 2 ns after the first of them 64 B find no room. */
#define FULL (OPENING + (1000 + 80 + 50 * 80) * NS)

static void crowd(struct transfer *t)
{
    t[0] = (struct transfer){.src = 0,
                             .dst = 2,
                             .bytes = 2000,
                             .start = FULL + 2 * NS - 1000 * NS - 5120};
    t[1] = (struct transfer){.src = 1, .dst = 2, .bytes = 100000};
    t[2] = (struct transfer){.src = 3, .dst = 2, .bytes = 100000};
}

/* Asked again after the first timeout, and then all goes on. With no window
 * of its own it may send both packets. */
static void check_lost(struct small_world *w, struct transfer *t)
{
    int64_t opened = t[0].start + 10000000 * (int64_t)NS + OPENING;
    struct orr_connection_stats stats;

    orr__net_connection_stats(w->net, t[0].connection, &stats);
    assert_int_equal(stats.timeouts, 1);
    assert_int_equal(stats.retransmissions, 1);
    assert_int_equal(t[0].received, opened + (3 * 80 + 2000) * NS);
}

/* With one, that begins at one packet (RFC 5681, section 3.1). */
static void check_lost_and_slow(struct small_world *w, struct transfer *t)
{
    int64_t opened = t[0].start + 10000000 * (int64_t)NS + OPENING;
    int64_t first = opened + (2 * 80 + 4000) * NS + 2 * 5120;
    const struct orr_sender *s = orr__sender(w->net, t[0].connection);

    assert_int_equal(t[0].received, first + (2 * 80 + 2000) * NS);
    assert_int_equal(orr__sender_rto(w->net, s),
                     1000000 * (int64_t)NS); /* the least, by samples again */
}

static void a_lost_question_is_asked_again(void **state)
{
    struct transfer t[3];

    crowd(t);
    run("queue: {capacity: 10000B}", t, 3, check_lost);
    crowd(t);
    run("queue: {capacity: 10000B}, cc: reno, initial_window: 1000", t, 3,
        check_lost_and_slow);
}

/* Every question gets lost: 10, 20, 40 ... ms, never more than 1 s. */
static void nobody_answers(void **state)
{
    struct transfer t = {.src = 0, .dst = 1, .bytes = 1000};
    struct small_world w;
    struct orr_connection_stats stats;

    small_build(&w,
                "topology: {kind: switch, hosts: 2, "
                "link: {rate: 100Gbps, delay: 1us, loss: 1}}\n"
                "network: {mtu: 1000B, handshake: true}\n",
                1);
    w.stop = 2271000000 * (int64_t)NS; /* 10 + 20 + ... + 640 + 1000 ms */
    small_run(&w, &t, 1);
    orr__net_connection_stats(w.net, t.connection, &stats);
    assert_int_equal(stats.timeouts, 8);
    assert_int_equal(w.totals.packets_sent, 9);
    assert_int_equal(t.sent, -1);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_waits_for_a_round_trip),
        cmocka_unit_test(the_answer_is_a_sample),
        cmocka_unit_test(a_lost_question_is_asked_again),
        cmocka_unit_test(nobody_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
