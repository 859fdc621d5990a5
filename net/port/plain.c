/* Plain ports: one queue, first in, first out, of a rate that does not change,
 * from which nothing is cut and which nobody watches. What egress.c comes to
 * for them, with less to look at.
 *
 * The packet in service is the head of the queue until it has left. Only pause
 * frames, which go before it, are in `serving`. */
#include "net/port/plain.h"

#include "core/memory.h"
#include "net/host/host.h"
#include "net/port/egress.h"
#include "net/port/port.h"

static const struct orr_packet *head_of(const struct orr_queue *q)
{
    return orr__fifo_at(q->fifo, q->fifo->head);
}

/* ---- what goes out ---- */

/* The head of the queue goes into service. */
static inline void begin(struct orr_net *n, struct orr_port *port,
                         struct orr_queue *q, int64_t now)
{
    const struct orr_packet *p = head_of(q);
    int64_t time = orr__port_time(n, port, orr__packet_size(p));

    q->waiting--;
    q->waiting_ps -= time;
    q->waiting_bytes -= orr__packet_size(p);
    q->serving_fifo = 0;
    q->busy_until = port->free_at = q->fifo->idle_from = now + time;
    q->busy = true;
    if (p->dst_kind & ORR_PACKET_TELEMETRY || q->stamps)
        orr__egress_stamp(n, port, q, p, now);
}

/* The port is idle, and packets wait, or it has a frame to send. */
static __attribute__((noinline)) void
begin_any(struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
          struct orr_queue *q, int64_t now)
{
    if (q->told != q->wanted) {
        orr__egress_frame(n, lane, port, q, now);
        port->free_at = q->busy_until;
        return;
    }
    if (!q->waiting)
        return;
    if (q->paused & 1) {
        if (q->blocked_from == ORR_NEVER)
            q->blocked_from = now;
        return;
    }
    orr__egress_settle(port, q, now);
    q->blocked_from = ORR_NEVER;
    begin(n, port, q, now);
}

/* What there is to look at beside the queue. */
static inline bool is_held(const struct orr_queue *q)
{
    return q->paused | (q->told ^ q->wanted);
}

void orr__plain_start(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, struct orr_queue *q, int64_t now)
{
    if (q->busy)
        return;
    begin_any(n, lane, port, q, now);
    if (!q->caught_up)
        orr__port_schedule(n, port->id);
}

/* The packet in service leaves now. */
static inline __attribute__((always_inline)) void
depart(struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
       struct orr_queue *q, int64_t now)
{
    const struct orr_packet *p = head_of(q);
    uint32_t size_flags = p->size_flags;
    /* after the link came back, if it was ever away */
    int64_t queued = (int32_t)(orr__ticket_order(p) - q->doomed) < 0 ? -1
                                                                     : now;

    q->fifo->head++;
    q->busy = false;
    if (q->counted && !(size_flags & ORR_PACKET_OWN))
        orr__egress_release(n, lane, port, q, p, now);
    if (q->busy) /* what was freed made it send a frame */
        ;
    else if (__builtin_expect(is_held(q), 0))
        begin_any(n, lane, port, q, now);
    else if (q->waiting)
        begin(n, port, q, now);
    orr__port_launch(n, lane, port, q, p,
                     size_flags & ~(uint32_t)ORR_PACKET_OWN, queued, 0, now);
}

/* The same of a pause frame. */
static __attribute__((noinline)) void
depart_frame(struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
             struct orr_queue *q, int64_t now)
{
    struct orr_packet p = q->serving;

    q->busy = false;
    begin_any(n, lane, port, q, now);
    orr__port_launch(n, lane, port, q, &p, p.size_flags, now, 0, now);
}

void orr__plain_departed(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         int64_t now)
{
    if (__builtin_expect(q->serving_fifo == ORR_FRAME, 0))
        depart_frame(n, lane, port, q, now);
    else
        depart(n, lane, port, q, now);
    if (!q->caught_up)
        orr__port_schedule(n, port->id);
}

/* ---- what comes in ---- */

static bool push(struct orr_net *n, struct orr_queue *q,
                 const struct orr_packet *p, uint32_t size_flags,
                 int64_t ticket)
{
    struct orr_fifo *f = q->fifo;
    struct orr_packet *slot;

    if (__builtin_expect(f->tail - f->head >= f->capacity, 0)
        && !orr__fifo_grow(f)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    slot = orr__fifo_at(f, f->tail++);
    *slot = *p;
    slot->at = ticket;
    slot->size_flags = size_flags;
    return true;
}

/* Whether there is room; if so, it is taken. Hosts hold back their own. */
static inline bool admit(struct orr_net *n, struct orr_lane *lane,
                         const struct orr_port *port, struct orr_queue *q,
                         const struct orr_packet *p, int64_t done, int64_t now)
{
    if (q->counted)
        return orr__egress_admit(n, lane, port, q, 0, p, now);
    return done <= port->drop_ps;
}

static inline __attribute__((always_inline)) bool
take_in(struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
        struct orr_queue *q, const struct orr_packet *p, int64_t now, bool own)
{
    uint32_t size_flags = p->size_flags, bytes = orr__packet_size(p);
    int64_t time = orr__port_time(n, port, bytes);
    int64_t wait = q->waiting_ps + (q->busy ? q->busy_until - now : 0);
    int64_t backlog = wait;
    enum orr_verdict verdict = ORR_VERDICT_PASS;

    if (__builtin_expect(q->busy && q->serving_fifo == ORR_FRAME, 0))
        backlog = q->waiting_ps;
    if (!(size_flags & ORR_PACKET_ACK)) {
        if (backlog > port->mark_ps)
            verdict = ORR_VERDICT_MARK;
        else if (backlog > q->judged_ps)
            verdict = orr__port_judge(n, port, q, q->fifo, p, backlog,
                                      now - q->fifo->idle_from);
    }
    if (!own
        && (verdict == ORR_VERDICT_DROP
            || !admit(n, lane, port, q, p, backlog + time, now))) {
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
    if (!push(n, q, p, size_flags,
              orr__ticket(own ? ORR_NO_LINK : lane->ingress, q->order++)))
        return true;
    if (__builtin_expect(!q->busy && q->waiting, 0)) /* it is blocked */
        orr__egress_settle(port, q, now);
    q->waiting++;
    q->waiting_ps += time;
    q->waiting_bytes += bytes;
    if (q->busy)
        return true;
    if (__builtin_expect(is_held(q), 0))
        begin_any(n, lane, port, q, now);
    else
        begin(n, port, q, now);
    if (!q->caught_up)
        orr__port_schedule(n, port->id);
    return true;
}

bool orr__plain_send(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q,
                     const struct orr_packet *p, int64_t now, bool own)
{
    return take_in(n, lane, port, q, p, now, own);
}

void orr__plain_pass(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q,
                     const struct orr_packet *p, int64_t now)
{
    while (q->busy && q->busy_until <= now) {
        if (__builtin_expect(q->serving_fifo == ORR_FRAME, 0))
            depart_frame(n, lane, port, q, q->busy_until);
        else
            depart(n, lane, port, q, q->busy_until);
    }
    if (p->dst_kind & ORR_PACKET_TELEMETRY)
        __builtin_prefetch(orr__telemetry(n, p->aux), 1);
    take_in(n, lane, port, q, p, now, false);
}
