/* A connection: the sender at its source, the receiver at its destination.
 * They are two structs in two slabs under one number, because two workers own
 * them. Packets of a connection are numbered; a message is a run of numbers. */
#ifndef ORR_NET_HOST_HOST_H
#define ORR_NET_HOST_HOST_H

#include <assert.h>
#include <stddef.h>

#include "core/none.h"
#include "core/random.h"
#include "net/fabric/fabric.h"
#include "net/fabric/timer.h"
#include "topo/detours.h"

/* What the sender remembers of a packet in flight. */
enum {
    ORR_SENT_OUT = 0,    /* in flight */
    ORR_SENT_HERE = 1,   /* selectively acknowledged */
    ORR_SENT_LOST = 2,   /* to be sent again */
    ORR_SENT_REPEAT = 3, /* in flight again */
    ORR_SENT_TWICE = 4,  /* sent again though not lost: counts twice */
};

/* The last copy of a packet that is sent and not acknowledged; a ring of the
 * sender, by number. */
struct orr_sent {
    int64_t at;       /* when it was last sent, ps */
    uint32_t message; /* whose packet it is */
    uint8_t state;    /* as above */
    uint8_t copy;     /* enum orr_copy: the last one sent */
};
enum orr_copy {
    ORR_COPY_FIRST,
    ORR_COPY_ODD,  /* first, third ... retransmission */
    ORR_COPY_EVEN, /* second ... */
};

enum orr_opening {
    ORR_OPEN,     /* or never to be opened: no handshake was asked for */
    ORR_UNOPENED, /* nothing to send yet */
    ORR_ASKED,
    ORR_ASKED_REPEATEDLY,
};

/* A retransmission, in a queue by time. It is out of date, and of no meaning,
 * if the packet is acknowledged, lost, or was sent at another time since. */
struct orr_resend {
    int64_t at; /* when the packet was sent again, ps */
    uint32_t seq;
};

/* Where in the NIC a sender is: on the list of new data or of retransmissions
 * of its class, or among those that wait for their pace. */
enum { ORR_LIST_NONE, ORR_LIST_DATA, ORR_LIST_REPEAT, ORR_LIST_PACED };

/* A connection's, with the state of their kind. */
struct orr_entropies {
    struct orr_random draw;
    _Alignas(16) char state[];
};

struct orr_sender;
struct orr_tree_stream; /* net/tree/tree.h */
/* What a connection does that sends on a tree, in place of what others do. */
struct orr_sender_ops {
    /* orr__net_send: the message is there, with its number. */
    void (*send)(struct orr_net *n, struct orr_sender *s, struct orr_message *m,
                 int64_t now);
    /* orr__sender_take. */
    bool (*take)(struct orr_net *n, struct orr_sender *s, int64_t now,
                 struct orr_packet *p, uint32_t *departing);
    /* Its timer has run out. */
    void (*timeout)(struct orr_net *n, struct orr_sender *s, int64_t now);
};

/* By cache lines: what each packet, each ACK and each message needs stands in
 * the first three; what a control, in the next; what packets that get lost need
 * beside, behind them. */
