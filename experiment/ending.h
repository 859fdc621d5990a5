/* What a summary says of how the run ended. */
#ifndef ORR_EXPERIMENT_ENDING_H
#define ORR_EXPERIMENT_ENDING_H

#include "core/json.h"
#include "workload/world.h"

/* The word for it: "done", "stopped", "quiet", "interrupted", "failed". */
extern const char *const orr__endings[];

/* How far a run came. */
struct orr_came_to {
    enum orr_ending ending;
    double at_ns;             /* where */
    uint32_t jobs, open_jobs; /* open: without an end */
    uint32_t flows, open_flows;
};
/* The object `end`. */
void orr__ending_json(struct orr_json *j, const struct orr_came_to *e);

#endif
