/* TIMELY's rate, RTT by RTT, against its equations done by hand. */
#include "tests/net/cc/control.h"

#include <math.h>

#define G 1e9

/* The n-th round trip: an ACK of something sent after the last update. */
static void rtt(struct control *k, uint32_t n, int64_t us)
{
    control_ack(k, (struct orr_cc_ack){.rtt_ps = us * ORR_US,
                                       .acked = 10,
                                       .delivered = 10,
                                       .una = 10 * n,
                                       .next = 10 * n + 9,
                                       .in_flight = 9});
}

static double difference(const struct control *k)
{
    return k->cc->ops->estimate(k->state);
}

static void test_round_by_round(void **unused)
{
    struct control k;
    double r = 100 * G, d = 0;

    control_begin(&k, "{kind: timely}", 10, 1, &control_path);
    assert_true(k.w.rate == r && k.w.cwnd == ORR_CC_UNLIMITED);
    rtt(&k, 1, 100); /* the first only is remembered */
    assert_true(k.w.rate == r);
    rtt(&k, 2, 108); /* 7 us smoothed, by 20 us: a gradient of 0.35 */
    d = 0.875 * 8;
    r *= 1 - 0.8 * d / 20;
    assert_true(difference(&k) == d && fabs(k.w.rate - r) < 1);
    rtt(&k, 3, 100); /* falling: 100 Mbps at 100 Gbps */
    d = 0.125 * d - 0.875 * 8;
    r += 0.1 * G;
    assert_true(difference(&k) == d && fabs(k.w.rate - r) < 1);
    /* an ACK of what was in flight then is no new round trip */
    control_ack(&k, (struct orr_cc_ack){.rtt_ps = ORR_MS,
                                        .una = 39,
                                        .delivered = 9,
                                        .next = 60,
                                        .in_flight = 21});
    assert_true(fabs(k.w.rate - r) < 1);
    control_ack(&k, (struct orr_cc_ack){.rtt_ps = -1,
                                        .una = 41,
                                        .delivered = 2,
                                        .next = 60,
                                        .in_flight = 19});
    assert_true(fabs(k.w.rate - r) < 1);
    rtt(&k, 4, 1000); /* beyond t_high, whatever the gradient */
    r *= 1 - 0.8 * (1 - 500.0 / 1000);
    assert_true(fabs(k.w.rate - r) < 1);
    rtt(&k, 5, 1500);
    r *= 1 - 0.8 * (1 - 500.0 / 1500);
    assert_true(fabs(k.w.rate - r) < 1);
    for (uint32_t i = 0; i < 8; i++) { /* below t_low: five, then five-fold */
        rtt(&k, 6 + i, 40);
        r += i < 5 ? 0.1 * G : 0.5 * G;
        assert_true(fabs(k.w.rate - r) < 1);
    }
    control_finish(&k);
}

/* A gradient of more than 1 / beta stops it, down to the least rate. */
static void test_bounds(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: timely, min_rate: 2Gbps}", 10, 1, &control_path);
    rtt(&k, 1, 60);
    rtt(&k, 2, 160);
    assert_true(k.w.rate == 2 * G);
    for (uint32_t i = 3; i < 400; i++)
        rtt(&k, i, 30);
    assert_true(k.w.rate == 100 * G);
    control_finish(&k);
}

static void test_initial_rate(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: timely, initial_rate: 25Gbps, window: scaled}",
                  10, 1, &control_path);
    /* a quarter of 31.25 packets of 4,000 B, and the one that goes beyond */
    assert_true(k.w.rate == 25 * G && k.w.cwnd == 31.25 / 4 + 1);
    rtt(&k, 1, 10);
    rtt(&k, 2, 10);
    assert_true(k.w.rate == 25.1 * G);
    control_finish(&k);
}

/* All of a message is under way and most of it was lost: a round trip is what
 * is in flight, not what was sent beyond a gap that stays for long. */