struct orr_sender {
    _Alignas(64) uint32_t una; /* lowest unacknowledged packet number */
    uint32_t next;             /* of the next new packet */
    uint32_t in_flight;     /* packets sent, and neither acknowledged nor lost;
                             * those in state TWICE count twice */
    uint32_t here, lost;    /* packets in state HERE; in state LOST */
    uint32_t message;       /* being sent; ORR_NONE: nothing to send */
    uint32_t queued;        /* packet numbers given to messages so far */
    uint32_t last_message;  /* end of the queue of messages */
    uint32_t first_unacked; /* oldest message not acknowledged in full */
    uint32_t mtu;           /* payload bytes of a full packet */
    uint32_t id;            /* of the connection */
    uint32_t nic_port;      /* where it waits or sends next */
    struct orr_sent *sent;  /* ring by packet number; NULL for datagrams */
    uint16_t worker;        /* of `src` */
    uint16_t vain;          /* timeouts since anything was acknowledged */
    uint8_t room;           /* of `sent`: orr__sent_room */
    bool hears : 1;         /* its control does, of ACKs */
    bool repairing : 1; /* a loss was found, or a timeout, until recovery.end
                         * is here */
    bool adds : 1;   /* its packets say more than others': sender.c, add_more */
    bool spares : 1; /* RFC 6675, NextSeg: rule 3 or 4 gives a packet */
    /* RFC 8985, section 7: the tail loss probe */
    bool probes : 1;  /* some are sent at all */
    bool probing : 1; /* one is not acknowledged: up to probed.end */
    bool probe : 1;   /* one packet may be sent beyond the window */
    bool armed : 1;   /* its process counts it: an alarm is armed */
    uint8_t class : 3;
    uint8_t opening : 2;  /* enum orr_opening; handshake.c */
    bool apart : 1;       /* closed, or its receiver's ACKs are uec.c's */
    bool reorders : 1;    /* `reorder` was armed; else nothing touches it */
    bool overtakes : 1;   /* its packets may overtake one another */
    bool recovering : 1;  /* `repairing`, and not after a timeout */
    uint8_t list : 2;     /* which one it is on */
    bool probe_ready : 1; /* a round trip was measured since the last one */
    bool hears_sends : 1; /* its control does, of packets as they start */
    /* The fields behind the third line hold it; else it follows from what is
     * before, and that line is not touched. */
    bool own_rto : 1;       /* orr__sender_rto */
    bool own_delivered : 1; /* orr__sender_note_delivered */
    bool own_pace : 1;      /* orr__sender_paced_at */

    struct orr_alarm timeout;
    struct orr_alarm tail; /* when a probe may be due; looked at then */
    int64_t srtt, rttvar;  /* round-trip times, ps */
    int64_t active_at;     /* the last ACK came */
    int64_t last_at;       /* start of the last packet */

    int64_t rtt, least_rtt;       /* the last one; ORR_NEVER: none yet */
    uint64_t packets, wire_bytes; /* of data sent, with repeats */
    uint32_t last_bytes;          /* of the last packet */
    uint32_t src;                 /* host */
    uint32_t to;                  /* dst_kind of its data packets */
    uint32_t path_hash;           /* that ECMP takes: of identity or entropy */
    struct orr_cc_window window;  /* its last field is on the next line */

    const struct orr_cc *control; /* never NULL: `none` is one as well */
    void *cc;                     /* the control's state */
    /* Of one that hears of ACKs: most in flight in this window, which ends when
     * more than its end is acknowledged, and in the one before. */
    struct {
        uint32_t now, before, end;
    } peak;
    uint32_t dst;                  /* host */
    int64_t paced_at;              /* `own_pace`: the next packet may start */
    int64_t rto;                   /* `own_rto`: ps */
    uint32_t list_next, list_prev; /* in the NIC's list; paced: place in heap */

    /* `own_delivered`: the packet sent last of those known to be delivered
     * (RACK.xmit_ts, end_seq, rtt) */
    struct {
        int64_t at, rtt; /* sent then; how long it took, ps; at -1: none yet */
        uint32_t seq;
    } delivered;
    struct orr_alarm reorder; /* when packets beyond a gap count as lost */
    /* But `packets` and `wire_bytes`, and `payload_bytes` where messages are
     * cut up: orr__sender_payload. */
    struct orr_connection_stats stats;

