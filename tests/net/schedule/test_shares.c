/* Who shares a transmitter: turns by hand, and that nobody gets more than a
 * packet ahead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/random.h"
#include "core/snapshot.h"
#include "net/schedule/shares.h"

static uint32_t add(struct orr_shares *s, uint64_t key, double weight,
                    uint8_t class)
{
    uint32_t i;

    if (s->used == s->room)
        assert_true(orr__shares_grow(s));
    i = orr__shares_add(s, key, orr__share_price(weight), class);
    assert_int_not_equal(i, ORR_NONE);
    assert_int_equal(orr__shares_find(s, key), i);
    return i;
}

/* Sends from whoever is first, and returns who that was. */
static uint32_t send(struct orr_shares *s, uint32_t bytes)
{
    uint32_t i = orr__shares_first(s, UINT8_MAX);

    assert_int_not_equal(i, ORR_NONE);
    orr__shares_charge(s, i, bytes);
    return i;
}

/* Weights 1 and 4, from the same moment on: tags 0 0, then a at 1024 and b at
 * 256, 512, 768 and 1024; among equals who has waited longest. */
static void test_turns(void **state)
{
    static const char expected[] = "abbbbabbbbabbbb";
    struct orr_shares s = {NULL};
    uint32_t a = add(&s, 7, 1, 0), b = add(&s, 9, 4, 0);

    orr__shares_wake(&s, a);
    orr__shares_wake(&s, b);
    for (uint32_t i = 0; expected[i]; i++)
        assert_int_equal(send(&s, 1024), expected[i] == 'a' ? a : b);
    orr__shares_fini(&s);
}

/* Whoever comes back has no claim on what it missed, and no debt but the packet
 * that it has just sent. */
static void test_no_claims(void **state)
{
    struct orr_shares s = {NULL};
    uint32_t a = add(&s, 1, 1, 0), b = add(&s, 2, 1, 0);

    orr__shares_wake(&s, a);
    for (int i = 0; i < 10; i++)
        assert_int_equal(send(&s, 1000), a);
    orr__shares_wake(&s, b); /* at 9000, where a's last began */
    assert_int_equal(send(&s, 1000), b);
    assert_int_equal(send(&s, 1000), a);
    assert_int_equal(send(&s, 1000), b);
    orr__shares_sleep(&s, a);
    assert_int_equal(send(&s, 1000), b);
    orr__shares_sleep(&s, b);
    assert_int_equal(orr__shares_first(&s, UINT8_MAX), ORR_NONE);
    orr__shares_fini(&s);
}

/* A class that is paused is passed over, and begins anew when it goes on. */
static void test_pause(void **state)
{
    struct orr_shares s = {NULL};
    uint32_t a = add(&s, 1, 1, 0), b = add(&s, 2, 1, 5);

    orr__shares_wake(&s, a);
    orr__shares_wake(&s, b);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(orr__shares_first(&s, 1u << 5), b);
        orr__shares_charge(&s, b, 1000);
    }
    assert_int_equal(orr__shares_first(&s, 1u << 3), ORR_NONE);
    orr__shares_resume(&s, 0);
    assert_int_equal(send(&s, 1000), a);
    assert_int_equal(send(&s, 1000), b);
    assert_int_equal(send(&s, 1000), a);
    orr__shares_fini(&s);
}

/* Whoever has nothing to send and no debt gives way; others keep their
 * place. */
static void test_forget(void **state)
{
    struct orr_shares s = {NULL};
    uint32_t a = add(&s, 1, 1, 0), b = add(&s, 2, 1, 0), c = add(&s, 3, 1, 0),
             d = add(&s, 4, 1, 0);

    orr__shares_wake(&s, a);
    orr__shares_wake(&s, b);
    assert_int_equal(send(&s, 1000), a);
    assert_int_equal(send(&s, 1000), b);
    orr__shares_sleep(&s, b); /* at 1000, the clock at 0 */
    assert_int_equal(orr__shares_forget(&s, c), 3);
    assert_int_equal(orr__shares_find(&s, 4), ORR_NONE);
    assert_int_equal(orr__shares_find(&s, 2), b);
    assert_int_equal(orr__shares_find(&s, 3), c);
    assert_int_equal(add(&s, 5, 1, 0), d);
    send(&s, 1000);
    assert_int_equal(orr__shares_forget(&s, ORR_NONE), 1);
    assert_int_equal(orr__shares_find(&s, 1), a);
    orr__shares_fini(&s);
}

