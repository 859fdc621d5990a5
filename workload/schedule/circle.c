/* Circles: made, rounded, added up. */
#include "workload/schedule/circle.h"

#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"

/* ---- making ------------------------------------------------------------- */

orr_err orr__circles_init(struct orr_circles *c, uint32_t jobs,
                          const int64_t *iteration_ps, struct orr_report *why)
{
    *c = (struct orr_circles){.jobs = jobs};
    c->iteration_ps = orr__alloc(jobs, sizeof *c->iteration_ps);
    c->period_ps = orr__alloc(jobs, sizeof *c->period_ps);
    if (!c->iteration_ps || !c->period_ps) {
        orr__circles_fini(c);
        return orr__no_memory(why);
    }
    memcpy(c->iteration_ps, iteration_ps, jobs * sizeof *iteration_ps);
    memcpy(c->period_ps, iteration_ps, jobs * sizeof *iteration_ps);
    return ORR_OK;
}

/* Phases as pairs of edges, begin and end, ps. false: no memory. */
static bool copy_turn(struct orr_turn *t, uint32_t job,
                      const struct orr_link_demand *d)
{
    t->job = job;
    t->n = d->n;
    t->edge = orr__alloc(2 * (size_t)d->n, sizeof *t->edge);
    t->rate_bps = orr__alloc(d->n, sizeof *t->rate_bps);
    if (!t->edge || !t->rate_bps)
        return false;
    for (uint32_t i = 0; i < d->n; i++) {
        t->edge[2 * i] = d->phase[i].at_ps;
        t->edge[2 * i + 1] = d->phase[i].at_ps + d->phase[i].for_ps;
        t->rate_bps[i] = d->phase[i].rate_bps;
    }
    return true;
}

orr_err orr__circles_contend(struct orr_circles *c, uint32_t link,
                             uint64_t capacity_bps, uint32_t n,
                             const uint32_t *job,
                             const struct orr_link_demand *const *demand,
                             struct orr_report *why)
{
    if (n > ORR_CIRCLE_JOBS)
        return orr__fail(why, ORR_ECONFIG,
                         "%u jobs share one link; at most %d can be rotated "
                         "against one another",
                         n, ORR_CIRCLE_JOBS);
    if (!orr__array_more(c->shared, c->room, c->n))
        return orr__no_memory(why);
    ORR_ASSERT(capacity_bps > 0);
    struct orr_shared_link *m = &c->shared[c->n];
    *m = (struct orr_shared_link){.link = link, .capacity_bps = capacity_bps};
    m->turn = orr__alloc(n, sizeof *m->turn);
    if (!m->turn)
        return orr__no_memory(why);
    c->n++;
    for (; m->n < n; m->n++)
        if (!copy_turn(&m->turn[m->n], job[m->n], demand[m->n])) {
            m->n++;
            return orr__no_memory(why);
        }
    return ORR_OK;
}

void orr__circles_fini(struct orr_circles *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        for (uint32_t k = 0; k < c->shared[i].n; k++) {
            orr__free(c->shared[i].turn[k].edge);
            orr__free(c->shared[i].turn[k].rate_bps);
        }
        orr__free(c->shared[i].turn);
    }
    orr__free(c->shared);
    orr__free(c->iteration_ps);
    orr__free(c->period_ps);
    *c = (struct orr_circles){.n = 0}; /* may be called again */
}

/* ---- rounding ----------------------------------------------------------- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Of a link's circle; 0: it is too long. */
static int64_t perimeter(const struct orr_circles *c,
                         const struct orr_shared_link *m)
{
    int64_t longest = 0;
    __int128 p = 1;
    for (uint32_t i = 0; i < m->n; i++)
        if (c->period_ps[m->turn[i].job] > longest)
            longest = c->period_ps[m->turn[i].job];
    for (uint32_t i = 0; i < m->n; i++) {
        int64_t t = c->period_ps[m->turn[i].job];
        ORR_ASSERT(t > 0);
        p *= t / common_divisor((int64_t)p, t);
        if (p > (__int128)longest * ORR_CIRCLE_TURNS || p > ORR_HORIZON)
            return 0;
    }
    return (int64_t)p;
}

