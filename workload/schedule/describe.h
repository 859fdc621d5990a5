/* What a schedule's members tell of jobs, in the results: what a job gets from
 * the network is what several of them decide on. */
#ifndef ORR_WORKLOAD_SCHEDULE_DESCRIBE_H
#define ORR_WORKLOAD_SCHEDULE_DESCRIBE_H

#include "core/json.h"
#include "core/text.h"
#include "workload/job/job.h"
#include "workload/world.h"

/* The list `jobs`: of each its name, control (with the one that it wraps),
 * class and weight, and what `more` (may be NULL) adds to the map. */
void orr__describe_jobs(const struct orr_world *w, struct orr_json *j,
                        void (*more)(const struct orr_world *w,
                                     const struct orr_job *job,
                                     struct orr_json *j));
/* "WHAT: a 2, b 1": of a few jobs, and of how many more there are; to be freed
 * with orr__free. NULL: no memory. */
char *orr__describe_text(const struct orr_world *w, const char *what,
                         void (*one)(const struct orr_job *job,
                                     struct orr_text *t));
/* What a job gets in its first stage. */
const struct orr_net_service *orr__describe_service(const struct orr_world *w,
                                                    const struct orr_job *job);

#endif
