/* What links did, for those who watch. Between windows. */
#include <assert.h>

#include "core/memory.h"
#include "net/port/cut_through.h"
#include "net/port/passage.h"
#include "net/port/port.h"
#include "net/port/toll.h"
#include "net/watch/link_observer.h"

/* ---- one link ------------------------------------------------------------ */

/* Bytes of a backlog, rounded up: what was sent is never more than it was. */
static uint64_t bytes_up(int64_t backlog, uint64_t rate)
{
    uint64_t bytes = orr__bytes_in(backlog, rate);

    return bytes + (orr__serialisation(bytes, rate) < backlog);
}

/* The same on this link, whose bytes take a whole number of ps as a rule. */
static uint64_t link_bytes_up(const struct orr_net *n, uint32_t link,
                              int64_t backlog)
{
    uint64_t each = n->port[link].ps_per_byte;

    if (backlog == 0)
        return 0;
    if (!each)
        return bytes_up(backlog, n->rate_bps[link]);
    return ((uint64_t)backlog + each - 1) / each;
}

/* Time of so many bytes on a link, rounded down. */
int64_t orr__time_of(const struct orr_net *n, uint32_t link, uint64_t bytes)
{
    uint64_t each = n->port[link].ps_per_byte;
    unsigned __int128 t;

    if (each)
        t = (unsigned __int128)bytes * each;
    else
        t = (unsigned __int128)bytes * 8000000000000u / n->rate_bps[link];
    return t > (unsigned __int128)ORR_NEVER ? ORR_NEVER : (int64_t)t;
}

/* What a port holds: bytes, how long it sends them, and their part of the
 * queue's area, which was entered in advance. */
struct held {
    uint64_t bytes;
    int64_t time;
    double area;
};

/* What a computed port without gaps holds, packet by packet: the times of many,
 * each rounded up, may add up to a byte more. What it sends in vain is not on
 * its ring; nor is what there was no memory for, which ends the run. */
static uint64_t bytes_exactly(const struct orr_net *n, uint32_t link, int64_t t)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];
    uint64_t rate = n->rate_bps[link], bytes = 0;
    uint32_t i = port->tail, lost = q ? q->losses.tail : 0;
    int64_t end = port->free_at;

    while (end > t) {
        uint64_t size, rest;
        int64_t time;

        if (q && lost != q->losses.head
            && orr__span_at(&q->losses, lost - 1)->until == end) {
            lost--;
            time = end - orr__span_at(&q->losses, lost)->from;
            size = orr__bytes_in(time, rate);
        } else {
            if (i == orr__port_exchanged_head(port))
                break;
            i--;
            size = orr__packet_size(&port->ring[i & port->mask]);
            time = orr__serialisation(size, rate);
        }
        rest = end - t < time ? bytes_up(end - t, rate) : size;
        bytes += rest < size ? rest : size;
        end -= time;
    }
    return bytes;
}

/* Whether packets' times may be no whole numbers, and all of them are known. */
static bool is_rounded(const struct orr_net *n, uint32_t link)
{
    const struct orr_queue *q = n->queue[link];

    return !n->port[link].ps_per_byte
           && n->config->transport != ORR_TRANSPORT_ANALYTICAL
           && (!q || q->gaps.head == q->gaps.tail);
}

/* For how long a port has something to send. */
static int64_t time_computed(const struct orr_net *n, uint32_t link, int64_t t)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];
    int64_t time = port->free_at > t ? port->free_at - t : 0;

    return q ? time - orr__cut_idle(q, t) : time;
}

/* What is left of the packet in service. */
static int64_t left_of_one(const struct orr_queue *q, int64_t t)
{
    return q->busy && q->busy_until > t ? q->busy_until - t : 0;
}

/* It may have been begun at another rate than that of the others. */
static uint64_t rate_of_one(const struct orr_net *n, uint32_t link)
{
    const struct orr_queue *q = n->queue[link];

    return q->begun_bps ? q->begun_bps : n->rate_bps[link];
}

static int64_t time_explicit(const struct orr_queue *q, int64_t t)
{
    return q->waiting_ps + left_of_one(q, t);
}

/* What a computed port counts at t though it has not left yet: time in ps,
 * bytes, and the queue's integral over time that is still to come. */
