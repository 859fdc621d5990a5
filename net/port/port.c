/* What few packets need at a port: random marks, random loss, growth. Explicit
 * ports are in egress.c. */
#include "net/port/port.h"

#include "core/assert.h"
#include "core/memory.h"
#include "core/ring.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/queue.h"
#include "net/port/cut_through.h"
#include "net/port/egress.h"
#include "net/port/room.h"
#include "net/port/toll.h"

/* Packets that a ring has room for at first, and then: most links never have
 * more than a few, and those that do soon have many. */
#define FIRST  4
#define SECOND 32

/* The reader may still be at the old ring in this window: it keeps that one
 * until the exchange (take_over), unless it never saw it. */
bool orr__port_grow(struct orr_net *n, struct orr_port *port, uint32_t end)
{
    uint32_t room = port->mask + 1, from = orr__port_exchanged_head(port);
    struct orr_packet *ring = orr__ring_larger(
        port->ring, &room, from, end, room ? SECOND : FIRST, sizeof *ring);

    if (!ring) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    if (port->grown)
        orr__free(port->ring);
    port->ring = ring;
    port->grown = true;
    port->mask = room - 1;
    port->limit = from + room;
    return true;
}

/* Out of line: once in some thousand seconds of a queue of a megabyte. Beyond
 * 128 bits, which only messages of exabytes reach, it stays where it is. */
void orr__port_area_over(struct orr_net *n, struct orr_port *port,
                         uint64_t bytes, uint64_t twice_ps)
{
    unsigned __int128 more = (unsigned __int128)bytes * twice_ps, sum;

    if (__builtin_add_overflow(orr__port_area_of(n, port), more, &sum))
        sum = ~(unsigned __int128)0;
    orr__port_area_set(n, port, sum);
}

void orr__port_schedule(struct orr_net *n, uint32_t link)
{
    const struct orr_queue *q = n->queue[link];
    int64_t at = q->busy ? q->busy_until : ORR_NEVER;

    if (n->graph->sends[n->graph->from[link]]) {
        int64_t wake = n->nic_port[n->nic_port_of[link]].wake_at;

        at = wake < at ? wake : at;
    }
    orr__source_set(&n->process[q->process], q->slot, at);
}

/* Data that finds no more than this goes by without a judge. */
static int64_t judged_from(const struct orr_queue_ops *ops,
                           const struct orr_queue_limits *l)
{
    if (!ops->judge || l->at_dequeue)
        return ORR_NEVER;
    return l->from_kmin ? l->kmin_ps : INT64_MIN;
}

void orr__port_tune(struct orr_net *n, struct orr_port *port)
{
    uint64_t rate = n->rate_bps[port->id];
    struct orr_queue_limits limits = {0};
    struct orr_queue_kind kind = orr__queue_of(n->config, port->id);

    kind.ops->limits(kind.params, rate, &limits);
    port->drop_ps =
        limits.drop_ps < ORR_PORT_LONGEST ? limits.drop_ps : ORR_PORT_LONGEST;
    port->mark_ps = limits.mark_ps;
    port->ps_per_byte = 0;
    if (8000000000000u % rate == 0 && 8000000000000u / rate <= UINT32_MAX)
        port->ps_per_byte = (uint32_t)(8000000000000u / rate);
    port->memo_bytes = 0;
    port->memo_ps = 0;
    orr__port_set_unchecked(port);
    if (!n->queue[port->id])
        return;
    n->queue[port->id]->limits = limits;
    n->queue[port->id]->judged_ps = judged_from(kind.ops, &limits);
    orr__room_tune(n, port, n->queue[port->id]);
}

enum orr_verdict orr__port_judge(struct orr_net *n, struct orr_port *port,
                                 struct orr_queue *q, struct orr_fifo *f,
                                 const struct orr_packet *p, int64_t backlog,
                                 int64_t idle)
{
    struct orr_queue_case c = {
        .backlog_ps = backlog,
        .idle_ps = idle,
        .time_ps = orr__port_time(n, port, orr__packet_size(p)),
        .average = &f->average,
        .random = &q->marking,
    };
    struct orr_queue_kind kind = orr__queue_of(n->config, port->id);

    return kind.ops->judge(kind.params, &q->limits, &c);
}

/* Is a bit of it wrong? Nothing is drawn while the link is as it should be. */
static bool is_spoilt(struct orr_queue *q, const struct orr_packet *p,
                      int64_t left)
{
    double loss =
        orr__bit_errors_loss(q->errors, q->degraded, orr__packet_size(p), left);

    return loss > 0 && orr__random_unit(&q->random) < loss;
}

/* Does the link lose a packet that was queued at `queued`, -1 if long ago, and
 * leaves at `left`? *outage: which takes it; ORR_NO_OUTAGE: chance. Pause
 * frames are never lost: lost ones would stop the network. */
