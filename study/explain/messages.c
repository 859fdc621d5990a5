#include "study/explain/messages.h"
#include "core/none.h"

#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "net/config/config.h"
#include "study/explain/messages_state.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

static struct orr_what make_what(enum orr_cause cause, uint32_t owner,
                                 uint32_t link)
{
    return (struct orr_what){
        .cause = (uint8_t)cause, .owner = owner, .link = link};
}

/* Another packet has the port, as one that is looked at sees it. */
static struct orr_what passing(const struct orr_messages_observer *o,
                               uint32_t link, enum orr_cause cause,
                               const struct orr_packet *p)
{
    return p->connection == o->connection
               ? make_what(ORR_CAUSE_QUEUEING, ORR_OWNER_SELF, link)
               : make_what(cause, orr__observed_past_owner(o->all, p), link);
}

static bool is_paused(const struct orr_messages_pass *l, uint32_t link,
                      uint32_t class)
{
    return orr__observed_paused(l->world->net, link) >> class & 1;
}

static struct orr_what make_pause(const struct orr_messages_pass *l,
                                  uint32_t link)
{
    return make_what(ORR_CAUSE_PAUSE, l->pauser[link], link);
}

/* ---- links ---- */

static void note_begun(void *begun, const struct orr_packet *p, int64_t begin,
                       int64_t end)
{
    struct orr_begun *b = begun;
    b->connection = p->connection;
    b->end = end;
}

static void watch_link(struct orr_messages_pass *l, uint32_t link, int64_t now)
{
    if (l->watches[link]++)
        return;
    orr__observed_link(l->world->net, link, true);
    l->begun[link] = (struct orr_begun){UINT32_MAX, -1, -1};
    orr__observed_ahead(l->world->net, link, now, note_begun, &l->begun[link]);
}

static void watch_no_more(struct orr_messages_pass *l, uint32_t link)
{
    if (--l->watches[link] == 0)
        orr__observed_link(l->world->net, link, false);
}

/* Watches the links of the connection's path, one way or back, as far as
 * ORR_LOOK_LINKS. */
static void watch_path(struct orr_messages_observer *o, int64_t now,
                       bool forward)
{
    uint32_t *to = o->watched + o->n_watched;
    uint32_t n = orr__net_path_of(o->all->world->net,
                                  &o->all->connection[o->connection].spec,
                                  forward, to, ORR_WATCHED_LINKS);

    n = n < ORR_WATCHED_LINKS ? n : ORR_WATCHED_LINKS;
    o->n_watched += n;
    for (uint32_t i = 0; i < n; i++)
        watch_link(o->all, to[i], now);
}

/* ---- ports: what is in the way of one that waits there ---- */

/* The port was not sending, although a packet waited in it, since its line
 * ends. */
static inline void add_idle(const struct orr_messages_pass *l,
                            struct orr_flight *f, int64_t until)
{
    if (until <= f->line.at)
        return;
    orr__line_add(&f->line, until,
                  is_paused(l, f->link, f->class) ? make_pause(l, f->link)
                  : l->cuts_through
                      ? make_what(ORR_CAUSE_SERIALISATION, ORR_NONE, f->link)
                      : make_what(ORR_CAUSE_QUEUEING, ORR_NONE, f->link));
}

/* Who waits at a port: a packet that is followed, or the sender. */
struct waiting {
    struct orr_messages_observer *one;
    struct orr_flight *flight; /* NULL: the sender */
    uint32_t link;
};

/* Called for each packet that the port will send before the one that waits, in
 * order. */
static void add_ahead(void *arg, const struct orr_packet *p, int64_t begin,
                      int64_t end)
{
    struct waiting *w = arg;
    ORR_ASSERT(begin <= end);
    if (w->flight) {
        add_idle(w->one->all, w->flight, begin);
        orr__line_add(&w->flight->line, end,
                      passing(w->one, w->link, ORR_CAUSE_QUEUEING, p));
    } else {
        orr__line_add(&w->one->sender, end,
                      passing(w->one, w->link, ORR_CAUSE_TURN, p));
    }
}

static void add_packets_ahead(struct orr_messages_observer *o,
                              struct orr_flight *f, uint32_t link, int64_t now)
{
    struct waiting w = {o, f, link};
    orr__observed_ahead(o->all->world->net, link, now, add_ahead, &w);
}

/* ---- the sender ---- */

