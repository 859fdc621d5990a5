/* A congestion control of your own, in a shared object that orrery loads:
 *
 *     gcc -O2 -shared -fPIC -o mycc.so mycc.c
 *     orrery run experiment.yaml --plugin ./mycc.so --set network.cc=mycc
 *
 * The object exports one symbol, `orr_cc_plugin`, and needs none of orrery.
 * docs/plugins.md and docs/examples/cc/mycc.c are the way in; this is the
 * reference.
 *
 * A control belongs to one connection and lives at its sender. It never sends:
 * it answers events by setting a window, a rate, or both. Times are int64_t
 * picoseconds of simulated time, sizes bytes, rates bit/s, windows packets.
 *
 * Connections are served by several threads at once, each connection by one at
 * a time. Results are the same for any number of threads as long as a control
 * keeps what it knows in its state, reads no clock but `now_ps`, draws no
 * random numbers of its own, and decides values with + - * / and sqrt alone.
 *
 * The layout of everything here is named by ORR_CC_ABI and does not change
 * under one number; orrery loads objects of its own number only. */
#ifndef ORRERY_CC_H
#define ORRERY_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORR_CC_ABI 1

/* ---- parameters -------------------------------------------------------- */

/* What a parameter is, and the C type that it fills. */
enum orr_cc_type {
    ORR_CC_BOOL = 0,   /* bool */
    ORR_CC_INT = 1,    /* int64_t */
    ORR_CC_REAL = 2,   /* double */
    ORR_CC_TIME = 3,   /* int64_t, ps; users write a unit: 10us */
    ORR_CC_SIZE = 4,   /* uint64_t, bytes; 64KiB */
    ORR_CC_RATE = 5,   /* uint64_t, bit/s; 100Gbps */
    ORR_CC_CHOICE = 6, /* int, index into choices */
};

/* One parameter. Texts are written as a user writes values, and are constant.
 * fallback: the default; NULL: the user must give one; "auto", of INT, TIME and
 * REAL: the field is then -1, of SIZE and RATE UINT64_MAX, and it is for the
 * control to find a value. min, max: bounds; NULL: none. */
struct orr_cc_param {
    const char *key;  /* small letters, digits and _; not `kind` */
    const char *help; /* one sentence: meaning and unit */
    const char *fallback, *min, *max;
    const char *const *choices; /* of CHOICE, NULL-ended; else NULL */
    uint32_t type;              /* enum orr_cc_type */
    uint32_t offset;            /* offsetof in the struct of parameters */
};

/* ---- what a control is told -------------------------------------------- */

/* What it answers with. It keeps what it was last set to; the connection may
 * make cwnd smaller (after a pause, with network.idle_restart). After each call
 * a window that is no number or below 1 is taken as 1, one above
 * ORR_CC_UNLIMITED as that; a rate that is no number or negative as 0, one
 * between 0 and 1 bit/s as 1 bit/s. */
struct orr_cc_limits {
    double cwnd; /* packets: it sends while fewer than floor(cwnd) are in
                  * flight */
    double rate; /* bit/s on the wire, the least time between the starts of two
                  * packets; 0: not paced */
    double gain; /* to read, and to multiply each additive increase with: 1, the
                  * weight of the flow, or what `mltcp` around this control
                  * sets. Changes to it are lost */
};
#define ORR_CC_UNLIMITED 4e9 /* cwnd of a control that sets a rate alone */

/* A connection before its first packet. */
struct orr_cc_start {
    int64_t now_ps;         /* simulated time, from 0 */
    int64_t base_rtt_ps;    /* of a full packet and its ACK, nothing queued */
    uint64_t line_bps;      /* rate of the source's port */
    uint32_t packet_bytes;  /* of a full packet on the wire */
    uint32_t payload_bytes; /* of a full packet */
    uint32_t hops;          /* links from the source to the destination */
    bool trims;             /* queues cut packets that do not fit */
    bool goes_back;         /* a loss makes all behind it be sent again */
};

/* In-band telemetry of one port on a packet's way, taken when the packet left
 * the queue to be sent. */
struct orr_cc_hop_seen {
    int64_t at_ps;        /* when that was */
    uint64_t sent_bytes;  /* by this port until then, without this packet */
    uint64_t queue_bytes; /* that it left behind */
    uint64_t rate_bps;    /* of the port's link at that time */
};

