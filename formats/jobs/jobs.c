#include "formats/jobs/jobs.h"

#include "formats/jobs/list.h"

#define DECLARE(name)                                                          \
    extern const struct orr_job_trace_format orr__job_trace_##name;
ORR_JOB_TRACE_LIST(DECLARE)
#undef DECLARE

const struct orr_job_trace_format *const *orr__job_trace_formats(void)
{
#define ENTRY(name) &orr__job_trace_##name,
    static const struct orr_job_trace_format *const all[] = {
        ORR_JOB_TRACE_LIST(ENTRY) NULL};
#undef ENTRY
    return all;
}
