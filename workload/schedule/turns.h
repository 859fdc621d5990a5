/* Which turns of a plan are kept: those that hold and are a gain. */
#ifndef ORR_WORKLOAD_SCHEDULE_TURNS_H
#define ORR_WORKLOAD_SCHEDULE_TURNS_H

#include "workload/schedule/plan.h"

/* Decides on the gates of a plan whose iterations are expected
 * (orr__plan_expect): every iteration of a job is held, or none. Jobs that
 * exceed a link in their best turns get longer periods, in which they do not,
 * or in which they catch up between collisions, if those are a gain over having
 * no gates. */
ORR_CHECK_RESULT orr_err orr__plan_turns(struct orr_plan *s,
                                         struct orr_report *why);
/* Jobs of a part have turns that would not hold, or are no gain. */
bool orr__plan_refuses(const struct orr_plan *s, uint32_t part);

#endif
