/* Bytes of a job's messages by pairs of ranks, without running it. */
#ifndef ORR_WORKLOAD_RANK_TRAFFIC_H
#define ORR_WORKLOAD_RANK_TRAFFIC_H

#include "workload/rank/rank.h"
#include "workload/world.h"

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
/* Pairs of members, on different hosts, of which the first sends to the second
 * in an iteration: as many connections. Where there are millions, those of some
 * members are counted and taken for typical. */
struct orr_pairs {
    double pairs;
    uint32_t at_once; /* messages of a pair under way, at most; at least 1 */
};
void orr__traffic_pairs(const struct orr_team *team, struct orr_pairs *out);
/* To how many others a member sends at once, at most, or hears from, if that
 * is known: of one collective by itself. Else UINT32_MAX. */
uint32_t orr__traffic_peers(const struct orr_team *team);
/* The same of all iterations of all jobs; for estimates. */
void orr__jobs_traffic(const struct orr_world *w, orr_traffic_fn *fn,
                       void *arg);

#endif
