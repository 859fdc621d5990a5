/* ASTRA-sim's direct all-reduce: 2 (n - 1) messages, each to the next member in
 * the direction of the queue, first the pieces to their owners, then the sums
 * to all. Message k is that of lane k mod w, step k / w, where w lanes are w
 * messages under way at once. */
#include "core/assert.h"
#include "formats/astra/algorithm.h"

static uint32_t lanes(const struct orr_collective *c)
{
    uint32_t others = c->n - 1;
    bool windowed = c->window > 0 && c->window < (int64_t)others;
    return c->n < 2 ? 1 : windowed ? (uint32_t)c->window : others;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    uint32_t all = 2 * (c->n - 1);
    return all > lane ? (all - 1 - lane) / lanes(c) + 1 : 0;
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = 1;
}

/* How many members away the other end is; *second: of the second half. */
static uint32_t distance(const struct orr_collective *c, struct orr_spot at,
                         bool *second)
{
    uint32_t k = at.step * lanes(c) + at.lane, others = c->n - 1;
    ORR_ASSERT(c->n > 1); /* nobody sends alone */
    *second = k >= others;
    return (*second ? k - others : k) + 1;
}

static void transfer(uint64_t bytes, uint32_t n, uint32_t piece, uint32_t peer,
                     uint32_t step, bool reduce, struct orr_transfer *t)
{
    orr__transfer_set(t, peer, step, reduce, orr__piece_start(bytes, n, piece),
                      orr__piece_bytes(bytes, n, piece));
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    bool second;
    uint32_t far = distance(c, at, &second);
    uint32_t peer = orr__member_ahead(c, at.member, far);
    transfer(bytes, c->n, second ? at.member : peer, peer, at.step, !second, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    bool second;
    uint32_t far = distance(c, at, &second);
    uint32_t peer = orr__behind(c, at.member, far);
    transfer(bytes, c->n, second ? peer : at.member, peer, at.step, !second, t);
}

const struct orr_collective_ops orr__astra_direct_all_reduce = {
    .kind = ORR_ALL_REDUCE,
    .name = "direct",
    .doc = "pieces to their owners, sums to everyone, a few messages at a time",
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
