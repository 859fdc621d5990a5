/* Periods that divide one another, and which of them are chosen. */
#include "tests/workload/schedule/circles.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "workload/schedule/fit.h"
#include "workload/schedule/periods.h"

/* Jobs on one link that each compute for a time and then ask for all of it. */
static void link_of(struct orr_circles *c, const int64_t *period,
                    const int64_t *busy, uint32_t n)
{
    struct orr_phase phase[8];
    struct orr_link_demand demand[8];
    const struct orr_link_demand *at[8];
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t j = 0; j < n; j++) {
        phase[j] = (struct orr_phase){period[j] - busy[j], busy[j], C50};
        demand[j] = (struct orr_link_demand){0, 1, &phase[j]};
        at[j] = &demand[j];
    }
    assert_int_equal(orr__circles_init(c, n, period, NULL), ORR_OK);
    assert_int_equal(orr__circles_contend(c, 0, C50, n, all, at, NULL), ORR_OK);
}

/* Every base in small steps, with multiples as small as they can be: no way is
 * better by more than a step makes. */
static void the_least_stretch_is_found(void **state)
{
    struct orr_random r;
    orr__random_init(&r, 21, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 60; i++) {
        uint32_t n = 2 + (uint32_t)i % 3;
        int64_t period[4], busy[4];
        bool in[4] = {true, true, true, true};
        struct orr_circles c;
        struct orr_periods all;
        for (uint32_t j = 0; j < n; j++) {
            period[j] = 1000000 + (int64_t)orr__random_below(&r, 5000000);
            busy[j] = 1000;
        }
        link_of(&c, period, busy, n);
        assert_int_equal(orr__periods_list(&c, in, &all, NULL), ORR_OK);
        assert_true(all.n > 0);
        for (uint32_t k = 1; k < all.n; k++)
            assert_true(all.choice[k - 1].stretch <= all.choice[k].stretch);
        for (uint32_t k = 0; k < all.n; k++) {
            assert_true(orr__periods_set(&c, in, &all.choice[k],
                                         all.choice[k].base_ps));
            for (uint32_t j = 0; j < n; j++)
                assert_true(c.period_ps[j] >= period[j]);
            assert_true(c.shared[0].perimeter_ps > 0);
        }
        /* multiples up to 8 at any base */
        for (int64_t base = 200000; base < 6100000; base += 1000) {
            double sum = 0;
            bool small = true;
            for (uint32_t j = 0; j < n; j++) {
                int64_t times = (period[j] + base - 1) / base;
                small = small && times <= 8;
                c.period_ps[j] = times * base;
                sum += (double)(times * base - period[j]) / (double)period[j];
            }
            if (small && orr__circles_measure(&c, NULL))
                assert_true(all.choice[0].stretch <= sum / n + 1e-9);
        }
        orr__periods_fini(&all);
        orr__circles_fini(&c);
    }
}

static double solved(struct orr_circles *c, struct orr_affinity *a)
{
    struct orr_report why = {0};
    if (orr__affinity_solve(c, 0, 1, a, &why))
        fail_msg("%s", why.message);
    return a->score;
}

/* Periods that are multiples of one base but for some parts in a thousand, as
 * estimates of iterations are, and volumes that fit side by side in the base:
 * turns exist, and periods are hardly longer. */
static void compatible_jobs_stay_compatible(void **state)
{
    struct orr_random r;
    orr__random_init(&r, 22, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 200; i++) {
        uint32_t n = 2 + (uint32_t)orr__random_below(&r, 4);
        int64_t base = 2000000 + (int64_t)orr__random_below(&r, 9000000);
        int64_t period[5], busy[5];
        struct orr_circles c;
        struct orr_affinity a;
        for (uint32_t j = 0; j < n; j++) {
            int64_t times = 1 + (int64_t)orr__random_below(&r, 3);
            period[j] = times * base
                        + (int64_t)orr__random_below(
                            &r, (uint64_t)(times * base / 1000));
            busy[j] = base * 9 / 10 / n;
        }
        link_of(&c, period, busy, n);
        assert_true(solved(&c, &a) > 1 - 1e-9);
        assert_true(a.part[0].grid.error < 0.0015);
        for (uint32_t j = 0; j < n; j++) {
            assert_true(c.period_ps[j] >= period[j]);
            assert_true((double)c.period_ps[j] < 1.0015 * (double)period[j]);
            assert_true(c.period_ps[j] % a.part[0].grid.step_ps == 0);
        }
        orr__affinity_fini(&a);
        orr__circles_fini(&c);
    }
}

