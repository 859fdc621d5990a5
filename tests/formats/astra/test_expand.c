/* Collectives over a grid: phases, their order, sizes and queues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/none.h"
#include "formats/astra/expand.h"
#include "formats/astra/queue_order.h"

struct made {
    struct orr_program *p;
    struct orr_expander x;
    struct orr_report why;
    uint32_t done;
};

static struct orr_astra_system system_of(uint32_t splits)
{
    const struct orr_astra_choice one = {ORR_ASTRA_RING, false, 0};
    const struct orr_astra_per_dim ring = {.n = 3, .dim = {one, one, one}};
    return (struct orr_astra_system){.active = 1,
                                     .splits = splits,
                                     .gap = 16,
                                     .all_reduce = ring,
                                     .all_gather = ring,
                                     .reduce_scatter = ring,
                                     .all_to_all = ring};
}

/* 2 x 4 x 8, each dimension half as fast as the one before. */
static const struct orr_astra_grid grid = {3, {2, 4, 8}, {400, 200, 100}};

static void expand(struct made *m, const struct orr_astra_system *s,
                   uint32_t queues, enum orr_collective_kind kind,
                   uint64_t bytes, uint32_t involved)
{
    const struct orr_issue what = {.kind = kind,
                                   .bytes = bytes,
                                   .involved = involved,
                                   .group = ORR_EVERYONE,
                                   .before = ORR_NONE,
                                   .calls = ORR_NONE};
    m->why = (struct orr_report){0};
    m->p = orr__program_new(64);
    assert_int_equal(
        orr__expander_init(&m->x, m->p, s, &grid, queues, 5, &m->why), ORR_OK);
    assert_int_equal(orr__expand(&m->x, &what, &m->done), ORR_OK);
    assert_int_equal(orr__program_finish(m->p, &m->why), ORR_OK);
}

static void made_free(struct made *m)
{
    orr__expander_fini(&m->x);
    orr__program_free(m->p);
}

static void assert_call(const struct made *m, uint32_t call,
                        enum orr_collective_kind kind, uint32_t n,
                        uint32_t stride, uint64_t bytes)
{
    const struct orr_call *x = &m->p->call[call];
    assert_int_equal(x->c.ops->kind, kind);
    assert_int_equal(x->c.n, n);
    assert_int_equal(x->stride, stride);
    assert_int_equal(x->bytes, bytes);
}

static void up_and_back(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(1);
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 7);
    assert_int_equal(m.p->calls, 5);
    assert_call(&m, 0, ORR_REDUCE_SCATTER, 2, 1, 6400);
    assert_call(&m, 1, ORR_REDUCE_SCATTER, 4, 2, 3200);
    assert_call(&m, 2, ORR_ALL_REDUCE, 8, 8, 800);
    assert_call(&m, 3, ORR_ALL_GATHER, 4, 2, 800);
    assert_call(&m, 4, ORR_ALL_GATHER, 2, 1, 3200);
    assert_int_equal(m.p->op[m.p->call[1].op].stream, 6);
    assert_true(m.p->op[m.p->call[1].op].holds);
    made_free(&m);
    /* dimension 1 alone; nothing at all */
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 2);
    assert_int_equal(m.p->calls, 1);
    assert_call(&m, 0, ORR_ALL_REDUCE, 4, 2, 6400);
    made_free(&m);
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 8);
    assert_int_equal(m.done, ORR_NONE);
    made_free(&m);
}

static void other_orders(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(1);
    expand(&m, &s, 1, ORR_ALL_GATHER, 100, 7);
    assert_call(&m, 0, ORR_ALL_GATHER, 8, 8, 100);
    assert_call(&m, 1, ORR_ALL_GATHER, 4, 2, 800);
    assert_call(&m, 2, ORR_ALL_GATHER, 2, 1, 3200);
    made_free(&m);
    s.baseline = true;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 5);
    assert_int_equal(m.p->calls, 2);
    assert_call(&m, 0, ORR_ALL_REDUCE, 2, 1, 6400);
    assert_call(&m, 1, ORR_ALL_REDUCE, 8, 8, 6400);
    made_free(&m);
    s.all_reduce.dim[0].one = true;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 7);
    assert_int_equal(m.p->calls, 1);
    assert_call(&m, 0, ORR_ALL_REDUCE, 64, 0, 6400);
    made_free(&m);
    s = system_of(3);
    s.between = ORR_ASTRA_ROUND_ROBIN;
    expand(&m, &s, 1, ORR_REDUCE_SCATTER, 3 * 6400, 7);
    assert_int_equal(m.p->calls, 9);
    assert_call(&m, 3, ORR_REDUCE_SCATTER, 4, 2, 6400);
    assert_call(&m, 4, ORR_REDUCE_SCATTER, 8, 8, 1600);
    assert_call(&m, 5, ORR_REDUCE_SCATTER, 2, 1, 200);
    made_free(&m);
    /* a gathering one turns round its order from the last dimension down */
    expand(&m, &s, 1, ORR_ALL_GATHER, 3 * 64, 7);
    assert_call(&m, 0, ORR_ALL_GATHER, 8, 8, 64);
    assert_call(&m, 3, ORR_ALL_GATHER, 4, 2, 64);
    assert_call(&m, 4, ORR_ALL_GATHER, 2, 1, 256);
    assert_call(&m, 5, ORR_ALL_GATHER, 8, 8, 512);
    made_free(&m);
}

