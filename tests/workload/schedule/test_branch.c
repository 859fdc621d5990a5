/* Branch and bound: never anything but the best, by brute force. */
#include "tests/workload/schedule/circles.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "workload/schedule/branch.h"

/* Times are whole numbers, and rates are, so every corner is: all rotations in
 * steps of 1 are tried. */
enum { JOBS = 6, LONGEST = 24, AROUND = 144, PHASES = 3 };

struct mix {
    uint32_t n;
    int64_t period[JOBS];
    uint32_t phases[JOBS];
    struct orr_phase phase[JOBS][PHASES];
    uint64_t capacity;
};

/* Up to so many phases; the last may reach the end of the period. */
static void draw_job(struct mix *m, uint32_t j, int64_t period, uint32_t most,
                     struct orr_random *r)
{
    int64_t at = (int64_t)orr__random_below(r, 3);
    m->period[j] = period;
    m->phases[j] = 0;
    while (m->phases[j] < most && at < period) {
        int64_t room = period - at;
        int64_t length = 1 + (int64_t)orr__random_below(r, (uint64_t)room);
        if (most > 1 && length > room / 2 + 1)
            length = room / 2 + 1;
        m->phase[j][m->phases[j]++] = (struct orr_phase){
            at, length, 1 + orr__random_below(r, m->capacity)};
        at += length + (int64_t)orr__random_below(r, 4);
    }
}

static void circles_of_mix(struct orr_circles *c, const struct mix *m)
{
    struct orr_link_demand demand[JOBS];
    const struct orr_link_demand *at[JOBS];
    uint32_t all[JOBS];
    struct orr_grid grid;
    for (uint32_t j = 0; j < m->n; j++) {
        demand[j] = (struct orr_link_demand){0, m->phases[j],
                                             (struct orr_phase *)m->phase[j]};
        at[j] = &demand[j];
        all[j] = j;
    }
    assert_int_equal(orr__circles_init(c, m->n, m->period, NULL), ORR_OK);
    assert_int_equal(
        orr__circles_contend(c, 0, m->capacity, m->n, all, at, NULL), ORR_OK);
    assert_true(orr__circles_round(c, NULL, 1, &grid));
}

/* Adds job j at every shift to what there is, and so on. */
static uint64_t try_all(const struct mix *m, uint32_t j, int64_t around,
                        const uint64_t *demand)
{
    uint64_t best = UINT64_MAX;
    if (j == m->n) {
        best = 0;
        for (int64_t t = 0; t < around; t++)
            best += demand[t] > m->capacity ? demand[t] - m->capacity : 0;
        return best;
    }
    for (int64_t shift = 0; shift < (j ? m->period[j] : 1); shift++) {
        uint64_t with[AROUND];
        memcpy(with, demand, (size_t)around * sizeof *with);
        for (uint32_t k = 0; k < m->phases[j]; k++)
            for (int64_t lap = 0; lap < around; lap += m->period[j])
                for (int64_t t = 0; t < m->phase[j][k].for_ps; t++)
                    with[(lap
                          + (shift + m->phase[j][k].at_ps + t) % m->period[j])
                         % around] += m->phase[j][k].rate_bps;
        uint64_t x = try_all(m, j + 1, around, with);
        best = x < best ? x : best;
    }
    return best;
}

static double brute(const struct mix *m, int64_t around)
{
    const uint64_t nothing[AROUND] = {0};
    return (double)try_all(m, 0, around, nothing)
           / ((double)m->capacity * (double)around);
}

static void check(const struct mix *m)
{
    struct orr_circles c;
    int64_t shift[JOBS] = {0};
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5};
    circles_of_mix(&c, m);
    struct orr_branch b = {.circles = &c,
                           .which = all,
                           .links = 1,
                           .job = all,
                           .jobs = m->n,
                           .work = 400000000,
                           .loss = INFINITY,
                           .shift = shift};
    assert_int_equal(orr__branch(&b, NULL), ORR_OK);
    double want = brute(m, c.shared[0].perimeter_ps);
    if (fabs(b.loss - want) > 1e-9 || fabs(b.least - want) > 1e-9)
        fail_msg("%.12g (at least %.12g) is not %.12g", b.loss, b.least, want);
    assert_true(fabs(1 - orr__circle_score(&c, &c.shared[0], shift) - want)
                < 1e-9);
    orr__circles_fini(&c);
}

