/* A port whose departures are events: a queue for each class, or one for all,
 * and before them one for what always goes first (cut packets and ACKs, with
 * `queue: trim`). A packet in service is finished whatever happens.
 *
 * The time integral of the queue (port->area) is entered in advance, when a
 * packet is accepted, as computed ports do it: how bytes drain depends on their
 * number, not on their order. Where the port stands still though packets wait,
 * or sends pause frames between them, that is added as it happens. */
#include "net/port/egress.h"
#include "core/none.h"

#include "core/assert.h"
#include "core/ring.h"
#include "net/fabric/queue.h"
#include "net/host/host.h"
#include "net/port/buffer.h"
#include "net/port/composite.h"
#include "net/port/pfc.h"
#include "net/port/port.h"
#include "net/port/room.h"
#include "net/port/share.h"
#include "net/port/single_queue.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIRST_CAPACITY 8

/* ---- queues ---- */

static __attribute__((cold, noinline)) bool fifo_grow(struct orr_fifo *f)
{
    return orr__ring_grow(f->ring, f->capacity, f->head, f->tail,
                          FIRST_CAPACITY);
}

/* Which queue a packet waits in. UINT32_MAX: there is no memory for one. */
static uint32_t fifo_of(struct orr_net *n, struct orr_queue *q,
                        const struct orr_packet *p)
{
    if (q->limits.trim_bytes
        && p->size_flags & (ORR_PACKET_ACK | ORR_PACKET_TRIMMED))
        return q->fifos;
    if (q->shares)
        return orr__port_share(n, q, p);
    ORR_ASSERT(q->fifos == 1 || (p->dst_kind & ORR_PACKET_CLASS) < q->fifos);
    return q->fifos == 1 ? 0 : p->dst_kind & ORR_PACKET_CLASS;
}

/* What is left of the packet in service, as time at the rate in force: queues'
 * limits are bytes, and are compared as such times. */
static int64_t left_of(const struct orr_net *n, const struct orr_port *port,
                       const struct orr_queue *q, int64_t now)
{
    int64_t left = q->busy ? q->busy_until - now : 0;

    ORR_ASSERT(left >= 0); /* or its departure was forgotten */
    if (__builtin_expect(q->begun_bps != 0, 0))
        left = (int64_t)((unsigned __int128)left * q->begun_bps
                         / n->rate_bps[port->id]);
    return left;
}

/* What is left to send of one queue, likewise. */
static int64_t backlog_of(const struct orr_net *n, const struct orr_port *port,
                          const struct orr_queue *q, uint32_t fifo, int64_t now)
{
    int64_t backlog = q->fifo[fifo].waiting_ps;

    if (q->busy && q->serving_fifo == fifo)
        backlog += left_of(n, port, q, now);
    return backlog;
}

void orr__egress_settle(struct orr_net *n, struct orr_port *port,
                        struct orr_queue *q, int64_t now)
{
    if (q->blocked_from == ORR_NEVER)
        return;
    ORR_ASSERT(now >= q->blocked_from);
    orr__port_area(n, port, q->waiting_bytes,
                   2 * (uint64_t)(now - q->blocked_from));
    q->blocked_from = now;
}

/* A packet that was let in waits, at the end of its queue. False: out of
 * memory, which ends the run. */
