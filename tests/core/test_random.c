#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "core/random.h"

/* The known answers for Philox4x32-10 that its authors publish with Random123:
 * counter, key, output. The counter's words are (entity, counter). */
static void philox_gives_its_known_answers(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } cases[] = {
        {{0, 0, 0, 0},
         {0, 0},
         {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < 3; i++) {
        const uint32_t *c = cases[i].counter, *k = cases[i].key;
        struct orr_random r = {
            .key = k[0] | (uint64_t)k[1] << 32,
            .entity = c[0] | (uint64_t)c[1] << 32,
            .counter = c[2] | (uint64_t)c[3] << 32,
        };
        for (int j = 0; j < 4; j++)
            assert_int_equal(orr__random_u32(&r), cases[i].out[j]);
    }
}

/* Golden: changing these numbers changes every result that draws. */
static void streams_never_change(void **state)
{
    struct orr_random r;
    orr__random_init(&r, 42, 7, ORR_PURPOSE_LOSS);
    uint64_t first = orr__random_u64(&r);
    orr__random_init(&r, 42, 7, ORR_PURPOSE_LOSS);
    assert_true(orr__random_u64(&r) == first);
    orr__random_init(&r, 42, 8, ORR_PURPOSE_LOSS);
    assert_true(orr__random_u64(&r) != first);
    orr__random_init(&r, 43, 7, ORR_PURPOSE_LOSS);
    assert_true(orr__random_u64(&r) != first);
    orr__random_init(&r, 42, 7, ORR_PURPOSE_ECMP);
    assert_true(orr__random_u64(&r) != first);
    assert_true(first == UINT64_C(0xca44d52d6c2f582f));
}

static void order_of_creation_and_use_does_not_matter(void **state)
{
    enum { STREAMS = 8, DRAWS = 100 };
    static uint64_t alone[STREAMS][DRAWS];
    struct orr_random r[STREAMS];
    for (unsigned s = 0; s < STREAMS; s++) {
        orr__random_init(&r[s], 5, s, ORR_PURPOSE_JITTER);
        for (int i = 0; i < DRAWS; i++)
            alone[s][i] = orr__random_u64(&r[s]);
    }
    for (unsigned s = STREAMS; s-- > 0;) /* the other way round, interleaved */
        orr__random_init(&r[s], 5, s, ORR_PURPOSE_JITTER);
    for (int i = 0; i < DRAWS; i++)
        for (unsigned s = STREAMS; s-- > 0;)
            assert_true(orr__random_u64(&r[s]) == alone[s][i]);
}

static void a_copy_goes_on_alike(void **state)
{
    struct orr_random a, b;
    orr__random_init(&a, 1, 2, ORR_PURPOSE_TEST);
    for (int i = 0; i < 7; i++)
        orr__random_u32(&a);
    b = a;
    for (int i = 0; i < 20; i++)
        assert_int_equal(orr__random_u32(&a), orr__random_u32(&b));
}

/* Chi-square of n equally likely cells below its upper 1e-6 point (by Wilson
 * and Hilferty); the seed is fixed, so it holds or it does not. */
static void assert_uniform(const uint64_t *cells, unsigned n, double draws)
{
    double chi = 0, expect = draws / n, k = n - 1;
    for (unsigned i = 0; i < n; i++)
        chi += (cells[i] - expect) * (cells[i] - expect) / expect;
    double a = 2 / (9 * k), limit = k * pow(1 - a + 4.75 * sqrt(a), 3);
    assert_true(chi < limit);
    assert_true(chi > k * pow(1 - a - 4.75 * sqrt(a), 3) || k < 30);
}

static void below_is_uniform_and_in_range(void **state)
{
    static const unsigned ns[] = {1, 2, 3, 7, 64, 100};
    struct orr_random r;
    orr__random_init(&r, 3, 0, ORR_PURPOSE_TEST);
    for (size_t k = 0; k < 6; k++) {
        uint64_t cells[100] = {0};
        for (int i = 0; i < 100000; i++) {
            uint64_t v = orr__random_below(&r, ns[k]);
            assert_true(v < ns[k]);
            cells[v]++;
        }
        if (ns[k] > 1)
            assert_uniform(cells, ns[k], 100000);
    }
}

/* With n = 3 * 2^62 a plain remainder puts half of the draws below 2^62. */
static void below_has_no_bias(void **state)
{
    struct orr_random r;
    uint64_t cells[3] = {0}, n = UINT64_C(3) << 62;
    orr__random_init(&r, 4, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 100000; i++)
        cells[orr__random_below(&r, n) >> 62]++;
    assert_uniform(cells, 3, 100000);
}

static void unit_is_uniform_and_below_one(void **state)
{
    struct orr_random r;
    uint64_t cells[100] = {0};
    orr__random_init(&r, 6, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 100000; i++) {
        double x = orr__random_unit(&r);
        assert_true(x >= 0 && x < 1);
        cells[(int)(x * 100)]++;
    }
    assert_uniform(cells, 100, 100000);
}

static void bits_of_neighbouring_streams_are_independent(void **state)
{
    /* Flip one bit of the name: half of the output bits change. */
    double changed = 0;
    for (int bit = 0; bit < 64; bit++)
        for (int seed = 0; seed < 2; seed++) {
            struct orr_random a, b;
            uint64_t flip = UINT64_C(1) << bit;
            orr__random_init(&a, 9, 9, ORR_PURPOSE_TEST);
            orr__random_init(&b, seed ? 9 ^ flip : 9, seed ? 9 : 9 ^ flip,
                             ORR_PURPOSE_TEST);
            changed +=
                __builtin_popcountll(orr__random_u64(&a) ^ orr__random_u64(&b));
        }
    changed /= 128 * 64;
    assert_true(changed > 0.47 && changed < 0.53);
}

static void gsl_draws_from_a_stream(void **state)
{
    gsl_rng *g = gsl_rng_alloc(orr__random_gsl_type());
    struct orr_random r;
    assert_string_equal(gsl_rng_name(g), "orrery-philox");
    assert_true(gsl_rng_max(g) == UINT32_MAX && gsl_rng_min(g) == 0);
    orr__random_init(gsl_rng_state(g), 1, 2, ORR_PURPOSE_JITTER);
    orr__random_init(&r, 1, 2, ORR_PURPOSE_JITTER);
    for (int i = 0; i < 10; i++)
        assert_true(gsl_rng_get(g) == orr__random_u32(&r));
    for (int i = 0; i < 10; i++)
        assert_true(gsl_rng_uniform(g) == orr__random_unit(&r));
    gsl_rng_set(g, 77);
    orr__random_init(&r, 77, 0, ORR_PURPOSE_TEST);
    assert_true(gsl_rng_get(g) == orr__random_u32(&r));
    double sum = 0, squares = 0;
    enum { N = 100000 };
    for (int i = 0; i < N; i++) {
        double x = gsl_ran_gaussian(g, 1);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / N) < 0.015);
    assert_true(fabs(squares / N - 1) < 0.025);
    gsl_rng_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_its_known_answers),
        cmocka_unit_test(streams_never_change),
        cmocka_unit_test(order_of_creation_and_use_does_not_matter),
        cmocka_unit_test(a_copy_goes_on_alike),
        cmocka_unit_test(below_is_uniform_and_in_range),
        cmocka_unit_test(below_has_no_bias),
        cmocka_unit_test(unit_is_uniform_and_below_one),
        cmocka_unit_test(bits_of_neighbouring_streams_are_independent),
        cmocka_unit_test(gsl_draws_from_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
