/* DCQCN step by step, against its equations done by hand. Rates in bit/s; the
 * numbers with g = 1/4 or alpha = 1 are exact in binary. */
#include "tests/net/cc/control.h"

#include <math.h>

#define G 1e9
static const double line = 100 * G;

static void mark(struct control *k, int64_t now)
{
    control_ack(
        k, (struct orr_cc_ack){
               .now_ps = now, .rtt_ps = 10 * ORR_US, .acked = 1, .echo = true});
}

static void ack(struct control *k, int64_t now)
{
    control_ack(k, (struct orr_cc_ack){
                       .now_ps = now, .rtt_ps = 10 * ORR_US, .acked = 1});
}

static void cnp(struct control *k, int64_t now)
{
    k->cc->ops->on_cnp(k->state, k->cc->params, &k->w, now);
}

static void sends(struct control *k, int64_t now, uint32_t bytes)
{
    k->cc->ops->on_send(k->state, k->cc->params, &k->w, now, bytes);
}

static double alpha(const struct control *k)
{
    return k->cc->ops->estimate(k->state);
}

static void test_presets(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: dcqcn}", 10, 1, &control_path);
    assert_true(k.cc->cnp_interval_ps == 0);
    assert_true(k.w.rate == line && k.w.cwnd == ORR_CC_UNLIMITED);
    control_finish(&k);
    control_begin(&k, "{kind: dcqcn, preset: paper}", 10, 1, &control_path);
    assert_true(k.cc->cnp_interval_ps == 50 * ORR_US);
    control_finish(&k);
    control_begin(&k, "{kind: dcqcn, preset: paper, cnp_interval: 7us}", 10, 1,
                  &control_path);
    assert_true(k.cc->cnp_interval_ps == 7 * ORR_US);
    control_finish(&k);
}

/* Alpha looks every 1 us, the cut every 4 us, the increase every 300 us. */
static void test_vendor_step_by_step(void **unused)
{
    struct control k;
    double a = 1, r = line, t = line;

    control_begin(&k, "{kind: dcqcn, g: 0.25}", 10, 1, &control_path);
    ack(&k, 5 * ORR_US); /* nothing runs before the first mark */
    assert_true(k.w.rate == line && alpha(&k) == 1);

    mark(&k, 10 * ORR_US);
    assert_true(k.w.rate == line); /* the cut comes with its tick */
    /* no mark since: three ticks; the mark of 13.5 us counts at 14 us */
    mark(&k, 13 * ORR_US + ORR_US / 2);
    a = 0.75 * 0.75 * 0.75;
    assert_true(alpha(&k) == a && k.w.rate == line);
    ack(&k, 14 * ORR_US);
    a = 0.75 * a + 0.25;
    assert_true(alpha(&k) == a);
    r *= 1 - a / 2; /* no increase since the first mark: target stays */
    assert_true(k.w.rate == r);
    /* the mark of 14.2 us counts once, at 18 us */
    mark(&k, 14 * ORR_US + ORR_US / 5);
    ack(&k, 18 * ORR_US - 1);
    assert_true(k.w.rate == r);
    sends(&k, 18 * ORR_US, 4000);
    a = (0.75 * a + 0.25) * 0.75 * 0.75 * 0.75;
    assert_true(fabs(alpha(&k) - a) < 1e-15);
    r *= 1 - alpha(&k) / 2;
    assert_true(k.w.rate == r);
    ack(&k, 22 * ORR_US); /* no mark, no cut */
    assert_true(k.w.rate == r);

    /* one step of fast recovery, one additive, hyper from then on; in units of
     * 25 Gbps 5 and 50 Mbps */
    ack(&k, 318 * ORR_US - 1);
    assert_true(k.w.rate == r);
    ack(&k, 318 * ORR_US);
    r = (r + t) / 2;
    assert_true(k.w.rate == r);
    ack(&k, 618 * ORR_US); /* the target is at line rate already */
    r = (r + t) / 2;
    assert_true(k.w.rate == r);
    /* a cut now makes this the target */
    mark(&k, 700 * ORR_US);
    ack(&k, 702 * ORR_US);
    a = alpha(&k);
    t = r;
    r *= 1 - a / 2;
    assert_true(k.w.rate == r);
    ack(&k, (702 + 300) * ORR_US);
    r = (r + t) / 2;
    assert_true(k.w.rate == r);
    ack(&k, (702 + 600) * ORR_US);
    t += 0.02 * G;
    r = (r + t) / 2;
    assert_true(fabs(k.w.rate - r) < 1);
    ack(&k, (702 + 1200) * ORR_US); /* two ticks at once */
    for (int i = 0; i < 2; i++) {
        t += 0.2 * G;
        r = (r + t) / 2;
    }
    assert_true(fabs(k.w.rate - r) < 1);
    control_finish(&k);
}

