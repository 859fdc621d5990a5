/* The fabric: what a graph becomes when packets move on it. Private to net/.
 *
 * Ownership: nodes, their NICs, sending ends of ports, senders and receivers
 * belong to the worker that runs their process (a lane of core/window.h). Both
 * ends of a port are touched only in orr__fabric_exchange, between windows. */
#ifndef ORR_NET_FABRIC_FABRIC_H
#define ORR_NET_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/assert.h"
#include "core/none.h"
#include "core/random.h"
#include "core/timer.h"
#include "core/window.h"
#include "net/cc/pint.h"
#include "net/config/config.h"
#include "net/config/failures.h"
#include "net/fabric/fault.h"
#include "net/fabric/slab.h"
#include "net/net.h"
#include "net/packet.h"
#include "net/path/pick.h"
#include "net/port/span.h"

/* Order of timers at one instant: the net's own by what they are for, then by
 * the hash of their connection (not its number: that depends on threads), and
 * after them the workload's in the order they were set. */
#define ORR_RANK_NET(what, hash) ((uint64_t)(what) << 32 | (hash))
#define ORR_RANK_USER            (UINT64_C(1) << 63)
/* Before those, what does not depend on when it was set: _timer_first. */
#define ORR_RANK_FIRST (UINT64_C(1) << 62)
#define ORR_RANK_LAST  UINT64_MAX
/* Behind those, what other hosts set: by host, then by its count. */
#define ORR_RANK_POST(host, count)                                             \
    (UINT64_C(3) << 62 | (uint64_t)(host) << 30 | ((count)&0x3fffffff))

/* A directed link with the port that feeds it. */
struct orr_port {
    /* the sending end: all that an easy packet needs */
    _Alignas(64) int64_t free_at; /* computed: when all accepted has left */
    struct orr_packet *ring;      /* packets on the link, by arrival */
    int64_t delay_ps;             /* propagation and the latency at its end */
    uint64_t bytes;               /* accepted */
    uint64_t area;        /* orr__port_area_of, of which these are 64 bits */
    uint32_t ps_per_byte; /* 0: not a whole number, or more than fits: memo */
    uint32_t easy_below;  /* no packet is dropped, marked, or the longest
                           * backlog since that was asked for, that leaves less
                           * than so many ps behind; 0: the port is slow, or has
                           * a memo (orr__port_ease) */
    uint32_t mask; /* the ring's size, a power of two, less 1; before first
                    * use that is 0 */
    uint32_t tail;
    uint32_t limit; /* where it is full: the reader's head at the last exchange
                     * and the ring's size */
    bool dirty;     /* on a list of links to exchange */
    bool slow : 1;  /* explicit, drops at random, or watched */
    bool local : 1; /* both ends are in one process */
    bool grown : 1; /* the ring is not the reader's */
    uint16_t to_worker; /* of the receiving end */
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

/* After a change of what easy_below depends on, unless max_ps became larger.
 * Backlogs of 4 ms and more are never easy. */
static inline void orr__port_ease(struct orr_port *port)
{
    int64_t most = port->drop_ps;

    most = port->mark_ps < most ? port->mark_ps : most;
    most = port->max_ps < most ? port->max_ps : most;
    if (port->slow || !port->ps_per_byte)
        port->easy_below = 0;
    else
        port->easy_below = most < UINT32_MAX ? (uint32_t)most + 1 : UINT32_MAX;
}

/* Packets that wait at an explicit port, first in, first out. Of a packet that
 * waits, `at` is a ticket: see orr__ticket. */
struct orr_shares;
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

/* What a slow port has beside: queues of its own if it is explicit, draws if
 * it loses or marks at random. What every packet needs comes first. */
struct orr_queue {
    _Alignas(64) int64_t busy_until; /* the packet in service leaves then */
    uint32_t waiting;                /* packets in all fifos */
    uint32_t gap;           /* plain: slots between the ring's tail and what
                             * waits */
    uint64_t waiting_bytes; /* of those that wait */
    int64_t waiting_ps;     /* serialisation of those */
    struct orr_fifo *fifo;  /* per class or share, or one; the last is for
                             * what goes first (egress.c) */
    uint32_t serving_fifo;  /* ORR_FRAME: a pause frame is in service */
    union {
        uint32_t order; /* packets queued so far */
        /* Simple ports that are caught up with, where packets have telemetry:
         * where in the port's ring what was there ended when departures were
         * last dealt with (plain.h). */
        uint32_t seen;
    };
    int64_t judged_ps;  /* data that finds such a backlog is judged */
    bool explicit : 1;  /* it holds what waits; else its port is computed */
    bool caught_up : 1; /* its process catches up with its departures */
    bool plain : 1;     /* first in, first out, in one queue: plain.c */
    bool simple : 1;    /* plain, and none of the last three */
    bool composite : 1; /* judged as it is left: composite.c */
    bool counted : 1;   /* what waits is entered in a memory of the node */
    bool stamps : 1;    /* looks at all that it sends (PINT) */
    bool lossy : 1;     /* the link loses packets at random or for a while */
    bool busy;          /* something is in service */
    /* Pause frames (pfc.c), a bit per class: not to be sent now; what the
     * other end should hold back, and what it was told last. */
    uint8_t paused, wanted, told, told_class;

