/* PANAMA (MLSys'21): several trees a job, with a window of DCTCP on each: the
 * result is the ACK, and is marked if any packet in it was. The paper says
 * nothing of losses: here a packet is sent again after a timeout, as in
 * SwitchML. */
#include <stddef.h>

#include "net/in_network/in_network.h"

static const struct orr_param params[] = {
    ORR_IN_NETWORK_PARAMS("auto", "auto", "1000000", "65536", "10ms"),
    {.key = "cc",
     .type = ORR_PARAM_NODE,
     ORR_IN_NETWORK_FIELD(cc_node),
     .fallback = "",
     .help = "congestion control of a member, for each tree: dctcp (default), "
             "or another of `orrery list cc`"},
    ORR_PARAM_END,
};

extern const struct orr_in_network_ops orr__in_network_panama;
const struct orr_in_network_ops orr__in_network_panama = {
    .name = "panama",
    .doc = "PANAMA: a window of DCTCP on each tree; the result, marked if any "
           "of what is in it was, is the ACK",
    .params = params,
    .pool = ORR_POOL_FREE,
};
