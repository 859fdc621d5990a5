/* Looking on: see packet_observer_calls.h. What tells the observer is in
 * follow_tell.h. */
#include "net/watch/packet_observer.h"

#include <assert.h>

#include "core/memory.h"
#include "core/units.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/fabric/queue.h"
#include "net/host/host.h"
#include "net/port/cut_through.h"

/* A control that is listened to: another between the sender and it. */
struct orr_observed_control {
    struct orr_cc cc;      /* what the sender has */
    struct orr_cc_ops ops; /* of it */
    const struct orr_cc *own;
    const struct orr_net *net;
    uint32_t connection;
    struct orr_observed_control *next;
};

static bool sees_packets(const struct orr_packet_observer_ops *ops)
{
    return ops->ready || ops->queued || ops->begins || ops->frame
           || ops->dropped || ops->marked || ops->arrived || ops->pausing
           || ops->paused;
}

orr_err orr__net_observe_packets(struct orr_net *n,
                                 const struct orr_packet_observer_ops *ops,
                                 void *observer, struct orr_report *why)
{
    struct orr_packet_observers *f = n->observers;

    if (!f) {
        f = orr__alloc(1, sizeof *f);
        if (!f)
            return orr__no_memory(why);
        n->observers = f; /* and freed with it */
        f->watched =
            orr__alloc((size_t)n->graph->links + 1, sizeof *f->watched);
        f->lent = orr__alloc((size_t)n->graph->links + 1, sizeof *f->lent);
    }
    if (!f->watched || !f->lent)
        return orr__no_memory(why);
    assert(f->n < ORR_MOST_OBSERVERS);
    f->one[f->n++] = (struct orr_packet_observer){ops, observer};
    if (!sees_packets(ops))
        return ORR_OK;
    f->packets = true;
    f->arrivals |= ops->arrived && !ops->listed;
    f->apart |= (ops->queued || ops->begins) && !ops->passed;
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (n->queue[l]) /* nothing was sent yet */
            n->queue[l]->single = n->queue[l]->bare = n->queue[l]->composite =
                false;
    return ORR_OK;
}

void orr__observed_free(struct orr_net *n)
{
    struct orr_packet_observers *f = n->observers;

    if (!f)
        return;
    while (f->controls) {
        struct orr_observed_control *c = f->controls;

        f->controls = c->next;
        orr__free(c);
    }
    orr__free(f->watched);
    orr__free(f->lent);
    orr__free(f);
}

/* A port that needs no queue of its own gets an empty one when it is watched
 * first: it then goes by its queue, to the same end. */
void orr__observed_link(struct orr_net *n, uint32_t link, bool on)
{
    struct orr_port *port = &n->port[link];

    if (on && !n->queue[link]) {
        n->queue[link] = orr__alloc_lines(1, sizeof *n->queue[link]);
        if (!n->queue[link]) {
            orr__fabric_out_of_memory(n);
            return;
        }
        n->queue[link]->process = n->node[n->graph->from[link]].process;
        n->queue[link]->judged_ps = ORR_NEVER;
        n->observers->lent[link] = true;
    }
    n->observers->watched[link] += on ? 1 : -1;
    port->uses_queue = n->observers->watched[link]
                       || (n->queue[link] && !n->observers->lent[link]);
    orr__port_set_unchecked(port);
}

void orr__observed_user(struct orr_net *n, uint32_t user,
                        const struct orr_net_ops *ops, void *context,
                        const struct orr_net_ops **own, void **own_context)
{
    *own = n->user[user].ops;
    *own_context = n->user[user].context;
    n->user[user] = (struct orr_net_user){ops, context};
}

/* ---- controls ---- */

/* Tells if the answer is less than what it was. */
static void tell_reduced(const struct orr_observed_control *c,
                         const struct orr_cc_window *before,
                         const struct orr_cc_window *w, int64_t now,
                         const struct orr_cc_ack *a, int why)
{
    const struct orr_packet_observers *f = c->net->observers;

    if (w->cwnd >= before->cwnd && (w->rate >= before->rate || w->rate <= 0)
        && !(before->rate <= 0 && w->rate > 0))
        return;
    for (unsigned i = 0; i < f->n; i++)
        if (f->one[i].ops->cut)
            f->one[i].ops->cut(f->one[i].observer, now, c->connection, a, why);
}

/* Why a control cut its window without a loss: what it goes by. Of
 * one that goes by several, or by what nobody knows, what it was told now. */
