/* The family of congestion controls: one member a file, one line in list.h.
 *
 * A control belongs to one connection and lives at its sender. It never sends:
 * it answers events by setting a window, a rate, or both, and the NIC asks the
 * connection for packets as they allow. Only + - * / and sqrt may decide a
 * value, so that every machine computes the same one.
 *
 * There are no timers: a control that does something every so often catches up
 * when it is called next (on_send comes before every packet), which is the
 * first moment at which anybody could tell the difference. */
#ifndef ORR_NET_CC_CC_H
#define ORR_NET_CC_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/param.h"
#include "orrery/cc.h" /* ORR_CC_UNLIMITED */

/* What a control answers with. */
struct orr_cc_window {
    double cwnd; /* packets; the connection sends while fewer than
                  * floor(cwnd) are in flight */
    double rate; /* bit/s on the wire, the least time between the starts of
                  * two packets; 0: not paced */
    double gain; /* for the control to read: factor on every additive
                  * increase. 1, the weight of the flow, or what a control
                  * that wraps this one has set it to */
};

/* What a control may know of its connection from the start. */
struct orr_cc_path {
    uint64_t line_bps;      /* rate of the source's port */
    int64_t base_rtt_ps;    /* of a full packet and its ACK, nothing queued */
    int64_t now_ps;         /* when the connection was made */
    uint32_t packet_bytes;  /* of a full packet on the wire */
    uint32_t payload_bytes; /* of a full packet */
    uint32_t hops;          /* links from the source to the destination */
    bool trims;             /* queues cut packets that do not fit */
    bool goes_back;         /* a loss makes all behind it be sent again */
};

/* In-band telemetry of one hop of a packet, taken when it left the queue to be
 * sent. */
struct orr_cc_hop {
    int64_t at_ps;        /* when that was: packets may overtake one another */
    uint64_t sent_bytes;  /* by this port until then, without this packet */
    uint64_t queue_bytes; /* that it left behind */
    uint64_t rate_bps;    /* of its link then */
};

#define ORR_CC_MOST_HOPS 32
/* What a data packet collected on its way and an ACK brings back; a record of
 * n->telemetry, given back when the ACK is handled. */
struct orr_cc_telemetry {
    uint32_t hops;    /* at most ORR_CC_MOST_HOPS; those beyond are left out */
    uint32_t message; /* of a packet, whose aux is this record, what its aux
                       * would say: of data the message */
    bool pint;        /* instead of hops: */
    uint8_t code;     /* the largest on the way (pint.h) */
    uint32_t path;    /* of the reporting ports, in order: another path, another
                       * number, as good as always */
    struct orr_cc_hop hop[]; /* from the source on, NICs left out */
};

/* What an ACK, a loss or a timeout says; valid during the call only. */
struct orr_cc_ack {
    int64_t now_ps;
    int64_t rtt_ps;     /* of the newest packet acknowledged, or of the one
                         * beyond a gap that this ACK tells of, without the
                         * time for which the receiver held the ACK back; -1:
                         * no sample */
    uint32_t acked;     /* packets newly acknowledged in order; may be 0 */
    uint32_t delivered; /* packets newly known to have arrived, in order or
                         * not; may be 0 */
    uint32_t una, next; /* lowest unacknowledged and next new packet number */
    uint32_t in_flight; /* after this ACK */
    uint32_t peak;      /* most in flight in this and the last window */
    bool echo;          /* the receiver tells of congestion (CE) */
    bool recovering;    /* between a loss and the ACK of what was sent then */
    bool lost;          /* more packets were found lost just now */
    bool reordered;     /* something beyond a gap was reported, and packets of
                         * this connection were seen to overtake one another */
    bool trimmed;       /* on_ack and on_loss: a packet that a queue cut is
                         * what is missing */
    bool at_end;        /* with `trimmed`: on its last link */
    bool spared;        /* with that: the receiver's credits see to it */
    uint32_t timeouts;  /* on_timeout: in a row, with nothing acknowledged
                         * between them; the first is 1 */
    uint64_t sent;      /* packets so far, retransmissions too */
    /* Of the data packet that this answers; NULL: none (telemetry was not
     * asked for, or several packets were answered at once). */
    const struct orr_cc_telemetry *telemetry;
};