static struct orr_what held_by(const struct orr_messages_observer *o,
                               enum orr_cause cause)
{
    const struct orr_followed *c = &o->all->connection[o->connection];
    struct orr_what w = make_what(cause, c->cut_owner, c->cut_link);

    w.cut_by = c->cut_by;
    return cause == ORR_CAUSE_WINDOW && o->on_tree ? orr__summed_wait(o, w) : w;
}

/* What it waited for until it became ready: for another host to answer that it
 * may begin, or for its window. */
static struct orr_what closed_by(const struct orr_messages_observer *o)
{
    struct orr_connection_stats stats;
    orr__net_connection_stats(o->all->world->net, o->connection, &stats);
    return o->all->world->net_config->handshake && stats.packets == 0
               ? make_what(ORR_CAUSE_OVERHEAD, ORR_NONE, ORR_NONE)
               : held_by(o, ORR_CAUSE_WINDOW);
}

/* While it is ready, up to a time before which nothing else is known: then the
 * port was idle. A NIC sends what it may, so it stood still for a pause frame,
 * or the window was closed when the turn came, and open again since. */
static void wait_for_turn(struct orr_messages_observer *o, int64_t until)
{
    int64_t paced = o->pace_until < until ? o->pace_until : until;
    orr__line_add(&o->sender, paced, held_by(o, ORR_CAUSE_PACE));
    orr__line_add(&o->sender, until,
                  is_paused(o->all, o->link, o->class)
                      ? make_pause(o->all, o->link)
                      : held_by(o, ORR_CAUSE_WINDOW));
}

static void become_ready(struct orr_messages_observer *o, int64_t now,
                         uint32_t link, int64_t from)
{
    o->state = ORR_MESSAGE_READY;
    o->link = link;
    o->pace_until = from;
    if (from > now) /* the port may be at something else by then */
        return;
    add_packets_ahead(o, NULL, link, now);
}

/* The connection may send: what kept it until now is known, and what is ahead
 * of it at the port. */
static void ready(void *pass, int64_t now, uint32_t connection, uint32_t link,
                  int64_t from, bool again)
{
    struct orr_messages_pass *l = pass;
    struct orr_messages_observer *o =
        connection < l->connections ? l->connection[connection].by : NULL;

    if (!o)
        return;
    /* It was ready before: its window closed meanwhile, or other packets of it
     * go first now. What the port did since is known already. */
    if (o->state == ORR_MESSAGE_READY && o->pace_until > o->sender.at)
        orr__line_add(&o->sender, o->pace_until < now ? o->pace_until : now,
                      held_by(o, ORR_CAUSE_PACE));
    if (again)
        orr__line_add(&o->sender, now,
                      make_what(ORR_CAUSE_RECOVERY,
                                l->connection[connection].drop_owner,
                                l->connection[connection].drop_link));
    else
        orr__line_add(&o->sender, now, closed_by(o));
    become_ready(o, now, link, from);
}

/* Notes when a packet was sent first; returns that time. */
static int64_t note_first(struct orr_messages_observer *o, uint32_t seq,
                          int64_t now)
{
    uint32_t i = seq - o->first_seq;
    if (i >= o->packets) /* of a message before: then it was before this one,
                            or after: then it is the first time */
        return (int32_t)i < 0 ? o->sender.from : now;
    if (!orr__array_more(o->first, o->first_room, i)) {
        orr__messages_fail(o->all);
        return now;
    }
    while (o->firsts <= i)
        o->first[o->firsts++] = now;
    return o->first[i];
}

/* From when an ACK was made the port sent what it had begun, and since it stood
 * still: nothing else keeps an ACK back. */
static void ack_waits(const struct orr_messages_observer *o,
                      struct orr_flight *f, const struct orr_observed_hop *h)
{
    const struct orr_begun *b = &o->all->begun[h->link];
    const struct orr_packet last = {.connection = b->connection};
    struct orr_what w = passing(o, h->link, ORR_CAUSE_TURN, &last);

    orr__line_add(&f->line, b->end < h->now ? b->end : h->now, w);
    orr__line_add(&f->line, h->now,
                  b->still > f->line.at ? make_pause(o->all, h->link) : w);
}

