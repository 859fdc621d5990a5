/* What has gone over links by a time, against sums message by message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "core/memory.h"
#include "net/port/passage.h"

static void test_one(void **state)
{
    struct orr_passages *p = orr__passages_new(2);
    struct orr_passed x;

    assert_true(orr__passages_add(p, 1, 100, 1000, 9000, 100));
    x = orr__passages_by(p, 1, 500);
    assert_int_equal(x.bytes, 0);
    assert_int_equal(x.coming, 1);
    assert_true(x.busy);
    x = orr__passages_by(p, 1, 1000);
    assert_int_equal(x.bytes, 0);
    assert_int_equal(x.coming, 0);
    assert_int_equal(orr__passages_by(p, 1, 5000).bytes, 50);
    assert_int_equal(orr__passages_by(p, 1, 8999).bytes, 99);
    x = orr__passages_by(p, 1, 9000);
    assert_int_equal(x.bytes, 100);
    assert_false(x.busy);
    assert_int_equal(orr__passages_by(p, 1, INT64_MAX).bytes, 100);
    assert_int_equal(orr__passages_by(p, 0, INT64_MAX).bytes, 0);
    orr__passages_free(p, 2);
}

/* No time at all, and more than 64 bits of bytes and time. */
static void test_extremes(void **state)
{
    struct orr_passages *p = orr__passages_new(1);
    const int64_t late = INT64_C(4000000000000000000);

    assert_true(orr__passages_add(p, 0, 7, 7, 7, 5));
    assert_int_equal(orr__passages_by(p, 0, 7).bytes, 5);
    for (int i = 0; i < 3; i++)
        assert_true(
            orr__passages_add(p, 0, 10, late, late + 1, UINT64_C(1) << 60));
    assert_true(orr__passages_add(p, 0, 10, 10, late, UINT64_C(1) << 60));
    assert_in_range(orr__passages_by(p, 0, late / 2).bytes,
                    (UINT64_C(1) << 59) - 100000, (UINT64_C(1) << 59) + 100000);
    assert_int_equal(orr__passages_by(p, 0, late + 1).bytes,
                     (UINT64_C(1) << 62) + 5);
    orr__passages_free(p, 1);
}

#define MANY 300
static void test_many(void **state)
{
    static struct one {
        int64_t from, until;
        uint64_t bytes;
    } all[MANY];
    struct orr_passages *p = orr__passages_new(1);
    uint64_t seed = 1, before = 0;

    for (int i = 0; i < MANY; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        all[i].from = i * 10 + (int64_t)(seed >> 40) % 500;
        all[i].until = all[i].from + (int64_t)(seed >> 50) % 5000;
        all[i].bytes = 1 + (seed >> 30) % 10000;
    }
    for (int i = 0; i < MANY; i++) {
        double want = 0;
        uint64_t got, coming = 0;
        int64_t t = i * 10;

        assert_true(orr__passages_add(p, 0, t, all[i].from, all[i].until,
                                      all[i].bytes));
        for (int k = 0; k <= i; k++) {
            double part = (double)(t - all[k].from)
                          / (double)(all[k].until - all[k].from);
            coming += all[k].from > t
                      || (all[k].from == all[k].until && all[k].from > t + 1);
            if (t >= all[k].until)
                part = 1;
            want += part > 0 ? part * (double)all[k].bytes : 0;
        }
        got = orr__passages_by(p, 0, t).bytes;
        assert_true((double)got > want - 2 && (double)got < want + 0.5);
        assert_true(got >= before);
        before = got;
        assert_true(orr__passages_by(p, 0, t).coming <= coming);
    }
    orr__passages_free(p, 1);
}

static void test_memory(void **state)
{
    struct orr_passages *p;

    for (uint64_t n = 1; n < 3; n++) {
        orr__memory_fail_after(n, 0);
        p = orr__passages_new(4);
        orr__memory_fail_after(0, 0);
        assert_null(p);
    }
    p = orr__passages_new(4);
    orr__memory_fail_after(1, 0);
    assert_false(orr__passages_add(p, 3, 0, 0, 9, 9));
    orr__memory_fail_after(0, 0);
    assert_int_equal(orr__passages_by(p, 3, 9).bytes, 0);
    orr__passages_free(p, 4);
    orr__passages_free(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests_name("net/passage", tests, NULL, NULL);
}
