/* MLTCP: how F goes over an iteration, and how it learns what an iteration is.
 * The base is Reno with a window of 1,000 packets in congestion avoidance, so
 * that an ACK of one packet adds gain / 1,000. */
#include "tests/net/cc/control.h"

#include <math.h>
#include <stdio.h>

static const int64_t rtt = 10 * ORR_US;
#define AVOIDING "kind: mltcp, base: reno, ssthresh: 2"

static void near(double x, double y)
{
    if (fabs(x - y) > 1e-9 * fabs(y))
        fail_msg("%.15g is not %.15g", x, y);
}

static void send(struct control *k, int64_t now)
{
    k->cc->ops->on_send(k->state, k->cc->params, &k->w, now, 4000);
}

/* n packets acknowledged; idle: nothing else is in flight. */
static void acked(struct control *k, int64_t now, uint32_t n, bool idle)
{
    control_ack(k, (struct orr_cc_ack){
                       .now_ps = now,
                       .rtt_ps = rtt,
                       .acked = n,
                       .delivered = n,
                       .una = 5,
                       .next = idle ? 5 : 6,
                       .peak = 1000000,
                   });
}

/* An iteration of so many packets that begins at `now`, in bursts of which each
 * is acknowledged in full before the next, `pause` later. Returns its end. */
static int64_t iteration(struct control *k, int64_t now, int bursts,
                         uint32_t packets, int64_t pause)
{
    for (int i = 0; i < bursts; i++) {
        if (i)
            now += pause;
        send(k, now);
        now += rtt;
        acked(k, now, packets, true);
    }
    return now;
}

static const struct {
    const char *name;
    double at_0, at_quarter, at_half, at_1;
} functions[] = {
    {"linear", 0.25, 0.25 + 1.75 / 4, 1.125, 2},
    {"quadratic", 0.25, 0.25 + 1.75 / 16, 0.25 + 1.75 / 4, 2},
    {"concave", 0.25, 0.25 + 1.75 * 7 / 16, 0.25 + 1.75 * 3 / 4, 2},
    {"sqrt", 0.25, 1.125, 0.25 + 1.75 * M_SQRT1_2, 2},
    {"step", 0.25, 0.25, 2, 2},
    {"constant", 1.125, 1.125, 1.125, 1.125},
    {"reverse", 2, 2 - 1.75 / 4, 1.125, 0.25},
};

/* 400 packets of 4,000 B; the flow's weight is 3. */
static void test_functions(void **unused)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct control k;
        char yaml[200];
        double cwnd;

        snprintf(yaml, sizeof yaml,
                 "{" AVOIDING ", bytes: 1600KB, function: %s}",
                 functions[i].name);
        control_begin(&k, yaml, 1000, 3, &control_path);
        near(k.w.gain, 3 * functions[i].at_0);
        acked(&k, 1, 100, false);
        near(k.w.gain, 3 * functions[i].at_quarter);
        near(k.w.cwnd, 1000 + 3 * functions[i].at_quarter * 100 / 1000);
        cwnd = k.w.cwnd;
        acked(&k, 2, 100, false);
        near(k.w.cwnd, cwnd + 3 * functions[i].at_half * 100 / cwnd);
        acked(&k, 3, 200, false);
        near(k.w.gain, 3 * functions[i].at_1);
        acked(&k, 4, 200, false); /* more than there ought to be */
        near(k.w.gain, 3 * functions[i].at_1);
        control_finish(&k);
    }
}

/* Neither slow start nor a decrease is scaled. */
static void test_only_the_increase(void **unused)
{
    struct control k;

    control_begin(&k,
                  "{kind: mltcp, base: reno, bytes: 400KB, prr: false,"
                  " ssthresh: 64}",
                  10, 1, &control_path);
    near(k.w.gain, 0.25);
    acked(&k, 1, 10, false);
    assert_true(k.w.cwnd == 20);
    control_loss(&k, (struct orr_cc_ack){.rtt_ps = -1});
    assert_true(k.w.cwnd == 10);
    control_timeout(&k, (struct orr_cc_ack){.rtt_ps = -1});
    assert_true(k.w.cwnd == 1);
    control_finish(&k);
}

