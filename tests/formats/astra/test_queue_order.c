/* ASTRA-sim's turns of collectives on a stream: the order in which they queue
 * up, that ranks take them alike, and ends that are the same for all. */
#include <stdio.h>

#include "core/memory.h"
#include "core/none.h"
#include "formats/astra/queue_order.h"
#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)((x)*1000))

static struct orr_report why;

static uint32_t add(struct orr_program *p, struct orr_op op)
{
    uint32_t id;
    assert_int_equal(orr__program_add(p, &op, &id, &why), ORR_OK);
    return id;
}

/* An all-reduce of both ranks on stream 1. */
static uint32_t call(struct orr_program *p, enum orr_astra_queue_order order,
                     int32_t priority, uint64_t weight)
{
    struct orr_call c = {
        .c = {.ops = orr__collective_find(ORR_ALL_REDUCE, "direct"), .n = 2},
        .bytes = 1000,
        .chunks = 1,
        .concurrent = 1,
        .group = ORR_EVERYONE};
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                        .holds = true,
                        .rule = (uint8_t)(order | ORR_ORDER_TOGETHER),
                        .stream = 1,
                        .priority = priority,
                        .bytes = weight,
                        .who = ORR_EVERYONE};
    assert_int_equal(orr__program_call(p, &c, NULL, &op.index, &why), ORR_OK);
    return add(p, op);
}

/* Runs p over two ranks and tells when rank 0 began each operation. */
static void play_on(struct fake *f, struct orr_program *p,
                    struct orr_watch *watch, bool single)
{
    p->policy = &orr__astra_policy;
    assert_int_equal(orr__program_finish(p, &why), ORR_OK);
    assert_int_equal(fake_read(f, 2,
                               "  - {ranks: 2, program: [compute: 1ns]}"
                               "\n"),
                     ORR_OK);
    struct orr_team *t = f->w.jobs[0].team;
    orr__program_free((struct orr_program *)t->program);
    t->program = p;
    t->kept = p->calls;
    t->watch = watch; /* taken back before the job frees it */
    f->net.single = single;
    fake_go(f);
    t->watch = NULL;
    assert_int_equal(orr__jobs_close(&f->w, &f->why), ORR_OK);
}

static void play(struct fake *f, struct orr_program *p, struct orr_watch *watch)
{
    play_on(f, p, watch, false);
}

/* The ids of n operations in the order in which rank 0 began them. */
static void begun(const struct orr_watch *w, uint32_t n, uint32_t *id)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at && w[id[at - 1]].start_ps > w[i].start_ps; at--)
            id[at] = id[at - 1];
        id[at] = i;
    }
}

static void assert_order(enum orr_astra_queue_order order,
                         const int32_t *priority, const uint64_t *weight,
                         const uint32_t *expected)
{
    struct fake f;
    struct orr_watch watch[8] = {0};
    struct orr_program *p = orr__program_new(2);
    uint32_t id[5];
    for (int i = 0; i < 5; i++)
        call(p, order, priority[i], weight[i]);
    play(&f, p, watch);
    begun(watch, 5, id);
    for (int i = 0; i < 5; i++)
        assert_int_equal(id[i], expected[i]);
    fake_free(&f);
}

/* The first has the stream before the others ask for it. */
static void test_orders(void **state)
{
    static const int32_t rising[] = {0, 1, 2, 2, 1}, even[] = {3, 3, 3, 3, 3};
    static const uint64_t sizes[] = {9, 8, 4, 6, 4};
    assert_order(ORR_BY_PRIORITY, rising, sizes, (uint32_t[]){0, 2, 3, 1, 4});
    /* equally small: the last one first, as in ASTRA-sim */
    assert_order(ORR_SMALLEST_FIRST, rising, sizes,
                 (uint32_t[]){0, 4, 2, 3, 1});
    /* kind 1 is at work, the first of kind 2 is next and stays so; then they
     * take turns */
    assert_order(ORR_ALTERNATELY, even, (uint64_t[]){1, 2, 2, 1, 2},
                 (uint32_t[]){0, 1, 3, 2, 4});
}

static uint32_t delay(struct orr_program *p, uint32_t rank, uint32_t next)
{
    uint32_t id = add(p, (struct orr_op){.kind = ORR_OP_COMPUTE,
                                         .who = ORR_ONLY | rank,
                                         .index = ORR_NONE,
                                         .time_ps = NS(50000)});
    assert_int_equal(orr__program_depend(p, id, next, &why), ORR_OK);
    return id;
}

/* Rank 0 gets the second ready first, rank 1 the first: each gives the only
 * slot to what the other has not begun, and neither would ever end. */
static void test_nobody_waits_for_ever(void **state)
{
    struct fake f;
    struct orr_watch watch[8] = {0};
    struct orr_program *p = orr__program_new(2);
    uint32_t first = call(p, ORR_BY_PRIORITY, 0, 0);
    uint32_t second = call(p, ORR_BY_PRIORITY, 0, 0);
    delay(p, 0, first);
    delay(p, 1, second);
    play(&f, p, watch);
    assert_true(watch[first].end_ps >= NS(50000));
    assert_true(watch[second].end_ps >= NS(50000));
    fake_free(&f);
}

/* Rank 0 has nothing to wait for in a broadcast of its own; if it is joint, it
 * ends when the message is at rank 1, and only then the next one begins. */
static void test_joint_ends(void **state)
{
    static const struct orr_call_rules hasty = {.hasty = true};
    for (int joint = 0; joint < 2; joint++) {
        struct fake f;
        struct orr_watch watch[4] = {0};
        struct orr_program *p = orr__program_new(2);
        for (int i = 0; i < 2; i++) {
            struct orr_call c = {
                .c = {.ops = orr__collective_find(ORR_BROADCAST, "direct"),
                      .n = 2},
                .bytes = 1000,
                .chunks = 1,
                .concurrent = 1,
                .rules = &hasty,
                .group = ORR_EVERYONE};
            struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                                .holds = true,
                                .rule =
                                    (uint8_t)(ORR_ORDER_TOGETHER
                                              | (joint ? ORR_TURN_JOINT : 0)),
                                .stream = 1,
                                .who = ORR_EVERYONE};
            assert_int_equal(orr__program_call(p, &c, NULL, &op.index, &why),
                             ORR_OK);
            add(p, op);
        }
        play_on(&f, p, watch, true);
        /* 1,000 bytes at 50 GB/s, 500 ns on the way */
        assert_int_equal(watch[0].end_ps, joint ? NS(520) : 0);
        assert_int_equal(watch[1].start_ps, watch[0].end_ps);
        assert_int_equal(watch[1].end_ps, joint ? NS(1040) : 0);
        fake_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_nobody_waits_for_ever),
        cmocka_unit_test(test_joint_ends),
    };
    return cmocka_run_group_tests_name("astra/turns", tests, NULL, NULL);
}
