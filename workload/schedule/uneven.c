#include "workload/schedule/uneven.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "workload/schedule/plan.h"

/* Turns of a job that one try gives, at most. */
enum { TURNS = 3 * ORR_MOST_TIMES };

/* A try gives turns one after another: each to the job that can begin first,
 * where some let others pass that begin up to `patience` later. A turn is given
 * whole, all messages of an iteration, at the first time at which no link is
 * exceeded. When all jobs stand to one another as they did before, the turns in
 * between are a cycle. */
struct search {
    const struct orr_circles *c;
    const struct orr_uneven_job *job;
    uint32_t n, *member;    /* jobs of the part */
    int64_t shortest_ps;    /* of their iterations */
    int64_t *patience;      /* per member */
    uint32_t *turns;        /* per member: given so far */
    int64_t (*turn)[TURNS]; /* per member: first bytes, ascending */
    struct row {            /* after each turn */
        uint32_t member;
        uint64_t hash; /* of where the others stand */
        int64_t at;
    } * row;
    uint32_t rows;
    uint64_t work; /* left */
    double best;
};

/* ---- room ------------------------------------------------------------------
 */

static const struct orr_turn *turn_on(const struct orr_shared_link *m,
                                      uint32_t job)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->turn[i].job == job)
            return &m->turn[i];
    return NULL;
}

static int64_t after_first(const struct search *s, uint32_t job, int64_t edge)
{
    const struct orr_uneven_job *x = &s->job[job];
    return (int64_t)((double)(edge - x->first_ps) * x->longer);
}

/* When a message that ends there is over, at the latest. */
static int64_t latest_end(const struct search *s, uint32_t job, int64_t edge)
{
    return after_first(s, job, edge) + s->job[job].late_ps;
}

/* What the others' turns take of a link at a time, and until when it is as
 * much at least. */
static double sum_others(struct search *s, const struct orr_shared_link *m,
                         uint32_t member, int64_t at, int64_t *until)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct orr_turn *t =
            i == member ? NULL : turn_on(m, s->member[i]);
        if (!t)
            continue;
        int64_t length = s->job[t->job].iteration_ps;
        for (uint32_t k = s->turns[i]; k-- > 0;) {
            int64_t since = at - s->turn[i][k];
            if (since >= length)
                break;
            for (uint32_t p = 0; p < t->n; p++) {
                int64_t to = latest_end(s, t->job, t->edge[2 * p + 1]);
                s->work -= s->work > 0;
                if (since < after_first(s, t->job, t->edge[2 * p])
                    || since >= to)
                    continue;
                sum += (double)t->rate_bps[p];
                *until =
                    s->turn[i][k] + to < *until ? s->turn[i][k] + to : *until;
            }
        }
    }
    return sum;
}

/* If the link is exceeded at a time, by how much a phase that is there, and
 * began at `from`, has to begin later; 0: it is not. */
static int64_t later_at(struct search *s, const struct orr_shared_link *m,
                        uint32_t member, uint64_t rate, int64_t from,
                        int64_t at)
{
    int64_t until = ORR_HORIZON;
    double sum = sum_others(s, m, member, at, &until) + (double)rate;
    return sum > ORR_PLAN_TIGHT * (double)m->capacity_bps && until > from
               ? until - from
               : 0;
}

/* The same for a whole phase: at its beginning, and wherever a phase of others
 * begins in it. */
static int64_t later_by(struct search *s, const struct orr_shared_link *m,
                        uint32_t member, uint64_t rate, int64_t from,
                        int64_t to)
{
    int64_t later = later_at(s, m, member, rate, from, from);
    for (uint32_t i = 0; i < s->n && !later; i++) {
        const struct orr_turn *t =
            i == member ? NULL : turn_on(m, s->member[i]);
        for (uint32_t k = t ? s->turns[i] : 0; k-- > 0 && !later;) {
            int64_t at = s->turn[i][k];
            if (from - at >= s->job[t->job].iteration_ps)
                break;
            for (uint32_t p = 0; p < t->n && !later; p++) {
                int64_t x = at + after_first(s, t->job, t->edge[2 * p]);
                if (x > from && x < to)
                    later = later_at(s, m, member, rate, from, x);
            }
        }
    }
    return later;
}

/* When a job may begin to send, no sooner than `at`. */
static int64_t earliest(struct search *s, uint32_t member, int64_t at)
{
    uint32_t job = s->member[member];
    for (int64_t later = 1; later && s->work;) {
        later = 0;
        for (uint32_t l = 0; l < s->c->n && !later; l++) {
            const struct orr_shared_link *m = &s->c->shared[l];
            const struct orr_turn *t = turn_on(m, job);
            for (uint32_t p = 0; t && p < t->n && !later; p++)
                later = later_by(s, m, member, t->rate_bps[p],
                                 at + after_first(s, job, t->edge[2 * p]),
                                 at + latest_end(s, job, t->edge[2 * p + 1]));
        }
        at += later;
    }
    return at;
}

/* ---- one try ---------------------------------------------------------------
 */

/* Iterations of the same job are a whole one apart; the first is when it can be
 * from 0 on. */
static int64_t next_start(const struct search *s, uint32_t member)
{
    uint32_t n = s->turns[member];
    return n ? s->turn[member][n - 1] + s->job[s->member[member]].iteration_ps
             : s->job[s->member[member]].first_ps;
}

