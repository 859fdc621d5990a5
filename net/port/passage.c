#include "net/port/passage.h"

#include <stdatomic.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/heap.h"
#include "core/memory.h"

/* Bytes in a ps have so many bits behind the point. */
#define FRACTION 48

typedef unsigned __int128 wide; /* sums go round: what they come to fits */

/* Before it begins `other` is its end, then its beginning. */
struct passage {
    int64_t at, other; /* of its next change, ps */
    uint64_t bytes;
};

/* One link's messages with `transport: analytical`, as a sum of lines in t;
 * `taken` guards it, since senders of all workers enter theirs. */
struct link {
    atomic_flag taken; /* by a worker */
    uint32_t coming;
    wide sum, slope;      /* bytes at t: sum + slope * t, with FRACTION */
    struct passage *next; /* a heap by `at` */
    uint32_t count, room;
};

/* One of each link of the graph; owned by the net. */
struct orr_passages {
    struct link *link;
};

static uint32_t soonest_count(struct link *l)
{
    return l->count;
}

static struct passage soonest_at(struct link *l, uint32_t place)
{
    return l->next[place];
}

static void soonest_settle(struct link *l, struct passage x, uint32_t place)
{
    l->next[place] = x;
}

static bool soonest_sooner(struct link *l, struct passage a, struct passage b)
{
    return a.at < b.at;
}

ORR_HEAP(soonest, struct link *, struct passage, 4)

struct orr_passages *orr__passages_new(uint32_t links)
{
    struct orr_passages *p = orr__alloc(1, sizeof *p);

    if (p)
        p->link = orr__alloc(links, sizeof *p->link);
    if (p && !p->link) {
        orr__free(p);
        return NULL;
    }
    for (uint32_t l = 0; p && l < links; l++)
        atomic_flag_clear(&p->link[l].taken);
    return p;
}

void orr__passages_free(struct orr_passages *p, uint32_t links)
{
    for (uint32_t l = 0; p && l < links; l++)
        orr__free(p->link[l].next);
    if (p)
        orr__free(p->link);
    orr__free(p);
}

/* Rounded up, where that is less than half a byte in the end: what has gone is
 * then told to the byte, rounded down. */
static wide slope_of(int64_t from, int64_t until, uint64_t bytes)
{
    wide time = (uint64_t)(until - from), all = (wide)bytes << FRACTION;

    return time >> (FRACTION - 1) ? all / time : (all + time - 1) / time;
}

static void begin_passage(struct link *l, struct passage *x)
{
    wide slope = slope_of(x->at, x->other, x->bytes);
    int64_t from = x->at;

    l->slope += slope;
    l->sum -= slope * (wide)from;
    l->coming--;
    x->at = x->other;
    x->other = from;
}

static void end_passage(struct link *l, const struct passage *x)
{
    wide slope = slope_of(x->other, x->at, x->bytes);

    l->slope -= slope;
    l->sum += slope * (wide)x->other + ((wide)x->bytes << FRACTION);
}

/* All changes up to t, that one included. */
static void pass_changes(struct link *l, int64_t t)
{
    while (l->count && l->next[0].at <= t) {
        struct passage x = l->next[0];

        if (x.other > x.at) {
            begin_passage(l, &x);
        } else {
            end_passage(l, &x);
            x = l->next[--l->count];
        }
        if (l->count)
            soonest_sink(l, x, 0);
    }
}

static void take_link(struct link *l)
{
    while (atomic_flag_test_and_set_explicit(&l->taken, memory_order_acquire))
        ;
}

static void give_link(struct link *l)
{
    atomic_flag_clear_explicit(&l->taken, memory_order_release);
}

bool orr__passages_add(struct orr_passages *p, uint32_t link, int64_t now,
                       int64_t from, int64_t until, uint64_t bytes)
{
    struct link *l = &p->link[link];
    /* what takes no time goes over it in the last ps before */
    struct passage x = {until > from ? from : until - 1, until, bytes};
    bool ok;

    ORR_ASSERT(now <= from && from <= until && until > 0);
    take_link(l);
    pass_changes(l, now);
    ok = orr__array_more(l->next, l->room, l->count);
    if (ok) {
        l->coming++;
        if (x.at <= now)
            begin_passage(l, &x);
        soonest_rise(l, x, l->count++);
    }
    give_link(l);
    return ok;
}

struct orr_passed orr__passages_by(struct orr_passages *p, uint32_t link,
                                   int64_t t)
{
    struct link *l = &p->link[link];
    struct orr_passed r;

    take_link(l);
    pass_changes(l, t);
    r = (struct orr_passed){
        .bytes = (uint64_t)((l->sum + l->slope * (wide)t) >> FRACTION),
        .coming = l->coming,
        .busy = l->count > 0,
    };
    give_link(l);
    return r;
}
