/* ASTRA-sim's own algorithms and what their steps cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/units.h"
#include "formats/astra/algorithm.h"

static struct orr_call call_of(enum orr_collective_kind kind, uint8_t how,
                               uint32_t window, uint32_t n, uint64_t bytes,
                               bool local)
{
    const struct orr_astra_choice choice = {how, false, window};
    struct orr_call x = {.c = {.n = n},
                         .bytes = bytes,
                         .memory_bps = UINT64_C(8000000000)}; /* 1 B a ns */
    orr__astra_algorithm(&x, &choice, &kind, local);
    x.lanes = orr__collective_lanes(&x.c);
    return x;
}

/* All members' messages of a step meet: what one sends its peer receives. */
static void assert_meets(const struct orr_call *x, struct orr_spot at)
{
    struct orr_transfer s, r;
    const struct orr_collective *c = &x->c;
    c->ops->send(c, x->bytes, at, 0, &s);
    struct orr_spot there = {s.peer, at.lane, s.step};
    c->ops->receive(c, x->bytes, there, 0, &r);
    assert_int_equal(r.peer, at.member);
    assert_int_equal(r.step, at.step);
    assert_int_equal(r.bytes, s.bytes);
    assert_int_equal(r.reduce, s.reduce);
}

static void assert_pairs(const struct orr_call *x, const uint32_t *far,
                         const uint64_t *bytes)
{
    struct orr_transfer t;
    uint32_t steps = x->c.ops->steps(&x->c, 0);
    for (uint32_t s = 0; s < steps; s++)
        for (uint32_t m = 0; m < x->c.n; m++) {
            struct orr_spot at = {m, 0, s};
            x->c.ops->send(&x->c, x->bytes, at, 0, &t);
            assert_int_equal(t.peer, m ^ far[s]);
            assert_int_equal(t.bytes, bytes[s]);
            assert_meets(x, at);
        }
}

/* Neighbours first when halving, last when doubling; bytes are cut down each
 * time, and an all-reduce halves once more than it needs. */
static void halving(void **state)
{
    struct orr_call x =
        call_of(ORR_REDUCE_SCATTER, ORR_ASTRA_HALVING, 0, 8, 1003, false);
    assert_int_equal(x.c.ops->steps(&x.c, 0), 3);
    assert_pairs(&x, (uint32_t[]){1, 2, 4}, (uint64_t[]){501, 250, 125});
    x = call_of(ORR_ALL_GATHER, ORR_ASTRA_HALVING, 0, 8, 100, false);
    assert_pairs(&x, (uint32_t[]){4, 2, 1}, (uint64_t[]){100, 200, 400});
    x = call_of(ORR_ALL_REDUCE, ORR_ASTRA_HALVING, 0, 8, 1003, false);
    assert_int_equal(x.c.ops->steps(&x.c, 0), 6);
    assert_pairs(&x, (uint32_t[]){1, 2, 4, 4, 2, 1},
                 (uint64_t[]){501, 250, 125, 124, 248, 496});
}

/* A step pays for the next message; the last halving and all that follows
 * cost nothing. */
static void memory_of_halving(void **state)
{
    struct orr_call x =
        call_of(ORR_ALL_REDUCE, ORR_ASTRA_HALVING, 0, 8, 1003, false);
    const int64_t ns[] = {3 * 250, 3 * 125, 0, 0, 0, 0};
    for (uint32_t s = 0; s < 6; s++) {
        const struct orr_step step = {
            .at = {0, 0, s}, .bytes = 1003, .reduced = 77};
        assert_int_equal(x.rules->memory(&x, &step), ns[s] * ORR_NS);
    }
}

/* Message k goes to the member k + 1 places on, then round again. */
static void direct_all_reduce(void **state)
{
    struct orr_call x =
        call_of(ORR_ALL_REDUCE, ORR_ASTRA_DIRECT, 2, 6, 600, false);
    struct orr_transfer t;
    assert_int_equal(x.lanes, 2);
    uint32_t left = 10;
    for (uint32_t lane = 0; lane < 2; lane++)
        left -= x.c.ops->steps(&x.c, lane);
    assert_int_equal(left, 0);
    for (uint32_t k = 0; k < 10; k++)
        for (uint32_t m = 0; m < 6; m++) {
            struct orr_spot at = {m, k % 2, k / 2};
            x.c.ops->send(&x.c, 600, at, 0, &t);
            assert_int_equal(t.peer, (m + k % 5 + 1) % 6);
            assert_int_equal(t.reduce, k < 5);
            assert_int_equal(t.bytes, 100);
            assert_meets(&x, at);
        }
    x = call_of(ORR_ALL_REDUCE, ORR_ASTRA_DIRECT, 0, 6, 600, false);
    assert_int_equal(x.lanes, 5);
    assert_int_equal(x.c.ops->steps(&x.c, 4), 2);
}

