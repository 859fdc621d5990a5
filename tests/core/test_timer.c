#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "core/timer.h"

/* Whatever the order of insertion, timers come out by (time, rank). */
static void test_order(void **state)
{
    struct orr_timers t = {0};
    struct orr_timer last = {.at = -1};
    struct orr_random r;
    uint32_t out = 0;

    orr__random_init(&r, 1, 1, ORR_PURPOSE_TEST);
    for (uint32_t i = 0; i < 3000; i++) {
        struct orr_timer new = {.at = (int64_t)orr__random_below(&r, 100),
                                .rank = orr__random_u64(&r),
                                .arg = i};

        assert_true(orr__timers_add(&t, &new));
        if (i % 3 == 0) { /* now and then one leaves: the first of all */
            struct orr_timer first = orr__timers_pop(&t);

            for (uint32_t j = 0; j < t.count; j++)
                assert_true(first.at < t.item[j].at
                            || (first.at == t.item[j].at
                                && first.rank <= t.item[j].rank));
            out++;
        }
    }
    while (t.count) {
        struct orr_timer first = orr__timers_pop(&t);

        assert_true(last.at < first.at
                    || (last.at == first.at && last.rank <= first.rank));
        last = first;
        out++;
    }
    assert_int_equal(out, 3000);
    assert_int_equal(orr__timers_next(&t), ORR_NEVER);
    orr__timers_fini(&t);
}

static void test_out_of_memory(void **state)
{
    struct orr_timers t = {0};
    struct orr_timer new = {.at = 5};
    uint32_t count;

    for (uint32_t i = 0; i < 8; i++)
        assert_true(orr__timers_add(&t, &new));
    count = t.count;
    orr__memory_fail_after(1, 1);
    assert_false(orr__timers_add(&t, &new));
    orr__memory_fail_after(0, 0);
    assert_int_equal(t.count, count);
    assert_true(orr__timers_add(&t, &new));
    orr__timers_fini(&t);
}

/* An alarm that is put off and drawn near fires once, exactly when due. */
static void test_alarm(void **state)
{
    struct orr_alarm a = ORR_ALARM_OFF;

    assert_true(orr__alarm_move(&a, 100));  /* timer at 100 */
    assert_false(orr__alarm_move(&a, 150)); /* that one will look again */
    assert_int_equal(orr__alarm_fired(&a, 100), ORR_ALARM_EARLY);
    assert_true(orr__alarm_move(&a, 120)); /* a second one, at 120 */
    assert_int_equal(orr__alarm_fired(&a, 120), ORR_ALARM_DUE);
    assert_int_equal(orr__alarm_fired(&a, 150), ORR_ALARM_STALE);
    assert_true(orr__alarm_move(&a, 200));
    a.due = ORR_NEVER; /* called off */
    assert_int_equal(orr__alarm_fired(&a, 200), ORR_ALARM_STALE);
    assert_true(orr__alarm_move(&a, 300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_alarm),
    };

    return cmocka_run_group_tests_name("core/timer", tests, NULL, NULL);
}
