#include "net/port/composite.h"
#include "core/none.h"

#include "core/assert.h"
#include "core/ring.h"
#include "net/fabric/queue.h"
#include "net/port/port.h"

#define PART static inline __attribute__((always_inline))

enum { DATA, FIRST }; /* its queues */

PART bool is_empty(const struct orr_fifo *f)
{
    return f->head == f->tail;
}

static __attribute__((cold, noinline)) bool grow_fifo(struct orr_fifo *f)
{
    return orr__ring_grow(f->ring, f->capacity, f->head, f->tail, 8);
}

/* ---- what goes out ---- */

/* Seldom: the queue is long, or its judge minds every packet. */
static __attribute__((noinline)) void judge_queue(struct orr_net *n,
                                                  struct orr_lane *lane,
                                                  struct orr_port *port,
                                                  struct orr_queue *q)
{
    struct orr_fifo *f = &q->fifo[DATA];

    if (orr__port_judge(n, port, q, f, &q->serving, f->waiting_ps, 0)
        != ORR_VERDICT_MARK)
        return;
    q->serving.size_flags |= ORR_PACKET_CE;
    port->marks++;
    lane->marks++;
}

/* The packet that was put into `serving` is sent from now on. */
PART void serve_packet(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port, struct orr_queue *q,
                       uint32_t fifo, int64_t time, int64_t now)
{
    struct orr_fifo *f = &q->fifo[fifo];

    ORR_ASSERT(!q->begun_bps && q->blocked_from == ORR_NEVER);
    q->serving_fifo = fifo;
    f->idle_from = q->busy_until = port->free_at = now + time;
    q->busy = true;
    if (!(q->serving.size_flags & (ORR_PACKET_ACK | ORR_PACKET_TRIMMED))
        && (f->waiting_ps > q->limits.kmin_ps || !q->limits.from_kmin))
        judge_queue(n, lane, port, q);
    if (q->serving.dst_kind & ORR_PACKET_TELEMETRY)
        orr__egress_stamp(n, port, q, &q->serving, now);
}

/* The queue whose head goes next; one has a head. What goes first waits for
 * others only when as much of it as may has gone in a row. */
PART uint32_t choose(const struct orr_net *n, struct orr_queue *q)
{
    bool first = !is_empty(&q->fifo[FIRST]);
    bool data = !is_empty(&q->fifo[DATA]);

    if (first && data && orr__egress_go_ahead(n, q))
        return FIRST;
    q->ahead = 0;
    return data ? DATA : FIRST;
}

/* The head of a queue goes into service. */
PART void begin_service(struct orr_net *n, struct orr_lane *lane,
                        struct orr_port *port, struct orr_queue *q, int64_t now)
{
    uint32_t fifo = choose(n, q), bytes;
    struct orr_fifo *f = &q->fifo[fifo];
    int64_t time;

    ORR_ASSERT(!is_empty(f) && q->waiting > 0);
    q->serving = *orr__fifo_at(f, f->head++);
    bytes = orr__packet_size(&q->serving);
    time = orr__port_time(n, port, bytes);
    f->waiting_ps -= time;
    q->waiting--;
    q->waiting_ps -= time;
    q->waiting_bytes -= bytes;
    serve_packet(n, lane, port, q, fifo, time, now);
}

PART void depart(struct orr_net *n, struct orr_lane *lane,
                 struct orr_port *port, struct orr_queue *q, int64_t now)
{
    ORR_ASSERT(q->busy && q->busy_until <= now);
    q->busy = false;
    orr__port_push(n, lane, port, &q->serving,
                   q->serving.size_flags & ~(uint32_t)ORR_PACKET_OWN,
                   now + port->delay_ps);
    if (q->waiting)
        begin_service(n, lane, port, q, now);
}

void orr__composite_departed(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, struct orr_queue *q,
                             int64_t now)
{
    depart(n, lane, port, q, now);
}

PART void drain_port(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q, int64_t now)
{
    while (q->busy && q->busy_until <= now)
        depart(n, lane, port, q, q->busy_until);
}

