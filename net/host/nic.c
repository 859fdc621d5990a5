/* The NIC: it asks its connections for the next packet when its port's
 * transmitter has nothing of its own left, and so never queues a whole window.
 * Order: ACKs, retransmissions, new data; connections take turns by packet.
 * Traffic classes go by priority or share by weight, as in the ports. A
 * connection whose next packet may not start yet waits in a heap. */
#include "core/assert.h"
#include "core/none.h"
#include "core/ring.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/queue.h"
#include "net/fabric/routing.h"
#include "net/host/host.h"
#include "net/host/nic_choice.h"
#include "net/host/round_robin.h"
#include "net/path/own.h"
#include "net/port/port.h"
#include "net/schedule/shares.h"

/* ---- the port ---- */

#define PART static inline __attribute__((always_inline))

/* Of a host with several. */
static uint32_t choose_link(struct orr_net *n, uint32_t host,
                            struct orr_packet *p)
{
    if (orr__packet_dst(p) == ORR_PACKET_TREE)
        return orr__sender(n, p->connection)->path[0];
    return n->config->moves ? orr__path_own(n, host, p)
                            : orr__route_packet(n, &n->node[host], p);
}

/* Where there is no path, circuits may bring one: a port that is dark waits for
 * them. Otherwise the first, and who is at its other end drops the packet. */
static __attribute__((noinline)) uint32_t no_path_link(const struct orr_net *n,
                                                       uint32_t host)
{
    const struct orr_graph *g = n->graph;

    for (uint32_t i = g->out_off[host]; n->darkness && i < g->out_off[host + 1];
         i++)
        if (n->queue[g->out_link[i]]->dark)
            return g->out_link[i];
    return g->out_link[g->out_off[host]];
}

/* The port that leads to a packet's destination; if none does, see
 * no_path_link. */
static inline uint32_t port_towards(struct orr_net *n, uint32_t host,
                                    struct orr_packet *p)
{
    const uint32_t *out = n->graph->out_off + host;
    uint32_t link = n->graph->out_link[out[0]];

    if (out[1] - out[0] > 1 || p->dst_kind & ORR_PACKET_ROUTED)
        link = choose_link(n, host, p);
    if (__builtin_expect(link == orr__nowhere(n), 0))
        link = no_path_link(n, host);
    return n->nic_port_of[link];
}

/* Which port its next packet leaves by where that is to be found out. */
static __attribute__((noinline)) struct orr_nic_port *find_port(
    struct orr_net *n, struct orr_sender *s, int64_t now)
{
    struct orr_packet p = {
        .at = now,
        .connection = s->id,
        .dst_kind = orr__sender_to(n, s),
        .hash = s->path_hash,
        .seq = s->next, /* a detour's stop may depend on it */
        .aux = s->message != ORR_NONE ? s->message : s->first_unacked,
    };

    if (s->own) {
        s->nic_port = n->nic_port_of[s->path[0]];
        return &n->nic_port[s->nic_port];
    }
    s->nic_port = port_towards(n, s->src, &p);
    /* What was decided here holds for the packet: which detour it takes, or
     * that it leaves a path of its own that is closed. */
    if (n->routed || s->path)
        s->to = p.dst_kind;
    return &n->nic_port[s->nic_port];
}

/* One and the same, unless the host has several and packets of a connection may
 * take any. */
PART struct orr_nic_port *choose_port(struct orr_net *n, struct orr_sender *s,
                                      int64_t now)
{
    if ((!n->bare_nics && (n->config->moves || n->rerouting))
        || s->nic_port == ORR_NONE)
        return find_port(n, s, now);
    return &n->nic_port[s->nic_port];
}

/* orr__port_schedule of this port, which is explicit. */
PART void schedule(struct orr_net *n, struct orr_nic_port *np)
{
    const struct orr_queue *q = n->queue[np->link];
    int64_t at = q->busy ? q->busy_until : ORR_NEVER;

    orr__source_set(np->process, np->slot, np->wake_at < at ? np->wake_at : at);
}

