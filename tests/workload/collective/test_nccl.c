/* Calls in channels: slices carry what the steps of their algorithm send, and
 * nobody waits for ever; NCCL's choice by its public tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/collective/nccl.h"

enum { MEMBERS = 40, LANES = 64 };

/* Four NICs of 200 Gbit/s, NVLink of 3,600. */
static const struct orr_nccl_server server = {4, 200000000000, 3600000000000};

/* Connectors of one call, and how far its blocks are. */
struct carriage {
    struct orr_collective c;
    uint64_t bytes;
    uint32_t step[MEMBERS][LANES];
    uint32_t sent[LANES][MEMBERS][MEMBERS], copied[LANES][MEMBERS][MEMBERS];
    uint64_t carried[LANES][MEMBERS][MEMBERS];
};

/* Whether all that the slice waits for is there. */
static bool ready(const struct carriage *k, const struct orr_slice *s,
                  uint32_t channel, uint32_t member)
{
    bool ok = true;
    for (uint32_t i = 0; i < s->n_from; i++) {
        assert_int_equal(k->copied[channel][s->from[i]][member], s->in);
        ok = ok && k->sent[channel][s->from[i]][member] > s->in;
    }
    for (uint32_t i = 0; i < s->n_to; i++) {
        assert_int_equal(k->sent[channel][member][s->to[i]], s->out);
        ok = ok
             && s->out < k->copied[channel][member][s->to[i]] + k->c.plan.room;
    }
    return ok;
}

/* Carries one slice out, if it may; over: the block has no more. */
static bool advance(struct carriage *k, uint32_t member, uint32_t lane,
                    bool *over)
{
    struct orr_slice s;
    uint32_t channel = lane / k->c.ops->blocks;
    const struct orr_spot at = {member, lane, k->step[member][lane]};
    *over = !k->c.ops->slice(&k->c, k->bytes, at, &s);
    if (*over || !ready(k, &s, channel, member))
        return false;
    for (uint32_t i = 0; i < s.n_from; i++) {
        k->copied[channel][s.from[i]][member]++;
        assert_true(s.in < s.all_in);
    }
    for (uint32_t i = 0; i < s.n_to; i++) {
        k->sent[channel][member][s.to[i]]++;
        k->carried[channel][member][s.to[i]] += s.bytes_out;
    }
    k->step[member][lane]++;
    return true;
}

/* false: blocks wait for one another. */
static bool carry(struct carriage *k)
{
    uint32_t lanes = k->c.plan.blocks;
    assert_true(lanes <= LANES && k->c.n <= MEMBERS);
    for (bool moved = true, all = false; !all;) {
        if (!moved)
            return false;
        moved = false;
        all = true;
        for (uint32_t m = 0; m < k->c.n; m++)
            for (uint32_t lane = 0; lane < lanes; lane++) {
                bool over;
                while (advance(k, m, lane, &over))
                    moved = true;
                all = all && over;
            }
    }
    return true;
}

/* What the steps send is what the slices carried. */
static void check_steps(struct carriage *k)
{
    const struct orr_collective *c = &k->c;
    struct orr_spot at = {0, 0, 0};
    for (; at.member < c->n; at.member++)
        for (at.lane = 0; at.lane < c->plan.channels; at.lane++)
            for (at.step = 0; at.step < c->ops->steps(c, at.lane); at.step++) {
                uint32_t sends, receives;
                struct orr_transfer t;
                c->ops->count(c, at, &sends, &receives);
                for (uint32_t i = 0; i < sends; i++) {
                    c->ops->send(c, k->bytes, at, i, &t);
                    k->carried[at.lane][at.member][t.peer] -= t.bytes;
                }
            }
    for (uint32_t lane = 0; lane < c->plan.channels; lane++)
        for (uint32_t i = 0; i < c->n; i++)
            for (uint32_t j = 0; j < c->n; j++)
                assert_int_equal(k->carried[lane][i][j], 0);
}

static struct carriage *new_carriage(const struct orr_collective_ops *ops,
                                     uint32_t n, uint32_t local, uint64_t bytes,
                                     int protocol)
{
    struct carriage *k = orr__alloc(1, sizeof *k);
    k->c = (struct orr_collective){
        .ops = ops, .n = n, .local = local, .slots = 8, .protocol = protocol};
    k->bytes = bytes;
    orr__nccl_plan(&k->c, bytes, &server);
    return k;
}

