/* Users that leave: how they are stopped, and when their numbers are free.
 *
 * A connection is known by its number to packets, timers and messages, anywhere
 * in the net; nobody counts them, for that would cost every packet. So numbers
 * are given back by looking at all that is in the net, now and then. */
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/queue.h"
#include "net/fabric/timer.h"
#include "net/host/host.h"
#include "net/tree/tree.h"

/* ---- stopping ------------------------------------------------------------ */

static void no_message(void *context, uint32_t host, int64_t now,
                       const struct orr_message *m)
{
}

static void no_timer(void *context, uint32_t host, int64_t now, uint64_t arg)
{
}

static const struct orr_net_ops silent = {
    .received = no_message,
    .sent = no_message,
    .acked = no_message,
    .timer = no_timer,
};

/* It rests from now on: its messages are given back when they are swept. */
static void stop_connection(struct orr_net *n, uint32_t id)
{
    struct orr_sender *s = orr__sender(n, id);
    struct orr_receiver *r = orr__receiver(n, id);

    orr__nic_withdraw(n, s);
    s->message = s->first_unacked = s->last_message = ORR_NONE;
    s->una = s->next = s->queued;
    s->in_flight = s->here = s->lost = 0;
    s->spares = s->probe = s->probing = false;
    s->closed = s->apart = true;
    s->opening = ORR_OPEN; /* no answer is waited for */
    s->timeout.due = s->reorder.due = s->tail.due = ORR_NEVER;
    orr__sender_counts(n, s);
    r->held.due = ORR_NEVER;
    orr__pull_forget(n, id);
    r->apart = ORR_APART_CLOSED;
}

/* Keeps the timers of a process for which keep(arg, timer) is true. */
static void filter(struct orr_process *p,
                   bool (*keep)(void *arg, const struct orr_timer *t),
                   void *arg)
{
    uint32_t count = p->timers.count, kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (keep(arg, &p->timers.item[i]))
            p->timers.item[kept++] = p->timers.item[i];
        else
            orr__timer_count(p, p->timers.item[i].what, UINT32_MAX);
    if (kept == count)
        return;
    p->timers.count = 0;
    for (uint32_t i = 0; i < kept; i++) {
        struct orr_timer t = p->timers.item[i];
        bool added = orr__timers_add(&p->timers, &t); /* there is room */

        assert(added);
        (void)added;
    }
    orr__source_set(p, orr__process_timer(p), orr__timers_next(&p->timers));
}

static bool not_of(void *user, const struct orr_timer *t)
{
    return t->what != ORR_WHAT_USER + *(uint32_t *)user;
}

/* Enters what hosts set on one another and what was sent before the run. */
static void exchange(struct orr_net *n)
{
    for (unsigned w = 0; w < n->workers; w++)
        orr__fabric_exchange(n, w);
}

void orr__net_stop_user(struct orr_net *n, const struct orr_net_teardown *l)
{
    uint32_t user = l->user;

    exchange(n);
    n->user[user] = (struct orr_net_user){&silent, NULL};
    for (uint32_t i = 0; i < n->processes; i++)
        filter(&n->process[i], not_of, &user);
    for (uint32_t i = 0; i < l->connections; i++)
        stop_connection(n, l->connection[i]);
}

/* ---- sweeping ------------------------------------------------------------ */

/* One look at all that is in the net; the arrays are freed after it. */
struct sweep {
    struct orr_net *n;
    bool *leaves; /* per connection: it is of one of those that leave */
    bool *named;  /* per connection: something in the net names it */
    bool *busy;   /* per user: a message or a timer is its */
};

static void see_packet(struct sweep *s, const struct orr_packet *p)
{
    if (!(p->dst_kind & ORR_PACKET_PAUSE)) /* those are of no connection */
        s->named[p->connection] = true;
}

static void see_queue(struct sweep *s, const struct orr_port *port,
                      const struct orr_queue *q)
{
    if (q->busy)
        see_packet(s, orr__serving(port, q));
    for (uint32_t i = 0; i <= q->fifos; i++)
        for (uint32_t k = 0; k < orr__waiting(q, i); k++)
            see_packet(s, orr__waiting_at(port, q, i, k));
}

/* Names every connection that a packet belongs to: on links, in explicit ports,
 * ACKs at NICs. */
static void see_packets(struct sweep *s)
{
    const struct orr_net *n = s->n;

    for (uint32_t l = 0; l < n->graph->links; l++) {
        const struct orr_port *port = &n->port[l];

        for (uint32_t i = orr__inlet_of(n, l)->head; i != port->tail; i++)
            see_packet(s, &port->ring[i & port->mask]);
        if (n->queue[l] && n->queue[l]->explicit)
            see_queue(s, port, n->queue[l]);
    }
    for (uint32_t i = 0; i < n->nic_ports; i++)
        for (uint32_t c = 0; c < n->config->classes; c++) {
            const struct orr_nic_class *k = &n->nic_port[i].class[c];

            for (uint32_t a = k->ack_head; a != k->ack_tail; a++)
                see_packet(s, &k->acks[a & (k->ack_capacity - 1)]);
        }
}

