/* Rings as NCCL lays them over servers: as many as a server has members, a
 * share of each piece on each. Ring r goes through the members of the first
 * server upwards, from the r-th on, and leaves by number r - 1; through the
 * next server it goes downwards, from number r - 1 to the r-th; and so on in
 * turn. So it leaves a server by the number by which it enters the next one,
 * and where members of one number share a rail, nothing crosses rails (NCCL
 * swaps two rings on servers of odd number for this purpose:
 * src/graph/connect.cc, "alternate rings to avoid crossing rails"). Of an odd
 * number of servers the last hop crosses, back to the first server. Each
 * member's link out of its server is used by one ring, and so is the one into
 * it. Member i is number i mod local of server i / local. Inside one server
 * the rings are one ring in `local` lanes.
 *
 * In channels there is a lane for each, ring by ring, and a share of a piece is
 * cut into chunks, which go round one after another in slices. */
#include "workload/collective/nccl.h"

/* Rings that differ. */
static uint32_t count_rings(const struct orr_collective *c)
{
    return orr__nccl_local(c);
}

static uint32_t lanes(const struct orr_collective *c)
{
    return c->plan.channels ? c->plan.channels : count_rings(c);
}

/* How far member number `in` is from where ring `lane` enters its server, which
 * it goes through downwards; and who is so far from there: its own inverse. */
static uint32_t downwards(uint32_t lane, uint32_t in, uint32_t l)
{
    return orr__round_down(orr__round_down(lane, 1, l), in, l);
}

static bool is_upwards(uint32_t member, uint32_t l)
{
    return member / l % 2 == 0;
}

/* A member's place in ring `lane`, and who has a place. */
static uint32_t place_of(const struct orr_collective *c, uint32_t lane,
                         uint32_t member)
{
    uint32_t l = count_rings(c), in = member % l;
    lane %= l;
    return member - in
           + (is_upwards(member, l) ? orr__round_down(in, lane, l)
                                    : downwards(lane, in, l));
}

static uint32_t member_at(const struct orr_collective *c, uint32_t lane,
                          uint32_t place)
{
    uint32_t l = count_rings(c), in = place % l;
    lane %= l;
    return place - in
           + (is_upwards(place, l) ? orr__round_up(in, lane, l)
                                   : downwards(lane, in, l));
}

/* The member `by` places behind `member`, by <= n. */
static uint32_t behind(const struct orr_collective *c, uint32_t lane,
                       uint32_t member, uint32_t by)
{
    uint32_t place = place_of(c, lane, member);
    return member_at(c, lane, orr__round_down(place, by, c->n));
}

static uint32_t member_after(const struct orr_collective *c, uint32_t lane,
                             uint32_t member)
{
    uint32_t place = place_of(c, lane, member);
    return member_at(c, lane, orr__round_up(place, 1, c->n));
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n > 1;
}

/* The lane's share of the `length` bytes at `first`. */
static void share_of_lane(const struct orr_collective *c, struct orr_spot at,
                          uint32_t peer, bool reduce, uint64_t first,
                          uint64_t length, struct orr_transfer *t)
{
    uint32_t n = lanes(c);
    orr__transfer_set(t, peer, at.step, reduce,
                      first + orr__piece_start(length, n, at.lane),
                      orr__piece_bytes(length, n, at.lane));
}

static void piece_of_owner(const struct orr_collective *c, uint64_t bytes,
                           struct orr_spot at, uint32_t peer, bool reduce,
                           uint32_t owner, struct orr_transfer *t)
{
    share_of_lane(c, at, peer, reduce, orr__piece_start(bytes, c->n, owner),
                  orr__piece_bytes(bytes, c->n, owner), t);
}

/* Slice at.step of a channel: chunk by chunk, each goes through all steps of
 * the ring and what the last one brought; most: bytes of the largest piece. */
static bool slice_of(const struct orr_collective *c, uint64_t bytes,
                     struct orr_spot at, uint64_t most, uint32_t rounds,
                     struct orr_slice *s)
{
    const struct orr_channel_plan *p = &c->plan;
    uint64_t largest = orr__largest_chunk(most, p->channels);
    ORR_ASSERT(p->chunk > 0 && p->slices > 0);
    uint64_t chunks = (largest + p->chunk - 1) / p->chunk;
    uint32_t i = at.step % p->slices, step = at.step / p->slices;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a chunk has slices */
    uint32_t chunk = step / (rounds + 1);
    struct orr_transfer t;
    if (chunk >= (chunks ? chunks : 1))
        return false;
    at.step = step % (rounds + 1);
    *s = (struct orr_slice){.n_from = at.step > 0,
                            .n_to = at.step < rounds,
                            .channel = at.lane,
                            .block = ORR_NONE};
    s->all_in = (uint32_t)(chunks ? chunks : 1) * rounds * p->slices;
    s->out = (chunk * rounds + at.step) * p->slices + i;
    s->in = s->out - p->slices; /* none comes in the first step */
    if (s->n_to) {
        c->ops->send(c, bytes, at, 0, &t);
        s->to[0] = t.peer;
        s->bytes_out = orr__slice_bytes(p, t.bytes, chunk, i);
    }
    if (s->n_from) {
        at.step--;
        c->ops->receive(c, bytes, at, 0, &t);
        s->from[0] = t.peer;
        s->bytes_in = orr__slice_bytes(p, t.bytes, chunk, i);
    }
    return true;
}

