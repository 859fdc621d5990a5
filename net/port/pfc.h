/* Priority flow control (IEEE 802.1Qbb): a node that forwards tells the sender
 * on a link to hold back a traffic class while it has too much of it from
 * there. Nothing is then dropped for lack of room. */
#ifndef ORR_NET_PORT_PFC_H
#define ORR_NET_PORT_PFC_H

#include "core/assert.h"
#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"
#include "net/port/buffer.h"

#define ORR_PAUSE_BYTES 64

/* What a node holds of one class that came by one link. */
struct orr_ingress {
    uint64_t held; /* in the reserve and in the shared part */
    uint64_t over; /* in the headroom, beyond the threshold */
};

/* Pause frames of the whole net, owned by it; a switch's process changes its
 * own parts. */
struct orr_pfc {
    struct orr_ingress *ingress; /* per link and class */
    uint64_t *headroom;          /* per link, bytes for each class */
    double *alpha;               /* per link: share of what is free */
    struct orr_memory *memory;   /* per node: the shared part */
    uint64_t reserve;            /* bytes per link and class; 0 with a fixed
                                  * threshold */
    int64_t period;              /* between two looks for a deadlock */
    bool suspected;              /* the last one found one */
};

/* What the node at the end of a link holds of a class that came by it. */
static inline struct orr_ingress *orr__ingress(const struct orr_net *n,
                                               uint32_t link, uint32_t class)
{
    return &n->pfc->ingress[(size_t)link * n->config->classes + class];
}

/* ECONFIG, naming the node, if its memory is too small. Nothing to do: OK. */
ORR_CHECK_RESULT orr_err orr__pfc_new(struct orr_net *n,
                                      struct orr_report *why);
void orr__pfc_free(struct orr_net *n);

/* A packet that came by `link` is to wait at this node, or has left it. */
bool orr__pfc_admit(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                    uint32_t link, const struct orr_packet *p, int64_t now);
void orr__pfc_release(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                      uint32_t link, const struct orr_packet *p, int64_t now);
/* The memory that the packets at a node's ports are entered in; NULL: none. */
struct orr_memory *orr__memory_of(const struct orr_net *n, uint32_t node);
/* Little enough is used, and nobody held back, for a node to be alert no
 * longer; what is entered is used. */
bool orr__memory_rests(const struct orr_net *n, uint32_t node);

/* May this packet, which comes by `link`, wait at a node that is not alert and
 * stays so? What is used may be less than what is entered. m: the node's. Of a
 * memory that is shared the whole is looked at; a fixed threshold is for each
 * link and class alone. */
static inline bool orr__memory_has(const struct orr_net *n,
                                   const struct orr_memory *m, uint32_t link,
                                   const struct orr_packet *p)
{
    uint32_t bytes = orr__packet_size(p);

    if (__builtin_expect(n->config->pfc.xoff != 0, 0) && n->pfc)
        return orr__ingress(n, link, p->dst_kind & ORR_PACKET_CLASS)->held
                   + bytes
               < n->config->pfc.xoff;
    return m->used + bytes <= m->calm;
}

/* Of what a link and class hold: the part in the shared memory. */
static inline uint64_t orr__pfc_shared(const struct orr_pfc *pfc, uint64_t held)
{
    return held > pfc->reserve ? held - pfc->reserve : 0;
}

/* orr__egress_admit and _release where the node's memory is not alert: there is
 * room (orr__memory_has was asked), nothing is in the headroom, and nobody is
 * to be told of anything. fifo: the port's. */
static inline void orr__calm_enters(const struct orr_net *n,
                                    struct orr_memory *m, struct orr_fifo *fifo,
                                    uint32_t link, const struct orr_packet *p)
{
    uint64_t bytes = orr__packet_size(p), above = bytes;

    ORR_ASSERT(!m->alert);
    if (n->pfc) {
        struct orr_ingress *in =
            orr__ingress(n, link, p->dst_kind & ORR_PACKET_CLASS);

        ORR_ASSERT(in->over == 0);
        in->held += bytes;
        above = orr__pfc_shared(n->pfc, in->held);
        above = above < bytes ? above : bytes;
    } else {
        fifo->held += bytes;
    }
    m->used += above;
}

/* Likewise: a packet that was entered so leaves. */
static inline void orr__calm_leaves(const struct orr_net *n,
                                    struct orr_memory *m, struct orr_fifo *fifo,
                                    const struct orr_packet *p)
{
    uint64_t bytes = orr__packet_size(p), above = bytes;

    ORR_ASSERT(!m->alert && !(p->size_flags & ORR_PACKET_OWN));
    if (n->pfc) {
        struct orr_ingress *in = orr__ingress(n, orr__ticket_link(p),
                                              p->dst_kind & ORR_PACKET_CLASS);

        ORR_ASSERT(in->over == 0 && in->held >= bytes);
        above = orr__pfc_shared(n->pfc, in->held);
        above = above < bytes ? above : bytes;
        in->held -= bytes;
    } else {
        ORR_ASSERT(fifo->held >= bytes);
        fifo->held -= bytes;
    }
    ORR_ASSERT(m->used >= above);
    m->used -= above;
}

/* The frame that this port has to send; wanted and told differ. */
void orr__pfc_frame(struct orr_net *n, struct orr_lane *lane,
                    struct orr_queue *q, struct orr_packet *p);
/* A frame has arrived by this link: the port that leads back obeys it. A NIC
 * there is to be told (orr__nic_pause). */
void orr__pfc_arrival(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                      const struct orr_packet *p);

/* Most that what came to this node by this link may hold of a class now. */
uint64_t orr__pfc_threshold(const struct orr_net *n, uint32_t node,
                            uint32_t link);

#endif
