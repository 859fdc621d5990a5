/* The best rotations of the jobs that meet on some links.
 *
 * What exceeds the capacities is, as a function of one job's shift, linear
 * between the shifts at which an edge of its own meets one of another's. So its
 * best place is at one of those, which are tried, and no minimiser is needed;
 * with three jobs the best of all is where two such conditions hold, and can be
 * found as surely. Of more jobs what a search finds is proved, or bettered, by
 * branch.c. Stretches between two best ones that follow one another are
 * best all the way: in the middle of them a job has most room for error. */
#include "workload/schedule/circle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/random.h"
#include "workload/schedule/branch.h"

/* Edges gone along, times turns to choose the next from, all in all; and places
 * that one job is tried at. A search spends no more than a part of it on one
 * job at a time: of many places it tries some. */
#define WORK       UINT64_C(30000000)
#define WORK_EXACT UINT64_C(20000000)
enum { LEAST_PLACES = 24, ROUNDS_HAD = 4 };
/* The same of a proof that nothing is better: of few jobs, and beyond, where it
 * is likely to be cut short and leaves a bound. */
#define WORK_PROOF UINT64_C(150000000)
#define WORK_BOUND UINT64_C(10000000)
enum { PROVED = 6 };
enum { MOST_PLACES = 8192, SWEEPS = 24, STARTS = 48, CENTERINGS = 24 };

/* Sums of shares that differ by less are one. */
#define SAME 1e-12

/* One search over shifts; arrays are its own, `work` bounds it. */
struct search {
    const struct orr_circles *c;
    const uint32_t *which; /* links */
    uint32_t links;
    uint32_t *job, jobs; /* those in question, ascending */
    bool *placed;        /* per job of the circles */
    int64_t *shift;      /* per job of the circles */
    int64_t *best;       /* the best so far */
    double best_loss;
    int64_t *place; /* scratch: MOST_PLACES */
    double *loss;   /* scratch: of each place */
    int64_t *edge;  /* scratch: edges of others */
    struct known {  /* scratch: places so far; open addressing */
        int64_t place;
        uint32_t round; /* not the current one: free */
    } * known;          /* 2 * MOST_PLACES, a power of two */
    uint32_t round;
    uint64_t work;
};

static bool has_job(const struct orr_shared_link *m, uint32_t job)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->turn[i].job == job)
            return true;
    return false;
}

/* ---- what is lost ------------------------------------------------------- */

/* A link with the turns of jobs that are placed. */
static struct orr_shared_link placed_turns(const struct search *s,
                                           const struct orr_shared_link *m,
                                           struct orr_turn *turn)
{
    struct orr_shared_link some = *m;
    some.turn = turn;
    some.n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (s->placed[m->turn[i].job])
            turn[some.n++] = m->turn[i];
    return some;
}

/* The share of capacity exceeded, summed over links; job: on its own links
 * alone; UINT32_MAX: on all. */
static double loss_of(struct search *s, uint32_t job)
{
    struct orr_turn turn[ORR_CIRCLE_JOBS];
    double sum = 0;
    for (uint32_t i = 0; i < s->links; i++) {
        const struct orr_shared_link *m = &s->c->shared[s->which[i]];
        if (job != UINT32_MAX && !has_job(m, job))
            continue;
        struct orr_shared_link some = placed_turns(s, m, turn);
        for (uint32_t k = 0; k < some.n; k++)
            s->work += 2 * (uint64_t)some.n * some.turn[k].n
                       * (uint64_t)(m->perimeter_ps
                                    / s->c->period_ps[some.turn[k].job]);
        unsigned __int128 e =
            orr__circle_excess(s->c, &some, s->shift, ~(unsigned __int128)0);
        sum += (double)e / ((double)m->capacity_bps * (double)m->perimeter_ps);
    }
    return sum;
}

