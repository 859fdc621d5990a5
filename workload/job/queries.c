/* What others ask of a job, without anything that runs it. */
#include <string.h>

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
    /* the job's own, and nobody has begun with it */
    struct orr_program *p = (struct orr_program *)job->team->program;
    orr__program_set_stale(p, n);
    job->team->overlap = p->overlap;
}

/* ---- which jobs there are ------------------------------------------------ */

static orr_err no_such_job(struct orr_world *w, const char *name,
                           struct orr_report *why)
{
    orr_err err = ORR_ECONFIG;
    if (!name)
        return orr__fail(why, err, "there are %u jobs: which of them?",
                         w->n_jobs);
    orr__fail(why, err, "no job is called \"%s\"", name);
    if (w->n_jobs)
        orr__hint(why, "the first one is called \"%s\"", w->jobs[0].name);
    return err;
}

void orr__jobs_number(struct orr_world *w, const uint32_t *number)
{
    for (uint32_t i = 0; i < w->n_jobs; i++)
        w->jobs[i].team->job = number[i];
}

orr_err orr__jobs_keep(struct orr_world *w, const char *name,
                       uint32_t iterations, struct orr_report *why)
{
    uint32_t kept = w->n_jobs;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (name ? strcmp(w->jobs[i].name, name) == 0 : w->n_jobs == 1)
            kept = i;
    if (kept == w->n_jobs)
        return no_such_job(w, name, why);
    struct orr_job j = w->jobs[kept];
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (i != kept)
            orr__job_fini(&w->jobs[i], w->options.workers);
    if (j.iterations > iterations)
        j.iterations = j.team->iterations = iterations;
    j.warmup = 0;
    j.gate.period_ps = 0;
    w->jobs[0] = j;
    w->jobs[0].team->gate = &w->jobs[0].gate;
    w->n_jobs = 1;
    return ORR_OK;
}
