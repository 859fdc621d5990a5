#include "workload/schedule/fluid.h"
#include "core/none.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/table.h"

/* Iterations of every job that are gone through, fewer where there are many
 * jobs; a third of them, the first ones, is left out. Events after which it
 * ends all the same. */
enum { ITERATIONS = 45, ITERATIONS_OF_MANY = 18, MANY = 24 };
#define MOST_EVENTS 60000
/* Even draws that make a normal one: their sum has a variance of 1. */
enum { DRAWS = 12 };
/* A job that is this much of its period late goes at once. */
#define LATE 0.05
/* Bytes of shares that are remembered. */
#define MEMO (4 << 20)
/* What a call takes before anything is shared, as work. */
#define CALL 100
/* Of a capacity: no more than this is lost in rounding. */
#define TINY 1e-9

/* A stretch of an iteration in which nothing about the job changes. */
struct stretch {
    double length; /* ps, at speed 1 */
    uint32_t use, uses;
};
struct use {       /* of a link, by a job in a stretch */
    uint32_t link; /* index into `left` */
    double rate;   /* bit/ps at speed 1 */
    double own;    /* of it, for a weight of 1 */
};

/* A job on its way through its iterations; times are ps, as double. */
struct runner {
    struct orr_fluid_job *job;
    struct stretch *stretch;
    uint32_t n, at, gate; /* gate: the first stretch that communicates */
    uint32_t pause;       /* the longest stretch that does not, or 0 */
    struct use *use;
    uint32_t uses;
    double left;  /* of the stretch, ps at speed 1 */
    double until; /* stands still until then: not started, or at its gate */
    double speed;
    uint32_t ended;
    double end_of_first; /* of the iterations left out */
    double end_of_last;  /* ... and of `counted` behind them, in which its gate
                          * opens at all times of its period as often */
    uint32_t counted;
};

/* All jobs at one moment. */
struct fluid {
    struct runner *run;
    uint32_t n, *order; /* runners by class, the highest first, then by job */
    const uint64_t *rate_bps; /* per link of the graph */
    uint32_t *index;          /* per link of the graph: of those in use */
    uint32_t links;           /* in use */
    double *capacity, *left;  /* bit/ps */
    struct ask { /* of a running job of the class whose turn it is */
        uint32_t runner;
        double rate, weight, own; /* own: of the rate, for a weight of 1 */
    } * ask;
    uint32_t *off, *end; /* of a link's asks */
    bool *fixed;         /* per runner: its speed is known */
    double *level;       /* per link in use, unless it is stale */
    bool *stale;
    uint32_t *tight, n_tight; /* links in use that may hold up a class */
    /* what came of share_links(), by who was in which stretch, which is all
     * that it depends on: a job that others let wait comes by the same again
     * and again */
    struct memo {
        struct orr_table known; /* by a hash of the state */
        uint32_t *state;        /* per entry and runner */
        double *speed;          /* the same */
        uint32_t n, states_room, speeds_room;
        uint32_t *now; /* per runner: the state that it is */
    } memo;
    double now;
    uint32_t iterations, left_out;
    uint64_t work;
};

/* ---- stretches ---------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Where something changes, 0 and the end included. */
static uint32_t corners(const struct orr_profile *p, int64_t *v)
{
    uint32_t n = 0, kept = 0;
    v[n++] = 0;
    v[n++] = p->iteration_ps;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->link[i].n; k++) {
            int64_t at = p->link[i].phase[k].at_ps;
            v[n++] = at;
            v[n++] = at + p->link[i].phase[k].for_ps;
        }
    qsort(v, n, sizeof *v, by_time);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || v[i] != v[kept - 1])
            v[kept++] = v[i];
    return kept;
}

static bool add_use(struct runner *r, uint32_t *room, uint32_t link,
                    double rate)
{
    if (!orr__array_more(r->use, *room, r->uses))
        return false;
    r->use[r->uses++] = (struct use){link, rate, rate / r->job->weight};
    return true;
}

