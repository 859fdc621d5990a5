/* What follows from a configuration of the network that is read. */
#include "net/config/config.h"

uint32_t orr__net_count_used(const struct orr_net_config *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->classes; i++)
        n += orr__net_uses_class(c, i);
    return n;
}

uint32_t orr__net_count_lossless(const struct orr_net_config *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->classes; i++)
        n += orr__net_uses_class(c, i) && !orr__net_is_lossy(c, i);
    return n;
}

struct orr_net_wire orr__net_wire(const struct orr_net_config *c)
{
    return (struct orr_net_wire){
        .mtu = c->mtu,
        .local_mtu = c->local_mtu,
        .header = c->header,
        .ack = c->ack,
        .ack_every = (uint32_t)c->ack_every,
        .reliable = c->transport == ORR_TRANSPORT_RELIABLE,
        .whole = c->transport == ORR_TRANSPORT_ANALYTICAL,
    };
}
