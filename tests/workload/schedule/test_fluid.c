/* Sharing without packets, against formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/schedule/fluid.h"

#define C50 UINT64_C(50000000000)

static const uint64_t rate[] = {C50, C50, C50};

/* compute, then communicate on one link, or on two */
struct on_off {
    struct orr_phase phase;
    struct orr_link_demand demand[2];
    struct orr_profile p;
};

static void make(struct on_off *o, int64_t compute_ms, int64_t comm_ms,
                 uint64_t bps, uint32_t link, uint32_t other)
{
    o->phase = (struct orr_phase){compute_ms * ORR_MS, comm_ms * ORR_MS, bps};
    o->demand[0] = (struct orr_link_demand){link, 1, &o->phase};
    o->demand[1] = (struct orr_link_demand){other, 1, &o->phase};
    o->p = (struct orr_profile){.iteration_ps = (compute_ms + comm_ms) * ORR_MS,
                                .n = link == other ? 1 : 2,
                                .link = o->demand};
}

static void near(double ps, double ms)
{
    if (fabs(ps - ms * 1e9) > 1e-6 * ms * 1e9)
        fail_msg("%.9g ms is not %.9g ms", ps / 1e9, ms);
}

static void go(struct orr_fluid_job *j, uint32_t n)
{
    assert_int_equal(orr__solve_fluid(j, n, rate, 3, NULL, NULL, NULL), ORR_OK);
}

/* (1 + (n - 1) a) T */
static void equal_jobs_share_equally(void **state)
{
    for (uint32_t n = 1; n <= 6; n++) {
        struct on_off o;
        struct orr_fluid_job j[6];
        make(&o, 60, 40, C50, 0, 0);
        for (uint32_t i = 0; i < n; i++)
            j[i] = (struct orr_fluid_job){.profile = &o.p, .weight = 1};
        go(j, n);
        for (uint32_t i = 0; i < n; i++)
            near(j[i].iteration_ps, 100 * (1 + (n - 1) * 0.4));
    }
}

/* (1 + a) T - D, and the offset stays */
static void offsets_stay_under_fair_sharing(void **state)
{
    struct on_off o;
    make(&o, 60, 40, C50, 0, 0);
    for (int64_t d = 0; d <= 40; d += 10) {
        struct orr_fluid_job j[2] = {
            {.profile = &o.p, .weight = 1},
            {.profile = &o.p, .weight = 1, .start_ps = d * ORR_MS},
        };
        go(j, 2);
        near(j[0].iteration_ps, 140 - (double)d);
        near(j[1].iteration_ps, 140 - (double)d);
    }
}

static void gates_take_compatible_jobs_apart(void **state)
{
    struct on_off o;
    make(&o, 60, 40, C50, 0, 0);
    struct orr_fluid_job j[2] = {
        {.profile = &o.p,
         .weight = 1,
         .period_ps = 100 * ORR_MS,
         .offset_ps = 60 * ORR_MS},
        {.profile = &o.p,
         .weight = 1,
         .period_ps = 100 * ORR_MS,
         .offset_ps = 10 * ORR_MS},
    };
    go(j, 2);
    near(j[0].iteration_ps, 100);
    near(j[1].iteration_ps, 100);
}

static void the_highest_class_is_not_slowed_down(void **state)
{
    struct on_off o;
    make(&o, 20, 80, C50, 0, 0);
    struct orr_fluid_job j[2] = {
        {.profile = &o.p, .weight = 1, .class = 1},
        {.profile = &o.p, .weight = 1},
    };
    go(j, 2);
    near(j[0].iteration_ps, 100);
    near(j[1].iteration_ps, 400); /* 20 ms of every 100 for its 80 */
}

/* Weights of 2 and 1 take compatible jobs apart. */
static void weights_make_turns(void **state)
{
    struct on_off o;
    make(&o, 60, 40, C50, 0, 0);
    struct orr_fluid_job j[2] = {
        {.profile = &o.p, .weight = 2},
        {.profile = &o.p, .weight = 1},
    };
    go(j, 2);
    near(j[0].iteration_ps, 100);
    near(j[1].iteration_ps, 100);
}

/* Three links in a row, one long job and two short ones that never compute:
 * max-min gives each half. */
static void links_are_shared_max_min(void **state)
{
    struct on_off o[3];
    struct orr_fluid_job j[3];
    make(&o[0], 0, 10, C50, 0, 1);
    make(&o[1], 0, 10, C50, 0, 0);
    make(&o[2], 0, 10, C50 * 4 / 5, 1, 1);
    for (int i = 0; i < 3; i++)
        j[i] = (struct orr_fluid_job){.profile = &o[i].p, .weight = 1};
    go(j, 3);
    near(j[0].iteration_ps, 20);
    near(j[1].iteration_ps, 20);
    near(j[2].iteration_ps, 16);
}

