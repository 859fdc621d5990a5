/* The family of in-network aggregation: switches that add up what the members
 * of a group send. One member of the family a file, one line in list.h.
 *
 * What is common to all stands in net/tree/: trees, what a switch adds and
 * copies, what a host sends. A kind says how the slots of a switch are given
 * away, what becomes of a packet that gets none or is sent again, and what
 * limits the packets that a member has under way. */
#ifndef ORR_NET_IN_NETWORK_IN_NETWORK_H
#define ORR_NET_IN_NETWORK_IN_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "net/cc/cc.h"

/* How a switch gives its slots away. */
enum orr_slot_pool {
    ORR_POOL_SHARES, /* an equal part to each job, for as long as it lasts */
    ORR_POOL_FREE,   /* to whoever comes first */
    ORR_POOL_HASHED, /* the one that a hash of (group, tree, sequence) names, to
                      * whoever comes first */
};

/* One kind. Constant, and shared by all nets and threads: what a run changes
 * stands in struct orr_aggregator and struct orr_tree_stream. */
struct orr_in_network_ops {
    const char *name, *doc;
    const struct orr_param *params; /* into struct orr_in_network */
    enum orr_slot_pool pool;
    /* A member's packet goes into a slot of its own, and is followed there by
     * the one that is `window` packets further on, as soon as its result is
     * there. Else packets go in their order, as the control allows. */
    bool clocked;
    /* A host stands at the root and adds up what switches pass on without: for
     * lack of a slot, or because it was sent again, which takes what is in the
     * slot along. */
    bool server;
    /* Results beyond a gap after which what is missing is sent again; 0: only
     * after a timeout. */
    uint32_t gap;
    /* The control of members; NULL: by the key `cc`, or none. */
    const struct orr_cc_ops *control;
};

/* One `in_network` map, read. */
struct orr_in_network {
    const struct orr_in_network_ops *ops; /* NULL: there is no such map */
    const struct orr_yaml *node;          /* it */
    const char *what;                     /* its path: "network.in_network" */
    int64_t slots;      /* of a switch; ORR_AUTO: as many as are asked for */
    uint64_t payload;   /* bytes of a packet; ORR_AUTO_SIZE: the mtu */
    int64_t latency_ps; /* in the aggregator, beside its rate */
    uint64_t rate_bps;  /* at which it takes packets in; 0: at once */
    const struct orr_yaml *at; /* which switches; NULL: all */
    int64_t window;            /* packets of a member under way, of a tree */
    int64_t children;          /* a switch adds up so many at most */
    int64_t timeout_ps;        /* a packet is sent again */
    const struct orr_yaml *cc_node; /* NULL: left out */
    const char *cc_what;            /* its path */
    struct orr_cc own;              /* with ops->control */
    bool *adds; /* per node: it adds; NULL: not known yet (orr__trees_graph) */
    const struct orr_cc *cc; /* of members; NULL: the fixed window */
};

const struct orr_in_network_ops *const *orr__in_network_kinds(void);
/* Reads such a map; `what` is its path. `mtu`: the payload is no more. Owned by
 * the document. */
ORR_CHECK_RESULT orr_err orr__in_network_read(struct orr_config *c,
                                              const struct orr_yaml *node,
                                              const char *what, uint64_t mtu,
                                              struct orr_in_network *out,
                                              struct orr_report *why);

/* The keys that all kinds have, with their own defaults. */
#define ORR_IN_NETWORK_FIELD(name)                                             \
    .offset = offsetof(struct orr_in_network, name)
/* clang-format off */
/* Children whose share is named bit by bit where a sum gives up its slot. */
#define ORR_IN_NETWORK_SERVED 32

#define ORR_IN_NETWORK_PARAMS(slots_, payload_, window_, children_, time_)   \
    {.key = "slots", .type = ORR_PARAM_INT, ORR_IN_NETWORK_FIELD(slots),       \
     .fallback = slots_, .min = "1", .max = "1000000000",                      \
     .help = "packets that a switch adds up at a time; auto: as many as are "  \
             "asked for"},                                                     \
    {.key = "payload", .type = ORR_PARAM_SIZE, ORR_IN_NETWORK_FIELD(payload),  \
     .fallback = payload_, .min = "1B",                                        \
     .help = "bytes of the sum in a packet, at most `network.mtu`"             \
             " (auto: that)"},                                                 \
    {.key = "latency", .type = ORR_PARAM_TIME,                                 \
     ORR_IN_NETWORK_FIELD(latency_ps), .fallback = "0ns", .max = "1s",         \
     .help = "time in the aggregator of a switch"},                            \
    {.key = "rate", .type = ORR_PARAM_RATE, ORR_IN_NETWORK_FIELD(rate_bps),    \
     .fallback = "", .min = "1Mbps",                                           \
     .help = "at which the aggregator of a switch takes packets in, one "      \
             "after the other; default: at once"},                             \
    {.key = "at", .type = ORR_PARAM_NODE, ORR_IN_NETWORK_FIELD(at),            \
     .fallback = "",                                                           \
     .help = "which switches add: all (default), top, bottom, or a list of "   \
             "names; others pass packets on along the tree"},                  \
    {.key = "window", .type = ORR_PARAM_INT, ORR_IN_NETWORK_FIELD(window),     \
     .fallback = window_, .min = "1", .max = "1000000",                        \
     .help = "packets of a member under way on a tree, at most"},              \
    {.key = "children", .type = ORR_PARAM_INT, ORR_IN_NETWORK_FIELD(children), \
     .fallback = children_, .min = "1", .max = "65536",                        \
     .help = "links whose packets a switch can add up (its bitmap)"},          \
    {.key = "timeout", .type = ORR_PARAM_TIME,                                 \
     ORR_IN_NETWORK_FIELD(timeout_ps), .fallback = time_, .min = "1us",       \
     .max = "10s",                                                             \
     .help = "a packet whose result has not come is sent again; after 100 "    \
             "times in vain the time doubles"}
/* clang-format on */

#endif
