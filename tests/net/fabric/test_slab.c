#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/none.h"
#include "net/fabric/slab.h"

/* Two supplies never share a chunk; what is given back is used again, zeroed;
 * items never move. */
static void test_numbers(void **state)
{
    struct orr_slab s;
    struct orr_slab_supply a = {0}, b = {0};
    uint32_t first, again;
    char *where;

    assert_true(orr__slab_init(&s, 24, 4 * ORR_SLAB_CHUNK));
    first = orr__slab_new(&s, &a);
    where = orr__slab_get(&s, first);
    memset(where, 7, 24);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_not_equal(orr__slab_new(&s, &b) / ORR_SLAB_CHUNK,
                             first / ORR_SLAB_CHUNK);
    assert_ptr_equal(orr__slab_get(&s, first), where);
    assert_int_equal(where[23], 7);
    orr__slab_release(&a, first);
    again = orr__slab_new(&s, &a);
    assert_int_equal(again, first);
    assert_int_equal(where[23], 0);
    orr__slab_supply_fini(&a);
    orr__slab_supply_fini(&b);
    orr__slab_fini(&s);
}

static void test_full_and_out_of_memory(void **state)
{
    struct orr_slab s;
    struct orr_slab_supply a = {0};

    assert_true(orr__slab_init(&s, 8, 2 * ORR_SLAB_CHUNK));
    orr__memory_fail_after(1, 1);
    assert_int_equal(orr__slab_new(&s, &a), ORR_NONE);
    orr__memory_fail_after(0, 0);
    for (uint32_t i = 0; i < 2 * ORR_SLAB_CHUNK; i++)
        assert_int_equal(orr__slab_new(&s, &a), i);
    assert_int_equal(orr__slab_new(&s, &a), ORR_NONE);
    assert_int_equal(orr__slab_bound(&s), 2 * ORR_SLAB_CHUNK);
    orr__slab_supply_fini(&a);
    orr__slab_fini(&s);
}

/* A second slab under the numbers of the first. */
static void test_reach(void **state)
{
    struct orr_slab s, t;
    struct orr_slab_supply a = {0};
    uint32_t id = 0;

    assert_true(orr__slab_init(&s, 8, 8 * ORR_SLAB_CHUNK));
    assert_true(orr__slab_init(&t, 16, 8 * ORR_SLAB_CHUNK));
    for (uint32_t i = 0; i < 3 * ORR_SLAB_CHUNK; i++) {
        id = orr__slab_new(&s, &a);
        assert_true(orr__slab_reach(&t, id));
        *(uint32_t *)orr__slab_get(&t, id) = id;
    }
    assert_int_equal(*(uint32_t *)orr__slab_get(&t, 300), 300);
    assert_int_equal(orr__slab_bound(&t), orr__slab_bound(&s));
    orr__slab_supply_fini(&a);
    orr__slab_fini(&s);
    orr__slab_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_full_and_out_of_memory),
        cmocka_unit_test(test_reach),
    };

    return cmocka_run_group_tests_name("net/slab", tests, NULL, NULL);
}
