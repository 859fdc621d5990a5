/* All-gather by doubling and, the same backwards in time, reduce-scatter by
 * halving, in ceil(log2 n) steps for any n: in step k of the all-gather member
 * i gets the blocks i + 2^k ... from member i + 2^k, as many as it has itself
 * (fewer at last). Each block reaches each member along one path; the
 * reduce-scatter adds up along the same paths. */
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

static uint32_t blocks(const struct orr_collective *c, uint32_t distance)
{
    return distance < c->n - distance ? distance : c->n - distance;
}

/* Blocks are pieces of n * bytes that happen to be equal. */
static void all_gather_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t far = 1u << at.step;
    orr__transfer_set(t, orr__round_down(at.member, far, c->n), at.step, false,
                      0, 0);
    orr__transfer_pieces(t, 0, bytes * c->n, c->n, at.member, blocks(c, far));
}

static void all_gather_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t far = 1u << at.step, peer = orr__round_up(at.member, far, c->n);
    orr__transfer_set(t, peer, at.step, false, 0, 0);
    orr__transfer_pieces(t, 0, bytes * c->n, c->n, peer, blocks(c, far));
}

const struct orr_collective_ops orr__all_gather_doubling = {
    .kind = ORR_ALL_GATHER,
    .name = "doubling",
    .doc = "twice as many blocks in each of ceil(log2 n) steps",
    .steps = steps,
    .count = count,
    .send = all_gather_send,
    .receive = all_gather_receive,
};

static uint32_t distance(const struct orr_collective *c, uint32_t step)
{
    return 1u << (orr__log2_up(c->n) - 1 - step);
}

static void reduce_scatter_send(const struct orr_collective *c, uint64_t bytes,
                                struct orr_spot at, uint32_t i,
                                struct orr_transfer *t)
{
    uint32_t far = distance(c, at.step);
    uint32_t peer = orr__round_up(at.member, far, c->n);
    orr__transfer_set(t, peer, at.step, true, 0, 0);
    orr__transfer_pieces(t, 0, bytes, c->n, peer, blocks(c, far));
}

static void reduce_scatter_receive(const struct orr_collective *c,
                                   uint64_t bytes, struct orr_spot at,
                                   uint32_t i, struct orr_transfer *t)
{
    uint32_t far = distance(c, at.step);
    orr__transfer_set(t, orr__round_down(at.member, far, c->n), at.step, true,
                      0, 0);
    orr__transfer_pieces(t, 0, bytes, c->n, at.member, blocks(c, far));
}

const struct orr_collective_ops orr__reduce_scatter_halving = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "halving",
    .doc = "half as many pieces in each of ceil(log2 n) steps",
    .steps = steps,
    .count = count,
    .send = reduce_scatter_send,
    .receive = reduce_scatter_receive,
};

/* Barrier: member i hears from i - 2^k in step k; after the last it has heard,
 * directly or not, from everyone. */

static void barrier_send(const struct orr_collective *c, uint64_t bytes,
                         struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    orr__transfer_set(t, orr__round_up(at.member, 1u << at.step, c->n), at.step,
                      false, 0, 1);
}

static void barrier_receive(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    orr__transfer_set(t, orr__round_down(at.member, 1u << at.step, c->n),
                      at.step, false, 0, 1);
}

const struct orr_collective_ops orr__barrier_dissemination = {
    .kind = ORR_BARRIER,
    .name = "dissemination",
    .doc = "messages of one byte over doubling distances: ceil(log2 n) steps",
    .steps = steps,
    .count = count,
    .send = barrier_send,
    .receive = barrier_receive,
};
