/* How large the records of a run would be, before it runs. */
#ifndef ORR_EXPERIMENT_RECORD_SIZE_H
#define ORR_EXPERIMENT_RECORD_SIZE_H

#include <stdint.h>

#include "core/error.h"
#include "workload/world.h"

/* More bins or samples than this are refused: they cost more than any run. */
#define ORR_MOST_ROWS 1e7

/* What the records of a run will be like. */
struct orr_record_estimate {
    int64_t least_ps;     /* no run of this takes less simulated time */
    double bins, samples; /* that this makes of each; 0: few */
    double bytes;         /* of the file: up to about */
};

/* Needs all but world->net, series included. ECONFIG at a place of `record`
 * when there would be more than ORR_MOST_ROWS, or what `repeat` skips. */
ORR_CHECK_RESULT orr_err orr__estimate_records(const struct orr_world *w,
                                               const struct orr_yaml *record,
                                               struct orr_record_estimate *p,
                                               struct orr_report *why);

#endif
