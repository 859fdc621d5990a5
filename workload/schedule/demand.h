/* From a job's outline and the ways of its messages to what it asks of each
 * link. */
#ifndef ORR_WORKLOAD_SCHEDULE_DEMAND_H
#define ORR_WORKLOAD_SCHEDULE_DEMAND_H

#include "workload/schedule/outline.h"
#include "workload/schedule/profile.h"

/* Phases of a link that has more are bins of this part of an iteration. */
enum { ORR_DEMAND_BINS = 144 };

/* Each shipment is spread evenly over the time that it takes alone; where those
 * of the job itself meet on a link that cannot carry them, all that the job
 * does at that time takes longer. ENOMEM; *out is all zeros then, else
 * orr__profile_fini. */
ORR_CHECK_RESULT orr_err orr__demand(const struct orr_world *w,
                                     const struct orr_job *j,
                                     const struct orr_outline *o,
                                     const struct orr_message_paths *paths,
                                     struct orr_profile *out,
                                     struct orr_report *why);
/* The same by the ways that the job's own connections take. */
ORR_CHECK_RESULT orr_err orr__demand_own(const struct orr_world *w,
                                         const struct orr_job *j,
                                         const struct orr_outline *o,
                                         struct orr_profile *out,
                                         struct orr_report *why);
/* When the job first communicates in an iteration; 0: never. */
int64_t orr__profile_first(const struct orr_profile *p);
/* What a job's links need for one iteration on the busiest of them, Crux's t:
 * ps, and that link. 0: it does not communicate. */
int64_t orr__profile_longest(const struct orr_profile *p,
                             const struct orr_graph *g, uint32_t *link);

#endif
