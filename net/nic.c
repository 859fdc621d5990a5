/* The NIC: it asks its connections for the next packet when its port's
 * transmitter has nothing of its own left, and so never queues a whole window.
 * Order: ACKs, retransmissions, new data; connections take turns by packet. */
#include "core/memory.h"
#include "net/connection.h"
#include "net/port.h"

static uint32_t *first_of(struct orr_nic_port *np, unsigned list)
{
    return list == ORR_LIST_REPEAT ? &np->repeat_first : &np->data_first;
}

static uint32_t *last_of(struct orr_nic_port *np, unsigned list)
{
    return list == ORR_LIST_REPEAT ? &np->repeat_last : &np->data_last;
}

static void append(struct orr_net *n, struct orr_nic_port *np,
                   struct orr_sender *s, unsigned list)
{
    uint32_t *first = first_of(np, list), *last = last_of(np, list);

    s->list = (uint8_t)list;
    s->list_prev = *last;
    s->list_next = ORR_SLAB_NONE;
    if (*last != ORR_SLAB_NONE)
        orr__sender(n, *last)->list_next = s->id;
    else
        *first = s->id;
    *last = s->id;
}

static void take_off(struct orr_net *n, struct orr_nic_port *np,
                     struct orr_sender *s)
{
    uint32_t *first = first_of(np, s->list), *last = last_of(np, s->list);

    if (s->list_prev != ORR_SLAB_NONE)
        orr__sender(n, s->list_prev)->list_next = s->list_next;
    else
        *first = s->list_next;
    if (s->list_next != ORR_SLAB_NONE)
        orr__sender(n, s->list_next)->list_prev = s->list_prev;
    else
        *last = s->list_prev;
    s->list = ORR_LIST_NONE;
}

/* Which port its next packet leaves by: one and the same, unless the host has
 * several and packets of a connection may take any. */
static struct orr_nic_port *choose_port(struct orr_net *n,
                                        struct orr_sender *s)
{
    if (n->config->reorders || s->nic_port == UINT32_MAX) {
        struct orr_packet p = {.dst = s->dst, .hash = s->hash};

        s->nic_port
            = n->nic_port_of[orr__route(n, &n->node[s->src], &p)];
    }
    return &n->nic_port[s->nic_port];
}

static bool has_work(const struct orr_nic_port *np)
{
    return np->ack_head != np->ack_tail || np->repeat_first != ORR_SLAB_NONE
           || np->data_first != ORR_SLAB_NONE;
}

/* The next packet that this port sends; false: nobody has one. *other: the
 * port that its connection turned to, if it is another one. */
static bool next_packet(struct orr_net *n, struct orr_nic_port *np,
                        int64_t now, struct orr_packet *p,
                        struct orr_nic_port **other)
{
    if (np->ack_head != np->ack_tail) {
        *p = np->acks[np->ack_head++ & (np->ack_capacity - 1)];
        return true;
    }
    for (;;) {
        uint32_t id = np->repeat_first != ORR_SLAB_NONE ? np->repeat_first
                                                        : np->data_first;
        struct orr_sender *s;
        unsigned list;
        bool got;

        if (id == ORR_SLAB_NONE)
            return false;
        s = orr__sender(n, id);
        take_off(n, np, s);
        got = orr__sender_take(n, s, now, p, &np->leaving);
        list = orr__sender_wants(s);
        if (list != ORR_LIST_NONE) {
            *other = choose_port(n, s);
            append(n, *other, s, list);
        }
        if (got)
            return true;
        if (list != ORR_LIST_NONE)
            return false; /* it wants to, but memory is out: the run ends */
    }
}

static void start(struct orr_net *n, struct orr_lane *lane,
                  struct orr_nic_port *np, int64_t now)
{
    struct orr_process *process = &n->process[n->node[np->host].process];
    struct orr_port *port = &n->port[np->link];
    struct orr_nic_port *other = np;
    struct orr_packet p;

    if (np->own_queued)
        return;
    /* Computed: busy with its own packet. At the instant at which that leaves
     * its departure comes first, even if another port's came before it. */
    if (now < np->own_free_at
        || (now == np->own_free_at && np->slot > process->departing)) {
        orr__source_set(process, np->slot, np->own_free_at);
        return;
    }
    if (!next_packet(n, np, now, &p, &other))
        return;
    lane->sent++;
    if (np->explicit)
        np->own_queued = true;
    orr__port_send(n, lane, port, &p, now, true);
    if (!np->explicit) {
        np->own_free_at = port->free_at;
        if (np->leaving != ORR_SLAB_NONE || has_work(np))
            orr__source_set(process, np->slot, np->own_free_at);
    }
    if (other != np) /* ends: this port is busy now */
        start(n, lane, other, now);
}

void orr__nic_departed(struct orr_net *n, struct orr_lane *lane,
                       uint32_t nic_port, int64_t now)
{
    struct orr_nic_port *np = &n->nic_port[nic_port];
    struct orr_process *process = &n->process[n->node[np->host].process];
    uint32_t message = np->leaving;

    np->own_queued = false;
    if (!np->explicit)
        orr__source_set(process, np->slot, ORR_NEVER);
    process->departing = np->slot;
    if (message != ORR_SLAB_NONE) {
        np->leaving = ORR_SLAB_NONE;
        n->ops.sent(n->world, np->host, now, orr__message(n, message));
    }
    start(n, lane, np, now);
    process->departing = UINT32_MAX;
}

void orr__nic_activate(struct orr_net *n, struct orr_lane *lane,
                       struct orr_sender *s, int64_t now)
{
    unsigned list = orr__sender_wants(s);
    struct orr_nic_port *np;

    if (list == ORR_LIST_NONE || list == s->list)
        return;
    if (s->list == ORR_LIST_NONE) {
        np = choose_port(n, s);
    } else {
        np = &n->nic_port[s->nic_port];
        take_off(n, np, s);
    }
    append(n, np, s, list);
    start(n, lane, np, now);
}

static bool acks_grow(struct orr_nic_port *np)
{
    uint32_t capacity = np->ack_capacity ? 2 * np->ack_capacity : 8;
    struct orr_packet *acks = orr__alloc(capacity, sizeof *acks);

    if (!acks)
        return false;
    for (uint32_t i = np->ack_head; i != np->ack_tail; i++)
        acks[i & (capacity - 1)] = np->acks[i & (np->ack_capacity - 1)];
    orr__free(np->acks);
    np->acks = acks;
    np->ack_capacity = capacity;
    return true;
}

void orr__nic_ack(struct orr_net *n, struct orr_lane *lane, uint32_t host,
                  struct orr_packet *p, int64_t now)
{
    uint32_t link = orr__route(n, &n->node[host], p);
    struct orr_nic_port *np = &n->nic_port[n->nic_port_of[link]];

    if (np->ack_tail - np->ack_head >= np->ack_capacity && !acks_grow(np)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    np->acks[np->ack_tail++ & (np->ack_capacity - 1)] = *p;
    start(n, lane, np, now);
}