/* Messages are a chunk's bytes over the members, cut down, also where all
 * chunks are those of one call; a gathering one's are whole. */
static void even_messages(void **state)
{
    static const struct {
        enum orr_collective_kind kind;
        uint8_t how;
        uint64_t bytes;
    } all[] = {
        {ORR_ALL_REDUCE, ORR_ASTRA_RING, 6400},
        {ORR_ALL_REDUCE, ORR_ASTRA_DIRECT, 6400},
        {ORR_REDUCE_SCATTER, ORR_ASTRA_DIRECT, 6400},
        {ORR_ALL_TO_ALL, ORR_ASTRA_DIRECT, 6400},
        {ORR_ALL_GATHER, ORR_ASTRA_DIRECT, 6403},
        {ORR_ALL_REDUCE, ORR_ASTRA_HALVING, 6403},
    };
    struct orr_astra_system s = system_of(5);
    for (int i = 0; i < 6; i++) {
        const struct orr_issue what = {.kind = all[i].kind,
                                       .bytes = 5 * 6403,
                                       .involved = 2,
                                       .group = ORR_EVERYONE,
                                       .whole = true,
                                       .before = ORR_NONE,
                                       .calls = ORR_NONE};
        struct made m = {.p = orr__program_new(64)};
        s.all_reduce.dim[1].how = s.reduce_scatter.dim[1].how =
            s.all_gather.dim[1].how = s.all_to_all.dim[1].how = all[i].how;
        assert_int_equal(orr__expander_init(&m.x, m.p, &s, &grid, 1, 5, &m.why),
                         ORR_OK);
        assert_int_equal(orr__expand(&m.x, &what, &m.done), ORR_OK);
        assert_int_equal(orr__program_finish(m.p, &m.why), ORR_OK);
        assert_int_equal(m.p->calls, 1);
        assert_int_equal(m.p->call[0].chunks, 5);
        assert_call(&m, 0, all[i].kind, 4, 2, 5 * all[i].bytes);
        made_free(&m);
    }
}

/* Dimensions without an implementation are left out; an algorithm for all of
 * them stands for dimension 0. */
static void fewer_implementations(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(1);
    s.all_reduce.n = 2;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 7);
    assert_int_equal(m.p->calls, 3);
    assert_call(&m, 1, ORR_ALL_REDUCE, 4, 2, 3200);
    made_free(&m);
    s.all_reduce.dim[0].one = true;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 6);
    assert_int_equal(m.done, ORR_NONE);
    made_free(&m);
}

static void refuse(struct orr_astra_system *s, enum orr_collective_kind kind,
                   const char *expected)
{
    struct made m = {.p = orr__program_new(64)};
    const struct orr_issue what = {.kind = kind,
                                   .bytes = 6400,
                                   .involved = 7,
                                   .group = ORR_EVERYONE,
                                   .before = ORR_NONE,
                                   .calls = ORR_NONE};
    const struct orr_astra_grid odd = {3, {2, 4, 6}, {400, 200, 100}};
    assert_int_equal(orr__expander_init(&m.x, m.p, s, &odd, 1, 5, &m.why),
                     ORR_OK);
    assert_int_equal(orr__expand(&m.x, &what, &m.done), ORR_ECONFIG);
    assert_string_equal(m.why.message, expected);
    made_free(&m);
}

