/* Branch and bound over rotations.
 *
 * What exceeds the capacities is linear in the shifts between those at which
 * edges of two jobs meet, so some best rotation is where each job hangs on
 * another one by such a meeting: one's demand ends where the other's begins.
 * (Where the other's ends, or both begin, what is lost is concave: no better
 * than one of its neighbours.) All trees of such meetings are gone through,
 * grown from the first job, none twice.
 *
 * A branch is left when it can lose no less than the best that is known. Excess
 * is convex in demand, so what jobs add to it together is at least the sum of
 * what each of them adds where it alone does least harm; and what does not fit
 * into the room that is left exceeds the capacity wherever it is. */
#include "workload/schedule/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"

/* Sums of shares that differ by less are one. */
#define SAME 1e-12

/* Edges of one link's circle at most, all jobs around it. */
enum { MOST_EDGES = 20000, MOST_DONE = 1 << 15 };

/* Where demand changes. */
struct change {
    int64_t at;
    double by; /* bit/s */
};

/* Demand of the placed jobs around one circle. */
struct level {
    double base; /* just before 0 */
    uint32_t n;
    struct change *change; /* ascending */
};

/* A job on a link. */
struct part {
    const struct orr_turn *turn; /* NULL: it is not there */
    int64_t period;
    double volume; /* around the circle, a share of what that carries */
};

struct place {   /* that a job could take */
    double loss; /* with it, of the placed jobs and it */
    double bound;
    int64_t shift;
    uint32_t job;
};

/* What is known with so many jobs placed. */
struct depth {
    struct level *level; /* per link */
    struct place *place;
    uint32_t n, room;
};

/* What one more demand of some rate would lose, over one period: a step
 * function and its integral. */
struct cost {
    double rate;
    double base;       /* from 0 to the first change */
    double whole;      /* over the period */
    uint32_t from, to; /* knots up to where it was last asked for */
    uint32_t n;
    struct knot {
        int64_t at;
        double value, sum; /* behind it; from 0 to it */
    } * knot;
};

/* One branch and bound; all arrays are its own. Work counts edges, memory is
 * bounded by MOST_DONE. */
struct search {
    struct orr_branch *b;
    struct part *part;  /* job by job, each per link */
    uint32_t *like;     /* per job: the first that is the same */
    bool *placed;       /* per job */
    int64_t *shift;     /* per job */
    int64_t *candidate; /* scratch */
    uint32_t candidates_room;
    struct cost *cost;   /* scratch: per link and phase of a job */
    uint32_t phases;     /* of a job on a link, at most */
    struct change *edge; /* scratch: of a job around a circle */
    struct depth *depth; /* per number of placed jobs */
    double *least;       /* per job and depth: what it adds at least */
    struct done {        /* places whose branches are finished */
        uint32_t job;    /* + 1; 0: free */
        int64_t shift;
    } * done;
    uint32_t dones;
    uint64_t work;
    bool out_of_work, out_of_memory;
};

static const struct orr_shared_link *link_of(const struct search *s, uint32_t l)
{
    return &s->b->circles->shared[s->b->which[l]];
}

static struct part *part_of(const struct search *s, uint32_t job, uint32_t l)
{
    return &s->part[(size_t)job * s->b->links + l];
}

/* ---- demand around a circle ---------------------------------------------- */

/* The changes of a job at a shift, ascending; returns how many, and sets what
 * it asks for just before 0. */
static uint32_t edges_of(const struct part *p, int64_t shift, int64_t perimeter,
                         struct change *out, double *base)
{
    const struct orr_turn *t = p->turn;
    uint32_t edges = 2 * t->n, first = 0, n = 0;
    while (first < edges && t->edge[first] + shift < p->period)
        first++;
    uint64_t before = first % 2 ? t->rate_bps[first / 2] : 0;
    *base = (double)before;
    for (int64_t lap = 0; lap < perimeter; lap += p->period)
        for (uint32_t i = 0; i < edges; i++) {
            uint32_t e = (first + i) % edges;
            uint64_t bps = t->rate_bps[e / 2];
            double rate = (double)bps;
            out[n].at = lap + t->edge[e] + shift - (e < first ? 0 : p->period);
            out[n++].by = e % 2 ? -rate : rate;
        }
    return n;
}

