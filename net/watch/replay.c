#include "net/watch/replay.h"
#include "core/none.h"

#include <stdlib.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/table.h"
#include "net/port/port.h"
#include "net/watch/link_observer.h"

#define MOST_BYTES (UINT64_C(64) << 20) /* of a recording */
#define BLOCK      64 /* gaps whose longest queue is kept as one */

struct seen { /* of one link at one moment */
    uint64_t bytes, packets, queue, marks, drops, pauses;
    int64_t busy_ps, paused_ps;
    double area;
    uint64_t most; /* longest queue since the moment before */
};

/* Owned by the net, made once a period repeats: what the links did at each
 * moment that somebody will look at. Used between windows. */
struct orr_replay {
    struct orr_net_cursor *cursor; /* its own place in the run */
    int64_t *excess;               /* per link, ps: see orr__replay_excess */
    bool recording, playing;
    int64_t begin, period;
    int64_t *offset; /* moments, ascending; the first is 0 */
    uint32_t moments, taken;
    /* Those that were in use when it began, ascending; place: per link. When it
     * has ended, there are late ones among them, which were first used within
     * it: they have no place, and are looked at as they are. */
    uint32_t *link, *place;
    uint32_t links, late;
    struct seen *seen; /* [moment][link]; one more moment: the end */
    uint64_t *block;   /* [block][link]: longest queue */
};

/* A time in what is not simulated: so many periods after the recording, at one
 * of its moments or so much later, ps. */
struct place_in_time {
    uint64_t cycle;
    uint32_t moment;
    int64_t past;
};

/* ---- which moments ------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Moments of a period to be recorded; at most `most`, by memory. */
struct plan {
    struct orr_table known;
    int64_t *offset;
    uint32_t n, most;
    bool failed;
};

/* False: there is no room for more. */
static bool enter_moment(struct plan *p, int64_t offset)
{
    if (orr__table_find(&p->known, (uint64_t)offset) != ORR_NONE)
        return true;
    if (p->n >= p->most)
        return false;
    if (!orr__table_add(&p->known, (uint64_t)offset, p->n))
        p->failed = true;
    else
        p->offset[p->n++] = offset;
    return !p->failed;
}

/* The moments of one observer, while there is room. Returns how many periods
 * they reach. */
static uint64_t plan_one(struct plan *p, struct orr_rhythm rhythm,
                         int64_t begin, int64_t period, uint64_t times)
{
    int64_t from = begin + period, end = from + (int64_t)times * period;

    for (int64_t b = rhythm.next_ps; rhythm.interval_ps && b < end;
         b = orr__time_add(b, rhythm.interval_ps)) {
        if (b >= from && !enter_moment(p, (b - from) % period))
            return (uint64_t)(b - from) / (uint64_t)period;
        rhythm.bins++;
        while (rhythm.most && rhythm.bins % 2 == 0
               && rhythm.bins >= rhythm.most) {
            rhythm.bins /= 2;
            rhythm.interval_ps *= 2;
        }
    }
    return times;
}

/* All offsets at which cursors with a rhythm will look, in order; *times: how
 * often. false: no memory or too many moments. */
static bool plan_moments(struct orr_net *n, struct orr_replay *r,
                         uint64_t *times)
{
    uint64_t room = MOST_BYTES / (r->links * sizeof(struct seen) + 1);
    struct plan p = {.most = room < UINT32_MAX / 2 ? (uint32_t)room : 1u << 30};

    p.most = p.most < (1u << 20) ? p.most : 1u << 20;
    p.most = p.most > 16 ? p.most : 16;
    p.offset = orr__alloc(p.most, sizeof *p.offset);
    p.failed = !p.offset || !enter_moment(&p, 0);
    for (struct orr_net_cursor *c = n->cursors; !p.failed && c; c = c->next)
        *times = plan_one(&p, c->rhythm, r->begin, r->period, *times);
    orr__table_fini(&p.known);
    r->offset = p.offset;
    r->moments = p.n;
    if (!p.failed)
        qsort(r->offset, r->moments, sizeof *r->offset, by_time);
    return !p.failed;
}

