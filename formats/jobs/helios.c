/* What Slurm said of the jobs of Helios (SC 2021), and of Acme (NSDI 2024),
 * which has an application's kind as well: job_id, gpu_num, submit_time,
 * duration among others. Submissions are dates, durations seconds. */
#include "formats/jobs/table.h"

static const struct orr_jobs_column helios[] = {
    {"job_id", ORR_JOBS_ID, true},
    {"gpu_num", ORR_JOBS_GPUS, true},
    {"submit_time", ORR_JOBS_SUBMIT, true},
    {"duration", ORR_JOBS_DURATION, false},
    {"vc", ORR_JOBS_TENANT, false},
    {NULL, ORR_JOBS_OTHER, false},
};
static const struct orr_jobs_column acme[] = {
    {"job_id", ORR_JOBS_ID, true},
    {"gpu_num", ORR_JOBS_GPUS, true},
    {"type", ORR_JOBS_APPLICATION, false},
    {"submit_time", ORR_JOBS_SUBMIT, true},
    {"duration", ORR_JOBS_DURATION, false},
    {NULL, ORR_JOBS_OTHER, false},
};

static orr_err read_helios(struct orr_config *c, const char *path,
                           struct orr_job_trace *out, struct orr_report *why)
{
    return orr__jobs_read_table(c, path, ',', helios, out, why);
}

static orr_err read_acme(struct orr_config *c, const char *path,
                         struct orr_job_trace *out, struct orr_report *why)
{
    return orr__jobs_read_table(c, path, ',', acme, out, why);
}

extern const struct orr_job_trace_format orr__job_trace_helios;
const struct orr_job_trace_format orr__job_trace_helios = {
    .name = "helios",
    .doc = "Helios: cluster_log.csv with job_id, gpu_num, submit_time, "
           "duration",
    .read = read_helios,
};
extern const struct orr_job_trace_format orr__job_trace_acme;
const struct orr_job_trace_format orr__job_trace_acme = {
    .name = "acme",
    .doc = "Acme: trace_seren.csv, trace_kalos.csv; `type` is the "
           "application",
    .read = read_acme,
};