    /* While `busy`: see orr__serving. */
    _Alignas(64) struct orr_packet serving;
    int64_t blocked_from; /* nothing sent, though packets wait; or ORR_NEVER */
    uint32_t slot;        /* departure among the sources of the process */
    uint32_t process;     /* of the node that sends on it */

    _Alignas(64) struct orr_queue_limits limits; /* at the rate in force */
    uint32_t ahead; /* packets or bytes since others wait: limits.ahead */
    uint32_t fifos; /* without the last one; by share, room for */

    double loss;                     /* probability, 0..1 */
    const struct orr_outage *outage; /* of the link, by time */
    uint32_t outages;                /* of these */
    struct orr_toll *toll;           /* of each; owned (toll.h) */
    uint32_t doomed; /* explicit: packets numbered below it are lost */
    struct orr_shares *shares; /* by number of a fifo; NULL: not by share */
    double virtual;            /* of the scheduler: its time */
    uint8_t turn;              /* of the scheduler: whose turn it is */
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

/* The reader's head at the last exchange. */
static inline uint32_t orr__port_head_seen(const struct orr_port *port)
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

/* Of a plain port: the packet in service, or else the first that waits, and
 * those behind it. */
static inline struct orr_packet *orr__plain_at(const struct orr_port *port,
                                               const struct orr_queue *q,
                                               uint32_t i)
{
    return orr__port_slot(port, port->tail + q->gap + i);
}

/* The packet in service, while the port is busy. */
static inline const struct orr_packet *orr__serving(const struct orr_port *port,
                                                    const struct orr_queue *q)
{
    return q->plain && q->serving_fifo != ORR_FRAME ? orr__plain_at(port, q, 0)
                                                    : &q->serving;
}

/* Packets that wait in one of a port's fifos, and the one with i before it. */
static inline uint32_t orr__waiting(const struct orr_queue *q, uint32_t fifo)
{
    return q->plain ? q->waiting : q->fifo[fifo].tail - q->fifo[fifo].head;
}
static inline const struct orr_packet *orr__waiting_at(
    const struct orr_port *port, const struct orr_queue *q, uint32_t fifo,
    uint32_t i)
{
    if (q->plain)
        return orr__plain_at(port, q,
                             i + (q->busy && q->serving_fifo != ORR_FRAME));
    return orr__fifo_at(&q->fifo[fifo], q->fifo[fifo].head + i);
}

/* A host or switch. Only the worker of its process touches it in a window. */
struct orr_node {
    uint64_t digest;            /* orr__digest_of */
    const uint32_t *row;        /* of the routing table; NULL: only_link */
    struct orr_path_state path; /* what choosing among links remembers */
    union {
        uint32_t only_link; /* without a row */
        uint32_t part;      /* with one: of the list, as in orr_routing */
    };
    uint32_t process;     /* that it is part of */
    uint32_t worker;      /* of that process */
    uint32_t timers_set;  /* by the workload */
    uint32_t posted;      /* timers that it set on other hosts */
    bool sends, forwards; /* of the graph */
};

/* Connections that may send and take turns, on one of two lists, in order of
 * activation. */
struct orr_nic_turn {
    uint32_t repeat_first, repeat_last; /* retransmissions */
    uint32_t data_first, data_last;     /* new data */
};
#define ORR_NIC_TURN_EMPTY                                                     \
    (struct orr_nic_turn)                                                      \
    {                                                                          \
        ORR_NONE, ORR_NONE, ORR_NONE, ORR_NONE                                 \
    }

/* What waits at a NIC's port in one traffic class, on a line of its own. */
struct orr_nic_class {
    _Alignas(64) struct orr_packet *acks;      /* waiting to be sent, a ring */
    uint32_t ack_capacity, ack_head, ack_tail; /* a power of 2, or 0; go on */
    struct orr_nic_turn turn; /* without shares; not of class 0 */
    int64_t credit; /* bytes it may send before it is the next one's turn */
    int64_t paused_at, paused_ps; /* paused.c: last change, sum before it */
};

/* No port of a NIC. */

/* One of a node's ports, as its NIC sees it. What each packet needs comes
 * first; of its classes it needs no more as a rule, as class 0 is the one. */
struct orr_nic_port {
    /* the NIC's last packet has left by then */
    _Alignas(64) int64_t own_free_at;
    struct orr_nic_class *class;    /* one for each traffic class in use */
    struct orr_process *process;    /* of the host */
    struct orr_nic_turn first_turn; /* of class 0: orr__nic_turn */
    uint32_t n_paced;               /* in `paced` */
    uint32_t link;                  /* that it sends on */
    uint32_t slot;     /* its departure among the process's sources */
    uint32_t leaving;  /* message whose last byte leaves at own_free_at; it has
                        * this port as `leaves_by`; or NONE */
    uint32_t foretold; /* `leaves` told of it last: while it is leaving */
    uint8_t acks;      /* bit per class: some wait */
    uint8_t paused;    /* bit per class: not to be served (PFC) */
    uint8_t turn;      /* the class being served */
    bool own_queued : 1; /* explicit: its packet is still in the queue */
    bool explicit : 1;   /* its port is */
    bool by_share : 1;   /* it has `shares` */