/* `from` with a job added. */
static void add_job(struct search *s, const struct level *from,
                    struct level *to, uint32_t job, uint32_t l)
{
    const struct part *p = part_of(s, job, l);
    double base = 0;
    uint32_t n = 0, a = 0, b = 0;
    if (p->turn)
        n = edges_of(p, s->shift[job], link_of(s, l)->perimeter_ps, s->edge,
                     &base);
    to->base = from->base + base;
    to->n = from->n + n;
    for (uint32_t i = 0; i < to->n; i++) {
        bool old =
            b == n || (a < from->n && from->change[a].at <= s->edge[b].at);
        to->change[i] = old ? from->change[a++] : s->edge[b++];
    }
    s->work += to->n;
}

/* What is lost at a level, and the room that is left; of the link's circle. */
static double excess(const struct search *s, const struct level *v, uint32_t l,
                     double *room)
{
    const struct orr_shared_link *m = link_of(s, l);
    double most = (double)m->capacity_bps, d = v->base, lost = 0, left = 0;
    int64_t from = 0;
    for (uint32_t i = 0; i <= v->n; i++) {
        int64_t to = i < v->n ? v->change[i].at : m->perimeter_ps;
        double x = (d - most) * (double)(to - from);
        lost += x > 0 ? x : 0;
        left += x < 0 ? -x : 0;
        d += i < v->n ? v->change[i].by : 0;
        from = to;
    }
    *room = left / (most * (double)m->perimeter_ps);
    return lost / (most * (double)m->perimeter_ps);
}

/* ---- what one more job would lose ---------------------------------------- */

static int by_knot(const void *a, const void *b)
{
    int64_t x = ((const struct knot *)a)->at, y = ((const struct knot *)b)->at;
    return x < y ? -1 : x > y;
}

static double excess_of(double demand, double rate, double capacity)
{
    double with = demand + rate - capacity, without = demand - capacity;
    return (with > 0 ? with : 0) - (without > 0 ? without : 0);
}

/* How many knots there are up to a time: mostly as many as last time, or a few
 * more, as places are tried in their order. */
