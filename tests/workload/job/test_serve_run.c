/* Pieces of keys and values: what prefilling ranks send to decoding ones is all
 * of it, whatever their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "workload/collective/collective.h"
#include "workload/job/serve.h"

static void test_pieces(void **state)
{
    static const uint64_t bytes[] = {0, 1, 7, 100, 131072001};
    for (uint32_t n = 1; n <= 9; n++)
        for (uint32_t m = 1; m <= 9; m++)
            for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
                struct orr_serve s = {.engine = {{.ranks = n}, {.ranks = m}}};
                uint64_t in[9] = {0};
                for (uint32_t i = 0; i < n; i++) {
                    uint64_t out = 0;
                    for (uint32_t j = 0; j < m; j++) {
                        uint64_t x = orr__serve_piece(&s, bytes[k], i, j);
                        out += x;
                        in[j] += x;
                    }
                    assert_int_equal(out, orr__piece_bytes(bytes[k], n, i));
                }
                for (uint32_t j = 0; j < m; j++)
                    assert_int_equal(in[j], orr__piece_bytes(bytes[k], m, j));
            }
}

/* Two of three requests are over, one of them late. */
static void test_figures(void **state)
{
    struct orr_request r[] = {
        {.arrival_ps = 0,
         .output = 3,
         .first_ps = 10,
         .ready_ps = 12,
         .last_ps = 30},
        {.arrival_ps = 5,
         .output = 1,
         .first_ps = 50,
         .ready_ps = -1,
         .last_ps = 50},
        {.arrival_ps = 9,
         .output = 4,
         .first_ps = 60,
         .ready_ps = 70,
         .last_ps = -1},
    };
    struct orr_serve s = {
        .request = r, .n = 3, .slo_ttft_ps = 20, .slo_tpot_ps = 10};
    struct orr_serve_figures f;
    s.engine[ORR_DECODE].steps = 1;
    assert_int_equal(orr__serve_figures(&s, &f), ORR_OK);
    assert_int_equal(f.done, 2);
    assert_true(f.ttft.min == 10 && f.ttft.max == 45);
    assert_int_equal(f.tpot.n, 1);
    assert_true(f.tpot.mean == 10 && f.transfer.mean == 2);
    assert_true(f.e2e.max == 45);
    assert_true(f.good * 3 > 0.999 && f.good * 3 < 1.001);
    assert_true(f.batch == 2);
    s.slo_ttft_ps = s.slo_tpot_ps = -1;
    assert_int_equal(orr__serve_figures(&s, &f), ORR_OK);
    assert_true(f.good * 3 > 1.999 && f.good * 3 < 2.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
