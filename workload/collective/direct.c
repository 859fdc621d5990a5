/* Everyone to everyone at once: few steps, n - 1 messages in each. A member
 * starts with the one after it, so that no receiver is everybody's first. */
#include "workload/collective/collective.h"

static uint32_t peer_of(const struct orr_collective *c, uint32_t member,
                        uint32_t i)
{
    return orr__round_up(member, i + 1, c->n);
}

static uint32_t one_step(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 1 : 0;
}

static uint32_t two_steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 2 : 0;
}

static void count_all(const struct orr_collective *c, struct orr_spot at,
                      uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n - 1;
}

static void count_from_root(const struct orr_collective *c, struct orr_spot at,
                            uint32_t *sends, uint32_t *receives)
{
    bool root = at.member == c->root;
    *sends = root ? c->n - 1 : 0;
    *receives = root ? 0 : 1;
}

static void count_to_root(const struct orr_collective *c, struct orr_spot at,
                          uint32_t *sends, uint32_t *receives)
{
    count_from_root(c, at, receives, sends);
}

static void whole_piece(const struct orr_collective *c, uint64_t bytes,
                        uint32_t piece, struct orr_transfer *t)
{
    t->bytes = orr__piece_bytes(bytes, c->n, piece);
    t->range[0].first = orr__piece_start(bytes, c->n, piece);
    t->range[0].bytes = t->bytes;
}

/* All-reduce: step 0 brings piece i of everyone to member i, which adds them
 * up; step 1 gives the sum to all. Reduce-scatter is step 0 alone. */

static void all_reduce_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t peer = peer_of(c, at.member, i);
    orr__transfer_set(t, peer, at.step, at.step == 0, 0, 0);
    whole_piece(c, bytes, at.step == 0 ? peer : at.member, t);
}

static void all_reduce_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t peer = peer_of(c, at.member, i);
    orr__transfer_set(t, peer, at.step, at.step == 0, 0, 0);
    whole_piece(c, bytes, at.step == 0 ? at.member : peer, t);
}

const struct orr_collective_ops orr__all_reduce_direct = {
    .kind = ORR_ALL_REDUCE,
    .name = "direct",
    .doc = "pieces to their owners, sums to everyone: 2 steps",
    .steps = two_steps,
    .count = count_all,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

const struct orr_collective_ops orr__reduce_scatter_direct = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "direct",
    .doc = "pieces to their owners: 1 step",
    .steps = one_step,
    .count = count_all,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

static void all_gather_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    orr__transfer_set(t, peer_of(c, at.member, i), 0, false,
                      at.member * bytes, bytes);
}

static void all_gather_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t peer = peer_of(c, at.member, i);
    orr__transfer_set(t, peer, 0, false, peer * bytes, bytes);
}

const struct orr_collective_ops orr__all_gather_direct = {
    .kind = ORR_ALL_GATHER,
    .name = "direct",
    .doc = "each block to everyone: 1 step",
    .steps = one_step,
    .count = count_all,
    .send = all_gather_send,
    .receive = all_gather_receive,
};

static void all_to_all_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t peer = peer_of(c, at.member, i);
    orr__transfer_set(t, peer, 0, false, 0, 0);
    whole_piece(c, bytes, peer, t);
    t->range[0].first += at.member * bytes;
}

static void all_to_all_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t peer = peer_of(c, at.member, i);
    orr__transfer_set(t, peer, 0, false, 0, 0);
    whole_piece(c, bytes, at.member, t);
    t->range[0].first += peer * bytes;
}

const struct orr_collective_ops orr__all_to_all_direct = {
    .kind = ORR_ALL_TO_ALL,
    .name = "direct",
    .doc = "each piece straight to whom it is for: 1 step",
    .steps = one_step,
    .count = count_all,
    .send = all_to_all_send,
    .receive = all_to_all_receive,
};

/* Broadcast and reduce move the whole message between the root and each. */

static void message_down(const struct orr_collective *c, uint64_t bytes,
                         struct orr_spot at, uint32_t i,
                         struct orr_transfer *t)
{
    uint32_t peer =
        at.member == c->root ? peer_of(c, at.member, i) : c->root;
    orr__transfer_set(t, peer, 0, false, 0, bytes);
}

static void message_up(const struct orr_collective *c, uint64_t bytes,
                       struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    message_down(c, bytes, at, i, t);
    t->reduce = true;
}

const struct orr_collective_ops orr__broadcast_direct = {
    .kind = ORR_BROADCAST,
    .name = "direct",
    .doc = "the root sends to everyone: 1 step",
    .steps = one_step,
    .count = count_from_root,
    .send = message_down,
    .receive = message_down,
};

const struct orr_collective_ops orr__reduce_direct = {
    .kind = ORR_REDUCE,
    .name = "direct",
    .doc = "everyone sends to the root: 1 step",
    .steps = one_step,
    .count = count_to_root,
    .send = message_up,
    .receive = message_up,
};

/* Gather and scatter move the block of the end that is not the root. */

static void root_block(const struct orr_collective *c, uint64_t bytes,
                       struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    bool root = at.member == c->root;
    uint32_t peer = root ? peer_of(c, at.member, i) : c->root;
    uint32_t owner = root ? peer : at.member;
    orr__transfer_set(t, peer, 0, false, owner * bytes, bytes);
}

const struct orr_collective_ops orr__gather_direct = {
    .kind = ORR_GATHER,
    .name = "direct",
    .doc = "everyone sends its block to the root: 1 step",
    .steps = one_step,
    .count = count_to_root,
    .send = root_block,
    .receive = root_block,
};

const struct orr_collective_ops orr__scatter_direct = {
    .kind = ORR_SCATTER,
    .name = "direct",
    .doc = "the root sends each its block: 1 step",
    .steps = one_step,
    .count = count_from_root,
    .send = root_block,
    .receive = root_block,
};
