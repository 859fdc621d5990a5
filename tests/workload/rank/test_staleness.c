/* Bounded staleness: how far a rank may be ahead of the slowest, and what is
 * counted of updates that others made meanwhile. */
#include <stdio.h>

#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

enum { WORKERS = 4, ITERATIONS = 12 };

/* The last worker computes ten times as long; the server is a rank of its own.
 * staleness < 0: unbounded. */
static void play(struct fake *f, int staleness)
{
    char bound[40] = "", job[600];
    if (staleness >= 0)
        snprintf(bound, sizeof bound, ", staleness: %d", staleness);
    snprintf(job, sizeof job,
             "  - {ranks: 4, iterations: %d, stragglers: {3: 10}, "
             "model: vgg11-cifar, compute: 1ms, sync: parameter-server, "
             "asynchronous: true%s}\n",
             ITERATIONS, bound);
    fake_play(f, WORKERS, job);
}

/* Every worker pushes once an iteration; the mean is that of all of them. */
static void test_every_update_is_counted(void **state)
{
    for (int s = -1; s <= 3; s++) {
        struct fake f;
        play(&f, s);
        const struct orr_job *j = &f.w.jobs[0];
        assert_int_equal(j->pushes, WORKERS * ITERATIONS);
        /* nobody knows more than all, or of less than the others' */
        assert_true(j->stale <= j->pushes * j->stalest);
        assert_true(j->stalest < j->pushes);
        fake_free(&f);
    }
}

/* Between two of the slowest worker's updates each other one, which is as far
 * ahead as it may be, makes one more than the bound; without it, more yet. */
static void test_bound(void **state)
{
    for (int s = 0; s <= 3; s++) {
        struct fake f;
        play(&f, s);
        assert_int_equal(f.w.jobs[0].stalest, (s + 1) * (WORKERS - 1));
        fake_free(&f);
    }
    struct fake f;
    play(&f, -1);
    assert_true(f.w.jobs[0].stalest > 4 * (WORKERS - 1));
    fake_free(&f);
}

/* A bound that is never reached changes nothing but the messages of a byte. */
static void test_wide_bound(void **state)
{
    struct fake free_of_it, wide;
    play(&free_of_it, -1);
    play(&wide, ITERATIONS);
    assert_int_equal(free_of_it.w.jobs[0].pushes, wide.w.jobs[0].pushes);
    assert_true(wide.net.messages > free_of_it.net.messages);
    assert_true(wide.net.bytes - free_of_it.net.bytes
                < 4 * WORKERS * ITERATIONS);
    fake_free(&free_of_it);
    fake_free(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_update_is_counted),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_wide_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
