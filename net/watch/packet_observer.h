/* An observer of packets: what becomes of them at ports and hosts, one by one.
 * It changes nothing: with it or without, a run has the same fingerprint. A net
 * without one pays a branch, or none, in places that few packets pass; so does
 * one whose observers get messages, timers, connections and cuts alone.
 *
 * orr__net_observe_packets() enters an observer before the run. Of packets that
 * are queued and begin, and of pause frames, it is told on those links that
 * orr__observed_link() has on its list, of all else everywhere. To see one
 * connection, watch the links of its path (orr__net_path_of), or all links if
 * packets may take any.
 *
 * The life of a packet, in the order in which it is told:
 *   queued    it is at a port; what it finds there: orr__observed_ahead. Where
 *             ports are explicit only if there is room for it
 *   dropped   the port has no room for it, or, later, the link loses it
 *   marked    the port sets CE (also at the time it begins, where queues do so)
 *   begins    the port begins to send it. A computed port (port/port.h) knows
 *             at once, so `begin` may lie ahead; an explicit one tells when it
 *             happens. All packets of a port begin in order of time.
 *   arrived   it is at its destination. At nodes on the way: queued, again.
 * Between `begin + time` and its being queued or arrived next lies the link's
 * delay, less what cut-through saves; where rates change meanwhile, what it was
 * when it began holds.
 *
 * Calls come in the thread of the node that they are about: the sending end of
 * a link, the host. With one worker (orr__net_new) they are all in one. Within
 * one thread they come in order of cause and effect, not of time: a window of
 * one node is run to its end before that of the next.
 *
 * An observer keeps to looking: from its calls it may call the functions here,
 * and what looks at the net without changing it. */
#ifndef ORR_NET_WATCH_PACKET_OBSERVER_H
#define ORR_NET_WATCH_PACKET_OBSERVER_H

#include "net/net.h"
#include "net/packet.h"

struct orr_cc; /* net/cc/cc.h */
struct orr_cc_ack;

/* A packet at a port. */
struct orr_observed_hop {
    const struct orr_packet *packet; /* until the call returns. `at`, where it
                                        is queued: of own ACKs, when they were
                                        made; else of no meaning */
    uint32_t link;
    bool own;      /* queued: of this host's NIC, which keeps the others of it
                      back meanwhile */
    int64_t now;   /* of the event */
    int64_t begin; /* it is sent from then on; only where it begins */
    int64_t time;  /* that takes so long, at the rate in force; only there */
    bool lost;     /* dropped: by the link, as it leaves; else for lack of
                      room */
};

/* All that a place of a tree waited for is in the sum of a packet. */
struct orr_observed_sum {
    uint32_t node;       /* a switch, or a server */
    uint32_t connection; /* of the member whose packet came last */
    uint32_t seq;        /* of the packet */
    bool root;           /* it is the result */
};

/* Slots that are NULL are left out. */
struct orr_packet_observer_ops {
    /* `arrived` is wanted of links that orr__observed_link() put on the list
     * only; else of all. */
    bool listed;
    /* orr__net_send: the message has its number, connection and packets. */
    void (*message)(void *observer, int64_t now, const struct orr_message *m);
    /* orr__net_timer and _timer_last. */
    void (*timer)(void *observer, uint32_t user, uint32_t host, int64_t at,
                  uint64_t arg);
    /* orr__net_connect: a connection of this name is there. */
    void (*connected)(void *observer, int64_t now, uint32_t connection,
                      const struct orr_connection_spec *spec);
    /* The connection may send, once it has its turn at this NIC's port and
     * `from` has come (its pace); again: something was lost. If it was ready
     * before, its window closed meanwhile, or this is for the other reason. One
     * that keeps its turn after a packet stays ready: orr__observed_waits. */
    void (*ready)(void *observer, int64_t now, uint32_t connection,
                  uint32_t link, int64_t from, bool again);
    void (*queued)(void *observer, const struct orr_observed_hop *h);
    void (*begins)(void *observer, const struct orr_observed_hop *h);
    /* Both in one, once it begins, where a port had nothing to send; if no
     * observer that wants one of them goes without. */
    void (*passed)(void *observer, const struct orr_observed_hop *h);
    /* A pause frame, which is of no connection: it is neither queued nor
     * dropped, and its hop has no packet's way before or after. */
    void (*frame)(void *observer, const struct orr_observed_hop *h);
    void (*dropped)(void *observer, const struct orr_observed_hop *h);
    void (*marked)(void *observer, const struct orr_observed_hop *h);
    void (*arrived)(void *observer, int64_t now, uint32_t host,
                    const struct orr_packet *p);
    /* The node at the end of a link is about to ask its sender to hold a class
     * back; until it has, with every packet. What for is what it holds:
     * orr__observed_held. */
    void (*pausing)(void *observer, int64_t now, uint32_t link, uint32_t class);
    /* What the port may not send is about to change: a pause frame arrived. Of
     * links on the list; until it has, orr__observed_paused. */
    void (*paused)(void *observer, int64_t now, uint32_t link);
    /* The control of a connection answers with a smaller window or rate than
     * before. Of those that orr__observed_control() has on its list. */
    void (*cut)(void *observer, int64_t now, uint32_t connection,
                const struct orr_cc_ack *a, int why);
    /* On trees (net/tree/). */
    void (*summed)(void *observer, int64_t now,
                   const struct orr_observed_sum *s);
};
enum orr_observed_cut {                /* what a control cut down for */
                        ORR_CUT_DELAY, /* round-trip times */
                        ORR_CUT_MARK,  /* a mark that was echoed, or a
                                        * notification: now, or
                                        * remembered until now */
                        ORR_CUT_LOSS,  /* something is lost */
                        ORR_CUT_TIMEOUT,
                        ORR_CUT_TELEMETRY, /* what ports tell of themselves */
};

