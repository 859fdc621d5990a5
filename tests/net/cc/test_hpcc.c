/* HPCC ACK by ACK, fed with telemetry by hand, against algorithm 1. */
#include "net/cc/pint.h"
#include "tests/net/cc/control.h"

#include <math.h>

#define BDP 125000.0 /* bytes: 100 Gbps times 10 us */

/* A record with room for four hops behind it. */
union record {
    struct orr_cc_telemetry t;
    char room[sizeof(struct orr_cc_telemetry) + 4 * sizeof(struct orr_cc_hop)];
};

static struct orr_cc_hop hop(int64_t at_us, uint64_t sent, uint64_t queue)
{
    return (struct orr_cc_hop){.at_ps = at_us * ORR_US,
                               .sent_bytes = sent,
                               .queue_bytes = queue,
                               .rate_bps = 100000000000};
}

static void ack(struct control *k, uint32_t una, uint32_t next,
                struct orr_cc_hop a, struct orr_cc_hop b)
{
    union record r = {.room = {0}};

    r.t.hops = 2;
    memcpy(r.room + sizeof r.t, &a, sizeof a);
    memcpy(r.room + sizeof r.t + sizeof a, &b, sizeof b);
    control_ack(k, (struct orr_cc_ack){.acked = una - k->una,
                                       .delivered = una - k->una,
                                       .una = una,
                                       .next = next,
                                       .in_flight = next - una,
                                       .telemetry = &r.t});
    k->una = una;
}

/* Bytes of the window, from the rate that paces it. */
static double window(const struct control *k)
{
    return k->w.rate * 10e-6 / 8;
}

