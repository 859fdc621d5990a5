/* Explicit ports of a single queue: first in, first out, of a rate that does
 * not change, from which nothing is cut and which nobody watches. What egress.c
 * comes to for them, with less to look at.
 *
 * Packets wait where they will be on the link: in the port's ring, beyond its
 * tail, the one in service first. To leave is to get a time of arrival, and the
 * tail moves over it. Pause frames go before all that wait, and lost packets
 * never get onto the link: so there may be a gap between the two, as long as
 * packets wait. */
#include "net/port/single_queue.h"
#include "core/none.h"

#include "core/assert.h"
#include "core/memory.h"
#include "net/host/host.h"
#include "net/port/egress.h"
#include "net/port/pfc.h"
#include "net/port/port.h"

/* What the way of most packets is made of. What sort of port it is, is known
 * where it is compiled. What switches send on is unhindered most of the time,
 * and goes by single_queue.h. */
#define PART static inline __attribute__((always_inline))
enum sort {
    ANY,
    CALM, /* counted and caught up with: its node's memory is not alert, so
           * that it is only counted what is there */
    BARE, /* the port's flag */
};

/* A pause frame is in service, if the port is busy. */
PART bool is_frame(const struct orr_queue *q, enum sort sort)
{
    return sort != BARE && __builtin_expect(q->serving_fifo == ORR_FRAME, 0);
}

/* The end of what is in the ring, beyond its tail too. */
PART uint32_t end_of(const struct orr_port *port, const struct orr_queue *q,
                     enum sort sort)
{
    return port->tail + (sort == BARE ? 0 : q->gap) + q->waiting
           + (q->busy && !is_frame(q, sort));
}

/* The packet in service, or the first that waits. */
PART struct orr_packet *first_of(const struct orr_port *port,
                                 const struct orr_queue *q, enum sort sort)
{
    return orr__port_slot(port, port->tail + (sort == BARE ? 0 : q->gap));
}

/* ---- what goes out ---- */

/* In-band telemetry of most packets; else as egress.c has it. unseen: of the
 * bytes that wait, those that came later. */
PART void stamp_telemetry(const struct orr_net *n, const struct orr_port *port,
                          struct orr_queue *q, const struct orr_packet *p,
                          int64_t now, uint64_t unseen)
{
    struct orr_cc_telemetry *t;

    if (n->config->pint) {
        orr__egress_stamp(n, port, q, p, now);
        return;
    }
    if (p->size_flags & (ORR_PACKET_OWN | ORR_PACKET_ACK))
        return;
    t = orr__telemetry(n, p->aux);
    if (t->hops < n->telemetry_room)
        orr__egress_stamp_hop(n, port, q, p, now, unseen, t);
}

PART void stamp_packet(const struct orr_net *n, const struct orr_port *port,
                       struct orr_queue *q, const struct orr_packet *p,
                       int64_t now)
{
    stamp_telemetry(n, port, q, p, now, 0);
}

/* The first packet is sent from now on; what waits is what is behind it. */
PART void serve_packet(struct orr_net *n, struct orr_port *port,
                       struct orr_queue *q, int64_t time, int64_t now,
                       enum sort sort)
{
    const struct orr_packet *p = first_of(port, q, sort);

    if (sort != BARE)
        q->serving_fifo = 0;
    q->busy_until = port->free_at = now + time;
    q->busy = true;
    if (p->dst_kind & ORR_PACKET_TELEMETRY || (sort != BARE && q->stamps))
        stamp_packet(n, port, q, p, now);
}

/* The first that waits goes into service. */
PART void begin_service(struct orr_net *n, struct orr_port *port,
                        struct orr_queue *q, int64_t now, enum sort sort)
{
    const struct orr_packet *p = first_of(port, q, sort);
    int64_t time = orr__port_time(n, port, orr__packet_size(p));

    q->waiting--;
    q->waiting_ps -= time;
    q->waiting_bytes -= orr__packet_size(p);
    serve_packet(n, port, q, time, now, sort);
}

/* Since when no packet was in service; frames are none. */
static int64_t idle_from(const struct orr_queue *q)
{
    return q->serving_fifo == ORR_FRAME ? q->fifo->idle_from : q->busy_until;
}

