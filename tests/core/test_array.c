#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/array.h"
#include "core/memory.h"

static void test_grows_and_keeps(void **state)
{
    uint64_t *a = NULL;
    uint32_t room = 0, steps = 0;

    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t had = room;

        assert_true(orr__array_more(a, room, i));
        assert_true(room > i);
        steps += room != had;
        a[i] = 3 * (uint64_t)i;
    }
    assert_true(steps <= 12); /* 8, 16, ... 16384 */
    for (uint32_t i = 0; i < 10000; i++)
        assert_true(a[i] == 3 * (uint64_t)i);
    orr__free(a);
}

/* As many as are wanted, where that is more than twice as many as before; none
 * is enough for none. */
static void test_many_at_once(void **state)
{
    uint16_t *a = NULL;
    size_t room = 0;

    assert_true(orr__array_room(a, room, 0));
    assert_null(a);
    assert_true(orr__array_room(a, room, 1000));
    assert_int_equal(room, 1000);
    assert_true(orr__array_room(a, room, 1001));
    assert_int_equal(room, 2000);
    assert_true(orr__array_room(a, room, 7));
    assert_int_equal(room, 2000);
    orr__free(a);
}

/* Room is never more than its type can say. */
static void test_narrow_count(void **state)
{
    char *a = NULL;
    uint8_t room = 0;

    for (unsigned i = 0; i < 255; i++) {
        assert_true(orr__array_more(a, room, i));
        assert_true(room > i);
        a[i] = (char)i;
    }
    assert_int_equal(room, 255);
    assert_false(orr__array_more(a, room, 255));
    assert_int_equal(room, 255);
    assert_true(a[254] == (char)254);
    orr__free(a);
}

static void test_too_many(void **state)
{
    uint64_t *a = NULL;
    size_t room = 0;
    uint32_t few = 0;

    assert_false(orr__array_room(a, room, SIZE_MAX / 4));
    assert_false(orr__array_room(a, few, (size_t)UINT32_MAX + 1));
    assert_null(a);
    assert_int_equal(room, 0);
    assert_int_equal(few, 0);
}

static void test_no_memory(void **state)
{
    uint32_t *a = NULL;
    uint32_t room = 0;

    assert_true(orr__array_room(a, room, 8));
    a[7] = 7;
    orr__memory_fail_after(1, 0);
    assert_false(orr__array_more(a, room, 8));
    assert_int_equal(room, 8);
    assert_int_equal(a[7], 7);
    orr__memory_fail_after(0, 0);
    assert_true(orr__array_more(a, room, 8));
    assert_int_equal(room, 16);
    assert_int_equal(a[7], 7);
    orr__free(a);
}

/* Room is what the count says, where nobody keeps it: a resize at 0 and at each
 * power of two, and at none between. */
static void test_one_more(void **state)
{
    uint32_t *a = NULL;

    for (uint32_t i = 0; i < 1000; i++) {
        bool full = (i & (i - 1)) == 0;

        orr__memory_fail_after(1, 0);
        assert_int_equal(orr__array_one_more(a, i), !full);
        orr__memory_fail_after(0, 0);
        assert_true(orr__array_one_more(a, i));
        a[i] = 7 * i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(a[i], 7 * i);
    orr__free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows_and_keeps),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_narrow_count),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_one_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
