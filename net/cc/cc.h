/* The family of congestion controls: one member a file, one line in list.h.
 *
 * A control belongs to one connection and lives at its sender. It never sends:
 * it answers events by setting a window, and the NIC asks the connection for
 * packets as the window allows. Only + - * / and sqrt may decide a value, so
 * that every machine computes the same one. */
#ifndef ORR_NET_CC_CC_H
#define ORR_NET_CC_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param.h"

/* What a control answers with. cwnd is in packets; the connection sends while
 * fewer than floor(cwnd) are in flight. */
struct orr_cc_window {
    double cwnd;
};
#define ORR_CC_UNLIMITED 4e9

struct orr_cc_ack {
    int64_t now_ps;
    int64_t rtt_ps;     /* of the newest packet acknowledged; -1: no sample */
    uint32_t acked;     /* packets newly acknowledged in order; may be 0 */
    uint32_t una, next; /* lowest unacknowledged and next new packet number */
    uint32_t in_flight; /* after this ACK */
    uint32_t peak;      /* most in flight in this and the last window */
    bool echo;          /* the receiver tells of congestion (CE) */
    bool recovering;    /* between a loss and the ACK of what was sent then */
};

struct orr_cc_ops {
    const char *name, *doc;
    size_t state_size;  /* per connection; zeroed; lives as long as it */
    size_t params_size; /* of the struct that params fill; shared, read-only */
    const struct orr_param *params; /* beside `kind` */
    /* Parameters were read: may refuse a combination with orr__yaml_fail.
     * NULL: every combination is fine. */
    orr_err (*check)(struct orr_config *c, const struct orr_yaml *at,
                     const void *params, struct orr_report *why);
    /* Before the first packet. w->cwnd holds the initial window; a control
     * that is not bound by it sets another. None of these may fail. */
    void (*init)(void *state, const void *params, struct orr_cc_window *w);
    /* Every ACK, after the scoreboard was brought up to date. */
    void (*on_ack)(void *state, const void *params, struct orr_cc_window *w,
                   const struct orr_cc_ack *a);
    /* A loss was detected and recovery begins: once for each recovery. */
    void (*on_loss)(void *state, const void *params, struct orr_cc_window *w,
                    const struct orr_cc_ack *a);
    /* The retransmission timer fired: everything in flight counts as lost. */
    void (*on_timeout)(void *state, const void *params,
                       struct orr_cc_window *w, const struct orr_cc_ack *a);
};

const struct orr_cc_ops *const *orr__cc_kinds(void); /* NULL-ended */

#endif
