/* Sets of jobs that were asked about are found by their names, each as often as
 * its part says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cluster/known_sets.h"

/* Three sets: the first two go the same ways, the last two are of the same
 * kinds, one of its own template. */
static const struct orr_known_set sights[] = {
    {.key = 11, .like = {1, 5}, .n = 2},
    {.key = 12, .like = {1, 6}, .n = 2},
    {.key = 13, .like = {2, 6}, .n = 3},
};
static const struct orr_known_set_job jobs[][3] = {
    {{.template = 0, .baseline_ps = 1}, {.template = 1, .baseline_ps = 2}},
    {{.template = 0, .baseline_ps = 3}, {.template = 0, .baseline_ps = 4}},
    {{.template = 1, .baseline_ps = 5},
     {.template = 0, .baseline_ps = 6},
     {.template = 2, .baseline_ps = 7}},
};

static int fill(void **state)
{
    static struct orr_known_sets s;
    s = (struct orr_known_sets){.n = 0};
    for (int i = 0; i < 3; i++)
        assert_int_equal(orr__known_sets_add(&s, &sights[i], jobs[i], NULL),
                         ORR_OK);
    *state = &s;
    return 0;
}

static int empty(void **state)
{
    orr__known_sets_fini(*state);
    return 0;
}

static void names_are_counted(void **state)
{
    const struct orr_known_sets *s = *state;
    assert_true(orr__known_sets_has(s, 11));
    assert_true(orr__known_sets_has(s, 13));
    assert_false(orr__known_sets_has(s, 14));
    assert_int_equal(orr__known_sets_like(s, ORR_LIKE_PATHS, 1), 2);
    assert_int_equal(orr__known_sets_like(s, ORR_LIKE_PATHS, 2), 1);
    assert_int_equal(orr__known_sets_like(s, ORR_LIKE_PATHS, 6), 0);
    assert_int_equal(orr__known_sets_like(s, ORR_LIKE_KINDS, 6), 2);
}

static void each_has_an_equal_part(void **state)
{
    const struct orr_known_sets *s = *state;
    assert_int_equal(orr__known_sets_pick(s, ORR_LIKE_PATHS, 1, 0)->key, 11);
    assert_int_equal(orr__known_sets_pick(s, ORR_LIKE_PATHS, 1, 0.49)->key, 11);
    assert_int_equal(orr__known_sets_pick(s, ORR_LIKE_PATHS, 1, 0.5)->key, 12);
    assert_int_equal(orr__known_sets_pick(s, ORR_LIKE_PATHS, 1, 1)->key, 12);
    assert_int_equal(orr__known_sets_pick(s, ORR_LIKE_KINDS, 6, 0)->key, 12);
    assert_int_equal(orr__known_sets_pick(s, ORR_LIKE_KINDS, 6, 0.9)->key, 13);
    assert_null(orr__known_sets_pick(s, ORR_LIKE_KINDS, 7, 0));
}

static void jobs_are_found_in_any_company(void **state)
{
    const struct orr_known_sets *s = *state;
    static const double alone[] = {1, 3, 4, 6};
    const struct orr_known_set *from;
    for (int i = 0; i < 4; i++) {
        uint32_t at = orr__known_sets_pick_job(s, 0, (i + 0.5) / 4, &from);
        assert_true(s->job[at].baseline_ps == alone[i]);
        assert_true(at >= from->first && at < from->first + from->n);
    }
    uint32_t at = orr__known_sets_pick_job(s, 2, 0.3, &from);
    assert_true(s->job[at].baseline_ps == 7);
    assert_int_equal(from->key, 13);
    assert_int_equal(orr__known_sets_pick_job(s, 3, 0.3, &from), UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_counted),
        cmocka_unit_test(each_has_an_equal_part),
        cmocka_unit_test(jobs_are_found_in_any_company),
    };
    return cmocka_run_group_tests(tests, fill, empty);
}
