/* What others ask of a job, without anything that runs it. */
#include "core/memory.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

orr_err orr__job_log(struct orr_job *job, uint32_t ranks, uint32_t events,
                     struct orr_report *why)
{
    job->log = orr__alloc(ranks, sizeof *job->log);
    if (!job->log)
        return orr__no_memory(why);
    job->n_logs = ranks;
    for (uint32_t i = 0; i < ranks; i++)
        job->log[i].most = events;
    return ORR_OK;
}

const struct orr_program *orr__job_program(const struct orr_job *job)
{
    return job->team->program;
}
