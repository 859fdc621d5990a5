#include "workload/schedule/periods.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"

/* A base goes into an iteration so often at most, less often where there are
 * many jobs: no more than so many ways are looked at. */
enum { MOST_TIMES = 64, MOST_CHOICES = 8192 };
/* Pairs of no more jobs on a link are looked at. */
enum { MOST_JOBS_IN_PAIRS = 32 };

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t part_of(int64_t time, int64_t times)
{
    return (time + times - 1) / times;
}

uint32_t orr__periods_times(const struct orr_circles *c,
                            const struct orr_multiples *choice, uint32_t job)
{
    int64_t n = part_of(c->iteration_ps[job], choice->made_ps);
    return (uint32_t)(n / choice->divisor);
}

static bool concerns(const struct orr_shared_link *m, const bool *in)
{
    return in[m->turn[0].job]; /* the others are of the same part */
}

/* How often the longest period goes into a link's circle; 0: too often, or some
 * other one does. */
static uint32_t turns_of(const struct orr_circles *c,
                         const struct orr_shared_link *m,
                         const struct orr_multiples *choice)
{
    uint64_t longest = 1, shortest = UINT64_MAX, all = 1;
    for (uint32_t i = 0; i < m->n; i++) {
        uint64_t k = orr__periods_times(c, choice, m->turn[i].job);
        longest = k > longest ? k : longest;
        shortest = k < shortest ? k : shortest;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        uint64_t k = orr__periods_times(c, choice, m->turn[i].job);
        all *= k / common_divisor(all, k);
        if (all > longest * ORR_CIRCLE_TURNS
            || all > shortest * ORR_CIRCLE_ROUNDS)
            return 0;
    }
    return all * (double)choice->base_ps < (double)ORR_HORIZON
               ? (uint32_t)(all / longest)
               : 0;
}

/* Of a base that was made of some iteration: the shortest with the same
 * multiples, and what it comes to. */
static bool make_choice(const struct orr_circles *c, const bool *in,
                        int64_t made, struct orr_multiples *out)
{
    uint64_t divisor = 0;
    double sum = 0, most = 0, jobs = 0;
    for (uint32_t j = 0; j < c->jobs; j++)
        if (in[j] && part_of(c->iteration_ps[j], made) > UINT32_MAX)
            return false;
        else if (in[j])
            divisor = common_divisor(
                (uint64_t)part_of(c->iteration_ps[j], made), divisor);
    *out = (struct orr_multiples){
        .made_ps = made, .divisor = (uint32_t)divisor, .turns = 1};
    for (uint32_t j = 0; j < c->jobs; j++) {
        if (!in[j])
            continue;
        int64_t least =
            part_of(c->iteration_ps[j], orr__periods_times(c, out, j));
        out->base_ps = least > out->base_ps ? least : out->base_ps;
    }
    for (uint32_t j = 0; j < c->jobs; j++) {
        if (!in[j])
            continue;
        double t = (double)c->iteration_ps[j];
        double x = (double)out->base_ps * orr__periods_times(c, out, j) / t - 1;
        sum += x;
        most = x > most ? x : most;
        jobs++;
    }
    out->stretch = sum / jobs;
    out->most = most;
    for (uint32_t i = 0; i < c->n; i++) {
        if (!concerns(&c->shared[i], in))
            continue;
        uint32_t turns = turns_of(c, &c->shared[i], out);
        if (!turns)
            return false;
        out->turns = turns > out->turns ? turns : out->turns;
    }
    return true;
}

static int by_stretch(const void *a, const void *b)
{
    const struct orr_multiples *x = a, *y = b;
    if (x->stretch < y->stretch || y->stretch < x->stretch)
        return x->stretch < y->stretch ? -1 : 1;
    if (x->turns != y->turns)
        return x->turns < y->turns ? -1 : 1;
    return x->base_ps > y->base_ps ? -1 : x->base_ps < y->base_ps;
}

/* Ways of the same periods are one. */
static void sort_choices(struct orr_periods *p)
{
    uint32_t kept = 0;
    if (p->n)
        qsort(p->choice, p->n, sizeof *p->choice, by_stretch);
    for (uint32_t i = 0; i < p->n; i++)
        if (!kept || by_stretch(&p->choice[i], &p->choice[kept - 1]) != 0)
            p->choice[kept++] = p->choice[i];
    p->n = kept;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The iterations of some jobs, each length once. */
static uint32_t lengths(const struct orr_circles *c, const bool *in,
                        int64_t *out)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t j = 0; j < c->jobs; j++)
        if (in[j])
            out[n++] = c->iteration_ps[j];
    if (n)
        qsort(out, n, sizeof *out, by_time);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || out[i] != out[kept - 1])
            out[kept++] = out[i];
    return kept;
}