/* Gives the next turn; false: that member has had enough. */
static bool give_turn(struct search *s)
{
    uint32_t best = 0;
    int64_t at = 0, least = INT64_MAX;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t x = earliest(s, i, next_start(s, i));
        if (x + s->patience[i] < least) {
            least = x + s->patience[i];
            best = i;
            at = x;
        }
    }
    if (s->turns[best] == TURNS || at >= ORR_HORIZON / 2 || !s->work)
        return false;
    s->turn[best][s->turns[best]++] = at;
    struct row *r = &s->row[s->rows++];
    *r = (struct row){.member = best, .at = at, .hash = s->n};
    for (uint32_t i = 0; i < s->n; i++) { /* the last two turns of each */
        int64_t last[2] = {1, 1};         /* 1: there is none */
        for (uint32_t k = 0; k < 2 && k < s->turns[i]; k++)
            last[k] = s->turn[i][s->turns[i] - 1 - k] - at;
        if (s->turns[i] < 2) /* that is no state to come back to */
            r->hash = s->rows;
        r->hash = XXH3_64bits_withSeed(last, sizeof last, r->hash);
    }
    return true;
}

/* The row before the last that the last is equal to; ORR_NONE: there is
 * none. */
static uint32_t same_row(const struct search *s)
{
    const struct row *last = &s->row[s->rows - 1];
    for (uint32_t r = s->rows - 1; r-- > 0;)
        if (s->row[r].member == last->member && s->row[r].hash == last->hash)
            return r;
    return ORR_NONE;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* What a cycle costs, of alone; INFINITY: a member has no turn or too many. */
static double cost_of(const struct search *s, const uint32_t *turns,
                      int64_t period)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!turns[i] || turns[i] > ORR_MOST_TIMES)
            return INFINITY;
        sum += (double)period / turns[i] / s->job[s->member[i]].baseline_ps;
    }
    return sum / s->n;
}

/* Keeps the turns since a row, the last one included, if they are better. */
static void keep_turns(struct search *s, uint32_t from, struct orr_uneven *out)
{
    int64_t period = s->row[s->rows - 1].at - s->row[from].at;
    uint32_t *n = s->turns; /* this try is over */
    memset(n, 0, s->n * sizeof *n);
    for (uint32_t r = from + 1; r < s->rows; r++)
        n[s->row[r].member]++;
    double cost = period > 0 ? cost_of(s, n, period) : INFINITY;
    if (!(cost < s->best))
        return;
    ORR_ASSERT(period > 0);
    s->best = out->cost = cost;
    out->period_ps = period;
    for (uint32_t i = 0; i < s->n; i++)
        out->times[s->member[i]] = 0;
    for (uint32_t r = from + 1; r < s->rows; r++) {
        uint32_t j = s->member[s->row[r].member];
        out->time_ps[j][out->times[j]++] = s->row[r].at % period;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t j = s->member[i];
        qsort(out->time_ps[j], out->times[j], sizeof(int64_t), by_time);
    }
}

/* Turns until jobs stand as before, or no more can be given. */
static void try_once(struct search *s, struct orr_uneven *out)
{
    memset(s->turns, 0, s->n * sizeof *s->turns);
    s->rows = 0;
    while (give_turn(s)) {
        uint32_t from = same_row(s);
        if (from == ORR_NONE)
            continue;
        keep_turns(s, from, out);
        return;
    }
}

/* ---- all of them -----------------------------------------------------------
 */

/* None in the first try; later half of the members have none, the others up to
 * the shortest iteration. */
static void draw_patience(struct search *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t of[2] = {number, i};
        uint64_t x = XXH3_64bits(of, sizeof of);
        double share = (double)(x >> 12) * 0x1p-52;
        bool none = !number || x & 1;
        s->patience[i] = none ? 0 : (int64_t)(share * (double)s->shortest_ps);
    }
}

/* Members and room for what is tried; freed by the caller, also after false: no
 * memory. */
static bool begin_search(struct search *s, const struct orr_affinity *a,
                         uint32_t part)
{
    const struct orr_circles *c = s->c;
    s->member = orr__alloc(c->jobs, sizeof *s->member);
    s->shortest_ps = ORR_HORIZON;
    for (uint32_t j = 0; s->member && j < c->jobs; j++) {
        if (a->part_of[j] != part)
            continue;
        s->member[s->n++] = j;
        if (s->job[j].iteration_ps < s->shortest_ps)
            s->shortest_ps = s->job[j].iteration_ps;
    }
    s->patience = orr__alloc(s->n, sizeof *s->patience);
    s->turns = orr__alloc(s->n, sizeof *s->turns);
    s->turn = orr__alloc(s->n, sizeof *s->turn);
    s->row = orr__alloc((size_t)s->n * TURNS, sizeof *s->row);
    return s->member && s->patience && s->turns && s->turn && s->row;
}

orr_err orr__uneven_find(const struct orr_circles *c,
                         const struct orr_affinity *a, uint32_t part,
                         const struct orr_uneven_job *job, uint32_t tries,
                         uint64_t work, struct orr_uneven *out,
                         struct orr_report *why)
{
    struct search s = {.c = c, .job = job, .work = work, .best = INFINITY};
    bool ok = begin_search(&s, a, part);
    out->period_ps = 0;
    for (uint32_t i = 0; ok && i < tries && s.work; i++) {
        draw_patience(&s, i);
        try_once(&s, out);
    }
    orr__free(s.member);
    orr__free(s.patience);
    orr__free(s.turns);
    orr__free(s.turn);
    orr__free(s.row);
    return ok ? ORR_OK : orr__no_memory(why);
}
