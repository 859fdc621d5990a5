/* Receives that wait, against a list that is searched from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "workload/program/receives.h"

enum { MOST = 600, KEYS = 40 };

struct list {
    uint64_t key[MOST];
    uint32_t op[MOST];
    uint32_t n;
};

static uint32_t list_take(struct list *l, uint64_t key)
{
    uint32_t i = 0, op;

    while (l->key[i] != key)
        i++;
    op = l->op[i];
    l->n--;
    memmove(&l->key[i], &l->key[i + 1], (l->n - i) * sizeof *l->key);
    memmove(&l->op[i], &l->op[i + 1], (l->n - i) * sizeof *l->op);
    return op;
}

static void test_in_order(void **state)
{
    struct orr_receives r = {0};
    struct list l = {.n = 0};
    struct orr_random random;

    orr__random_init(&random, 1, 1, ORR_PURPOSE_TEST);
    assert_null(orr__receives_oldest(&r));
    for (uint32_t i = 0; i < 20000; i++) {
        /* grows to the top, then shrinks to nothing, and so on */
        bool fills = i / 1000 % 2 == 0;

        if (l.n < MOST
            && (l.n == 0 || (orr__random_u64(&random) % 4 < 3) == fills)) {
            uint64_t key = orr__random_below(&random, KEYS) << 32;

            l.key[l.n] = key;
            l.op[l.n++] = i;
            assert_true(orr__receives_add(&r, key, i));
        } else {
            uint64_t key = l.key[orr__random_below(&random, l.n)];

            assert_int_equal(orr__receives_take(&r, key), list_take(&l, key));
        }
        assert_int_equal(r.count, l.n);
        if (l.n)
            assert_int_equal(orr__receives_oldest(&r)->op, l.op[0]);
        else
            assert_null(orr__receives_oldest(&r));
    }
    orr__receives_fini(&r);
}

static void test_no_memory(void **state)
{
    struct orr_receives r = {0};
    uint32_t n = 1;

    assert_true(orr__receives_add(&r, 5, 0));
    orr__memory_fail_after(1, 1);
    while (orr__receives_add(&r, 5, n))
        n++;
    orr__memory_fail_after(0, 0);
    assert_int_equal(r.count, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(orr__receives_take(&r, 5), i);
    orr__receives_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
