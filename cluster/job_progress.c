#include "cluster/job_progress.h"

#include <math.h>

#include "core/memory.h"

bool orr__job_progress_init(struct orr_job_progress *c, uint32_t jobs)
{
    *c = (struct orr_job_progress){
        .of = orr__alloc(jobs, sizeof(struct orr_iteration_progress *)),
        .spare = orr__alloc(jobs, sizeof(struct orr_iteration_progress *)),
        .stretch = orr__alloc(jobs, sizeof *c->stretch),
        .since = orr__alloc(jobs, sizeof *c->since),
        .jobs = jobs,
    };
    return c->of && c->spare && c->stretch && c->since;
}

void orr__job_progress_fini(struct orr_job_progress *c)
{
    for (uint32_t i = 0; c->of && i < c->jobs; i++)
        orr__free(c->of[i]);
    for (uint32_t i = 0; i < c->spares; i++)
        orr__free(c->spare[i]);
    orr__free(c->of);
    orr__free(c->spare);
    orr__free(c->stretch);
    orr__free(c->since);
    *c = (struct orr_job_progress){.jobs = 0};
}

orr_err orr__job_progress_set(struct orr_job_progress *c, uint32_t job,
                              const struct orr_iteration_progress *progress,
                              struct orr_report *why)
{
    if (!c->of[job])
        c->of[job] = c->spares ? c->spare[--c->spares]
                               : orr__alloc(1, sizeof *c->of[job]);
    if (!c->of[job])
        return orr__no_memory(why);
    *c->of[job] = *progress;
    return ORR_OK;
}

void orr__job_progress_drop(struct orr_job_progress *c, uint32_t job)
{
    if (c->of[job])
        c->spare[c->spares++] = c->of[job];
    c->of[job] = NULL;
}

/* ---- time goes on -------------------------------------------------------- */

static bool makes_progress(const struct orr_engine *e,
                           const struct orr_job_progress *c, uint32_t job)
{
    return orr__is_ready(&e->cluster, &e->cluster.job[job]) && c->of[job]
           && e->speed[job].iteration_ns > 0;
}

/* When a job has done all; INT64_MAX: it has no pace yet. */
static int64_t end_of(const struct orr_engine *e,
                      const struct orr_job_progress *c, uint32_t job)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    const struct orr_iteration_progress *progress = c->of[job];
    if (!makes_progress(e, c, job))
        return INT64_MAX;
    double left = (j->iterations - j->done) / orr__cluster_scale(j);
    double at = ceil(orr__progress_when(progress, orr__cluster_done(j) + left));
    if (at >= (double)(INT64_MAX - progress->from_ns))
        return INT64_MAX;
    int64_t end = progress->from_ns + (int64_t)at;
    return end > e->cluster.now_ns ? end : e->cluster.now_ns;
}

/* A stretch that began at this moment. */
static void note_since(struct orr_engine *e, struct orr_job_progress *c,
                       uint32_t job)
{
    if (c->stretch[job] == e->open[job])
        return;
    c->stretch[job] = e->open[job];
    c->since[job] = e->cluster.job[job].done;
}

/* Of a shorter stretch the clock, which has whole ns, cannot tell a pace. ns */
enum { TELLING = 1000 };

/* What iterations of the stretch under way have taken in the mean. */
static void note_pace(struct orr_engine *e, const struct orr_job_progress *c,
                      uint32_t job)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    struct orr_stretch *x = &e->stretch[e->open[job] - 1];
    double done = (j->done - c->since[job]) / orr__cluster_scale(j);
    int64_t ns = e->cluster.now_ns - x->from_ns;
    if (done <= 0 || ns < TELLING)
        return;
    e->speed[job].iteration_ns = (double)ns / done;
    x->speed = e->speed[job];
}

void orr__job_progress_advance(struct orr_engine *e,
                               struct orr_job_progress *progress,
                               int64_t until_ns)
{
    struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < c->n_running; i++) {
        int64_t end = end_of(e, progress, c->running[i]);
        until_ns = end < until_ns ? end : until_ns;
    }
    for (uint32_t i = 0; i < c->n_running; i++) {
        uint32_t job = c->running[i];
        struct orr_cluster_job *j = &c->job[job];
        if (!makes_progress(e, progress, job))
            continue;
        note_since(e, progress, job);
        double more = orr__progress_done(progress->of[job], until_ns)
                      - orr__cluster_done(j);
        j->done =
            end_of(e, progress, job) <= until_ns
                ? j->iterations
                : fmin(j->done + orr__cluster_scale(j) * more, j->iterations);
    }
    c->now_ns = until_ns;
    for (uint32_t i = 0; i < c->n_running; i++)
        if (makes_progress(e, progress, c->running[i]))
            note_pace(e, progress, c->running[i]);
}
