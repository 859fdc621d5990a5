/* Rings: each member talks to its two neighbours only. `forward` goes from
 * group[i] to group[i + 1], `backward` the other way; `both` sends half each
 * way, the odd byte backward, in two lanes. */
#include "workload/collective/collective.h"

static const char *const directions[] = {"forward", "backward", "both", NULL};
static const struct orr_param params[] = {
    {
        .key = "direction",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, direction),
        .fallback = "forward",
        .choices = directions,
        .help = "direction: group[i] to group[i + 1], back, or half each",
    },
    ORR_PARAM_END,
};
static const struct orr_param direction_params[] = {
    {
        .key = "direction",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, direction),
        .fallback = "forward",
        .choices = (const char *const[]){"forward", "backward", NULL},
        .help = "direction: group[i] to group[i + 1], or back",
    },
    ORR_PARAM_END,
};

static uint32_t lanes(const struct orr_collective *c)
{
    return c->direction == ORR_BOTH ? 2 : 1;
}

static bool backward(const struct orr_collective *c, uint32_t lane)
{
    return c->direction == ORR_BACKWARD || lane == 1;
}

/* The member `by` places further along the lane's direction, by < n. */
static uint32_t member_ahead(const struct orr_collective *c, uint32_t lane,
                             uint32_t member, uint32_t by)
{
    return backward(c, lane) ? orr__round_down(member, by, c->n)
                             : orr__round_up(member, by, c->n);
}
static uint32_t behind(const struct orr_collective *c, uint32_t lane,
                       uint32_t member, uint32_t by)
{
    return backward(c, lane) ? orr__round_up(member, by, c->n)
                             : orr__round_down(member, by, c->n);
}

/* The part of [0, bytes) that a lane carries. */
static struct orr_range lane_range(const struct orr_collective *c,
                                   uint32_t lane, uint64_t bytes)
{
    if (c->direction != ORR_BOTH)
        return (struct orr_range){0, bytes};
    uint64_t half = bytes / 2;
    return lane ? (struct orr_range){half, bytes - half}
                : (struct orr_range){0, half};
}

/* A byte for each member's piece, each way. */
static uint64_t full(const struct orr_collective *c)
{
    return (uint64_t)c->n * lanes(c);
}

static void count_one(const struct orr_collective *c, struct orr_spot at,
                      uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n > 1;
}

/* All-reduce: n - 1 steps that reduce, n - 1 that copy. In step s a member
 * sends the piece that started (s - 1) places behind it. */

static uint32_t all_reduce_steps(const struct orr_collective *c, uint32_t lane)
{
    return 2 * (c->n - 1);
}

static inline void all_reduce_piece(const struct orr_collective *c,
                                    uint64_t bytes, struct orr_spot at,
                                    uint32_t peer, uint32_t piece,
                                    struct orr_transfer *t)
{
    struct orr_range part = lane_range(c, at.lane, bytes);
    orr__transfer_set(t, peer, at.step, at.step < c->n - 1,
                      part.first + orr__piece_start(part.bytes, c->n, piece),
                      orr__piece_bytes(part.bytes, c->n, piece));
}

static void all_reduce_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t piece = behind(c, at.lane, at.member, at.step % c->n);
    all_reduce_piece(c, bytes, at, member_ahead(c, at.lane, at.member, 1),
                     piece, t);
}

static void all_reduce_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t piece = behind(c, at.lane, at.member, (at.step + 1) % c->n);
    all_reduce_piece(c, bytes, at, behind(c, at.lane, at.member, 1), piece, t);
}

const struct orr_collective_ops orr__all_reduce_ring = {
    .kind = ORR_ALL_REDUCE,
    .name = "ring",
    .doc = "reduce-scatter and all-gather round a ring, 2 (n - 1) steps",
    .on_rails = "nccl-ring keeps to rails, and so does hierarchical",
    .params = params,
    .lanes = lanes,
    .steps = all_reduce_steps,
    .full = full,
    .count = count_one,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

/* Reduce-scatter: as the first half, one place on, so that member i ends with
 * piece i. With `both` each piece is halved, to keep that true. */

static uint32_t one_round_steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n - 1;
}

static void half_piece(const struct orr_collective *c, uint64_t bytes,
                       struct orr_spot at, uint32_t peer, uint32_t piece,
                       struct orr_transfer *t)
{
    struct orr_range part =
        lane_range(c, at.lane, orr__piece_bytes(bytes, c->n, piece));
    orr__transfer_set(t, peer, at.step, true,
                      orr__piece_start(bytes, c->n, piece) + part.first,
                      part.bytes);
}

static void reduce_scatter_send(const struct orr_collective *c, uint64_t bytes,
                                struct orr_spot at, uint32_t i,
                                struct orr_transfer *t)
{
    uint32_t piece = behind(c, at.lane, at.member, at.step + 1);
    half_piece(c, bytes, at, member_ahead(c, at.lane, at.member, 1), piece, t);
}

static void reduce_scatter_receive(const struct orr_collective *c,
                                   uint64_t bytes, struct orr_spot at,
                                   uint32_t i, struct orr_transfer *t)
{
    uint32_t piece = behind(c, at.lane, at.member, (at.step + 2) % c->n);
    half_piece(c, bytes, at, behind(c, at.lane, at.member, 1), piece, t);
}