static uint32_t knots_until(const struct cost *c, int64_t at, uint32_t last)
{
    uint32_t low = last, high = last + 4 < c->n ? last + 4 : c->n;
    while (low < high && c->knot[low].at <= at)
        low++;
    bool more = low < c->n && c->knot[low].at <= at;
    bool less = low && c->knot[low - 1].at > at;
    if (!more && !less)
        return low;
    high = more ? c->n : low - 1;
    low = more ? low + 1 : 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (c->knot[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From 0 to a time within the period; last: as of knots_until, and kept. */
static double integral(const struct cost *c, int64_t at, uint32_t *last)
{
    uint32_t n = *last = knots_until(c, at, *last);
    if (!n)
        return c->base * (double)at;
    const struct knot *k = &c->knot[n - 1];
    return k->sum + k->value * (double)(at - k->at);
}

/* Of all laps of a period together. */
static void make_cost(struct search *s, const struct level *v, uint32_t l,
                      int64_t period, struct cost *c)
{
    const struct orr_shared_link *m = link_of(s, l);
    double most = (double)m->capacity_bps, d = v->base;
    double unit = 1 / (most * (double)m->perimeter_ps), sum = 0;
    int64_t next = 0; /* the next lap's beginning */
    c->n = v->n;
    c->base = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        for (; next <= v->change[i].at; next += period)
            c->base += excess_of(d, c->rate, most) * unit;
        double was = excess_of(d, c->rate, most);
        d += v->change[i].by;
        c->knot[i].at = v->change[i].at - (next - period);
        c->knot[i].value = (excess_of(d, c->rate, most) - was) * unit;
    }
    for (; next < m->perimeter_ps; next += period)
        c->base += excess_of(d, c->rate, most) * unit;
    if (period < m->perimeter_ps)
        qsort(c->knot, c->n, sizeof *c->knot, by_knot);
    double value = c->base;
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t before = i ? c->knot[i - 1].at : 0;
        sum += value * (double)(c->knot[i].at - before);
        value += c->knot[i].value;
        c->knot[i].value = value;
        c->knot[i].sum = sum;
    }
    c->from = c->to = c->n;
    c->whole = integral(c, period, &c->to);
    s->work += 2 * (uint64_t)v->n;
}

/* The costs of a job's rates on all of its links. */
static void make_costs(struct search *s, const struct depth *d, uint32_t job)
{
    for (uint32_t l = 0; l < s->b->links; l++) {
        const struct part *p = part_of(s, job, l);
        for (uint32_t i = 0; p->turn && i < p->turn->n; i++) {
            struct cost *c = &s->cost[(size_t)l * s->phases + i];
            c->rate = (double)p->turn->rate_bps[i];
            make_cost(s, &d->level[l], l, p->period, c);
        }
    }
}

/* What a job adds at a shift. */
static double added_loss(struct search *s, uint32_t job, int64_t shift)
{
    double sum = 0;
    for (uint32_t l = 0; l < s->b->links; l++) {
        const struct part *p = part_of(s, job, l);
        for (uint32_t i = 0; p->turn && i < p->turn->n; i++) {
            struct cost *c = &s->cost[(size_t)l * s->phases + i];
            int64_t from = p->turn->edge[2 * i] + shift;
            int64_t length = p->turn->edge[2 * i + 1] - p->turn->edge[2 * i];
            from -= from >= p->period ? p->period : 0;
            int64_t to = from + length;
            double x = to <= p->period
                           ? integral(c, to, &c->to)
                           : c->whole + integral(c, to - p->period, &c->to);
            sum += x - integral(c, from, &c->from);
            s->work += 4;
        }
    }
    return sum > 0 ? sum : 0;
}

/* ---- places ---------------------------------------------------------------
 */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static bool add_candidate(struct search *s, uint32_t *n, int64_t at)
{
    if (!orr__array_more(s->candidate, s->candidates_room, *n)) {
        s->out_of_memory = true;
        return false;
    }
    s->candidate[(*n)++] = at;
    return true;
}

/* Of a job on one link: those at which its demand ends where another one's
 * begins, or begins where that ends. */
static void add_edges_on(struct search *s, const struct level *v,
                         const struct part *p, uint32_t *n)
{
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t end = v->change[i].by > 0;
        int64_t at = v->change[i].at % p->period;
        for (uint32_t e = end; e < 2 * p->turn->n; e += 2) {
            int64_t shift = (at - p->turn->edge[e]) % p->period;
            if (!add_candidate(s, n, shift < 0 ? shift + p->period : shift))
                return;
        }
    }
}

/* Samples of a circle as candidates, where exactness is not asked for. */
static void grid_of(struct search *s, uint32_t job, uint32_t *n)
{
    int64_t circle = 0;
    int64_t period = s->b->circles->period_ps[s->b->job[job]];
    for (uint32_t l = 0; l < s->b->links; l++) {
        int64_t p = link_of(s, l)->perimeter_ps;
        circle = !circle || p < circle ? p : circle;
    }
    for (uint32_t i = 0; i < ORR_CIRCLE_SAMPLES; i++)
        if (!add_candidate(s, n,
                           (int64_t)((__int128)circle * i / ORR_CIRCLE_SAMPLES)
                               % period))
            return;
}

/* Places at which the job may be best, ascending and each once. Returns how
 * many; 0: no memory. */
static uint32_t candidates_of(struct search *s, const struct depth *d,
                              uint32_t job)
{
    uint32_t n = 0, kept = 0;
    if (s->b->grid)
        grid_of(s, job, &n);
    for (uint32_t l = 0; l < s->b->links && !s->b->grid; l++) {
        const struct part *p = part_of(s, job, l);
        if (p->turn)
            add_edges_on(s, &d->level[l], p, &n);
    }
    if (!n && !add_candidate(s, &n, 0))
        return 0;
    qsort(s->candidate, n, sizeof *s->candidate, by_time);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || s->candidate[i] != s->candidate[kept - 1])
            s->candidate[kept++] = s->candidate[i];
    s->work += n;
    return kept;
}

/* ---- places that were had -------------------------------------------------
 */

