/* Turns that are not evenly apart: known cycles, and that nobody exceeds a
 * link or is hurried in any. */
#include "tests/workload/schedule/circles.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "workload/schedule/uneven.h"

enum { JOBS = 4 };

struct found {
    struct orr_uneven r;
    uint32_t times[JOBS];
    int64_t at[JOBS][ORR_MOST_TIMES];
};

/* Jobs on one link; all of them are its only part. */
static void find_late(const struct on_off *job, uint32_t n, uint64_t work,
                      int64_t late_ps, struct found *f)
{
    struct orr_circles c;
    struct orr_affinity a;
    struct orr_uneven_job about[JOBS];
    one_link(&c, job, n);
    assert_int_equal(orr__affinity_solve(&c, 0, 1, &a, NULL), ORR_OK);
    for (uint32_t j = 0; j < n; j++)
        about[j] = (struct orr_uneven_job){
            (double)(job[j].compute_ms + job[j].comm_ms) * 1e9,
            job[j].compute_ms * ORR_MS,
            (job[j].compute_ms + job[j].comm_ms) * ORR_MS, 1, late_ps};
    f->r = (struct orr_uneven){.times = f->times, .time_ps = f->at};
    assert_int_equal(orr__uneven_find(&c, &a, 0, about, 32, work, &f->r, NULL),
                     ORR_OK);
    orr__affinity_fini(&a);
    orr__circles_fini(&c);
}

static void find(const struct on_off *job, uint32_t n, uint64_t work,
                 struct found *f)
{
    find_late(job, n, work, 0, f);
}

/* Iterations of 10 and 30 ms that send for 3 and 8: every third pause of the
 * first is 8 ms instead of 7. The other way round, of 20 and 30 that send for 6
 * and 9: 65 ms, as one can write them down. */
static void known_cycles(void **state)
{
    static const struct on_off one_three[] = {{7, 3, C50}, {22, 8, C50}};
    static const struct on_off two_three[] = {{14, 6, C50}, {21, 9, C50}};
    struct found f;
    find(one_three, 2, 1000000, &f);
    assert_int_equal(f.r.period_ps, 31 * ORR_MS);
    assert_int_equal(f.times[0], 3);
    assert_int_equal(f.times[1], 1);
    find(two_three, 2, 1000000, &f);
    assert_int_equal(f.r.period_ps, 65 * ORR_MS);
    assert_int_equal(f.times[0], 3);
    assert_int_equal(f.times[1], 2);
    find(two_three, 2, 10, &f); /* too little to find one */
    assert_int_equal(f.r.period_ps, 0);
}

/* Jobs that fit beside one another wait for nobody. */
static void halves_share(void **state)
{
    static const struct on_off job[] = {{2, 8, C50 / 2}, {2, 8, C50 / 2}};
    struct found f;
    find(job, 2, 1000000, &f);
    assert_int_equal(f.r.period_ps, 10 * ORR_MS);
}

/* Messages that may be late by 1 ms leave as much after each. */
static void late_messages_have_room(void **state)
{
    static const struct on_off job[] = {{7, 3, C50}, {22, 8, C50}};
    struct found f;
    find_late(job, 2, 1000000, ORR_MS, &f);
    assert_int_equal(f.r.period_ps, (2 * 10 + 3 + 8 + 2) * ORR_MS);
}

/* The longest stretch for which the link is asked for more than it has. */
static int64_t exceeded(const struct on_off *job, uint32_t n,
                        const struct found *f)
{
    int64_t sum = 0, step = ORR_MS / 2;
    for (int64_t t = step / 2; t < f->r.period_ps; t += step) {
        uint64_t asked = 0;
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t i = 0; i < f->times[j]; i++) {
                int64_t since = t - f->at[j][i];
                since += since < 0 ? f->r.period_ps : 0;
                asked += since < job[j].comm_ms * ORR_MS ? job[j].bps : 0;
            }
        sum += asked > C50 ? step : 0;
    }
    return sum;
}

static void nobody_exceeds_a_link_or_hurries(void **state)
{
    struct orr_random r;
    uint32_t found = 0;
    orr__random_init(&r, 7, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 60; i++) {
        uint32_t n = 2 + (uint32_t)i % 3;
        struct on_off job[JOBS];
        struct found f;
        for (uint32_t j = 0; j < n; j++)
            job[j] = (struct on_off){8 + (int64_t)orr__random_below(&r, 30),
                                     2 + (int64_t)orr__random_below(&r, 8),
                                     orr__random_below(&r, 4) ? C50 : C50 / 2};
        find(job, n, 10000000, &f);
        if (!f.r.period_ps)
            continue;
        found++;
        assert_int_equal(exceeded(job, n, &f), 0);
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < f.times[j]; k++) {
                bool last = k + 1 == f.times[j];
                int64_t next =
                    last ? f.at[j][0] + f.r.period_ps : f.at[j][k + 1];
                assert_true(next - f.at[j][k]
                            >= (job[j].compute_ms + job[j].comm_ms) * ORR_MS);
            }
    }
    assert_true(found > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_cycles),
        cmocka_unit_test(halves_share),
        cmocka_unit_test(late_messages_have_room),
        cmocka_unit_test(nobody_exceeds_a_link_or_hurries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