/* What the profile asks for from one corner to the next. */
static bool fill_stretch(struct fluid *f, struct runner *r, int64_t from,
                         uint32_t *phase, uint32_t *room)
{
    const struct orr_profile *p = r->job->profile;
    struct stretch *s = &r->stretch[r->n];
    s->use = r->uses;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct orr_link_demand *d = &p->link[i];
        while (phase[i] < d->n
               && d->phase[phase[i]].at_ps + d->phase[phase[i]].for_ps <= from)
            phase[i]++;
        if (phase[i] == d->n || d->phase[phase[i]].at_ps > from)
            continue;
        if (r->gate == UINT32_MAX)
            r->gate = r->n;
        if (f->index[d->link] == UINT32_MAX)
            continue;
        if (!add_use(r, room, f->index[d->link],
                     (double)d->phase[phase[i]].rate_bps * 1e-12))
            return false;
    }
    s->uses = r->uses - s->use;
    return true;
}

/* Who asks a link for what and when, and what there is: a link of the same name
 * as another one is always as full. */
static uint64_t name_of(uint64_t so_far, uint32_t job,
                        const struct orr_link_demand *d)
{
    uint64_t name = so_far + job;
    for (uint32_t k = 0; k < d->n; k++) {
        const struct orr_phase *x = &d->phase[k];
        const uint64_t what[] = {job, (uint64_t)x->at_ps, (uint64_t)x->for_ps,
                                 x->rate_bps};
        name = XXH3_64bits_withSeed(what, sizeof what, name);
    }
    return name;
}

/* Links that all jobs at their peaks together are too much for; no others hold
 * anyone up. Of those that are always as full as one another the first stands
 * for all. False: no memory. */
static bool find_links(struct fluid *f, const struct orr_fluid_job *job,
                       uint32_t links)
{
    struct orr_table names = {0};
    uint64_t *name = orr__alloc(links, sizeof *name);
    bool ok = name != NULL;
    for (uint32_t j = 0; ok && j < f->n; j++)
        for (uint32_t i = 0; i < job[j].profile->n; i++) {
            const struct orr_link_demand *d = &job[j].profile->link[i];
            double peak = 0;
            for (uint32_t k = 0; k < d->n; k++)
                if ((double)d->phase[k].rate_bps > peak)
                    peak = (double)d->phase[k].rate_bps;
            f->left[d->link] += peak;
            name[d->link] = name_of(name[d->link], j, d);
        }
    for (uint32_t l = 0; ok && l < links; l++) {
        f->index[l] = UINT32_MAX;
        if (f->left[l] <= (double)f->rate_bps[l] * (1 + TINY))
            continue;
        name[l] =
            XXH3_64bits_withSeed(&f->rate_bps[l], sizeof *f->rate_bps, name[l]);
        if (orr__table_find(&names, name[l]) != ORR_NONE)
            continue;
        ok = orr__table_add(&names, name[l], l);
        f->index[l] = f->links;
        f->capacity[f->links++] = (double)f->rate_bps[l] * 1e-12;
    }
    orr__table_fini(&names);
    orr__free(name);
    return ok;
}

/* In the stretch in which it is when it has done so much of its iteration. */
static void begin_within(struct runner *r)
{
    double done = (double)r->job->done_ps;
    while (r->at + 1 < r->n && done >= r->stretch[r->at].length)
        done -= r->stretch[r->at++].length;
    r->left = r->stretch[r->at].length;
    r->left -= done < r->left ? done : 0;
    r->job->ends = 0;
}

/* Stretches between corners of any link's demand. false: no memory. */
static bool make_runner(struct fluid *f, struct runner *r)
{
    const struct orr_profile *p = r->job->profile;
    size_t most = 2;
    uint32_t room = 0;
    for (uint32_t i = 0; i < p->n; i++)
        most += 2 * (size_t)p->link[i].n;
    int64_t *corner = orr__alloc(most, sizeof *corner);
    uint32_t *phase = orr__alloc(p->n, sizeof *phase);
    bool ok = corner && phase;
    uint32_t n = ok ? corners(p, corner) : 0;
    r->stretch = orr__alloc(n, sizeof *r->stretch);
    ok = ok && r->stretch;
    r->gate = UINT32_MAX;
    for (uint32_t i = 0; ok && i + 1 < n; i++) {
        ORR_ASSERT(corner[i] < corner[i + 1]);
        r->stretch[r->n].length = (double)(corner[i + 1] - corner[i]);
        ok = fill_stretch(f, r, corner[i], phase, &room);
        const struct stretch *pause = &r->stretch[r->pause];
        if (ok && !r->stretch[r->n].uses
            && (pause->uses || pause->length < r->stretch[r->n].length))
            r->pause = r->n;
        r->n++;
    }
    orr__free(corner);
    orr__free(phase);
    r->until = (double)r->job->start_ps;
    if (ok)
        begin_within(r);
    return ok;
}