static uint32_t slot_of(const struct search *s, uint32_t like, int64_t shift)
{
    uint64_t hash = ((uint64_t)shift + like) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 40) & (2 * MOST_DONE - 1);
    while (s->done[at].job
           && (s->done[at].job != like + 1 || s->done[at].shift != shift))
        at = (at + 1) & (2 * MOST_DONE - 1);
    return at;
}

static bool is_done(const struct search *s, uint32_t job, int64_t shift)
{
    return s->done[slot_of(s, s->like[job], shift)].job;
}

/* Notes a place; false: it was noted already, or there is no room. What was
 * noted last is to be given back first. */
static bool note_done(struct search *s, uint32_t job, int64_t shift)
{
    uint32_t at = slot_of(s, s->like[job], shift);
    if (s->done[at].job || s->dones >= MOST_DONE)
        return false;
    s->done[at] = (struct done){s->like[job] + 1, shift};
    s->dones++;
    return true;
}

static void give_back(struct search *s, uint32_t job, int64_t shift)
{
    s->done[slot_of(s, s->like[job], shift)].job = 0;
    s->dones--;
}

/* ---- the search ------------------------------------------------------------
 */

static int by_bound(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->bound < y->bound || y->bound < x->bound)
        return x->bound < y->bound ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return x->shift < y->shift ? -1 : x->shift > y->shift;
}

/* Of equal jobs that have no place the first stands for all; on the grid, where
 * places do not hang on others, of all jobs. */
static bool stands_for_all(const struct search *s, uint32_t job)
{
    for (uint32_t k = 1; k < job; k++)
        if (!s->placed[k] && (s->b->grid || s->like[k] == s->like[job]))
            return false;
    return true;
}

/* Lists the places of one job; returns what it adds at least. */
static double list_places(struct search *s, struct depth *d, double loss,
                          uint32_t job)
{
    bool stands = stands_for_all(s, job);
    uint32_t n = candidates_of(s, d, job);
    double least = INFINITY;
    make_costs(s, d, job);
    for (uint32_t i = 0; i < n && !s->out_of_memory; i++) {
        int64_t at = s->candidate[i];
        double x = added_loss(s, job, at);
        least = x < least ? x : least;
        if (!stands || is_done(s, job, at))
            continue;
        if (orr__array_more(d->place, d->room, d->n))
            d->place[d->n++] = (struct place){loss + x, 0, at, job};
        else
            s->out_of_memory = true;
    }
    return least;
}

/* What those that are not placed exceed the room by that is left. */
static double overflow(const struct search *s, const struct depth *d)
{
    double sum = 0;
    for (uint32_t l = 0; l < s->b->links; l++) {
        double volume = 0, room;
        (void)excess(s, &d->level[l], l, &room);
        for (uint32_t j = 0; j < s->b->jobs; j++)
            volume += s->placed[j] ? 0 : part_of(s, j, l)->volume;
        sum += volume > room ? volume - room : 0;
    }
    return sum;
}

static void keep_best(struct search *s, double loss)
{
    if (loss >= s->b->loss - SAME)
        return;
    s->b->loss = loss;
    for (uint32_t j = 0; j < s->b->jobs; j++)
        s->b->shift[s->b->job[j]] = s->shift[j];
}

static double grow_branch(struct search *s, uint32_t placed, double loss);

/* With one more job at its place. */
static double follow(struct search *s, uint32_t placed, struct place p)
{
    s->shift[p.job] = p.shift;
    s->placed[p.job] = true;
    for (uint32_t l = 0; l < s->b->links; l++)
        add_job(s, &s->depth[placed].level[l], &s->depth[placed + 1].level[l],
                p.job, l);
    double least = grow_branch(s, placed + 1, p.loss);
    s->placed[p.job] = false;
    return least;
}

