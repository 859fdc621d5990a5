/* Connections, shown to a walk. Between windows. */
#ifndef ORR_NET_WATCH_CONNECTION_SNAPSHOT_H
#define ORR_NET_WATCH_CONNECTION_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "net/watch/state.h"

/* Whether nothing of it is under way; it may have been closed. */
bool orr__connection_is_idle(const struct orr_net *n, uint32_t id);
/* rests: it lies still while others go on, and its times do not move. False:
 * nobody has this number, or has it any more. */
bool orr__connection_snapshot(struct orr_net *n,
                              const struct orr_snapshot_watch *watch,
                              uint32_t id, bool rests, struct orr_snapshot *w);

#endif
