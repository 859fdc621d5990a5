/* Bytes that tokens make between experts, against hand computation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <math.h>
#include <cmocka.h>

#include "workload/program/experts.h"

typedef struct orr_pair_sizes *make_fn(const struct orr_experts *e,
                                       const struct orr_expert_copies *c);

/* To be freed by the caller. */
static struct orr_pair_sizes *make(const struct orr_experts *e, make_fn *fn,
                                   double *dropped)
{
    struct orr_expert_copies c;
    struct orr_report why = {0};
    assert_int_equal(orr__experts_copies(e, &c, &why), ORR_OK);
    struct orr_pair_sizes *s = fn(e, &c);
    assert_non_null(s);
    *dropped = c.dropped;
    orr__expert_copies_fini(&c);
    return s;
}

/* DeepSeek-V3: 256 experts, 8 for a token of 7,168 bytes, on 4 of 8 nodes at
 * most. Straight: 4096 * 8 / 64 copies for each rank. By nodes: half of the
 * tokens to each node; there 4096 * 8 / 8 copies for each of eight ranks. */
static void test_deepseek(void **state)
{
    struct orr_experts e = {.n = 64,
                            .experts = 256,
                            .top_k = 8,
                            .nodes = 4,
                            .local = 8,
                            .tokens = 4096,
                            .row = 7168};
    double dropped;
    struct orr_pair_sizes *s = make(&e, orr__experts_direct, &dropped);
    assert_int_equal(orr__bytes_between(s, 0, 5, 60), 512 * 7168);
    assert_int_equal(s->most, 63 * 512 * 7168);
    orr__pair_sizes_free(s);
    s = make(&e, orr__experts_across, &dropped);
    assert_int_equal(s->n, 8);
    assert_int_equal(orr__bytes_between(s, 0, 0, 7), 2048 * 7168);
    orr__pair_sizes_free(s);
    s = make(&e, orr__experts_within, &dropped);
    assert_int_equal(s->n, 8);
    assert_int_equal(orr__bytes_between(s, 0, 3, 4), 4096 * 7168);
    orr__pair_sizes_free(s);
    assert_true(dropped <= 0);
    e.nodes = 100; /* more than there are: all, and no more than experts */
    e.top_k = 2;
    s = make(&e, orr__experts_across, &dropped);
    assert_int_equal(orr__bytes_between(s, 0, 0, 7), 1024 * 7168);
    orr__pair_sizes_free(s);
}

/* Of 4 experts on 2 ranks, weights 1, 1/2, 1/3, 1/4 of 25/12: with one choice
 * rank 0 has 12/25 + 4/25. With two choices the first is in each (24/25 < 1:
 * not quite), with three it is, and so is the second. */
static void test_skew(void **state)
{
    struct orr_experts e = {
        .n = 2, .experts = 4, .top_k = 1, .tokens = 2500, .row = 1, .skew = 1};
    struct orr_pair_sizes *s;
    double dropped;
    s = make(&e, orr__experts_direct, &dropped);
    assert_int_equal(orr__bytes_between(s, 0, 1, 0), 1600);
    assert_int_equal(orr__bytes_between(s, 0, 0, 1), 900);
    assert_int_equal(s->receiver, 0);
    orr__pair_sizes_free(s);
    /* two of three left over: 1/2, 1/3, 1/4 of 13/12 times 2 is 12/13 ... */
    e.top_k = 3;
    s = make(&e, orr__experts_direct, &dropped);
    assert_int_equal(orr__bytes_between(s, 0, 1, 0), lround(2500 * 21 / 13.));
    assert_int_equal(orr__bytes_between(s, 0, 0, 1), lround(2500 * 18 / 13.));
    orr__pair_sizes_free(s);
    e.top_k = 4; /* everyone to every expert */
    s = make(&e, orr__experts_direct, &dropped);
    assert_int_equal(orr__bytes_between(s, 0, 1, 0), 5000);
    orr__pair_sizes_free(s);
}

/* The same experts take 1.2 times a quarter of 2500: of 12/25 and 6/25 the
 * first loses 18/100 of all. */
static void test_capacity(void **state)
{
    struct orr_experts e = {.n = 2,
                            .experts = 4,
                            .top_k = 1,
                            .tokens = 2500,
                            .row = 1,
                            .skew = 1,
                            .capacity = 1.2};
    double dropped;
    struct orr_pair_sizes *s = make(&e, orr__experts_direct, &dropped);
    assert_int_equal(orr__bytes_between(s, 0, 1, 0), 750 + 400);
    assert_int_equal(orr__bytes_between(s, 0, 0, 1), 900);
    assert_true(fabs(dropped - 0.18) < 1e-9);
    orr__pair_sizes_free(s);
    e.capacity = 0.5; /* even equal shares are too large */
    e.skew = 0;
    s = make(&e, orr__experts_direct, &dropped);
    assert_int_equal(orr__bytes_between(s, 0, 1, 0), 625);
    assert_true(fabs(dropped - 0.5) < 1e-9);
    orr__pair_sizes_free(s);
}

/* By nodes: what comes into a node is what is handed on there, and the ranks'
 * sums are those of straight copies. */
static void test_skew_by_nodes(void **state)
{
    struct orr_experts e = {.n = 6,
                            .experts = 12,
                            .top_k = 3,
                            .nodes = 2,
                            .local = 2,
                            .tokens = 1000,
                            .row = 10,
                            .skew = 0.8};
    double dropped;
    struct orr_pair_sizes *d = make(&e, orr__experts_direct, &dropped);
    struct orr_pair_sizes *a = make(&e, orr__experts_across, &dropped);
    struct orr_pair_sizes *w = make(&e, orr__experts_within, &dropped);
    assert_int_equal(w->n, 6);
    assert_int_equal(w->block, 2);
    uint64_t sum = 0;
    for (uint32_t b = 0; b < 3; b++) {
        /* the node's like-placed ranks send it half of what its two get */
        uint64_t one = orr__bytes_between(d, 0, b ? 0 : 2, 2 * b);
        assert_in_range(orr__bytes_between(w, 0, 2 * b + 1, 2 * b), 3 * one - 3,
                        3 * one + 3);
        sum += orr__bytes_between(a, 0, b ? 0 : 1, b);
        /* no token comes to a node twice */
        assert_true(orr__bytes_between(a, 0, b ? 0 : 1, b) <= 10000);
    }
    assert_in_range(sum, 20000 - 2, 20000 + 2);
    orr__pair_sizes_free(d);
    orr__pair_sizes_free(a);
    orr__pair_sizes_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deepseek),
        cmocka_unit_test(test_skew),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_skew_by_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
