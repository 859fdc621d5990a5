/* PAT, parallel aggregated trees, as NCCL has them for one GPU a node: for each
 * member's block a binomial tree over how far others are behind it, all trees
 * side by side, and what goes to one member in one step in one message. An
 * all-gather goes far first, while it has little to send; a reduce-scatter goes
 * the other way round. ceil(log2 n) steps for any n. */
#include "workload/collective/collective.h"

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return orr__log2_up(c->n);
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = 1;
}

/* Blocks that go over the distance q: of members x = 0, 2 q, 4 q ... places
 * behind, as long as x + q is one of the n. */
static uint32_t blocks_over(uint32_t n, uint32_t q)
{
    ORR_ASSERT(q > 0);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): q is not 0 */
    return n > q ? (n - q - 1) / (2 * q) + 1 : 0;
}

/* first: the nearest member's block. */
static void set_transfer(const struct orr_collective *c, uint64_t bytes,
                         struct orr_spot at, uint32_t q, uint32_t first,
                         uint32_t peer, struct orr_transfer *t)
{
    uint32_t n = c->n, back = n - 2 * (uint64_t)q % n;
    const struct orr_blocks b = {
        .count = blocks_over(n, q),
        .owner = first,
        .piece = first,
        .owner_step = back,
        .piece_step = back,
    };
    orr__transfer_blocks(c, bytes, &b, peer, at.step,
                         c->ops->kind == ORR_REDUCE_SCATTER, t);
}

static uint32_t far_first(const struct orr_collective *c, uint32_t step)
{
    return 1u << (steps(c, 0) - 1 - step);
}

/* A member has the blocks of itself and of those 2 q, 4 q ... behind. */
static void gather_send(const struct orr_collective *c, uint64_t bytes,
                        struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    uint32_t q = far_first(c, at.step);
    set_transfer(c, bytes, at, q, at.member, orr__round_up(at.member, q, c->n),
                 t);
}

static void gather_receive(const struct orr_collective *c, uint64_t bytes,
                           struct orr_spot at, uint32_t i,
                           struct orr_transfer *t)
{
    uint32_t q = far_first(c, at.step);
    uint32_t from = orr__round_down(at.member, q, c->n);
    set_transfer(c, bytes, at, q, from, from, t);
}

/* The pieces of those q, 3 q, 5 q ... behind go to the one q behind. */
static void scatter_send(const struct orr_collective *c, uint64_t bytes,
                         struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    uint32_t q = 1u << at.step, to = orr__round_down(at.member, q, c->n);
    set_transfer(c, bytes, at, q, to, to, t);
}

static void scatter_receive(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t q = 1u << at.step;
    set_transfer(c, bytes, at, q, at.member, orr__round_up(at.member, q, c->n),
                 t);
}

const struct orr_collective_ops orr__all_gather_pat = {
    .kind = ORR_ALL_GATHER,
    .name = "pat",
    .doc = "a binomial tree for each block, far members first, log2 n steps",
    .steps = steps,
    .count = count,
    .send = gather_send,
    .receive = gather_receive,
};

const struct orr_collective_ops orr__reduce_scatter_pat = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "pat",
    .doc = "a binomial tree for each piece, near members first, log2 n steps",
    .steps = steps,
    .count = count,
    .send = scatter_send,
    .receive = scatter_receive,
};
