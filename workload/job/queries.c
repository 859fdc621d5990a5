/* What others ask of a job, without anything that runs it. */

#include "core/memory.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

orr_err orr__job_log(struct orr_job *job, uint32_t *rank, uint32_t n,
                     uint32_t events, struct orr_report *why)
{
    job->logged = rank;
    job->log = orr__alloc(n, sizeof *job->log);
    if (!job->log)
        return orr__no_memory(why);
    job->n_logs = n;
    for (uint32_t i = 0; i < n; i++)
        job->log[i].most = events;
    return ORR_OK;
}

double orr__job_slower(const struct orr_job *job, uint32_t rank)
{
    return job->team->slower ? job->team->slower[rank] : 1;
}

const struct orr_program *orr__job_program(const struct orr_job *job)
{
    return job->team->program;
}

void orr__job_set_stale(struct orr_job *job, uint32_t n)
{
    /* the job's own, and not begun */
    struct orr_program *p = (struct orr_program *)job->team->program;
    orr__program_set_stale(p, n);
    job->team->overlap = p->overlap;
}

void orr__jobs_number(struct orr_world *w, const uint32_t *number)
{
    for (uint32_t i = 0; i < w->n_jobs; i++)
        w->jobs[i].team->job = number[i];
}
