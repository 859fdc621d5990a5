/* The figures of a cluster, of an engine made by hand: hours and shares are
 * round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cluster/contention.h"
#include "cluster/figures.h"
#include "core/memory.h"

#define HOUR_NS INT64_C(3600000000000)
enum { JOBS = 4, EPOCHS = 4, STRETCHES = 5 };

static void is_near(double have, double want)
{
    if (!(fabs(have - want) <= 1e-12 * fmax(1, fabs(want))))
        fail_msg("%.17g, not %.17g", have, want);
}

/* 8 GPUs for 10 h. Job 0: 4 GPUs from 0 to 6 h, done; the first 2 h alone at 1
 * s an iteration, then beside job 1 at 2 s. Job 1: 2 GPUs from 2 to 8 h, at 4 s
 * instead of 2, then alone at 2 s; preempted, and done. Job 2: waits from 4 h
 * on, having waited 1 h before. Job 3: has not come. */
struct scene {
    struct orr_engine e;
    struct orr_cluster_job job[JOBS];
    struct orr_epoch epoch[EPOCHS];
    struct orr_stretch stretch[STRETCHES];
};

static struct orr_stretch stretch(uint32_t job, int from_h, int to_h,
                                  uint32_t gpus, double iteration_s,
                                  double alone_s, uint32_t rival)
{
    return (struct orr_stretch){
        .job = job,
        .from_ns = from_h * HOUR_NS,
        .to_ns = to_h * HOUR_NS,
        .gpus = gpus,
        .speed = {.iteration_ns = iteration_s * 1e9,
                  .baseline_ns = alone_s * 1e9,
                  .half = rival == ORR_NONE ? 0 : 0.01 * iteration_s,
                  .marks = rival == ORR_NONE ? 0 : 10,
                  .resent = rival == ORR_NONE ? 0 : 1,
                  .rival = rival,
                  .link = 3}};
}

static void scene_init(struct scene *s)
{
    *s = (struct scene){
        .job = {{.is = {.gpus = 4},
                 .state = ORR_CLUSTER_DONE,
                 .iterations = 14400,
                 .done = 14400,
                 .baseline_ns = 1e9,
                 .finish_ns = 6 * HOUR_NS,
                 .ran_ns = 6 * HOUR_NS,
                 .since_ns = 6 * HOUR_NS},
                {.is = {.gpus = 2, .at_ns = HOUR_NS},
                 .state = ORR_CLUSTER_DONE,
                 .iterations = 7200,
                 .done = 7200,
                 .baseline_ns = 2e9,
                 .finish_ns = 8 * HOUR_NS,
                 .waited_ns = HOUR_NS,
                 .ran_ns = 6 * HOUR_NS,
                 .since_ns = 8 * HOUR_NS,
                 .preempted = 2,
                 .resized = 3,
                 .moved = 4,
                 .restarted = 5},
                {.is = {.gpus = 8, .at_ns = 2 * HOUR_NS},
                 .state = ORR_CLUSTER_WAITING,
                 .since_ns = 4 * HOUR_NS,
                 .waited_ns = HOUR_NS,
                 .finish_ns = -1},
                {.is = {.gpus = 1, .at_ns = 20 * HOUR_NS},
                 .state = ORR_CLUSTER_COMING,
                 .finish_ns = -1}},
        .epoch = {{.at_ns = 0, .used = 4, .whole = 4, .computing = 4},
                  {.at_ns = 2 * HOUR_NS,
                   .used = 6,
                   .whole = 1,
                   .waiting = 3,
                   .computing = 2},
                  {.at_ns = 6 * HOUR_NS,
                   .used = 2,
                   .out = 4,
                   .whole = 0,
                   .waiting = 1,
                   .computing = 2},
                  {.at_ns = 8 * HOUR_NS, .whole = 8, .waiting = 1}},
        .stretch = {stretch(0, 0, 2, 4, 1, 1, ORR_NONE),
                    stretch(0, 2, 6, 4, 2, 1, 1), stretch(1, 2, 6, 2, 4, 2, 0),
                    stretch(1, 6, 7, 2, 0, 0, ORR_NONE), /* it pays */
                    stretch(1, 7, 8, 2, 2, 2, ORR_NONE)},
    };
    s->e = (struct orr_engine){.epoch = s->epoch,
                               .epochs = EPOCHS,
                               .stretch = s->stretch,
                               .stretches = STRETCHES};
    s->e.cluster = (struct orr_cluster){.job = s->job,
                                        .jobs = JOBS,
                                        .now_ns = 10 * HOUR_NS,
                                        .inventory = {.gpus = 8}};
}

