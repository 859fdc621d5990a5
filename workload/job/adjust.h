/* What a schedule may set of a job that was read and has not started. */
#ifndef ORR_WORKLOAD_JOB_ADJUST_H
#define ORR_WORKLOAD_JOB_ADJUST_H

#include "core/error.h"
#include "net/net.h"
#include "workload/job/job.h"

/* A bit for each traffic class that it sends in, now or later. */
uint8_t orr__job_classes(const struct orr_net_config *net,
                         const struct orr_job *j);
/* What the job gets from the network, its own to be changed: class and weight
 * until it starts, the control until the net is made. Lives as long as the
 * configuration. NULL: no memory. */
struct orr_net_service *orr__job_service(struct orr_world *w,
                                         struct orr_job *j);
/* The links, from host to host, that messages from one rank to another take in
 * the first stage (copied). Where the network's routing makes detours it is
 * not to be called. */
ORR_CHECK_RESULT orr_err orr__job_path(struct orr_world *w, struct orr_job *j,
                                       uint32_t src, uint32_t dst,
                                       const uint32_t *links, uint32_t n,
                                       struct orr_report *why);
/* From iteration `from` on, which no rank has begun (0: it was just added, and
 * nothing has happened since), a job that runs has this class, and gets of the
 * network what `like` would get in its first stage: weight and ways of the
 * messages between its ranks. `like` is a job of as many ranks, on the same
 * hosts, of another world; what is copied of it goes to `arena`, which lives as
 * long as j. Nothing must be running. No stages that its user named may begin
 * later. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__job_readjust(struct orr_arena *arena,
                                           const struct orr_net_config *net,
                                           struct orr_job *j,
                                           const struct orr_job *like,
                                           uint32_t class, uint32_t from,
                                           struct orr_report *why);
/* The gate is j->gate, to be set if orr__job_sends. */
bool orr__job_sends(const struct orr_job *j);
/* The job of this name, or NULL. */
struct orr_job *orr__job_find(const struct orr_world *w, const char *name);

#endif