    struct orr_shares *shares;       /* of the port; NULL: classes alone */
    struct orr_nic_turn *share_turn; /* by number of a share */
    uint32_t leave_head, leave_tail; /* of `leavings` */
    uint32_t *paced; /* connections that wait for their pace: a heap */
    uint32_t cap_paced, paced_order; /* room of it; entered so far */
    int64_t wake_at; /* explicit: when the first of them is due */
    /* With `nic: {queue: fifo}` such messages are in a ring, by time; NONE:
     * nothing is to be told of it any more. */
    struct orr_teardown {
        int64_t at;       /* its last byte leaves, ps */
        uint32_t message; /* in `messages` */
    } * leavings;
    uint32_t leave_capacity; /* a power of two, or 0 */
    uint32_t host;           /* whose port it is */
};
_Static_assert(offsetof(struct orr_nic_port, shares) == 64, "one line");

/* Who takes turns in a class, without shares. */
static inline struct orr_nic_turn *orr__nic_turn(struct orr_nic_port *np,
                                                 uint32_t class)
{
    return class == 0 ? &np->first_turn : &np->class[class].turn;
}

/* Sources of a process, in the order that breaks ties: departures of its
 * ports, arrivals on its links, its timers. Those of hosts with one cable are
 * in it. */
#define ORR_SOURCES_NEAR 3
struct orr_process {
    /* all that a host with one cable needs */
    _Alignas(64) int64_t near[ORR_SOURCES_NEAR]; /* `at`, if they are so few */
    /* next event of each source, ORR_NEVER: none */
    int64_t *at;
    int64_t *block;  /* smallest of each block of sources; NULL: few sources,
                      * or merge.h finds the next one */
    uint64_t digest; /* orr__digest_of, of a host with one cable */
    uint32_t node;   /* the lowest of its nodes */
    /* Senders with an alarm that is armed, and timers of no alarm. While there
     * is none, nor a timer for an ACK that is held back, timers are of no
     * consequence, and those of a host with one cable may lie in the past. */
    uint32_t live;
    uint32_t held;          /* timers for ACKs that are, or were, held back */
    bool only_arrivals : 1; /* a switch with few computed ports */
    bool one_cable : 1;     /* a node with a NIC, and no other link */
    bool catches_up : 1;  /* a switch with explicit ports that nothing connects
                           * now: their departures are dealt with when the port
                           * is looked at next, and not as events */
    bool simple : 1;      /* the same, and all of its ports are simple, unless
                           * somebody looks on (follow.h) */
    bool may_connect : 1; /* a memory does as soon as it is short (buffer.h) */
    uint8_t block_shift;
    uint8_t slice_shift; /* of merge.h, what was good last */
    bool dense; /* much happened when it was run last: a switch, many of its
                 * links brought something; a host with one cable, that did so
                 * several times */

