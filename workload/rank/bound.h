/* What can be said about a job's messages without running it: how long a
 * collective takes at least (and, traffic.h, how much goes between whom). */
#ifndef ORR_WORKLOAD_RANK_BOUND_H
#define ORR_WORKLOAD_RANK_BOUND_H

#include "core/error.h"
#include "workload/rank/rank.h"
#include "workload/rank/traffic.h"
#include "workload/world.h"

/* No run of the call on this network takes less. The larger of
 * - a chain: messages of the algorithm of which each waits for the one before
 *   it, each at the rate of its path's slowest link plus the delays of its
 *   links; one chain a chunk, end to end where chunks go one after another;
 * - bytes: what one member has to send, or to receive, or first to receive
 *   and then to send, over all its links.
 * Headers, endpoint delays and reductions are left out. Needs world->net. */
int64_t orr__bound_call(const struct orr_world *w, const struct orr_team *team,
                        const struct orr_call *call);

#endif
