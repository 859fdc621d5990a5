/* The highest class that has a packet goes first. */
#include "net/schedule/schedule.h"

static uint32_t choose(struct orr_queue *q, const struct orr_net_config *c,
                       uint32_t ready)
{
    return 31u - (uint32_t)__builtin_clz(ready);
}

extern const struct orr_schedule_ops orr__schedule_strict;
const struct orr_schedule_ops orr__schedule_strict = {
    .name = "strict",
    .doc = "a higher class always goes first",
    .by_class = true,
    .choose = choose,
};