/* Enters when this port has to be looked at again. */
static void wake_port(struct orr_net *n, struct orr_nic_port *np, int64_t at)
{
    struct orr_process *process = np->process;

    if (!np->explicit) {
        orr__source_set(process, np->slot, at);
        return;
    }
    np->wake_at = at;
    schedule(n, np);
}

/* ---- `nic: {queue: fifo}`: all that may be sent goes into the port ---- */

static struct orr_nic_departure *departure_at(struct orr_nic_port *np,
                                              uint32_t i)
{
    return &np->departures[i & (np->departure_capacity - 1)];
}

/* The last byte of this message has left at `at`. */
static bool note_departure(struct orr_nic_port *np, uint32_t message,
                           int64_t at)
{
    if (np->departure_tail - np->departure_head == np->departure_capacity
        && !orr__ring_grow(np->departures, np->departure_capacity,
                           np->departure_head, np->departure_tail, 8))
        return false;
    *departure_at(np, np->departure_tail++) =
        (struct orr_nic_departure){at, message};
    return true;
}

/* A host's own packet goes into the queue of its port, whatever is there,
 * unless it would leave after the end of time: there is no number for when. */
static void queue_own(struct orr_net *n, struct orr_lane *lane,
                      struct orr_nic_port *np, const struct orr_packet *p,
                      int64_t now)
{
    struct orr_port *port = &n->port[np->link];
    int64_t time = orr__port_time(n, port, orr__packet_size(p));

    if (orr__port_backlog(n, np->link, now) >= ORR_HORIZON - now - time)
        orr__egress_drop(n, lane, port, p, now);
    else
        orr__port_send(n, lane, port, p, now, true);
    if (np->departing == ORR_NONE)
        return;
    if (!note_departure(np, np->departing, port->free_at))
        orr__fabric_out_of_memory(n);
    np->departing = ORR_NONE;
}

/* When a message has left, or somebody's pace lets a packet go. */
static int64_t next_pour(const struct orr_net *n, struct orr_nic_port *np)
{
    int64_t next = np->n_paced ? waiting(n, np, 0)->paced_at : ORR_NEVER;

    if (np->departure_head != np->departure_tail
        && departure_at(np, np->departure_head)->at < next)
        next = departure_at(np, np->departure_head)->at;
    return next;
}

/* With `nic.queue: fifo`: all that windows and rates allow goes into the port
 * now. A connection that moves on to another port takes its turn there within
 * the same instant. */
static void pour_packets(struct orr_net *n, struct orr_lane *lane,
                         struct orr_nic_port *np, int64_t now)
{
    struct orr_process *process = np->process;
    struct orr_sender *more = NULL;
    struct orr_packet p;

    release(n, np, now);
    while (next_packet(n, np, now, &p, &more, false)) {
        lane->sent++;
        queue_own(n, lane, np, &p, now);
        if (more) {
            struct orr_nic_port *other = choose_port(n, more, now);

            enter_sender(n, other, more, orr__sender_wants(more), now);
            if (other != np) /* takes its turn, later in this instant */
                orr__source_set(process, other->slot, now);
        }
        more = NULL;
    }
    orr__source_set(process, np->slot, next_pour(n, np));
}

static void start_message(struct orr_net *n, struct orr_lane *lane,
                          struct orr_nic_port *np, int64_t now);

/* An explicit port at which nothing can happen to the host's own packets but
 * that they are sent, one after the other: of a single queue, which nothing
 * holds up, with nothing in it but maybe the one in service. */
PART bool is_calm(const struct orr_queue *q)
{
    if (q->waiting)
        return false;
    return q->bare
           || (q->single && !q->stamps && !q->lossy
               && !(q->paused | (q->announced ^ q->wanted))
               && !(q->gap | q->serving_fifo));
}

