/* The fabric: what a graph becomes when packets move on it. Private to net/.
 *
 * Ownership: nodes, their NICs, sending ends of ports, senders and receivers
 * belong to the worker that runs their process (a lane of core/window.h). Both
 * ends of a port are touched only in orr__fabric_exchange, between windows. */
#ifndef ORR_NET_FABRIC_FABRIC_H
#define ORR_NET_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/window.h"
#include "net/config/config.h"
#include "net/fabric/lane.h"
#include "net/fabric/node.h"
#include "net/fabric/port.h"
#include "net/fabric/process.h"
#include "net/fabric/slab.h"
#include "net/net.h"

/* A host that gives credits (net/host/pull.c): to whom, by connection. */
struct orr_puller {
    struct orr_pull_list {
        uint32_t first, last;
    } list[2];          /* who asked, who did not */
    int64_t quantum_ps; /* between two quanta of credit */
    bool runs;          /* its timer does */
};

/* A run. What threads share while a window goes on is only read; what they
 * write hangs on a process, a lane, or an end of a port. */
struct orr_net {
    const struct orr_graph *graph; /* the caller's, like config; outlive it */
    const struct orr_routing *routes;  /* as they are now */
    const struct orr_routing *base;    /* with all links alive; the caller's */
    struct orr_rerouting *rerouting;   /* NULL: nothing fails */
    struct orr_rate_changes *retuning; /* NULL: no rate changes */
    struct orr_darkness *darkness;     /* NULL: no link goes dark */
    const uint64_t *rate_bps;          /* per directed link, as it is now */
    const uint64_t *begin_bps;         /* and at time 0 */
    const uint64_t *best_bps;          /* the highest that it ever is */
    struct orr_multipath
        *multipath; /* NULL: packets keep to one way (multipath.h) */
    const struct orr_net_config *config;
    struct orr_net_user {
        const struct orr_net_ops *ops;
        void *context; /* what its upcalls are called with */
    } * user;          /* by number; ops NULL: free */
    uint32_t users;    /* numbers given out so far */
    uint32_t markers;  /* the user that markers are (net/loop/marker.h) */
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
        *observers; /* who looks on (packet_observer_calls.h); NULL: none */
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
    bool any_queue;
    bool blind;     /* paths are chosen with no look at queues */
    bool bare_nics; /* ports of NICs are computed, without classes or shares,
                     * and connections, all reliable, keep to one
                     * (single_sender.c) */
    bool marks;     /* queues may mark; a port may say otherwise for a moment */
    uint32_t routed; /* kind of packets as they set out: ORR_PACKET_ROUTED
                      * where they may make detours, else 0 */
    bool explicit;   /* every departure is an event: orr__net_explicit */
    struct orr_slab senders, receivers;  /* of connections, under one number */
    struct orr_slab messages, telemetry; /* records of telemetry: what packets
                                          * carry */
    uint32_t telemetry_room;             /* hops that a record holds */
    struct orr_puller *puller;           /* by host; NULL: nobody gives credits
                                          */
    struct orr_net_cursor *cursors;      /* of observers, a list */
    struct orr_replay *replay;           /* NULL: none */
    struct orr_trees *trees;             /* net/tree/; NULL: there are none */
    struct orr_passages *passages; /* passage.h; NULL: packets, or they wait */
    uint64_t *skipped;    /* per link: of its packets, those that never were on
                           * its ring (state.h); NULL: none */
    uint64_t *more_bytes; /* per link: that it sent in the stretches skipped
                           * last; NULL: no telemetry asks for them */
    uint64_t jumped;      /* digest of what was skipped (state.h) */
    bool counts_ties; /* order of arrivals at one time is looked at (state.h) */
    uint64_t ties_that_matter;         /* of which so many mattered */
    const struct orr_net_alias *alias; /* it is a part of another net: what
                                        * that calls its links (bench.h); NULL:
                                        * it is none */
    struct orr_net_between {
        void (*fn)(void *arg, int64_t now); /* NULL: not wanted */
        void *arg;
    } between;           /* orr__net_between */
    uint64_t *max_queue; /* per link, bytes: before max_ps was begun anew;
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

static inline struct orr_inlet *orr__inlet_of(const struct orr_net *n,
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
static inline void orr__call_received(const struct orr_net *n, uint32_t host,
                                      int64_t now, const struct orr_message *m)
{
    const struct orr_net_user *u = &n->user[m->user];

    u->ops->received(u->context, host, now, m);
}
static inline void orr__call_sent(const struct orr_net *n, uint32_t host,
                                  int64_t now, const struct orr_message *m)
{
    const struct orr_net_user *u = &n->user[m->user];

    u->ops->sent(u->context, host, now, m);
}
static inline void orr__call_acked(const struct orr_net *n, uint32_t host,
                                   int64_t now, const struct orr_message *m)
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
/* Lets the reader of a link see what was pushed, and wakes it. Between windows,
 * or of a link within the process that runs. */
void orr__fabric_show(struct orr_net *n, uint32_t link);
/* When somebody asked, between two windows. */
void orr__fabric_asked(void *net, int64_t now);
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

/* Up to when all has happened; ORR_NEVER: nothing is left. */
int64_t orr__net_moment(const struct orr_net *n);

#endif
