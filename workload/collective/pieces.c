/* Pieces of a message that a transfer carries. */
#include "workload/collective/collective.h"

void orr__transfer_pieces(struct orr_transfer *t, uint64_t base, uint64_t m,
                          uint32_t n, uint32_t from, uint32_t count)
{
    uint32_t before_end = count < n - from ? count : n - from;
    uint64_t a = orr__piece_start(m, n, from);
    uint64_t b = orr__piece_start(m, n, from + before_end);
    t->range[0] = (struct orr_range){base + a, b - a};
    b = orr__piece_start(m, n, count - before_end);
    t->range[1] = (struct orr_range){base, b};
    t->bytes = t->range[0].bytes + b;
}

struct orr_range orr__stretch(const struct orr_collective *c, uint64_t bytes,
                              const struct orr_transfer *t, uint32_t k)
{
    const struct orr_blocks *b = &t->blocks;
    uint64_t n = c->n;
    if (b->count == 0)
        return t->range[k];
    ORR_ASSERT(n > 0 && k < b->count);
    uint64_t owner = (b->owner + (uint64_t)k * b->owner_step) % n;
    uint32_t piece = (uint32_t)((b->piece + (uint64_t)k * b->piece_step) % n);
    if (c->ops->kind == ORR_ALL_GATHER)
        return (struct orr_range){owner * bytes, bytes};
    uint64_t first = c->ops->kind == ORR_ALL_TO_ALL ? owner * bytes : 0;
    return (struct orr_range){first + orr__piece_start(bytes, c->n, piece),
                              orr__piece_bytes(bytes, c->n, piece)};
}

void orr__transfer_blocks(const struct orr_collective *c, uint64_t bytes,
                          const struct orr_blocks *blocks, uint32_t peer,
                          uint32_t step, bool reduce, struct orr_transfer *t)
{
    orr__transfer_set(t, peer, step, reduce, 0, 0);
    t->blocks = *blocks;
    for (uint32_t k = 0; k < blocks->count; k++)
        t->bytes += orr__stretch(c, bytes, t, k).bytes;
}
