/* NSCC's four cases and its quick adaptation, worked out by hand.
 *
 * 125,000 B are in flight on a path of 100 Gbps and 10 us, 187,500 B (46.875
 * packets of 4,000 B) are the largest window; a = 125 / 150; target 10 us. */
#include "tests/net/cc/control.h"
#include "tests/net/small_world.h"

#include <math.h>

static const double a = 125.0 / 150, packet = 4000;

/* An ACK of n packets that waited for delay_us. */
static struct orr_cc_ack at(double now_us, double delay_us, uint32_t n,
                            bool mark)
{
    return (struct orr_cc_ack){
        .now_ps = (int64_t)(now_us * 1e6 + 0.5),
        .rtt_ps = (int64_t)((10 + delay_us) * 1e6 + 0.5),
        .acked = n,
        .delivered = n,
        .in_flight = 10,
        .echo = mark,
    };
}

static void near(double x, double y)
{
    if (fabs(x - y) > 1e-9 * fabs(y))
        fail_msg("%.15g is not %.15g", x, y);
}

/* Begins with a window of n packets, its largest window being ten times that of
 * the path, and nothing adjusted so far. */
static void begin(struct control *k, const char *more, double n)
{
    char yaml[200];

    snprintf(yaml, sizeof yaml, "{kind: nscc, max_window: 15%s}", more);
    control_begin(k, yaml, 10, 1, &control_path);
    near(k->w.cwnd, 468.75);
    k->w.cwnd = n;
}

static void test_first_window(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: nscc}", 10, 1, &control_path);
    near(k.w.cwnd, 46.875);
    assert_true(k.w.rate == 0);
    control_finish(&k);
}

/* 4 packets a (target - delay) / 12 us for a window, and eta. */
static void test_proportional_increase(void **unused)
{
    struct control k;
    double cwnd = 100 * packet;

    begin(&k, "", 100);
    control_ack(&k, at(5, 4, 8, false)); /* 8 packets: not applied yet */
    near(k.w.cwnd, 100);
    control_ack(&k, at(6, 4, 1, false));
    cwnd += 4 * packet * a * 6 / 12 * 9 * packet / cwnd;
    near(k.w.cwnd, cwnd / packet);
    control_ack(&k, at(16, 4, 1, false)); /* more than a round trip after 0 */
    cwnd += 4 * packet * a * 6 / 12 * packet / cwnd;
    cwnd += 0.15 * packet * a;
    near(k.w.cwnd, cwnd / packet);
    control_finish(&k);
}

/* Where queues trim, the target is 7.5 us. */
static void test_target_with_trimming(void **unused)
{
    struct orr_cc_path path = control_path;
    struct control k;

    path.trims = true;
    control_begin(&k, "{kind: nscc, max_window: 15, eta: 0}", 10, 1, &path);
    k.w.cwnd = 100;
    control_ack(&k, at(5, 7.4, 20, false));
    near(k.w.cwnd, 100 + 4 * a * 0.1 / 12 * 20 / 100);
    control_ack(&k, at(5, 7.6, 20, false));
    assert_true(k.w.cwnd > 100.8);
    control_finish(&k);
}

static void test_fair_increase(void **unused)
{
    struct control k;

    begin(&k, "", 100);
    control_ack(&k, at(5, 12, 20, false));
    near(k.w.cwnd, 100 + 5 * a * 20 / 100);
    control_finish(&k);
}

/* More than a window without delay: a quarter of what arrives, scaled. */
static void test_fast_increase(void **unused)
{
    struct control k;

    begin(&k, ", alpha: 0, eta: 0", 100);
    control_ack(&k, at(5, 0.9, 100, false));
    near(k.w.cwnd, 100);
    control_ack(&k, at(6, 0.9, 1, false));
    near(k.w.cwnd, 100 + 0.25 * a);
    control_ack(&k, at(7, 1.1, 1, false)); /* that ends it */
    control_ack(&k, at(8, 0.9, 1, false));
    near(k.w.cwnd, 100 + 0.25 * a);
    control_finish(&k);
}

