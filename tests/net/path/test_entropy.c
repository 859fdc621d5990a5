/* Entropies: what is given, and what is made of what ACKs say. */
#include "net/path/entropy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"

static const struct orr_path_params params = {
    .entropies = 8, .penalty = 15, .cache = 4, .freeze_ps = 1000};

struct giver {
    const struct orr_entropy_ops *ops;
    struct orr_random draw;
    void *state;
};

static void begin(struct giver *g, enum orr_path_kind kind)
{
    g->ops = orr__entropy_of(kind);
    assert_non_null(g->ops);
    g->state = orr__alloc(1, g->ops->bytes(&params));
    assert_non_null(g->state);
    orr__random_init(&g->draw, 7, 1, ORR_PURPOSE_TEST);
    if (g->ops->init)
        g->ops->init(g->state, &params, &g->draw);
}

static uint32_t next(struct giver *g)
{
    uint32_t entropy = g->ops->next(g->state, &params, &g->draw);

    assert_true(entropy < 1u << ORR_ENTROPY_BITS);
    return entropy;
}

static void hear(struct giver *g, uint32_t entropy, enum orr_entropy_news news,
                 int64_t now)
{
    assert_true(g->ops->hear(g->state, &params, entropy, news, now));
}

static void end(struct giver *g)
{
    if (g->ops->fini)
        g->ops->fini(g->state);
    orr__free(g->state);
}

/* How often each came in so many packets. */
static void count(struct giver *g, uint32_t packets, uint32_t times[8])
{
    memset(times, 0, 8 * sizeof *times);
    for (uint32_t i = 0; i < packets; i++)
        times[next(g) % 8]++;
}

/* Each once in eight packets, in another order each time. */
static void oblivious_takes_all_in_turn(void **unused)
{
    struct giver g;
    uint32_t times[8], above;
    bool differ = false;

    begin(&g, ORR_PATH_oblivious);
    above = next(&g) / 8;
    for (uint32_t i = 1; i < 8; i++)
        assert_int_equal(next(&g) / 8, above);
    for (uint32_t k = 0; k < 9; k++) {
        uint32_t first = g.ops->next(g.state, &params, &g.draw);

        count(&g, 7, times);
        assert_int_equal(times[first % 8], 0);
        differ |= first % 8 != above % 8;
    }
    assert_true(differ);
    assert_null(g.ops->hear);
    end(&g);
}

/* A mark leaves one out for a turn, a cut for four; with all left out they go
 * on. */
static void bitmap_leaves_out(void **unused)
{
    struct giver g;
    uint32_t times[8];

    begin(&g, ORR_PATH_bitmap);
    hear(&g, 3, ORR_ENTROPY_MARK, 0);
    hear(&g, 5, ORR_ENTROPY_CUT, 0);
    hear(&g, 6, ORR_ENTROPY_GOOD, 0);
    hear(&g, 0, ORR_ENTROPY_TIMEOUT, 0);
    count(&g, 40, times);
    assert_int_equal(times[0] + times[1] + times[2] + times[4] + times[6]
                         + times[7] + times[3] + times[5],
                     40);
    assert_true(times[5] < times[3] && times[3] < times[1]);
    count(&g, 80, times); /* served */
    for (uint32_t i = 0; i < 8; i++)
        assert_in_range(times[i], 9, 11);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < 9; k++)
            hear(&g, i, ORR_ENTROPY_CUT, 0); /* 15 turns at most */
    count(&g, 8, times);
    count(&g, 800, times);
    for (uint32_t i = 0; i < 8; i++)
        assert_in_range(times[i], 60, 140);
    end(&g);
}

/* The newest four that were good, once each, oldest first; then random ones. */
static void reps_uses_again(void **unused)
{
    static const uint32_t good[] = {1, 2, 3, 4, 5, 6};
    struct giver g;
    uint32_t times[8];

    begin(&g, ORR_PATH_reps);
    for (uint32_t i = 0; i < 6; i++)
        hear(&g, good[i], ORR_ENTROPY_GOOD, 0);
    hear(&g, 7, ORR_ENTROPY_MARK, 0);
    hear(&g, 7, ORR_ENTROPY_CUT, 0);
    for (uint32_t i = 2; i < 6; i++)
        assert_int_equal(next(&g), good[i]);
    count(&g, 800, times);
    for (uint32_t i = 0; i < 8; i++)
        assert_in_range(times[i], 60, 140);
    end(&g);
}

/* After a timeout round and round; then 16 to explore, good ones kept. */
static void reps_freezes(void **unused)
{
    struct giver g;
    uint32_t times[8];

    begin(&g, ORR_PATH_reps);
    hear(&g, 2, ORR_ENTROPY_GOOD, 0);
    hear(&g, 5, ORR_ENTROPY_GOOD, 0);
    hear(&g, 0, ORR_ENTROPY_TIMEOUT, 10);
    count(&g, 100, times);
    assert_int_equal(times[2], 50);
    assert_int_equal(times[5], 50);
    hear(&g, 1, ORR_ENTROPY_MARK, 1010); /* not yet */
    count(&g, 100, times);
    assert_int_equal(times[2] + times[5], 100);
    hear(&g, 6, ORR_ENTROPY_GOOD, 1011);
    count(&g, 16, times);
    assert_true(times[2] + times[5] < 16);
    assert_int_equal(next(&g), 6);
    end(&g);
}

/* As they came back, each once; then the bitmap's. */
static void mixed_prefers_what_was_good(void **unused)
{
    struct giver g;
    uint32_t times[8];

    begin(&g, ORR_PATH_mixed);
    count(&g, 8, times);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(times[i], 1);
    for (uint32_t i = 0; i < 100; i++)
        hear(&g, 1000 + i, ORR_ENTROPY_GOOD, 0);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(next(&g), 1000 + i);
    hear(&g, 4, ORR_ENTROPY_CUT, 0);
    count(&g, 7, times);
    assert_int_equal(times[4], 0);
    end(&g);
}

static void others_have_none(void **unused)
{
    assert_null(orr__entropy_of(ORR_PATH_ecmp));
    assert_null(orr__entropy_of(ORR_PATH_spray));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oblivious_takes_all_in_turn),
        cmocka_unit_test(bitmap_leaves_out),
        cmocka_unit_test(reps_uses_again),
        cmocka_unit_test(reps_freezes),
        cmocka_unit_test(mixed_prefers_what_was_good),
        cmocka_unit_test(others_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