const struct orr_collective_ops orr__reduce_scatter_ring = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "ring",
    .doc = "pieces accumulate round a ring, n - 1 steps",
    .on_rails = "nccl-ring keeps to rails",
    .params = params,
    .lanes = lanes,
    .steps = one_round_steps,
    .full = full,
    .count = count_one,
    .send = reduce_scatter_send,
    .receive = reduce_scatter_receive,
};

/* All-gather: in step s a member passes on the block of the member s places
 * behind it. */

static void block_of_owner(const struct orr_collective *c, uint64_t bytes,
                           struct orr_spot at, uint32_t peer, uint32_t owner,
                           struct orr_transfer *t)
{
    struct orr_range part = lane_range(c, at.lane, bytes);
    orr__transfer_set(t, peer, at.step, false, owner * bytes + part.first,
                      part.bytes);
}

static void all_gather_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t owner = behind(c, at.lane, at.member, at.step);
    block_of_owner(c, bytes, at, member_ahead(c, at.lane, at.member, 1), owner,
                   t);
}

static void all_gather_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t owner = behind(c, at.lane, at.member, at.step + 1);
    block_of_owner(c, bytes, at, behind(c, at.lane, at.member, 1), owner, t);
}

const struct orr_collective_ops orr__all_gather_ring = {
    .kind = ORR_ALL_GATHER,
    .name = "ring",
    .doc = "blocks travel round a ring, n - 1 steps",
    .on_rails = "nccl-ring keeps to rails",
    .params = params,
    .lanes = lanes,
    .steps = one_round_steps,
    .full = full,
    .count = count_one,
    .send = all_gather_send,
    .receive = all_gather_receive,
};

/* All-to-all: in step s a member passes on what the member s places behind it
 * had for those ahead: n - 1 - s pieces. */

/* What travels on: `pieces` pieces of the block of `origin`, the first one
 * named in order of a forward ring. With unequal sizes blocks are by pair. */
static void forwarded(const struct orr_collective *c, uint64_t bytes,
                      struct orr_spot at, uint32_t origin, uint32_t first,
                      uint32_t pieces, struct orr_transfer *t)
{
    if (backward(c, at.lane))
        first = orr__round_down(first, pieces - 1, c->n);
    if (c->sizes) {
        for (uint32_t i = 0; i < pieces; i++)
            t->bytes += orr__bytes_between(c->sizes, at.drawing, origin,
                                           orr__round_up(first, i, c->n));
        t->range[0].bytes = t->bytes;
        return;
    }
    orr__transfer_pieces(t, origin * bytes, bytes, c->n, first, pieces);
}

static void all_to_all_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t next = member_ahead(c, at.lane, at.member, 1);
    orr__transfer_set(t, next, at.step, false, 0, 0);
    forwarded(c, bytes, at, behind(c, at.lane, at.member, at.step), next,
              c->n - 1 - at.step, t);
}

static void all_to_all_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    orr__transfer_set(t, behind(c, at.lane, at.member, 1), at.step, false, 0,
                      0);
    forwarded(c, bytes, at, behind(c, at.lane, at.member, at.step + 1),
              at.member, c->n - 1 - at.step, t);
}

const struct orr_collective_ops orr__all_to_all_ring = {
    .kind = ORR_ALL_TO_ALL,
    .name = "ring",
    .doc = "pieces are forwarded round a ring, n - 1 shrinking steps",
    .params = direction_params,
    .unequal = true,
    .steps = one_round_steps,
    .count = count_one,
    .send = all_to_all_send,
    .receive = all_to_all_receive,
};

/* Broadcast: a chain from the root round the ring. Step 0 receives, step 1
 * passes on; chunks make it a pipeline. */

static uint32_t broadcast_steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 2 : 0;
}

static void broadcast_count(const struct orr_collective *c, struct orr_spot at,
                            uint32_t *sends, uint32_t *receives)
{
    uint32_t last = behind(c, at.lane, c->root, 1);
    *receives = at.step == 0 && at.member != c->root;
    *sends = at.step == 1 && at.member != last;
}

static void broadcast_send(const struct orr_collective *c, uint64_t bytes,
                           struct orr_spot at, uint32_t i,
                           struct orr_transfer *t)
{
    struct orr_range part = lane_range(c, at.lane, bytes);
    orr__transfer_set(t, member_ahead(c, at.lane, at.member, 1), 0, false,
                      part.first, part.bytes);
}

static void broadcast_receive(const struct orr_collective *c, uint64_t bytes,
                              struct orr_spot at, uint32_t i,
                              struct orr_transfer *t)
{
    struct orr_range part = lane_range(c, at.lane, bytes);
    orr__transfer_set(t, behind(c, at.lane, at.member, 1), 0, false, part.first,
                      part.bytes);
}

#define BROADCAST_RING(called)                                                 \
    {                                                                          \
        .kind = ORR_BROADCAST, .name = called,                                 \
        .doc = "from the root to the next, to the next; use many chunks",      \
        .params = params, .lanes = lanes, .steps = broadcast_steps,            \
        .count = broadcast_count, .send = broadcast_send,                      \
        .receive = broadcast_receive,                                          \
    }
const struct orr_collective_ops orr__broadcast_ring = BROADCAST_RING("ring");
/* The same by its other name. */
const struct orr_collective_ops orr__broadcast_chain = BROADCAST_RING("chain");