/* ---- places of one job -------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t unique(int64_t *v, uint32_t n)
{
    uint32_t kept = 0;
    qsort(v, n, sizeof *v, by_time);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || v[i] != v[kept - 1])
            v[kept++] = v[i];
    ORR_ASSERT(kept > 0 || n == 0);
    return kept;
}

/* Distances of the placed others' edges on a link, modulo a period. */
static uint32_t other_edges(struct search *s, const struct orr_shared_link *m,
                            uint32_t job, int64_t period)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct orr_turn *t = &m->turn[i];
        int64_t own = s->c->period_ps[t->job];
        if (t->job == job || !s->placed[t->job])
            continue;
        ORR_ASSERT(own > 0 && m->perimeter_ps % own == 0);
        for (int64_t lap = 0; lap < m->perimeter_ps; lap += own)
            for (uint32_t e = 0; e < 2 * t->n && n < MOST_PLACES; e++)
                s->edge[n++] = (t->edge[e] + s->shift[t->job] + lap) % period;
    }
    return unique(s->edge, n);
}

static void forget_places(struct search *s)
{
    if (++s->round == 0) { /* marks of long ago would count again */
        memset(s->known, 0, 2 * MOST_PLACES * sizeof *s->known);
        s->round = 1;
    }
}

/* Whether it was not among the places yet; then it is from now on. */
static bool is_new_place(struct search *s, int64_t place)
{
    const uint32_t mask = 2 * MOST_PLACES - 1;
    uint64_t hash = (uint64_t)place * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 32) & mask;
    for (; s->known[at].round == s->round; at = (at + 1) & mask)
        if (s->known[at].place == place)
            return false;
    ORR_ASSERT(place >= 0 && s->round > 0);
    s->known[at].place = place;
    s->known[at].round = s->round;
    return true;
}

/* Shifts of a job at which an edge of its own meets one of the placed others',
 * ascending, with 0. *all: none was left out. */
static uint32_t places_of(struct search *s, uint32_t job, bool *all)
{
    int64_t period = s->c->period_ps[job];
    uint32_t n = 0;
    *all = true;
    forget_places(s);
    s->place[n++] = 0;
    (void)is_new_place(s, 0);
    for (uint32_t l = 0; l < s->links; l++) {
        const struct orr_shared_link *m = &s->c->shared[s->which[l]];
        if (!has_job(m, job))
            continue;
        uint32_t others = other_edges(s, m, job, period);
        *all &= others < MOST_PLACES;
        for (uint32_t i = 0; i < m->n; i++) {
            const struct orr_turn *t = &m->turn[i];
            if (t->job != job)
                continue;
            for (uint32_t e = 0; e < 2 * t->n; e++)
                for (uint32_t k = 0; k < others; k++) {
                    int64_t at = (s->edge[k] - t->edge[e]) % period;
                    at = at < 0 ? at + period : at;
                    if (!is_new_place(s, at))
                        continue;
                    if (n == MOST_PLACES) {
                        *all = false;
                        return unique(s->place, n);
                    }
                    s->place[n++] = at;
                }
        }
    }
    return unique(s->place, n);
}

/* Losses at the places; returns the index of the first of the best. */
static uint32_t try_places(struct search *s, uint32_t job, uint32_t n)
{
    uint32_t best = 0;
    int64_t was = s->shift[job];
    for (uint32_t i = 0; i < n; i++) {
        s->shift[job] = s->place[i];
        s->loss[i] = loss_of(s, job);
        if (s->loss[i] < s->loss[best] - SAME)
            best = i;
    }
    s->shift[job] = was;
    ORR_ASSERT(best < n && s->loss[best] >= 0);
    return best;
}

/* Leaves so many places as cost at most so much to try; the first one costs
 * what each does. *all: none was left out. */
static uint32_t thin_out(struct search *s, uint32_t job, uint32_t n,
                         uint64_t work, bool *all)
{
    uint64_t before = s->work;
    (void)loss_of(s, job);
    uint64_t each = s->work - before + 1;
    uint64_t most = work / each;
    if (most < LEAST_PLACES)
        most = LEAST_PLACES;
    if (n <= most)
        return n;
    *all = false;
    ORR_ASSERT(most <= n); /* none is overwritten before it is read */
    for (uint32_t i = 0; i < most; i++)
        s->place[i] = s->place[(uint64_t)i * n / most];
    return (uint32_t)most;
}

