/* The `network` map, read: what every port, NIC and connection needs. */
#ifndef ORR_NET_CONFIG_CONFIG_H
#define ORR_NET_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "net/cc/cc.h"
#include "net/config/failures.h"
#include "net/in_network/in_network.h"
#include "net/net.h"
#include "net/path/path.h"
#include "net/queue/queue.h"
#include "net/schedule/schedule.h"

enum orr_transport {
    ORR_TRANSPORT_RELIABLE,
    ORR_TRANSPORT_DATAGRAM,
    ORR_TRANSPORT_ANALYTICAL
};
enum orr_contention { ORR_CONTENTION_NONE, ORR_CONTENTION_LINKS };
enum orr_tiers { ORR_TIERS_ALL, ORR_TIERS_LOWEST, ORR_TIERS_HIGHEST };
enum orr_ports { ORR_PORTS_COMPUTED, ORR_PORTS_EXPLICIT };
enum orr_recovery {
    ORR_RECOVERY_SACK,
    ORR_RECOVERY_GO_BACK_N,
    ORR_RECOVERY_SELECTIVE,
    ORR_RECOVERY_RACK
};
enum orr_processes {
    ORR_PROCESSES_AUTO,
    ORR_PROCESSES_NODES,
    ORR_PROCESSES_ONE,
};
enum orr_switching {
    ORR_SWITCHING_STORE_AND_FORWARD,
    ORR_SWITCHING_CUT_THROUGH
};
enum { ORR_MOST_TIERS = 64 }; /* that `by_tier` names */

/* What holds on the links of a tier, in place of what `network` says
 * (net/config/tiers.h). */
struct orr_tier_rule {
    const char *name;          /* as given: a tier, or a pattern of links */
    const struct orr_yaml *at; /* where it stands */
    const struct orr_yaml *queue_node, *routing_node; /* NULL: left out */
    const struct orr_queue_ops *queue;                /* NULL: the network's */
    const void *queue_params;
    bool routes;             /* it says how paths are chosen */
    enum orr_path_kind path; /* if it does */
    struct orr_path_params path_params;
    uint64_t mtu; /* 0: the network's */
};
enum orr_timer_runs { ORR_TIMER_AUTO, ORR_TIMER_ALWAYS, ORR_TIMER_NEVER };
enum orr_plane {
    ORR_PLANE_ROUTING,
    ORR_PLANE_PACKET,
    ORR_PLANE_FLOW,
    ORR_PLANE_MESSAGE
};
enum orr_ties { ORR_TIES_INDEX, ORR_TIES_SHUFFLED };

/* exact: memory as this model needs it; hpcc: as SwitchMmu of HPCC's simulator
 * has it (net/port/pfc.c). */
enum orr_pfc_form { ORR_PFC_EXACT, ORR_PFC_HPCC };

/* Read once, const for all of net/ from then on. Pointers are the document's,
 * which must outlive it. */
struct orr_net_config {
    uint64_t mtu, header, ack; /* bytes */
    uint64_t local_mtu;        /* of connections of two links at most */
    int64_t ack_every;         /* packets that one ACK may tell of */
    int64_t ack_delay_ps;      /* how long one may be held back for more */
    uint64_t ack_bytes;        /* `uec_acks`: on the wire, for one ACK */
    int64_t resolution_ps; /* of `transport: analytical`: a message's time is
                            * cut down to a multiple of it */
    int transport, contention, tiers, ports, processes, ties, plane, recovery,
        ack_rule;    /* each
                      * a place in the choices of its key */
    bool pulls;      /* some control goes by credits (net/host/pull.c) */
    bool acks_known; /* `uec_acks` is read */
    bool uec_acks;   /* ACKs by net/host/uec.c; else by number */
    bool idle_restart, handshake;
    bool partial_acks; /* RFC 6582, section 3.2, step 3, beside RFC 6675: an ACK
                        * for a part of what a recovery repairs sends one packet
                        * at once, and only the first puts the timer off */
    const char *preset, *as; /* as given; "": none */
    const char *window_text, *initial_window_text,
        *reorder_text; /* as given;
                        * `window` and so on below are what they come to */
    /* Values that are families of their own, as the document has them; NULL:
     * left out. Read by parts of net/config, and by nobody once it is made. */
    const struct orr_yaml *queue_node, *routing_node, *cc_node;
    const struct orr_yaml *latency_node, *rto_node, *nic_node;
    const struct orr_yaml *buffer_node, *pfc_node, *switching_node;
    const struct orr_yaml *in_network_node, *tier_node;

