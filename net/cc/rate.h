/* What controls that set a rate share: its bounds, and the window that may
 * stand beside it. */
#ifndef ORR_NET_CC_RATE_H
#define ORR_NET_CC_RATE_H

#include "net/cc/cc.h"

enum orr_rate_window {
    ORR_RATE_NO_WINDOW,
    ORR_RATE_FIXED_WINDOW, /* one bandwidth-delay product */
    ORR_RATE_SCALED_WINDOW /* that times rate / line rate */
};

/* Common parameters of those that set a rate, bit/s; the first ones of theirs.
 */
struct orr_rate_params {
    uint64_t least_bps, initial_bps; /* ORR_AUTO_SIZE: line rate */
    int64_t base_rtt_ps;             /* ORR_AUTO: of the path */
    int window;                      /* enum orr_rate_window */
    int counts;                      /* enum orr_window_counts */
};

/* Bounds of one connection's rate. */
struct orr_rate {
    double line, least;  /* bit/s */
    double full_packets; /* bandwidth-delay product */
    uint32_t payload;    /* of a packet, if the window counts that; else 0 */
};

extern const char *const orr__rate_windows[];
orr_param_idle orr__rate_idle_window; /* of structs that begin with these */

/* What is compared with a window of bytes. */
enum orr_window_counts { ORR_COUNTS_WIRE, ORR_COUNTS_PAYLOAD };
extern const char *const orr__window_counts[];
#define ORR_WINDOW_COUNTS_HELP                                                 \
    "what is compared with the window: bytes on the wire, or of payload, as "  \
    "HPCC's simulator does (snd_nxt - snd_una of RdmaQueuePair)"

/* For a parameter struct `owner` that holds these at `member` ("rate."). */
#define ORR_RATE_PARAMS(owner, member)                                         \
    {.key = "min_rate",                                                        \
     .type = ORR_PARAM_RATE,                                                   \
     .offset = offsetof(owner, member least_bps),                              \
     .fallback = "100Mbps",                                                    \
     .min = "1Kbps",                                                           \
     .help = "the rate never falls below this"},                               \
        {.key = "initial_rate",                                                \
         .type = ORR_PARAM_RATE,                                               \
         .offset = offsetof(owner, member initial_bps),                        \
         .fallback = "auto",                                                   \
         .min = "1Kbps",                                                       \
         .help = "of a new connection (auto: line rate)"},                     \
        {.key = "window",                                                      \
         .type = ORR_PARAM_CHOICE,                                             \
         .offset = offsetof(owner, member window),                             \
         .fallback = "none",                                                   \
         .choices = orr__rate_windows,                                         \
         .help =                                                               \
             "bytes in flight at most: none (no limit), bdp (line rate "       \
             "times the base round-trip time) or scaled (that times rate / "   \
             "line rate)"},                                                    \
        {.key = "base_rtt",                                                    \
         .type = ORR_PARAM_TIME,                                               \
         .offset = offsetof(owner, member base_rtt_ps),                        \
         .fallback = "auto",                                                   \
         .min = "1ns",                                                         \
         .help = "round-trip time of `window` (auto: of a full packet and "    \
                 "its ACK on the empty path)",                                 \
         .idle = orr__rate_idle_window},                                       \
    {                                                                          \
        .key = "counts", .type = ORR_PARAM_CHOICE,                             \
        .offset = offsetof(owner, member counts), .fallback = "wire",          \
        .choices = orr__window_counts, .help = ORR_WINDOW_COUNTS_HELP,         \
        .idle = orr__rate_idle_window                                          \
    }

/* Sets the rate that a connection starts at, w->rate. */
void orr__rate_init(struct orr_rate *r, const struct orr_rate_params *p,
                    struct orr_cc_window *w, const struct orr_cc_path *path);
/* Packets that a window of so many bytes of payload lets out: a packet may
 * start while less than that is in flight. */
double orr__payload_window(double bytes, uint32_t payload);
/* Sets w->rate, within its bounds, and the window that goes with it. */
void orr__rate_set(const struct orr_rate *r, const struct orr_rate_params *p,
                   struct orr_cc_window *w, double bps);
/* A step of additive increase, bit/s: as given, or, where that is
 * ORR_AUTO_SIZE, `share` of the line rate. */
double orr__rate_step(const struct orr_rate *r, uint64_t given_bps,
                      double share);

#endif
