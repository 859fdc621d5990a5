/* When keys of a choice of path have no effect (orr_param_idle): of all these,
 * `around` is the struct orr_net_config. */
#ifndef ORR_NET_PATH_IDLE_H
#define ORR_NET_PATH_IDLE_H

#include "core/config/param.h"

orr_param_idle orr__path_idle_flowlet, /* of flowlets */
    orr__path_idle_detour,             /* of detours */
    orr__path_idle_stops,              /* how many switches they go by */
    orr__path_idle_unheard;            /* what ACKs say of entropies */

#endif