static struct orr_cluster_figures figures(const struct scene *s)
{
    struct orr_cluster_figures f;
    struct orr_report why = {0};
    assert_int_equal(orr__cluster_figures(&s->e, &f, &why), ORR_OK);
    return f;
}

static void of_time(void **state)
{
    struct scene s;
    scene_init(&s);
    struct orr_cluster_figures f = figures(&s);
    is_near(f.all_h, 80);
    is_near(f.given_h, 4 * 2 + 6 * 4 + 2 * 2);
    is_near(f.out_h, 4 * 2);
    is_near(f.idle_h, 4 * 2 + 2 * 4 + 2 * 2 + 8 * 2);
    is_near(f.given_h + f.idle_h + f.out_h, f.all_h);
    is_near(f.utilization, 36.0 / 72);
    is_near(f.computing, (4 * 2 + 2 * 4 + 2 * 2) / 72.0);
    /* 1 of 2 free for 4 h, 2 of 2 for 2 h, on servers that are in use */
    is_near(f.fragmentation, (1 * 4 + 2 * 2) / 36.0);
    is_near(f.queue_mean, (3 * 4 + 1 * 2 + 1 * 2) / 10.0);
    assert_int_equal(f.queue_most, 3);
    assert_true(f.end_ns == 10 * HOUR_NS);
}

static void without_time_or_room(void **state)
{
    struct scene s;
    scene_init(&s);
    s.e.epochs = 1;
    s.e.stretches = 0;
    s.e.cluster.now_ns = 0;
    for (uint32_t i = 0; i < JOBS; i++)
        s.job[i].since_ns = 0;
    s.job[0].done = s.job[1].done = 0;
    struct orr_cluster_figures f = figures(&s);
    is_near(f.queue_mean, 0);
    is_near(f.fragmentation, 0);
    is_near(f.shared, 0);
    assert_true(isnan(f.marks) && isnan(f.slowdown.mean));
}

static void of_jobs(void **state)
{
    struct scene s;
    scene_init(&s);
    struct orr_cluster_figures f = figures(&s);
    assert_int_equal(f.jobs, 4);
    assert_int_equal(f.done, 2);
    assert_int_equal(f.waiting, 1);
    assert_int_equal(f.running, 0);
    assert_int_equal(f.failed, 0);
    assert_true(f.preempted == 2 && f.resized == 3 && f.moved == 4
                && f.restarted == 5);
    is_near(f.makespan_ns, 8.0 * HOUR_NS);
    is_near(f.completion.mean, 6.5 * HOUR_NS); /* 6 and 7 h */
    assert_int_equal(f.queueing.n, 3);         /* 0, 1 and 7 h */
    is_near(f.queueing.mean, 8.0 / 3 * HOUR_NS);
    /* alone 2 + 2 h of 6, and 2 + 1 of 5 */
    is_near(f.slowdown.max, 5.0 / 3);
    is_near(f.slowdown.min, 6.0 / 4);
    /* 6 h of 4 alone, 7 h of 4 */
    is_near(f.rho.min, 1.5);
    is_near(f.rho.max, 1.75);
    double a = 1 / 1.5, b = 1 / 1.75;
    is_near(f.jain, (a + b) * (a + b) / (2 * (a * a + b * b)));
    is_near(f.lost_h, 2 * 4 + 2 * 2);
    is_near(f.shared, (16 + 8) / 36.0);
    is_near(f.iterations, 21600);
    /* 7,200 and 3,600 iterations of those that met */
    is_near(f.marks, 108000.0 / 21600);
    is_near(f.resent, 10800.0 / 21600);
}

