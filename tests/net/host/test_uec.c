/* Acknowledgements of Ultra Ethernet, packet by packet: the network is so slow
 * that nothing arrives but what is made up. */
#include "tests/net/small_world.h"

#include "net/host/host.h"

#define US INT64_C(1000000) /* ps */
#define MS (1000 * US)

enum { ASKS = ORR_PACKET_ASKS, MARKED = ORR_PACKET_CE };

struct bench {
    struct small_world w;
    struct transfer t;
    struct orr_sender *s;
    struct orr_receiver *r;
    int64_t now;
};

/* 20 packets of 1,000 B and no header have left host 0 by 1 ms; an ACK is there
 * every 3,000 B. */
static void begin(struct bench *b, const char *network)
{
    char yaml[400];

    memset(b, 0, sizeof *b);
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 2, "
             "link: {rate: 100Gbps, delay: 50ms}}\n"
             "network: {mtu: 1000B, ack_rule: uec, ack_bytes: 3000B, "
             "rto: {initial: 1s, min: 1s}, %s}\n",
             network);
    small_build(&b->w, yaml, 1);
    b->w.stop = b->now = MS;
    b->t = (struct transfer){.src = 0, .dst = 1, .bytes = 20000, .tag = 1};
    small_run(&b->w, &b->t, 1);
    b->s = orr__sender(b->w.net, b->t.connection);
    b->r = orr__receiver(b->w.net, b->t.connection);
}

/* A packet arrives at host 1. True: host 1 answers. */
static bool arrives(struct bench *b, uint32_t seq, uint32_t flags)
{
    struct orr_packet p = {
        .at = b->now,
        .connection = b->s->id,
        .dst_kind = orr__packet_to(1, 0),
        .seq = seq,
        .size_flags = 1000u << ORR_PACKET_FLAG_BITS | flags,
        .aux = b->s->first_unacked,
    };
    uint64_t sent = b->w.net->lane[0].sent;

    orr__receiver_data(b->w.net, &b->w.net->lane[0], &p, b->now);
    b->now += US;
    small_check(&b->w, orr__net_run(b->w.net, b->now, NULL, NULL, &b->w.end,
                                    &b->w.why));
    return b->w.net->lane[0].sent > sent;
}

/* Until what was answered has come back, and no more. */
static void comes_back(struct bench *b)
{
    b->now += 100 * MS;
    small_check(&b->w, orr__net_run(b->w.net, b->now, NULL, NULL, &b->w.end,
                                    &b->w.why));
}

/* The first, then every third; marks at once, and bytes count from there. */
static void bytes_and_marks(void **unused)
{
    struct bench b;

    begin(&b, "cc: none");
    assert_true(arrives(&b, 0, 0));
    assert_false(arrives(&b, 1, 0));
    assert_false(arrives(&b, 2, 0));
    assert_true(arrives(&b, 3, 0));
    assert_false(arrives(&b, 4, 0));
    assert_true(arrives(&b, 5, MARKED));
    assert_false(arrives(&b, 6, 0));
    assert_false(arrives(&b, 7, 0));
    assert_true(arrives(&b, 8, 0));
    assert_int_equal(b.r->marks, 1);
    comes_back(&b);
    assert_int_equal(b.s->una, 9);
    assert_int_equal(b.s->stats.marks, 1);
    small_free(&b.w);
}

/* What is asked for, and once more when the gap is filled; what is here
 * already. */
static void requests_and_gaps(void **unused)
{
    struct bench b;

    begin(&b, "cc: none");
    assert_true(arrives(&b, 0, 0));
    assert_false(arrives(&b, 2, 0));
    assert_true(arrives(&b, 4, ASKS));
    assert_false(arrives(&b, 1, 0)); /* a gap is left */
    assert_true(arrives(&b, 3, 0));
    assert_false(arrives(&b, 5, 0));
    assert_true(arrives(&b, 5, 0));
    assert_true(arrives(&b, 6, ORR_PACKET_REPEAT));
    assert_false(arrives(&b, 9, 0));
    assert_true(arrives(&b, 8, ORR_PACKET_TRIMMED)); /* refused */
    assert_true(arrives(&b, 9, ORR_PACKET_TRIMMED)); /* it is here */
    assert_int_equal(b.r->next, 7);
    small_free(&b.w);
}

/* An ACK tells of all around the packet that made the receiver send it. */
static void the_scoreboard(void **unused)
{
    struct bench b;

    begin(&b, "cc: none");
    for (uint32_t seq = 2; seq < 10; seq += 2)
        (void)arrives(&b, seq, 0); /* the first is answered, and the fourth */
    assert_true(arrives(&b, 6, ASKS)); /* again: 2, 4, 6, 8 are here */
    comes_back(&b);
    assert_int_equal(b.s->una, 0);
    for (uint32_t seq = 0; seq < 12; seq++)
        assert_int_equal(orr__sent_packet(b.s, seq)->state == ORR_SENT_HERE,
                         seq % 2 == 0 && seq > 0 && seq < 10);
    assert_int_equal(b.s->in_flight + b.s->lost, 16);
    small_free(&b.w);
}

/* The last packet asks, and what fills the window. */
static void who_asks(void **unused)
{
    struct bench b;

    begin(&b, "cc: none");
    assert_int_equal(b.s->next, 20);
    assert_int_equal(orr__uec_asks(b.s), ASKS);
    small_free(&b.w);
    begin(&b, "cc: none, window: 8");
    assert_int_equal(b.s->next, 8);
    assert_int_equal(orr__uec_asks(b.s), ASKS);
    b.s->in_flight = 6;
    assert_int_equal(orr__uec_asks(b.s), 0);
    b.s->in_flight = 8;
    small_free(&b.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_marks),
        cmocka_unit_test(requests_and_gaps),
        cmocka_unit_test(the_scoreboard),
        cmocka_unit_test(who_asks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
