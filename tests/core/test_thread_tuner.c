/* How many threads it settles on, on machines of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/thread_tuner.h"

#define WINDOW 50000 /* ns between two calls, with one thread */

/* Work done for a ns with so many threads. */
typedef double (*machine)(unsigned threads);

static double quiet(unsigned threads)
{
    return 1 + 0.9 * (threads - 1);
}

static double one_processor(unsigned threads)
{
    return threads > 1 ? 0.8 : 1;
}

static double two_processors(unsigned threads)
{
    return threads == 1 ? 1 : threads == 2 ? 1.8 : 1.2;
}

/* Runs for so long from *now on, in windows of so many ns. Returns the work
 * that was done. */
static double run_windows(struct orr_thread_tuner *t, machine m, int64_t *now,
                          int64_t ns, int64_t window)
{
    double done = 0;

    for (int64_t end = *now + ns; *now < end;) {
        double work = m(t->threads) * (double)window;

        done += work;
        *now += window;
        (void)orr__thread_tuner_note(t, (uint64_t)work, *now);
    }
    return done;
}

static double run(struct orr_thread_tuner *t, machine m, int64_t *now,
                  int64_t ns)
{
    return run_windows(t, m, now, ns, WINDOW);
}

static void settles(machine m, unsigned most, unsigned threads)
{
    struct orr_thread_tuner t;
    int64_t now = 1;
    double done;

    orr__thread_tuner_init(&t, most);
    assert_int_equal(t.threads, most);
    run(&t, m, &now, 200000000);
    assert_int_equal(t.settled, threads);
    /* trials cost little from then on */
    done = run(&t, m, &now, 2000000000);
    assert_int_equal(t.settled, threads);
    assert_true(done > 0.97 * m(threads) * 2e9);
}

static void test_settles(void **state)
{
    settles(quiet, 1, 1);
    settles(quiet, 2, 2);
    settles(quiet, 7, 7);
    settles(one_processor, 2, 1);
    settles(one_processor, 8, 1);
    settles(two_processors, 2, 2);
    settles(two_processors, 6, 2);
}

/* Others come and go. */
static void test_follows(void **state)
{
    struct orr_thread_tuner t;
    int64_t now = 1;

    orr__thread_tuner_init(&t, 2);
    run(&t, quiet, &now, 100000000);
    assert_int_equal(t.settled, 2);
    run(&t, one_processor, &now, 1000000000);
    assert_int_equal(t.settled, 1);
    run(&t, quiet, &now, 1000000000);
    assert_int_equal(t.settled, 2);
}

/* Others take a processor away now and then, for longer than a stretch: most of
 * the time two threads do well, and all in all they don't. */
static void test_stalls(void **state)
{
    struct orr_thread_tuner t;
    int64_t now = 1, end;
    double done = 0;

    orr__thread_tuner_init(&t, 2);
    for (uint64_t i = 0; now < 4000000000; i++) {
        double work = quiet(t.threads) * WINDOW;

        end = now + WINDOW + (t.threads > 1 && i % 100 == 0 ? 12000000 : 0);
        done += work;
        now = end;
        (void)orr__thread_tuner_note(&t, (uint64_t)work, now);
    }
    assert_true(done > 0.8 * 4e9);
}

/* One window is longer than the time that a trial should take. */
static void test_long_windows(void **state)
{
    struct orr_thread_tuner t;
    int64_t now = 1, second = 1000000000;
    double done;

    orr__thread_tuner_init(&t, 2);
    done = run_windows(&t, quiet, &now, 20 * second, second / 10);
    assert_int_equal(t.settled, 2);
    assert_true(done > 0.97 * quiet(2) * 20 * (double)second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settles),
        cmocka_unit_test(test_follows),
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_long_windows),
    };

    return cmocka_run_group_tests_name("core/tuner", tests, NULL, NULL);
}
