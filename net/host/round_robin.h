/* Who waits at a port of a NIC: lists of connections that take turns, and the
 * heap of those that wait for their pace. A part of nic.c. */
#ifndef ORR_NET_HOST_ROUND_ROBIN_H
#define ORR_NET_HOST_ROUND_ROBIN_H

#include "core/array.h"
#include "core/assert.h"
#include "core/heap.h"
#include "core/none.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/host/host.h"
#include "net/schedule/shares.h"

/* ---- the lists of a class ---- */

static inline uint32_t *first_of(struct orr_nic_round *t, unsigned list)
{
    return list == ORR_LIST_REPEAT ? &t->repeat_first : &t->data_first;
}

static inline uint32_t *last_of(struct orr_nic_round *t, unsigned list)
{
    return list == ORR_LIST_REPEAT ? &t->repeat_last : &t->data_last;
}

static inline bool has_data(const struct orr_nic_round *t)
{
    return t->repeat_first != ORR_NONE || t->data_first != ORR_NONE;
}

/* A turn for each share, as many as the shares have room for. false: no memory,
 * nothing lost. */
static inline bool grow_rounds(struct orr_nic_port *np)
{
    uint32_t room = orr__shares_more(np->shares);
    struct orr_nic_round *round =
        orr__resize(np->share_round, room, sizeof *round);

    if (!round)
        return false;
    np->share_round = round;
    for (uint32_t i = np->shares->room; i < room; i++)
        round[i] = ORR_NIC_ROUND_EMPTY;
    return orr__shares_grow(np->shares);
}

/* Where there are shares: number of this connection's; ORR_NONE: no
 * memory. */
static inline uint32_t share_of(struct orr_nic_port *np,
                                const struct orr_sender *s)
{
    struct orr_shares *h = np->shares;
    uint32_t i = orr__shares_find(h, s->share), left;

    if (i != ORR_NONE)
        return i;
    if (h->used == h->room) {
        left = orr__shares_forget(h, ORR_NONE);
        if (left == ORR_NONE || (left >= h->room / 2 && !grow_rounds(np)))
            return ORR_NONE;
    }
    return orr__shares_add(h, s->share, s->price, s->class);
}

/* Behind those that take turns already, or by share. */
static __attribute__((noinline, unused)) void append_behind(
    struct orr_net *n, struct orr_nic_port *np, struct orr_sender *s,
    unsigned list)
{
    uint32_t share = np->by_share ? share_of(np, s) : ORR_NONE;
    struct orr_nic_round *t = orr__nic_round(np, s->class);
    uint32_t *first, *last;

    if (np->by_share && share == ORR_NONE) {
        orr__fabric_out_of_memory(n);
        return;
    }
    if (np->by_share) {
        t = &np->share_round[share];
        if (!has_data(t))
            orr__shares_wake(np->shares, share);
    }
    first = first_of(t, list);
    last = last_of(t, list);
    s->list = (uint8_t)list;
    s->list_prev = *last;
    s->list_next = ORR_NONE;
    if (*last != ORR_NONE)
        orr__sender(n, *last)->list_next = s->id;
    else
        *first = s->id;
    *last = s->id;
}

/* Most have something new to send where nobody else has. */
static inline void append(struct orr_net *n, struct orr_nic_port *np,
                          struct orr_sender *s, unsigned list)
{
    struct orr_nic_round *t = orr__nic_round(np, s->class);

    ORR_ASSERT(s->class < n->config->classes && s->list == ORR_LIST_NONE);
    if (np->by_share || list != ORR_LIST_DATA || t->data_first != ORR_NONE) {
        append_behind(n, np, s, list);
        return;
    }
    ORR_ASSERT(orr__sender_is_unlinked(s));
    s->list = ORR_LIST_DATA;
    t->data_first = t->data_last = s->id;
}

/* One that has no other before or behind it, and no share. */
static inline void take_off_only(struct orr_nic_port *np, struct orr_sender *s)
{
    struct orr_nic_round *t = orr__nic_round(np, s->class);

    ORR_ASSERT(s->list == ORR_LIST_DATA && !np->by_share);
    ORR_ASSERT(t->data_first == s->id && t->data_last == s->id);
    t->data_first = t->data_last = ORR_NONE;
    s->list = ORR_LIST_NONE;
}