/* All places of a depth, the most promising first. */
static double branch(struct search *s, uint32_t placed)
{
    struct depth *d = &s->depth[placed];
    double least = INFINITY;
    uint32_t n = d->n, noted = 0;
    if (n && placed + 1 == s->b->jobs) { /* the first is the best */
        s->shift[d->place[0].job] = d->place[0].shift;
        keep_best(s, d->place[0].loss);
        return least;
    }
    for (uint32_t i = 0; i < n && !s->out_of_memory; i++) {
        struct place *p = &d->place[i];
        if (p->bound >= s->b->loss - SAME)
            break; /* as are those that follow */
        if (s->out_of_work) {
            least = p->bound < least ? p->bound : least;
            break;
        }
        double x = follow(s, placed, *p);
        least = x < least ? x : least;
        if (note_done(s, p->job, p->shift)) {
            struct place had = *p;
            d->place[i] = d->place[noted];
            d->place[noted++] = had;
        }
    }
    while (noted-- > 0)
        give_back(s, d->place[noted].job, d->place[noted].shift);
    return least;
}

/* Goes on from the jobs that are placed, which lose so much. Returns a bound of
 * what the rotations lose that were left out for want of work. */
static double grow_branch(struct search *s, uint32_t placed, double loss)
{
    struct depth *d = &s->depth[placed];
    double *least = &s->least[(size_t)placed * s->b->jobs], sum = 0;
    s->out_of_work = s->out_of_work || s->work > s->b->work;
    double bound = loss + overflow(s, d);
    if (bound >= s->b->loss - SAME)
        return INFINITY;
    if (s->out_of_work)
        return bound;
    d->n = 0;
    for (uint32_t j = 1; j < s->b->jobs; j++)
        if (!s->placed[j]) {
            least[j] = list_places(s, d, loss, j);
            sum += least[j];
        }
    if (loss + sum >= s->b->loss - SAME)
        return INFINITY;
    for (uint32_t i = 0; i < d->n; i++) {
        struct place *p = &d->place[i];
        double x = p->loss + sum - least[p->job];
        p->bound = x > bound ? x : bound;
    }
    if (d->n)
        qsort(d->place, d->n, sizeof *d->place, by_bound);
    return branch(s, placed);
}

/* ---- making ----------------------------------------------------------------
 */

/* Equal demands on all links: then only one order of the two has to be
 * tried. */
static bool same_turns(const struct search *s, uint32_t a, uint32_t b)
{
    for (uint32_t l = 0; l < s->b->links; l++) {
        const struct part *x = part_of(s, a, l), *y = part_of(s, b, l);
        if (x->period != y->period || !x->turn != !y->turn)
            return false;
        if (!x->turn)
            continue;
        size_t n = x->turn->n;
        if (n != y->turn->n
            || memcmp(x->turn->edge, y->turn->edge,
                      2 * n * sizeof *x->turn->edge)
                   != 0
            || memcmp(x->turn->rate_bps, y->turn->rate_bps,
                      n * sizeof *x->turn->rate_bps)
                   != 0)
            return false;
    }
    return true;
}

/* A job's turn on a link, if it has one; volume: its share of the link's
 * capacity over time. */
static void fill_part(struct search *s, uint32_t job, uint32_t l)
{
    const struct orr_shared_link *m = link_of(s, l);
    struct part *p = part_of(s, job, l);
    *p = (struct part){.period = s->b->circles->period_ps[s->b->job[job]]};
    for (uint32_t i = 0; i < m->n; i++)
        if (m->turn[i].job == s->b->job[job] && m->turn[i].n)
            p->turn = &m->turn[i];
    for (uint32_t i = 0; p->turn && i < p->turn->n; i++) {
        double length =
            (double)(p->turn->edge[2 * i + 1] - p->turn->edge[2 * i]);
        p->volume += (double)p->turn->rate_bps[i] * length
                     / ((double)m->capacity_bps * (double)p->period);
    }
    if (p->turn && p->turn->n > s->phases)
        s->phases = p->turn->n;
}

/* Edges around the longest of the circles, all jobs together; more than
 * MOST_EDGES: too many. */
static uint32_t edges_around(const struct search *s)
{
    uint64_t most = 0;
    for (uint32_t l = 0; l < s->b->links; l++) {
        uint64_t n = 0;
        for (uint32_t j = 0; j < s->b->jobs; j++) {
            const struct part *p = part_of(s, j, l);
            if (p->turn)
                n += 2 * (uint64_t)p->turn->n
                     * (uint64_t)(link_of(s, l)->perimeter_ps / p->period);
        }
        most = n > most ? n : most;
    }
    return most > MOST_EDGES ? MOST_EDGES + 1 : (uint32_t)most;
}