static void try(const struct orr_collective_ops *ops, uint32_t n,
                uint32_t local, uint64_t bytes, int protocol)
{
    struct carriage *k = new_carriage(ops, n, local, bytes, protocol);
    k->c.slots = orr__nccl_slots_least(&k->c);
    orr__nccl_plan(&k->c, bytes, &server);
    assert_true(carry(k));
    check_steps(k);
    orr__free(k);
}

static void test_slices_carry_steps(void **state)
{
    static const uint32_t shape[][2] = {{2, 1}, {3, 1},  {7, 7},  {8, 4},
                                        {9, 3}, {12, 4}, {20, 4}, {36, 4}};
    static const uint64_t sizes[] = {1, 1001, 100000, 7654321, 134217728};
    const struct orr_collective_ops *ops[] = {
        &orr__all_reduce_nccl_ring,
        &orr__all_reduce_nccl_tree,
        orr__collective_find(ORR_REDUCE_SCATTER, "nccl-ring"),
        orr__collective_find(ORR_ALL_GATHER, "nccl-ring"),
    };
    for (int o = 0; o < 4; o++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int p = ORR_PROTOCOL_LL; p <= ORR_PROTOCOL_AUTO; p++)
                    if (sizes[s] < 10000000 || i == 3 + s % 2)
                        try(ops[o], shape[i][0], shape[i][1],
                            o == 3 ? sizes[s] / shape[i][0] : sizes[s], p);
}

/* With less room than the least a ring waits for itself. */
static void test_least_slots_are_needed(void **state)
{
    struct carriage *k = new_carriage(&orr__all_reduce_nccl_ring, 8, 4,
                                      134217728, ORR_PROTOCOL_SIMPLE);
    assert_int_equal(k->c.plan.channels, 8);
    assert_int_equal(k->c.plan.room, 4);
    assert_int_equal(k->c.plan.slices, 2);
    assert_int_equal(orr__nccl_slots_least(&k->c), 6);
    k->c.plan.room = 2;
    assert_false(carry(k));
    orr__free(k);
}

/* By hand, from the tables: ns. */
static void test_model_on_paper(void **state)
{
    struct orr_collective c = {.ops = &orr__all_reduce_nccl_ring,
                               .n = 16,
                               .local = 4,
                               .protocol = ORR_PROTOCOL_LL};
    /* 24 steps inside (the proxy's 1 us), 6 of 2.7 us between servers; 256 B
     * at 20.4 GB/s * 16 / 30 */
    assert_in_range(orr__nccl_time(&c, 256, &server) / ORR_NS, 46823, 46824);
    c.protocol = ORR_PROTOCOL_SIMPLE;
    /* 1.4 * (24 * 3.4 + 6 * 14 us), 512 MiB at 96 GB/s * 16 / 30 */
    assert_in_range(orr__nccl_time(&c, 536870912, &server) / ORR_NS,
                    8400 + 231840 + 10485759, 8400 + 231840 + 10485761);
    c.ops = &orr__all_reduce_nccl_tree;
    c.protocol = ORR_PROTOCOL_LL;
    /* 2 * (3 * 0.6 + 2 * 5 us); 256 B at 20.4 GB/s / 2 */
    assert_in_range(orr__nccl_time(&c, 256, &server) / ORR_NS, 30425, 30426);
}

static void test_choice(void **state)
{
    const struct orr_collective_ops *ops =
        orr__collective_find(ORR_ALL_REDUCE, "nccl-auto");
    static const struct {
        uint64_t bytes;
        const struct orr_collective_ops *ops;
        int protocol;
        uint32_t channels;
    } want[] = {
        {256, &orr__all_reduce_nccl_tree, ORR_PROTOCOL_LL, 1},
        {16384, &orr__all_reduce_nccl_tree, ORR_PROTOCOL_LL, 4},
        {1 << 20, &orr__all_reduce_nccl_tree, ORR_PROTOCOL_LL128, 8},
        {512 << 20, &orr__all_reduce_nccl_ring, ORR_PROTOCOL_SIMPLE, 8},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct orr_collective c = {.ops = ops,
                                   .n = 16,
                                   .local = 4,
                                   .slots = 8,
                                   .protocol = ORR_PROTOCOL_AUTO};
        orr__nccl_plan(&c, want[i].bytes, &server);
        assert_ptr_equal(c.ops, want[i].ops);
        assert_int_equal(c.protocol, want[i].protocol);
        assert_int_equal(c.plan.channels, want[i].channels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices_carry_steps),
        cmocka_unit_test(test_least_slots_are_needed),
        cmocka_unit_test(test_model_on_paper),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
