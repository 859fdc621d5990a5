/* What a NIC's port sends next: ACKs, then data by class or share, connections
 * in turn. A part of nic.c. single: is_single of the port, which is known where
 * it is compiled. */
#ifndef ORR_NET_HOST_NIC_CHOICE_H
#define ORR_NET_HOST_NIC_CHOICE_H

#include "core/assert.h"
#include "core/none.h"
#include "net/fabric/nic_port.h"
#include "net/host/host.h"
#include "net/host/round_robin.h"
#include "net/schedule/shares.h"

#define PART static inline __attribute__((always_inline))

/* One class, and no shares: what waits is ACKs, and connections in turn. */
static inline bool is_single(const struct orr_net *n,
                             const struct orr_nic_port *np)
{
    return n->config->classes == 1 && !np->by_share;
}

PART uint32_t classes_of(const struct orr_net *n, bool single)
{
    return single ? 1 : n->config->classes;
}

PART struct orr_shares *shares_of(const struct orr_nic_port *np, bool single)
{
    return single ? NULL : np->shares;
}

static inline bool has_acks(const struct orr_nic_port *np, uint32_t class)
{
    ORR_ASSERT((np->acks >> class & 1)
               == (np->class[class].ack_head != np->class[class].ack_tail));
    return np->acks >> class & 1;
}

static inline bool may_serve(const struct orr_nic_port *np, uint32_t class)
{
    return !(np->paused >> class & 1);
}

static inline bool may_ack(const struct orr_nic_port *np, uint32_t class)
{
    return may_serve(np, class) || np->acks_pass;
}

static inline bool any_data(const struct orr_net *n, struct orr_nic_port *np)
{
    if (np->by_share)
        return orr__shares_first(np->shares, UINT8_MAX & ~(uint32_t)np->paused)
               != ORR_NONE;
    for (uint32_t c = 0; c < n->config->classes; c++)
        if (may_serve(np, c) && has_data(orr__nic_round(np, c)))
            return true;
    return false;
}

/* When the port could send something of its own, not before `now`. */
PART int64_t next_work(const struct orr_net *n, struct orr_nic_port *np,
                       int64_t now, bool single)
{
    int64_t paced;

    for (uint32_t i = 0; i < classes_of(n, single); i++)
        if (may_serve(np, i)
            && (has_acks(np, i)
                || (!shares_of(np, single) && has_data(orr__nic_round(np, i)))))
            return now;
    if (np->acks_pass && np->acks)
        return now;
    if (shares_of(np, single) && any_data(n, np))
        return now;
    if (!np->n_paced)
        return ORR_NEVER;
    paced = waiting(n, np, 0)->paced_at;
    return paced > now ? paced : now;
}

/* The class whose data goes next, or none: classes. By weight: each is served
 * until its credit is used up, which grows by a weighted packet a turn. Turns
 * and credits change only if some class goes: how often the NIC looks in vain
 * depends on how ports are simulated. */
PART uint32_t choose_class(struct orr_net *n, struct orr_nic_port *np,
                           bool single)
{
    uint32_t classes = classes_of(n, single);

    if (classes == 1 || n->config->strict) {
        for (uint32_t c = classes; c-- > 0;)
            if (may_serve(np, c) && has_data(orr__nic_round(np, c)))
                return c;
        return classes;
    }
    if (!any_data(n, np))
        return classes;
    for (;;) { /* ends: each round gives whoever has data some of its credit */
        struct orr_nic_class *c = &np->class[np->served];
        bool some = has_data(orr__nic_round(np, np->served));

        if (may_serve(np, np->served) && some && c->credit > 0)
            return np->served;
        if (!some)
            c->credit = 0;
        np->served = np->served + 1u == classes ? 0 : (uint8_t)(np->served + 1);
        c = &np->class[np->served];
        if (may_serve(np, np->served)
            && has_data(orr__nic_round(np, np->served))) {
            double more = n->config->class_weight[np->served]
                          * (double)(n->config->mtu + n->config->header);

            c->credit += (int64_t)more + 1;
        }
    }
}

PART bool next_ack(const struct orr_net *n, struct orr_nic_port *np,
                   struct orr_packet *p, bool single)
{
    for (uint32_t i = classes_of(n, single); i-- > 0;) {
        struct orr_nic_class *c = &np->class[i];

        ORR_ASSERT(c->ack_tail - c->ack_head <= c->ack_capacity);
        if (has_acks(np, i) && may_ack(np, i)) {
            *p = c->acks[c->ack_head++ & (c->ack_capacity - 1)];
            if (c->ack_head == c->ack_tail)
                np->acks &= (uint8_t) ~(1u << i);
            return true;
        }
    }
    return false;
}

/* The connection whose data goes next, or ORR_NONE. */
PART uint32_t choose(struct orr_net *n, struct orr_nic_port *np, bool single)
{
    const struct orr_nic_round *t;
    uint32_t i;

    if (shares_of(np, single)) {
        i = orr__shares_first(np->shares, UINT8_MAX & ~(uint32_t)np->paused);
        if (i == ORR_NONE)
            return ORR_NONE;
        t = &np->share_round[i];
    } else {
        i = choose_class(n, np, single);
        if (i == classes_of(n, single))
            return ORR_NONE;
        t = orr__nic_round(np, i);
    }
    return t->repeat_first != ORR_NONE ? t->repeat_first : t->data_first;
}

/* One that was chosen sends so many bytes. */
static inline void charge(struct orr_nic_port *np, const struct orr_sender *s,
                          uint32_t bytes)
{
    if (np->by_share)
        orr__shares_charge(np->shares, orr__shares_find(np->shares, s->share),
                           bytes);
    else
        np->class[s->class].credit -= bytes;
}

/* It is the only one with new data at this port, and has no other to choose: as
 * long as it may go on at once, its turn is always next. */
static inline bool is_only_sender(const struct orr_net *n,
                                  struct orr_nic_port *np,
                                  const struct orr_sender *s)
{
    const struct orr_nic_round *t = orr__nic_round(np, s->class);

    return s->list == ORR_LIST_DATA && t->data_first == t->data_last
           && !np->by_share && !n->config->moves && !n->rerouting;
}

/* The next packet that this port sends; false: there is none. *more: its
 * connection, if that has more to send and is on no list now. */
PART bool next_packet(struct orr_net *n, struct orr_nic_port *np, int64_t now,
                      struct orr_packet *p, struct orr_sender **more,
                      bool single)
{
    if (next_ack(n, np, p, single))
        return true;
    for (;;) {
        uint32_t id = choose(n, np, single);
        struct orr_sender *s;
        unsigned list;
        bool got, stays;

        if (id == ORR_NONE)
            return false;
        s = orr__sender(n, id);
        stays = is_only_sender(n, np, s);
        if (!stays)
            take_off(n, np, s);
        got = orr__sender_take(n, s, now, p, &np->departing);
        if (np->departing != ORR_NONE)
            orr__message(n, np->departing)->departs_by =
                n->nic_port_of[np->link];
        list = orr__sender_wants(s);
        if (stays && (list != ORR_LIST_DATA || orr__sender_paced_at(s) > now)) {
            take_off_only(np, s);
            stays = false;
        }
        if (list != ORR_LIST_NONE && !stays)
            *more = s;
        if (got) {
            if (!single)
                charge(np, s, orr__packet_size(p));
            return true;
        }
        if (list != ORR_LIST_NONE)
            return false; /* it wants to, but memory is out: the run ends */
    }
}

#undef PART
#endif
