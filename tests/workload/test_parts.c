/* Programs with a part for each rank, operations that keep a stream, and calls
 * on a grid of ranks. */
#include <stdio.h>

#include "core/none.h"
#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)((x)*1000))

static struct orr_report why;

static uint32_t add(struct orr_program *p, struct orr_op op)
{
    uint32_t id;
    op.who = ORR_EVERYONE;
    if (op.kind == ORR_OP_COMPUTE)
        op.index = ORR_NONE;
    assert_int_equal(orr__program_add(p, &op, &id, &why), ORR_OK);
    return id;
}

static void after(struct orr_program *p, uint32_t before, uint32_t next)
{
    assert_int_equal(orr__program_depend(p, before, next, &why), ORR_OK);
}

static uint32_t part(struct orr_program *p, uint32_t rank)
{
    uint32_t id;
    assert_int_equal(orr__program_part(p, &id, &why), ORR_OK);
    assert_int_equal(orr__program_assign(p, rank, id, &why), ORR_OK);
    return id;
}

/* Runs p in the place of a job's own program. */
static void play(struct fake *f, uint32_t ranks, struct orr_program *p)
{
    char jobs[100];
    snprintf(jobs, sizeof jobs,
             "  - {ranks: %u, program: [compute: 1ns], iterations: 2}\n",
             ranks);
    assert_int_equal(orr__program_finish(p, &why), ORR_OK);
    assert_int_equal(fake_read(f, ranks, jobs), ORR_OK);
    struct orr_team *t = f->w.jobs[0].team;
    orr__program_free((struct orr_program *)t->program);
    t->program = p;
    t->kept = 2ull * p->calls;
    fake_go(f);
}

static int64_t time_of(const struct fake *f, uint32_t iteration)
{
    const struct orr_iteration *i = &f->w.jobs[0].iteration[iteration];
    return i->end_ps - i->start_ps;
}

static void test_a_part_for_each_rank(void **state)
{
    struct fake f;
    struct orr_program *p = orr__program_new(3);
    part(p, 1);
    uint32_t c =
        add(p, (struct orr_op){.kind = ORR_OP_COMPUTE, .time_ps = NS(7)});
    uint32_t s =
        add(p, (struct orr_op){
                   .kind = ORR_OP_SEND, .peer = 0, .index = 5, .bytes = 5000});
    after(p, c, s);
    part(p, 0);
    uint32_t a =
        add(p, (struct orr_op){.kind = ORR_OP_RECV, .peer = 1, .index = 5});
    uint32_t b =
        add(p, (struct orr_op){.kind = ORR_OP_COMPUTE, .time_ps = NS(20)});
    uint32_t j = add(p, (struct orr_op){.kind = ORR_OP_WAIT});
    after(p, a, j);
    after(p, b, j);
    assert_int_equal(orr__program_assign(p, 2, 0, &why), ORR_OK);
    part(p, 2); /* does nothing at all */
    play(&f, 3, p);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    /* rank 2 is through at once, the others meet in each iteration */
    int64_t message =
        orr__serialisation(5000, f.net.rate_bps) + f.net.latency_ps;
    assert_int_equal(f.w.jobs[0].iteration[0].start_ps, 0);
    assert_int_equal(f.w.jobs[0].iteration[0].end_ps, NS(7) + message);
    assert_int_equal(f.net.bytes, 2 * 5000);
    fake_free(&f);
}

/* Four messages of one rank on a stream that `slots` may keep: the most
 * important goes first. */
static void hold(struct fake *f, uint32_t slots, int32_t sign, int64_t *end)
{
    struct orr_program *p = orr__program_new(2);
    part(p, 0);
    for (int i = 0; i < 4; i++)
        add(p, (struct orr_op){.kind = ORR_OP_RECV,
                               .holds = false,
                               .peer = 1,
                               .index = (uint32_t)i});
    part(p, 1);
    for (int i = 0; i < 4; i++)
        add(p, (struct orr_op){.kind = ORR_OP_SEND,
                               .holds = true,
                               .stream = 3,
                               .priority = sign * (i % 3),
                               .peer = 0,
                               .index = (uint32_t)i,
                               .bytes = 1000});
    assert_int_equal(orr__program_slots(p, 3, slots, &why), ORR_OK);
    play(f, 2, p);
    assert_int_equal(orr__jobs_close(&f->w, &f->why), ORR_OK);
    *end = f->w.jobs[0].finish_ps;
}

static void test_a_stream_is_kept(void **state)
{
    struct fake f;
    int64_t one, two;
    hold(&f, 1, 1, &one);
    uint64_t hash = f.net.step_hash;
    fake_free(&f);
    /* the same work through one port, two at a time in the same order */
    hold(&f, 2, 1, &two);
    assert_int_equal(one, two);
    assert_true(hash == f.net.step_hash);
    fake_free(&f);
    /* and in another order */
    hold(&f, 1, -1, &two);
    assert_int_equal(one, two);
    assert_true(hash != f.net.step_hash);
    fake_free(&f);
}