    struct {
        uint32_t end;     /* it ends when this is acknowledged */
        uint32_t scanned; /* below it every packet was judged lost or not */
        uint32_t highest_here; /* highest selectively acknowledged, plus one */
        uint32_t repeat_from;  /* no packet below it is LOST */
    } recovery;
    uint32_t hash;        /* names this direction in the fingerprint */
    uint32_t paced_order; /* among equals */
    struct {              /* while `probing` */
        uint32_t end;     /* the packet after it */
        bool repeats;     /* it was a retransmission */
    } probed;
    struct {
        struct orr_resend *ring; /* head to tail by `at`; or NULL */
        uint32_t capacity;       /* a power of two, or 0 */
        uint32_t head, tail;     /* count on, and go round */
    } resends;
    /* RFC 8985, section 6.2.4: the reorder window */
    struct {
        uint32_t duplicate_end; /* one round trip counts once: until this is
                                 * acknowledged, if `duplicated` */
        uint8_t patience;       /* RACK.reo_wnd_mult, less one */
        uint8_t persist;        /* RACK.reo_wnd_persist */
        bool duplicated;        /* this round trip had such an ACK */
        bool reordered;         /* a packet overtook another */
    } rack;
    /* RFC 6675 */
    struct {
        /* of those selectively acknowledged, at `scanned` and above */
        uint64_t here_bytes;   /* payload */
        uint32_t here_blocks;  /* runs without a gap */
        uint32_t duplicates;   /* ACKs that reported more of them, since una */
        uint32_t early;        /* nothing below it is to be sent again although
                                * it is not lost (NextSeg, rule 3) */
        uint32_t rescue_after; /* rule 4 holds when more than this is
                                * acknowledged */
        bool rescued;          /* rule 4 has given a packet */
        bool partial;          /* an ACK for a part of the recovery was there,
                                * with orr_net_config.partial_acks */
    } sack;
    uint64_t identity; /* as its user called it: names its hashes */
    /* Whose share of a port its packets take (shares.h). Every port asks, in
     * any thread: they never change. */
    uint64_t share, price;
    const uint32_t *path; /* links of its own, or NULL */
    uint32_t path_links;  /* of `path`, the NIC's own first */
    uint32_t *own_path;   /* `path` where it is the connection's, and freed with
                           * it; or NULL */
    uint32_t path_round;  /* of its data; see net/path/own.c */
    /* Until the connection is open its window is 0, so that no list has it;
     * what it will be then: */
    double opening_cwnd;
    const struct orr_sender_ops *own; /* NULL: as others do */
    struct orr_tree_stream *stream;   /* with `own`; owned */
    struct orr_entropies *entropies;  /* owned; NULL: packets have none */
    bool closed;
    bool cut;         /* gave up: no way leads there any more */
    int64_t stood_ps; /* orr__nic_paused_for when its timer ran out last,
                       * where pause frames are sent and timers run */
};
_Static_assert(offsetof(struct orr_sender, timeout) == 64
                   && offsetof(struct orr_sender, rtt) == 128
                   && offsetof(struct orr_sender, window.gain) == 192
                   && offsetof(struct orr_sender, delivered) == 256,
               "by cache lines");

enum orr_pull_on { ORR_PULL_ACTIVE = 1, ORR_PULL_IDLE };

/* What sets a receiver apart from others. */
enum {
    ORR_APART_CLOSED = 1, /* takes nothing more */
    ORR_APART_UEC = 2,    /* answers as uec.c has it */
};

/* What packets in order need comes first. */
struct orr_receiver {
    _Alignas(64) uint32_t next; /* packet number expected */
    uint32_t pending;           /* packets here that no ACK covers */
    uint32_t src, dst, hash;    /* hash names this direction */
    uint32_t path_hash;         /* that ECMP takes for the ACKs */
    uint32_t beyond;            /* packets here beyond a gap */
    bool ce;                    /* the last mark seen, or none: ACKs echo it */
    uint8_t apart;              /* ORR_APART_*, together; 0: as most do */
    uint8_t class;              /* of its ACKs, 0 to 7 */
    struct orr_alarm held;      /* the ACK held back */
    uint64_t marks;             /* data packets that came marked */
    int64_t newest_at;     /* when the newest that `held` tells of came, ps */
    uint32_t newest_copy;  /* and which copy: orr__packet_copy */
    int64_t cnp_interval;  /* 0: none are sent */
    int64_t cnp_at;        /* the next one may be sent */
    uint32_t refused;      /* go-back-N: gap reported last, plus one */
    int64_t refuse_at;     /* it may be reported again */
    uint64_t *bits;        /* of those, by packet number; ring */
    uint32_t bit_capacity; /* a power of two, at least 64 */
    struct orr_boundary {
        uint32_t seq, message;
    } * boundary;                      /* last packets among them, by number */
    uint32_t n_boundary, cap_boundary; /* of `boundary`: used, room */
    uint32_t path_round;               /* of its ACKs; see net/path/own.c */
    struct {                           /* pull.c, in quanta */
        uint32_t target, given, most;
        uint32_t before, behind; /* on its list */
        uint8_t on;              /* enum orr_pull_on; 0: none */
    } pull;
    struct {            /* uec.c */
        uint64_t bytes; /* on the wire, since the last ACK */
        bool asked;     /* one more ACK when there is no gap any more */
    } uec;
};
_Static_assert(offsetof(struct orr_receiver, newest_at) == 56,
               "packets in order need one cache line");

