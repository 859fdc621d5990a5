#include "net/schedule/schedule.h"

#include "core/config/family.h"
#include "net/schedule/list.h"

ORR_FAMILY(orr__schedules, ORR_SCHEDULE_LIST, struct orr_schedule_ops,
           orr__schedule_)

const struct orr_schedule_ops *orr__schedule_by_class(void)
{
    const struct orr_schedule_ops *const *all = orr__schedules();

    while (!(*all)->by_class)
        all++;
    return *all;
}
