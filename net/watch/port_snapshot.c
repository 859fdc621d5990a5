#include "net/watch/port_snapshot.h"
#include "net/path/route.h"

#include "net/port/buffer.h"
#include "net/port/pfc.h"
#include "net/port/port.h"
#include "net/port/toll.h"
#include "net/schedule/shares.h"
#include "net/watch/link_observer.h"

/* ---- packets ------------------------------------------------------------- */

void orr__packet_snapshot(const struct orr_net *n, const struct orr_packet *p,
                          struct orr_snapshot *w)
{
    uint32_t una = 0, aux = p->aux;

    if (!(p->dst_kind & ORR_PACKET_PAUSE))
        una = orr__sender(n, p->connection)->una;
    if (p->dst_kind & ORR_PACKET_TELEMETRY)
        aux = orr__telemetry(n, p->aux)->message;
    orr__snapshot_value(w, (uint64_t)p->connection << 32 | p->dst_kind);
    orr__snapshot_value(w, (uint64_t)(p->seq - una) << 32 | p->size_flags);
    if (p->size_flags & ORR_PACKET_NACK)
        orr__snapshot_value(w, aux - una);
    else if (p->size_flags & ORR_PACKET_ACK)
        orr__snapshot_value(w, aux);
}

/* Bytes that were sent are counted from what the port has sent by now; to move
 * them is to let the port go on by so many. */
void orr__hops_snapshot(const struct orr_net *n, const struct orr_sender *s,
                        struct orr_cc_hop *hop, uint32_t hops,
                        struct orr_snapshot *w)
{
    struct orr_probe probe = orr__probe_of(n, s, true);
    uint32_t at = n->graph->to[orr__probe_next(n, n->routes, s->src, &probe)];

    ORR_ASSERT(hops <= ORR_CC_MOST_HOPS);
    orr__snapshot_value(w, hops);
    for (uint32_t i = 0; i < hops && at != s->dst; i++) {
        uint32_t link = orr__probe_next(n, n->routes, at, &probe);

        orr__snapshot_time(w, &hop[i].at_ps);
        orr__snapshot_value(w, n->port[link].bytes - hop[i].sent_bytes);
        orr__snapshot_value(w, hop[i].queue_bytes);
        orr__snapshot_value(w, hop[i].rate_bps);
        if (w->mode == ORR_SNAPSHOT_MOVE)
            hop[i].sent_bytes += n->more_bytes[link];
        at = n->graph->to[link];
    }
}

void orr__record_snapshot(const struct orr_net *n, const struct orr_packet *p,
                          struct orr_snapshot *w)
{
    struct orr_cc_telemetry *t;

    if (!(p->dst_kind & ORR_PACKET_TELEMETRY))
        return;
    t = orr__telemetry(n, p->aux);
    orr__snapshot_value(w, t->path);
    orr__hops_snapshot(n, orr__sender(n, p->connection), t->hop, t->hops, w);
}

/* ---- what waits ---------------------------------------------------------- */

/* Whether it matters where among all that wait at the port a packet has its
 * place: what waits in one queue is in order. */
static bool minds_order(const struct orr_queue *q)
{
    return !q->single && q->fifos > 1;
}

/* Of a bare port nobody asks by which link a packet came. */
static void snapshot_waiting(const struct orr_net *n, const struct orr_queue *q,
                             const struct orr_packet *p, struct orr_snapshot *w)
{
    orr__packet_snapshot(n, p, w);
    orr__record_snapshot(n, p, w);
    if (!q->bare)
        orr__snapshot_value(w, orr__ticket_link(p));
    if (minds_order(q))
        orr__snapshot_value(w, q->order - orr__ticket_order(p));
}

static void snapshot_fifo(const struct orr_net *n, const struct orr_port *port,
                          const struct orr_queue *q, uint32_t fifo,
                          struct orr_snapshot *w)
{
    orr__snapshot_value(w, orr__waiting(q, fifo));
    for (uint32_t i = 0; i < orr__waiting(q, fifo); i++)
        snapshot_waiting(n, q, orr__waiting_at(port, q, fifo, i), w);
}

/* What a queue's judge and the scheduler remember. A mean goes by how long
 * there was nothing, unless it is 0. */