static bool concerns(const struct orr_shared_link *m, const bool *in)
{
    for (uint32_t i = 0; in && i < m->n; i++)
        if (in[m->turn[i].job])
            return true;
    return !in;
}

/* Some job's period is so short beside the circle that nobody could go along
 * all of its edges. */
static bool goes_round_for_ever(const struct orr_circles *c,
                                const struct orr_shared_link *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->perimeter_ps / c->period_ps[m->turn[i].job] > ORR_CIRCLE_ROUNDS)
            return true;
    return false;
}

bool orr__circles_measure(struct orr_circles *c, const bool *in)
{
    for (uint32_t i = 0; i < c->n; i++) {
        struct orr_shared_link *m = &c->shared[i];
        if (!concerns(m, in))
            continue;
        m->perimeter_ps = perimeter(c, m);
        if (!m->perimeter_ps || goes_round_for_ever(c, m))
            return false;
    }
    return true;
}

/* Periods up to multiples of `step`, of all jobs or of those in `in`. false:
 * beyond simulated time, or no common multiple. */
static bool round_to(struct orr_circles *c, const bool *in, int64_t step,
                     struct orr_grid *out)
{
    *out = (struct orr_grid){.step_ps = step};
    for (uint32_t j = 0; j < c->jobs; j++) {
        int64_t t = c->iteration_ps[j];
        if (in && !in[j])
            continue;
        if (t > ORR_HORIZON - step)
            return false;
        c->period_ps[j] = (t + step - 1) / step * step;
        ORR_ASSERT(c->period_ps[j] >= t && c->period_ps[j] % step == 0);
        double error = (double)(c->period_ps[j] - t) / (double)t;
        if (error > out->error)
            out->error = error;
    }
    return orr__circles_measure(c, in);
}

bool orr__circles_round(struct orr_circles *c, const bool *in, int64_t step_ps,
                        struct orr_grid *out)
{
    static const int64_t multiple[] = {1, 2, 5};
    if (step_ps)
        return round_to(c, in, step_ps, out);
    for (int64_t power = 1; power < ORR_HORIZON / 50; power *= 10)
        for (int i = 0; i < 3; i++)
            if (round_to(c, in, multiple[i] * power, out))
                return true;
    return false;
}

/* ---- adding up ---------------------------------------------------------- */

/* Goes along the edges of a turn around the circle. Edge k of those that a
 * period has comes first in it if it is the first that the shift moves over the
 * period's end. */
struct cursor {
    const struct orr_turn *t;
    int64_t period_ps, shift_ps, lap_ps; /* of the edge it is at */
    uint32_t first, at, left;            /* left: edges in this lap */
    int64_t time_ps;
};

static void settle(struct cursor *k)
{
    int64_t time = k->t->edge[k->at] + k->shift_ps;
    k->time_ps = k->lap_ps + (k->at >= k->first ? time - k->period_ps : time);
}

/* Returns what the turn asks for at the very start. */
static uint64_t enter_turn(struct cursor *k, const struct orr_turn *t,
                           int64_t period_ps, int64_t shift_ps)
{
    uint32_t edges = 2 * t->n, low = 0, high = edges;
    ORR_ASSERT(edges > 0);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (t->edge[middle] + shift_ps >= period_ps)
            high = middle;
        else
            low = middle + 1;
    }
    *k = (struct cursor){t, period_ps, shift_ps, 0, low, low % edges, edges, 0};
    settle(k);
    return low % 2 ? t->rate_bps[low / 2] : 0;
}

static void step_cursor(struct cursor *k)
{
    if (++k->at == 2 * k->t->n)
        k->at = 0;
    if (--k->left == 0) {
        k->left = 2 * k->t->n;
        k->lap_ps += k->period_ps;
    }
    settle(k);
}