/* ---- recording ----------------------------------------------------------- */

static struct seen *replay_record(const struct orr_replay *r, uint32_t moment,
                                  uint32_t place)
{
    return &r->seen[(size_t)moment * r->links + place];
}

/* What all links in use look like at a moment. Longest queues are of the
 * stretch since the moment before. */
static void take_moment(struct orr_net *n, struct orr_replay *r,
                        uint32_t moment, int64_t now)
{
    for (uint32_t i = 0; i < r->links; i++) {
        uint64_t *block = &r->block[(size_t)(moment / BLOCK) * r->links + i];
        struct orr_link_sample s;
        struct seen *x = replay_record(r, moment, i);

        orr__net_link_sample(n, r->link[i], now, &s);
        *x = (struct seen){
            .bytes = s.bytes,
            .packets = s.packets,
            .queue = s.queue,
            .marks = s.marks,
            .drops = s.drops,
            .pauses = s.pauses,
            .busy_ps = s.busy_ps,
            .paused_ps = s.paused_ps,
            .area = s.area,
        };
        if (n->max_queue)
            x->most = orr__net_take_max(n, r->cursor, r->link[i], now);
        if (moment == 0)
            x->most = 0; /* was before */
        *block = x->most > *block ? x->most : *block;
    }
}

/* Control event: a moment that somebody will look at. */
static int64_t on_moment(void *net, int64_t now)
{
    struct orr_net *n = net;
    struct orr_replay *r = n->replay;

    if (!r->recording || now != r->begin + r->offset[r->taken])
        return ORR_NEVER;
    take_moment(n, r, r->taken++, now);
    return r->taken < r->moments ? r->begin + r->offset[r->taken] : ORR_NEVER;
}

static void forget(struct orr_replay *r)
{
    orr__free(r->offset);
    orr__free(r->link);
    orr__free(r->place);
    orr__free(r->seen);
    orr__free(r->block);
    *r = (struct orr_replay){.cursor = r->cursor, .excess = r->excess};
}

/* Links used so far get a place each; others cost no memory. false: no
 * memory. */
static bool choose_links(const struct orr_net *n, struct orr_replay *r)
{
    r->link = orr__alloc(n->graph->links, sizeof *r->link);
    r->place = orr__alloc(n->graph->links, sizeof *r->place);
    if (!r->link || !r->place)
        return false;
    for (uint32_t l = 0; l < n->graph->links; l++) {
        r->place[l] = UINT32_MAX;
        if (!orr__port_packets(n, &n->port[l]) && !n->port[l].drops)
            continue;
        r->place[l] = r->links;
        r->link[r->links++] = l;
    }
    return true;
}

/* An empty one, with a cursor that only it reads. */
static orr_err make_replay(struct orr_net *n, struct orr_report *why)
{
    struct orr_replay *r = orr__alloc(1, sizeof *r);

    if (r)
        r->excess = orr__alloc(n->graph->links, sizeof *r->excess);
    if (!r || !r->excess) { /* samples ask one that there is */
        orr__free(r);
        return orr__no_memory(why);
    }
    n->replay = r;
    return orr__net_cursor_new(n, n->max_queue != NULL, &r->cursor, why);
}

orr_err orr__replay_begin(struct orr_net *n, int64_t period, uint64_t *times,
                          struct orr_report *why)
{
    orr_err err = n->replay ? ORR_OK : make_replay(n, why);
    struct orr_replay *r = n->replay;
    size_t moments;