/* A packet of the host's own goes into service at such a port, which is idle:
 * orr__port_send, and the port is looked at next when it has left. */
PART void send_own(struct orr_net *n, struct orr_lane *lane,
                   struct orr_process *process, struct orr_port *port,
                   struct orr_queue *q, const struct orr_packet *p, int64_t now)
{
    int64_t time = orr__port_time(n, port, orr__packet_size(p));
    struct orr_packet *slot;

    if (q->busy || !is_calm(q) || port->mark_ps < 0 || q->judged_ps < 0) {
        orr__port_send(n, lane, port, p, now, true);
        return;
    }
    orr__port_account(n, port, orr__packet_size(p), 0, 0);
    if (__builtin_expect(orr__port_full(port, port->tail), 0)
        && !orr__port_grow(n, port, port->tail))
        return;
    slot = orr__port_slot(port, port->tail);
    *slot = *p;
    slot->at = orr__ticket(ORR_NONE, q->order++);
    slot->size_flags |= ORR_PACKET_OWN;
    q->busy = true;
    q->busy_until = port->free_at = now + time;
    orr__source_set(process, q->slot, q->busy_until);
}

/* The transmitter is free, and takes this packet. more: its connection, if that
 * has more to send and is on no list now. */
PART void transmit(struct orr_net *n, struct orr_lane *lane,
                   struct orr_nic_port *np, const struct orr_packet *p,
                   struct orr_sender *more, int64_t now, bool single)
{
    struct orr_process *process = np->process;
    struct orr_port *port = &n->port[np->link];
    struct orr_nic_port *other = np;
    int64_t work;

    lane->sent++;
    if (np->explicit) {
        np->own_queued = true;
        np->wake_at = ORR_NEVER;
        send_own(n, lane, process, port, n->queue[np->link], p, now);
    } else {
        orr__port_send(n, lane, port, p, now, true);
    }
    if (more) { /* chooses with this packet in its port */
        other = choose_port(n, more, now);
        enter_sender(n, other, more, orr__sender_wants(more), now);
    }
    if (!np->explicit) {
        np->own_free_at = port->free_at;
        work = np->departing != ORR_NONE
                   ? np->own_free_at
                   : next_work(n, np, np->own_free_at, single);
        if (work != ORR_NEVER)
            orr__source_set(process, np->slot, work);
    }
    if (other != np) /* ends: this port is busy now */
        start_message(n, lane, other, now);
}

/* The transmitter is free. */
PART void start_next(struct orr_net *n, struct orr_lane *lane,
                     struct orr_nic_port *np, int64_t now, bool single)
{
    struct orr_sender *more = NULL;
    struct orr_packet p;
    int64_t work;

    release(n, np, now);
    if (next_packet(n, np, now, &p, &more, single)) {
        transmit(n, lane, np, &p, more, now, single);
        return;
    }
    work = next_work(n, np, now, single);
    if (work > now && work != ORR_NEVER)
        wake_port(n, np, work);
}

static __attribute__((noinline)) void start_single(struct orr_net *n,
                                                   struct orr_lane *lane,
                                                   struct orr_nic_port *np,
                                                   int64_t now)
{
    start_next(n, lane, np, now, true);
}

static __attribute__((noinline)) void start_any(struct orr_net *n,
                                                struct orr_lane *lane,
                                                struct orr_nic_port *np,
                                                int64_t now)
{
    if (n->config->nic.fifo)
        pour_packets(n, lane, np, now);
    else
        start_next(n, lane, np, now, false);
}

/* Has the port a packet of the host's own? Computed: at the instant at which
 * that leaves its departure comes first, even if another port's came before
 * it. Where a run ended just now it has not come if a message leaves then. */
PART bool is_busy(const struct orr_nic_port *np, int64_t now)
{
    return now < np->own_free_at
           || (now == np->own_free_at
               && (np->departing != ORR_NONE
                   || (np->slot > 0 && np->slot > np->process->departing)));
}

