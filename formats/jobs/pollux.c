/* Workloads of Pollux's simulator (OSDI 2021), which Sia's and Blox's are as
 * well: name,time,application,num_replicas,batch_size. Times are seconds. How
 * long jobs are is the simulator's to find out; here the template says. */
#include "formats/jobs/table.h"

static const struct orr_jobs_column columns[] = {
    {"name", ORR_JOBS_ID, true},
    {"time", ORR_JOBS_SUBMIT, true},
    {"application", ORR_JOBS_APPLICATION, true},
    {"num_replicas", ORR_JOBS_GPUS, true},
    {NULL, ORR_JOBS_OTHER, false},
};

static orr_err read_pollux(struct orr_config *c, const char *path,
                           struct orr_job_trace *out, struct orr_report *why)
{
    return orr__jobs_read_table(c, path, ',', columns, out, why);
}

extern const struct orr_job_trace_format orr__job_trace_pollux;
const struct orr_job_trace_format orr__job_trace_pollux = {
    .name = "pollux",
    .doc = "Pollux, Sia, Blox: name,time,application,num_replicas,batch_size",
    .read = read_pollux,
};
