/* Bytes of each owner in the queues of a port, kept from one time that somebody
 * asks to the next: a packet is counted once when it is seen first, and once
 * when it has left, however often the port is asked. */
#ifndef ORR_STUDY_EXPLAIN_QUEUE_OWNERS_H
#define ORR_STUDY_EXPLAIN_QUEUE_OWNERS_H

#include "net/watch/packet_observer.h"

/* A packet that waited when the port was asked last. */
struct orr_owned_packet {
    uint32_t owner, bytes;
};

struct orr_queue_owners { /* of a port; zeroed: nothing was asked */
    struct orr_queue_owners_fifo {
        struct orr_observed_fifo seen;
        struct orr_owned_packet *ring; /* by number */
        uint32_t room;                 /* a power of two */
    } * fifo;
    uint32_t fifos; /* of `fifo`, which is owned */
    uint64_t *held; /* per owner: bytes that wait */
};

/* Who owns a packet: less than `owners`, else it does not count. */
typedef uint32_t orr_queue_owner_fn(const void *arg,
                                    const struct orr_packet *p);

/* Brings held[] up to what waits at the port now. Only where
 * orr__observed_fifos() is not 0. False: no memory. */
bool orr__queue_owners_ask(struct orr_queue_owners *t, const struct orr_net *n,
                           uint32_t link, uint32_t owners,
                           orr_queue_owner_fn *owner, const void *arg);
void orr__queue_owners_fini(struct orr_queue_owners *t);

#endif