    if (err != ORR_OK)
        return err;
    forget(r);
    r->begin = orr__net_now(n);
    r->period = period;
    if (!choose_links(n, r) || !plan_moments(n, r, times))
        return orr__no_memory(why);
    moments = (size_t)r->moments + 1;
    r->seen = orr__alloc(moments * r->links, sizeof *r->seen);
    r->block = orr__alloc((moments / BLOCK + 1) * r->links, sizeof *r->block);
    if (!r->seen || !r->block)
        return orr__no_memory(why);
    r->recording = true;
    return orr__net_control(n, r->begin, on_moment, n, why);
}

void orr__replay_end(struct orr_net *n)
{
    struct orr_replay *r = n->replay;

    take_moment(n, r, r->moments, r->begin + r->period);
    r->recording = false;
    for (uint32_t l = 0, i = 0; l < n->graph->links; l++) {
        bool has = orr__replay_has(n, l);

        if (!has && !orr__port_packets(n, &n->port[l]))
            continue;
        r->link[i++] = l;
        r->late += !has;
    }
}

bool orr__replay_has(const struct orr_net *n, uint32_t link)
{
    return n->replay && n->replay->place[link] != UINT32_MAX;
}

bool orr__replay_late(const struct orr_net *n, uint32_t link)
{
    return n->replay && !orr__replay_has(n, link);
}

uint64_t orr__replay_less(const struct orr_net *n, uint32_t link)
{
    const struct orr_replay *r = n->replay;
    const struct seen *a, *b;
    uint64_t accepted, more;

    if (!orr__replay_has(n, link))
        return 0;
    a = replay_record(r, 0, r->place[link]);
    b = replay_record(r, r->moments, r->place[link]);
    accepted = a->bytes + a->queue;
    more = b->bytes - a->bytes;
    return more > 0
           && orr__time_of(n, link, accepted + more)
                      - orr__time_of(n, link, accepted)
                  > b->busy_ps - a->busy_ps;
}

int64_t orr__replay_excess(const struct orr_net *n, uint32_t link)
{
    return n->replay->excess[link];
}

void orr__replay_free(struct orr_net *n)
{
    if (n->replay) {
        forget(n->replay);
        orr__free(n->replay->excess);
    }
    orr__free(n->replay);
    n->replay = NULL;
}

/* ---- playing ------------------------------------------------------------- */

void orr__replay_play(struct orr_net *n)
{
    n->replay->playing = true;
}

/* The last moment at or before t. */
static struct place_in_time find_moment(const struct orr_replay *r, int64_t t)
{
    int64_t offset = (t - r->begin) % r->period;
    uint32_t low = 0, high = r->moments;

    ORR_ASSERT(t >= r->begin && r->moments > 0);
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;

        if (r->offset[mid] <= offset)
            low = mid;
        else
            high = mid;
    }
    return (struct place_in_time){
        .cycle = (uint64_t)((t - r->begin) / r->period),
        .moment = low,
        .past = offset - r->offset[low],
    };
}

/* From a moment to the next one, or the end. */
static int64_t gap_behind(const struct orr_replay *r, uint32_t index)
{
    int64_t next = index + 1 < r->moments ? r->offset[index + 1] : r->period;

    return next - r->offset[index];
}

/* Time in which a link was sending up to a moment `times` periods after x. It
 * is worked out from bytes, as that of a port is, so that it is rounded alike.
 */
static int64_t busy_after(const struct orr_net *n, uint32_t link,
                          const struct seen *x, uint64_t times, uint64_t more)
{
    uint64_t accepted = x->bytes + x->queue;
    int64_t held = orr__time_of(n, link, accepted) - x->busy_ps;

    return orr__time_of(n, link, accepted + times * more) - held;
}

/* The same at the end, but no longer than all these periods: if the link was
 * busy all the time, its bytes may take a part of a ps longer than one. */
static int64_t busy_to_end(const struct orr_net *n, uint32_t link,
                           uint64_t times, uint64_t more)
{
    const struct orr_replay *r = n->replay;
    const struct seen *end = replay_record(r, r->moments, r->place[link]);
    int64_t busy = busy_after(n, link, end, times, more);
    int64_t most = end->busy_ps + (int64_t)times * r->period;

    return busy < most ? busy : most;
}

