/* Recovery by RFC 6675 and RFC 8985, ACK by ACK: a host has sent its packets,
 * the network is so slow that none has arrived, and ACKs are made up. */
#include "tests/net/small_world.h"

#include "net/host/host.h"

#define US INT64_C(1000000) /* ps */
#define MS (1000 * US)

struct bench {
    struct small_world w;
    struct transfer t[24];
    struct orr_sender *s;
    int64_t now;
};

/* n messages of so many bytes from host 0 to host 1 on one connection; all has
 * left by 1 ms, a round trip takes 200 ms. */
static void begin(struct bench *b, const char *network, uint32_t n,
                  uint64_t bytes)
{
    char yaml[600];

    memset(b, 0, sizeof *b);
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 2, "
             "link: {rate: 100Gbps, delay: 50ms}}\n"
             "network: {mtu: 1000B, rto: {initial: 1s, min: 10ms}, %s}\n",
             network);
    small_build(&b->w, yaml, 1);
    b->w.stop = b->now = MS;
    for (uint32_t i = 0; i < 24; i++)
        b->t[i] =
            (struct transfer){.src = 0, .dst = 1, .bytes = bytes, .tag = 1};
    small_run(&b->w, b->t, 1); /* one connection, the others by hand */
    for (uint32_t i = 1; i < 24; i++)
        b->t[i].received = b->t[i].sent = b->t[i].acked = -1;
    b->s = orr__sender(b->w.net, b->t[0].connection);
    for (uint32_t i = 1; i < n; i++) {
        struct orr_message m = {.bytes = bytes, .arg = i, .tag = 1};

        orr__net_send(b->w.net, b->now, b->t[0].connection, &m);
    }
}

static void on_to(struct bench *b, int64_t at)
{
    small_check(&b->w,
                orr__net_run(b->w.net, at, NULL, NULL, &b->w.end, &b->w.why));
    b->now = at;
}

/* Up to `cum`; if from > 0, sent for packet `to`, with from..to here. */
static void ack(struct bench *b, uint32_t cum, uint32_t from, uint32_t to,
                uint32_t flags)
{
    struct orr_packet p = {
        .at = b->now,
        .connection = b->s->id,
        .dst_kind = orr__packet_to(0, 0),
        .seq = cum,
        .size_flags = 64u << ORR_PACKET_FLAG_BITS | ORR_PACKET_ACK | flags,
        .aux = from ? (to - cum) << ORR_PACKET_RUN_BITS | (to - from + 1) : 0,
    };

    orr__sender_ack(b->w.net, &b->w.net->lane[0], &p, b->now);
}

static void finish(struct bench *b)
{
    small_free(&b->w);
}

static unsigned state_of(const struct bench *b, uint32_t seq)
{
    return orr__sent_packet(b->s, seq)->state;
}

static uint64_t repeats(const struct bench *b)
{
    return b->s->stats.retransmissions;
}

enum { FIRST = ORR_PACKET_OF_REPEAT | ORR_PACKET_OF_ODD };

/* ---- RFC 6675 ---- */

/* More than two full packets' bytes, however many runs. */
static void sack_counts_bytes(void **unused)
{
    struct bench b;

    begin(&b, "recovery: sack", 1, 20000);
    ack(&b, 0, 5, 5, 0);
    ack(&b, 0, 5, 6, 0);
    assert_int_equal(repeats(&b), 0);
    assert_int_equal(b.s->in_flight, 18);
    ack(&b, 0, 5, 7, 0);
    assert_int_equal(b.s->lost + repeats(&b), 5);
    on_to(&b, b.now + US);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(state_of(&b, i), ORR_SENT_REPEAT);
    assert_int_equal(repeats(&b), 5);
    finish(&b);
}

