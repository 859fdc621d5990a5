/* Whose packets are, and of which iteration; and how many packets of each
 * iteration were marked or lost, which the summary tells where
 * `record.by_job` asks for it, whether or not a record is written. An observer
 * of packets (net/watch/packet_observer.h). */
#ifndef ORR_RECORD_OWNERS_H
#define ORR_RECORD_OWNERS_H

#include "core/error.h"
#include "workload/world.h"

struct orr_packet; /* net/packet.h */

/* Owners: the jobs by index, all flows, and what is neither: pause frames, and
 * messages of a program around the library. */
#define ORR_OWNER_FLOWS(jobs)  (jobs)
#define ORR_OWNER_OTHERS(jobs) ((jobs) + 1)

struct orr_owners;
/* Needs world->net, before the run and before other observers that ask it.
 * world->watch.owners is there until orr__owners_free, after all has run. What
 * iterations had is in the jobs: orr_job.packets. */
ORR_CHECK_RESULT orr_err orr__owners_start(struct orr_world *w,
                                           struct orr_report *why);
void orr__owners_free(struct orr_world *w);

/* Who sent a packet, or what it tells of. From any node's thread. */
uint32_t orr__owners_owner(const struct orr_owners *t,
                           const struct orr_packet *p);

#endif
