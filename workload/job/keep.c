/* One job of a configuration alone: for baselines and profiles. */
#include <string.h>

#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* ECONFIG, with what there is. */
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
