/* A connection: the sender at its source, the receiver at its destination.
 * They are two structs in two slabs under one number, because two workers own
 * them. Packets of a connection are numbered; a message is a run of numbers. */
#ifndef ORR_NET_HOST_HOST_H
#define ORR_NET_HOST_HOST_H

#include <assert.h>

#include "net/run/fabric.h"
#include "topo/stops.h"

/* What the sender remembers of a packet in flight. */
enum {
    ORR_SENT_OUT = 0,    /* in flight */
    ORR_SENT_HERE = 1,   /* selectively acknowledged */
    ORR_SENT_LOST = 2,   /* to be sent again */
    ORR_SENT_REPEAT = 3, /* in flight again */
};
struct orr_sent {
    int64_t at; /* when it was last sent, ps */
    uint32_t message;
    uint32_t state;
};

/* Where in the NIC a sender is: on the list of new data or of retransmissions
 * of its class, or among those that wait for their pace. */
enum { ORR_LIST_NONE, ORR_LIST_DATA, ORR_LIST_REPEAT, ORR_LIST_PACED };

struct orr_sender {
    _Alignas(64) struct orr_cc_window window;
    uint32_t una, next;   /* lowest unacknowledged; next new packet number */
    uint32_t queued;      /* packet numbers given to messages so far */
    uint32_t in_flight;
    uint32_t here, lost;  /* packets in state HERE; in state LOST */
    uint32_t message;     /* being sent; ORR_SLAB_NONE: nothing to send */
    uint32_t last_message;   /* end of the queue of messages */
    uint32_t first_unacked;  /* oldest message not acknowledged in full */
    struct orr_sent *sent;   /* ring by packet number; NULL for datagrams */
    uint32_t capacity;       /* of `sent`, a power of two */
    uint32_t src, dst, hash;
    uint32_t list_next, list_prev; /* in the NIC's list; paced: place in heap */
    uint8_t list;            /* which one it is on */
    uint16_t vain;           /* timeouts since anything was acknowledged */
    uint8_t class;
    bool recovering, closed;
    bool cut;                /* gave up: no way leads there any more */
    const struct orr_cc *control;
    void *cc;                /* its state */
    int64_t paced_at;        /* the next packet may start; see pace() */
    int64_t last_at;         /* start of the last one */
    uint32_t last_bytes;     /* of it */
    uint32_t paced_order;    /* among equals */
    uint32_t nic_port;       /* where it waits or sends next */
    uint32_t id;
    /* recovery */
    uint32_t recover;        /* recovery ends when this is acknowledged */
    uint32_t scanned;        /* below it every packet was judged lost or not */
    uint32_t highest_here;   /* highest selectively acknowledged, plus one */
    uint32_t repeat_from;    /* no packet below it is LOST */
    int64_t delivered_at;    /* send time of the last packet known delivered */
    /* most in flight in this window, which ends when more than peak_end is
     * acknowledged, and in the one before */
    uint32_t peak, peak_before, peak_end;
    /* round-trip times, ps */
    int64_t srtt, rttvar, rto, active_at, rtt;
    struct orr_alarm timeout, reorder;
    uint64_t identity;
    struct orr_connection_stats stats;
    const uint32_t *path;    /* links of its own, or NULL */
    uint32_t path_links;
    bool own_path;           /* it is the connection's, and freed with it */
    uint32_t path_hash;      /* that ECMP takes: of identity or entropy */
    uint32_t kind;           /* beside the destination of its data packets */
};

struct orr_receiver {
    _Alignas(64) uint32_t next; /* packet number expected */
    uint32_t pending;           /* packets here that no ACK told of */
    uint32_t src, dst, hash;    /* hash names this direction */
    uint32_t path_hash;         /* that ECMP takes for the ACKs */
    bool ce;
    uint8_t class;
    int64_t cnp_interval;       /* 0: none are sent */
    int64_t cnp_at;             /* the next one may be sent */
    uint32_t refused;           /* go-back-N: gap told of last, plus one */
    int64_t refuse_at;          /* it may be told of again */
    uint32_t beyond;            /* packets here beyond a gap */
    uint64_t *bits;             /* of those, by packet number; ring */
    uint32_t bit_capacity;      /* a power of two, at least 64 */
    struct orr_boundary {
        uint32_t seq, message;
    } *boundary;                /* last packets among them, by number */
    uint32_t n_boundary, cap_boundary;
    struct orr_alarm held;      /* the ACK held back */
    uint64_t marks;
};

static inline struct orr_sender *orr__sender(const struct orr_net *n,
                                             uint32_t id)
{
    return orr__slab_get(&n->senders, id);
}

static inline struct orr_receiver *orr__receiver(const struct orr_net *n,
                                                 uint32_t id)
{
    return orr__slab_get(&n->receivers, id);
}

/* A message lives from orr__net_send until it has left and been acknowledged
 * (datagrams: until all of it has arrived), and is looked up only while it
 * does. A dead one has no `id`, which is asserted in debug builds. */
static inline struct orr_message *orr__message(const struct orr_net *n,
                                               uint32_t id)
{
    struct orr_message *m = orr__slab_get(&n->messages, id);

#ifdef ORR_DEBUG
    assert(m->id == id);
#endif
    return m;
}

/* A copy of *m as a message of its own; NULL: out of memory, and the run is
 * failing. */