/* The same at a moment, or the end, but no longer than if the link had been
 * busy ever since the period before ended. What it held at the end of the
 * stretch need not be what it held at its beginning, and other parts of a ps
 * were rounded up in that: a period may begin with some ps more than the one
 * before ended with. They come to it as soon as the link has nothing to send.
 */
static int64_t busy_at(const struct orr_net *n, uint32_t link, uint32_t index,
                       uint64_t times, uint64_t more)
{
    const struct orr_replay *r = n->replay;
    const struct seen *x = replay_record(r, index, r->place[link]);
    int64_t offset = index < r->moments ? r->offset[index] : r->period;
    int64_t busy, most;

    ORR_ASSERT(times > 0);
    busy = busy_after(n, link, x, times, more);
    most = busy_to_end(n, link, times - 1, more) + offset;
    return busy < most ? busy : most;
}

/* Bytes that a link sends each time the stretch is there again. */
static uint64_t more_bytes(const struct orr_net *n, uint32_t link)
{
    const struct orr_replay *r = n->replay;
    const struct seen *a = replay_record(r, 0, r->place[link]);
    const struct seen *b = replay_record(r, r->moments, r->place[link]);

    return b->bytes - a->bytes - orr__replay_less(n, link);
}

/* At a moment, or the end, so many periods later. */
static struct orr_link_sample sample_at(const struct orr_net *n, uint32_t link,
                                        uint32_t index, uint64_t times)
{
    const struct orr_replay *r = n->replay;
    const struct seen *x, *a, *b;
    uint64_t more;

    x = replay_record(r, index, r->place[link]);
    a = replay_record(r, 0, r->place[link]);
    b = replay_record(r, r->moments, r->place[link]);
    more = more_bytes(n, link);
    return (struct orr_link_sample){
        .bytes = x->bytes + times * more,
        .packets = x->packets + times * (b->packets - a->packets),
        .queue = x->queue,
        .marks = x->marks + times * (b->marks - a->marks),
        .drops = x->drops + times * (b->drops - a->drops),
        .pauses = x->pauses + times * (b->pauses - a->pauses),
        .busy_ps = busy_at(n, link, index, times, more),
        .paused_ps =
            x->paused_ps + (int64_t)times * (b->paused_ps - a->paused_ps),
        .area = x->area + (double)times * (b->area - a->area),
    };
}

/* `past` of `gap` of a difference; in whole numbers, so that who is busy all
 * the time is so up to any moment. */
static uint64_t part_of_difference(uint64_t difference, int64_t past,
                                   int64_t gap)
{
    return (uint64_t)((__int128)(int64_t)difference * past / gap);
}

bool orr__replay_sample(const struct orr_net *n, uint32_t link, int64_t t,
                        struct orr_link_sample *s)
{
    const struct orr_replay *r = n->replay;
    struct orr_link_sample then;
    struct place_in_time at;
    int64_t past, gap;

    if (!r || !r->playing || !orr__replay_has(n, link))
        return false;
    at = find_moment(r, t);
    *s = sample_at(n, link, at.moment, at.cycle);
    past = at.past;
    if (past == 0)
        return true;
    /* there was no room for this moment: as if all went on evenly */
    gap = gap_behind(r, at.moment);
    then = sample_at(n, link, at.moment + 1, at.cycle);
    s->bytes += part_of_difference(then.bytes - s->bytes, past, gap);
    s->packets += part_of_difference(then.packets - s->packets, past, gap);
    s->marks += part_of_difference(then.marks - s->marks, past, gap);
    s->drops += part_of_difference(then.drops - s->drops, past, gap);
    s->pauses += part_of_difference(then.pauses - s->pauses, past, gap);
    s->busy_ps += (int64_t)part_of_difference(
        (uint64_t)(then.busy_ps - s->busy_ps), past, gap);
    s->paused_ps += (int64_t)part_of_difference(
        (uint64_t)(then.paused_ps - s->paused_ps), past, gap);
    s->area += (then.area - s->area) * (double)past / (double)gap;
    return true;
}

