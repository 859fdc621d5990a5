/* Everyone to everyone: n - 1 messages, to the next member first, so that no
 * receiver is everybody's first. All at once in few steps; with a window of w
 * in w lanes, each of which sends to every w-th peer and goes on when it has
 * received as much. An all-reduce may not give on sums before all is added
 * up: it sends w messages in a step. Peers follow each other in the direction
 * of the collective; only other systems' calls have one that is backward. */
#include "workload/collective/collective.h"

static const struct orr_param params[] = {
    {
        .key = "window",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, window),
        .fallback = "0",
        .min = "0",
        .max = "4000",
        .help = "peers that a rank sends to at a time; 0: all at once",
    },
    ORR_PARAM_END,
};

static uint32_t peer_of(const struct orr_collective *c, uint32_t member,
                        uint32_t i)
{
    return orr__round_up(member, i + 1, c->n);
}

static bool windowed(const struct orr_collective *c)
{
    return c->window > 0 && (uint64_t)c->window < (uint64_t)c->n - 1;
}

static uint32_t window_lanes(const struct orr_collective *c)
{
    return windowed(c) ? (uint32_t)c->window : 1;
}

/* Steps in which a lane sends one message to each of its peers. */
static uint32_t lane_steps(const struct orr_collective *c, uint32_t lane)
{
    if (windowed(c))
        return (c->n - 2 - lane) / (uint32_t)c->window + 1;
    return c->n > 1 ? 1 : 0;
}

/* The same when all are sent in one lane. */
static uint32_t round_steps(const struct orr_collective *c)
{
    return lane_steps(c, 0);
}

static uint32_t one_step(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 1 : 0;
}

/* All-reduce goes round twice. */
static uint32_t two_rounds(const struct orr_collective *c, uint32_t lane)
{
    return 2 * round_steps(c);
}

static bool second_round(const struct orr_collective *c, struct orr_spot at)
{
    return at.step >= round_steps(c);
}

/* How many members on the one is that message i of a spot goes to; as many
 * back is the one that another comes from. An all-reduce has one lane. */
static uint32_t distance(const struct orr_collective *c, struct orr_spot at,
                         uint32_t i)
{
    if (c->ops->kind == ORR_ALL_REDUCE && second_round(c, at))
        at.step -= round_steps(c);
    return at.step * window_lanes(c) + at.lane + i + 1;
}

static uint32_t receiver(const struct orr_collective *c, struct orr_spot at,
                         uint32_t i)
{
    return orr__member_ahead(c, at.member, distance(c, at, i));
}

static uint32_t sender(const struct orr_collective *c, struct orr_spot at,
                       uint32_t i)
{
    return orr__behind(c, at.member, distance(c, at, i));
}

static void count_all(const struct orr_collective *c, struct orr_spot at,
                      uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = windowed(c) ? 1 : c->n - 1;
}

static void count_round(const struct orr_collective *c, struct orr_spot at,
                        uint32_t *sends, uint32_t *receives)
{
    uint32_t left = c->n - distance(c, at, 0);
    *sends = *receives =
        windowed(c) && left > window_lanes(c) ? window_lanes(c) : left;
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

static void piece_of_all(const struct orr_collective *c, uint64_t bytes,
                         uint32_t piece, struct orr_transfer *t)
{
    t->bytes = orr__piece_bytes(bytes, c->n, piece);
    t->range[0].first = orr__piece_start(bytes, c->n, piece);
    t->range[0].bytes = t->bytes;
}

/* All-reduce: the first round brings piece i of everyone to member i, which
 * adds them up; the second gives the sum to all. Reduce-scatter is the first
 * alone. */

static void all_reduce_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t peer = receiver(c, at, i);
    bool first = !second_round(c, at);
    orr__transfer_set(t, peer, at.step, first, 0, 0);
    piece_of_all(c, bytes, first ? peer : at.member, t);
}

static void all_reduce_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t peer = sender(c, at, i);
    bool first = !second_round(c, at);
    orr__transfer_set(t, peer, at.step, first, 0, 0);
    piece_of_all(c, bytes, first ? at.member : peer, t);
}

const struct orr_collective_ops orr__all_reduce_direct = {
    .kind = ORR_ALL_REDUCE,
    .name = "direct",
    .doc = "pieces to their owners, sums to all: 2 steps without a window",
    .params = params,
    .steps = two_rounds,
    .count = count_round,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

const struct orr_collective_ops orr__reduce_scatter_direct = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "direct",
    .doc = "pieces to their owners: 1 step without a window",
    .params = params,
    .lanes = window_lanes,
    .steps = lane_steps,
    .count = count_all,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

static void all_gather_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    orr__transfer_set(t, receiver(c, at, i), at.step, false, at.member * bytes,
                      bytes);
}

static void all_gather_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t peer = sender(c, at, i);
    orr__transfer_set(t, peer, at.step, false, peer * bytes, bytes);
}

const struct orr_collective_ops orr__all_gather_direct = {
    .kind = ORR_ALL_GATHER,
    .name = "direct",
    .doc = "each block to all: 1 step without a window",
    .params = params,
    .lanes = window_lanes,
    .steps = lane_steps,
    .count = count_all,
    .send = all_gather_send,
    .receive = all_gather_receive,
};

/* The piece that one member has for another. */
static void piece_between(const struct orr_collective *c, uint64_t bytes,
                          uint32_t turn, uint32_t from, uint32_t to,
                          struct orr_transfer *t)
{
    if (c->sizes) {
        t->bytes = t->range[0].bytes =
            orr__bytes_between(c->sizes, turn, from, to);
        return;
    }
    piece_of_all(c, bytes, to, t);
    t->range[0].first += from * bytes;
}

static void all_to_all_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t peer = receiver(c, at, i);
    orr__transfer_set(t, peer, at.step, false, 0, 0);
    piece_between(c, bytes, at.drawing, at.member, peer, t);
}

static void all_to_all_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t peer = sender(c, at, i);
    orr__transfer_set(t, peer, at.step, false, 0, 0);
    piece_between(c, bytes, at.drawing, peer, at.member, t);
}

const struct orr_collective_ops orr__all_to_all_direct = {
    .on_rails = "`algorithm: pxn` keeps to rails",
    .kind = ORR_ALL_TO_ALL,
    .name = "direct",
    .doc = "each piece directly to its destination: 1 step without a window",
    .params = params,
    .unequal = true,
    .lanes = window_lanes,
    .steps = lane_steps,
    .count = count_all,
    .send = all_to_all_send,
    .receive = all_to_all_receive,
};

/* Broadcast and reduce move the whole message between the root and each. */

static void message_down(const struct orr_collective *c, uint64_t bytes,
                         struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    uint32_t peer = at.member == c->root ? peer_of(c, at.member, i) : c->root;
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
    .doc = "the root sends to all: 1 step",
    .steps = one_step,
    .count = count_from_root,
    .send = message_down,
    .receive = message_down,
};

const struct orr_collective_ops orr__reduce_direct = {
    .kind = ORR_REDUCE,
    .name = "direct",
    .doc = "all send to the root: 1 step",
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
    .doc = "all send their blocks to the root: 1 step",
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
