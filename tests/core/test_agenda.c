#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/agenda.h"
#include "core/random.h"
#include "core/units.h"

#define ENTRIES   150 /* of several words of bits */
#define LOOKAHEAD 100

/* Against a plain array: the same windows with the same entries, near and far,
 * entered, drawn near, and entered again as they run. */
static void test_against_array(void **state)
{
    static struct orr_agenda a;
    int64_t at[ENTRIES];
    struct orr_random r;
    int64_t window = 0;

    orr__random_init(&r, 3, 1, ORR_PURPOSE_TEST);
    assert_true(orr__agenda_init(&a, ENTRIES, LOOKAHEAD));
    for (uint32_t e = 0; e < ENTRIES; e++)
        at[e] = ORR_NEVER;
    for (uint32_t round = 0; round < 20000; round++) {
        uint64_t reach = orr__random_below(&r, 3) ? 300 : 500000;
        uint32_t e = (uint32_t)orr__random_below(&r, ENTRIES);
        int64_t t = window * LOOKAHEAD + (int64_t)orr__random_below(&r, reach);
        int64_t least = ORR_NEVER;

        orr__agenda_wake(&a, e, t);
        at[e] = t < at[e] ? t : at[e];
        for (uint32_t i = 0; i < ENTRIES; i++)
            least = at[i] < least ? at[i] : least;
        assert_int_equal(orr__agenda_next(&a), least / LOOKAHEAD);
        if (orr__random_below(&r, 4))
            continue;
        window = orr__agenda_next(&a);
        for (uint32_t n = orr__agenda_take(&a, window); n-- > 0;) {
            e = a.taken[n];
            assert_int_equal(at[e] / LOOKAHEAD, window);
            at[e] = ORR_NEVER;
        }
        for (uint32_t i = 0; i < ENTRIES; i++)
            assert_true(at[i] == ORR_NEVER || at[i] / LOOKAHEAD > window);
        assert_int_equal(orr__agenda_count(&a, window), 0);
    }
    orr__agenda_fini(&a);
}

/* More than a word of words of bits: those of the next window come by number,
 * however they were entered, and also those that were far before. */
static void test_many(void **state)
{
    enum { MANY = 3 * 64 * 64 + 7, STEP = 31 };
    static struct orr_agenda a;
    uint32_t taken = 0;

    assert_true(orr__agenda_init(&a, MANY, LOOKAHEAD));
    for (uint32_t i = 0, e = 0; i < MANY; i++, e = (e + STEP) % MANY)
        orr__agenda_wake(&a, e, (e % 2 ? 1 : 2) * LOOKAHEAD + e % 7);
    for (uint32_t e = 0; e < MANY; e += 4) /* no longer far */
        orr__agenda_wake(&a, e, LOOKAHEAD);
    for (uint32_t e = 0; e < MANY; e += 8) /* nor soon */
        orr__agenda_wake(&a, e, 0);
    for (int64_t window = 0; window < 3; window++) {
        uint32_t count;

        assert_int_equal(orr__agenda_next(&a), window);
        count = orr__agenda_take(&a, window);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t e = a.taken[i];

            assert_int_equal(e % 8 == 0                 ? 0
                             : e % 2 == 1 || e % 4 == 0 ? 1
                                                        : 2,
                             window);
            assert_true(window == 0 || i == 0 || e > a.taken[i - 1]);
        }
        taken += count;
    }
    assert_int_equal(taken, MANY);
    assert_int_equal(orr__agenda_next(&a), ORR_WINDOW_NONE);
    orr__agenda_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_array),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests_name("core/agenda", tests, NULL, NULL);
}