/* On a queue that goes backward the peers come in that order too. */
static void direct_backward(void **state)
{
    static const enum orr_collective_kind kinds[] = {
        ORR_ALL_REDUCE, ORR_REDUCE_SCATTER, ORR_ALL_GATHER, ORR_ALL_TO_ALL};
    struct orr_transfer t;
    for (int i = 0; i < 4; i++)
        for (uint32_t window = 0; window < 4; window += 2) {
            struct orr_call x =
                call_of(kinds[i], ORR_ASTRA_DIRECT, window, 6, 600, false);
            x.c.direction = ORR_BACKWARD;
            for (uint32_t lane = 0; lane < x.lanes; lane++)
                for (uint32_t m = 0; m < 6; m++) {
                    struct orr_spot at = {m, lane, 0};
                    x.c.ops->send(&x.c, 600, at, 0, &t);
                    assert_int_equal(t.peer, (m + 5 - lane) % 6);
                    assert_meets(&x, at);
                }
        }
}

static uint32_t may_begin(const struct orr_call *x, uint32_t begun,
                          uint32_t received, uint32_t over)
{
    const struct orr_pace p = {begun, received, over};
    return x->rules->begin(x, &p);
}

/* While the second half has to wait, what is paid for is only counted; then
 * all of that goes at once, though memory is still at work on some. */
static void second_half_waits(void **state)
{
    struct orr_call x =
        call_of(ORR_ALL_REDUCE, ORR_ASTRA_DIRECT, 3, 6, 600, false);
    assert_int_equal(may_begin(&x, 0, 0, 0), 3);
    assert_int_equal(may_begin(&x, 3, 2, 1), 1);
    assert_int_equal(may_begin(&x, 4, 4, 4), 1); /* to the half, no more */
    assert_int_equal(may_begin(&x, 5, 4, 4), 0);
    assert_int_equal(may_begin(&x, 5, 5, 3), 1);
    assert_int_equal(may_begin(&x, 5, 5, 4), 2);
    assert_int_equal(may_begin(&x, 9, 9, 8), 1);
    assert_int_equal(may_begin(&x, 10, 9, 9), 0);
    x = call_of(ORR_ALL_TO_ALL, ORR_ASTRA_DIRECT, 3, 6, 600, false);
    assert_int_equal(may_begin(&x, 3, 3, 3), 2);
}

static void assert_pays(const struct orr_call *x, const char *pays)
{
    for (uint32_t i = 0; pays[i]; i++) {
        const struct orr_step s = {.bytes = x->bytes, .received = i};
        assert_int_equal(
            x->rules->memory(x, &s),
            pays[i] == 'x' ? (int64_t)(x->bytes / x->c.n) * 3 * ORR_NS : 0);
    }
}

/* Which of the messages that come cost memory time: as many as the window has,
 * then as many not; of an all-reduce every fourth stretch; in a group the
 * stretches that pay are longer. */
static void memory_of_windows(void **state)
{
    struct orr_call x =
        call_of(ORR_ALL_REDUCE, ORR_ASTRA_DIRECT, 2, 8, 800, false);
    assert_pays(&x, "xx......xx....");
    x = call_of(ORR_REDUCE_SCATTER, ORR_ASTRA_DIRECT, 2, 8, 800, false);
    assert_pays(&x, "xx..xx.");
    x = call_of(ORR_REDUCE_SCATTER, ORR_ASTRA_DIRECT, 2, 8, 800, true);
    assert_pays(&x, "xxxxxxx");
    x = call_of(ORR_ALL_REDUCE, ORR_ASTRA_DIRECT, 2, 4, 800, true);
    assert_pays(&x, "xxxxxx");
    x = call_of(ORR_ALL_REDUCE, ORR_ASTRA_DIRECT, 1, 4, 800, true);
    assert_pays(&x, "xxx...");
    x = call_of(ORR_ALL_GATHER, ORR_ASTRA_DIRECT, 2, 8, 800, false);
    assert_pays(&x, ".......");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halving),
        cmocka_unit_test(memory_of_halving),
        cmocka_unit_test(direct_all_reduce),
        cmocka_unit_test(direct_backward),
        cmocka_unit_test(second_half_waits),
        cmocka_unit_test(memory_of_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