/* A packet of the connection leaves its NIC for the port. */
static void set_out(struct orr_messages_observer *o, struct orr_flight *f,
                    const struct orr_observed_hop *h)
{
    if (h->packet->size_flags & ORR_PACKET_ACK) {
        f->first = f->start = h->packet->at;
        orr__line_begin(&f->line, f->start);
        ack_waits(o, f, h);
        return;
    }
    f->start = h->now;
    f->first = note_first(o, f->seq, h->now);
    if (o->on_tree)
        orr__summed_sent(o, h->packet);
    orr__line_begin(&f->line, h->now);
    if (o->state == ORR_MESSAGE_READY)
        wait_for_turn(o, h->now);
    else /* it was observed before it was reported */
        orr__line_add(&o->sender, h->now, held_by(o, ORR_CAUSE_WINDOW));
    orr__line_cut(&o->sender, h->now);
    o->state = ORR_MESSAGE_QUEUED;
    o->link = h->link;
}

/* One that has nobody to share the NIC with keeps its turn, and nothing is told
 * of that; nor of a window that closes, or closes and opens, while the port is
 * at something else. */
static bool is_ready(struct orr_messages_observer *o)
{
    int64_t from;
    bool again;
    uint32_t link =
        orr__observed_waits(o->all->world->net, o->connection, &from, &again);

    if (link == UINT32_MAX)
        return false;
    o->state = ORR_MESSAGE_READY;
    o->link = link;
    o->pace_until = from;
    return true;
}

/* The first link of a packet is what its sender is at, too. */
static void send_from(struct orr_messages_observer *o,
                      const struct orr_flight *f, const struct orr_packet *p)
{
    uint32_t i = f->seq - o->first_seq;
    struct orr_what w = make_what(ORR_CAUSE_SERIALISATION, ORR_NONE, f->link);

    if (p->size_flags & ORR_PACKET_REPEAT)
        w = make_what(ORR_CAUSE_RECOVERY,
                      o->all->connection[o->connection].drop_owner,
                      o->all->connection[o->connection].drop_link);
    else if (i >= o->packets)
        w = make_what(ORR_CAUSE_QUEUEING, ORR_OWNER_SELF, f->link);
    orr__line_append(&o->sender, &f->line, f->begin);
    orr__line_add(&o->sender, f->begin + f->time, w);
    (void)is_ready(o);
}

/* ---- packets on their way ---- */

/* From the beginning of its transmission to the other end of the link. */
static void travel(const struct orr_messages_observer *o, struct orr_flight *f,
                   int64_t now)
{
    int64_t delay = orr__observed_delay(o->all->world->net, f->link);
    orr__line_add(&f->line, now - delay,
                  make_what(ORR_CAUSE_SERIALISATION, ORR_NONE, f->link));
    orr__line_add(&f->line, now,
                  make_what(ORR_CAUSE_PROPAGATION, ORR_NONE, f->link));
}

static struct orr_messages_observer *who_follows(
    const struct orr_messages_pass *l, const struct orr_packet *p)
{
    return p->connection < l->connections ? l->connection[p->connection].by
                                          : NULL;
}

/* A packet comes to a port. NULL: there is no memory, or it was sent before the
 * message was. */
static struct orr_flight *enter_port(struct orr_messages_pass *l,
                                     struct orr_messages_observer *o,
                                     const struct orr_observed_hop *h)
{
    struct orr_flight *f;
    if (h->own) {
        f = orr__flight_new(&o->flights, h->packet);
        if (!f) {
            orr__messages_fail(l);
            return NULL;
        }
        set_out(o, f, h);
    } else {
        f = orr__flight_to(&o->flights, l->world->graph, h->packet,
                           l->world->graph->from[h->link]);
        if (!f)
            return NULL;
        travel(o, f, h->now);
    }
    f->link = h->link;
    f->links++;
    return f;
}

static void queued(void *pass, const struct orr_observed_hop *h)
{
    struct orr_messages_pass *l = pass;
    struct orr_messages_observer *o = who_follows(l, h->packet);
    struct orr_flight *f = o ? enter_port(l, o, h) : NULL;

    if (!f)
        return;
    orr__flight_wait(&o->flights, f);
    add_packets_ahead(o, f, h->link, h->now);
}

/* What begins, for those of the looker that wait at its port: most of them have
 * waited for what was before it, too, and that was the same. */
static void pass_waiting(struct orr_messages_observer *o,
                         const struct orr_observed_hop *h, struct orr_what w)
{
    struct orr_flight *f = orr__flights_waiting(&o->flights, h->link);
    ORR_ASSERT(h->time >= 0);
    for (; f; f = f->wait)
        if (f->link == h->link) {
            add_idle(o->all, f, h->begin);
            orr__line_add(&f->line, h->begin + h->time, w);
        }
}

