/* The way of most packets of a host: one of its connections sends, at a bare
 * port (bare_nics), and what it sends follows one another with nothing but ACKs
 * in between. What nic.c does for any number of them, less what is known of
 * one. */
#include "core/none.h"
#include "net/fabric/nic_port.h"
#include "net/host/host.h"
#include "net/host/segment.h"
#include "net/port/port.h"

#define PART static inline __attribute__((always_inline))

/* Nothing but new data and ACKs waits at the port, or for it, and nobody looks
 * on there. */
PART bool only_new(const struct orr_net *n, const struct orr_nic_port *np)
{
    ORR_ASSERT(n->bare_nics);
    return np->first_round.repeat_first == ORR_NONE && np->departing == ORR_NONE
           && !(np->n_paced | np->paused)
           && !orr__observers_see_link(n, np->link);
}

/* Once it sends its window is all that it asks. */
PART bool may_pass(const struct orr_sender *s)
{
    return s->window.rate <= 0
           && !(s->probe | s->spares | s->hears_sends | s->adds);
}

/* It belongs on this list: it is the only one there. */
PART void stay_on_list(struct orr_nic_port *np, struct orr_sender *s,
                       unsigned list)
{
    uint32_t id = list == ORR_LIST_DATA ? s->id : ORR_NONE;

    np->first_round.data_first = np->first_round.data_last = id;
    ORR_ASSERT(orr__sender_is_unlinked(s));
    s->list = (uint8_t)list;
}

/* Of a host with one cable: neither an arrival nor a timer comes before. */
PART bool comes_next(const struct orr_nic_port *np, int64_t at)
{
    const struct orr_process *p = np->process;

    return at <= p->at[1] && at <= p->at[2];
}

static __attribute__((noinline)) void send_apart(struct orr_net *n,
                                                 struct orr_lane *lane,
                                                 struct orr_port *port,
                                                 struct orr_packet p,
                                                 int64_t now)
{
    orr__port_send(n, lane, port, &p, now, true);
}

/* Its next packet, of new data, goes into the port, which is free. False: out
 * of memory. */
PART bool pass_packet(struct orr_net *n, struct orr_lane *lane,
                      struct orr_nic_port *np, struct orr_port *port,
                      struct orr_sender *s, int64_t now)
{
    const struct orr_message *m = orr__message(n, s->message);
    struct orr_packet p, *slot;

    ORR_ASSERT(s->class == 0 && !s->control->telemetry);
    if (s->next - s->una >= orr__sent_room(s) && !orr__sent_grow(s)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    segment(n, s, m, s->next, 0, &p);
    account(s, &p);
    s->last_at = now;
    s->own_pace = false;
    s->last_bytes = orr__packet_size(&p);
    goes_out(n, s, m, &p, now, true, &np->departing);
    slot = orr__port_make(n, lane, port, orr__packet_size(&p), now);
    if (slot) {
        p.at = slot->at;
        *slot = p;
    } else {
        send_apart(n, lane, port, p, now);
    }
    lane->sent++;
    np->own_free_at = port->free_at;
    return true;
}

/* Whoever sent the message that is leaving may not have to be told on time; but
 * nobody knows of one that is lost behind the port. */
PART void foretell(struct orr_net *n, struct orr_nic_port *np, uint32_t host)
{
    const struct orr_message *m = orr__message(n, np->departing);
    const struct orr_net_user *u = &n->user[m->user];

    if (!u->ops->leaves || !np->process->one_cable
        || n->port[np->link].uses_queue
        || !u->ops->leaves(u->context, host, np->own_free_at, m))
        return;
    np->foretold = np->departing;
    np->departing = ORR_NONE;
}

void orr__net_recall(struct orr_net *n, uint32_t host, int64_t now)
{
    uint32_t port = n->nic_port_of[orr__only_link(n, host)];
    struct orr_nic_port *np = &n->nic_port[port];

    ORR_ASSERT(np->own_free_at > now && np->departing == ORR_NONE);
    np->departing = np->foretold;
    orr__message(n, np->departing)->departs_by = port;
    orr__source_set(np->process, np->slot, np->own_free_at);
}

/* It sends as long as it may, and nothing else is to happen on this host
 * before. It goes on the list that it belongs on then. */
PART void send_packets(struct orr_net *n, struct orr_lane *lane,
                       struct orr_nic_port *np, struct orr_sender *s,
                       int64_t now, int64_t end)
{
    struct orr_port *port = &n->port[np->link];
    unsigned list;
    bool sent;

    do {
        sent = pass_packet(n, lane, np, port, s, now);
        if (np->departing != ORR_NONE)
            foretell(n, np, s->src);
        list = orr__sender_wants(s);
        now = np->own_free_at;
    } while (list == ORR_LIST_DATA && np->departing == ORR_NONE && now < end
             && sent && comes_next(np, now));
    if (np->departing != ORR_NONE)
        orr__message(n, np->departing)->departs_by = s->nic_port;
    else if (list == ORR_LIST_NONE || !sent)
        now = ORR_NEVER;
    if (list != s->list)
        stay_on_list(np, s, list);
    orr__source_set(np->process, np->slot, now);
}

/* ACKs that wait go first, into the port, which is free: as many as may before
 * something else is to happen. Returns when the port is free again. */
static int64_t send_acks(struct orr_net *n, struct orr_lane *lane,
                         struct orr_nic_port *np, int64_t now, int64_t end)
{
    struct orr_port *port = &n->port[np->link];
    struct orr_nic_class *c = np->class;

    do {
        ORR_ASSERT(c->ack_head != c->ack_tail);
        orr__port_send(n, lane, port,
                       &c->acks[c->ack_head++ & (c->ack_capacity - 1)], now,
                       true);
        lane->sent++;
        now = np->own_free_at = port->free_at;
    } while (c->ack_head != c->ack_tail && now < end && comes_next(np, now));
    np->acks = c->ack_head != c->ack_tail;
    return now;
}

bool orr__single_sender_goes_on(struct orr_net *n, struct orr_lane *lane,
                                uint32_t link, int64_t now, int64_t end)
{
    struct orr_nic_port *np = &n->nic_port[n->nic_port_of[link]];
    uint32_t id = np->first_round.data_first;
    struct orr_sender *s;

    if (id != np->first_round.data_last || now < np->own_free_at
        || !only_new(n, np))
        return false;
    if (np->acks) { /* data after them: the port is looked at again then */
        now = send_acks(n, lane, np, now, end);
        orr__source_set(np->process, np->slot,
                        id == ORR_NONE && !np->acks ? ORR_NEVER : now);
        return true;
    }
    if (id == ORR_NONE)
        return false;
    s = orr__sender(n, id);
    if (!may_pass(s) || orr__sender_wants(s) != ORR_LIST_DATA)
        return false;
    send_packets(n, lane, np, s, now, end);
    return true;
}

bool orr__single_sender_begins(struct orr_net *n, struct orr_lane *lane,
                               struct orr_nic_port *np, struct orr_sender *s,
                               int64_t now)
{
    ORR_ASSERT(s->list == ORR_LIST_NONE
               && orr__sender_wants(s) == ORR_LIST_DATA);
    if (np->first_round.data_first != ORR_NONE || np->acks || !only_new(n, np)
        || !may_pass(s))
        return false;
    if (orr__observers_see_packets(n))
        orr__observers_ready(n, now, s->id, np->link, orr__sender_paced_at(s),
                             false);
    send_packets(n, lane, np, s, now, now);
    return true;
}