/* All ask for the stream at once: 2, 1, 0 and 3 in this order, for 3 is as
 * unimportant as 0. What 2 makes ready, 4, goes before all that wait. */
static void test_priority(void **state)
{
    struct fake f;
    struct orr_program *p = orr__program_new(1);
    uint32_t op[4];
    for (int i = 0; i < 4; i++)
        op[i] = add(p, (struct orr_op){.kind = ORR_OP_COMPUTE,
                                       .priority = i % 3,
                                       .time_ps = NS(1 << 2 * i)});
    /* what follows an operation ends the run when that one was the last */
    uint32_t tail =
        add(p, (struct orr_op){
                   .kind = ORR_OP_COMPUTE, .stream = 1, .time_ps = NS(100)});
    after(p, op[1], tail);
    uint32_t next =
        add(p, (struct orr_op){
                   .kind = ORR_OP_COMPUTE, .priority = 2, .time_ps = NS(7)});
    after(p, op[2], next);
    play(&f, 1, p);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    assert_int_equal(time_of(&f, 0), NS(16 + 7 + 4 + 100));
    fake_free(&f);
}

/* Six ranks as two rows of three: each row, then each column. */
static void test_grid(void **state)
{
    struct fake f;
    struct orr_program *p = orr__program_new(6);
    struct orr_call row = {
        .c = {.ops = orr__collective_find(ORR_ALL_REDUCE, "ring"), .n = 3},
        .bytes = 3000,
        .chunks = 1,
        .concurrent = 1,
        .group = ORR_EVERYONE,
        .stride = 1,
    };
    struct orr_call column = row;
    column.c.n = 2;
    column.stride = 3;
    uint32_t a, b;
    assert_int_equal(orr__program_call(p, &row, NULL, &a, &why), ORR_OK);
    assert_int_equal(orr__program_call(p, &column, NULL, &b, &why), ORR_OK);
    uint32_t x = add(p, (struct orr_op){.kind = ORR_OP_COLLECTIVE, .index = a});
    uint32_t y = add(p, (struct orr_op){.kind = ORR_OP_COLLECTIVE, .index = b});
    after(p, x, y);
    assert_int_equal(orr__call_rank(p, &p->call[a], 1, 5), 4);
    assert_int_equal(orr__call_rank(p, &p->call[b], 1, 2), 5);
    assert_int_equal(orr__call_member(p, &p->call[b], 4), 1);
    play(&f, 6, p);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    int64_t r = orr__serialisation(1000, f.net.rate_bps) + f.net.latency_ps;
    int64_t c = orr__serialisation(1500, f.net.rate_bps) + f.net.latency_ps;
    assert_int_equal(time_of(&f, 0), 4 * r + 2 * c);
    assert_int_equal(f.w.jobs[0].n_collectives, 4);
    assert_int_equal(f.w.jobs[0].collective[0].messages, 6 * 4);
    /* what an estimate says is what went */
    assert_int_equal(f.net.bytes, 2 * 6 * (4 * 1000 + 2 * 1500));
    fake_free(&f);
}

/* Written as a list, a program has one part that all ranks share. */
static void test_a_list_is_one_part(void **state)
{
    struct fake f;
    fake_play(&f, 3, "  - {ranks: 3, program: [compute: 2ns, barrier]}\n");
    const struct orr_team *t = f.w.jobs[0].team;
    assert_int_equal(t->program->parts, 1);
    assert_null(t->program->part_of);
    assert_int_equal(t->program->part[0].ops, 2);
    fake_free(&f);
}

/* A rank of a long program keeps what is under way and no more. */
static void test_memory_follows_what_is_active(void **state)
{
    struct fake f;
    struct orr_program *p = orr__program_new(1);
    uint32_t before = UINT32_MAX;
    for (int i = 0; i < 100000; i++) {
        uint32_t id =
            add(p, (struct orr_op){.kind = ORR_OP_COMPUTE, .time_ps = NS(1)});
        if (i > 1 && i % 3 == 0)
            after(p, id - 2, id);
        if (i)
            after(p, before, id);
        before = id;
    }
    play(&f, 1, p);
    const struct orr_team *t = f.w.jobs[0].team;
    assert_in_range(t->rank[0].ready_mask, 0, 15);
    assert_in_range(t->rank[0].satisfied.mask, 0, 15);
    assert_int_equal(t->rank[0].satisfied.used, 0);
    fake_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_part_for_each_rank),
        cmocka_unit_test(test_a_stream_is_kept),
        cmocka_unit_test(test_priority),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_a_list_is_one_part),
        cmocka_unit_test(test_memory_follows_what_is_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
