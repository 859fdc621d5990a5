/* Swift step by step, against Algorithm 1 of the paper done by hand. */
#include "tests/net/cc/control.h"
#include "tests/net/small_world.h"

#include <math.h>

/* A target of 20 us for any window, unless a test says otherwise. */
#define FLAT "kind: swift, base_target: 20us, hop_scaling: 0ns, fs_range: 0ns"

static struct orr_cc_ack at(double now_us, double rtt_us, uint32_t n)
{
    return (struct orr_cc_ack){
        .now_ps = (int64_t)(now_us * 1e6 + 0.5),
        .rtt_ps = (int64_t)(rtt_us * 1e6 + 0.5),
        .acked = n,
        .delivered = n,
        .peak = 1000000,
    };
}

static void near(double a, double b)
{
    if (fabs(a - b) > 1e-9 * fabs(b))
        fail_msg("%.15g is not %.15g", a, b);
}

static void test_below_the_target(void **unused)
{
    struct control k;

    control_begin(&k, "{" FLAT "}", 10, 1, &control_path);
    control_ack(&k, at(0, 19.9, 5));
    near(k.w.cwnd, 10 + 5 / 10.0);
    control_finish(&k);
    control_begin(&k, "{" FLAT ", ai: 0.5}", 10, 3, &control_path);
    control_ack(&k, at(0, 19.9, 5));
    near(k.w.cwnd, 10 + 3 * 0.5 * 5 / 10.0);
    assert_true(k.w.rate == 0);
    control_finish(&k);
}

static void test_above_it_once_a_round_trip(void **unused)
{
    struct control k;
    double cwnd;

    control_begin(&k, "{" FLAT "}", 10, 1, &control_path);
    control_ack(&k, at(100, 25, 1));
    cwnd = 10 * (1 - 0.8 * 5 / 25);
    near(k.w.cwnd, cwnd);
    control_ack(&k, at(124, 25, 1)); /* 24 us later: too soon */
    near(k.w.cwnd, cwnd);
    control_ack(&k, at(125, 25, 1));
    cwnd *= 1 - 0.8 * 5 / 25;
    near(k.w.cwnd, cwnd);
    control_ack(&k, at(400, 200, 1)); /* 0.8 * 180 / 200 is more than half */
    near(k.w.cwnd, cwnd / 2);
    control_finish(&k);
}

static void test_no_sample_no_step(void **unused)
{
    struct control k;
    struct orr_cc_ack a = at(100, 25, 3);

    a.rtt_ps = -1;
    control_begin(&k, "{" FLAT "}", 10, 1, &control_path);
    control_ack(&k, a);
    assert_true(k.w.cwnd == 10);
    control_finish(&k);
}

/* Scaled: 4 hops at 20 us / 6.55; 100 us for a window of 0.1, none for 100. */
static void test_target(void **unused)
{
    struct orr_cc_path path = control_path;
    double alpha = 100 / (1 / sqrt(0.1) - 1 / sqrt(100.0));
    double target = 20 + 4 * 20 / 6.55 + alpha * (1 / sqrt(16.0) - 0.1);
    struct control k;

    path.hops = 4;
    control_begin(&k, "{kind: swift, base_target: 20us}", 16, 1, &path);
    control_ack(&k, at(0, target - 0.01, 1));
    near(k.w.cwnd, 16 + 1 / 16.0);
    control_finish(&k);
    control_begin(&k, "{kind: swift, base_target: 20us}", 16, 1, &path);
    control_ack(&k, at(0, target + 0.01, 1));
    assert_true(k.w.cwnd < 16 && k.w.cwnd > 15.99);
    control_finish(&k);
    /* auto: 1.25 * 10 us for 100 packets and more */
    control_begin(&k, "{kind: swift}", 100, 1, &path);
    control_ack(&k, at(0, 12.49, 1));
    near(k.w.cwnd, 100.01);
    control_ack(&k, at(50, 12.51, 1));
    assert_true(k.w.cwnd < 100.01);
    control_finish(&k);
}

/* 4,000 B packets; a quarter of a packet and 40 us: one every 160 us. */
static void test_below_one_packet(void **unused)
{
    struct control k;

    control_begin(&k, "{" FLAT ", max_mdf: 0.75}", 1, 1, &control_path);
    control_ack(&k, at(0, 10000, 1)); /* 1 - 0.8 * 0.998 is less than 1/4 */
    control_ack(&k, at(20000, 18, 0));
    assert_true(k.w.cwnd == 1);
    near(k.w.rate, 32000 / (18e-6 / 0.25));
    control_ack(&k, at(20010, 18, 1)); /* a packet and not one a window */
    near(k.w.cwnd, 1.25);
    assert_true(k.w.rate == 0);
    for (int i = 0; i < 100; i++)
        control_ack(&k, at(30000 + i * 20000, 10000, 1));
    near(k.w.rate, 32000 / (10000e-6 / 0.01)); /* min_cwnd */
    assert_true(k.w.cwnd == 1);
    control_finish(&k);
}