static void refusals(void **state)
{
    struct orr_astra_system s = system_of(1);
    s.all_reduce.dim[2].how = ORR_ASTRA_HALVING;
    refuse(&s, ORR_ALL_REDUCE,
           "trace: halvingDoubling needs a power of two, not a dimension of "
           "6 NPUs");
    s.all_to_all.dim[1].how = ORR_ASTRA_HALVING;
    refuse(&s, ORR_ALL_TO_ALL, "trace: halvingDoubling is no all-to-all");
    s.reduce_scatter.n = 4;
    refuse(&s, ORR_REDUCE_SCATTER,
           "trace: 4 implementations of reduce-scatter for 3 dimensions");
    s.all_gather.dim[1].one = true;
    refuse(&s, ORR_ALL_GATHER,
           "trace: an implementation for all dimensions at once must be the "
           "only one");
}

/* Weights: bytes of the phase, phases behind it, or its kind. */
static void orders(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(1);
    s.within = ORR_ASTRA_SMALLEST;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 7);
    const struct orr_op *op = &m.p->op[m.done + 1];
    assert_int_equal(op[0].rule & ORR_ASTRA_QUEUE_ORDERS, ORR_SMALLEST_FIRST);
    assert_int_equal(op[1].bytes, 3200);
    assert_int_equal(op[2].rule & ORR_ASTRA_QUEUE_ORDERS, ORR_BY_PRIORITY);
    assert_true(op[2].rule & ORR_ORDER_TOGETHER && op[2].rule & ORR_TURN_JOINT);
    made_free(&m);
    s.within = ORR_ASTRA_FEWEST_LEFT;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 7);
    op = &m.p->op[m.done + 1];
    assert_int_equal(op[0].bytes, 4);
    assert_int_equal(op[4].bytes, 0);
    made_free(&m);
    s.within = ORR_ASTRA_RG;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 7);
    op = &m.p->op[m.done + 1];
    assert_int_equal(op[0].rule & ORR_ASTRA_QUEUE_ORDERS, ORR_ALTERNATELY);
    assert_int_equal(op[0].bytes, 1);
    assert_int_equal(op[4].bytes, 2);
    made_free(&m);
}

/* What does not divide is one more chunk, and no message is empty; queues go
 * round, the upper half backward; priorities rise (LIFO) or fall (FIFO). */
static void chunks_and_queues(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(4);
    expand(&m, &s, 2, ORR_ALL_REDUCE, 4003, 4);
    assert_int_equal(m.p->calls, 5);
    assert_call(&m, 3, ORR_ALL_REDUCE, 8, 8, 1000);
    assert_call(&m, 4, ORR_ALL_REDUCE, 8, 8, 8);
    assert_int_equal(m.p->op[m.p->call[0].op].stream, 5 + 4);
    assert_int_equal(m.p->op[m.p->call[1].op].stream, 5 + 5);
    assert_int_equal(m.p->call[0].c.direction, ORR_FORWARD);
    assert_int_equal(m.p->call[1].c.direction, ORR_BACKWARD);
    assert_int_equal(m.p->op[m.p->call[0].op].priority, 1);
    made_free(&m);
    s.fifo = true;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 4003, 4);
    assert_int_equal(m.p->op[m.p->call[0].op].priority, -1);
    made_free(&m);
}

/* 2.x: an all-reduce's way up takes the lower half of the queues, its way back
 * the upper one; other collectives take all of them. Small chunks are made
 * larger, the last one too; dimensions without an algorithm are left out. */
static void as_2_x(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(4);
    s.json = true;
    s.all_reduce.n = s.all_gather.n = 2;
    s.all_reduce.dim[1].how = s.all_gather.dim[1].how = ORR_ASTRA_HALVING;
    expand(&m, &s, 4, ORR_ALL_REDUCE, 4003, 7);
    assert_int_equal(m.p->calls, 5 * 3);
    assert_call(&m, 12, ORR_REDUCE_SCATTER, 2, 1, 1000);
    assert_call(&m, 13, ORR_ALL_REDUCE, 4, 2, 500);
    for (uint32_t i = 0; i < 5; i++) {
        const struct orr_call *x = &m.p->call[3 * i];
        assert_int_equal(m.p->op[x[0].op].stream, 5 + i % 2);
        assert_int_equal(m.p->op[x[1].op].stream, 5 + 4 + i % 2);
        assert_int_equal(m.p->op[x[2].op].stream, 5 + 2 + i % 2);
        assert_int_equal(x[0].c.direction, ORR_FORWARD);
        assert_int_equal(x[2].c.direction, ORR_BACKWARD);
        assert_ptr_not_equal(x[0].rules, x[1].rules);
    }
    made_free(&m);
    expand(&m, &s, 4, ORR_ALL_GATHER, 4000, 1);
    assert_int_equal(m.p->op[m.p->call[1].op].stream, 5 + 1);
    assert_int_equal(m.p->call[1].c.direction, ORR_FORWARD);
    assert_int_equal(m.p->op[m.p->call[3].op].stream, 5 + 3);
    assert_int_equal(m.p->call[3].c.direction, ORR_BACKWARD);
    made_free(&m);
    expand(&m, &s, 1, ORR_ALL_REDUCE, 100, 1);
    assert_int_equal(m.p->calls, 4);
    assert_call(&m, 3, ORR_ALL_REDUCE, 2, 1, 64);
    made_free(&m);
}