    struct orr_tier_rule *rule; /* `by_tier`, in the order given */
    uint32_t rules;
    /* Per link, one more than its place there; 0: no tier. NULL: none of all
     * links, or the graph is not known yet. */
    uint8_t *rule_of;

    int switching;               /* store-and-forward, or cut-through */
    uint64_t cut_through_header; /* bytes of a head */

    double window;         /* packets; of `cc: none` */
    double initial_window; /* packets; of all others */
    int64_t reorder_ps;    /* ORR_NEVER: auto */
    struct {
        int64_t switch_ps, host_ps; /* that a packet takes in each, beside
                                     * queues and links */
    } latency;
    struct {
        int64_t initial_ps; /* of the first timeout; ORR_AUTO: by the path */
        int64_t min_ps, max_ps; /* of the others */
        int timer;              /* enum orr_timer_runs, as given */
        int64_t probe_ps;       /* of a probe, beside two round trips */
        /* What that comes to, net/config/timers.h: the first timeout, the least
         * and the most of the others; ORR_NEVER, all of them: senders have no
         * timer. */
        int64_t first_ps, least_ps, most_ps;
    } rto;
    struct {
        bool fifo;  /* a NIC queues all that windows and rates allow */
        bool marks; /* and marks in that queue, as switches do */
    } nic;
    int64_t held_ps; /* an ACK is held back for this long at most; 0:
                      * each packet is acknowledged */

    struct orr_config *document;       /* that all this was read from */
    const struct orr_queue_ops *queue; /* of all ports */
    const void *queue_params; /* the document's, like all that is const here */
    int64_t limit;            /* packets of a queue; ORR_AUTO: any number */
    bool counts_in_service;   /* against the capacity, the packet in service */
    const struct orr_schedule_ops *schedule; /* of explicit ports */
    struct {
        bool shared;   /* all ports of a switch share its memory */
        uint64_t size; /* bytes, of each switch */
        double alpha;  /* of what is free a queue, or with PFC what came by one
                        * link, may take this much */
    } buffer;
    struct {
        bool enabled;       /* false: the others mean nothing */
        uint8_t lossy;      /* a bit for each class that is not paused */
        bool headroom_auto; /* of each link: what is under way when it pauses */
        int form;           /* enum orr_pfc_form */
        bool hold_acks;     /* a host's, too */
        uint64_t xoff;      /* bytes; 0: by alpha */
        uint64_t headroom;  /* bytes */
        uint64_t reserve, hysteresis; /* bytes */
    } pfc;
    struct orr_net_service service; /* of connections that have no other */
    int64_t nack_interval_ps; /* go-back-N: least time between two NACKs for
                               * one gap */
    double class_weight[ORR_MOST_CLASSES]; /* from 0.01 to 100 */
    bool strict;           /* a higher class goes first; else by weight */
    int64_t least_classes; /* as given: `classes` is no less */
    uint32_t classes; /* traffic classes that there are: 0 to classes - 1 */
    uint32_t planned_classes; /* a schedule may give jobs any below this */
    uint8_t used_classes; /* a bit for each that something may be sent in; 0:
                           * not known, so all (orr__net_uses_class) */
    bool controlled;      /* some connections have a congestion control */
    const struct orr_yaml *control_node; /* the first of them; NULL: default */
    bool telemetry;              /* some control wants in-band telemetry */
    const struct orr_pint *pint; /* which ports keep for those that want it in
                                  * a byte (net/cc/pint.h); NULL: none */
    const char *marks_for; /* a control in use that goes by marks; NULL: none */
    const char *hops_for;  /* one that reads telemetry hop by hop; NULL: none */
    const struct orr_failures *failures; /* of links; NULL: none */
    struct { /* what notes go by (net/config/idle.h), when all is read */
        bool common; /* some connection has `service` above */
        bool controlled,
            uncontrolled;   /* some has a control of its own, or none */
        bool begins;        /* with `initial_window` */
        bool hosts_forward; /* some host has more than one link */
        bool switches;      /* there are some */
        bool payload;       /* some message may be of more than a byte */
        bool sums;          /* some collective goes by switches that add */
        bool copies;        /* by multicast */
        bool near, far;     /* some hosts are two links apart at most; more */
        bool one_path;      /* between any two hosts there is no other */
        bool one_tier;      /* all links are of it */
        bool planes;        /* there are several */
        uint32_t stops;     /* of detours; 0: no path can make one */
        struct orr_cc_facts facts; /* of its controls */
    } used;
    enum orr_path_kind path;       /* how nodes choose among next hops */
    enum orr_path_kind plain_path; /* the same of links that are of no tier */
    struct orr_path_params path_params;    /* of that, those that it has */
    const struct orr_entropy_ops *entropy; /* of each packet; NULL: none */
    uint32_t flowlets;      /* that a node can tell apart, in any tier */
    int64_t least_post_ps;  /* orr__net_post is never asked for less; 0: it is
                             * not used */
    int64_t most_window_ps; /* windows are no longer, so that a run of one
                             * process can be stopped; 0: as long as may be */
    bool by_message;        /* some hosts take their ports by message */
    bool reorders; /* the path kind may reorder packets of a connection */
    bool moves;    /* each may leave by another port than the one before */
    bool detours;  /* packets may go by way of some other switch */
    struct orr_in_network in_network; /* of switches */
    struct orr_in_network in_servers; /* of those inside servers */
    bool trees; /* something is sent on trees (net/tree/) */
};