    _Alignas(64) struct orr_timers timers; /* of all of its nodes */
    int64_t *blocks_kept;          /* for when it catches up no longer */
    uint32_t *departs, *arrives;   /* link ids, ascending */
    uint32_t n_departs, n_arrives; /* sources in this order, timers last */
    uint32_t sources, blocks;      /* a block has 2^block_shift of them */
    uint32_t departing; /* while a NIC deals with one: its slot; else all. Of a
                         * host with one cable nobody asks */
    uint32_t nodes;     /* how many it has */
};
_Static_assert(sizeof(struct orr_process) == 128
                   && offsetof(struct orr_process, timers) == 64,
               "two cache lines");

/* The source that the timers are: the last. */
static inline uint32_t orr__process_timer(const struct orr_process *p)
{
    return (p->one_cable ? ORR_SOURCES_NEAR : p->sources) - 1;
}

/* The same in a process in blocks, whose smallest follow (process.c). */
void orr__block_set(struct orr_process *p, uint32_t source, int64_t at);

/* Sets when a source has its next event. */
static inline void orr__source_set(struct orr_process *p, uint32_t source,
                                   int64_t at)
{
    if (p->block)
        orr__block_set(p, source, at);
    else
        p->at[source] = at;
}

/* Links that were sent on in this window. There is room for all that may be. */
struct orr_link_list {
    uint32_t *link; /* each once: `dirty` of its port says so */
    uint32_t count;
};

struct orr_post_list { /* padded: no two workers write one line */
    _Alignas(64) struct orr_timer *timer;
    uint32_t count, capacity; /* it grows by its own worker alone */
};

struct orr_lane {                 /* a worker's own */
    _Alignas(64) uint64_t events; /* that its nodes' digests have taken up */
    /* packets: that hosts sent, ACKs included; that ended at a host; that were
     * lost; marked; sent again; cut to their header; and senders' timeouts */
    uint64_t sent, delivered, dropped, marks, repeats, trimmed, timeouts;
    uint64_t frames, frames_seen, pauses; /* PFC: sent, arrived; that pause */
    int64_t longest_timeout;              /* of those of its senders, ps */
    int64_t last_event, last_timer; /* ps: arrival at a node; that found work */
    uint32_t ingress; /* link of the packet that is being forwarded */
    struct orr_link_list *dirty; /* by the worker of the receiving end */
    struct orr_post_list *posts; /* the same of timers for other hosts */
    uint64_t *active; /* bit per link: taken over since it was last asked */
    struct orr_slab_supply connections, messages,
        telemetry;         /* to make and
                            * give back, in its thread */
    struct orr_tied *tied; /* arrivals at one time (node.c) */
    uint32_t tied_room;
    unsigned worker; /* its number: n->lane[worker] is this */
};

/* A run. What threads share while a window goes on is only read; what they
 * write hangs on a process, a lane, or an end of a port. */
struct orr_net {
    const struct orr_graph *graph; /* the caller's, like config; outlive it */
    const struct orr_routing *routes;  /* as they are now */
    const struct orr_routing *base;    /* with all links alive; the caller's */
    struct orr_rerouting *rerouting;   /* NULL: nothing fails */
    struct orr_rate_changes *retuning; /* NULL: no rate changes */
    const uint64_t *rate_bps;          /* per directed link, as it is now */
    const uint64_t *begin_bps;         /* and at time 0 */
    const uint64_t *best_bps;          /* the highest that it ever is */
    struct orr_multipath *spread; /* NULL: packets keep to one way (spread.h) */
    const struct orr_net_config *config;
    struct orr_net_user {
        const struct orr_net_ops *ops;
        void *context; /* what its upcalls are called with */
    } * user;          /* by number; ops NULL: free */
    uint32_t users;    /* numbers given out so far */
    uint64_t seed;     /* of the experiment: names all random streams */
    unsigned workers;  /* lanes */
    struct orr_windows *windows; /* owned: the engine that it runs on */
    bool ended;                  /* nothing is left to happen */
    bool far; /* what a window touches comes from memory: orr__fabric_prefetch
               * and switches take time to bring it near */
    double fixed_window; /* packets, of connections without a control */
    int64_t lookahead;   /* length of a window */
    int64_t shortest_ps; /* the least delay of any link */