/* Moves a job to the first of its best places. */
static void settle(struct search *s, uint32_t job)
{
    bool all;
    uint32_t n = places_of(s, job, &all);
    n = thin_out(s, job, n, WORK / ROUNDS_HAD / s->jobs, &all);
    s->shift[job] = s->place[try_places(s, job, n)];
}

static void keep_best(struct search *s)
{
    double loss = loss_of(s, UINT32_MAX);
    if (loss >= s->best_loss - SAME)
        return;
    ORR_ASSERT(loss >= 0);
    s->best_loss = loss;
    memcpy(s->best, s->shift, s->c->jobs * sizeof *s->best);
}

/* ---- exact, for up to three --------------------------------------------- */

/* b at each of its places beside the anchor, c at the best of its own. */
static bool pair_exact(struct search *s, uint32_t b, uint32_t c, bool *exact)
{
    bool all;
    s->placed[c] = false;
    s->placed[b] = true;
    uint32_t n = places_of(s, b, &all);
    int64_t *at = orr__alloc(n, sizeof *at);
    if (!at)
        return false;
    memcpy(at, s->place, n * sizeof *at);
    *exact &= all;
    s->placed[c] = true;
    uint64_t before = s->work;
    for (uint32_t i = 0; i < n && s->best_loss > SAME; i++) {
        if (s->work - before > WORK_EXACT) {
            *exact = false;
            break;
        }
        s->shift[b] = at[i];
        uint32_t m = places_of(s, c, &all);
        m = thin_out(s, c, m, WORK_EXACT, &all);
        *exact &= all;
        s->shift[c] = s->place[try_places(s, c, m)];
        keep_best(s);
    }
    orr__free(at);
    return true;
}

/* Up to three jobs, exactly as far as work allows. false: no memory. */
static bool search_exactly(struct search *s, bool *exact)
{
    *exact = true;
    for (uint32_t i = 0; i < s->jobs; i++)
        s->placed[s->job[i]] = true;
    keep_best(s);
    if (s->jobs < 2 || s->best_loss <= SAME)
        return true;
    if (s->jobs == 2) {
        uint32_t n = places_of(s, s->job[1], exact);
        n = thin_out(s, s->job[1], n, WORK_EXACT, exact);
        s->shift[s->job[1]] = s->place[try_places(s, s->job[1], n)];
        keep_best(s);
        return true;
    }
    return pair_exact(s, s->job[1], s->job[2], exact)
           && pair_exact(s, s->job[2], s->job[1], exact);
}

/* ---- many --------------------------------------------------------------- */

/* All jobs in turn, each to its best place, until nothing moves. */
static void ascend(struct search *s, uint64_t work)
{
    for (int sweep = 0; sweep < SWEEPS && s->work < work; sweep++) {
        double before = loss_of(s, UINT32_MAX);
        for (uint32_t i = 1; i < s->jobs && s->work < work; i++)
            settle(s, s->job[i]);
        keep_best(s);
        if (loss_of(s, UINT32_MAX) > before - SAME)
            break;
    }
}

/* The anchor, then the others in the order given, each where it does least harm
 * to those before it; then all of them in turn until nothing moves. */
static void climb_from(struct search *s, const uint32_t *order)
{
    for (uint32_t i = 0; i < s->jobs; i++)
        s->placed[s->job[i]] = false;
    s->placed[s->job[0]] = true;
    s->shift[s->job[0]] = 0;
    for (uint32_t i = 0; i < s->jobs; i++) {
        if (order[i] == s->job[0])
            continue;
        s->placed[order[i]] = true;
        settle(s, order[i]);
    }
    keep_best(s);
    ascend(s, WORK);
}

static void shuffle(uint32_t *v, uint32_t n, struct orr_random *random)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = (uint32_t)orr__random_below(random, i);
        uint32_t was = v[i - 1];
        v[i - 1] = v[k];
        v[k] = was;
    }
}

/* Which of their orders the jobs behind the first are in, as one bit: of up to
 * five jobs there are 24; of more, 0. */
