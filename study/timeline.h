/* A run's ranks over time as Chrome trace events (JSON), which Perfetto and
 * chrome://tracing open. */
#ifndef ORR_STUDY_TIMELINE_H
#define ORR_STUDY_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

#include "core/error.h"

/* file: HDF5 of a run with /operations; links: how many of the busiest get
 * counters of load and queue. Writes to out; what that does not take shows in
 * ferror(out). ECONFIG: a file that cannot be shown. */
ORR_CHECK_RESULT orr_err orr__timeline(const char *file, uint32_t links,
                                       FILE *out, struct orr_report *why);

#endif
