/* NewReno step by step, against the RFC's arithmetic done by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
    orr__cc_reno.on_ack(
        &state, &one, &w,
        &(struct orr_cc_ack){
            .peak = 100, .acked = 2, .delivered = 2, .next = 12});
    assert_true(w.cwnd == 11);
}

static void test_mark_cuts_once_a_window(void **unused)
{
    begin(20);
    ack((struct orr_cc_ack){
        .peak = 100, .acked = 1, .una = 1, .next = 21, .echo = true});
    assert_true(w.cwnd == 10);
    ack((struct orr_cc_ack){
        .peak = 100, .acked = 5, .una = 6, .next = 21, .echo = true});
    assert_true(w.cwnd == 10);
    ack((struct orr_cc_ack){
        .peak = 100, .acked = 15, .una = 21, .next = 31, .echo = true});
    assert_true(w.cwnd == 10); /* nothing sent after the cut is here yet */
    ack((struct orr_cc_ack){
        .peak = 100, .acked = 1, .una = 22, .next = 32, .echo = true});
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
    orr__cc_reno.on_ack(
        &state, &params, &w,
        &(struct orr_cc_ack){
            .peak = 100, .acked = 20, .delivered = 1, .next = 40});
    assert_true(w.cwnd == 10 + 1 / 10.0);
}

/* RFC 5681, section 3.2: what arrives beyond a gap does not let the window
 * grow, in slow start nor after it, unless packets overtake one another. */
static void test_gaps_do_not_grow(void **unused)
{
    struct orr_cc_ack gap = {.peak = 100, .delivered = 1, .next = 30};

    begin(10);
    orr__cc_reno.on_ack(&state, &params, &w, &gap);
    assert_true(w.cwnd == 10);
    gap.reordered = true;
    orr__cc_reno.on_ack(&state, &params, &w, &gap);
    assert_true(w.cwnd == 11);
    begin(20);
    gap.reordered = false;
    orr__cc_reno.on_ack(&state, &params, &w, &gap);
    assert_true(w.cwnd == 20);
}

/* RFC 3168, section 6.1.2: a loss among what was under way at a mark is of the
 * same window, and cuts nothing more; a later one does. */
