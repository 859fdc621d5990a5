/* Entropies in turn, whatever they meet. */
#include "net/path/entropy.h"

void orr__entropy_begin(struct orr_entropy_turn *t,
                        const struct orr_path_params *p,
                        struct orr_random *draw)
{
    uint32_t low = (uint32_t)p->entropies - 1;

    t->above = orr__random_u32(draw) & ((1u << ORR_ENTROPY_BITS) - 1) & ~low;
    t->mask = orr__random_u32(draw) & low;
}

void orr__entropy_step(struct orr_entropy_turn *t,
                       const struct orr_path_params *p, struct orr_random *draw)
{
    if (++t->at < p->entropies)
        return;
    t->at = 0;
    t->mask = orr__random_u32(draw) & ((uint32_t)p->entropies - 1);
}

static size_t bytes(const struct orr_path_params *p)
{
    return sizeof(struct orr_entropy_turn);
}

static void init(void *state, const struct orr_path_params *p,
                 struct orr_random *draw)
{
    orr__entropy_begin(state, p, draw);
}

static uint32_t next(void *state, const struct orr_path_params *p,
                     struct orr_random *draw)
{
    struct orr_entropy_turn *t = state;
    uint32_t entropy = t->above | orr__entropy_at(t);

    orr__entropy_step(t, p, draw);
    return entropy;
}

const struct orr_entropy_ops orr__entropy_oblivious = {
    .bytes = bytes,
    .init = init,
    .next = next,
};