/* Small packets: three runs, or three duplicate ACKs for the first. */
static void sack_counts_runs(void **unused)
{
    struct bench b;

    begin(&b, "recovery: sack, window: 20", 20, 10);
    on_to(&b, b.now + US);
    assert_int_equal(b.s->next, 20);
    ack(&b, 0, 3, 3, 0);
    ack(&b, 0, 5, 5, 0);
    assert_int_equal(b.s->lost + repeats(&b), 0);
    ack(&b, 0, 7, 7, 0);
    on_to(&b, b.now + US);
    for (uint32_t i = 0; i < 3; i++) /* lost */
        assert_int_equal(state_of(&b, i), ORR_SENT_REPEAT);
    /* two runs beyond it: not lost, and rule 3 sends it as nothing is new */
    assert_int_equal(state_of(&b, 4), ORR_SENT_TWICE);
    finish(&b);

    begin(&b, "recovery: sack, window: 20", 20, 10);
    on_to(&b, b.now + US);
    ack(&b, 0, 2, 2, 0);
    ack(&b, 0, 2, 3, 0);
    assert_int_equal(b.s->lost + repeats(&b), 0);
    ack(&b, 0, 2, 4, 0);
    on_to(&b, b.now + US);
    assert_int_equal(state_of(&b, 0), ORR_SENT_REPEAT);
    assert_int_equal(state_of(&b, 1), ORR_SENT_TWICE); /* rule 3 */
    finish(&b);
}

/* Rule 3 counts twice in the pipe until one is here or lost; rule 4 comes when
 * the first retransmission is here, once. */
static void sack_sends_what_may_be_lost(void **unused)
{
    struct bench b;

    begin(&b, "recovery: sack", 1, 20000);
    ack(&b, 0, 1, 3, 0);
    ack(&b, 0, 5, 5, 0);
    on_to(&b, b.now + US);
    assert_int_equal(repeats(&b), 2);
    assert_int_equal(state_of(&b, 4), ORR_SENT_TWICE);
    assert_int_equal(b.s->in_flight, 20 - 4 + 1);
    assert_int_equal(state_of(&b, 19), ORR_SENT_OUT);
    ack(&b, 4, 0, 0, FIRST);
    on_to(&b, b.now + US);
    assert_int_equal(state_of(&b, 19), ORR_SENT_REPEAT);
    assert_int_equal(repeats(&b), 3);
    ack(&b, 6, 0, 0, 0);
    assert_int_equal(b.s->in_flight, 14);
    on_to(&b, b.now + US);
    assert_int_equal(repeats(&b), 3);
    finish(&b);
}

/* A lost retransmission waits for the timeout: section 5.1. */
static void sack_leaves_lost_repeats_to_the_timeout(void **unused)
{
    struct bench b;

    begin(&b, "recovery: sack", 1, 20000);
    ack(&b, 0, 4, 6, 0);
    on_to(&b, b.now + US);
    assert_int_equal(repeats(&b), 4);
    ack(&b, 0, 3, 3, FIRST); /* sent last, here first */
    on_to(&b, b.now + US);
    assert_int_equal(repeats(&b), 4);
    assert_int_equal(b.s->stats.timeouts, 0);
    finish(&b);
}

/* A retransmission does not put the timer off (RFC 6298, rule 5.1), so that one
 * that is lost is found at its time; as in Linux, RACK's first one does. */
static void repeats_leave_the_timer_on(void **unused)
{
    static const char *const kinds[] = {"sack", "go-back-n", "selective",
                                        "rack"};

    for (int i = 0; i < 4; i++) {
        struct bench b;
        char network[64];
        int64_t due;

        snprintf(network, sizeof network, "recovery: %s", kinds[i]);
        begin(&b, network, 1, 20000);
        due = b.s->timeout.due;
        assert_true(due < ORR_NEVER);
        ack(&b, 0, 4, 8, i == 1 ? ORR_PACKET_NACK : 0);
        on_to(&b, b.now + US);
        assert_true(repeats(&b) >= 4);
        assert_int_equal(b.s->timeout.due - due,
                         i == 3 ? MS : 0); /* armed at 0 */
        due = b.s->timeout.due;
        on_to(&b, 100 * MS);
        ack(&b, 0, 15, 15, 0); /* more of them, and not the first */
        on_to(&b, b.now + US);
        assert_true(repeats(&b) >= 9);
        assert_int_equal(b.s->timeout.due, due);
        ack(&b, 1, 0, 0, FIRST); /* progress does */
        assert_int_not_equal(b.s->timeout.due, due);
        finish(&b);
    }
}