static uint32_t order_bit(const struct search *s, const uint32_t *order)
{
    uint32_t rest[4], n = 0, nth = 0;
    if (s->jobs > 5)
        return 0;
    for (uint32_t i = 0; i < s->jobs; i++)
        if (order[i] != s->job[0])
            rest[n++] = order[i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t smaller = 0;
        for (uint32_t k = i + 1; k < n; k++)
            smaller += rest[k] < rest[i];
        nth = nth * (n - i) + smaller;
    }
    ORR_ASSERT(nth < 24);
    return UINT32_C(1) << nth;
}

/* Climbs from orders drawn by the seed, from none twice, until nothing is lost
 * or work is used up. false: no memory. */
static bool climb_often(struct search *s, uint64_t seed)
{
    uint32_t *order = orr__alloc(s->jobs, sizeof *order);
    struct orr_random random;
    if (!order)
        return false;
    memcpy(order, s->job, s->jobs * sizeof *order);
    uint32_t climbed = 0;
    orr__random_init(&random, seed, s->job[0], ORR_PURPOSE_PLAN);
    for (uint32_t i = 0; i < STARTS && s->work < WORK; i++) {
        uint32_t bit = order_bit(s, order);
        if (!(climbed & bit))
            climb_from(s, order);
        climbed |= bit;
        if (s->best_loss <= SAME)
            break;
        shuffle(order, s->jobs, &random);
    }
    orr__free(order);
    return true;
}

/* ---- how good it is ----------------------------------------------------- */

/* Branch and bound from the best that is known, over all rotations or the
 * grid's. */
static orr_err bound_search(struct search *s, struct orr_branch *b, bool grid,
                            struct orr_report *why)
{
    uint64_t most = s->jobs <= PROVED ? WORK_PROOF : WORK_BOUND;
    uint64_t work = s->c->work && s->c->work < most ? s->c->work : most;
    *b = (struct orr_branch){
        .circles = s->c,
        .which = s->which,
        .links = s->links,
        .job = s->job,
        .jobs = s->jobs,
        .grid = grid,
        .work = work,
        .loss = s->best_loss,
        .shift = s->best,
    };
    orr_err err = orr__branch(b, why);
    for (uint32_t i = 0; i < s->jobs; i++)
        s->placed[s->job[i]] = true;
    memcpy(s->shift, s->best, s->c->jobs * sizeof *s->shift);
    if (!err)
        s->best_loss = loss_of(s, UINT32_MAX);
    return err;
}

/* Of what the search found: proves it, betters it, or says how far it is from
 * the best at most. */
static orr_err prove_best(struct search *s, struct orr_rotation *out,
                          struct orr_report *why)
{
    struct orr_branch all, grid;
    orr_err err = bound_search(s, &all, false, why);
    double least = all.least;
    if (!err && s->best_loss > least + SAME && s->jobs <= PROVED) {
        err = bound_search(s, &grid, true, why);
        if (!err && grid.least >= grid.loss - SAME)
            out->proof = ORR_ROTATION_GRID;
        if (!err)
            ascend(s, s->work + WORK / 2);
    }
    if (s->best_loss <= least + SAME)
        out->proof = ORR_ROTATION_EXACT;
    else
        out->gap = (s->best_loss - least) / s->links;
    return err;
}

/* ---- the middle --------------------------------------------------------- */

/* Stretches of places that are as good as the best, around the circle: those
 * between two that follow one another. Moves the job into the middle of the one
 * that it is in, or, if it may leave it, of the longest. A job that may be
 * anywhere stays at 0. */
