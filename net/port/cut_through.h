/* Cut-through switching: a switch deals with a packet when its head is there,
 * which is the first `cut_through_header` bytes. What travels on a link into a
 * switch then carries the time of its head; what goes to a host, that of its
 * tail. Ports are computed, so an output knows when it may begin:
 * when the head is there, when it is free, and not so early that it would
 * run out of bytes before the tail comes. */
#ifndef ORR_NET_PORT_CUT_THROUGH_H
#define ORR_NET_PORT_CUT_THROUGH_H

#include "core/units.h"
#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"

/* How much earlier than its tail the head of a packet is at the end of a link;
 * both ends of the link use this one number. */
static inline int64_t orr__cut_lead(const struct orr_net *n, uint32_t link,
                                    uint32_t bytes)
{
    uint64_t rate = n->begin_bps[link], head = n->config->cut_through_header;

    if (n->config->switching != ORR_SWITCHING_CUT_THROUGH
        || n->graph->sends[n->graph->to[link]] || head >= bytes)
        return 0;
    return orr__serialisation(bytes, rate) - orr__serialisation(head, rate);
}

/* The earliest begin at `now` of a packet that came by `link` and takes `time`
 * to send, its output being free. */
static inline int64_t orr__cut_begin(const struct orr_net *n, uint32_t link,
                                     uint32_t bytes, int64_t now, int64_t time)
{
    int64_t tail = now + orr__cut_lead(n, link, bytes);

    return tail - time > now ? tail - time : now;
}

/* How long the port still stands idle before it is free, at `now`. */
int64_t orr__cut_idle(const struct orr_queue *q, int64_t now);

/* The same for a port that is sending: forgets the gaps that are over. */
static inline int64_t orr__cut_idle_now(struct orr_queue *q, int64_t now)
{
    orr__spans_forget(&q->gaps, now);
    return q->gaps.head == q->gaps.tail ? 0 : orr__cut_idle(q, now);
}

/* Time integral, over the gaps to come, of what the port then has to send, as
 * a time; `backlog` is that at `now`. */
double orr__cut_idle_area(const struct orr_queue *q, int64_t now,
                          int64_t backlog);

#endif
