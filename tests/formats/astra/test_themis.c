/* Themis: which dimension a chunk begins with. The expected plans follow from
 * the loads in the comments: bytes that an NPU sends, over the rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/astra/themis.h"

#define MIB UINT64_C(1048576)

static void assert_order(const uint32_t *order, uint32_t a, uint32_t b,
                         uint32_t c)
{
    assert_int_equal(order[0], a);
    assert_int_equal(order[1], b);
    assert_int_equal(order[2], c);
}

static struct orr_themis even(void)
{
    struct orr_themis t = {
        .n = 3, .size = {8, 8, 8}, .rate = {1, 1, 1}, .gap = 16};
    orr__themis_reset(&t);
    return t;
}

/* Loads after the first: 56, 7, 7/8 (of 64). The lightest comes first. */
static void lightest_first(void **state)
{
    struct orr_themis t = even();
    uint32_t order[3];
    assert_int_equal(orr__themis_plan(&t, false, 640 * MIB, 64 * MIB, 7, order),
                     64 * MIB);
    assert_order(order, 0, 1, 2);
    orr__themis_plan(&t, false, 576 * MIB, 64 * MIB, 7, order);
    assert_order(order, 2, 1, 0); /* 56 + 7/8, 7 + 7, 7/8 + 56 */
    orr__themis_plan(&t, false, 512 * MIB, 64 * MIB, 7, order);
    /* dimensions 0 and 2 are equal: they stand as they were sorted before,
     * and 2 was lighter then */
    assert_order(order, 1, 2, 0);
}

/* A gap of less than a chunk / 16 is none. */
static void even_loads(void **state)
{
    struct orr_themis t = even();
    uint32_t order[3];
    t.load[0].time = 3;
    t.load[2].time = 3.4; /* 3.4 / (7/8) < 64 / 16 */
    orr__themis_plan(&t, false, 64 * MIB, 64 * MIB, 7, order);
    assert_order(order, 0, 1, 2);
    t = even();
    t.load[0].time = 3;
    t.load[2].time = 3.6;
    orr__themis_plan(&t, false, 64 * MIB, 64 * MIB, 7, order);
    assert_order(order, 1, 0, 2);
}

/* A dimension that takes no part keeps its place in the order and its load. */
static void without_one(void **state)
{
    struct orr_themis t = even();
    uint32_t order[3];
    orr__themis_plan(&t, false, 640 * MIB, 64 * MIB, 5, order);
    assert_order(order, 0, 1, 2);
    orr__themis_plan(&t, false, 576 * MIB, 64 * MIB, 5, order);
    assert_order(order, 1, 2, 0);
    assert_true(t.load[0].dim == 1 && t.load[0].time == 0);
}

/* An all-gather is largest at its end: the heaviest dimension comes first. */
static void gathering(void **state)
{
    struct orr_themis t = even();
    uint32_t order[3];
    t.load[0].time = 500;
    t.load[1].time = 100;
    orr__themis_plan(&t, true, 64 * MIB, MIB, 7, order);
    assert_order(order, 0, 1, 2);
    /* 500 + 7, 100 + 56, 448 */
    assert_true(t.load[0].time == 507 && t.load[1].time == 156
                && t.load[2].time == 448);
}

/* Flexible chunks even the loads out, and are never smaller than planned. */
static void flexible(void **state)
{
    struct orr_themis t = even();
    uint32_t order[3];
    t.flexible = true;
    t.load[0].time = 70;
    assert_int_equal(orr__themis_plan(&t, false, 640 * MIB, 64 * MIB, 7, order),
                     80 * MIB);
    assert_order(order, 1, 2, 0);
    t = even();
    t.flexible = true;
    assert_int_equal(orr__themis_plan(&t, false, 10 * MIB, 64 * MIB, 7, order),
                     10 * MIB);
    assert_order(order, 0, 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lightest_first), cmocka_unit_test(even_loads),
        cmocka_unit_test(without_one),    cmocka_unit_test(gathering),
        cmocka_unit_test(flexible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