/* The port is idle, and packets wait, or it has a frame to send. */
static __attribute__((noinline)) void begin_any(struct orr_net *n,
                                                struct orr_lane *lane,
                                                struct orr_port *port,
                                                struct orr_queue *q,
                                                int64_t now)
{
    if (q->announced != q->wanted) {
        q->fifo->idle_from = idle_from(q);
        orr__egress_frame(n, lane, port, q, now);
        port->free_at = q->busy_until;
        return;
    }
    if (!q->waiting)
        return;
    if (q->paused & 1 && !q->passes) {
        if (q->blocked_from == ORR_NEVER)
            q->blocked_from = now;
        return;
    }
    orr__egress_settle(n, port, q, now);
    q->blocked_from = ORR_NEVER;
    begin_service(n, port, q, now, ANY);
}

/* What there is to look at beside the queue. */
static inline bool is_held(const struct orr_queue *q)
{
    return q->paused | (q->announced ^ q->wanted);
}

void orr__single_queue_start(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, struct orr_queue *q,
                             int64_t now)
{
    if (q->busy)
        return;
    begin_any(n, lane, port, q, now);
    if (!q->caught_up)
        orr__port_schedule(n, port->id);
}

PART void end_service(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, struct orr_queue *q, int64_t now,
                      enum sort sort)
{
    if (sort != BARE && __builtin_expect(is_held(q), 0))
        begin_any(n, lane, port, q, now);
    else if (q->waiting)
        begin_service(n, port, q, now, sort);
}

/* The packet at the tail goes on the link. */
PART void launch(struct orr_net *n, struct orr_lane *lane,
                 struct orr_port *port, struct orr_packet *p, int64_t now)
{
    p->size_flags &= ~(uint32_t)ORR_PACKET_OWN;
    p->at = now + port->delay_ps;
    port->tail++;
    if (!port->dirty)
        orr__port_changed(n, lane, port);
}

/* Makes the gap this wide; there is room. */
static void set_gap(struct orr_port *port, struct orr_queue *q, uint32_t gap)
{
    uint32_t to = port->tail + gap, from = port->tail + q->gap;

    for (uint32_t i = 0; i < q->waiting; i++) {
        uint32_t k = gap > q->gap ? q->waiting - 1 - i : i;

        *orr__port_slot(port, to + k) = *orr__port_slot(port, from + k);
    }
    q->gap = gap;
}

/* Where there is a gap, or may be one after this packet. The port is idle. */
static __attribute__((noinline)) void launch_or_lose(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    struct orr_queue *q, struct orr_packet *p, int64_t now)
{
    struct orr_packet *slot = orr__port_slot(port, port->tail);
    /* after the link came back, if it was ever away */
    int64_t queued = (int32_t)(orr__ticket_order(p) - q->doomed) < 0 ? -1 : now;

    if (q->lossy && orr__port_loses(n, lane, port, q, p, queued, now)) {
        q->gap++;
        if (q->gap > q->waiting)
            set_gap(port, q, 0);
        return;
    }
    if (q->gap)
        *slot = *p;
    launch(n, lane, port, slot, now);
    if (!q->waiting)
        q->gap = 0;
}

/* The packet in service leaves now. */
PART void depart(struct orr_single_queue at, int64_t now, enum sort sort)
{
    struct orr_net *n = at.net;
    struct orr_lane *lane = at.lane;
    struct orr_port *port = at.port;
    struct orr_queue *q = at.queue;
    struct orr_packet *p = first_of(port, q, sort), left;
    bool counted =
        sort == ANY && q->counted && !(p->size_flags & ORR_PACKET_OWN);

    if (counted)
        left = *p;
    if (sort == CALM)
        orr__calm_leaves(n, at.memory, q->fifo, p);
    q->busy = false;
    if (sort != BARE && __builtin_expect(q->lossy || q->gap, 0))
        launch_or_lose(n, lane, port, q, p, now);
    else
        launch(n, lane, port, p, now);
    if (counted)
        orr__egress_release(n, lane, port, q, &left, now);
    if (sort != ANY || !q->busy) /* or what was freed made it go on */
        end_service(n, lane, port, q, now, sort);
}

#define SOME_FRAMES 16 /* packets that wait are moved once for so many */

/* The same of a pause frame: what waits makes room. */
static __attribute__((noinline)) void depart_frame(struct orr_net *n,
                                                   struct orr_lane *lane,
                                                   struct orr_port *port,
                                                   struct orr_queue *q,
                                                   int64_t now)
{
    uint32_t end = port->tail + q->gap + q->waiting;

    q->busy = false;
    if (!q->gap) {
        while (orr__port_full(port, end + SOME_FRAMES - 1))
            if (!orr__port_grow(n, port, end))
                return;
        set_gap(port, q, SOME_FRAMES);
    }
    *orr__port_slot(port, port->tail) = q->serving;
    launch(n, lane, port, orr__port_slot(port, port->tail), now);
    q->gap = q->waiting ? q->gap - 1 : 0;
    end_service(n, lane, port, q, now, ANY);
}