static void center(struct search *s, uint32_t job, bool keep_away)
{
    bool all;
    int64_t period = s->c->period_ps[job], longest = -1, at = s->shift[job];
    int64_t found = at;
    uint32_t n = places_of(s, job, &all), good = 0, first = 0;
    n = thin_out(s, job, n, WORK / 8, &all);
    uint32_t best = try_places(s, job, n);
    for (uint32_t i = 0; i < n; i++) {
        bool is = s->loss[i] < s->loss[best] + SAME;
        good += is;
        if (!is)
            first = i; /* some place that is worse: no stretch crosses it */
    }
    if (good == n) {
        s->shift[job] = all ? 0 : at;
        return;
    }
    for (uint32_t i = 1; i <= n;) {
        uint32_t k = (first + i) % n, end;
        if (s->loss[k] >= s->loss[best] + SAME) {
            i++;
            continue;
        }
        while (i <= n && s->loss[(first + i) % n] < s->loss[best] + SAME)
            i++;
        end = (first + i - 1) % n;
        int64_t length = s->place[end] - s->place[k];
        if (end < k)
            length += period;
        int64_t within = (at - s->place[k]) % period;
        within += within < 0 ? period : 0;
        bool here = within <= length;
        if (keep_away ? length > longest : here) {
            longest = length;
            found = (s->place[k] + length / 2) % period;
        }
    }
    ORR_ASSERT(found >= 0 && found < period);
    s->shift[job] = found;
}

/* Shifts move to the middle of the stretch in which nothing gets worse, so that
 * jitter does least, until none moves. */
static void center_all(struct search *s)
{
    memcpy(s->shift, s->best, s->c->jobs * sizeof *s->shift);
    for (uint32_t i = 0; i < s->jobs; i++)
        s->placed[s->job[i]] = true;
    uint64_t end = s->work + WORK / 2;
    bool moved = true;
    for (int round = 0; round < CENTERINGS && moved; round++) {
        moved = false;
        for (uint32_t i = 1; i < s->jobs && s->work < end; i++) {
            int64_t was = s->shift[s->job[i]];
            center(s, s->job[i], s->jobs == 2);
            moved |= s->shift[s->job[i]] != was;
        }
    }
    /* places may have been left out: never at a loss */
    if (loss_of(s, UINT32_MAX) > s->best_loss + SAME)
        memcpy(s->shift, s->best, s->c->jobs * sizeof *s->shift);
}

/* ---- all of it ---------------------------------------------------------- */

static void list_jobs(struct search *s)
{
    for (uint32_t j = 0; j < s->c->jobs; j++)
        for (uint32_t i = 0; i < s->links; i++)
            if (has_job(&s->c->shared[s->which[i]], j)) {
                s->job[s->jobs++] = j;
                s->shift[j] = 0;
                break;
            }
}

orr_err orr__circles_rotate(const struct orr_circles *c, const uint32_t *which,
                            uint32_t n, uint64_t seed, int64_t *shift,
                            struct orr_rotation *out, struct orr_report *why)
{
    struct search s = {
        .c = c,
        .which = which,
        .links = n,
        .shift = shift,
        .best_loss = INFINITY,
        .job = orr__alloc(c->jobs, sizeof(uint32_t)),
        .placed = orr__alloc(c->jobs, sizeof(bool)),
        .best = orr__alloc(c->jobs, sizeof(int64_t)),
        .place = orr__alloc(MOST_PLACES, sizeof(int64_t)),
        .loss = orr__alloc(MOST_PLACES, sizeof(double)),
        .edge = orr__alloc(MOST_PLACES, sizeof(int64_t)),
        .known = orr__alloc(2 * (size_t)MOST_PLACES, sizeof *s.known),
    };
    bool exact = false;
    bool ok =
        s.job && s.placed && s.best && s.place && s.loss && s.edge && s.known;
    if (ok) {
        list_jobs(&s);
        memcpy(s.best, shift, c->jobs * sizeof *shift);
        ok = s.jobs <= 3 ? search_exactly(&s, &exact) : climb_often(&s, seed);
    }
    orr_err err = ok ? ORR_OK : orr__no_memory(why);
    exact = exact || s.best_loss <= SAME; /* nothing is above 1 */
    *out = (struct orr_rotation){
        exact ? ORR_ROTATION_EXACT : ORR_ROTATION_SEARCH, 0};
    if (!err && !exact)
        err = prove_best(&s, out, why);
    if (!err)
        center_all(&s);
    orr__free(s.job);
    orr__free(s.placed);
    orr__free(s.best);
    orr__free(s.place);
    orr__free(s.loss);
    orr__free(s.edge);
    orr__free(s.known);
    return err;
}