_Static_assert(ORR_MOST_CLASSES <= 1 << 3, "class of a sender");

/* The end at its source; of any number ever given out, closed or not. */
static inline struct orr_sender *orr__sender(const struct orr_net *n,
                                             uint32_t id)
{
    return ORR_SLAB_AT(&n->senders, struct orr_sender, id);
}

/* The lane of its host. */
static inline struct orr_lane *orr__sender_lane(const struct orr_net *n,
                                                const struct orr_sender *s)
{
    return &n->lane[s->worker];
}

/* The other end, which has the same number. */
static inline struct orr_receiver *orr__receiver(const struct orr_net *n,
                                                 uint32_t id)
{
    return ORR_SLAB_AT(&n->receivers, struct orr_receiver, id);
}

/* A message lives from orr__net_send until it has left and been acknowledged
 * (datagrams: until all of it has arrived), and is looked up only while it
 * does. A dead one has no `id`, which is asserted in debug builds. */
static inline struct orr_message *orr__message(const struct orr_net *n,
                                               uint32_t id)
{
    struct orr_message *m = ORR_SLAB_AT(&n->messages, struct orr_message, id);

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
    uint32_t id = orr__slab_take(&n->messages, &lane->messages);
    struct orr_message *new;

    if (id == ORR_NONE) {
        orr__fabric_out_of_memory(n);
        return NULL;
    }
    new = ORR_SLAB_AT(&n->messages, struct orr_message, id);
    *new = *m;
    new->id = id;
    return new;
}

/* Gives its number back; it lies on no queue. */
static inline void orr__message_release(struct orr_net *n,
                                        struct orr_lane *lane, uint32_t id)
{
    struct orr_message *m = orr__message(n, id);

    assert(m->departs_by == ORR_NONE);
    m->id = ORR_NONE;
    orr__slab_release(&lane->messages, id);
}

/* Timeouts in vain after which a sender gives up: some 17 minutes. Then all is
 * quiet, and the run says so instead of lasting for ever. */
#define ORR_MOST_VAIN 1000

/* What its data packets say of where they go, and how, as they set out. */
static inline uint32_t orr__sender_to(const struct orr_net *n,
                                      const struct orr_sender *s)
{
    return orr__packet_to(s->dst, s->class | n->routed
                                      | (s->path ? ORR_PACKET_ROUTED : 0));
}

/* Payload of all that it sent, with repeats: each packet has a header. */
static inline uint64_t orr__sender_payload(const struct orr_net *n,
                                           const struct orr_sender *s)
{
    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL)
        return s->stats.payload_bytes;
    return s->wire_bytes - s->packets * n->config->header;
}

/* Packets that the ring of those in flight has room for. */
static inline uint32_t orr__sent_room(const struct orr_sender *s)
{
    return (uint32_t)(UINT64_C(1) << s->room >> 1); /* 2^31 at most */
}

/* RFC 6298, section 2, in integers: the retransmission timeout, ps. How long
 * the receiver may hold an ACK back is added, as in QUIC (RFC 9002, section
 * 6.2.1): it is not part of the round trip as measured. ORR_NEVER: no timer
 * runs. */
static inline int64_t orr__sender_rto(const struct orr_net *n,
                                      const struct orr_sender *s)
{
    const struct orr_net_config *c = n->config;
    int64_t rto;

    if (s->own_rto) /* none was measured yet, or since a timeout */
        return s->rto;
    rto = orr__time_add(s->srtt,
                        s->rttvar < ORR_NEVER / 4 ? 4 * s->rttvar : ORR_NEVER);
    if (c->held_ps)
        rto = orr__time_add(rto, c->held_ps);
    if (rto < c->rto.least_ps)
        rto = c->rto.least_ps;
    return rto < c->rto.most_ps ? rto : c->rto.most_ps;
}

