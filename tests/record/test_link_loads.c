#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/link_loads.h"

static void first_is(struct orr_link_load a, struct orr_link_load b)
{
    assert_true(orr__link_order(&a, &b) < 0);
    assert_true(orr__link_order(&b, &a) > 0);
}

#define LOAD(...) ((struct orr_link_load){__VA_ARGS__})

static void the_busiest_comes_first(void **state)
{
    first_is(LOAD(.utilization = .72, .link = 9),
             LOAD(.utilization = .71, .max_queue = 1 << 20, .marks = 9999));
}

static void among_equals_the_one_that_explains(void **state)
{
    first_is(LOAD(.max_queue = 2, .link = 9), LOAD(.max_queue = 1, .marks = 1));
    first_is(LOAD(.marks = 2, .link = 9), LOAD(.marks = 1, .drops = 7));
    first_is(LOAD(.drops = 2, .link = 9), LOAD(.drops = 1, .paused_ps = 7));
    first_is(LOAD(.paused_ps = 2, .link = 9), LOAD(.paused_ps = 1));
    first_is(LOAD(.link = 3), LOAD(.link = 9));
}

/* Shares of small numbers, summed up in one way and in another. */
static void a_rounding_error_parts_nothing(void **state)
{
    for (int of = 1; of <= 64; of++)
        for (int n = 0; n <= of; n++) {
            double share = (double)n / of;
            first_is(LOAD(.utilization = share, .max_queue = 1, .link = 9),
                     LOAD(.utilization = share * (1 + 1e-7)));
            first_is(LOAD(.utilization = share * (1 - 1e-7), .max_queue = 1,
                          .link = 9),
                     LOAD(.utilization = share));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_comes_first),
        cmocka_unit_test(among_equals_the_one_that_explains),
        cmocka_unit_test(a_rounding_error_parts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
