/* Gates: who waits for what, and when a job is shifted. Messages of 100 KB take
 * 2.5 us here, so that an iteration is 2.5 us and what it computes. */
#include <stdio.h>

#include "core/memory.h"
#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

#define NS(x) ((x)*ORR_NS)
enum { ITERATIONS = 40 };

/* Iterations of two ranks that compute and exchange, behind this gate. */
static void play(struct fake *f, const char *compute, const char *gate,
                 int64_t end[ITERATIONS])
{
    char jobs[800];
    snprintf(jobs, sizeof jobs,
             "  - ranks: 2\n    iterations: %d\n    gate: %s\n    program:\n"
             "      - compute: %s\n"
             "      - parallel: [{send: {to: +1, size: 100KB}}, "
             "{recv: {from: +1}}]\n",
             ITERATIONS, gate, compute);
    orr_err err = fake_read(f, 2, jobs);
    f->w.options.control_delay_ps = ORR_US;
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
    fake_go(f);
    assert_int_equal(orr__jobs_close(&f->w, &f->why), ORR_OK);
    for (int i = 0; i < ITERATIONS; i++)
        end[i] = f->w.jobs[0].iteration[i].end_ps;
}

static void test_holds_each(void **state)
{
    struct fake f;
    int64_t end[ITERATIONS];
    play(&f, "1us", "{period: 10us, offset: 3us}", end);
    for (int i = 0; i < ITERATIONS; i++)
        assert_int_equal(end[i], NS(10000) * i + NS(5500));
    const struct orr_job *j = &f.w.jobs[0];
    assert_int_equal(j->shifts, 0);
    /* 2 us in the first, then 10 - 1 - 2.5 */
    assert_int_equal(j->rank[0].held_ps, NS(2000) + 39 * NS(6500));
    assert_int_equal(j->rank[1].held_ps, j->rank[0].held_ps);
    fake_free(&f);
}

static void test_holds_the_first(void **state)
{
    struct fake f;
    int64_t end[ITERATIONS];
    play(&f, "1us", "{period: 10us, offset: 3us, every: first}", end);
    for (int i = 0; i < ITERATIONS; i++)
        assert_int_equal(end[i], NS(5500) + NS(3500) * i);
    assert_int_equal(f.w.jobs[0].rank[0].held_ps, NS(2000));
    fake_free(&f);
}

/* An iteration takes 10.2 us, 0.2 more than the period: with the threshold at
 * 0.5 us the third is late by 0.6, and the fourth waits. */
static void test_shifts(void **state)
{
    struct fake f;
    int64_t end[ITERATIONS];
    play(&f, "7.7us", "{period: 10us, offset: 8us, drift: {most: unlimited}}",
         end);
    assert_int_equal(end[0], NS(10500));
    assert_int_equal(end[1], NS(20700));
    assert_int_equal(end[3], NS(41100));
    assert_int_equal(end[4], NS(60500)); /* it would be there at 48.8, late */
    assert_int_equal(end[8], NS(110500));
    assert_int_equal(f.w.jobs[0].shifts, 10);
    fake_free(&f);
}

static void test_shifts_seldom(void **state)
{
    struct fake f;
    int64_t end[ITERATIONS];
    play(&f, "7.7us", "{period: 10us, offset: 8us, drift: {most: 1 per 100us}}",
         end);
    assert_int_equal(end[4], NS(60500));
    /* late again at 98.8, 60 us after the first time; not before 138.6 */
    assert_int_equal(end[8], NS(101300));
    assert_int_equal(end[12], NS(142100));
    assert_int_equal(end[13], NS(160500));
    assert_int_equal(f.w.jobs[0].shifts, 5);
    fake_free(&f);
}

static void test_strict(void **state)
{
    struct fake f;
    int64_t end[ITERATIONS];
    play(&f, "7.7us", "{period: 10us, offset: 8us, drift: {threshold: 0%}}",
         end);
    for (int i = 0; i < ITERATIONS; i++)
        assert_int_equal(end[i], NS(20000) * i + NS(10500));
    fake_free(&f);
    play(&f, "7.7us", "{period: 10us, offset: 8us, drift: none}", end);
    for (int i = 0; i < ITERATIONS; i++)
        assert_int_equal(end[i], NS(10200) * i + NS(10500));
    fake_free(&f);
}

/* With `first` a job may slip either way. */
static void test_first_with_drift(void **state)
{
    struct fake f;
    int64_t end[ITERATIONS];
    play(&f, "7.3us",
         "{period: 10us, offset: 8us, every: first, "
         "drift: {most: unlimited}}",
         end);
    assert_int_equal(end[0], NS(10500)); /* 9.8 us each: 0.6 early at 37.4 */
    assert_int_equal(end[3], NS(39900));
    assert_int_equal(end[4], NS(50500));
    fake_free(&f);
    /* 0 %: 0.2 early at the second gate already, and at each that follows */
    play(&f, "7.3us",
         "{period: 10us, offset: 8us, every: first, "
         "drift: {threshold: 0%}}",
         end);
    for (int i = 0; i < ITERATIONS; i++)
        assert_int_equal(end[i], NS(10000) * i + NS(10500));
    assert_int_equal(f.w.jobs[0].shifts, 0);
    fake_free(&f);
}

/* Three turns in 31.2 us, unevenly apart: an iteration of 10.2 us is late for
 * the second by 0.4, and early for the third. */
static void test_times(void **state)
{
    struct fake f;
    int64_t end[ITERATIONS];
    play(&f, "7.7us", "{period: 31.2us, offset: 8us, times: [0s, 9.8us, 21us]}",
         end);
    for (int i = 0; i < ITERATIONS; i++) {
        static const int64_t at[] = {NS(10500), NS(20700), NS(31500)};
        assert_int_equal(end[i], NS(31200) * (i / 3) + at[i % 3]);
    }
    assert_int_equal(f.w.jobs[0].shifts, 0);
    fake_free(&f);
    /* thresholds are shares of 10.4 us */
    play(&f, "7.7us",
         "{period: 31.2us, offset: 8us, times: [0s, 9.8us, 21us], "
         "drift: {threshold: 3%, most: unlimited}}",
         end);
    assert_int_equal(f.w.jobs[0].shifts, 13);
    fake_free(&f);
    /* 30.5 us: it has the third turn at first, goes 10.5 us late for the second
     * of the next period, and is shifted to the third of the one after */
    play(&f, "28us",
         "{period: 31.2us, offset: 8us, times: [0s, 9.8us, 21us], "
         "drift: {most: unlimited}}",
         end);
    for (int i = 0; i < ITERATIONS; i++)
        assert_int_equal(end[i],
                         NS(62400) * (i / 2) + (i % 2 ? NS(62000) : NS(31500)));
    fake_free(&f);
}

static void test_nothing_to_hold(void **state)
{
    struct fake f;
    assert_int_equal(fake_read(&f, 2,
                               "  - ranks: 2\n    gate: {period: 1us}\n"
                               "    program: [compute: 1us]\n"),
                     ORR_ECONFIG);
    assert_non_null(strstr(f.why.message, "sends nothing"));
    fake_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_each),
        cmocka_unit_test(test_holds_the_first),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_shifts_seldom),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_first_with_drift),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_nothing_to_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
