/* The affinity graph: shifts that suit every link where there is no loop. */
#include "core/none.h"
#include "tests/workload/schedule/circles.h"

#include <math.h>
#include <string.h>

#include "core/random.h"

static const struct on_off half[] = {
    {50, 50, C50}, {50, 50, C50}, {50, 50, C50}, {50, 50, C50}, {50, 50, C50},
};

static void solve(struct orr_circles *c, struct orr_affinity *a)
{
    struct orr_report why = {0};
    if (orr__affinity_solve(c, 0, 1, a, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

/* A chain: each job meets the next one on a link of their own. */
static void a_chain_takes_turns(void **state)
{
    struct orr_circles c;
    struct orr_affinity a;
    circles_of(&c, half, 5);
    for (uint32_t i = 0; i < 4; i++)
        meet(&c, half, i, 2, (uint32_t[]){i, i + 1});
    solve(&c, &a);
    assert_int_equal(a.parts, 1);
    assert_int_equal(a.groups, 4);
    assert_false(a.part[0].loop);
    assert_true(a.score == 1);
    for (uint32_t j = 0; j < 5; j++)
        assert_true(a.shift[j] == (j % 2) * 50 * ORR_MS);
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

static void links_of_one_path_are_no_loop(void **state)
{
    struct orr_circles c;
    struct orr_affinity a;
    circles_of(&c, half, 4);
    for (uint32_t l = 0; l < 3; l++)
        meet(&c, half, l, 2, (uint32_t[]){1, 3});
    solve(&c, &a);
    assert_int_equal(a.parts, 1);
    assert_int_equal(a.groups, 1);
    assert_int_equal(a.group[0].n, 3);
    assert_false(a.part[0].loop);
    assert_int_equal(a.part_of[0], ORR_NONE);
    assert_int_equal(a.part_of[2], ORR_NONE);
    assert_true(a.shift[1] == 0 && a.shift[3] == 50 * ORR_MS);
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

/* Three jobs, each two on a link of their own: they cannot all take turns. */
static void a_loop_is_told_and_solved_at_once(void **state)
{
    struct orr_circles c;
    struct orr_affinity a;
    circles_of(&c, half, 3);
    meet(&c, half, 0, 2, (uint32_t[]){0, 1});
    meet(&c, half, 1, 2, (uint32_t[]){1, 2});
    meet(&c, half, 2, 2, (uint32_t[]){0, 2});
    solve(&c, &a);
    assert_true(a.part[0].loop);
    assert_int_equal(a.part[0].rotation.proof, ORR_ROTATION_EXACT);
    assert_true(fabs(a.score - (1 - 0.5 / 3)) < 1e-9);
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

/* Trees of jobs with all sorts of periods: on every link the score is what the
 * link alone allows (Theorem 1). */
static void trees_suit_every_link(void **state)
{
    static const int64_t period[] = {12, 18, 24, 36};
    struct orr_random r;
    orr__random_init(&r, 3, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 40; i++) {
        struct on_off job[8];
        struct orr_circles c;
        struct orr_affinity a;
        int64_t alone[8];
        struct orr_rotation proof;
        for (int j = 0; j < 8; j++) {
            int64_t p = period[orr__random_below(&r, 4)];
            int64_t comm = 1 + (int64_t)orr__random_below(&r, (uint64_t)p - 1);
            job[j] = (struct on_off){p - comm, comm, C50};
        }
        circles_of(&c, job, 8);
        for (uint32_t j = 1; j < 7; j += 2) { /* three on a link, joined */
            uint32_t before = (uint32_t)orr__random_below(&r, j);
            meet(&c, job, j, 3, (uint32_t[]){before, j, j + 1});
        }
        solve(&c, &a);
        assert_int_equal(a.parts, 1);
        assert_false(a.part[0].loop);
        assert_int_equal(a.part_of[7], ORR_NONE);
        for (uint32_t l = 0; l < c.n; l++) {
            memset(alone, 0, sizeof alone);
            assert_int_equal(
                orr__circles_rotate(&c, &l, 1, 1, alone, &proof, NULL), ORR_OK);
            assert_true(fabs(orr__circle_score(&c, &c.shared[l], alone)
                             - orr__circle_score(&c, &c.shared[l], a.shift))
                        < 1e-9);
        }
        orr__affinity_fini(&a);
        orr__circles_fini(&c);
    }
}

static void parts_have_grids_of_their_own(void **state)
{
    const struct on_off job[] = {
        {13, 4, C50}, {12, 7, C50}, {50, 50, C50}, {50, 49, C50}};
    struct orr_circles c;
    struct orr_affinity a;
    circles_of(&c, job, 4);
    meet(&c, job, 0, 2, (uint32_t[]){0, 1});
    meet(&c, job, 1, 2, (uint32_t[]){2, 3});
    solve(&c, &a);
    assert_int_equal(a.parts, 2);
    assert_true(a.part[0].grid.step_ps == 1); /* 17 * 19 */
    assert_true(a.part[1].grid.step_ps > 1);  /* 99 * 100 */
    assert_true(c.period_ps[0] == 17 * ORR_MS);
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

static void grids_that_are_too_fine_are_refused(void **state)
{
    const struct on_off job[] = {{50, 50, C50}, {50, 49, C50}};
    struct orr_circles c;
    struct orr_affinity a;
    struct orr_report why = {0};
    one_link(&c, job, 2);
    assert_int_equal(orr__affinity_solve(&c, ORR_MS, 1, &a, &why), ORR_ECONFIG);
    assert_string_equal(
        why.message,
        "on a grid of 1ms the iteration times of jobs that share links have no "
        "common multiple within 64 times the longest");
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

static void memory_may_run_out(void **state)
{
    struct orr_circles c;
    struct orr_affinity a;
    circles_of(&c, half, 3);
    meet(&c, half, 0, 2, (uint32_t[]){0, 1});
    meet(&c, half, 1, 2, (uint32_t[]){1, 2});
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err; n++) {
        orr__memory_fail_after(n, 0);
        err = orr__affinity_solve(&c, 0, 1, &a, NULL);
        orr__memory_fail_after(0, 0);
        assert_true(!err || err == ORR_ENOMEM);
        orr__affinity_fini(&a);
    }
    orr__circles_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_turns),
        cmocka_unit_test(links_of_one_path_are_no_loop),
        cmocka_unit_test(a_loop_is_told_and_solved_at_once),
        cmocka_unit_test(trees_suit_every_link),
        cmocka_unit_test(parts_have_grids_of_their_own),
        cmocka_unit_test(grids_that_are_too_fine_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