/* RFC 6582, section 3.2, step 3: an ACK for a part sends one packet, though the
 * window is full, and only the first of them puts the timer off. */
static void a_part_sends_one_packet(void **unused)
{
    static const char *const kinds[] = {"sack", "ns3"};

    for (int i = 0; i < 2; i++) {
        struct bench b;
        char network[64];
        int64_t due;

        snprintf(network, sizeof network, "recovery: %s, window: 20", kinds[i]);
        begin(&b, network, 1, 30000);
        assert_int_equal(b.s->next, 20);
        b.s->window.cwnd = 1; /* what is in flight fills it */
        ack(&b, 0, 2, 4, 0);
        on_to(&b, 10 * MS);
        assert_int_equal(b.s->lost, 2);
        due = b.s->timeout.due;
        ack(&b, 1, 0, 0, 0); /* the lowest that is lost */
        on_to(&b, 20 * MS);
        assert_int_equal(repeats(&b), i);
        assert_int_not_equal(b.s->timeout.due, due);
        due = b.s->timeout.due;
        ack(&b, 5, 0, 0, 0); /* or new data */
        on_to(&b, 30 * MS);
        assert_int_equal(b.s->next, 20 + i);
        assert_int_equal(b.s->timeout.due == due, i == 1);
        ack(&b, 20, 0, 0, 0); /* the end of it puts it off */
        assert_int_not_equal(b.s->timeout.due, due);
        finish(&b);
    }
}

/* ---- RFC 8985 ---- */

/* All retransmissions sent before one that is here are found lost, at once. */
static void lost_repeats_are_all_found(void **unused)
{
    static const char *const kinds[] = {"rack", "selective"};

    for (int i = 0; i < 2; i++) {
        struct bench b;
        char network[64];

        snprintf(network, sizeof network, "recovery: %s", kinds[i]);
        begin(&b, network, 1, 20000);
        ack(&b, 0, 8, 19, 0);
        on_to(&b, b.now + US);
        assert_int_equal(repeats(&b), 8);
        ack(&b, 0, 7, 7, FIRST); /* of eight, the last one */
        assert_int_equal(b.s->lost + repeats(&b), 8 + 7);
        on_to(&b, b.now + US);
        assert_int_equal(repeats(&b), 8 + 7);
        /* the second copies, too */
        ack(&b, 0, 6, 6, ORR_PACKET_OF_REPEAT);
        on_to(&b, b.now + US);
        assert_int_equal(repeats(&b), 8 + 7 + 6);
        assert_int_equal(b.s->stats.timeouts, 0);
        finish(&b);
    }
}

/* An ACK that was sent for the first copy says nothing about the second. */
static void an_old_copy_is_no_sign(void **unused)
{
    struct bench b;

    begin(&b, "recovery: rack", 1, 20000);
    ack(&b, 0, 8, 10, 0);
    on_to(&b, b.now + US);
    assert_int_equal(repeats(&b), 8);
    ack(&b, 0, 7, 7, 0);
    on_to(&b, b.now + US);
    assert_int_equal(repeats(&b), 8);
    finish(&b);
}

