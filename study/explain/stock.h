/* Bytes of each owner in the queues of a port, kept from one time that somebody
 * asks to the next: a packet is counted once when it is seen first, and once
 * when it has left, however often the port is asked. */
#ifndef ORR_STUDY_EXPLAIN_STOCK_H
#define ORR_STUDY_EXPLAIN_STOCK_H

#include "net/run/follow.h"

/* A packet that waited when the port was asked last. */
struct orr_stocked {
    uint32_t owner, bytes;
};

struct orr_stock { /* of a port; zeroed: nothing was asked */
    struct orr_stock_fifo {
        struct orr_follow_fifo seen;
        struct orr_stocked *ring; /* by number */
        uint32_t room;            /* a power of two */
    } *fifo;
    uint32_t fifos; /* of `fifo`, which is owned */
    uint64_t *held; /* per owner: bytes that wait */
};

/* Who owns a packet: less than `owners`, else it does not count. */
typedef uint32_t orr_stock_owner_fn(const void *arg,
                                    const struct orr_packet *p);

/* Brings held[] up to what waits at the port now. Only where
 * orr__follow_fifos() is not 0. False: no memory. */
bool orr__stock_ask(struct orr_stock *t, const struct orr_net *n, uint32_t link,
                    uint32_t owners, orr_stock_owner_fn *owner,
                    const void *arg);
void orr__stock_fini(struct orr_stock *t);

#endif
