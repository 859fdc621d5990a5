/* What is odd about what jobs ask of links: told by `orrery plan`, and in the
 * summary of a run with a schedule that planned. */
#ifndef ORR_WORKLOAD_SCHEDULE_PLAN_NOTES_H
#define ORR_WORKLOAD_SCHEDULE_PLAN_NOTES_H

#include "workload/schedule/plan.h"

enum { ORR_PLAN_LINK = 160, ORR_PLAN_REMARK = 600 };

/* "leaf0 > spine1" */
const char *orr__plan_link(const struct orr_plan *s, uint32_t link, char *buf,
                           size_t size);
/* A sentence about a job; NULL: there is nothing odd about it. */
const char *orr__plan_remark(const struct orr_plan *s, uint32_t job, char *buf,
                             size_t size);

#endif
