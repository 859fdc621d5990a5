#include "record/by_job.h"
#include "core/none.h"

#include <stdatomic.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/watch/packet_observer.h"
#include "record/owners.h"

#define FIRST_ROOM 8 /* of the ring; a power of two */
#define ROUNDED    8 /* bytes that a link's figures may be ahead */

/* What the packets of a part have sent on the link, and what of it stands in
 * cells; bytes or ps. */
struct had {
    uint64_t sum;   /* of its packets that have left */
    uint64_t given; /* of what it had, the sum of its cells */
};

/* What one owner has of a link. */
struct part {
    uint32_t owner, number; /* ORR_NONE: it has no cell yet */
    struct had bytes, busy; /* busy: ps */
    uint64_t marks, drops;  /* since its last cell */
};

/* A packet that may not have left. Where rates change, it may leave at another
 * time than was told; but not after the next one begins. */
struct sending {
    int64_t begin, time;
    uint32_t bytes, part;
};

struct loss { /* that will have happened at that time */
    int64_t at;
    uint32_t part;
};

/* A link: belongs to the worker of its sending end, and to whoever comes
 * between windows. */
struct carried {
    _Alignas(64) struct part *part;
    uint32_t parts, part_room;
    uint32_t last;           /* that was looked up */
    struct sending *sending; /* a ring, in order of time */
    uint32_t room, head, tail;
    struct loss *loss; /* in any order */
    uint32_t losses, loss_room;
};

/* All links, split by owner. */
struct orr_split {
    const struct orr_world *world;
    struct orr_net *net;
    uint32_t links;
    struct carried *link;
    struct orr_split_part *part; /* by number */
    uint32_t parts, room;
    atomic_bool lost; /* something was not counted: no memory, the run fails */
};

/* The rest of the window is still simulated. */
static void out_of_memory(struct orr_split *s)
{
    atomic_store_explicit(&s->lost, true, memory_order_relaxed);
    orr__net_fail(s->net, ORR_ENOMEM);
}

static uint32_t carried_for(const struct orr_split *s,
                            const struct orr_packet *p)
{
    return orr__owners_owner(s->world->watch.owners, p);
}

/* ---- what a link carries ------------------------------------------------- */

/* ORR_NONE: no memory, the run is failing. */
static uint32_t part_of(struct orr_split *s, struct carried *l, uint32_t owner)
{
    if (l->last < l->parts && l->part[l->last].owner == owner)
        return l->last;
    for (l->last = 0; l->last < l->parts; l->last++)
        if (l->part[l->last].owner == owner)
            return l->last;
    if (!orr__array_more(l->part, l->part_room, l->parts)) {
        out_of_memory(s);
        return ORR_NONE;
    }
    l->part[l->parts] = (struct part){.owner = owner, .number = ORR_NONE};
    return l->parts++;
}

static struct sending *sending_at(const struct carried *l, uint32_t i)
{
    return &l->sending[i & (l->room - 1)];
}

/* The first has left. */
static void end_sending(struct carried *l)
{
    const struct sending *x = sending_at(l, l->head++);
    ORR_ASSERT(x->part < l->parts);
    l->part[x->part].bytes.sum += x->bytes;
    l->part[x->part].busy.sum += (uint64_t)x->time;
}

/* Twice the room for packets that are being sent. False: no memory. */
static bool grow_ring(struct carried *l)
{
    uint32_t room = l->room ? 2 * l->room : FIRST_ROOM;
    struct sending *ring = orr__alloc(room, sizeof *ring);
    if (!ring)
        return false;
    for (uint32_t i = l->head; i != l->tail; i++)
        ring[i & (room - 1)] = *sending_at(l, i);
    orr__free(l->sending);
    l->sending = ring;
    l->room = room;
    return true;
}

