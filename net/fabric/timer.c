#include "net/fabric/timer.h"

void orr__fabric_timer(struct orr_net *n, uint32_t node, int64_t at,
                       uint64_t rank, uint32_t what, uint64_t arg)
{
    struct orr_process *p = &n->process[n->node[node].process];
    struct orr_timer t = {
        .at = at, .rank = rank, .arg = arg, .what = what, .node = node};

    if (at == ORR_NEVER) /* saturated: a time, if one that never comes */
        t.at--;
    orr__timer_add(n, p, &t);
}
