/* CUBIC against RFC 9438's equations, computed apart with libm's cbrt. */
#include "tests/net/cc/control.h"

#include <math.h>

static const int64_t rtt = 100 * ORR_MS;

static struct orr_cc_ack acked(double at_s, uint32_t n)
{
    return (struct orr_cc_ack){
        .now_ps = (int64_t)(at_s * 1e12 + 0.5),
        .rtt_ps = rtt,
        .acked = n,
        .delivered = n,
        .peak = 1000000,
        .in_flight = 1,
    };
}

/* A stage that begins with `cwnd` after a reduction from w_max, with `per_rtt`
 * ACKs a round trip: the window of the RFC after each, and that of the control
 * beside it. Returns the largest relative difference. */
static double follow(struct control *k, double start, double w_max, double C,
                     double prior, bool friendly, double seconds, int per_rtt)
{
    double cwnd = k->w.cwnd, est = cwnd, worst = 0;
    double K = cbrt((w_max - cwnd) / C), alpha = 3 * (1 - 0.7) / (1 + 0.7);
    double R = 0.1;

    for (int i = 0; i * R / per_rtt < seconds; i++) {
        double t = i * R / per_rtt, n = floor(k->w.cwnd / per_rtt) + 1;
        double at = C * pow(t - K, 3) + w_max;
        double target = C * pow(t + R - K, 3) + w_max;

        target = target < cwnd         ? cwnd
                 : target > 1.5 * cwnd ? 1.5 * cwnd
                                       : target;
        est += (est < prior ? alpha : 1) * n / cwnd;
        if (friendly && at < est)
            cwnd = est > cwnd ? est : cwnd;
        else
            cwnd += (target - cwnd) / cwnd * n;
        control_ack(k, acked(start + t, (uint32_t)n));
        if (fabs(k->w.cwnd / cwnd - 1) > worst)
            worst = fabs(k->w.cwnd / cwnd - 1);
    }
    return worst;
}

/* From 1,000 packets down to 700: K = cbrt(300 / 0.4) = 9.0856 s. */
static void test_window_curve(void **unused)
{
    struct control k;

    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2}",
                  1000, 1, &control_path);
    control_loss(&k, acked(0, 0));
    assert_true(k.w.cwnd == 700);
    assert_true(follow(&k, 1, 1000, 0.4, 1000, true, 25, 10) < 1e-9);
    /* 15.904 s beyond K: 1000 + 0.4 * 15.904^3 = 2,609 */
    assert_true(fabs(k.w.cwnd - 2609) < 0.01 * 2609);
    control_finish(&k);
}

/* Concave up to the plateau, convex beyond it, flat at it. */
static void test_shape(void **unused)
{
    struct control k;
    double at[200];

    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2, friendly: false}",
                  1000, 1, &control_path);
    control_loss(&k, acked(0, 0));
    for (int i = 0; i < 200; i++) {
        control_ack(&k, acked(1 + i * 0.1, (uint32_t)k.w.cwnd));
        at[i] = k.w.cwnd;
    }
    for (int i = 2; i < 200; i++) {
        double bend = at[i] - 2 * at[i - 1] + at[i - 2];

        if (i < 85)
            assert_true(bend < 0);
        if (i > 100)
            assert_true(bend > 0);
    }
    assert_true(fabs(at[90] - 1000) < 1); /* at K = 9.09 s, by one window */
    control_finish(&k);
}

/* A small window over a short time is Reno's: 10 to 7 packets, K = 1.96 s. */
static void test_friendly_region(void **unused)
{
    struct control k;
    double before;

    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2}",
                  10, 1, &control_path);
    control_loss(&k, acked(0, 0));
    assert_true(fabs(k.w.cwnd - 7) < 1e-12);
    assert_true(follow(&k, 1, 10, 0.4, 10, true, 4, 3) < 1e-9);
    control_finish(&k);
    /* one ACK of a window's packets: alpha = 3 * 0.3 / 1.7 packets */
    control_begin(&k, "{kind: cubic, prr: false, C: 1e-6, ssthresh: 2}", 10, 1,
                  &control_path);
    control_loss(&k, acked(0, 0));
    before = k.w.cwnd;
    control_ack(&k, acked(1, 7));
    assert_true(fabs(k.w.cwnd - before - 0.9 / 1.7) < 1e-9);
    for (int i = 0; i < 10; i++)
        control_ack(&k, acked(1, 7));
    before = k.w.cwnd; /* beyond 10, where it grows as Reno: 7 / cwnd */
    assert_true(before > 10);
    control_ack(&k, acked(1, 7));
    assert_true(fabs(k.w.cwnd - before - 7 / before) < 1e-9);
    control_finish(&k);
}

/* As Linux: 0.1 s after a loss at 10 the curve lacks 0.4 * 1.857^3 = 2.56
 * packets, which count as two: with 7 arrived it is 8. Where the curve is flat,
 * a hundred windows are a packet, before any loss 20 packets. By the RFC it is
 * 7.44. */