/* The same while it is made: by what reads the document, by jobs and flows that
 * ask for services, and by schedules. All others have a const orr_net_config,
 * which is this one's, and nobody keeps a draft once a net is built of it. */
struct orr_net_draft {
    struct orr_net_config config;
};

/* The tier of a link that has rules of its own, or NULL. */
static inline const struct orr_tier_rule *orr__rule_of(
    const struct orr_net_config *c, uint32_t link)
{
    return c->rule_of && c->rule_of[link] ? &c->rule[c->rule_of[link] - 1]
                                          : NULL;
}

/* A kind of queue with its parameters: the document's. */
struct orr_queue_kind {
    const struct orr_queue_ops *ops;
    const void *params;
};

/* That of a link's port. */
static inline struct orr_queue_kind orr__queue_of(
    const struct orr_net_config *c, uint32_t link)
{
    const struct orr_tier_rule *t = orr__rule_of(c, link);

    return t && t->queue ? (struct orr_queue_kind){t->queue, t->queue_params}
                         : (struct orr_queue_kind){c->queue, c->queue_params};
}

/* How packets choose among next hops of which this link is the first. */
static inline struct orr_path_rule orr__path_rule_of(
    const struct orr_net_config *c, uint32_t link)
{
    const struct orr_tier_rule *t = orr__rule_of(c, link);

    return t && t->routes
               ? (struct orr_path_rule){t->path, &t->path_params}
               : (struct orr_path_rule){c->plain_path, &c->path_params};
}

/* The most that a packet carries. */
static inline uint64_t orr__largest_payload(const struct orr_net_config *c)
{
    uint64_t most = c->local_mtu > c->mtu ? c->local_mtu : c->mtu;

    for (uint32_t i = 0; i < c->rules; i++)
        most = c->rule[i].mtu > most ? c->rule[i].mtu : most;
    return most;
}
/* The least that a full packet of some connection carries. */
static inline uint64_t orr__smallest_payload(const struct orr_net_config *c)
{
    uint64_t least = c->local_mtu < c->mtu ? c->local_mtu : c->mtu;

    for (uint32_t i = 0; i < c->rules; i++)
        if (c->rule[i].mtu && c->rule[i].mtu < least)
            least = c->rule[i].mtu;
    return least;
}
/* The most that a packet on this link carries, of a connection whose packets
 * carry `mtu` where no tier says another. */
static inline uint64_t orr__payload_on(const struct orr_net_config *c,
                                       uint32_t link, uint64_t mtu)
{
    const struct orr_tier_rule *t = orr__rule_of(c, link);

    return t && t->mtu ? t->mtu : mtu;
}
/* The kind of queue of the ports of all links that no tier is of (0), or of a
 * tier's, by number from 1 to `rules`. */
struct orr_queue_kind orr__queue_at(const struct orr_net_config *c,
                                    uint32_t number);
/* Does any queue cut packets? */
bool orr__net_trims(const struct orr_net_config *c);
/* Does any have a judge? */
bool orr__net_judges(const struct orr_net_config *c);
/* May anything be sent in this class? Once the net is being built. */
static inline bool orr__net_uses_class(const struct orr_net_config *c,
                                       uint32_t class)
{
    return !c->used_classes || c->used_classes >> class & 1;
}
/* How many classes something may be sent in, and how many of these are paused.
 */
uint32_t orr__net_count_used(const struct orr_net_config *c);
uint32_t orr__net_count_lossless(const struct orr_net_config *c);
/* Are packets of this class dropped, with pause frames, where there is no room?
 */
static inline bool orr__net_is_lossy(const struct orr_net_config *c,
                                     uint32_t class)
{
    return c->pfc.lossy >> class & 1;
}
/* Must departures be events of their own? Once services were read. */
bool orr__net_explicit(const struct orr_net_config *c);
/* Does any queue mark packets? */
bool orr__net_marks(const struct orr_net_config *c);

#endif