void orr__single_queue_departed(struct orr_net *n, struct orr_lane *lane,
                                struct orr_port *port, struct orr_queue *q,
                                int64_t now)
{
    struct orr_single_queue at = {n, lane, port, q, NULL};

    if (q->bare)
        depart(at, now, BARE);
    else if (is_frame(q, ANY))
        depart_frame(n, lane, port, q, now);
    else
        depart(at, now, ANY);
}

/* ---- what comes in ---- */

/* Whether there is room; if so, it is taken. Hosts hold back their own. */
PART bool admit_packet(struct orr_single_queue at, const struct orr_packet *p,
                       int64_t done, int64_t now, enum sort sort)
{
    struct orr_queue *q = at.queue;

    if (sort == CALM) {
        orr__calm_enters(at.net, at.memory, q->fifo, at.lane->ingress, p);
        return true;
    }
    if (sort == ANY && q->counted)
        return orr__egress_admit(at.net, at.lane, at.port, q, 0, p, now);
    return done <= at.port->drop_ps;
}

/* The packet that was pushed waits. */
PART void let_wait(struct orr_single_queue at, uint32_t bytes, int64_t time,
                   int64_t now, enum sort sort)
{
    struct orr_net *n = at.net;
    struct orr_port *port = at.port;
    struct orr_queue *q = at.queue;

    if (!q->busy && !q->waiting && (sort == BARE || !is_held(q))) {
        serve_packet(n, port, q, time, now, sort);
        return;
    }
    if (sort != BARE && !q->busy && q->waiting) /* it is blocked */
        orr__egress_settle(n, port, q, now);
    q->waiting++;
    q->waiting_ps += time;
    q->waiting_bytes += bytes;
    if (!q->busy)
        end_service(n, at.lane, port, q, now, sort);
}

/* A packet that was let in. False: out of memory. */
PART bool push_packet(struct orr_single_queue at, const struct orr_packet *p,
                      uint32_t size_flags, int64_t ticket, enum sort sort)
{
    struct orr_net *n = at.net;
    struct orr_port *port = at.port;
    uint32_t end = end_of(port, at.queue, sort);
    struct orr_packet *slot;

    if (__builtin_expect(orr__port_full(port, end), 0)
        && !orr__port_grow(n, port, end))
        return false;
    slot = orr__port_slot(port, end);
    *slot = *p;
    slot->at = ticket;
    slot->size_flags = size_flags;
    return true;
}

/* A packet comes to a port that was brought up to `now`. Pause frames ahead of
 * it delay it, and are no backlog. False: it was dropped. */
PART bool take_in(struct orr_single_queue at, const struct orr_packet *p,
                  int64_t now, bool own, enum sort sort)
{
    struct orr_net *n = at.net;
    struct orr_lane *lane = at.lane;
    struct orr_port *port = at.port;
    struct orr_queue *q = at.queue;
    uint32_t size_flags = p->size_flags, bytes = orr__packet_size(p);
    int64_t time = orr__port_time(n, port, bytes);
    int64_t wait = q->waiting_ps + (q->busy ? q->busy_until - now : 0);
    int64_t backlog = wait;
    enum orr_verdict verdict = ORR_VERDICT_PASS;

    if (q->busy && is_frame(q, sort))
        backlog = q->waiting_ps;
    if (!(size_flags & ORR_PACKET_ACK)) {
        if (backlog > port->mark_ps)
            verdict = ORR_VERDICT_MARK;
        else if (backlog > q->judged_ps)
            verdict = orr__port_judge(n, port, q, q->fifo, p, backlog,
                                      now - idle_from(q));
    }
    if (!own
        && (verdict == ORR_VERDICT_DROP
            || !admit_packet(at, p, backlog + time, now, sort))) {
        orr__egress_drop(n, lane, port, p, now);
        return false;
    }
    if (verdict == ORR_VERDICT_MARK) {
        size_flags |= ORR_PACKET_CE;
        port->marks++;
        lane->marks++;
    }
    size_flags |= own ? ORR_PACKET_OWN : 0;
    orr__port_account(n, port, bytes, wait, wait);
    if (!push_packet(at, p, size_flags,
                     orr__ticket(own ? ORR_NONE : lane->ingress, q->order++),
                     sort))
        return true;
    let_wait(at, bytes, time, now, sort);
    return true;
}

