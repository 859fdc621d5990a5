/* Rings of different strides over all members (TopoOpt, NSDI 2023): in the ring
 * of stride s, which shares no factor with n, member i is followed by member i
 * + s, modulo n. The message is cut into as many shares as there are rings,
 * with `both` into twice as many, and each share goes round a ring of its own.
 * So all links are busy where each ring has links of its own, as on a topology
 * of the same strides.
 *
 * A lane is one share: ring by ring, with `both` each forward, then backward. A
 * piece goes by the number of the member whose it is, so that it does not
 * matter where in a ring that member stands. */
#include "workload/collective/collective.h"

static const char *const directions[] = {"forward", "backward", "both", "auto",
                                         NULL};
static const struct orr_param params[] = {
    {
        .key = "strides",
        .type = ORR_PARAM_INTS,
        .offset = offsetof(struct orr_collective, strides),
        .fallback = "",
        .min = "1",
        .max = "4294967295",
        .help = "a ring for each: group[i] to group[i + stride]; default: "
                "those of topology.kind strides with as many hosts as ranks",
    },
    {
        .key = "direction",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, direction),
        .fallback = "auto",
        .choices = directions,
        .help = "direction of each ring; both: half its share each way; auto: "
                "as the cables of topology.kind strides, else both",
    },
    ORR_PARAM_END,
};

static uint32_t lanes(const struct orr_collective *c)
{
    uint32_t rings = c->strides.n ? (uint32_t)c->strides.n : 1;
    return c->direction == ORR_BOTH ? 2 * rings : rings;
}

/* The member `by` < n places further along a lane. */
static uint32_t member_ahead(const struct orr_collective *c, struct orr_spot at,
                             uint32_t by)
{
    bool both = c->direction == ORR_BOTH;
    uint64_t s =
        c->strides.n ? (uint64_t)c->strides.v[at.lane >> both] % c->n : 1;
    uint32_t move = (uint32_t)(s * by % c->n);
    return c->direction == ORR_BACKWARD || (both && at.lane % 2)
               ? orr__round_down(at.member, move, c->n)
               : orr__round_up(at.member, move, c->n);
}

/* The member `by` <= n places behind. */
static uint32_t behind(const struct orr_collective *c, struct orr_spot at,
                       uint32_t by)
{
    return member_ahead(c, at, c->n - by);
}

/* A lane's share of bytes that begin at `first`. */
static struct orr_range share_of_lane(const struct orr_collective *c,
                                      uint32_t lane, uint64_t first,
                                      uint64_t bytes)
{
    uint32_t n = lanes(c);
    return (struct orr_range){first + orr__piece_start(bytes, n, lane),
                              orr__piece_bytes(bytes, n, lane)};
}

/* A byte for each lane of each member's piece. */
static uint64_t full(const struct orr_collective *c)
{
    return (uint64_t)c->n * lanes(c);
}

static void count_one(const struct orr_collective *c, struct orr_spot at,
                      uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n > 1;
}

/* All-reduce: n - 1 steps that reduce, n - 1 that copy, as by `ring`. */

static uint32_t all_reduce_steps(const struct orr_collective *c, uint32_t lane)
{
    return 2 * (c->n - 1);
}

static void all_reduce_piece(const struct orr_collective *c, uint64_t bytes,
                             struct orr_spot at, uint32_t peer, uint32_t piece,
                             struct orr_transfer *t)
{
    struct orr_range part = share_of_lane(c, at.lane, 0, bytes);
    orr__transfer_set(t, peer, at.step, at.step < c->n - 1,
                      part.first + orr__piece_start(part.bytes, c->n, piece),
                      orr__piece_bytes(part.bytes, c->n, piece));
}

static void all_reduce_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    all_reduce_piece(c, bytes, at, member_ahead(c, at, 1),
                     behind(c, at, at.step % c->n), t);
}

static void all_reduce_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    all_reduce_piece(c, bytes, at, behind(c, at, 1),
                     behind(c, at, (at.step + 1) % c->n), t);
}

const struct orr_collective_ops orr__all_reduce_strides = {
    .kind = ORR_ALL_REDUCE,
    .name = "strides",
    .doc = "a share round each of several rings of different strides, 2 (n - "
           "1) steps",
    .params = params,
    .rings = true,
    .lanes = lanes,
    .steps = all_reduce_steps,
    .full = full,
    .count = count_one,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

/* Reduce-scatter: as the first half, one place on, so that member i ends with
 * piece i; each lane carries its share of every piece. */

static uint32_t one_round_steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n - 1;
}

static void reduce_scatter_piece(const struct orr_collective *c, uint64_t bytes,
                                 struct orr_spot at, uint32_t peer,
                                 uint32_t piece, struct orr_transfer *t)
{
    struct orr_range part =
        share_of_lane(c, at.lane, orr__piece_start(bytes, c->n, piece),
                      orr__piece_bytes(bytes, c->n, piece));
    orr__transfer_set(t, peer, at.step, true, part.first, part.bytes);
}

static void reduce_scatter_send(const struct orr_collective *c, uint64_t bytes,
                                struct orr_spot at, uint32_t i,
                                struct orr_transfer *t)
{
    reduce_scatter_piece(c, bytes, at, member_ahead(c, at, 1),
                         behind(c, at, at.step + 1), t);
}

static void reduce_scatter_receive(const struct orr_collective *c,
                                   uint64_t bytes, struct orr_spot at,
                                   uint32_t i, struct orr_transfer *t)
{
    reduce_scatter_piece(c, bytes, at, behind(c, at, 1),
                         behind(c, at, (at.step + 2) % c->n), t);
}

const struct orr_collective_ops orr__reduce_scatter_strides = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "strides",
    .doc = "shares of pieces accumulate round several rings, n - 1 steps",
    .params = params,
    .rings = true,
    .lanes = lanes,
    .steps = one_round_steps,
    .full = full,
    .count = count_one,
    .send = reduce_scatter_send,
    .receive = reduce_scatter_receive,
};

/* All-gather: in step s a member passes on its lane's share of the block of the
 * member s places behind it. */

static void block_of_owner(const struct orr_collective *c, uint64_t bytes,
                           struct orr_spot at, uint32_t peer, uint32_t owner,
                           struct orr_transfer *t)
{
    struct orr_range part = share_of_lane(c, at.lane, owner * bytes, bytes);
    orr__transfer_set(t, peer, at.step, false, part.first, part.bytes);
}

static void all_gather_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    block_of_owner(c, bytes, at, member_ahead(c, at, 1), behind(c, at, at.step),
                   t);
}

static void all_gather_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    block_of_owner(c, bytes, at, behind(c, at, 1), behind(c, at, at.step + 1),
                   t);
}

const struct orr_collective_ops orr__all_gather_strides = {
    .kind = ORR_ALL_GATHER,
    .name = "strides",
    .doc = "shares of blocks travel round several rings, n - 1 steps",
    .params = params,
    .rings = true,
    .lanes = lanes,
    .steps = one_round_steps,
    .full = full,
    .count = count_one,
    .send = all_gather_send,
    .receive = all_gather_receive,
};
