/* SHARP, and NVLS inside a server: a tree of switches in a network that loses
 * nothing. Jobs have equal parts of the slots, if these are limited. */
#include <stddef.h>

#include "net/in_network/in_network.h"

static const struct orr_param params[] = {
    ORR_IN_NETWORK_PARAMS("auto", "auto", "1024", "1024", "10ms"),
    ORR_PARAM_END,
};

extern const struct orr_in_network_ops orr__in_network_sharp;
const struct orr_in_network_ops orr__in_network_sharp = {
    .name = "sharp",
    .doc = "SHARP and NVLS: a tree of switches with as many slots as are asked "
           "for, for networks that lose nothing",
    .params = params,
    .pool = ORR_POOL_SHARES,
    .clocked = true,
};
