/* What many hosts have in common: no call is over before what leaves, or
 * enters, a part of the network has crossed the links around that part. */
#ifndef ORR_WORKLOAD_RANK_CUT_H
#define ORR_WORKLOAD_RANK_CUT_H

#include "workload/rank/rank.h"
#include "workload/world.h"

/* No run of the call takes less, by the payload that its algorithm sends out of
 * a switch with all hosts beside it (a server with its NICs, a leaf with its
 * uplinks), or into it, over all links around them together, whatever paths it
 * takes. The switches beside the first, the middle and the last rank are looked
 * at. *left is how many transfers may be looked at, and goes down; at 0 what is
 * told is of those switches that were done before, or 0. Needs world->net;
 * orr__bound_call is for single hosts. */
int64_t orr__bound_cut(const struct orr_world *w, const struct orr_team *team,
                       const struct orr_call *call, uint64_t *left);

#endif
