/* Reports of collectives that were replayed (workload/memo/memo.h). */
#ifndef ORR_EXPERIMENT_REPLAYED_H
#define ORR_EXPERIMENT_REPLAYED_H

#include "core/json.h"
#include "core/text.h"
#include "workload/world.h"

/* "replayed" of the summary; nothing, if nobody asked. */
void orr__replayed_json(struct orr_json *j, const struct orr_world *w);
/* What may be replayed, before the run. */
void orr__replayed_plan(struct orr_text *t, const struct orr_world *w);
/* A line or two, for people. */
void orr__replayed_text(struct orr_text *t, const struct orr_world *w);

#endif
