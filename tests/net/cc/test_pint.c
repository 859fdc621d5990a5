/* PINT: the byte alone, the average of a port, and both on a network. */
#include "tests/net/small_world.h"

#include <math.h>

#include "core/random.h"
#include "core/units.h"
#include "net/cc/pint.h"

static struct orr_pint pint_of(double base)
{
    struct orr_pint p = {.rtt_ps = 10 * ORR_US, .base = base, .share = 1};

    orr__pint_init(&p);
    return p;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void codes_are_powers_of_the_base(void **state)
{
    struct orr_pint p = pint_of(1.05);

    assert_true(p.value[0] == 0 && p.value[ORR_PINT_FULL] == 1);
    for (int i = 1; i < ORR_PINT_CODES; i++) {
        assert_true(near(p.value[i], pow(1.05, i - ORR_PINT_FULL)));
        assert_int_equal(orr__pint_encode(&p, p.value[i], 0.999), i);
    }
    assert_int_equal(orr__pint_encode(&p, 0, 0), 0);
    assert_int_equal(orr__pint_encode(&p, 1e9, 0.999), 255);
}

/* Between two codes the upper one comes up as often as it takes to be right on
 * average; either is at most a factor of the base away. */
static void codes_are_right_on_average(void **state)
{
    const double used[] = {0.0005, 0.2, 0.951, 1.03, 7};
    struct orr_pint p = pint_of(1.05);
    struct orr_random r;

    orr__random_init(&r, 1, 1, ORR_PURPOSE_TEST);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        double sum = 0;

        for (int k = 0; k < 100000; k++) {
            double v =
                p.value[orr__pint_encode(&p, used[i], orr__random_unit(&r))];

            assert_true(used[i] < p.value[1]
                        || (v < 1.05 * used[i] && 1.05 * v > used[i]));
            sum += v;
        }
        /* a draw is off by half a step, or half of the least code: 5 sigma */
        assert_true(fabs(sum / 100000 - used[i])
                    <= 5 * 0.5 * fmax(0.05 * used[i], p.value[1])
                           / sqrt(100000));
    }
}

/* By hand, at 100 Gbps, 125,000 B a round trip. */
static void a_port_averages_over_a_round_trip(void **state)
{
    struct orr_pint p = pint_of(1.05);
    struct orr_pint_port port = {0};
    double U;

    /* a round trip and more with nothing: only the queue counts */
    U = orr__pint_update(&p, &port, 20 * ORR_US, 0, 25000, 100000000000);
    assert_true(near(U, 0.2));
    /* 1 us at full rate with as much queue: a tenth of 1.2 */
    U = orr__pint_update(&p, &port, 21 * ORR_US, 12500, 25000, 100000000000);
    assert_true(near(U, 0.9 * 0.2 + 0.1 * 1.2));
    /* as much again at a quarter of the rate */
    U = orr__pint_update(&p, &port, 25 * ORR_US, 25000, 0, 100000000000);
    assert_true(near(U, 0.6 * 0.3 + 0.4 * 0.25));
    assert_int_equal(port.at, 25 * ORR_US);
    assert_int_equal(port.sent, 25000);
}

/* What the sender knows when the ACK of packet k is back, 1,000 B each at the
 * link's rate: after the first the switch has 1 - 0.99^k, as T is 100 packets.
 * It is told one of the two codes next to that. */
static void the_byte_comes_back(void **state)
{
    struct orr_pint p = pint_of(1.05);
    bool below = false, above = false;

    for (int k = 0; k < 60; k += 3) {
        struct transfer t = {.src = 0, .dst = 1, .bytes = 1000000};
        double U = 1 - pow(0.99, k), used;
        struct orr_connection_sample sample;
        struct small_world w;

        small_build(&w,
                    "topology: {kind: switch, hosts: 2, "
                    "link: {rate: 100Gbps, delay: 1us}}\n"
                    "network: {mtu: 1000B, cc: {kind: hpcc, base_rtt: 8us, "
                    "telemetry: pint}}\n",
                    k % 2 + 1);
        w.stop = (80 * k + 4171) * (int64_t)1000;
        small_run(&w, &t, 1);
        orr__net_connection_sample(w.net, t.connection, &sample);
        used = sample.estimate;
        assert_true(near(used, p.value[orr__pint_encode(&p, U, 0)])
                    || near(used, p.value[orr__pint_encode(&p, U, 0.9999)]));
        below |= used < U;
        above |= used > U;
        small_free(&w);
    }
    assert_true(below && above);
}

/* A tenth of the packets tell. */
static void a_share_of_packets_has_it(void **state)
{
    struct transfer t = {.src = 0, .dst = 1, .bytes = 20000000};
    uint64_t fingerprint = 0;

    for (unsigned workers = 1; workers <= 2; workers++) {
        struct small_world w;

        small_build(&w,
                    "topology: {kind: switch, hosts: 2, "
                    "link: {rate: 100Gbps, delay: 1us}}\n"
                    "network: {mtu: 1000B, cc: {kind: hpcc, base_rtt: 8us, "
                    "telemetry: pint, pint_share: 0.1}}\n",
                    workers);
        small_run(&w, &t, 1);
        if (fingerprint)
            assert_int_equal(fingerprint, w.totals.fingerprint);
        fingerprint = w.totals.fingerprint;
        /* it steers to 95 % of the link, or it would take 1,600 us */
        assert_true(t.received > 1650 * (int64_t)ORR_US
                    && t.received < 1800 * (int64_t)ORR_US);
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_powers_of_the_base),
        cmocka_unit_test(codes_are_right_on_average),
        cmocka_unit_test(a_port_averages_over_a_round_trip),
        cmocka_unit_test(the_byte_comes_back),
        cmocka_unit_test(a_share_of_packets_has_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