static inline struct orr_message *orr__message_new(struct orr_net *n,
                                                   struct orr_lane *lane,
                                                   const struct orr_message *m)
{
    uint32_t id = orr__slab_new(&n->messages, &lane->messages);
    struct orr_message *new;

    if (id == ORR_SLAB_NONE) {
        orr__fabric_out_of_memory(n);
        return NULL;
    }
    new = orr__slab_get(&n->messages, id);
    *new = *m;
    new->id = id;
    return new;
}

static inline void orr__message_release(struct orr_net *n,
                                        struct orr_lane *lane, uint32_t id)
{
    struct orr_message *m = orr__message(n, id);

    assert(m->leaves_by == ORR_NIC_NONE);
    m->id = ORR_SLAB_NONE;
    orr__slab_release(&lane->messages, id);
}

/* Timeouts in vain after which a sender gives up: some 17 minutes. Then all is
 * quiet, and the run says so instead of lasting for ever. */
#define ORR_MOST_VAIN 1000

/* sender.c: what the NIC asks. The next packet of this sender, which is on one
 * of the lists: fills p (all but `at`) and returns true, or returns false when
 * it has none after all. *leaving: the message that ends with it, or NONE. */
bool orr__sender_take(struct orr_net *n, struct orr_sender *s, int64_t now,
                      struct orr_packet *p, uint32_t *leaving);
/* Which list it belongs on now: ORR_LIST_*. */
static inline unsigned orr__sender_wants(const struct orr_sender *s)
{
    if ((double)s->in_flight + 1 > s->window.cwnd)
        return ORR_LIST_NONE;
    if (s->lost)
        return ORR_LIST_REPEAT;
    return s->message != ORR_SLAB_NONE ? ORR_LIST_DATA : ORR_LIST_NONE;
}
/* When the next packet may start, at the rate that there is now. */
void orr__sender_repace(struct orr_sender *s);
void orr__sender_cnp(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_packet *p, int64_t now);
void orr__sender_ack(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_packet *p, int64_t now);
/* Enters a timer of this sender. */
void orr__sender_set(struct orr_net *n, const struct orr_sender *s,
                     uint32_t what, int64_t at);
void orr__sender_timer(struct orr_net *n, uint32_t id, uint32_t what,
                       int64_t now);

/* ideal.c: a packet that finds out where packets of a connection go. */
struct orr_probe {
    struct orr_packet packet;
    const uint32_t *path; /* what is left of its own, or NULL */
    bool own;             /* it goes on by the tables where a link is dead */
    uint32_t links, next; /* of `way`, if the connection is not there yet */
    uint32_t way[ORR_LONGEST_WAY];
};
struct orr_probe orr__probe_of(const struct orr_net *n,
                               const struct orr_sender *s, bool forward);
struct orr_probe orr__probe_for(const struct orr_net *n,
                                const struct orr_connection_spec *spec,
                                bool forward);
/* Its next link from a node, by these routes: where packets take several ways,
 * one of them. Any worker may ask, for nobody takes note of it. */
uint32_t orr__probe_next(const struct orr_net *n, const struct orr_routes *r,
                         uint32_t at, struct orr_probe *p);

/* recovery.c: the scoreboard. */
void orr__recovery_selective(struct orr_sender *s, uint32_t cum, uint32_t aux);
/* Judges which packets are lost now; true if any newly is. */
bool orr__recovery_judge(struct orr_net *n, struct orr_sender *s, int64_t now);
/* Everything in flight is lost (timeout). */
void orr__recovery_all_lost(struct orr_sender *s);
/* This packet is lost for sure, unless it is here or was sent again since. */
void orr__recovery_trimmed(struct orr_sender *s, uint32_t seq);
/* The lowest LOST packet; there is one. */
uint32_t orr__recovery_next(struct orr_sender *s);

/* receiver.c */
void orr__receiver_data(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_packet *p, int64_t now);
void orr__receiver_timer(struct orr_net *n, uint32_t id, int64_t now);
void orr__receiver_datagram(struct orr_net *n, struct orr_lane *lane,
                            const struct orr_packet *p, int64_t now);

/* nic.c */
/* The sender may have become able to send: enters it on a list and starts the
 * port if that is idle. */
void orr__nic_activate(struct orr_net *n, struct orr_lane *lane,
                       struct orr_sender *s, int64_t now);
/* Queues an ACK and starts the port if that is idle. */
void orr__nic_ack(struct orr_net *n, struct orr_lane *lane, uint32_t host,
                  struct orr_packet *p, int64_t now);
/* The first connection that waited for its pace is due (explicit ports). */
void orr__nic_wake(struct orr_net *n, struct orr_lane *lane,
                   uint32_t nic_port, int64_t now);
/* Bit per class: those that must not be served for now (PFC). */
void orr__nic_pause(struct orr_net *n, struct orr_lane *lane,
                    uint32_t nic_port, uint8_t classes, int64_t now);
/* What is left of a message is a first copy of its last packet that waits in a
 * port, if that: all of it has arrived. Tells that it was sent, unless that
 * was told. */
void orr__nic_overtaken(struct orr_net *n, struct orr_message *m, int64_t now);
/* The NIC's own packet has left this port. */
void orr__nic_departed(struct orr_net *n, struct orr_lane *lane,
                       uint32_t nic_port, int64_t now);

#endif