static uint32_t most_uses(const struct runner *r)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < r->n; i++)
        most = r->stretch[i].uses > most ? r->stretch[i].uses : most;
    return most;
}

/* ---- sharing ------------------------------------------------------------ */

/* What the jobs order[from .. to) that run ask of each link in their stretches:
 * entries of link l are [off[l], end[l]), where those that are fixed go. */
static void list_asks(struct fluid *f, uint32_t from, uint32_t to)
{
    memset(f->off, 0, (f->links + (size_t)1) * sizeof *f->off);
    for (uint32_t k = from; k < to; k++) {
        const struct runner *r = &f->run[f->order[k]];
        const struct stretch *s = &r->stretch[r->at];
        for (uint32_t i = 0; r->until <= f->now && i < s->uses; i++)
            f->off[r->use[s->use + i].link]++;
    }
    for (uint32_t l = 0, sum = 0; l <= f->links; l++) {
        sum += l < f->links ? f->off[l] : 0;
        f->off[l] = sum;
    }
    memcpy(f->end, f->off, f->links * sizeof *f->end);
    for (uint32_t k = to; k-- > from;) {
        uint32_t j = f->order[k];
        const struct runner *r = &f->run[j];
        const struct stretch *s = &r->stretch[r->at];
        for (uint32_t i = 0; r->until <= f->now && i < s->uses; i++) {
            const struct use *u = &r->use[s->use + i];
            ORR_ASSERT(f->off[u->link] > 0 && u->rate > 0);
            f->ask[--f->off[u->link]] =
                (struct ask){j, u->rate, r->job->weight, u->own};
        }
    }
}

/* Leaves who is not fixed yet; the sum of what they ask for. */
static double rivals(struct fluid *f, uint32_t link)
{
    uint32_t kept = f->off[link];
    double asked = 0;
    for (uint32_t i = kept; i < f->end[link]; i++) {
        if (f->fixed[f->ask[i].runner])
            continue;
        ORR_ASSERT(f->ask[i].weight > 0);
        asked += f->ask[i].rate;
        f->ask[kept++] = f->ask[i];
    }
    f->end[link] = kept;
    return asked;
}

/* The rate, for a weight of 1, that fills what is left of a link if everyone
 * gets it or what he asks for; INFINITY: there is enough. */
static double level_of_link(struct fluid *f, uint32_t link)
{
    double left = f->left[link] > 0 ? f->left[link] : 0, low = 0;
    double asked = rivals(f, link);
    if (asked <= left * (1 - TINY))
        return INFINITY;
    /* those that ask for less than the level get it: it is not below what is
     * left once some of them have it, so that none is passed over */
    for (;;) {
        double sum = 0, weights = 0, next = INFINITY;
        for (uint32_t i = f->off[link]; i < f->end[link]; i++) {
            const struct ask *a = &f->ask[i];
            bool small = a->own <= low;
            sum += small ? a->rate : 0;
            weights += small ? 0 : a->weight;
            next = !small && a->own < next ? a->own : next;
        }
        if (weights <= 0)
            return INFINITY;
        double here = (left - sum) / weights;
        if (here <= next * (1 - TINY))
            return here;
        low = here > next ? here : next;
    }
}

/* The runner's speed is final; what it takes of its links is gone for the
 * others. */
static void fix_speed(struct fluid *f, uint32_t runner, double speed)
{
    struct runner *r = &f->run[runner];
    const struct stretch *s = &r->stretch[r->at];
    ORR_ASSERT(!f->fixed[runner] && speed >= 0 && speed <= 1 + TINY);
    f->fixed[runner] = true;
    r->speed = speed;
    for (uint32_t i = 0; i < s->uses; i++) {
        uint32_t link = r->use[s->use + i].link;
        f->left[link] -= r->use[s->use + i].rate * speed;
        f->stale[link] = true;
    }
}