/* Before three packets are beyond a gap, a quarter of the least round trip. */
static void the_window_before_three(void **unused)
{
    struct bench b;

    begin(&b, "recovery: rack", 1, 20000);
    ack(&b, 1, 0, 0, 0); /* 1 ms: the least */
    ack(&b, 1, 3, 4, 0);
    on_to(&b, b.now + MS / 4 - US);
    assert_int_equal(repeats(&b), 0);
    on_to(&b, b.now + 2 * US);
    assert_int_equal(repeats(&b), 2);
    finish(&b);
    begin(&b, "recovery: rack, reorder_window: 3ms", 1, 20000);
    ack(&b, 0, 3, 6, 0);
    on_to(&b, b.now + 3 * MS - US);
    assert_int_equal(repeats(&b), 0);
    on_to(&b, b.now + 2 * US);
    assert_int_equal(repeats(&b), 3);
    finish(&b);
}

/* Once packets were overtaken, three of them do not suffice; and each round
 * trip with a retransmission in vain gives a quarter more. */
static void the_window_adapts(void **unused)
{
    struct bench b;

    begin(&b, "recovery: rack", 1, 20000);
    ack(&b, 1, 0, 0, 0);
    ack(&b, 1, 3, 3, 0);
    ack(&b, 1, 2, 2, 0); /* 2 behind 3, both sent once */
    assert_true(b.s->rack.reordered);
    ack(&b, 1, 5, 7, 0);
    assert_int_equal(b.s->lost + repeats(&b), 0);
    on_to(&b, b.now + MS / 4 + US);
    assert_int_equal(repeats(&b), 2);
    ack(&b, 4, 0, 0, 0); /* the first copy arrives after all, */
    ack(&b, 4, 0, 0, ORR_PACKET_DUPLICATE | FIRST); /* then the second */
    assert_int_equal(b.s->rack.patience, 1);
    ack(&b, 4, 0, 0, ORR_PACKET_DUPLICATE | FIRST); /* the same round trip */
    assert_int_equal(b.s->rack.patience, 1);
    finish(&b);
}

/* Two round trips of silence: the last packet goes again; it comes back with a
 * gap before it, and all that is missing follows without a timeout. */
static void a_probe_saves_the_tail(void **unused)
{
    struct bench b;

    begin(&b, "recovery: rack", 1, 20000);
    ack(&b, 12, 0, 0, 0); /* 1 ms */
    on_to(&b, b.now + 2 * MS - 10 * US);
    assert_int_equal(b.s->stats.probes, 0);
    on_to(&b, b.now + 10 * US);
    assert_int_equal(b.s->stats.probes, 1);
    assert_int_equal(repeats(&b), 1);
    assert_int_equal(state_of(&b, 19), ORR_SENT_REPEAT);
    on_to(&b, b.now + MS);
    ack(&b, 12, 19, 19, FIRST);
    on_to(&b, b.now + MS);
    assert_int_equal(repeats(&b), 8);
    assert_int_equal(b.s->stats.timeouts, 0);
    finish(&b);
}

/* New data is the better probe, and goes beyond the window of a control. */
static void a_probe_of_new_data(void **unused)
{
    struct bench b;

    begin(&b, "recovery: rack, cc: {kind: reno, ssthresh: 2}", 1, 40000);
    assert_int_equal(b.s->next, 10);
    ack(&b, 1, 0, 0, 0);
    on_to(&b, b.now + US);
    assert_int_equal(b.s->next, 11);
    on_to(&b, b.now + 2 * MS + US);
    assert_int_equal(b.s->stats.probes, 1);
    assert_int_equal(b.s->next, 12);
    assert_int_equal(b.s->in_flight, 11);
    assert_int_equal(repeats(&b), 0);
    finish(&b);
}

/* The probe made good the only loss: the window is cut for it, once. If both
 * copies arrive there was none. */