/* A hundred of them, of random weights, whose packets are of random sizes and
 * who come and go: for as long as two of them wait without a break, bytes over
 * weight never differ by more than the largest packet of each. */
#define MANY 100
#define MOST 9000

static void test_bound(void **state)
{
    struct orr_shares s = {NULL};
    struct orr_random random;
    static double sent[MANY][MANY], weight[MANY];
    static bool waits[MANY];

    orr__random_init(&random, 1, 0, ORR_PURPOSE_TEST);
    for (uint32_t i = 0; i < MANY; i++) {
        weight[i] = 0.25 + 4 * orr__random_unit(&random);
        assert_int_equal(add(&s, i + 1000, weight[i], 0), i);
    }
    for (uint32_t step = 0; step < 200000; step++) {
        uint32_t k = (uint32_t)(orr__random_unit(&random) * MANY), i;
        uint32_t bytes =
            64 + (uint32_t)(orr__random_unit(&random) * (MOST - 64));

        if (step % 64 == 0 || !s.waiting) {
            if (waits[k])
                orr__shares_sleep(&s, k);
            else
                orr__shares_wake(&s, k);
            waits[k] = !waits[k];
            for (uint32_t j = 0; j < MANY; j++)
                sent[k][j] = sent[j][k] = 0;
        }
        if (!s.waiting)
            continue;
        i = send(&s, bytes);
        assert_true(waits[i]);
        for (uint32_t j = 0; j < MANY; j++) {
            if (!waits[j] || j == i)
                continue;
            sent[i][j] += bytes / weight[i];
            assert_true(sent[i][j] - sent[j][i]
                        <= (MOST / weight[i] + MOST / weight[j]) * 1.001);
        }
    }
    orr__shares_fini(&s);
}

static void test_no_memory(void **state)
{
    struct orr_shares s = {NULL};

    for (uint64_t n = 1; n <= 2; n++) {
        orr__memory_fail_after(n, 1);
        assert_false(orr__shares_grow(&s));
        orr__memory_fail_after(0, 0);
        assert_int_equal(s.room, 0);
    }
    assert_true(orr__shares_grow(&s));
    orr__memory_fail_after(1, 1);
    assert_int_equal(orr__shares_add(&s, 1, 1, 0), ORR_NONE);
    orr__memory_fail_after(0, 0);
    assert_int_equal(s.used, 0);
    add(&s, 1, 1, 0);
    orr__memory_fail_after(1, 1);
    assert_int_equal(orr__shares_forget(&s, 0), ORR_NONE);
    orr__memory_fail_after(0, 0);
    assert_int_equal(orr__shares_find(&s, 1), 0);
    orr__shares_fini(&s);
}

static uint64_t look(const struct orr_shares *s, uint32_t i)
{
    struct orr_snapshot w = {.mode = ORR_SNAPSHOT_DIGEST};

    return orr__share_snapshot(s, i, &w) ? w.digest : 0;
}

/* After a round all is as it was, though the clock has gone on. One that has
 * nothing to send, and no debt, is not there. */
static void test_state(void **state)
{
    struct orr_shares s = {0};
    uint32_t a = add(&s, 1, 1, 0), b = add(&s, 2, 1, 0);
    uint64_t before[2], clock;

    assert_int_equal(look(&s, a), 0);
    orr__shares_wake(&s, a);
    orr__shares_wake(&s, b);
    send(&s, 1000);
    send(&s, 1000);
    before[0] = look(&s, a);
    before[1] = look(&s, b);
    clock = s.clock;
    send(&s, 1000);
    assert_false(look(&s, a) == before[0]);
    send(&s, 1000);
    assert_true(s.clock > clock);
    assert_true(look(&s, a) == before[0] && look(&s, b) == before[1]);
    orr__shares_sleep(&s, a);
    assert_int_not_equal(look(&s, a), 0); /* in debt to b */
    send(&s, 1000);
    send(&s, 1000);
    assert_int_equal(look(&s, a), 0);
    orr__shares_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),     cmocka_unit_test(test_no_claims),
        cmocka_unit_test(test_pause),     cmocka_unit_test(test_forget),
        cmocka_unit_test(test_state),     cmocka_unit_test(test_bound),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