/* ---- all-reduce --------------------------------------------------------- */

static uint32_t two_rounds(const struct orr_collective *c, uint32_t lane)
{
    return 2 * (c->n - 1);
}

static void all_reduce_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    piece_of_owner(c, bytes, at, member_after(c, at.lane, at.member),
                   at.step < c->n - 1,
                   behind(c, at.lane, at.member, at.step % c->n), t);
}

static void all_reduce_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    piece_of_owner(c, bytes, at, behind(c, at.lane, at.member, 1),
                   at.step < c->n - 1,
                   behind(c, at.lane, at.member, (at.step + 1) % c->n), t);
}

static bool all_reduce_slice(const struct orr_collective *c, uint64_t bytes,
                             struct orr_spot at, struct orr_slice *s)
{
    return slice_of(c, bytes, at, orr__largest_chunk(bytes, c->n),
                    two_rounds(c, 0), s);
}

const struct orr_collective_ops orr__all_reduce_nccl_ring = {
    .kind = ORR_ALL_REDUCE,
    .name = "nccl-ring",
    .doc = "a ring for each member of a server, through all servers",
    .params = orr__nccl_params,
    .levels = true,
    .lanes = lanes,
    .steps = two_rounds,
    .count = count,
    .blocks = 1,
    .slice = all_reduce_slice,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

/* ---- reduce-scatter and all-gather -------------------------------------- */

static uint32_t one_round(const struct orr_collective *c, uint32_t lane)
{
    return c->n - 1;
}

static void reduce_scatter_send(const struct orr_collective *c, uint64_t bytes,
                                struct orr_spot at, uint32_t i,
                                struct orr_transfer *t)
{
    piece_of_owner(c, bytes, at, member_after(c, at.lane, at.member), true,
                   behind(c, at.lane, at.member, at.step + 1), t);
}

static void reduce_scatter_receive(const struct orr_collective *c,
                                   uint64_t bytes, struct orr_spot at,
                                   uint32_t i, struct orr_transfer *t)
{
    piece_of_owner(c, bytes, at, behind(c, at.lane, at.member, 1), true,
                   behind(c, at.lane, at.member, (at.step + 2) % c->n), t);
}

static bool reduce_scatter_slice(const struct orr_collective *c, uint64_t bytes,
                                 struct orr_spot at, struct orr_slice *s)
{
    return slice_of(c, bytes, at, orr__largest_chunk(bytes, c->n),
                    one_round(c, 0), s);
}

const struct orr_collective_ops orr__reduce_scatter_nccl_ring = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "nccl-ring",
    .doc = "a ring for each member of a server, through all servers",
    .params = orr__nccl_params,
    .levels = true,
    .lanes = lanes,
    .steps = one_round,
    .count = count,
    .blocks = 1,
    .slice = reduce_scatter_slice,
    .send = reduce_scatter_send,
    .receive = reduce_scatter_receive,
};

static void all_gather_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint32_t owner = behind(c, at.lane, at.member, at.step);
    share_of_lane(c, at, member_after(c, at.lane, at.member), false,
                  owner * bytes, bytes, t);
}

static void all_gather_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    uint32_t owner = behind(c, at.lane, at.member, at.step + 1);
    share_of_lane(c, at, behind(c, at.lane, at.member, 1), false, owner * bytes,
                  bytes, t);
}

static bool all_gather_slice(const struct orr_collective *c, uint64_t bytes,
                             struct orr_spot at, struct orr_slice *s)
{
    return slice_of(c, bytes, at, bytes, one_round(c, 0), s);
}

const struct orr_collective_ops orr__all_gather_nccl_ring = {
    .kind = ORR_ALL_GATHER,
    .name = "nccl-ring",
    .doc = "a ring for each member of a server, through all servers",
    .params = orr__nccl_params,
    .levels = true,
    .lanes = lanes,
    .steps = one_round,
    .count = count,
    .blocks = 1,
    .slice = all_gather_slice,
    .send = all_gather_send,
    .receive = all_gather_receive,
};
