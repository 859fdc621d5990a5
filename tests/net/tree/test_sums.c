/* Sums know who is in them, nobody twice, and are kept while somebody may ask
 * for them again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/tree/tree.h"

static void test_nobody_twice(void **state)
{
    struct orr_sums s = {0};
    struct orr_sum *x;
    bool old;

    assert_true(orr__sums_init(&s, 200, 4, true));
    assert_null(orr__sum_find(&s, 7, &old));
    assert_false(old);
    x = orr__sum_open(&s, 7);
    assert_int_equal(orr__sum_take(&s, x, 3, 4), ORR_OVERLAP_NONE);
    assert_int_equal(orr__sum_take(&s, x, 3, 4), ORR_OVERLAP_ALL);
    /* over the limits of words */
    assert_int_equal(orr__sum_take(&s, x, 60, 130), ORR_OVERLAP_NONE);
    assert_int_equal(orr__sum_take(&s, x, 128, 131), ORR_OVERLAP_SOME);
    assert_int_equal(orr__sum_take(&s, x, 64, 128), ORR_OVERLAP_ALL);
    assert_int_equal(orr__sum_take(&s, x, 130, 200), ORR_OVERLAP_NONE);
    assert_int_equal(x->count, 1 + 70 + 70);
    assert_int_equal(orr__sum_take(&s, x, 4, 60), ORR_OVERLAP_NONE);
    assert_int_equal(orr__sum_take(&s, x, 0, 3), ORR_OVERLAP_NONE);
    assert_int_equal(x->count, 200);
    assert_ptr_equal(orr__sum_find(&s, 7, &old), x);
    orr__sums_free(&s);
}

/* Two versions of each slot: the older one makes room, and is old from then on.
 */
static void test_versions(void **state)
{
    struct orr_sums s = {0};
    bool old;

    assert_true(orr__sums_init(&s, 2, 8, true));
    assert_int_equal(s.capacity, 16);
    orr__sum_open(&s, 5)->state = ORR_SUM_DONE;
    orr__sum_open(&s, 13)->state = ORR_SUM_DONE;
    assert_non_null(orr__sum_find(&s, 5, &old));
    assert_non_null(orr__sum_find(&s, 13, &old));
    assert_non_null(orr__sum_open(&s, 21));
    assert_null(orr__sum_find(&s, 5, &old));
    assert_true(old);
    assert_non_null(orr__sum_find(&s, 13, &old));
    /* numbers go round */
    assert_non_null(orr__sum_open(&s, UINT32_MAX));
    assert_non_null(orr__sum_open(&s, 15));
    assert_null(orr__sum_find(&s, UINT32_MAX, &old));
    assert_true(old);
    orr__sums_free(&s);
}

/* Without fixed slots what not everybody has is kept, however many there are.
 */
static void test_kept(void **state)
{
    struct orr_sums s = {0};
    bool old;

    assert_true(orr__sums_init(&s, 70, 1000000, false));
    for (uint32_t i = 0; i < 100; i++) {
        struct orr_sum *x = orr__sum_open(&s, i);

        assert_int_equal(orr__sum_take(&s, x, i % 70, i % 70 + 1),
                         ORR_OVERLAP_NONE);
        x->state = ORR_SUM_DONE;
    }
    assert_true(s.capacity >= 100);
    for (uint32_t i = 0; i < 100; i++) {
        struct orr_sum *x = orr__sum_find(&s, i, &old);

        assert_non_null(x);
        assert_int_equal(orr__sum_overlap(&s, x, i % 70, i % 70 + 1),
                         ORR_OVERLAP_ALL);
        assert_int_equal(x->count, 1);
    }
    s.kept = 100;
    for (uint32_t i = 100; i < 200; i++)
        orr__sum_open(&s, i)->state = ORR_SUM_DONE;
    assert_int_equal(s.capacity, 128);
    assert_null(orr__sum_find(&s, 3, &old));
    assert_true(old);
    orr__sums_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_twice),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
