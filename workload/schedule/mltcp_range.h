/* Where MLTCP makes jobs take turns: by control, number of jobs, ratio of
 * periods and how much of a link they ask for, as measured with packets
 * (`make validate PARTS=turns`). */
#ifndef ORR_WORKLOAD_SCHEDULE_MLTCP_RANGE_H
#define ORR_WORKLOAD_SCHEDULE_MLTCP_RANGE_H

#include "workload/schedule/plan.h"

enum { ORR_MLTCP_DOUBT = 400 };
/* A sentence about the jobs that meet on a link of the plan, where one of them
 * is under MLTCP and they are none that were seen to take turns; NULL: there is
 * nothing to say. */
const char *orr__mltcp_doubt(const struct orr_plan *s, uint32_t circle,
                             char *buf, size_t size);

#endif