/* When its next packet may start. */
static inline int64_t orr__sender_paced_at(const struct orr_sender *s)
{
    return s->own_pace ? s->paced_at : s->last_at;
}

/* It may start then, whatever is sent from now on. */
static inline void orr__sender_keep_pace(struct orr_sender *s)
{
    s->paced_at = orr__sender_paced_at(s);
    s->own_pace = true;
}

/* Nobody is before or behind it: it is on no list, or alone there. */
static inline bool orr__sender_is_unlinked(const struct orr_sender *s)
{
    return s->list_prev == ORR_NONE && s->list_next == ORR_NONE;
}

/* Notes which packet is known to be delivered: after packets in order it is the
 * last one. Before anything else becomes of una, rtt or active_at, and before
 * these are looked at. */
static inline void orr__sender_note_delivered(struct orr_sender *s)
{
    if (s->own_delivered)
        return;
    s->own_delivered = true;
    s->delivered.at = s->active_at - s->rtt;
    s->delivered.rtt = s->rtt;
    s->delivered.seq = s->una - 1;
}

/* sender.c: what the NIC asks. The next packet of this sender, which is on one
 * of the lists: fills p (all but `at`) and returns true, or returns false when
 * it has none after all. *departing: the message that ends with it, or NONE. */
bool orr__sender_take(struct orr_net *n, struct orr_sender *s, int64_t now,
                      struct orr_packet *p, uint32_t *departing);
/* Which list it belongs on now: ORR_LIST_*. */
static inline unsigned orr__sender_wants(const struct orr_sender *s)
{
    if ((double)s->in_flight + 1 > s->window.cwnd && !s->probe)
        return ORR_LIST_NONE;
    if (s->lost)
        return ORR_LIST_REPEAT;
    if (s->message != ORR_NONE)
        return ORR_LIST_DATA;
    return s->spares ? ORR_LIST_REPEAT : ORR_LIST_NONE;
}
/* When the next packet may start, at the rate that there is now. */
void orr__sender_repace(struct orr_sender *s);
void orr__sender_cnp(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_packet *p, int64_t now);
void orr__sender_ack(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_packet *p, int64_t now);
/* A round trip was measured, ps. */
void orr__sender_measured(struct orr_sender *s, int64_t rtt);
/* One more timeout in a row, and the next one is to be twice as late. False:
 * that is of no use any more. */
bool orr__sender_backs_off(struct orr_net *n, struct orr_sender *s,
                           int64_t now);
/* Enters a timer of this sender. */
void orr__sender_set(struct orr_net *n, const struct orr_sender *s,
                     uint32_t what, int64_t at);
static inline bool orr__alarms_armed(const struct orr_sender *s)
{
    return s->timeout.due != ORR_NEVER || s->tail.due != ORR_NEVER
           || s->reorder.due != ORR_NEVER;
}
/* An alarm was armed, or is off: its process is to count that. */
static inline void orr__sender_counts(struct orr_net *n, struct orr_sender *s)
{
    bool armed = orr__alarms_armed(s);

    if (armed == s->armed)
        return;
    ORR_ASSERT(armed || orr__process_of(n, s->src)->armed > 0);
    s->armed = armed;
    orr__process_of(n, s->src)->armed += armed ? 1 : UINT32_MAX;
}
/* Returns when the timer is to fire again; ORR_NEVER: it is not. */
int64_t orr__sender_timer(struct orr_net *n, struct orr_lane *lane, uint32_t id,
                          uint32_t what, int64_t now);

/* recovery.c: the scoreboard. What an ACK says, beside its numbers: */
struct orr_news {
    int64_t now;        /* ps */
    int64_t held;       /* by the receiver, ps */
    enum orr_copy copy; /* that was answered */
};
/* Takes packets [una, cum) off. Returns the round-trip time of the newest that
 * no ACK reported before, ps, or -1 if it says nothing. */
int64_t orr__recovery_acknowledge(struct orr_net *n, struct orr_sender *s,
                                  uint32_t cum, const struct orr_news *news);
/* Packets beyond a gap, by the aux of an ACK: the one that made the receiver
 * send it and a run of those below. Returns its round-trip time or -1. */
