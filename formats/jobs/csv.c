/* Orrery's own: name, at, template, gpus, iterations or duration, and tenant,
 * in any order. Times have units. */
#include "formats/jobs/table.h"

static const struct orr_jobs_column columns[] = {
    {"name", ORR_JOBS_ID, false},
    {"at", ORR_JOBS_SUBMIT_UNIT, true},
    {"template", ORR_JOBS_APPLICATION, false},
    {"gpus", ORR_JOBS_GPUS, true},
    {"iterations", ORR_JOBS_ITERATIONS, false},
    {"duration", ORR_JOBS_DURATION_UNIT, false},
    {"tenant", ORR_JOBS_TENANT, false},
    {NULL, ORR_JOBS_OTHER, false},
};

static orr_err read_csv(struct orr_config *c, const char *path,
                        struct orr_job_trace *out, struct orr_report *why)
{
    return orr__jobs_read_table(c, path, ',', columns, out, why);
}

extern const struct orr_job_trace_format orr__job_trace_csv;
const struct orr_job_trace_format orr__job_trace_csv = {
    .name = "csv",
    .doc = "name,at,template,gpus,iterations,duration,tenant; times with units",
    .read = read_csv,
};