/* The link with the lowest level; INFINITY: none holds anyone up. Where there
 * is enough there will be, as nobody gets more than he asks for. */
static double lowest_level(struct fluid *f, uint32_t *link)
{
    double lowest = INFINITY;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->n_tight; i++) {
        uint32_t l = f->tight[i];
        if (f->stale[l])
            f->level[l] = level_of_link(f, l);
        f->stale[l] = false;
        if (f->level[l] == INFINITY)
            continue;
        f->tight[kept++] = l;
        if (f->level[l] < lowest) {
            lowest = f->level[l];
            *link = l;
        }
    }
    f->n_tight = kept;
    return lowest;
}

/* Among order[from .. to), a class: link by link, the one with the lowest level
 * first. */
static void share_class(struct fluid *f, uint32_t from, uint32_t to)
{
    uint32_t link = 0;
    list_asks(f, from, to);
    f->work += f->off[f->links];
    memset(f->stale, true, f->links);
    f->n_tight = 0;
    for (uint32_t l = 0; l < f->links; l++)
        if (f->off[l] < f->off[l + 1])
            f->tight[f->n_tight++] = l;
    for (;;) {
        double lowest = lowest_level(f, &link);
        if (lowest == INFINITY)
            break;
        for (uint32_t i = f->off[link]; i < f->end[link]; i++) {
            const struct ask *a = &f->ask[i];
            if (a->own > lowest)
                fix_speed(f, a->runner, lowest * a->weight / a->rate);
        }
    }
    for (uint32_t k = from; k < to; k++) {
        uint32_t j = f->order[k];
        if (!f->fixed[j] && f->run[j].until <= f->now)
            fix_speed(f, j, 1);
    }
}

/* Speeds of all runners: class by class, the highest first, max-min within
 * each. */
static void share_links(struct fluid *f)
{
    memcpy(f->left, f->capacity, f->links * sizeof *f->left);
    f->work += f->n;
    memset(f->fixed, false, f->n);
    for (uint32_t j = 0; j < f->n; j++)
        f->run[j].speed = 0;
    for (uint32_t from = 0, to = 0; from < f->n; from = to) {
        uint32_t class = f->run[f->order[from]].job->class;
        bool any = false;
        for (; to < f->n && f->run[f->order[to]].job->class == class; to++)
            any = any || f->run[f->order[to]].until <= f->now;
        if (any)
            share_class(f, from, to);
    }
}

/* What share_links() depends on, of each runner: it stands still, or its
 * stretch. Returns a hash of it. */
static uint64_t note_state(struct fluid *f)
{
    uint32_t *now = f->memo.now;
    for (uint32_t j = 0; j < f->n; j++) {
        const struct runner *r = &f->run[j];
        now[j] = r->until <= f->now ? r->at + 1 : 0;
    }
    return XXH3_64bits(now, f->n * sizeof *now);
}

/* Keeps the speeds of the state that is, if there is room. */
static void remember(struct fluid *f, uint64_t key)
{
    struct memo *m = &f->memo;
    const size_t n = f->n, entries = m->n + (size_t)1;
    if (entries * n * (sizeof *m->state + sizeof *m->speed) > MEMO
        || !orr__array_room(m->state, m->states_room, entries * n)
        || !orr__array_room(m->speed, m->speeds_room, entries * n)
        || !orr__table_add(&m->known, key, m->n))
        return;
    memcpy(&m->state[m->n * n], m->now, n * sizeof *m->now);
    for (uint32_t j = 0; j < f->n; j++)
        m->speed[m->n * n + j] = f->run[j].speed;
    m->n++;
}

/* Speeds as share_links() has them, of states that came before from memory. */
static void recall(struct fluid *f)
{
    const struct memo *m = &f->memo;
    const size_t n = f->n;
    uint64_t key = note_state(f);
    uint32_t entry = orr__table_find(&m->known, key);
    if (entry == ORR_NONE
        || memcmp(&m->state[entry * n], m->now, n * sizeof *m->now) != 0) {
        share_links(f);
        if (entry == ORR_NONE)
            remember(f, key);
        return;
    }
    for (uint32_t j = 0; j < f->n; j++)
        f->run[j].speed = m->speed[entry * n + j];
    f->work += n;
}