PART bool is_empty(const struct orr_nic_port *np)
{
    return !np->n_paced && !has_acks(np, 0) && !has_data(&np->first_round);
}

PART void start_here(struct orr_net *n, struct orr_lane *lane,
                     struct orr_nic_port *np, int64_t now)
{
    bool fifo = n->config->nic.fifo;

    if (np->own_queued && !fifo)
        return;
    if (!fifo && is_busy(np, now))
        orr__source_set(np->process, np->slot, np->own_free_at);
    else if (fifo || !is_single(n, np))
        start_any(n, lane, np, now);
    else if (!is_empty(np))
        start_single(n, lane, np, now);
}

static void start_message(struct orr_net *n, struct orr_lane *lane,
                          struct orr_nic_port *np, int64_t now)
{
    start_here(n, lane, np, now);
}

/* The message that `leaving` names, which names nobody from now on. */
static void tell_left(struct orr_net *n, const struct orr_nic_port *np,
                      uint32_t *departing, int64_t now)
{
    struct orr_message *m = orr__message(n, *departing);

    *departing = ORR_NONE;
    m->departs_by = ORR_NONE;
    orr__call_sent(n, np->host, now, m);
}

void orr__nic_overtaken(struct orr_net *n, struct orr_message *m, int64_t now)
{
    struct orr_nic_port *np;
    uint32_t i;

    if (m->departs_by == ORR_NONE)
        return;
    np = &n->nic_port[m->departs_by];
    if (!n->config->nic.fifo) {
        tell_left(n, np, &np->departing, now);
        return;
    }
    for (i = np->departure_head; departure_at(np, i)->message != m->id;)
        i++;
    tell_left(n, np, &departure_at(np, i)->message, now);
}

/* Those messages that have left by now. */
static void all_left(struct orr_net *n, struct orr_nic_port *np, int64_t now)
{
    while (np->departure_head != np->departure_tail) {
        struct orr_nic_departure l = *departure_at(np, np->departure_head);

        if (l.at > now)
            return;
        np->departure_head++;
        if (l.message != ORR_NONE)
            tell_left(n, np, &l.message, now);
    }
}

PART void departed(struct orr_net *n, struct orr_lane *lane,
                   struct orr_nic_port *np, int64_t now)
{
    struct orr_process *process = np->process;

    np->own_queued = false;
    if (!np->explicit)
        orr__source_set(process, np->slot, ORR_NEVER);
    if (!process->one_cable)
        process->departing = np->slot;
    if (np->departing != ORR_NONE)
        tell_left(n, np, &np->departing, now);
    if (n->config->nic.fifo)
        all_left(n, np, now);
    start_here(n, lane, np, now);
    if (!process->one_cable)
        process->departing = UINT32_MAX;
}

/* The packet in service of an explicit port, of the host's own, if that is all
 * there is to it: it goes on the link, and the next one into service. False: it
 * is more, and nothing was done. */
static bool own_departed(struct orr_net *n, struct orr_lane *lane,
                         struct orr_nic_port *np, int64_t now)
{
    struct orr_port *port = &n->port[np->link];
    struct orr_queue *q = n->queue[np->link];
    struct orr_packet *p;

    ORR_ASSERT(q->busy && q->busy_until <= now);
    if (!is_calm(q))
        return false;
    p = orr__port_slot(port, port->tail);
    if (!(p->size_flags & ORR_PACKET_OWN))
        return false;
    p->size_flags &= ~(uint32_t)ORR_PACKET_OWN;
    p->at = now + port->delay_ps;
    port->tail++;
    q->busy = false;
    if (!port->dirty)
        orr__port_changed(n, lane, port);
    departed(n, lane, np, now);
    if (!q->busy)
        schedule(n, np);
    return true;
}

/* The first connection that waited for its pace is due at an explicit port. */
static void wake_now(struct orr_net *n, struct orr_lane *lane,
                     struct orr_nic_port *np, int64_t now)
{
    np->wake_at = ORR_NEVER;
    schedule(n, np); /* or it would be woken for ever */
    start_message(n, lane, np, now);
}

