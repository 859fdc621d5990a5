#include "net/path/idle.h"

#include "net/config/config.h"

const char *orr__path_idle_detour(const void *set, const void *around)
{
    const struct orr_net_config *c = around;

    return c->used.stops ? NULL
                         : "this topology has no switch to make a detour by";
}

const char *orr__path_idle_stops(const void *set, const void *around)
{
    const struct orr_net_config *c = around;
    const char *why = orr__path_idle_detour(set, around);

    return why ? why
           : c->path_params.stops >= c->used.stops
               ? "there are no more switches to make detours by"
               : NULL;
}

const char *orr__path_idle_flowlet(const void *set, const void *around)
{
    const struct orr_net_config *c = around;

    if (c->path_params.per == ORR_PATH_PER_PACKET)
        return "with `per: packet` there are no flowlets";
    return c->detours ? orr__path_idle_detour(set, around) : NULL;
}

const char *orr__path_idle_unheard(const void *set, const void *around)
{
    const struct orr_net_config *c = around;

    return c->transport == ORR_TRANSPORT_RELIABLE
               ? NULL
               : "without ACKs nobody hears what an entropy met";
}
