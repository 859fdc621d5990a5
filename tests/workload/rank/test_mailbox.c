#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "core/random.h"
#include "workload/rank/mailbox.h"

#define KEYS 40

/* Key k, as calls name their messages and as others do. */
static uint32_t arg_of(uint32_t k)
{
    return k % 3 ? k % 3 : UINT32_MAX;
}
static uint64_t tag_of(uint32_t k)
{
    return (uint64_t)(k / 3) << 48 | k;
}

/* What the places of a mailbox hold is what was added, each key once. */
static void check(const struct orr_mailbox *m, const int32_t *count)
{
    uint32_t used = 0, seen = 0;

    for (uint32_t k = 0; k < KEYS; k++)
        used += count[k] != 0;
    assert_int_equal(m->used, used);
    for (uint32_t i = 0; i < orr__mail_places(m); i++) {
        const struct orr_mail *x = orr__mail_at(m, i);
        uint32_t k = (uint32_t)(x->tag & 0xffff);
        if (x->count == 0)
            continue;
        assert_in_range(k, 0, KEYS - 1);
        assert_true(x->tag == tag_of(k));
        assert_int_equal(x->arg, arg_of(k));
        assert_int_equal(x->count, count[k]);
        seen++;
    }
    assert_int_equal(seen, used);
}

/* `most` keys at a time: few that need no table, and many that do. */
static void play(uint64_t seed, uint32_t most)
{
    struct orr_mailbox m = {0};
    struct orr_random draw;
    int32_t count[KEYS] = {0}, now;
    uint32_t used = 0;

    orr__random_init(&draw, seed, 1, 1);
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t k = (uint32_t)orr__random_below(&draw, KEYS);
        int32_t by = orr__random_below(&draw, 2) ? 1 : -1;

        if (count[k] == 0 && used == most)
            continue;
        if (orr__random_below(&draw, 16) == 0) {
            assert_int_equal(orr__mailbox_take(&m, arg_of(k), tag_of(k)),
                             count[k] != 0);
            used -= count[k] != 0;
            count[k] = 0;
        } else {
            used += count[k] == 0;
            count[k] += by;
            used -= count[k] == 0;
            assert_true(orr__mailbox_add(&m, arg_of(k), tag_of(k), by, &now));
            assert_int_equal(now, count[k]);
        }
        check(&m, count);
    }
    if (most <= ORR_MAIL_NEAR)
        assert_null(m.slot);
    orr__free(m.slot);
}

static void test_holds_what_was_added(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        play(seed, ORR_MAIL_NEAR);
        play(seed, ORR_MAIL_NEAR + 1);
        play(seed, 12);
        play(seed, KEYS);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_what_was_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
