/* BBRv3's rules, ACK by ACK, on a path of 10 us; ACKs say what a bottleneck
 * of one packet of 4,000 B a us would. */
#include "tests/net/cc/control.h"

#define US   ORR_US
#define WIRE 32000.0 /* bits of a packet */

/* What the far end has done. */
struct far {
    struct control k;
    int64_t now;
    uint64_t delivered, lost;
    uint32_t in_flight;
    double cwnd, rate; /* after the last ACK */
};

static void begin(struct far *f, const char *yaml)
{
    memset(f, 0, sizeof *f);
    control_begin(&f->k, yaml, 10, 1, &control_path);
    f->in_flight = 10;
    f->now = 10 * US;
}

/* n ACKs of a packet each, `gap` apart, with this round trip and so many in
 * flight; every `loss`-th packet is lost (0: none). */
static void acks(struct far *f, int n, int64_t gap, int64_t rtt,
                 uint32_t flight, int loss)
{
    for (int i = 1; i <= n; i++) {
        f->now += gap;
        f->delivered++;
        f->lost += loss && i % loss == 0;
        f->in_flight = flight;
        control_ack(&f->k, (struct orr_cc_ack){
                               .now_ps = f->now,
                               .rtt_ps = rtt,
                               .acked = 1,
                               .delivered = 1,
                               .in_flight = flight,
                               .peak = flight,
                               .sent = f->delivered + f->lost + flight,
                           });
    }
    f->cwnd = f->k.w.cwnd;
    f->rate = f->k.w.rate;
}

static double estimate(const struct far *f)
{
    return f->k.cc->ops->estimate(f->k.state);
}

static void is_near(double a, double b, double share)
{
    if (a < b * (1 - share) || a > b * (1 + share))
        fail_msg("%g is not %g", a, b);
}

/* Before it knows anything, 2.77 initial windows a round trip; then 2.77 times
 * what was delivered, less a hundredth, until that does not grow for three
 * rounds. Drain at half of it, until one product is in flight. */
static void startup_and_drain(void **state)
{
    struct far f;

    begin(&f, "{kind: bbr}");
    is_near(f.k.w.rate, 2.773 * 10 * WIRE / 10e-6, 1e-9);
    acks(&f, 11, US, 10 * US, 25, 0);
    is_near(estimate(&f), WIRE / 1e-6, 0.1);
    acks(&f, 15, US, 10 * US, 25, 0);
    is_near(f.rate, 0.99 * 2.773 * estimate(&f), 0.2);
    acks(&f, 40, US, 10 * US, 25, 0); /* and no more */
    is_near(f.rate, 0.99 * 0.5 * estimate(&f), 1e-9);
    acks(&f, 1, US, 10 * US, 10, 0);
    is_near(f.rate, 0.99 * 0.9 * estimate(&f), 1e-9); /* ProbeBW: DOWN */
    acks(&f, 1, US, 10 * US, 9, 0);
    is_near(f.rate, 0.99 * estimate(&f), 1e-9); /* CRUISE */
    is_near(f.cwnd, 2 * 10 + 3, 0.1);
    control_finish(&f.k);
}

/* As far as Drain, and into CRUISE. */
static void cruise(struct far *f, const char *yaml)
{
    begin(f, yaml);
    acks(f, 70, US, 10 * US, 25, 0);
    acks(f, 2, US, 10 * US, 9, 0);
    is_near(f->rate, 0.99 * estimate(f), 1e-9);
}

/* A bandwidth-delay product of 10 packets: after as many rounds, as Reno would
 * grow by as much, a round at 1 (REFILL) and then UP at 1.25, until 1.25
 * products are in flight. */
static void probes_as_often_as_reno(void **state)
{
    struct far f;
    bool up = false, down = false;

    cruise(&f, "{kind: bbr}");
    for (int i = 0; i < 200 && !up; i++) {
        acks(&f, 1, US, 10 * US, 10, 0);
        up = f.rate > 1.2 * 0.99 * estimate(&f);
    }
    assert_true(up);
    assert_in_range(f.delivered, 72 + 70, 72 + 140); /* some ten rounds */
    acks(&f, 12, US, 10 * US, 12, 0);
    is_near(f.rate, 0.99 * 1.25 * estimate(&f), 1e-9);
    acks(&f, 1, US, 10 * US, 13, 0);
    down = f.rate < 0.99 * estimate(&f);
    assert_true(down);
    control_finish(&f.k);
}

