/* A port as the NIC of its host sees it. */
#ifndef ORR_NET_FABRIC_NIC_PORT_H
#define ORR_NET_FABRIC_NIC_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/none.h"
#include "net/packet.h"

/* Connections that may send and take turns, on one of two lists, in order of
 * activation. */
struct orr_nic_round {
    uint32_t repeat_first, repeat_last; /* retransmissions */
    uint32_t data_first, data_last;     /* new data */
};
#define ORR_NIC_ROUND_EMPTY                                                    \
    (struct orr_nic_round)                                                     \
    {                                                                          \
        ORR_NONE, ORR_NONE, ORR_NONE, ORR_NONE                                 \
    }

/* What waits at a NIC's port in one traffic class, on a line of its own. */
struct orr_nic_class {
    _Alignas(64) struct orr_packet *acks;      /* waiting to be sent, a ring */
    uint32_t ack_capacity, ack_head, ack_tail; /* a power of 2, or 0; go on */
    struct orr_nic_round round; /* without shares; not of class 0 */
    int64_t credit; /* bytes it may send before it is the next one's turn */
    int64_t paused_at, paused_ps; /* paused.c: last change, sum before it */
};

/* One of a node's ports, as its NIC sees it. What each packet needs comes
 * first; of its classes it needs no more as a rule, as class 0 is the one. */
struct orr_nic_port {
    /* the NIC's last packet has left by then */
    _Alignas(64) int64_t own_free_at;
    struct orr_nic_class *class;      /* one for each traffic class in use */
    struct orr_process *process;      /* of the host */
    struct orr_nic_round first_round; /* of class 0: orr__nic_round */
    uint32_t n_paced;                 /* in `paced` */
    uint32_t link;                    /* that it sends on */
    uint32_t slot;      /* its departure among the process's sources */
    uint32_t departing; /* message whose last byte leaves at own_free_at; it has
                         * this port as `departs_by`; or NONE */
    uint32_t foretold;  /* `leaves` told of it last: while it is leaving */
    uint8_t acks;       /* bit per class: some wait */
    uint8_t paused;     /* bit per class: not to be served (PFC) */
    uint8_t served;     /* the class being served */
    bool own_queued : 1; /* explicit: its packet is still in the queue */
    bool explicit : 1;   /* its port is */
    bool by_share : 1;   /* it has `shares` */
    bool acks_pass : 1;  /* no pause holds them; its queue `passes` */

    struct orr_shares *shares;         /* of the port; NULL: classes alone */
    struct orr_nic_round *share_round; /* by number of a share */
    uint32_t departure_head, departure_tail; /* of `departures` */
    uint32_t *paced; /* connections that wait for their pace: a heap */
    uint32_t cap_paced, paced_order; /* room of it; entered so far */
    int64_t wake_at; /* explicit: when the first of them is due */
    /* With `nic: {queue: fifo}` such messages are in a ring, by time; NONE:
     * nothing more is reported of it. */
    struct orr_nic_departure {
        int64_t at;       /* its last byte leaves, ps */
        uint32_t message; /* in `messages` */
    } * departures;
    uint32_t departure_capacity; /* a power of two, or 0 */
    uint32_t host;               /* whose port it is */
};
_Static_assert(offsetof(struct orr_nic_port, shares) == 64, "one line");

/* Who takes turns in a class, without shares. */
static inline struct orr_nic_round *orr__nic_round(struct orr_nic_port *np,
                                                   uint32_t class)
{
    return class == 0 ? &np->first_round : &np->class[class].round;
}

#endif
