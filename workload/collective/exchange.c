/* Reduce-scatter and all-gather among pairs: members whose numbers differ in
 * one bit send each other what the other is to have (Thakur, Rabenseifner and
 * Gropp, 2005: recursive halving and doubling). log2 n steps, for a power of
 * two; of other groups doubling.c takes care. Its pairs send to and fro, where
 * doubling.c sends round. */
#include "workload/collective/collective.h"

extern const struct orr_collective_ops orr__reduce_scatter_halving,
    orr__all_gather_doubling;

static bool in_pairs(const struct orr_collective *c)
{
    return (c->n & (c->n - 1)) == 0;
}

static const struct orr_collective_ops *other_exchange(
    const struct orr_collective *c)
{
    return c->ops->kind == ORR_ALL_GATHER ? &orr__all_gather_doubling
                                          : &orr__reduce_scatter_halving;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return orr__log2_up(c->n);
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = 1;
}

/* How far away the partner is: half of the group first when pieces are
 * scattered, the neighbour when they are gathered. */
static uint32_t distance(const struct orr_collective *c, uint32_t step)
{
    return c->ops->kind == ORR_ALL_GATHER ? 1u << step : c->n >> (step + 1);
}

/* All pieces of those that differ from `member` in bits below `far` only. */
static void pieces(const struct orr_collective *c, uint64_t bytes,
                   uint32_t member, uint32_t far, struct orr_transfer *t)
{
    uint64_t all = c->ops->kind == ORR_ALL_GATHER ? bytes * c->n : bytes;
    orr__transfer_pieces(t, 0, all, c->n, member & ~(far - 1), far);
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    if (!in_pairs(c)) {
        other_exchange(c)->send(c, bytes, at, i, t);
        return;
    }
    bool gathers = c->ops->kind == ORR_ALL_GATHER;
    uint32_t far = distance(c, at.step), peer = at.member ^ far;
    orr__transfer_set(t, peer, at.step, !gathers, 0, 0);
    pieces(c, bytes, gathers ? at.member : peer, far, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    if (!in_pairs(c)) {
        other_exchange(c)->receive(c, bytes, at, i, t);
        return;
    }
    bool gathers = c->ops->kind == ORR_ALL_GATHER;
    uint32_t far = distance(c, at.step), peer = at.member ^ far;
    orr__transfer_set(t, peer, at.step, !gathers, 0, 0);
    pieces(c, bytes, gathers ? peer : at.member, far, t);
}

const struct orr_collective_ops orr__reduce_scatter_exchange = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "exchange",
    .doc = "halving among pairs, log2 n steps; `halving` unless n is a power "
           "of two",
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};

const struct orr_collective_ops orr__all_gather_exchange = {
    .kind = ORR_ALL_GATHER,
    .name = "exchange",
    .doc = "doubling among pairs, log2 n steps; `doubling` unless n is a "
           "power of two",
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
