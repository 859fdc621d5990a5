/* What a plan comes to, without packets. */
#ifndef ORR_WORKLOAD_SCHEDULE_EXPECT_H
#define ORR_WORKLOAD_SCHEDULE_EXPECT_H

#include "workload/schedule/plan.h"

/* Fills what jobs of a plan are expected to take: alone, and by the classes
 * and gates that they have. */
ORR_CHECK_RESULT orr_err orr__plan_expect(struct orr_plan *s,
                                          struct orr_report *why);
/* The same of the jobs of one part of the affinity graph; planned: planned_ps,
 * by classes and gates; if not, fair_ps. */
ORR_CHECK_RESULT orr_err orr__plan_expect_part(struct orr_plan *s,
                                               uint32_t part, bool planned,
                                               struct orr_report *why);

#endif
