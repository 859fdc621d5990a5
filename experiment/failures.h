/* What is said of `failures` after a run; nothing where none were listed. */
#ifndef ORR_EXPERIMENT_FAILURES_H
#define ORR_EXPERIMENT_FAILURES_H

#include "core/json.h"
#include "core/text.h"
#include "workload/world.h"

/* What fails in the run, and when: for the summary; nothing if nothing does. */
void orr__failures_text(struct orr_text *t, const struct orr_world *w);
void orr__failures_json(struct orr_json *j, const struct orr_world *w);

#endif
