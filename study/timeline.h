/* A run's ranks over time as Chrome trace events (JSON), which Perfetto and
 * chrome://tracing open. */
#ifndef ORR_STUDY_TIMELINE_H
#define ORR_STUDY_TIMELINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"

/* Which links get counters of load and queue. */
struct orr_counters {
    const char *const *link; /* by name or id */
    size_t links;            /* 0: the busiest */
    uint32_t busiest;        /* so many of them */
};

/* file: HDF5 of a run with /operations. Writes to out; what that does not take
 * shows in ferror(out). ECONFIG: a file that cannot be shown, or a link that it
 * does not have. */
ORR_CHECK_RESULT orr_err orr__timeline(const char *file,
                                       const struct orr_counters *counters,
                                       FILE *out, struct orr_report *why);

#endif