static void test_whole_packets(void **unused)
{
    struct control k;

    control_begin(&k,
                  "{kind: cubic, prr: false, ssthresh: 2, friendly: false,"
                  " form: linux}",
                  10, 1, &control_path);
    control_loss(&k, acked(0, 0));
    control_ack(&k, acked(1, 7));
    assert_true(k.w.cwnd == 8);
    control_finish(&k);
    control_begin(&k, "{kind: cubic, prr: false, ssthresh: 2, friendly: false}",
                  10, 1, &control_path);
    control_loss(&k, acked(0, 0));
    control_ack(&k, acked(1, 7));
    assert_true(fabs(k.w.cwnd - (10 - 0.4 * pow(cbrt(7.5) - 0.1, 3))) < 1e-9);
    control_finish(&k);
}

/* To 4 packets after a loss at 5 (the threshold is 3, of 3.5), where a curve
 * that is nearly flat wants no more for two minutes: 400 arrived buy a packet.
 * 300 of 500 are here when, beyond the plateau, a packet is 2. Linux gives one
 * for all of them, and two of the four that have come; ns-3 gives one with each
 * ACK, and more are left for the next. */
static void check_credit(const char *config, double first, double second,
                         double cut, double after)
{
    struct control k;

    control_begin(&k, config, 4, 1, &control_path);
    for (int i = 0; i < 5; i++) { /* before any loss: 20 packets */
        assert_true(k.w.cwnd == 4);
        control_ack(&k, acked(1 + 0.1 * i, 4));
    }
    assert_true(k.w.cwnd == 5);
    control_loss(&k, acked(2, 0)); /* K = 126 s, 1.99 count as one */
    assert_true(k.w.cwnd == 3);
    control_ack(&k, acked(3, 3));
    for (int i = 0; i < 100; i++) {
        assert_true(k.w.cwnd == 4);
        control_ack(&k, acked(3.1 + 0.001 * i, 4));
    }
    assert_true(k.w.cwnd == 5);
    for (int i = 0; i < 75; i++)
        control_ack(&k, acked(3.3 + 0.001 * i, 4));
    assert_true(k.w.cwnd == 5);
    control_ack(&k, acked(530, 4));
    assert_true(k.w.cwnd == first);
    control_ack(&k, acked(530, 1));
    assert_true(k.w.cwnd == second);
    /* what is left is lost with the window in Linux, kept by ns-3 */
    control_loss(&k, acked(531, 0));
    assert_true(k.w.cwnd == cut);
    control_ack(&k, acked(532, 1));
    assert_true(k.w.cwnd == after);
    control_finish(&k);
}

static void test_credit(void **unused)
{
    check_credit("{kind: cubic, prr: false, ssthresh: 2, friendly: false,"
                 " C: 1e-6, form: linux}",
                 8, 8, 5, 5);
    check_credit("{kind: cubic, prr: false, ssthresh: 2, friendly: false,"
                 " C: 1e-6, form: ns3}",
                 6, 7, 4, 5);
}

static void test_fast_convergence(void **unused)
{
    struct control k;

    /* 1,000 to 700, and lost again at 700: the plateau is 700 * 1.7 / 2 */
    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2}",
                  1000, 1, &control_path);
    control_loss(&k, acked(0, 0));
    control_loss(&k, acked(0.5, 0));
    assert_true(fabs(k.w.cwnd - 490) < 1e-9);
    assert_true(follow(&k, 1, 595, 0.4, 700, true, 12, 10) < 1e-9);
    control_finish(&k);
    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2, fast_convergence: false}",
                  1000, 1, &control_path);
    control_loss(&k, acked(0, 0));
    control_loss(&k, acked(0.5, 0));
    assert_true(follow(&k, 1, 700, 0.4, 700, true, 12, 10) < 1e-9);
    control_finish(&k);
}

static void test_slow_start_and_timeout(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: cubic, ssthresh: 64}", 10, 1, &control_path);
    control_ack(&k, acked(0, 10));
    assert_true(k.w.cwnd == 20);
    control_ack(&k, acked(0.1, 60));
    assert_true(k.w.cwnd == 64);
    /* no loss before: the curve begins at its plateau, K = 0 */
    assert_true(follow(&k, 0.2, 64, 0.4, 64, true, 6, 5) < 1e-9);
    control_timeout(&k, acked(10, 0));
    assert_true(k.w.cwnd == 1);
    control_ack(&k, acked(10.1, 1));
    assert_true(k.w.cwnd == 2);
    for (int i = 0; i < 8; i++)
        control_ack(&k, acked(10.2, 100));
    assert_true(k.w.cwnd > 64); /* 0.7 of what it was is the threshold */
    control_finish(&k);
}

