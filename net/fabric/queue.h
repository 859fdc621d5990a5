/* What a port holds that is explicit, draws lots, or is watched. */
#ifndef ORR_NET_FABRIC_QUEUE_H
#define ORR_NET_FABRIC_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/none.h"
#include "core/random.h"
#include "net/cc/pint.h"
#include "net/fabric/port.h"
#include "net/packet.h"
#include "net/port/span.h"
#include "net/queue/queue.h"

/* Packets that wait at an explicit port, first in, first out. Of a packet that
 * waits, `at` is a ticket: see orr__ticket. */
struct orr_shares;
/* One first-in, first-out queue of a port: of a class, of a share, or of
 * all. */
struct orr_fifo {
    struct orr_packet *ring;       /* owned; NULL: none has waited yet */
    uint32_t capacity, head, tail; /* a power of two; these count on */
    int64_t waiting_ps;            /* serialisation of all of them */
    int64_t idle_from;  /* the last that was taken has left by then */
    uint64_t held;      /* bytes, the packet in service included */
    double average;     /* of the backlog, ps: what RED goes by */
    union {             /* of the scheduler */
        int64_t credit; /* bytes that it may send */
        double finish;  /* virtual time of its head */
    };
};
_Static_assert(sizeof(struct orr_fifo) == 64, "a cache line");

/* What a port that `uses_queue` has beside: queues of its own if it is
 * explicit, draws if it loses or marks at random. What every packet needs comes
 * first. */
struct orr_queue {
    _Alignas(64) int64_t busy_until; /* the packet in service leaves then */
    uint32_t waiting;                /* packets in all fifos */
    uint32_t gap;           /* single: slots between the ring's tail and what
                             * waits */
    uint64_t waiting_bytes; /* of those that wait */
    int64_t waiting_ps;     /* serialisation of those */
    struct orr_fifo *fifo;  /* per class or share, or one; the last is for
                             * what goes first (egress.c) */
    uint32_t serving_fifo;  /* ORR_FRAME: a pause frame is in service */
    union {
        uint32_t order; /* packets queued so far */
        /* Bare ports that are caught up with, where packets have telemetry:
         * where in the port's ring what was there ended when departures were
         * last dealt with (single_queue.h). */
        uint32_t seen;
    };
    int64_t judged_ps;  /* data that finds such a backlog is judged */
    bool explicit : 1;  /* it holds what waits; else its port is computed */
    bool caught_up : 1; /* its process catches up with its departures */
    bool single : 1;    /* first in, first out, in one queue: single_queue.c */
    bool bare : 1;      /* single, and none of the last three */
    bool composite : 1; /* judged as it is left: composite.c */
    bool counted : 1;   /* what waits is entered in a memory of the node */
    bool stamps : 1;    /* looks at all that it sends (PINT) */
    bool lossy : 1;     /* the link loses packets at random or for a while */
    bool limited : 1;   /* its room is not the capacity alone: room.h */
    bool dark : 1;      /* nothing goes into service (darkness.h) */
    bool passes : 1;    /* no pause holds it: its NIC holds data back */
    bool busy;          /* something is in service */
    /* Pause frames (pfc.c), a bit per class: not to be sent now; what the
     * other end should hold back, and what it was told last. */
    uint8_t paused, wanted, announced, announced_class;

    /* While `busy`: see orr__serving. */
    _Alignas(64) struct orr_packet serving;
    int64_t blocked_from; /* nothing sent, though packets wait; or ORR_NEVER */
    uint32_t slot;        /* departure among the sources of the process */
    uint32_t process;     /* of the node that sends on it */

    _Alignas(64) struct orr_queue_limits limits; /* at the rate in force */
    uint32_t ahead; /* packets or bytes since others wait: limits.ahead */
    uint32_t fifos; /* without the last one; by share, room for */

