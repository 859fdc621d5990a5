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
