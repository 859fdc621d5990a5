#include "experiment/repeat.h"

#include <math.h>

#include "core/assert.h"
#include "core/units.h"
#include "workload/job/job.h"
#include "workload/repeat/repeat.h"

static const char *const kinds[] = {
    [ORR_REPEAT_NONE] = "none",
    [ORR_REPEAT_EXACT] = "exact",
    [ORR_REPEAT_SAMPLED] = "sampled",
};

static uint32_t count_ended(const struct orr_job *j)
{
    uint32_t n = 0;
    while (j->iteration && n < j->iterations && j->iteration[n].end_ps >= 0)
        n++;
    return n;
}

/* That all iterations of a job took, ps. */
static double whole_of(const struct orr_job *j)
{
    uint32_t n = count_ended(j);
    ORR_ASSERT(n == 0 || j->iteration[n - 1].end_ps >= j->start_ps);
    return n == 0 ? 0 : (double)(j->iteration[n - 1].end_ps - j->start_ps);
}

/* Half of the 95 % confidence interval of the mean of all iterations of a job,
 * and what it may be off besides, as a share of it. */
static double error_of(const struct orr_world *w, uint32_t job)
{
    const struct orr_repeat_result *r = w->result.repeated;
    double whole = whole_of(&w->jobs[job]);
    if (whole <= 0 || !r->job)
        return 0;
    ORR_ASSERT(r->job[job].half_ps >= 0 && r->job[job].misfit_ps >= 0);
    return (r->job[job].half_ps + r->job[job].misfit_ps) / whole;
}

/* What was inferred was inferred from this: at least so many iterations, and
 * the last ones took so long. The error is of the mean of all. */
static void put_basis(struct orr_json *j, const struct orr_world *w,
                      uint32_t job)
{
    const struct orr_repeat_result *r = w->result.repeated;
    const struct orr_repeat_basis *b = r->job ? &r->job[job] : NULL;
    if (!b || b->iterations == 0)
        return;
    orr__json_count(j, "from", b->iterations);
    orr__json_mean_time(j, "mean_ns",
                        whole_of(&w->jobs[job])
                            / fmax(count_ended(&w->jobs[job]), 1));
    orr__json_mean_time(j, "last_mean_ns", b->mean_ps);
    orr__json_real(j, "error", error_of(w, job));
    orr__json_real(j, "drift", b->drift);
}

void orr__repeat_json(struct orr_json *j, const struct orr_world *w)
{
    const struct orr_repeat_result *r = w->result.repeated;
    if (!r)
        return;
    orr__json_object(j, "repeat");
    orr__json_text(j, "kind", kinds[r->kind]);
    orr__json_text(j, "full", r->full);
    orr__json_list(j, "jumps");
    for (uint32_t i = 0; i < r->jumps; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_time(j, "at_ns", r->jump[i].at_ps);
        orr__json_time(j, "period_ns", r->jump[i].period_ps);
        orr__json_count(j, "times", r->jump[i].times);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_list(j, "jobs");
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *job = &w->jobs[i];
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "name", job->name);
        orr__json_count(j, "simulated",
                        count_ended(job) - job->repeated - job->inferred);
        orr__json_count(j, "repeated", job->repeated);
        orr__json_count(j, "inferred", job->inferred);
        put_basis(j, w, i);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

void orr__repeat_text(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_repeat_result *r = w->result.repeated;
    uint64_t repeated = 0, all = 0;
    double error = 0;
    char a[32], b[32];
    if (!r)
        return;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        repeated += w->jobs[i].repeated + w->jobs[i].inferred;
        error = fmax(error, error_of(w, i));
        all += count_ended(&w->jobs[i]);
    }
    if (repeated == 0) {
        orr__text_add(t, "none; all was simulated%s%s\n", r->full ? ": " : "",
                      r->full ? r->full : "");
        return;
    }
    orr__group_digits(repeated, a, sizeof a);
    orr__group_digits(all, b, sizeof b);
    orr__text_add(t, "%s of %s iterations, ", a, b);
    if (r->kind == ORR_REPEAT_EXACT)
        orr__text_add(t, "as the simulated ones to the last ps\n");
    else
        orr__text_add(t, "inferred; a job's mean is known to %.2g %% (95 %%)\n",
                      100 * error);
}
