/* How packets choose among next hops: `network.routing`, and that of a tier. */
#ifndef ORR_NET_CONFIG_ROUTING_H
#define ORR_NET_CONFIG_ROUTING_H

#include "net/config/config.h"

/* Reads a kind and its parameters; `what`: path of the value. Once n->mtu and
 * n->header are known. */
ORR_CHECK_RESULT orr_err orr__routing_read(
    struct orr_config *c, const struct orr_yaml *node, const char *what,
    struct orr_net_config *n, enum orr_path_kind *kind,
    struct orr_path_params *params, struct orr_report *why);

#endif
