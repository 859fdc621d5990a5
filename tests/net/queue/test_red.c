/* RED: the line, the average, both moments, and computed = explicit. */
#include "tests/net/queue/queue_case.h"

#define RATE 8000000000u /* 1 B a ns */

static void test_line(void **state)
{
    struct queue_case q;
    unsigned marks = 0;

    queue_make(&q, "red", "{kmin: 1000B, kmax: 3000B, pmax: 0.5}", RATE);
    assert_int_equal(q.limits.drop_ps, 1048576 * ORR_NS);
    assert_int_equal(q.limits.mark_ps, ORR_NEVER);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(queue_ask(&q, 1000 * ORR_NS, 0, 1), ORR_VERDICT_PASS);
        assert_int_equal(queue_ask(&q, 3000 * ORR_NS + 1, 0, 1),
                         ORR_VERDICT_MARK);
    }
    for (unsigned i = 0; i < 10000; i++) /* half way: 0.25 */
        marks += queue_ask(&q, 2000 * ORR_NS, 0, 1) == ORR_VERDICT_MARK;
    assert_in_range(marks, 2500 - 4 * 43, 2500 + 4 * 43);
    queue_free(&q);
}

/* 100 and 400 KB for 25 Gbps are 32 and 128 us at any rate. */
static void test_auto(void **state)
{
    struct queue_case q;

    queue_make(&q, "red", "{}", 100000000000u);
    assert_int_equal(q.limits.kmin_ps, 32 * ORR_US);
    assert_int_equal(q.limits.kmax_ps, 128 * ORR_US);
    queue_free(&q);
}

/* Weight 1/2: 0, then backlogs of 800, 800 and 0 give 400, 600, 300; three
 * packets' time of nothing at all halves that thrice, and the packet itself
 * once more: 18.75. */
static void test_average(void **state)
{
    struct queue_case q;

    queue_make(&q, "red",
               "{kmin: 0B, kmax: 1MB, weight: 0.5, ecn: false, "
               "pmax: 0}",
               RATE);
    assert_int_equal(queue_ask(&q, 800, 0, 10), ORR_VERDICT_PASS);
    assert_true(q.average == 400);
    queue_ask(&q, 800, 0, 10);
    assert_true(q.average == 600);
    queue_ask(&q, 0, 0, 10);
    assert_true(q.average == 300);
    queue_ask(&q, 0, 39, 10);
    assert_true(q.average == 300.0 / 16);
    queue_free(&q);
    queue_make(&q, "red", "{kmin: 0B, kmax: 0B, ecn: false}", RATE);
    assert_int_equal(queue_ask(&q, 1, 0, 1), ORR_VERDICT_DROP);
    queue_free(&q);
}

/* Three packets meet. They find 0, 1000 and 2000 B; the second leaves 1000
 * behind when it is taken, the third nothing. */
static void test_moments(void **state)
{
    struct orr_net_totals t;

    queue_meet("queue: {kind: red, kmin: 999B, kmax: 999B}", 4, &t);
    assert_int_equal(t.ecn_marks, 2);
    queue_meet("queue: {kind: red, kmin: 999B, kmax: 999B, mark: dequeue}", 4,
               &t);
    assert_int_equal(t.ecn_marks, 1);
    queue_meet("queue: {kind: red, kmin: 1KB, kmax: 1KB, mark: dequeue}", 4,
               &t);
    assert_int_equal(t.ecn_marks, 0);
    queue_meet("queue: {kind: red, kmin: 999B, kmax: 999B, ecn: false}", 4, &t);
    assert_int_equal(t.ecn_marks, 0);
    /* the two dropped come again at one time, and one of them once more */
    assert_int_equal(t.packets_dropped, 3);
    assert_int_equal(t.packets_delivered, 6); /* with their ACKs */
}

/* Draws are made for each link in its order, so computed and explicit ports,
 * and any number of threads, mark the same packets. */
static void test_same_everywhere(void **state)
{
    static const char *const ports[] = {"computed", "explicit"};
    static const char *const kinds[] = {"ecn: true", "ecn: false",
                                        "weight: 0.1"};

    for (unsigned k = 0; k < 3; k++) {
        uint64_t first = 0, marks = 0;

        for (unsigned i = 0; i < 6; i++) {
            struct transfer t[8];
            struct small_world w;
            char yaml[512];

            memset(t, 0, sizeof t);
            for (uint32_t h = 0; h < 8; h++)
                t[h] = (struct transfer){.src = h,
                                         .dst = 8 + h % 2,
                                         .bytes = 200000,
                                         .start = h * 1000};
            snprintf(yaml, sizeof yaml,
                     "topology: {kind: dumbbell, left: 8, right: 8, link: "
                     "{rate: 7Gbps, delay: 1us}}\n"
                     "network: {mtu: 1000B, cc: dctcp, ports: %s, queue: "
                     "{kind: red, capacity: 90KB, kmin: 5KB, kmax: 50KB, "
                     "pmax: 0.3, %s}}\n",
                     ports[i % 2], kinds[k]);
            small_build(&w, yaml, 1 + i / 2);
            small_run(&w, t, 8);
            if (i == 0) {
                first = w.totals.fingerprint;
                marks = w.totals.ecn_marks + w.totals.packets_dropped;
                assert_in_range(marks, 10, 1500);
            }
            assert_true(w.totals.fingerprint == first);
            assert_int_equal(w.totals.ecn_marks + w.totals.packets_dropped,
                             marks);
            small_free(&w);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_average),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_same_everywhere),
    };

    return cmocka_run_group_tests_name("net/queue/red", tests, NULL, NULL);
}