int64_t orr__recovery_selective(struct orr_net *n, struct orr_sender *s,
                                uint32_t cum, uint32_t aux,
                                const struct orr_news *news);
/* Both, by an ACK of uec.c, whose record may have a report; fills in `acked`
 * and `rtt_ps`. */
void orr__recovery_hear(struct orr_net *n, struct orr_sender *s,
                        const struct orr_packet *p, struct orr_cc_ack *a,
                        const struct orr_news *news);
/* Judges which packets are lost now. */
enum orr_judged {
    ORR_JUDGED_NONE,   /* no more than before */
    ORR_JUDGED_LOST,   /* some */
    ORR_JUDGED_RESENT, /* some that had been sent again */
};
enum orr_judged orr__recovery_judge(struct orr_net *n, struct orr_sender *s,
                                    int64_t now);
/* Everything in flight is lost (timeout). */
void orr__recovery_all_lost(struct orr_sender *s);
/* This packet is lost for sure, unless it is here or was sent again since. */
void orr__recovery_trimmed(struct orr_sender *s, uint32_t seq);
/* It is in flight, and lost. */
void orr__recovery_lost(struct orr_sender *s, uint32_t seq);
/* The packet that is sent again now: the lowest LOST one, or the spare one;
 * there is one. */
uint32_t orr__recovery_repeat(struct orr_net *n, struct orr_sender *s,
                              int64_t now);
/* Recovery begins; it has ended. */
void orr__recovery_begin(const struct orr_net *n, struct orr_sender *s);
void orr__recovery_end(struct orr_sender *s);

/* What is known of a packet that was sent and is not acknowledged in order. */
static inline struct orr_sent *orr__sent_packet(const struct orr_sender *s,
                                                uint32_t seq)
{
    return &s->sent[seq & (orr__sent_room(s) - 1)];
}

/* What a timer of a connection is set for; NULL: it is none of these. */
static inline struct orr_alarm *orr__alarm_of(const struct orr_net *n,
                                              const struct orr_timer *t)
{
    uint32_t id = (uint32_t)t->arg;

    switch (t->what) {
    case ORR_WHAT_RTO: return &orr__sender(n, id)->timeout;
    case ORR_WHAT_REORDER: return &orr__sender(n, id)->reorder;
    case ORR_WHAT_PROBE: return &orr__sender(n, id)->tail;
    case ORR_WHAT_ACK: return &orr__receiver(n, id)->held;
    default: return NULL;
    }
}

/* Of packet numbers, which go round. */
static inline bool orr__seq_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* handshake.c, at the source. Something is to be sent on a connection that is
 * not open: asks for it, unless that was done. */
void orr__handshake_ask(struct orr_net *n, struct orr_sender *s, int64_t now);
/* No answer has come for so long. */
void orr__handshake_timeout(struct orr_net *n, struct orr_sender *s,
                            int64_t now);
/* Its packets, at either end. */
void orr__handshake_arrival(struct orr_net *n, struct orr_lane *lane,
                            const struct orr_packet *p, int64_t now);

/* rack.c: RFC 8985. Also how lost packets are found with `recovery: selective`,
 * with a reorder window of its own. */
enum orr_judged orr__rack_judge(struct orr_net *n, struct orr_sender *s,
                                int64_t now);
/* This ACK reported a duplicate. */
void orr__rack_duplicate(struct orr_sender *s);
/* Whether a tail loss probe may be sent now. */
bool orr__probe_may(const struct orr_sender *s);
/* Enters when one may be due: with no ACK and nothing sent from now on. */
void orr__probe_arm(struct orr_net *n, struct orr_sender *s, int64_t now);
/* When it is, now that this time has come; ORR_NEVER: none is to be sent. */
int64_t orr__probe_due(const struct orr_net *n, const struct orr_sender *s,
                       int64_t now);
/* Prepares a probe: a packet that the NIC is to send. */
void orr__probe_send(struct orr_sender *s);
/* An ACK up to una while a probe is out. True: the probe made good a loss, and
 * the control is to hear of that. */
bool orr__probe_acked(struct orr_sender *s, bool duplicate);

