#include "formats/jobs/jobs.h"

#include "core/config/family.h"
#include "formats/jobs/list.h"

ORR_FAMILY(orr__job_trace_formats, ORR_JOB_TRACE_LIST,
           struct orr_job_trace_format, orr__job_trace_)