/* The departure of an explicit port is due, or a connection's pace. */
static __attribute__((noinline)) void explicit_due(struct orr_net *n,
                                                   struct orr_lane *lane,
                                                   uint32_t link, int64_t now)
{
    struct orr_nic_port *np = &n->nic_port[n->nic_port_of[link]];
    const struct orr_queue *q = n->queue[link];

    if (!q->busy || q->busy_until > now) {
        wake_now(n, lane, np, now);
        return;
    }
    if (own_departed(n, lane, np, now)
        || !orr__port_departed(n, lane, link, now))
        return;
    departed(n, lane, np, now);
    if (!q->busy)
        schedule(n, np);
}

void orr__nic_due(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                  int64_t now)
{
    struct orr_nic_port *np = &n->nic_port[n->nic_port_of[link]];

    if (np->explicit)
        explicit_due(n, lane, link, now);
    else
        departed(n, lane, np, now);
}

void orr__nic_pause(struct orr_net *n, struct orr_lane *lane, uint32_t nic_port,
                    uint8_t classes, int64_t now)
{
    struct orr_nic_port *np = &n->nic_port[nic_port];
    bool more = np->paused & ~classes;

    orr__nic_note_pause(n, np, classes, now);
    np->paused = classes;
    if (more)
        start_message(n, lane, np, now);
}

/* A packet that waits for its pace keeps it, whatever becomes of the rate; but
 * its control may have given up pacing. */
static void let_go(struct orr_net *n, struct orr_lane *lane,
                   struct orr_sender *s, int64_t now)
{
    struct orr_nic_port *np = &n->nic_port[s->nic_port];

    if (s->window.rate > 0)
        return;
    orr__sender_repace(s);
    paced_rise((struct paced){n, np}, s, s->list_next);
    if (s->list_next != 0)
        return;
    wake_port(n, np, ORR_NEVER); /* not when it was to go, either */
    start_message(n, lane, np, now);
}

void orr__nic_enter(struct orr_net *n, struct orr_lane *lane,
                    struct orr_sender *s, unsigned list, int64_t now)
{
    struct orr_nic_port *np = choose_port(n, s, now);

    ORR_ASSERT(s->list == ORR_LIST_NONE && list != ORR_LIST_NONE);
    if (n->bare_nics && list == ORR_LIST_DATA && !is_busy(np, now)
        && orr__single_sender_begins(n, lane, np, s, now))
        return;
    enter_sender(n, np, s, list, now);
    start_here(n, lane, np, now);
}

void orr__nic_try(struct orr_net *n, struct orr_lane *lane,
                  struct orr_sender *s, int64_t now)
{
    struct orr_nic_port *np;
    unsigned list;

    if (s->list == ORR_LIST_PACED) {
        let_go(n, lane, s, now);
        return;
    }
    if (s->window.rate > 0 || orr__sender_paced_at(s) > now)
        orr__sender_repace(s);
    list = orr__sender_wants(s);
    if (list == ORR_LIST_NONE || list == s->list)
        return;
    if (s->list == ORR_LIST_NONE) {
        orr__nic_enter(n, lane, s, list, now);
        return;
    }
    np = &n->nic_port[s->nic_port];
    take_off(n, np, s);
    enter_sender(n, np, s, list, now);
    start_message(n, lane, np, now);
}

/* One of those that wait for their pace does so no longer: the port is not
 * looked at for it. */
static void wait_anew(struct orr_net *n, struct orr_nic_port *np)
{
    int64_t first = np->n_paced ? waiting(n, np, 0)->paced_at : ORR_NEVER;
    bool waits = np->process->at[np->slot] > np->own_free_at;

    if (np->explicit) {
        if (np->wake_at != ORR_NEVER)
            wake_port(n, np, first);
    } else if (n->config->nic.fifo) {
        orr__source_set(np->process, np->slot, next_pour(n, np));
    } else if (waits) { /* and is not busy */
        orr__source_set(np->process, np->slot,
                        first > np->own_free_at ? first : np->own_free_at);
    }
}