/* sack.c: RFC 6675. */
enum orr_judged orr__sack_judge(struct orr_net *n, struct orr_sender *s);
/* Packet seq is HERE now; leaves the scoreboard while it is. */
void orr__sack_here(const struct orr_net *n, struct orr_sender *s,
                    uint32_t seq);
void orr__sack_gone(const struct orr_net *n, struct orr_sender *s,
                    uint32_t seq);
/* NextSeg, rules 3 and 4: sets `spares` to whether there is a packet to be sent
 * again though it is not lost. */
void orr__sack_find_lost(struct orr_sender *s);
/* That packet, which goes now; *counts: it is in flight twice. */
uint32_t orr__sack_spare(struct orr_sender *s, bool *counts);

/* receiver.c */
void orr__receiver_data(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_packet *p, int64_t now);
void orr__receiver_timer(struct orr_net *n, uint32_t id, int64_t now);
void orr__receiver_datagram(struct orr_net *n, struct orr_lane *lane,
                            const struct orr_packet *p, int64_t now);

/* What uec.c asks of it. Was this packet here before? */
bool orr__receiver_has(const struct orr_receiver *r, uint32_t seq);
/* One that was not. False: out of memory. */
bool orr__receiver_take(struct orr_net *n, struct orr_receiver *r,
                        const struct orr_packet *p);
/* The message that ends with it, ORR_NONE: none does; and those that are whole
 * now beyond a gap that was filled. */
uint32_t orr__receiver_message(const struct orr_net *n,
                               const struct orr_packet *data);
void orr__receiver_deliver(struct orr_net *n, struct orr_receiver *r,
                           uint32_t message, int64_t now);
/* An ACK of this packet, up to the first gap. */
struct orr_packet orr__receiver_answer(const struct orr_net *n,
                                       const struct orr_receiver *r,
                                       const struct orr_packet *data);

/* What an ACK of uec.c tells beside its numbers. */
struct orr_uec_report {
    struct orr_cc_request request; /* of data: what it asks for */
    uint32_t trigger;              /* the packet that was answered */
    uint64_t below, above; /* bit i: trigger - 1 - i, trigger + 1 + i is here
                            */
};
/* In its record, behind what telemetry takes of that. */
static inline struct orr_uec_report *orr__uec_report(const struct orr_net *n,
                                                     uint32_t record)
{
    struct orr_cc_telemetry *t = orr__telemetry(n, record);

    return (struct orr_uec_report *)(void *)(t->hop + n->telemetry_room);
}
/* Does new data ask for an ACK (ORR_PACKET_ASKS, else 0)? It is in flight
 * already: the last there is, or the last for which there is a window. */
static inline uint32_t orr__uec_asks(const struct orr_sender *s)
{
    bool last = s->message == ORR_NONE && s->lost == 0;
    bool full = (double)s->in_flight + 1 >= s->window.cwnd;

    return last || full ? ORR_PACKET_ASKS : 0;
}
/* uec.c: how Ultra Ethernet acknowledges, where `ack_rule: uec` asks for it.
 * At the destination: of data, cut or not. */
void orr__uec_receive(struct orr_net *n, struct orr_lane *lane,
                      struct orr_receiver *r, const struct orr_packet *p,
                      int64_t now);
/* entropies.c: of a connection, where routing goes by them. False: out of
 * memory. */
bool orr__entropies_init(const struct orr_net *n, struct orr_sender *s);
void orr__entropies_free(const struct orr_net *n, struct orr_sender *s);
/* That of a packet that starts, in its hash. */
void orr__entropies_give(const struct orr_net *n, struct orr_sender *s,
                         struct orr_packet *p);
/* What an ACK, or a timer (NULL), says of one. */
void orr__entropies_hear(struct orr_net *n, struct orr_sender *s,
                         const struct orr_packet *ack, int64_t now);

/* pull.c: credits of receivers. A host begins. */
void orr__pull_begin(struct orr_net *n, uint32_t host);
/* At the destination: it was asked for so much, or (again) something is to be
 * sent again; the next credit is due; the connection ends. */
void orr__pull_asked(struct orr_net *n, uint32_t id, uint32_t target,
                     bool again, int64_t now);
void orr__pull_due(struct orr_net *n, struct orr_lane *lane, uint32_t host,
                   int64_t now);