static void snapshot_fifo_state(const struct orr_queue *q, struct orr_fifo *f,
                                struct orr_snapshot *w)
{
    orr__snapshot_value(w, f->held);
    orr__snapshot_value(w,
                        (uint64_t)f->credit); /* or `finish`, to the last bit */
    orr__snapshot_real(w, f->average);
    if (f->average != 0)
        orr__snapshot_time(w, &f->idle_from);
    else
        orr__snapshot_last(w, &f->idle_from);
}

/* A share's number is of no consequence, and one that could be forgotten is not
 * looked at: see orr__share_snapshot. */
static void snapshot_shares(const struct orr_net *n,
                            const struct orr_port *port, struct orr_queue *q,
                            struct orr_snapshot *w)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < q->fifos; i++) {
        bool serves = q->busy && q->serving_fifo == i;
        struct orr_snapshot one = *w;

        one.digest = 0;
        if (!orr__share_snapshot(q->shares, i, &one) && !serves)
            continue;
        orr__snapshot_value(&one, serves);
        snapshot_fifo_state(q, &q->fifo[i], &one);
        snapshot_fifo(n, port, q, i, &one);
        sum += one.digest;
    }
    orr__snapshot_value(w, sum);
}

/* ---- a queue ------------------------------------------------------------- */

static void snapshot_pauses(struct orr_queue *q, struct orr_snapshot *w)
{
    orr__snapshot_value(w, (uint64_t)q->paused << 24 | (uint64_t)q->wanted << 16
                               | (uint64_t)q->announced << 8
                               | q->announced_class);
    if (q->paused)
        orr__snapshot_time(w, &q->paused_from);
    orr__snapshot_count_time(w, &q->paused_ps);
    orr__snapshot_count(w, &q->pauses);
    orr__snapshot_count(w, &q->frames);
}

/* Draws are in the state by how many there were: with any, it never comes
 * back. */
static void snapshot_draws(const struct orr_random *r, struct orr_snapshot *w)
{
    orr__snapshot_value(w, r->counter << 3 | r->left);
}

/* What decides an explicit port's future. busy_until of a port at rest matters
 * only where an average runs down by idle time. */
static void snapshot_queue(struct orr_queue *q, struct orr_snapshot *w)
{
    orr__snapshot_value(w, q->busy);
    if (q->busy || (q->single && q->fifo->average != 0))
        orr__snapshot_time(w, &q->busy_until);
    else
        orr__snapshot_last(w, &q->busy_until);
    orr__snapshot_time(w, &q->blocked_from);
    orr__snapshot_value(w, q->begun_bps);
    orr__snapshot_real(w, q->virtual);
    orr__snapshot_value(w, (uint64_t)q->ahead << 8 | q->served);
    snapshot_draws(&q->marking, w);
    snapshot_pauses(q, w);
    orr__snapshot_count(w, &q->lost);
    for (uint32_t i = q->shares ? q->fifos : 0; i <= q->fifos; i++)
        snapshot_fifo_state(q, &q->fifo[i], w);
}

/* A computed port's, whose judge draws lots. */
static void snapshot_judge(const struct orr_port *port, struct orr_queue *q,
                           struct orr_snapshot *w)
{
    snapshot_draws(&q->marking, w);
    orr__snapshot_real(w, q->fifo->average);
    if (q->fifo->average != 0)
        orr__snapshot_value(w, (uint64_t)(w->now - port->free_at));
}

/* The packet in service, and which queue it came from: with shares their
 * numbers do not matter, only their order. */
static void snapshot_served(const struct orr_net *n,
                            const struct orr_port *port,
                            const struct orr_queue *q, struct orr_snapshot *w)
{
    const struct orr_packet *p = orr__serving(port, q);

    orr__snapshot_value(w, q->serving_fifo == ORR_FRAME);
    if (!q->shares)
        orr__snapshot_value(w, q->serving_fifo);
    if (q->serving_fifo == ORR_FRAME)
        orr__packet_snapshot(n, p, w);
    else
        snapshot_waiting(n, q, p, w);
}

static void snapshot_queued(const struct orr_net *n,
                            const struct orr_port *port, struct orr_queue *q,
                            struct orr_snapshot *w)
{
    if (q->busy)
        snapshot_served(n, port, q, w);
    if (q->shares)
        snapshot_shares(n, port, q, w);
    for (uint32_t i = q->shares ? q->fifos : 0; i <= q->fifos; i++)
        if (!q->single || i == 0)
            snapshot_fifo(n, port, q, i, w);
}

/* ---- a port -------------------------------------------------------------- */