static void test_loss_and_timeouts(void **unused)
{
    struct control k;

    control_begin(&k, "{" FLAT "}", 64, 1, &control_path);
    control_loss(&k, at(100, -1, 0));
    near(k.w.cwnd, 32);
    control_loss(&k, at(105, -1, 0)); /* not twice a round trip (10 us) */
    near(k.w.cwnd, 32);
    for (int i = 1; i < 5; i++)
        control_timeout(&k, at(1000 * i, -1, 0));
    near(k.w.cwnd, 2);
    control_timeout(&k, at(5000, -1, 0)); /* the fifth in a row */
    assert_true(k.w.cwnd == 1);
    near(k.w.rate, 32000 / (10e-6 / 0.01));
    control_finish(&k);
    control_begin(&k, "{" FLAT "}", 64, 1, &control_path);
    for (int i = 1; i < 5; i++)
        control_timeout(&k, at(1000 * i, -1, 0));
    control_ack(&k, at(4500, 19, 1)); /* that ends the row */
    near(k.w.cwnd, 4.25);
    control_timeout(&k, at(5000, -1, 0));
    near(k.w.cwnd, 2.125);
    control_finish(&k);
}

static void test_unused_window(void **unused)
{
    struct control k;
    struct orr_cc_ack a = at(0, 15, 1);

    control_begin(&k, "{" FLAT "}", 10, 1, &control_path);
    a.peak = 9;
    control_ack(&k, a);
    assert_true(k.w.cwnd == 10);
    a.peak = 10;
    control_ack(&k, a);
    near(k.w.cwnd, 10.1);
    control_finish(&k);
}

/* Three packets meet at a switch. The third waits 160 ns; 4,330.24 ns are too
 * much, so that the next of its flow goes a little more than that after it.
 * That one finds the path empty (4,170.24 ns), which allows a window: what
 * comes then is not paced any more. */
static void test_out_of_pacing_at_once(void **unused)
{
    struct small_world w;
    struct transfer t[3] = {{.src = 1, .bytes = 1000},
                            {.src = 2, .bytes = 1000},
                            {.src = 3, .bytes = 3000}};
    double paced = 4330.24 / (1 - 0.8 * 130.24 / 4330.24);

    small_build(&w,
                "topology: {kind: switch, hosts: 4,"
                " link: {rate: 100Gbps, delay: 1us}}\n"
                "network: {mtu: 1000B, initial_window: 1, cc: {kind: swift,"
                " base_target: 4200ns, hop_scaling: 0ns, fs_range: 0ns}}\n",
                1);
    small_run(&w, t, 3);
    near((double)(t[2].sent / 1000), floor(paced + 4170.24 + 80));
    small_free(&w);
}

/* 64 to one, where a queue of 1.83 us, 23 packets, makes the target: windows of
 * less than a packet keep it there, and the link busy. */
static void test_incast_below_one_packet(void **unused)
{
    struct small_world w;
    struct transfer t[64];
    int64_t last = 0;
    double largest = 0;

    for (uint32_t i = 0; i < 64; i++)
        t[i] = (struct transfer){.src = i + 1, .bytes = 500000};
    small_build(&w,
                "topology: {kind: switch, hosts: 65,"
                " link: {rate: 100Gbps, delay: 1us}}\n"
                "network: {mtu: 1000B, initial_window: 1, cc: {kind: swift,"
                " ai: 0.1, base_target: 6us, hop_scaling: 0ns, fs_range: 0ns},"
                " queue: {kind: droptail, capacity: 1MB}}\n",
                1);
    small_run(&w, t, 64);
    for (uint32_t i = 0; i < 64; i++)
        last = t[i].acked > last ? t[i].acked : last;
    assert_int_equal(w.totals.packets_dropped, 0);
    assert_true(last < 64 * 40 * ORR_US * 105 / 100);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        struct orr_link_sample s;

        orr__net_link_sample(w.net, l, w.end, &s);
        if (s.area / (double)w.end > largest)
            largest = s.area / (double)w.end;
    }
    assert_true(largest > 20000 && largest < 26000);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_below_the_target),
        cmocka_unit_test(test_above_it_once_a_round_trip),
        cmocka_unit_test(test_no_sample_no_step),
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_below_one_packet),
        cmocka_unit_test(test_loss_and_timeouts),
        cmocka_unit_test(test_unused_window),
        cmocka_unit_test(test_out_of_pacing_at_once),
        cmocka_unit_test(test_incast_below_one_packet),
    };

    return cmocka_run_group_tests_name("net/cc/swift", tests, NULL, NULL);
}
