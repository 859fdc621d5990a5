/* All-to-all of unequal sizes: bytes of each pair against hand computation,
 * and what each algorithm makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "core/memory.h"
#include "workload/collective/collective.h"

#define N_MAX 24

static void expect(const struct orr_pair_sizes *s, const uint64_t *bytes)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < s->n; j++)
            assert_int_equal(orr__bytes_between(s, 0, i, j),
                             bytes[i * s->n + j]);
}

static void test_zipf(void **state)
{
    /* weights 1, 1/2, 1/3: of 1100, 3/5 and 2/5; 3/4 and 1/4; 2/3 and 1/3 */
    const uint64_t by_one[] = {0, 660, 440, 825, 0, 275, 733, 367, 0};
    struct orr_pair_sizes *s = orr__pair_sizes_zipf(3, 1, 1100);
    expect(s, by_one);
    assert_int_equal(s->receiver, 0);
    assert_int_equal(s->most, 825 + 733);
    orr__pair_sizes_free(s);
    /* no skew: equal parts, to a byte */
    const uint64_t equal[] = {0, 50, 51, 50, 0, 51, 50, 51, 0};
    s = orr__pair_sizes_zipf(3, 0, 101);
    for (int i = 0; i < 9; i++)
        assert_in_range(orr__bytes_between(s, 0, i / 3, i % 3) + 1, equal[i],
                        equal[i] + 2);
    orr__pair_sizes_free(s);
    /* so steep that only the first two get anything */
    const uint64_t steep[] = {0, 7, 0, 7, 0, 0, 7, 0, 0};
    s = orr__pair_sizes_zipf(3, 10, 7);
    expect(s, steep);
    orr__pair_sizes_free(s);
}

static void test_hot(void **state)
{
    const uint64_t some[] = {0,   300, 350, 350, 333, 0,        334, 333,
                             350, 300, 0,   350, 350, 350 - 50, 350, 0};
    struct orr_pair_sizes *s = orr__pair_sizes_hot(4, 1, 0.3, 1000);
    expect(s, some);
    assert_int_equal(s->most, 333 + 350 + 350);
    orr__pair_sizes_free(s);
    /* all to one, which sends equal parts; nothing to it */
    const uint64_t all[] = {0, 0, 10, 0, 0, 10, 5, 5, 0};
    s = orr__pair_sizes_hot(3, 2, 1, 10);
    expect(s, all);
    assert_int_equal(s->receiver, 2);
    assert_int_equal(s->most, 20);
    orr__pair_sizes_free(s);
    const uint64_t none[] = {0, 10, 0, 10, 0, 0, 5, 5, 0};
    s = orr__pair_sizes_hot(3, 2, 0, 10);
    expect(s, none);
    orr__pair_sizes_free(s);
    /* two have only one another, whatever the share */
    const uint64_t two[] = {0, 10, 10, 0};
    s = orr__pair_sizes_hot(2, 1, 0.25, 10);
    expect(s, two);
    orr__pair_sizes_free(s);
    s = orr__pair_sizes_hot(1, 0, 0.5, 10);
    assert_int_equal(s->most, 0);
    orr__pair_sizes_free(s);
}

/* A rank sends all that it is to send, however the parts are rounded. */
static void test_no_byte_is_lost(void **state)
{
    const uint64_t each[] = {0, 1, 7, 1000, UINT64_C(123456789012345)};
    for (uint32_t n = 2; n <= N_MAX; n++)
        for (size_t e = 0; e < sizeof each / sizeof *each; e++)
            for (int k = 0; k < 8; k++) {
                struct orr_pair_sizes *s =
                    k < 4 ? orr__pair_sizes_zipf(n, k * 0.7, each[e])
                          : orr__pair_sizes_hot(n, n / 2, (k - 4) * 0.25,
                                                each[e]);
                for (uint32_t i = 0; i < n; i++) {
                    uint64_t sum = 0;
                    for (uint32_t j = 0; j < n; j++)
                        sum += orr__bytes_between(s, 0, i, j);
                    assert_int_equal(sum, each[e]);
                }
                orr__pair_sizes_free(s);
            }
}

static struct orr_pair_sizes *drawn_matrix(uint32_t n)
{
    struct orr_pair_sizes *s = orr__pair_sizes_matrix(n);
    uint32_t x = n;
    for (uint32_t i = 0; i < n * n; i++) {
        x = x * 1664525 + 1013904223;
        s->bytes[i] = i % (n + 1) && x >> 29 ? x >> 20 : 0;
    }
    orr__pair_sizes_finish(s);
    return s;
}

static void test_busiest(void **state)
{
    struct orr_pair_sizes *s = orr__pair_sizes_matrix(3);
    s->bytes[1] = 5; /* 0 to 1 */
    s->bytes[5] = 9; /* 1 to 2 */
    s->bytes[2] = 3; /* 0 to 2 */
    orr__pair_sizes_finish(s);
    assert_int_equal(s->sender, 1);
    assert_int_equal(s->receiver, 2);
    assert_int_equal(s->most, 12);
    orr__pair_sizes_free(s);
}