static void test_mark_cuts_once_a_window(void **unused)
{
    struct control k;
    struct orr_cc_ack a = acked(1, 1);

    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2}",
                  100, 1, &control_path);
    a.echo = true;
    a.una = 1;
    a.next = 101;
    control_ack(&k, a);
    assert_true(fabs(k.w.cwnd - 70) < 1e-9);
    a.una = 101;
    a.next = 171;
    control_ack(&k, a);
    assert_true(fabs(k.w.cwnd - 70) < 1e-9);
    a.una = 102;
    control_ack(&k, a);
    assert_true(fabs(k.w.cwnd - 49) < 1e-9);
    control_finish(&k);
}

/* A window that is not used, and a pause of the program: neither grows it nor
 * lets the curve's clock run on. */
static void test_unused_and_idle(void **unused)
{
    struct control k;
    struct orr_cc_ack a;

    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2}",
                  1000, 1, &control_path);
    control_loss(&k, acked(0, 0));
    a = acked(1, 10);
    a.peak = 500;
    control_ack(&k, a);
    assert_true(k.w.cwnd == 700);
    control_finish(&k);
    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2, friendly: false}",
                  1000, 1, &control_path);
    control_loss(&k, acked(0, 0));
    a = acked(1, 1);
    a.in_flight = 0;
    control_ack(&k, a);
    /* 20 s later, of which 0.1 s count: still concave, below the plateau */
    for (int i = 0; i < 50; i++)
        control_ack(&k, acked(21, 700));
    assert_true(k.w.cwnd < 0.4 * pow(0.2 - cbrt(750), 3) + 1000 + 1e-6);
    assert_true(k.w.cwnd > 0.4 * pow(0.2 - cbrt(750), 3) + 1000 - 1);
    control_finish(&k);
}

/* With gain 8 the curve is that of 8 C. */
static void test_gain(void **unused)
{
    struct control k, one;

    control_begin(&k,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2, friendly: false}",
                  1000, 8, &control_path);
    control_loss(&k, acked(0, 0));
    assert_true(follow(&k, 1, 1000, 3.2, 1000, false, 9, 10) < 0.002);
    control_finish(&k);
    control_begin(&one,
                  "{kind: cubic, prr: false, "
                  "ssthresh: 2, C: 1e-6}",
                  10, 1, &control_path);
    control_begin(&k, "{kind: cubic, prr: false, ssthresh: 2, C: 1e-6}", 10, 3,
                  &control_path);
    control_loss(&one, acked(0, 0));
    control_loss(&k, acked(0, 0));
    control_ack(&one, acked(1, 2));
    control_ack(&k, acked(1, 2));
    assert_true(fabs((k.w.cwnd - 7) - 3 * (one.w.cwnd - 7)) < 1e-9);
    control_finish(&k);
    control_finish(&one);
}

/* A timeout ends the answer to a mark; the second in a row holds the threshold
 * and the plateau. */
static void test_timeout_ends_a_mark(void **unused)
{
    struct control k;
    struct orr_cc_ack a = acked(0, 1);

    control_begin(&k, "{kind: cubic, ssthresh: 2}", 100, 1, &control_path);
    a.echo = true;
    a.una = 1;
    a.next = 101;
    control_ack(&k, a);
    assert_true(k.w.cwnd == 70);
    for (a.timeouts = 1; a.timeouts < 4; a.timeouts++)
        control_timeout(&k, a);
    assert_true(k.w.cwnd == 1);
    a = acked(1, 1);
    a.next = 101;
    for (a.una = 2; a.una < 50; a.una++)
        control_ack(&k, a);
    assert_true(fabs(k.w.cwnd - 49) < 0.1); /* slow start, up to 0.7 * 70 */
    control_finish(&k);
}

/* A loss in the window of a mark cuts nothing more (RFC 3168, section 6.1.2),
 * and what arrives beyond a gap lets nothing grow (RFC 5681, section 3.2). */
static void test_mark_and_loss_cut_once(void **unused)
{
    struct orr_cc_ack a = acked(0, 1);
    struct control k;

    control_begin(&k, "{kind: cubic, prr: false, ssthresh: 2}", 100, 1,
                  &control_path);
    a.una = 1;
    a.next = 101;
    a.echo = true;
    control_ack(&k, a);
    assert_true(k.w.cwnd == 70);
    control_loss(&k, a);
    assert_true(k.w.cwnd == 70);
    a.echo = false;
    a.acked = 0;
    a.una = 102;
    for (int i = 0; i < 50; i++)
        control_ack(&k, a);
    assert_true(k.w.cwnd == 70);
    control_finish(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window_curve),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_friendly_region),
        cmocka_unit_test(test_whole_packets),
        cmocka_unit_test(test_credit),
        cmocka_unit_test(test_fast_convergence),
        cmocka_unit_test(test_slow_start_and_timeout),
        cmocka_unit_test(test_mark_cuts_once_a_window),
        cmocka_unit_test(test_unused_and_idle),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_timeout_ends_a_mark),
        cmocka_unit_test(test_mark_and_loss_cut_once),
    };

    return cmocka_run_group_tests_name("net/cc/cubic", tests, NULL, NULL);
}