static void a_probe_is_answered(void **unused)
{
    for (int both = 0; both < 2; both++) {
        struct bench b;
        double before;

        begin(&b, "recovery: rack, cc: {kind: reno, ssthresh: 2}", 1, 10000);
        assert_int_equal(b.s->next, 10);
        ack(&b, 9, 0, 0, 0);
        before = b.s->window.cwnd;
        on_to(&b, b.now + 2 * MS + US);
        assert_int_equal(repeats(&b), 1);
        ack(&b, 10, 0, 0, both ? 0 : FIRST);
        if (both)
            ack(&b, 10, 0, 0, ORR_PACKET_DUPLICATE | FIRST);
        orr__net_send(b.w.net, b.now, b.t[0].connection,
                      &(struct orr_message){.bytes = 10000, .arg = 1});
        ack(&b, 11, 0, 0, 0);
        if (both)
            assert_true(b.s->window.cwnd >= before);
        else
            assert_true(b.s->window.cwnd < 0.6 * before);
        assert_false(b.s->probing);
        finish(&b);
    }
}

/* With a receiver that may hold its ACK back, that much later. */
static void a_probe_waits_for_held_acks(void **unused)
{
    struct bench b;

    begin(&b, "recovery: rack, ack_every: 2, ack_delay: 5ms", 1, 2000);
    assert_int_equal(b.s->next, 2);
    ack(&b, 1, 0, 0, 0);
    on_to(&b, b.now + 7 * MS - US);
    assert_int_equal(b.s->stats.probes, 0);
    on_to(&b, b.now + 2 * US);
    assert_int_equal(b.s->stats.probes, 1);
    finish(&b);
}

/* ---- the window ---- */

/* PRR: of 20 packets the first is lost and found with the third beyond it. What
 * is in flight comes down to ten as nine arrive, one sent for every other. */
static void the_window_follows_arrivals(void **unused)
{
    struct bench b;

    begin(&b,
          "recovery: rack, initial_window: 20, "
          "cc: {kind: reno, ssthresh: 2}",
          1, 60000);
    assert_int_equal(b.s->next, 20);
    for (uint32_t i = 1; i <= 3; i++) {
        ack(&b, 0, 1, i, 0);
        on_to(&b, b.now + US);
    }
    assert_int_equal(repeats(&b), 1);
    assert_int_equal(b.s->next, 22); /* limited transmit, RFC 3042 */
    assert_int_equal(b.s->in_flight, 22 - 4 + 1);
    for (uint32_t i = 4; i < 22; i++) {
        ack(&b, 0, 1, i, 0);
        on_to(&b, b.now + US);
    }
    assert_int_equal(b.s->in_flight, 10);
    /* half of what arrived, the first retransmission too */
    assert_in_range(b.s->next - 22, 8, 10);
    ack(&b, b.s->next, 0, 0, FIRST);
    assert_false(b.s->recovering);
    assert_true(b.s->window.cwnd >= 10 && b.s->window.cwnd < 12);
    finish(&b);
}

/* More than that cannot be told apart, and fewer are asked for. */
static void a_ring_has_room_for_half_of_all_numbers(void **unused)
{
    struct orr_sender s = {.room = 0};

    assert_int_equal(orr__sent_room(&s), 0);
    s.room = 3;
    assert_int_equal(orr__sent_room(&s), 4);
    s.room = 32;
    assert_int_equal(orr__sent_room(&s), UINT32_C(1) << 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sack_counts_bytes),
        cmocka_unit_test(sack_counts_runs),
        cmocka_unit_test(sack_sends_what_may_be_lost),
        cmocka_unit_test(sack_leaves_lost_repeats_to_the_timeout),
        cmocka_unit_test(repeats_leave_the_timer_on),
        cmocka_unit_test(a_part_sends_one_packet),
        cmocka_unit_test(lost_repeats_are_all_found),
        cmocka_unit_test(an_old_copy_is_no_sign),
        cmocka_unit_test(the_window_before_three),
        cmocka_unit_test(the_window_adapts),
        cmocka_unit_test(a_probe_saves_the_tail),
        cmocka_unit_test(a_probe_of_new_data),
        cmocka_unit_test(a_probe_is_answered),
        cmocka_unit_test(a_probe_waits_for_held_acks),
        cmocka_unit_test(the_window_follows_arrivals),
        cmocka_unit_test(a_ring_has_room_for_half_of_all_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
