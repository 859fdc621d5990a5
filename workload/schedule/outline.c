/* What an outline tells of a job. Two iterations are gone through by formulas:
 * what is told is the second one, when ranks are as far apart as they will be;
 * where iterations overlap, as many more before and behind it as may be open at
 * once, and its length is the mean of those. What jitter does to them more are
 * gone through for. */
#include "workload/schedule/outline.h"

#include <math.h>

#include "core/assert.h"
#include "core/memory.h"
#include "workload/rank/rank.h"
#include "workload/schedule/formulas.h"

/* With jitter, and fewer where they are of more than so many steps. */
enum { VARIED_ITERATIONS = 65, LEAST_VARIED = 9 };
#define VARIED_STEPS 4000000

/* ---- one iteration ------------------------------------------------------ */

/* Times from the beginning of the iteration that counts, modulo its length; an
 * iteration is never shorter than its busiest link needs. */
static void conclude(const struct orr_formulas *f,
                     const struct orr_formulas_result *x)
{
    struct orr_outline *o = x->out;
    uint32_t ranks = f->job->team->ranks, of = f->job->team->overlap;
    o->iteration_ps = (x->end[f->counts] - x->end[f->counts - of]) / of;
    if (o->iteration_ps < x->busiest_ps)
        o->iteration_ps = x->busiest_ps;
    if (o->iteration_ps <= 0)
        o->iteration_ps = 1;
    ORR_ASSERT(ranks > 0); /* a job has some */
    ORR_ASSERT(f->counts >= of);
    o->compute_ps = (int64_t)(x->computed_ps / ranks);
    if (o->compute_ps > o->iteration_ps)
        o->compute_ps = o->iteration_ps;
    for (uint32_t i = 0; i < o->departures; i++) {
        int64_t at = (o->departure[i].at_ps - x->start_ps) % o->iteration_ps;
        o->departure[i].at_ps = at < 0 ? at + o->iteration_ps : at;
    }
}

orr_err orr__outline_by(const struct orr_world *w, const struct orr_job *j,
                        const struct orr_message_paths *paths,
                        struct orr_outline *out, struct orr_report *why)
{
    uint32_t of = j->team->overlap;
    const struct orr_formulas f = {
        .w = w,
        .job = j,
        .paths = paths,
        .iterations = 3 * of - 1, /* 2, if none overlap */
        .counts = of > 1 ? 2 * of - 1 : 1,
    };
    struct orr_formulas_result x = {.out = out};
    *out = (struct orr_outline){0};
    orr_err err = orr__formulas_run(&f, &x, why);
    if (!err)
        conclude(&f, &x);
    orr__free(x.end);
    if (err) {
        orr__outline_fini(out);
        *out = (struct orr_outline){0};
    }
    return err;
}

orr_err orr__outline(const struct orr_world *w, const struct orr_job *j,
                     struct orr_outline *out, struct orr_report *why)
{
    return orr__outline_by(w, j, NULL, out, why);
}

void orr__outline_fini(struct orr_outline *o)
{
    for (uint32_t i = 0; i < o->shipments; i++)
        orr__free(o->shipment[i].parcel);
    orr__free(o->shipment);
    orr__free(o->departure);
}

/* ---- jitter ------------------------------------------------------------- */

static void measure(const int64_t *end, uint32_t iterations,
                    const struct orr_outline *o, struct orr_swing *out)
{
    uint32_t n = iterations - 1;
    double mean = (double)(end[n] - end[0]) / n, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        double d = (double)(end[i + 1] - end[i]) - mean;
        squares += d * d;
    }
    out->longer_ps = mean - (double)o->iteration_ps;
    out->deviation_ps = sqrt(squares / (n - 1));
}

orr_err orr__outline_swing(const struct orr_world *w, const struct orr_job *j,
                           const struct orr_outline *o, struct orr_swing *out,
                           struct orr_report *why)
{
    struct orr_outline scratch = {0};
    struct orr_formulas f = {.w = w, .job = j, .varied = true};
    struct orr_formulas_result x = {.out = &scratch};
    uint64_t steps = orr__formulas_steps(j);
    uint64_t n = VARIED_STEPS / (steps ? steps : 1);
    *out = (struct orr_swing){0};
    if (!orr__program_varies(j->team->program, &j->team->jitter)
        || steps >= ORR_FORMULAS_MOST / LEAST_VARIED)
        return ORR_OK;
    n = n < VARIED_ITERATIONS ? n : VARIED_ITERATIONS;
    f.iterations = n > LEAST_VARIED ? (uint32_t)n : LEAST_VARIED;
    f.counts = f.iterations - 1;
    orr_err err = orr__formulas_run(&f, &x, why);
    if (!err)
        measure(x.end, f.iterations, o, out);
    orr__free(x.end);
    orr__outline_fini(&scratch);
    return err;
}
