/* Entropies that came back unmarked are used again, each once and in that
 * order; with none, as bitmap.c has it (uet-htsim, UecMpMixed). */
#include "core/memory.h"
#include "core/ring.h"
#include "net/path/bitmap.h"

/* Of a connection. */
struct mixed {
    uint16_t *ring; /* head to tail; owned */
    uint32_t room, head, tail;
    struct orr_bitmap bitmap;
};

static size_t bytes(const struct orr_path_params *p)
{
    return sizeof(struct mixed) + orr__bitmap_bytes(p);
}

static void init(void *state, const struct orr_path_params *p,
                 struct orr_random *draw)
{
    struct mixed *m = state;

    orr__entropy_begin(&m->bitmap.turn, p, draw);
}

static void fini(void *state)
{
    struct mixed *m = state;

    orr__free(m->ring);
}

static uint32_t next(void *state, const struct orr_path_params *p,
                     struct orr_random *draw)
{
    struct mixed *m = state;

    if (m->head != m->tail)
        return m->ring[m->head++ & (m->room - 1)];
    return orr__bitmap_next(&m->bitmap, p, draw);
}

/* Good ones wait for their turn. */
static bool hear(void *state, const struct orr_path_params *p, uint32_t entropy,
                 enum orr_entropy_news news, int64_t now)
{
    struct mixed *m = state;

    orr__bitmap_hear(&m->bitmap, p, entropy, news);
    if (news != ORR_ENTROPY_GOOD)
        return true;
    if (m->tail - m->head >= m->room
        && !orr__ring_grow(m->ring, m->room, m->head, m->tail, 32))
        return false;
    m->ring[m->tail++ & (m->room - 1)] = (uint16_t)entropy;
    return true;
}

const struct orr_entropy_ops orr__entropy_mixed = {
    .bytes = bytes,
    .init = init,
    .fini = fini,
    .next = next,
    .hear = hear,
};