static void test_mark_and_loss_cut_once(void **unused)
{
    struct orr_cc_ack lost = {
        .una = 3, .next = 25, .in_flight = 9, .recovering = true};

    begin(20);
    ack((struct orr_cc_ack){
        .peak = 100, .acked = 1, .una = 1, .next = 21, .echo = true});
    orr__cc_reno.on_loss(&state, &params, &w, &lost);
    assert_true(state.ssthresh == 10);
    ack((struct orr_cc_ack){.peak = 100, .acked = 19, .una = 22, .next = 32});
    orr__cc_reno.on_loss(&state, &params, &w, &lost);
    assert_true(state.ssthresh < 6);
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

/* A timeout ends the answer to a mark: the window grows again at once, though
 * nothing sent after the mark was answered is here. */
static void test_timeout_ends_a_mark(void **unused)
{
    struct orr_cc_ack a = {.una = 1, .next = 25, .timeouts = 1};

    begin(20);
    ack((struct orr_cc_ack){
        .peak = 100, .acked = 1, .una = 1, .next = 25, .echo = true});
    assert_true(state.waiting);
    orr__cc_reno.on_timeout(&state, &params, &w, &a);
    assert_true(w.cwnd == 1 && state.ssthresh == 5);
    ack((struct orr_cc_ack){.peak = 100, .acked = 1, .una = 2, .next = 25});
    ack((struct orr_cc_ack){.peak = 100, .acked = 2, .una = 4, .next = 25});
    assert_true(w.cwnd == 4);
}

/* RFC 5681, section 3.1: the second in a row holds the threshold. */
static void test_timeouts_in_a_row(void **unused)
{
    struct orr_cc_ack a = {.next = 25, .timeouts = 1};

    begin(20);
    for (; a.timeouts < 5; a.timeouts++) {
        orr__cc_reno.on_timeout(&state, &params, &w, &a);
        assert_true(w.cwnd == 1 && state.ssthresh == 10);
    }
}

/* RFC 6937: twenty under way, two of them lost; the window is what is in flight
 * and what may go, down to ten. */
static void test_proportional_reduction(void **unused)
{
    static const struct orr_reno_params prr = {
        .ssthresh = 2, .min_cwnd = 2, .growth = 1000, .prr = true};
    struct orr_cc_ack a = {.next = 20,
                           .in_flight = 15,
                           .recovering = true,
                           .lost = true,
                           .sent = 20,
                           .peak = 20};
    uint32_t sent = 0;

    memset(&state, 0, sizeof state);
    w = (struct orr_cc_window){.cwnd = 20, .gain = 1};
    orr__cc_reno.init(&state, &prr, &w, &(struct orr_cc_path){.hops = 2});
    orr__cc_reno.on_loss(&state, &prr, &w, &a);
    assert_true(state.ssthresh == 10 && w.cwnd == 16);
    a.delivered = 1;
    a.lost = false;
    for (uint32_t i = 1; i <= 10; i++) { /* one for every two: 10 of 20 */
        orr__cc_reno.on_ack(&state, &prr, &w, &a);
        assert_true(w.cwnd - a.in_flight == ((i + 1) / 2 - sent));
        sent += (uint32_t)(w.cwnd - a.in_flight);
        a.in_flight = (uint32_t)w.cwnd - 1;
        a.sent = 20 + sent;
    }
    /* below it: as much as arrived, one more if una moves and nothing is lost,
     * and no more than up to it */
    a.in_flight = 6;
    a.sent = 20 + 11;
    orr__cc_reno.on_ack(&state, &prr, &w, &a);
    assert_true(w.cwnd == 7);
    a.acked = 1;
    orr__cc_reno.on_ack(&state, &prr, &w, &a);
    assert_true(w.cwnd == 8);
    a.lost = true;
    orr__cc_reno.on_ack(&state, &prr, &w, &a);
    assert_true(w.cwnd == 8); /* 13 arrived, 11 were sent */
    a.delivered = 9;
    orr__cc_reno.on_ack(&state, &prr, &w, &a);
    assert_true(w.cwnd == 10);
    a.recovering = false;
    a.delivered = 0;
    orr__cc_reno.on_ack(&state, &prr, &w, &a);
    assert_true(w.cwnd == 10 && !state.prr.on);
}

/* As ns-3 counts: a packet when all of it is due, and below the threshold no
 * more than arrived unless the ACK makes progress. */
static void test_reduction_in_bytes(void **unused)
{
    static const struct orr_reno_params prr = {.ssthresh = 2,
                                               .min_cwnd = 2,
                                               .growth = 1,
                                               .prr = true,
                                               .prr_form = ORR_PRR_NS3};
    /* 10 of 22: due with the 1st (always), the 5th and the 7th */
    static const uint32_t sent[] = {1, 1, 1, 1, 2, 2, 3};
    struct orr_cc_ack a = {.next = 22,
                           .in_flight = 16,
                           .recovering = true,
                           .delivered = 1,
                           .sent = 22,
                           .peak = 22};

    memset(&state, 0, sizeof state);
    w = (struct orr_cc_window){.cwnd = 20, .gain = 1};
    orr__cc_reno.init(&state, &prr, &w, &(struct orr_cc_path){.hops = 2});
    orr__cc_reno.on_loss(&state, &prr, &w, &a);
    for (uint32_t i = 0; i < 7; i++) {
        orr__cc_reno.on_ack(&state, &prr, &w, &a);
        if (a.in_flight + 1.0 <= w.cwnd)
            a.sent++;
        assert_int_equal(a.sent - 22, sent[i]);
    }
    a.in_flight = 6; /* 8 arrived, 3 were sent */
    orr__cc_reno.on_ack(&state, &prr, &w, &a);
    assert_true(w.cwnd == 7);
    a.acked = 1;
    a.lost = true;
    orr__cc_reno.on_ack(&state, &prr, &w, &a);
    assert_true(w.cwnd == 10); /* 9 - 3 and one, but the threshold */
}

/* HyStart++, RFC 9406: round trips of 20 ms, then of 25: eight samples turn
 * slow start into one of a quarter, five rounds later it is over. */
static void test_hystart(void **unused)
{
    static const struct orr_reno_params on = {
        .ssthresh = 1e9, .min_cwnd = 2, .growth = 1000, .hystart = true};
    struct orr_cc_ack a = {.rtt_ps = 20000000000, .peak = 1000000};
    double before;

    memset(&state, 0, sizeof state);
    w = (struct orr_cc_window){.cwnd = 10, .gain = 1};
    orr__cc_reno.init(&state, &on, &w, &(struct orr_cc_path){.hops = 2});
    for (uint32_t round = 0; round < 10; round++) {
        if (round == 2)
            a.rtt_ps = 23000000000; /* less than 4 ms more */
        if (round == 3)
            a.rtt_ps = 28000000000;
        if (round == 4)
            assert_true(state.hystart.slower);
        a.next = 10 * round + 11;
        for (uint32_t i = 1; i <= 10 && state.hystart.on; i++) {
            a.una = 10 * round + i;
            before = w.cwnd;
            ack((struct orr_cc_ack){.una = a.una,
                                    .next = a.next,
                                    .acked = 1,
                                    .rtt_ps = a.rtt_ps,
                                    .peak = a.peak});
            assert_true(w.cwnd - before == (state.hystart.slower ? 0.25 : 1)
                        || !state.hystart.on);
        }
        if (round < 3)
            assert_true(!state.hystart.slower);
    }
    assert_true(!state.hystart.on && state.ssthresh < 1e9);
    before = w.cwnd; /* congestion avoidance */
    ack((struct orr_cc_ack){.una = 200,
                            .next = 220,
                            .acked = 1,
                            .rtt_ps = a.rtt_ps,
                            .peak = a.peak});
    assert_true(w.cwnd == before + 1 / before);
}

/* It was a mistake if round trips are short again. */
static void test_hystart_resumes(void **unused)
{
    struct orr_hystart h;
    struct orr_cc_ack a = {.rtt_ps = 20000000000};

    memset(&h, 0, sizeof h);
    orr__hystart_init(&h, true);
    for (uint32_t round = 0; round < 3; round++) {
        a.rtt_ps = round == 1 ? 30000000000 : 20000000000;
        for (uint32_t i = 0; i < 8; i++) {
            a.una = 8 * round + i;
            a.next = 8 * round + 8;
            assert_false(orr__hystart_acked(&h, &a));
        }
        assert_true(h.slower == (round == 1));
        assert_true(orr__hystart_share(&h) == (round == 1 ? 0.25 : 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_start_then_avoidance),
        cmocka_unit_test(test_growth_limit),
        cmocka_unit_test(test_unused_window_does_not_grow),
        cmocka_unit_test(test_mark_cuts_once_a_window),
        cmocka_unit_test(test_timeout_ends_a_mark),
        cmocka_unit_test(test_timeouts_in_a_row),
        cmocka_unit_test(test_proportional_reduction),
        cmocka_unit_test(test_reduction_in_bytes),
        cmocka_unit_test(test_hystart),
        cmocka_unit_test(test_hystart_resumes),
        cmocka_unit_test(test_loss_and_timeout),
        cmocka_unit_test(test_growth_counts_arrivals),
        cmocka_unit_test(test_gaps_do_not_grow),
        cmocka_unit_test(test_mark_and_loss_cut_once),
    };

    return cmocka_run_group_tests_name("net/cc/reno", tests, NULL, NULL);
}