static void what_is_found_is_the_best(void **state)
{
    static const struct {
        uint32_t n, most, mixes;
        int64_t period[4];
    } row[] = {
        {2, 3, 60, {12, 18, 24, 16}}, {3, 3, 60, {12, 9, 8, 6}},
        {4, 3, 60, {8, 12, 6, 16}},   {4, 1, 60, {12, 9, 16, 12}},
        {5, 2, 20, {6, 8, 6, 12}},    {5, 3, 10, {8, 8, 4, 8}},
        {6, 1, 12, {6, 6, 3, 6}},     {6, 2, 6, {5, 5, 5, 5}},
    };
    struct orr_random r;
    orr__random_init(&r, 11, 0, ORR_PURPOSE_TEST);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (uint32_t i = 0; i < row[k].mixes; i++) {
            struct mix m = {.n = row[k].n, .capacity = 5};
            for (uint32_t j = 0; j < m.n; j++)
                draw_job(&m, j, row[k].period[orr__random_below(&r, 4)],
                         1 + (uint32_t)orr__random_below(&r, row[k].most), &r);
            check(&m);
        }
}

/* With too little work what is not known has a bound, on the right side. */
static void a_search_cut_short_says_how_far_it_is(void **state)
{
    struct orr_random r;
    uint32_t cut = 0;
    orr__random_init(&r, 12, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 40; i++) {
        static const uint32_t all[] = {0, 1, 2, 3, 4, 5};
        struct mix m = {.n = 5, .capacity = 5};
        struct orr_circles c;
        int64_t shift[JOBS] = {0};
        double best = 0;
        for (uint32_t j = 0; j < m.n; j++)
            draw_job(&m, j, 24, 3, &r);
        circles_of_mix(&c, &m);
        for (int few = 1; few >= 0; few--) {
            struct orr_branch b = {.circles = &c,
                                   .which = all,
                                   .links = 1,
                                   .job = all,
                                   .jobs = m.n,
                                   .work = few ? 2000 : 2000000000,
                                   .loss = INFINITY,
                                   .shift = shift};
            assert_int_equal(orr__branch(&b, NULL), ORR_OK);
            cut += few && b.least < b.loss - 1e-9;
            if (few)
                best = b.least;
            else
                assert_true(best <= b.loss + 1e-9
                            && fabs(b.least - b.loss) < 1e-12);
        }
        orr__circles_fini(&c);
    }
    assert_true(cut > 5);
}

static void memory_may_run_out(void **state)
{
    static const uint32_t all[] = {0, 1, 2, 3};
    const struct on_off job[] = {
        {3, 1, C50}, {3, 3, C50}, {3, 3, C50}, {2, 2, C50}};
    struct orr_circles c;
    struct orr_grid grid;
    int64_t shift[4];
    orr_err err = ORR_ENOMEM;
    one_link(&c, job, 4);
    assert_true(orr__circles_round(&c, NULL, 0, &grid));
    for (uint64_t n = 1; err; n++) {
        struct orr_branch b = {.circles = &c,
                               .which = all,
                               .links = 1,
                               .job = all,
                               .jobs = 4,
                               .work = 1000000,
                               .loss = INFINITY,
                               .shift = shift};
        orr__memory_fail_after(n, 0);
        err = orr__branch(&b, NULL);
        orr__memory_fail_after(0, 0);
        assert_true(!err || err == ORR_ENOMEM);
    }
    orr__circles_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_the_best),
        cmocka_unit_test(a_search_cut_short_says_how_far_it_is),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