/* A packet of this owner begins to be sent. */
static void begin_packet(struct orr_split *s, const struct orr_observed_hop *h,
                         uint32_t owner)
{
    struct carried *l = &s->link[h->link];
    uint32_t part = part_of(s, l, owner);
    if (part == ORR_NONE)
        return;
    while (l->head != l->tail
           && sending_at(l, l->head)->begin + sending_at(l, l->head)->time
                  <= h->now)
        end_sending(l);
    if (l->tail - l->head == l->room && !grow_ring(l)) {
        out_of_memory(s);
        return;
    }
    *sending_at(l, l->tail++) = (struct sending){
        .begin = h->begin,
        .time = h->time,
        .bytes = orr__packet_size(h->packet),
        .part = part,
    };
}

static void on_begin(void *split, const struct orr_observed_hop *h)
{
    struct orr_split *s = split;
    begin_packet(s, h, carried_for(s, h->packet));
}

static void on_frame(void *split, const struct orr_observed_hop *h)
{
    struct orr_split *s = split;
    begin_packet(s, h, ORR_OWNER_OTHERS(s->world->n_jobs));
}

static void on_mark(void *split, const struct orr_observed_hop *h)
{
    struct orr_split *s = split;
    struct carried *l = &s->link[h->link];
    uint32_t part = part_of(s, l, carried_for(s, h->packet));
    if (part != ORR_NONE)
        l->part[part].marks++;
}

/* Noted with its time: drops after a bin's end belong to a later one. */
static void on_drop(void *split, const struct orr_observed_hop *h)
{
    struct orr_split *s = split;
    struct carried *l = &s->link[h->link];
    uint32_t part = part_of(s, l, carried_for(s, h->packet));
    if (part == ORR_NONE)
        return;
    if (!orr__array_more(l->loss, l->loss_room, l->losses)) {
        out_of_memory(s);
        return;
    }
    l->loss[l->losses++] = (struct loss){h->now, part};
}

static const struct orr_packet_observer_ops observer = {
    .begins = on_begin,
    .frame = on_frame,
    .dropped = on_drop,
    .marked = on_mark,
};

/* ---- life ---------------------------------------------------------------- */

orr_err orr__split_start(struct orr_world *w, struct orr_split **out,
                         struct orr_report *why)
{
    struct orr_split *s = orr__alloc(1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    s->world = w;
    s->net = w->net;
    s->links = w->graph->links;
    s->link = orr__alloc_lines(s->links, sizeof *s->link);
    orr_err err = s->link ? orr__net_observe_packets(w->net, &observer, s, why)
                          : orr__no_memory(why);
    if (err) {
        orr__split_free(s);
        return err;
    }
    for (uint32_t l = 0; l < s->links; l++)
        orr__observed_link(w->net, l, true);
    *out = s;
    return ORR_OK;
}

void orr__split_free(struct orr_split *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->link && i < s->links; i++) {
        orr__free(s->link[i].part);
        orr__free(s->link[i].sending);
        orr__free(s->link[i].loss);
    }
    orr__free(s->link);
    orr__free(s->part);
    orr__free(s);
}

/* ---- cells --------------------------------------------------------------- */

uint32_t orr__split_owners(const struct orr_split *s)
{
    return s->world->n_jobs + 2;
}

uint32_t orr__split_parts(const struct orr_split *s)
{
    return s->parts;
}

struct orr_split_part orr__split_part(const struct orr_split *s, uint32_t part)
{
    return s->part[part];
}

/* All but the last packet that began before `now` have left; of that one it is
 * not known. Its part, or that of the last one that left; ORR_NONE: none. */
static uint32_t settle_sent(struct carried *l, int64_t now)
{
    while (l->tail - l->head > 1 && sending_at(l, l->head + 1)->begin < now)
        end_sending(l);
    if (l->head != l->tail && sending_at(l, l->head)->begin < now)
        return sending_at(l, l->head)->part;
    return l->head > 0 ? sending_at(l, l->head - 1)->part : ORR_NONE;
}

/* What a part has had since its cells before, of what is left of its link's:
 * where that was rounded up before, less. */