orr_err orr__periods_list(const struct orr_circles *c, const bool *in,
                          struct orr_periods *out, struct orr_report *why)
{
    *out = (struct orr_periods){0};
    int64_t *length = orr__alloc(c->jobs, sizeof *length);
    if (!length)
        return orr__no_memory(why);
    uint32_t n = lengths(c, in, length);
    uint32_t step = n / MOST_CHOICES + 1, times = MOST_CHOICES / (n + 1) + 1;
    orr_err err = ORR_OK;
    times = times < MOST_TIMES ? times : MOST_TIMES;
    for (uint32_t i = 0; i < n && !err; i += step)
        for (uint32_t k = 1; k <= times && !err; k++) {
            struct orr_multiples choice;
            if (!make_choice(c, in, part_of(length[i], k), &choice))
                continue;
            if (!orr__array_more(out->choice, out->room, out->n))
                err = orr__no_memory(why);
            else
                out->choice[out->n++] = choice;
        }
    orr__free(length);
    sort_choices(out);
    return err;
}

void orr__periods_fini(struct orr_periods *p)
{
    orr__free(p->choice);
    *p = (struct orr_periods){0};
}

bool orr__periods_set(struct orr_circles *c, const bool *in,
                      const struct orr_multiples *choice, int64_t base_ps)
{
    for (uint32_t j = 0; j < c->jobs; j++) {
        if (!in[j])
            continue;
        __int128 t = (__int128)base_ps * orr__periods_times(c, choice, j);
        if (t >= ORR_HORIZON)
            return false;
        c->period_ps[j] = (int64_t)t;
    }
    return orr__circles_measure(c, in);
}

/* ---- room ------------------------------------------------------------------
 */

/* The longest phase of a job, and the least that it asks for in any. */
static int64_t longest_phase(const struct orr_turn *t, uint64_t *least)
{
    int64_t longest = 0;
    *least = UINT64_MAX;
    for (uint32_t i = 0; i < t->n; i++) {
        int64_t length = t->edge[2 * i + 1] - t->edge[2 * i];
        longest = length > longest ? length : longest;
        *least = t->rate_bps[i] < *least ? t->rate_bps[i] : *least;
    }
    return longest;
}

/* Two that do not fit on a link at once come by each other at every multiple of
 * the divisor of their periods. */
static double pair_room(const struct orr_circles *c,
                        const struct orr_shared_link *m,
                        const struct orr_multiples *choice, uint32_t a,
                        uint32_t b)
{
    uint64_t rate_a, rate_b;
    int64_t x = longest_phase(&m->turn[a], &rate_a);
    int64_t y = longest_phase(&m->turn[b], &rate_b);
    if (!x || !y || rate_a > UINT64_MAX - rate_b
        || rate_a + rate_b <= m->capacity_bps)
        return 0;
    return (double)(x + y)
           / (double)common_divisor(
               orr__periods_times(c, choice, m->turn[a].job),
               orr__periods_times(c, choice, m->turn[b].job));
}

double orr__periods_room(const struct orr_circles *c, const bool *in,
                         const struct orr_multiples *choice)
{
    double base = 0;
    for (uint32_t l = 0; l < c->n; l++) {
        const struct orr_shared_link *m = &c->shared[l];
        double volume = 0;
        if (!concerns(m, in))
            continue;
        for (uint32_t i = 0; i < m->n; i++) {
            const struct orr_turn *t = &m->turn[i];
            double bits = 0;
            for (uint32_t k = 0; k < t->n; k++)
                bits += (double)t->rate_bps[k]
                        * (double)(t->edge[2 * k + 1] - t->edge[2 * k]);
            volume += bits / orr__periods_times(c, choice, t->job);
            for (uint32_t k = 0; k < i && m->n <= MOST_JOBS_IN_PAIRS; k++) {
                double room = pair_room(c, m, choice, i, k);
                base = room > base ? room : base;
            }
        }
        volume /= (double)m->capacity_bps;
        base = volume > base ? volume : base;
    }
    ORR_ASSERT(base >= 0);
    return base;
}