/* With a gap of 1 ms, 999 us are none. */
static void test_given_gap(void **unused)
{
    struct control k;
    int64_t now = ORR_MS;

    control_begin(&k, "{" AVOIDING ", gap: 1ms}", 1000, 1, &control_path);
    now = iteration(&k, now, 4, 25, 999 * ORR_US);
    near(k.w.gain, 1); /* not known yet how long an iteration is */
    now += ORR_MS;
    send(&k, now);
    near(k.w.gain, 0.25); /* 100 packets, and a new iteration */
    acked(&k, now + 1, 50, true);
    near(k.w.gain, 1.125);
    send(&k, now + 999 * ORR_US);
    near(k.w.gain, 1.125);
    acked(&k, now + ORR_MS, 10, true);
    near(k.w.gain, 0.25 + 1.75 * 0.6);
    send(&k, now + 2 * ORR_MS); /* the last one had 60 packets */
    acked(&k, now + 2 * ORR_MS + 1, 30, false);
    near(k.w.gain, 1.125);
    control_finish(&k);
}

/* Bursts 500 us apart, 50 round trips, in iterations 5 ms apart: the first
 * pauses look like the ends of iterations, until a longer one was seen. */
static void test_learns_the_gap(void **unused)
{
    struct control k;
    int64_t now = ORR_MS;

    control_begin(&k, "{" AVOIDING "}", 1000, 1, &control_path);
    for (int i = 0; i < 3; i++)
        now = iteration(&k, now, 8, 100, 500 * ORR_US) + 5 * ORR_MS;
    send(&k, now);
    near(k.w.gain, 0.25);
    acked(&k, now + rtt, 200, true);
    near(k.w.gain, 0.25 + 1.75 / 4); /* of 800 packets */
    now = iteration(&k, now + rtt + 500 * ORR_US, 6, 100, 500 * ORR_US);
    near(k.w.gain, 2);
    control_finish(&k);
}

/* Fifty bursts: the end of an iteration is given up before it comes, which
 * turns out wrong, until there is patience enough. */
static void test_learns_patience(void **unused)
{
    struct control k;
    int64_t now = ORR_MS;

    control_begin(&k, "{" AVOIDING "}", 1000, 1, &control_path);
    for (int i = 0; i < 6; i++)
        now = iteration(&k, now, 50, 10, 500 * ORR_US) + 1500 * ORR_US;
    send(&k, now);
    near(k.w.gain, 0.25);
    acked(&k, now + rtt, 250, true);
    near(k.w.gain, 1.125); /* of 500 packets */
    control_finish(&k);
}

/* A pause of 100 ms, once: then those of 5 ms are not seen, until 16 pauses
 * have been too short. */
static void test_forgets_an_outlier(void **unused)
{
    struct control k;
    int64_t now = ORR_MS;

    control_begin(&k, "{" AVOIDING "}", 1000, 1, &control_path);
    for (int i = 0; i < 3; i++)
        now = iteration(&k, now, 8, 100, 500 * ORR_US) + 5 * ORR_MS;
    now += 95 * ORR_MS;
    now = iteration(&k, now, 8, 100, 500 * ORR_US) + 5 * ORR_MS;
    send(&k, now);
    near(k.w.gain, 2); /* missed */
    acked(&k, now + rtt, 1, true);
    for (int i = 0; i < 3; i++)
        now = iteration(&k, now, 8, 100, 500 * ORR_US) + 5 * ORR_MS;
    send(&k, now);
    near(k.w.gain, 0.25);
    acked(&k, now + rtt, 400, true);
    near(k.w.gain, 1.125);
    control_finish(&k);
}

/* A pause in which something is in flight, as before a timeout, is none. */
static void test_a_stall_is_no_gap(void **unused)
{
    struct control k;

    control_begin(&k, "{" AVOIDING ", bytes: 400KB}", 1000, 1, &control_path);
    acked(&k, ORR_MS, 50, false);
    near(k.w.gain, 1.125);
    send(&k, 500 * ORR_MS);
    near(k.w.gain, 1.125);
    control_finish(&k);
}