void orr__composite_drain(struct orr_net *n, struct orr_lane *lane,
                          struct orr_port *port, struct orr_queue *q,
                          int64_t now)
{
    ORR_ASSERT(q->caught_up);
    drain_port(n, lane, port, q, now);
}

/* ---- what comes in ---- */

/* How long what is left of a queue takes from now on. */
PART int64_t backlog_of(const struct orr_queue *q, uint32_t fifo, int64_t left)
{
    return q->fifo[fifo].waiting_ps + (q->serving_fifo == fifo ? left : 0);
}

/* There is no room for it. Its size_flags when it was cut, with room among what
 * goes first; 0: it is dropped. left: of the packet in service. */
static __attribute__((noinline)) uint32_t cut_packet(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    struct orr_queue *q, const struct orr_packet *data, int64_t left)
{
    struct orr_packet p = *data;

    if (!orr__egress_cut(n, port, q, &p)
        || backlog_of(q, FIRST, left)
                   + orr__port_time(n, port, orr__packet_size(&p))
               > q->limits.first_ps)
        return 0;
    lane->trimmed++;
    return p.size_flags;
}

/* A packet that was let in goes to the end of a queue, or into service. */
PART void push_packet(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, struct orr_queue *q, uint32_t fifo,
                      const struct orr_packet *p, uint32_t size_flags,
                      int64_t time, int64_t ticket, int64_t now)
{
    struct orr_fifo *f = &q->fifo[fifo];
    struct orr_packet *slot = &q->serving;
    bool waits = q->busy;

    if (waits) {
        if (f->tail - f->head >= f->capacity && !grow_fifo(f)) {
            orr__fabric_out_of_memory(n);
            return;
        }
        slot = orr__fifo_at(f, f->tail++);
    }
    *slot = *p;
    slot->at = ticket;
    slot->size_flags = size_flags;
    if (waits) {
        f->waiting_ps += time;
        q->waiting++;
        q->waiting_ps += time;
        q->waiting_bytes += size_flags >> ORR_PACKET_FLAG_BITS;
        return;
    }
    q->ahead = 0;
    serve_packet(n, lane, port, q, fifo, time, now);
}

/* A packet comes to a port that was brought up to `now`. False: it was
 * dropped. */
PART bool take_in(struct orr_net *n, struct orr_lane *lane,
                  struct orr_port *port, struct orr_queue *q,
                  const struct orr_packet *p, uint32_t link, int64_t now,
                  bool own)
{
    uint32_t size_flags = p->size_flags, fifo = DATA;
    int64_t time = orr__port_time(n, port, orr__packet_size(p));
    int64_t left = q->busy ? q->busy_until - now : 0, wait;

    ORR_ASSERT(left >= 0 && (q->busy || !q->waiting));
    if (q->limits.trim_bytes
        && size_flags & (ORR_PACKET_ACK | ORR_PACKET_TRIMMED))
        fifo = FIRST;
    if (!own
        && backlog_of(q, fifo, left) + time
               > (fifo == FIRST ? q->limits.first_ps : port->drop_ps)) {
        size_flags = cut_packet(n, lane, port, q, p, left);
        if (!size_flags) {
            orr__egress_drop(n, lane, port, p, now);
            return false;
        }
        fifo = FIRST;
        time = orr__port_time(n, port, size_flags >> ORR_PACKET_FLAG_BITS);
    }
    wait = q->waiting_ps + left;
    orr__port_account(n, port, size_flags >> ORR_PACKET_FLAG_BITS, wait, wait);
    push_packet(n, lane, port, q, fifo, p,
                size_flags | (own ? ORR_PACKET_OWN : 0), time,
                orr__ticket(link, q->order++), now);
    return true;
}

bool orr__composite_send(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         const struct orr_packet *p, int64_t now, bool own)
{
    bool idle = !q->busy;
    bool taken =
        take_in(n, lane, port, q, p, own ? ORR_NONE : lane->ingress, now, own);

    if (idle && !q->caught_up)
        orr__port_schedule(n, port->id);
    return taken;
}

void orr__composite_pass(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         uint32_t link, const struct orr_packet *p)
{
    ORR_ASSERT(q->caught_up);
    drain_port(n, lane, port, q, p->at);
    take_in(n, lane, port, q, p, link, p->at, false);
}