static double used(const struct control *k)
{
    return k->cc->ops->estimate(k->state);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_ack_by_ack(void **unused)
{
    double ai = 40e6 * 10e-6 / 8, W, Wc, U; /* 10 Mbps for 25 Gbps */
    struct control k;

    control_begin(&k, "{kind: hpcc}", 10, 1, &control_path);
    assert_true(k.cc->telemetry);
    assert_true(near(window(&k), BDP) && near(k.w.cwnd, BDP / 4000 + 1));
    /* the first ACK only fills the history */
    ack(&k, 1, 30, hop(0, 0, 0), hop(0, 0, 50000));
    assert_true(near(window(&k), BDP));
    /* within the round trip: 2 us at half rate; at full rate with 25,000 B of
     * queue, the smaller of two: 1 + 0.2; U = 0.8 * 1 + 0.2 * 1.2 */
    ack(&k, 2, 31, hop(2, 12500, 0), hop(2, 25000, 25000));
    U = 0.8 + 0.2 * 1.2;
    Wc = BDP;
    W = Wc * 0.95 / U + ai;
    assert_true(near(used(&k), U) && near(window(&k), W));
    /* another ACK of the same round trip starts from Wc again; 5 us old */
    ack(&k, 12, 41, hop(7, 12500, 0), hop(7, 87500, 0));
    U = 0.5 * U + 0.5 * 1;
    W = Wc * 0.95 / U + ai;
    assert_true(near(used(&k), U) && near(window(&k), W));
    assert_true(near(k.w.cwnd, W / 4000 + 1));
    /* what was sent after the first ACK: the round trip ends */
    ack(&k, 31, 60, hop(12, 75000, 0), hop(12, 87500 + 31250, 0));
    U = 0.5 * U + 0.5 * 1; /* the fuller is the first hop now */
    W = Wc = Wc * 0.95 / U + ai;
    assert_true(near(used(&k), U) && near(window(&k), W));
    /* more than T since the last one counts as T */
    ack(&k, 32, 61, hop(32, 75000 + 125000, 0), hop(32, 118750, 0));
    U = 0.5;
    W = Wc + ai; /* below eta: additive, the round trip is not over */
    assert_true(near(used(&k), U) && near(window(&k), W));
    control_finish(&k);
}

/* As wide as in the paper: 100 Gbps count in units of 512 B sent and 320 B
 * queued; times go round after 16.8 ms and bytes after 537 MB. */
static void test_fields(void **unused)
{
    struct orr_cc_hop a = hop(16770, 1000000, 700), b = a;
    struct control k;
    double U;

    control_begin(&k, "{kind: hpcc, telemetry: fields}", 10, 1, &control_path);
    a.sent_bytes = b.sent_bytes = 512 * ((1u << 20) - 10) + 100;
    ack(&k, 1, 30, a, b);
    /* 10.0004 us later, over the end of both; 700 B are 640 */
    b.at_ps += 10000400;
    b.sent_bytes += 125000;
    b.queue_bytes = 50000;
    ack(&k, 2, 31, b, b);
    U = 512.0 * 244 * 8e12 / (10e6 * 100e9) + 640.0 / BDP;
    assert_true(near(used(&k), U));
    control_finish(&k);
}

/* Of two packets that took different paths nothing is learnt, whatever their
 * hops say: section 4.1. What a packet has room for is 12 bits. */
static void test_path(const char *telemetry, uint32_t other)
{
    union record r = {.room = {0}};
    struct orr_cc_hop at = hop(0, 0, 0);
    struct orr_cc_ack a = {.next = 30, .in_flight = 20, .telemetry = &r.t};
    struct control k;

    control_begin(&k, telemetry, 10, 1, &control_path);
    r.t.hops = 1;
    for (uint32_t i = 0; i < 6; i++) { /* path by path */
        r.t.path = i % 2 ? other : 7;
        at.at_ps += ORR_US;
        at.sent_bytes += 12500;
        memcpy(r.room + sizeof r.t, &at, sizeof at);
        control_ack(&k, a);
        assert_true(near(used(&k), 1) && near(window(&k), BDP));
    }
    at.at_ps += 10 * ORR_US; /* half full, the same way as before */
    at.sent_bytes += 62500;
    memcpy(r.room + sizeof r.t, &at, sizeof at);
    control_ack(&k, a);
    assert_true(fabs(used(&k) - 0.5) < 1e-3);
    control_finish(&k);
}

static void test_paths(void **unused)
{
    test_path("{kind: hpcc}", 8);
    test_path("{kind: hpcc, telemetry: fields}", 7 + (1u << 20));
}

/* PINT: the byte takes U's place at once; without it an ACK moves nothing. */
static void test_pint(void **unused)
{
    union record r = {.room = {0}};
    struct orr_cc_ack a = {.acked = 1, .una = 1, .next = 30, .in_flight = 29};
    double U = pow(1.05, 10);
    struct control k;

    control_begin(&k,
                  "{kind: hpcc, telemetry: pint, base_rtt: 10us, "
                  "rate_ai: 0bps}",
                  10, 1, &control_path);
    assert_true(k.cc->pint && k.cc->pint->rtt_ps == 10 * ORR_US);
    control_ack(&k, a);
    assert_true(near(window(&k), BDP));
    r.t.pint = true;
    r.t.code = 152; /* ten steps beyond full */
    a.telemetry = &r.t;
    control_ack(&k, a);
    assert_true(near(used(&k), U) && near(window(&k), BDP * 0.95 / U));
    r.t.code = 142;
    control_ack(&k, a);
    assert_true(near(used(&k), 1) && near(window(&k), BDP * 0.95));
    control_finish(&k);
}

/* As HPCC's simulator has it: the first byte says nothing, and ports have a
 * round-trip time apart from the connection's. */
static void test_pint_of_hpcc(void **unused)
{
    union record r = {.room = {0}};
    struct orr_cc_ack a = {.acked = 1, .una = 1, .next = 30, .in_flight = 29};
    struct control k;

    control_begin(&k,
                  "{kind: hpcc, telemetry: pint, pint_rtt: 7us, pint_form: "
                  "hpcc, rate_ai: 0bps}",
                  10, 1, &control_path);
    assert_true(k.cc->pint->rtt_ps == 7 * ORR_US && k.cc->pint->forgets);
    r.t.pint = true;
    r.t.code = 152;
    a.telemetry = &r.t;
    control_ack(&k, a);
    assert_true(near(window(&k), BDP));
    control_ack(&k, a);
    assert_true(near(window(&k), BDP * 0.95 / pow(1.05, 10)));
    control_finish(&k);
}

/* Five round trips of additive increase, then the window follows U. */
static void test_stages(void **unused)
{
    double ai = 1e9 * 10e-6 / 8, W;
    struct control k;
    uint64_t sent = 0;
    uint32_t n = 1;

    control_begin(&k, "{kind: hpcc, rate_ai: 1Gbps}", 10, 1, &control_path);
    ack(&k, n, n, hop(0, 0, 0), hop(0, 0, 0));
    /* twice full: the window falls to 0.95 / 2 and a step */
    sent = 250000;
    n++;
    ack(&k, n, n, hop(10, 0, 0), hop(10, sent, 0));
    W = BDP * 0.95 / 2 + ai;
    assert_true(near(window(&k), W));
    for (int round = 1; round <= 5; round++) {
        sent += 62500; /* half full */
        n++;
        ack(&k, n, n, hop(10 + 10 * round, 0, 0),
            hop(10 + 10 * round, sent, 0));
        W += ai;
        assert_true(near(window(&k), W));
    }
    sent += 100000; /* 0.8 */
    n++;
    ack(&k, n, n, hop(70, 0, 0), hop(70, sent, 0));
    W = W * 0.95 / 0.8 + ai;
    assert_true(near(used(&k), 0.8) && near(window(&k), W));
    control_finish(&k);
    /* without stages it follows from the first */
    control_begin(&k, "{kind: hpcc, rate_ai: 1Gbps, max_stage: 0}", 10, 2,
                  &control_path);
    ack(&k, 1, 1, hop(0, 0, 0), hop(0, 0, 0));
    ack(&k, 2, 2, hop(10, 0, 0), hop(10, 250000, 0));
    ack(&k, 3, 3, hop(20, 0, 0), hop(20, 375000 - 25000, 0));
    W = (BDP * 0.95 / 2 + 2 * ai) * 0.95 / 0.8 + 2 * ai; /* a gain of 2 */
    assert_true(near(window(&k), W));
    control_finish(&k);
}

/* Only one ACK a round trip moves the window. */
static void test_without_fast_reaction(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: hpcc, fast_react: false, rate_ai: 0bps}", 10, 1,
                  &control_path);
    ack(&k, 1, 20, hop(0, 0, 0), hop(0, 0, 0));
    ack(&k, 2, 20, hop(5, 0, 0), hop(5, 125000, 0));
    assert_true(near(used(&k), 1.5) && near(window(&k), BDP));
    ack(&k, 21, 40, hop(10, 0, 0), hop(10, 250000, 0));
    assert_true(near(used(&k), 1.75));
    assert_true(near(window(&k), BDP * 0.95 / 1.75));
    control_finish(&k);
}