/* A round of CRUISE that loses more than 2 %: the window and the rate fall to
 * 0.7 of what they were, or to what was delivered; a probe forgets that. */
static void losses_bound_the_short_term(void **state)
{
    struct far f;
    double before;

    cruise(&f, "{kind: bbr}");
    before = estimate(&f);
    acks(&f, 16, 2 * US, 10 * US, 9, 3); /* half the rate, and losses */
    is_near(estimate(&f), 0.5 * before, 0.3);
    is_near(f.rate, 0.99 * estimate(&f), 1e-9);
    assert_true(f.cwnd < 16);
    control_finish(&f.k);

    cruise(&f, "{kind: bbr}");
    acks(&f, 16, 2 * US, 10 * US, 9, 0); /* without losses it stays */
    is_near(estimate(&f), before, 1e-9);
    control_finish(&f.k);
}

/* More than 2 % of a round of UP: the long-term bound is what was in flight,
 * and CRUISE leaves 15 % of it free. */
static void losses_bound_the_long_term(void **state)
{
    struct far f;

    cruise(&f, "{kind: bbr}");
    for (int i = 0; i < 200 && f.rate < 1.2 * 0.99 * estimate(&f); i++)
        acks(&f, 1, US, 10 * US, 10, 0);
    acks(&f, 12, US, 10 * US, 12, 4);
    is_near(f.rate, 0.99 * 0.9 * estimate(&f), 1e-9); /* DOWN at once */
    assert_in_range((int)f.cwnd, 8, 15);
    acks(&f, 3, US, 10 * US, 6, 0);
    is_near(f.rate, 0.99 * estimate(&f), 1e-9);
    assert_in_range((int)f.cwnd, 7, 13);
    control_finish(&f.k);
}

/* Startup ends with a round of six losses and more, as well. */
static void losses_end_startup(void **state)
{
    struct far f;

    begin(&f, "{kind: bbr}");
    acks(&f, 11, US, 10 * US, 30, 0);
    assert_true(f.rate > 2 * estimate(&f));
    acks(&f, 24, US / 2, 10 * US, 30, 2); /* the rate doubles */
    is_near(f.rate, 0.99 * 0.5 * estimate(&f), 1e-9);
    control_finish(&f.k);
}

/* Without a round trip as short for probe_rtt_interval half a product is in
 * flight, for probe_rtt_time; then all is as before. */
static void probes_the_round_trip(void **state)
{
    struct far f;

    cruise(&f, "{kind: bbr, probe_rtt_interval: 200us, probe_rtt_time: 50us}");
    acks(&f, 100, US, 12 * US, 10, 0);
    assert_true(f.cwnd > 15);
    acks(&f, 110, US, 12 * US, 10, 0);
    is_near(f.cwnd, 5, 0.2);
    acks(&f, 30, US, 12 * US, 4, 0);
    is_near(f.cwnd, 5, 0.2);
    acks(&f, 60, US, 12 * US, 4, 0);
    assert_true(f.cwnd > 15);
    control_finish(&f.k);
}

/* The window begins anew, and comes back with what arrives. */
static void a_timeout(void **state)
{
    struct far f;

    cruise(&f, "{kind: bbr}");
    control_timeout(&f.k, (struct orr_cc_ack){.now_ps = f.now, .timeouts = 1});
    assert_true(f.k.w.cwnd <= 1);
    acks(&f, 3, US, 10 * US, 3, 0);
    assert_in_range((int)f.cwnd, 4, 7);
    control_finish(&f.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(startup_and_drain),
        cmocka_unit_test(probes_as_often_as_reno),
        cmocka_unit_test(losses_bound_the_short_term),
        cmocka_unit_test(losses_bound_the_long_term),
        cmocka_unit_test(losses_end_startup),
        cmocka_unit_test(probes_the_round_trip),
        cmocka_unit_test(a_timeout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