/* An ACK, a loss or a timeout. Lives as long as the call. */
struct orr_cc_event {
    int64_t now_ps;     /* simulated time */
    int64_t rtt_ps;     /* of the newest packet acknowledged; -1: no sample */
    uint64_t sent;      /* packets so far, retransmissions too */
    uint32_t acked;     /* packets newly acknowledged in order; may be 0 */
    uint32_t delivered; /* packets newly known to have arrived, in order or
                         * not; may be 0 */
    uint32_t una, next; /* lowest unacknowledged and next new packet number;
                         * they wrap: compare differences */
    uint32_t in_flight; /* packets, after this event */
    uint32_t peak;      /* most in flight in this and the last window: a window
                         * above it is not used */
    uint32_t timeouts;  /* on_timeout: in a row, with nothing acknowledged
                         * between them; the first is 1 */
    uint32_t hops;      /* entries of hop; 0: there is no telemetry */
    const struct orr_cc_hop_seen *hop; /* from the source on, NICs left out */
    bool echo;       /* the receiver tells of congestion (ECN, CE) */
    bool recovering; /* between a loss and the ACK of what was sent then */
    bool lost;       /* more packets were found lost just now */
    bool trimmed;    /* on_ack, on_loss: a queue cut the missing packet */
    uint32_t path;   /* with `hop`: another number where the packet took
                      * another way than the one before */
};

/* ---- the control ------------------------------------------------------- */

/* The object, all its texts and tables are constant while it is loaded. `state`
 * and `params` are aligned for any type and owned by orrery. None of the calls
 * that have no result can fail; those that may be NULL are then left out. */
struct orr_cc_plugin {
    uint32_t abi;       /* ORR_CC_ABI */
    uint32_t size;      /* sizeof(struct orr_cc_plugin) */
    const char *name;   /* what `kind` calls it: as a parameter's key, - too */
    const char *doc;    /* one sentence */
    size_t state_size;  /* bytes for each connection, zeroed; may be 0 */
    size_t params_size; /* of the struct that params fill; may be 0 */
    const struct orr_cc_param *params; /* ends with a key of NULL; NULL: none */
    bool telemetry; /* wants `hop` with every ACK; costs time */
    /* Parameters were read: may fill in what follows from others, or refuse
     * them: a sentence, which is printed with its place in the user's file and
     * must stay valid until the next call. NULL result: fine. May be NULL. */
    const char *(*check)(void *params);
    /* Congestion notification packets: the receiver sends one when marked data
     * arrives and so many ps have passed since the last. 0, or NULL: none;
     * ACKs report marks in any case. */
    int64_t (*cnp_interval)(const void *params);
    /* Before the first packet: cwnd is network.initial_window, rate 0. May be
     * NULL. */
    void (*init)(void *state, const void *params, struct orr_cc_limits *w,
                 const struct orr_cc_start *s);
    /* Before each packet, bytes on the wire; its rate paces the next one. There
     * are no timers: what happens every so often catches up here, which is the
     * first moment at which anybody could tell. May be NULL. */
    void (*on_send)(void *state, const void *params, struct orr_cc_limits *w,
                    int64_t now_ps, uint32_t bytes);
    /* Every ACK. */
    void (*on_ack)(void *state, const void *params, struct orr_cc_limits *w,
                   const struct orr_cc_event *e);
    /* A loss was found and recovery begins: once for each recovery. */
    void (*on_loss)(void *state, const void *params, struct orr_cc_limits *w,
                    const struct orr_cc_event *e);
    /* The retransmission timer fired: all in flight counts as lost. */
    void (*on_timeout)(void *state, const void *params, struct orr_cc_limits *w,
                       const struct orr_cc_event *e);
    /* A congestion notification packet arrived. May be NULL. */
    void (*on_cnp)(void *state, const void *params, struct orr_cc_limits *w,
                   int64_t now_ps);
    /* The control's estimate of congestion (alpha, U ...), which is recorded.
     * May be NULL. */
    double (*estimate)(const void *state);
};

/* The one symbol of a shared object. */
extern __attribute__((visibility("default")))
const struct orr_cc_plugin orr_cc_plugin;

#ifdef __cplusplus
}
#endif
#endif