/* For the sender: while its window is closed, that is what it waits for,
 * whatever the NIC does. */
static void pass_sender(struct orr_messages_observer *o,
                        const struct orr_observed_hop *h)
{
    int64_t end = h->begin + h->time;
    int64_t paced = o->pace_until < end ? o->pace_until : end;
    bool was = o->state == ORR_MESSAGE_READY;

    if (was)
        orr__line_add(&o->sender, paced, held_by(o, ORR_CAUSE_PACE));
    if (end <= o->sender.at)
        return;
    if (!is_ready(o)) {
        o->state = ORR_MESSAGE_BLOCKED;
        return;
    }
    if (was)
        wait_for_turn(o, h->begin);
    else
        orr__line_add(&o->sender, h->begin, held_by(o, ORR_CAUSE_WINDOW));
    orr__line_add(&o->sender, end,
                  passing(o, h->link, ORR_CAUSE_TURN, h->packet));
}

/* What a packet that begins means for one that waits there. */
static void pass_by(struct orr_messages_observer *o,
                    const struct orr_observed_hop *h)
{
    if (orr__flights_waiting(&o->flights, h->link))
        pass_waiting(o, h, passing(o, h->link, ORR_CAUSE_QUEUEING, h->packet));
    if (o->state != ORR_MESSAGE_QUEUED && o->link == h->link && !o->here)
        pass_sender(o, h);
}

/* own: who follows it as f, which does not wait; NULL: none does. */
static inline void begin_with(struct orr_messages_pass *l,
                              struct orr_messages_observer *own,
                              struct orr_flight *f,
                              const struct orr_observed_hop *h)
{
    if (f) {
        f->begin = h->begin;
        f->time = h->time;
        add_idle(l, f, h->begin);
        if (f->links == 1 && !(h->packet->size_flags & ORR_PACKET_ACK))
            send_from(own, f, h->packet);
    }
    for (uint32_t i = 0; i < l->n; i++)
        if (l->one[i].on)
            pass_by(&l->one[i], h);
    note_begun(&l->begun[h->link], h->packet, h->begin, h->begin + h->time);
}

static void begins(void *pass, const struct orr_observed_hop *h)
{
    struct orr_messages_pass *l = pass;
    struct orr_messages_observer *own = who_follows(l, h->packet);
    struct orr_flight *f =
        own ? orr__flight_at(&own->flights, h->packet, h->link) : NULL;

    if (f)
        orr__flight_go(&own->flights, f);
    begin_with(l, own, f, h);
}

/* Nothing is ahead of it. */
static void passed(void *pass, const struct orr_observed_hop *h)
{
    struct orr_messages_pass *l = pass;
    struct orr_messages_observer *own = who_follows(l, h->packet);

    begin_with(l, own, own ? enter_port(l, own, h) : NULL, h);
}

/* A frame that a port sends is of the memory at the end of the other direction
 * of its cable, and stands in the way like what it asks for. */
static void frame(void *pass, const struct orr_observed_hop *h)
{
    struct orr_messages_pass *l = pass;
    uint32_t cables = l->world->graph->cables;
    uint32_t of = h->link < cables ? h->link + cables : h->link - cables;
    struct orr_what w = make_what(ORR_CAUSE_PAUSE, l->pauser[of], h->link);

    for (uint32_t i = 0; i < l->n; i++)
        if (l->one[i].on)
            pass_waiting(&l->one[i], h, w);
}

/* Up to now what waits was held back as the port was before. */
static void paused(void *pass, int64_t now, uint32_t link)
{
    struct orr_messages_pass *l = pass;
    if (orr__observed_paused(l->world->net, link))
        l->begun[link].still = now;
    for (uint32_t i = 0; i < l->n; i++) {
        struct orr_messages_observer *o = &l->one[i];
        struct orr_flight *f =
            o->on ? orr__flights_waiting(&o->flights, link) : NULL;

        for (; f; f = f->wait)
            if (f->link == link)
                add_idle(l, f, now);
        if (o->on && !o->here && o->state == ORR_MESSAGE_READY
            && o->link == link)
            wait_for_turn(o, now);
    }
}

/* A packet is at its host: the last data packet and the last ACK are kept,
 * since one of them ends the message. */