/* 2.x: a group is a ring where each dimension has its implementation, and goes
 * by the only one where there is one; each step costs 10 ns. With EXPLICIT the
 * node says how urgent it is. */
static void groups_as_2_x(void **state)
{
    static const int64_t ranks[] = {3, 1, 60};
    struct orr_astra_system s = system_of(1);
    struct orr_issue what = {.kind = ORR_ALL_REDUCE,
                             .bytes = 300,
                             .involved = 7,
                             .priority = -7,
                             .before = ORR_NONE,
                             .calls = ORR_NONE};
    struct made m = {.p = orr__program_new(64)};
    s.json = s.explicit = true;
    s.endpoint_ns = 25;
    s.all_reduce.dim[0].how = ORR_ASTRA_DIRECT;
    assert_int_equal(orr__program_group(m.p, ranks, 3, &what.group, &m.why),
                     ORR_OK);
    assert_int_equal(orr__expander_init(&m.x, m.p, &s, &grid, 1, 5, &m.why),
                     ORR_OK);
    assert_int_equal(orr__expand(&m.x, &what, &m.done), ORR_OK);
    const struct orr_call *x = &m.p->call[0];
    assert_string_equal(x->c.ops->name, "ring");
    assert_int_equal(x->group, what.group);
    assert_int_equal(x->endpoint_delay_ps, 10000);
    assert_int_equal(m.p->op[m.done + 1].priority, -7);
    m.x.sys.all_reduce.n = 1;
    assert_int_equal(orr__expand(&m.x, &what, &m.done), ORR_OK);
    x = &m.p->call[1];
    assert_string_equal(x->c.ops->name, "direct");
    assert_int_equal(x->group, what.group);
    assert_int_equal(x->c.n, 3);
    m.x.sys.all_reduce.dim[0].how = ORR_ASTRA_HALVING;
    assert_int_equal(orr__expand(&m.x, &what, &m.done), ORR_ECONFIG);
    assert_string_equal(m.why.message, "trace: halvingDoubling needs a power "
                                       "of two, not a group of 3 NPUs");
    made_free(&m);
}

/* Themis: the first chunk takes the plain order; it loads dimension 0 most
 * (1/2 of the bytes at rate 1; then 3/8 at 1/2; then 7/64 at 1/4). */
static void themis(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(2);
    s.between = ORR_ASTRA_THEMIS;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 2 * 64000, 7);
    assert_int_equal(m.p->calls, 12);
    assert_call(&m, 0, ORR_REDUCE_SCATTER, 2, 1, 64000);
    assert_call(&m, 2, ORR_REDUCE_SCATTER, 8, 8, 8000);
    assert_call(&m, 3, ORR_ALL_GATHER, 8, 8, 1000);
    assert_call(&m, 5, ORR_ALL_GATHER, 2, 1, 32000);
    /* loads so far: 32000, 48000, 28000: dimension 2 begins, then 0 */
    assert_call(&m, 6, ORR_REDUCE_SCATTER, 8, 8, 64000);
    assert_call(&m, 7, ORR_REDUCE_SCATTER, 2, 1, 8000);
    assert_call(&m, 8, ORR_REDUCE_SCATTER, 4, 2, 4000);
    made_free(&m);
}

static void splitting(void **state)
{
    struct orr_astra_system s = system_of(1);
    struct orr_astra_grid g = grid;
    assert_int_equal(orr__grid_split(&g, &s, 1), 0);
    assert_int_equal(orr__grid_split(&g, &s, 8), 2);
    assert_int_equal(g.n, 3);
    assert_int_equal(orr__grid_split(&g, &s, 16), 3);
    assert_int_equal(g.n, 4);
    assert_int_equal(g.size[2], 2);
    assert_int_equal(g.size[3], 4);
    g = grid;
    assert_int_equal(orr__grid_split(&g, &s, 6), 0);
    assert_int_equal(orr__grid_split(&g, &s, 128), 0);
}