    double loss;                         /* probability, 0..1 */
    const struct orr_outage *outage;     /* of the link, by time */
    uint32_t outages;                    /* of these */
    uint32_t degraded;                   /* of the next */
    const struct orr_bit_errors *errors; /* of the link, by time */
    struct orr_toll *toll;               /* of each; owned (toll.h) */
    uint32_t doomed; /* explicit: packets numbered below it are lost */
    /* `limited`: packets of a queue, at most, or UINT32_MAX; what a packet
     * takes at most if the one in service counts whole, else 0, ps */
    uint32_t most;
    int64_t whole_ps;
    struct orr_shares *shares; /* by number of a fifo; NULL: not by share */
    double virtual;            /* of the scheduler: its time */
    uint8_t served;            /* of the scheduler: whose turn it is */
    uint64_t lost;             /* by the link, after they left */
    struct orr_random random;  /* draws of the loss, in FIFO order */
    struct orr_random marking; /* draws of the queue, in FIFO order */
    int64_t paused_from, paused_ps; /* any class; of the pauses that ended */
    uint64_t pauses, frames; /* received that pause; sent of either kind */

    /* Where rates change (retune.c): the packet in service was begun at
     * this rate, which has changed since; 0: at the one in force. What the
     * time on the link of all accepted bytes at the rate in force lacks of
     * the time they took and take. */
    uint64_t begun_bps;
    int64_t shift_ps;
    /* A computed port stands idle although it holds a packet: it would run
     * dry before the packet's tail is there (net/port/cut_through.h). */
    struct orr_spans gaps;
    /* What it sends in vain, the link will lose it: when. A loss counts when
     * the packet has left, as at explicit ports. */
    struct orr_spans losses;
    struct orr_pint_port pint; /* where the network has it */
};
_Static_assert(offsetof(struct orr_queue, loss) == 192, "three lines");

#define ORR_FRAME UINT32_MAX

/* Packets that wait keep the link that they came by, ORR_NONE for a host's
 * own, and their number among those queued at the port. */
static inline int64_t orr__ticket(uint32_t link, uint32_t order)
{
    return (int64_t)((uint64_t)order << 32 | link);
}

/* Back from a packet that waits: the link. */
static inline uint32_t orr__ticket_link(const struct orr_packet *p)
{
    return (uint32_t)p->at;
}

/* And its number among those that were queued; numbers go round. */
static inline uint32_t orr__ticket_order(const struct orr_packet *p)
{
    return (uint32_t)((uint64_t)p->at >> 32);
}

/* The packet numbered i, from head up to but not with tail. */
static inline struct orr_packet *orr__fifo_at(const struct orr_fifo *f,
                                              uint32_t i)
{
    return &f->ring[i & (f->capacity - 1)];
}

/* Of a port of one queue: the packet in service, or else the first that waits,
 * and those behind it. */
static inline struct orr_packet *orr__single_queue_at(
    const struct orr_port *port, const struct orr_queue *q, uint32_t i)
{
    return orr__port_slot(port, port->tail + q->gap + i);
}

/* The packet in service, while the port is busy. */
static inline const struct orr_packet *orr__serving(const struct orr_port *port,
                                                    const struct orr_queue *q)
{
    return q->single && q->serving_fifo != ORR_FRAME
               ? orr__single_queue_at(port, q, 0)
               : &q->serving;
}

/* Packets that wait in one of a port's fifos, and the one with i before it. */
static inline uint32_t orr__waiting(const struct orr_queue *q, uint32_t fifo)
{
    return q->single ? q->waiting : q->fifo[fifo].tail - q->fifo[fifo].head;
}
static inline const struct orr_packet *orr__waiting_at(
    const struct orr_port *port, const struct orr_queue *q, uint32_t fifo,
    uint32_t i)
{
    if (q->single)
        return orr__single_queue_at(
            port, q, i + (q->busy && q->serving_fifo != ORR_FRAME));
    return orr__fifo_at(&q->fifo[fifo], q->fifo[fifo].head + i);
}

#endif
