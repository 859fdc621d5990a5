/* DCTCP with a rate, ACK by ACK, against what HandleAckDctcp of HPCC's
 * simulator does; and windows that count payload. */
#include "tests/net/cc/control.h"

#include <math.h>

/* One packet more is acknowledged; then these are in flight. */
static void ack(struct control *k, uint32_t next, bool echo)
{
    k->una++;
    control_ack(k, (struct orr_cc_ack){.acked = 1,
                                       .delivered = 1,
                                       .una = k->una,
                                       .next = next,
                                       .in_flight = next - k->una,
                                       .echo = echo});
}

static void is_rate(const struct control *k, double bps)
{
    assert_true(fabs(k->w.rate - bps) <= 1e-9 * bps);
}

static void test_ack_by_ack(void **unused)
{
    double rate = 40e9, alpha = 1;
    struct control k;

    control_begin(&k,
                  "{kind: dctcp-rate, initial_rate: 40Gbps, rate_ai: 1Gbps}",
                  10, 1, &control_path);
    is_rate(&k, rate);
    assert_true(k.w.cwnd >= ORR_CC_UNLIMITED);
    /* the first ACK is a round trip of its own, with a step */
    ack(&k, 10, false);
    rate += 1e9;
    is_rate(&k, rate);
    /* within the next one nothing grows; its first mark halves, as alpha is 1
     */
    ack(&k, 12, false);
    is_rate(&k, rate);
    ack(&k, 14, true);
    rate *= 1 - alpha / 2;
    is_rate(&k, rate);
    ack(&k, 16, true); /* no second one, until 14 is acknowledged */
    is_rate(&k, rate);
    for (uint32_t i = 5; i <= 10; i++)
        ack(&k, 20, false);
    is_rate(&k, rate);
    /* 11 packets were sent by the first ACK, 2 ACKs had marks; no step while
     * the answer goes on */
    ack(&k, 22, false);
    alpha += (2.0 / 11 - alpha) / 16;
    assert_true(fabs(k.cc->ops->estimate(k.state) - alpha) < 1e-12);
    is_rate(&k, rate);
    while (k.una < 14)
        ack(&k, 24, false);
    /* it is over with 15; a mark at once cuts by the new alpha */
    ack(&k, 24, true);
    rate *= 1 - alpha / 2;
    is_rate(&k, rate);
    control_finish(&k);
}

/* More marks than packets count as all; rates stay within their bounds. */
static void test_bounds(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: dctcp-rate, alpha: 0.5, min_rate: 60Gbps}", 10, 1,
                  &control_path);
    is_rate(&k, 100e9);
    ack(&k, 1, true);
    is_rate(&k, 75e9);
    ack(&k, 2, true);
    is_rate(&k, 60e9);
    for (int i = 0; i < 100; i++)
        ack(&k, k.una + 1, true);
    assert_true(k.cc->ops->estimate(k.state) <= 1);
    is_rate(&k, 60e9);
    control_finish(&k);
    /* a packet's payload in 10 us by default, up to the line rate */
    control_begin(&k, "{kind: dctcp-rate, initial_rate: 90Gbps}", 10, 1,
                  &control_path);
    ack(&k, 1, false);
    is_rate(&k, 90e9 + 4000 * 8 / 10e-6);
    control_finish(&k);
}

/* 125,000 B of payload are 32 packets of 4,000 B, or 125 of 1,000; on the wire
 * with 48 B more each there is room for 120. A packet may start while less than
 * the window is in flight. */
static void test_windows(void **unused)
{
    static const struct {
        const char *cc;
        uint32_t payload;
        double cwnd;
    } cases[] = {
        {"{kind: dctcp-rate, window: bdp, counts: payload}", 4000, 32},
        {"{kind: timely, window: scaled, counts: payload}", 1000, 125},
        {"{kind: timely, window: scaled, base_rtt: 5us, counts: payload}", 1000,
         63},
        {"{kind: dctcp-rate, window: scaled, initial_rate: 10Gbps, counts: "
         "payload}",
         1000, 13},
        {"{kind: dctcp-rate, window: scaled, initial_rate: 1Kbps, min_rate: "
         "1Kbps, counts: payload}",
         1000, 1},
        {"{kind: dcqcn, window: bdp}", 1000, 120},
        {"{kind: dcqcn, window: bdp, base_rtt: 20us}", 1000, 239},
        {"{kind: hpcc, counts: payload}", 1000, 125},
        {"{kind: hpcc}", 1000, 120},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_cc_path path = control_path;
        struct control k;

        path.payload_bytes = cases[i].payload;
        path.packet_bytes = cases[i].payload + 48;
        control_begin(&k, cases[i].cc, 10, 1, &path);
        assert_true(floor(k.w.cwnd) == cases[i].cwnd);
        control_finish(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ack_by_ack),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_windows),
    };

    return cmocka_run_group_tests_name("net/cc/dctcp_rate", tests, NULL, NULL);
}
