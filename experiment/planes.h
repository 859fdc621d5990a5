/* What the summaries say of planes (topology.planes). */
#ifndef ORR_EXPERIMENT_PLANES_H
#define ORR_EXPERIMENT_PLANES_H

#include "core/json.h"
#include "workload/world.h"

/* Wire bytes and packets that hosts, or servers, sent into each; nothing where
 * there is one. */
void orr__planes_json(struct orr_json *j, const struct orr_world *w);

#endif