static struct held held_computed(const struct orr_net *n, uint32_t link,
                                 int64_t t)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];
    uint64_t rate = n->rate_bps[link];
    int64_t time = time_computed(n, link, t);
    struct held h;

    h.time = time;
    if (time == 0)
        return (struct held){0};
    h.bytes = is_rounded(n, link) ? bytes_exactly(n, link, t)
                                  : link_bytes_up(n, link, time);
    /* each packet's time is rounded up, so that of many may be some bytes */
    if (h.bytes > port->bytes)
        h.bytes = port->bytes;
    h.area = (double)time * (double)rate / 8e12 * (double)time / 2;
    if (q)
        h.area += orr__cut_idle_area(q, t, time) * (double)rate / 8e12;
    return h;
}

/* Bytes of the area are those of the time that they
 * take, as for computed ports: near a run's beginning little is left of what
 * was entered in advance, and a rounded picosecond would show. */
static struct held held_explicit(const struct orr_net *n, uint32_t link,
                                 int64_t t)
{
    const struct orr_queue *q = n->queue[link];
    uint64_t rate = rate_of_one(n, link);
    int64_t left = left_of_one(q, t);
    double serving = (double)left * (double)rate / 8e12;
    double waiting = (double)q->waiting_ps * (double)n->rate_bps[link] / 8e12;
    uint64_t bytes = bytes_up(left, rate);

    if (q->busy) {
        uint32_t whole = orr__packet_size(orr__serving(&n->port[link], q));

        bytes = bytes < whole ? bytes : whole;
    }
    return (struct held){
        .bytes = q->waiting_bytes + bytes,
        .time = time_explicit(q, t),
        .area = serving * (double)left / 2
                + waiting * ((double)left + (double)q->waiting_ps / 2),
    };
}

static void add_pauses(const struct orr_queue *q, int64_t t,
                       struct orr_link_sample *s)
{
    s->pauses = q->pauses;
    s->paused_ps = q->paused_ps;
    if (q->paused && t > q->paused_from)
        s->paused_ps += t - q->paused_from;
    if (q->blocked_from < t) /* stands still */
        s->area += (double)q->waiting_bytes * (double)(t - q->blocked_from);
}

uint64_t orr__longest(const struct orr_net *n, uint32_t link)
{
    const struct orr_port *port = &n->port[link];

    if (port->ps_per_byte)
        return (uint64_t)port->max_ps / port->ps_per_byte;
    return orr__bytes_in(port->max_ps, n->rate_bps[link]);
}

/* Of all accepted, less what is still held, and what there was no time for. */
static int64_t busy_time(const struct orr_net *n, uint32_t link, int64_t held)
{
    const struct orr_queue *q = n->queue[link];
    int64_t busy = orr__time_of(n, link, n->port[link].bytes) - held;

    if (__builtin_expect(n->replay != NULL, 0))
        busy -= orr__replay_excess(n, link);
    if (q)
        busy += q->shift_ps;
    return busy > 0 ? busy : 0;
}

/* ps for which the link has sent until t, whichever kind of port it is. */
static __attribute__((noinline)) int64_t link_busy(const struct orr_net *n,
                                                   uint32_t link, int64_t t)
{
    const struct orr_queue *q = n->queue[link];
    struct orr_link_sample s;

    if (n->passages)
        return orr__time_of(n, link,
                            orr__passages_by(n->passages, link, t).bytes);
    if (__builtin_expect(n->replay != NULL, 0)
        && orr__replay_sample(n, link, t, &s))
        return s.busy_ps;
    return busy_time(n, link,
                     q && q->explicit ? time_explicit(q, t)
                                      : time_computed(n, link, t));
}

void orr__net_links_busy(const struct orr_net *n, const uint32_t *links,
                         uint32_t count, int64_t t, int64_t *busy)
{
    const uint64_t most = n->replay || n->passages ? 0 : UINT64_C(1) << 31;

    for (uint32_t i = 0; i < count; i++) {
        const struct orr_port *port = &n->port[links[i]];
        uint64_t bytes = port->bytes, each = port->ps_per_byte;
        int64_t left = port->free_at > t ? port->free_at - t : 0;

        /* most links: no queue, a whole time for a byte (0, where it is none,
         * wraps), and both below 2^31, a power of two, so that the product
         * fits; nothing is below 0, in a replay */
        if (__builtin_expect(((each - 1) | bytes) < most, 1)
            && !n->queue[links[i]])
            busy[i] = (int64_t)(bytes * each) > left
                          ? (int64_t)(bytes * each) - left
                          : 0;
        else
            busy[i] = link_busy(n, links[i], t);
    }
}

/* How long a port without a queue of its own has something to send. */
static inline int64_t left_plain(const struct orr_port *port, int64_t t)
{
    return port->free_at > t ? port->free_at - t : 0;
}

/* The sample of most links: no queue, a whole time for a byte, and figures of
 * 64 bits. False: it is none of these. What comes of it is what sample_any
 * makes, in the same order of operations. */
