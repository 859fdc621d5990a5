/* What was simulated and what was not, in summaries. */
#ifndef ORR_EXPERIMENT_REPEAT_H
#define ORR_EXPERIMENT_REPEAT_H

#include "core/json.h"
#include "core/text.h"
#include "workload/world.h"

/* The object `repeat`; nothing if the run was asked to simulate everything. */
void orr__repeat_json(struct orr_json *j, const struct orr_world *w);
void orr__repeat_text(struct orr_text *t, const struct orr_world *w);

#endif
