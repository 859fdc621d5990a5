/* DCTCP's alpha and window, against RFC 8257's equations done by hand. All
 * numbers here are exact in binary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "net/cc/cc.h"

extern const struct orr_cc_ops orr__cc_dctcp;

struct bench {
    struct orr_config *c;
    void *params, *state;
    struct orr_cc_window w;
};

static void begin(struct bench *b, const char *yaml, double cwnd)
{
    struct orr_report why = {0};
    struct orr_param_set set = {.table = orr__cc_dctcp.params};

    b->params = calloc(1, orr__cc_dctcp.params_size);
    b->state = calloc(1, orr__cc_dctcp.state_size);
    set.into = b->params;
    assert_int_equal(orr__config_parse("test", yaml, strlen(yaml), &b->c, &why),
                     ORR_OK);
    assert_int_equal(
        orr__param_read(b->c, orr__config_root(b->c), "cc", &set, 1, &why),
        ORR_OK);
    b->w.cwnd = cwnd;
    b->w.gain = 1;
    orr__cc_dctcp.init(b->state, b->params, &b->w,
                       &(struct orr_cc_path){.hops = 2});
}

static void ack(struct bench *b, struct orr_cc_ack a)
{
    a.delivered = a.acked;
    orr__cc_dctcp.on_ack(b->state, b->params, &b->w, &a);
}

static void finish(struct bench *b)
{
    orr__config_free(b->c);
    free(b->params);
    free(b->state);
}

static void test_alpha_and_cut(void **unused)
{
    struct bench b;
    double cwnd;

    begin(&b, "{g: 0.25, alpha: 0, ssthresh: 8}", 16);
    /* the first ACK ends the first window: 0 of 4 marked, alpha stays 0 */
    ack(&b, (struct orr_cc_ack){.peak = 100, .acked = 4, .una = 4, .next = 19});
    assert_true(b.w.cwnd == 16 + 4 / 16.0);
    /* 8 of 16 marked: alpha = 0.25 * 0.5; the first mark came before */
    cwnd = b.w.cwnd;
    ack(&b, (struct orr_cc_ack){
                .peak = 100, .acked = 8, .una = 12, .next = 28, .echo = true});
    assert_true(b.w.cwnd == cwnd); /* cut by alpha / 2 = 0 */
    ack(&b,
        (struct orr_cc_ack){.peak = 100, .acked = 8, .una = 20, .next = 36});
    assert_true(b.w.cwnd == cwnd); /* still answering the mark (una <= 28) */
    ack(&b,
        (struct orr_cc_ack){.peak = 100, .acked = 8, .una = 28, .next = 44});
    assert_true(b.w.cwnd == cwnd);
    ack(&b,
        (struct orr_cc_ack){.peak = 100, .acked = 1, .una = 29, .next = 45});
    cwnd += 1 / cwnd;
    assert_true(b.w.cwnd == cwnd);
    ack(&b, (struct orr_cc_ack){
                .peak = 100, .acked = 1, .una = 30, .next = 46, .echo = true});
    assert_true(b.w.cwnd == cwnd * (1 - 0.125 / 2));
    finish(&b);
}

static void test_never_below_two(void **unused)
{
    struct bench b;

    begin(&b, "{g: 0.0625}", 3);
    ack(&b, (struct orr_cc_ack){
                .peak = 100, .acked = 1, .una = 1, .next = 4, .echo = true});
    assert_true(b.w.cwnd == 2); /* alpha 1 halves it to 1.5 */
    finish(&b);
    begin(&b, "{g: 0.0625, min_cwnd: 1}", 3);
    ack(&b, (struct orr_cc_ack){
                .peak = 100, .acked = 1, .una = 1, .next = 4, .echo = true});
    assert_true(b.w.cwnd == 1.5);
    finish(&b);
}

/* With prr_marks half a window goes over a round trip: one packet for two that
 * arrive (RFC 6937), and what the cut leaves when all of it is here. */