/* Two cuts with no increase between: the target stays unless it is clamped. */
static void test_clamp(void **unused)
{
    static const char *const yaml[] = {"{kind: dcqcn, g: 0}",
                                       "{kind: dcqcn, g: 0, clamp: true}"};

    for (int clamp = 0; clamp < 2; clamp++) {
        double target = clamp ? line / 2 : line;
        struct control k;

        control_begin(&k, yaml[clamp], 10, 1, &control_path);
        mark(&k, 0);
        mark(&k, 4 * ORR_US); /* cut by alpha / 2 = 1/2 */
        assert_true(k.w.rate == line / 2);
        ack(&k, 8 * ORR_US);
        assert_true(k.w.rate == line / 4);
        ack(&k, 308 * ORR_US);
        assert_true(k.w.rate == (line / 4 + target) / 2);
        control_finish(&k);
    }
}

/* Equations 1 to 4: a notification cuts at once; alpha's timer is put off by
 * each; 40 Mbps at 40 Gbps. */
static void test_paper_step_by_step(void **unused)
{
    struct orr_cc_path path = control_path;
    double a = 1, r = 40 * G, t;
    struct control k;

    path.line_bps = 40000000000;
    control_begin(&k, "{kind: dcqcn, preset: paper, g: 0.25}", 10, 1, &path);
    mark(&k, ORR_US); /* an echo is no notification here */
    assert_true(k.w.rate == r);
    cnp(&k, 0);
    t = r;
    r /= 2;
    assert_true(k.w.rate == r && alpha(&k) == 1);
    cnp(&k, 50 * ORR_US);
    t = r;
    r /= 2;
    assert_true(k.w.rate == r && alpha(&k) == 1);
    ack(&k, 105 * ORR_US - 1);
    assert_true(k.w.rate == r && alpha(&k) == 1);
    ack(&k, 105 * ORR_US); /* 55 us after the last: both timers */
    a = 0.75;
    r = (r + t) / 2;
    assert_true(k.w.rate == r && alpha(&k) == a);
    for (int i = 2; i <= 5; i++) { /* fast recovery */
        ack(&k, (50 + i * 55) * ORR_US);
        r = (r + t) / 2;
        a *= 0.75;
        assert_true(k.w.rate == r && alpha(&k) == a);
    }
    /* additive for ever, as the byte counter has not gone as far */
    for (int i = 6; i <= 20; i++) {
        ack(&k, (50 + i * 55) * ORR_US);
        t += 0.04 * G;
        r = (r + t) / 2;
        assert_true(fabs(k.w.rate - r) < 1);
    }
    a = pow(0.75, 20);
    assert_true(fabs(alpha(&k) - a) < 1e-15);
    cnp(&k, 1200 * ORR_US);
    assert_true(fabs(k.w.rate - r * (1 - a / 2)) < 1);
    assert_true(fabs(alpha(&k) - (0.75 * a + 0.25)) < 1e-15);
    control_finish(&k);
}

/* The byte counter alone (no timer tick within the test): five times fast
 * recovery, then additive; then the timer catches up and all is hyper. */
static void test_byte_counter(void **unused)
{
    struct control k;
    double r, t;

    control_begin(&k,
                  "{kind: dcqcn, preset: paper, increase_interval: 1ms, "
                  "byte_counter: 10KB, rate_ai: 1Gbps, rate_hai: 3Gbps}",
                  10, 1, &control_path);
    sends(&k, 0, 1000000); /* before the first notification: not counted */
    cnp(&k, 1);
    cnp(&k, 2);
    t = line / 2;
    r = line / 4;
    sends(&k, 3, 9999);
    assert_true(k.w.rate == r);
    for (int i = 1; i <= 7; i++) {
        sends(&k, 3 + i, 10000);
        t += i > 5 ? 1 * G : 0;
        r = (r + t) / 2;
        assert_true(k.w.rate == r);
    }
    ack(&k, 2 + 7 * ORR_MS); /* ticks 1 to 5 additive, 6 and 7 hyper */
    for (int i = 1; i <= 7; i++) {
        t += i > 5 ? 3 * G : 1 * G;
        r = (r + t) / 2;
    }
    assert_true(fabs(k.w.rate - r) < 1);
    /* a cut starts the counter anew */
    sends(&k, 3 + 7 * ORR_MS, 9000);
    cnp(&k, 4 + 7 * ORR_MS);
    r = k.w.rate;
    sends(&k, 5 + 7 * ORR_MS, 9000);
    assert_true(k.w.rate == r);
    control_finish(&k);
}

