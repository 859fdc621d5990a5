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

/* Common parameters of those that set a rate, bit/s. */
struct orr_rate_params {
    uint64_t least_bps, initial_bps; /* ORR_AUTO_SIZE: line rate */
    int window;                      /* enum orr_rate_window */
};

/* Bounds of one connection's rate. */
struct orr_rate {
    double line, least;  /* bit/s */
    double full_packets; /* bandwidth-delay product */
};

extern const char *const orr__rate_windows[];

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
    {                                                                          \
        .key = "window", .type = ORR_PARAM_CHOICE,                             \
        .offset = offsetof(owner, member window), .fallback = "none",          \
        .choices = orr__rate_windows,                                          \
        .help =                                                                \
            "bytes in flight at most: none (no limit), bdp (line rate "        \
            "times the base round-trip time) or scaled (that times rate / "    \
            "line rate)"                                                       \
    }

/* Sets the rate that a connection starts at, w->rate. */
void orr__rate_init(struct orr_rate *r, const struct orr_rate_params *p,
                    struct orr_cc_window *w, const struct orr_cc_path *path);
/* Sets w->rate, within its bounds, and the window that goes with it. */
void orr__rate_set(const struct orr_rate *r, const struct orr_rate_params *p,
                   struct orr_cc_window *w, double bps);
/* A step of additive increase, bit/s: as given, or, where that is
 * ORR_AUTO_SIZE, `share` of the line rate. */
double orr__rate_step(const struct orr_rate *r, uint64_t given_bps,
                      double share);

#endif