void orr__nic_withdraw(struct orr_net *n, struct orr_sender *s)
{
    struct orr_nic_port *np;
    struct orr_sender *last;
    uint32_t place = s->list_next;

    if (s->list == ORR_LIST_NONE)
        return;
    np = &n->nic_port[s->nic_port];
    if (s->list != ORR_LIST_PACED) {
        take_off(n, np, s);
        return;
    }
    ORR_ASSERT(place < np->n_paced && np->paced[place] == s->id);
    s->list = ORR_LIST_NONE;
    last = waiting(n, np, --np->n_paced);
    if (last != s) {
        paced_rise((struct paced){n, np}, last, place);
        paced_sink((struct paced){n, np}, last, last->list_next);
    }
    s->list_next = ORR_NONE;
    wait_anew(n, np);
}

/* Seldom, and therefore out of the way of each ACK. */
static __attribute__((cold, noinline)) bool acks_grow(struct orr_nic_class *c)
{
    return orr__ring_grow(c->acks, c->ack_capacity, c->ack_head, c->ack_tail,
                          8);
}

/* Behind those that wait. */
static bool queue_ack(struct orr_nic_port *np, const struct orr_packet *p)
{
    uint32_t class = p->dst_kind & ORR_PACKET_CLASS;
    struct orr_nic_class *c = &np->class[class];

    if (c->ack_tail - c->ack_head >= c->ack_capacity && !acks_grow(c))
        return false;
    c->acks[c->ack_tail++ & (c->ack_capacity - 1)] = *p;
    np->acks |= (uint8_t)(1u << class);
    return true;
}

/* transmit, for an ACK at a bare port that has nothing else to send but new
 * data, and may begin. */
PART void send_bare_ack(struct orr_net *n, struct orr_lane *lane,
                        struct orr_nic_port *np, const struct orr_packet *p,
                        int64_t now)
{
    struct orr_port *port = &n->port[np->link];

    lane->sent++;
    orr__port_send(n, lane, port, p, now, true);
    np->own_free_at = port->free_at;
    if (np->departing != ORR_NONE || has_data(&np->first_round))
        orr__source_set(np->process, np->slot, np->own_free_at);
}

void orr__nic_ack(struct orr_net *n, struct orr_lane *lane, uint32_t host,
                  struct orr_packet *p, int64_t now)
{
    struct orr_nic_port *np;

    p->at = now;
    np = &n->nic_port[port_towards(n, host, p)];
    if (n->bare_nics && !orr__observers_see_link(n, np->link)
        && !is_busy(np, now) && !has_acks(np, 0)
        && !(np->n_paced | np->paused)) {
        send_bare_ack(n, lane, np, p, now);
        return;
    }
    /* what start does if this is the first ACK, as most are */
    if (is_single(n, np) && !n->config->nic.fifo && !np->own_queued
        && !is_busy(np, now) && !has_acks(np, 0) && may_serve(np, 0)) {
        release(n, np, now);
        transmit(n, lane, np, p, NULL, now, true);
        return;
    }
    if (queue_ack(np, p))
        start_message(n, lane, np, now);
    else
        orr__fabric_out_of_memory(n);
}

void orr__nic_request(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    struct orr_packet p = {
        .connection = s->id,
        .dst_kind = s->to | ORR_PACKET_CNP,
        .hash = s->path_hash,
        .size_flags = (uint32_t)n->config->ack << ORR_PACKET_FLAG_BITS
                      | ORR_PACKET_ACK | ORR_PACKET_PULL | ORR_PACKET_REPEAT,
        .aux = orr__pull_wanted(n, s).target,
    };

    orr__nic_ack(n, orr__sender_lane(n, s), s->src, &p, now);
}
