/* none: jobs meet as they come, and share as their controls make them. */
#include "workload/schedule/schedule.h"

static const struct orr_param params[] = {ORR_PARAM_END};

extern const struct orr_scheduler_ops orr__schedule_kind_none;
const struct orr_scheduler_ops orr__schedule_kind_none = {
    .name = "none",
    .doc = "jobs share as their congestion controls do",
    .params = params,
    .joins = true,
};