static int why_of(const struct orr_cc *own, bool echo, bool telemetry)
{
    switch (own->signals) {
    case ORR_CC_MARKS: return ORR_CUT_MARK;
    case ORR_CC_DELAY: return ORR_CUT_DELAY;
    case ORR_CC_TELEMETRY: return ORR_CUT_TELEMETRY;
    default:
        return echo        ? ORR_CUT_MARK
               : telemetry ? ORR_CUT_TELEMETRY
                           : ORR_CUT_DELAY;
    }
}

/* What it remembers of marks may take effect now. */
static void on_send(void *state, const void *params, struct orr_cc_window *w,
                    int64_t now, uint32_t bytes)
{
    const struct orr_observed_control *c = params;
    struct orr_cc_window before = *w;

    c->own->ops->on_send(state, c->own->params, w, now, bytes);
    tell_reduced(c, &before, w, now, NULL, why_of(c->own, false, false));
}

static void on_ack(void *state, const void *params, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    const struct orr_observed_control *c = params;
    struct orr_cc_window before = *w;
    bool loss = (a->lost || a->recovering) && c->own->ops->on_loss;
    int why =
        loss ? ORR_CUT_LOSS : why_of(c->own, a->echo, a->telemetry != NULL);

    c->own->ops->on_ack(state, c->own->params, w, a);
    tell_reduced(c, &before, w, a->now_ps, a, why);
}

static void on_loss(void *state, const void *params, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    const struct orr_observed_control *c = params;
    struct orr_cc_window before = *w;

    c->own->ops->on_loss(state, c->own->params, w, a);
    tell_reduced(c, &before, w, a->now_ps, a, ORR_CUT_LOSS);
}

static void on_timeout(void *state, const void *params, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    const struct orr_observed_control *c = params;
    struct orr_cc_window before = *w;

    c->own->ops->on_timeout(state, c->own->params, w, a);
    tell_reduced(c, &before, w, a->now_ps, a, ORR_CUT_TIMEOUT);
}

static void on_cnp(void *state, const void *params, struct orr_cc_window *w,
                   int64_t now)
{
    const struct orr_observed_control *c = params;
    struct orr_cc_window before = *w;

    c->own->ops->on_cnp(state, c->own->params, w, now);
    tell_reduced(c, &before, w, now, NULL, ORR_CUT_MARK);
}

void orr__observed_control(struct orr_net *n, uint32_t connection)
{
    struct orr_sender *s = orr__sender(n, connection);
    struct orr_observed_control *c = orr__alloc(1, sizeof *c);

    if (!c) {
        orr__fabric_out_of_memory(n);
        return;
    }
    c->own = s->control;
    c->cc = *s->control;
    c->ops = *s->control->ops;
    c->cc.ops = &c->ops;
    c->cc.params = c;
    c->ops.on_send = c->ops.on_send ? on_send : NULL;
    c->ops.on_ack = c->ops.on_ack ? on_ack : NULL;
    c->ops.on_loss = c->ops.on_loss ? on_loss : NULL;
    c->ops.on_timeout = c->ops.on_timeout ? on_timeout : NULL;
    c->ops.on_cnp = c->ops.on_cnp ? on_cnp : NULL;
    c->net = n;
    c->connection = connection;
    c->next = n->observers->controls;
    n->observers->controls = c;
    s->control = &c->cc;
}

/* ---- what there is ---- */

/* When a packet on a link has left its port. */
static int64_t left_at(const struct orr_net *n, const struct orr_port *port,
                       const struct orr_packet *p)
{
    return p->at - port->delay_ps
           + orr__cut_lead(n, port->id, orr__packet_size(p));
}

/* The ring of a computed port has all that has not left: none of it is at the
 * end of the link yet. */
static uint32_t first_ahead(const struct orr_net *n,
                            const struct orr_port *port, int64_t now)
{
    uint32_t i = port->tail;

    while (i != orr__port_exchanged_head(port)
           && left_at(n, port, &port->ring[(i - 1) & port->mask]) > now)
        i--;
    return i;
}

void orr__observed_ahead(const struct orr_net *n, uint32_t link, int64_t now,
                         void (*each)(void *arg, const struct orr_packet *p,
                                      int64_t begin, int64_t end),
                         void *arg)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];

    if (q && q->explicit) {
        if (q->busy && q->busy_until > now)
            each(arg, &q->serving, now, q->busy_until);
        return;
    }
    if (port->free_at <= now) /* all has left */
        return;
    for (uint32_t i = first_ahead(n, port, now); i != port->tail; i++) {
        const struct orr_packet *p = &port->ring[i & port->mask];
        int64_t end = left_at(n, port, p);

        each(arg, p,
             end - orr__serialisation(orr__packet_size(p), n->rate_bps[link]),
             end);
    }
}