/* Longest queue of a link in moments from + 1 to to, by blocks where they lie
 * within. */
static uint64_t most_between(const struct orr_replay *r, uint32_t place,
                             uint32_t from, uint32_t to)
{
    uint64_t most = 0;

    for (uint32_t i = from + 1; i <= to;) {
        bool whole = i % BLOCK == 0 && i + BLOCK <= to + 1;
        uint64_t x = whole ? r->block[(size_t)(i / BLOCK) * r->links + place]
                           : replay_record(r, i, place)->most;

        most = x > most ? x : most;
        i += whole ? BLOCK : 1;
    }
    return most;
}

/* Longest queue of a link in what is not simulated, from one moment to a later
 * one. */
static uint64_t most_in(const struct orr_replay *r, uint32_t place,
                        int64_t from, int64_t to)
{
    struct place_in_time first, end;
    uint32_t last;
    uint64_t a, b;

    if (to - from >= r->period)
        return most_between(r, place, 0, r->moments);
    first = find_moment(r, from);
    end = find_moment(r, to);
    last = end.moment + (end.past > 0);
    if (first.cycle == end.cycle)
        return most_between(r, place, first.moment, last);
    a = most_between(r, place, first.moment, r->moments);
    b = most_between(r, place, 0, last);
    return a > b ? a : b;
}

uint64_t orr__replay_most(struct orr_net *n, struct orr_net_cursor *c,
                          uint32_t link, int64_t now)
{
    struct orr_replay *r = n->replay;
    int64_t from = r->begin + r->period, before = c->before_ps;
    uint64_t most = 0, more;

    if (before < from) { /* some of it was simulated */
        uint64_t longest = orr__longest(n, link);

        most = c->most[link] > longest ? c->most[link] : longest;
        before = from;
    }
    more = most_in(r, r->place[link], before, now);
    return more > most ? more : most;
}

uint32_t orr__replay_active(const struct orr_net *n, uint32_t *links)
{
    const struct orr_replay *r = n->replay;

    for (uint32_t i = 0; i < r->links + r->late; i++)
        links[i] = r->link[i];
    return r->links + r->late;
}

bool orr__replay_plays(const struct orr_net *n)
{
    return n->replay && n->replay->playing;
}

/* What links had no time for in so many periods. */
static void note_excess(struct orr_net *n, uint64_t times)
{
    struct orr_replay *r = n->replay;

    for (uint32_t i = 0; i < r->links + r->late; i++) {
        uint32_t link = r->link[i];
        const struct seen *end;
        uint64_t more;

        if (!orr__replay_has(n, link))
            continue;
        end = replay_record(r, r->moments, r->place[link]);
        more = more_bytes(n, link);
        r->excess[link] += busy_after(n, link, end, times, more)
                           - busy_to_end(n, link, times, more);
    }
}

void orr__replay_over(struct orr_net *n, int64_t to)
{
    struct orr_replay *r = n->replay;

    note_excess(n, (uint64_t)((to - r->begin) / r->period - 1));
    /* what observers have not taken yet; `to` is where a period begins, so the
     * end of one is as good */
    for (struct orr_net_cursor *c = n->cursors; c; c = c->next) {
        for (uint32_t i = 0; c != r->cursor && i < r->links + r->late; i++) {
            uint32_t link = r->link[i];

            if (!orr__replay_has(n, link))
                continue;
            c->active[link / 64] |= UINT64_C(1) << link % 64;
            c->before_ps = c->asked_ps;
            if (c->most)
                c->most[link] = orr__replay_most(n, c, link, to);
        }
    }
    r->playing = false;
}