/* Out of its list, which it must stand in; a share without data has rest in the
 * scheduler. */
static inline void take_off(struct orr_net *n, struct orr_nic_port *np,
                            struct orr_sender *s)
{
    uint32_t share =
        np->by_share ? orr__shares_find(np->shares, s->share) : ORR_NONE;
    struct orr_nic_round *t =
        np->by_share ? &np->share_round[share] : orr__nic_round(np, s->class);
    uint32_t *first = first_of(t, s->list), *last = last_of(t, s->list);

    ORR_ASSERT(s->list == ORR_LIST_REPEAT || s->list == ORR_LIST_DATA);
    ORR_ASSERT((s->list_prev == ORR_NONE) == (*first == s->id)
               && (s->list_next == ORR_NONE) == (*last == s->id));
    if (s->list_prev != ORR_NONE)
        orr__sender(n, s->list_prev)->list_next = s->list_next;
    else
        *first = s->list_next;
    if (s->list_next != ORR_NONE)
        orr__sender(n, s->list_next)->list_prev = s->list_prev;
    else
        *last = s->list_prev;
    s->list = ORR_LIST_NONE;
    s->list_prev = s->list_next = ORR_NONE;
    if (np->by_share && !has_data(t))
        orr__shares_sleep(np->shares, share);
}

/* ---- the heap of those that wait for their pace; list_next is the place of
 * a sender in it ---- */

static inline struct orr_sender *waiting(const struct orr_net *n,
                                         const struct orr_nic_port *np,
                                         uint32_t i)
{
    ORR_ASSERT(i < np->cap_paced);
    return orr__sender(n, np->paced[i]);
}

struct paced { /* the heap, and where its senders are */
    struct orr_net *net;
    struct orr_nic_port *port;
};

static inline uint32_t paced_count(struct paced h)
{
    return h.port->n_paced;
}

static inline struct orr_sender *paced_at(struct paced h, uint32_t place)
{
    return waiting(h.net, h.port, place);
}

static inline void paced_settle(struct paced h, struct orr_sender *s,
                                uint32_t place)
{
    h.port->paced[place] = s->id;
    s->list_next = place;
}

static inline bool paced_sooner(struct paced h, const struct orr_sender *a,
                                const struct orr_sender *b)
{
    return a->paced_at != b->paced_at
               ? a->paced_at < b->paced_at
               : (int32_t)(a->paced_order - b->paced_order) < 0;
}

ORR_HEAP(paced, struct paced, struct orr_sender *, 4)

static inline void hold_sender(struct orr_net *n, struct orr_nic_port *np,
                               struct orr_sender *s)
{
    if (!orr__array_more(np->paced, np->cap_paced, np->n_paced)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    s->list = ORR_LIST_PACED;
    s->paced_order = np->paced_order++;
    paced_rise((struct paced){n, np}, s, np->n_paced++);
}

/* Moves those whose time has come to the ends of their lists. */
static __attribute__((noinline, unused)) void release_some(
    struct orr_net *n, struct orr_nic_port *np, int64_t now)
{
    while (np->n_paced) {
        struct orr_sender *s = waiting(n, np, 0);
        unsigned list;

        ORR_ASSERT(s->list == ORR_LIST_PACED);
        if (s->paced_at > now)
            return;
        ORR_ASSERT(s->list_next == 0);
        if (--np->n_paced)
            paced_sink((struct paced){n, np}, waiting(n, np, np->n_paced), 0);
        s->list = ORR_LIST_NONE;
        s->list_next = ORR_NONE;
        list = orr__sender_wants(s);
        if (list != ORR_LIST_NONE)
            append(n, np, s, list);
    }
}

static inline void release(struct orr_net *n, struct orr_nic_port *np,
                           int64_t now)
{
    if (np->n_paced && waiting(n, np, 0)->paced_at <= now)
        release_some(n, np, now);
}

static inline void enter_sender(struct orr_net *n, struct orr_nic_port *np,
                                struct orr_sender *s, unsigned list,
                                int64_t now)
{
    if (orr__observers_see_packets(n))
        orr__observers_ready(n, now, s->id, np->link, orr__sender_paced_at(s),
                             list == ORR_LIST_REPEAT);
    if (orr__sender_paced_at(s) > now)
        hold_sender(n, np, s);
    else
        append(n, np, s, list);
}

#endif
