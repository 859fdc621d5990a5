/* Means, intervals and paired differences, beside numbers from tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "tests/study/compare/trials.h"

static void near(double is, double wanted)
{
    assert_true(fabs(is - wanted) < 5e-4 * fabs(wanted));
}

/* Of 1 to 5 the standard deviation is sqrt(2.5), and t of 4 degrees of freedom
 * is 2.776 at 97.5 %. */
static void intervals_are_students(void **state)
{
    struct made m;
    make(&m, (const double[]){1, 2, 3, 4, 5}, 5);
    struct orr_estimated e = orr__study_estimate(&m.cell, 0);
    assert_int_equal(e.n, 5);
    near(e.mean, 3);
    near(e.half, 2.776 * sqrt(2.5) / sqrt(5));
    make(&m, (const double[]){10, 12}, 2);
    e = orr__study_estimate(&m.cell, 0);
    near(e.half, 12.706); /* t of one degree, times a deviation of 1 */
    make(&m, (const double[]){7}, 1);
    e = orr__study_estimate(&m.cell, 0);
    assert_true(e.n == 1 && e.mean == 7 && isnan(e.half));
    make(&m, (const double[]){7, 7, 7}, 3);
    e = orr__study_estimate(&m.cell, 0);
    assert_true(e.mean == 7 && e.half == 0);
}

/* One seed, or several with equal results, know no more than each run. */
static void a_run_may_know_its_own_interval(void **state)
{
    struct made a, b;
    make(&a, (const double[]){7}, 1);
    make(&b, (const double[]){9}, 1);
    a.half[0] = 3;
    assert_true(orr__study_estimate(&a.cell, 0).half == 3);
    /* of one alone there is none of the difference */
    assert_true(isnan(orr__study_change(&b.cell, &a.cell, 0).half));
    b.half[0] = 4;
    struct orr_estimated d = orr__study_change(&b.cell, &a.cell, 0);
    assert_true(d.n == 1 && d.mean == 2 && d.half == 5);
    make(&a, (const double[]){7, 7, 7}, 3);
    a.half[0] = a.half[1] = a.half[2] = 0.5;
    assert_true(orr__study_estimate(&a.cell, 0).half == 0.5);
    /* seeds that differ say how far */
    make(&a, (const double[]){10, 12}, 2);
    a.half[0] = a.half[1] = 0.5;
    near(orr__study_estimate(&a.cell, 0).half, 12.706);
}

static void failures_are_left_out(void **state)
{
    struct made m;
    make(&m, (const double[]){1, NAN, 3}, 3);
    struct orr_estimated e = orr__study_estimate(&m.cell, 0);
    assert_true(e.n == 2 && e.mean == 2);
    make(&m, (const double[]){NAN}, 1);
    e = orr__study_estimate(&m.cell, 0);
    assert_true(e.n == 0 && isnan(e.mean) && isnan(e.half));
}

/* The seeds differ by more than the two cells do; the pairs do not. */
static void differences_are_paired_by_seed(void **state)
{
    struct made a, b;
    make(&a, (const double[]){100, 200, 300, 400}, 4);
    make(&b, (const double[]){101, 202, 301, 402}, 4);
    struct orr_estimated d = orr__study_change(&b.cell, &a.cell, 0);
    assert_int_equal(d.n, 4);
    near(d.mean, 1.5);
    near(d.half, 3.182 * sqrt(1.0 / 3) / 2);
    assert_true(d.mean > d.half);
    /* only seeds that both have */
    make(&a, (const double[]){100, NAN, 300}, 3);
    d = orr__study_change(&b.cell, &a.cell, 0);
    assert_true(d.n == 2 && d.mean == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_students),
        cmocka_unit_test(a_run_may_know_its_own_interval),
        cmocka_unit_test(failures_are_left_out),
        cmocka_unit_test(differences_are_paired_by_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