    /* Per directed link, and for the one that leads nowhere, which routes
     * name too: see orr__nowhere. */
    struct orr_port *port;
    struct orr_queue **queue;  /* the same; NULL: computed */
    struct orr_memory *memory; /* per node; NULL: none is shared */
    struct orr_pfc *pfc;       /* NULL: off */
    struct orr_packet_observers
        *follow;                   /* who looks on (follow.h); NULL: nobody */
    struct orr_node *node;         /* per node */
    struct orr_process *process;   /* per process */
    struct orr_nic_port *nic_port; /* of nodes that send, in their order */
    uint32_t nic_ports;
    struct orr_nic_class *nic_class; /* of all of them */
    uint32_t *nic_port_of;           /* per directed link, if its node sends */
    const uint32_t *arrivals;        /* all processes' `arrives` */
    struct orr_inlet *inlet;         /* of those, side by side */
    uint32_t *inlet_of;              /* per directed link */
    uint32_t *rounds; /* per link: how often the number of packets that were put
                       * on its ring went beyond 32 bits, up to `visible` */
    struct orr_lane *lane;   /* per worker */
    struct orr_fault *fault; /* per worker */
    int64_t *at, *blocks;    /* all processes' sources */
    uint32_t *owner;         /* per process: worker */
    uint32_t *link_lists;    /* of all processes */
    uint32_t processes;
    uint64_t *area_over; /* per link: what its port's area is above
                          * 64 bits; touched as seldom as it grows
                          * by 2^64 */
    bool any_slow;
    bool blind; /* paths are chosen with no look at queues */
    bool plain; /* ports of NICs are computed, without classes or shares, and
                 * connections, all reliable, keep to one (lone.c) */
    bool marks; /* queues may mark; a port may say otherwise for a moment */
    uint32_t routed; /* kind of packets as they set out: ORR_PACKET_ROUTED
                      * where they may make detours, else 0 */
    bool explicit;   /* every departure is an event: orr__net_explicit */
    struct orr_slab senders, receivers;  /* of connections, under one number */
    struct orr_slab messages, telemetry; /* records of telemetry: what packets
                                          * carry */
    uint32_t telemetry_room;             /* hops that a record holds */
    struct orr_net_cursor *cursors;      /* of observers, a list */
    struct orr_replay *replay;           /* NULL: none */
    struct orr_passages *passages; /* passage.h; NULL: packets, or they wait */
    uint64_t *skipped;    /* per link: of its packets, those that never were on
                           * its ring (state.h); NULL: none */
    uint64_t *more_bytes; /* per link: that it sent in the stretches skipped
                           * last; NULL: no telemetry asks for them */
    uint64_t jumped;      /* digest of what was skipped (state.h) */
    bool chance;          /* ties are looked at (state.h) */
    uint64_t chances;     /* of which so many mattered */
    uint64_t *max_queue;  /* per link, bytes: before max_ps was begun anew;
                           * NULL: no observer takes maxima */
};

/* The record that a packet carries: its number is the packet's aux. */
static inline struct orr_cc_telemetry *orr__telemetry(const struct orr_net *n,
                                                      uint32_t id)
{
    return orr__slab_get(&n->telemetry, id);
}

/* A packet ends here: gives back the record it carries, if any. */
static inline void orr__telemetry_release(struct orr_net *n,
                                          struct orr_lane *lane,
                                          const struct orr_packet *p)
{
    if (p->dst_kind & ORR_PACKET_TELEMETRY)
        orr__slab_release(&lane->telemetry, p->aux);
}

/* Of the links that end at a process, in their order. */
static inline struct orr_inlet *orr__inlets(const struct orr_net *n,
                                            const struct orr_process *p)
{
    return n->inlet + (p->arrives - n->arrivals);
}

static inline struct orr_inlet *orr__inlet(const struct orr_net *n,
                                           uint32_t link)
{
    return &n->inlet[n->inlet_of[link]];
}

/* The other direction of a link's cable. */
static inline uint32_t orr__reverse(const struct orr_net *n, uint32_t link)
{
    uint32_t cables = n->graph->cables;

    return link < cables ? link + cables : link - cables;
}

/* Of a node with one cable: the link by which its packets leave. They come by
 * the other direction. */
static inline uint32_t orr__only_link(const struct orr_net *n, uint32_t node)
{
    return n->graph->out_link[n->graph->out_off[node]];
}

/* The link that routes name where no way leads to a destination. It has a
 * port, which takes everything and sends nothing, and a queue, which is always
 * empty; but no ends, no rate, and no place in any other array by link. */
static inline uint32_t orr__nowhere(const struct orr_net *n)
{
    return n->graph->links;
}

/* Upcalls to the user whose message it is. */
static inline void orr__observers_received(const struct orr_net *n,
                                           uint32_t host, int64_t now,
                                           const struct orr_message *m)
{
    const struct orr_net_user *u = &n->user[m->user];

    u->ops->received(u->context, host, now, m);
}
static inline void orr__observers_sent(const struct orr_net *n, uint32_t host,
                                       int64_t now, const struct orr_message *m)
{
    const struct orr_net_user *u = &n->user[m->user];

    u->ops->sent(u->context, host, now, m);
}
static inline void orr__observers_acked(const struct orr_net *n, uint32_t host,
                                        int64_t now,
                                        const struct orr_message *m)
{
    const struct orr_net_user *u = &n->user[m->user];

    u->ops->acked(u->context, host, now, m);
}

/* Reports that memory ran out in the middle of a window. */
void orr__fabric_out_of_memory(struct orr_net *n);
/* EINTERNAL, with an account, if packets do not balance; between windows. */
ORR_CHECK_RESULT orr_err orr__net_audit(struct orr_net *n,
                                        struct orr_report *why);
/* What was pushed on a link within one process is seen at once. */
void orr__fabric_local(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port);
void orr__net_cursors_free(struct orr_net *n);
/* For struct orr_windows_ops, whose slots they are: one process up to `end`; a
 * look ahead at what it will need; what a worker's processes take over between
 * windows. */
int64_t orr__fabric_run(void *net, unsigned worker, uint32_t process,
                        int64_t end);
void orr__fabric_prefetch(void *net, uint32_t process, unsigned ahead,
                          int64_t end);
/* Links of a network that is far. Where there are fewer most of what is asked
 * for is near as it is. */
#define ORR_FAR_LINKS 8192u
#define ORR_FAR_AHEAD 3
void orr__fabric_exchange(void *net, unsigned worker);
/* When the last packet had arrived or, if links lost the last ones, left. */
int64_t orr__fabric_lasts(void *net);
/* Events so far. */
uint64_t orr__fabric_work(void *net);

/* The lane that this node's process belongs to. */
static inline struct orr_lane *orr__lane_of(struct orr_net *n, uint32_t node)
{
    return &n->lane[n->node[node].worker];
}

static inline struct orr_process *orr__process_of(const struct orr_net *n,
                                                  uint32_t node)
{
    return &n->process[n->node[node].process];
}

/* Of a node's arrivals and program steps; 0: none yet. */
static inline uint64_t *orr__digest_of(const struct orr_net *n, uint32_t node)
{
    struct orr_process *p = orr__process_of(n, node);

    return p->one_cable ? &p->digest : &n->node[node].digest;
}

/* A timer found something to do. */
static inline void orr__lane_timed(struct orr_lane *lane, int64_t now)
{
    if (now > lane->last_timer)
        lane->last_timer = now;
}

/* Enters a timer of this node; at >= now. */
void orr__fabric_timer(struct orr_net *n, uint32_t node, int64_t at,
                       uint64_t rank, uint32_t what, uint64_t arg);

/* Up to when all has happened; ORR_NEVER: nothing is left. */
int64_t orr__net_moment(const struct orr_net *n);
/* Enters a timer of another host; see orr__net_post. */
void orr__fabric_post(struct orr_net *n, uint32_t host, int64_t now,
                      uint32_t to, int64_t at, uint32_t what, uint64_t arg);
/* Takes over what `from` posted to hosts of `worker`; between windows. */
void orr__posts_take(struct orr_net *n, struct orr_lane *from, unsigned worker);

/* `what` of the net's own timers; those of its users start at ORR_WHAT_USER. */
enum {
    ORR_WHAT_RTO,     /* arg: connection */
    ORR_WHAT_REORDER, /* arg: connection */
    ORR_WHAT_ACK,     /* arg: connection */
    ORR_WHAT_PROBE,   /* arg: connection */
    ORR_WHAT_GONE,    /* arg: message (analytical.h) */
    ORR_WHAT_HERE,    /* the same at its destination */
    ORR_WHAT_HOP,     /* and at a node on the way */
    ORR_WHAT_USER
};

/* The same for a packet that is ROUTED: on a path of its sender's, or maybe on
 * a detour. */
uint32_t orr__route_follow_own(struct orr_net *n, uint32_t node,
                               struct orr_packet *p);

/* From now on node id goes by these routes. */
static inline void orr__node_adopt(struct orr_node *at,
                                   const struct orr_routing *r, uint32_t id)
{
    at->row = r->row[id] == ORR_NO_ROW ? NULL : r->table + r->row[id];
    if (at->row)
        at->part = r->part[id];
    else
        at->only_link = r->only_link[id];
}

/* What most packets' next hops from a node are found in; for as long as routes
 * are the same. */
struct orr_signs {
    const uint32_t *row; /* as in orr_node, the others as in orr_routing */
    const uint32_t *column, *list, *last_link;
    uint64_t of_node; /* of ECMP's hash */
};

/* Those of a node, to be looked up once for many packets. */
static inline struct orr_signs orr__signs(const struct orr_net *n,
                                          const struct orr_node *at)
{
    const struct orr_routing *r = n->routes;

    return (struct orr_signs){
        at->row, r->column, orr__routing_list(r, at->row ? at->part : 0),
        r->last_link, orr__ecmp_of_node(at->path.seed, at->path.node)};
}

/* The same for a node with a row, where ECMP chooses. */
static inline __attribute__((always_inline)) uint32_t orr__route_ecmp(
    const struct orr_signs *r, const struct orr_packet *p)
{
    uint32_t dst = orr__packet_dst(p), entry, count, i;

    ORR_ASSERT(r->row && !(p->dst_kind & ORR_PACKET_ROUTED));
    entry = r->row[r->column[dst]];
    count = orr__entry_count(entry);
    i = orr__entry_first(entry);
    if (count == 0)
        return r->last_link[dst];
    if (count > 1)
        i += orr__ecmp_choose(r->of_node, p->hash, count);
    return r->list[i];
}

/* Next hop of a packet that is not ROUTED at a node that is not its
 * destination: a link. Packets with a choice carry the present time in `at`. r:
 * of the node. */
static inline __attribute__((always_inline)) uint32_t orr__route_by(
    struct orr_net *n, struct orr_node *at, struct orr_signs r,
    const struct orr_packet *p, enum orr_path_kind kind)
{
    uint32_t dst = orr__packet_dst(p), entry, count;
    struct orr_path_hops ways;

    ORR_ASSERT(!(p->dst_kind & ORR_PACKET_ROUTED));
    if (!r.row)
        return at->only_link;
    entry = r.row[r.column[dst]];
    count = orr__entry_count(entry);
    if (count == 1)
        return r.list[orr__entry_first(entry)];
    if (count == 0)
        return r.last_link[dst];
    ways = (struct orr_path_hops){r.list + orr__entry_first(entry), count};
    return ways.link[orr__path_pick(kind, n, &at->path, p, ways)];
}

/* A packet taken off a link; a copy in *room if its path is noted in it: the
 * sending end may be copying its ring in this window. */
static inline const struct orr_packet *orr__own_packet(
    const struct orr_packet *p, struct orr_packet *room)
{
    if (__builtin_expect(!(p->dst_kind & ORR_PACKET_ROUTED), 1))
        return p;
    *room = *p;
    return room;
}

/* The same of any packet, which is the caller's own (orr__own_packet): what it
 * is to do next is noted in it. */
static inline uint32_t orr__route(struct orr_net *n, struct orr_node *at,
                                  const struct orr_packet *p)
{
    if (__builtin_expect(p->dst_kind & ORR_PACKET_ROUTED, 0))
        return orr__route_follow_own(n, at->path.node, (struct orr_packet *)p);
    return orr__route_by(n, at, orr__signs(n, at), p, n->config->path);
}

#endif