static uint64_t give_to_part(struct had *h, uint64_t *left)
{
    uint64_t x = h->sum > h->given ? h->sum - h->given : 0;
    x = x < *left ? x : *left;
    h->given += x;
    *left -= x;
    return x;
}

/* What is left of a link's bytes when all other parts have theirs, at most: all
 * of the packet in service, and what its part had before. */
static uint64_t most_left(const struct carried *l, uint32_t rest)
{
    uint64_t most = l->head != l->tail ? sending_at(l, l->head)->bytes : 0;
    if (rest == ORR_NONE)
        return most;
    const struct had *h = &l->part[rest].bytes;
    return h->sum > h->given ? most + h->sum - h->given : most;
}

/* What a link did in a bin, shared out among its parts; `rest` has what is
 * left. */
static void share_bin(struct carried *l, uint32_t rest,
                      const struct orr_cell *whole, struct orr_cell *cell)
{
    uint64_t bytes = whole->bytes, busy = (uint64_t)whole->busy_ps;
    ORR_ASSERT(whole->busy_ps >= 0);
    for (uint32_t i = 0; i < l->parts; i++) {
        struct part *p = &l->part[i];
        cell[i] = (struct orr_cell){.marks = p->marks, .drops = p->drops};
        p->marks = p->drops = 0;
        if (i == rest)
            continue;
        cell[i].bytes = give_to_part(&p->bytes, &bytes);
        cell[i].busy_ps = (int64_t)give_to_part(&p->busy, &busy);
    }
    ORR_ASSERT(bytes <= most_left(l, rest) + ROUNDED);
    if (rest == ORR_NONE)
        return;
    cell[rest].bytes = bytes;
    cell[rest].busy_ps = (int64_t)busy;
    l->part[rest].bytes.given += bytes;
    l->part[rest].busy.given += busy;
}

/* Losses that have happened are counted. */
static void count_losses(struct carried *l, int64_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->losses; i++)
        if (l->loss[i].at <= now)
            l->part[l->loss[i].part].drops++;
        else
            l->loss[kept++] = l->loss[i];
    l->losses = kept;
}

static bool is_empty(const struct orr_cell *c)
{
    return !c->bytes && !c->busy_ps && !c->marks && !c->drops;
}

/* Of the parts that have their first cell now, the one of the lowest owner:
 * who came first depends on whether ports are computed. */
static uint32_t next_new(const struct carried *l, const struct orr_cell *cell)
{
    uint32_t next = ORR_NONE;
    for (uint32_t i = 0; i < l->parts; i++)
        if (l->part[i].number == ORR_NONE && !is_empty(&cell[i])
            && (next == ORR_NONE || l->part[i].owner < l->part[next].owner))
            next = i;
    return next;
}

/* Parts that have their first cell now get the next numbers. ENOMEM. */
static orr_err number_parts(struct orr_split *s, uint32_t link,
                            struct carried *l, const struct orr_cell *cell)
{
    uint32_t i;
    while ((i = next_new(l, cell)) != ORR_NONE) {
        if (!orr__array_more(s->part, s->room, s->parts))
            return ORR_ENOMEM;
        s->part[s->parts] = (struct orr_split_part){link, l->part[i].owner};
        l->part[i].number = s->parts++;
    }
    return ORR_OK;
}

orr_err orr__split_take(struct orr_split *s, const struct orr_cell *whole,
                        int64_t now, struct orr_cell *out, uint32_t *n)
{
    struct carried *l = &s->link[whole->link];
    struct orr_cell *cell = out + *n;
    if (atomic_load_explicit(&s->lost, memory_order_relaxed))
        return ORR_ENOMEM;
    count_losses(l, orr__net_ended(s->net) ? ORR_NEVER : now);
    share_bin(l, settle_sent(l, now), whole, cell);
    orr_err err = number_parts(s, whole->link, l, cell);
    for (uint32_t i = 0; i < l->parts && err == ORR_OK; i++) {
        struct orr_cell c = cell[i];
        c.link = l->part[i].number;
        if (!is_empty(&c))
            out[(*n)++] = c;
    }
    return err;
}