static bool push_packet(struct orr_net *n, struct orr_port *port,
                        struct orr_queue *q, uint32_t fifo,
                        const struct orr_packet *p, uint32_t link, int64_t now)
{
    struct orr_fifo *f = &q->fifo[fifo];
    int64_t time = orr__port_time(n, port, orr__packet_size(p));
    bool empty = f->head == f->tail;
    struct orr_packet *slot;

    if (f->tail - f->head >= f->capacity && !fifo_grow(f)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    ORR_ASSERT(f->tail - f->head < f->capacity);
    orr__egress_settle(n, port, q, now);
    if (orr__observers_see_link(n, port->id))
        orr__observers_queued(n, port->id, p, now, link == ORR_NONE);
    slot = orr__fifo_at(f, f->tail++);
    *slot = *p;
    slot->at = orr__ticket(link, q->order++);
    f->waiting_ps += time;
    q->waiting++;
    q->waiting_ps += time;
    q->waiting_bytes += orr__packet_size(p);
    if (empty && fifo < q->fifos && n->config->schedule->woken)
        n->config->schedule->woken(q, n->config, fifo);
    return true;
}

void orr__egress_drop(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, const struct orr_packet *p,
                      int64_t now)
{
    port->drops++;
    lane->dropped++;
    if (orr__observers_see_packets(n))
        orr__observers_dropped(n, port->id, p, now, false);
    orr__telemetry_release(n, lane, p);
}

/* A draw of its own for each packet at each port. */
static double draw_number(const struct orr_net *n, const struct orr_port *port,
                          const struct orr_packet *p, int64_t now)
{
    const uint64_t name[] = {(uint64_t)port->id << 32 | p->hash, (uint64_t)now,
                             p->seq};

    return (double)(XXH3_64bits_withSeed(name, sizeof name, n->seed) >> 11)
           * 0x1p-53;
}

/* PINT: every packet moves what the port knows of itself; t, if it is not NULL,
 * takes it along. */
static void stamp_pint(const struct orr_net *n, const struct orr_port *port,
                       struct orr_queue *q, const struct orr_packet *p,
                       uint64_t sent, int64_t now, struct orr_cc_telemetry *t)
{
    const struct orr_pint *pint = n->config->pint;
    double used;
    uint32_t code;

    if (pint->forgets && p->size_flags & ORR_PACKET_ACK) {
        q->pint.at = now;
        q->pint.sent = sent;
        return;
    }
    used = orr__pint_update(pint, &q->pint, now, sent, q->waiting_bytes,
                            n->rate_bps[port->id]);
    if (!t)
        return;
    code = orr__pint_encode(pint, used, draw_number(n, port, p, now));
    if (code > t->code)
        t->code = (uint8_t)code;
}

/* In-band telemetry, as the packet is taken out to be sent: HPCC
 * (SIGCOMM'19), section 3.1. NICs add none of themselves. */
void orr__egress_stamp(const struct orr_net *n, const struct orr_port *port,
                       struct orr_queue *q, const struct orr_packet *p,
                       int64_t now)
{
    bool wants = p->dst_kind & ORR_PACKET_TELEMETRY
                 && !(p->size_flags & (ORR_PACKET_OWN | ORR_PACKET_ACK));
    struct orr_cc_telemetry *t = wants ? orr__telemetry(n, p->aux) : NULL;
    uint64_t sent;

    if (!t && !n->config->pint)
        return;
    sent = port->bytes - q->waiting_bytes - orr__packet_size(p);
    if (n->config->pint)
        stamp_pint(n, port, q, p, sent, now, t && t->pint ? t : NULL);
    if (!t || t->pint || t->hops >= n->telemetry_room)
        return;
    orr__egress_stamp_hop(n, port, q, p, now, 0, t);
}

/* ---- what comes in ---- */

bool orr__egress_admit(struct orr_net *n, struct orr_lane *lane,
                       const struct orr_port *port, struct orr_queue *q,
                       uint32_t fifo, const struct orr_packet *p, int64_t now)
{
    uint32_t node = n->graph->from[port->id], bytes = orr__packet_size(p);

    if (n->pfc)
        return orr__pfc_admit(n, lane, node, lane->ingress, p, now);
    if (!orr__buffer_admit(&n->memory[node],
                           fifo == q->fifos ? 0 : q->fifo[fifo].held, bytes))
        return false;
    q->fifo[fifo].held += bytes;
    return true;
}

/* Of a class that is dropped where others are paused? */
static bool is_lossy(const struct orr_net *n, const struct orr_packet *p)
{
    return n->pfc
           && orr__net_is_lossy(n->config, p->dst_kind & ORR_PACKET_CLASS);
}

/* Whether there is room; if so, it is taken. Hosts hold back their own. */
static bool admit_packet(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         uint32_t fifo, const struct orr_packet *p, int64_t now)
{
    int64_t done = backlog_of(n, port, q, fifo, now)
                   + orr__port_time(n, port, orr__packet_size(p));

    if (fifo == q->fifos && done > q->limits.first_ps)
        return false;
    if (q->limited && (!n->pfc || is_lossy(n, p)) && fifo != q->fifos
        && done <= port->drop_ps
        && !orr__room_explicit(n, port, q, fifo, left_of(n, port, q, now),
                               done))
        return false;
    if (q->counted)
        return !(is_lossy(n, p) && done > port->drop_ps)
               && orr__egress_admit(n, lane, port, q, fifo, p, now);
    return fifo == q->fifos || done <= port->drop_ps;
}

bool orr__egress_cut(const struct orr_net *n, const struct orr_port *port,
                     const struct orr_queue *q, struct orr_packet *p)
{
    uint32_t bytes = q->limits.trim_bytes;
    bool last = n->graph->to[port->id] == orr__packet_dst(p);

    if (!bytes || p->size_flags & (ORR_PACKET_ACK | ORR_PACKET_TRIMMED))
        return false;
    if (bytes > orr__packet_size(p))
        bytes = orr__packet_size(p);
    p->size_flags = bytes << ORR_PACKET_FLAG_BITS
                    | (p->size_flags & ((1u << ORR_PACKET_FLAG_BITS) - 1))
                    | ORR_PACKET_TRIMMED;
    p->size_flags &= ~(uint32_t)ORR_PACKET_ASKS;
    p->size_flags |= last ? ORR_PACKET_ASKS : 0;
    return true;
}

static bool is_uncut_data(const struct orr_packet *p)
{
    return !(p->size_flags & (ORR_PACKET_ACK | ORR_PACKET_TRIMMED));
}

/* The verdict on a data packet that finds its queue as it is. */
static enum orr_verdict judge_packet(struct orr_net *n, struct orr_port *port,
                                     struct orr_queue *q, uint32_t fifo,
                                     const struct orr_packet *p, int64_t now)
{
    int64_t backlog = backlog_of(n, port, q, fifo, now);

    if (!is_uncut_data(p))
        return ORR_VERDICT_PASS;
    if (backlog > port->mark_ps)
        return ORR_VERDICT_MARK;
    if (backlog <= q->judged_ps)
        return ORR_VERDICT_PASS;
    return orr__port_judge(n, port, q, &q->fifo[fifo], p, backlog,
                           now - q->fifo[fifo].idle_from);
}

static void mark_packet(const struct orr_net *n, struct orr_lane *lane,
                        struct orr_port *port, struct orr_packet *p,
                        int64_t now)
{
    p->size_flags |= ORR_PACKET_CE;
    port->marks++;
    lane->marks++;
    if (orr__observers_see_packets(n))
        orr__observers_marked(n, port->id, p, now);
}

/* A port with several queues. What a judge would drop or mark is known before
 * it is asked whether there is room; what finds none may be cut and go first. A
 * host's own packets are never dropped. False: it was. */
static bool send_queued(struct orr_net *n, struct orr_lane *lane,
                        struct orr_port *port, struct orr_queue *q,
                        const struct orr_packet *p, int64_t now, bool own)
{
    struct orr_packet kept = *p;
    enum orr_verdict verdict;
    uint32_t link, fifo;

    ORR_ASSERT((p->dst_kind & ORR_PACKET_CLASS) < n->config->classes);
    fifo = fifo_of(n, q, p);
    if (fifo == UINT32_MAX) {
        orr__fabric_out_of_memory(n);
        return true;
    }
    verdict = judge_packet(n, port, q, fifo, p, now);
    if (!own && verdict == ORR_VERDICT_DROP) {
        orr__egress_drop(n, lane, port, p, now);
        return false;
    }
    if (!own && !admit_packet(n, lane, port, q, fifo, p, now)) {
        if (!orr__egress_cut(n, port, q, &kept)
            || !admit_packet(n, lane, port, q, fifo = q->fifos, &kept, now)) {
            orr__egress_drop(n, lane, port, p, now);
            return false;
        }
        lane->trimmed++;
        verdict = ORR_VERDICT_PASS;
    }
    if (verdict == ORR_VERDICT_MARK)
        mark_packet(n, lane, port, &kept, now);
    if (own)
        kept.size_flags |= ORR_PACKET_OWN;
    orr__port_account(n, port, orr__packet_size(&kept),
                      orr__egress_backlog(q, now),
                      q->waiting_ps + left_of(n, port, q, now));
    link = own ? ORR_NONE : lane->ingress;
    if (kept.dst_kind & ORR_PACKET_TELEMETRY)
        __builtin_prefetch(orr__telemetry(n, kept.aux), 1);
    if (push_packet(n, port, q, fifo, &kept, link, now))
        orr__egress_start(n, lane, port, now);
    return true;
}

bool orr__egress_send(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, const struct orr_packet *p,
                      int64_t now, bool own)
{
    struct orr_queue *q = n->queue[port->id];

    if (q->single)
        return orr__single_queue_send(n, lane, port, q, p, now, own);
    if (q->composite)
        return orr__composite_send(n, lane, port, q, p, now, own);
    return send_queued(n, lane, port, q, p, now, own);
}

/* ---- what goes out ---- */

bool orr__egress_go_ahead(const struct orr_net *n, struct orr_queue *q)
{
    const struct orr_fifo *f = &q->fifo[q->fifos];
    bool whole = q->limits.ahead == ORR_AHEAD_A_PACKET;
    uint64_t most = whole ? orr__largest_payload(n->config) + n->config->header
                          : q->limits.ahead;

    if (q->ahead >= most)
        return false;
    q->ahead += whole ? orr__packet_size(orr__fifo_at(f, f->head)) : 1;
    return true;
}

/* The classes that may be sent and have a packet; by share: some may have. */
static uint32_t ready_of(const struct orr_queue *q)
{
    uint32_t ready = 0, held = q->passes ? 0 : q->paused;

    if (q->shares)
        return q->shares->waiting ? UINT8_MAX & ~held : 0;
    for (uint32_t i = 0; i < q->fifos; i++)
        if (q->fifo[i].head != q->fifo[i].tail)
            ready |= 1u << i;
    return ready & ~held;
}

/* The queue whose head goes next, which is then taken out; UINT32_MAX: none. */
static uint32_t choose(const struct orr_net *n, struct orr_queue *q)
{
    bool first = q->fifo[q->fifos].head != q->fifo[q->fifos].tail;
    uint32_t ready = ready_of(q);

    if (first && ready && orr__egress_go_ahead(n, q))
        return q->fifos;
    q->ahead = 0;
    if (first && !ready)
        return q->fifos;
    if (!ready)
        return UINT32_MAX;
    return q->fifos == 1 ? 0 : n->config->schedule->choose(q, n->config, ready);
}

/* The packet that was put into `serving` is sent from now on. */
static void serve_packet(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         uint32_t fifo, int64_t time, int64_t now)
{
    struct orr_fifo *f = &q->fifo[fifo];

    q->serving_fifo = fifo;
    f->idle_from = now + time;
    q->busy_until = now + time;
    q->busy = true;
    q->begun_bps = 0;
    if (q->limits.at_dequeue && is_uncut_data(&q->serving)
        && orr__port_judge(n, port, q, f, &q->serving, f->waiting_ps, 0)
               == ORR_VERDICT_MARK)
        mark_packet(n, lane, port, &q->serving, now);
    orr__egress_stamp(n, port, q, &q->serving, now);
    if (orr__observers_see_link(n, port->id))
        orr__observers_begins(n, port->id, &q->serving, now, now, time);
}

/* Moves the head of a queue into service. */
static void take_head(struct orr_net *n, struct orr_lane *lane,
                      struct orr_port *port, struct orr_queue *q, uint32_t fifo,
                      int64_t now)
{
    struct orr_fifo *f = &q->fifo[fifo];
    int64_t time;

    ORR_ASSERT(!q->busy && f->head != f->tail && q->waiting > 0);
    if (fifo < q->fifos && n->config->schedule->taken)
        n->config->schedule->taken(q, n->config, fifo);
    orr__egress_settle(n, port, q, now);
    q->blocked_from = ORR_NEVER;
    q->serving = *orr__fifo_at(f, f->head++);
    time = orr__port_time(n, port, orr__packet_size(&q->serving));
    ORR_ASSERT(f->waiting_ps >= time && q->waiting_ps >= time
               && q->waiting_bytes >= orr__packet_size(&q->serving));
    f->waiting_ps -= time;
    q->waiting--;
    q->waiting_ps -= time;
    q->waiting_bytes -= orr__packet_size(&q->serving);
    serve_packet(n, lane, port, q, fifo, time, now);
}

void orr__egress_frame(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port, struct orr_queue *q, int64_t now)
{
    uint32_t bytes;
    int64_t time;

    orr__pfc_frame(n, lane, q, &q->serving);
    bytes = orr__packet_size(&q->serving);
    time = orr__port_time(n, port, bytes);
    orr__egress_settle(n, port, q, now);
    q->blocked_from = ORR_NEVER;
    port->bytes += bytes;
    port->packets++;
    orr__port_area(n, port, 2 * q->waiting_bytes + bytes, (uint64_t)time);
    if (q->waiting_ps + time > port->max_ps)
        port->max_ps = q->waiting_ps + time;
    q->serving_fifo = ORR_FRAME;
    q->busy_until = now + time;
    q->busy = true;
    q->begun_bps = 0;
    if (orr__observers_see_link(n, port->id))
        orr__observers_frame(n, port->id, &q->serving, now, time);
}

void orr__egress_start(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port, int64_t now)
{
    struct orr_queue *q = n->queue[port->id];
    uint32_t fifo;

    if (q->single) {
        orr__single_queue_start(n, lane, port, q, now);
        return;
    }
    if (q->busy)
        return;
    if (q->dark) {
        if (q->waiting && q->blocked_from == ORR_NEVER)
            q->blocked_from = now;
    } else if (q->announced != q->wanted) {
        orr__egress_frame(n, lane, port, q, now);
    } else {
        fifo = choose(n, q);
        if (fifo != UINT32_MAX)
            take_head(n, lane, port, q, fifo, now);
        else if (q->waiting && q->blocked_from == ORR_NEVER)
            q->blocked_from = now;
        else if (!q->waiting && n->config->schedule->idle)
            n->config->schedule->idle(q);
    }
    if (q->busy)
        port->free_at = q->busy_until;
    if (!q->caught_up)
        orr__port_schedule(n, port->id);
}

void orr__egress_release(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, struct orr_queue *q,
                         const struct orr_packet *p, int64_t now)
{
    uint32_t node = n->graph->from[port->id], bytes = orr__packet_size(p);

    if (n->pfc) {
        orr__pfc_release(n, lane, node, orr__ticket_link(p), p, now);
        return;
    }
    ORR_ASSERT(q->fifo[q->serving_fifo].held >= bytes);
    ORR_ASSERT(n->memory[node].used >= bytes);
    q->fifo[q->serving_fifo].held -= bytes;
    n->memory[node].used -= bytes;
}

/* The packet in service has left: its memory is given back, the next one
 * starts, and it goes onto the link, or is lost there if it was accepted before
 * the link failed. */
static void depart(struct orr_net *n, struct orr_lane *lane,
                   struct orr_port *port, struct orr_queue *q, int64_t now)
{
    struct orr_packet p = q->serving;
    /* after the link came back, if it was ever away */
    int64_t queued =
        (int32_t)(orr__ticket_order(&p) - q->doomed) < 0 ? -1 : now;

    ORR_ASSERT(q->busy && q->busy_until <= now);
    q->busy = false;
    if (q->counted && q->serving_fifo != ORR_FRAME
        && !(p.size_flags & ORR_PACKET_OWN))
        orr__egress_release(n, lane, port, q, &p, now);
    orr__egress_start(n, lane, port, now);
    orr__port_launch(n, lane, port, q, &p,
                     p.size_flags & ~(uint32_t)ORR_PACKET_OWN, queued, 0, now);
}

/* The same of a single-queue or composite port; own: of this host's NIC. */
static void schedule_departure(struct orr_net *n, struct orr_lane *lane,
                               struct orr_port *port, struct orr_queue *q,
                               bool own, int64_t now)
{
    ORR_ASSERT(!(own && q->caught_up));
    if (q->single)
        orr__single_queue_departed(n, lane, port, q, now);
    else
        orr__composite_departed(n, lane, port, q, now);
    if (!q->caught_up && (q->busy || !own))
        orr__port_schedule(n, port->id);
}

bool orr__port_departed(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                        int64_t now)
{
    struct orr_port *port = &n->port[link];
    struct orr_queue *q = n->queue[link];
    bool own = orr__serving(port, q)->size_flags & ORR_PACKET_OWN;

    ORR_ASSERT(q->busy && q->busy_until <= now);
    if (q->single || q->composite)
        schedule_departure(n, lane, port, q, own, now);
    else
        depart(n, lane, port, q, now);
    return own;
}

void orr__egress_darken(struct orr_net *n, struct orr_lane *lane,
                        struct orr_port *port, bool dark, int64_t now)
{
    struct orr_queue *q = n->queue[port->id];

    q->dark = dark;
    if (!dark)
        orr__egress_start(n, lane, port, now);
}

void orr__egress_pause(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port, uint8_t paused, int64_t now)
{
    struct orr_queue *q = n->queue[port->id];
    uint8_t resumed = q->paused & (uint8_t)~paused;

    ORR_ASSERT(!q->paused || now >= q->paused_from);
    if (orr__observers_see_link(n, port->id))
        orr__observers_paused(n, now, port->id);
    if (!q->paused && paused)
        q->paused_from = now;
    else if (q->paused && !paused)
        q->paused_ps += now - q->paused_from;
    q->paused = paused;
    for (uint32_t i = 0; i < n->config->classes; i++)
        if (resumed >> i & 1 && n->config->schedule->resumed
            && (q->shares || q->fifo[i].head != q->fifo[i].tail))
            n->config->schedule->resumed(q, n->config, i);
    if (resumed)
        orr__egress_start(n, lane, port, now);
}
