#include "net/schedule/schedule.h"

#include <stddef.h>

#include "net/schedule/list.h"

#define DECLARE(name) extern const struct orr_schedule_ops orr__schedule_##name;
ORR_SCHEDULE_LIST(DECLARE)
#undef DECLARE

const struct orr_schedule_ops *const *orr__schedules(void)
{
#define ENTRY(name) &orr__schedule_##name,
    static const struct orr_schedule_ops *const all[] = {
        ORR_SCHEDULE_LIST(ENTRY) NULL};
#undef ENTRY

    return all;
}

const struct orr_schedule_ops *orr__schedule_by_class(void)
{
    const struct orr_schedule_ops *const *all = orr__schedules();

    while (!(*all)->by_class)
        all++;
    return *all;
}
