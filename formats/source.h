/* Traces as the source of a job's program. */
#ifndef ORR_FORMATS_SOURCE_H
#define ORR_FORMATS_SOURCE_H

#include "formats/trace.h"

/* Ended by NULL. */
const struct orr_trace_format *const *orr__trace_formats(void);
/* The key that stands beside a format's own, for help. */
extern const struct orr_param orr__trace_params[];

/* For world->sources. */
extern const struct orr_program_source_ops orr__traces;
/* What is known of a job's trace; NULL: it has none. */
const struct orr_trace_info *orr__trace_of(const struct orr_job *j);

#endif