static bool sample_plain(const struct orr_net *n, uint32_t link, int64_t t,
                         struct orr_link_sample *s)
{
    const struct orr_port *port = &n->port[link];
    uint64_t each = port->ps_per_byte, held = 0, busy;
    int64_t left = left_plain(port, t);
    double area = 0;

    if (!each || n->queue[link] || n->area_over[link]
        || __builtin_mul_overflow(port->bytes, each, &busy) || busy > INT64_MAX)
        return false;
    if (left) {
        held = ((uint64_t)left + each - 1) / each;
        held = held < port->bytes ? held : port->bytes;
        area =
            (double)left * (double)n->rate_bps[link] / 8e12 * (double)left / 2;
    }
    area = (double)port->area / 2 - area;
    *s = (struct orr_link_sample){
        .bytes = port->bytes - held,
        .packets = orr__port_packets(n, port),
        .busy_ps = (int64_t)busy > left ? (int64_t)busy - left : 0,
        .area = area < 0 ? 0 : area,
        .max_queue = (uint64_t)port->max_ps / each,
        .queue = held,
        .marks = port->marks,
        .drops = port->drops,
    };
    return true;
}

/* All of a link's figures at t, of computed and explicit ports; those of
 * replayed periods are elsewhere. */
static __attribute__((noinline)) void sample_any(const struct orr_net *n,
                                                 uint32_t link, int64_t t,
                                                 struct orr_link_sample *s)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];
    struct held h = q && q->explicit ? held_explicit(n, link, t)
                                     : held_computed(n, link, t);

    *s = (struct orr_link_sample){
        .bytes = port->bytes - h.bytes,
        .packets = orr__port_packets(n, port),
        .busy_ps = busy_time(n, link, h.time),
        .area = (double)orr__port_area_of(n, port) / 2 - h.area,
        .max_queue = orr__longest(n, link),
        .queue = h.bytes,
        .marks = port->marks,
        .drops = port->drops,
    };
    if (q) {
        if (!n->ended)
            s->drops -= orr__spans_open(&q->losses, t);
        add_pauses(q, t, s);
    }
    if (s->area < 0)
        s->area = 0;
}

uint64_t orr__net_outage_drops(const struct orr_net *n, uint32_t link,
                               uint32_t outage, int64_t t)
{
    const struct orr_queue *q = n->queue[link];

    ORR_ASSERT(q && outage < q->outages);
    return q->toll[outage].packets
           - (n->ended ? 0 : orr__spans_open(&q->toll[outage].ahead, t));
}

/* Messages were counted when they set out. */
static void what_passed(const struct orr_net *n, uint32_t link, int64_t t,
                        struct orr_link_sample *s)
{
    struct orr_passed x = orr__passages_by(n->passages, link, t);

    s->bytes = x.bytes;
    s->packets -= x.coming;
    s->busy_ps = orr__time_of(n, link, x.bytes);
}

void orr__net_link_sample(const struct orr_net *n, uint32_t link, int64_t t,
                          struct orr_link_sample *s)
{
    if (__builtin_expect(n->replay != NULL, 0)
        && orr__replay_sample(n, link, t, s))
        return;
    if (!sample_plain(n, link, t, s))
        sample_any(n, link, t, s);
    if (n->passages)
        what_passed(n, link, t, s);
    if (n->max_queue && n->max_queue[link] > s->max_queue)
        s->max_queue = n->max_queue[link];
}

/* ---- observers ----------------------------------------------------------- */

orr_err orr__net_cursor_new(struct orr_net *n, bool maxima,
                            struct orr_net_cursor **out, struct orr_report *why)
{
    struct orr_net_cursor *c = orr__alloc(1, sizeof *c);
    uint32_t links = n->graph->links;

    if (!c)
        return orr__no_memory(why);
    c->next = n->cursors;
    n->cursors = c;
    c->active = orr__alloc(links / 64 + 1, sizeof *c->active);
    if (maxima)
        c->most = orr__alloc(links, sizeof *c->most);
    if (maxima && !n->max_queue)
        n->max_queue = orr__alloc(links, sizeof *n->max_queue);
    if (!c->active || (maxima && (!c->most || !n->max_queue)))
        return orr__no_memory(why);
    for (uint32_t l = 0; !c->next && l < links; l++) /* noted for nobody */
        if (orr__port_packets(n, &n->port[l]) || n->port[l].drops)
            c->active[l / 64] |= UINT64_C(1) << l % 64;
    *out = c;
    return ORR_OK;
}