/* The mean delay decides by how much: with delay_gain 1 the last sample. */
static void test_decrease(void **unused)
{
    struct control k;
    double cwnd = 100;

    begin(&k, ", delay_gain: 1, eta: 0", 100);
    control_ack(&k, at(100, 16, 1, true));
    cwnd *= 1 - 0.8 * 6 / 16;
    near(k.w.cwnd, cwnd);
    control_ack(&k, at(110, 16, 1, true)); /* within a round trip */
    near(k.w.cwnd, cwnd);
    control_ack(&k, at(110.1, 36, 1, true)); /* 0.8 * 26 / 36 is over half */
    near(k.w.cwnd, cwnd / 2);
    control_ack(&k, at(200, 9, 1, true)); /* little delay: nothing */
    near(k.w.cwnd, cwnd / 2);
    control_finish(&k);
    /* delay_gain 0.0125: the mean of 0 and 200 samples of 16 us */
    begin(&k, ", eta: 0", 100);
    for (int i = 0; i < 200; i++)
        control_ack(&k, at(100 + i * 0.01, 16, 1, true));
    cwnd = 16 * (1 - pow(1 - 0.0125, 78)); /* first above 10 us */
    assert_true(16 * (1 - pow(1 - 0.0125, 77)) < 10 && cwnd > 10);
    near(k.w.cwnd, 100 * (1 - 0.8 * (cwnd - 10) / cwnd));
    control_finish(&k);
}

/* A sample above the target without a mark counts as 2.5 us. */
static void test_mean_delay(void **unused)
{
    struct control k;

    begin(&k, ", delay_gain: 0.5", 100);
    control_ack(&k, at(5, 8, 1, false));
    near(k.cc->ops->estimate(k.state), 4e-6);
    control_ack(&k, at(6, 30, 1, false));
    near(k.cc->ops->estimate(k.state), 3.25e-6);
    control_finish(&k);
}

/* Every 20 us; under 1/8 of 187,500 B arrived and a packet was cut: the window
 * is what arrived, and marks of the 10 packets in flight mean nothing. */
static void test_quick_adaptation(void **unused)
{
    struct control k;
    struct orr_cc_ack nack = at(121, 5, 0, false);

    control_begin(&k, "{kind: nscc, delay_gain: 1, eta: 0}", 10, 1,
                  &control_path);
    control_ack(&k, at(100, 16, 0, true)); /* no packets: not looked at */
    control_ack(&k, at(100, 5, 1, true));  /* the interval begins */
    for (int i = 0; i < 4; i++)
        control_ack(&k, at(101 + i, 5, 1, true));
    near(k.w.cwnd, 46.875);
    nack.trimmed = true;
    control_ack(&k, nack);
    near(k.w.cwnd, 4);
    for (int i = 0; i < 9; i++)
        control_ack(&k, at(130 + i, 30, 1, true));
    near(k.w.cwnd, 4);
    for (int i = 0; i < 2; i++) /* the tenth, and one sent since */
        control_ack(&k, at(140 + i, 30, 1, true));
    near(k.w.cwnd, 2);
    control_finish(&k);
}

/* A cut packet otherwise takes a packet off the window. */
static void test_missing(void **unused)
{
    struct control k;
    struct orr_cc_ack nack = at(10, 5, 0, false);

    control_begin(&k, "{kind: nscc}", 10, 1, &control_path);
    nack.trimmed = true;
    control_loss(&k, nack);
    control_ack(&k, nack);
    near(k.w.cwnd, 45.875);
    nack.trimmed = false;
    control_loss(&k, nack);
    near(k.w.cwnd, 44.875);
    nack.una = 100;
    nack.next = 110;
    control_timeout(&k, nack);
    near(k.w.cwnd, 34.875);
    nack.next = 200;
    control_timeout(&k, nack);
    near(k.w.cwnd, 1);
    control_finish(&k);
}

/* Eight to one over a queue that marks: the link stays busy, and the queue
 * below the target's 10 us. */
static void test_incast(void **unused)
{
    struct small_world w;
    struct transfer t[8];
    int64_t last = 0;

    for (uint32_t i = 0; i < 8; i++)
        t[i] = (struct transfer){.src = i + 1, .bytes = 8000000};
    small_build(&w,
                "topology: {kind: switch, hosts: 9,"
                " link: {rate: 100Gbps, delay: 2us}}\n"
                "network: {mtu: 4000B, cc: nscc,"
                " queue: {kind: ecn, threshold: 50KB, capacity: 8MB}}\n",
                1);
    small_run(&w, t, 8);
    for (uint32_t i = 0; i < 8; i++)
        last = t[i].acked > last ? t[i].acked : last;
    assert_true(last < 64 * 80 * ORR_US * 102 / 100);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        struct orr_link_sample s;

        orr__net_link_sample(w.net, l, w.end, &s);
        assert_true(s.area / (double)w.end < 125000);
    }
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_window),
        cmocka_unit_test(test_proportional_increase),
        cmocka_unit_test(test_target_with_trimming),
        cmocka_unit_test(test_fair_increase),
        cmocka_unit_test(test_fast_increase),
        cmocka_unit_test(test_decrease),
        cmocka_unit_test(test_mean_delay),
        cmocka_unit_test(test_quick_adaptation),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_incast),
    };

    return cmocka_run_group_tests_name("net/cc/nscc", tests, NULL, NULL);
}