static bool is_lost(const struct orr_net *n, const struct orr_port *port,
                    struct orr_queue *q, const struct orr_packet *p,
                    int64_t queued, int64_t left, uint32_t *outage)
{
    bool lost;

    *outage = ORR_NO_OUTAGE;
    if (p->dst_kind & ORR_PACKET_PAUSE)
        return false;
    lost = q->loss > 0 && orr__random_unit(&q->random) < q->loss;
    if (!lost && q->degraded)
        lost = is_spoilt(q, p, left);
    if (!lost && q->outages)
        *outage =
            orr__toll_taker(q, p, queued, left + n->graph->delay_ps[port->id]);
    lost = lost || *outage != ORR_NO_OUTAGE;
    if (lost && orr__observers_see_packets(n))
        orr__observers_dropped(n, port->id, p, left, true);
    return lost;
}

/* A computed port knows of a loss before the packet leaves, which never is on
 * its ring. */
static void note_loss(struct orr_net *n, struct orr_port *port,
                      struct orr_queue *q, uint32_t bytes, int64_t now,
                      int64_t left)
{
    int64_t time = orr__serialisation(bytes, n->rate_bps[port->id]);

    if (q->explicit)
        return;
    port->packets++;
    orr__spans_forget(&q->losses, now);
    if (!orr__spans_add(&q->losses, left - time, left))
        orr__fabric_out_of_memory(n);
}

bool orr__port_loses(struct orr_net *n, struct orr_lane *lane,
                     struct orr_port *port, struct orr_queue *q,
                     const struct orr_packet *p, int64_t queued, int64_t left)
{
    uint32_t bytes = orr__packet_size(p), outage;

    if (!is_lost(n, port, q, p, queued, left, &outage))
        return false;
    note_loss(n, port, q, bytes, queued, left);
    if (outage != ORR_NO_OUTAGE)
        orr__toll_count(n, q, outage, queued,
                        left - orr__serialisation(bytes, n->rate_bps[port->id]),
                        left);
    q->lost++;
    port->drops++;
    lane->dropped++;
    orr__telemetry_release(n, lane, p);
    return true;
}

/* Data that finds this backlog is marked, unless it comes from a NIC that
 * queues whole windows and does not mark. */
static inline bool over_mark(const struct orr_net *n,
                             const struct orr_port *port, int64_t backlog,
                             bool own)
{
    if (backlog <= port->mark_ps)
        return false;
    return !own || !n->config->nic.fifo || n->config->nic.marks;
}

/* A computed port that marks at random, whose link loses packets, or of a
 * switch that cuts through. */