/* What is lost together, longer periods and a link that is exceeded, is no more
 * than with any one base, its multiples, and the best rotation of two jobs. */
static void the_choice_is_the_least_together(void **state)
{
    struct orr_random r;
    orr__random_init(&r, 23, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 60; i++) {
        int64_t period[2], busy[2];
        struct orr_circles c;
        struct orr_affinity a;
        for (uint32_t j = 0; j < 2; j++) {
            period[j] = 2000000 + (int64_t)orr__random_below(&r, 4000000);
            busy[j] = period[j] / 10
                      + (int64_t)orr__random_below(&r, (uint64_t)period[j] / 2);
        }
        link_of(&c, period, busy, 2);
        double got = 1 - solved(&c, &a);
        for (uint32_t j = 0; j < 2; j++)
            got += ((double)c.period_ps[j] / (double)period[j] - 1) / 2;
        /* both take turns in the longer one's period, if that has room */
        int64_t longer = period[0] > period[1] ? period[0] : period[1];
        double one = 0;
        for (uint32_t j = 0; j < 2; j++)
            one += ((double)longer / (double)period[j] - 1) / 2;
        if (busy[0] + busy[1] <= longer)
            assert_true(got <= one + 1e-6);
        orr__affinity_fini(&a);
        orr__circles_fini(&c);
    }
}

/* Two jobs of 4 of 6 each: in 8 they take turns. */
static void longer_periods_are_the_shortest_that_hold(void **state)
{
    const int64_t period[] = {6000000, 6000000, 12000000};
    const int64_t busy[] = {4000000, 4000000, 1000000};
    const double alone[] = {6e6, 6e6, 12e6};
    struct orr_fit_limits limits = {alone, 2, 2, 0};
    struct orr_circles c;
    struct orr_affinity a;
    bool found;
    link_of(&c, period, busy, 2);
    assert_true(fabs(solved(&c, &a) - 2 / 3.0) < 1e-9);
    assert_int_equal(orr__fit_turns(&c, &a, 0, &limits, &found, NULL), ORR_OK);
    assert_true(found);
    assert_true(c.period_ps[0] == 8000000 && c.period_ps[1] == 8000000);
    limits.mean = 1.3;
    assert_int_equal(orr__fit_turns(&c, &a, 0, &limits, &found, NULL), ORR_OK);
    assert_false(found);
    limits = (struct orr_fit_limits){alone, 2, 1.3, 0};
    assert_int_equal(orr__fit_turns(&c, &a, 0, &limits, &found, NULL), ORR_OK);
    assert_false(found);
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
    /* a third one: 9 and 9 and 18 */
    link_of(&c, period, busy, 3);
    (void)solved(&c, &a);
    limits = (struct orr_fit_limits){alone, 2, 2, 0};
    assert_int_equal(orr__fit_turns(&c, &a, 0, &limits, &found, NULL), ORR_OK);
    assert_true(found);
    assert_true(llabs(c.period_ps[0] - 9000000) < 90000);
    assert_true(c.period_ps[2] == 2 * c.period_ps[0]);
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

static void memory_may_run_out(void **state)
{
    const int64_t period[] = {6000001, 6000000, 12000007};
    const int64_t busy[] = {4000000, 4000000, 1000000};
    const double alone[] = {6e6, 6e6, 12e6};
    const struct orr_fit_limits limits = {alone, 2, 2, 0};
    struct orr_circles c;
    struct orr_affinity a;
    bool found;
    link_of(&c, period, busy, 3);
    (void)solved(&c, &a);
    for (int longer = 0; longer < 2; longer++) {
        orr_err err = ORR_ENOMEM;
        for (uint64_t n = 1; err; n += 1 + n / 16) {
            orr__memory_fail_after(n, 0);
            err = longer ? orr__fit_turns(&c, &a, 0, &limits, &found, NULL)
                         : orr__fit_periods(&c, &a, 0, NULL);
            orr__memory_fail_after(0, 0);
            assert_true(!err || err == ORR_ENOMEM);
        }
    }
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_stretch_is_found),
        cmocka_unit_test(compatible_jobs_stay_compatible),
        cmocka_unit_test(the_choice_is_the_least_together),
        cmocka_unit_test(longer_periods_are_the_shortest_that_hold),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
