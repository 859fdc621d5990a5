/* Traces of clusters' jobs. A family: one member a file, one line in list.h,
 * one test. */
#ifndef ORR_FORMATS_JOBS_JOBS_H
#define ORR_FORMATS_JOBS_JOBS_H

#include "workload/cluster/arrivals.h"

/* In the order of list.h; NULL ends. For orr_cluster.formats. */
const struct orr_job_trace_format *const *orr__job_trace_formats(void);

#endif