enum { ORR_CC_MARKS = 1, ORR_CC_DELAY = 2, ORR_CC_TELEMETRY = 4 };

/* In quanta of credit; numbers of all that was given so far go round. */
#define ORR_CC_QUANTUM_BITS 8
#define ORR_CC_QUANTUM      (1 << ORR_CC_QUANTUM_BITS) /* bytes */
struct orr_cc_request {
    uint32_t target; /* what is to be given so far */
    uint32_t most;   /* that it may hold */
};

struct orr_cc_plugin;
struct orr_snapshot; /* core/snapshot.h */
struct orr_cc_ops {
    const char *name, *doc;
    /* Of a control from a shared object (plugin.h): its params and its state
     * begin with this pointer. NULL: it is one of ours. */
    const struct orr_cc_plugin *plugin;
    size_t state_size;  /* per connection; zeroed; lives as long as it. 0: no
                         * control at all, network.window limits */
    size_t params_size; /* of the struct that params fill; shared, read-only */
    const struct orr_param *params; /* beside `kind` */
    bool wraps;      /* params starts with a struct orr_cc_base, see below */
    bool alone;      /* what it wraps may be `none` */
    bool rdma;       /* of NICs with RDMA: captured packets show as RoCEv2 */
    bool telemetry;  /* wants struct orr_cc_telemetry with every ACK */
    bool doubles;    /* begins with a small window, and doubles it in each round
                      * trip (slow start) */
    uint8_t signals; /* that it may cut down for, losses apart: ORR_CC_MARKS
                      * and so on; 0: none, or not known (of plug-ins) */
    bool marks;      /* gives way to marks and hardly to anything else: without
                      * them it fills queues until they drop */
    /* Parameters were read: may refuse a combination with orr__yaml_fail, and
     * may fill in what follows from others. NULL: every one is fine. */
    orr_err (*check)(struct orr_config *c, const struct orr_yaml *at,
                     void *params, struct orr_report *why);
    /* Congestion notification packets: the receiver sends one when marked data
     * arrives and this long has passed since the last, ps. 0, or NULL: none;
     * ACKs report marks in any case. */
    int64_t (*cnp_interval)(const void *params);
    /* With `telemetry`: not of every hop, but as pint.h has it. NULL, or
     * returns NULL: of every hop. */
    const struct orr_pint *(*pint)(const void *params);
    /* Before the first packet. w->cwnd holds the initial window, w->rate is
     * 0; a control that is not bound by a window sets ORR_CC_UNLIMITED. None of
     * the calls may fail; those that are NULL are left out. */
    void (*init)(void *state, const void *params, struct orr_cc_window *w,
                 const struct orr_cc_path *path);
    /* Before each packet: bytes on the wire. w->rate paces the next one. */
    void (*on_send)(void *state, const void *params, struct orr_cc_window *w,
                    int64_t now_ps, uint32_t bytes);
    /* Every ACK, after the scoreboard was brought up to date. */
    void (*on_ack)(void *state, const void *params, struct orr_cc_window *w,
                   const struct orr_cc_ack *a);
    /* A loss was detected and recovery begins: once for each recovery. */
    void (*on_loss)(void *state, const void *params, struct orr_cc_window *w,
                    const struct orr_cc_ack *a);
    /* The retransmission timer fired: everything in flight counts as lost. */
    void (*on_timeout)(void *state, const void *params, struct orr_cc_window *w,
                       const struct orr_cc_ack *a);
    /* A congestion notification packet arrived. */
    void (*on_cnp)(void *state, const void *params, struct orr_cc_window *w,
                   int64_t now_ps);
    /* Credits of the receiver (net/host/pull.c); both, or neither: what a
     * packet asks for, where so many bytes are left to be sent; what was given
     * so far. */
    struct orr_cc_request (*request)(const void *state, const void *params,
                                     uint64_t backlog);
    void (*on_pull)(void *state, const void *params, struct orr_cc_window *w,
                    uint32_t pull);
    /* The control's estimate of congestion (alpha, U ...) for the records;
     * NULL: it has none. */
    double (*estimate)(const void *state);
    /* Shows its state to a snapshot (core/snapshot.h), numbers of packets by
     * how far they lie from una: so that a run is known to be where it was an
     * iteration ago. NULL: it cannot, and `repeat` simulates in full what has
     * it. */
    void (*snapshot)(void *state, const void *params, struct orr_snapshot *w,
                     uint32_t una);
    /* With `telemetry`: what it keeps of what hops told, from the first on;
     * *hops: of how many. The snapshot above leaves that out, as it is counted
     * from what ports have sent since, which the connection knows. NULL:
     * nothing. */
    struct orr_cc_hop *(*kept)(void *state, uint32_t *hops);
};