static void of_a_job(void **state)
{
    struct scene s;
    scene_init(&s);
    struct orr_job_result *r = orr__cluster_job_figures(&s.e);
    assert_non_null(r);
    is_near(r[0].iteration, 6.0 * HOUR_NS / 14400);
    is_near(r[0].half, 0.02);
    is_near(r[0].lost_ns, 2.0 * HOUR_NS);
    is_near(r[0].gpu_hours, 24);
    is_near(r[0].marks, 5);
    is_near(r[1].iteration, 5.0 * HOUR_NS / 5400); /* 3,600 and 1,800 */
    is_near(r[1].half, 0.04);
    is_near(r[1].gpu_hours, 12);
    is_near(r[2].queueing, 7.0 * HOUR_NS);
    assert_true(isnan(r[2].completion) && isnan(r[2].rho)
                && isnan(r[2].iteration) && isnan(r[2].slowdown));
    assert_true(isnan(r[3].queueing));
    orr__free(r);
}

/* Where each job's stretches are in the list of all. */
static void stretches_by_job(void **state)
{
    struct scene s;
    struct orr_report why = {0};
    uint32_t *first, *list;
    scene_init(&s);
    s.stretch[1].job = 2;
    assert_int_equal(orr__cluster_stretches(&s.e, &first, &list, &why), ORR_OK);
    static const uint32_t begin[] = {0, 1, 4, 5, 5}, order[] = {0, 2, 3, 4, 1};
    assert_memory_equal(first, begin, sizeof begin);
    assert_memory_equal(list, order, sizeof order);
    orr__free(first);
    orr__free(list);
}

/* Each of these alone makes another one. */
static void the_fingerprint_tells_apart(void **state)
{
    struct scene s;
    scene_init(&s);
    const uint64_t as_it_is = figures(&s).fingerprint;
#define TELLS(change)                                                          \
    do {                                                                       \
        scene_init(&s);                                                        \
        change;                                                                \
        if (orr__cluster_fingerprint(&s.e) == as_it_is)                        \
            fail_msg(#change " is not told apart");                            \
    } while (0)
    TELLS(s.job[0].is.at_ns++);
    TELLS(s.job[0].first_ns++);
    TELLS(s.job[0].finish_ns++);
    TELLS(s.job[0].waited_ns++);
    TELLS(s.job[0].ran_ns++);
    TELLS(s.job[0].preempted++);
    TELLS(s.job[0].restarted++);
    TELLS(s.job[0].resized++);
    TELLS(s.job[0].moved++);
    TELLS(s.job[1].extra_ns += 2);
    TELLS(s.stretch[4].job = 0);
    TELLS(s.stretch[4].from_ns++);
    TELLS(s.stretch[4].to_ns++);
    TELLS(s.stretch[4].speed.rival = 2);
    TELLS(s.stretch[4].speed.link++);
    TELLS(s.stretch[4].speed.iteration_ns += 1);
    TELLS(s.e.stretches--);
    TELLS(s.e.cluster.jobs--);
}

static void names_of_intervals(void **state)
{
    struct scene s;
    char name[64];
    scene_init(&s);
    for (int i = 0; i < ORR_CLUSTER_FIGURES; i++) {
        orr__cluster_half_name(i, name, sizeof name);
        assert_null(strchr(name, '.'));
        s.e.intervals.half[i] = i + 1;
    }
    orr__cluster_half_name(0, name, sizeof name);
    assert_string_equal(name, "completion_ns_mean");
    size_t jain = offsetof(struct orr_cluster_figures, jain);
    assert_true(isnan(orr__cluster_half(&s.e, jain)));
    s.e.intervals.replications = 8;
    double half = orr__cluster_half(&s.e, jain);
    assert_string_equal(orr__cluster_figure[(int)half - 1].path, "jain");
    is_near(orr__cluster_half(&s.e, orr__cluster_figure[0].at), 1);
    assert_true(isnan(orr__cluster_half(&s.e, 1)));
    struct orr_cluster_figures f = figures(&s);
    is_near(orr__cluster_figure_of(&f, (int)half - 1), f.jain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_time),
        cmocka_unit_test(without_time_or_room),
        cmocka_unit_test(of_jobs),
        cmocka_unit_test(of_a_job),
        cmocka_unit_test(stretches_by_job),
        cmocka_unit_test(the_fingerprint_tells_apart),
        cmocka_unit_test(names_of_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