/* Timers of alarms that are not needed are taken back: they may lie far
 * ahead. Timers of messages (analytical.h) go with those. */
static bool see_timer(void *sweep, const struct orr_timer *t)
{
    struct sweep *s = sweep;
    struct orr_alarm *alarm = orr__alarm_of(s->n, t);
    uint32_t id = (uint32_t)t->arg;

    if (alarm && s->leaves[id]
        && (alarm->set != t->at || alarm->due == ORR_NEVER)) {
        if (alarm->set == t->at)
            alarm->set = ORR_NEVER;
        return false;
    }
    if (alarm)
        s->named[id] = true;
    else if (t->what >= ORR_WHAT_USER)
        s->busy[t->what - ORR_WHAT_USER] = true;
    return true;
}

/* Those of silenced connections are at their end once they have left; but
 * where messages are not cut up, they arrive by themselves. */
static void see_messages(struct sweep *s)
{
    struct orr_net *n = s->n;
    uint32_t bound = orr__slab_bound(&n->messages);
    bool whole = n->config->transport == ORR_TRANSPORT_ANALYTICAL;

    for (uint32_t i = 0; i < bound; i++) {
        const struct orr_message *m = orr__slab_get(&n->messages, i);
        const struct orr_sender *from;

        if (m->id != i || m->packets == 0)
            continue; /* nobody's */
        from = orr__sender(n, m->connection);
        if (!whole && from->closed && s->leaves[m->connection]
            && m->departs_by == ORR_NONE) {
            orr__message_release(n, orr__sender_lane(n, from), i);
            continue;
        }
        s->named[m->connection] = true;
        s->busy[m->user] = true;
    }
}

static bool is_gone(const struct sweep *s, const struct orr_net_teardown *l)
{
    if (s->busy[l->user])
        return false;
    for (uint32_t i = 0; i < l->connections; i++)
        if (s->named[l->connection[i]]
            || orr__sender(s->n, l->connection[i])->list != ORR_LIST_NONE)
            return false;
    return true;
}

/* Frees what a connection owns, and its number. Nothing in the net may name it
 * any more. */
static void give_back(struct orr_net *n, uint32_t id)
{
    struct orr_sender *s = orr__sender(n, id);
    struct orr_receiver *r = orr__receiver(n, id);
    struct orr_lane *lane = orr__sender_lane(n, s);

    orr__free(s->own_path);
    orr__free(s->sent);
    orr__free(s->resends.ring);
    orr__free(s->cc);
    orr__entropies_free(n, s);
    orr__stream_free(s->stream);
    orr__free(r->bits);
    orr__free(r->boundary);
    orr__pull_forget(n, id);
    memset(s, 0, sizeof *s);
    memset(r, 0, sizeof *r);
    orr__slab_release(&lane->connections, id);
}

static void let_go(struct orr_net *n, struct orr_net_teardown *l)
{
    for (uint32_t i = 0; i < l->connections; i++)
        give_back(n, l->connection[i]);
    n->user[l->user].ops = NULL;
    l->gone = true;
}

/* After an exchange, so that all packets are visible; then packets, messages
 * and timers in turn. */
static void sweep_net(struct sweep *s, const struct orr_net_teardown *l,
                      uint32_t count)
{
    struct orr_net *n = s->n;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < l[i].connections; c++)
            s->leaves[l[i].connection[c]] = true;
    exchange(n);
    see_packets(s);
    see_messages(s);
    for (uint32_t i = 0; i < n->processes; i++)
        filter(&n->process[i], see_timer, s);
}

orr_err orr__net_teardown(struct orr_net *n, struct orr_net_teardown *l,
                          uint32_t count, struct orr_report *why)
{
    uint32_t bound = orr__slab_bound(&n->senders);
    struct sweep s = {
        .n = n,
        .leaves = orr__alloc(bound, sizeof *s.leaves),
        .named = orr__alloc(bound, sizeof *s.named),
        .busy = orr__alloc(n->users, sizeof *s.busy),
    };
    orr_err err = s.leaves && s.named && s.busy ? ORR_OK : orr__no_memory(why);

    if (err == ORR_OK)
        sweep_net(&s, l, count);
    for (uint32_t i = 0; i < count && err == ORR_OK; i++)
        if (is_gone(&s, &l[i]))
            let_go(n, &l[i]);
    orr__free(s.leaves);
    orr__free(s.named);
    orr__free(s.busy);
    return err;
}