/* One packet in 10 ms is a pace, not a gap. */
static void test_a_pace_is_no_gap(void **unused)
{
    struct control k;
    int64_t now = ORR_MS;

    control_begin(&k,
                  "{kind: mltcp, base: fixed-rate, rate: 3.2Mbps,"
                  " bytes: 400KB}",
                  10, 1, &control_path);
    for (int i = 0; i < 50; i++) {
        send(&k, now);
        k.cc->ops->on_ack(k.state, k.cc->params, &k.w,
                          &(struct orr_cc_ack){
                              .now_ps = now + rtt, .rtt_ps = rtt, .acked = 1});
        now += 10 * ORR_MS;
    }
    near(k.w.gain, 1.125);
    send(&k, now + 50 * ORR_MS);
    near(k.w.gain, 0.25);
    control_finish(&k);
}

static void test_restart(void **unused)
{
    for (int restart = 0; restart < 2; restart++) {
        struct control k;

        control_begin(
            &k, restart ? "{" AVOIDING ", restart: true}" : "{" AVOIDING "}",
            10, 1, &control_path);
        acked(&k, ORR_MS, 10, true);
        near(k.w.cwnd, 11);
        send(&k, 100 * ORR_MS);
        near(k.w.cwnd, restart ? 10 : 11);
        control_finish(&k);
    }
}

/* Around every control that there is: what it wants is what the wrapper wants,
 * and no parameter has two owners. */
static void test_wraps_every_control(void **unused)
{
    const struct orr_cc_ops *const *all = orr__cc_kinds();

    for (size_t i = 0; all[i]; i++) {
        struct control k;
        char yaml[100];

        if (all[i]->wraps || !all[i]->state_size)
            continue;
        snprintf(yaml, sizeof yaml, "{kind: mltcp, base: %s}", all[i]->name);
        control_begin(&k, yaml, 10, 1, &control_path);
        assert_int_equal(k.cc->telemetry, all[i]->telemetry);
        assert_true(k.cc->state_size
                    >= k.cc->ops->state_size + all[i]->state_size);
        assert_true(all[i]->estimate || isnan(k.cc->ops->estimate(k.state)));
        for (const struct orr_param *p = all[i]->params; p->key; p++)
            for (const struct orr_param *o = k.cc->ops->params; o->key; o++)
                assert_string_not_equal(p->key, o->key);
        control_finish(&k);
    }
}

static void test_notifications(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: mltcp, base: dcqcn, preset: paper}", 10, 1,
                  &control_path);
    assert_int_equal(k.cc->cnp_interval_ps, 50 * ORR_US);
    k.cc->ops->on_cnp(k.state, k.cc->params, &k.w, ORR_US);
    assert_true(k.w.rate == 50e9); /* alpha 1: half of 100 Gbps */
    control_finish(&k);
}

/* What the base's timers do in the pause counts with F as it was when the
 * iteration ended, 2, and not with that of the next one's beginning, 1/4: all
 * would be increases of a quarter, and jobs would be pulled together. */
static void test_the_pause_belongs_to_what_was_before(void **unused)
{
    struct control k[2];

    control_begin(&k[0],
                  "{kind: mltcp, base: dcqcn, preset: paper, "
                  "bytes: 4000B, gap: 1ms}",
                  10, 1, &control_path);
    control_begin(&k[1], "{kind: dcqcn, preset: paper}", 10, 2, &control_path);
    for (int i = 0; i < 2; i++) {
        send(&k[i], 0);
        for (int n = 0; n < 2; n++)
            k[i].cc->ops->on_cnp(k[i].state, k[i].cc->params, &k[i].w, ORR_US);
        acked(&k[i], 2 * ORR_US, 1, true);
        send(&k[i], 1200 * ORR_US);
    }
    assert_true(k[0].w.rate > 52e9 && k[0].w.rate < 55e9);
    assert_true(k[0].w.rate == k[1].w.rate);
    near(k[0].w.gain, 0.25);
    control_finish(&k[0]);
    control_finish(&k[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_only_the_increase),
        cmocka_unit_test(test_given_gap),
        cmocka_unit_test(test_learns_the_gap),
        cmocka_unit_test(test_learns_patience),
        cmocka_unit_test(test_forgets_an_outlier),
        cmocka_unit_test(test_a_stall_is_no_gap),
        cmocka_unit_test(test_a_pace_is_no_gap),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_wraps_every_control),
        cmocka_unit_test(test_notifications),
        cmocka_unit_test(test_the_pause_belongs_to_what_was_before),
    };

    return cmocka_run_group_tests_name("net/cc/mltcp", tests, NULL, NULL);
}