static void test_gradual_cut(void **unused)
{
    const double want[] = {15, 14, 14, 13, 13};
    struct orr_cc_ack a = {.peak = 100,
                           .acked = 1,
                           .una = 1,
                           .next = 17,
                           .in_flight = 15,
                           .sent = 16,
                           .echo = true};
    struct bench b;

    begin(&b, "{alpha: 1, prr_marks: true}", 16);
    ack(&b, a);
    assert_true(b.w.cwnd == 16); /* the first one goes at once */
    a.sent++;
    a.next++;
    for (int i = 0; i < 5; i++) {
        a.una++;
        ack(&b, a);
        assert_true(b.w.cwnd == want[i]);
        if (b.w.cwnd > a.in_flight) { /* it sends one, at once */
            a.sent++;
            a.next++;
        } else {
            a.in_flight--;
        }
    }
    a.una = 17; /* as far as was sent at the mark: not yet */
    ack(&b, a);
    assert_true(b.w.cwnd > 8.5);
    a.una = 18;
    a.echo = false;
    ack(&b, a);
    assert_true(b.w.cwnd == 8 + 1 / 8.0); /* and grows again */
    /* at once without it */
    finish(&b);
    begin(&b, "{alpha: 1}", 16);
    a = (struct orr_cc_ack){.peak = 100,
                            .acked = 1,
                            .una = 1,
                            .next = 17,
                            .in_flight = 15,
                            .sent = 16,
                            .echo = true};
    ack(&b, a);
    assert_true(b.w.cwnd == 8);
    finish(&b);
}

/* A timeout ends the answer to a mark, as in Reno; the second in a row holds
 * the threshold. */
static void test_timeout_ends_a_mark(void **unused)
{
    struct orr_cc_ack late = {.una = 1, .next = 17, .timeouts = 1};
    struct bench b;

    begin(&b, "{ssthresh: 8}", 16);
    ack(&b, (struct orr_cc_ack){
                .peak = 100, .acked = 1, .una = 1, .next = 17, .echo = true});
    assert_true(b.w.cwnd == 8);
    for (; late.timeouts < 3; late.timeouts++)
        orr__cc_dctcp.on_timeout(b.state, b.params, &b.w, &late);
    assert_true(b.w.cwnd == 1);
    ack(&b, (struct orr_cc_ack){.peak = 100, .acked = 1, .una = 2, .next = 17});
    ack(&b, (struct orr_cc_ack){.peak = 100, .acked = 2, .una = 4, .next = 17});
    assert_true(b.w.cwnd == 4);
    finish(&b);
}

/* RFC 8257, section 3.5: a loss leaves half of the window, of that before the
 * mark if one was answered in it, whatever share the mark took. Gaps do not let
 * it grow. */
static void test_loss_after_a_mark(void **unused)
{
    const char *alphas[] = {"{alpha: 1}", "{alpha: 0.25}"};
    const double marked[] = {10, 17.5};
    struct orr_cc_ack mark = {
        .peak = 100, .acked = 1, .next = 21, .echo = true};
    struct orr_cc_ack gap = {.peak = 100, .delivered = 1, .next = 21};
    struct orr_cc_ack lost = {.una = 1, .next = 21, .recovering = true};
    struct bench b;

    for (int i = 0; i < 2; i++) {
        begin(&b, alphas[i], 20);
        orr__cc_dctcp.on_ack(b.state, b.params, &b.w, &gap);
        assert_true(b.w.cwnd == 20);
        ack(&b, mark);
        assert_true(b.w.cwnd == marked[i]);
        orr__cc_dctcp.on_loss(b.state, b.params, &b.w, &lost);
        ack(&b, (struct orr_cc_ack){.una = 22, .next = 22});
        assert_true(b.w.cwnd == 10); /* the recovery is over */
        finish(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alpha_and_cut),
        cmocka_unit_test(test_never_below_two),
        cmocka_unit_test(test_gradual_cut),
        cmocka_unit_test(test_timeout_ends_a_mark),
        cmocka_unit_test(test_loss_after_a_mark),
    };

    return cmocka_run_group_tests_name("net/cc/dctcp", tests, NULL, NULL);
}
