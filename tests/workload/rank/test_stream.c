/* Operations of a rank that wait for a stream: the highest priority first, then
 * the one that was ready first; as many at once as the stream has room for. */
#include <stdio.h>

#include "core/memory.h"
#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

static struct orr_report why;

static uint32_t add(struct orr_program *p, struct orr_op op)
{
    uint32_t id;
    assert_int_equal(orr__program_add(p, &op, &id, &why), ORR_OK);
    return id;
}

/* An all-reduce of both ranks on stream 1, 1 us. */
static uint32_t call(struct orr_program *p, int32_t priority)
{
    struct orr_call c = {
        .c = {.ops = orr__collective_find(ORR_ALL_REDUCE, "direct"), .n = 2},
        .bytes = 1000,
        .chunks = 1,
        .concurrent = 1,
        .group = ORR_EVERYONE};
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                        .holds = true,
                        .stream = 1,
                        .priority = priority,
                        .who = ORR_EVERYONE};
    assert_int_equal(orr__program_call(p, &c, NULL, &op.index, &why), ORR_OK);
    return add(p, op);
}

/* Five that get ready in this order; when rank 0 began each, in order. */
static void play(uint32_t slots, const int32_t *priority, int64_t *start)
{
    struct fake f;
    struct orr_watch watch[8] = {0};
    struct orr_program *p = orr__program_new(2);
    for (int i = 0; i < 5; i++)
        assert_int_equal(call(p, priority[i]), i);
    assert_int_equal(orr__program_slots(p, 1, slots, &why), ORR_OK);
    assert_int_equal(orr__program_finish(p, &why), ORR_OK);
    assert_int_equal(fake_read(&f, 2,
                               "  - {ranks: 2, program: [compute: 1ns]}"
                               "\n"),
                     ORR_OK);
    struct orr_team *t = f.w.jobs[0].team;
    orr__program_free((struct orr_program *)t->program);
    t->program = p;
    t->kept = p->calls;
    t->watch = watch; /* taken back before the job frees it */
    fake_go(&f);
    t->watch = NULL;
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    for (int i = 0; i < 5; i++)
        start[i] = watch[i].start_ps;
    fake_free(&f);
}

static void test_priorities(void **state)
{
    int64_t start[5];
    /* all are ready when the stream is given away */
    play(1, (int32_t[]){0, 1, 2, 2, 1}, start);
    assert_int_equal(start[2], 0);
    assert_true(start[3] > start[2] && start[1] > start[3]);
    assert_true(start[4] > start[1] && start[0] > start[4]);
    play(1, (int32_t[]){7, 7, 7, 7, 7}, start);
    for (int i = 1; i < 5; i++)
        assert_true(start[i] > start[i - 1]);
}

static void test_slots(void **state)
{
    int64_t start[5];
    play(3, (int32_t[]){0, 1, 2, 2, 1}, start);
    assert_int_equal(start[1], 0);
    assert_int_equal(start[2], 0);
    assert_int_equal(start[3], 0);
    assert_true(start[4] > 0 && start[0] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_slots),
    };
    return cmocka_run_group_tests_name("workload/stream", tests, NULL, NULL);
}
