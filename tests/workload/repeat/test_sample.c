#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "workload/rank/rank.h"
#include "workload/repeat/sample.h"

enum { ITERATIONS = 400 };

static struct orr_iteration one[ITERATIONS], two[ITERATIONS];
static struct orr_tally tally[2] = {{.iteration = one}, {.iteration = two}};
static struct orr_tally *tallies[] = {&tally[0], &tally[1]};
static struct orr_rank ranks[2] = {{.iteration = ITERATIONS},
                                   {.iteration = 300}};
static struct orr_team team = {.rank = ranks, .tally = tallies, .ranks = 2};
static struct orr_job job = {
    .ranks = 2, .iterations = ITERATIONS, .start_ps = 1000, .team = &team};

/* Iterations of mean + drift * i / 100 ps, and noise. The two workers end them
 * at different times; the later counts. */
static void make(double mean, double drift, double noise)
{
    struct orr_random r;
    int64_t end = job.start_ps;

    orr__random_init(&r, 7, 1, ORR_PURPOSE_TEST);
    for (int i = 0; i < ITERATIONS; i++) {
        double x =
            mean + drift * i / 100 + noise * (orr__random_unit(&r) - 0.5);

        end += (int64_t)(1e6 * x);
        one[i].end_ps = i % 3 ? end : end - 500;
        two[i].end_ps = i % 3 ? end - 200 : end;
    }
}

static void test_ends(void **state)
{
    make(1, 0, 0);
    assert_int_equal(orr__job_ended(&job), 300);
    assert_int_equal(orr__job_end_of(&job, 2, -1), 1000);
    assert_int_equal(orr__job_end_of(&job, 2, 0), 1001000);
    assert_int_equal(orr__job_end_of(&job, 2, 1), 2001000);
    assert_int_equal(orr__job_end_of(&job, 1, 0), 1000500);
}

static void test_even(void **state)
{
    struct orr_sample s;

    make(5, 0, 0);
    assert_int_equal(orr__sample(&job, 2, 0, 100, 0.01, &s), ORR_OK);
    assert_int_equal(s.n, 100);
    assert_true(fabs(s.mean_ps - 5e6) < 1);
    assert_true(s.half_ps < 1 && s.deviation_ps < 1);
    assert_true(s.stationary);
    /* too few to say anything */
    assert_int_equal(orr__sample(&job, 2, 0, 2, 0.01, &s), ORR_OK);
    assert_false(s.stationary);
}

/* The interval has the mean in it, and becomes smaller with more of them. */
static void test_noise(void **state)
{
    struct orr_sample few, many;

    make(5, 0, 2);
    assert_int_equal(orr__sample(&job, 2, 0, 24, 0.01, &few), ORR_OK);
    assert_int_equal(orr__sample(&job, 2, 0, 384, 0.01, &many), ORR_OK);
    assert_true(fabs(few.mean_ps - 5e6) < few.half_ps);
    assert_true(fabs(many.mean_ps - 5e6) < many.half_ps);
    assert_true(many.half_ps < few.half_ps / 2);
    assert_true(many.stationary);
    assert_true(fabs(many.deviation_ps - 2e6 / sqrt(12)) < 5e4);
}

/* A drift that is larger than what does not matter is seen through the noise;
 * one that is smaller is none. */
static void test_drift(void **state)
{
    struct orr_sample s;

    make(5, 1, 1);
    assert_int_equal(orr__sample(&job, 2, 0, 300, 0.01, &s), ORR_OK);
    assert_false(s.stationary);
    assert_true(fabs(s.drift_ps - 3e6) < 5e5);
    make(5, 0.01, 0);
    assert_int_equal(orr__sample(&job, 2, 0, 300, 0.01, &s), ORR_OK);
    assert_true(s.stationary);
}

static void test_memory(void **state)
{
    struct orr_sample s;

    orr__memory_fail_after(1, 0);
    assert_int_equal(orr__sample(&job, 2, 0, 10, 0.01, &s), ORR_ENOMEM);
    orr__memory_fail_after(0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),   cmocka_unit_test(test_even),
        cmocka_unit_test(test_noise),  cmocka_unit_test(test_drift),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
