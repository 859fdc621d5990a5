/* What a plan comes to, without packets, and which of its turns are kept. */
#ifndef ORR_WORKLOAD_SCHEDULE_EXPECT_H
#define ORR_WORKLOAD_SCHEDULE_EXPECT_H

#include "workload/schedule/plan.h"

/* Fills what jobs of a plan are expected to take, and decides on their gates:
 * every iteration is held, or none. Jobs that exceed a link in their best turns
 * get longer periods, in which they do not, if those are a gain over having no
 * gates. */
ORR_CHECK_RESULT orr_err orr__plan_expect(struct orr_plan *s,
                                          struct orr_report *why);
/* Jobs of a part have turns that would not hold, or are no gain. */
bool orr__plan_refuses(const struct orr_plan *s, uint32_t part);

#endif
