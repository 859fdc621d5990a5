/* Choices of path that go by no rates, where equal next hops have several. */
#ifndef ORR_EXPERIMENT_UNEQUAL_H
#define ORR_EXPERIMENT_UNEQUAL_H

#include <stddef.h>

#include "workload/world.h"

/* A sentence about the first node where packets are shared out evenly among
 * links of different rates, as far as it is looked for; "": there is none. */
void orr__note_unequal(const struct orr_world *w, char *text, size_t size);

#endif