void orr__free_snapshot(int64_t *free_at, struct orr_snapshot *w)
{
    orr__snapshot_value(w,
                        *free_at > w->now ? (uint64_t)(*free_at - w->now) : 0);
    orr__snapshot_last(w, free_at);
}

/* Twice the area of the queue so far: without what is entered for the rest of
 * the time of what is held. */
static unsigned __int128 area_so_far(const struct orr_net *n,
                                     const struct orr_port *port,
                                     const struct orr_link_sample *now)
{
    unsigned __int128 all = orr__port_area_of(n, port);
    double rest = (double)all - 2 * now->area;

    return rest > 0 ? all - (unsigned __int128)rest : all;
}

/* A port counts bytes, and their area, when it accepts them; what is gone over
 * is what it has sent, because what it holds need not be as much at the end of
 * a stretch that is inferred as it was before. */
static void snapshot_counters(struct orr_net *n, struct orr_port *port,
                              struct orr_snapshot *w)
{
    struct orr_link_sample now = {0};
    const struct orr_queue *q = n->queue[port->id];
    uint64_t bytes, packets, times = w->times;
    unsigned __int128 area = 0, then;

    if (w->mode == ORR_SNAPSHOT_DIGEST) {
        orr__net_link_sample(n, port->id, w->now, &now);
        area = area_so_far(n, port, &now);
    }
    if (w->mode == ORR_SNAPSHOT_MOVE && orr__replay_late(n, port->id))
        w->times = 0; /* first used within it: left alone */
    bytes = orr__snapshot_more(w, now.bytes);
    if (bytes > 0)
        bytes -= w->times * orr__replay_less(n, port->id);
    packets = orr__snapshot_more(w, orr__port_packets(n, port));
    port->bytes += bytes;
    port->packets += packets;
    if (packets)
        n->skipped[port->id] += packets;
    if (w->mode == ORR_SNAPSHOT_MOVE && n->more_bytes)
        n->more_bytes[port->id] = bytes;
    orr__snapshot_count(w, &port->marks);
    orr__snapshot_count(w, &port->drops);
    for (uint32_t i = 0; q && i < q->outages; i++)
        orr__snapshot_count(w, &q->toll[i].packets);
    then = area;
    orr__snapshot_wide(w, &then);
    orr__port_area_set(n, port, orr__port_area_of(n, port) + (then - area));
    w->times = times;
}

void orr__port_snapshot(struct orr_net *n, struct orr_port *port,
                        struct orr_snapshot *w)
{
    struct orr_queue *q = n->queue[port->id];

    snapshot_counters(n, port, w);
    if (n->retuning)
        orr__snapshot_value(w, n->rate_bps[port->id]);
    if (q && q->explicit)
        snapshot_queue(q, w);
    else if (q && q->fifo) /* not lent to who watches it
                              (packet_observer_calls.h) */
        snapshot_judge(port, q, w);
    orr__free_snapshot(&port->free_at, w);
}

void orr__port_snapshot_packets(struct orr_net *n, struct orr_port *port,
                                struct orr_snapshot *w)
{
    struct orr_queue *q = n->queue[port->id];

    for (uint32_t i = orr__inlet_of(n, port->id)->head; i != port->tail; i++) {
        struct orr_packet *p = &port->ring[i & port->mask];

        orr__snapshot_value(w, port->id);
        orr__snapshot_time(w, &p->at);
        orr__packet_snapshot(n, p, w);
        orr__record_snapshot(n, p, w);
    }
    if (q && q->explicit)
        snapshot_queued(n, port, q, w);
}

/* ---- memory -------------------------------------------------------------- */

/* Whether a memory is alert is how it is dealt with, and changes nothing; what
 * is used of it is, between windows, what is held. */
void orr__memories_snapshot(struct orr_net *n, struct orr_snapshot *w)
{
    size_t ingresses = (size_t)n->graph->links * n->config->classes;

    for (uint32_t i = 0; n->memory && i < n->graph->nodes; i++)
        orr__snapshot_value(w, n->memory[i].used);
    if (!n->pfc)
        return;
    orr__snapshot_value(w, n->pfc->suspected);
    for (uint32_t i = 0; i < n->graph->nodes; i++)
        orr__snapshot_value(w, n->pfc->memory[i].used);
    for (size_t i = 0; i < ingresses; i++) {
        orr__snapshot_value(w, n->pfc->ingress[i].held);
        orr__snapshot_value(w, n->pfc->ingress[i].over);
    }
}
