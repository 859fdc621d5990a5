/* Ports that are shared by jobs, whatever their number (`scheduler: fair`): a
 * queue for each that has packets there, made as they come. */
#ifndef ORR_NET_PORT_SHARE_H
#define ORR_NET_PORT_SHARE_H

#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"
#include "net/schedule/shares.h"

/* Nobody shares the port yet. False: no memory; _free is fine all the same. */
ORR_CHECK_RESULT bool orr__port_shares_new(struct orr_queue *q);
void orr__port_shares_free(struct orr_queue *q);
/* Number of the queue of whoever this packet belongs to. UINT32_MAX: no
 * memory. */
uint32_t orr__port_share(struct orr_net *n, struct orr_queue *q,
                         const struct orr_packet *p);

/* The class of what waits in one of a port's queues, where classes are kept
 * apart. */
static inline uint32_t orr__fifo_class(const struct orr_queue *q, uint32_t fifo)
{
    return q->shares ? q->shares->share[fifo].class : fifo;
}

#endif