/* An algorithm over all dimensions at once takes turns among one: the next
 * collective begins at dimension 0 again. */
static void turns_of_all_kinds(void **state)
{
    static const enum orr_collective_kind kinds[] = {
        ORR_REDUCE_SCATTER, ORR_ALL_TO_ALL, ORR_REDUCE_SCATTER};
    struct made m = {.p = orr__program_new(64)};
    struct orr_astra_system s = system_of(1);
    struct orr_issue what = {.bytes = 6400,
                             .involved = 7,
                             .group = ORR_EVERYONE,
                             .before = ORR_NONE,
                             .calls = ORR_NONE};
    s.between = ORR_ASTRA_ROUND_ROBIN;
    s.all_to_all.dim[0] = (struct orr_astra_choice){ORR_ASTRA_DIRECT, true, 0};
    assert_int_equal(orr__expander_init(&m.x, m.p, &s, &grid, 1, 5, &m.why),
                     ORR_OK);
    for (int i = 0; i < 3; i++) {
        what.kind = kinds[i];
        assert_int_equal(orr__expand(&m.x, &what, &m.done), ORR_OK);
    }
    assert_int_equal(m.p->calls, 7);
    assert_call(&m, 0, ORR_REDUCE_SCATTER, 2, 1, 6400);
    assert_call(&m, 3, ORR_ALL_TO_ALL, 64, 0, 6400);
    assert_call(&m, 4, ORR_REDUCE_SCATTER, 2, 1, 6400);
    made_free(&m);
}

/* A window that holds all peers is none; an all-reduce has one always. */
static void windows(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(1);
    s.all_reduce.dim[1] = (struct orr_astra_choice){ORR_ASTRA_DIRECT, false, 2};
    s.reduce_scatter = s.all_reduce;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 2);
    assert_int_equal(m.p->calls, 1);
    assert_call(&m, 0, ORR_ALL_REDUCE, 4, 2, 6400);
    assert_non_null(m.p->call[0].rules->begin);
    assert_int_equal(m.p->call[0].lanes, 2);
    made_free(&m);
    expand(&m, &s, 1, ORR_REDUCE_SCATTER, 6400, 2);
    assert_non_null(m.p->call[0].rules->begin);
    assert_int_equal(m.p->call[0].c.window, 2);
    made_free(&m);
    s.reduce_scatter.dim[1].window = s.all_reduce.dim[1].window = 3;
    expand(&m, &s, 1, ORR_REDUCE_SCATTER, 6400, 2);
    assert_null(m.p->call[0].rules->begin);
    made_free(&m);
    expand(&m, &s, 1, ORR_ALL_REDUCE, 6400, 2);
    assert_non_null(m.p->call[0].rules->begin);
    assert_int_equal(m.p->call[0].lanes, 3);
    made_free(&m);
}

/* doubleBinaryTree takes its trees in turn, whatever it is asked for, and the
 * chunk stays whole. */
static void trees_take_turns(void **state)
{
    struct made m;
    struct orr_astra_system s = system_of(3);
    s.all_reduce.dim[1].how = ORR_ASTRA_TREES;
    expand(&m, &s, 1, ORR_ALL_REDUCE, 3 * 6400, 6);
    assert_int_equal(m.p->calls, 9); /* trees up, ring, trees down */
    for (uint32_t i = 0; i < 9; i++) {
        bool tree = i % 3 != 1;
        assert_call(&m, i, ORR_ALL_REDUCE, tree ? 4 : 8, tree ? 2 : 8, 6400);
        assert_string_equal(m.p->call[i].c.ops->name,
                            tree ? "middle-tree" : "ring");
        if (tree)
            assert_int_equal(m.p->call[i].c.direction,
                             i % 3 == 0 ? ORR_FORWARD : ORR_BACKWARD);
    }
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_and_back),
        cmocka_unit_test(turns_of_all_kinds),
        cmocka_unit_test(windows),
        cmocka_unit_test(trees_take_turns),
        cmocka_unit_test(other_orders),
        cmocka_unit_test(even_messages),
        cmocka_unit_test(fewer_implementations),
        cmocka_unit_test(refusals),
        cmocka_unit_test(orders),
        cmocka_unit_test(chunks_and_queues),
        cmocka_unit_test(as_2_x),
        cmocka_unit_test(groups_as_2_x),
        cmocka_unit_test(themis),
        cmocka_unit_test(splitting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
