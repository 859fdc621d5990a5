/* What the groups of a net have come to. */
#include "net/tree/tree.h"

/* Counts only: most_slots and mean_slots are of one switch, and a sum of them
 * over switches would mean nothing. */
static void add_totals(struct orr_group_totals *t,
                       const struct orr_group_totals *more)
{
    t->sums += more->sums;
    t->summed += more->summed;
    t->copies += more->copies;
    t->duplicates += more->duplicates;
    t->collisions += more->collisions;
    t->no_slots += more->no_slots;
    t->evictions += more->evictions;
    t->results += more->results;
    t->misfits += more->misfits;
    t->fallen_back += more->fallen_back;
}

bool orr__net_has_groups(const struct orr_net *n)
{
    return n->trees != NULL;
}

bool orr__net_group_node(const struct orr_net *n, uint32_t node,
                         struct orr_group_totals *t)
{
    const struct orr_aggregator *a = n->trees ? n->trees->at[node] : NULL;
    int64_t now = orr__net_moment(n);
    double area;

    if (!a)
        return false;
    now = now == ORR_NEVER || now < a->since ? a->since : now;
    area = a->area + (double)a->used * (double)(now - a->since);
    *t = a->totals;
    t->most_slots = a->most;
    t->slot_ps = area;
    t->mean_slots = now > 0 ? area / (double)now : 0;
    return true;
}

void orr__net_group_totals(const struct orr_net *n, struct orr_group_totals *t)
{
    struct orr_group_totals one;

    *t = (struct orr_group_totals){.moves = n->trees ? n->trees->moves : 0};
    for (uint32_t i = 0; n->trees && i < n->graph->nodes; i++) {
        if (!orr__net_group_node(n, i, &one))
            continue;
        add_totals(t, &one);
        if (one.most_slots <= t->most_slots)
            continue;
        t->most_slots = one.most_slots;
        t->mean_slots = one.mean_slots;
    }
}
