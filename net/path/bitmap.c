#include "net/path/bitmap.h"

enum { OF_MARK = 1, OF_CUT = 4 }; /* turns, as in UecMpBitmap */

size_t orr__bitmap_bytes(const struct orr_path_params *p)
{
    return sizeof(struct orr_bitmap) + (size_t)p->entropies;
}

/* The first one that is left out has served a turn of its penalty; those behind
 * it only wait. Where all have some, the next is used nevertheless. */
uint32_t orr__bitmap_next(struct orr_bitmap *b, const struct orr_path_params *p,
                          struct orr_random *draw)
{
    uint32_t entropy = orr__entropy_at(&b->turn);

    if (b->penalty[entropy])
        b->penalty[entropy]--;
    else
        goto found;
    for (int64_t tried = 0; tried < p->entropies; tried++) {
        orr__entropy_step(&b->turn, p, draw);
        entropy = orr__entropy_at(&b->turn);
        if (!b->penalty[entropy])
            break;
    }
found:
    orr__entropy_step(&b->turn, p, draw);
    return b->turn.above | entropy;
}

void orr__bitmap_hear(struct orr_bitmap *b, const struct orr_path_params *p,
                      uint32_t entropy, enum orr_entropy_news news)
{
    uint8_t *penalty = &b->penalty[entropy & (p->entropies - 1)];
    int64_t more = news == ORR_ENTROPY_MARK  ? OF_MARK
                   : news == ORR_ENTROPY_CUT ? OF_CUT
                                             : 0;

    *penalty = (uint8_t)(*penalty + more < p->penalty ? *penalty + more
                         : more                       ? p->penalty
                                                      : *penalty);
}

static void init(void *state, const struct orr_path_params *p,
                 struct orr_random *draw)
{
    struct orr_bitmap *b = state;

    orr__entropy_begin(&b->turn, p, draw);
}

static uint32_t next(void *state, const struct orr_path_params *p,
                     struct orr_random *draw)
{
    return orr__bitmap_next(state, p, draw);
}

static bool hear(void *state, const struct orr_path_params *p, uint32_t entropy,
                 enum orr_entropy_news news, int64_t now)
{
    orr__bitmap_hear(state, p, entropy, news);
    return true;
}

const struct orr_entropy_ops orr__entropy_bitmap = {
    .bytes = orr__bitmap_bytes,
    .init = init,
    .next = next,
    .hear = hear,
};