unsigned __int128 orr__circle_excess(const struct orr_circles *c,
                                     const struct orr_shared_link *m,
                                     const int64_t *shift,
                                     unsigned __int128 most)
{
    struct cursor cursor[ORR_CIRCLE_JOBS];
    uint32_t n = 0;
    uint64_t demand = 0;
    int64_t now = 0;
    unsigned __int128 excess = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->turn[i].n)
            demand +=
                enter_turn(&cursor[n++], &m->turn[i],
                           c->period_ps[m->turn[i].job], shift[m->turn[i].job]);
    ORR_ASSERT(n <= ORR_CIRCLE_JOBS);
    while (n && now < m->perimeter_ps && excess <= most) {
        struct cursor *next = &cursor[0];
        for (uint32_t i = 1; i < n; i++)
            if (cursor[i].time_ps < next->time_ps)
                next = &cursor[i];
        int64_t until =
            next->time_ps < m->perimeter_ps ? next->time_ps : m->perimeter_ps;
        ORR_ASSERT(until >= now);
        if (demand > m->capacity_bps)
            excess += (unsigned __int128)(demand - m->capacity_bps)
                      * (uint64_t)(until - now);
        now = until;
        uint64_t rate = next->t->rate_bps[next->at / 2];
        ORR_ASSERT(next->at % 2 == 0 || demand >= rate); /* it began before */
        demand = next->at % 2 ? demand - rate : demand + rate;
        step_cursor(next);
    }
    return excess;
}

double orr__circle_score(const struct orr_circles *c,
                         const struct orr_shared_link *m, const int64_t *shift)
{
    unsigned __int128 all = ~(unsigned __int128)0;
    return 1
           - (double)orr__circle_excess(c, m, shift, all)
                 / ((double)m->capacity_bps * (double)m->perimeter_ps);
}

uint64_t orr__turn_rate(const struct orr_turn *t, int64_t period_ps,
                        int64_t shift_ps, int64_t at_ps)
{
    ORR_ASSERT(period_ps > 0);
    int64_t at = (at_ps - shift_ps) % period_ps;
    if (at < 0)
        at += period_ps;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->edge[2 * i] <= at && at < t->edge[2 * i + 1])
            return t->rate_bps[i];
    return 0;
}

/* ---- the published grid ------------------------------------------------- */

/* Angle k of the samples, in time. */
static int64_t sample_time(const struct orr_shared_link *m, uint32_t k)
{
    return (int64_t)((__int128)m->perimeter_ps * k / ORR_CIRCLE_SAMPLES);
}

/* The score at samples: 1, less the mean excess over capacity; the paper's
 * form. */
static double sampled(const struct orr_shared_link *m,
                      uint64_t rate[][ORR_CIRCLE_SAMPLES],
                      const uint32_t *turned)
{
    double sum = 0;
    for (uint32_t k = 0; k < ORR_CIRCLE_SAMPLES; k++) {
        uint64_t demand = 0;
        for (uint32_t i = 0; i < m->n; i++)
            demand += rate[i][(k + ORR_CIRCLE_SAMPLES - turned[i])
                              % ORR_CIRCLE_SAMPLES];
        if (demand > m->capacity_bps)
            sum += (double)(demand - m->capacity_bps);
    }
    return 1 - sum / (ORR_CIRCLE_SAMPLES * (double)m->capacity_bps);
}

bool orr__circle_published(const struct orr_circles *c,
                           const struct orr_shared_link *m, int64_t *shift,
                           double *score)
{
    uint64_t rate[3][ORR_CIRCLE_SAMPLES];
    uint32_t turned[3] = {0}, best[3] = {0}, last[3] = {0};
    if (m->n > 3)
        return false;
    for (uint32_t i = 0; i < m->n; i++) {
        int64_t period = c->period_ps[m->turn[i].job];
        for (uint32_t k = 0; k < ORR_CIRCLE_SAMPLES; k++)
            rate[i][k] =
                orr__turn_rate(&m->turn[i], period, 0, sample_time(m, k));
        while (i && last[i] + 1 < ORR_CIRCLE_SAMPLES
               && sample_time(m, last[i] + 1) < period)
            last[i]++;
    }
    *score = sampled(m, rate, turned);
    for (turned[1] = 0; turned[1] <= last[1]; turned[1]++)
        for (turned[2] = 0; turned[2] <= last[2]; turned[2]++) {
            double s = sampled(m, rate, turned);
            if (s > *score) {
                *score = s;
                memcpy(best, turned, sizeof best);
            }
        }
    for (uint32_t i = 0; i < m->n; i++)
        shift[m->turn[i].job] =
            sample_time(m, best[i]) % c->period_ps[m->turn[i].job];
    return true;
}
