#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/table.h"

static uint64_t key_of(uint32_t i)
{
    return (uint64_t)i * 0x9e3779b97f4a7c15u ^ (uint64_t)i << 32;
}

static void test_many(void **state)
{
    struct orr_table t = {NULL, 0, 0};

    assert_int_equal(orr__table_find(&t, 0), ORR_NONE);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(orr__table_find(&t, key_of(i)), ORR_NONE);
        assert_true(orr__table_add(&t, key_of(i), i));
    }
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(orr__table_find(&t, key_of(i)), i);
    assert_int_equal(orr__table_find(&t, key_of(5000)), ORR_NONE);
    orr__table_fini(&t);
    assert_int_equal(orr__table_find(&t, key_of(1)), ORR_NONE);
}

/* Without memory nothing changes. */
static void test_no_memory(void **state)
{
    struct orr_table t = {NULL, 0, 0};
    uint32_t there = 0;

    orr__memory_fail_after(1, 1);
    assert_false(orr__table_add(&t, 1, 1));
    orr__memory_fail_after(2, 1);
    while (orr__table_add(&t, key_of(there), there))
        there++;
    orr__memory_fail_after(0, 0);
    assert_in_range(there, 4, 8);
    for (uint32_t i = 0; i < there; i++)
        assert_int_equal(orr__table_find(&t, key_of(i)), i);
    assert_int_equal(orr__table_find(&t, key_of(there)), ORR_NONE);
    orr__table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
