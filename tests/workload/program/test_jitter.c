#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/units.h"
#include "workload/program/jitter.h"

static orr_err read_jitter(const char *text, struct orr_jitter *j,
                           struct orr_report *why)
{
    struct orr_config *c;
    memset(why, 0, sizeof *why);
    orr_err err = orr__config_parse("j.yaml", text, strlen(text), &c, why);
    assert_int_equal(err, ORR_OK);
    err = orr__jitter_read(c, orr__yaml_get(orr__config_root(c), "jitter"), j,
                           why);
    orr__config_free(c);
    return err;
}

static void test_reading(void **state)
{
    struct orr_jitter j;
    struct orr_report why;
    assert_int_equal(read_jitter("a: 1\n", &j, &why), ORR_OK);
    assert_int_equal(j.kind, ORR_JITTER_NONE);
    assert_int_equal(read_jitter("jitter: {kind: none}\n", &j, &why), ORR_OK);
    assert_int_equal(
        read_jitter("jitter: {kind: uniform, spread: 10us}\n", &j, &why),
        ORR_OK);
    assert_int_equal(j.kind, ORR_JITTER_UNIFORM);
    assert_int_equal(j.spread_ps, 10 * ORR_US);
    assert_int_equal(
        read_jitter("jitter: {kind: normal, spread: 0.25}\n", &j, &why),
        ORR_OK);
    assert_float_equal(j.share, 0.25, 0);
}

static void test_bad_input(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"jitter: {kind: normal}\n",
         "jitter needs `spread`: a time or a number"},
        {"jitter: {kind: normal, spread: -1}\n",
         "spread -1 is out of range 0 to 1000"},
        {"jitter: {kind: gauss, spread: 1us}\n",
         "jitter.kind: \"gauss\" is not one of none, normal, lognormal, "
         "uniform or exponential"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct orr_jitter j;
        struct orr_report why;
        assert_int_equal(read_jitter(bad[i].text, &j, &why), ORR_ECONFIG);
        assert_string_equal(why.message, bad[i].message);
    }
}

static void moments(const struct orr_jitter *j, int64_t time, double *mean,
                    double *deviation)
{
    enum { N = 20000 };
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < N; i++) {
        int64_t t = orr__jitter_draw(j, time, 7, i);
        assert_true(t >= 0);
        assert_int_equal((t - time) % ORR_NS, 0);
        sum += (double)t;
        squares += (double)t * (double)t;
    }
    *mean = sum / N;
    *deviation = sqrt(squares / N - *mean * *mean);
}

/* Mean and deviation are as documented, within five standard errors or so. */
static void test_distributions(void **state)
{
    const int64_t time = ORR_MS + 123; /* not a whole nanosecond */
    const double ms = 1e9, s = 1e8;
    static const struct {
        int kind;
        double mean, deviation;
    } want[] = {
        {ORR_JITTER_NONE, 0, 0},        {ORR_JITTER_NORMAL, 0, 1},
        {ORR_JITTER_LOGNORMAL, 0, 1},   {ORR_JITTER_UNIFORM, 0, 0.57735},
        {ORR_JITTER_EXPONENTIAL, 1, 1},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        for (int share = 0; share < 2; share++) {
            struct orr_jitter j = {want[i].kind, ORR_MS / 10, 0};
            double mean, deviation;
            if (share)
                j.spread_ps = 0, j.share = 0.1;
            moments(&j, time, &mean, &deviation);
            assert_float_equal(mean, ms + s * want[i].mean, 0.04 * s);
            assert_float_equal(deviation, s * want[i].deviation, 0.05 * s);
        }
}

static void test_never_below_zero(void **state)
{
    const struct orr_jitter j = {ORR_JITTER_NORMAL, ORR_MS, 0};
    uint32_t zeros = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        int64_t t = orr__jitter_draw(&j, 10 * ORR_US, 1, i);
        assert_true(t >= 0);
        zeros += t == 0;
    }
    assert_in_range(zeros, 400, 600);
}

static void test_draws_belong_to_their_name(void **state)
{
    const struct orr_jitter j = {ORR_JITTER_UNIFORM, ORR_MS, 0};
    int64_t a = orr__jitter_draw(&j, ORR_S, 1, 5);
    assert_int_equal(a, orr__jitter_draw(&j, ORR_S, 1, 5));
    assert_int_not_equal(a, orr__jitter_draw(&j, ORR_S, 1, 6));
    assert_int_not_equal(a, orr__jitter_draw(&j, ORR_S, 2, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_never_below_zero),
        cmocka_unit_test(test_draws_belong_to_their_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