/* Before the run; ops outlives the net. Of several observers each gets
 * links that any of them has on the list. */
#define ORR_MOST_OBSERVERS 4
ORR_CHECK_RESULT orr_err orr__net_observe_packets(
    struct orr_net *n, const struct orr_packet_observer_ops *ops,
    void *observer, struct orr_report *why);
/* Tells of this link, or no more: as often as it was to be told. By whoever may
 * touch its sending end: its node's thread, or between windows. */
void orr__observed_link(struct orr_net *n, uint32_t link, bool on);
/* Tells when this connection's control cuts down; once, from `connected`. */
void orr__observed_control(struct orr_net *n, uint32_t connection);

/* Takes the place of a user: its upcalls go to these, which pass them on to
 * *own; between windows. ops outlives the net. */
void orr__observed_user(struct orr_net *n, uint32_t user,
                        const struct orr_net_ops *ops, void *context,
                        const struct orr_net_ops **own, void **own_context);

/* What is ahead of a packet that is queued at `now`, and its times are known:
 * of a computed port all that it has not sent, of an explicit one what it is
 * sending. In order; those that the link will lose are left out. */
void orr__observed_ahead(const struct orr_net *n, uint32_t link, int64_t now,
                         void (*each)(void *arg, const struct orr_packet *p,
                                      int64_t begin, int64_t end),
                         void *arg);
/* All that the port holds, in any order, until `each` says false. */
void orr__observed_queue(const struct orr_net *n, uint32_t link, int64_t now,
                         bool (*each)(void *arg, const struct orr_packet *p),
                         void *arg);
/* The same for one who asks often: the queues of an explicit port, each first
 * in, first out and numbered on, so that what came and went since the last time
 * is known by the numbers. They are those from `head` to before `tail`. */
struct orr_observed_fifo {
    uint32_t head, tail; /* count on, and go round */
};
/* How many there are; 0: it is not such a port. */
uint32_t orr__observed_fifos(const struct orr_net *n, uint32_t link);
struct orr_observed_fifo orr__observed_fifo(const struct orr_net *n,
                                            uint32_t link, uint32_t fifo);
const struct orr_packet *orr__observed_fifo_at(const struct orr_net *n,
                                               uint32_t link, uint32_t fifo,
                                               uint32_t number);
/* What an explicit port is sending; NULL: nothing. */
const struct orr_packet *orr__observed_serving(const struct orr_net *n,
                                               uint32_t link, int64_t now);
/* What the node at the end of a link holds that came by it, of a class, until
 * `each` says false. */
void orr__observed_held(const struct orr_net *n, uint32_t link, uint32_t class,
                        bool (*each)(void *arg, const struct orr_packet *p),
                        void *arg);
/* Bit per class: those that the port of a link, and its NIC, hold back. */
uint8_t orr__observed_paused(const struct orr_net *n, uint32_t link);
/* The link that a ready connection waits for; UINT32_MAX: it is not ready, or
 * is no more, its window having closed while it waited. *from: when its pace
 * allows it, ps; *again: something is to be sent again. */
uint32_t orr__observed_waits(const struct orr_net *n, uint32_t connection,
                             int64_t *from, bool *again);
/* Bytes that a packet that is queued at `now` finds at the port: what waits,
 * and what is left of the one in service. */
uint64_t orr__observed_backlog(const struct orr_net *n, uint32_t link,
                               int64_t now);
/* What a connection is, from when it was made; from any thread. */
struct orr_observed_connection {
    uint32_t src, dst;       /* hosts */
    uint64_t identity;       /* as its user called it */
    uint32_t class;          /* of its data */
    const struct orr_cc *cc; /* never NULL */
};
struct orr_observed_connection orr__observed_connection(const struct orr_net *n,
                                                        uint32_t connection);
/* Of a connection of a member of a tree that adds. */
#define ORR_OBSERVED_DEPTH 64 /* links to its root; more are not told */
struct orr_observed_tree {
    const void *tree; /* the same for all of its members */
    uint32_t up[ORR_OBSERVED_DEPTH], links; /* to the root; `back` of each
                                             * leads down */
    uint32_t back[ORR_OBSERVED_DEPTH];
    uint32_t adder;  /* the first node on that way that adds */
    bool clocked;    /* its window is slots of switches */
    uint64_t sharer; /* another job (`share` of its group) with part of the
                      * slots that limit that window; 0: none has */
};
/* False: it is no such connection. */
bool orr__observed_tree(const struct orr_net *n, uint32_t connection,
                        struct orr_observed_tree *t);
/* Propagation on a link, with the latency of the node at its end, ps. */
int64_t orr__observed_delay(const struct orr_net *n, uint32_t link);
/* Whether packets of a connection all take the path that orr__net_path_of tells
 * of; else they may be on any link. */
bool orr__observed_fixed_paths(const struct orr_net *n);

#endif
