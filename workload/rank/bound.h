/* What can be said about a job's messages without running it: how long a
 * collective takes at least, and how much goes between whom. */
#ifndef ORR_WORKLOAD_RANK_BOUND_H
#define ORR_WORKLOAD_RANK_BOUND_H

#include "core/error.h"
#include "workload/rank/rank.h"
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

/* For each call of a program the first one that sends the same between the
 * same; first: room for all. false: no memory. */
bool orr__calls_alike(const struct orr_program *p, uint32_t *first);

/* Told of payload between two hosts, in so many messages. */
typedef void orr_traffic_fn(void *arg, uint32_t src, uint32_t dst,
                            uint64_t bytes, uint64_t messages);
/* The payload of one iteration, from host to host, those that are the same
 * among them; large collectives are sampled by rank and by step. */
void orr__traffic(const struct orr_team *team, orr_traffic_fn *fn, void *arg);
/* The same of one call, from member to member of the job, on different hosts.
 */
void orr__traffic_of_call(const struct orr_team *team,
                          const struct orr_call *call, orr_traffic_fn *fn,
                          void *arg);
/* The same of all iterations of all jobs; for estimates. */
void orr__jobs_traffic(const struct orr_world *w, orr_traffic_fn *fn,
                       void *arg);

#endif