void orr__net_cursor_rhythm(struct orr_net_cursor *c, struct orr_rhythm r)
{
    c->rhythm = r;
}

void orr__net_cursors_free(struct orr_net *n)
{
    while (n->cursors) {
        struct orr_net_cursor *c = n->cursors;

        n->cursors = c->next;
        orr__free(c->active);
        orr__free(c->most);
        orr__free(c);
    }
    orr__free(n->max_queue);
    n->max_queue = NULL;
}

/* Bytes that wait, and of the packet in service those that are still to leave,
 * rounded down: what an observer begins its next maximum with must not be more
 * than the last one knew. Times will not do: they are of two rates, or were
 * rounded up anew at another one. */
static uint64_t held_down(const struct orr_net *n, uint32_t link, int64_t t)
{
    const struct orr_queue *q = n->queue[link];

    return q->waiting_bytes
           + orr__bytes_in(left_of_one(q, t), rate_of_one(n, link));
}

/* For all observers. */
static inline void note_longest(struct orr_net *n, uint32_t link, uint64_t most)
{
    if (most > n->max_queue[link])
        n->max_queue[link] = most;
    for (struct orr_net_cursor *o = n->cursors; o; o = o->next)
        if (o->most && most > o->most[link])
            o->most[link] = most;
}

/* Longest queue since the cursor looked last, bytes, and starts the next
 * stretch with what waits now. */
static __attribute__((noinline)) uint64_t take_any(struct orr_net *n,
                                                   struct orr_net_cursor *c,
                                                   uint32_t link, int64_t now)
{
    struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];
    uint64_t most;

    if (orr__replay_plays(n) && orr__replay_has(n, link))
        return orr__replay_most(n, c, link, now);
    note_longest(n, link, orr__longest(n, link));
    most = c->most[link];
    if (q && q->explicit && n->retuning)
        port->max_ps =
            orr__serialisation(held_down(n, link, now), n->rate_bps[link]);
    else if (q && q->explicit)
        port->max_ps = time_explicit(q, now);
    else
        port->max_ps = time_computed(n, link, now);
    orr__port_set_unchecked(port);
    c->most[link] = orr__longest(n, link);
    return most;
}

uint64_t orr__net_take_max(struct orr_net *n, struct orr_net_cursor *c,
                           uint32_t link, int64_t now)
{
    struct orr_port *port = &n->port[link];
    uint64_t each = port->ps_per_byte, most;

    assert(c->most);
    if (!each || n->queue[link] || n->replay)
        return take_any(n, c, link, now);
    note_longest(n, link, (uint64_t)port->max_ps / each);
    most = c->most[link];
    port->max_ps = left_plain(port, now);
    orr__port_set_unchecked(port);
    c->most[link] = port->max_ps ? (uint64_t)port->max_ps / each : 0;
    return most;
}

/* Slow ports accept packets long before they are taken over. */
static void add_slow(struct orr_net *n)
{
    for (uint32_t l = 0; n->any_queue && l < n->graph->links; l++)
        if (n->port[l].uses_queue
            && (orr__port_packets(n, &n->port[l]) || n->port[l].drops))
            n->lane[0].active[l / 64] |= UINT64_C(1) << l % 64;
}

/* What the lanes noted, for all observers. */
static inline void collect(struct orr_net *n, uint32_t i)
{
    uint64_t word = 0;

    for (unsigned w = 0; w < n->workers; w++)
        word |= n->lane[w].active[i];
    if (word == 0) /* as most of them are */
        return;
    for (unsigned w = 0; w < n->workers; w++)
        n->lane[w].active[i] = 0;
    for (struct orr_net_cursor *o = n->cursors; o; o = o->next)
        o->active[i] |= word;
}

uint32_t orr__net_active_links(struct orr_net *n, struct orr_net_cursor *c,
                               int64_t now, uint32_t *links)
{
    uint32_t count = 0;

    c->before_ps = c->asked_ps;
    c->asked_ps = now;
    if (orr__replay_plays(n))
        return orr__replay_active(n, links);
    add_slow(n);
    for (uint32_t i = 0; i <= n->graph->links / 64; i++) {
        uint64_t word, busy = 0;

        collect(n, i);
        if (c->active[i] == 0)
            continue;
        for (word = c->active[i]; word; word &= word - 1) {
            uint32_t link = 64 * i + (uint32_t)__builtin_ctzll(word);

            links[count++] = link;
            if (n->port[link].free_at > now /* drains on without packets */
                || (n->passages
                    && orr__passages_by(n->passages, link, now).busy))
                busy |= word & -word;
        }
        c->active[i] = busy;
    }
    return count;
}
