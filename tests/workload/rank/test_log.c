#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/memory.h"
#include "workload/rank/log.h"

static void is_span(const struct orr_log_span *s, int64_t start, int64_t end,
                    uint32_t op, uint32_t iteration)
{
    assert_int_equal(s->start_ps, start);
    assert_int_equal(s->end_ps, end);
    assert_int_equal(s->op, op);
    assert_int_equal(s->iteration, iteration);
}

/* The same operation in two iterations, others around it, one never over. */
static void test_spans(void **state)
{
    struct orr_log l = {.most = 100};
    struct orr_log_span *s;
    uint32_t n;

    assert_true(orr__log_add(&l, 1, 7, 0));
    assert_true(orr__log_add(&l, 2, 8, 0));
    assert_true(orr__log_add(&l, 3, 7 | ORR_LOG_END, 0));
    assert_true(orr__log_add(&l, 4, 7, 1));
    assert_true(orr__log_add(&l, 9, 7 | ORR_LOG_END, 1));
    assert_true(orr__log_spans(&l, &s, &n));
    assert_int_equal(n, 3);
    is_span(&s[0], 1, 3, 7, 0);
    is_span(&s[1], 2, -1, 8, 0);
    is_span(&s[2], 4, 9, 7, 1);
    orr__free(s);
    orr__free(l.event);
    (void)state;
}

/* What finds no room is counted, not kept. */
static void test_full(void **state)
{
    struct orr_log l = {.most = 3};
    struct orr_log_span *s;
    uint32_t n;

    for (uint32_t i = 0; i < 10; i++)
        assert_true(orr__log_add(&l, i, i, 0));
    assert_int_equal(l.n, 3);
    assert_int_equal(l.missed, 7);
    assert_true(orr__log_spans(&l, &s, &n));
    assert_int_equal(n, 3);
    orr__free(s);
    orr__free(l.event);
    (void)state;
}

static void test_no_memory(void **state)
{
    struct orr_log l = {.most = 3};
    struct orr_log_span *s;
    uint32_t n;

    orr__memory_fail_after(1, 0);
    assert_false(orr__log_add(&l, 1, 1, 0));
    assert_int_equal(l.n, 0);
    orr__memory_fail_after(0, 0);
    assert_true(orr__log_add(&l, 1, 1, 0));
    for (int nth = 1; nth <= 2; nth++) {
        orr__memory_fail_after(nth, 0);
        assert_false(orr__log_spans(&l, &s, &n));
        assert_null(s);
    }
    orr__memory_fail_after(0, 0);
    orr__free(l.event);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