/* What a link cannot carry takes longer also alone. */
static void own_links_that_are_too_slow_stretch_a_job(void **state)
{
    struct on_off o;
    make(&o, 50, 50, 2 * C50, 2, 2);
    struct orr_fluid_job j = {.profile = &o.p, .weight = 1};
    go(&j, 1);
    near(j.iteration_ps, 150);
}

/* A job that goes over two links of which each is as full as the other, or is
 * not, as another job has one of them alone. */
static void links_that_are_as_full_count_once(void **state)
{
    struct on_off one, two, other;
    make(&one, 20, 80, C50, 0, 0);
    make(&two, 20, 80, C50, 0, 1);
    make(&other, 20, 80, C50, 1, 1);
    struct orr_fluid_job on_one[3], on_two[3];
    for (int i = 0; i < 3; i++) {
        on_one[i] = (struct orr_fluid_job){.profile = &one.p, .weight = 1};
        on_two[i] = (struct orr_fluid_job){.profile = &two.p, .weight = 1};
    }
    go(on_one, 3);
    go(on_two, 3);
    for (int i = 0; i < 3; i++)
        near(on_two[i].iteration_ps, on_one[i].iteration_ps / 1e9);
    on_two[2].profile = &other.p; /* it meets them on the second link */
    go(on_two, 3);
    near(on_two[0].iteration_ps, on_one[0].iteration_ps / 1e9);
    on_two[1].profile = &one.p; /* of three two are on either link */
    go(on_two, 3);
    assert_true(on_two[0].iteration_ps < on_one[0].iteration_ps);
    assert_true(on_two[1].iteration_ps < on_one[0].iteration_ps);
}

/* A job that others of higher classes keep waiting lets them come by thousands
 * of times; over many links that takes no longer than over one. */
#define MANY_LINKS 2000
static void what_comes_again_is_not_shared_out_anew(void **state)
{
    static struct orr_phase phase[3][MANY_LINKS];
    static struct orr_link_demand demand[3][MANY_LINKS];
    static uint64_t rates[MANY_LINKS];
    struct orr_profile p[3];
    struct orr_fluid_job j[3];
    uint64_t work = 0;
    for (uint32_t i = 0; i < 3; i++) {
        p[i] = (struct orr_profile){.iteration_ps = 100 * ORR_MS + i,
                                    .n = MANY_LINKS,
                                    .link = demand[i]};
        for (uint32_t l = 0; l < MANY_LINKS; l++) {
            rates[l] = C50;
            phase[i][l] = (struct orr_phase){ORR_MS, 99 * ORR_MS + i, C50 - l};
            demand[i][l] = (struct orr_link_demand){l, 1, &phase[i][l]};
        }
        j[i] = (struct orr_fluid_job){
            .profile = &p[i], .weight = 1, .class = 2 - i};
    }
    assert_int_equal(
        orr__solve_fluid(j, 3, rates, MANY_LINKS, &work, NULL, NULL), ORR_OK);
    near(j[0].iteration_ps, 100);
    assert_in_range(work, 10000, 60000 * 3 + 27 * 3 * (MANY_LINKS + 1));
}

static void it_can_be_interrupted(void **state)
{
    volatile int over = 1;
    struct on_off o;
    make(&o, 60, 40, C50, 0, 1);
    struct orr_fluid_job j = {.profile = &o.p, .weight = 1};
    assert_int_equal(orr__solve_fluid(&j, 1, rate, 3, NULL, &over, NULL),
                     ORR_EINTERRUPTED);
}

static void memory_may_run_out(void **state)
{
    struct on_off o;
    make(&o, 60, 40, C50, 0, 1);
    struct orr_fluid_job j[2] = {
        {.profile = &o.p, .weight = 1},
        {.profile = &o.p, .weight = 1},
    };
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err; n++) {
        orr__memory_fail_after(n, 0);
        err = orr__solve_fluid(j, 2, rate, 3, NULL, NULL, NULL);
        orr__memory_fail_after(0, 0);
        assert_true(!err || err == ORR_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_jobs_share_equally),
        cmocka_unit_test(offsets_stay_under_fair_sharing),
        cmocka_unit_test(gates_take_compatible_jobs_apart),
        cmocka_unit_test(the_highest_class_is_not_slowed_down),
        cmocka_unit_test(weights_make_turns),
        cmocka_unit_test(links_are_shared_max_min),
        cmocka_unit_test(own_links_that_are_too_slow_stretch_a_job),
        cmocka_unit_test(links_that_are_as_full_count_once),
        cmocka_unit_test(what_comes_again_is_not_shared_out_anew),
        cmocka_unit_test(it_can_be_interrupted),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
