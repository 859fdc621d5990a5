/* Timers that one host sets on another. They are kept by the worker of the
 * host that sets them and entered between windows; their rank says who set
 * them, so that their order does not depend on when that was done. */
#include <assert.h>

#include "core/array.h"
#include "net/fabric/timer.h"

void orr__fabric_post(struct orr_net *n, uint32_t host, int64_t now,
                      uint32_t to, int64_t at, uint32_t what, uint64_t arg)
{
    struct orr_post_list *list =
        &orr__lane_of(n, host)->posts[n->node[to].worker];
    uint64_t rank = ORR_RANK_POST(host, n->node[host].posted++);

    if (n->node[host].process == n->node[to].process) {
        orr__fabric_timer(n, to, at, rank, what, arg);
        return;
    }
    assert(at - now >= n->lookahead);
    if (!orr__array_more(list->timer, list->capacity, list->count)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    list->timer[list->count++] = (struct orr_timer){
        .at = at,
        .rank = rank,
        .arg = arg,
        .what = what,
        .node = to,
    };
}

void orr__net_post(struct orr_net *n, uint32_t host, int64_t now, uint32_t to,
                   int64_t at, uint32_t user, uint64_t arg)
{
    orr__fabric_post(n, host, now, to, at, ORR_WHAT_USER + user, arg);
}

void orr__posts_take(struct orr_net *n, struct orr_lane *from, unsigned worker)
{
    struct orr_post_list *list = &from->posts[worker];

    for (uint32_t i = 0; i < list->count; i++) {
        const struct orr_timer *t = &list->timer[i];

        orr__fabric_timer(n, t->node, t->at, t->rank, t->what, t->arg);
        orr__windows_wake(n->windows, n->node[t->node].process, t->at);
    }
    list->count = 0;
}
