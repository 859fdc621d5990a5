/* Slots of a switch: who has how many. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "net/tree/tree.h"

static void count_slots(struct orr_aggregator *a, int64_t now, int more)
{
    a->area += (double)a->used * (double)(now - a->since);
    a->since = now;
    a->used += (uint32_t)more;
    a->most = a->used > a->most ? a->used : a->most;
}

static struct orr_pool_share *share_of(const struct orr_aggregator *a,
                                       uint64_t job)
{
    for (uint32_t i = 0; i < a->shares; i++)
        if (a->share[i].job == job)
            return &a->share[i];
    return NULL;
}

static uint32_t hash_of(const struct orr_tree *t, uint32_t seq, uint32_t slots)
{
    const uint64_t name[] = {t->group->identity,
                             (uint64_t)t->number << 32 | seq};

    return (uint32_t)(XXH3_64bits(name, sizeof name) % slots);
}

static bool take_hashed(struct orr_aggregator *a, const struct orr_tree *t,
                        uint32_t seq, uint32_t *slot)
{
    struct orr_held *h;

    *slot = hash_of(t, seq, (uint32_t)a->in->slots);
    h = &a->held[*slot];
    if (h->tree)
        return false;
    *h = (struct orr_held){t, seq};
    return true;
}

/* A job's part is of slots with two versions: of one that is whole the result
 * is kept while the next packet is added up. */
static bool take_own(struct orr_aggregator *a, uint64_t job)
{
    struct orr_pool_share *s = share_of(a, job);

    ORR_ASSERT(s);
    if (s->slots != ORR_NONE && s->used >= 2 * (uint64_t)s->slots)
        return false;
    s->used++;
    return true;
}

bool orr__slot_take(struct orr_aggregator *a, const struct orr_tree *t,
                    uint32_t seq, int64_t now, uint32_t *slot, bool *collided)
{
    bool got = true;

    *collided = false;
    if (a->in->ops->pool == ORR_POOL_SHARES)
        got = take_own(a, t->group->share);
    else if (a->in->ops->pool == ORR_POOL_HASHED && a->held)
        *collided = !(got = take_hashed(a, t, seq, slot));
    else if (a->in->slots != ORR_AUTO)
        got = a->used < a->in->slots;
    if (got)
        count_slots(a, now, 1);
    return got;
}

void orr__slot_give(struct orr_aggregator *a, const struct orr_tree *t,
                    uint32_t slot, int64_t now)
{
    count_slots(a, now, -1);
    if (a->in->ops->pool == ORR_POOL_SHARES)
        share_of(a, t->group->share)->used--;
    if (a->held)
        a->held[slot].tree = NULL;
}

bool orr__pool_enter(struct orr_aggregator *a, uint64_t job)
{
    if (share_of(a, job))
        return true;
    if (!orr__array_one_more(a->share, a->shares))
        return false;
    a->share[a->shares++] = (struct orr_pool_share){.job = job};
    for (uint32_t i = 0; i < a->shares; i++)
        a->share[i].slots = a->in->slots == ORR_AUTO
                                ? ORR_NONE
                                : (uint32_t)a->in->slots / a->shares;
    return true;
}

uint32_t orr__pool_share(const struct orr_aggregator *a, uint64_t job)
{
    const struct orr_pool_share *s = share_of(a, job);

    return s ? s->slots : ORR_NONE;
}