void orr__observed_queue(const struct orr_net *n, uint32_t link, int64_t now,
                         bool (*each)(void *arg, const struct orr_packet *p),
                         void *arg)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];

    if (!q || !q->explicit) {
        for (uint32_t i = first_ahead(n, port, now); i != port->tail; i++)
            if (!each(arg, &port->ring[i & port->mask]))
                return;
        return;
    }
    if (q->busy && q->busy_until > now && !each(arg, &q->serving))
        return;
    for (uint32_t k = 0; k <= q->fifos; k++)
        for (uint32_t i = q->fifo[k].head; i != q->fifo[k].tail; i++)
            if (!each(arg, orr__fifo_at(&q->fifo[k], i)))
                return;
}

/* Where connections share a port out, a queue passes from one to another. */
uint32_t orr__observed_fifos(const struct orr_net *n, uint32_t link)
{
    const struct orr_queue *q = n->queue[link];

    return q && q->explicit && !q->shares ? q->fifos + 1 : 0;
}

struct orr_observed_fifo orr__observed_fifo(const struct orr_net *n,
                                            uint32_t link, uint32_t fifo)
{
    const struct orr_fifo *f = &n->queue[link]->fifo[fifo];

    return (struct orr_observed_fifo){f->head, f->tail};
}

const struct orr_packet *orr__observed_fifo_at(const struct orr_net *n,
                                               uint32_t link, uint32_t fifo,
                                               uint32_t number)
{
    return orr__fifo_at(&n->queue[link]->fifo[fifo], number);
}

const struct orr_packet *orr__observed_serving(const struct orr_net *n,
                                               uint32_t link, int64_t now)
{
    const struct orr_queue *q = n->queue[link];

    return q->busy && q->busy_until > now ? &q->serving : NULL;
}

static bool is_observed(const struct orr_packet *p, uint32_t link,
                        uint32_t class)
{
    return orr__ticket_link(p) == link
           && (p->dst_kind & ORR_PACKET_CLASS) == class
           && !(p->dst_kind & ORR_PACKET_PAUSE);
}

void orr__observed_held(const struct orr_net *n, uint32_t link, uint32_t class,
                        bool (*each)(void *arg, const struct orr_packet *p),
                        void *arg)
{
    const struct orr_graph *g = n->graph;
    uint32_t node = g->to[link];

    for (uint32_t k = g->out_off[node]; k < g->out_off[node + 1]; k++) {
        const struct orr_queue *q = n->queue[g->out_link[k]];

        if (q->busy && is_observed(&q->serving, link, class)
            && !each(arg, &q->serving))
            return;
        for (uint32_t f = 0; f <= q->fifos; f++)
            for (uint32_t i = q->fifo[f].head; i != q->fifo[f].tail; i++)
                if (is_observed(orr__fifo_at(&q->fifo[f], i), link, class)
                    && !each(arg, orr__fifo_at(&q->fifo[f], i)))
                    return;
    }
}

uint8_t orr__observed_paused(const struct orr_net *n, uint32_t link)
{
    return n->queue[link] ? n->queue[link]->paused : 0;
}

uint32_t orr__observed_waits(const struct orr_net *n, uint32_t connection,
                             int64_t *from, bool *again)
{
    const struct orr_sender *s = orr__sender(n, connection);

    if (s->list == ORR_LIST_NONE || orr__sender_wants(s) == ORR_LIST_NONE)
        return UINT32_MAX;
    *from = orr__sender_paced_at(s);
    *again = s->lost > 0;
    return n->nic_port[s->nic_port].link;
}

int64_t orr__observed_delay(const struct orr_net *n, uint32_t link)
{
    return n->port[link].delay_ps;
}

bool orr__observed_fixed_paths(const struct orr_net *n)
{
    return !n->config->moves && !n->config->reorders && !n->config->detours
           && !n->rerouting;
}

uint64_t orr__observed_backlog(const struct orr_net *n, uint32_t link,
                               int64_t now)
{
    struct orr_link_sample s;

    orr__net_link_sample(n, link, now, &s);
    return s.queue;
}

struct orr_observed_connection orr__observed_connection(const struct orr_net *n,
                                                        uint32_t connection)
{
    const struct orr_sender *s = orr__sender(n, connection);

    return (struct orr_observed_connection){s->src, s->dst, s->identity,
                                            s->class, s->control};
}
