#include "net/schedule/shares.h"
#include "core/none.h"

#include "core/assert.h"
#include "core/heap.h"
#include "core/memory.h"
#include "core/snapshot.h"

#define FIRST_ROOM 4
#define PRICE_BITS 24 /* of a byte at a weight of 1 */
#define TAG_BITS   8

uint64_t orr__share_price(double weight)
{
    return (uint64_t)((double)(UINT64_C(1) << PRICE_BITS) / weight + 0.5);
}

/* ---- the heap of those that wait ---- */

static bool sooner(const struct orr_share *a, const struct orr_share *b)
{
    return a->tag != b->tag ? a->tag < b->tag
                            : (int32_t)(a->order - b->order) < 0;
}

static inline uint32_t heap_count(const struct orr_shares *s)
{
    return s->waiting;
}

static inline uint32_t heap_at(const struct orr_shares *s, uint32_t place)
{
    ORR_ASSERT(place < s->room && s->heap[place] < s->room);
    return s->heap[place];
}

static inline void heap_settle(struct orr_shares *s, uint32_t share,
                               uint32_t place)
{
    s->heap[place] = share;
    s->share[share].place = place;
}

static inline bool heap_sooner(const struct orr_shares *s, uint32_t a,
                               uint32_t b)
{
    return sooner(&s->share[a], &s->share[b]);
}

ORR_HEAP(heap, struct orr_shares *, uint32_t, 2)

/* ---- who there is ---- */

uint32_t orr__shares_add(struct orr_shares *s, uint64_t key, uint64_t price,
                         uint8_t class)
{
    uint32_t i = 0;

    if (s->used == s->room)
        return ORR_NONE;
    while (s->share[i].used)
        i++;
    if (!orr__table_add(&s->by_key, key, i))
        return ORR_NONE;
    s->share[i] = (struct orr_share){.key = key,
                                     .price = price,
                                     .place = ORR_NONE,
                                     .class = class,
                                     .used = true};
    s->used++;
    return i;
}

uint32_t orr__shares_more(const struct orr_shares *s)
{
    return s->room ? 2 * s->room : FIRST_ROOM;
}

bool orr__shares_grow(struct orr_shares *s)
{
    uint32_t room = orr__shares_more(s);
    uint32_t *heap = orr__resize(s->heap, room, sizeof *heap);
    struct orr_share *share;

    if (!heap)
        return false;
    s->heap = heap;
    share = orr__resize(s->share, room, sizeof *share);
    if (!share)
        return false;
    for (uint32_t i = s->room; i < room; i++)
        share[i] = (struct orr_share){.place = ORR_NONE};
    s->share = share;
    s->room = room;
    return true;
}

uint32_t orr__shares_forget(struct orr_shares *s, uint32_t keep)
{
    struct orr_table left = {NULL, 0, 0};

    for (uint32_t i = 0; i < s->room; i++) {
        const struct orr_share *h = &s->share[i];

        if (h->used && (i == keep || h->place != ORR_NONE || h->tag > s->clock)
            && !orr__table_add(&left, h->key, i)) {
            orr__table_fini(&left);
            return ORR_NONE;
        }
    }
    for (uint32_t i = 0; i < s->room; i++)
        s->share[i].used =
            s->share[i].used
            && orr__table_find(&left, s->share[i].key) != ORR_NONE;
    orr__table_fini(&s->by_key);
    s->by_key = left;
    s->used = left.used;
    return s->used;
}

void orr__shares_fini(struct orr_shares *s)
{
    orr__table_fini(&s->by_key);
    orr__free(s->share);
    orr__free(s->heap);
    *s = (struct orr_shares){NULL};
}

/* ---- whose turn it is ---- */

void orr__shares_wake(struct orr_shares *s, uint32_t i)
{
    struct orr_share *h = &s->share[i];

    h->tag = h->tag > s->clock ? h->tag : s->clock;
    h->order = s->order++;
    heap_rise(s, i, s->waiting++);
}

void orr__shares_sleep(struct orr_shares *s, uint32_t i)
{
    uint32_t place = s->share[i].place, last = s->heap[--s->waiting];

    s->share[i].place = ORR_NONE;
    if (last == i)
        return;
    heap_settle(s, last, place);
    heap_rise(s, last, place);
    heap_sink(s, last, s->share[last].place);
}

uint32_t orr__shares_first(const struct orr_shares *s, uint32_t classes)
{
    uint32_t best = ORR_NONE;

    if (!s->waiting)
        return ORR_NONE;
    if (classes >> s->share[s->heap[0]].class & 1)
        return s->heap[0];
    for (uint32_t k = 1; k < s->waiting; k++) {
        uint32_t i = s->heap[k];

        if (classes >> s->share[i].class & 1
            && (best == ORR_NONE || sooner(&s->share[i], &s->share[best])))
            best = i;
    }
    return best;
}

void orr__shares_charge(struct orr_shares *s, uint32_t i, uint32_t bytes)
{
    struct orr_share *h = &s->share[i];

    /* not back: where some are paused, others go first that were not */
    s->clock = h->tag > s->clock ? h->tag : s->clock;
    h->tag += bytes * h->price >> (PRICE_BITS - TAG_BITS);
    h->order = s->order++;
    if (h->place != ORR_NONE)
        heap_sink(s, i, h->place);
}

void orr__shares_resume(struct orr_shares *s, uint32_t class)
{
    for (uint32_t i = 0; i < s->room; i++) {
        struct orr_share *h = &s->share[i];

        if (h->used && h->class == class && h->tag < s->clock) {
            h->tag = s->clock;
            if (h->place != ORR_NONE)
                heap_sink(s, i, h->place);
        }
    }
}

/* ---- what decides the future --------------------------------------------- */

/* Tags count from the clock: those that it has passed are as good as it. */
bool orr__share_snapshot(const struct orr_shares *s, uint32_t i,
                         struct orr_snapshot *w)
{
    const struct orr_share *h = &s->share[i];
    bool waits = h->place != ORR_NONE;

    if (!h->used || (!waits && h->tag <= s->clock))
        return false;
    orr__snapshot_value(w, h->key);
    orr__snapshot_value(w, h->tag > s->clock ? h->tag - s->clock : 0);
    orr__snapshot_value(w, waits ? s->order - h->order : 0);
    return true;
}
