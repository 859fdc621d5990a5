/* The part of the `network` map that is about ports and switches. */
#ifndef ORR_NET_CONFIG_QUEUES_H
#define ORR_NET_CONFIG_QUEUES_H

#include "net/config/config.h"
#include "topo/graph.h"

/* Reads n->queue_node, buffer_node and pfc_node; after the rest. */
ORR_CHECK_RESULT orr_err orr__net_queues_read(struct orr_config *c,
                                              struct orr_net_draft *draft,
                                              struct orr_report *why);

/* Reads a kind of queue and its own parameters alone; `what`: path of the
 * value. */
ORR_CHECK_RESULT orr_err orr__queue_kind_read(
    struct orr_config *c, const struct orr_yaml *node, const char *what,
    struct orr_net_config *n, const struct orr_queue_ops **ops,
    const void **params, struct orr_report *why);

/* Whether what the queues are told by rate lists all rates that links of this
 * graph ever have; ECONFIG, at the map, with one that is missing. Once failures
 * were read. */
ORR_CHECK_RESULT orr_err orr__queue_fits(const struct orr_net_config *n,
                                         const struct orr_graph *g,
                                         struct orr_report *why);

#endif
