#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/names.h"
#include "core/none.h"

static void test_found_again(void **state)
{
    enum { MANY = 3000 };
    static char text[MANY][16];
    struct orr_names n = {NULL, 0, 0};

    assert_int_equal(orr__names_find(&n, "name0"), ORR_NONE);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "name%u", i);
        assert_int_equal(orr__names_find(&n, text[i]), ORR_NONE);
        assert_true(orr__names_add(&n, text[i], 7 * i));
    }
    for (uint32_t i = 0; i < MANY; i++) {
        char same[16];

        snprintf(same, sizeof same, "name%u", i);
        assert_int_equal(orr__names_find(&n, same), 7 * i);
    }
    assert_int_equal(orr__names_find(&n, "name"), ORR_NONE);
    assert_int_equal(orr__names_find(&n, ""), ORR_NONE);
    orr__names_fini(&n);
}

/* What was there is there still when there is no room for more. */
static void test_no_memory(void **state)
{
    static char text[12][8];
    struct orr_names n = {NULL, 0, 0};
    uint32_t added = 0;

    for (uint32_t i = 0; i < 12; i++)
        snprintf(text[i], sizeof text[i], "n%u", i);
    assert_true(orr__names_add(&n, text[0], 0));
    orr__memory_fail_after(1, 1);
    for (added = 1; added < 12; added++)
        if (!orr__names_add(&n, text[added], added))
            break;
    assert_in_range(added, 8, 12);
    orr__memory_fail_after(0, 0);
    for (uint32_t i = 0; i < added; i++)
        assert_int_equal(orr__names_find(&n, text[i]), i);
    orr__names_fini(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
