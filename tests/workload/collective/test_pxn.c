/* All-to-all on rails: who sends what to whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "workload/collective/collective.h"

/* pxn: each pair of servers has one message a rail, and none crosses rails. */
static void test_pxn_rails(void **state)
{
    for (uint32_t local = 2; local <= 8; local *= 2)
        for (uint32_t servers = 1; servers * local <= 40; servers++) {
            struct orr_collective c = {
                .ops = orr__collective_find(ORR_ALL_TO_ALL, "pxn"),
                .n = local * servers,
                .local = local,
            };
            uint32_t between = 0;
            struct orr_spot at = {0, 0, 0, 0};
            for (at.member = 0; at.member < c.n; at.member++)
                for (at.lane = 0; at.lane < servers; at.lane++) {
                    struct orr_transfer t;
                    at.step = 1;
                    if (at.lane == 0)
                        continue;
                    c.ops->send(&c, 10 * c.n, at, 0, &t);
                    assert_int_equal(t.peer % local, at.member % local);
                    assert_int_not_equal(t.peer / local, at.member / local);
                    assert_int_equal(t.bytes, 10 * local);
                    between++;
                }
            assert_int_equal(between, c.n * (servers - 1));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pxn_rails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