static void test_gap(void **unused)
{
    struct orr_cc_ack a = {.rtt_ps = 40 * ORR_US,
                           .delivered = 1,
                           .una = 1,
                           .next = 500,
                           .in_flight = 499,
                           .recovering = true};
    struct control k;

    control_begin(&k, "{kind: timely, initial_rate: 1Gbps}", 10, 1,
                  &control_path);
    control_ack(&k, a);
    a.in_flight = 4; /* the others are lost */
    for (int i = 0; i < 11; i++)
        control_ack(&k, a);
    assert_true(fabs(k.w.rate - 1.2 * G) < 1);
    control_finish(&k);
}

static void test_segments(void **unused)
{
    struct control k;

    /* 16,000 B: four packets */
    control_begin(&k, "{kind: timely, segment: 16KB, rate_ai: 1Gbps}", 10, 1,
                  &control_path);
    rtt(&k, 1, 600);
    for (uint32_t una = 11; una <= 22; una++) {
        double cuts = (una - 10) / 4;

        control_ack(
            &k, (struct orr_cc_ack){
                    .rtt_ps = ORR_MS, .una = una, .delivered = 1, .next = 100});
        assert_true(fabs(k.w.rate - 100 * G * pow(0.6, cuts)) < 1);
    }
    control_finish(&k);
}

static void test_gain(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: timely}", 10, 2.5, &control_path);
    rtt(&k, 1, 1000);
    rtt(&k, 2, 1000);
    rtt(&k, 3, 10);
    assert_true(fabs(k.w.rate - (60 * G + 2.5 * 0.1 * G)) < 1);
    control_finish(&k);
}

/* CoNEXT'16, algorithm 2: the gradient weighs delta against the error. */
static void test_patched(void **unused)
{
    struct control k;
    double r = 100 * G, d;

    control_begin(&k, "{kind: timely, patched: true}", 10, 1, &control_path);
    rtt(&k, 1, 100);
    rtt(&k, 2, 102); /* 1.75 us by 20: weight 2 * 0.0875 + 1/2 */
    d = 1.75;
    r = 0.1 * G * (1 - 0.675) + r * (1 - 0.008 * 0.675 * (102.0 / 50 - 1));
    assert_true(fabs(difference(&k) - d) < 1e-12 && fabs(k.w.rate - r) < 1);
    rtt(&k, 3, 202); /* above 1/4: no increase at all */
    r *= 1 - 0.008 * (202.0 / 50 - 1);
    assert_true(fabs(k.w.rate - r) < 1);
    rtt(&k, 4, 52); /* below -1/4: no decrease at all */
    r += 0.1 * G;
    assert_true(fabs(k.w.rate - r) < 1);
    rtt(&k, 5, 600); /* beyond t_high as before, with the smaller beta */
    r *= 1 - 0.008 * (1 - 500.0 / 600);
    assert_true(fabs(k.w.rate - r) < 1);
    control_finish(&k);
    /* at rest at the reference: half of delta upwards, nothing down */
    control_begin(&k,
                  "{kind: timely, patched: true, beta: 0.5, reference: 80us}",
                  10, 1, &control_path);
    rtt(&k, 1, 600);
    rtt(&k, 2, 600);
    r = 100 * G * (1 - 0.5 * (1 - 500.0 / 600));
    assert_true(fabs(k.w.rate - r) < 1);
    rtt(&k, 3, 80);
    rtt(&k, 4, 80);
    for (uint32_t i = 5; i < 60; i++) /* the old difference fades */
        rtt(&k, i, 80);
    r = k.w.rate;
    rtt(&k, 60, 80);
    assert_true(fabs(k.w.rate - r - 0.05 * G) < 1);
    control_finish(&k);
}

static void test_thresholds_in_order(void **unused)
{
    static const char yaml[] = "{kind: timely, t_low: 2ms}";
    struct orr_report why = {0};
    const struct orr_cc *cc;
    struct orr_config *c;

    assert_int_equal(orr__config_parse("test", yaml, strlen(yaml), &c, &why),
                     ORR_OK);
    assert_int_equal(
        orr__cc_read(c, orr__config_root(c), "cc", NULL, &cc, &why),
        ORR_ECONFIG);
    assert_non_null(strstr(why.message, "t_low is larger than t_high"));
    orr__config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_by_round),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_initial_rate),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_patched),
        cmocka_unit_test(test_thresholds_in_order),
    };

    return cmocka_run_group_tests_name("net/cc/timely", tests, NULL, NULL);
}
