/* When keys of the `network` map have no effect (orr_param_idle): of all these,
 * `around` is the struct orr_net_config. */
#ifndef ORR_NET_CONFIG_IDLE_H
#define ORR_NET_CONFIG_IDLE_H

#include "core/config/param.h"

/* clang-format off */
#define ORR_NET_IDLE_LIST(X)                                                  \
    X(mtu) X(local_mtu) X(unreliable) X(ack_delay) X(ack_every) X(ack_bytes)  \
    X(nack_interval)                                                          \
    X(not_analytical) X(tiers) X(control) X(window) X(initial_window)         \
    X(idle_restart) X(timeout) X(timeouts) X(probe) X(reorder_window)         \
    X(cut_through) X(one_class) X(classes) X(switching) X(latency) X(buffer)  \
    X(not_shared) X(alpha) X(no_pfc) X(lossless) X(pfc_reserve)               \
    X(pfc_headroom) X(hold_acks) X(analytical) X(routing)         \
    X(in_network) X(limit) X(in_service) X(plane)
/* clang-format on */

#define ORR_NET_IDLE(name) orr_param_idle orr__idle_##name;
ORR_NET_IDLE_LIST(ORR_NET_IDLE)
#undef ORR_NET_IDLE

/* Notes what these ask of the graph in `used`. ENOMEM at worst. */
struct orr_graph;
struct orr_net_draft;
ORR_CHECK_RESULT orr_err orr__idle_graph(const struct orr_graph *g,
                                         struct orr_net_draft *draft,
                                         struct orr_report *why);

#endif
