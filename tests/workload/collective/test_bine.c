/* Bine and Swing: partners on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "workload/collective/collective.h"

/* Partners of Bine on a ring of 16, on paper: rho = 1, -1, 3, -5. */
static void test_bine_partners(void **state)
{
    static const int32_t rho[] = {1, -1, 3, -5};
    struct orr_collective c = {
        .ops = orr__collective_find(ORR_ALL_REDUCE, "bine"),
        .n = 16,
        .n_dims = 1,
        .dim = {16},
    };
    assert_int_equal(orr__collective_lanes(&c), 2);
    assert_int_equal(c.ops->steps(&c, 0), 8);
    for (uint32_t lane = 0; lane < 2; lane++)
        for (uint32_t m = 0; m < 16; m++)
            for (uint32_t s = 0; s < 4; s++) {
                struct orr_transfer t;
                int32_t to = (m % 2 == lane % 2 ? rho[s] : -rho[s]);
                c.ops->send(&c, 512, (struct orr_spot){m, lane, s, 0}, 0, &t);
                assert_int_equal(t.peer, (uint32_t)((int32_t)m + to + 16) % 16);
                assert_int_equal(t.bytes, 256 >> (s + 1));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bine_partners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