void orr__pull_forget(struct orr_net *n, uint32_t id);
/* What it asks for now. */
static inline struct orr_cc_request orr__pull_wanted(const struct orr_net *n,
                                                     const struct orr_sender *s)
{
    uint64_t packets = (uint64_t)(s->queued - s->next) + s->lost;

    return s->control->ops->request(s->cc, s->control->params,
                                    packets * (s->mtu + n->config->header));
}
/* One of its packets, at either end. */
void orr__pull_arrival(struct orr_net *n, struct orr_lane *lane,
                       const struct orr_packet *p, int64_t now);

/* single_sender.c: a connection that is the only one to send at a port, if any
 * is. The port of a host with one cable is to be looked at, as its last packet
 * has left: ACKs that wait go on, or else that connection, until `end` at most.
 * False: it is not as simple as that, and nothing was done. */
bool orr__single_sender_goes_on(struct orr_net *n, struct orr_lane *lane,
                                uint32_t link, int64_t now, int64_t end);
/* The same for one that waits nowhere, wants to send new data, and finds its
 * port free. */
bool orr__single_sender_begins(struct orr_net *n, struct orr_lane *lane,
                               struct orr_nic_port *np, struct orr_sender *s,
                               int64_t now);

/* nic.c */
/* The sender may have become able to send: enters it on a list and starts the
 * port if that is idle. */
void orr__nic_try(struct orr_net *n, struct orr_lane *lane,
                  struct orr_sender *s, int64_t now);
/* The same of one that is on no list, belongs on this one, and was not put off
 * by its pace. */
void orr__nic_enter(struct orr_net *n, struct orr_lane *lane,
                    struct orr_sender *s, unsigned list, int64_t now);
/* After something changed at a sender: it joins the list it belongs to, at once
 * in the common case of no pace and no list. The NIC's process calls it. */
static inline void orr__nic_activate(struct orr_net *n, struct orr_lane *lane,
                                     struct orr_sender *s, int64_t now)
{
    unsigned list;

    if (s->list != ORR_LIST_NONE || s->window.rate > 0
        || orr__sender_paced_at(s) > now) {
        orr__nic_try(n, lane, s, now);
        return;
    }
    list = orr__sender_wants(s);
    if (list != ORR_LIST_NONE) /* after an ACK it is, most often */
        orr__nic_enter(n, lane, s, list, now);
}
/* A packet that asks for credit (pull.c), among the ACKs. */
void orr__nic_request(struct orr_net *n, struct orr_sender *s, int64_t now);
/* The sender is on no list any more; between windows. */
void orr__nic_withdraw(struct orr_net *n, struct orr_sender *s);
/* Queues an ACK and starts the port if that is idle. */
void orr__nic_ack(struct orr_net *n, struct orr_lane *lane, uint32_t host,
                  struct orr_packet *p, int64_t now);
/* Bit per class: those that must not be served for now (PFC). */
void orr__nic_pause(struct orr_net *n, struct orr_lane *lane, uint32_t nic_port,
                    uint8_t classes, int64_t now);
/* paused.c: of a NIC's port these classes, a bit each, are held back from now
 * on, which was of other ones. */
void orr__nic_note_pause(const struct orr_net *n, struct orr_nic_port *np,
                         uint8_t classes, int64_t now);
/* For how long pause frames have held back what a sender sends, ps: the sum
 * over its host's ports. */
int64_t orr__nic_paused_for(const struct orr_net *n, const struct orr_sender *s,
                            int64_t now);
/* When that changed last; 0: never; `now`: they do. */
int64_t orr__nic_last_pause(const struct orr_net *n, const struct orr_sender *s,
                            int64_t now);
/* What is left of a message is a first copy of its last packet that waits in a
 * port, if that: all of it has arrived. Tells that it was sent, unless that
 * was told. */
void orr__nic_overtaken(struct orr_net *n, struct orr_message *m, int64_t now);
/* It is time to look at the port that feeds this link: the NIC's own packet
 * leaves, or it has something to send again; of an explicit one, its departure
 * is due (orr__port_departed). */
void orr__nic_due(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                  int64_t now);

#endif