/* ---- going on ----------------------------------------------------------- */

static uint32_t times_of(const struct orr_fluid_job *job)
{
    return job->times ? job->times : 1;
}

/* How long a gate is open for its last turn, which was at a time of its period;
 * *next: until the next one. */
static double since_turn(const struct orr_fluid_job *job, double at,
                         double *next)
{
    uint32_t i = 1, n = times_of(job);
    double last = 0, period = (double)job->period_ps;
    while (i < n && (double)job->time_ps[i] <= at + TINY * period)
        last = (double)job->time_ps[i++];
    *next = (i < n ? (double)job->time_ps[i] : period) - at;
    return at - last;
}

/* At the stretch in which it first communicates: until when it waits. */
static double opens_at(const struct fluid *f, const struct runner *r)
{
    struct orr_fluid_job *job = r->job;
    double period = (double)job->period_ps;
    if (!r->job->period_ps || r->at != r->gate
        || (r->job->first_only && r->ended))
        return f->now;
    double late = fmod(f->now - (double)r->job->offset_ps, period);
    late += late < 0 ? period : 0;
    if (period - late < TINY * period)
        return f->now;
    double next;
    late = since_turn(job, late, &next);
    return late <= LATE * period / times_of(job) ? f->now : f->now + next;
}

/* What jitter adds to this iteration: normally distributed, near enough, and by
 * arithmetic that is the same everywhere. */
static double draw_jitter(const struct fluid *f, const struct runner *r)
{
    const uint32_t of[3] = {(uint32_t)(r - f->run), r->ended, r->job->draw};
    double sum = -DRAWS / 2.0;
    if (!(r->job->deviation_ps > 0))
        return r->job->longer_ps;
    for (uint64_t i = 0; i < DRAWS; i++)
        sum += (double)(XXH3_64bits_withSeed(of, sizeof of, i) >> 11) * 0x1p-53;
    return r->job->longer_ps + sum * r->job->deviation_ps;
}

/* Into the next stretch; after the last one the next iteration begins. */
static void next_stretch(struct fluid *f, struct runner *r)
{
    if (++r->at == r->n) {
        r->at = 0;
        if (++r->ended == f->left_out)
            r->end_of_first = f->now;
        if (r->job->end_ps && r->job->ends < r->job->room)
            r->job->end_ps[r->job->ends++] = f->now;
        uint32_t more = r->ended - f->left_out;
        if (r->ended <= f->left_out || more % times_of(r->job) == 0) {
            r->end_of_last = f->now;
            r->counted = r->ended;
        }
    }
    r->left = r->stretch[r->at].length;
    if (r->at == r->pause) {
        double left = r->left + draw_jitter(f, r);
        r->left = left > 0 ? left : 0;
    }
    r->until = opens_at(f, r);
}

static bool all_done(const struct fluid *f)
{
    for (uint32_t j = 0; j < f->n; j++)
        if (f->run[j].ended < f->iterations)
            return false;
    return true;
}

/* What is left after rounding, when a stretch is over. */
static bool is_over(const struct runner *r)
{
    return r->left <= TINY * r->stretch[r->at].length;
}

/* To the next moment at which somebody's stretch ends or gate opens. */
static void advance(struct fluid *f)
{
    double step = INFINITY;
    recall(f);
    for (uint32_t j = 0; j < f->n; j++) {
        const struct runner *r = &f->run[j];
        double t = r->until > f->now ? r->until - f->now
                   : r->speed > 0    ? r->left / r->speed
                                     : INFINITY;
        step = t < step ? t : step;
    }
    f->now += step;
    ORR_ASSERT(step >= 0 && step < INFINITY);
    for (uint32_t j = 0; j < f->n; j++) {
        struct runner *r = &f->run[j];
        r->left -= r->speed * step;
        if (r->speed > 0 && is_over(r))
            next_stretch(f, r);
        else if (r->speed <= 0 && r->until <= f->now * (1 + 1e-15))
            r->until = f->now;
    }
}

/* The means of iterations behind those that are left out, of whole periods of a
 * gate; of all, or as the profile says, where there are none yet. */
