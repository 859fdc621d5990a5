/* The slow ways through a port: explicit departures, random loss, growth. */
#include "net/port.h"

#include <string.h>

#include "core/memory.h"
#include "net/connection.h"

#define FIRST_CAPACITY 8

/* The reader may still be at the old ring in this window: it keeps that one
 * until the exchange (take_over), unless it never saw it. */
bool orr__port_grow(struct orr_net *n, struct orr_port *port)
{
    uint32_t capacity = port->capacity ? 2 * port->capacity : FIRST_CAPACITY;
    struct orr_packet *ring = orr__alloc_lines(capacity, sizeof *ring);

    if (!ring) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    for (uint32_t i = port->head_seen; i != port->tail; i++)
        ring[i & (capacity - 1)] = port->ring[i & (port->capacity - 1)];
    if (port->ring != port->read_ring)
        orr__free(port->ring);
    port->ring = ring;
    port->capacity = capacity;
    return true;
}

void orr__port_schedule(struct orr_net *n, uint32_t link)
{
    const struct orr_queue *q = n->queue[link];
    int64_t at = q->head == q->tail ? ORR_NEVER : q->busy_until;

    if (n->graph->from[link] < n->graph->hosts) {
        int64_t wake = n->nic_port[n->nic_port_of[link]].wake_at;

        at = wake < at ? wake : at;
    }
    orr__source_set(&n->process[q->process], q->slot, at);
}

static bool queue_grow(struct orr_queue *q)
{
    uint32_t capacity = q->capacity ? 2 * q->capacity : FIRST_CAPACITY;
    struct orr_packet *ring = orr__alloc(capacity, sizeof *ring);

    if (!ring)
        return false;
    for (uint32_t i = q->head; i != q->tail; i++)
        ring[i & (capacity - 1)] = q->ring[i & (q->capacity - 1)];
    orr__free(q->ring);
    q->ring = ring;
    q->capacity = capacity;
    return true;
}

static void account(struct orr_port *port, uint32_t bytes, int64_t backlog,
                    int64_t time)
{
    port->bytes += bytes;
    port->packets++;
    port->area += (double)bytes * ((double)backlog + 0.5 * (double)time);
    if (backlog + time > port->max_ps)
        port->max_ps = backlog + time;
}

/* Puts a packet that has left on the link, unless the link loses it. */
static void launch(struct orr_net *n, struct orr_lane *lane,
                   struct orr_port *port, struct orr_queue *q,
                   const struct orr_packet *p, uint32_t size_flags,
                   int64_t left)
{
    if (q->loss > 0 && orr__random_unit(&q->random) < q->loss) {
        q->lost++;
        port->drops++;
        lane->dropped++;
        return;
    }
    orr__port_push(n, lane, port, p, size_flags, left + port->delay_ps);
}

static void enqueue(struct orr_net *n, struct orr_queue *q, uint32_t link,
                    const struct orr_packet *p, uint32_t size_flags,
                    int64_t now, int64_t time)
{
    bool idle = q->head == q->tail;

    if (q->tail - q->head >= q->capacity && !queue_grow(q)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    q->ring[q->tail & (q->capacity - 1)] = *p;
    q->ring[q->tail++ & (q->capacity - 1)].size_flags = size_flags;
    if (idle) {
        q->busy_until = now + time;
        orr__port_schedule(n, link);
    } else {
        q->waiting_ps += time;
    }
}

bool orr__port_send_slow(struct orr_net *n, struct orr_lane *lane,
                         struct orr_port *port, const struct orr_packet *p,
                         int64_t now, bool own)
{
    struct orr_queue *q = n->queue[port->id];
    uint32_t bytes = orr__packet_size(p), size_flags = p->size_flags;
    int64_t time = orr__port_time(n, port, bytes), backlog;

    if (q->explicit)
        backlog = q->head == q->tail ? 0 : q->busy_until - now + q->waiting_ps;
    else
        backlog = port->free_at > now ? port->free_at - now : 0;
    if (backlog + time > port->drop_ps && !own) {
        port->drops++;
        lane->dropped++;
        return false;
    }
    if (backlog > port->mark_ps && !(size_flags & ORR_PACKET_ACK)) {
        size_flags |= ORR_PACKET_CE;
        port->marks++;
        lane->marks++;
    }
    account(port, bytes, backlog, time);
    port->free_at = now + backlog + time;
    if (q->explicit)
        enqueue(n, q, port->id, p, size_flags | (own ? ORR_PACKET_OWN : 0), now, time);
    else
        launch(n, lane, port, q, p, size_flags, port->free_at);
    return true;
}

void orr__port_departed(struct orr_net *n, struct orr_lane *lane,
                        uint32_t link, int64_t now)
{
    struct orr_port *port = &n->port[link];
    struct orr_queue *q = n->queue[link];
    struct orr_packet p;
    bool own;

    if (q->head == q->tail || q->busy_until > now) {
        orr__nic_wake(n, lane, n->nic_port_of[link], now);
        return;
    }
    p = q->ring[q->head++ & (q->capacity - 1)];
    own = p.size_flags & ORR_PACKET_OWN;
    if (q->head != q->tail) {
        uint32_t next = orr__packet_size(&q->ring[q->head & (q->capacity - 1)]);
        int64_t time = orr__port_time(n, port, next);

        q->waiting_ps -= time;
        q->busy_until = now + time;
    }
    orr__port_schedule(n, link);
    launch(n, lane, port, q, &p, p.size_flags & ~(uint32_t)ORR_PACKET_OWN,
           now);
    if (own)
        orr__nic_departed(n, lane, n->nic_port_of[link], now);
}