/* Bytes that the messages of a member have, and that peers agree on. */
static void check_peers(const struct orr_collective *c, uint32_t turn,
                        uint32_t member, uint64_t *out, uint64_t *in)
{
    struct orr_spot at = {member, 0, 0, turn};
    uint32_t lanes = orr__collective_lanes(c), sends, receives;
    for (; at.lane < lanes; at.lane++)
        for (at.step = 0; at.step < c->ops->steps(c, at.lane); at.step++) {
            c->ops->count(c, at, &sends, &receives);
            for (uint32_t i = 0; i < sends; i++) {
                struct orr_transfer t, back = {0};
                uint32_t s, r;
                c->ops->send(c, 0, at, i, &t);
                assert_int_equal(t.bytes, t.range[0].bytes);
                struct orr_spot there = {t.peer, at.lane, t.step, turn};
                c->ops->count(c, there, &s, &r);
                for (uint32_t k = 0; k < r; k++) {
                    struct orr_transfer one;
                    c->ops->receive(c, 0, there, k, &one);
                    back = one.peer == member ? one : back;
                }
                assert_int_equal(back.bytes, t.bytes);
                *out += t.bytes;
                in[t.peer] += t.bytes;
            }
        }
}

/* What a member sends over all hops: a piece crosses as many as it has to. */
static void test_algorithm(const char *name, uint32_t n, int64_t window,
                           uint32_t turn)
{
    struct orr_collective c = {
        .ops = orr__collective_find(ORR_ALL_TO_ALL, name),
        .n = n,
        .window = window,
        .sizes = drawn_matrix(n),
    };
    bool direct = strcmp(name, "direct") == 0;
    uint64_t out = 0, in[N_MAX] = {0}, want = 0;
    c.sizes->drawn = 1;
    assert_true(c.ops->unequal);
    for (uint32_t m = 0; m < n; m++)
        check_peers(&c, turn, m, &out, in);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            want += orr__bytes_between(c.sizes, turn, i, j)
                    * (direct ? 1 : (j + n - i) % n);
    assert_int_equal(out, want);
    for (uint32_t j = 0; j < n && direct; j++) {
        for (uint32_t i = 0; i < n; i++)
            in[j] -= orr__bytes_between(c.sizes, turn, i, j);
        assert_int_equal(in[j], 0);
    }
    orr__pair_sizes_free(c.sizes);
}

static void test_algorithms(void **state)
{
    for (uint32_t n = 2; n <= 9; n++)
        for (uint32_t turn = 0; turn < 3; turn++) {
            for (int64_t window = 0; window < 4; window++)
                test_algorithm("direct", n, window, turn);
            test_algorithm("ring", n, 0, turn);
            test_algorithm("relay", n, 0, turn);
        }
}

/* A drawing is a permutation of the members that keeps blocks together, and
 * orr__member_at takes it back; the first one changes nothing. */
static void check_drawing(const struct orr_pair_sizes *s, uint32_t turn)
{
    bool seen[N_MAX] = {false};
    uint32_t block = s->block ? s->block : 1;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t place = orr__place_of(s, turn, i);
        uint32_t first = orr__place_of(s, turn, i / block * block);
        assert_true(place < s->n && !seen[place]);
        seen[place] = true;
        assert_int_equal(orr__member_at(s, turn, place), i);
        assert_int_equal(place / block, first / block);
        if (turn < s->drawn)
            assert_int_equal(place, i);
    }
}

static void test_drawn(void **state)
{
    for (uint32_t n = 1; n <= N_MAX; n++)
        for (uint32_t block = 1; block <= n; block++) {
            struct orr_pair_sizes *s = drawn_matrix(n);
            s->drawn = 1 + n % 3;
            s->block = n % block ? 0 : block;
            s->key = n * block;
            for (uint32_t turn = 0; turn < 12; turn++)
                check_drawing(s, turn);
            orr__pair_sizes_free(s);
        }
}

/* All places come to all members about as often: 3000 drawings of five. */
static void test_drawn_evenly(void **state)
{
    uint32_t times[5][5] = {{0}};
    struct orr_pair_sizes *s = orr__pair_sizes_hot(5, 2, 0.5, 1000);
    s->drawn = 2;
    s->key = 7;
    for (uint32_t turn = 2; turn < 6002; turn += 2)
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(orr__place_of(s, turn, i),
                             orr__place_of(s, turn + 1, i));
            times[i][orr__place_of(s, turn, i)]++;
        }
    for (uint32_t i = 0; i < 25; i++) /* 600, five deviations of 22 */
        assert_in_range(times[i / 5][i % 5], 490, 710);
    /* sizes go by place */
    uint32_t hot = orr__member_at(s, 8, 2), other = hot ? 0 : 1;
    assert_int_equal(orr__bytes_between(s, 8, other, hot), 500);
    orr__pair_sizes_free(s);
}

/* A place that has 1/2 of what all send, one 1/4, and 1/4 that nobody gets. */
static void test_parts(void **state)
{
    const uint64_t weight[] = {2, 1, 0},
                   want[] = {0, 25, 0, 50, 0, 0, 50, 25, 0};
    const uint64_t back[] = {0, 50, 50, 25, 0, 25, 0, 0, 0};
    struct orr_pair_sizes *s = orr__pair_sizes_parts(3, weight, 4, 100);
    expect(s, want);
    assert_int_equal(s->sender, 2);
    assert_int_equal(s->receiver, 0);
    assert_int_equal(s->most, 100);
    s->back = true;
    orr__pair_sizes_finish(s);
    expect(s, back);
    assert_int_equal(s->sender, 0);
    assert_int_equal(s->receiver, 2);
    assert_int_equal(s->most, 100);
    orr__pair_sizes_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zipf),
        cmocka_unit_test(test_hot),
        cmocka_unit_test(test_no_byte_is_lost),
        cmocka_unit_test(test_busiest),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_drawn_evenly),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
