/* How far a combination is from the interval that was asked for, and how many
 * seeds it lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "tests/study/compare/trials.h"

static struct orr_compare until(double share, uint32_t most)
{
    return (struct orr_compare){.m = {.until = share, .most_seeds = most}};
}

static enum orr_until_state state_of(const struct orr_compare *c,
                                     const struct made *m)
{
    struct orr_until u = orr__study_until(c, &m->cell);
    assert_true(u.state == ORR_UNTIL_OPEN || !orr__until_more(c, &m->cell));
    return u.state;
}

/* Half of the interval of 10 and 12 is 12.706, that of 11, 11, 11, 11.1 0.08 */
static void seeds_are_added_while_it_is_wide(void **state)
{
    struct orr_compare c = until(0.02, 30);
    struct made m;
    make(&m, (const double[]){10, 12}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_OPEN);
    assert_true(fabs(orr__study_until(&c, &m.cell).width - 12.706 / 11) < 1e-4);
    assert_int_equal(orr__until_more(&c, &m.cell), 2); /* as many again */
    make(&m, (const double[]){11, 11, 11, 11.1}, 4);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_REACHED);
    make(&m, (const double[]){7}, 1);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_OPEN);
    assert_int_equal(orr__until_more(&c, &m.cell), 1);
    c = until(0.02, 2);
    make(&m, (const double[]){10, 12}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_MOST);
}

static void more_seeds_would_not_help(void **state)
{
    struct orr_compare c = until(0.02, 30);
    struct made m;
    make(&m, (const double[]){-1, 1}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_ZERO);
    make(&m, (const double[]){0, 0}, 2); /* known exactly */
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_REACHED);
    make(&m, (const double[]){10, NAN}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_FAILED);
    m.trial[1].state = ORR_TRIAL_MISSING;
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_MISSING);
    m.trial[0].state = ORR_TRIAL_FAILED;
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_FAILED);
    make(&m, (const double[]){10, 12}, 2);
    m.value[1] = NAN; /* a run that has no such figure */
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_are_added_while_it_is_wide),
        cmocka_unit_test(more_seeds_would_not_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
