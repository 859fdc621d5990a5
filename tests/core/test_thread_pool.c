/* Parts shared out among threads: each is done once, whoever does it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/thread_pool.h"

#define PARTS  13
#define PHASES 3000

struct tally { /* of a part: not atomic, for no two threads hold one */
    _Alignas(64) uint64_t done, sum;
};

static struct tally tally[PARTS];

static void count(void *arg, unsigned part)
{
    tally[part].done++;
}

/* Reads what other parts wrote in the phase before. */
static void add_up(void *arg, unsigned part)
{
    tally[part].sum += tally[(part + 1) % PARTS].done;
}

static void run(unsigned threads, unsigned limit)
{
    struct orr_report why = {0};
    struct orr_thread_pool *c = orr__thread_pool_new(threads, PARTS);

    assert_non_null(c);
    memset(tally, 0, sizeof tally);
    for (uint64_t again = 0; again < 2; again++) {
        assert_int_equal(orr__thread_pool_start(c, &why), ORR_OK);
        orr__thread_pool_limit(c, limit);
        for (uint64_t i = 0; i < PHASES; i++) {
            orr__thread_pool_share(c, count, NULL);
            orr__thread_pool_share(c, add_up, NULL);
            if (i == PHASES / 2)
                orr__thread_pool_limit(c, threads);
        }
        orr__thread_pool_stop(c);
    }
    for (unsigned i = 0; i < PARTS; i++) {
        assert_int_equal(tally[i].done, 2 * PHASES);
        assert_int_equal(tally[i].sum, (uint64_t)PHASES * (2 * PHASES + 1));
    }
    orr__thread_pool_free(c);
}

static void test_each_part_once(void **state)
{
    for (unsigned threads = 1; threads <= 4; threads++)
        run(threads, threads);
}

static void test_limits(void **state)
{
    run(3, 1);
    run(4, 2);
}

/* Helpers that never get a processor, or not yet: here there are none. The
 * leader does all parts of all phases, and waits for nobody. */
static void test_helpers_that_do_not_run(void **state)
{
    struct orr_thread_pool *c = orr__thread_pool_new(4, PARTS);

    assert_non_null(c);
    memset(tally, 0, sizeof tally);
    for (uint64_t i = 0; i < PHASES; i++)
        orr__thread_pool_share(c, count, NULL);
    for (unsigned i = 0; i < PARTS; i++)
        assert_int_equal(tally[i].done, PHASES);
    orr__thread_pool_free(c);
}

static void test_no_memory(void **state)
{
    for (uint64_t i = 1; i <= 3; i++) {
        orr__memory_fail_after(i, 0);
        assert_null(orr__thread_pool_new(2, 2));
        orr__memory_fail_after(0, 0);
    }
}

static void test_processors(void **state)
{
    assert_true(orr__processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_part_once),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_helpers_that_do_not_run),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_processors),
    };

    return cmocka_run_group_tests_name("core/thread_pool", tests, NULL, NULL);
}
