/* What an observer of packets may know of trees. */
#include "core/none.h"
#include "net/tree/tree.h"
#include "net/watch/packet_observer.h"

/* Another job with part of the slots of a switch that limits the tree's window
 * to less than it may be. 0: none. */
static uint64_t sharer_of(const struct orr_net *n, const struct orr_tree *t)
{
    const struct orr_tree_group *g = t->group;

    if (t->window >= (uint64_t)g->in->window)
        return 0;
    for (uint32_t i = 0; i < t->places; i++) {
        const struct orr_aggregator *a = n->trees->at[t->place[i].node];

        if (!t->place[i].adds || !a
            || orr__pool_share(a, g->share) / g->trees > t->window)
            continue;
        for (uint32_t k = 0; k < a->shares; k++)
            if (a->share[k].job != g->share)
                return a->share[k].job;
    }
    return 0;
}

bool orr__observed_tree(const struct orr_net *n, uint32_t connection,
                        struct orr_observed_tree *out)
{
    const struct orr_tree_stream *s = orr__sender(n, connection)->stream;
    const struct orr_tree *t = s ? s->tree : NULL;

    *out = (struct orr_observed_tree){.adder = ORR_NONE};
    if (!t || t->group->kind == ORR_GROUP_MULTICAST
        || s->member == t->group->members)
        return false;
    out->tree = t;
    for (uint32_t i = s->place; t->place[i].parent != ORR_NONE;
         i = t->place[i].parent) {
        if (out->links == ORR_OBSERVED_DEPTH)
            return false;
        out->up[out->links] = t->place[i].up;
        out->back[out->links++] = t->place[i].down;
        if (out->adder == ORR_NONE && t->place[t->place[i].parent].adds)
            out->adder = t->place[t->place[i].parent].node;
    }
    out->clocked = t->group->in->ops->clocked;
    out->sharer = out->clocked ? sharer_of(n, t) : 0;
    return true;
}