static bool make_levels(struct search *s, struct depth *d, uint32_t edges)
{
    d->level = orr__alloc(s->b->links, sizeof *d->level);
    bool ok = d->level;
    for (uint32_t l = 0; ok && l < s->b->links; l++) {
        d->level[l].change = orr__alloc(edges, sizeof *d->level[l].change);
        ok = d->level[l].change;
    }
    return ok;
}

/* All arrays, and which jobs are alike. false: no memory; unmake() frees what
 * there is. */
static bool make_search(struct search *s, uint32_t edges)
{
    size_t jobs = s->b->jobs;
    size_t costs = (size_t)s->b->links * s->phases;
    s->like = orr__alloc(jobs, sizeof *s->like);
    s->placed = orr__alloc(jobs, sizeof *s->placed);
    s->shift = orr__alloc(jobs, sizeof *s->shift);
    s->least = orr__alloc((jobs + 1) * jobs, sizeof *s->least);
    s->edge = orr__alloc(edges, sizeof *s->edge);
    s->done = orr__alloc(2 * (size_t)MOST_DONE, sizeof *s->done);
    s->cost = orr__alloc(costs, sizeof *s->cost);
    s->depth = orr__alloc(jobs + 1, sizeof *s->depth);
    bool ok = s->like && s->placed && s->shift && s->least && s->edge && s->done
              && s->cost && s->depth;
    for (size_t i = 0; ok && i < costs; i++) {
        s->cost[i].knot = orr__alloc(edges, sizeof *s->cost[i].knot);
        ok = s->cost[i].knot;
    }
    for (uint32_t i = 0; ok && i <= jobs; i++)
        ok = make_levels(s, &s->depth[i], edges);
    for (uint32_t j = 0; ok && j < jobs; j++)
        while (s->like[j] < j && (!s->like[j] || !same_turns(s, s->like[j], j)))
            s->like[j]++;
    return ok;
}

/* Of a search that may be half made. */
static void unmake(struct search *s)
{
    size_t costs = (size_t)s->b->links * s->phases;
    for (size_t i = 0; s->cost && i < costs; i++)
        orr__free(s->cost[i].knot);
    for (uint32_t i = 0; s->depth && i <= s->b->jobs; i++) {
        for (uint32_t l = 0; s->depth[i].level && l < s->b->links; l++)
            orr__free(s->depth[i].level[l].change);
        orr__free(s->depth[i].level);
        orr__free(s->depth[i].place);
    }
    orr__free(s->part);
    orr__free(s->like);
    orr__free(s->placed);
    orr__free(s->shift);
    orr__free(s->candidate);
    orr__free(s->cost);
    orr__free(s->edge);
    orr__free(s->depth);
    orr__free(s->least);
    orr__free(s->done);
}

/* From the first job alone. */
static void solve_search(struct search *s)
{
    const struct level nothing = {0};
    double loss = 0, room, least = INFINITY;
    s->placed[0] = true;
    for (uint32_t l = 0; l < s->b->links; l++) {
        add_job(s, &nothing, &s->depth[1].level[l], 0, l);
        loss += excess(s, &s->depth[1].level[l], l, &room);
    }
    if (s->b->jobs == 1)
        keep_best(s, loss);
    else
        least = grow_branch(s, 1, loss);
    s->b->least = least < s->b->loss ? least : s->b->loss;
}

orr_err orr__branch(struct orr_branch *b, struct orr_report *why)
{
    struct search s = {.b = b};
    b->least = 0;
    s.part = orr__alloc((size_t)b->jobs * b->links, sizeof *s.part);
    bool ok = s.part;
    for (uint32_t j = 0; ok && j < b->jobs; j++)
        for (uint32_t l = 0; l < b->links; l++)
            fill_part(&s, j, l);
    uint32_t edges = ok ? edges_around(&s) : 0;
    if (ok && edges <= MOST_EDGES) {
        ok = make_search(&s, edges);
        if (ok)
            solve_search(&s);
    }
    unmake(&s);
    return ok && !s.out_of_memory ? ORR_OK : orr__no_memory(why);
}
