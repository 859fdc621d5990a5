/* Both ends of a directed link: the port that feeds it, and where its packets
 * are read. */
#ifndef ORR_NET_FABRIC_PORT_H
#define ORR_NET_FABRIC_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/assert.h"
#include "net/packet.h"

/* A directed link with the port that feeds it. */
struct orr_port {
    /* the sending end: all that most packets need */
    _Alignas(64) int64_t free_at; /* computed: when all accepted has left */
    struct orr_packet *ring;      /* packets on the link, by arrival */
    int64_t delay_ps;             /* propagation and the latency at its end */
    uint64_t bytes;               /* accepted */
    uint64_t area;        /* orr__port_area_of, of which these are 64 bits */
    uint32_t ps_per_byte; /* 0: not a whole number, or more than fits: memo */
    uint32_t
        unchecked_below; /* no packet is dropped, marked, or the longest
                          * backlog since that was asked for, that leaves less
                          * than so many ps behind; 0: it uses its queue, or has
                          * a memo (orr__port_set_unchecked) */
    uint32_t mask; /* the ring's size, a power of two, less 1; before first
                    * use that is 0 */
    uint32_t tail;
    uint32_t limit; /* where it is full: the reader's head at the last exchange
                     * and the ring's size */
    bool dirty;     /* on a list of links to exchange */
    bool uses_queue : 1; /* explicit, drops at random, or watched */
    bool local : 1;      /* both ends are in one process */
    bool grown : 1;      /* the ring is not the reader's */
    uint16_t to_worker;  /* of the receiving end */
    /* what others need beside it */
    _Alignas(64) uint64_t packets; /* accepted; see orr__port_packets */
    uint64_t marks;                /* that it set */
    int64_t drop_ps;               /* what would leave more behind is dropped */
    int64_t mark_ps;               /* data that finds more is marked */
    int64_t max_ps;  /* largest backlog since an observer last took it */
    int64_t memo_ps; /* time of memo_bytes, the size that was asked for last,
                      * where a byte takes no whole number of ps */
    uint32_t memo_bytes;
    uint32_t id;    /* directed link; `nowhere` has one as well */
    uint64_t drops; /* by the sending end, which seldom does */
};

_Static_assert(sizeof(struct orr_port) == 128, "two cache lines");
_Static_assert(offsetof(struct orr_port, packets) == 64,
               "a line for most packets");

/* The receiving end. Those of a process lie side by side. */
struct orr_inlet {
    struct orr_packet *ring;
    int64_t *due; /* its time among the sources; NULL: they are in blocks */
    uint32_t mask;
    uint32_t head;    /* the first packet that was not taken */
    uint32_t visible; /* the port's tail as of the last exchange */
    uint32_t process;
};
_Static_assert(sizeof(struct orr_inlet) == 32, "half a cache line");

/* After a change of what unchecked_below depends on, unless max_ps became
 * larger. Backlogs of 4 ms and more are always checked. */
static inline void orr__port_set_unchecked(struct orr_port *port)
{
    int64_t most = port->drop_ps;

    most = port->mark_ps < most ? port->mark_ps : most;
    most = port->max_ps < most ? port->max_ps : most;
    if (port->uses_queue || !port->ps_per_byte)
        port->unchecked_below = 0;
    else
        port->unchecked_below =
            most < UINT32_MAX ? (uint32_t)most + 1 : UINT32_MAX;
}

/* The reader's head at the last exchange. */
static inline uint32_t orr__port_exchanged_head(const struct orr_port *port)
{
    return port->limit - port->mask - 1;
}

/* Is there no room for a packet at `end`, which is not before the tail? */
static inline bool orr__port_full(const struct orr_port *port, uint32_t end)
{
    return (int32_t)(end - port->limit) >= 0;
}

/* Where the packet numbered i is, or will be; there is room for it. */
static inline struct orr_packet *orr__port_slot(const struct orr_port *port,
                                                uint32_t i)
{
    return &port->ring[i & port->mask];
}

#endif
