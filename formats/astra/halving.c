/* Halving and doubling as ASTRA-sim pairs its NPUs: halving begins with the
 * neighbour, doubling with the farthest, where recursive halving and doubling
 * as published go the other way about. A message is half or twice the one
 * before, cut down to whole bytes; where its bytes lie is not said. */
#include "core/assert.h"
#include "formats/astra/algorithm.h"

static uint32_t rounds(const struct orr_collective *c)
{
    return orr__log2_up(c->n);
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return (c->ops->kind == ORR_ALL_REDUCE ? 2 : 1) * rounds(c);
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = 1;
}

static bool halves(const struct orr_collective *c, uint32_t step)
{
    return c->ops->kind != ORR_ALL_GATHER && step < rounds(c);
}

/* Of the message of a step; nothing travels in one byte. */
static uint64_t step_bytes(const struct orr_collective *c, uint64_t bytes,
                           uint32_t step)
{
    uint64_t x = bytes << step;
    if (halves(c, step))
        x = bytes >> (step + 1);
    else if (c->ops->kind == ORR_ALL_REDUCE) /* halved once too often, then
                                                doubled */
        x = bytes >> (rounds(c) + 1) << (step - rounds(c) + 1);
    return x ? x : 1;
}

/* Both ways, so that it is the receive too. */
static void send_swapped(const struct orr_collective *c, uint64_t bytes,
                         struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    bool half = halves(c, at.step);
    ORR_ASSERT(c->n > 1); /* nobody swaps alone */
    uint32_t round = at.step % rounds(c);
    uint32_t far = half ? 1u << round : c->n >> (round + 1);
    orr__transfer_set(t, at.member ^ far, at.step, half, 0,
                      step_bytes(c, bytes, at.step));
}

#define HALVING(of)                                                            \
    {                                                                          \
        .kind = of, .name = "halving-doubling",                                \
        .doc = "in pairs, as ASTRA-sim chooses them", .steps = steps,          \
        .count = count, .send = send_swapped, .receive = send_swapped,         \
    }
const struct orr_collective_ops orr__astra_halving_all_reduce =
    HALVING(ORR_ALL_REDUCE);
const struct orr_collective_ops orr__astra_halving_reduce_scatter =
    HALVING(ORR_REDUCE_SCATTER);
const struct orr_collective_ops orr__astra_halving_all_gather =
    HALVING(ORR_ALL_GATHER);
