/* The state of NSCC as a walk sees it: every field that decides the future
 * counts, and nothing else. */
#include "net/cc/nscc.c"
#include "tests/net/cc/control.h"

/* At 100 us: some of all things is under way. */
static const struct nscc_params usual = {
    .average = 0.0125, .gamma = 0.8, .max_cut = 0.5};
static const struct nscc busy = {.cwnd = 1e5,
                                 .given = 25,
                                 .most = 2e5,
                                 .packet = 4000,
                                 .rtt = 10e6,
                                 .target = 10e6,
                                 .a = 1,
                                 .alpha = 1,
                                 .increase = 3e4,
                                 .received = 8000,
                                 .clear = 12000,
                                 .delay = 2e6,
                                 .achieved = 16000,
                                 .ignore = 4000,
                                 .adjusted = 95000000,
                                 .cut = 92000000,
                                 .qa_end = 108000000,
                                 .samples = 7,
                                 .uses = 3};

static uint64_t look(struct nscc s, int64_t now)
{
    struct orr_counts counts = {0};
    struct orr_snapshot w = {
        .mode = ORR_SNAPSHOT_DIGEST, .now = now, .counts = &counts};
    uint64_t digest;

    snapshot(&s, &usual, &w, 0);
    digest = w.digest;
    assert_int_equal(counts.n, 4);
    orr__counts_fini(&counts);
    return digest;
}

/* The same state so much later. */
static struct nscc later(struct nscc s, int64_t by)
{
    s.adjusted += by;
    s.cut += by;
    s.qa_end += by;
    return s;
}

#define TELLS(field, value)                                                    \
    do {                                                                       \
        struct nscc other = busy;                                              \
        other.field = value;                                                   \
        if (look(other, 100 * ORR_US) == look(busy, 100 * ORR_US))             \
            fail_msg("another " #field " is not told apart");                  \
    } while (0)

static void test_every_field(void **unused)
{
    TELLS(cwnd, 100001);
    TELLS(given, 26);
    TELLS(increase, 30001);
    TELLS(received, 8001);
    TELLS(clear, 12001);
    TELLS(achieved, 16001);
    TELLS(ignore, 4001);
    TELLS(ignore, 0);
    TELLS(adjusted, 95000001);
    TELLS(cut, 92000001);
    TELLS(qa_end, 108000001);
    TELLS(qa_end, 0);
    TELLS(rushing, true);
    TELLS(trigger, true);
}

/* Neither when it is, nor what is over or enough. */
static void test_nothing_else(void **unused)
{
    struct nscc a = busy, b = busy;
    const int64_t now = 100 * ORR_US;

    assert_true(look(busy, now)
                == look(later(busy, 7 * ORR_S), now + 7 * ORR_S));
    a.rushing = b.rushing = true;
    b.clear = 1e9;
    a.ignore = -4000;
    b.ignore = -1e6;
    a.adjusted = 90000000;
    b.adjusted = 1;
    a.cut = 89999999;
    b.cut = INT64_MIN / 2;
    a.qa_end = 99999999;
    b.qa_end = 5;
    b.samples = 70;
    b.uses = 9;
    b.delay = 1e6; /* two looks are needed for that */
    assert_true(look(a, now) == look(b, now));
    a.qa_end = now; /* an ACK that comes now is not beyond it */
    assert_false(look(a, now) == look(b, now));
}

/* Two looks of a mean that fades, and as many samples after the next 10. */
static void test_fading(void **unused)
{
    struct orr_counts one = {0}, two = {0};
    struct nscc s = busy, slow;
    struct orr_snapshot w = {
        .mode = ORR_SNAPSHOT_DIGEST, .now = 100 * ORR_US, .counts = &one};

    snapshot(&s, &usual, &w, 0);
    for (int i = 0; i < 20; i++)
        average(&s, &usual, 0, false);
    w.counts = &two;
    snapshot(&s, &usual, &w, 0);
    slow = s;
    w = (struct orr_snapshot){
        .mode = ORR_SNAPSHOT_CHECK, .first = &one, .second = &two};
    snapshot(&s, &usual, &w, 0);
    assert_false(w.differs);
    w.mode = ORR_SNAPSHOT_MOVE;
    w.at = 0;
    w.times = 10;
    snapshot(&s, &usual, &w, 0);
    for (int i = 0; i < 200; i++)
        average(&slow, &usual, 0, false);
    assert_true(s.delay == slow.delay && s.delay < busy.delay);
    assert_int_equal(s.samples, slow.samples);
    orr__counts_fini(&one);
    orr__counts_fini(&two);
}

/* One that is asked for has to be the same. */
static void test_asked_for(void **unused)
{
    struct orr_counts one = {0}, two = {0};
    struct nscc s = busy;
    struct orr_snapshot w = {
        .mode = ORR_SNAPSHOT_DIGEST, .now = 100 * ORR_US, .counts = &one};

    snapshot(&s, &usual, &w, 0);
    average(&s, &usual, 0, false);
    decrease(&s, &usual, 100 * ORR_US);
    w.counts = &two;
    snapshot(&s, &usual, &w, 0);
    w = (struct orr_snapshot){
        .mode = ORR_SNAPSHOT_CHECK, .first = &one, .second = &two};
    snapshot(&s, &usual, &w, 0);
    assert_true(w.differs);
    orr__counts_fini(&one);
    orr__counts_fini(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_nothing_else),
        cmocka_unit_test(test_fading),
        cmocka_unit_test(test_asked_for),
    };

    return cmocka_run_group_tests_name("net/cc/nscc_state", tests, NULL, NULL);
}