static void conclude(struct fluid *f)
{
    for (uint32_t j = 0; j < f->n; j++) {
        struct runner *r = &f->run[j];
        double n = (double)r->counted - f->left_out;
        r->job->iteration_ps =
            n > 0 ? (r->end_of_last - r->end_of_first) / n
            : r->counted
                ? (r->end_of_last - (double)r->job->start_ps) / r->counted
                : (double)r->job->profile->iteration_ps;
    }
}

static int by_class(const void *a, const void *b, void *jobs)
{
    const struct orr_fluid_job *job = jobs;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (job[x].class != job[y].class)
        return job[x].class > job[y].class ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* job: n of them, over so many links. False: no memory. */
static bool make_fluid(struct fluid *f, struct orr_fluid_job *job,
                       uint32_t links)
{
    size_t asks = 0; /* at once, at most */
    f->run = orr__alloc(f->n, sizeof *f->run);
    f->order = orr__alloc(f->n, sizeof *f->order);
    f->fixed = orr__alloc(f->n, sizeof *f->fixed);
    f->index = orr__alloc(links, sizeof *f->index);
    f->capacity = orr__alloc(links, sizeof *f->capacity);
    f->left = orr__alloc(links, sizeof *f->left);
    f->off = orr__alloc(links + (size_t)1, sizeof *f->off);
    f->end = orr__alloc(links, sizeof *f->end);
    f->level = orr__alloc(links, sizeof *f->level);
    f->stale = orr__alloc(links, sizeof *f->stale);
    f->tight = orr__alloc(links, sizeof *f->tight);
    f->memo.now = orr__alloc(f->n, sizeof *f->memo.now);
    bool ok = f->run && f->order && f->fixed && f->index && f->capacity
              && f->left && f->off && f->end && f->level && f->stale && f->tight
              && f->memo.now && find_links(f, job, links);
    for (uint32_t j = 0; ok && j < f->n; j++) {
        f->run[j].job = &job[j];
        f->order[j] = j;
        ok = make_runner(f, &f->run[j]);
    }
    f->work = CALL + links;
    for (uint32_t j = 0; ok && j < f->n; j++) {
        asks += most_uses(&f->run[j]);
        f->work += f->run[j].n + f->run[j].uses;
    }
    if (ok)
        qsort_r(f->order, f->n, sizeof *f->order, by_class, job);
    f->ask = orr__alloc(asks, sizeof *f->ask);
    return ok && f->ask;
}

/* Of a model that may be half made. */
static void unmake(struct fluid *f)
{
    for (uint32_t j = 0; f->run && j < f->n; j++) {
        orr__free(f->run[j].stretch);
        orr__free(f->run[j].use);
    }
    orr__free(f->run);
    orr__free(f->order);
    orr__free(f->fixed);
    orr__free(f->index);
    orr__free(f->capacity);
    orr__free(f->left);
    orr__free(f->ask);
    orr__free(f->off);
    orr__free(f->end);
    orr__free(f->level);
    orr__free(f->stale);
    orr__free(f->tight);
    orr__free(f->memo.state);
    orr__free(f->memo.speed);
    orr__free(f->memo.now);
    orr__table_fini(&f->memo.known);
}

orr_err orr__solve_fluid(struct orr_fluid_job *job, uint32_t n,
                         const uint64_t *rate_bps, uint32_t links,
                         uint64_t *work, const volatile int *interrupt,
                         struct orr_report *why)
{
    const volatile int never = 0;
    const volatile int *over = interrupt ? interrupt : &never;
    struct fluid f = {.n = n, .rate_bps = rate_bps};
    f.iterations = n < MANY ? ITERATIONS : ITERATIONS_OF_MANY;
    f.left_out = f.iterations / 3;
    bool ok = make_fluid(&f, job, links);
    for (uint32_t e = 0; ok && e < MOST_EVENTS && !all_done(&f) && !*over; e++)
        advance(&f);
    if (ok)
        conclude(&f);
    if (work)
        *work += f.work;
    unmake(&f);
    if (ok && *over)
        return orr__fail(why, ORR_EINTERRUPTED, "interrupted");
    return ok ? ORR_OK : orr__no_memory(why);
}
