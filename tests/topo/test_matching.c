/* Matchings: as heavy as the best of all, found by trying every pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "topo/matching.h"

enum { MOST = 14 };

/* The most that nodes not in `used` can weigh, all paired (but for one). */
static uint64_t best(uint32_t n, const uint64_t *w, uint32_t used,
                     bool one_left, uint64_t *memo, bool *known)
{
    uint32_t u = 0, key = used << 1 | one_left;
    uint64_t most = 0;
    while (u < n && used >> u & 1)
        u++;
    if (u == n)
        return 0;
    if (known[key])
        return memo[key];
    for (uint32_t v = u + 1; v < n; v++) {
        if (used >> v & 1)
            continue;
        uint64_t x =
            w[u * n + v]
            + best(n, w, used | 1u << u | 1u << v, one_left, memo, known);
        most = x > most ? x : most;
    }
    if (one_left) {
        uint64_t x = best(n, w, used | 1u << u, false, memo, known);
        most = x > most ? x : most;
    }
    known[key] = true;
    return memo[key] = most;
}

/* What the matching weighs; all are paired but for one of an odd number. */
static uint64_t weigh(uint32_t n, const uint64_t *w, const uint32_t *mate)
{
    uint64_t sum = 0;
    uint32_t left = 0;
    for (uint32_t u = 0; u < n; u++) {
        if (mate[u] == ORR_NONE) {
            left++;
            continue;
        }
        assert_true(mate[u] < n && mate[u] != u);
        assert_int_equal(mate[mate[u]], u);
        sum += w[u * n + mate[u]];
    }
    assert_int_equal(left, n % 2);
    return sum / 2;
}

static void draw(struct orr_random *r, uint32_t n, uint64_t most, uint64_t *w)
{
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v <= u; v++)
            w[u * n + v] = w[v * n + u] =
                u == v ? 0 : orr__random_below(r, most + 1);
}

static void test_against_all(void **state)
{
    uint64_t w[MOST * MOST], *memo = calloc(2u << MOST, sizeof *memo);
    bool *known = calloc(2u << MOST, sizeof *known);
    uint32_t mate[MOST];
    struct orr_random r;
    struct orr_report why = {0};
    orr__random_init(&r, 1, 0, ORR_PURPOSE_TEST);
    for (uint32_t i = 0; i < 600; i++) {
        uint32_t n = 1 + i % (i % 20 ? 9 : MOST);
        uint64_t most = i % 3 ? i % 3 * 4 : (uint64_t)ORR_MATCHING_WEIGHT;
        draw(&r, n, most, w);
        memset(known, 0, 2u << n);
        assert_int_equal(orr__matching_perfect(n, w, mate, &why), ORR_OK);
        assert_int_equal(weigh(n, w, mate), best(n, w, 0, n % 2, memo, known));
    }
    free(memo);
    free(known);
}

/* Pairs that carry something are found among many that do not. */
static void test_large(void **state)
{
    enum { N = 200 };
    uint64_t *w = calloc(N * N, sizeof *w);
    uint32_t mate[N];
    struct orr_report why = {0};
    for (uint32_t u = 0; u < N; u++)
        w[u * N + (u + N / 2) % N] = 1 + u % (N / 2);
    assert_int_equal(orr__matching_perfect(N, w, mate, &why), ORR_OK);
    for (uint32_t u = 0; u < N; u++)
        assert_int_equal(mate[u], (u + N / 2) % N);
    free(w);
}

static void test_memory(void **state)
{
    const uint64_t w[4] = {0, 1, 1, 0};
    uint32_t mate[2];
    for (uint64_t n = 1; n < 14; n++) {
        struct orr_report why = {0};
        orr__memory_fail_after(n, true);
        orr_err err = orr__matching_perfect(2, w, mate, &why);
        orr__memory_fail_after(0, false);
        assert_int_equal(err, n <= 12 ? ORR_ENOMEM : ORR_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
