/* What is in a ring stays there, in order, when it grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/ring.h"

struct queue {
    uint64_t *ring;
    uint32_t room, head, tail;
};

static bool push(struct queue *q, uint64_t x)
{
    if (q->tail - q->head == q->room
        && !orr__ring_grow(q->ring, q->room, q->head, q->tail, 4))
        return false;
    q->ring[q->tail++ & (q->room - 1)] = x;
    return true;
}

static uint64_t pop(struct queue *q)
{
    return q->ring[q->head++ & (q->room - 1)];
}

/* Wherever its beginning lies, also where numbers begin at 0 again. */
static void test_order(void **state)
{
    for (uint32_t from = UINT32_MAX - 9; from != 6; from++) {
        struct queue q = {.head = from, .tail = from};

        for (uint64_t i = 0; i < 40; i++) { /* two in, one out */
            assert_true(push(&q, 2 * i));
            assert_true(push(&q, 2 * i + 1));
            assert_int_equal(pop(&q), i);
        }
        assert_int_equal(q.room, 64);
        for (uint64_t i = 40; i < 80; i++)
            assert_int_equal(pop(&q), i);
        assert_int_equal(q.head, q.tail);
        orr__free(q.ring);
    }
}

/* It is as it was, and goes on when there is memory again. */
static void test_no_memory(void **state)
{
    struct queue q = {.ring = NULL};

    orr__memory_fail_after(1, 0);
    assert_false(push(&q, 1));
    assert_null(q.ring);
    assert_int_equal(q.room, 0);
    for (uint64_t i = 0; i < 4; i++)
        assert_true(push(&q, i));
    orr__memory_fail_after(1, 0);
    assert_false(push(&q, 4));
    assert_int_equal(q.room, 4);
    assert_int_equal(q.tail, 4);
    assert_true(push(&q, 4));
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(pop(&q), i);
    orr__free(q.ring);
}

/* The old one is left alone where it is somebody's still. */
static void test_copy(void **state)
{
    uint16_t old[2] = {7, 6}; /* numbers 4 and 3 */
    uint32_t room = 2;
    uint16_t *new = orr__ring_larger(old, &room, 3, 5, 2, sizeof *old);

    assert_non_null(new);
    assert_int_equal(room, 4);
    assert_int_equal(new[3], 6);
    assert_int_equal(new[0], 7);
    assert_int_equal(old[0], 7);
    assert_int_equal((uintptr_t) new % 64, 0);
    orr__free(new);

    room = 2;
    new = orr__ring_larger(old, &room, 3, 5, 8, sizeof *old);
    assert_non_null(new);
    assert_int_equal(room, 8);
    assert_int_equal(new[3], 6);
    assert_int_equal(new[4], 7);
    orr__free(new);

    room = UINT32_C(1) << 31;
    assert_null(orr__ring_larger(old, &room, 3, 3, 8, 1));
    assert_int_equal(room, UINT32_C(1) << 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_copy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
