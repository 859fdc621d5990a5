/* Numbers that are drawn: their moments, and what is refused. */
#include "tests/workload/cluster/small_cluster.h"

#include <math.h>

#include "tests/refused.h"
#include "workload/cluster/draw.h"

static orr_err read_draw(const char *text, bool times, struct orr_draw *d,
                         struct orr_report *why)
{
    struct orr_config *c;
    char yaml[256];
    snprintf(yaml, sizeof yaml, "x: %s\n", text);
    assert_int_equal(orr__config_parse("t.yaml", yaml, strlen(yaml), &c, why),
                     ORR_OK);
    orr_err err = orr__draw_read(c, orr__yaml_get(orr__config_root(c), "x"),
                                 times, "x", d, why);
    orr__config_free(c);
    return err;
}

/* Mean and standard deviation of 100,000 draws, each within five standard
 * errors; of the lognormal's deviation the error is larger. */
static void moments_are_as_asked(void **state)
{
    static const struct {
        const char *text;
        double mean, sd, near;
    } rows[] = {
        {"100", 100, 0, 1e-12},
        {"{exponential: {mean: 50}}", 50, 50, 0.05},
        {"{lognormal: {mean: 2000, sd: 3000}}", 2000, 3000, 0.15},
        {"{lognormal: {mean: 10, sd: 0}}", 10, 0, 1e-9},
        {"{uniform: {min: 10, max: 70}}", 40, 17.320508075688775, 0.02},
    };
    enum { N = 100000 };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct orr_draw d;
        struct orr_report why = {0};
        struct orr_random r;
        double sum = 0, squares = 0;
        if (read_draw(rows[i].text, false, &d, &why) != ORR_OK)
            fail_msg("%s", why.message);
        orr__random_init(&r, 1, i, ORR_PURPOSE_TEST);
        for (int k = 0; k < N; k++) {
            double v = orr__draw_number(&d, &r);
            assert_true(v > 0);
            sum += v;
            squares += (v - rows[i].mean) * (v - rows[i].mean);
        }
        double error = 5 * rows[i].sd / sqrt(N) + 1e-9 * rows[i].mean;
        assert_true(fabs(sum / N - rows[i].mean) < error);
        assert_true(fabs(sqrt(squares / N) - rows[i].sd)
                    <= rows[i].near * (rows[i].sd + 1));
    }
}

static void times_have_units(void **state)
{
    struct orr_draw d;
    struct orr_report why = {0};
    assert_int_equal(read_draw("2h", true, &d, &why), ORR_OK);
    assert_true(d.mean == 7200e9 && d.kind == ORR_DRAW_CONSTANT);
    assert_int_equal(
        read_draw("{uniform: {min: 1min, max: 3min}}", true, &d, &why), ORR_OK);
    assert_true(d.mean == 120e9 && d.spread == 60e9);
    /* beyond what picoseconds hold */
    assert_int_equal(read_draw("200d", true, &d, &why), ORR_OK);
    assert_true(d.mean == 200 * 86400e9);
}

static void whole_numbers_begin_at_one(void **state)
{
    struct orr_random r;
    struct orr_draw d = {.mean = 0.01}, huge = {.mean = 1e30};
    orr__random_init(&r, 1, 0, ORR_PURPOSE_TEST);
    assert_int_equal(orr__draw_integer(&d, &r), 1);
    d.mean = 2.6;
    assert_int_equal(orr__draw_integer(&d, &r), 3);
    assert_int_equal(orr__draw_integer(&huge, &r), INT64_C(1) << 62);
}

static void bad_ones_are_refused(void **state)
{
    static const struct {
        const char *text;
        bool times;
        const char *message;
    } rows[] = {
        {"0", false, "x: 0 is not above 0"},
        {"-3", false, "x: -3 is not above 0"},
        {"many", false, "x: not a number: \"many\""},
        {"[1]", false, "x: not a number"},
        {"5", true, "x: a unit is missing: write a time like 30s or 24h"},
        {"0s", true, "x: 0s is not above 0"},
        {"[1h]", true,
         "x: not a time: write a number and a unit, like 30s "
         "or 24h"},
        {"{lognormal: {mean: 1}}", false, "x.sd is missing"},
        {"{lognormal: {mean: 1, sd: -1}}", false, "x: -1 is not above 0"},
        {"{normal: {mean: 1}}", false,
         "x: a number, or one of lognormal, "
         "exponential and uniform, is expected"},
        {"{uniform: {min: 1, max: 2}, exponential: {mean: 1}}", false,
         "x: a number, or one of lognormal, exponential and uniform, is "
         "expected"},
        {"{uniform: {min: 2, max: 1}}", false, "x: max is less than min"},
        {"{exponential: {mean: 1, sd: 1}}", false, "unknown key \"sd\" in x"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct orr_draw d;
        struct orr_report why = {0};
        orr_err err = read_draw(rows[i].text, rows[i].times, &d, &why);
        assert_refused(err, &why,
                       (struct refused){i, rows[i].message, NULL, 1, 0});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_as_asked),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(whole_numbers_begin_at_one),
        cmocka_unit_test(bad_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
