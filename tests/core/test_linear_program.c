/* Linear programs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/linear_program.h"

/* 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6). */
static void a_vertex_is_found(void **state)
{
    static const double gain[] = {3, 5}, limit[] = {4, 12, 18};
    static const uint32_t row[] = {0, 1, 2, 2}, variable[] = {0, 1, 0, 1};
    static const double value[] = {1, 2, 3, 2};
    const struct orr_linear_program p = {2,     3,   4,        gain,
                                         limit, row, variable, value};
    double x[2] = {0};
    struct orr_report why = {0};
    if (!orr__linear_program_there())
        skip();
    for (int again = 0; again < 3; again++) {
        assert_int_equal(orr__linear_program_solve(&p, x, &why), ORR_OK);
        assert_true(fabs(x[0] - 2) < 1e-9 && fabs(x[1] - 6) < 1e-9);
    }
}

static void without_a_best_one_it_says_so(void **state)
{
    static const double gain[] = {1}, limit[] = {4};
    static const uint32_t row[] = {0}, variable[] = {0};
    static const double value[] = {-1};
    const struct orr_linear_program p = {1,     1,   1,        gain,
                                         limit, row, variable, value};
    double x[1] = {0};
    struct orr_report why = {0};
    assert_int_equal(orr__linear_program_solve(&p, x, &why), ORR_ERUN);
    assert_true(why.message[0]);
}

/* What GLPK refuses by aborting comes back as a failure. */
static void what_it_refuses_does_not_end_the_program(void **state)
{
    static const double gain[] = {1}, limit[] = {4};
    static const uint32_t row[] = {7}, variable[] = {0}; /* there is no row 7 */
    static const double value[] = {1};
    const struct orr_linear_program p = {1,     1,   1,        gain,
                                         limit, row, variable, value};
    double x[1] = {0};
    struct orr_report why = {0};
    if (!orr__linear_program_there())
        skip();
    assert_int_not_equal(orr__linear_program_solve(&p, x, &why), ORR_OK);
    a_vertex_is_found(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vertex_is_found),
        cmocka_unit_test(without_a_best_one_it_says_so),
        cmocka_unit_test(what_it_refuses_does_not_end_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