/* However long nobody called: the same as being called at every tick. */
static void test_long_silence(void **unused)
{
    static const int64_t steps[] = {1, 2, 3, 70, 71, 200, 1000, 5000};
    static const char yaml[] = "{kind: dcqcn, rate_ai: 1Mbps}";

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct control often, once;
        int64_t start = 4 * ORR_US, end = start + steps[i] * 300 * ORR_US;

        control_begin(&often, yaml, 10, 1, &control_path);
        control_begin(&once, yaml, 10, 1, &control_path);
        for (int cut = 0; cut < 20; cut++) {
            mark(&often, start);
            mark(&once, start);
            start += 4 * ORR_US;
        }
        end = start + steps[i] * 300 * ORR_US;
        for (int64_t at = start; at <= end; at += 300 * ORR_US)
            ack(&often, at);
        ack(&once, end);
        assert_true(fabs(often.w.rate / once.w.rate - 1) < 1e-9);
        assert_true(fabs(alpha(&often) - alpha(&once)) < 1e-12);
        control_finish(&often);
        control_finish(&once);
    }
}

/* A month at a nanosecond a tick, at once. */
static void test_very_long_silence(void **unused)
{
    struct control k;

    control_begin(&k,
                  "{kind: dcqcn, rate_ai: 1bps, rate_hai: 0bps, g: 0.5, "
                  "alpha_interval: 1ns, increase_interval: 1ns, "
                  "min_rate: 1Gbps}",
                  10, 1, &control_path);
    mark(&k, 0);
    ack(&k, 4 * ORR_US);
    ack(&k, INT64_C(3000000) * ORR_S);
    assert_true(alpha(&k) == 0);
    assert_true(fabs(k.w.rate / line - 1) < 1e-9);
    control_finish(&k);
}

static void test_bounds_and_windows(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: dcqcn, g: 0, min_rate: 10Gbps, window: scaled}",
                  10, 1, &control_path);
    /* 100 Gbps * 10 us = 31.25 packets of 4,000 B */
    assert_true(k.w.cwnd == 31.25 + 1);
    for (int i = 0; i < 100; i++)
        mark(&k, i * 4 * ORR_US);
    assert_true(k.w.rate == 10 * G);
    assert_true(fabs(k.w.cwnd - (3.125 + 1)) < 1e-9);
    ack(&k, 10 * ORR_S);
    assert_true(k.w.rate == line && k.w.cwnd == 31.25 + 1);
    control_finish(&k);
    control_begin(&k, "{kind: dcqcn, g: 0, window: bdp}", 10, 1, &control_path);
    mark(&k, 0);
    mark(&k, 4 * ORR_US);
    assert_true(k.w.rate == line / 2 && k.w.cwnd == 31.25 + 1);
    control_finish(&k);
}

/* A weight scales what is added, and nothing else. */
static void test_gain(void **unused)
{
    struct control k;
    double r, t;

    control_begin(&k, "{kind: dcqcn, g: 0, clamp: true}", 10, 3, &control_path);
    mark(&k, 0);
    mark(&k, 4 * ORR_US);
    ack(&k, 8 * ORR_US);
    t = line / 2;
    r = line / 4;
    assert_true(k.w.rate == r);
    ack(&k, 308 * ORR_US);
    r = (r + t) / 2;
    assert_true(k.w.rate == r);
    ack(&k, 608 * ORR_US);
    t += 3 * 0.02 * G;
    r = (r + t) / 2;
    assert_true(fabs(k.w.rate - r) < 1);
    control_finish(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_vendor_step_by_step),
        cmocka_unit_test(test_clamp),
        cmocka_unit_test(test_paper_step_by_step),
        cmocka_unit_test(test_byte_counter),
        cmocka_unit_test(test_long_silence),
        cmocka_unit_test(test_very_long_silence),
        cmocka_unit_test(test_bounds_and_windows),
        cmocka_unit_test(test_gain),
    };

    return cmocka_run_group_tests_name("net/cc/dcqcn", tests, NULL, NULL);
}
