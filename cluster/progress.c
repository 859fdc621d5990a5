#include "cluster/progress.h"
#include "core/assert.h"

#include <math.h>

/* Part of an iteration that is none: times are rounded to ns. */
#define NOTHING 1e-5

struct orr_iteration_progress orr__progress(int64_t now_ns, double done,
                                            double first_ns, double pace_ns,
                                            const struct orr_outcome *o)
{
    struct orr_iteration_progress c = {.from_ns = now_ns,
                                       .from = done,
                                       .first_ns = first_ns,
                                       .pace_ns = pace_ns};
    /* where it has just begun one, the little that is too much is undone by
     * the end of that */
    c.first = done - floor(done) < NOTHING ? floor(done) : ceil(done);
    c.each = o ? o->each : 1;
    c.n = o ? o->ends : 0;
    for (uint32_t i = 0; i < c.n; i++)
        c.end_ns[i] = first_ns + (double)o->end_ps[i] / 1000;
    return c;
}

/* The point before end i: where iterations begin, or the end before. */
static double time_before(const struct orr_iteration_progress *c, uint32_t i)
{
    return i ? c->end_ns[i - 1] : c->first_ns;
}

static double done_before(const struct orr_iteration_progress *c, uint32_t i)
{
    return c->first + (double)i * c->each;
}

double orr__progress_done(const struct orr_iteration_progress *c,
                          int64_t now_ns)
{
    double t = (double)(now_ns - c->from_ns);
    if (t < c->first_ns)
        return c->from + (fmax(c->first, c->from) - c->from) * t / c->first_ns;
    uint32_t i = 0;
    while (i < c->n && c->end_ns[i] <= t)
        i++;
    double since = t - time_before(c, i);
    ORR_ASSERT(since >= 0);
    double each =
        i < c->n ? (c->end_ns[i] - time_before(c, i)) / c->each : c->pace_ns;
    return fmax(c->from, done_before(c, i) + since / each);
}

double orr__progress_when(const struct orr_iteration_progress *c, double done)
{
    if (done <= c->from)
        return 0;
    if (done <= c->first)
        return c->first_ns * (done - c->from) / (c->first - c->from);
    uint32_t i = 0;
    while (i < c->n && done_before(c, i + 1) <= done)
        i++;
    double more = done - done_before(c, i);
    double each =
        i < c->n ? (c->end_ns[i] - time_before(c, i)) / c->each : c->pace_ns;
    return time_before(c, i) + more * each;
}

double orr__progress_until_next(const struct orr_iteration_progress *c,
                                int64_t now_ns)
{
    double done = orr__progress_done(c, now_ns);
    if (done - floor(done) < NOTHING)
        return 0;
    double t = (double)(now_ns - c->from_ns);
    return fmax(0, orr__progress_when(c, ceil(done)) - t);
}
