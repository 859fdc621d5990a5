#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/snapshot.h"

struct part { /* something that a walk goes through */
    int64_t due, old, last;
    uint64_t count;
    uint32_t small, none[3]; /* no gap, whose bytes would be anything */
    unsigned __int128 sum;
    double share;
    uint64_t uses;
};

static void show(struct part *p, struct orr_snapshot *w)
{
    orr__snapshot_time(w, &p->due);
    orr__snapshot_due(w, &p->old);
    orr__snapshot_moved(w, &p->last);
    orr__snapshot_count(w, &p->count);
    orr__snapshot_count32(w, &p->small);
    orr__snapshot_wide(w, &p->sum);
    orr__snapshot_idle(w, p->share, p->uses);
    orr__snapshot_count(w, &p->uses);
}

static uint64_t look(struct part *p, int64_t now, struct orr_counts *counts)
{
    struct orr_snapshot w = {
        .mode = ORR_SNAPSHOT_DIGEST, .now = now, .counts = counts};

    show(p, &w);
    assert_false(counts->failed);
    return w.digest;
}

static const struct part early = {.due = 1500,
                                  .old = 900,
                                  .last = 1000,
                                  .count = 7,
                                  .small = UINT32_MAX,
                                  .sum = UINT64_MAX,
                                  .share = 0.25,
                                  .uses = 3};
/* the same 400 ps later */
static const struct part late = {.due = 1900,
                                 .old = 1200,
                                 .last = 1400,
                                 .count = 10,
                                 .small = 1,
                                 .sum = (unsigned __int128)1 << 65,
                                 .share = 0.125,
                                 .uses = 3};

/* Times count from now, what is over does not, nor do counters. */
static void test_look(void **state)
{
    struct part a = early, b = late;
    struct orr_counts one = {0}, two = {0};
    uint64_t digest = look(&a, 1000, &one);

    assert_int_equal(one.n, 7);
    assert_true(digest == look(&b, 1400, &two));
    b.due++;
    assert_false(digest == look(&b, 1400, &two));
    b = late;
    b.due = ORR_NEVER;
    assert_false(digest == look(&b, 1400, &two));
    a.due = 999; /* a moment ago is not never */
    assert_false(look(&a, 1000, &one) == look(&b, 1400, &two));
    b = late;
    b.old = 1401; /* is still to come */
    assert_false(digest == look(&b, 1400, &two));
    orr__counts_fini(&one);
    orr__counts_fini(&two);
}

/* What was of no use may have changed; what was used may not. */
static void test_check(void **state)
{
    struct part a = early, b = late;
    struct orr_counts one = {0}, two = {0};
    struct orr_snapshot w = {
        .mode = ORR_SNAPSHOT_CHECK, .first = &one, .second = &two};

    look(&a, 1000, &one);
    look(&b, 1400, &two);
    show(&b, &w);
    assert_false(w.differs);
    assert_int_equal(w.at, 7);
    assert_memory_equal(&b, &late, sizeof b);

    b.uses++;
    two.n = 0;
    look(&b, 1400, &two);
    w.at = 0;
    show(&b, &w);
    assert_true(w.differs);

    two.n--; /* not as many parts as before */
    w = (struct orr_snapshot){
        .mode = ORR_SNAPSHOT_CHECK, .first = &one, .second = &two};
    show(&b, &w);
    assert_true(w.differs);
    orr__counts_fini(&one);
    orr__counts_fini(&two);
}

static void test_move(void **state)
{
    struct part a = early, b = late;
    struct orr_counts one = {0}, two = {0};
    struct orr_snapshot w = {.mode = ORR_SNAPSHOT_MOVE,
                             .now = 1400,
                             .by = 1200,
                             .times = 3,
                             .first = &one,
                             .second = &two};

    look(&a, 1000, &one);
    look(&b, 1400, &two);
    show(&b, &w);
    assert_int_equal(b.due, 3100);
    assert_int_equal(b.old, 1200); /* over: it stays */
    assert_int_equal(b.last, 2600);
    assert_int_equal(b.count, 19);
    assert_int_equal(b.small, 7); /* goes round */
    /* 2^65, and three times what it is above 2^64 - 1 */
    assert_true(b.sum == ((unsigned __int128)5 << 64) + 3);
    assert_true(b.share == 0.125);
    assert_int_equal(b.uses, 3);
    orr__counts_fini(&one);
    orr__counts_fini(&two);
}

static void test_memory(void **state)
{
    struct part a = early;
    struct orr_counts counts = {0};
    struct orr_snapshot w = {.mode = ORR_SNAPSHOT_DIGEST, .counts = &counts};

    orr__memory_fail_after(1, 0);
    show(&a, &w);
    assert_true(counts.failed);
    orr__counts_fini(&counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_look),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_move),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
