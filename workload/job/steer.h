/* What a schedule may set of a job that was read and has not started. */
#ifndef ORR_WORKLOAD_JOB_STEER_H
#define ORR_WORKLOAD_JOB_STEER_H

#include "core/error.h"
#include "net/net.h"
#include "workload/job/job.h"

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
/* The gate is j->gate, to be set if orr__job_sends. */
bool orr__job_sends(const struct orr_job *j);
/* The job of this name, or NULL. */
struct orr_job *orr__job_find(const struct orr_world *w, const char *name);

#endif
