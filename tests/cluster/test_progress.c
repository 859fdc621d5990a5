/* How far a job is, over time: what was simulated, then its mean; and the time
 * at which it is somewhere is when it is there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cluster/progress.h"

static const struct orr_outcome three = {
    .each = 1, .ends = 3, .end_ps = {100000, 250000, 300000}};
static const struct orr_outcome pairs = {
    .each = 2, .ends = 2, .end_ps = {200000, 600000}};

static void is_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9 * fmax(1, fabs(b)));
}

/* From 1000 ns on, in the middle of its fifth iteration, which has 50 ns to
 * go. */
static void as_simulated_then_at_its_mean(void **state)
{
    static const double points[][2] = {
        {1000, 4.5}, {1025, 4.75}, {1050, 5},   {1100, 5.5},
        {1150, 6},   {1300, 7},    {1325, 7.5}, {1350, 8},
        {1390, 8.5}, {1430, 9},    {2150, 18},
    };
    struct orr_iteration_progress c = orr__progress(1000, 4.5, 50, 80, &three);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        is_near(orr__progress_done(&c, (int64_t)points[i][0]), points[i][1]);
        is_near(orr__progress_when(&c, points[i][1]), points[i][0] - 1000);
    }
    is_near(orr__progress_when(&c, 4), 0); /* what is behind it */
}

static void rest_of_an_iteration(void **state)
{
    struct orr_iteration_progress c = orr__progress(1000, 4.5, 50, 80, &three);
    is_near(orr__progress_until_next(&c, 1000), 50);
    is_near(orr__progress_until_next(&c, 1049), 1);
    is_near(orr__progress_until_next(&c, 1050), 0); /* it begins one */
    is_near(orr__progress_until_next(&c, 1151), 149);
    is_near(orr__progress_until_next(&c, 1390), 40);
}

static void of_every_other_iteration(void **state)
{
    struct orr_iteration_progress c = orr__progress(0, 0, 0, 100, &pairs);
    is_near(orr__progress_done(&c, 100), 1);
    is_near(orr__progress_done(&c, 400), 3);
    is_near(orr__progress_done(&c, 700), 5);
    is_near(orr__progress_when(&c, 3.5), 500);
}

/* One that is in the middle of an iteration has to end it first. */
static void nothing_simulated(void **state)
{
    struct orr_iteration_progress c = orr__progress(10, 2.25, 75, 100, NULL);
    is_near(orr__progress_done(&c, 10), 2.25);
    is_near(orr__progress_done(&c, 60), 2.75);
    is_near(orr__progress_done(&c, 285), 5);
}

/* Times are whole ns: a job that has just begun an iteration seems to be a
 * little ahead, or behind. It never goes back, and loses nothing. */
static void rounded(void **state)
{
    struct orr_iteration_progress ahead =
        orr__progress(0, 3 + 1e-8, 0, 80, &three);
    assert_true(orr__progress_done(&ahead, 0) >= 3);
    assert_true(orr__progress_done(&ahead, 0) < 3.001);
    is_near(orr__progress_done(&ahead, 100), 4);
    assert_true(orr__progress_until_next(&ahead, 0) == 0);
    struct orr_iteration_progress behind =
        orr__progress(0, 4 - 1e-8, 1, 80, &three);
    is_near(orr__progress_done(&behind, 101), 5);
    assert_true(orr__progress_until_next(&behind, 0) <= 1);
    double before = 0;
    for (int64_t t = 0; t < 1000; t++) {
        double now = orr__progress_done(&ahead, t);
        assert_true(now >= before);
        before = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_simulated_then_at_its_mean),
        cmocka_unit_test(rest_of_an_iteration),
        cmocka_unit_test(of_every_other_iteration),
        cmocka_unit_test(nothing_simulated),
        cmocka_unit_test(rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
