#include "net/port/room.h"

#include "core/assert.h"
#include "core/units.h"
#include "net/port/cut_through.h"

void orr__room_tune(const struct orr_net *n, const struct orr_port *port,
                    struct orr_queue *q)
{
    const struct orr_net_config *c = n->config;
    uint64_t data = orr__largest_payload(c) + c->header;

    q->most = c->limit == ORR_AUTO ? UINT32_MAX : (uint32_t)c->limit;
    q->whole_ps = c->counts_in_service ? orr__serialisation(
                      data > c->ack ? data : c->ack, n->rate_bps[port->id])
                                       : 0;
    q->limited = q->most != UINT32_MAX || q->whole_ps > 0;
}

/* ---- computed ports ---- */

/* When packet i of those on the link has left the port: it knew that as the
 * packet came. */
static int64_t left_at(const struct orr_net *n, const struct orr_port *port,
                       uint32_t i)
{
    const struct orr_packet *p = orr__port_slot(port, i);

    return p->at - port->delay_ps
           + orr__cut_lead(n, port->id, orr__packet_size(p));
}

/* The first of those on the link that has not left at `now`, or the tail: they
 * leave in order, and a slot keeps its contents until the packet is there. */
static uint32_t first_held(const struct orr_net *n, const struct orr_port *port,
                           int64_t now)
{
    uint32_t from = orr__port_exchanged_head(port), more = port->tail - from;

    while (more > 0) {
        uint32_t half = more / 2;

        if (left_at(n, port, from + half) > now) {
            more = half;
        } else {
            from += half + 1;
            more -= half + 1;
        }
    }
    return from;
}

/* How much of the packet in service has left; of one that the link will lose
 * too. */
static int64_t sent_of(const struct orr_net *n, const struct orr_port *port,
                       const struct orr_queue *q, int64_t now)
{
    const struct orr_spans *lost = &q->losses;
    uint32_t i = first_held(n, port, now), k = lost->head;
    int64_t begin = ORR_NEVER;

    while (k != lost->tail && orr__span_at(lost, k)->until <= now)
        k++;
    if (i != port->tail)
        begin = left_at(n, port, i)
                - orr__serialisation(orr__packet_size(orr__port_slot(port, i)),
                                     n->rate_bps[port->id]);
    if (k != lost->tail && orr__span_at(lost, k)->from < begin)
        begin = orr__span_at(lost, k)->from;
    return begin < now ? now - begin : 0;
}

bool orr__room_computed(const struct orr_net *n, const struct orr_port *port,
                        const struct orr_queue *q, int64_t now, int64_t done)
{
    ORR_ASSERT(done <= port->drop_ps);
    if (q->most != UINT32_MAX
        && port->tail - first_held(n, port, now)
                   + orr__spans_open(&q->losses, now + 1)
               >= q->most)
        return false;
    return !q->whole_ps || done + q->whole_ps <= port->drop_ps
           || done + sent_of(n, port, q, now) <= port->drop_ps;
}

/* ---- explicit ports ---- */

bool orr__room_explicit(const struct orr_net *n, const struct orr_port *port,
                        const struct orr_queue *q, uint32_t fifo, int64_t left,
                        int64_t done)
{
    bool serves = q->busy && q->serving_fifo == fifo;
    int64_t time;

    ORR_ASSERT(!q->single && fifo < q->fifos);
    if (orr__waiting(q, fifo) + serves >= q->most)
        return false;
    if (!serves || !q->whole_ps || q->counted)
        return true;
    time = orr__serialisation(orr__packet_size(&q->serving),
                              n->rate_bps[port->id]);
    return done + (time - left) <= port->drop_ps;
}
