#include "experiment/stale.h"

#include "core/memory.h"
#include "workload/job/iteration_changes.h"
#include "workload/program/program.h"
#include "workload/rank/rank.h"
#include "workload/schedule/formulas.h"

/* Iterations that are gone through, and those of them that count. */
enum { ITERATIONS = 24, COUNTED = 12 };

/* How much longer than with all layers stale is no longer at all: formulas
 * come to a steady state, but not at once. */
#define SAME 1.000001

/* *ps: the mean iteration by the formulas, without packets, when the first n of
 * the layers that may be stale are; not set after a failure. The job keeps that
 * n either way. */
static orr_err iteration_of(struct orr_world *w, struct orr_job *j, uint32_t n,
                            double *ps, struct orr_report *why)
{
    struct orr_outline out = {0};
    struct orr_formulas_result x = {.out = &out};
    const struct orr_formulas f = {
        .w = w, .job = j, .iterations = ITERATIONS, .counts = ITERATIONS - 1};
    orr__job_set_stale(j, n);
    orr_err err = orr__formulas_run(&f, &x, why);
    if (!err)
        *ps = (double)(x.end[ITERATIONS - 1] - x.end[ITERATIONS - 1 - COUNTED])
              / COUNTED;
    orr__free(x.end);
    orr__outline_fini(&out);
    return err;
}

/* More stale layers never take longer: the least number is between two. */
static orr_err choose(struct orr_world *w, struct orr_job *j,
                      struct orr_report *why)
{
    uint32_t low = 0, high = orr__job_program(j)->stale.layers;
    double least, ps;
    orr_err err = iteration_of(w, j, high, &least, why);
    while (!err && low < high) {
        uint32_t mid = low + (high - low) / 2;
        err = iteration_of(w, j, mid, &ps, why);
        if (!err && ps <= least * SAME)
            high = mid;
        else
            low = mid + 1;
    }
    if (!err)
        orr__job_set_stale(j, high);
    return err;
}

orr_err orr__settle_job(struct orr_world *w, struct orr_job *job,
                        struct orr_report *why)
{
    orr_err err = orr__iteration_changes_choose_of(w, job, why);
    if (!err && orr__job_program(job)->stale.layers)
        err = choose(w, job, why);
    return err;
}

orr_err orr__settle_jobs(struct orr_world *w, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        err = orr__settle_job(w, &w->jobs[i], why);
    return err;
}
