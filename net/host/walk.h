/* Connections, shown to a walk. Between windows. */
#ifndef ORR_NET_HOST_WALK_H
#define ORR_NET_HOST_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "net/run/state.h"

/* Whether nothing of it is under way; it may have been closed. */
bool orr__connection_rests(const struct orr_net *n, uint32_t id);
/* rests: it lies still while others go on, and its times do not move. False:
 * nobody has this number, or has it any more. */
bool orr__connection_walk(struct orr_net *n, const struct orr_net_watch *watch,
                          uint32_t id, bool rests, struct orr_walk *w);

#endif