static void arrived(void *pass, int64_t now, uint32_t host,
                    const struct orr_packet *p)
{
    struct orr_messages_pass *l = pass;
    struct orr_messages_observer *o = who_follows(l, p);
    struct orr_flight *f, *last;
    struct orr_spending line;

    if (!o)
        return;
    if (o->on_tree) {
        orr__summed_result(o, now, p);
        return;
    }
    f = orr__flight_to(&o->flights, l->world->graph, p, host);
    last = p->size_flags & ORR_PACKET_ACK ? &o->ack : &o->data;
    last->begin = -1;
    if (!f)
        return;
    travel(o, f, now);
    line = last->line;
    *last = *f;
    last->begin = now;
    f->line = line; /* its room, for another */
    orr__flight_end(&o->flights, f);
}

/* ---- messages ---- */

/* The message is sent just now, at the moment of the first pass, or the passes
 * differ (o->wrong). */
static void begin_message(struct orr_messages_observer *o, int64_t now,
                          const struct orr_message *m)
{
    const struct orr_leg *s = &o->at->leg[o->next];
    int64_t from;
    bool again;
    uint32_t link;

    o->on = true;
    o->here = false;
    o->wrong |= o->at->owner != ORR_OWNER_IS_FLOWS && s->from != now;
    o->message = m->id;
    o->connection = m->connection;
    o->first_seq = m->first_seq;
    o->packets = m->packets;
    o->class =
        orr__observed_connection(o->all->world->net, m->connection).class;
    o->link = ORR_NONE;
    o->firsts = 0;
    o->data.begin = o->ack.begin = -1;
    o->all->connection[m->connection].by = o;
    o->n_watched = 0;
    o->on_tree = orr__summed_begin(o);
    if (o->on_tree && o->all->fixed) {
        o->watched[o->n_watched++] = o->tree.up[0];
        o->watched[o->n_watched++] = o->tree.back[0];
        watch_link(o->all, o->tree.up[0], now);
        watch_link(o->all, o->tree.back[0], now);
    } else if (o->all->fixed) {
        watch_path(o, now, true);
        if (s->kind == ORR_LEG_ACKED)
            watch_path(o, now, false);
    }
    orr__line_begin(&o->sender, now);
    o->state = ORR_MESSAGE_BLOCKED;
    link =
        orr__observed_waits(o->all->world->net, m->connection, &from, &again);
    if (link != UINT32_MAX)
        become_ready(o, now, link, from);
}

static struct orr_messages_observer *observer_of_user(
    struct orr_messages_pass *l, uint32_t user)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->one[i].user == user)
            return &l->one[i];
    return NULL;
}

/* A message is sent: it is known by its number among those of its rank. */
static void message(void *pass, int64_t now, const struct orr_message *m)
{
    struct orr_messages_pass *l = pass;
    struct orr_messages_observer *o = observer_of_user(l, m->user);
    uint64_t serial;

    if (m->connection >= l->connections) /* there was no memory */
        return;
    orr__observed_past_message(l, m);
    if (!o || o->next == o->at->n)
        return;
    serial = o->at->owner == ORR_OWNER_IS_FLOWS
                 ? m->arg
                 : orr__leg_serial(m->src, o->sent[m->src]++);
    if (!o->on && serial == o->at->leg[o->next].serial)
        begin_message(o, now, m);
}

static void next_message(struct orr_messages_observer *o)
{
    while (o->next < o->at->n && o->at->leg[o->next].kind < ORR_LEG_ARRIVAL)
        o->next++;
    if (o->next == o->at->n && --o->all->open == 0)
        orr__net_halt(o->all->world->net);
}

/* The message is over: the leg's line is complete, or something is wrong. */
static void end_message(struct orr_messages_observer *o, int64_t now)
{
    struct orr_leg *s = &o->at->leg[o->next];
    if (s->line.failed)
        orr__messages_fail(o->all);
    o->wrong |= s->line.at != now || s->until != now;
    for (uint32_t i = 0; i < o->n_watched; i++)
        watch_no_more(o->all, o->watched[i]);
    o->all->connection[o->connection].by = NULL;
    orr__flights_end(&o->flights);
    o->on = false;
    o->next++;
    next_message(o);
}