/* The start of a wrapper's parameters: whom it wraps. Its state is its own
 * struct, rounded up to 16 bytes, followed by the other's (ORR_CC_BASE_STATE);
 * the wrapper passes every call on. */
struct orr_cc_base {
    const char *name;             /* the key `base` */
    const struct orr_cc_ops *ops; /* no wrapper itself */
    const void *params;           /* its own; the document's */
};

/* Ours, NULL-ended. Those of shared objects hang off a document: plugin.h. */
const struct orr_cc_ops *const *orr__cc_kinds(void);

/* A control with its parameters, as one connection or more use it. */
struct orr_cc {
    const struct orr_cc_ops *ops;
    const void *params; /* its own; the document's */
    size_t state_size;  /* with that of a wrapped control */
    bool telemetry;     /* it, or the one that it wraps, wants some */
    const char *marks;  /* the control that goes by marks: it, or the one that
                         * it wraps; NULL: neither does */
    uint8_t signals;    /* of the innermost */
    const struct orr_pint *pint; /* NULL: of every hop */
    int64_t cnp_interval_ps;     /* 0: no CNPs */
};

/* What keys of a control go by when they say that they have no effect. */
struct orr_cc_facts {
    bool marks;     /* some queue marks packets */
    bool goes_back; /* a loss makes all behind it be sent again */
};

/* Reads `dctcp` or `{kind: dctcp, g: 0.1}`, named `what` in messages (NULL:
 * `none`). Owned by the document. facts: as for orr_param_idle, NULL: it is not
 * asked. */
ORR_CHECK_RESULT orr_err orr__cc_read(struct orr_config *c,
                                      const struct orr_yaml *node,
                                      const char *what,
                                      const struct orr_cc_facts *facts,
                                      const struct orr_cc **out,
                                      struct orr_report *why);
/* The same where NULL is another one. */
ORR_CHECK_RESULT orr_err orr__cc_read_or(struct orr_config *c,
                                         const struct orr_yaml *node,
                                         const char *what, const char *fallback,
                                         const struct orr_cc_facts *facts,
                                         const struct orr_cc **out,
                                         struct orr_report *why);

/* Whether its state can be shown to a snapshot, with that of one it wraps. */
bool orr__cc_has_snapshot(const struct orr_cc *cc);

/* Does a connection with this control begin with `initial_window`, as far as is
 * known? */
bool orr__cc_begins(const struct orr_cc *cc);
/* Whether it, or the one that it wraps, is one of NICs with RDMA. */
bool orr__cc_rdma(const struct orr_cc *cc);
/* Whether it begins by slow start. */
bool orr__cc_doubles(const struct orr_cc *cc);

/* Where the state of the wrapped control begins. */
#define ORR_CC_BASE_STATE(state, own)                                          \
    ((void *)((char *)(state) + ((sizeof(own) + 15) & ~(size_t)15)))

#endif
