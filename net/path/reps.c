/* REPS: recycled entropies (Bonato et al., arXiv 2407.21625; as in uet-htsim,
 * UecMpReps). An entropy whose packet came back unmarked is used once more; a
 * small ring keeps the newest of them. With none, a random one. After a timeout
 * something may be broken: the ring is frozen, and what is in it is used round
 * and round, until it is emptied and some packets look for new ones. */
#include "net/path/entropy.h"

enum { EXPLORED = 16 }; /* random entropies after a freeze */

/* Of a connection. */
struct reps {
    int64_t frozen_until; /* 0: it is not */
    uint32_t head;        /* where the next one is put */
    uint32_t count;       /* that there are */
    uint32_t fresh;       /* the newest, not used again so far */
    uint32_t round;       /* while frozen, the next */
    uint32_t explore;     /* random ones to come */
    struct slot {
        uint16_t entropy;
        bool fresh;
    } slot[];
};

static size_t bytes(const struct orr_path_params *p)
{
    return sizeof(struct reps) + (size_t)p->cache * sizeof(struct slot);
}

static void keep_newest(struct reps *r, uint32_t room, uint32_t entropy)
{
    struct slot *s = &r->slot[r->head];

    r->fresh += !s->fresh;
    r->count += r->count < room;
    *s = (struct slot){(uint16_t)entropy, true};
    r->head = (r->head + 1) % room;
}

static uint32_t recycle(struct reps *r, uint32_t at)
{
    r->fresh -= r->slot[at].fresh;
    r->slot[at].fresh = false;
    return r->slot[at].entropy;
}

/* Of the ring, or a random one. */
static uint32_t next(void *state, const struct orr_path_params *p,
                     struct orr_random *draw)
{
    struct reps *r = state;
    uint32_t room = (uint32_t)p->cache, at;

    if (r->explore)
        r->explore--;
    else if (r->frozen_until && r->count) {
        at = r->round % r->count;
        r->round = at + 1;
        return recycle(r, at);
    } else if (!r->frozen_until && r->fresh) {
        return recycle(r, (r->head + room - r->fresh) % room);
    }
    return (uint32_t)orr__random_below(draw, (uint64_t)p->entropies);
}

static void thaw_ring(struct reps *r, uint32_t room)
{
    r->frozen_until = 0;
    r->head = r->count = r->fresh = r->round = 0;
    for (uint32_t i = 0; i < room; i++)
        r->slot[i].fresh = false;
    r->explore = EXPLORED;
}

/* Good ones are kept; a timeout freezes, and time thaws. */
static bool hear(void *state, const struct orr_path_params *p, uint32_t entropy,
                 enum orr_entropy_news news, int64_t now)
{
    struct reps *r = state;
    uint32_t room = (uint32_t)p->cache;

    if (news == ORR_ENTROPY_TIMEOUT && !r->frozen_until && !r->explore)
        r->frozen_until = now + p->freeze_ps;
    if (r->frozen_until && now > r->frozen_until)
        thaw_ring(r, room);
    if (news == ORR_ENTROPY_GOOD)
        keep_newest(r, room, entropy);
    return true;
}

const struct orr_entropy_ops orr__entropy_reps = {
    .bytes = bytes,
    .next = next,
    .hear = hear,
};