/* A round trip lasts until as many packets have arrived as were in flight when
 * it began: of those that were lost on the way, none arrives. */
static void test_lost_in_flight(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: hpcc, fast_react: false, rate_ai: 0bps}", 10, 1,
                  &control_path);
    ack(&k, 1, 21, hop(0, 0, 0), hop(0, 0, 0));        /* 20 in flight */
    ack(&k, 2, 7, hop(5, 0, 0), hop(5, 125000, 0));    /* 5: 1 + 5 of them */
    ack(&k, 7, 17, hop(10, 0, 0), hop(10, 250000, 0)); /* these are all */
    assert_true(near(window(&k), BDP));
    ack(&k, 8, 18, hop(15, 0, 0), hop(15, 375000, 0)); /* sent later */
    assert_true(near(used(&k), 1.875));
    assert_true(near(window(&k), BDP * 0.95 / 1.875));
    control_finish(&k);
}

/* Nothing is learnt from older packets, from other paths, or without records;
 * an idle path opens the window, up to one BDP; a crowded one closes it down to
 * the least rate, with a packet in flight in any case. */
static void test_edges(void **unused)
{
    union record three = {.room = {0}};
    struct control k;

    three.t.hops = 3;
    control_begin(&k, "{kind: hpcc, min_rate: 1Gbps}", 10, 1, &control_path);
    ack(&k, 1, 1, hop(10, 1000, 0), hop(10, 1000, 0));
    control_ack(&k, (struct orr_cc_ack){.acked = 1, .una = 2, .next = 2});
    ack(&k, 3, 3, hop(9, 900, 0), hop(9, 900, 0));
    assert_true(near(window(&k), BDP) && used(&k) == 1);
    control_ack(&k,
                (struct orr_cc_ack){
                    .acked = 1, .una = 4, .next = 4, .telemetry = &three.t});
    ack(&k, 5, 5, hop(20, 2000, 0), hop(20, 500000, 0));
    assert_true(near(window(&k), BDP) && used(&k) == 1);
    ack(&k, 6, 6, hop(30, 2000, 0), hop(30, 500000, 0)); /* idle */
    assert_true(near(window(&k), BDP) && used(&k) == 0);
    ack(&k, 7, 7, hop(40, 2000, 100000000), hop(40, 625000, 0));
    ack(&k, 8, 8, hop(50, 127000, 100000000), hop(50, 625000, 0));
    assert_true(near(window(&k), BDP / 100));
    assert_true(k.w.cwnd >= 1 && k.w.cwnd < 2);
    control_finish(&k);
}

static void test_base_rtt(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: hpcc, base_rtt: 20us}", 10, 1, &control_path);
    assert_true(near(k.w.rate, 100e9));
    assert_true(near(k.w.cwnd, 2 * BDP / 4000 + 1));
    control_finish(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ack_by_ack),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_pint),
        cmocka_unit_test(test_pint_of_hpcc),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_without_fast_reaction),
        cmocka_unit_test(test_lost_in_flight),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_base_rtt),
    };

    return cmocka_run_group_tests_name("net/cc/hpcc", tests, NULL, NULL);
}