bool orr__single_queue_send(struct orr_net *n, struct orr_lane *lane,
                            struct orr_port *port, struct orr_queue *q,
                            const struct orr_packet *p, int64_t now, bool own)
{
    struct orr_single_queue at = {n, lane, port, q, NULL};
    bool idle = !q->busy;
    bool taken = q->bare ? take_in(at, p, now, own, BARE)
                         : take_in(at, p, now, own, ANY);

    if (idle && !q->caught_up)
        orr__port_schedule(n, port->id);
    return taken;
}

/* ---- many at a time: single_queue.h ---- */

void orr__single_queue_begun(const struct orr_net *n,
                             const struct orr_port *port, struct orr_queue *q,
                             const struct orr_packet *p, int64_t now)
{
    ORR_ASSERT(!q->bare);
    if (p->dst_kind & ORR_PACKET_TELEMETRY)
        stamp_packet(n, port, q, p, now);
}

/* What has come to a port, by the time at which a packet goes into service. */
struct seen {
    uint32_t next, end; /* packets in the ring: not seen yet */
    uint64_t unseen;    /* bytes of those */
};

static struct seen arrivals_so_far(const struct orr_port *port,
                                   const struct orr_queue *q)
{
    struct seen s = {.next = q->seen, .end = port->tail + 1 + q->waiting};

    for (uint32_t i = s.next; i != s.end; i++)
        s.unseen += orr__packet_size(orr__port_slot(port, i));
    return s;
}

PART void see_port(struct seen *s, const struct orr_port *port, int64_t before)
{
    while (s->next != s->end && orr__port_slot(port, s->next)->at < before)
        s->unseen -= orr__packet_size(orr__port_slot(port, s->next++));
}

/* looks: packets have telemetry, and waiting ones the time at which they came.
 * What waits is as in *q, except for what was not seen yet. */
PART void drain_port(struct orr_single_queue at_port, int64_t now, bool bare,
                     bool observed)
{
    struct orr_net *n = at_port.net;
    struct orr_port *port = at_port.port;
    struct orr_queue *q = at_port.queue;
    struct orr_packet *p = orr__port_slot(port, port->tail);
    struct seen seen = {0};
    int64_t at = q->busy_until, time;

    if (!q->busy || at > now)
        return;
    if (observed)
        seen = arrivals_so_far(port, q);
    for (;;) {
        if (!bare)
            orr__calm_leaves(n, at_port.memory, q->fifo, p);
        ORR_ASSERT(!(p->size_flags & ORR_PACKET_OWN));
        p->at = at + port->delay_ps;
        p = orr__port_slot(port, ++port->tail);
        if (!q->waiting) {
            q->busy = false;
            break;
        }
        if (observed)
            see_port(&seen, port, at);
        time = orr__port_time(n, port, orr__packet_size(p));
        q->waiting--;
        q->waiting_ps -= time;
        q->waiting_bytes -= orr__packet_size(p);
        if (p->dst_kind & ORR_PACKET_TELEMETRY)
            stamp_telemetry(n, port, q, p, at, seen.unseen);
        at += time;
        if (at > now)
            break;
    }
    if (observed)
        q->seen = port->tail + q->busy + q->waiting;
    q->busy_until = port->free_at = at;
    if (!port->dirty)
        orr__port_changed(n, at_port.lane, port);
}

void orr__single_queue_drain(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, struct orr_queue *q,
                             struct orr_memory *m, int64_t now)
{
    struct orr_single_queue at = {n, lane, port, q, m};

    ORR_ASSERT(q->caught_up && (q->bare || orr__is_unhindered(q)));
    if (!q->bare)
        drain_port(at, now, false, false);
    else if (n->telemetry_room)
        drain_port(at, now, true, true);
    else
        drain_port(at, now, true, false);
}

/* ---- one at a time ---- */

PART void pass_packet(struct orr_single_queue at, const struct orr_packet *p,
                      enum sort sort)
{
    struct orr_queue *q = at.queue;

    while (q->busy && q->busy_until <= p->at) {
        if (is_frame(q, sort))
            depart_frame(at.net, at.lane, at.port, q, q->busy_until);
        else
            depart(at, q->busy_until, sort);
    }
    take_in(at, p, p->at, false, sort);
}

void orr__single_queue_pass(struct orr_net *n, struct orr_lane *lane,
                            struct orr_port *port, struct orr_queue *q,
                            struct orr_memory *m, const struct orr_packet *p)
{
    struct orr_single_queue at = {n, lane, port, q, m};

    ORR_ASSERT(q->caught_up && !q->bare);
    if (q->counted)
        pass_packet(at, p, CALM);
    else
        pass_packet(at, p, ANY);
}
