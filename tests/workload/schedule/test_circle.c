/* Unified circles: the rounding, the score, and the published grid. */
#include "tests/workload/schedule/circles.h"

#include <math.h>

#include "core/memory.h"

static void near(double a, double b)
{
    if (fabs(a - b) > 1e-9)
        fail_msg("%.12g is not %.12g", a, b);
}

static int64_t perimeter(const struct on_off *job, uint32_t n, double *error)
{
    struct orr_circles c;
    struct orr_grid grid;
    one_link(&c, job, n);
    assert_true(orr__circles_round(&c, NULL, 0, &grid));
    int64_t p = c.shared[0].perimeter_ps;
    *error = grid.error;
    orr__circles_fini(&c);
    return p;
}

static void perimeters_are_common_multiples(void **state)
{
    double e;
    assert_true(
        perimeter((struct on_off[]){{20, 20, C50}, {40, 20, C50}}, 2, &e)
        == 120 * ORR_MS);
    near(e, 0);
    assert_true(
        perimeter((struct on_off[]){{50, 50, 1}, {50, 50, 1}, {50, 50, 1}}, 3,
                  &e)
        == 100 * ORR_MS);
    near(e, 0);
}

static void periods_that_do_not_divide_are_rounded_up(void **state)
{
    struct orr_circles c;
    struct orr_grid grid;
    const struct on_off job[] = {{131, 135, C50}, {139, 134, C50}};
    one_link(&c, job, 2); /* 266 and 273: 7 * 38 and 7 * 39 */
    assert_true(orr__circles_round(&c, NULL, 0, &grid));
    assert_true(c.shared[0].perimeter_ps == 7 * 38 * 39 * ORR_MS);
    near(grid.error, 0);
    c.iteration_ps[0] += 1;
    c.iteration_ps[1] += 1;
    assert_true(orr__circles_round(&c, NULL, 0, &grid));
    assert_true(grid.error > 0 && grid.error < 0.02);
    for (int j = 0; j < 2; j++) {
        assert_true(c.period_ps[j] >= c.iteration_ps[j]);
        assert_true(c.period_ps[j] % grid.step_ps == 0);
    }
    assert_true(orr__circles_round(&c, NULL, 25 * ORR_MS, &grid));
    assert_true(c.shared[0].perimeter_ps == 275 * ORR_MS);
    near(grid.error, (275 * (double)ORR_MS - (double)c.iteration_ps[0])
                         / (double)c.iteration_ps[0]);
    assert_false(orr__circles_round(&c, NULL, 1, &grid));
    orr__circles_fini(&c);
}

static void what_exceeds_is_added_up_exactly(void **state)
{
    struct orr_circles c;
    struct orr_grid grid;
    int64_t shift[2] = {0, 0};
    const struct on_off job[] = {{20, 20, C50}, {40, 20, C50}};
    one_link(&c, job, 2);
    assert_true(orr__circles_round(&c, NULL, 0, &grid));
    for (shift[1] = 0; shift[1] < 60 * ORR_MS; shift[1] += 7 * ORR_MS / 3)
        near(orr__circle_score(&c, &c.shared[0], shift), 5.0 / 6);
    shift[1] = 0;
    for (shift[0] = 0; shift[0] < 40 * ORR_MS; shift[0] += ORR_MS)
        near(orr__circle_score(&c, &c.shared[0], shift), 5.0 / 6);
    orr__circles_fini(&c);
}

/* By brute force: the demand of every picosecond of small circles. */
static void the_sum_is_that_of_every_instant(void **state)
{
    struct orr_phase p0[] = {{0, 3, 7}, {3, 2, 4}, {9, 3, 9}};
    struct orr_phase p1[] = {{2, 5, 6}, {14, 4, 8}};
    const struct orr_link_demand d[] = {{0, 3, p0}, {0, 2, p1}};
    const struct orr_link_demand *at[] = {&d[0], &d[1]};
    struct orr_circles c;
    struct orr_grid grid;
    assert_int_equal(orr__circles_init(&c, 2, (int64_t[]){12, 18}, NULL),
                     ORR_OK);
    assert_int_equal(
        orr__circles_contend(&c, 0, 8, 2, (uint32_t[]){0, 1}, at, NULL),
        ORR_OK);
    assert_true(orr__circles_round(&c, NULL, 1, &grid));
    assert_true(c.shared[0].perimeter_ps == 36);
    for (int64_t a = 0; a < 12; a++)
        for (int64_t b = 0; b < 18; b++) {
            uint64_t sum = 0;
            for (int64_t t = 0; t < 36; t++) {
                uint64_t r = orr__turn_rate(&c.shared[0].turn[0], 12, a, t)
                             + orr__turn_rate(&c.shared[0].turn[1], 18, b, t);
                sum += r > 8 ? r - 8 : 0;
            }
            unsigned __int128 e = orr__circle_excess(
                &c, &c.shared[0], (int64_t[]){a, b}, ~(unsigned __int128)0);
            assert_int_equal((uint64_t)e, sum);
        }
    orr__circles_fini(&c);
}

static void the_published_grid_gives_its_answers(void **state)
{
    static const struct {
        struct on_off job[3];
        uint32_t n;
        double score, shift_ms;
    } row[] = {
        {{{50, 50, C50}, {50, 50, C50}}, 2, 1, 50},
        {{{50, 50, C50}, {50, 50, C50}, {50, 50, C50}}, 3, 0.5, 0},
        {{{80, 40, C50}, {80, 40, C50}, {80, 40, C50}}, 3, 1, 40},
        {{{20, 20, C50}, {40, 20, C50}}, 2, 5.0 / 6, 0},
        {{{20, 20, C50 / 2}, {40, 20, C50 / 2}}, 2, 1, 0},
        {{{141, 114, C50}, {141, 114, C50}}, 2, 1, 255 * 32 / 72.0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct orr_circles c;
        struct orr_grid grid;
        int64_t shift[3] = {0};
        double score;
        one_link(&c, row[i].job, row[i].n);
        assert_true(orr__circles_round(&c, NULL, 0, &grid));
        assert_true(orr__circle_published(&c, &c.shared[0], shift, &score));
        near(score, row[i].score);
        near((double)shift[1] / 1e9, row[i].shift_ms);
        orr__circles_fini(&c);
    }
}

/* Whoever asked for circles frees what he has, whether or not he got them. */
static void no_memory_for_circles(void **state)
{
    for (uint64_t n = 1; n <= 2; n++) {
        struct orr_circles c;
        orr__memory_fail_after(n, 0);
        assert_int_equal(orr__circles_init(&c, 2, (int64_t[]){12, 18}, NULL),
                         ORR_ENOMEM);
        orr__memory_fail_after(0, 0);
        assert_null(c.iteration_ps);
        assert_null(c.period_ps);
        orr__circles_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perimeters_are_common_multiples),
        cmocka_unit_test(periods_that_do_not_divide_are_rounded_up),
        cmocka_unit_test(what_exceeds_is_added_up_exactly),
        cmocka_unit_test(the_sum_is_that_of_every_instant),
        cmocka_unit_test(the_published_grid_gives_its_answers),
        cmocka_unit_test(no_memory_for_circles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
