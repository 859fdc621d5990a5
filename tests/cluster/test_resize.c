/* GPUs of jobs that run change: what it costs, in time that is worked out on
 * paper. An iteration computes for 10 ms, on however many GPUs. */
#include "tests/cluster/small_run.h"

#define PROGRAM "program: [{compute: 10ms}]"

#define JOB(gpus, ask)                                                         \
    "jobs: [{name: a, gpus: {min: 2, max: " gpus ", ask: " ask ", step: 2}, "  \
    "iterations: 100, " PROGRAM "}]\n"
#define FAILS_AND_TOLD(at)                                                     \
    TWO_RACKS "cluster:\n"                                                     \
              "  accuracy: fluid\n"                                            \
              "  restart: 3s\n"                                                \
              "  resize: {cost: 100ms, grow: false, "                          \
              "told: [{job: A, at: " at ", gpus: 2}]}\n"                       \
              "  failures: [{server: 0, at: 500ms, for: 10ms}]\n"              \
              "  arrivals: [{template: a, at: 0s, name: A}]\n"                 \
              "  " JOB("4", "4")

/* It pays for what takes longer: the restart that is under way, or the change
 * that comes. Half of the iterations are left, which two GPUs do twice. */
static void pays_for_a_restart_to_its_end(void **state)
{
    struct small_run r = small_run(FAILS_AND_TOLD("1s"));
    ASSERT_STRETCHES(&r, 0, {0, 0.5, 4}, {3.5, 4.5, 2});
    assert_int_equal(r.e->cluster.job[0].resized, 1);
    assert_int_equal(r.e->cluster.job[0].restarted, 1);
    small_run_free(&r);
    r = small_run(FAILS_AND_TOLD("3450ms"));
    ASSERT_STRETCHES(&r, 0, {0, 0.5, 4}, {3.55, 4.55, 2});
    small_run_free(&r);
}

/* One that begins at this moment is given more before it has begun: that is no
 * change, and it pays for its start alone. */
static void begins_with_all_that_is_free(void **state)
{
    struct small_run r =
        small_run(TWO_RACKS "cluster:\n"
                            "  accuracy: fluid\n"
                            "  start: 50ms\n"
                            "  resize: {cost: 100ms}\n"
                            "  arrivals: [{template: a, at: 1s}]\n"
                            "  " JOB("8", "4"));
    ASSERT_STRETCHES(&r, 0, {1.05, 1.55, 8});
    assert_int_equal(r.e->cluster.job[0].resized, 0);
    assert_int_equal(r.e->cluster.job[0].moved, 0);
    small_run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pays_for_a_restart_to_its_end),
        cmocka_unit_test(begins_with_all_that_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
