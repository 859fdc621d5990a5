/* NewReno step by step, against the RFC's arithmetic done by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "net/cc/reno.h"

extern const struct orr_cc_ops orr__cc_reno;

static const struct orr_reno_params params = {
    .ssthresh = 16,
    .min_cwnd = 2,
    .growth = 1000,
};
static struct orr_reno state;
static struct orr_cc_window w;

static void begin(double cwnd)
{
    memset(&state, 0, sizeof state);
    w.cwnd = cwnd;
    w.gain = 1;
    orr__cc_reno.init(&state, &params, &w, &(struct orr_cc_path){.hops = 2});
}

static void ack(struct orr_cc_ack a)
{
    a.delivered = a.acked;
    orr__cc_reno.on_ack(&state, &params, &w, &a);
}

static void test_slow_start_then_avoidance(void **unused)
{
    begin(10);
    ack((struct orr_cc_ack){.peak = 100, .acked = 2, .una = 2, .next = 12});
    assert_true(w.cwnd == 12);
    ack((struct orr_cc_ack){.peak = 100, .acked = 8, .una = 10, .next = 24});
    assert_true(w.cwnd == 16); /* not beyond ssthresh */
    ack((struct orr_cc_ack){.peak = 100, .acked = 2, .una = 12, .next = 28});
    assert_true(w.cwnd == 16 + 2 / 16.0);
}

/* L = 1: an ACK counts once, however many packets it acknowledges. */
static void test_growth_limit(void **unused)
{
    static const struct orr_reno_params one = {
        .ssthresh = 16,
        .min_cwnd = 2,
        .growth = 1,
    };

    begin(10);
    orr__cc_reno.on_ack(&state, &one, &w,
                         &(struct orr_cc_ack){.peak = 100,
                                              .acked = 2, .delivered = 2,
                                              .next = 12});
    assert_true(w.cwnd == 11);
}

static void test_mark_cuts_once_a_window(void **unused)
{
    begin(20);
    ack((struct orr_cc_ack){.peak = 100, .acked = 1, .una = 1, .next = 21,
                            .echo = true});
    assert_true(w.cwnd == 10);
    ack((struct orr_cc_ack){.peak = 100, .acked = 5, .una = 6, .next = 21,
                            .echo = true});
    assert_true(w.cwnd == 10);
    ack((struct orr_cc_ack){.peak = 100, .acked = 15, .una = 21, .next = 31,
                            .echo = true});
    assert_true(w.cwnd == 10); /* nothing sent after the cut is here yet */
    ack((struct orr_cc_ack){.peak = 100, .acked = 1, .una = 22, .next = 32,
                            .echo = true});
    assert_true(w.cwnd == 5);
    ack((struct orr_cc_ack){.peak = 100, .acked = 11, .una = 33, .next = 43});
    assert_true(w.cwnd == 5 + 11 / 5.0);
}

static void test_loss_and_timeout(void **unused)
{
    struct orr_cc_ack a = {.una = 5, .next = 25, .recovering = true};

    begin(20);
    orr__cc_reno.on_loss(&state, &params, &w, &a);
    assert_true(w.cwnd == 10 && state.ssthresh == 10);
    ack((struct orr_cc_ack){.peak = 100, .acked = 3, .recovering = true});
    assert_true(w.cwnd == 10);
    orr__cc_reno.on_timeout(&state, &params, &w, &a);
    assert_true(w.cwnd == 1 && state.ssthresh == 5);
    ack((struct orr_cc_ack){.peak = 100, .acked = 1});
    assert_true(w.cwnd == 2);
    begin(3);
    orr__cc_reno.on_loss(&state, &params, &w, &a);
    assert_true(w.cwnd == 2); /* never below two */
}

/* The ACK that ends a recovery covers a window of packets, all of which but one
 * were known to be there. */
static void test_growth_counts_arrivals(void **unused)
{
    begin(20);
    orr__cc_reno.on_loss(&state, &params, &w,
                         &(struct orr_cc_ack){.recovering = true});
    orr__cc_reno.on_ack(&state, &params, &w,
                        &(struct orr_cc_ack){.peak = 100, .acked = 20,
                                             .delivered = 1, .next = 40});
    assert_true(w.cwnd == 10 + 1 / 10.0);
}

/* Seven in flight at most: the window does not outgrow eight in avoidance nor
 * fifteen in slow start. */
static void test_unused_window_does_not_grow(void **unused)
{
    begin(15);
    ack((struct orr_cc_ack){.peak = 7, .acked = 1, .next = 8});
    assert_true(w.cwnd == 15);
    begin(14);
    ack((struct orr_cc_ack){.peak = 7, .acked = 1, .next = 8});
    assert_true(w.cwnd == 15);
    begin(14);
    state.ssthresh = 4;
    ack((struct orr_cc_ack){.peak = 7, .acked = 1, .next = 8});
    assert_true(w.cwnd == 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_start_then_avoidance),
        cmocka_unit_test(test_growth_limit),
        cmocka_unit_test(test_unused_window_does_not_grow),
        cmocka_unit_test(test_mark_cuts_once_a_window),
        cmocka_unit_test(test_loss_and_timeout),
        cmocka_unit_test(test_growth_counts_arrivals),
    };

    return cmocka_run_group_tests_name("net/cc/reno", tests, NULL, NULL);
}
