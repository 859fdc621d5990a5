/* What was resolved from a configuration, and that it stays as it was. The
 * pointers in the world are const; this is for what they do not show. */
#ifndef ORR_EXPERIMENT_FROZEN_H
#define ORR_EXPERIMENT_FROZEN_H

#include "workload/world.h"

/* Of the graph and of what the network is to be, all that a run goes by. */
uint64_t orr__world_digest(const struct orr_world *w);
/* Nobody writes it from now on: the draft is gone. */
void orr__world_freeze(struct orr_world *w);
/* It is as it was when it was frozen, if it was: in builds with ORR_DEBUG. */
void orr__world_check(const struct orr_world *w);

#endif