static bool send_computed(struct orr_net *n, struct orr_lane *lane,
                          struct orr_port *port, const struct orr_packet *p,
                          int64_t now, bool own)
{
    struct orr_queue *q = n->queue[port->id];
    uint32_t bytes = orr__packet_size(p), size_flags = p->size_flags;
    int64_t time = orr__port_time(n, port, bytes);
    int64_t free = port->free_at > now ? port->free_at : now, begin = free;
    int64_t backlog = free - now - orr__cut_idle_now(q, now);
    bool data = !(size_flags & ORR_PACKET_ACK);
    enum orr_verdict verdict = ORR_VERDICT_PASS;

    if (data && backlog > q->judged_ps && !(own && n->config->nic.fifo))
        verdict = orr__port_judge(n, port, q, q->fifo, p, backlog,
                                  now - port->free_at);
    if (!own
        && (verdict == ORR_VERDICT_DROP || backlog + time > port->drop_ps
            || (q->limited
                && !orr__room_computed(n, port, q, now, backlog + time)))) {
        port->drops++;
        lane->dropped++;
        if (orr__observers_see_packets(n))
            orr__observers_dropped(n, port->id, p, now, false);
        return false;
    }
    if (data
        && (verdict == ORR_VERDICT_MARK || over_mark(n, port, backlog, own))) {
        size_flags |= ORR_PACKET_CE;
        port->marks++;
        lane->marks++;
        if (orr__observers_see_packets(n))
            orr__observers_marked(n, port->id, p, now);
    }
    if (!own && !n->graph->sends[n->graph->from[port->id]]) {
        int64_t there = orr__cut_begin(n, lane->ingress, bytes, now, time);

        begin = begin > there ? begin : there;
    }
    if (begin > free && !orr__spans_add(&q->gaps, free, begin)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    ORR_ASSERT(begin >= free); /* departures keep the order of arrivals */
    orr__port_account(n, port, bytes, begin - now, backlog);
    port->free_at = begin + time;
    orr__port_launch(n, lane, port, q, p, size_flags, now,
                     orr__cut_lead(n, port->id, bytes), port->free_at);
    return true;
}

/* A port with nothing to send neither judges nor drops a packet that there is
 * room for, and begins with it. */
static bool passes_at_once(const struct orr_net *n, const struct orr_port *port,
                           int64_t now, int64_t time)
{
    const struct orr_queue *q = n->queue[port->id];

    return !n->observers->apart && port->free_at <= now && time <= port->drop_ps
           && port->mark_ps >= 0 && q->judged_ps >= 0 && !q->lossy
           && n->config->switching == ORR_SWITCHING_STORE_AND_FORWARD;
}

/* Whoever watches is told, at once, when it begins. */
static bool send_watched(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, const struct orr_packet *p,
                         int64_t now, bool own)
{
    int64_t time = orr__port_time(n, port, orr__packet_size(p));

    if (passes_at_once(n, port, now, time)) {
        orr__port_account(n, port, orr__packet_size(p), 0, 0);
        port->free_at = now + time;
        orr__port_push(n, lane, port, p, p->size_flags,
                       port->free_at + port->delay_ps);
        orr__observers_passed(n, port->id, p, now, time, own);
        return true;
    }
    orr__observers_queued(n, port->id, p, now, own);
    if (!send_computed(n, lane, port, p, now, own))
        return false;
    orr__observers_begins(n, port->id, p, now, port->free_at - time, time);
    return true;
}

bool orr__port_send_by_queue(struct orr_net *n, struct orr_lane *lane,
                             struct orr_port *port, const struct orr_packet *p,
                             int64_t now, bool own)
{
    const struct orr_queue *q = n->queue[port->id];

    if (port->id == orr__nowhere(n)) {
        lane->dropped++;
        orr__telemetry_release(n, lane, p);
        return false;
    }
    if (q->explicit)
        return orr__egress_send(n, lane, port, p, now, own);
    if (!orr__observers_see_link(n, port->id))
        return send_computed(n, lane, port, p, now, own);
    return send_watched(n, lane, port, p, now, own);
}

/* At a port that does not use its queue: with drops and whoever looks on, and
 * where its link's rate gives no whole number of ps a byte. */
static __attribute__((noinline)) uint32_t send_anyhow(
    struct orr_net *n, struct orr_lane *lane, struct orr_port *port,
    const struct orr_packet *p, int64_t now, bool own)
{
    uint32_t size_flags = p->size_flags, bytes = orr__packet_size(p);
    int64_t backlog = port->free_at > now ? port->free_at - now : 0;
    int64_t time = orr__port_time(n, port, bytes);

    if (backlog + time > port->drop_ps && !own) {
        port->drops++;
        lane->dropped++;
        if (orr__observers_see_packets(n))
            orr__observers_dropped(n, port->id, p, now, false);
        return ORR_PORT_DROPPED;
    }
    if (!(size_flags & ORR_PACKET_ACK) && over_mark(n, port, backlog, own)) {
        size_flags |= ORR_PACKET_CE;
        port->marks++;
        lane->marks++;
        if (orr__observers_see_packets(n))
            orr__observers_marked(n, port->id, p, now);
    }
    orr__port_account(n, port, bytes, backlog, backlog);
    orr__port_set_unchecked(port);
    port->free_at = now + backlog + time;
    orr__port_push(n, lane, port, p, size_flags,
                   port->free_at + port->delay_ps);
    return ORR_PORT_SENT;
}

/* Most are marked, or make a queue longer than it was; that is done here, and
 * calls nobody. */
uint32_t orr__port_send_checked(struct orr_net *n, struct orr_lane *lane,
                                struct orr_port *port,
                                const struct orr_packet *p, int64_t now,
                                bool own)
{
    uint32_t size_flags = p->size_flags;
    int64_t backlog = port->free_at > now ? port->free_at - now : 0;
    int64_t done = backlog + orr__port_quick_time(port, orr__packet_size(p));

    if (port->uses_queue)
        return orr__port_send_by_queue(n, lane, port, p, now, own);
    if (!port->ps_per_byte || done > port->drop_ps || n->observers)
        return send_anyhow(n, lane, port, p, now, own);
    if (!(size_flags & ORR_PACKET_ACK) && over_mark(n, port, backlog, own)) {
        size_flags |= ORR_PACKET_CE;
        port->marks++;
        lane->marks++;
    }
    if (done > port->max_ps) {
        port->max_ps = done;
        orr__port_set_unchecked(port);
    }
    return size_flags;
}

bool orr__port_pass(struct orr_net *n, struct orr_lane *lane,
                    struct orr_port *port, const struct orr_packet *p,
                    int64_t now, bool own)
{
    return orr__port_send(n, lane, port, p, now, own);
}
