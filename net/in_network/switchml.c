/* SwitchML (NSDI'21): jobs have equal parts of a switch's slots; a result
 * clocks the next packet of its slot. A switch keeps two versions of each slot,
 * so that it can answer a packet whose result got lost. */
#include <stddef.h>

#include "net/in_network/in_network.h"

static const struct orr_param params[] = {
    ORR_IN_NETWORK_PARAMS("8192", "1024B", "256", "32", "10ms"),
    ORR_PARAM_END,
};

extern const struct orr_in_network_ops orr__in_network_switchml;
const struct orr_in_network_ops orr__in_network_switchml = {
    .name = "switchml",
    .doc = "SwitchML: equal parts of the slots, which clock themselves; a "
           "timeout sends again",
    .params = params,
    .pool = ORR_POOL_SHARES,
    .clocked = true,
};
