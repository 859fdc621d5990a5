/* When keys of a queue have no effect (orr_param_idle): `around` is the struct
 * orr_net_config. */
#ifndef ORR_NET_QUEUE_IDLE_H
#define ORR_NET_QUEUE_IDLE_H

#include "core/config/param.h"

orr_param_idle orr__idle_capacity;
/* Does a queue of this capacity drop a packet before it finds so much? Then
 * nothing is marked beyond it. */
const char *orr__idle_beyond(const void *around, uint64_t capacity,
                             const struct orr_by_rate *threshold);

#endif
