/* Reno's window, shared by the controls that grow as Reno does. */
#ifndef ORR_NET_CC_RENO_H
#define ORR_NET_CC_RENO_H

#include "net/cc/cc.h"

struct orr_reno {
    double ssthresh; /* packets */
    /* Marks are answered again once something sent after the answer is
     * acknowledged, that is more than this number (RFC 3168, section 6.1.2). */
    uint32_t cut;
    bool waiting;    /* a mark was answered; until more than `cut` is here */
};

struct orr_reno_params {
    double ssthresh, min_cwnd;
    int64_t growth; /* packets that one ACK counts for at most */
};

/* For a parameter struct `owner` that holds these at `member` ("reno."). */
#define ORR_RENO_PARAMS(owner, member)                                       \
    {.key = "ssthresh", .type = ORR_PARAM_REAL,                              \
     .offset = offsetof(owner, member ssthresh), .fallback = "1e9",          \
     .min = "2", .help = "initial slow-start threshold, packets"},           \
    {.key = "min_cwnd", .type = ORR_PARAM_REAL,                              \
     .offset = offsetof(owner, member min_cwnd), .fallback = "2",            \
     .min = "1", .help = "what losses and marks leave at least, packets"},   \
    {.key = "growth", .type = ORR_PARAM_INT,                                 \
     .offset = offsetof(owner, member growth), .fallback = "1000000",        \
     .min = "1",                                                             \
     .help = "packets that one ACK counts for at most as the window grows "  \
             "(1: RFC 5681, counts ACKs; RFC 3465 calls this L)"}

/* Slow start (RFC 5681, section 3.1) or one packet a window. A window that is
 * not made use of, because the NIC or the program is what limits the flow, says
 * nothing about the network and does not grow (RFC 7661); in slow start it may
 * run ahead to twice what was in flight. */
static inline void orr__reno_grow(const struct orr_reno *r,
                                  const struct orr_reno_params *p,
                                  struct orr_cc_window *w,
                                  const struct orr_cc_ack *a)
{
    double n = a->delivered > p->growth ? (double)p->growth
                                        : (double)a->delivered;
    bool slow_start = w->cwnd < r->ssthresh;

    if (w->cwnd >= (slow_start ? 2.0 : 1.0) * a->peak + 1)
        return;
    if (slow_start) {
        w->cwnd += n;
        if (w->cwnd > r->ssthresh)
            w->cwnd = r->ssthresh;
    } else {
        w->cwnd += w->gain * (n / w->cwnd);
    }
}

/* This share of a window, as a loss or a mark leaves it. */
static inline double orr__reno_cut(const struct orr_reno_params *p,
                                   double packets, double share)
{
    return packets * share > p->min_cwnd ? packets * share : p->min_cwnd;
}

#endif
