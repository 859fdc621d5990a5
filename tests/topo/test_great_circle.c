#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "topo/great_circle.h"

#define PI 3.14159265358979323846
#define R  6371008.8

static double between(double north, double east, double n, double e)
{
    struct orr_place a = {north, east}, b = {n, e};
    double there = orr__great_circle(&a, &b);
    assert_true(there == orr__great_circle(&b, &a));
    return there;
}

static void assert_near(double x, double right)
{
    if (!(fabs(x - right) <= 1e-6 * (1 + right / 1e4)))
        fail_msg("%.9f m instead of %.9f m", x, right);
}

static void quarters_of_the_globe(void **state)
{
    assert_near(between(0, 0, 0, 90), PI / 2 * R);
    assert_near(between(0, 0, 90, 0), PI / 2 * R);
    assert_near(between(90, 12, -90, 77), PI * R);
    assert_near(between(30, -100, -30, 80), PI * R);
    assert_near(between(0, 179, 0, -179), 2 * PI / 180 * R);
    assert_near(between(0, 350, 0, -10), 0);
    assert_true(between(47.5, 8.25, 47.5, 8.25) == 0);
}

/* Against the haversine formula of libm. */
static void as_the_haversine(void **state)
{
    for (int i = 0; i < 2000; i++) {
        double n = -90 + i * 37 % 181, e = -180 + i * 53 % 361;
        double m = -90 + i * 71 % 181, f = -180 + i * 91 % 361;
        double dn = sin((n - m) * PI / 360), de = sin((e - f) * PI / 360);
        double h = dn * dn + cos(n * PI / 180) * cos(m * PI / 180) * de * de;
        double right = 2 * R * asin(sqrt(h < 1 ? h : 1));
        double x = between(n, e, m, f);
        if (fabs(x - right) > 1) /* the haversine's own error, opposite */
            fail_msg("%g %g to %g %g: %.6f, not %.6f", n, e, m, f, x, right);
    }
}

/* One degree of a meridian is 111.195 km: 556.360 us at 199,861,639 m/s. */
static void delays_are_whole_nanoseconds(void **state)
{
    struct orr_place a = {10, 20}, b = {11, 20}, c = {10, 20.0000001};
    assert_true(orr__fibre_delay(&a, &b) == INT64_C(556360000));
    assert_true(orr__fibre_delay(&a, &a) == 0);
    assert_true(orr__fibre_delay(&a, &c) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarters_of_the_globe),
        cmocka_unit_test(as_the_haversine),
        cmocka_unit_test(delays_are_whole_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
