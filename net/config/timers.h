/* Retransmission timers: whether any run, and the first timeout. */
#ifndef ORR_NET_CONFIG_TIMERS_H
#define ORR_NET_CONFIG_TIMERS_H

#include "net/config/config.h"
#include "topo/graph.h"

/* The first timeout where `initial` is auto, and nothing is known of the path
 * or it is short; ps. */
#define ORR_FIRST_TIMEOUT (10 * ORR_MS)

/* What `network.rto` comes to on this graph, once failures and services were
 * read. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__timers_settle(struct orr_net_draft *draft,
                                            const struct orr_graph *g,
                                            struct orr_report *why);

/* Do senders have a timer at all? */
static inline bool orr__timers_run(const struct orr_net_config *c)
{
    return c->rto.least_ps != ORR_NEVER;
}

/* The first timeout of a connection whose base round trip takes so long: what
 * RFC 6298 makes of that as a first sample, up to rto.max; but no
 * less than ORR_FIRST_TIMEOUT. */
int64_t orr__timers_first(const struct orr_net_config *c, int64_t rtt_ps);

/* For a run that went quiet too early. */
void orr__timers_hint(const struct orr_net_config *c, struct orr_report *why);

#endif