/* From being sent to being there: by the packet that arrived just now. */
static void add_arrival(struct orr_messages_observer *o, int64_t now)
{
    struct orr_leg *s = &o->at->leg[o->next];
    const struct orr_followed *c = &o->all->connection[o->connection];
    const struct orr_flight *p = &o->data;
    struct orr_what again =
        make_what(ORR_CAUSE_RECOVERY, c->drop_owner, c->drop_link);

    orr__line_begin(&s->line, o->sender.from);
    if (o->on_tree) {
        orr__summed_end(o, now);
        return;
    }
    if (p->begin == now) {
        orr__line_append(&s->line, &o->sender, p->first);
        orr__line_add(&s->line, p->start, again);
        orr__line_append(&s->line, &p->line, now);
    }
    orr__line_add(&s->line, now, again); /* one that set out before it did */
}

/* At the destination: the leg is over, unless it lasts until the ACK. */
static void received(void *one, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct orr_messages_observer *o = one;
    if (o->on && !o->here && m->id == o->message) {
        const struct orr_leg *s = &o->at->leg[o->next];

        if (s->kind != ORR_LEG_SENT)
            add_arrival(o, now);
        if (s->kind == ORR_LEG_ARRIVAL)
            end_message(o, now);
        else
            o->here = s->kind == ORR_LEG_ACKED;
    }
    o->own->received(o->context, host, now, m);
}

/* The last byte has left the host, which ends a leg of kind SENT. */
static void sent(void *one, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
    struct orr_messages_observer *o = one;
    if (o->on && m->id == o->message
        && o->at->leg[o->next].kind == ORR_LEG_SENT) {
        struct orr_leg *s = &o->at->leg[o->next];

        orr__line_begin(&s->line, o->sender.from);
        orr__line_append(&s->line, &o->sender, now);
        orr__line_add(&s->line, now,
                      make_what(ORR_CAUSE_SERIALISATION, ORR_NONE, o->link));
        end_message(o, now);
    }
    o->own->sent(o->context, host, now, m);
}

/* The ACK that arrived just now tells of all of it. It was made when the
 * message was there, or later: held back, or the one before got lost. */
static void add_ack(struct orr_messages_observer *o, int64_t now)
{
    struct orr_leg *s = &o->at->leg[o->next];
    const struct orr_followed *c = &o->all->connection[o->connection];
    const struct orr_flight *a = &o->ack;
    struct orr_what again =
        make_what(ORR_CAUSE_RECOVERY, c->drop_owner, c->drop_link);
    bool late = a->flags & (ORR_PACKET_DUPLICATE | ORR_PACKET_NACK);

    if (a->begin == now) {
        orr__line_add(&s->line, a->start,
                      late ? again
                           : make_what(ORR_CAUSE_OVERHEAD, ORR_NONE, ORR_NONE));
        orr__line_append(&s->line, &a->line, now);
    }
    orr__line_add(&s->line, now, again);
}

static void acked(void *one, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct orr_messages_observer *o = one;
    if (o->on && m->id == o->message && o->here) {
        add_ack(o, now);
        end_message(o, now);
    }
    o->own->acked(o->context, host, now, m);
}

static void timer(void *one, uint32_t host, int64_t now, uint64_t arg)
{
    struct orr_messages_observer *o = one;

    o->own->timer(o->context, host, now, arg);
}

static const struct orr_net_ops upcalls = {
    .received = received,
    .sent = sent,
    .acked = acked,
    .timer = timer,
};

const struct orr_packet_observer_ops orr__messages_packets = {
    .listed = true,
    .message = message,
    .connected = orr__observed_past_connected,
    .ready = ready,
    .queued = queued,
    .begins = begins,
    .passed = passed,
    .frame = frame,
    .dropped = orr__observed_past_dropped,
    .marked = orr__observed_past_marked,
    .arrived = arrived,
    .pausing = orr__observed_past_pausing,
    .paused = paused,
    .cut = orr__observed_past_cut,
    .summed = orr__summed_whole,
};

void orr__messages_begin(struct orr_messages_pass *l)
{
    struct orr_world *w = l->world;

    for (uint32_t k = 0; !l->fixed && k < w->graph->links; k++)
        watch_link(l, k, 0);
    l->open = l->n;
    for (uint32_t i = 0; i < l->n; i++) {
        struct orr_messages_observer *o = &l->one[i];

        o->user = o->at->owner == ORR_OWNER_IS_FLOWS
                      ? orr__flows_user(w)
                      : w->jobs[o->at->owner].team->user;
        orr__observed_user(w->net, o->user, &upcalls, o, &o->own, &o->context);
        next_message(o);
    }
}
